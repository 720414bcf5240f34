"""What a seat is told in words: who it is, how to take part, and what brought its turn."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from deskroom.core.transcript import SeenRow
from deskroom.engine.sentences import read_text
from deskroom.engine.setup import Seat
from deskroom.room import Turn
from deskroom.room.attendance import Attendance
from deskroom.speech.tools import served, tool_specs

__all__ = ["guide", "turn_text"]


def guide(attendance: Attendance) -> str:
    """Return how a seat takes part: who is there, and by which rules they speak. Plain text."""
    return "\n".join(_guide(attendance))


def _guide(attendance: Attendance) -> Iterator[str]:
    seat = attendance.seat
    yield f"You are the seat {_named(seat)} of the desk {attendance.desk}."
    if seat.role:
        yield f"Your role: {seat.role}"
    if seat.brief:
        yield f"Your brief: {seat.brief}"
    others = [
        _named(other) for other in attendance.seats if other.id != seat.id and not other.retired
    ]
    yield f"The other seats: {', '.join(others) or 'none'}."
    if attendance.people:
        yield f"The people: {', '.join(attendance.people)}."
    yield ""
    yield "One seat at a time has the turn. What you may read is shown to you with your turn."
    if seat.fence:
        yield "You have no tools: your message is what stands in your text between <<<POST and POST>>>."
        return
    names = ", ".join(served(spec.name) for spec in tool_specs())
    yield f"You speak only by calling a tool ({names}); other text reaches nobody."
    yield "Each call is answered at once: accepted, with what it will do, or refused, with why."
    yield "The last accepted message of a turn is the one that is said when the turn ends."
    yield "Write @id of a seat in a message to hand it the next turn; the first one counts."


def _named(seat: Seat) -> str:
    return f"@{seat.id}" if seat.name in {None, seat.id} else f"@{seat.id} ({seat.name})"


def turn_text(turn: Turn, *, history: Sequence[SeenRow] | None = None) -> str:
    """Return what brought a turn, and what was said before it, as lines.

    ``history`` stands in place of all of the turn's own, for a seat that has seen some of it.
    """
    shown = turn.history if history is None else history
    parts = [f"It is your turn (turn {turn.number}, hop {turn.hop})."]
    if turn.note:
        parts.append(turn.note)
    if shown:
        parts += ["The transcript so far, as you may read it:", read_text(shown)]
    if turn.trigger is not None:
        parts += ["What brought you the turn:", read_text([turn.trigger])]
    return "\n".join(parts)
