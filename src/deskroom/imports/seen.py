"""Messages by their ids, sixteen bytes each: what is stored twice counts once."""

from __future__ import annotations

from array import array
from hashlib import blake2b

__all__ = ["Seen"]


class Seen:
    """Ids that were seen, with the text of each, both as short digests.

    An open table that is kept less than two thirds full; a slot is two numbers of 64 bits.
    """

    def __init__(self) -> None:
        self._size = 1024
        self._count = 0
        self._ids = array("Q", bytes(8 * self._size))
        self._texts = array("Q", bytes(8 * self._size))

    def add(self, id: str, text: str) -> bool | None:
        """Keep an id with its text. Return None if it is new, else whether the text is the same."""
        key, value = _digest(id), _digest(text)
        at = self._find(key)
        if self._ids[at]:
            return self._texts[at] == value
        self._ids[at], self._texts[at] = key, value
        self._count += 1
        if self._count * 3 > self._size * 2:
            self._grow()
        return None

    def _find(self, key: int) -> int:
        at = key % self._size
        ids = self._ids
        while ids[at] and ids[at] != key:
            at = at + 1 if at + 1 < self._size else 0
        return at

    def _grow(self) -> None:
        ids, texts = self._ids, self._texts
        self._size *= 2
        self._ids = array("Q", bytes(8 * self._size))
        self._texts = array("Q", bytes(8 * self._size))
        for id, text in zip(ids, texts, strict=True):
            if id:
                at = self._find(id)
                self._ids[at], self._texts[at] = id, text


def _digest(text: str) -> int:
    """Return a digest that is not zero, which stands for an empty slot."""
    content = blake2b(text.encode(errors="surrogatepass"), digest_size=8).digest()
    return int.from_bytes(content, "big") or 1
