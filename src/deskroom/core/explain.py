"""Why each ``@`` of a message does, or does not, hand on the turn.

The design says what is told ("A decision explains itself"), semantics 3 to 5 by which rules. This
reads the same tokens and aliases as ``resolve`` and adds the reasons. It is for people and
seats to read; no rule decides by it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from itertools import islice
from typing import Final, Literal
from unicodedata import category

from attrs import frozen

from deskroom.core.directory import TOKEN_ENDS, Directory, Target, starts_a_name
from deskroom.core.masking import Spans, code_spans, to_byte_offsets
from deskroom.core.mention import OPENERS, Mention, is_masked, read_token, resolve
from deskroom.core.text import byte_length, is_alphanumeric
from deskroom.errors import nearest
from deskroom.lookalike import is_invisible, visible

__all__ = ["Hidden", "Note", "Verdict", "explain_mentions", "leading_alias"]

Verdict = Literal[
    "mention",
    "masked",
    "no_opener",
    "no_name",
    "unknown",
    "ambiguous",
    "self",
    "quiet",
    "not_a_seat",
]

_MOST_SHOWN: Final = 64


@frozen
class Hidden:
    """An invisible character. ``offset`` counts UTF-8 bytes; ``line`` and ``column`` characters."""

    character: str
    offset: int
    line: int
    column: int


@frozen
class Note:
    """The verdict on one ``@``.

    ``offset`` counts UTF-8 bytes. ``target`` is what it stands for, if one thing; ``candidates``
    what it may stand for, when that is several; ``nearest`` the alias most like an unknown one.
    ``hidden`` is an invisible character without which the ``@`` would be read otherwise.
    """

    text: str
    offset: int
    verdict: Verdict
    target: Target | None = None
    candidates: tuple[Target, ...] = ()
    nearest: str | None = None
    hidden: Hidden | None = None


def explain_mentions(
    body: str, author: Target | None, directory: Directory, *, limit: int | None = None
) -> tuple[Note, ...]:
    """Return a note for each ``@`` in ``body`` (for the first ``limit`` of them), in order."""
    return tuple(islice(mention_notes(body, author, directory), limit))


def mention_notes(body: str, author: Target | None, directory: Directory) -> Iterator[Note]:
    """Yield a note for each ``@`` in ``body``, in order, for whoever needs only the first few."""
    if "@" not in body:
        return
    resolved = {m.offset: m for m in resolve(body, None, author, directory)}
    spans = code_spans(body)

    # One unknown name said a thousand times is compared with the aliases once.
    @cache
    def near(shown: str) -> str | None:
        return _near(shown, directory)

    last = offset = 0
    at = body.find("@")
    while at >= 0:
        offset += to_byte_offsets(body[last:at], [at - last])[at - last]
        last = at
        yield _note(body, at, offset, spans, author, directory, resolved.get(offset), near)
        at = body.find("@", at + 1)


def _note(
    body: str,
    at: int,
    offset: int,
    spans: Spans,
    author: Target | None,
    directory: Directory,
    mention: Mention | None,
    near: Callable[[str], str | None],
) -> Note:
    shown = _shown(body, at)
    if is_masked(at, spans):
        return Note(shown, offset, "masked")
    if at and body[at - 1] not in OPENERS:
        return Note(
            shown, offset, "no_opener", nearest=near(shown), hidden=_hidden_before(body, at)
        )
    token = read_token(body, at)
    if token is None:
        return Note(shown, offset, "no_name", hidden=_hidden_behind(body, at))
    if mention is not None:
        return Note(mention.text, offset, _verdict(mention), mention.target)
    targets = directory.lookup(token.name, desk_only=token.desk_only)
    if len(targets) > 1:
        return Note(shown, offset, "ambiguous", candidates=targets)
    if targets and targets[0] == author:
        return Note(shown, offset, "self", author)
    hidden = None
    if directory.lookup(visible(token.name), desk_only=token.desk_only):
        hidden = _first_hidden(body, at + 1, token.end)
    return Note(shown, offset, "unknown", nearest=near(shown), hidden=hidden)


def _hidden_before(body: str, at: int) -> Hidden | None:
    """Return what stands between an opener and the ``@``, if nothing else does."""
    start = at
    while start and is_invisible(body[start - 1]):
        start -= 1
    opens = start == 0 or body[start - 1] in OPENERS
    return _first_hidden(body, start, at) if opens else None


def _hidden_behind(body: str, at: int) -> Hidden | None:
    """Return what stands between the ``@`` and a name, if nothing else does."""
    start = end = at + 1 + body.startswith("#", at + 1)
    while end < len(body) and is_invisible(body[end]):
        end += 1
    named = end < len(body) and starts_a_name(body[end])
    return _first_hidden(body, start, end) if named else None


def _first_hidden(body: str, start: int, end: int) -> Hidden | None:
    for at in range(start, end):
        if is_invisible(body[at]):
            line_start = body.rfind("\n", 0, at) + 1
            line = body.count("\n", 0, at) + 1
            return Hidden(body[at], byte_length(body[:at]), line, at - line_start + 1)
    return None


def _verdict(mention: Mention) -> Verdict:
    if mention.quiet:
        return "quiet"
    return "mention" if mention.target.kind == "agent" else "not_a_seat"


def _shown(body: str, at: int) -> str:
    """Return the ``@`` with what stands right behind it, cut to a length fit for a sentence."""
    end = at + 1
    while end < len(body) and end - at < _MOST_SHOWN and body[end] not in TOKEN_ENDS:
        if body[end] == "@":
            break
        end += 1
    return body[at:end]


def _near(shown: str, directory: Directory) -> str | None:
    """Return the alias that was most likely meant: one it begins with, else the most alike."""
    name = shown.lstrip("@#").lower()
    if not name:
        return None
    return leading_alias(visible(name), directory) or nearest(name, directory.names)


def leading_alias(text: str, directory: Directory) -> str | None:
    """Return the longest alias that ``text`` begins with as a whole word, or None.

    A word ends also before a letter of a script without case, such as Chinese: ``bob看一下``.
    """
    # One character more than any alias has, to see whether the word ends there.
    name = text[: directory.longest_name + 1].lower()
    for end in range(len(name), 0, -1):
        whole_word = end == len(name) or not is_alphanumeric(name[end]) or _is_glued(name, end)
        if whole_word and directory.lookup(name[:end]):
            return name[:end]
    return None


def _is_glued(name: str, end: int) -> bool:
    return category(name[end - 1]) != "Lo" and category(name[end]) == "Lo"
