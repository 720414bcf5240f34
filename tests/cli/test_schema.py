from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from deskroom.scenario import scenario_schema

Run = Callable[..., Any]

CHECKED_IN = Path(__file__).parents[2] / "schema" / "scenario.schema.json"


def test_the_schema_is_printed_as_one_json_document(run: Run) -> None:
    """What is printed is the file that is checked in, byte for byte."""
    ended = run("schema")
    assert (0, "") == (ended.code, ended.err)
    assert scenario_schema() == json.loads(ended.out)
    assert CHECKED_IN.read_text() == ended.out


def test_help_shows_the_line_that_leads_an_editor_to_it(run: Run) -> None:
    """It stands as it is to be written."""
    assert "  #:schema ./scenario.schema.json\n" in run("schema", "--help").out
