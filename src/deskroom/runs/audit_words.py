"""Private words that a later public row repeats: counted, and never quoted.

Words are runs of letters and digits, whatever their case. Of an aside, *exact* is that a later desk
row has eight of its words in a row, or all of them where there are fewer; *near*, that it has at
least half of the aside's runs of three words. An aside of one or two words is repeated only by a
row that says nothing else: names and numbers come up by themselves.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final, Literal

import regex
from attrs import field, frozen

from deskroom.core import Author, Row, Viewer, admits

__all__ = ["MOST_WORDS", "Repeat", "RepeatFinder", "repeats_of"]

_WORD: Final = regex.compile(r"[\p{Alphabetic}\p{M}\p{N}]+")
#: So many words in a row are the same text.
_RUN: Final = 8
#: A run of so many words is what near is measured by; an aside has at least two of them for it.
_SHINGLE: Final = 3
_NEAR: Final = 0.5
#: Of all asides together so many words are held, and of one row so many are looked at.
MOST_WORDS: Final = 200_000
_MOST_OF_A_ROW: Final = 20_000
#: Of the asides that hold the same run of words, the latest so many are known by it.
_MOST_ALIKE: Final = 8


@frozen(kw_only=True)
class Repeat:
    """A public row that repeats words of an aside before it.

    ``row`` and ``aside`` are sequences. ``insider`` says that whoever repeated them could read the
    aside: a seat of its party, or a person.
    """

    row: int
    aside: int
    kind: Literal["exact", "near"]
    insider: bool


@frozen(kw_only=True)
class _Index:
    """The runs of words of all asides so far, each with the asides that hold it."""

    rows: dict[int, Row] = field(factory=dict)
    exact: dict[int, dict[str, list[int]]] = field(factory=dict)
    near: dict[str, list[int]] = field(factory=dict)
    shingles: dict[int, int] = field(factory=dict)
    whole: dict[str, list[int]] = field(factory=dict)


def repeats_of(rows: Iterable[Row]) -> tuple[tuple[Repeat, ...], int]:
    """Return what is repeated, in order of the public rows, and how many asides were left out.

    Asides are left out once ``MOST_WORDS`` of words are held. Pass only rows that the viewer may
    read: that words are the same tells what they are.
    """
    finder = RepeatFinder()
    found = [repeat for row in rows for repeat in finder.take(row)]
    return tuple(found), finder.left_out


class RepeatFinder:
    """Takes the rows of a run in order, and finds what each repeats of those before it."""

    def __init__(self) -> None:
        self.left_out = 0
        self._index = _Index()
        self._held = 0

    def take(self, row: Row) -> Sequence[Repeat]:
        """Return what one row repeats; an aside is kept for the rows behind it."""
        index = self._index
        if row.audience.kind == "desk":
            return list(_repeats(row, index)) if index.rows and row.author.type != "system" else ()
        words = _words(row.content)
        if self._held + len(words) > MOST_WORDS:
            self.left_out += 1
        else:
            self._held += len(words)
            _hold(row, words, index)
        return ()


def _words(text: str) -> list[str]:
    words = (match[0].casefold() for match in _WORD.finditer(text))
    return [word for _, word in zip(range(_MOST_OF_A_ROW), words, strict=False)]


def _runs(words: list[str], size: int) -> Iterator[str]:
    for at in range(len(words) - size + 1):
        yield " ".join(words[at : at + size])


def _hold(row: Row, words: list[str], index: _Index) -> None:
    if not words:
        return
    number = row.sequence
    index.rows[number] = row
    if len(words) < _SHINGLE:
        _note(index.whole, " ".join(words), number)
        return
    size = min(_RUN, len(words))
    for run in _runs(words, size):
        _note(index.exact.setdefault(size, {}), run, number)
    shingles = set(_runs(words, _SHINGLE))
    if len(shingles) > 1:
        index.shingles[number] = len(shingles)
        for run in _runs(words, _SHINGLE):
            _note(index.near, run, number)


def _note(table: dict[str, list[int]], run: str, number: int) -> None:
    known = table.setdefault(run, [])
    if known[-1:] != [number]:
        known.append(number)
        del known[:-_MOST_ALIKE]


def _repeats(row: Row, index: _Index) -> Iterator[Repeat]:
    words = _words(row.content)
    kinds: dict[int, Literal["exact", "near"]] = {}
    for number in index.whole.get(" ".join(words), ()) if len(words) < _SHINGLE else ():
        kinds[number] = "exact"
    for size, table in index.exact.items():
        for run in _runs(words, size):
            kinds.update((number, "exact") for number in table.get(run, ()))
    shared: dict[int, int] = {}
    for run in dict.fromkeys(_runs(words, _SHINGLE)):
        for number in index.near.get(run, ()):
            shared[number] = shared.get(number, 0) + 1
    for number, count in shared.items():
        if count >= _NEAR * index.shingles[number]:
            kinds.setdefault(number, "near")
    for number in sorted(kinds):
        aside = index.rows[number]
        yield Repeat(
            row=row.sequence,
            aside=number,
            kind=kinds[number],
            insider=_may_read(row.author, aside),
        )


def _may_read(author: Author, aside: Row) -> bool:
    kind = author.type if author.type in {"agent", "person", "operator"} else None
    return kind is not None and admits(aside.audience, aside.author, Viewer(kind, author.id))
