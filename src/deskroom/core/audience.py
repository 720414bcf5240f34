"""Who may read a row (semantics, section 6)."""

from __future__ import annotations

from typing import Final, Literal

from attrs import field, frozen

from deskroom.core.text import as_ids

__all__ = ["DESK", "OPERATOR", "Audience", "Author", "Viewer", "admits"]


@frozen
class Author:
    """Who wrote a row.

    ``id`` names an agent or a person; ``kind`` says which part of the system wrote it, such as
    ``workspace``. An operator has neither.
    """

    type: Literal["agent", "person", "operator", "system"]
    id: str | None = None
    kind: str | None = None


@frozen
class Audience:
    """The whole desk, or an aside to ``members`` in the order addressed (never the author)."""

    kind: Literal["desk", "aside"]
    members: tuple[str, ...] = field(default=(), converter=as_ids)


#: The audience of everything that is not private.
DESK: Final = Audience("desk")


@frozen
class Viewer:
    """Who is reading: the operator, a person or an agent."""

    kind: Literal["operator", "person", "agent"]
    id: str | None = None


#: Whoever runs the room, and so reads everything.
OPERATOR: Final = Viewer("operator")


def admits(audience: Audience, author: Author, viewer: Viewer) -> bool:
    """Whether ``viewer`` may read a row of this audience and author.

    Anything that is not one of the known kinds is not admitted.
    """
    if audience.kind == "desk" or viewer.kind in ("operator", "person"):
        return True
    if viewer.kind != "agent":
        return False
    return viewer.id in audience.members or (author.type == "agent" and author.id == viewer.id)
