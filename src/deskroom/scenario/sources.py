"""A run from whatever file holds one: a journal, a scenario or a transcript."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Literal

from deskroom.core import OPERATOR, Viewer
from deskroom.engine.entries import Entry
from deskroom.errors import FileError
from deskroom.journal import Torn, checked_lines, read_journal
from deskroom.runs.run import Run
from deskroom.runs.transcript import read_transcript
from deskroom.runs.view import RunView, narrowed, view_run
from deskroom.scenario.format.load import load_scenario
from deskroom.scenario.play.replay import replay_scenario

__all__ = ["read_journal_run", "read_run"]

Backend = Literal["asyncio", "trio"]


def read_run(
    path: str, viewer: Viewer = OPERATOR, backend: Backend = "asyncio"
) -> tuple[RunView, Torn | None]:
    """Return what a viewer may know of the run in a file, and what is wrong with its last line.

    A scenario is played. What a file is, its content says, unless its name ends in ``.toml``.
    Raises ``FileError`` (``ScenarioError`` or ``JournalError`` where it is one of these).
    """
    text = "" if path.endswith(".toml") else _text(path)
    if _is_journal(text):
        run, torn = read_journal_run(path)
        return view_run(run, viewer, path=path, kind="journal", line_of=run.line_of), torn
    if text.lstrip()[:1] in {"{", "["} and not _looks_like_toml(text):
        return narrowed(read_transcript(text, path), viewer), None
    return replay_scenario(load_scenario(path), backend=backend).view(viewer), None


def read_journal_run(path: str) -> tuple[Run, Torn | None]:
    """Return the run in a journal, and the error of its last line if that was cut short.

    Raises ``JournalError`` for any other line that is wrong, by the chain or by the rules, and
    where no line is whole.
    """
    entries: list[Entry] = []
    cut: Torn | None = None
    try:
        entries.extend(line.entry for line in checked_lines(read_journal(path), path))
    except Torn as torn:
        if not entries:
            raise
        cut = torn
    return Run.from_entries(entries), cut


def _text(path: str) -> str:
    try:
        return Path(path).read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise FileError(path, "the file is not UTF-8") from None
    except ValueError as error:
        raise FileError(path, f"the file cannot be read: {error}") from None
    except OSError as error:
        raise FileError(path, f"the file cannot be read: {error.strerror}") from None


def _is_journal(text: str) -> bool:
    """Whether the first line is one that a journal begins with; the rest is for its reader."""
    first: Any = _json(text.split("\n", 1)[0])
    return isinstance(first, dict) and "digest" in first and "kind" in first


def _looks_like_toml(text: str) -> bool:
    """Whether a text that begins with a bracket is a table's header and no list."""
    return text.lstrip().startswith("[") and _json(text) is None


def _json(text: str) -> Any:  # noqa: ANN401 - decoded JSON
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None
