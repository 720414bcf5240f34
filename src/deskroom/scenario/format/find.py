"""Which files are scenarios: the one walk that the command line and the pytest plugin share.

A file is only passed over where it is certain that it is none. One that cannot be read, or that is
not TOML, is found like any other, so that whoever reads it reports it.

pytest collects with this in every session that names a folder of scenarios, so no library is loaded.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final, NamedTuple

from deskroom.errors import FileError

__all__ = [
    "SCENARIO_KEYS",
    "SUFFIX",
    "Search",
    "find_scenarios",
    "is_editor_file",
    "is_scenario",
    "search",
    "skips_folder",
]

#: A TOML file that has none of these at its top is no scenario.
SCENARIO_KEYS: Final = frozenset({"format", "desk", "turn"})

#: A file with such a name is meant for one, whatever is in it.
SUFFIX: Final = ".scenario.toml"

_NOT_SOURCES: Final = frozenset({"node_modules"})
#: What marks a virtual environment: Python's own file, and that of conda.
_ENVIRONMENTS: Final = ("pyvenv.cfg", "conda-meta/history")
#: How editors and systems name their locks, backups and notes beside a file: Emacs, Office, macOS.
_EDITOR_FILE: Final = re.compile(r"(?:\.#|#|~\$|\._).*|.*~\.toml")
#: Enough of a file to hold the first keys of nearly all; they tell without reading the rest.
_HEAD_BYTES: Final = 4096
#: Empty lines, comments, and keys that hold one plain text; then a key that makes it a scenario.
_BEGINS_AS_ONE: Final = re.compile(
    rb"""(?: [ \t\r]* (?: [A-Za-z]+ [ \t]* = [ \t]* "[^"\\\n]*" [ \t\r]* )? (?: \#[^\n]* )? \n )*+
    [ \t]* (?: format [ \t]* = | \[ \[? (?: desk | turn ) [\].] )""",
    re.VERBOSE,
)


class Search(NamedTuple):
    """What was found below some paths: ``files`` in the order of the paths, then by name.

    ``passed_over`` are TOML files that are no scenarios; ``errors`` name the folders that cannot be
    listed, and the paths where there is no scenario.
    """

    files: tuple[Path, ...] = ()
    passed_over: tuple[Path, ...] = ()
    errors: tuple[FileError, ...] = ()


def find_scenarios(paths: Iterable[str | os.PathLike[str]]) -> list[Path]:
    """Return the files given, and every scenario below the folders given, in path order.

    A file found twice is listed once. A file that does not exist is listed too: reading it raises
    the error, and the other files are still read. Raises ``FileError`` when there is nothing, or
    when a folder cannot be listed; ``search`` returns these errors beside what was found.
    """
    given = [Path(path) for path in paths]
    found = search(given)
    if found.errors:
        raise found.errors[0]
    if not given:
        raise _nothing_in(".", passed_over=False)
    return list(found.files)


def search(paths: Iterable[str | os.PathLike[str]]) -> Search:
    """Return the files given, the scenarios below the folders given, and what stood in the way."""
    files: dict[Path, None] = {}
    passed_over: dict[Path, None] = {}
    errors: list[FileError] = []
    for path in map(Path, paths):
        if not _is_folder(path):
            files[path] = None
            continue
        below = _below(path)
        files.update(dict.fromkeys(below.files))
        passed_over.update(dict.fromkeys(below.passed_over))
        errors += below.errors
        if not below.files and not below.errors:
            errors.append(_nothing_in(str(path), passed_over=bool(below.passed_over)))
    left = tuple(path for path in passed_over if path not in files)
    return Search(files=tuple(files), passed_over=left, errors=tuple(errors))


def skips_folder(folder: Path) -> bool:
    """Whether a search does not look into a folder: a hidden one, or one of other people's code.

    A link to a folder is not followed either: what it leads to is found where it stands.
    """
    if folder.name.startswith(".") or folder.name in _NOT_SOURCES:
        return True
    try:
        return folder.is_symlink() or any((folder / name).exists() for name in _ENVIRONMENTS)
    except OSError:  # it cannot be looked into, which is reported when it is listed
        return False


def is_scenario(file: Path) -> bool:
    """Whether a TOML file that a search comes upon is a scenario: by its name, or by its keys.

    A file that cannot be read, or is wrong, counts as one.
    """
    if file.name.endswith(SUFFIX):
        return True
    head = _head(file)
    if head is None or _BEGINS_AS_ONE.match(head):
        return True
    from deskroom.scenario.format.toml import read_toml  # noqa: PLC0415 - it loads libraries

    try:
        return not SCENARIO_KEYS.isdisjoint(read_toml(file).data)
    except FileError:
        return True


def is_editor_file(name: str) -> bool:
    """Whether a file's name says that an editor made it for itself."""
    return _EDITOR_FILE.fullmatch(name) is not None


def _below(folder: Path) -> Search:
    errors: list[FileError] = []
    files: list[Path] = []
    passed_over: list[Path] = []
    for file in sorted(_toml_files(folder, errors)):
        (files if is_scenario(file) else passed_over).append(file)
    return Search(files=tuple(files), passed_over=tuple(passed_over), errors=tuple(errors))


def _toml_files(folder: Path, errors: list[FileError]) -> Iterator[Path]:
    def report(error: OSError) -> None:
        problem = f"the folder cannot be listed: {error.strerror}"
        errors.append(FileError(str(error.filename), problem, kind="unreadable"))

    for where, folders, names in os.walk(folder, onerror=report):
        folders[:] = sorted(name for name in folders if not skips_folder(Path(where, name)))
        for name in names:
            file = Path(where, name)
            if name.endswith(".toml") and not is_editor_file(name) and not _is_special(file):
                yield file


def _is_special(file: Path) -> bool:
    """Whether this is a pipe or a device, which is read only where it is named."""
    try:
        mode = file.stat().st_mode
    except OSError:
        return False
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))


def _nothing_in(folder: str, *, passed_over: bool) -> FileError:
    why = "there is no *.toml file here"
    if passed_over:
        why = f"no *.toml file here has one of {', '.join(sorted(SCENARIO_KEYS))}"
    return FileError(folder, f"no scenario found: {why}", kind="no_scenario")


def _head(file: Path) -> bytes | None:
    """Return the beginning of a regular file, or None where reading is better left to its reader."""
    try:
        if not stat.S_ISREG(file.stat().st_mode):
            return None
        with file.open("rb") as opened:
            return opened.read(_HEAD_BYTES)
    except (OSError, ValueError):
        return None


def _is_folder(path: Path) -> bool:
    """Whether this is a folder. A path that cannot be looked at fails when it is read."""
    try:
        return path.is_dir()
    except (OSError, ValueError):
        return False
