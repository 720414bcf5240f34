"""From a run to the script that would give it again.

A journal says what each turn did and not what its seat had in mind, nor when it did it. So the script says as much as it takes to get the same rows and
decisions. What no script can say is left out and named.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import zip_longest
from typing import Any, Final, Literal

from attrs import evolve, field, frozen

from deskroom.core.reasons import CloseReason, Outcome
from deskroom.engine.entries import CallEntry, RowEntry
from deskroom.engine.script import Script
from deskroom.engine.setup import Setup
from deskroom.printable import counted
from deskroom.runs.run import Run, RunTurn
from deskroom.scenario.edit.expressible import plain_text, written_call
from deskroom.scenario.format.model import Call, DeskSpec, Meanwhile, Opening, Order, Scenario, Turn

__all__ = ["NOT_REACHED", "RecordedScript", "RecordedTurn", "extract_script"]

#: A script that has to be cut short ends in a turn that is never played.
NOT_REACHED: Final = "Never played: max_turns closes the room before it."

_ESCAPED: Final = "The text held what no file can hold; it is escaped here."


@frozen(kw_only=True)
class RecordedTurn:
    """One turn of the script: of a seat, or a person's message.

    ``replies`` are those to the calls that are listed, and ``late_replies`` to the late ones.
    ``listed`` is False for a retry that its script had nothing for, since it happens again without
    being listed.
    """

    seat: str | None = None
    person: str | None = None
    say: str | None = None
    listed: bool = True
    played: RunTurn | None = field(default=None, eq=False)
    calls: tuple[Call, ...] = ()
    late: tuple[Call, ...] = ()
    meanwhile: tuple[Meanwhile, ...] = ()
    replies: tuple[str, ...] = ()
    late_replies: tuple[str, ...] = ()
    outcome: Outcome | str | None = None
    text: str | None = None
    takes: float = 0
    crash: str | None = None
    wrote: tuple[str, ...] = ()
    scores: Mapping[str, float] = field(factory=dict)
    remarks: tuple[str, ...] = field(default=(), eq=False)

    def turn(self) -> Turn:
        """Return it as the file lists it."""
        say, calls = self.say, self.calls
        if say is None and len(calls) == 1 and _is_say(calls[0]):
            say, calls = calls[0].arguments["message"], ()
        return Turn(
            seat=self.seat,
            person=self.person,
            say=say,
            calls=calls,
            text=self.text,
            takes=self.takes,
            crash=self.crash,
            late=self.late,
            meanwhile=self.meanwhile,
            wrote=self.wrote,
            scores=self.scores,
        )


@frozen(kw_only=True)
class RecordedScript:
    """The script of a run, and what of the run it cannot say.

    ``turns`` are in order; ``remarks`` is what the scenario cannot say. ``closed`` is None for a run
    that did not close by a rule: it was stopped, it failed, or its process died. ``spoken_over``
    says why the rows may come in another order: a person spoke while a turn was open.
    """

    run: Run
    setup: Setup
    order: Order
    turns: tuple[RecordedTurn, ...]
    rows: tuple[RowEntry, ...]
    closed: CloseReason | None
    remarks: tuple[str, ...]
    spoken_over: tuple[str, ...] = ()

    @property
    def listed(self) -> tuple[RecordedTurn, ...]:
        """The turns that the file lists."""
        return tuple(turn for turn in self.turns if turn.listed)

    def scenario(self) -> Scenario:
        """Return the scenario, without expectations."""
        setup = self.setup
        opening = setup.opening
        turns = [turn.turn() for turn in self.listed]
        if setup.policy.broadcast.router != "scripted":
            turns = [evolve(turn, scores={}) for turn in turns]
        never = self.never_played()
        return Scenario(
            title=f"A recorded run of {setup.desk_name}",
            order=self.order,
            desk=DeskSpec(
                id=setup.desk_id, name=setup.desk_name, seats=setup.seats, people=setup.people
            ),
            policy=setup.policy,
            opening=None if opening is None else Opening(by=opening.by, message=opening.message),
            turns=tuple(turns if never is None else [*turns, Turn(seat=never)]),
        )

    def never_played(self) -> str | None:
        """Return the seat that needs one listed turn more, so that ``max_turns`` is what closes."""
        if self.closed != "max_turns":
            return None
        if self.order == "listed":
            # Another seat than the last, whose retry would play it.
            last = self.run.turns[-1].seat
            others = [seat.id for seat in self.setup.seats if seat.id != last]
            return others[0] if others else last
        return None if self.run.due is None else self.run.due.seat


def extract_script(run: Run) -> RecordedScript:
    """Return the script of a run. Its entries must be known."""
    people = [entry for entry in run.entries if entry.kind == "person"]
    words = _words_in_turns(run, people)
    turns = [(turn.start or 0, _recorded(turn, run, words)) for turn in run.turns if turn.outcome]
    in_turns = [entry for _, entry, _ in words]
    people = [entry for entry in people if entry not in in_turns]
    spoken = [(run.index.rows[entry.row.sequence - 1], _person(entry)) for entry in people]
    closed = None if run.closed in {"stopped", "failed"} else run.closed
    return RecordedScript(
        run=run,
        setup=run.setup,
        order=run.order or "routed",
        turns=tuple(turn for _, turn in sorted([*turns, *spoken], key=lambda pair: pair[0])),
        rows=tuple(run.entries),
        closed=closed,
        remarks=tuple(_remarks(run)),
        spoken_over=tuple(_spoken_over(run, people)),
    )


def _remarks(run: Run) -> Iterator[str]:
    """Yield what a scenario cannot say of the run as a whole."""
    if run.closed in {None, "stopped", "failed"}:
        how = {"stopped": "was stopped", "failed": "failed"}.get(run.closed or "", "did not close")
        yield f"The recorded room {how}; this one closes by its rules."
    for call in run.index.stray_calls():
        yield f"A call of {call.seat} in turn {call.turn}, which was not its own, is left out."
    open_ = run.state.open
    if open_ is not None:
        yield f"Turn {open_.number} ({open_.seat}) had not ended, so it is left out."
    if run.state.unrouted is not None:
        yield (
            f"Row {run.state.unrouted.row.sequence}, a broadcast, had not been routed yet when the "
            "recorded room ended; here it is routed."
        )


#: What people said in a turn: the turn, the row, and after how many calls or at its end.
Words = Sequence[tuple[RunTurn, RowEntry, int | Literal["end"]]]


def _words_in_turns(run: Run, people: Iterable[RowEntry]) -> Words:
    """Return what people said in the middle of a turn that ended, and where in it.

    What was said between a silent attempt and its retry belongs to the end of the attempt.
    """
    found: list[tuple[RunTurn, RowEntry, int | Literal["end"]]] = []
    ended = [turn for turn in run.turns if turn.start is not None and turn.end is not None]
    for entry in people:
        position = run.index.rows[entry.row.sequence - 1]
        for turn, following in zip_longest(ended, ended[1:]) if entry.cue is None else ():
            start, end = turn.start or 0, turn.end or 0
            is_retried = following is not None and following.number == turn.number
            if start < position < end:
                found.append((turn, entry, _calls_before(run, turn, position)))
            elif is_retried and end < position < (following.start or 0):
                found.append((turn, entry, "end"))
    return found


def _calls_before(run: Run, turn: RunTurn, at: int) -> int:
    """Return how many of a turn's calls stand before a position; of one that timed out, none do."""
    if turn.outcome == "timed_out":
        return 0
    before = run.journal[turn.start or 0 : at]
    return sum(isinstance(one, CallEntry) and one in turn.calls for one in before)


