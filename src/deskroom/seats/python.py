"""A seat played by a function in Python, named in a file or on the command line."""

from __future__ import annotations

from importlib import import_module
from inspect import iscoroutinefunction
from typing import Any

from deskroom.errors import UsageError, hint
from deskroom.room.acts import Act

__all__ = ["load_function", "load_named"]


def load_function(name: str) -> Act:
    """Return the async function of a turn that ``package.module:function`` names.

    What is named may also be an object with an async ``__call__``. Raises ``UsageError`` as
    ``load_named`` does, and where it is no such function.
    """
    found = load_named(name)
    if not iscoroutinefunction(found) and not iscoroutinefunction(
        getattr(type(found), "__call__", None)  # noqa: B004 - its kind is asked for
    ):
        raise UsageError(f"{name} is not an async function of a turn")
    act: Act = found
    return act


def load_named(name: str) -> Any:  # noqa: ANN401 - whatever has that name
    """Return what ``package.module:function`` names; importing the module runs it.

    Raises ``UsageError`` where it cannot be imported, or is not there.
    """
    module_name, colon, path = name.partition(":")
    if not (module_name and colon and path):
        raise UsageError(f"{name!r} names no function; write package.module:function")
    try:
        module = import_module(module_name)
    except Exception as error:
        raise UsageError(
            f"{module_name!r} cannot be imported: {type(error).__name__}: {error}"
        ) from error
    found: Any = module
    for part in path.split("."):
        if not hasattr(found, part):
            near = hint(part, [known for known in dir(found) if not known.startswith("_")])
            raise UsageError(f"{module_name!r} has no {part!r}{near}")
        found = getattr(found, part)
    return found
