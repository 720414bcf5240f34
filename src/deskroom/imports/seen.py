"""Messages by their ids, about twenty bytes each: what is stored twice counts once."""

from __future__ import annotations

from array import array
from hashlib import blake2b

__all__ = ["Seen"]


class Seen:
    """Ids that were seen, with the text of each, both as short digests.

    An open table that is kept at most three quarters full; a slot is a number of 64 bits for the id
    and one of 32 bits for the text.
    """

    def __init__(self) -> None:
        self._count = 0
        self._ids = array("Q", [0]) * 1024
        self._texts = array("I", [0]) * 1024

    def add(self, id: str, text: str) -> bool | None:
        """Keep an id with its text. Return None if it is new, else whether the text is the same."""
        key, value = _digest(id, 8) or 1, _digest(text, 4)
        at = _slot(self._ids, key)
        if self._ids[at]:
            return self._texts[at] == value
        self._ids[at], self._texts[at] = key, value
        self._count += 1
        if self._count * 4 > len(self._ids) * 3:
            self._grow()
        return None

    def _grow(self) -> None:
        size = len(self._ids) * 3 // 2
        ids, texts = array("Q", [0]) * size, array("I", [0]) * size
        for key, value in zip(self._ids, self._texts, strict=True):
            if key:
                at = _slot(ids, key)
                ids[at], texts[at] = key, value
        self._ids, self._texts = ids, texts


def _slot(ids: array[int], key: int) -> int:
    """Return where an id stands, or the empty slot where it belongs; 0 stands for no id."""
    at = key % len(ids)
    while ids[at] and ids[at] != key:
        at = at + 1 if at + 1 < len(ids) else 0
    return at


def _digest(text: str, size: int) -> int:
    content = blake2b(text.encode(errors="surrogatepass"), digest_size=size).digest()
    return int.from_bytes(content, "big")
