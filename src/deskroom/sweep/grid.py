"""What a sweep plays: every file under every policy, and with every seed.

The values of one key are a list: ``0,3,6``, a range of whole numbers, ``4..16``, both ends included, or
both. Each is read as ``replay --set`` reads one value, so that a text stands in quotes. A comma within
quotes or brackets is part of a value.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from itertools import islice, product
from typing import Any, Final, NamedTuple

from attrs import field, frozen

from deskroom._version import __version__
from deskroom.errors import FileError, UsageError
from deskroom.printable import counted, quoted
from deskroom.scenario.format.load import parse_explorable, parse_scenario
from deskroom.scenario.format.model import Scenario
from deskroom.scenario.format.position import STRING
from deskroom.scenario.format.toml import read_toml
from deskroom.scenario.play.whatif import Setting, parse_setting, with_settings
from deskroom.sweep.lines import FORMAT, Order, order_of
from deskroom.wire import FORMAT as JOURNAL_FORMAT
from deskroom.wire import encode

__all__ = [
    "MOST_RUNS",
    "Axis",
    "Grid",
    "Point",
    "SweptFile",
    "Work",
    "parse_axis",
    "parse_seeds",
    "parse_swept",
]

#: A sweep of more runs is refused, and so is a key with more values.
MOST_RUNS: Final = 1_000_000
_MOST_VALUES: Final = 10_000

_RANGE: Final = re.compile(r"\s*([+-]?[0-9][0-9_]*)\s*\.\.\s*([+-]?[0-9][0-9_]*)\s*")
_COUNT: Final = re.compile(r"\s*[0-9]{1,18}\s*")
_PIECE: Final = re.compile(rf"(?xs) (?:{STRING}) | (?P<mark> [,\[\]{{}}] ) | [^,\[\]{{}}\"']++")


@frozen
class Axis:
    """One key of the policy, and the values that it takes in turn."""

    key: str
    settings: tuple[Setting, ...]


class Point(NamedTuple):
    """One policy: what is set, as texts and as data by key."""

    texts: tuple[str, ...]
    settings: Mapping[str, Any]


@frozen(kw_only=True)
class SweptFile:
    """A file: what it is called in the results, its text, and the seeds that it is played with.

    A file without ``[explore]`` is played once: its one seed is None.
    """

    path: str
    text: str = field(repr=False)
    scenario: Scenario = field(repr=False)
    seeds: Sequence[int | None] = (None,)

    @classmethod
    def read(cls, path: str, shown: str, seeds: Sequence[int] | None) -> SweptFile:
        """Read a file. Raises ``FileError``, also for seeds that would change nothing."""
        text = read_toml(path).text
        scenario = parse_swept(text, path)
        if scenario.explore is None:
            if seeds is not None:
                problem = "--seeds is for files with an [explore] table: without one, every run of a file is the same"
                raise FileError(path, problem)
            return cls(path=shown, text=text, scenario=scenario)
        of_file = (scenario.explore.seed or 0,) if seeds is None else seeds
        return cls(path=shown, text=text, scenario=scenario, seeds=of_file)


def parse_swept(text: str, path: str) -> Scenario:
    """Read a scenario, or a desk file with ``[explore]``, from a text. Raises ``ScenarioError``."""
    scenario = parse_explorable(text, path)
    return parse_scenario(text, path) if scenario.explore is None else scenario


class Work(NamedTuple):
    """One run: its file, its policy and its seed, and the key under which its result is kept."""

    file: SweptFile
    point: Point
    seed: int | None
    key: str

    @property
    def order(self) -> Order:
        """Where its line stands in the results."""
        return order_of(self.file.path, self.point.settings, self.seed)


@frozen(kw_only=True)
class Grid:
    """All runs of a sweep."""

    files: tuple[SweptFile, ...]
    axes: tuple[Axis, ...] = ()

    def __attrs_post_init__(self) -> None:
        """Refuse what would be played twice, what no file takes, and what has no end."""
        seen: list[str] = []
        for axis in self.axes:
            if axis.key in seen:
                raise UsageError(
                    f"--set {axis.key}: the key is given twice; list its values: {axis.key}=1,2"
                )
            seen.append(axis.key)
        if len(self) > MOST_RUNS:
            raise UsageError(
                f"the sweep has {len(self):,} runs, and {MOST_RUNS:,} are the most of one"
            )
        for file in self.files:
            for axis in self.axes:
                for setting in axis.settings:
                    with_settings(file.scenario, [setting])

    def __len__(self) -> int:
        """The number of runs."""
        return self.points_count * sum(len(file.seeds) for file in self.files)

    @property
    def points_count(self) -> int:
        """The number of policies."""
        count = 1
        for axis in self.axes:
            count *= len(axis.settings)
        return count

    def points(self) -> Iterator[Point]:
        """Yield every policy; the values of the last key change fastest."""
        for settings in product(*(axis.settings for axis in self.axes)):
            values = {axis.key: one.value for axis, one in zip(self.axes, settings, strict=True)}
            yield Point(tuple(one.text for one in settings), values)

    def __iter__(self) -> Iterator[Work]:
        """Yield every run: file by file, policy by policy, seed by seed."""
        for file in self.files:
            digest = sha256(file.text.encode()).hexdigest()
            for point in self.points():
                for seed in file.seeds:
                    yield Work(file, point, seed, _key(file.path, digest, point.settings, seed))


def _key(path: str, digest: str, settings: Mapping[str, Any], seed: int | None) -> str:
    """Return the digest of all that a result depends on."""
    versions = {"sweep": FORMAT, "journal": JOURNAL_FORMAT, "deskroom": __version__}
    # The order in which keys are given decides where one of them lies in another.
    of = {"file": path, "text": digest, "set": [*map(list, settings.items())], "seed": seed}
    return sha256(encode(versions | of)).hexdigest()[:32]


# --- values ------------------------------------------------------------------------------------


def parse_axis(text: str) -> Axis:
    """Read ``KEY=VALUE,VALUE...`` with values in TOML, or ranges ``A..B`` of whole numbers.

    Raises ``UsageError``, which names the value at fault.
    """
    key, equals, values = text.partition("=")
    if not equals:
        parse_setting(text)  # says what is missing
    settings: dict[bytes, Setting] = {}
    for value in _expanded(f"--set {text}", values):
        setting = parse_setting(f"{key.strip()}={value}")
        known = encode({"value": setting.value})
        if known in settings:
            raise UsageError(f"--set {text}: {quoted(value)} is given twice")
        settings[known] = setting
    return Axis(".".join(next(iter(settings.values())).key), tuple(settings.values()))


def parse_seeds(text: str) -> tuple[int, ...]:
    """Read a number of seeds, from 0 on, or a list or range of seeds: ``100``, ``100..199``, ``7,9``.

    Raises ``UsageError``.
    """
    name = f"--seeds {text}"
    if _COUNT.fullmatch(text):
        count = int(text)
        if not 1 <= count <= MOST_RUNS:
            raise UsageError(f"{name}: found {count:,}, expected 1 to {MOST_RUNS:,}")
        return tuple(range(count))
    seeds: dict[int, None] = {}
    for value in _expanded(name, text, most=MOST_RUNS):
        if not _COUNT.fullmatch(value):
            expected = "a number of seeds, or seeds such as 100..199"
            raise UsageError(f"{name}: found {quoted(value)}, expected {expected}")
        if int(value) in seeds:
            raise UsageError(f"{name}: {quoted(value)} is given twice")
        seeds[int(value)] = None
    return tuple(seeds)


def _expanded(name: str, text: str, most: int = _MOST_VALUES) -> list[str]:
    """Return the values of a list, with each number of a range."""
    values = list(islice(_values(name, text, most), most + 1))
    if len(values) > most:
        raise UsageError(f"{name}: found more than {most:,} values")
    return values


def _values(name: str, text: str, most: int) -> Iterator[str]:
    for piece in _pieces(text):
        ends = _RANGE.fullmatch(piece)
        if ends is None:
            if not piece and text.strip():
                raise UsageError(f"{name}: found nothing between commas, expected a value")
            yield piece
            continue
        first, last = (int(end) if len(end) < 20 else None for end in ends.groups())  # noqa: PLR2004 - no number of TOML is longer
        if first is None or last is None:
            raise UsageError(f"{name}: found {quoted(piece)}, expected smaller numbers")
        if first > last:
            raise UsageError(f"{name}: found {quoted(piece)}, expected the smaller number first")
        if last - first >= most:
            count = counted(last - first + 1, "value")
            raise UsageError(f"{name}: {quoted(piece)} has {count}, and {most:,} are the most")
        yield from map(str, range(first, last + 1))


def _pieces(text: str) -> Iterator[str]:
    """Yield what stands between the commas that are in no quotes and no brackets."""
    depth = start = 0
    for found in _PIECE.finditer(text):
        mark = found["mark"]
        if mark == "," and not depth:
            yield text[start : found.start()].strip()
            start = found.end()
        elif mark is not None and mark != ",":
            depth = max(0, depth + (1 if mark in "[{" else -1))
    yield text[start:].strip()
