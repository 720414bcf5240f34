"""Playing a script on an engine, with no event loop: the fastest of the drivers.

Seats whose turns are written down need no actors. What they do follows from the script alone, so
it is done here in the order in which actors in simulated time would do it: a seat that sleeps
leaves the room to whoever wakes first, and the deadline comes before a timer of the same time.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from heapq import heappop, heappush
from typing import TYPE_CHECKING, Final, Protocol

from attrs import frozen

from deskroom.engine.arguments import plain
from deskroom.engine.due import Await
from deskroom.engine.engine import Engine
from deskroom.engine.entries import (
    CallEntry,
    CloseEntry,
    EndEntry,
    Entry,
    Journal,
    Raised,
    TurnEntry,
)
from deskroom.engine.messages import Call, Reply, TurnEnd, TurnGrant
from deskroom.engine.setup import check_path
from deskroom.room.log import RoomLog
from deskroom.scenario.format.model import Call as ListedCall
from deskroom.scenario.format.model import Meanwhile, Scenario, Turn
from deskroom.scenario.play.meanwhile import Words
from deskroom.scenario.play.resume import listed_calls

if TYPE_CHECKING:
    from deskroom.room.late import LateCalls

__all__ = ["ScriptPlayer", "Watch"]

#: A turn that its script has nothing for: the retry of a silent one.
_NOTHING: Final = Turn()


class Watch(Protocol):
    """Looks on at what passes between the host and its seats."""

    def granted(self, grant: TurnGrant) -> None:
        """Look at what a seat is given with its turn."""
        ...

    def replied(self, call: Call, entry: CallEntry | None, reply: Reply) -> None:
        """Look at how a call is answered; its entry, if there is one, is written after this."""
        ...

    def ended(self, end: TurnEnd) -> None:
        """Look at how a seat ends its turn, before what follows is written."""
        ...


@frozen
class _Sleeper:
    """A turn whose seat sleeps, what it calls once it wakes, and what people say meanwhile."""

    grant: TurnEntry
    calls: Sequence[ListedCall]
    words: Words
    late: Sequence[ListedCall] = ()


class ScriptPlayer:
    """Plays one scenario to its close. ``engine`` may hold the entries of an earlier run.

    ``late_calls`` are what the seats of that run still had to say, and ``said`` counts what people
    said in the turn that it left open. ``watch`` is shown what seats are given and answered.
    """

    def __init__(
        self,
        scenario: Scenario,
        engine: Engine,
        journal: Journal | None = None,
        late_calls: Iterable[LateCalls] = (),
        said: int = 0,
        *,
        watch: Watch | None = None,
        logs: bool = True,
    ) -> None:
        self._turns = scenario.turns
        self._watch = watch
        self._timeout_s = scenario.policy.turn_timeout_s
        self._engine = engine
        self._journal = journal
        self._log = RoomLog(engine.setup.desk_id)
        self._logs = logs
        self._logs_info = logs and self._log.hears_info
        self._now = 0.0
        self._count = 0
        self._excess = 0
        self._timers: list[tuple[float, int, _Sleeper]] = []
        #: What came too late, and what people say between two entries.
        self._inbox: deque[Call | Meanwhile] = deque()
        self._said = said
        for late in late_calls:
            grant = TurnEntry(late.turn, late.seat, 0, None, late.attempt)
            calls = [ListedCall(tool=tool, arguments=given) for tool, given in late.calls]  # type: ignore[arg-type]
            said_late = [Meanwhile(person=person, say=say) for person, say in late.said]
            if late.after_s is None:
                self._inbox += [*said_late, *_calls(grant, calls)]
            else:
                words = Words(Turn(meanwhile=tuple(said_late)))
                self._sleep(late.after_s, _Sleeper(grant, calls, words))

    def run(self) -> None:
        """Play until the room closes. Raises ``RoomFailure`` when the journal fails."""
        engine = self._engine
        if not engine.state.has_header:
            self._write(engine.header())
        while not engine.is_closed:
            if engine.may_be_interrupted:
                self._take_waiting()
            due = engine.due()
            match due:
                case TurnEntry():
                    self._play(due)
                case CloseEntry():
                    self._settle()
                    # A person may have spoken meanwhile, and the room goes on.
                    due = engine.due()
                    if isinstance(due, CloseEntry):
                        self._write(due)
                case Await():
                    self._write(engine.route(engine.policy_scores()))
                case _:
                    self._write(due)

    def _write(self, entry: Entry) -> None:
        if self._journal is not None:
            self._journal.write(entry)
        if self._logs_info or (self._logs and isinstance(entry, EndEntry)):
            self._log.entry(entry, self._engine)
        self._engine.apply(entry)

    def _take_waiting(self) -> None:
        while self._inbox:
            waiting = self._inbox.popleft()
            if isinstance(waiting, Call):
                self._call(waiting)
            else:
                self._say([waiting])

    def _say(self, words: Iterable[Meanwhile]) -> None:
        for spoken in words:
            self._write(self._engine.say(spoken.person, spoken.say))

    def _call(self, call: Call) -> None:
        if self._watch is None:
            entry = self._engine.judge_call(call)
        else:
            entry, reply = self._engine.call(call)
            self._watch.replied(call, entry, reply)
        if entry is not None:
            self._write(entry)
        elif self._engine.is_excess(call):
            self._excess += 1

    # A turn

    def _play(self, grant: TurnEntry) -> None:
        self._write(grant)
        if self._watch is not None:
            self._watch.granted(self._engine.grant())
        self._excess = 0
        turn = self._turn(grant)
        calls = listed_calls(turn)
        words = Words(turn, self._said)
        self._said = 0
        self._say(words.after(0))
        if turn.takes and not self._wait(turn.takes, _Sleeper(grant, calls, words, turn.late)):
            self._write(self._engine.expire())
            return
        self._make_calls(grant, calls, words)
        wrote = tuple(map(check_path, turn.wrote))
        raised = None if turn.crash is None else Raised("ScriptedCrash", turn.crash)
        text = turn.text or "" if raised is None else ""
        end = TurnEnd(grant.turn, grant.attempt, grant.seat, text, wrote, raised)
        if self._watch is not None:
            self._watch.ended(end)
        for entry in (*self._engine.excess(self._excess), *self._engine.end(end)):
            self._write(entry)
        self._inbox += [*words.rest(), *_calls(grant, turn.late)]

    def _turn(self, grant: TurnEntry) -> Turn:
        """Return what the seat does in the turn that it was granted."""
        return _NOTHING if grant.cue is None else self._turns[grant.cue]

    def _make_calls(self, grant: TurnEntry, calls: Iterable[ListedCall], words: Words) -> None:
        for made, call in enumerate(_calls(grant, calls), start=1):
            self._call(call)
            self._say(words.after(made))
        self._say(words.after_all_calls())

    # Time

    def _sleep(self, seconds: float, sleeper: _Sleeper) -> None:
        self._count += 1
        heappush(self._timers, (self._now + seconds, self._count, sleeper))

    def _wait(self, seconds: float, sleeper: _Sleeper) -> bool:
        """Let a turn sleep, and others wake meanwhile. False when its deadline passes first."""
        deadline = self._now + self._timeout_s
        self._sleep(seconds, sleeper)
        while self._timers[0][0] < deadline:
            self._now, _, woken = heappop(self._timers)
            if woken is sleeper:
                return True
            self._speak_late(woken)
        self._now = deadline
        return False

    def _settle(self) -> None:
        """Let every seat that still sleeps wake and be told that it is late."""
        self._take_waiting()
        while self._timers:
            self._now, _, woken = heappop(self._timers)
            self._speak_late(woken)

    def _speak_late(self, woken: _Sleeper) -> None:
        self._say(woken.words.after(0))
        self._make_calls(woken.grant, woken.calls, woken.words)
        self._say(woken.words.rest())
        for call in _calls(woken.grant, woken.late):
            self._call(call)


def _calls(grant: TurnEntry, listed: Iterable[ListedCall]) -> Iterable[Call]:
    for call in listed:
        yield Call(
            grant.turn, grant.attempt, grant.seat, 0, plain(call.tool), plain(call.arguments)
        )
