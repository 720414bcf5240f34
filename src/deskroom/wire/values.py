"""The wire form of the core's values: the reference form of rows, and what is decided about them."""

from __future__ import annotations

from functools import partial
from typing import Final

from deskroom.core.audience import DESK, Audience, Author
from deskroom.core.directory import EVERYONE, Target
from deskroom.core.transcript import Elision, Row
from deskroom.errors import WireError
from deskroom.wire.codecs import INTEGER, TEXT, TEXTS, Json, Maybe
from deskroom.wire.form import Form, OneOf, form_of

__all__ = [
    "AUDIENCE",
    "AUTHOR",
    "ELISION",
    "ROW",
    "TARGET",
    "audience_in",
    "audience_out",
    "author_in",
    "author_out",
    "checked_object",
    "elision_out",
    "row_in",
    "row_out",
]

#: An agent or a person has an id, a part of the system a kind, and an operator neither.
AUTHOR: Final = OneOf(
    "type",
    {
        "agent": Form(partial(Author, "agent"), {"id": TEXT}, tag={"type": "agent"}),
        "person": Form(partial(Author, "person"), {"id": TEXT}, tag={"type": "person"}),
        "operator": Form(lambda: Author("operator"), {}, tag={"type": "operator"}),
        "system": Form(
            lambda kind: Author("system", kind=kind), {"kind": TEXT}, tag={"type": "system"}
        ),
    },
    lambda author: author.type,
)

AUDIENCE: Final = OneOf(
    "kind",
    {
        "desk": Form(lambda: DESK, {}, tag={"kind": "desk"}),
        "aside": Form(
            lambda members: Audience("aside", members), {"members": TEXTS}, tag={"kind": "aside"}
        ),
    },
    lambda audience: audience.kind,
)

TARGET: Final = OneOf(
    "kind",
    {
        "agent": Form(partial(Target, "agent"), {"id": TEXT}, tag={"kind": "agent"}),
        "person": Form(partial(Target, "person"), {"id": TEXT}, tag={"kind": "person"}),
        "desk": Form(partial(Target, "desk"), {"id": TEXT}, tag={"kind": "desk"}),
        "everyone": Form(lambda: EVERYONE, {}, tag={"kind": "everyone"}),
    },
    lambda target: target.kind,
)


def _row(
    sequence: int,
    chat_id: str,
    parent: int | None,
    author: Author,
    content: str,
    audience: Audience,
) -> Row:
    return Row(sequence, chat_id, author, content, audience, parent)


ROW: Final = Form(
    _row,
    {
        "sequence": INTEGER,
        "chat_id": TEXT,
        "parent": Maybe(INTEGER),
        "author": AUTHOR,
        "content": TEXT,
        "audience": AUDIENCE,
    },
)

ELISION: Final = form_of(Elision)


def row_in(value: object) -> Row:
    """Read a row in the reference wire form. Raises ``WireError`` for anything else."""
    return ROW.read(checked_object(value, "the row"))


def row_out(row: Row) -> Json:
    """Return a row in the reference wire form."""
    return ROW.write(row)


def author_in(value: object) -> Author:
    """Read an author. Raises ``WireError`` for anything else."""
    author: Author = AUTHOR.read(checked_object(value, "the author"))
    return author


def author_out(author: Author) -> Json:
    """Return an author in the reference wire form."""
    return AUTHOR.write(author)


def audience_in(value: object) -> Audience:
    """Read an audience. Raises ``WireError`` for anything else."""
    audience: Audience = AUDIENCE.read(checked_object(value, "the audience"))
    return audience


def audience_out(audience: Audience) -> Json:
    """Return an audience in the reference wire form."""
    return AUDIENCE.write(audience)


def elision_out(elided: Elision) -> Json:
    """Return what a stub stands for in the reference wire form."""
    return ELISION.write(elided)


def checked_object(value: object, what: str) -> Json:
    """Return a value that is an object. Raises ``WireError``, naming ``what`` it is, for another."""
    if type(value) is not dict:
        raise WireError(f"{what} must be an object", code="type")
    return value
