"""A scenario in which some seats play live: a room of its script and of whatever else plays."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING

from attrs import evolve

from deskroom.engine.entries import Entry, Journal
from deskroom.engine.setup import Setup
from deskroom.errors import FileError, hint
from deskroom.runs.run import Run
from deskroom.scenario.format.model import Scenario
from deskroom.scenario.play.replay import scenario_setup, scripted_act
from deskroom.scenario.play.resume import script_digest, unsent_calls

if TYPE_CHECKING:
    from deskroom.room import Room
    from deskroom.room.acts import Act
    from deskroom.room.host import OnRow

__all__ = ["live_room", "live_scenario", "live_setup"]


def live_scenario(scenario: Scenario, live: Collection[str]) -> Scenario:
    """Return a scenario without the listed turns of its live seats, in routed order.

    Raises ``FileError`` for a seat that is not at the desk or plays no turn.
    """
    seats = {seat.id: seat for seat in scenario.desk.seats}
    for id_ in live:
        if id_ not in seats:
            raise FileError(scenario.path, f"the desk has no seat {id_!r}{hint(id_, list(seats))}")
        if seats[id_].retired:
            raise FileError(scenario.path, f"the seat {id_!r} is retired and plays no turn")
    turns = tuple(turn for turn in scenario.turns if turn.seat not in live)
    return evolve(scenario, order="routed", turns=turns)


def live_setup(scenario: Scenario, live: Collection[str]) -> Setup:
    """Return what the room of such a scenario is made of; without a listed turn it has no script."""
    setup = scenario_setup(scenario)
    if setup.script is None or not scenario.turns:
        return evolve(setup, script=None)
    return evolve(setup, script=evolve(setup.script, unscripted=tuple(live)))


def live_room(
    scenario: Scenario,
    acts: Mapping[str, Act],
    *,
    journal: Journal | None = None,
    resume: Sequence[Entry] = (),
    on_row: OnRow | None = None,
    keeps_digest: bool = True,
) -> Room:
    """Return a room in which ``acts`` play their seats live, and the others their script.

    ``scenario`` is what ``live_scenario`` gives. Where anything is scripted, time is simulated for
    the script, and real for whoever waits for something of its own.
    """
    from deskroom.room import RealClock, Room, SimulatedClock

    setup = live_setup(scenario, acts)
    scripted = scripted_act(scenario, resume)
    late = unsent_calls(scenario, Run.from_entries(resume)) if resume and setup.script else ()
    return Room(
        {seat: acts.get(seat.id, scripted) for seat in setup.seats},
        people=setup.people,
        opening=setup.opening,
        desk=setup.desk_id,
        name=setup.desk_name,
        policy=setup.policy,
        on_row=on_row,
        clock=RealClock() if setup.script is None else SimulatedClock(),
        journal=journal,
        resume=resume,
        late_calls=late,
        script=setup.script,
        scenario=script_digest(scenario) if journal is not None and keeps_digest else None,
    )
