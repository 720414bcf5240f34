"""Two texts as one, with the words that differ marked: ``the [-old-]{+new+} words``.

Words are what is compared, or single characters where a script writes no spaces; no character is
ever split from its accents. What cannot be told apart by looking (invisible characters, look-alike
letters, kinds of space) is written as escapes. Of long texts, only what differs and a bit of what
stands around it is kept. Texts of any length take about as long as they are long: where they have
too little in common to be matched at that price, the stretch counts as replaced.
"""

from __future__ import annotations

import unicodedata
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Final, Literal

from attrs import frozen

from deskroom.lookalike import difference, visible
from deskroom.printable import counted
from deskroom.render.screen import PLAIN, Screen
from deskroom.render.text import head, one_line, tail

__all__ = ["Piece", "diff_legend", "diff_text", "word_diff", "words"]

#: So many edits, and so many steps for all of a text, are looked for before words are matched
#: by those that either text has once.
_MOST_EDITS: Final = 200
_MOST_STEPS: Final = 400_000
#: How many characters to keep of what is the same, at each side of what differs; and of one
#: stretch that differs.
_CONTEXT: Final = 40
_MOST: Final = 400
#: How many stretches that differ are kept.
_MOST_CHANGES: Final = 20

_STYLES: Final[Mapping[str, str]] = {"old": "red", "new": "green"}
_MARKS: Final[Mapping[str, Pair]] = {"old": ("[-", "-]"), "new": ("{+", "+}")}

#: Scripts that put no spaces between words, by the first words of their characters' names.
_UNSPACED: Final = frozenset(
    ("CJK", "HIRAGANA", "KATAKANA", "IDEOGRAPHIC", "THAI", "LAO", "KHMER", "MYANMAR", "TIBETAN")
)
_UNSPACED_FROM: Final = "\u0e00"

Kind = Literal["same", "old", "new", "left_out"]
#: A stretch of two texts: what stands in the old one, and in the new one in its place.
Pair = tuple[str, str]


@frozen
class Piece:
    """A stretch that is in both texts, in one of them only, or left out, as it is to be shown.

    ``text`` is one line without controls; of what is left out it says how much that is.
    """

    kind: Kind
    text: str


def diff_text(old: str, new: str, screen: Screen = PLAIN) -> str:
    """Return both texts as one line: what only one has is marked, and coloured where there is any."""
    return "".join(_drawn(piece, screen) for piece in word_diff(old, new))


def diff_legend(old: str, new: str, screen: Screen = PLAIN) -> str:
    """Return how what only one of two named texts has is marked: ``expected [-…-], got {+…+}``."""
    old_mark, new_mark = _drawn(Piece("old", "…"), screen), _drawn(Piece("new", "…"), screen)
    return f"{old} {old_mark}, {new} {new_mark}"


def _drawn(piece: Piece, screen: Screen) -> str:
    if piece.kind not in _MARKS:
        return piece.text
    before, after = _MARKS[piece.kind]
    return screen.styled(f"{before}{piece.text}{after}", _STYLES[piece.kind])


def word_diff(old: str, new: str, *, cut: bool = True) -> tuple[Piece, ...]:
    """Return how two texts differ, in the order of reading, the old words before the new ones.

    Without ``cut`` nothing is left out.
    """
    pairs = list(_paired(words(old), words(new)))
    return tuple(_pieces(_stretches(pairs), cut=cut))


# --- words -------------------------------------------------------------------------------------


def words(text: str) -> list[str]:
    """Return the words of a text, and each other character by itself; together they are the text."""
    if text.isascii():
        return _grouped(list(text))
    import regex  # noqa: PLC0415 - only a text that is not ASCII needs it

    return _grouped(regex.findall(r"\X", text))


def _grouped(characters: Sequence[str]) -> list[str]:
    found: list[str] = []
    for in_word, group in groupby(characters, key=_is_in_word):
        found += ["".join(group)] if in_word else group  # noqa: B031 - only one of them is used
    return found


def _is_in_word(character: str) -> bool:
    first = character[0]
    if first.isascii():
        return first.isalnum() or first == "_"
    return unicodedata.category(first)[0] in "LNM" and not _is_unspaced(first)