def _spoken_over(run: Run, people: Iterable[RowEntry]) -> Iterator[str]:
    """Yield which rows people spoke while a turn was open, or was about to be granted again."""
    for entry in people:
        at = run.index.rows[entry.row.sequence - 1]
        number = max(
            (turn for (turn, *_), start in run.index.starts.items() if start < at), default=0
        )
        for turn in run.turns:
            if turn.number == number and _goes_on(run, turn, at):
                yield (
                    f"{entry.row.author.id} said row {entry.row.sequence} while turn {number} "
                    f"({turn.seat}) was open, and that turn never ended"
                )
                break


def _goes_on(run: Run, turn: RunTurn, at: int) -> bool:
    """Whether a turn had not ended at a position, or is to be granted again."""
    retry = run.state.retry
    return turn.end is None or turn.end > at or (retry is not None and retry.number == turn.number)


# --- one turn ----------------------------------------------------------------------------------


def _person(entry: RowEntry) -> RecordedTurn:
    return RecordedTurn(person=entry.row.author.id or "", say=entry.row.content)


def _recorded(turn: RunTurn, run: Run, words: Words) -> RecordedTurn:
    calls = [call for call in turn.calls if call.source == "call"]
    in_time, late = [call for call in calls if not call.late], [call for call in calls if call.late]
    # Calls that were only counted were refused as the last one that was kept.
    in_time += in_time[-1:] * (len(turn.replies) - len(calls))
    remarks = dict.fromkeys(_call_remarks(calls))
    timed_out = turn.outcome == "timed_out"
    if timed_out:
        if in_time:
            remarks[_dropped(len(in_time))] = None
        # A seat that sleeps through its turn makes all of its calls too late.
        in_time, late = late, []
    text = _fence_text(turn)
    # Of a turn that spoke, no entry holds the text.
    if turn.text:
        text = plain_text(turn.text)
        if text != turn.text:
            remarks[_ESCAPED] = None
    return RecordedTurn(
        seat=turn.seat,
        listed=turn.cue is not None or _plays_without_script(run.setup.script, turn.seat),
        played=turn,
        calls=tuple(written_call(call.tool, call.arguments)[0] for call in in_time),
        late=tuple(written_call(call.tool, call.arguments)[0] for call in late),
        meanwhile=tuple(
            Meanwhile(person=entry.row.author.id or "", say=entry.row.content, at=at)
            for of, entry, at in words
            if of is turn
        ),
        replies=tuple(call.reply for call in in_time),
        late_replies=tuple(call.reply for call in late),
        outcome=turn.outcome,
        text=text,
        takes=run.setup.policy.turn_timeout_s + 1 if timed_out else 0,
        crash=_crash(turn),
        wrote=turn.wrote,
        scores=_scores(turn, run),
        remarks=tuple(remarks),
    )


