"""JSON objects whose keys depend on what they are about, asked for one field at a time.

The vectors and the output of a replay are such; for an object with a fixed set of keys there is
``Form``. What is asked for must be there, and of the type that was asked for.
"""

from __future__ import annotations

from typing import Any, Self

from deskroom.errors import WireError
from deskroom.wire.codecs import (
    COUNT,
    FLAG,
    INTEGER,
    TEXT,
    TEXTS,
    Codec,
    Json,
    List,
    Maybe,
    Plain,
    Word,
    read_field,
)

__all__ = ["Fields"]

_OBJECT = Plain("an object", frozenset({dict}))
_OBJECTS = List(_OBJECT, "a list of objects")


class Fields:
    """One JSON object; ``where`` is its path. Every question raises ``WireError``."""

    def __init__(self, value: object, where: str = "") -> None:
        if type(value) is not dict:
            raise WireError("must be an object", path=where or "the line", code="type")
        self._value: Json = value
        self._where = where

    def at(self, name: str) -> str:
        """Return the path of a field."""
        return f"{self._where}.{name}" if self._where else name

    def has(self, name: str) -> bool:
        """Whether the field is there."""
        return name in self._value

    def raw(self, name: str) -> Any:  # noqa: ANN401 - decoded JSON has no narrower type
        """Return a field as it is."""
        if name not in self._value:
            raise WireError("is missing", path=self.at(name), code="missing")
        return self._value[name]

    def read(self, name: str, codec: Codec) -> Any:  # noqa: ANN401 - what the codec makes
        """Return a field as a codec reads it."""
        return read_field(codec, self.raw(name), self.at(name))

    def text(self, name: str) -> str:
        """Return a string."""
        text: str = self.read(name, TEXT)
        return text

    def maybe_text(self, name: str) -> str | None:
        """Return a string, or None for null."""
        text: str | None = self.read(name, Maybe(TEXT))
        return text

    def number(self, name: str) -> int:
        """Return an integer."""
        number: int = self.read(name, INTEGER)
        return number

    def count(self, name: str) -> int:
        """Return an integer that is not negative."""
        number: int = self.read(name, COUNT)
        return number

    def maybe_number(self, name: str) -> int | None:
        """Return an integer, or None for null."""
        number: int | None = self.read(name, Maybe(INTEGER))
        return number

    def flag(self, name: str) -> bool:
        """Return a boolean."""
        flag: bool = self.read(name, FLAG)
        return flag

    def texts(self, name: str) -> tuple[str, ...]:
        """Return a list of strings."""
        texts: tuple[str, ...] = self.read(name, TEXTS)
        return texts

    def word(self, name: str, *words: str) -> Any:  # noqa: ANN401 - a Literal of the caller's
        """Return a string that is one of ``words``."""
        return self.read(name, Word(words))

    def object(self, name: str) -> Self:
        """Return a nested object."""
        return type(self)(self.read(name, _OBJECT), self.at(name))

    def objects(self, name: str) -> list[Self]:
        """Return a list of objects."""
        items = self.read(name, _OBJECTS)
        return [type(self)(item, f"{self.at(name)}[{at}]") for at, item in enumerate(items)]
