"""How far a long command has come: a bar on stderr, and only where that is a terminal."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from typing import Final, TypeVar

__all__ = ["with_progress"]

T = TypeVar("T")

#: So few things are done before anybody wonders.
_MANY: Final = 20


def with_progress(items: Iterable[T], total: int, doing: str) -> Iterator[T]:
    """Yield things of which there are ``total``, and show how many of them are done."""
    if total <= _MANY or not sys.stderr.isatty():
        yield from items
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    columns = (TextColumn(doing), BarColumn(), MofNCompleteColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        yield from progress.track(items, total=total)
