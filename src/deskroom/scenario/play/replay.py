"""Playing a scenario: its script becomes the seats of a room, and what comes out is compared."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal

import anyio

from deskroom.engine.entries import CallEntry, Entry, Journal
from deskroom.engine.state import TurnRecord
from deskroom.errors import DeskroomError, UsageError
from deskroom.room import Cue, Opening, Room, RoomResult, Script, SimulatedClock
from deskroom.room import Turn as GrantedTurn
from deskroom.room.host import OnRow
from deskroom.scenario.format.model import Call, Scenario
from deskroom.scenario.play.compare import Replay, compare
from deskroom.scenario.play.resume import listed_calls, script_digest

__all__ = [
    "LOOP_OPTIONS",
    "ScriptedCrash",
    "play_scenario",
    "replay_scenario",
    "run_scripted",
    "scripted_room",
]

#: Trio would raise an interrupt at any line at all, even in the middle of a task group's own exit,
#: and then wait for ever for the tasks in it.
LOOP_OPTIONS: Final[Mapping[str, dict[str, Any]]] = {
    "asyncio": {},
    "trio": {"restrict_keyboard_interrupt_to_checkpoints": True},
}


class ScriptedCrash(DeskroomError):
    """What a seat raises when its script says that it crashes."""


def replay_scenario(
    scenario: Scenario,
    *,
    backend: Literal["asyncio", "trio"] = "asyncio",
    journal: Journal | None = None,
    fail_on_unused: bool = False,
) -> Replay:
    """Play a scenario on an event loop of its own and compare what comes out.

    In a test that is asynchronous itself, await ``play_scenario`` instead. Raises ``UsageError``
    where a loop is running already.
    """
    played: list[Replay] = []

    async def play() -> None:
        # Returned, it would be the result of a task, which asyncio writes out for itself at its end.
        replay = await play_scenario(scenario, journal=journal, fail_on_unused=fail_on_unused)
        played.append(replay)

    try:
        anyio.get_current_task()
    except Exception:  # noqa: BLE001 - each backend has its own word for "no loop is running"
        anyio.run(play, backend=backend, backend_options=LOOP_OPTIONS[backend])
        return played[0]
    raise UsageError("an event loop is running here; await play_scenario(scenario) instead")


async def play_scenario(
    scenario: Scenario, *, journal: Journal | None = None, fail_on_unused: bool = False
) -> Replay:
    """Play a scenario on the running event loop, in simulated time, and compare what comes out."""
    room = scripted_room(scenario, journal=journal)
    result = await run_scripted(room)
    return compare(scenario, room, result, fail_on_unused=fail_on_unused)


async def run_scripted(room: Room) -> RoomResult:
    """Run a scripted room. Whatever fails in it is raised: a script has no such failure."""
    result = await room.run()
    if result.error is not None:
        raise result.error
    for raised in result.failures.values():
        if not isinstance(raised, ScriptedCrash):
            raise raised  # a fault of ours, which no scenario may hide
    return result


def scripted_room(
    scenario: Scenario,
    *,
    journal: Journal | None = None,
    resume: Sequence[Entry] = (),
    on_row: OnRow | None = None,
) -> Room:
    """Return a room whose seats play a scenario's script.

    ``resume`` takes the entries of a journal that the same scenario wrote (``check_resumable``
    says whether it did), and goes on behind them.
    """

    async def act(turn: GrantedTurn) -> str:
        return await _act(scenario, turn)

    opening = scenario.opening
    room = Room(
        dict.fromkeys(scenario.desk.seats, act),
        people=scenario.desk.people,
        opening=None if opening is None else Opening(opening.by, opening.message),
        desk=scenario.desk.id,
        name=scenario.desk.name,
        policy=scenario.policy,
        on_row=on_row,
        clock=SimulatedClock(guard=False),
        journal=journal,
        resume=resume,
        script=_script(scenario),
        scenario=script_digest(scenario) if journal is not None else None,
    )
    if resume:
        _send_stragglers(scenario, room, resume)
    return room


def _send_stragglers(scenario: Scenario, room: Room, entries: Sequence[Entry]) -> None:
    """Send what seats still had to say in turns that ended, and that a crash kept them from saying.

    Late calls follow the end of their turn at once, so those of the last one may be missing. A
    seat that let its deadline pass says everything too late, once it is done with what it was at;
    so each turn's time is reckoned again.
    """
    answered = Counter(
        (entry.turn, entry.attempt, entry.seat)
        for entry in entries
        if isinstance(entry, CallEntry) and entry.late
    )
    now = 0.0
    hanging: list[tuple[float, TurnRecord, Sequence[Call]]] = []
    for record in room.state.turns:
        turn = None if record.cue is None else scenario.turns[record.cue]
        said = answered[record.number, record.attempt, record.seat]
        if record.outcome == "timed_out" and turn is not None:
            hanging.append((now + turn.takes, record, (*listed_calls(turn), *turn.late)[said:]))
            now += scenario.policy.turn_timeout_s
        elif record.outcome is not None and turn is not None:
            now += turn.takes
            if record is room.state.turns[-1]:
                room.straggle(record, _pairs(turn.late[said:]))
    for at, record, calls in hanging:
        if calls:
            room.straggle(record, _pairs(calls), after_s=max(at - now, 0))


def _pairs(calls: Sequence[Call]) -> list[tuple[object, object]]:
    return [(call.tool, call.arguments) for call in calls]


def _script(scenario: Scenario) -> Script:
    cues = [
        Cue(turn.seat, turn.person, turn.say or "" if turn.person else "", turn.scores)
        for turn in scenario.turns
    ]
    most_late = max((len(turn.late) for turn in scenario.turns), default=0)
    return Script(cues, scenario.order == "listed", most_late)


async def _act(scenario: Scenario, granted: GrantedTurn) -> str:
    """Play one listed turn. A retry that the script has nothing for says nothing."""
    if granted.cue is None:
        return ""
    turn = scenario.turns[granted.cue]
    for path in turn.wrote:
        granted.wrote(path)
    for late in turn.late:
        granted.call_late(late.tool, late.arguments)
    if turn.takes:
        await granted.sleep(turn.takes)
    for call in listed_calls(turn):
        await granted.call(call.tool, call.arguments)
    if turn.crash is not None:
        raise ScriptedCrash(turn.crash)
    return turn.text or ""
