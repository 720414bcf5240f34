"""Judging one call, before anything happens: shape, size, meaning, recipients, privacy.

The order is that of scenarios.md, "What can be expected". Nothing here changes the room: an
accepted call is priced by a dry run of the commit, and the host keeps the result, so that nothing
is left to fail after the turn.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

from attrs import define, field, frozen

from deskroom.core.audience import Author, Viewer
from deskroom.core.directory import Directory, Target, agent
from deskroom.core.dispatch import Decision, NoTurn, mention_dispatch
from deskroom.core.episode import broadcast_candidates
from deskroom.core.reasons import CallFault, NoTurnReason
from deskroom.core.transcript import Bookkeeping
from deskroom.engine.arguments import NOT_JSON
from deskroom.engine.policy import Policy
from deskroom.engine.routing import unreachable
from deskroom.errors import AsideRefused, nearest
from deskroom.speech.commit import (
    CommitRequest,
    Committed,
    addressed_peers,
    commit_utterance,
    commit_utterance_to_room,
    is_private,
    publish,
)
from deskroom.speech.parse import check_recipients, parse_call
from deskroom.speech.tools import POST, READ, ToolSpec, find_served, served, tool_spec, tool_specs
from deskroom.speech.utterance import Read, Rejection, Utterance

__all__ = [
    "Accepted",
    "Refusal",
    "Speaker",
    "Verdict",
    "broadcast_problem",
    "decide",
    "judge",
    "judge_post",
]


_POST: Final = tool_spec(POST)
_READ: Final = tool_spec(READ)


@frozen
class Refusal:
    """A call is not taken, and for which reason; ``detail`` is what the sentence needs.

    ``subject`` is a name that is not known; ``detail`` is then the nearest one that is.
    """

    reason: str
    detail: str = ""
    subject: str = field(default="", eq=False, repr=False)


class Accepted(NamedTuple):
    """An utterance that can be committed, and what committing it will do."""

    utterance: Utterance
    committed: Committed
    decision: Decision


Verdict = Accepted | Read | Refusal


@define
class Speaker:
    """A seat that calls, and what it is judged by; a ``fence`` seat is served no tool.

    There is one for each seat of a room; ``hop`` is that of the turn the seat has.
    """

    id: str
    hop: int
    fence: bool
    directory: Directory
    desk_id: str
    policy: Policy
    books: Bookkeeping
    target: Target = field(init=False)
    author: Author = field(init=False)
    viewer: Viewer = field(init=False)

    def __attrs_post_init__(self) -> None:
        self.target = agent(self.id)
        self.author = Author("agent", self.id)
        self.viewer = Viewer("agent", self.id)


def judge(tool: object, arguments: object, speaker: Speaker) -> Verdict:
    """Return what a call asks for, or why it is refused. Any tool and arguments will do."""
    spec = find_served(tool) if isinstance(tool, str) and not speaker.fence else None
    if spec is None:
        subject = tool if isinstance(tool, str) else ""
        return Refusal(CallFault.UNKNOWN_TOOL, _tool_hint(tool, speaker), subject)
    return _judge_arguments(spec, arguments, speaker)


def judge_post(arguments: object, speaker: Speaker) -> Verdict:
    """Return what the message read out of a fence seat's text comes to; it is judged as a post."""
    return _judge_arguments(_POST, arguments, speaker)


def _judge_arguments(spec: ToolSpec, arguments: object, speaker: Speaker) -> Verdict:
    # A dict is by far the most usual, and an abstract class is slow to ask.
    if not isinstance(arguments, (dict, Mapping)):
        problem = f"they must be one object, not {_noun(arguments)}"
        return Refusal(CallFault.BAD_ARGUMENTS, problem)
    fault = _shape_fault(spec, arguments)
    if fault is not None:
        return Refusal(CallFault.BAD_ARGUMENTS, fault)
    size = _message_bytes(arguments)
    if size > speaker.policy.max_message_bytes:
        return Refusal(CallFault.MESSAGE_TOO_LARGE, f"{size}")
    if spec is _READ:
        arguments = {name: int(number) for name, number in arguments.items()}
    parsed = parse_call(spec.name, arguments)
    if isinstance(parsed, Rejection):
        return Refusal(parsed.kind, parsed.subject or "")
    if isinstance(parsed, Read):
        return parsed
    rejection = check_recipients(parsed, speaker.id, speaker.directory.roster)
    if rejection is not None:
        return Refusal(rejection.kind, _recipient_hint(rejection, speaker), rejection.subject or "")
    try:
        committed = _dry_run(parsed, speaker)
    except AsideRefused as refused:
        return Refusal(refused.reason)
    return Accepted(parsed, committed, decide(committed, speaker))


