"""An account of a run from whatever file holds one: a journal, a scenario or a transcript."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

from deskroom.engine.entries import Entry, RowEntry
from deskroom.engine.state import TurnRecord
from deskroom.errors import FileError
from deskroom.journal import Torn, read_journal
from deskroom.scenario.account import Account, account_of_entries
from deskroom.scenario.entries import EntryList
from deskroom.scenario.format.load import load_scenario
from deskroom.scenario.format.model import Scenario
from deskroom.scenario.play.replay import play_scenario, replay_scenario
from deskroom.scenario.transcript import read_transcript

__all__ = ["account_of_scenario", "play_account", "read_account"]

Backend = Literal["asyncio", "trio"]


def read_account(path: str, backend: Backend = "asyncio") -> tuple[Account, str | None]:
    """Return the account in a file, and a warning if not all of the file could be used.

    A scenario is replayed. What a file is, its content says, unless its name ends in ``.toml``.
    Raises ``FileError`` (``ScenarioError`` or ``JournalError`` where it is one of these).
    """
    if path.endswith(".toml"):
        return account_of_scenario(load_scenario(path), backend), None
    text = _text(path)
    if _is_journal(text):
        return _account_of_journal(path)
    if text.lstrip()[:1] in {"{", "["} and not _looks_like_toml(text):
        return read_transcript(text, path), None
    return account_of_scenario(load_scenario(path), backend), None


async def play_account(scenario: Scenario) -> Account:
    """Play a scenario on the running event loop and return the account of it."""
    journal = EntryList()
    await play_scenario(scenario, journal=journal)
    return _account_of_play(scenario, journal.entries)


def account_of_scenario(scenario: Scenario, backend: Backend = "asyncio") -> Account:
    """Play a scenario and return the account of it. What it expects is not looked at."""
    journal = EntryList()
    replay_scenario(scenario, backend=backend, journal=journal)
    return _account_of_play(scenario, journal.entries)


def _account_of_play(scenario: Scenario, entries: Sequence[Entry]) -> Account:
    def line_of(_: int, entry: Entry, record: TurnRecord | None) -> int | None:
        cue = record.cue if record is not None else None
        if isinstance(entry, RowEntry):
            cue = entry.cue if cue is None else cue
            if entry.kind == "opening" and scenario.opening is not None:
                return scenario.opening.place.line
        return None if cue is None else scenario.turns[cue].place.line

    return account_of_entries(entries, path=scenario.path, kind="scenario", line_of=line_of)


def _account_of_journal(path: str) -> tuple[Account, str | None]:
    entries: list[Entry] = []
    warning = None
    try:
        entries.extend(line.entry for line in read_journal(path))
    except Torn as torn:
        if not entries:
            raise
        warning = f"{torn.problem}; it is left out"

    def line_of(position: int, *_: object) -> int:
        return position + 1

    return account_of_entries(entries, path=path, kind="journal", line_of=line_of), warning


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
