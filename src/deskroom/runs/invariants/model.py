"""What the rules need to know of a run so far, kept apart from the engine's own state."""

from __future__ import annotations

from collections import deque
from typing import NamedTuple

from attrs import define, field

from deskroom.core.audience import Audience
from deskroom.core.transcript import Row
from deskroom.engine.entries import EndEntry, RowEntry
from deskroom.engine.setup import Setup

__all__ = ["Held", "Model", "Next", "OpenTurn"]


class Next(NamedTuple):
    """Who is to get a turn, at which hop, and by which row."""

    seat: str
    hop: int
    trigger: int | None


class Held(NamedTuple):
    """What the last accepted call of a turn will become."""

    message: str
    audience: Audience
    completes: bool
    broadcasting: bool
    refusal: str | None
    addressed: tuple[str, ...]


@define
class OpenTurn:
    """A turn from its grant to its end, or for its retry."""

    number: int
    attempt: int
    seat: str
    hop: int
    trigger: int | None
    cue: int | None
    calls: int = 0
    refused: bool = False
    excess: bool = False
    held: Held | None = None
    is_retry: bool = False
    granted_at: int = 0
    since: int | None = None


@define
class Model:
    """The run so far, in the words of scenarios.md."""

    setup: Setup = field(eq=False)
    rows: list[Row] = field(factory=list)
    entries: list[RowEntry] = field(factory=list)
    granted: int = 0
    open: OpenTurn | None = None
    retry: OpenTurn | None = None
    last: OpenTurn | None = None
    pending: Next | None = None
    queue: deque[Next] = field(factory=deque)
    files: RowEntry | EndEntry | None = None
    unrouted: RowEntry | None = None
    interrupted: bool = False
    nudges: int = 0
    since_chair: int = 0
    nudged: bool = False
    spoken: dict[str, None] = field(factory=dict)
    last_author: str | None = None
    completions: int = 0
    done: dict[str, None] = field(factory=dict)
    closed: str | None = None
    #: Which seat had each turn and attempt, and how many calls it made.
    had: dict[tuple[int, int], tuple[str, int]] = field(factory=dict)
    last_grant: dict[str, int] = field(factory=dict)
    routed: dict[int, tuple[int, tuple[str, ...]]] = field(factory=dict)
    #: The length of the run of private rows at the end, and each party's unreported aside.
    spent: int = 0
    unreported: dict[frozenset[str], bool] = field(factory=dict)
    private: list[Row] = field(factory=list)
    played: bytearray = field(factory=bytearray)
    head: int = 0
    cues_left: dict[str, list[int]] = field(factory=dict)

    def __attrs_post_init__(self) -> None:
        script = self.setup.script
        if script is None:
            return
        self.played = bytearray(len(script.cues))
        self.cues_left = {seat: [*cues] for seat, cues in script.of_seats.items()}

    @property
    def is_listed(self) -> bool:
        """Whether a list decides who is next."""
        return self.setup.script is not None and self.setup.script.listed

    def next_cue(self, seat: str) -> int | None:
        """Return the next listed turn of a seat."""
        left = self.cues_left.get(seat)
        return left[-1] if left else None

    def due_person(self) -> int | None:
        """Return the listed turn of a person whose time has come."""
        script = self.setup.script
        if script is None or self.head >= len(self.played):
            return None
        return self.head if script.cues[self.head].person is not None else None

    def play(self, cue: int | None) -> None:
        """Count a listed turn as played."""
        script = self.setup.script
        if cue is None or script is None or not 0 <= cue < len(self.played):
            return
        self.played[cue] = 1
        seat = script.cues[cue].seat
        if seat is not None and cue in self.cues_left.get(seat, ()):
            self.cues_left[seat].remove(cue)
        while self.head < len(self.played) and self.played[self.head]:
            self.head += 1

    @property
    def is_completed(self) -> bool:
        """Whether the rule for completion is met."""
        policy = self.setup.policy
        if not self.completions:
            return False
        wanted = self.setup.active if policy.participants is None else policy.participants
        return policy.close == "first" or all(seat in self.done for seat in wanted)

    def is_unsettled(self, author: str, addressed: tuple[str, ...]) -> bool:
        """Whether a party owes the desk a row before its next aside (semantics, section 6)."""
        party = frozenset((*addressed, author))
        if party == frozenset((author,)):
            return False
        if self.rows and party == _party(self.rows[-1]):
            return False  # the same party goes on
        return party in self.unreported

    def add(self, entry: RowEntry) -> None:
        """Count a row in."""
        row = entry.row
        self.rows.append(row)
        self.entries.append(entry)
        if row.audience.kind == "desk":
            self.spent = 0
            if row.author.type == "agent" and self.unreported:
                author = row.author.id
                for party in [party for party in self.unreported if author in party]:
                    del self.unreported[party]
            return
        self.spent += 1
        self.private.append(row)
        if row.author.type == "agent":
            self.unreported[frozenset((*row.audience.members, row.author.id or ""))] = True


def _party(row: Row) -> frozenset[str] | None:
    """Return the party of a seat's aside: its author and its members."""
    if row.audience.kind == "desk" or row.author.type != "agent":
        return None
    return frozenset((*row.audience.members, row.author.id or ""))
