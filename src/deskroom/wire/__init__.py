"""The one codec for what is written as JSON: entries, rows, headers, and the text itself."""

from deskroom.wire.entries import entry_in, entry_out
from deskroom.wire.fields import Fields
from deskroom.wire.header import FORMAT
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
