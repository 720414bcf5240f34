"""pykka: a host asks two actors in turn and keeps what they say.

The plain variant is one ask a turn. With ``call`` a seat asks the host's own actor while its turn
runs, as a seat of ours does when it calls a tool and acts on the reply.
"""

from __future__ import annotations

from typing import Any

import pykka

from bench.marks import LINE, Marks

__all__ = ["run"]


class _Host(pykka.ThreadingActor):
    def __init__(self) -> None:
        super().__init__()
        self.rows: list[str] = []

    def on_receive(self, message: Any) -> str:  # noqa: ANN401 - pykka's signature
        self.rows.append(message["message"])
        return "ok"


class _Seat(pykka.ThreadingActor):
    def __init__(self, marks: Marks, host: Any) -> None:  # noqa: ANN401 - an actor's reference
        super().__init__()
        self._marks = marks
        self._host = host

    def on_receive(self, message: Any) -> str:  # noqa: ANN401 - pykka's signature
        self._marks.turn()
        if self._host is not None:
            self._host.ask({"message": LINE})
        return LINE


def run(turns: int, rooms: int, marks: Marks, variant: str) -> None:
    """Play one conversation."""
    host = _Host.start() if variant == "call" else None
    seats = [_Seat.start(marks, host), _Seat.start(marks, host)]
    rows = []
    try:
        for number in range(turns):
            rows.append(seats[number % 2].ask({"turn": number}))
    finally:
        pykka.ActorRegistry.stop_all()
