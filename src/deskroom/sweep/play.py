"""Playing runs: what a worker does, wherever it is. Plain values go in, and plain values come out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from hashlib import sha256
from typing import Final, Literal

from deskroom._version import __version__
from deskroom.engine.entries import MemoryJournal
from deskroom.errors import DeskroomError
from deskroom.runs.figures import figures_of
from deskroom.runs.figures_json import figures_json
from deskroom.runs.properties import property_violations
from deskroom.runs.run import Run
from deskroom.runs.view import view_run
from deskroom.scenario.format.model import Scenario
from deskroom.scenario.play.repeat import journal_lines
from deskroom.scenario.play.replay import play_script
from deskroom.scenario.play.whatif import Setting, parse_setting, with_settings
from deskroom.sweep.grid import parse_swept
from deskroom.sweep.lines import ResultLine, line_out

__all__ = ["Outcome", "PlainRun", "play_runs"]

#: A run of a file: its key, what is set of the policy, and its seed.
PlainRun = tuple[str, Sequence[str], int | None]
#: What came of it: a line of results, one of a run that broke an invariant of the host, or why it could
#: not be played.
Outcome = tuple[Literal["line", "broken", "error"], str]

#: So many files, policies and values are kept ready: a worker gets run after run of one file.
_FILES: Final = 4
_POLICIES: Final = 16
_VALUES: Final = 4096


def play_runs(version: str, path: str, text: str, runs: Iterable[PlainRun]) -> list[Outcome]:
    """Play runs of one file, and return what came of each, in order.

    ``version`` is that of the command that asks. Raises ``DeskroomError`` where another one is
    installed here: it could come to other results.
    """
    if version != __version__:
        raise DeskroomError(
            f"a worker has deskroom {__version__}, and the sweep is of deskroom {version}; "
            "install the same everywhere"
        )
    return [_play(path, text, run) for run in runs]


def _play(path: str, text: str, run: PlainRun) -> Outcome:
    key, texts, seed = run
    try:
        result = _result(_changed(path, text, tuple(texts)), key, texts, seed)
    except DeskroomError as error:
        return "error", str(error)
    return "broken" if result.invariants else "line", line_out(result).decode()


def _result(scenario: Scenario, key: str, texts: Iterable[str], seed: int | None) -> ResultLine:
    run, invariants = _played(scenario, seed)
    broken = {one.name for one in property_violations(scenario.properties, run)}
    settings = map(_setting, texts)
    return ResultLine(
        file=scenario.path,
        seed=seed,
        settings={".".join(setting.key): setting.value for setting in settings},
        seats=len(run.setup.directory.roster.active),
        figures=figures_json(figures_of(view_run(run))),
        properties={one.name: one.name not in broken for one in scenario.properties},
        invariants=invariants,
        digest=sha256(b"".join(journal_lines(run.journal))).hexdigest(),
        key=key,
    )


def _played(scenario: Scenario, seed: int | None) -> tuple[Run, tuple[str, ...] | None]:
    """Return a run, and the invariants that it broke if anybody looked."""
    if seed is not None:
        from deskroom.explore import play_explored  # noqa: PLC0415 - few files are explored

        explored = play_explored(scenario, seed, 0)
        names = [one.name for one in explored.failures if one.kind == "invariant"]
        return explored.run, tuple(names)
    kept = MemoryJournal()
    engine = play_script(scenario, kept, keeps_digest=True, logs=False)
    run = Run(engine.state, kept.entries)
    if not scenario.invariants:
        return run, None
    from deskroom.scenario.play.watch import run_faults  # noqa: PLC0415 - few files ask for it

    return run, tuple(fault.name for fault in run_faults(scenario, run))


@lru_cache(_FILES)
def _scenario(path: str, text: str) -> Scenario:
    return parse_swept(text, path)


@lru_cache(_POLICIES)
def _changed(path: str, text: str, texts: tuple[str, ...]) -> Scenario:
    return with_settings(_scenario(path, text), map(_setting, texts))


@lru_cache(_VALUES)
def _setting(text: str) -> Setting:
    return parse_setting(text)
