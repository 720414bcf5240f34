"""A run from whatever file holds one: a journal, a scenario or a transcript."""

from __future__ import annotations

import json
from io import BytesIO
from typing import IO, Any, Final, Literal

from deskroom.core import OPERATOR, Viewer
from deskroom.engine.entries import Entry
from deskroom.errors import FileError
from deskroom.files import open_file, reason_of
from deskroom.journal import Torn, checked_lines, read_journal
from deskroom.journal.reader import MAX_LINE_BYTES
from deskroom.runs.run import Run
from deskroom.runs.transcript import read_transcript
from deskroom.runs.view import RunView, narrowed, view_run
from deskroom.scenario.format.load import load_scenario, parse_scenario
from deskroom.scenario.play.replay import replay_scenario

__all__ = ["read_journal_run", "read_run"]

Backend = Literal["asyncio", "trio"]

#: As much of a transcript, or of a journal that comes through a pipe, is held in memory.
_MOST_BYTES: Final = 256 * 1024 * 1024


def read_run(
    path: str, viewer: Viewer = OPERATOR, backend: Backend = "asyncio"
) -> tuple[RunView, Torn | None]:
    """Return what a viewer may know of the run in a file, and what is wrong with its last line.

    A scenario is played. What a file is, its content says, unless its name ends in ``.toml``.
    Raises ``FileError`` (``ScenarioError`` or ``JournalError`` where it is one of these).
    """
    if path.endswith(".toml"):
        return replay_scenario(load_scenario(path), backend=backend).view(viewer), None
    with open_file(path) as opened:
        file = opened if opened.seekable() else BytesIO(_read(opened, path))
        first = _read_line(file, path)
        file.seek(0)
        if _is_journal(first):
            run, torn = read_journal_run(path, file)
            return view_run(run, viewer, path=path, kind="journal", line_of=run.line_of), torn
        text = _decoded(_read(file, path), path)
    if text.lstrip()[:1] in {"{", "["} and not _looks_like_toml(text):
        return narrowed(read_transcript(text, path), viewer), None
    return replay_scenario(parse_scenario(text, path), backend=backend).view(viewer), None


def read_journal_run(path: str, file: IO[bytes] | None = None) -> tuple[Run, Torn | None]:
    """Return the run in a journal, and the error of its last line if that was cut short.

    ``file`` is the journal where it is open already. Raises ``JournalError`` for any other line
    that is wrong, by the chain or by the rules, and where no line is whole.
    """
    entries: list[Entry] = []
    cut: Torn | None = None
    try:
        lines = checked_lines(read_journal(path, file=file), path)
        entries.extend(line.entry for line in lines)
    except Torn as torn:
        if not entries:
            raise
        cut = torn
    return Run.from_entries(entries), cut


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
