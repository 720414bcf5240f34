"""Mentions: which tokens of a message address whom (semantics, section 4)."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from operator import itemgetter
from typing import Final, NamedTuple

from attrs import frozen

from deskroom.core.directory import TOKEN_ENDS, Directory, Target, starts_a_name
from deskroom.core.masking import Spans, code_spans, to_byte_offsets
from deskroom.core.text import ASCII_WHITE_SPACE

__all__ = [
    "MAX_PINGS",
    "OPENERS",
    "Mention",
    "Token",
    "is_masked",
    "read_token",
    "resolve",
    "tokens",
]

#: After this many mentions that ping, the rest of a message turns quiet.
MAX_PINGS: Final = 50

OPENERS: Final = frozenset(ASCII_WHITE_SPACE + "([{")
_PAST_ANY_END: Final = 1 << 62
_BEFORE: Final = re.escape("".join(sorted(OPENERS)))
_INSIDE: Final = "@" + re.escape("".join(sorted(TOKEN_ENDS)))
# A name may only begin with some characters; that is looked at where the name is taken.
_TOKEN: Final = re.compile(rf"(?<![^{_BEFORE}])@(#?)([^{_INSIDE}]++)(?!@)")


@frozen
class Mention:
    """One address in a message.

    ``text`` includes the ``@`` (and the ``#`` of a desk); ``offset`` counts UTF-8 bytes; a
    ``quiet`` mention is shown and wakes nobody.
    """

    target: Target
    text: str
    offset: int
    quiet: bool = False


#: A mention before it is normalised: offset, target, text, quiet.
_Draft = tuple[int, Target, str, bool]


class Token(NamedTuple):
    """A stretch of text that has the shape of a mention; ``start`` and ``end`` count characters."""

    start: int
    end: int
    name: str
    desk_only: bool


def is_masked(position: int, spans: Spans) -> bool:
    """Whether a character lies in code. ``spans`` must not nest, which ``code_spans`` grants."""
    index = bisect_right(spans, (position, _PAST_ANY_END)) - 1
    return index >= 0 and position < spans[index][1]


def read_token(body: str, at: int) -> Token | None:
    """Read the token whose ``@`` stands at ``at``; masking is not looked at. None if none."""
    match = _TOKEN.match(body, at)
    return None if match is None else _token(match)


def _token(match: re.Match[str]) -> Token | None:
    name = match[2]
    if not starts_a_name(name[0]):
        return None
    return Token(match.start(), match.end(), name, match[1] == "#")


def tokens(body: str) -> list[Token]:
    """Return every unmasked token of ``body``, in order."""
    found: list[Token] = []
    if "@" not in body:
        return found
    spans = code_spans(body)
    for match in _TOKEN.finditer(body):
        token = None if spans and is_masked(match.start(), spans) else _token(match)
        if token is not None:
            found.append(token)
    return found


def resolve(
    body: str,
    supplied: Sequence[Mention] | None,
    author: Target | None,
    directory: Directory,
) -> tuple[Mention, ...]:
    """Return the mentions of a message, in order.

    ``author`` is the agent or person who wrote it (None for anyone else): nobody mentions
    themselves. ``supplied`` mentions, even an empty list, replace what would be extracted; a
    record that does not fit the text is dropped or turned quiet. An invalid roster or set of desks
    gives no mentions.
    """
    if not directory.is_valid or (supplied is None and "@" not in body):
        return ()
    found = tokens(body)
    if supplied is None:
        drafts = _extracted(body, found, directory)
    else:
        drafts = _checked(supplied, body, found, directory)
    return _normalised(drafts, author)


def _byte_offsets(body: str, found: list[Token]) -> dict[int, int]:
    return to_byte_offsets(body, [token.start for token in found])


def _extracted(body: str, found: list[Token], directory: Directory) -> list[_Draft]:
    offsets = None if body.isascii() else _byte_offsets(body, found)
    drafts: list[_Draft] = []
    for start, end, name, desk_only in found:
        targets = directory.lookup(name, desk_only=desk_only)
        if len(targets) == 1:
            offset = start if offsets is None else offsets[start]
            drafts.append((offset, targets[0], body[start:end], False))
    return drafts


def _checked(
    supplied: Iterable[Mention],
    body: str,
    found: list[Token],
    directory: Directory,
) -> list[_Draft]:
    offsets = _byte_offsets(body, found)
    at_offset = {offsets[token.start]: token for token in found}
    drafts: list[_Draft] = []
    for mention in supplied:
        token = at_offset.get(mention.offset)
        if token is None or mention.text != body[token.start : token.end]:
            continue
        targets = directory.lookup(token.name, desk_only=token.desk_only)
        quiet = mention.quiet or targets != (mention.target,)
        drafts.append((mention.offset, mention.target, mention.text, quiet))
    return sorted(drafts, key=itemgetter(0))


def _normalised(drafts: list[_Draft], author: Target | None) -> tuple[Mention, ...]:
    """Make mentions of drafts that ascend by offset."""
    if len(drafts) == 1:
        # So it is in most messages, and then there is nothing to compare it with.
        offset, target, text, quiet = drafts[0]
        return () if target == author else (Mention(target, text, offset, quiet),)
    kept: list[Mention] = []
    targets: set[Target] = set()
    last_offset = None
    pings = 0
    for offset, target, text, quiet in drafts:
        if target == author or offset == last_offset:
            continue
        silenced = quiet or target in targets or pings >= MAX_PINGS
        kept.append(Mention(target, text, offset, silenced))
        last_offset = offset
        targets.add(target)
        pings += not silenced
    return tuple(kept)