def _plays_without_script(script: Script | None, seat: str) -> bool:
    return script is None or seat in script.unscripted


def _call_remarks(calls: Iterable[CallEntry]) -> Iterator[str]:
    for call in calls:
        _, remark = written_call(call.tool, call.arguments)
        if remark is not None:
            yield f"{remark} The reply is the same."


def _dropped(count: int) -> str:
    return (
        f"Before its time was over the seat had made {counted(count, 'call')}. They came to nothing and are left "
        "out: a script can only wait before its calls."
    )


def _fence_text(turn: RunTurn) -> str | None:
    """Return the message that was read out of a seat's text, if there was one."""
    texts = [_message(call.arguments) for call in turn.calls if call.source == "fence"]
    return texts[-1] if texts else None


def _message(arguments: Any) -> str:  # noqa: ANN401 - arguments of any shape
    message = arguments.get("message") if isinstance(arguments, Mapping) else None
    return plain_text(message) if isinstance(message, str) else ""


def _crash(turn: RunTurn) -> str | None:
    """Return what a seat is to raise: the text of what it raised, or its type where there is none."""
    return None if turn.error is None else plain_text(turn.error.text or turn.error.type)


def _scores(turn: RunTurn, run: Run) -> dict[str, float]:
    """Return the scores by which a turn's broadcast was routed; a seat without one has 0."""
    routed = None if turn.row is None else run.state.routed.get(turn.row)
    return {} if routed is None else {seat: score for seat, score in routed.scores if score}


def _is_say(call: Call) -> bool:
    return (
        call.tool == "desk_post"
        and call.arguments.keys() == {"message"}
        and isinstance(call.arguments["message"], str)
    )
