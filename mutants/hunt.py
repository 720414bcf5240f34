"""Exploring with one planted fault, in a process of its own."""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import importlib.util
import json
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

from mutants.planted import MUTANTS, Mutant

__all__ = [
    "FILES",
    "PINNED",
    "ROOT",
    "hunt",
    "pinned",
    "play_pinned",
    "replayed_under",
    "written_under",
]

ROOT: Final = Path(__file__).parents[1]
PINNED: Final = Path(__file__).with_name("pinned.json")
#: What is explored, in this order: a few desks whose seats talk, then what we ship.
FILES: Final = tuple(
    str(path.relative_to(ROOT))
    for folder in ("mutants/desks", "scenarios")
    for path in sorted((ROOT / folder).glob("*.toml"))
)
_RUNS: Final = 400
_CHUNK: Final = 25


class _Planting(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Loads one module with the fault in it, and leaves every other alone."""

    def __init__(self, mutant: Mutant) -> None:
        self._mutant = mutant

    def find_spec(self, name: str, path: Any, target: Any = None) -> Any:  # noqa: ANN401, ARG002
        """Return the module's own place, with this loader."""
        if name != self._mutant.module:
            return None
        spec = importlib.machinery.PathFinder.find_spec(name, path)
        assert spec is not None
        assert spec.origin is not None
        return importlib.util.spec_from_file_location(name, spec.origin, loader=self)

    def exec_module(self, module: Any) -> None:  # noqa: ANN401
        """Run the source with one text replaced by the other."""
        source = Path(module.__file__).read_text(encoding="utf-8")
        if source.count(self._mutant.old) != 1:
            sys.exit(
                f"{self._mutant.name}: the text to replace stands {source.count(self._mutant.old)} times in {self._mutant.module}"
            )
        code = compile(source.replace(self._mutant.old, self._mutant.new), module.__file__, "exec")
        exec(code, module.__dict__)  # noqa: S102 - that is the point

    def create_module(self, spec: Any) -> None:  # noqa: ANN401
        """Let Python make the module."""


def _plant(mutant: Mutant | None) -> None:
    """Make this process one in which the fault is there."""
    loaded = [name for name in sys.modules if name == "deskroom" or name.startswith("deskroom.")]
    assert not loaded, "deskroom is loaded already"
    if mutant is not None:
        sys.meta_path.insert(0, _Planting(mutant))


def _explored(file: str, numbers: Sequence[int]) -> dict[str, Any] | None:
    """Return the first failure in these runs of a file."""
    from attrs import evolve

    from deskroom.explore.explore import bounds_of, explore_chunk
    from deskroom.scenario.format.load import load_explorable

    scenario = load_explorable(ROOT / file)
    bounds = evolve(bounds_of(scenario), seed=0)
    for start in range(0, len(numbers), _CHUNK):
        some = numbers[start : start + _CHUNK]
        chunk = explore_chunk(scenario, bounds, some, deep_every=1, stops=True)
        if chunk.failures:
            first = chunk.failures[0]
            return {"file": file, "run": first.number, "found": first.name, "how": first.problem}
    return None


def _hunt(mutant: Mutant | None, files: Sequence[str]) -> Any:  # noqa: ANN401
    _plant(mutant)
    found = None
    for file in files:
        try:
            found = _explored(file, range(_RUNS))
        except Exception as error:  # noqa: BLE001 - a fault may break anything at all
            found = {"file": file, "run": -1, "found": "error", "how": repr(error)}
        if found is not None:
            break
    return found


def hunt(mutant: Mutant | None, files: Sequence[str] = FILES) -> dict[str, Any] | None:
    """Return where exploring finds a fault first, or None; with no mutant nothing may be found."""
    found: dict[str, Any] | None = _in_process("hunt", mutant, files)
    return found


def _play_pinned(mutant: Mutant | None, pins: Sequence[dict[str, Any]]) -> Any:  # noqa: ANN401
    _plant(mutant)
    return [_explored(pin["file"], [pin["run"]]) for pin in pins]


def play_pinned(
    mutant: Mutant | None, pins: Sequence[dict[str, Any]]
) -> list[dict[str, Any] | None]:
    """Return what the pinned runs come to, each on its own."""
    found: list[dict[str, Any] | None] = _in_process("play_pinned", mutant, pins)
    return found


def _written(mutant: Mutant | None, pin: dict[str, Any]) -> Any:  # noqa: ANN401
    _plant(mutant)
    from deskroom.explore.explore import FoundFailure, bounds_of, play_explored
    from deskroom.explore.shrink import shrunk
    from deskroom.explore.written import written
    from deskroom.scenario.format.load import load_explorable

    scenario = load_explorable(ROOT / pin["file"])
    played = play_explored(scenario, 0, pin["run"])
    fault = played.failures[0]
    found = FoundFailure(
        kind=fault.kind,
        name=fault.name,
        problem=fault.problem,
        number=pin["run"],
        choices=played.choices,
    )
    plain = shrunk(scenario, bounds_of(scenario), found)
    result = written(plain, found, explored=pin["file"], seed=0, path="found.toml")
    return None if result is None else result.text


def written_under(mutant: Mutant, pin: dict[str, Any]) -> str | None:
    """Return the scenario that a pinned run is written as, where the fault is there."""
    text: str | None = _in_process("written", mutant, pin)
    return text


def _replayed(mutant: Mutant | None, text: str) -> Any:  # noqa: ANN401
    _plant(mutant)
    from deskroom.scenario import parse_scenario, replay_scenario

    replay = replay_scenario(parse_scenario(text, "found.toml"))
    return [(one.key, one.expected) for one in replay.mismatches]


def replayed_under(mutant: Mutant | None, text: str) -> list[tuple[str, str]]:
    """Return the mismatches of a plain replay: each key, and what was expected."""
    mismatches = _in_process("replayed", mutant, text)
    return [(key, expected) for key, expected in mismatches]


def _in_process(task: str, mutant: Mutant | None, *arguments: Any) -> Any:  # noqa: ANN401
    """Do a task of this module in a new process, which has loaded nothing of the project yet.

    What is covered there is the source with a fault in it, so nothing is measured.
    """
    asked = json.dumps([task, None if mutant is None else mutant.name, *arguments])
    quiet = {key: value for key, value in os.environ.items() if not key.startswith("COV")}
    done = subprocess.run(
        [sys.executable, "-m", "mutants.hunt"],
        input=asked,
        capture_output=True,
        text=True,
        cwd=ROOT,
        env={**quiet, "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT)])},
        check=False,
    )
    if done.returncode:
        raise RuntimeError(done.stderr)
    return json.loads(done.stdout.splitlines()[-1])


def pinned() -> dict[str, dict[str, Any]]:
    """Return where each fault was found first, by its name."""
    pins: dict[str, dict[str, Any]] = json.loads(PINNED.read_text(encoding="utf-8"))
    return pins


_TASKS: Final[dict[str, Callable[..., Any]]] = {
    "hunt": _hunt,
    "play_pinned": _play_pinned,
    "written": _written,
    "replayed": _replayed,
}


def _main() -> None:
    """Do one task, as it was asked for on stdin, and answer on stdout."""
    task, name, *arguments = json.loads(sys.stdin.read())
    mutant = next((one for one in MUTANTS if one.name == name), None)
    print(json.dumps(_TASKS[task](mutant, *arguments)))


if __name__ == "__main__":
    _main()