def decide(committed: Committed, speaker: Speaker) -> Decision:
    """Return who is next after a row: nobody yet after a broadcast, whose router will say."""
    if committed.broadcasting:
        return NoTurn(NoTurnReason.BROADCAST)
    return mention_dispatch(
        speaker.policy.dispatch,
        speaker.directory.roster,
        hop=speaker.hop,
        author_id=speaker.id,
        mentions=committed.mentions,
    )


def broadcast_problem(committed: Committed, speaker: Speaker) -> NoTurnReason | None:
    """Return why a broadcast by this speaker can reach nobody, so that no router is asked."""
    active = speaker.directory.roster.active
    seats = broadcast_candidates(speaker.author, committed.audience, active)
    return unreachable(seats, speaker.hop, speaker.policy)


def _dry_run(utterance: Utterance, speaker: Speaker) -> Committed:
    if not is_private(utterance):
        return publish(utterance, speaker.target, speaker.directory)
    peers = addressed_peers(utterance, speaker.id, speaker.directory)
    request = CommitRequest(
        utterance=utterance,
        speaker_id=speaker.id,
        directory=speaker.directory,
        desk_id=speaker.desk_id,
        policy=speaker.policy.aside,
        spent=speaker.books.spent,
        unsettled=speaker.books.unsettled(speaker.id, peers),
    )
    to_room = speaker.policy.on_refused_aside == "room"
    return commit_utterance_to_room(request) if to_room else commit_utterance(request)


def _tool_hint(tool: object, speaker: Speaker) -> str:
    if speaker.fence or not isinstance(tool, str):
        return ""
    return nearest(tool, [served(spec.name) for spec in tool_specs()]) or ""


def _recipient_hint(rejection: Rejection, speaker: Speaker) -> str:
    if rejection.subject is None:
        return ""
    return nearest(rejection.subject, speaker.directory.roster.active) or ""


def _message_bytes(arguments: Mapping[str, Any]) -> int:
    message = arguments.get("message", "")
    return len(message) if message.isascii() else len(message.encode())


def _shape_fault(spec: ToolSpec, arguments: Mapping[Any, Any]) -> str | None:
    """Return what is wrong with the shape of the arguments, as the end of a sentence."""
    for name, value in arguments.items():
        parameter = spec.parameter(name) if isinstance(name, str) else None
        if name == NOT_JSON:
            return "they hold a value that JSON cannot hold"
        if parameter is None:
            takes = ", ".join(p.name for p in spec.parameters)
            return f"there is an argument that the tool does not have; it takes {takes}"
        fault = _FAULTS[parameter.type](value)
        if fault is not None:
            return f"{name} {fault}"
    return None


def _number_fault(value: object) -> str | None:
    """A whole number may be written as a float, as JSON Schema has it."""
    if isinstance(value, float):
        return None if value.is_integer() else "must be a whole number, not one with a fraction"
    fits = isinstance(value, int) and not isinstance(value, bool)
    return None if fits else f"must be a whole number, not {_noun(value)}"


def _list_fault(value: object) -> str | None:
    if not isinstance(value, list | tuple):
        return f"must be a list of strings, not {_noun(value)}"
    faults = (_text_fault(item) for item in value)
    return next((f"has an entry that {fault}" for fault in faults if fault is not None), None)


def _text_fault(value: object) -> str | None:
    if not isinstance(value, str):
        return f"must be a string, not {_noun(value)}"
    try:
        if not value.isascii():
            value.encode()
    except UnicodeEncodeError:
        return "must be text that UTF-8 can hold; it has half of a surrogate pair"
    return None


_FAULTS: Final[Mapping[str, Callable[[object], str | None]]] = {
    "string": _text_fault,
    "strings": _list_fault,
    "integer": _number_fault,
}


def _noun(value: object) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true or false"
    if isinstance(value, Mapping):
        return "an object"
    nouns = {str: "a string", int: "a number", float: "a number", list: "a list", tuple: "a list"}
    return nouns.get(type(value), "something else")
