"""One line of a journal: an entry's JSON with a short digest chained to the line before it.

The digest covers the bytes of the line up to itself and the digest before, so that a changed byte
anywhere is found, and so is a line that was taken out, put in or moved.
"""

from __future__ import annotations

from hashlib import blake2b
from typing import Any, Final

from deskroom.errors import WireError
from deskroom.wire import decode, encode

__all__ = ["FIRST", "body_of", "checked", "seal", "unseal"]

_DIGEST_BYTES: Final = 8
_DIGITS: Final = 2 * _DIGEST_BYTES
_OPENS: Final = b',"digest":"'
_CLOSES: Final = b'"}\n'
#: Where the end of a line begins: the key, the digest, and what closes them.
_BODY: Final = slice(-len(_OPENS) - _DIGITS - len(_CLOSES))
_KEY: Final = slice(_BODY.stop, -_DIGITS - len(_CLOSES))
_DIGEST: Final = slice(_KEY.stop, -len(_CLOSES))

#: What the first line is chained to.
FIRST: Final = b"0" * _DIGITS


def seal(value: dict[str, Any], before: bytes) -> tuple[bytes, bytes]:
    """Return an entry's line, newline included, and its digest."""
    body = encode(value)[:-1]
    digest = _digest(body, before)
    return body + _OPENS + digest + _CLOSES, digest


def unseal(line: bytes, before: bytes) -> tuple[dict[str, Any], bytes]:
    """Return what a line says, and its digest.

    Raises ``WireError`` for a line that is not as it was written, or not behind that line.
    """
    body, digest = checked(line, before)
    return decode(body + b"}"), digest


def checked(line: bytes, before: bytes) -> tuple[bytes, bytes]:
    """Return a line's JSON but for the brace that ends it, and its digest.

    Raises ``WireError`` as ``unseal`` does, but for what is not JSON.
    """
    if not line.startswith(b"{") or line[_KEY] != _OPENS or not line.endswith(_CLOSES):
        raise WireError("this is no sealed line of a journal", code="chain")
    body = line[_BODY]
    digest = _digest(body, before)
    if line[_DIGEST] != digest:
        problem = "the digest does not fit: this line, or one before it, was changed"
        raise WireError(problem, code="chain")
    return body, digest


def body_of(line: bytes) -> bytes:
    """Return what ``checked`` returns of a line, without a look at whether it is as it was written."""
    return line[_BODY]


def _digest(body: bytes, before: bytes) -> bytes:
    return blake2b(before + body, digest_size=_DIGEST_BYTES).hexdigest().encode()
