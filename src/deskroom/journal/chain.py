"""One line of a journal: an entry's JSON with a short digest chained to the line before it.

The digest covers the bytes of the line up to itself and the digest before, so that a changed byte
anywhere is found, and so is a line that was taken out, put in or moved.
"""

from __future__ import annotations

import json
import re
from hashlib import blake2b
from typing import Any, Final

from deskroom.errors import WireError

__all__ = ["FIRST", "checked", "seal", "unseal"]

_DIGEST_BYTES: Final = 8
_SEALED: Final = re.compile(rb'(\{.+),"digest":"([0-9a-f]{16})"\}\n', re.DOTALL)

#: What the first line is chained to.
FIRST: Final = b"0" * (2 * _DIGEST_BYTES)


def seal(value: dict[str, Any], before: bytes) -> tuple[bytes, bytes]:
    """Return an entry's line, newline included, and its digest."""
    body = json.dumps(value, separators=(",", ":")).encode()[:-1]
    digest = _digest(body, before)
    return body + b',"digest":"' + digest + b'"}\n', digest


def unseal(line: bytes, before: bytes) -> tuple[object, bytes]:
    """Return what a line says, and its digest.

    Raises ``WireError`` for a line that is not as it was written, or not behind that line.
    """
    body, digest = checked(line, before)
    try:
        return json.loads(body + b"}"), digest
    except (ValueError, RecursionError):
        raise WireError("the line is sealed and is not JSON") from None


def checked(line: bytes, before: bytes) -> tuple[bytes, bytes]:
    """Return a line's JSON but for the brace that ends it, and its digest.

    Raises ``WireError`` as ``unseal`` does, but for what is not JSON.
    """
    sealed = _SEALED.fullmatch(line)
    if sealed is None:
        raise WireError("this is no sealed line of a journal")
    body, digest = sealed.groups()
    if _digest(body, before) != digest:
        raise WireError("the digest does not fit: this line, or one before it, was changed")
    return body, digest


def _digest(body: bytes, before: bytes) -> bytes:
    return blake2b(before + body, digest_size=_DIGEST_BYTES).hexdigest().encode()
