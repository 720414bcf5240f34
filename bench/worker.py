"""One system in a process of its own: it reads a task a line and answers with what it measured."""

from __future__ import annotations

import gc
import importlib
import json
import logging
import resource
import sys

from bench.marks import Marks
from bench.systems import SYSTEMS

__all__ = ["main"]


def main(name: str) -> None:
    """Serve tasks for one system until stdin ends."""
    logging.disable(logging.CRITICAL)
    system = SYSTEMS[name]
    try:
        module = importlib.import_module(f"bench.systems.{system.module}")
    except ImportError as error:
        print(json.dumps({"missing": str(error)}), flush=True)
        return
    print(json.dumps({"ready": True}), flush=True)
    for line in sys.stdin:
        task = json.loads(line)
        turns, rooms = task["turns"], task["rooms"]
        gc.collect()
        before = _peak_bytes()
        marks = Marks(turns * rooms)
        module.run(turns, rooms, marks, task["variant"] or system.variant)
        answer = {
            "turn_s": marks.a_turn_s,
            "late_turn_s": marks.a_late_turn_s,
            "spoken": marks.spoken,
            "grown_bytes": _peak_bytes() - before,
        }
        print(json.dumps(answer), flush=True)


def _peak_bytes() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


if __name__ == "__main__":
    main(sys.argv[1])
