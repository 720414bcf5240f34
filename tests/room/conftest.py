"""What the tests of the room share: captured logs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from structlog.testing import capture_logs


@pytest.fixture
def events() -> Iterator[list[Any]]:
    """Return the list that every log event of this test goes to, at any level."""
    with capture_logs() as captured:
        yield captured
