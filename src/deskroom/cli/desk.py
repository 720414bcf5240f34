"""The desk that ``deskroom run`` plays: who plays live, and the room that is made of it."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import anyio
from attrs import field, frozen

from deskroom.engine.entries import Entry, Journal
from deskroom.engine.setup import Setup
from deskroom.errors import RoomClosed, UsageError
from deskroom.room import Room, RoomResult
from deskroom.room.acts import Act
from deskroom.room.host import OnRow
from deskroom.scenario import Scenario
from deskroom.scenario.format.live import Live
from deskroom.scenario.play.live import live_room, live_scenario, live_setup
from deskroom.scenario.play.replay import run_scripted, scenario_setup, scripted_room

__all__ = ["LiveDesk", "read_say"]


@frozen(kw_only=True)
class LiveDesk:
    """A scenario with what plays its live seats, the people who attend, and what they say first.

    ``scenario`` is what is played: without the listed turns of live seats.
    """

    scenario: Scenario
    acts: Mapping[str, Act] = field(factory=dict)
    live: Live = field(factory=Live)
    says: tuple[tuple[str, str], ...] = ()

    @classmethod
    def of(cls, scenario: Scenario, given: Sequence[str], says: Sequence[str]) -> LiveDesk:
        """Return the desk of a file, with what the command line says of it.

        Raises ``FileError`` and ``UsageError`` for what cannot be played.
        """
        said = tuple(read_say(text) for text in says)
        live = scenario.live or Live()
        if not (live.seats or given):
            return cls(scenario=scenario, live=live, says=said)
        from deskroom.seats.build import build_seats, with_given

        specs = with_given(live.seats, given)
        played = live_scenario(scenario, specs)
        _check_begins(played, live, said)
        folder = Path(os.path.dirname(scenario.path) or ".")  # noqa: PTH120 - a name may be "-"
        # Functions and programs beside the file are found, as by `python file.py`.
        sys.path.insert(0, str(folder))
        return cls(scenario=played, acts=build_seats(specs, folder), live=live, says=said)

    @property
    def setup(self) -> Setup:
        """What its room is made of."""
        if self.acts:
            return live_setup(self.scenario, self.acts)
        return scenario_setup(self.scenario)

    def room(
        self,
        *,
        journal: Journal | None = None,
        resume: Sequence[Entry] = (),
        on_row: OnRow | None = None,
        keeps_digest: bool = True,
    ) -> Room:
        """Return its room. ``keeps_digest`` is False where the journal is no file."""
        if self.acts:
            return live_room(
                self.scenario,
                self.acts,
                journal=journal,
                resume=resume,
                on_row=on_row,
                keeps_digest=keeps_digest,
            )
        return scripted_room(
            self.scenario,
            journal=journal,
            resume=resume,
            on_row=on_row,
            keeps_digest=keeps_digest,
        )

    async def run(self, room: Room) -> RoomResult:
        """Run the room to its close, with what people say. Raises what made it fail."""
        if not (self.acts or self.says):
            return await run_scripted(room)
        results: list[RoomResult] = []
        async with anyio.create_task_group() as tasks:
            for person, message in self.says:
                tasks.start_soon(_say, room, person, message)
            results.append(await room.run())
            tasks.cancel_scope.cancel()
        (result,) = results
        if result.error is not None:
            raise result.error
        return result


async def _say(room: Room, person: str, message: str) -> None:
    try:
        await room.say(person, message)
    except RoomClosed as error:
        reason = room.engine.state.closed
        why = f"it closed as {reason}, and only a room that closed quiet opens again"
        raise UsageError(f"{person} could not speak: {why}" if reason else str(error)) from None


def read_say(text: str) -> tuple[str, str]:
    """Return who says what, from ``PERSON:MESSAGE``. Raises ``UsageError`` for anything else."""
    person, colon, message = text.partition(":")
    if not (person and colon):
        raise UsageError(f"--say takes PERSON:MESSAGE, not {text!r}")
    return person, message


def _check_begins(scenario: Scenario, live: Live, says: Sequence[tuple[str, str]]) -> None:
    """Refuse a desk that nobody could ever open."""
    first = scenario.turns[0] if scenario.turns else None
    begins = scenario.opening is not None or (first is not None and first.person is not None)
    if not (begins or live.people or says):
        raise UsageError(
            f"{scenario.path}: nobody begins this desk; add [opening], people under [live], "
            "or --say PERSON:MESSAGE"
        )
