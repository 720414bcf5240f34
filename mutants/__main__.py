"""The full hunt: ``python -m mutants`` explores with each planted fault until it is found.

``--pin`` writes where each was found into ``pinned.json``. It ends with 1 where one is not found, or
where something is found in the engine as it is.
"""

from __future__ import annotations

import argparse
import json
import sys
from concurrent.futures import ThreadPoolExecutor
from time import monotonic  # noqa: TID251 - how long each hunt took is what is asked
from typing import Any

from mutants.hunt import PINNED, hunt
from mutants.planted import MUTANTS, Mutant


def _timed(mutant: Mutant | None) -> tuple[Mutant | None, dict[str, Any] | None, float]:
    begun = monotonic()
    return mutant, hunt(mutant), monotonic() - begun


def main() -> int:
    """Hunt for every fault, and say of each where and how it was found, and how soon."""
    parser = argparse.ArgumentParser(prog="python -m mutants", description=__doc__)
    parser.add_argument("--pin", action="store_true", help="write where each was found")
    parser.add_argument("--only", metavar="TEXT", help="those whose name has this text")
    parser.add_argument("-j", type=int, default=2, metavar="N", help="so many at once")
    asked = parser.parse_args()
    chosen: list[Mutant | None] = [one for one in MUTANTS if (asked.only or "") in one.name]
    if not asked.only:
        chosen.insert(0, None)
    pins: dict[str, dict[str, Any]] = {}
    wrong = 0
    with ThreadPoolExecutor(asked.j) as threads:
        for mutant, found, seconds in threads.map(_timed, chosen):
            name = "the engine as it is" if mutant is None else mutant.name
            said = (
                "nothing found"
                if found is None
                else (f"{found['found']}: {found['how']} ({found['file']}, run {found['run']})")
            )
            is_wrong = (found is None) == (mutant is not None)
            wrong += is_wrong
            print(f"{'WRONG ' if is_wrong else ''}{name} [{seconds:.1f} s]: {said}", flush=True)
            if mutant is not None and found is not None:
                pins[mutant.name] = found
    if asked.pin and not asked.only:
        PINNED.write_text(json.dumps(pins, indent=2) + "\n", encoding="utf-8")
    print(f"{len(chosen) - wrong} of {len(chosen)} as they should be")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
