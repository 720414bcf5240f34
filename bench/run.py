"""Measuring: workers that take turns, so that a drift of the machine meets all of them alike."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from statistics import median
from typing import Any

from attrs import frozen

from bench.systems import SYSTEMS, System

__all__ = ["Plan", "Spread", "measure"]

#: A conversation that would take longer than this, in seconds, is left out.
_MOST_S = 300.0


@frozen(kw_only=True)
class Plan:
    """How much is measured. ``rounds`` is how often each system has its turn."""

    rounds: int
    turns: int
    lengths: Sequence[int]
    longest: int
    rooms: Sequence[int]
    room_turns: int


@frozen
class Spread:
    """A ratio's least, middle and greatest value over the rounds."""

    least: float
    middle: float
    greatest: float

    @classmethod
    def of(cls, values: Sequence[float]) -> Spread:
        """Return the spread of some ratios."""
        return cls(min(values), median(values), max(values))


class Worker:
    """A process that measures one system."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._process = subprocess.Popen(  # noqa: S603 - our own module
            [sys.executable, "-m", "bench.worker", name],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        self.missing: str | None = self._answer().get("missing")

    def _answer(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            return {"missing": "its process ended"}
        answer: dict[str, Any] = json.loads(line)
        return answer

    def play(self, turns: int, rooms: int = 1) -> dict[str, Any]:
        """Play once and return what was measured."""
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps({"turns": turns, "rooms": rooms}) + "\n")
        self._process.stdin.flush()
        answer = self._answer()
        if answer.get("spoken") != turns * rooms:
            raise RuntimeError(f"{self.name} did not play {turns} turns: {answer}")
        return answer

    def close(self) -> None:
        """End the process."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        self._process.wait()
        self._process.stdout.close()


@contextmanager
def _workers(names: Iterable[str]) -> Iterator[dict[str, Worker]]:
    workers = {name: Worker(name) for name in names}
    try:
        yield workers
    finally:
        for worker in workers.values():
            worker.close()


def measure(names: Sequence[str], plan: Plan) -> dict[str, Any]:
    """Measure the systems named and return everything as JSON-ready values."""
    with _workers(names) as workers:
        missing = {name: w.missing for name, w in workers.items() if w.missing is not None}
        present = [name for name in names if name not in missing]
        turn = _a_turn({name: workers[name] for name in present}, plan)
        rooms = _rooms({name: workers[name] for name in present if SYSTEMS[name].many}, plan)
    return {
        "turn": turn,
        "rooms": rooms,
        "growth": {name: _growth(name, SYSTEMS[name], plan) for name in present},
        "missing": missing,
    }


def _a_turn(workers: dict[str, Worker], plan: Plan) -> dict[str, list[float]]:
    """Return seconds a turn, a list of rounds a system; the first round only warms up."""
    seconds: dict[str, list[float]] = {name: [] for name in workers}
    for number in range(plan.rounds + 1):
        for name, worker in workers.items():
            measured = worker.play(plan.turns)["turn_s"]
            if number:
                seconds[name].append(measured)
    return seconds


def _rooms(workers: dict[str, Worker], plan: Plan) -> dict[str, dict[int, list[float]]]:
    """Return seconds a turn with that many rooms in one loop, a list of rounds each."""
    found: dict[str, dict[int, list[float]]] = {}
    for name, worker in workers.items():
        found[name] = {rooms: [] for rooms in plan.rooms}
        for _ in range(plan.rounds):
            for rooms in plan.rooms:
                # As many turns in all, so that one room is not measured on a short run.
                turns = plan.room_turns if rooms > 1 else plan.room_turns * max(plan.rooms)
                found[name][rooms].append(worker.play(turns, rooms)["turn_s"])
    return found


def _growth(name: str, system: System, plan: Plan) -> dict[str, Any]:
    """Play longer and longer conversations, each length in a process of its own."""
    late: dict[int, float] = {}
    memory = None
    for turns in plan.lengths:
        last = next(reversed(late.items()), None)
        too_long = last is not None and last[1] * turns > _MOST_S
        if turns > min(system.largest, plan.longest) or too_long:
            break
        worker = Worker(name)
        try:
            worker.play(min(turns, 100))
            measured = worker.play(turns)
        finally:
            worker.close()
        late[turns] = measured["late_turn_s"]
        memory = measured["grown_bytes"] / turns
    return {"late_turn_s": late, "grown_bytes_a_turn": memory}
