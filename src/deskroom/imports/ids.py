"""Ids for speakers: what a message can address, made of what the source calls them.

The handle, where the source has one, else the name shown. It is kept if a message could address it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from typing import Final

from deskroom.core.directory import TOKEN_ENDS, starts_a_name
from deskroom.printable import control_in

__all__ = ["RESERVED", "free_id", "id_from", "is_addressable"]

#: Names that mean everyone, whoever is there.
RESERVED: Final = ("everyone", "channel", "here")
_MARKS: Final = re.compile(f"[@{re.escape(''.join(sorted(TOKEN_ENDS)))}]+")


def is_addressable(name: str) -> bool:
    """Whether ``@`` and this name are one mention, so that it can be an id as it is."""
    return (
        bool(name)
        and starts_a_name(name[0])
        and _MARKS.search(name) is None
        and control_in(name) is None
    )


def id_from(name: str) -> str:
    """Return the id made of a name; empty if nothing of it can be in an id."""
    if is_addressable(name):
        return name
    id = _MARKS.sub("_", _without_controls(name))
    while True:
        at = next((at for at, c in enumerate(id) if starts_a_name(c)), len(id))
        cut = id[at:].strip("_")
        if cut == id:
            return id
        id = cut


def _without_controls(name: str) -> str:
    while (control := control_in(name)) is not None:
        name = name.replace(control, "_")
    return name


def free_id(id: str, taken: Collection[str]) -> str:
    """Return an id, or with ``_2``, ``_3`` behind it, that is not taken; ``taken`` is lower-cased."""
    if id.lower() not in taken:
        return id
    return next(free for free in _numbered(id) if free.lower() not in taken)


def _numbered(id: str) -> Iterable[str]:
    number = 2
    while True:
        yield f"{id}_{number}"
        number += 1
