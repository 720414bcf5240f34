"""What no importer may fall over: cut, deep and long input, whichever format it begins like."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from deskroom.errors import FileError

Read = Callable[..., Any]
SAMPLES = Path(__file__).parents[1] / "samples"
#: One document of each format that is JSON, with the importer's name.
DOCUMENTS = {
    "adk": "session-2.13.0/crate-12.session.json",
    "agent-framework": "group-chat-1.23.0/messages.json",
    "chatarena": "history-json/wolves.json",
    "inspect": "log-0.3.285-json/2026-03-02T09-00-00-00-00_task_room.json",
    "openai-agents": "run-state-0.24.0/state.json",
    "otel": "otlp-maf-1.23.0/traces.json",
}


def document(name: str) -> str:
    """Return the text of a sample."""
    return (SAMPLES / name / DOCUMENTS[name]).read_text().strip()


@pytest.mark.parametrize("name", DOCUMENTS)
def test_a_document_that_breaks_off_is_an_error(read_rows: Read, name: str) -> None:
    """Wherever it breaks off, and whether its format is named or not."""
    text = document(name)
    for size in (len(text) // 3, len(text) // 2, len(text) - 1):
        for named in (name, None):
            with pytest.raises(FileError):
                read_rows(text[:size], name=named)


@pytest.mark.parametrize("name", DOCUMENTS)
@pytest.mark.parametrize(
    "hostile", ["[" * 100_000 + "]" * 100_000, "9" * 6000], ids=["deep", "digits"]
)
def test_what_is_too_deep_or_too_long_is_an_error(read_rows: Read, name: str, hostile: str) -> None:
    """It stands where every reader passes over it."""
    text = document(name)
    start = text.index("{") + 1

    with pytest.raises(FileError):
        read_rows(f'{text[:start]}"hostile": {hostile}, {text[start:]}')
