"""pykka: a host asks two actors in turn and keeps what they say."""

from __future__ import annotations

from typing import Any

import pykka
from bench.marks import LINE, Marks

__all__ = ["run"]


class _Seat(pykka.ThreadingActor):
    def __init__(self, marks: Marks) -> None:
        super().__init__()
        self._marks = marks

    def on_receive(self, message: Any) -> str:  # noqa: ANN401, ARG002 - pykka's signature
        self._marks.turn()
        return LINE


def run(turns: int, rooms: int, marks: Marks, variant: str) -> None:  # noqa: ARG001 - see systems
    """Play one conversation."""
    seats = [_Seat.start(marks), _Seat.start(marks)]
    rows = []
    try:
        for number in range(turns):
            rows.append(seats[number % 2].ask({"turn": number}))
    finally:
        pykka.ActorRegistry.stop_all()
