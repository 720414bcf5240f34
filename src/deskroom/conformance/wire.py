"""The wire form of the vectors' inputs and answers, read strictly.

A reader takes decoded JSON and returns a value of the public API; whatever does not fit raises
``NotAVector`` with the path of the field.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, TypeVar

from deskroom.core import (
    EVERYONE,
    AsidePolicy,
    Audience,
    Author,
    Desk,
    DeskSet,
    Directory,
    Member,
    Mention,
    Person,
    Roster,
    Row,
    SeenRow,
    Target,
    Viewer,
)
from deskroom.errors import DeskroomError
from deskroom.speech import Broadcast, CompleteEpisode, Dm, Post, Rejection, Utterance

__all__ = ["Fields", "NotAVector", "mention_out", "rejection_out", "seen_out"]

T = TypeVar("T")

_SAYING: Final[Mapping[str, Callable[[str], Utterance]]] = {
    "post": Post,
    "broadcast": Broadcast,
    "complete_episode": CompleteEpisode,
}


class NotAVector(DeskroomError):
    """A line is not a conformance vector; the message names the field and what was expected."""


class Fields:
    """One JSON object, asked for its fields by name and type."""

    def __init__(self, value: object, where: str) -> None:
        if not isinstance(value, dict):
            raise NotAVector(f"{where or 'the line'} must be an object")
        self._value: dict[str, Any] = value
        self._where = where

    def _at(self, name: str) -> str:
        return f"{self._where}.{name}" if self._where else name

    def raw(self, name: str) -> Any:  # noqa: ANN401 - decoded JSON has no narrower type
        """Return a field as it is; an absent one is an error."""
        if name not in self._value:
            raise NotAVector(f"{self._at(name)} is missing")
        return self._value[name]

    def has(self, name: str) -> bool:
        """Whether the field is there."""
        return name in self._value

    def _typed(self, name: str, kind: type[T], noun: str) -> T:
        value = self.raw(name)
        if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
            raise NotAVector(f"{self._at(name)} must be {noun}")
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
            raise NotAVector(f"{self._at(name)} must not be negative")
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
            raise NotAVector(f"{self._at(name)} must be a list of strings")
        return tuple(items)

    def object(self, name: str) -> Fields:
        """Return a nested object."""
        return Fields(self.raw(name), self._at(name))

    def objects(self, name: str) -> list[Fields]:
        """Return a list of objects."""
        items = self._typed(name, list, "a list of objects")
        return [Fields(item, f"{self._at(name)}[{at}]") for at, item in enumerate(items)]

    def word(self, name: str, *words: str) -> str:
        """Return a string that is one of ``words``."""
        value = self.text(name)
        if value not in words:
            raise NotAVector(f"{self._at(name)} must be one of {', '.join(words)}")
        return value

    def directory(self, name: str) -> Directory:
        """Return a world as a directory."""
        world = self.object(name)
        return Directory(
            Roster(
                [Member(m.text("id"), m.maybe_text("name")) for m in world.objects("members")],
                [Person(p.text("id"), p.text("label")) for p in world.objects("people")],
                world.texts("retired"),
            ),
            DeskSet(
                [
                    Desk(d.text("id"), d.text("name"), d.texts("members"))
                    for d in world.objects("desks")
                ]
            ),
        )

    def author(self, name: str) -> Target | None:
        """Return the agent or person who wrote a message; None for anyone else."""
        author = self.object(name)
        kind = author.word("kind", "agent", "person", "other")
        return None if kind == "other" else Target(kind, author.text("id"))  # type: ignore[arg-type]

    def target(self, name: str) -> Target:
        """Return what a mention stands for."""
        target = self.object(name)
        kind = target.word("kind", "agent", "person", "desk", "everyone")
        if kind == "everyone":
            return EVERYONE
        return Target(kind, target.text("id"))  # type: ignore[arg-type]

    def mentions(self, name: str) -> tuple[Mention, ...]:
        """Return a list of mentions; ``quiet`` may be left out when it is false."""
        return tuple(_mention(m) for m in self.objects(name))

    def maybe_mentions(self, name: str) -> tuple[Mention, ...] | None:
        """Return a list of mentions, or None for null."""
        return None if self.raw(name) is None else self.mentions(name)

    def policy(self, name: str) -> AsidePolicy:
        """Return an aside policy."""
        policy = self.object(name)
        return AsidePolicy(
            enabled=policy.flag("enabled"),
            max_members=policy.count("max_members"),
            max_messages=policy.count("max_messages"),
            must_surface=policy.flag("must_surface"),
            require_thread=policy.flag("require_thread"),
        )

    def utterance(self, name: str) -> Utterance:
        """Return an utterance."""
        utterance = self.object(name)
        kind = utterance.word("kind", "dm", *_SAYING)
        message = utterance.text("message")
        return Dm(message, utterance.texts("to")) if kind == "dm" else _SAYING[kind](message)

    def rows(self, name: str) -> list[Row]:
        """Return transcript rows."""
        return [_row(row) for row in self.objects(name)]

    def viewer(self, name: str) -> Viewer:
        """Return a viewer."""
        viewer = self.object(name)
        kind = viewer.word("kind", "operator", "person", "agent")
        return Viewer(kind, None if kind == "operator" else viewer.text("id"))  # type: ignore[arg-type]


def _mention(mention: Fields) -> Mention:
    quiet = mention.flag("quiet") if mention.has("quiet") else False
    return Mention(mention.target("target"), mention.text("text"), mention.number("offset"), quiet)


def _row(row: Fields) -> Row:
    author = row.object("author")
    type_ = author.word("kind", "agent", "person", "operator", "system")
    named = author.maybe_text("id") if author.has("id") else None
    audience = row.object("audience")
    kind = audience.word("kind", "desk", "aside")
    members = audience.texts("members") if kind == "aside" else ()
    return Row(
        sequence=row.number("sequence"),
        chat_id="",
        author=Author(type_, named),  # type: ignore[arg-type]
        content=row.text("content"),
        audience=Audience(kind, members),  # type: ignore[arg-type]
    )


def mention_out(mention: Mention) -> dict[str, Any]:
    """Return a mention as an answer states it; ``quiet`` is always written."""
    target: dict[str, Any] = {"kind": mention.target.kind}
    if mention.target.id is not None:
        target["id"] = mention.target.id
    return {
        "target": target,
        "text": mention.text,
        "offset": mention.offset,
        "quiet": mention.quiet,
    }


def audience_out(audience: Audience) -> dict[str, Any]:
    """Return an audience as an answer states it."""
    if audience.kind == "desk":
        return {"kind": "desk"}
    return {"kind": "aside", "members": list(audience.members)}


def rejection_out(rejection: Rejection) -> dict[str, Any]:
    """Return a rejection as an answer states it."""
    out: dict[str, Any] = {"kind": rejection.kind}
    if rejection.subject is not None:
        out["name" if rejection.kind == "unknown_tool" else "id"] = rejection.subject
    return out


def seen_out(seen: SeenRow) -> dict[str, Any]:
    """Return a projected row as an answer states it."""
    author: dict[str, Any] = {"kind": seen.author.type}
    if seen.author.id is not None:
        author["id"] = seen.author.id
    elided = None
    if seen.elided is not None:
        elided = {
            "through": seen.elided.through,
            "messages": seen.elided.messages,
            "settled_at": seen.elided.settled_at,
        }
    return {
        "sequence": seen.sequence,
        "author": author,
        "content": seen.content,
        "audience": audience_out(seen.audience),
        "elided": elided,
    }
