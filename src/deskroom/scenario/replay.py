"""Playing a scenario: its script becomes the seats of a room, and what comes out is compared."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

import anyio

from deskroom.errors import DeskroomError, UsageError
from deskroom.room import Cue, Opening, Room, Script, Seat, SimulatedClock
from deskroom.room import Turn as GrantedTurn
from deskroom.room.entries import Journal
from deskroom.scenario.compare import Replay, compare
from deskroom.scenario.model import Scenario

__all__ = ["ScriptedCrash", "play_scenario", "replay_scenario", "scripted_room"]


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

    async def play() -> Replay:
        return await play_scenario(scenario, journal=journal, fail_on_unused=fail_on_unused)

    try:
        anyio.get_current_task()
    except Exception:  # noqa: BLE001 - each backend has its own word for "no loop is running"
        return anyio.run(play, backend=backend)
    raise UsageError("an event loop is running here; await play_scenario(scenario) instead")


async def play_scenario(
    scenario: Scenario, *, journal: Journal | None = None, fail_on_unused: bool = False
) -> Replay:
    """Play a scenario on the running event loop, in simulated time, and compare what comes out."""
    room = scripted_room(scenario, journal=journal)
    result = await room.run()
    if result.error is not None:
        raise result.error
    for raised in result.failures.values():
        if not isinstance(raised, ScriptedCrash):
            raise raised  # a fault of ours, which no scenario may hide
    return compare(scenario, room, result, fail_on_unused=fail_on_unused)


def scripted_room(scenario: Scenario, *, journal: Journal | None = None) -> Room:
    """Return a room whose seats play a scenario's script."""

    async def act(turn: GrantedTurn) -> str:
        return await _act(scenario, turn)

    opening = scenario.opening
    return Room(
        {seat: act for seat in _seats(scenario)},
        people=scenario.desk.people,
        opening=None if opening is None else Opening(opening.by, opening.message),
        desk=scenario.desk.id,
        name=scenario.desk.name,
        policy=scenario.policy,
        clock=SimulatedClock(guard=False),
        journal=journal,
        script=_script(scenario),
    )


def _seats(scenario: Scenario) -> Iterator[Seat]:
    for spec in scenario.desk.seats:
        yield Seat(
            id=spec.id,
            name=spec.name,
            role=spec.role,
            brief=spec.brief,
            fence=spec.fence,
            retired=spec.retired,
        )


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
    if turn.say is not None:
        await granted.post(turn.say)
    for call in turn.calls or ():
        await granted.call(call.tool, call.arguments)
    if turn.crash is not None:
        raise ScriptedCrash(turn.crash)
    return turn.text or ""
