from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

#: What an import of any size may take at most, and what one of 32 MiB may grow by.
_MOST_MB = 100

_MEASURED = """
import resource, sys
from deskroom.cli.main import _run
code = _run(["import", sys.argv[1], "--from", "rows", "-o", sys.argv[2]])
print(code, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024)
"""


@pytest.mark.slow
def test_lines_are_read_one_by_one(tmp_path: Path) -> None:
    """The memory that an import takes does not grow with the length of JSON lines."""
    path = tmp_path / "rows.jsonl"
    with path.open("w") as file:
        for at in range(32):
            line = json.dumps({"author": f"seat{at}", "text": "x" * 1000})
            file.write(f"{line}\n" * 1000)
    done = subprocess.run(
        [sys.executable, "-c", _MEASURED, str(path), str(tmp_path / "out.jsonl")],
        capture_output=True,
        text=True,
        check=True,
    )
    code, megabytes = map(int, done.stdout.split())
    assert (0, True) == (code, megabytes < _MOST_MB)
