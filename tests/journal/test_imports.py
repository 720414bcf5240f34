from __future__ import annotations

import subprocess
import sys

import pytest

HEAVY = ("anyio", "asyncio", "rich", "structlog")


@pytest.mark.parametrize("module", ["deskroom.wire", "deskroom.journal"])
def test_reading_a_journal_loads_no_actors_and_no_console(module: str) -> None:
    """A program that only reads journals starts as fast as its own work allows."""
    code = f"import sys, {module}; print(*sorted(set({HEAVY}) & set(sys.modules)))"
    loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, check=True, text=True
    )
    assert "\n" == loaded.stdout
