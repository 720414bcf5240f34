"""A run from whatever file holds one: a journal, a scenario or a transcript."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from io import BytesIO
from typing import IO, Any, Final, Literal

from attrs import field, frozen

from deskroom.core import OPERATOR, Viewer
from deskroom.engine.entries import Entry
from deskroom.errors import FileError
from deskroom.files import open_file, reason_of
from deskroom.journal import JournalError, Torn, checked_lines, read_journal
from deskroom.journal.reader import MAX_LINE_BYTES
from deskroom.runs.properties import (
    Property,
    Violation,
    property_violations,
    view_violations,
)
from deskroom.runs.run import Run
from deskroom.runs.transcript import read_transcript
from deskroom.runs.view import RunView, narrowed, view_run
from deskroom.scenario.format.load import load_scenario, parse_scenario
from deskroom.scenario.format.model import Scenario
from deskroom.scenario.play.compare import Replay
from deskroom.scenario.play.replay import replay_scenario

__all__ = ["Source", "read_journal_run", "read_run", "read_source"]

Backend = Literal["asyncio", "trio"]

#: As much of a transcript, or of a journal that comes through a pipe, is held in memory.
_MOST_BYTES: Final = 256 * 1024 * 1024

#: A file without any of these keys has nothing of a scenario.
_OF_A_SCENARIO: Final = re.compile(r"^[ \t]*\[*[ \t]*(format|desk|turn)\b", re.MULTILINE)


@frozen(kw_only=True)
class Source:
    """A run, from whatever holds one. ``kind`` is ``journal``, ``scenario`` or ``transcript``.

    ``whole`` is all of it; what is shown is made from ``view``. ``replay`` is there for a scenario,
    which was played, and ``run`` for that and for a journal. ``damage`` is the first line of a journal that is wrong: the run holds what
    stands before it.
    """

    path: str
    whole: RunView = field(repr=False)
    replay: Replay | None = field(default=None, repr=False)
    run: Run | None = field(default=None, repr=False)
    damage: JournalError | None = None

    @property
    def kind(self) -> str:
        """What the file is."""
        return self.whole.kind

    def violations(self, properties: Sequence[Property]) -> tuple[Violation, ...]:
        """Return which properties the run does not hold.

        Raises ``FileError`` for a pattern that ran out of time.
        """
        if self.run is not None:
            return property_violations(properties, self.run)
        return view_violations(properties, self.whole)

    def view(self, viewer: Viewer = OPERATOR) -> RunView:
        """Return what a viewer may know of it."""
        return narrowed(self.whole, viewer)


def read_source(
    path: str, backend: Backend | None = None, *, file: IO[bytes] | None = None
) -> Source:
    """Return the run in a file. ``file`` is it where it is open already; it is closed at the end.

    A scenario is played: with actors on an event loop if ``backend`` names one. What a file is, its
    content says, unless its name ends in ``.toml``. Raises ``FileError`` (``ScenarioError`` or
    ``JournalError`` where it is one of these); of a journal only if its first line is wrong.
    """
    if path.endswith(".toml"):
        if file is not None:
            file.close()
        return _played(load_scenario(path), backend)
    with file or open_file(path) as opened:
        file = opened if opened.seekable() else BytesIO(_read(opened, path))
        first = _read_line(file, path)
        file.seek(0)
        if _is_journal(first):
            run, damage = _read_entries(path, file)
            whole = view_run(run, path=path, kind="journal", line_of=run.line_of)
            return Source(path=path, whole=whole, run=run, damage=damage)
        text = _decoded(_read(file, path), path)
    if text.lstrip()[:1] in {"{", "["} and not _looks_like_toml(text):
        return Source(path=path, whole=read_transcript(text, path))
    if not _OF_A_SCENARIO.search(text):
        problem = "the file holds no run: it is no journal, no scenario and no transcript"
        raise FileError(path, problem)
    return _played(parse_scenario(text, path), backend)


def _played(scenario: Scenario, backend: Backend | None) -> Source:
    replay = replay_scenario(scenario, backend=backend)
    return Source(path=scenario.path, whole=replay.view(), replay=replay, run=replay.run)


def read_run(
    path: str, viewer: Viewer = OPERATOR, backend: Backend | None = None
) -> tuple[RunView, Torn | None]:
    """Return what a viewer may know of the run in a file, and what is wrong with its last line.

    Raises what ``read_source`` raises, and ``JournalError`` for any other line that is wrong.
    """
    source = read_source(path, backend)
    if source.damage is not None and not isinstance(source.damage, Torn):
        raise source.damage
    return source.view(viewer), source.damage


def read_journal_run(path: str, file: IO[bytes] | None = None) -> tuple[Run, Torn | None]:
    """Return the run in a journal, and the error of its last line if that was cut short.

    ``file`` is the journal where it is open already. Raises ``JournalError`` for any other line
    that is wrong, by the chain or by the rules, and where no line is whole.
    """
    run, damage = _read_entries(path, file)
    if damage is not None and not isinstance(damage, Torn):
        raise damage
    return run, damage


def _read_entries(path: str, file: IO[bytes] | None) -> tuple[Run, JournalError | None]:
    """Return the run in a journal up to its first line that is wrong, and what is wrong there."""
    entries: list[Entry] = []
    try:
        entries.extend(line.entry for line in checked_lines(read_journal(path, file=file), path))
    except JournalError as error:
        if not entries:
            raise
        return Run.from_entries(entries), error
    return Run.from_entries(entries), None


def _read(file: IO[bytes], path: str) -> bytes:
    """Return the rest of a file that is no journal on a disk, and so must be held whole."""
    try:
        content = file.read(_MOST_BYTES + 1)
    except OSError as error:
        raise FileError(path, f"the file cannot be read: {reason_of(error)}") from None
    if len(content) > _MOST_BYTES:
        raise FileError(path, f"the file is larger than {_MOST_BYTES >> 20} MiB")
    return content


def _read_line(file: IO[bytes], path: str) -> bytes:
    try:
        return file.readline(MAX_LINE_BYTES)
    except OSError as error:
        raise FileError(path, f"the file cannot be read: {reason_of(error)}") from None


def _decoded(content: bytes, path: str) -> str:
    try:
        return content.decode().replace("\r\n", "\n")
    except UnicodeDecodeError:
        raise FileError(path, "the file is not UTF-8") from None


def _is_journal(first: bytes) -> bool:
    """Whether a line is one that a journal begins with; the rest is for its reader."""
    value: Any = _json(first)
    return isinstance(value, dict) and "digest" in value and "kind" in value


def _looks_like_toml(text: str) -> bool:
    """Whether a text that begins with a bracket is a table's header and no list."""
    return text.lstrip().startswith("[") and _json(text) is None


def _json(text: str | bytes) -> Any:  # noqa: ANN401 - decoded JSON
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None
