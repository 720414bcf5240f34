"""Looking on at a run, entry by entry, for an invariant that it breaks."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Final

from deskroom.core.audience import Author
from deskroom.core.dispatch import NoTurn, TurnFor
from deskroom.core.mention import Mention
from deskroom.core.reasons import CloseReason, Outcome, RowKind
from deskroom.engine.entries import (
    CallEntry,
    CloseEntry,
    EndEntry,
    Entry,
    ExcessEntry,
    HeaderEntry,
    RoutedEntry,
    RowEntry,
    TurnEntry,
    UsageEntry,
)
from deskroom.engine.kept import is_cut
from deskroom.engine.messages import Call, Reply, TurnEnd, TurnGrant
from deskroom.engine.setup import Setup
from deskroom.runs.invariants.calls import answer, written_mentions
from deskroom.runs.invariants.model import Held, Model, Next, OpenTurn
from deskroom.runs.invariants.privacy import grant_faults, repeated_private, reply_faults
from deskroom.runs.invariants.rules import Broken

__all__ = ["MOST_BROKEN", "InvariantWatch"]

#: So many are enough to see what is wrong; one that is broken makes others look so.
MOST_BROKEN: Final = 20


class InvariantWatch:
    """Takes the entries of one run in order, from the header on, and keeps what is broken.

    ``granted`` and ``replied`` may be told what seats are given and answered, before the next entry.
    """

    def __init__(self, setup: Setup, *, own_router: bool = False) -> None:
        self.broken: list[Broken] = []
        self._model = Model(setup)
        self._setup = setup
        self._own_router = own_router
        self._count = 0
        self._resumed = False
        #: Whether the seat of the open turn has raised.
        self._raised = False

    def take(self, entry: Entry) -> None:
        """Look at one entry."""
        self._count += 1
        if self._model.closed is not None:
            self._after_close(entry)
        self._TAKES[type(entry)](self, entry)

    def resumed(self) -> None:
        """Note that the process died behind the last entry, and another goes on from there."""
        self._resumed = True

    def granted(self, grant: TurnGrant) -> None:
        """Look at what a seat is given with the turn that was granted last."""
        turn = self._model.open
        if turn is None or (grant.turn, grant.attempt) != (turn.number, turn.attempt):
            self._break("one-turn", f"turn {grant.turn} is given to a seat and is not open")
            return
        if grant.seat.id != turn.seat or grant.hop != turn.hop:
            self._break("order", f"turn {turn.number} is given as another than was granted")
        for name, problem in grant_faults(self._model, turn, grant):
            self._break(name, problem)

    def replied(self, call: Call, entry: CallEntry | None, reply: Reply) -> None:
        """Look at the reply to a call; its entry is taken after this, if there is one."""
        expected = None if entry is None or entry.reply == "ok" else entry.reply
        if entry is not None and (reply.ok, reply.rejection) != (expected is None, expected):
            said = "ok" if reply.ok else reply.rejection
            self._break("reply", f"a call of {call.seat} is told {said}, and kept as {entry.reply}")
        for problem in reply_faults(self._model, call, reply):
            self._break("privacy", problem)

    def ended(self, end: TurnEnd) -> None:
        """Look at how a seat ends its turn; what follows is taken after this."""
        turn = self._model.open
        is_open = turn is not None and (turn.number, turn.attempt) == (end.turn, end.attempt)
        self._raised = is_open and end.error is not None

    def finish(self) -> None:
        """Look at a run that is over: the engine has no more entries to give."""
        if self._model.closed is None:
            self._break("ends", "the run has no close")

    def _break(self, name: str, problem: str) -> None:
        if len(self.broken) < MOST_BROKEN:
            self.broken.append(Broken(name, problem, self._count))

    # Turns

    def _header(self, entry: HeaderEntry) -> None:  # noqa: ARG002 - known already
        if self._count != 1:
            self._break("resume", "there is a second header")

    def _turn(self, entry: TurnEntry) -> None:
        model, before = self._model, self._model.open
        name = f"turn {entry.turn} of {entry.seat}"
        if entry.hop > max(self._setup.policy.dispatch.max_hops, 0):
            self._break("hop-bound", f"{name} has hop {entry.hop}")
        if model.files is not None:
            self._break("files-first", f"{name} is granted before the row about files")
        if model.unrouted is not None:
            self._break("routed-first", f"{name} is granted before the broadcast is routed")
        if before is not None and not self._resumed:
            self._break("one-turn", f"{name} is granted while turn {before.number} is open")
        again = before or model.retry
        if again is not None:
            self._granted_again(entry, again, name)
        else:
            self._granted_anew(entry, name)
        self._resumed = False
        self._open(entry, again if before is not None else None)

    def _granted_again(self, entry: TurnEntry, again: OpenTurn, name: str) -> None:
        expected = (again.number, again.attempt + 1, again.seat, again.hop, again.trigger)
        if (entry.turn, entry.attempt, entry.seat, entry.hop, entry.trigger) != expected:
            self._break("retry", f"{name} is granted again as another turn")
        cue = again.cue if self._model.open is not None else self._retry_cue(again.seat)
        if entry.cue != cue:
            self._break("order", f"{name} is granted again for listed turn {_listed(entry.cue)}")

    def _retry_cue(self, seat: str) -> int | None:
        model = self._model
        cue = model.next_cue(seat)
        if cue is None or model.due_person() is not None:
            return None
        return None if model.is_listed and cue != model.head else cue

    def _granted_anew(self, entry: TurnEntry, name: str) -> None:
        model, policy = self._model, self._setup.policy
        if (entry.turn, entry.attempt) != (model.granted + 1, 1):
            self._break("one-turn", f"{name} is granted as attempt {entry.attempt}")
        if model.granted >= policy.max_turns:
            self._break("max-turns", f"{name} is granted, and max_turns is {policy.max_turns}")
        if model.is_completed:
            self._break("close", f"{name} is granted, and the work is complete")
        if model.due_person() is not None:
            self._break("order", f"{name} is granted before a person who is due")
        if entry.trigger is not None and not 1 <= entry.trigger <= len(model.rows):
            self._break("row-first", f"{name} is granted because of row {entry.trigger}")
        if model.is_listed:
            self._granted_in_list(entry, name)
            return
        expected = model.pending or (model.queue[0] if model.queue else None)
        if expected is None:
            self._break("row-first", f"{name} is granted, and nobody is next")
        elif entry.seat != expected.seat or entry.trigger != expected.trigger:
            self._break("order", f"{name} is granted, and the turn is {expected.seat}'s")
        elif entry.hop != expected.hop:
            self._break("hop", f"{name} has hop {entry.hop}, and its row gave {expected.hop}")
        if entry.cue != model.next_cue(entry.seat):
            self._break("order", f"{name} plays listed turn {_listed(entry.cue)}")
        if self._cadence_is_due():
            self._break("nudge", f"{name} is granted, and the chair's cadence is due")

    def _granted_in_list(self, entry: TurnEntry, name: str) -> None:
        model = self._model
        script = self._setup.script
        assert script is not None  # noqa: S101 - the order is listed
        listed = script.cues[model.head].seat if model.head < len(model.played) else None
        if entry.cue != model.head or entry.seat != listed:
            self._break("order", f"{name} is granted, and the list has {listed}")
        last = next((one for one in reversed(model.entries) if one.kind != RowKind.WROTE), None)
        if entry.trigger != (None if last is None else last.row.sequence):
            self._break("row-first", f"{name} is granted because of row {entry.trigger}")
        hop = 0
        if last is not None and isinstance(last.decision, TurnFor):
            hop = last.decision.child_hop if last.decision.target_id == entry.seat else 0
        elif last is not None and last.row.sequence in model.routed:
            child, recipients = model.routed[last.row.sequence]
            hop = child if entry.seat in recipients else 0
        if entry.hop != hop:
            self._break("hop", f"{name} has hop {entry.hop}, and its row gives {hop}")

    def _open(self, entry: TurnEntry, cut: OpenTurn | None) -> None:
        model = self._model
        is_retry = cut.is_retry if cut is not None else model.retry is not None
        if cut is not None:
            model.had.pop((cut.number, cut.attempt), None)
            since = cut.since
        elif model.retry is not None:
            since = model.retry.since
        else:
            since = model.last_grant.get(entry.seat)
            model.granted = entry.turn
            model.since_chair += 1
            model.nudged = False
            if model.pending is None and model.queue and model.queue[0].seat == entry.seat:
                model.queue.popleft()
            model.pending = None
        if cut is None:
            model.play(entry.cue)
        model.last_grant[entry.seat] = len(model.rows)
        model.retry = None
        model.had[entry.turn, entry.attempt] = entry.seat, 0
        model.open = OpenTurn(
            entry.turn,
            entry.attempt,
            entry.seat,
            entry.hop,
            entry.trigger,
            entry.cue,
            is_retry=is_retry,
            granted_at=len(model.rows),
            since=since,
        )

    def _call(self, entry: CallEntry) -> None:
        model, turn = self._model, self._model.open
        name = f"a call of {entry.seat} in turn {entry.turn}"
        grant = (entry.turn, entry.attempt)
        is_open = turn is not None and (turn.number, turn.attempt, turn.seat) == (
            *grant,
            entry.seat,
        )
        had = model.had.get(grant)
        is_own = had is not None and had[0] == entry.seat
        if entry.late or not is_open:
            expected = "turn_ended" if is_own else "not_your_turn"
            if is_open or not entry.late or entry.reply != expected:
                self._break("late", f"{name} is answered {entry.reply}, expected {expected}")
            if had is not None and is_own:
                number = had[1] + 1
                model.had[grant] = entry.seat, number
                if entry.call_id != number:
                    self._break("late", f"{name} is numbered {entry.call_id}, not {number}")
            return
        assert turn is not None  # noqa: S101 - it is open
        if self._resumed:
            self._break("resume", f"{name} is answered before the turn is granted again")
        self._answered(entry, turn, name)

    def _answered(self, entry: CallEntry, turn: OpenTurn, name: str) -> None:
        model = self._model
        seat = self._setup.by_id[entry.seat]
        if entry.source == "call":
            number = model.had[turn.number, turn.attempt][1] + 1
            model.had[turn.number, turn.attempt] = turn.seat, number
            turn.calls += 1
            if entry.call_id != number:
                self._break("reply", f"{name} is numbered {entry.call_id}, not {number}")
        expected: str | int | Held
        if entry.source == "call" and turn.calls > self._setup.policy.max_calls:
            expected = "too_many_calls"
        elif entry.source == "call" and seat.fence:
            expected = "unknown_tool"
        elif is_cut(entry.arguments) or is_cut(entry.tool):
            expected = entry.reply  # why it was refused cannot be seen in what is left of it
        else:
            expected = answer(model, entry.seat, entry.tool, entry.arguments)
        reply = expected if isinstance(expected, str) else "ok"
        if entry.reply != reply:
            self._break("reply", f"{name} is answered {entry.reply}, expected {reply}")
        if isinstance(expected, Held):
            turn.held = expected
        elif isinstance(expected, str):
            turn.refused = True
            turn.excess = turn.excess or expected == "too_many_calls"

    def _excess(self, entry: ExcessEntry) -> None:
        turn = self._model.open
        if turn is None or not turn.excess or entry.calls < 1:
            self._break("reply", f"calls of turn {entry.turn} are counted, and none was too many")

    def _usage(self, entry: UsageEntry) -> None:
        """Nothing is decided by it."""

    def _end(self, entry: EndEntry) -> None:
        model, turn = self._model, self._model.open
        name = f"turn {entry.turn} of {entry.seat}"
        if turn is None or (turn.number, turn.attempt, turn.seat) != (
            entry.turn,
            entry.attempt,
            entry.seat,
        ):
            self._break("one-turn", f"{name} ends, and is not open")
            return
        if self._resumed:
            self._break("resume", f"{name} ends before it is granted again")
        expected = Outcome.SILENT
        if entry.error is not None:
            expected = Outcome.FAILED
        elif entry.outcome == Outcome.TIMED_OUT:
            expected = Outcome.TIMED_OUT
        elif turn.held is not None:
            expected = Outcome.SPOKE
        elif turn.refused:
            expected = Outcome.REFUSED
        if entry.outcome != expected:
            self._break("outcome", f"{name} ends as {entry.outcome}, expected {expected}")
        if entry.outcome == Outcome.TIMED_OUT and (entry.wrote or entry.text):
            self._break("outcome", f"{name} timed out, and still says something")
        self._closed_turn(turn)
        model.files = entry if entry.wrote else None
        retries = self._setup.policy.silence == "retry" and not turn.is_retry
        model.retry = turn if retries and expected == Outcome.SILENT else None
        model.interrupted = model.interrupted and model.retry is not None

    def _closed_turn(self, turn: OpenTurn) -> None:
        self._raised = False
        self._model.open = None
        self._model.last = turn

    # Rows

    def _row(self, entry: RowEntry) -> None:
        model, row = self._model, entry.row
        if row.sequence != len(model.rows) + 1:
            self._break("one-row", f"row {row.sequence} follows row {len(model.rows)}")
        if (row.chat_id, row.parent) != (self._setup.desk_id, None):
            self._break("one-row", f"row {row.sequence} is of another desk or thread")
        if model.files is not None and entry.kind != RowKind.WROTE:
            self._break("files-first", f"row {row.sequence} stands before the row about files")
        if entry.kind != RowKind.SEAT and row.audience.kind != "desk":
            self._break("privacy", f"row {row.sequence} is no seat's, and not for the desk")
        self._ROWS[entry.kind](self, entry)
        model.add(entry)

    def _seat_row(self, entry: RowEntry) -> None:
        model, turn, row = self._model, self._model.open, entry.row
        name = f"row {row.sequence} of {row.author.id}"
        if turn is None or (turn.number, turn.seat) != (entry.turn, row.author.id):
            self._break("one-turn", f"{name} stands, and no turn of it is open")
            return
        if self._resumed:
            self._break("resume", f"{name} stands before its turn is granted again")
        held = turn.held
        if self._raised:
            self._break("outcome", f"{name} stands, and its seat raised an error")
        if held is None:
            self._break("outcome", f"{name} stands, and no call of its turn was accepted")
        else:
            self._held_against(entry, held, name)
        if entry.trigger != turn.trigger or row.author != Author("agent", turn.seat):
            self._break("one-turn", f"{name} is of another turn")
        self._decided(entry, turn, name)
        if not model.interrupted:
            decision = entry.decision
            model.pending = (
                Next(decision.target_id, decision.child_hop, row.sequence)
                if isinstance(decision, TurnFor)
                else None
            )
        model.interrupted = False
        model.spoken[turn.seat] = None
        model.last_author = turn.seat
        model.files = entry if entry.wrote else None
        model.unrouted = entry if entry.broadcasting else None
        if entry.completes:
            model.completions += 1
            model.done[turn.seat] = None
        self._closed_turn(turn)

    def _held_against(self, entry: RowEntry, held: Held, name: str) -> None:
        stands = (entry.row.content, entry.completes, entry.broadcasting, entry.refusal)
        if stands != (held.message, held.completes, held.broadcasting, held.refusal):
            self._break("last-call", f"{name} is not the last call that was accepted")
        if entry.row.audience != held.audience:
            self._break("privacy", f"{name} has another audience than its call asked for")
        if entry.mentions != written_mentions(self._model, entry.row.author.id or "", held):
            self._break("mentions", f"{name} mentions others than its call does")

    def _decided(self, entry: RowEntry, turn: OpenTurn, name: str) -> None:
        """Hold the decision of a seat's row against the ladder of semantics, section 5."""
        policy, active = self._setup.policy.dispatch, self._setup.active
        first = _first_agent(entry.mentions)
        named = None if first is None else first.target.id
        expected: tuple[str | None, int | None, str | None]
        if entry.broadcasting:
            expected = None, None, "broadcast"
        elif not policy.enabled:
            expected = None, None, "disabled"
        elif turn.hop >= policy.max_hops:
            expected = None, None, "hop_limit_reached"
        elif turn.seat not in active:
            expected = None, None, "source_inactive"
        elif named is None:
            expected = None, None, "no_direct_agent_mention"
        elif named == turn.seat:
            expected = None, None, "self_mention"
        elif named not in active:
            expected = None, None, "target_inactive"
        else:
            expected = named, turn.hop + 1, None
        if expected != _decision(entry):
            self._break("decision", f"{name} gives {_decision(entry)}, expected {expected}")

    def _opening_row(self, entry: RowEntry) -> None:
        opening = self._setup.opening
        said = (entry.row.author, entry.row.content)
        if self._model.rows or self._model.granted:
            self._break("resume", "there is a second opening")
        if opening is None or said != (Author("person", opening.by), opening.message):
            self._break("person", "the opening is not the one of the room")
        self._person(entry)

    def _person_row(self, entry: RowEntry) -> None:
        model, script = self._model, self._setup.script
        if entry.cue is not None:
            listed = None if script is None else script.cues[entry.cue]
            said = Author("person", listed.person if listed else None), listed and listed.message
            if model.due_person() != entry.cue or said != (entry.row.author, entry.row.content):
                self._break("order", f"row {entry.row.sequence} is not the person who is due")
            if model.open is not None or model.retry is not None or model.unrouted is not None:
                self._break("order", f"row {entry.row.sequence} comes before what is due")
            if model.is_completed:
                self._break("close", f"row {entry.row.sequence} stands, and the work is complete")
            model.play(entry.cue)
        elif entry.row.author.id not in [person.id for person in self._setup.people]:
            self._break("person", f"row {entry.row.sequence} is of a stranger")
        self._person(entry)

    def _person(self, entry: RowEntry) -> None:
        model, active = self._model, self._setup.active
        named = [
            mention
            for mention in entry.mentions
            if mention.target.kind == "agent" and not mention.quiet and mention.target.id in active
        ]
        first = min(named, key=lambda one: one.offset, default=None)
        seat = first.target.id if first is not None else next(iter(active), None)
        expected = (seat, 0, None) if seat is not None else (None, None, "no_active_seat")
        if _decision(entry) != expected:
            self._break("person", f"row {entry.row.sequence} gives the turn to {_decision(entry)}")
        model.pending = None if seat is None else Next(seat, 0, entry.row.sequence)
        model.interrupted = model.open is not None or model.retry is not None

    def _nudge_row(self, entry: RowEntry) -> None:
        model, policy = self._model, self._setup.policy.chair
        name = f"the nudge in row {entry.row.sequence}"
        if model.open is not None or model.retry is not None or model.unrouted is not None:
            self._break("order", f"{name} comes before what is due")
        if model.nudges >= policy.rounds or model.nudged:
            self._break("rounds", f"{name} is one too many")
        if model.is_listed or model.is_completed or model.due_person() is not None:
            self._break("rounds", f"{name} comes where the chair does not speak")
        waiting = model.pending
        if waiting is None and model.queue:
            self._break("queues", f"{name} comes before who is queued")
        if waiting is not None and not self._cadence_is_due():
            self._break("rounds", f"{name} comes before a pending turn, and no cadence is due")
        seat = self._to_nudge()
        if seat is None or not entry.row.content.startswith(f"@{seat} "):
            self._break("nudge", f"{name} is not for {seat}")
        chair = policy.by or (self._setup.people[0].id if self._setup.people else None)
        if entry.row.author != Author("person", chair):
            self._break("nudge", f"{name} is not by {chair}")
        if repeated_private(model, entry.row.content):
            self._break("privacy", f"{name} repeats a private message")
        expected = (seat, 0, None) if waiting is None else (waiting.seat, waiting.hop, None)
        if _decision(entry) != expected:
            self._break("nudge", f"{name} gives the turn to {_decision(entry)}")
        model.nudges += 1
        model.nudged = True
        model.since_chair = 0
        if waiting is None and seat is not None:
            model.pending = Next(seat, 0, entry.row.sequence)

    def _to_nudge(self) -> str | None:
        """Return whom the next nudge is for (scenarios.md, "Chair")."""
        model, active = self._model, self._setup.active
        if (model.nudges + 1) % 2 == 1:
            for seat in active:
                if seat not in model.spoken:
                    return seat
        if model.last_author in active:
            return model.last_author
        return next(iter(active), None)

    def _cadence_is_due(self) -> bool:
        model, policy = self._model, self._setup.policy.chair
        if model.pending is None or policy.every <= 0 or model.since_chair < policy.every:
            return False
        has_chair = policy.by is not None or bool(self._setup.people)
        return model.nudges < policy.rounds and has_chair and self._to_nudge() is not None

    def _wrote_row(self, entry: RowEntry) -> None:
        model, row = self._model, entry.row
        files = model.files
        if files is None:
            self._break("files-first", f"row {row.sequence} is about files that nobody left")
            return
        seat = files.row.author.id if isinstance(files, RowEntry) else files.seat
        told = all(path in row.content for path in files.wrote) and (seat or "") in row.content
        if row.author != Author("system", kind="workspace") or not told:
            self._break("files-first", f"row {row.sequence} is about other files")
        if _decision(entry) != (None, None, "source_inactive"):
            self._break("decision", f"row {row.sequence} gives the turn to {_decision(entry)}")
        model.files = None

    def _routed(self, entry: RoutedEntry) -> None:
        model, row = self._model, self._model.unrouted
        if row is None or row.row.sequence != entry.sequence or model.last is None:
            self._break("recipients", f"row {entry.sequence} is routed, and is no broadcast")
            return
        turn, policy = model.last, self._setup.policy
        candidates = [
            seat
            for seat in self._setup.active
            if seat != turn.seat
            and (row.row.audience.kind == "desk" or seat in row.row.audience.members)
        ]
        if turn.hop >= policy.dispatch.max_hops:
            candidates = []
        scores = self._scores(entry, turn, candidates)
        ranked = sorted(candidates, key=lambda seat: -scores.get(seat, 0.0))
        chosen = [
            seat
            for at, seat in enumerate(ranked)
            if at == 0 or scores.get(seat, 0.0) > 0.2  # noqa: PLR2004 - semantics, section 9
        ][: policy.broadcast.width]
        if list(entry.recipients) != chosen or entry.hop != turn.hop + 1:
            self._break("recipients", f"row {entry.sequence} goes to {list(entry.recipients)}")
        if [seat for seat, _ in entry.scores] != candidates:
            self._break("recipients", f"row {entry.sequence} is scored for others than can get it")
        model.unrouted = None
        model.routed[entry.sequence] = entry.hop, entry.recipients
        for seat in entry.recipients:
            if not model.is_listed:
                model.queue.append(Next(seat, turn.hop + 1, entry.sequence))
            model.done.pop(seat, None)

    def _scores(
        self, entry: RoutedEntry, turn: OpenTurn, candidates: list[str]
    ) -> Mapping[str, float]:
        """Return the scores that count: those of the script, or as they were written down."""
        script = self._setup.script
        scripted = self._setup.policy.broadcast.router == "scripted" and not self._own_router
        if scripted and script is not None and turn.cue is not None and candidates:
            return {seat: float(score) for seat, score in script.cues[turn.cue].scores.items()}
        return dict(entry.scores)

    # The close

    def _close(self, entry: CloseEntry) -> None:
        if entry.reason == CloseReason.STOPPED:
            return  # it ends nothing
        model = self._model
        expected = self._closes()
        if entry.reason != expected:
            name = "queues" if entry.reason == CloseReason.QUIET else "close"
            self._break(name, f"the room closes as {entry.reason}, expected {expected}")
        model.closed = str(entry.reason)

    def _closes(self) -> str:
        """Return why a room that closes here closes, or what comes first (scenarios.md, "Close")."""
        model, policy = self._model, self._setup.policy
        if model.files is not None or model.unrouted is not None:
            return "what the last turn left"
        if model.open is not None or model.retry is not None:
            return "a turn"
        if model.is_completed:
            return "completed"
        if model.due_person() is not None:
            return "a person who is due"
        if model.is_listed:
            if model.head >= len(model.played):
                return "script"
            return "max_turns" if model.granted >= policy.max_turns else "the next in the list"
        head = model.pending or (model.queue[0] if model.queue else None)
        script = self._setup.script
        is_scripted = head is not None and script is not None and head.seat not in script.unscripted
        if is_scripted and head is not None and model.next_cue(head.seat) is None:
            return "script"
        if model.granted >= policy.max_turns:
            return "max_turns"
        if head is not None:
            return f"a turn of {head.seat}"
        can_nudge = model.nudges < policy.chair.rounds and self._to_nudge() is not None
        return "a nudge" if can_nudge else "quiet"

    def _after_close(self, entry: Entry) -> None:
        reopens = isinstance(entry, RowEntry) and entry.kind == RowKind.PERSON and entry.cue is None
        if self._model.closed != CloseReason.QUIET or not reopens:
            self._break("close", f"something follows the close ({self._model.closed})")
        self._model.closed = None

    _ROWS: ClassVar[Mapping[RowKind, Callable[[InvariantWatch, RowEntry], None]]] = {
        RowKind.SEAT: _seat_row,
        RowKind.OPENING: _opening_row,
        RowKind.PERSON: _person_row,
        RowKind.NUDGE: _nudge_row,
        RowKind.WROTE: _wrote_row,
    }
    _TAKES: ClassVar[Mapping[type[Entry], Callable[[InvariantWatch, Any], None]]] = {
        HeaderEntry: _header,
        TurnEntry: _turn,
        CallEntry: _call,
        ExcessEntry: _excess,
        UsageEntry: _usage,
        EndEntry: _end,
        RowEntry: _row,
        RoutedEntry: _routed,
        CloseEntry: _close,
    }


def _first_agent(mentions: tuple[Mention, ...]) -> Mention | None:
    named = (one for one in mentions if one.target.kind == "agent" and not one.quiet)
    return min(named, key=lambda one: one.offset, default=None)


def _decision(entry: RowEntry) -> tuple[str | None, int | None, str | None]:
    decision = entry.decision
    if isinstance(decision, NoTurn):
        return None, None, str(decision.reason)
    return decision.target_id, decision.child_hop, None


def _listed(cue: int | None) -> str:
    return "none" if cue is None else str(cue + 1)
