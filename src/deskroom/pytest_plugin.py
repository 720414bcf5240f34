"""The pytest plugin: a scenario file is a test, and two fixtures serve tests in Python.

pytest loads this module in every session of an environment that holds deskroom. So it imports
nothing heavy before a scenario is run or a fixture is asked for.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from fnmatch import fnmatch
from os.path import normpath
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest
from _pytest._code.code import (
    ReprEntryNative,
    ReprExceptionInfo,
    ReprFileLocation,
    ReprTraceback,
    TerminalRepr,
)
from _pytest.main import pytest_ignore_collect as pytests_ignore_collect
from _pytest.outcomes import Failed

from deskroom.errors import FileError, hint

if TYPE_CHECKING:
    from deskroom.scenario import Replay, Scenario
    from deskroom.testing import Replayer, RoomFactory

__all__ = ["ExploredItem", "ScenarioFile", "ScenarioItem", "replay", "room"]

_INI: Final = "deskroom_scenarios"
_SUFFIX: Final = ".scenario.toml"
_FOLDERS: Final = pytest.StashKey[tuple[Path, ...]]()
_PASSED_OVER: Final = pytest.StashKey[list[Path]]()
#: From this verbosity on nothing is summed up.
_ALL: Final = 2
_UPDATED: Final = "deskroom_updated"
#: What separates the parts of a test's id; ``--lf`` takes an id apart to find its test again.
#: What a file that asks to be explored has at the beginning of a line.
_EXPLORE: Final = re.compile(rb"^[ \t]*(?:\[[ \t]*explore[ \t]*\]|explore[ \t]*[.=])", re.MULTILINE)
_NO_ID: Final = str.maketrans("[]:", "()-")


# --- what can be set ---------------------------------------------------------------------------


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option and the ini option."""
    parser.getgroup("deskroom", "scenarios of rooms").addoption(
        "--deskroom-update",
        action="store_true",
        help="Write what came out into the expectations of scenarios that differ, or are empty.",
    )
    parser.addini(
        _INI,
        f"Folders whose scenarios are tests, relative to the rootdir; elsewhere only "
        f"*{_SUFFIX} is one.",
        type="args",
        default=[],
    )


def pytest_configure(config: pytest.Config) -> None:
    """Find the folders that are named; a session that names no paths collects them as well."""
    config.addinivalue_line("markers", "deskroom: a scenario file, which deskroom replays")
    folders = tuple(_folder(config.rootpath, named) for named in config.getini(_INI))
    config.stash[_FOLDERS] = folders
    config.stash[_PASSED_OVER] = []
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


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Look into the same folders as ``deskroom replay`` does, below the folders that are named."""
    above = next((one for one in config.stash[_FOLDERS] if one in collection_path.parents), None)
    if above is None or collection_path.suffix == ".toml":
        return None
    if not collection_path.is_dir():
        # Of a folder that only a scenario is looked for in, no other test is collected.
        return _has_name_to_ignore(collection_path.parent, above, config) or None
    from deskroom.scenario.format.find import skips_folder

    if skips_folder(collection_path):
        return True
    if _has_name_to_ignore(collection_path, above, config):
        return pytests_ignore_collect(collection_path, _AnyFolder(config)) or False  # type: ignore[arg-type]
    return None


def _has_name_to_ignore(folder: Path, above: Path, config: pytest.Config) -> bool:
    """Whether pytest would not look into a folder for its name alone, which nobody has set.

    Its own list has names, such as build, that a folder of scenarios may well have.
    """
    if "norecursedirs" in config.inicfg:
        return False
    names = folder.relative_to(above).parts
    return any(fnmatch(name, mark) for mark in config.getini("norecursedirs") for name in names)


class _AnyFolder:
    """pytest's configuration, without the names of folders that it would not look into."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - whatever pytest asks for
        return getattr(self._config, name)

    def getini(self, name: str) -> Any:  # noqa: ANN401 - as in pytest
        """Return the setting of a name."""
        return [] if name == "norecursedirs" else self._config.getini(name)


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> ScenarioFile | None:
    """Collect a file that is a scenario by its name or by the folder it is in."""
    if file_path.suffix != ".toml":
        return None
    folders = parent.config.stash[_FOLDERS]
    if not file_path.name.endswith(_SUFFIX) and not _is_in(file_path, folders):
        return None
    is_named = file_path in folders or parent.session.isinitpath(file_path)
    if not is_named and not _is_found(file_path, parent.config):
        return None
    file: ScenarioFile = ScenarioFile.from_parent(parent, path=file_path)
    return file


