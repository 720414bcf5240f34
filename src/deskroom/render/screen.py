"""What text is written to: how wide it is, and what it can show."""

from __future__ import annotations

from typing import Final

from attrs import frozen

__all__ = ["PLAIN", "Screen"]

_CODES: Final = {"bold": 1, "dim": 2, "italic": 3, "red": 31, "green": 32, "cyan": 36}


@frozen(kw_only=True)
class Screen:
    """A terminal or a file. ``width`` counts cells; ``lines`` says whether it has box characters."""

    width: int = 80
    color: bool = False
    lines: bool = True

    def styled(self, text: str, style: str) -> str:
        """Return a text in a style, where there are any."""
        return f"\x1b[{_CODES[style]}m{text}\x1b[0m" if self.color and text else text


#: A file that nobody looks at on a terminal.
PLAIN: Final = Screen()
