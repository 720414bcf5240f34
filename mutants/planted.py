"""The planted faults: in each, one piece of the source is another, as a slip might have it."""

from __future__ import annotations

from typing import Final, NamedTuple

__all__ = ["MUTANTS", "Mutant"]


class Mutant(NamedTuple):
    """One fault: what is wrong, and which text of which module is replaced by which."""

    name: str
    module: str
    old: str
    new: str


MUTANTS: Final = (
    Mutant(
        "a hop is not counted",
        "deskroom.core.dispatch",
        "return TurnFor(first.target.id, hop + 1, first)",
        "return TurnFor(first.target.id, hop, first)",
    ),
    Mutant(
        "the hop limit is one too high",
        "deskroom.core.dispatch",
        "if hop >= policy.max_hops:",
        "if hop > policy.max_hops:",
    ),
    Mutant(
        "a turn is granted at hop 0",
        "deskroom.engine.due",
        "pending.seat, pending.hop, pending.trigger, 1, cue)",
        "pending.seat, 0, pending.trigger, 1, cue)",
    ),
    Mutant(
        "dispatch ignores that it is disabled",
        "deskroom.core.dispatch",
        "if not policy.enabled:",
        "if False:",
    ),
    Mutant(
        "the last mention wins",
        "deskroom.core.dispatch",
        "mention.offset < first.offset",
        "mention.offset > first.offset",
    ),
    Mutant(
        "an aside is shown to all",
        "deskroom.core.audience",
        'if audience.kind == "desk" or viewer.kind in ("operator", "person"):',
        'if True or viewer.kind in ("operator", "person"):',
    ),
    Mutant(
        "an aside's author may not read it",
        "deskroom.core.audience",
        "return viewer.id in audience.members or (",
        "return viewer.id in audience.members and (",
    ),
    Mutant(
        "a private message is published",
        "deskroom.engine.calls",
        "if not is_private(utterance):",
        "if True:",
    ),
    Mutant(
        "the marker makes nothing private",
        "deskroom.speech.commit",
        "return _ASIDE_MARKER in message and trim_start(message).startswith(_ASIDE_MARKER)",
        "return False",
    ),
    Mutant(
        "the aside budget is one too large",
        "deskroom.core.aside",
        "asked.spent >= policy.max_messages",
        "asked.spent > policy.max_messages",
    ),
    Mutant(
        "an aside need not surface",
        "deskroom.core.aside",
        "if policy.must_surface and asked.unsettled:",
        "if False:",
    ),
    Mutant(
        "a private row is not counted",
        "deskroom.engine.state",
        "        self.books.add(entry.row)\n",
        '        if entry.row.audience.kind == "desk":\n            self.books.add(entry.row)\n',
    ),
    Mutant(
        "an aside mentions outsiders",
        "deskroom.speech.commit",
        "admitted = tuple(m for m in mentions if _is_admitted(m, audience))",
        "admitted = mentions",
    ),
    Mutant(
        "the first call stands",
        "deskroom.engine.state",
        "            record.held = verdict\n",
        "            record.held = record.held or verdict\n",
    ),
    Mutant(
        "a refused call drops what was held",
        "deskroom.engine.machine",
        "(_S.HOLDING, _E.REFUSE): _S.HOLDING,",
        "(_S.HOLDING, _E.REFUSE): _S.DECLINED,",
    ),
    Mutant(
        "a refused turn counts as silent",
        "deskroom.engine.machine",
        "(_S.DECLINED, _E.END): _O.REFUSED,",
        "(_S.DECLINED, _E.END): _O.SILENT,",
    ),
    Mutant(
        "a crash after a call still speaks",
        "deskroom.engine.machine",
        "(_S.HOLDING, _E.RAISE): _O.FAILED,",
        "(_S.HOLDING, _E.RAISE): _O.SPOKE,",
    ),
    Mutant(
        "one call more than max_calls",
        "deskroom.engine.engine",
        "        if left == 0:\n            verdict = _TOO_MANY_CALLS",
        "        if left < 0:\n            verdict = _TOO_MANY_CALLS",
    ),
    Mutant(
        "a late call is taken",
        "deskroom.engine.engine",
        "        if record is None or not _is_of(call, record):\n            past =",
        "        if record is None:\n            past =",
    ),
    Mutant(
        "size is not looked at",
        "deskroom.engine.calls",
        "if size > speaker.policy.max_message_bytes:",
        "if False:",
    ),
    Mutant(
        "a stranger can be written to",
        "deskroom.speech.parse",
        "if not roster.is_active(id_):",
        "if False:",
    ),
    Mutant(
        "unknown arguments are ignored",
        "deskroom.engine.calls",
        "        if parameter is None:\n            takes",
        "        if parameter is None:\n            continue\n            takes",
    ),
    Mutant(
        "a person does not drop what is pending",
        "deskroom.engine.state",
        "                self.interrupted = self.open is not None or self.retry is not None\n",
        "                self.interrupted = False\n",
    ),
    Mutant(
        "files are reported after the next turn",
        "deskroom.engine.due",
        "    if state.unreported_files is not None:\n        return rows",
        "    if state.unreported_files is not None and not state.pending:\n        return rows",
    ),
    Mutant(
        "a completion does not close",
        "deskroom.engine.due",
        "    if state.completions == 0:\n        return False",
        "    if state.completions < 2:\n        return False",
    ),
    Mutant(
        "every completion closes",
        "deskroom.engine.due",
        'return state.setup.policy.close == "first" or state.episode.is_complete',
        "return True",
    ),
    Mutant(
        "a broadcast reopens nobody",
        "deskroom.engine.state",
        "                self.episode = self.episode.assign(seat)\n",
        "                pass\n",
    ),
    Mutant(
        "max_turns is one too high",
        "deskroom.engine.due",
        "    if state.granted >= policy.max_turns:\n        return CloseEntry(CloseReason.MAX_TURNS)\n    if state.pending",
        "    if state.granted > policy.max_turns:\n        return CloseEntry(CloseReason.MAX_TURNS)\n    if state.pending",
    ),
    Mutant(
        "the queue is forgotten",
        "deskroom.engine.due",
        "    if state.queue:\n        return _grant(state, state.queue[0])\n",
        "",
    ),
    Mutant(
        "the queue is last in, first out",
        "deskroom.engine.state",
        "self.queue.append(Pending(seat, entry.hop, entry.sequence))",
        "self.queue.appendleft(Pending(seat, entry.hop, entry.sequence))",
    ),
    Mutant(
        "a broadcast goes to one seat too many",
        "deskroom.core.episode",
        "return tuple([*ranked[:1], *others][:width])",
        "return tuple([*ranked[:1], *others][: width + 1])",
    ),
    Mutant(
        "a broadcast's author is a candidate",
        "deskroom.core.episode",
        "seats = [seat for seat in active if seat != author.id]",
        "seats = list(active)",
    ),
    Mutant(
        "a broadcast at the hop limit is routed",
        "deskroom.engine.routing",
        "    if hop >= policy.dispatch.max_hops:\n",
        "    if hop > policy.dispatch.max_hops:\n",
    ),
    Mutant(
        "the chair has one round too many",
        "deskroom.engine.due",
        "if state.rounds_left <= 0 or",
        "if state.rounds_left < 0 or",
    ),
    Mutant(
        "the chair nudges whoever has spoken",
        "deskroom.engine.chair",
        "if seat not in spoken), None)",
        "if seat in spoken), None)",
    ),
    Mutant(
        "the cadence is one turn late",
        "deskroom.engine.due",
        "state.turns_since_chair >= policy.chair.every",
        "state.turns_since_chair > policy.chair.every",
    ),
    Mutant(
        "a nudge takes the pending turn",
        "deskroom.engine.rows",
        "TurnFor(pending.seat, pending.hop) if pending else",
        "TurnFor(seat, 0, mention) if pending else",
    ),
    Mutant(
        "a silent turn is granted for ever",
        "deskroom.engine.state",
        "            if before is None or before.number != record.number:\n",
        "            if before is None or record.attempt < 4:\n",
    ),
    Mutant(
        "a refused turn is granted again",
        "deskroom.engine.state",
        "if entry.outcome == Outcome.SILENT and self",
        "if entry.outcome in {Outcome.SILENT, Outcome.REFUSED} and self",
    ),
    Mutant(
        "a resumed turn is another turn",
        "deskroom.engine.due",
        "    if state.open is not None or state.retry is not None:\n        return _grant_again(state)\n",
        "    if state.retry is not None:\n        return _grant_again(state)\n",
    ),
    Mutant(
        "a resumed room opens again",
        "deskroom.engine.due",
        "    if not state.rows and not state.turns and state.setup.opening is not None:",
        "    if not state.turns and len(state.rows) < 2 and state.setup.opening is not None:",
    ),
    Mutant(
        "a resumed turn keeps its refusals",
        "deskroom.engine.state",
        "            self.turns.pop()\n",
        "            entry = entry.__class__(entry.turn, entry.seat, entry.hop, entry.trigger, self.turns.pop().attempt, entry.cue)\n",
    ),
    Mutant(
        "history has one row too few",
        "deskroom.engine.reading",
        "min(rows - policy.window, since)",
        "min(rows - policy.window, since) + 1",
    ),
    Mutant(
        "a read shows every row",
        "deskroom.engine.engine",
        "seen = last_seen(self.state.rows, self.state.speakers[call.seat].viewer, verdict.limit)",
        'seen = last_seen(self.state.rows, type(self.state.speakers[call.seat].viewer)("operator"), verdict.limit)',
    ),
    Mutant(
        "the trigger is shown to whom it does not admit",
        "deskroom.engine.engine",
        "            History(trigger, viewer),\n",
        '            History(trigger, type(viewer)("operator")),\n',
    ),
)