def _is_found(file: Path, config: pytest.Config) -> bool:
    """Whether a search for scenarios finds a file, which must then be said to be passed over."""
    from deskroom.scenario.format.find import is_editor_file, is_scenario

    if is_editor_file(file.name):
        return False
    if not is_scenario(file):
        config.stash[_PASSED_OVER].append(file)
        return False
    return True


def pytest_report_collectionfinish(config: pytest.Config) -> str | None:
    """Say how many files that lie among the scenarios are none."""
    count = len(config.stash[_PASSED_OVER])
    if count == 0:
        return None
    from deskroom.printable import counted

    files = counted(count, "TOML file")
    return f"deskroom: passed over {files} with none of desk, format, turn"


class ScenarioFile(pytest.File):
    """A scenario file, which is one test, or two: one that asks for it is explored as well.

    It is read when they run.
    """

    def collect(self) -> Iterator[ScenarioItem]:
        """Yield the tests, named after the file."""
        stem = self.path.name.removesuffix(".toml").removesuffix(".scenario")
        name = (stem or self.path.name).translate(_NO_ID)
        yield ScenarioItem.from_parent(self, name=name)
        if self._asks_to_be_explored():
            yield ExploredItem.from_parent(self, name=f"{name}-explored")

    def _asks_to_be_explored(self) -> bool:
        """Whether there is a line of the file that may be the key; to read it whole takes longer."""
        try:
            return _EXPLORE.search(self.path.read_bytes()) is not None
        except OSError:
            return False  # the replay says why it cannot be read


class Mismatched(Failed, AssertionError):
    """What fails a scenario that comes out otherwise than expected.

    A wrong file fails with another class, so ``xfail(raises=AssertionError)`` does not hide it.
    ``reason`` is what the short summary says, ``line`` where the first expectation stands.
    """

    __module__ = "builtins"  # as pytest does, so that a summary says no more than the name

    def __init__(self, msg: str, reason: str, line: int) -> None:
        super().__init__(msg, pytrace=False)
        self.reason = reason
        self.line = line


