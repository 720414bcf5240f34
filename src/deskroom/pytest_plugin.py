"""The pytest plugin: a scenario file is a test, and two fixtures serve tests in Python.

pytest loads this module in every session of an environment that holds deskroom. So it imports
nothing heavy before a scenario is run or a fixture is asked for.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from os.path import normpath
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest

from deskroom.errors import FileError, hint

if TYPE_CHECKING:
    from deskroom.scenario import Replay, Scenario
    from deskroom.testing import Replayer, RoomFactory

__all__ = ["ScenarioFile", "ScenarioItem", "replay", "room"]

_INI: Final = "deskroom_scenarios"
_SUFFIX: Final = ".scenario.toml"
_FOLDERS: Final = pytest.StashKey[tuple[Path, ...]]()
_UPDATED: Final = "deskroom_updated"


# --- what can be set ---------------------------------------------------------------------------


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option and the ini option."""
    parser.getgroup("deskroom", "scenarios of rooms").addoption(
        "--deskroom-update",
        action="store_true",
        help="Write what came out into the expectations of scenarios that did not hold.",
    )
    parser.addini(
        _INI,
        f"Folders in which every *.toml is a scenario, relative to the rootdir; elsewhere "
        f"only *{_SUFFIX} is one.",
        type="args",
        default=[],
    )


def pytest_configure(config: pytest.Config) -> None:
    """Find the folders that are named; a session that names no paths collects them as well."""
    config.addinivalue_line("markers", "deskroom: a scenario file, which deskroom replays")
    folders = tuple(_folder(config.rootpath, named) for named in config.getini(_INI))
    config.stash[_FOLDERS] = folders
    from_root = config.invocation_params.dir == config.rootpath
    if from_root and config.args_source is not pytest.Config.ArgsSource.ARGS:
        for folder in folders:
            if not _is_in(folder, [config.rootpath / argument for argument in config.args]):
                config.args.append(str(folder))


def _folder(rootdir: Path, named: str) -> Path:
    """Return a folder (or a file) by its name in the ini file. A slip must not go unseen."""
    # Without `..`, so that it compares with what is collected; links stay as they are.
    folder = Path(normpath(rootdir / named))
    if folder.exists():
        return folder
    beside = folder.parent.iterdir() if folder.parent.is_dir() else ()
    near = hint(folder.name, sorted(entry.name for entry in beside if entry.is_dir()))
    raise pytest.UsageError(f"{_INI}: there is no {named!r} in {rootdir}{near}")


def _is_in(path: Path, folders: Iterable[Path]) -> bool:
    return any(path == folder or folder in path.parents for folder in folders)


# --- scenario files ----------------------------------------------------------------------------


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> ScenarioFile | None:
    """Collect a file that is a scenario by its name or by the folder it is in."""
    if file_path.suffix != ".toml":
        return None
    folders = parent.config.stash[_FOLDERS]
    if file_path.name.endswith(_SUFFIX) or _is_in(file_path, folders):
        file: ScenarioFile = ScenarioFile.from_parent(parent, path=file_path)
        return file
    return None


class ScenarioFile(pytest.File):
    """A scenario file, which is one test. It is read when that runs."""

    def collect(self) -> Iterator[ScenarioItem]:
        """Yield the test, named after the file."""
        stem = self.path.name.removesuffix(".toml").removesuffix(".scenario")
        yield ScenarioItem.from_parent(self, name=stem or self.path.name)


class ScenarioItem(pytest.Item):
    """A scenario as a test: an error when its file is wrong, a failure when it comes out otherwise.

    Either says what the command line says, and nothing else.
    """

    def __init__(self, **keywords: object) -> None:
        super().__init__(**keywords)  # type: ignore[arg-type]
        self.add_marker("deskroom")
        self._scenario: Scenario | None = None

    def setup(self) -> None:
        """Read the file."""
        from deskroom.testing import Replayer

        try:
            self._scenario = Replayer().load(self.path)
        except FileError as error:
            raise _failure(map(str, getattr(error, "problems", [error]))) from None

    def runtest(self) -> None:
        """Replay the scenario, and update its file if that was asked for."""
        from deskroom.render.replay import mismatch_line
        from deskroom.testing import Replayer

        assert self._scenario is not None  # noqa: S101 - setup comes first
        replay = Replayer()(self._scenario)
        if not replay.ok and self.config.getoption("--deskroom-update"):
            replay = self._updated(replay)
        if not replay.ok:
            raise _failure(map(mismatch_line, replay.mismatches))

    def _updated(self, replay: Replay) -> Replay:
        """Return how the scenario replays once its file says what came out."""
        from deskroom.render.update import change_line
        from deskroom.scenario.edit.update import update_file
        from deskroom.testing.make import off_loop

        try:
            update = off_loop(partial(update_file, replay))
        except FileError as error:
            raise _failure([str(error)]) from None
        # A report takes these from a worker of xdist to the process that prints the summary.
        self.user_properties += [(_UPDATED, change_line(change)) for change in update.changes]
        return update.replay

    def teardown(self) -> None:
        """Let go of what was read: tests are kept until the session ends."""
        self._scenario = None

    def reportinfo(self) -> tuple[Path, None, str]:
        """Return where a report says that this test is."""
        return self.path, None, self.name


def _failure(lines: Iterable[str]) -> BaseException:
    """Return what fails a test with these lines as its report, and nothing else in it."""
    from deskroom.render.text import one_line

    return pytest.fail.Exception("\n".join(map(one_line, lines)), pytrace=False)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say what was written into scenario files."""
    if not terminalreporter.config.getoption("--deskroom-update"):
        return
    stats = terminalreporter.stats
    reports = [*stats.get("passed", []), *stats.get("failed", [])]
    lines = [
        str(value)
        for report in sorted(reports, key=lambda report: report.nodeid)
        for name, value in report.user_properties
        if name == _UPDATED and report.when == "call"
    ]
    if lines:
        terminalreporter.write_sep("=", "scenarios updated")
        for line in lines:
            terminalreporter.write_line(line)


# --- fixtures ----------------------------------------------------------------------------------


@pytest.fixture(scope="session")
def room() -> RoomFactory:
    """Make a room in simulated time: ``room({"solver": solver}, opening="@solver go")``.

    It takes what ``deskroom.Room`` takes.
    """
    from deskroom.testing import simulated_room

    return simulated_room


@pytest.fixture
def replay(request: pytest.FixtureRequest) -> Replayer:
    """Replay a scenario: ``replay("hops.scenario.toml").ok``; ``await replay.play(...)`` in a loop.

    A relative path is looked for beside the test's file, then in the rootdir.
    """
    from deskroom.testing import Replayer

    return Replayer(request.path.parent, request.config.rootpath)
