"""What a room allows: the policy tables of a scenario, with the defaults of the format.

The names are the keys of the file format, so that a table in TOML, a policy in Python and a
policy in a journal are read the same way.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from attrs import field, frozen
from attrs.validators import ge, gt, in_, instance_of, le, optional

from deskroom.core.aside import AsidePolicy
from deskroom.core.dispatch import DispatchPolicy
from deskroom.core.limits import with_sentences

__all__ = ["BroadcastPolicy", "ChairPolicy", "Policy"]


def _as_tuple(ids: Sequence[str] | None) -> tuple[str, ...] | None:
    return tuple(ids) if isinstance(ids, list) else ids  # type: ignore[return-value]


def _are_texts(_instance: object, _attribute: object, ids: tuple[object, ...]) -> None:
    if not all(isinstance(id_, str) for id_ in ids):
        raise TypeError


@frozen(kw_only=True, field_transformer=with_sentences)
class ChairPolicy:
    """How often the chair may nudge, and for whom it speaks.

    ``rounds`` is the number of nudges it has; ``every`` makes it speak once each time that many
    turns have run since it last spoke (0: never); ``by`` is a person's id (default: the first).
    """

    rounds: int = field(default=0, validator=[instance_of(int), ge(0)])
    every: int = field(default=0, validator=[instance_of(int), ge(0)])
    by: str | None = field(default=None, validator=optional(instance_of(str)))


@frozen(kw_only=True, field_transformer=with_sentences)
class BroadcastPolicy:
    """Which router scores a broadcast and how many seats at most it goes to."""

    router: Literal["scripted", "lexical"] = field(
        default="scripted", validator=in_(("scripted", "lexical"))
    )
    width: int = field(default=2, validator=[instance_of(int), ge(1)])


@frozen(kw_only=True, field_transformer=with_sentences)
class Policy:
    """Everything a room's host decides by.

    Units are in the names: ``max_message_bytes`` counts UTF-8 bytes before trimming,
    ``turn_timeout_s`` seconds of the room's clock; ``window`` and ``history_limit`` count rows.
    """

    dispatch: DispatchPolicy = field(factory=DispatchPolicy, validator=instance_of(DispatchPolicy))
    aside: AsidePolicy = field(factory=AsidePolicy, validator=instance_of(AsidePolicy))
    on_refused_aside: Literal["refuse", "room"] = field(
        default="refuse", validator=in_(("refuse", "room"))
    )
    chair: ChairPolicy = field(factory=ChairPolicy, validator=instance_of(ChairPolicy))
    broadcast: BroadcastPolicy = field(
        factory=BroadcastPolicy, validator=instance_of(BroadcastPolicy)
    )
    close: Literal["first", "all"] = field(default="first", validator=in_(("first", "all")))
    participants: tuple[str, ...] | None = field(
        default=None,
        converter=_as_tuple,
        validator=optional([instance_of(tuple), _are_texts]),
    )
    max_turns: int = field(default=100, validator=[instance_of(int), ge(1)])
    window: int = field(default=30, validator=[instance_of(int), ge(0)])
    history_limit: int = field(default=512, validator=[instance_of(int), ge(0)])
    silence: Literal["yield", "retry"] = field(default="yield", validator=in_(("yield", "retry")))
    max_calls: int = field(default=16, validator=[instance_of(int), ge(0)])
    max_message_bytes: int = field(default=1_048_576, validator=[instance_of(int), ge(0)])
    turn_timeout_s: float = field(
        default=600, validator=[instance_of((int, float)), gt(0), le(1_000_000_000)]
    )
