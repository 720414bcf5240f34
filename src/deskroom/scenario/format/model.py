"""A scenario as values: what the file says, with the defaults of the format filled in.

TOML has no null, so None always means that the file does not say. The names are the file's keys;
``places`` tell where an expectation stands, so that a mismatch can point at it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from attrs import field, frozen
from attrs.validators import ge, instance_of, le, optional

from deskroom.core.reasons import CloseReason, Outcome
from deskroom.core.roster import Desk, DeskSet, Member, Person, Roster
from deskroom.engine.policy import Policy
from deskroom.engine.setup import Seat
from deskroom.scenario.format.position import Place
from deskroom.scenario.format.toml import Spot
from deskroom.scenario.format.words import NoTurnReason, Order, RefusalWord, ReplyWord

__all__ = [
    "FROM_LOADER",
    "MAX_TURNS",
    "Call",
    "DeskSpec",
    "Nobody",
    "Opening",
    "OpeningExpect",
    "RunExpect",
    "Scenario",
    "Turn",
    "TurnExpect",
]

#: A file may list so many turns, every copy of a repeated one counted.
MAX_TURNS = 1_000_000

#: In the metadata of an attribute that the loader fills, and that is no key of the file.
FROM_LOADER = "from_loader"

_TOP = Place(1, 1)
_COUNT = optional([instance_of(int), ge(0)])
_OURS = {FROM_LOADER: True}


# --- who is there ------------------------------------------------------------------------------


@frozen(kw_only=True)
class DeskSpec:
    """The one desk of a scenario: its seats in order, and the people who may speak at it."""

    id: str
    name: str
    seats: tuple[Seat, ...] = ()
    people: tuple[Person, ...] = ()

    def roster(self) -> Roster:
        """Return everyone who can be addressed. It is not validated here."""
        return Roster(
            members=tuple(Member(seat.id, seat.name) for seat in self.seats),
            people=self.people,
            retired=tuple(seat.id for seat in self.seats if seat.retired),
        )

    def desks(self) -> DeskSet:
        """Return the set of this one desk, whose members are the seats in order."""
        return DeskSet((Desk(self.id, self.name, tuple(seat.id for seat in self.seats)),))


# --- what is expected --------------------------------------------------------------------------


@frozen(kw_only=True)
class Nobody:
    """``next = { none = reason }``: the row starts no turn, for this reason."""

    none: NoTurnReason


#: A seat id, nobody and why, or the recipients of a broadcast in grant order.
Next = str | Nobody | tuple[str, ...]


@frozen(kw_only=True)
class TurnExpect:
    """What must come out of one turn; ``row`` is False or unsaid."""

    content: str | None = None
    audience: Literal["desk"] | tuple[str, ...] | None = None
    mentions: tuple[str, ...] | None = None
    next: Next | None = None
    completes: bool | None = None
    refusal: RefusalWord | None = None
    replies: tuple[ReplyWord, ...] | None = None
    row: Literal[False] | None = None
    outcome: Outcome | None = None
    places: Mapping[str, Place] = field(factory=dict, eq=False, repr=False, metadata=_OURS)


@frozen(kw_only=True)
class OpeningExpect:
    """What must come out of the opening row."""

    next: Next | None = None
    places: Mapping[str, Place] = field(factory=dict, eq=False, repr=False, metadata=_OURS)


@frozen(kw_only=True)
class RunExpect:
    """What must come out of the whole run."""

    rows: int | None = field(default=None, validator=_COUNT)
    turns: int | None = field(default=None, validator=_COUNT)
    nudges: int | None = field(default=None, validator=_COUNT)
    asides: int | None = field(default=None, validator=_COUNT)
    closed: CloseReason | None = None
    places: Mapping[str, Place] = field(factory=dict, eq=False, repr=False, metadata=_OURS)


# --- what is played ----------------------------------------------------------------------------


@frozen(kw_only=True)
class Call:
    """One call of a seat. The arguments are as in the file: only the host judges them."""

    tool: str
    arguments: Mapping[str, Any] = field(factory=dict)


@frozen(kw_only=True)
class Opening:
    """One desk row by a person, before turn 1."""

    by: str
    message: str
    expect: OpeningExpect | None = None
    spot: Spot | None = field(default=None, eq=False, repr=False, metadata=_OURS)

    @property
    def place(self) -> Place:
        """Where it stands in the file."""
        return _TOP if self.spot is None else self.spot.place


@frozen(kw_only=True)
class Turn:
    """One listed turn, of a seat or of a person.

    ``number`` is its 1-based position in the file and ``label`` its name: ``4``, or ``4.2`` for
    the second copy of a repeated turn. ``takes`` is in seconds of the room's clock.
    """

    seat: str | None = None
    person: str | None = None
    say: str | None = None
    calls: tuple[Call, ...] = ()
    text: str | None = None
    takes: float = field(default=0, validator=ge(0))
    crash: str | None = None
    late: tuple[Call, ...] = ()
    wrote: tuple[str, ...] = ()
    scores: Mapping[str, float] = field(factory=dict)
    repeat: int = field(default=1, validator=[ge(1), le(MAX_TURNS)])
    expect: TurnExpect | None = None
    number: int = field(default=0, metadata=_OURS)
    label: str = field(default="", metadata=_OURS)
    spot: Spot | None = field(default=None, eq=False, repr=False, metadata=_OURS)

    @property
    def place(self) -> Place:
        """Where it stands in the file."""
        return _TOP if self.spot is None else self.spot.place


@frozen(kw_only=True)
class Scenario:
    """One scenario file. ``path`` is as the user gave it; ``digest`` names its text (SHA-256)."""

    format: int = 1
    title: str = ""
    why: str = ""
    order: Order = "listed"
    desk: DeskSpec
    policy: Policy = field(factory=Policy)
    opening: Opening | None = None
    turns: tuple[Turn, ...]
    expect: RunExpect | None = None
    path: str = "<text>"
    digest: str = ""
