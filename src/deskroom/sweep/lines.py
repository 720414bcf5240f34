"""One line of a sweep's results: what a run was made of, and what it came to.

Nothing in it depends on when or where the run was played, or on who played it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from attrs import field, frozen

from deskroom.errors import WireError
from deskroom.wire import Fields, decode, encode
from deskroom.wire.codecs import (
    ANYTHING,
    COUNT,
    FLAG,
    NUMBER,
    TEXT,
    TEXTS,
    Codec,
    List,
    Maybe,
    read_field,
)

__all__ = ["FORMAT", "Order", "ResultLine", "line_in", "line_out", "order_of"]

#: The version of the format of a line; it stands at its beginning.
FORMAT: Final = 1

#: A place among other lines: by the file, then the policy, then the seed.
Order = tuple[str, tuple[tuple[str, int, float, str], ...], int]


@frozen(kw_only=True)
class ResultLine:
    """What one run came to.

    ``settings`` are the keys of the policy that were set, with their values; ``seed`` is there for a
    file that is explored. ``seats`` counts the active seats. ``figures`` are those of ``stats --json``.
    ``properties`` tells of each property of the file whether it held; ``invariants`` names those of the
    host that were broken, where somebody looked. ``digest`` is the SHA-256 of the run's journal, and
    ``key`` that of all that the run was made of.
    """

    file: str
    seed: int | None
    settings: Mapping[str, Any]
    seats: int
    figures: Mapping[str, Any] = field(repr=False)
    properties: Mapping[str, bool]
    invariants: tuple[str, ...] | None
    digest: str
    key: str

    @property
    def order(self) -> Order:
        """Where it stands among the others, whoever was done first."""
        return order_of(self.file, self.settings, self.seed)

    @property
    def broken(self) -> tuple[str, ...]:
        """The properties that did not hold."""
        return tuple(name for name, held in self.properties.items() if not held)


def order_of(file: str, settings: Mapping[str, Any], seed: int | None) -> Order:
    """Return where a run stands among the others; no other one of a sweep stands there."""
    values = tuple((key, *_ranked(value)) for key, value in settings.items())
    return file, values, -1 if seed is None else seed


def _ranked(value: Any) -> tuple[int, float, str]:  # noqa: ANN401 - data of TOML
    """Return a value so that any two can be compared: numbers by their size, others by their text."""
    if type(value) in {bool, int, float}:
        return 0, value, ""
    return (1, 0, value) if isinstance(value, str) else (2, 0, encode({"": value}).decode())


def line_out(line: ResultLine) -> bytes:
    """Return a line with its end."""
    return (
        encode(
            {
                "sweep": FORMAT,
                "file": line.file,
                "seed": line.seed,
                "settings": dict(line.settings),
                "seats": line.seats,
                "figures": dict(line.figures),
                "properties": dict(line.properties),
                "invariants": None if line.invariants is None else list(line.invariants),
                "digest": line.digest,
                "key": line.key,
            }
        )
        + b"\n"
    )


def line_in(text: bytes) -> ResultLine:
    """Read a line. Raises ``WireError`` for any that ``line_out`` does not write."""
    fields = Fields(decode(text))
    version = fields.number("sweep")
    if version != FORMAT:
        raise WireError(f"is {version}, and {FORMAT} is the version that is read", path="sweep")
    return ResultLine(
        file=fields.text("file"),
        seed=fields.read("seed", Maybe(COUNT)),
        settings=fields.read("settings", Map(ANYTHING)),
        seats=fields.count("seats"),
        figures=fields.read("figures", FIGURES),
        properties=fields.read("properties", Map(FLAG)),
        invariants=fields.read("invariants", Maybe(TEXTS)),
        digest=fields.text("digest"),
        key=fields.text("key"),
    )


# --- figures -----------------------------------------------------------------------------------


class Map:
    """An object with any keys, whose values are of one kind."""

    noun = "an object"
    types = frozenset({dict})
    write = None

    def __init__(self, codec: Codec) -> None:
        self._codec = codec

    def read(self, value: Mapping[str, Any]) -> dict[str, Any]:
        """Read every value."""
        return {key: read_field(self._codec, one, key) for key, one in value.items()}


class Shape:
    """An object with these keys; others may stand beside them, and are kept."""

    noun = "an object"
    types = frozenset({dict})
    write = None

    def __init__(self, **codecs: Codec) -> None:
        self._codecs = codecs

    def read(self, value: Mapping[str, Any]) -> dict[str, Any]:
        """Read what is known by its key."""
        fields = Fields(value)
        return {**value, **{key: fields.read(key, codec) for key, codec in self._codecs.items()}}


_COUNTS: Final = Maybe(Map(COUNT))
_NAMING: Final = Maybe(Shape(rows=COUNT, of=COUNT, share=Maybe(NUMBER)))

#: What ``figures_json`` returns.
FIGURES: Final = Shape(
    closed=Maybe(TEXT),
    rows=COUNT,
    rows_by=_COUNTS,
    asides=Shape(rows=COUNT, settled=COUNT, unsettled=COUNT),
    repeats=List(Shape(rows=COUNT)),
    naming=_NAMING,
    seat_naming=_NAMING,
    nudges=Maybe(COUNT),
    declined=_COUNTS,
    exchanges=Maybe(List(Shape(seats=TEXTS, rows=COUNT))),
    never_spoke=Maybe(TEXTS),
    turns=Maybe(COUNT),
    retries=Maybe(COUNT),
    outcomes=_COUNTS,
    refusals=_COUNTS,
    hops=_COUNTS,
    longest_chain=Maybe(COUNT),
    usage=Maybe(List(Shape(requests=COUNT, tokens_in=COUNT, tokens_out=COUNT, seconds=NUMBER))),
)
