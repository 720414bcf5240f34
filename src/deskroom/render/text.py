"""Text that is safe and readable on a terminal, whatever a seat put into it."""

from __future__ import annotations

import json
from typing import Any

from deskroom.printable import one_line, printable

__all__ = ["one_line", "printable", "shortened", "value_text"]


def shortened(text: str, most: int) -> str:
    """Return ``text`` cut to ``most`` characters, with a mark where it was cut."""
    return text if len(text) <= most else f"{text[:most]}…"


def value_text(value: Any) -> str:  # noqa: ANN401 - a value of the file format
    """Return a value as the file writes it, on one line."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key} = {value_text(v)}" for key, v in value.items()) + " }"
    if isinstance(value, list):
        return "[" + ", ".join(value_text(item) for item in value) + "]"
    if value is None:
        return "nothing"
    return json.dumps(value, ensure_ascii=False) if isinstance(value, str) else str(value)
