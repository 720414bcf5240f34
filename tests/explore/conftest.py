"""Random rooms, as the tests of scenarios draw them."""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture(scope="session", name="scenarios")
def _scenarios() -> Any:
    """Return a strategy for scenarios without expectations."""
    drawn = runpy.run_path(str(Path(__file__).parents[1] / "scenario" / "conftest.py"))
    return drawn["scenarios"]()
