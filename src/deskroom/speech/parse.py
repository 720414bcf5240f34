"""Reading a call: bare tool name and arguments to an utterance, a read or a rejection."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from deskroom.core.reasons import CallFault
from deskroom.core.roster import Roster
from deskroom.core.text import trim
from deskroom.speech.tools import (
    BROADCAST,
    COMPLETE_EPISODE,
    DM,
    OLD_NAMES,
    POST,
    READ,
    READ_DEFAULT,
    READ_MAX,
)
from deskroom.speech.utterance import (
    Broadcast,
    CompleteEpisode,
    Dm,
    Post,
    Read,
    Rejection,
    Utterance,
)

__all__ = ["check_recipients", "parse_call"]


def parse_call(name: str, arguments: Mapping[str, Any]) -> Utterance | Read | Rejection:
    """Read a call under its bare tool name.

    Arguments are taken to have the declared types; undeclared ones are ignored and None counts as
    absent. A host may be stricter before it calls this.
    """
    read = _READERS.get(OLD_NAMES.get(name, name))
    return Rejection(CallFault.UNKNOWN_TOOL, name) if read is None else read(arguments)


def check_recipients(utterance: Utterance, speaker_id: str, roster: Roster) -> Rejection | None:
    """Return why a dm cannot be addressed as it is, or None. The roster is not validated."""
    if not isinstance(utterance, Dm):
        return None
    for id_ in utterance.to:
        if not roster.is_active(id_):
            return Rejection(CallFault.UNKNOWN_RECIPIENT, id_)
    if all(id_ == speaker_id for id_ in utterance.to):
        return Rejection(CallFault.SELF_RECIPIENT)
    return None


def _message(arguments: Mapping[str, Any]) -> str | None:
    message = arguments.get("message")
    return None if message is None else trim(message) or None


def _recipients(raw: Iterable[str]) -> tuple[str, ...]:
    ids = (trim(trim(id_).lstrip("@")) for id_ in raw)
    return tuple(dict.fromkeys(id_ for id_ in ids if id_))


def _plain(
    make: Callable[[str], Utterance],
) -> Callable[[Mapping[str, Any]], Utterance | Rejection]:
    def read(arguments: Mapping[str, Any]) -> Utterance | Rejection:
        message = _message(arguments)
        return Rejection(CallFault.EMPTY_MESSAGE) if message is None else make(message)

    return read


def _dm(arguments: Mapping[str, Any]) -> Utterance | Rejection:
    message = _message(arguments)
    if message is None:
        return Rejection(CallFault.EMPTY_MESSAGE)
    to = _recipients(arguments.get("to") or ())
    return Dm(message, to) if to else Rejection(CallFault.NO_RECIPIENTS)


def _read(arguments: Mapping[str, Any]) -> Read:
    limit = arguments.get("limit")
    return Read(READ_DEFAULT if limit is None else min(max(limit, 1), READ_MAX))


_READERS: Final[Mapping[str, Callable[[Mapping[str, Any]], Utterance | Read | Rejection]]] = {
    POST: _plain(Post),
    BROADCAST: _plain(Broadcast),
    DM: _dm,
    COMPLETE_EPISODE: _plain(CompleteEpisode),
    READ: _read,
}
