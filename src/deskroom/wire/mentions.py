"""The mentions of a row, in a form that is about as long as the message at most.

A message may name one seat a hundred thousand times. So the mentions of one target are one object:
``at`` holds, for each way in which the message writes the name, the byte offset of the first place
and then the distance from each place to the next.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from operator import attrgetter
from typing import Any, Final

from deskroom.core.directory import Target
from deskroom.core.mention import Mention
from deskroom.errors import WireError
from deskroom.wire.codecs import COUNT, FLAG, Json, List, Plain, read_field
from deskroom.wire.form import Form
from deskroom.wire.values import TARGET

__all__ = ["MENTIONS"]


def _places(at: dict[str, Any]) -> list[tuple[int, str]]:
    """Return where each text stands."""
    places = []
    for text, gaps in at.items():
        if type(gaps) is not list or not gaps:
            raise WireError("must be a list of integers", path=text, code="type")
        offset = 0
        for at_gap, gap in enumerate(gaps):
            if type(gap) is not int or gap < 0:
                read_field(COUNT, gap, f"{text}[{at_gap}]")
            offset += gap
            places.append((offset, text))
    return places


def _group(target: Target, quiet: bool, places: list[tuple[int, str]]) -> list[Mention]:
    return [Mention(target, text, offset, quiet) for offset, text in places]


_GROUPS: Final = List(
    Form(
        _group,
        {
            "target": TARGET,
            "quiet": FLAG,
            "at": Plain("an object", frozenset({dict}), _places),
        },
    )
)


class Mentions:
    """The mentions of a row; no two stand at one place."""

    noun = "a list of objects"
    types = frozenset({list})

    def read(self, groups: list[Any]) -> tuple[Mention, ...]:
        """Return the mentions in the order in which they stand in the message."""
        mentions = [mention for group in _GROUPS.read(groups) for mention in group]
        if len(mentions) > 1:
            mentions.sort(key=attrgetter("offset"))
            _check_order(mentions)
        return tuple(mentions)

    def write(self, mentions: Sequence[Mention]) -> list[Json]:
        """Return mentions that are in order.

        Raises ``WireError`` for others, since they would be read in another order.
        """
        _check_order(mentions)
        groups: dict[tuple[Target, bool], dict[str, list[int]]] = {}
        last: dict[tuple[Target, bool, str], int] = {}
        for mention in mentions:
            group = mention.target, mention.quiet
            place = *group, mention.text
            gaps = groups.setdefault(group, {}).setdefault(mention.text, [])
            gaps.append(mention.offset - last.get(place, 0))
            last[place] = mention.offset
        return [
            {"target": TARGET.write(target), "quiet": quiet, "at": at}
            for (target, quiet), at in groups.items()
        ]


def _check_order(mentions: Iterable[Mention]) -> None:
    if any(one.offset >= other.offset for one, other in pairwise(mentions)):
        raise WireError("must each stand at another place, in order", code="value")


MENTIONS: Final = Mentions()
