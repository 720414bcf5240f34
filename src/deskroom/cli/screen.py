"""What stdout can show: how wide it is, and whether it has colours and box characters."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from typing import Final

from deskroom.render.screen import Screen

__all__ = ["screen"]

_WIDTH: Final = 80


def screen() -> Screen:
    """Return what stdout can show; colours only on a terminal, and not under NO_COLOR."""
    encoding = (getattr(sys.stdout, "encoding", None) or "utf-8").lower()
    return Screen(width=_width(), color=_has_color(), lines=encoding.startswith("utf"))


def _has_color() -> bool:
    dumb = os.environ.get("TERM", "").lower() in {"dumb", "unknown"}
    return sys.stdout.isatty() and not dumb and not os.environ.get("NO_COLOR")


def _width() -> int:
    """Return the width of the terminal, also where stdout goes to a pipe but stdin does not."""
    columns = os.environ.get("COLUMNS", "")
    if columns.isdigit() and int(columns):
        return int(columns)
    for descriptor in (0, 1, 2):
        with suppress(OSError):
            return os.get_terminal_size(descriptor).columns or _WIDTH
    return _WIDTH
