"""Files that tell clients of their seat. They hold its token, and only their owner may read them."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path
from tempfile import mkdtemp
from typing import Any
from urllib.parse import quote

from attrs import define, field

from deskroom.errors import FileError

__all__ = ["ConfigFolder", "own_program"]


@define(eq=False)
class ConfigFolder:
    """A folder of such files: ``path``, or one of its own in the place for temporary files."""

    path: Path | None = None
    _own: Path | None = None
    _written: list[Path] = field(factory=list)

    def write(self, name: str, config: Mapping[str, Any]) -> Path:
        """Write a configuration whole, or not at all, and return its path.

        Raises ``FileError`` where the folder cannot be written to.
        """
        try:
            folder = self._folder()
            path = folder / f"{quote(name, safe='')}.json"
            part = path.with_name(f".{path.name}.part")
            part.unlink(missing_ok=True)
            with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
                file.write(json.dumps(config, indent=2) + "\n")
            part.replace(path)
        except OSError as error:
            problem = f"cannot be written to: {error.strerror}"
            raise FileError(str(self.path or self._own), problem) from None
        self._written.append(path)
        return path

    def _folder(self) -> Path:
        if self.path is not None:
            self.path.mkdir(mode=0o700, parents=True, exist_ok=True)
            return self.path.resolve()
        if self._own is None:
            self._own = Path(mkdtemp(prefix="deskroom-"))
        return self._own

    def remove(self) -> None:
        """Remove what was written: the tokens open nothing any more."""
        for path in self._written:
            path.unlink(missing_ok=True)
        self._written.clear()
        if self._own is not None:
            shutil.rmtree(self._own, ignore_errors=True)
            self._own = None


def own_program() -> str:
    """Return the path of the command ``deskroom``, as far as it is known."""
    beside = Path(sys.executable).parent / "deskroom"
    return shutil.which("deskroom") or (str(beside) if beside.exists() else "deskroom")
