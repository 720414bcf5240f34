"""How one field is written as JSON and read again: plain values, words, lists, and null."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cached_property
from math import inf
from types import NoneType
from typing import Any, Final, Protocol

import attrs

from deskroom.errors import WireError

__all__ = [
    "ANYTHING",
    "COUNT",
    "FLAG",
    "INTEGER",
    "NUMBER",
    "TEXT",
    "TEXTS",
    "Codec",
    "Json",
    "List",
    "Maybe",
    "Plain",
    "Word",
    "read_field",
]

Json = dict[str, Any]
Step = Callable[[Any], Any]


class Codec(Protocol):
    """How one field is written and read.

    ``read`` and ``write`` are None where the value is the same on both sides. ``read`` gets a value
    of one of the ``types``, and raises ``WireError`` with a path that begins at the value.
    """

    @property
    def noun(self) -> str:
        """What it must be, after "must be"."""
        ...

    @property
    def types(self) -> frozenset[type]:
        """The types of what may stand there; ``true`` is no integer."""
        ...

    @property
    def read(self) -> Step | None:
        """What makes a value of what stands there."""
        ...

    @property
    def write(self) -> Step | None:
        """What makes of a value what stands there."""
        ...


def read_field(codec: Codec, value: object, path: str) -> Any:  # noqa: ANN401 - what codecs make
    """Read what stands at a path. Raises ``WireError`` with that path, or one below it."""
    if type(value) not in codec.types:
        raise WireError(f"must be {codec.noun}", path=path, code="type")
    if codec.read is None:
        return value
    try:
        return codec.read(value)
    except WireError as error:
        raise error.below(path) from None


@attrs.frozen
class Plain:
    """A field of some types; what is the same on both sides has neither ``read`` nor ``write``."""

    noun: str
    types: frozenset[type]
    read: Step | None = None
    write: Step | None = None


def _count(value: int) -> int:
    if value < 0:
        raise WireError("must not be negative", code="range")
    return value


def _number(value: float) -> float:
    if not -inf < value < inf:
        raise WireError("must be finite", code="range")
    return value


TEXT: Final = Plain("a string", frozenset({str}))
INTEGER: Final = Plain("an integer", frozenset({int}))
COUNT: Final = Plain("an integer", frozenset({int}), _count)
NUMBER: Final = Plain("a number", frozenset({int, float}), _number)
FLAG: Final = Plain("true or false", frozenset({bool}))
#: What a seat sent: whatever JSON can hold.
ANYTHING: Final = Plain("JSON", frozenset({str, int, float, bool, NoneType, list, dict}))


class Word:
    """A string of a closed list, read as what ``words`` has there, such as a member of an enum."""

    noun = "a string"
    types = frozenset({str})
    #: A member of an enum is a string, and what is written is only that.
    write: Step = str

    def __init__(self, words: Iterable[str]) -> None:
        self.words = {str(word): word for word in words}

    def read(self, value: str) -> str:
        """Return the word."""
        if value not in self.words:
            raise WireError(f"must be one of {', '.join(self.words)}", code="word")
        return self.words[value]


class Maybe:
    """A value or null."""

    def __init__(self, codec: Codec) -> None:
        self.noun = f"{codec.noun} or null"
        self.types = codec.types | {NoneType}
        self._codec = codec

    @cached_property
    def read(self) -> Step | None:
        """What reads the value, unless it is null."""
        return _unless_none(self._codec.read)

    @cached_property
    def write(self) -> Step | None:
        """What writes the value, unless it is None."""
        return _unless_none(self._codec.write)


def _unless_none(step: Step | None) -> Step | None:
    if step is None:
        return None
    return lambda value: None if value is None else step(value)


class List:
    """A list of values of one kind; in Python it is a tuple."""

    types = frozenset({list})

    def __init__(self, codec: Codec, noun: str = "a list") -> None:
        self.noun = noun
        self._codec = codec

    def read(self, values: list[Any]) -> tuple[Any, ...]:
        """Read every item; an error's path begins with the item's index."""
        codec = self._codec
        return tuple([read_field(codec, value, f"[{at}]") for at, value in enumerate(values)])

    def write(self, values: Iterable[Any]) -> list[Any]:
        """Write every item."""
        write = self._codec.write
        return list(values) if write is None else [write(value) for value in values]


TEXTS: Final = List(TEXT, "a list of strings")
