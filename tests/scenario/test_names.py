from __future__ import annotations

import subprocess
import sys

import pytest

from deskroom import scenario


def test_a_name_that_is_not_there_is_an_error() -> None:
    """As of any module."""
    with pytest.raises(AttributeError, match=r"module 'deskroom\.scenario' has no attribute 'x'"):
        _ = scenario.x


def test_a_replay_loads_neither_the_checker_nor_what_reads_positions() -> None:
    """Nor anything for journals: a file in which nothing is wrong does without them."""
    code = (
        "import sys; from deskroom.scenario import parse_scenario, replay_scenario; "
        'text = \'format = 1\\ndesk = { id = "d", name = "D", seats = [{ id = "a" }] }\\n'
        '[[turn]]\\nseat = "a"\\n\'; assert replay_scenario(parse_scenario(text)).ok; '
        "print([name for name in ('deskroom.scenario.check', 'deskroom.scenario.format.schema', "
        "'deskroom.journal', 'tree_sitter') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "[]\n" == done.stdout
