"""Playing a scenario: its script becomes the seats of a room, and what comes out is compared."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final, Literal

from deskroom.engine.engine import Engine
from deskroom.engine.entries import Entry, Journal, MemoryJournal
from deskroom.engine.script import Cue, Script
from deskroom.engine.setup import Opening, Setup
from deskroom.errors import DeskroomError, UsageError
from deskroom.runs.run import Run
from deskroom.scenario.format.model import Meanwhile, Scenario
from deskroom.scenario.play.compare import Replay, compare
from deskroom.scenario.play.kill import DyingJournal, Killed, reread
from deskroom.scenario.play.meanwhile import Words, count_said_in_open
from deskroom.scenario.play.player import ScriptPlayer
from deskroom.scenario.play.resume import listed_calls, script_digest, unsent_calls

if TYPE_CHECKING:
    from deskroom.room import Room, RoomResult
    from deskroom.room import Turn as GrantedTurn
    from deskroom.room.acts import Act
    from deskroom.room.host import OnRow

__all__ = [
    "LOOP_OPTIONS",
    "ScriptedCrash",
    "play_scenario",
    "play_script",
    "played_run",
    "replay_scenario",
    "run_scripted",
    "scenario_setup",
    "scripted_act",
    "scripted_engine",
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
    backend: Literal["asyncio", "trio"] | None = None,
    journal: Journal | None = None,
    fail_on_unused: bool = False,
) -> Replay:
    """Play a scenario and compare what comes out.

    Without a ``backend`` the engine is driven directly. With one, actors play the scenario on an
    event loop of their own, to the same entries; raises ``UsageError`` where a loop is running
    already: there, await ``play_scenario``.
    """
    if backend is None:
        kept = MemoryJournal(journal)
        run = played_run(scenario, kept, keeps_digest=journal is not None)
        return compare(scenario, run, fail_on_unused=fail_on_unused)
    import anyio

    played: list[Replay] = []

    async def play() -> None:
        # Returned, it would be the result of a task, which asyncio writes out for itself at its end.
        replay = await play_scenario(scenario, journal=journal, fail_on_unused=fail_on_unused)
        played.append(replay)

    try:
        anyio.get_current_task()
    except Exception:  # noqa: BLE001 - each backend has its own way to say that no loop is running
        anyio.run(play, backend=backend, backend_options=LOOP_OPTIONS[backend])
        return played[0]
    raise UsageError(
        "an event loop is running here; await deskroom.scenario.play_scenario(scenario) instead"
    )


async def play_scenario(
    scenario: Scenario, *, journal: Journal | None = None, fail_on_unused: bool = False
) -> Replay:
    """Play a scenario with actors on the running event loop, in simulated time, and compare."""
    kept = MemoryJournal(journal)
    kills = iter(scenario.kill)
    while True:
        room = scripted_room(
            scenario,
            journal=DyingJournal(kept, next(kills, None)),
            resume=reread(kept.entries),
            keeps_digest=journal is not None,
        )
        with suppress(Killed):
            await run_scripted(room)
            run = Run(room.engine.state, kept.entries)
            return compare(scenario, run, fail_on_unused=fail_on_unused)


def played_run(
    scenario: Scenario, kept: MemoryJournal, *, keeps_digest: bool = False, logs: bool = True
) -> Run:
    """Play a scenario to its close, and return its run.

    Where a file asks for the invariants, a host that fails is one of those that do not hold, and
    the run goes as far as it came.
    """
    try:
        engine = play_script(scenario, kept, keeps_digest=keeps_digest, logs=logs)
    except DeskroomError:
        raise
    except Exception:
        if not scenario.invariants:
            raise
        engine = scripted_engine(scenario, keeps_digest=False)
        for entry in kept.entries:
            engine.apply(entry)
    return Run(engine.state, kept.entries)


def play_script(
    scenario: Scenario, kept: MemoryJournal, *, keeps_digest: bool, logs: bool = True
) -> Engine:
    """Play a scenario to its close with no event loop, and return the engine that closed it.

    Its entries go to ``kept``. Where the process is killed, the next one goes on from these alone.
    """
    kills = iter(scenario.kill)
    while True:
        engine = scripted_engine(scenario, keeps_digest=keeps_digest)
        before = reread(kept.entries)
        for entry in before:
            engine.apply(entry)
        late = unsent_calls(scenario, Run(engine.state, before)) if before else ()
        said = count_said_in_open(before, scenario.turns)
        with suppress(Killed):
            journal = DyingJournal(kept, next(kills, None))
            ScriptPlayer(scenario, engine, journal, late, said, logs=logs).run()
            return engine


async def run_scripted(room: Room) -> RoomResult:
    """Run a scripted room. Whatever fails in it is raised: a script has no such failure."""
    result = await room.run()
    if result.error is not None:
        raise result.error
    for raised in result.exceptions.values():
        if not isinstance(raised, ScriptedCrash):
            raise raised  # a fault of ours, which no scenario may hide
    return result


def scenario_setup(scenario: Scenario) -> Setup:
    """Return what the room of a scenario is made of."""
    opening = scenario.opening
    return Setup(
        desk_id=scenario.desk.id,
        desk_name=scenario.desk.name,
        seats=scenario.desk.seats,
        people=scenario.desk.people,
        policy=scenario.policy,
        opening=None if opening is None else Opening(opening.by, opening.message),
        script=_script(scenario),
    )


def scripted_engine(scenario: Scenario, *, keeps_digest: bool = True) -> Engine:
    """Return the engine of a scenario's room; the digest of its script is for a journal."""
    digest = script_digest(scenario) if keeps_digest else None
    return Engine(scenario_setup(scenario), scenario=digest)


