"""The one codec for what is written as JSON: entries, rows, headers, and the text itself.

What reads and writes whole entries is loaded when it is first used: to show a run needs less.
"""

from typing import TYPE_CHECKING

from deskroom._lazy import lazy
from deskroom.wire.fields import Fields
from deskroom.wire.text import decode, encode
from deskroom.wire.values import (
    audience_in,
    audience_out,
    author_in,
    author_out,
    elision_out,
    row_in,
    row_out,
)

if TYPE_CHECKING:
    from deskroom.wire.entries import entry_in, entry_out
    from deskroom.wire.header import FORMAT

_LAZY = {
    "FORMAT": "deskroom.wire.header",
    "entry_in": "deskroom.wire.entries",
    "entry_out": "deskroom.wire.entries",
}

__all__ = [
    "FORMAT",
    "Fields",
    "audience_in",
    "audience_out",
    "author_in",
    "author_out",
    "decode",
    "elision_out",
    "encode",
    "entry_in",
    "entry_out",
    "row_in",
    "row_out",
]


__getattr__ = lazy(__name__, _LAZY)
