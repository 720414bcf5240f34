"""Going on with a journal of a scenario: is it this scenario's, and what is different if not."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256
from itertools import zip_longest
from typing import Any, Final, TypeGuard

from attrs import define, field, frozen

from deskroom.core import Row
from deskroom.engine.entries import CallEntry, EndEntry, Entry, HeaderEntry, RowEntry, TurnEntry
from deskroom.engine.script import order_of
from deskroom.engine.setup import Setup, difference
from deskroom.errors import FileError
from deskroom.scenario.format.model import Call, Scenario, Turn
from deskroom.speech.tools import POST, served

__all__ = ["check_resumable", "listed_calls", "script_digest"]

_UNSEEN: Final = (
    "what differs is not in the journal: a turn that was not played yet, the text beside a call "
    "that was accepted, how long a turn takes, its scores or its late calls"
)


def script_digest(scenario: Scenario) -> str:
    """Return the digest of everything in a scenario that is played.

    What is expected, the title, comments and layout are not: mending them leaves a journal good.
    """
    played = {
        "order": scenario.order,
        "turns": [_played(turn) for turn in scenario.turns],
    }
    text = json.dumps(played, sort_keys=True, default=repr)
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def _played(turn: Turn) -> list[Any]:
    return [
        turn.seat or turn.person,
        [[call.tool, call.arguments] for call in listed_calls(turn)],
        [[call.tool, call.arguments] for call in turn.late],
        turn.say if turn.person else None,
        turn.text or "",
        float(turn.takes),
        turn.crash,
        turn.wrote,
        {seat: float(score) for seat, score in turn.scores.items()},
    ]


def listed_calls(turn: Turn) -> tuple[Call, ...]:
    """Return the calls that a seat's turn lists; ``say`` is short for one post."""
    if turn.seat is not None and turn.say is not None:
        return (Call(tool=served(POST), arguments={"message": turn.say}),)
    return turn.calls or ()


def check_resumable(scenario: Scenario, setup: Setup, entries: Sequence[Entry], path: str) -> None:
    """Raise ``FileError`` for a journal that another scenario wrote, naming the difference."""
    header = entries[0] if entries else None
    if not isinstance(header, HeaderEntry):
        return
    differs = difference(header.setup, setup)
    if differs is None and header.scenario != script_digest(scenario):
        differs = next(_script_differences(scenario, header, entries), _UNSEEN)
    if differs is not None:
        raise FileError(
            path, f"this journal was written by another scenario than {scenario.path}: {differs}"
        )


@define
class _PlayedTurn:
    """What a journal says of one grant that plays a cue."""

    cue: int
    seat: str
    calls: list[CallEntry] = field(factory=list)
    late: list[CallEntry] = field(factory=list)
    end: RowEntry | EndEntry | None = None

    @property
    def timed_out(self) -> bool:
        """Whether all that the turn lists came too late."""
        return isinstance(self.end, EndEntry) and self.end.outcome == "timed_out"


def _script_differences(
    scenario: Scenario, header: HeaderEntry, entries: Sequence[Entry]
) -> Iterator[str]:
    """Hold what was played against the script, turn by turn."""
    order = order_of(header.setup.script)
    if order is None:
        yield "it has no script there"
    elif order != scenario.order:
        yield f"order is {order!r} there and {scenario.order!r} here"
    for played in _played_turns(entries):
        turn = scenario.turns[played.cue] if played.cue < len(scenario.turns) else None
        speaker = played.row.author.id if isinstance(played, _Spoken) else played.seat
        if turn is None:
            yield f"turn {played.cue + 1} was played there and is not listed here"
        elif (turn.seat or turn.person) != speaker:
            yield f"turn {turn.label} is {speaker}'s there and another's here"
        elif isinstance(played, _PlayedTurn):
            yield from _turn_differs(turn, played)
        elif turn.say != played.row.content:
            yield f"turn {turn.label} says something else here"


@frozen
class _Spoken:
    """A person's words that the script lists."""

    cue: int
    row: Row


def _played_turns(entries: Sequence[Entry]) -> Iterable[_PlayedTurn | _Spoken]:
    """Gather the entries of each grant; one without a cue plays nothing that is listed."""
    turns: dict[tuple[int, int], _PlayedTurn] = {}
    played: list[_PlayedTurn | _Spoken] = []
    last: _PlayedTurn | None = None
    for entry in entries:
        if isinstance(entry, TurnEntry):
            last = None
            if entry.cue is not None:
                last = turns[entry.turn, entry.attempt] = _PlayedTurn(entry.cue, entry.seat)
                played.append(last)
        elif isinstance(entry, CallEntry) and entry.source == "call":
            caller = turns.get((entry.turn, entry.attempt))
            if caller is not None:
                (caller.late if entry.late else caller.calls).append(entry)
        elif isinstance(entry, RowEntry) and entry.cue is not None:
            played.append(_Spoken(entry.cue, entry.row))
        elif last is not None and _ends(entry):
            last.end = entry
    return played


def _ends(entry: Entry) -> TypeGuard[RowEntry | EndEntry]:
    return isinstance(entry, EndEntry) or (isinstance(entry, RowEntry) and entry.kind == "seat")


def _turn_differs(turn: Turn, played: _PlayedTurn) -> Iterator[str]:
    listed, late, end = listed_calls(turn), turn.late, played.end
    if played.timed_out:
        listed, late = (), (*listed, *late)
    yield from _calls_differ(f"turn {turn.label}", "call", listed, played.calls)
    if end is not None and len(played.calls) < len(listed):
        yield f"turn {turn.label} made fewer calls there than here"
    yield from _calls_differ(f"turn {turn.label}", "late call", late, played.late)
    if end is None or played.timed_out:
        return
    if end.wrote != turn.wrote:
        yield f"turn {turn.label} left behind {list(end.wrote)} there and {list(turn.wrote)} here"
    if isinstance(end, EndEntry) and (end.outcome == "failed") != (turn.crash is not None):
        yield f"turn {turn.label} crashes in one of them only"
    elif isinstance(end, EndEntry) and turn.crash is None and end.text != (turn.text or ""):
        yield f"the text of turn {turn.label} is another here"


def _calls_differ(
    turn: str, noun: str, listed: Sequence[Call], made: Sequence[CallEntry]
) -> Iterator[str]:
    # A replay that keeps no journal does not pay for loading what reads one.
    from deskroom.wire.arguments import encodable  # noqa: PLC0415 - see above

    for number, (entry, call) in enumerate(zip_longest(made, listed[: len(made)]), start=1):
        if call is None:
            yield f"{turn} made more {noun}s there than here"
            return
        if (entry.tool, entry.arguments) != (call.tool, encodable(call.arguments)):
            yield f"{noun} {number} of {turn} is another here"