def scripted_room(
    scenario: Scenario,
    *,
    journal: Journal | None = None,
    resume: Sequence[Entry] = (),
    on_row: OnRow | None = None,
    keeps_digest: bool = True,
) -> Room:
    """Return a room whose seats are actors that play a scenario's script.

    ``resume`` takes the entries of a journal that the same scenario wrote (``check_resumable``
    says whether it did), and goes on behind them.
    """
    from deskroom.room import Room, SimulatedClock

    setup = scenario_setup(scenario)
    return Room(
        dict.fromkeys(setup.seats, scripted_act(scenario, resume)),
        people=setup.people,
        opening=setup.opening,
        desk=setup.desk_id,
        name=setup.desk_name,
        policy=setup.policy,
        on_row=on_row,
        clock=SimulatedClock(guard=False),
        journal=journal,
        resume=resume,
        late_calls=unsent_calls(scenario, Run.from_entries(resume)) if resume else (),
        script=setup.script,
        scenario=script_digest(scenario) if journal is not None and keeps_digest else None,
    )


def scripted_act(scenario: Scenario, resumed: Sequence[Entry] = ()) -> Act:
    """Return the function that plays any seat of a scenario by its script.

    ``resumed`` are the entries behind which the room goes on.
    """
    said = count_said_in_open(resumed, scenario.turns)

    async def act(turn: GrantedTurn) -> str:
        nonlocal said
        before, said = said, 0
        return await _act(scenario, turn, before)

    return act


def _script(scenario: Scenario) -> Script:
    cues = [
        Cue(turn.seat, turn.person, turn.say or "" if turn.person else "", turn.scores)
        for turn in scenario.turns
    ]
    most_late = max((len(turn.late) + len(turn.meanwhile) for turn in scenario.turns), default=0)
    return Script(cues, scenario.order == "listed", most_late)


async def _act(scenario: Scenario, granted: GrantedTurn, said: int) -> str:
    """Play one listed turn. A retry that the script has nothing for says nothing.

    ``said`` counts what people have said in it already, before a crash.
    """
    if granted.cue is None:
        return ""
    turn = scenario.turns[granted.cue]
    words = Words(turn, said)
    for path in turn.wrote:
        granted.wrote(path)
    for late in turn.late:
        granted.call_late(late.tool, late.arguments)
    await _hear(granted, words.after(0))
    if turn.takes:
        await granted.sleep(turn.takes)
    for made, call in enumerate(listed_calls(turn), start=1):
        await granted.call(call.tool, call.arguments)
        await _hear(granted, words.after(made))
    await _hear(granted, words.after_all_calls())
    for spoken in words.rest():
        granted.person_says_last(spoken.person, spoken.say)
    if turn.crash is not None:
        raise ScriptedCrash(turn.crash)
    return turn.text or ""


async def _hear(granted: GrantedTurn, words: Iterable[Meanwhile]) -> None:
    for spoken in words:
        await granted.person_says(spoken.person, spoken.say)
