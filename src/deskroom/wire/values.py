"""The wire form of the core's values, written and read strictly.

An absent key is an error and never a default (an absent audience must not quietly mean everyone),
and so is a key that the form does not have.
"""

from __future__ import annotations

from typing import Any, Self, TypeVar

from deskroom.core.audience import DESK, Audience, Author
from deskroom.core.directory import EVERYONE, Target
from deskroom.core.dispatch import Decision, NoTurn, TurnFor
from deskroom.core.mention import Mention
from deskroom.core.transcript import Elision, Row
from deskroom.errors import WireError

__all__ = [
    "Fields",
    "audience_in",
    "audience_out",
    "author_in",
    "author_out",
    "decision_in",
    "decision_out",
    "elision_out",
    "mention_in",
    "mention_out",
    "row_in",
    "row_out",
]

T = TypeVar("T")

Json = dict[str, Any]


class Fields:
    """One decoded JSON object, asked for its fields by name and type.

    Every question raises ``WireError`` with the path of the field when it is missing or of another
    type; ``end`` raises it for a key that nobody asked for.
    """

    def __init__(self, value: object, where: str = "") -> None:
        if not isinstance(value, dict):
            raise WireError(f"{where or 'the line'} must be an object")
        self._value: Json = value
        self._where = where
        self._asked: set[str] = set()

    def at(self, name: str) -> str:
        """Return the path of a field."""
        return f"{self._where}.{name}" if self._where else name

    def has(self, name: str) -> bool:
        """Whether the field is there."""
        return name in self._value

    def raw(self, name: str) -> Any:  # noqa: ANN401 - decoded JSON has no narrower type
        """Return a field as it is."""
        if name not in self._value:
            raise WireError(f"{self.at(name)} is missing")
        self._asked.add(name)
        return self._value[name]

    def _typed(self, name: str, kind: type[T], noun: str) -> T:
        value = self.raw(name)
        if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
            raise WireError(f"{self.at(name)} must be {noun}")
        return value

    def text(self, name: str) -> str:
        """Return a string."""
        return self._typed(name, str, "a string")

    def maybe_text(self, name: str) -> str | None:
        """Return a string, or None for null."""
        return None if self.raw(name) is None else self.text(name)

    def number(self, name: str) -> int:
        """Return an integer."""
        return self._typed(name, int, "an integer")

    def count(self, name: str) -> int:
        """Return an integer that is not negative."""
        value = self.number(name)
        if value < 0:
            raise WireError(f"{self.at(name)} must not be negative")
        return value

    def maybe_number(self, name: str) -> int | None:
        """Return an integer, or None for null."""
        return None if self.raw(name) is None else self.number(name)

    def flag(self, name: str) -> bool:
        """Return a boolean."""
        return self._typed(name, bool, "true or false")

    def texts(self, name: str) -> tuple[str, ...]:
        """Return a list of strings."""
        items = self._typed(name, list, "a list of strings")
        if not all(isinstance(item, str) for item in items):
            raise WireError(f"{self.at(name)} must be a list of strings")
        return tuple(items)

    def word(self, name: str, *words: str) -> Any:  # noqa: ANN401 - a Literal of the caller's
        """Return a string that is one of ``words``."""
        value = self.text(name)
        if value not in words:
            raise WireError(f"{self.at(name)} must be one of {', '.join(words)}")
        return value

    def object(self, name: str) -> Self:
        """Return a nested object."""
        return type(self)(self.raw(name), self.at(name))

    def objects(self, name: str) -> list[Self]:
        """Return a list of objects."""
        items = self._typed(name, list, "a list of objects")
        return [type(self)(item, f"{self.at(name)}[{at}]") for at, item in enumerate(items)]

    def end(self) -> None:
        """Raise ``WireError`` for a key that the form does not have."""
        for name in self._value:
            if name not in self._asked:
                raise WireError(f"{self.at(name)} is not a field here")


def author_out(author: Author) -> Json:
    """Return an author in the reference wire form."""
    out: Json = {"type": author.type}
    if author.id is not None:
        out["id"] = author.id
    if author.kind is not None:
        out["kind"] = author.kind
    return out


def author_in(fields: Fields) -> Author:
    """Read an author: an agent or a person has an id, the system a kind, an operator neither."""
    type_ = fields.word("type", "agent", "person", "operator", "system")
    named = fields.text("id") if type_ in ("agent", "person") else None
    kind = fields.text("kind") if type_ == "system" else None
    fields.end()
    return Author(type_, named, kind)


def audience_out(audience: Audience) -> Json:
    """Return an audience in the reference wire form."""
    if audience.kind == "desk":
        return {"kind": "desk"}
    return {"kind": "aside", "members": list(audience.members)}


def elision_out(elided: Elision) -> Json:
    """Return what a stub stands for in the reference wire form."""
    return {
        "through": elided.through,
        "messages": elided.messages,
        "settled_at": elided.settled_at,
    }


def audience_in(fields: Fields) -> Audience:
    """Read an audience."""
    if fields.word("kind", "desk", "aside") == "desk":
        fields.end()
        return DESK
    audience = Audience("aside", fields.texts("members"))
    fields.end()
    return audience


def target_out(target: Target) -> Json:
    """Return what a mention stands for."""
    return {"kind": target.kind} if target.id is None else {"kind": target.kind, "id": target.id}


def target_in(fields: Fields) -> Target:
    """Read what a mention stands for."""
    kind = fields.word("kind", "agent", "person", "desk", "everyone")
    target = EVERYONE if kind == "everyone" else Target(kind, fields.text("id"))
    fields.end()
    return target


def mention_out(mention: Mention) -> Json:
    """Return a mention; ``quiet`` is always written."""
    return {
        "target": target_out(mention.target),
        "text": mention.text,
        "offset": mention.offset,
        "quiet": mention.quiet,
    }


def mention_in(fields: Fields) -> Mention:
    """Read a mention."""
    mention = Mention(
        target_in(fields.object("target")),
        fields.text("text"),
        fields.number("offset"),
        fields.flag("quiet"),
    )
    fields.end()
    return mention


def decision_out(decision: Decision) -> Json:
    """Return a decision with the mention that was chosen, or the reason that nobody was."""
    if isinstance(decision, NoTurn):
        return {"kind": "none", "reason": decision.reason}
    return {
        "kind": "one",
        "target_id": decision.target_id,
        "child_hop": decision.child_hop,
        "mention": None if decision.mention is None else mention_out(decision.mention),
    }


def decision_in(fields: Fields) -> Decision:
    """Read a decision."""
    decision: Decision
    if fields.word("kind", "one", "none") == "none":
        decision = NoTurn(fields.text("reason"))
    else:
        chosen = None if fields.raw("mention") is None else mention_in(fields.object("mention"))
        decision = TurnFor(fields.text("target_id"), fields.number("child_hop"), chosen)
    fields.end()
    return decision


def row_out(row: Row) -> Json:
    """Return a row in the reference wire form."""
    return {
        "sequence": row.sequence,
        "chat_id": row.chat_id,
        "parent": row.parent,
        "author": author_out(row.author),
        "content": row.content,
        "audience": audience_out(row.audience),
    }


def row_in(fields: Fields) -> Row:
    """Read a row."""
    row = Row(
        fields.number("sequence"),
        fields.text("chat_id"),
        author_in(fields.object("author")),
        fields.text("content"),
        audience_in(fields.object("audience")),
        fields.maybe_number("parent"),
    )
    fields.end()
    return row
