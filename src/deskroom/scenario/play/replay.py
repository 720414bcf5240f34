"""Playing a scenario: its script becomes the seats of a room, and what comes out is compared."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal

import anyio

from deskroom.engine.entries import Entry, Journal
from deskroom.errors import DeskroomError, UsageError
from deskroom.room import Cue, Opening, Room, RoomResult, Script, SimulatedClock
from deskroom.room import Turn as GrantedTurn
from deskroom.room.host import OnRow
from deskroom.runs.run import Run
from deskroom.scenario.format.model import Scenario
from deskroom.scenario.play.compare import Replay, compare
from deskroom.scenario.play.resume import listed_calls, script_digest, unsent_calls

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
    kept = _Kept(journal)
    room = scripted_room(scenario, journal=kept, keeps_digest=journal is not None)
    await run_scripted(room)
    return compare(scenario, Run(room.state, kept.entries), fail_on_unused=fail_on_unused)


class _Kept:
    """Keeps the entries of a room in memory, and in its journal if there is one."""

    def __init__(self, journal: Journal | None) -> None:
        self.entries: list[Entry] = []
        self._journal = journal

    def write(self, entry: Entry) -> None:
        """Keep one entry."""
        if self._journal is not None:
            self._journal.write(entry)
        self.entries.append(entry)


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
    keeps_digest: bool = True,
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
        scenario=script_digest(scenario) if journal is not None and keeps_digest else None,
    )
    if resume:
        for late in unsent_calls(scenario, Run(room.state, resume)):
            record = room.state.record(late.turn.number, late.turn.attempt, late.turn.seat)
            assert record is not None  # noqa: S101 - it was granted
            room.straggle(record, late.calls, after_s=late.after_s)
    return room


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
