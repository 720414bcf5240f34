from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

#: What an import of four times as many lines may take more. The file has 24 MB more.
_MORE_MB = 12

_MEASURED = """
import resource, sys
from deskroom.cli.main import _run
code = _run(["import", sys.argv[1], "--from", "rows", "-o", sys.argv[2]])
print(code, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024)
"""


@pytest.mark.slow
def test_lines_are_read_one_by_one(tmp_path: Path) -> None:
    """The memory that an import takes does not grow with the length of JSON lines."""
    few, many = (_measured(tmp_path, lines) for lines in (250, 1000))
    assert many - few < _MORE_MB


def _measured(folder: Path, lines: int) -> int:
    """Import 32 times as many lines as are asked for, and return what that took at most, in MB."""
    path = folder / f"{lines}.jsonl"
    with path.open("w") as file:
        for at in range(32):
            line = json.dumps({"author": f"seat{at}", "text": "x" * 1000})
            file.write(f"{line}\n" * lines)
    done = subprocess.run(
        [sys.executable, "-c", _MEASURED, str(path), str(folder / f"{lines}.out")],
        capture_output=True,
        text=True,
        check=True,
    )
    code, megabytes = map(int, done.stdout.split())
    assert 0 == code
    return megabytes
