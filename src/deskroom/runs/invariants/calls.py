"""How a call must be answered, and what it will become (scenarios.md, "Calls"; semantics, 6 and 7)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any, Final

from deskroom.core.audience import DESK, Audience
from deskroom.core.directory import Directory, agent
from deskroom.core.mention import Mention, resolve
from deskroom.core.text import trim, trim_start
from deskroom.runs.invariants.model import Held, Model
from deskroom.speech.tools import BROADCAST, COMPLETE_EPISODE, DM, OLD_NAMES, POST, READ, served

__all__ = ["answer", "written_mentions"]

_TEXT: Final = frozenset(("message",))
#: Completion, and its old name, which is still accepted.
_COMPLETING: Final = (
    served(COMPLETE_EPISODE),
    *(served(old) for old, new in OLD_NAMES.items() if new == COMPLETE_EPISODE),
)
#: The arguments of each tool that is served.
_TOOLS: Final[Mapping[str, frozenset[str]]] = {
    served(POST): _TEXT,
    served(BROADCAST): _TEXT,
    **dict.fromkeys(_COMPLETING, _TEXT),
    served(DM): frozenset(("message", "to")),
    served(READ): frozenset(("limit",)),
}


def answer(model: Model, seat: str, tool: object, arguments: object) -> str | int | Held:
    """Return the word a call must be refused with, the limit of a read, or what it becomes."""
    known = _TOOLS.get(tool) if isinstance(tool, str) else None
    if known is None:
        return "unknown_tool"
    policy = model.setup.policy
    if not _has_shape(known, arguments):
        return "bad_arguments"
    assert isinstance(arguments, Mapping)  # noqa: S101 - its shape was looked at
    said = arguments.get("message", "")
    if len(said.encode()) > policy.max_message_bytes:
        return "message_too_large"
    if tool == served(READ):
        limit = arguments.get("limit")
        return 20 if limit is None else min(max(int(limit), 1), 100)
    message = trim(said)
    if not message:
        return "empty_message"
    to: tuple[str, ...] = ()
    if tool == served(DM):
        to = _ids(arguments.get("to") or ())
        if not to:
            return "no_recipients"
        active = model.setup.active
        if any(id_ not in active for id_ in to):
            return "unknown_recipient"
        if all(id_ == seat for id_ in to):
            return "self_recipient"
    completes = tool in _COMPLETING
    broadcasting = tool == served(BROADCAST)
    if not to and not trim_start(message).startswith("!aside"):
        return Held(message, DESK, completes, broadcasting, None, to)
    asked = to or _named(model, seat, message)
    reason = _declined(model, seat, asked)
    if reason is None:
        members = tuple(dict.fromkeys(id_ for id_ in asked if id_ != seat))
        return Held(message, Audience("aside", members), completes, broadcasting, None, to)
    if policy.on_refused_aside == "room":
        return Held(message, DESK, completes, broadcasting, reason, to)
    return reason


def _declined(model: Model, seat: str, asked: tuple[str, ...]) -> str | None:
    """Return why a private message is declined: the ladder of semantics, section 6."""
    policy = model.setup.policy.aside
    active = model.setup.active
    if not policy.enabled:
        return "disabled"
    if seat not in active:
        return "source_inactive"
    others = dict.fromkeys(id_ for id_ in asked if id_ != seat)
    if any(id_ not in active for id_ in others):
        return "target_inactive"
    if not others:
        return "self_only" if seat in asked else "no_audience"
    if len(others) > policy.max_members:
        return "audience_too_large"
    if policy.require_thread:
        return "thread_required"
    if model.spent >= policy.max_messages:
        return "budget_spent"
    if policy.must_surface and model.is_unsettled(seat, tuple(others)):
        return "unsettled_aside"
    return None


def _named(model: Model, seat: str, message: str) -> tuple[str, ...]:
    """Return the seats that a message with the marker is for: those it names, its author too."""
    # The author's own name is dropped from mentions, so whoever names only itself names nobody.
    return tuple(
        mention.target.id or ""
        for mention in sorted(_resolved(model, seat, message), key=lambda one: one.offset)
        if mention.target.kind == "agent" and not mention.quiet
    )


def written_mentions(model: Model, seat: str, held: Held) -> tuple[Mention, ...]:
    """Return the mentions that a row must have (semantics, section 7, steps 1 to 6)."""
    written = _resolved(model, seat, held.message)
    mentions = written
    names_other = any(one.target.kind == "agent" and not one.quiet for one in written)
    if held.addressed and not names_other:
        mentions = tuple(
            Mention(agent(id_), f"@{id_}", at) for at, id_ in enumerate(held.addressed)
        )
    if held.audience.kind == "desk":
        return mentions
    return tuple(
        one
        for one in mentions
        if one.target.kind == "agent" and one.target.id in held.audience.members
    )


def _resolved(model: Model, seat: str, message: str) -> tuple[Mention, ...]:
    if "@" not in message:
        return ()
    return _resolve(message, seat, model.setup.directory)


@lru_cache(maxsize=4096)
def _resolve(message: str, seat: str, directory: Directory) -> tuple[Mention, ...]:
    """Resolve a message; in many runs of one desk the same ones come up again and again."""
    return resolve(message, None, agent(seat), directory)


def _ids(raw: Iterable[str]) -> tuple[str, ...]:
    ids = (trim(trim(id_).lstrip("@")) for id_ in raw)
    return tuple(dict.fromkeys(id_ for id_ in ids if id_))


def _has_shape(known: frozenset[str], arguments: object) -> bool:
    if not isinstance(arguments, dict):
        return False
    for name, value in arguments.items():
        if name not in known:
            return False
        if name == "limit":
            if not _is_whole(value):
                return False
        elif name == "to":
            if not isinstance(value, list | tuple) or not all(_is_text(one) for one in value):
                return False
        elif not _is_text(value):
            return False
    return True


def _is_whole(value: Any) -> bool:  # noqa: ANN401 - whatever a seat sends
    if isinstance(value, float):
        return value.is_integer()
    return isinstance(value, int) and not isinstance(value, bool)


def _is_text(value: object) -> bool:
    if not isinstance(value, str):
        return False
    return value.isascii() or not any("\ud800" <= one <= "\udfff" for one in value)
