"""The wire form of the vectors' inputs and answers, read strictly.

A reader takes decoded JSON and returns a value of the public API; whatever does not fit raises
``WireError`` with the path of the field. Rows and mentions have a form of their own here: see the
vectors' README.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

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
from deskroom.speech import Broadcast, CompleteEpisode, Dm, Post, Rejection, Utterance
from deskroom.wire import Fields, audience_out, elision_out
from deskroom.wire.values import TARGET

__all__ = ["Case", "mention_out", "rejection_out", "seen_out"]

_SAYING: Final[Mapping[str, Callable[[str], Utterance]]] = {
    "post": Post,
    "broadcast": Broadcast,
    "complete_episode": CompleteEpisode,
}


class Case(Fields):
    """One JSON object of a vector, asked for the values of the public API that it holds."""

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
        return None if kind == "other" else Target(kind, author.text("id"))

    def target(self, name: str) -> Target:
        """Return what a mention stands for."""
        target = self.object(name)
        kind = target.word("kind", "agent", "person", "desk", "everyone")
        if kind == "everyone":
            return EVERYONE
        return Target(kind, target.text("id"))

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
        return Viewer(kind, None if kind == "operator" else viewer.text("id"))


def _mention(mention: Case) -> Mention:
    quiet = mention.flag("quiet") if mention.has("quiet") else False
    return Mention(mention.target("target"), mention.text("text"), mention.number("offset"), quiet)


def _row(row: Case) -> Row:
    author = row.object("author")
    type_ = author.word("kind", "agent", "person", "operator", "system")
    named = author.maybe_text("id") if author.has("id") else None
    audience = row.object("audience")
    kind = audience.word("kind", "desk", "aside")
    members = audience.texts("members") if kind == "aside" else ()
    return Row(
        sequence=row.number("sequence"),
        chat_id="",
        author=Author(type_, named),
        content=row.text("content"),
        audience=Audience(kind, members),
    )


def mention_out(mention: Mention) -> dict[str, Any]:
    """Return a mention as an answer states it; ``quiet`` is always there."""
    return {
        "target": TARGET.write(mention.target),
        "text": mention.text,
        "offset": mention.offset,
        "quiet": mention.quiet,
    }


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
    return {
        "sequence": seen.sequence,
        "author": author,
        "content": seen.content,
        "audience": audience_out(seen.audience),
        "elided": None if seen.elided is None else elision_out(seen.elided),
    }
