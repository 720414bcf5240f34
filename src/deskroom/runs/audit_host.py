"""What the host would have decided after each row of a transcript.

The rows are folded into a ``RoomState`` as the turns that they are, and the engine is asked what is
due: no rule stands here a second time. What a run recorded of itself is taken as it is (its hops,
its decisions, whom a broadcast went to); what a transcript does not know is derived as in listed
order, where the list alone decides who speaks.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping
from typing import Any, Final, Literal

from attrs import evolve, field, frozen

from deskroom.core import NoTurn, TurnFor
from deskroom.core.dispatch import Decision
from deskroom.core.mention import Mention
from deskroom.core.reasons import CloseReason, NoTurnReason, Outcome, RowKind
from deskroom.core.responder import respond_to_person
from deskroom.core.transcript import Row
from deskroom.engine.calls import Refusal, decide, judge
from deskroom.engine.due import hop_in_list, next_due
from deskroom.engine.entries import CloseEntry, EndEntry, RoutedEntry, RowEntry, TurnEntry
from deskroom.engine.policy import ChairPolicy, Policy
from deskroom.engine.routing import can_reach, candidates, route
from deskroom.engine.state import RoomState
from deskroom.runs.audit_desk import setup_of
from deskroom.runs.audit_mentions import committed_row, is_handed, person_mentions
from deskroom.runs.run import RunTurn
from deskroom.runs.view import RunView, ViewItem
from deskroom.runs.why import decision_clause
from deskroom.speech import Committed
from deskroom.speech.tools import DM, POST, served

__all__ = ["Judged", "judge_rows"]

_NO_NAME: Final = NoTurn(NoTurnReason.NO_DIRECT_AGENT_MENTION)


@frozen(kw_only=True)
class Judged:
    """What the host makes of one row.

    ``decision`` is the row's own and ``why`` its reason; ``mentions`` are those that count, by
    offset; ``recipients`` whom a broadcast goes to, and ``candidates`` whom it may have gone to,
    where no router is known. ``waiting`` are recipients of broadcasts before
    it that still wait, each with the broadcast's sequence. ``nudged`` is the seat that the chair
    would speak to next; ``closes`` why the room would close here, for what ends it for good:
    ``completed`` or ``max_turns``. ``refusal`` is why another policy would have refused the message.
    """

    sequence: int
    decision: Decision
    why: str
    mentions: tuple[Mention, ...] = ()
    recipients: tuple[str, ...] = ()
    candidates: tuple[str, ...] = ()
    waiting: tuple[tuple[str, int], ...] = ()
    hop: int | None = None
    nudged: str | None = None
    closes: Literal["completed", "max_turns"] | None = None
    refusal: str | None = None


def judge_rows(
    view: RunView, policy: Policy | None = None, *, handoffs: bool = False
) -> Iterator[Judged]:
    """Yield what the host makes of each row of a whole view that is no stub, in order.

    ``policy`` takes the place of the view's own: then every decision is made anew. With
    ``handoffs`` a hand-off that the source recorded counts as an address, as of a ``dm``: where
    the text names no other seat. Raises ``UsageError`` for a policy that the desk cannot have.
    """
    setup = setup_of(view, policy)
    if view.order == "listed" and policy is None:
        # In listed order the chair never speaks.
        setup = evolve(setup, policy=evolve(setup.policy, chair=ChairPolicy()))
    told = _Telling(view=view, state=RoomState(setup), anew=policy is not None, handoffs=handoffs)
    return told.judged()


@frozen(kw_only=True)
class _Telling:
    """One pass over a view, which folds it into a state."""

    view: RunView
    state: RoomState
    anew: bool
    handoffs: bool
    grants: deque[RunTurn] = field(init=False)
    #: The number of the turn that was granted last, as the run recorded it.
    numbers: list[int] = field(factory=list)

    @grants.default
    def _grants(self) -> deque[RunTurn]:
        return deque(self.view.turns)

    def judged(self) -> Iterator[Judged]:
        found: Judged | None = None
        for item in self.view.items:
            if item.row is not None and _kind(item) == RowKind.WROTE:
                self._wrote(item.row)
                continue
            if found is not None:
                yield self._settled(found)
                found = None
            if item.row is not None:
                found = self._row(item, item.row)
            elif not self.grants:
                self._rowless(item)
        if found is not None:
            yield self._settled(found)

    # --- turns -----------------------------------------------------------------------------

    def _begin(self, seat: str, hop: int, number: int | None = None) -> None:
        """Grant a turn; ``number`` is that of the record, where a repeated one is a new attempt."""
        state = self.state
        self._end()
        again = number is not None and self.numbers[-1:] == [number]
        if number is not None:
            self.numbers[:] = [number]
        turn = state.granted if again and state.granted else state.granted + 1
        attempt = state.turns[-1].attempt + 1 if again and state.turns else 1
        state.apply(TurnEntry(turn, seat, hop, None, attempt))

    def _end(self, outcome: Outcome = Outcome.SILENT) -> None:
        record = self.state.open
        if record is not None:
            self.state.apply(EndEntry(record.number, record.attempt, record.seat, outcome))

    def _catch_up(self, before: int) -> None:
        """Grant what the run granted before a row, and end what it ended."""
        while self.grants and self.grants[0].granted_at < before:
            turn = self.grants.popleft()
            self._begin(turn.seat, self._hop(turn.seat, turn.hop), turn.number)
            if turn.row is None:
                self._end(turn.outcome or Outcome.SILENT)

    def _rowless(self, item: ViewItem) -> None:
        """A turn without a row uses up what brought it, and so does a row that is not shown."""
        author = item.facts["author"]
        if author.get("type") != "agent" or author.get("id") not in self.state.speakers:
            return
        self._begin(author["id"], 0)
        outcome = item.facts.get("outcome")
        self._end(Outcome(outcome) if outcome in set(Outcome) - {Outcome.SPOKE} else Outcome.FAILED)

    def _hop(self, seat: str, recorded: int | None) -> int:
        state = self.state
        if recorded is not None and not self.anew:
            return recorded
        if self.view.order == "routed":
            waiting = [state.pending, *state.queue]
            return next((one.hop for one in waiting if one is not None and one.seat == seat), 0)
        return hop_in_list(state, seat)

    # --- rows ------------------------------------------------------------------------------

    def _row(self, item: ViewItem, row: Row) -> Judged:
        self._catch_up(row.sequence)
        if row.author.type == "agent" and row.author.id in self.state.speakers:
            return self._seat_row(item, row, row.author.id)
        kind = RowKind.NUDGE if _kind(item) == RowKind.NUDGE else RowKind.PERSON
        if row.author.type in {"system", "agent"}:
            kind = RowKind.WROTE
        mentions = person_mentions(self.state.setup, row, is_nudge=kind is RowKind.NUDGE)
        decision = self._person_decision(item, row, mentions, kind)
        # The room's own count of rows is what its state goes by.
        self.state.apply(RowEntry(row, kind, decision, mentions))
        return Judged(
            sequence=row.sequence,
            decision=decision,
            why=self._why(item, row, decision),
            mentions=mentions,
        )

    def _seat_row(self, item: ViewItem, row: Row, seat: str) -> Judged:
        state = self.state
        if state.open is None or state.open.seat != seat:
            self._begin(seat, self._hop(seat, item.facts.get("hop")))
        assert state.open is not None  # noqa: S101 - it was granted just now
        hop = state.open.hop
        refusal = self._refusal(row, seat)
        committed = self._committed(item, row, seat)
        decision = self._recorded(item, hop) or decide(committed, state.speakers[seat])
        entry = RowEntry(
            row,
            RowKind.SEAT,
            decision,
            committed.mentions,
            turn=state.open.number,
            completes=committed.completes_episode,
            broadcasting=committed.broadcasting,
        )
        state.apply(entry)
        recipients = self._routed(item, entry, hop) if committed.broadcasting else ()
        return Judged(
            sequence=row.sequence,
            decision=decision,
            why=self._why(item, row, decision),
            mentions=committed.mentions,
            recipients=recipients,
            candidates=self._candidates(entry, recipients, hop),
            hop=hop,
            refusal=refusal,
        )

    def _wrote(self, row: Row) -> None:
        decision = NoTurn(NoTurnReason.SOURCE_INACTIVE)
        self.state.apply(RowEntry(row, RowKind.WROTE, decision))

    def _committed(self, item: ViewItem, row: Row, seat: str) -> Committed:
        header = self.view.header
        to = header.handoffs.get(row.sequence) if header is not None and self.handoffs else None
        committed = committed_row(self.state.setup, row, seat, handed_to=to)
        return committed._replace(
            completes_episode=item.facts.get("completes") is True,
            broadcasting=isinstance(item.facts.get("next"), list) or self._is_broadcast(row),
        )

    def _is_broadcast(self, row: Row) -> bool:
        """Whether a row was recorded as a broadcast whose router is not known."""
        header = self.view.header
        return header is not None and row.sequence in header.broadcasts

    def _routed(self, item: ViewItem, entry: RowEntry, hop: int) -> tuple[str, ...]:
        """Settle whom a broadcast goes to: by its scores where they are known, else as recorded."""
        setup, sequence = self.state.setup, entry.row.sequence
        if not can_reach(setup, entry.row, hop):
            routed = RoutedEntry(sequence, (), (), hop + 1)
        elif item.routing is not None:
            routed = route(setup, entry, item.routing.scores, hop)
        else:
            following = item.facts.get("next")
            chosen = following if isinstance(following, list) else []
            recorded = [seat for seat in chosen if seat in self.state.speakers]
            routed = RoutedEntry(sequence, (), tuple(recorded), hop + 1)
        self.state.apply(routed)
        return routed.recipients

    def _candidates(
        self, entry: RowEntry, recipients: tuple[str, ...], hop: int
    ) -> tuple[str, ...]:
        if recipients or not entry.broadcasting or not can_reach(self.state.setup, entry.row, hop):
            return ()
        return tuple(seat.id for seat in candidates(self.state.setup, entry.row))

    def _refusal(self, row: Row, seat: str) -> str | None:
        """Return why another policy would have refused the message, if it would."""
        members = list(row.audience.members)
        if not self.anew or (row.audience.kind == "aside" and not members):
            return None
        tool, to = (DM, {"to": members}) if members else (POST, {})
        speaker = self.state.speakers[seat]
        verdict = judge(served(tool), {"message": row.content, **to}, speaker)
        return str(verdict.reason) if isinstance(verdict, Refusal) else None

    def _person_decision(
        self, item: ViewItem, row: Row, mentions: tuple[Mention, ...], kind: RowKind
    ) -> Decision:
        if kind is RowKind.WROTE:
            return NoTurn(NoTurnReason.SOURCE_INACTIVE)
        recorded = self._recorded(item, -1, person=True)
        if recorded is not None:
            return recorded
        setup = self.state.setup
        if row.audience.kind == "aside" and not mentions:
            return _NO_NAME  # it went to people alone, so no seat can answer it
        return respond_to_person(mentions, setup.directory, setup.desk_id)

    def _recorded(self, item: ViewItem, hop: int, *, person: bool = False) -> Decision | None:
        """Return what the run itself decided, or None where it is not known or made anew."""
        if "next" not in item.facts:
            return None
        following = item.facts["next"]
        nudge = _kind(item) == RowKind.NUDGE
        if self.anew and not nudge:
            return None
        if isinstance(following, str):
            pending = self.state.pending
            child = pending.hop if nudge and pending is not None else (0 if person else hop + 1)
            return TurnFor(following, child)
        if isinstance(following, list):
            return NoTurn(NoTurnReason.BROADCAST)
        if isinstance(following, Mapping) and following.get("none") in set(NoTurnReason):
            return NoTurn(NoTurnReason(following["none"]))
        return None

    def _why(self, item: ViewItem, row: Row, decision: Decision) -> str:
        if not self.anew and item.why is not None:
            return item.why
        if is_handed(decision):
            return "the source handed the turn to it"
        max_hops = self.state.setup.policy.dispatch.max_hops
        return decision_clause(decision, row.author.id, max_hops, row.content)

    # --- what is due -----------------------------------------------------------------------

    def _settled(self, found: Judged) -> Judged:
        """Add what would come next in the room, now that all that belongs to the row is there."""
        state = self.state
        waiting = tuple(
            (one.seat, one.trigger or 0) for one in state.queue if one.trigger != found.sequence
        )
        found = evolve(found, waiting=waiting)
        if state.open is not None:
            return found  # a person spoke into a turn, which goes on
        due = next_due(state)
        if isinstance(due, RowEntry) and due.kind == RowKind.NUDGE:
            named = due.mentions[0].target.id
            return evolve(found, nudged=named)
        if isinstance(due, CloseEntry):
            if due.reason == CloseReason.COMPLETED:
                return evolve(found, closes="completed")
            if due.reason == CloseReason.MAX_TURNS:
                return evolve(found, closes="max_turns")
        return found


def _kind(item: ViewItem) -> Any:  # noqa: ANN401 - a word of the file format
    return item.facts.get("kind")
