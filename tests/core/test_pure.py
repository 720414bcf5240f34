from __future__ import annotations

import json
import subprocess
import sys

import pytest

PROBE = "import json, sys; import {name}; print(json.dumps(sorted(sys.modules)))"


@pytest.mark.parametrize("name", ["deskroom.core", "deskroom.speech"])
def test_the_core_can_be_used_without_any_loop(name: str) -> None:
    """Importing it in a fresh process loads neither asyncio nor anyio nor trio."""
    done = subprocess.run(
        [sys.executable, "-c", PROBE.format(name=name)], check=True, capture_output=True, text=True
    )
    loaded = json.loads(done.stdout)
    assert name in loaded
    assert not {"asyncio", "anyio", "trio"} & set(loaded)
