"""Names of a package that are loaded when they are first asked for."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

__all__ = ["lazy"]


def lazy(package: str, homes: Mapping[str, str]) -> Callable[[str], Any]:
    """Return a ``__getattr__`` for a package, from the module that each name is taken from.

    A name is kept once it was asked for. One that has no home is an ``AttributeError``.
    """

    def load(name: str) -> Any:  # noqa: ANN401 - a module attribute can be anything
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = getattr(import_module(homes[name]), name)
        setattr(sys.modules[package], name, value)
        return value

    return load
