"""Measuring: workers that take turns, so that a drift of the machine meets all of them alike."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from statistics import fmean, median
from typing import Any, Final

from attrs import frozen

from bench.systems import SYSTEMS, System

__all__ = ["BEFORE", "ROOT", "Plan", "Spread", "measure", "python_path", "system"]

ROOT: Final = Path(__file__).parents[1]
#: What a system of another checkout has behind its name.
BEFORE: Final = ", before"

#: A conversation that would take longer than this, in seconds, is left out.
_MOST_S = 300.0
#: Up to this length a conversation is played once a round, and a longer one once.
_SHORT = 10_000


@frozen(kw_only=True)
class Plan:
    """How much is measured. ``rounds`` is how often each system has its turn."""

    rounds: int
    turns: int
    lengths: Sequence[int]
    longest: int
    #: How many rooms are played at once, each of ``room_turns`` turns.
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

    @property
    def figures(self) -> tuple[str, str, str]:
        """The three as a table shows them, in order."""
        return f"{self.least:.2f}", f"{self.middle:.2f}", f"{self.greatest:.2f}"


def python_path(source: Path) -> str:
    """Return the PYTHONPATH under which this bench measures the deskroom of a ``src`` folder."""
    return os.pathsep.join(map(str, (source, ROOT)))


class Worker:
    """A process that measures one system, with the deskroom of a ``src`` folder."""

    def __init__(self, name: str, source: Path) -> None:
        self.name = name
        self._process = subprocess.Popen(  # noqa: S603 - our own module
            [sys.executable, "-m", "bench.worker", name.removesuffix(BEFORE)],
            env={**os.environ, "PYTHONPATH": python_path(source)},
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

    def play(self, turns: int, rooms: int = 1, *, variant: str = "") -> dict[str, Any]:
        """Play once, in another variant if one is named, and return what was measured."""
        assert self._process.stdin is not None
        task = {"turns": turns, "rooms": rooms, "variant": variant}
        self._process.stdin.write(json.dumps(task) + "\n")
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
def _workers(sources: Mapping[str, Path]) -> Iterator[dict[str, Worker]]:
    workers = {name: Worker(name, source) for name, source in sources.items()}
    try:
        yield workers
    finally:
        for worker in workers.values():
            worker.close()


def measure(names: Sequence[str], plan: Plan, before: Path | None = None) -> dict[str, Any]:
    """Measure the systems named and return everything as JSON-ready values.

    With the ``src`` folder of another checkout, our own systems are measured there as well.
    """
    sources = dict.fromkeys(names, ROOT / "src")
    if before is not None:
        ours = [name for name in names if SYSTEMS[name].is_ours]
        sources |= {f"{name}{BEFORE}": before for name in ours}
    with _workers(sources) as workers:
        missing = {name: w.missing for name, w in workers.items() if w.missing is not None}
        present = {name: source for name, source in sources.items() if name not in missing}
        turn = _a_turn({name: workers[name] for name in present}, plan)
        many = {name: source for name, source in present.items() if system(name).many}
        rooms = {name: _rooms(workers[name], source, plan) for name, source in many.items()}
    growth = {name: _growth(name, source, plan) for name, source in present.items()}
    return {"turn": turn, "rooms": rooms, "growth": growth, "missing": missing}


def system(name: str) -> System:
    """Return what is known of a system, of whichever checkout."""
    return SYSTEMS[name.removesuffix(BEFORE)]


def _a_turn(workers: dict[str, Worker], plan: Plan) -> dict[str, list[float]]:
    """Return seconds a turn, a list of rounds a system; the first round only warms up."""
    seconds: dict[str, list[float]] = {name: [] for name in workers}
    for number in range(plan.rounds + 1):
        for name, worker in workers.items():
            measured = worker.play(plan.turns)["turn_s"]
            if number:
                seconds[name].append(measured)
    return seconds


def _rooms(worker: Worker, source: Path, plan: Plan) -> dict[str, Any]:
    """Measure rooms side by side in one loop, beside one long room and as many rooms in a row.

    Each figure is seconds a turn, a list of rounds. The long room has as many turns as the most
    rooms have together; the memory is what the process grew by while the most rooms ran.
    """
    turns, most = plan.room_turns, max(plan.rooms)
    found: dict[str, list[float]] = {"one long room": []}
    for _ in range(plan.rounds):
        found["one long room"].append(worker.play(turns * most)["turn_s"])
        for rooms in plan.rooms:
            for way, variant in (("at once", ""), ("in a row", "in a row")):
                measured = worker.play(turns, rooms, variant=variant)["turn_s"]
                found.setdefault(f"{rooms} {way}", []).append(measured)
    fresh = Worker(worker.name, source)
    try:
        fresh.play(turns)
        memory = fresh.play(turns, most)["grown_bytes"] / most
    finally:
        fresh.close()
    return {"turn_s": found, "grown_bytes_a_room": memory}


def _growth(name: str, source: Path, plan: Plan) -> dict[str, Any]:
    """Play longer and longer conversations, each length in a process of its own.

    What a late turn costs is set beside late turns of the second length that were played just
    before and just after it: a long conversation outlasts many a mood of the machine.
    """
    base = plan.lengths[1]
    late: dict[int, list[float]] = {}
    seconds, memory = 0.0, None
    for turns in plan.lengths:
        if turns > min(system(name).largest, plan.longest) or seconds * turns > _MOST_S:
            break
        worker = Worker(name, source)
        try:
            worker.play(min(turns, 100))
            grown: list[float] = []
            late[turns] = []
            # A long conversation is played once, and set beside more of the base length for that.
            is_short = turns <= _SHORT
            rounds, around = (plan.rounds, 1) if is_short else (1, plan.rounds)
            for _ in range(rounds):
                # The first of a short length comes first: what it grows by is its own.
                first = is_short and not grown
                beside = [] if first else [_late_turn(worker, base) for _ in range(around)]
                measured = worker.play(turns)
                beside += [_late_turn(worker, base) for _ in range(around)]
                seconds = measured["late_turn_s"]
                late[turns].append(seconds / fmean(beside))
                grown.append(measured["grown_bytes"])
            memory = grown[0] / turns
        finally:
            worker.close()
    return {"late_turn": late, "grown_bytes_a_turn": memory}


def _late_turn(worker: Worker, turns: int) -> float:
    seconds: float = worker.play(turns)["late_turn_s"]
    return seconds