def _is_unspaced(character: str) -> bool:
    if character < _UNSPACED_FROM:
        return False
    return unicodedata.name(character, "").partition(" ")[0] in _UNSPACED


# --- what is the same --------------------------------------------------------------------------


def _paired(old: Sequence[str], new: Sequence[str]) -> Iterator[Pair]:
    """Yield stretches of two lists of words, as text: both the same, or one in place of the other."""
    at_old = at_new = 0
    for start_old, start_new, length in _matches(old, new):
        if (at_old, at_new) != (start_old, start_new):
            yield "".join(old[at_old:start_old]), "".join(new[at_new:start_new])
        at_old, at_new = start_old + length, start_new + length
        if length:
            same = "".join(old[start_old:at_old])
            yield same, same


def _matches(old: Sequence[str], new: Sequence[str]) -> Iterator[tuple[int, int, int]]:
    """Yield where the same words stand in both, and how many, in order; at last the two ends."""
    before, after = _ends(old, new)
    if before:
        yield 0, 0, before
    old_, new_ = old[before : len(old) - after], new[before : len(new) - after]
    steps = [_MOST_STEPS]
    found = _shortest(old_, new_, steps)
    if found is None:
        found = list(_by_anchors(old_, new_, [_MOST_STEPS]))
    yield from ((a + before, b + before, 1) for a, b in found)
    yield len(old) - after, len(new) - after, after


def _ends(old: Sequence[str], new: Sequence[str]) -> tuple[int, int]:
    """Return how many words are the same at the beginning, and how many behind them at the end."""
    most = min(len(old), len(new))
    before = after = 0
    while before < most and old[before] == new[before]:
        before += 1
    while after < most - before and old[-1 - after] == new[-1 - after]:
        after += 1
    return before, after


def _shortest(
    old: Sequence[str], new: Sequence[str], steps: list[int]
) -> list[tuple[int, int]] | None:
    """Return the places of words that are the same by the fewest edits (Myers, 1986).

    None where there are too many; ``steps`` counts down what may still be done.
    """
    if not old or not new:
        return []
    reached = {1: 0}
    trace: list[dict[int, int]] = []
    for edits in range(min(len(old) + len(new), _MOST_EDITS) + 1):
        trace.append(dict(reached))
        for k in range(-edits, edits + 1, 2):
            down = k == -edits or (k != edits and reached[k - 1] < reached[k + 1])
            x = reached[k + 1] if down else reached[k - 1] + 1
            start = x
            while x < len(old) and x - k < len(new) and old[x] == new[x - k]:
                x += 1
            reached[k] = x
            steps[0] -= x - start + 1
            if k == len(old) - len(new) and x >= len(old):
                return _traced(trace, len(old), len(new))
        if steps[0] < 0:
            return None
    return None


def _traced(trace: Sequence[dict[int, int]], x: int, y: int) -> list[tuple[int, int]]:
    """Walk back from the end, and return the places of words that are the same."""
    found = []
    for edits in range(len(trace) - 1, -1, -1):
        reached, k = trace[edits], x - y
        down = k == -edits or (k != edits and reached[k - 1] < reached[k + 1])
        before = k + 1 if down else k - 1
        from_x = reached[before]
        from_y = from_x - before
        while x > max(from_x, 0) and y > max(from_y, 0):
            x, y = x - 1, y - 1
            found.append((x, y))
        x, y = from_x, from_y
    return found[::-1]


def _by_anchors(
    old: Sequence[str], new: Sequence[str], steps: list[int]
) -> Iterator[tuple[int, int]]:
    """Match words that both texts have once and in the same order, and what is between them."""
    at_old = at_new = 0
    for a, b in [*_anchors(old, new), (len(old), len(new))]:
        between = _between(old[at_old:a], new[at_new:b], steps)
        yield from ((x + at_old, y + at_new) for x, y in between)
        if a < len(old):
            yield a, b
        at_old, at_new = a + 1, b + 1


