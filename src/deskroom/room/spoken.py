"""What a person says into a room from outside: a message to its host."""

from __future__ import annotations

import anyio
from attrs import define, field

from deskroom.core.transcript import Row

__all__ = ["Spoken"]


@define(eq=False)
class Spoken:
    """What a person says. ``done`` is set once its ``row`` is there, or never will be."""

    person: str
    message: str = field(repr=False)
    done: anyio.Event = field(factory=anyio.Event, repr=False)
    row: Row | None = None
