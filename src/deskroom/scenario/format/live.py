"""Who plays seats live: the ``[live]`` table of a desk file, as values.

Only ``deskroom run`` starts anything of it. Whatever plays a scenario from its script (``replay``,
``check``, pytest) reads the table, says what is wrong in it, and leaves it alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal

from attrs import field, frozen
from attrs.validators import ge, gt, optional

__all__ = ["KEYS_OF_KIND", "LIVE_KEYS", "NEEDED_KEYS", "Kind", "Live", "LiveSeat"]

#: What plays a live seat.
Kind = Literal["mcp", "command", "chat", "person", "python"]

#: The keys that each kind takes beside ``kind``.
KEYS_OF_KIND: Final[Mapping[str, tuple[str, ...]]] = {
    "mcp": (),
    "command": ("command", "keep", "mcp", "env", "folder", "timeout_s", "max_output_bytes"),
    "chat": (
        "base_url",
        "model",
        "key_env",
        "temperature",
        "seed",
        "max_tokens",
        "retries",
        "timeout_s",
    ),
    "person": (),
    "python": ("function",),
}
#: Those without which it cannot play.
NEEDED_KEYS: Final[Mapping[str, tuple[str, ...]]] = {
    "command": ("command",),
    "chat": ("base_url", "model"),
    "python": ("function",),
}


@frozen(kw_only=True)
class LiveSeat:
    """What plays one seat. Which keys it takes, its kind says."""

    kind: Kind
    command: tuple[str, ...] = ()
    keep: bool = False
    mcp: bool = False
    env: Mapping[str, str] = field(factory=dict)
    folder: str | None = None
    timeout_s: float | None = field(default=None, validator=optional(gt(0)))
    max_output_bytes: int = field(default=16 * 1024 * 1024, validator=gt(0))
    base_url: str | None = None
    model: str | None = None
    key_env: str | None = None
    temperature: float | None = field(default=None, validator=optional(ge(0)))
    seed: int | None = None
    max_tokens: int | None = field(default=None, validator=optional(gt(0)))
    retries: int = field(default=2, validator=ge(0))
    function: str | None = None


@frozen(kw_only=True)
class Live:
    """Who plays seats live, by the seat's id, and which people attend the room at the terminal.

    A room that people attend waits for their words, at most ``person_timeout_s`` seconds, where it
    would otherwise close as quiet.
    """

    people: tuple[str, ...] = ()
    person_timeout_s: float = field(default=3600, validator=gt(0))
    seats: Mapping[str, LiveSeat] = field(factory=dict)


#: The keys of ``[live]`` that are no seat's, as long as their value is no table.
LIVE_KEYS: Final = ("people", "person_timeout_s")