def _between(old: Sequence[str], new: Sequence[str], steps: list[int]) -> Iterator[tuple[int, int]]:
    before, after = _ends(old, new)
    yield from ((at, at) for at in range(before))
    end_old, end_new = len(old) - after, len(new) - after
    inner = _shortest(old[before:end_old], new[before:end_new], steps) if steps[0] > 0 else None
    yield from ((x + before, y + before) for x, y in inner or ())
    yield from ((end_old + at, end_new + at) for at in range(after))


def _anchors(old: Sequence[str], new: Sequence[str]) -> list[tuple[int, int]]:
    """Return the longest rising run of places of words that each text has once (patience)."""
    once_old, once_new = Counter(old), Counter(new)
    place = {word: at for at, word in enumerate(new) if once_new[word] == 1}
    pairs = [(at, place[w]) for at, w in enumerate(old) if once_old[w] == 1 and w in place]
    ends: list[int] = []
    last: list[int] = []
    previous: list[int | None] = []
    for number, (_, b) in enumerate(pairs):
        length = bisect_left(ends, b)
        previous.append(last[length - 1] if length else None)
        ends[length : length + 1] = [b]
        last[length : length + 1] = [number]
    found = []
    at = last[-1] if last else None
    while at is not None:
        found.append(pairs[at])
        at = previous[at]
    return found[::-1]


# --- how it is shown ---------------------------------------------------------------------------


def _stretches(pairs: Sequence[Pair]) -> Iterator[tuple[bool, Pair]]:
    """Yield pairs as they are shown, and whether they are to be marked; neighbours as one.

    Between two replaced words a space is no news: both words and the space are replaced.
    """
    marked = [
        (one != other or _is_between_replaced(pairs, at), _shown(one, other))
        for at, (one, other) in enumerate(pairs)
    ]
    for is_marked, group in groupby(marked, key=lambda item: item[0]):
        shown = [pair for _, pair in group]
        yield is_marked, ("".join(one for one, _ in shown), "".join(other for _, other in shown))


def _is_between_replaced(pairs: Sequence[Pair], at: int) -> bool:
    if not pairs[at][0].isspace() or not 0 < at < len(pairs) - 1:
        return False
    around = (pairs[at - 1], pairs[at + 1])
    return all(one != other and one.strip() and other.strip() for one, other in around)


def _shown(one: str, other: str) -> Pair:
    """Return a pair as text to show; as escapes where a reader could not tell them apart."""
    shown = one_line(one), one_line(other)
    if one == other:
        return shown
    if shown[0] == shown[1] or difference(one, other) is not None:
        return _escaped(one), _escaped(other)
    return (
        shown[0] if _is_seen(one) else _escaped(one),
        shown[1] if _is_seen(other) else _escaped(other),
    )


def _is_seen(text: str) -> bool:
    return bool(visible(text).strip())


def _escaped(text: str) -> str:
    return text.encode("unicode_escape", "surrogatepass").decode("ascii")


def _pieces(stretches: Iterator[tuple[bool, Pair]], *, cut: bool) -> Iterator[Piece]:
    found = list(stretches)
    changes = 0
    for at, (is_marked, (one, other)) in enumerate(found):
        if is_marked:
            changes += 1
            if cut and changes > _MOST_CHANGES:
                more = sum(marked for marked, _ in found[at:])
                yield Piece("left_out", f"… and {counted(more, 'more change')}")
                return
            yield from _cut("old", one, _MOST // 2, _MOST // 2, cut=cut)
            yield from _cut("new", other, _MOST // 2, _MOST // 2, cut=cut)
        else:
            before = 0 if at == 0 else _CONTEXT
            after = 0 if at == len(found) - 1 else _CONTEXT
            yield from _cut("same", one, before, after, cut=cut)


def _cut(kind: Kind, text: str, before: int, after: int, *, cut: bool) -> Iterator[Piece]:
    """Yield a text, or its beginning and its end where that leaves out more than a mark takes."""
    if not cut or len(text) <= before + after + _CONTEXT:
        yield from [Piece(kind, text)] if text else []
        return
    start, end = head(text, before), tail(text, after)
    yield from [Piece(kind, start)] if start else []
    left_out = len(text) - len(start) - len(end)
    yield Piece("left_out", f"…({left_out:,} characters)…")
    yield from [Piece(kind, end)] if end else []
