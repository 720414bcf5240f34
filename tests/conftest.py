"""How every test runs: hypothesis repeats itself exactly, and async tests run on both backends."""

from __future__ import annotations

import os

import pytest
from hypothesis import settings

# The same examples in each run, on each machine: what fails once fails again.
settings.register_profile("default", deadline=None, derandomize=True, max_examples=100)
settings.register_profile("ci", settings.get_profile("default"))
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))


@pytest.fixture(params=["asyncio", "trio"], scope="session")
def anyio_backend(request: pytest.FixtureRequest) -> str:
    """Return the backend that a test marked with ``anyio`` runs on."""
    return str(request.param)
