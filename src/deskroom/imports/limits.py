"""How much of a foreign input is read at most. A larger one is an error that names the limit."""

from __future__ import annotations

from typing import Final

__all__ = [
    "MOST_DIGITS",
    "MOST_DOCUMENT_BYTES",
    "MOST_HEAD_BYTES",
    "MOST_HELD_BYTES",
    "MOST_HELD_ROWS",
    "MOST_LINE_BYTES",
    "MOST_MEMBERS",
    "MOST_NESTED",
    "MOST_RATIO",
    "MOST_SPEAKERS",
]

#: What every importer may look at before one of them is chosen.
MOST_HEAD_BYTES: Final = 64 << 10
#: One line of a file that is read line by line.
MOST_LINE_BYTES: Final = 32 << 20
#: A document that must be held whole: JSON that is not JSON lines, a member of a zip.
MOST_DOCUMENT_BYTES: Final = 128 << 20
#: Lists and objects inside one another.
MOST_NESTED: Final = 200
#: Digits of one number in JSON.
MOST_DIGITS: Final = 4000
#: Files of a folder, or members of a zip.
MOST_MEMBERS: Final = 100_000
#: Bytes that one packed byte may become, once a member is larger than a mebibyte.
MOST_RATIO: Final = 250
#: Rows, and bytes of their texts, of a format whose rows must be sorted or may be replaced.
MOST_HELD_ROWS: Final = 1_000_000
MOST_HELD_BYTES: Final = 256 << 20
#: Speakers of one room.
MOST_SPEAKERS: Final = 10_000
