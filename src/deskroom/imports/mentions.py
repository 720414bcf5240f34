"""Foreign mentions become ours: a platform's mark, or ``@Shown Name``, becomes ``@id``."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from deskroom.core.directory import TOKEN_ENDS
from deskroom.core.masking import Spans, code_spans
from deskroom.core.mention import OPENERS, is_masked
from deskroom.core.text import trim, trim_start
from deskroom.imports.records import Mark, Text

__all__ = ["Names", "plain_text"]

_BEFORE: Final = re.escape("".join(sorted(OPENERS)))
_ENDS: Final = re.escape("".join(sorted(TOKEN_ENDS)))
#: One change: from where to where, what stands there then, whether it is a platform's mark.
_Edit = tuple[int, int, str, bool]


def plain_text(text: Text) -> str:
    """Return a text with what stands for its marks where nobody is known."""
    if isinstance(text, str):
        return text
    return "".join(piece.otherwise if isinstance(piece, Mark) else piece for piece in text)


class Names:
    """How the speakers of a room are named, and what their ids are.

    ``keys`` maps the keys that a mark may hold to ids; ``shown`` maps names, in any case, to ids.
    """

    def __init__(self, keys: Mapping[str, str], shown: Mapping[str, str]) -> None:
        self._keys = keys
        self._shown = {name.lower(): id for name, id in shown.items()}
        longest_first = sorted(shown, key=len, reverse=True)
        self._pattern = re.compile(
            rf"(?<![^{_BEFORE}])@({'|'.join(map(re.escape, longest_first))})(?=[{_ENDS}]|\Z)",
            re.IGNORECASE,
        )
        self.used: dict[str, str] = {}

    def rewritten(self, text: Text) -> str:
        """Return a text, trimmed, with its mentions as ours. Code stays as it is."""
        if isinstance(text, str) and "@" not in text:
            return trim(text)
        composed, marks = self._composed((text,) if isinstance(text, str) else text)
        if not marks and not self._shown:
            return composed
        spans = code_spans(composed)
        edits = sorted([*marks, *self._shown_names(composed, marks, spans)])
        return _edited(composed, edits, spans)

    def _composed(self, pieces: Iterable[str | Mark]) -> tuple[str, list[_Edit]]:
        """Return the text, trimmed, with its marks in it, and where those stand."""
        parts: list[str] = []
        marks: list[_Edit] = []
        at = 0
        for piece in pieces:
            part, known = self._part(piece)
            if known:
                marks.append((at, at + len(part), part, True))
            parts.append(part)
            at += len(part)
        whole = "".join(parts)
        cut = len(whole) - len(trim_start(whole))
        return trim(whole), [(start - cut, end - cut, new, mark) for start, end, new, mark in marks]

    def _part(self, piece: str | Mark) -> tuple[str, bool]:
        if isinstance(piece, str):
            return piece, False
        id = self._keys.get(piece.key)
        if id is None:
            return piece.otherwise, piece.key == piece.otherwise and piece.key.startswith("@")
        self.used[piece.key] = id
        return f"@{id}", True

    def _shown_names(self, text: str, marks: Iterable[_Edit], spans: Spans) -> Iterator[_Edit]:
        if not self._shown or "@" not in text:
            return
        starts = {start for start, _, _, _ in marks}
        for match in self._pattern.finditer(text):
            id = self._shown.get(match[1].lower())
            if id is None or match.start() in starts or is_masked(match.start(), spans):
                continue
            self.used[match[1]] = id
            yield match.start(), match.end(), f"@{id}", False


def _edited(text: str, edits: Iterable[_Edit], spans: Spans) -> str:
    """Make the changes. A mark that is glued to other text gets a blank there, outside code."""
    pieces: list[str] = []
    at = 0
    last = ""
    for start, end, new, is_mark in edits:
        pieces.append(text[at:start])
        last = pieces[-1][-1:] or last
        parted = is_mark and not is_masked(start, spans)
        if parted and last and last not in OPENERS:
            pieces.append(" ")
        pieces.append(new)
        last = new[-1:]
        if parted and text[end : end + 1] not in TOKEN_ENDS and end < len(text):
            pieces.append(" ")
            last = " "
        at = end
    return "".join([*pieces, text[at:]])
