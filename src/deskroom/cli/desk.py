"""The desk that ``deskroom run`` plays: who plays live, and the room that is made of it."""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import anyio
import click
from attrs import field, frozen

from deskroom.engine.entries import Entry, Journal
from deskroom.engine.setup import Setup
from deskroom.errors import RoomClosed, UsageError
from deskroom.printable import counted
from deskroom.room import Room, RoomResult
from deskroom.room.acts import Act
from deskroom.room.host import OnRow
from deskroom.room.tasks import one_error
from deskroom.scenario import Scenario
from deskroom.scenario.format.live import Live, LiveSeat
from deskroom.scenario.play.live import live_room, live_scenario, live_setup
from deskroom.scenario.play.replay import run_scripted, scenario_setup, scripted_room

if TYPE_CHECKING:
    from deskroom.cli.clients import Clients
    from deskroom.seats.person import Terminal

__all__ = ["LiveDesk", "read_say"]

#: A live seat that ignores its cancellation is left behind after so long.
_GRACE_S: Final = 10.0


@frozen(kw_only=True)
class LiveDesk:
    """A scenario with what plays its live seats, the people who attend, and what they say first.

    ``scenario`` is what is played: without the listed turns of live seats. ``terminal`` is there
    where somebody sits or attends at it; ``prints_rows`` is False where they may not read all.
    """

    scenario: Scenario
    acts: Mapping[str, Act] = field(factory=dict)
    people: tuple[str, ...] = ()
    person_timeout_s: float = math.inf
    says: tuple[tuple[str, str], ...] = ()
    terminal: Terminal | None = None
    clients: Clients | None = None

    @classmethod
    def of(
        cls, scenario: Scenario, given: Sequence[str], says: Sequence[str], mcp: Mapping[str, Any]
    ) -> LiveDesk:
        """Return the desk of a file, with what the command line says of it.

        ``mcp`` is what it says of a server for clients of MCP: ``folder``, ``port``, ``takeover``.

        Raises ``FileError`` and ``UsageError`` for what cannot be played.
        """
        said = tuple(read_say(text) for text in says)
        live = scenario.live or Live()
        if not (live.seats or given or live.people):
            return cls(scenario=scenario, says=said)
        from deskroom.seats.build import Surroundings, build_seats, with_given

        specs = with_given(live.seats, given)
        played = live_scenario(scenario, specs)
        _check_begins(played, live, said)
        sits = any(spec.kind == "person" for spec in specs.values())
        folder = Path(os.path.dirname(scenario.path) or ".")  # noqa: PTH120 - a name may be "-"
        clients = _clients(specs, mcp)
        around = Surroundings(
            folder=folder,
            terminal=_terminal() if sits or live.people else None,
            server=None if clients is None else clients.server,
        )
        # Functions beside the file are found, as by `python file.py`.
        sys.path.insert(0, str(folder))
        return cls(
            scenario=played,
            acts=build_seats(specs, around),
            people=live.people,
            person_timeout_s=live.person_timeout_s,
            says=said,
            terminal=around.terminal,
            clients=clients,
        )

    def check_backend(self, backend: str) -> None:
        """Raise ``UsageError`` where a seat cannot be played on this event loop."""
        for act in self.acts.values() if backend == "trio" else ():
            what = getattr(act, "needs_asyncio", None)
            if what is not None:
                raise UsageError(f"{what} needs asyncio; leave out --backend trio")

    @property
    def prints_rows(self) -> bool:
        """Whether whoever is at the terminal may read every row: people may, a seat may not."""
        return self.terminal is None or bool(self.people)

    @property
    def is_live(self) -> bool:
        """Whether anything but the script takes part."""
        return bool(self.acts or self.people)

    @property
    def setup(self) -> Setup:
        """What its room is made of."""
        if self.is_live:
            return live_setup(self.scenario, self.acts)
        return scenario_setup(self.scenario)

    @property
    def usage_lines(self) -> Iterator[str]:
        """What the turns of each seat took of a model, a line a seat that has one."""
        for seat, act in self.acts.items():
            turns = getattr(act, "usage", ())
            if not turns:
                continue
            tokens_in, tokens_out = (
                sum(getattr(turn, name) for turn in turns) for name in ("tokens_in", "tokens_out")
            )
            seconds = sum(turn.seconds for turn in turns)
            took = f"{counted(len(turns), 'turn')}, {seconds:.1f} s"
            yield f"{seat}: {tokens_in} tokens in, {tokens_out} out; {took}"

    def room(
        self,
        *,
        journal: Journal | None = None,
        resume: Sequence[Entry] = (),
        on_row: OnRow | None = None,
        keeps_digest: bool = True,
    ) -> Room:
        """Return its room. ``keeps_digest`` is False where the journal is no file."""
        if self.is_live:
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
        if not (self.is_live or self.says):
            return await run_scripted(room)
        with one_error(), self._told():
            async with self._attended(room), anyio.create_task_group() as tasks:
                for person, message in self.says:
                    tasks.start_soon(_say, room, person, message)
                result = await room.run(grace_s=_GRACE_S)
                tasks.cancel_scope.cancel()
        if result.error is not None:
            raise result.error
        return result

    @contextmanager
    def _told(self) -> Iterator[None]:
        """Take away, in the end, what told clients where their seats are."""
        try:
            yield
        finally:
            if self.clients is not None:
                self.clients.remove()

    def _attended(self, room: Room) -> AbstractAsyncContextManager[None]:
        if self.terminal is None or not self.people:
            return nullcontext()
        return self.terminal.attend(room, self.people, timeout_s=self.person_timeout_s)


def _clients(specs: Mapping[str, LiveSeat], options: Mapping[str, Any]) -> Clients | None:
    """Return the server of the seats that speak MCP, or None where none does."""
    if not any(spec.kind == "mcp" or spec.mcp for spec in specs.values()):
        return None
    from deskroom.cli.clients import Clients

    return Clients.of(specs, **options)


def _terminal() -> Terminal:
    """Return the terminal of this process. Raises ``UsageError`` where stdin is none."""
    from deskroom.cli.screen import screen
    from deskroom.seats.person import Terminal

    if sys.stdin is None or not sys.stdin.isatty():
        raise UsageError("a person who takes part types at a terminal, and stdin is none")
    return Terminal(echo=click.echo, screen=screen())


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