class ScenarioItem(pytest.Function):
    """A scenario as a test: an error when its file is wrong, a failure when it comes out otherwise.

    Either says what the command line says, and nothing else. Being a function to pytest, it takes
    every marker, ``usefixtures`` among them, and the fixtures that each test has.
    """

    def __init__(self, **keywords: Any) -> None:  # noqa: ANN401 - pytest's own
        super().__init__(**keywords)
        self.add_marker("deskroom")
        self._scenario: Scenario | None = None

    @property  # type: ignore[misc]
    def obj(self) -> Callable[[], None]:
        """What pytest calls; nothing sets it."""
        return self.replay

    def setup(self) -> None:
        """Set the fixtures up and read the file."""
        from deskroom.testing import Replayer

        marked = [name for mark in self.iter_markers("usefixtures") for name in mark.args]
        # A file cannot mark itself, and pytest looks for this marker before a conftest sets it.
        self.fixturenames = list(dict.fromkeys([*self.fixturenames, *marked]))
        super().setup()
        try:
            self._scenario = Replayer().load(self.path)
        except FileError as error:
            lines = map(str, getattr(error, "problems", [error]))
            raise Failed(_report(lines), pytrace=False) from None

    def replay(self) -> None:
        """Replay the scenario, and update its file if that was asked for."""
        from deskroom.render.replay import failure_lines, mismatch_title
        from deskroom.testing import Replayer

        assert self._scenario is not None  # noqa: S101 - setup comes first
        replay = Replayer()(self._scenario)
        if self.config.getoption("--deskroom-update"):
            replay = self._updated(replay)
        if replay.ok:
            return
        more = None if self.config.get_verbosity() >= _ALL else "-vv shows them"
        first, *rest = replay.mismatches
        reason = mismatch_title(first, is_brief=True) + (f" (and {len(rest)} more)" if rest else "")
        raise Mismatched("\n".join(failure_lines(replay, more=more)), reason, first.line)

    def repr_failure(  # type: ignore[override]
        self, excinfo: pytest.ExceptionInfo[BaseException]
    ) -> str | TerminalRepr:
        """Return the report of a failure: of a mismatch its lines alone, summed up by the first."""
        error = excinfo.value
        if not isinstance(error, Mismatched):
            return super().repr_failure(excinfo)
        # A worker of xdist hands on what has these parts, and turns anything else into text.
        lines = ReprEntryNative([f"{error}\n"])
        where = ReprFileLocation(self.nodeid.partition("::")[0], error.line, error.reason)
        return ReprExceptionInfo(
            reprtraceback=ReprTraceback([lines], extraline=None, style="native"), reprcrash=where
        )

    def _updated(self, replay: Replay) -> Replay:
        """Return how the scenario replays once its file says what came out."""
        from _pytest.skipping import evaluate_xfail_marks

        from deskroom.render.update import change_line
        from deskroom.scenario.edit.update import is_outdated, update_file

        if not is_outdated(replay):
            return replay
        if evaluate_xfail_marks(self):
            # Its expectations say what is wanted; what comes out is the fault that is known.
            left = f"{replay.scenario.path}: not updated: the test is marked as an expected failure"
            self.user_properties.append((_UPDATED, _report([left])))
            return replay
        try:
            update = update_file(replay)
        except FileError as error:
            raise Failed(_report([str(error)]), pytrace=False) from None
        # A report takes these from a worker of xdist to the process that prints the summary.
        self.user_properties += [(_UPDATED, change_line(change)) for change in update.changes]
        return update.replay

    def teardown(self) -> None:
        """Let go of what was read: tests are kept until the session ends."""
        super().teardown()
        self._scenario = None

    def reportinfo(self) -> tuple[Path, int, str]:
        """Return where a report says that this test is: at the first line, which pytest counts 0."""
        return self.path, 0, self.name


class ExploredItem(ScenarioItem):
    """A scenario that is explored, as its ``[explore]`` says: it fails with the plainest run found."""

    @property  # type: ignore[misc]
    def obj(self) -> Callable[[], None]:
        """What pytest calls; nothing sets it."""
        return self.explore

    def explore(self) -> None:
        """Play the runs, and say of the first that failed how to see it again."""
        from deskroom.explore.explore import explore
        from deskroom.explore.shrink import shrunk
        from deskroom.explore.written import written

        scenario = self._scenario
        assert scenario is not None  # noqa: S101 - setup comes first
        bounds = scenario.explore
        if bounds is None:
            pytest.skip("the file has no [explore]")
        try:
            exploration = explore(scenario, bounds)
        except FileError as error:
            raise Failed(_report([str(error)]), pytrace=False) from None
        if not exploration.failures:
            return
        first, *rest = exploration.failures
        seed = bounds.seed or 0
        reason = f'{first.kind} "{first.name}" does not hold'
        reason += f" (and {len(rest)} more)" if rest else ""
        lines = [
            f"{scenario.path}: {one.kind} {one.name!r}: run {one.number}: {one.problem}"
            for one in exploration.failures
        ]
        lines.append(f"to see it: deskroom explore {scenario.path} --seed {seed}")
        plain = shrunk(scenario, bounds, first)
        shown = written(plain, first, explored=scenario.path, seed=seed, path=scenario.path)
        text = "" if shown is None else f"\n\nThe run as a scenario:\n\n{shown.text}"
        raise Mismatched(f"{_report(lines)}{text}", reason, 1)


def _report(lines: Iterable[str]) -> str:
    """Return the report of a test that failed with these lines."""
    from deskroom.render.text import one_line

    return "\n".join(map(one_line, lines))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say what was written into scenario files."""
    if not terminalreporter.config.getoption("--deskroom-update"):
        return
    reports = [
        report
        for found in terminalreporter.stats.values()
        for report in found
        if getattr(report, "when", None) == "call"
    ]
    lines = [
        str(value)
        for report in sorted(reports, key=lambda report: str(report.nodeid))
        for name, value in report.user_properties
        if name == _UPDATED
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
