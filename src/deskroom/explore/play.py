"""Playing one run of a desk as its choices have it, with every check on the way.

A run is played on the engine as a replay is, with no event loop: only what a seat does in a turn is
drawn when the turn is granted. Where the process is to die, nothing survives but the entries, and a
new engine goes on from them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Final

from attrs import evolve, field, frozen

from deskroom.core import Person
from deskroom.core.reasons import CloseReason
from deskroom.engine.engine import Engine
from deskroom.engine.entries import TurnEntry
from deskroom.engine.script import Cue
from deskroom.engine.setup import Setup
from deskroom.errors import FileError
from deskroom.explore.draws import Draws
from deskroom.explore.talk import Talk
from deskroom.explore.vary import Budget, Varying
from deskroom.runs.run import Run
from deskroom.scenario.format.explore import Explore
from deskroom.scenario.format.model import DeskSpec, Opening, Scenario, Turn
from deskroom.scenario.play.kill import Killed
from deskroom.scenario.play.meanwhile import count_said_in_open
from deskroom.scenario.play.player import ScriptPlayer
from deskroom.scenario.play.replay import scenario_setup
from deskroom.scenario.play.resume import unsent_calls
from deskroom.scenario.play.watch import Endless, Enough, Fault, RunWatch, unjudged, whole_faults

__all__ = ["MOST_ENTRIES", "Drawing", "Explorer", "Played", "explored_scenario"]

#: A run with more entries has no end.
MOST_ENTRIES: Final = 1_000_000

#: The next line behind which a process dies is at most so many lines on.
_KILL_WITHIN: Final = 48
_NOBODY: Final = Person("user", "User")


@frozen(kw_only=True, eq=False)
class Played:
    """One run: its entries, what each listed turn was drawn as, and what did not hold.

    ``choices`` give the same run again. ``order`` has the places of the turns in the order in which
    they were played, ``kill`` the lines behind which the process died.
    """

    base: Scenario = field(repr=False)
    choices: tuple[int, ...] = field(repr=False)
    run: Run = field(repr=False)
    turns: Mapping[int, Turn] = field(repr=False)
    order: tuple[int, ...] = field(repr=False)
    kill: tuple[int, ...] = ()
    failures: tuple[Fault, ...] = ()

    @cached_property
    def scenario(self) -> Scenario:
        """The run as a scenario, which replays to the same entries."""
        turns = [evolve(self.turns.get(at, turn), one_of=()) for at, turn in _listed(self)]
        return evolve(self.base, turns=tuple(turns), kill=self.kill, explore=None)

    @property
    def places(self) -> frozenset[int]:
        """The places of the turns that were played, in the scenario of the run."""
        if self.base.explore is not None and self.base.explore.talk:
            return frozenset(range(len(self.order)))
        return frozenset(self.order)


def _listed(played: Played) -> Sequence[tuple[int, Turn]]:
    """Return the turns that the scenario of a run lists, each with its place in what was played.

    Where all was drawn, only what was played is listed; one turn more keeps a seat that is next
    from closing the room, which ``max_turns`` closed.
    """
    base, run = played.base, played.run
    if base.explore is None or not base.explore.talk:
        return list(enumerate(base.turns))
    listed = [(at, base.turns[at]) for at in played.order]
    due = run.due
    if run.closed == CloseReason.MAX_TURNS and due is not None:
        listed.append((-1, Turn(seat=due.seat)))
    return listed


def explored_scenario(scenario: Scenario, bounds: Explore) -> Scenario:
    """Return what is explored of a scenario: its turns, or as many of each seat as can be drawn.

    What it expects is left out, since a run that comes out otherwise is the point.
    """
    if not any(turn.seat for turn in scenario.turns):
        bounds = evolve(bounds, talk=True)
    most = min(scenario.policy.max_turns, bounds.turns)
    scenario = evolve(
        scenario,
        policy=evolve(scenario.policy, max_turns=most),
        opening=None if scenario.opening is None else evolve(scenario.opening, expect=None),
        turns=tuple(evolve(turn, expect=None, repeat=1) for turn in scenario.turns),
        expect=None,
        kill=(),
        explore=bounds,
        live=None,
    )
    return _talking(scenario, most) if bounds.talk else scenario


def _talking(scenario: Scenario, turns: int) -> Scenario:
    """Return a scenario in which any seat can have any turn, and somebody opens."""
    desk: DeskSpec = scenario.desk
    if not desk.people:
        desk = evolve(desk, people=(_NOBODY,))
    active = [seat.id for seat in desk.seats if not seat.retired]
    opening = scenario.opening or Opening(by=desk.people[0].id, message="begin")
    # A retry plays another listed turn, so a seat may need two for each that is granted.
    count = 2 * turns if scenario.policy.silence == "retry" else turns
    return evolve(
        scenario,
        desk=desk,
        order="routed",
        opening=opening,
        turns=tuple(Turn(seat=seat) for seat in active for _ in range(count)),
    )


class Explorer:
    """Plays runs of one scenario, one after the other. Not to be shared between threads."""

    def __init__(self, scenario: Scenario, bounds: Explore) -> None:
        self.base = explored_scenario(scenario, bounds)
        #: What was asked for; where there are no turns, what seats say is drawn in any case.
        self.bounds: Explore = self.base.explore or bounds
        setup = scenario_setup(self.base)
        assert setup.script is not None  # noqa: S101 - a scenario has one
        self._plain_cues: Sequence[Cue] = setup.script.cues
        #: What the engine reads a broadcast's scores from; each run begins with the plain ones.
        self._cues: list[Cue] = list(self._plain_cues)
        self.setup: Setup = evolve(setup, script=evolve(setup.script, cues=self._cues))
        self._varying = Varying(self.setup, Talk(self.setup))

    def play(
        self, draws: Draws, *, deep: bool = True, looks_for: tuple[str, str] | None = None
    ) -> Played:
        """Play one run. ``deep`` looks at all that seats are given, and at the run as a whole.

        A run that ``looks_for`` the fault of a kind and name ends where it shows.
        """
        budget = Budget.drawn(self.bounds, draws)
        drawing = Drawing(self.base, self._varying, budget, draws)
        kill = self._kill_lines(draws)
        watch = RunWatch(self.setup, self.base.properties, MOST_ENTRIES)
        watch.looks_for = looks_for
        engine, died = self._play(drawing, watch, kill, deep=deep)
        run = Run(engine.state, watch.entries)
        faults = watch.finish(run)
        # A turn whose process died right behind the grant was granted, and never drawn.
        grants = (entry.cue for entry in watch.entries if isinstance(entry, TurnEntry))
        order = tuple(dict.fromkeys(cue for cue in grants if cue is not None))
        played = Played(
            base=self.base,
            choices=tuple(draws.taken),
            run=run,
            turns=drawing.drawn,
            order=order,
            kill=died,
        )
        if deep and not faults and run.closed is not None:
            faults = tuple(whole_faults(evolve(drawing.scenario, kill=died), run))
        return evolve(played, failures=faults)

    def _kill_lines(self, draws: Draws) -> list[int]:
        """Draw behind which lines the process dies; most are reached only in a long run."""
        lines: list[int] = []
        for _ in range(draws.below(self.bounds.kills + 1)):
            before = lines[-1] if lines else 1
            lines.append(before + 1 + draws.below(_KILL_WITHIN))
        return lines

    def _play(
        self, drawing: Drawing, watch: RunWatch, kill: Sequence[int], *, deep: bool
    ) -> tuple[Engine, tuple[int, ...]]:
        """Play to the close; return the engine, and behind which lines the process died."""
        self._cues[:] = self._plain_cues
        died: list[int] = []
        left = iter(kill)
        while True:
            engine = Engine(self.setup)
            before = unjudged(watch.entries)
            for entry in before:
                engine.apply(entry)
            late, said = [], 0
            if before:
                scenario = drawing.scenario
                late = list(unsent_calls(scenario, Run(engine.state, before)))
                said = count_said_in_open(before, scenario.turns)
                watch.resumed()
            watch.dies_after = next(left, None)
            looks = watch if deep else None
            player = _Player(self.base, engine, watch, late, said, watch=looks, logs=False)
            player.draw_from(drawing, self._cues)
            try:
                player.run()
            except Killed:
                died.append(len(watch.entries))
            except (Endless, Enough):
                return engine, tuple(died)
            except FileError:
                raise  # a pattern of a property ran out of time
            except Exception as error:  # noqa: BLE001 - whatever fails here fails in the host
                watch.fail(error)
                return engine, tuple(died)
            else:
                return engine, tuple(died)


class Drawing:
    """What each listed turn of one run was drawn as: ``drawn`` by its place."""

    def __init__(self, base: Scenario, varying: Varying, budget: Budget, draws: Draws) -> None:
        self.drawn: dict[int, Turn] = {}
        self._base = base
        self._varying = varying
        self._budget = budget
        self._draws = draws

    @property
    def scenario(self) -> Scenario:
        """The scenario with the turns as they were drawn so far."""
        turns = (self.drawn.get(at, turn) for at, turn in enumerate(self._base.turns))
        return evolve(self._base, turns=tuple(turns))

    def turn(self, place: int) -> Turn:
        """Return a listed turn as it comes in this run; one that is granted again is the same."""
        turn = self.drawn.get(place)
        if turn is None:
            turn = self._base.turns[place]
            self._draws.begin()
            if self._base.explore is not None and self._base.explore.talk:
                turn = self._varying.said(turn, len(self.drawn) + 1, self._draws)
            turn = self._varying.turn(turn, self._budget, self._draws)
            self._draws.end()
            self.drawn[place] = turn
        return turn


class _Player(ScriptPlayer):
    """Plays turns that are drawn when they are granted, and logs nothing."""

    def draw_from(self, drawing: Drawing, cues: list[Cue]) -> None:
        self._drawing = drawing
        self._cues = cues

    def _turn(self, grant: TurnEntry) -> Turn:
        if grant.cue is None:
            return super()._turn(grant)
        turn = self._drawing.turn(grant.cue)
        if turn.scores or self._cues[grant.cue].scores:
            self._cues[grant.cue] = evolve(self._cues[grant.cue], scores=turn.scores)
        return turn
