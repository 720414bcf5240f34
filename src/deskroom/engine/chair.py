"""The chair: whom a nudge goes to and what it says (scenarios, "Chair")."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

__all__ = ["choose_seat", "nudge_text"]


def choose_seat(
    number: int, active: Sequence[str], has_spoken: Iterable[str], last_author: str | None
) -> str | None:
    """Return the seat that nudge ``number`` (from 1) goes to, or None when no seat is active.

    Odd nudges go to the first seat that has no row yet, if there is one; all others to the author
    of the last seat row, or to the lead when no seat has spoken.
    """
    spoken = frozenset(has_spoken)
    if number % 2 == 1:
        unheard = next((seat for seat in active if seat not in spoken), None)
        if unheard is not None:
            return unheard
    if last_author is not None and last_author in active:
        return last_author
    return active[0] if active else None


def nudge_text(seat: str, *, has_spoken: bool, narrated: Sequence[str]) -> str:
    """Return what the chair says. Only the first ``@`` is an address, and it hands on the turn.

    ``narrated`` are the seats that wrote text and made no call since the chair last spoke.
    """
    if has_spoken:
        ask = (
            "the room waits for your next step. Say it, hand the turn on, or complete the episode."
        )
    else:
        ask = "the room has not heard you yet. Say what you have, or who should go on."
    if not narrated:
        return f"@{seat} {ask}"
    told = ", ".join(narrated)
    return (
        f"@{seat} {ask} Mind that {told} wrote text and made no call: text outside a call reaches "
        "nobody."
    )
