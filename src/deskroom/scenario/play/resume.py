"""Resuming a journal of a scenario: was it written by this one, and what is left to be said."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from hashlib import sha256
from itertools import zip_longest
from typing import TYPE_CHECKING, Any, Final

from deskroom.core.reasons import OK
from deskroom.engine.entries import CallEntry, HeaderEntry
from deskroom.engine.kept import kept, kept_text
from deskroom.engine.setup import Setup, difference
from deskroom.errors import FileError
from deskroom.runs.run import Run, RunTurn
from deskroom.scenario.format.model import Call, Meanwhile, Scenario, Turn
from deskroom.scenario.play.meanwhile import count_said, words_of
from deskroom.speech.tools import POST, served

if TYPE_CHECKING:
    from deskroom.room.late import LateCalls

__all__ = ["check_resumable", "listed_calls", "script_digest", "unsent_calls"]

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
    # A turn without such words has the digest that it had before there were any.
    words = [[one.person, one.say, one.at] for one in words_of(turn)]
    return [
        *([words] if words else []),
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


def check_resumable(scenario: Scenario, setup: Setup, run: Run, path: str) -> None:
    """Raise ``FileError`` for a journal that another scenario wrote, naming the difference."""
    header = run.journal[0]
    assert isinstance(header, HeaderEntry)  # noqa: S101 - a run begins with it
    differs = difference(header.setup, setup)
    if differs is None and header.scenario != script_digest(scenario):
        differs = next(_script_differences(scenario, run), _UNSEEN)
    if differs is not None:
        raise FileError(
            path, f"this journal was written by another scenario than {scenario.path}: {differs}"
        )


def _script_differences(scenario: Scenario, run: Run) -> Iterator[str]:
    """Hold what was played against the script, turn by turn."""
    spoken = {entry.cue: entry.row for entry in run.entries if entry.cue is not None}
    played = {turn.cue: turn for turn in run.turns if turn.cue is not None}
    for cue in sorted({*spoken, *played}):
        turn = scenario.turns[cue] if cue < len(scenario.turns) else None
        speaker = spoken[cue].author.id if cue in spoken else played[cue].seat
        if turn is None:
            yield f"turn {cue + 1} was played there and is not listed here"
        elif (turn.seat or turn.person) != speaker:
            yield f"turn {turn.label} is {speaker}'s there and another's here"
        elif cue in played:
            yield from _turn_differs(turn, played[cue])
        elif turn.say != spoken[cue].content:
            yield f"turn {turn.label} says something else here"


def _turn_differs(turn: Turn, played: RunTurn) -> Iterator[str]:
    listed, late = listed_calls(turn), turn.late
    timed_out = played.outcome == "timed_out"
    if timed_out:
        listed, late = (), (*listed, *late)
    made = [call for call in played.calls if call.source == "call"]
    in_time = [call for call in made if not call.late]
    yield from _calls_differ(f"turn {turn.label}", "call", listed, in_time)
    # Calls that were only counted have a reply and no entry.
    counted = len(played.replies) - len(made)
    if played.outcome is not None and len(in_time) + counted < len(listed):
        yield f"turn {turn.label} made fewer calls there than here"
    too_late = [call for call in made if call.late]
    yield from _calls_differ(f"turn {turn.label}", "late call", late, too_late)
    if played.outcome is None or timed_out:
        return
    if played.wrote != turn.wrote:
        yield f"turn {turn.label} left behind {list(played.wrote)} there and {list(turn.wrote)} here"
    if (played.outcome == "failed") != (turn.crash is not None):
        yield f"turn {turn.label} crashes in one of them only"
    elif played.row is None and turn.crash is None and played.text != kept_text(turn.text or ""):
        yield f"the text of turn {turn.label} is another here"


def _calls_differ(
    turn: str, noun: str, listed: Sequence[Call], made: Sequence[CallEntry]
) -> Iterator[str]:
    # A replay that keeps no journal does not pay for loading what reads one.
    from deskroom.engine.arguments import plain

    for number, (entry, call) in enumerate(zip_longest(made, listed[: len(made)]), start=1):
        if call is None:
            yield f"{turn} made more {noun}s there than here"
            return
        sent = call.tool, plain(call.arguments)
        if entry.reply != OK:
            sent = kept(call.tool), kept(call.arguments)
        if (entry.tool, entry.arguments) != sent:
            yield f"{noun} {number} of {turn} is another here"


# --- going on ----------------------------------------------------------------------------------


def unsent_calls(scenario: Scenario, run: Run) -> Iterator[LateCalls]:
    """Yield what seats still had to say in turns that ended, and that a crash kept them from saying.

    Late calls follow the end of their turn at once, so those of the last one may be missing. A
    seat that let its deadline pass says everything too late, once it is done with what it was at;
    so each turn's time is reckoned again.
    """
    from deskroom.room.late import LateCalls

    now = 0.0
    hanging: list[tuple[float, RunTurn, Sequence[Call], Sequence[Meanwhile]]] = []
    for played in run.turns:
        turn = None if played.cue is None else scenario.turns[played.cue]
        sent = sum(call.late for call in played.calls)
        if played.outcome == "timed_out" and turn is not None:
            left = [] if sent else [one for one in words_of(turn) if one.at != 0]
            unsent = (*listed_calls(turn), *turn.late)[sent:]
            hanging.append((now + turn.takes, played, unsent, left))
            now += scenario.policy.turn_timeout_s
        elif played.outcome is not None and turn is not None:
            now += turn.takes
            if played is run.turns[-1]:
                left = [*words_of(turn)[count_said(run.journal, scenario.turns) :]]
                yield LateCalls(*_grant(played), _pairs(turn.late[sent:]), said=_said(left))
    for at, played, calls, words in hanging:
        if calls or words:
            after_s = max(at - now, 0)
            yield LateCalls(*_grant(played), _pairs(calls), after_s=after_s, said=_said(words))


def _grant(turn: RunTurn) -> tuple[int, int, str]:
    return turn.number, turn.attempt, turn.seat


def _said(words: Sequence[Meanwhile]) -> tuple[tuple[str, str], ...]:
    return tuple((spoken.person, spoken.say) for spoken in words)


def _pairs(calls: Sequence[Call]) -> tuple[tuple[object, object], ...]:
    return tuple((call.tool, call.arguments) for call in calls)
