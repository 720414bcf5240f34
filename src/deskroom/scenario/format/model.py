"""A scenario as values: what the file says, with the defaults of the format filled in.

TOML has no null, so None always means that the file does not have the key. The names are the
file's keys; ``places`` are where an expectation stands, so that a mismatch can point at it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import StrEnum
from types import NoneType, UnionType
from typing import Any, Final, Literal, Union, get_args, get_origin

from attrs import evolve, field, fields, frozen
from attrs.validators import ge, instance_of, le, optional

from deskroom.core.reasons import AsideReason, CallFault, CloseReason, NoTurnReason, Outcome
from deskroom.core.roster import Desk, DeskSet, Member, Person, Roster
from deskroom.engine.policy import Policy
from deskroom.engine.setup import Seat
from deskroom.runs.properties.property import Property
from deskroom.scenario.format.explore import Explore
from deskroom.scenario.format.live import Live
from deskroom.scenario.format.position import KeyPath, Place
from deskroom.scenario.format.toml import Document, Location, Places

__all__ = [
    "DOES_KEYS",
    "EXPECTS_NOTHING",
    "FROM_LOADER",
    "MAX_TURNS",
    "ROW_KEYS",
    "Alternative",
    "Call",
    "DeskSpec",
    "Meanwhile",
    "Nobody",
    "Opening",
    "OpeningExpect",
    "Order",
    "RefusalReason",
    "ReplyCode",
    "RunExpect",
    "Scenario",
    "Turn",
    "TurnExpect",
    "choices_of",
    "expect_nothing",
]

#: A file may list so many turns, every copy of a repeated one counted.
MAX_TURNS = 1_000_000

#: What can be expected of a row, and so only of a turn that has one.
ROW_KEYS: Final = ("content", "audience", "mentions", "next", "completes")

#: What is told of a scenario that expects nothing.
EXPECTS_NOTHING: Final = (
    "this scenario expects nothing; deskroom replay --pin writes what comes out into it"
)

#: Who decides the next turn: the list, or the host alone.
Order = Literal["listed", "routed"]
#: Why a call is refused, or why a private message went to the desk.
RefusalReason = CallFault | AsideReason
#: What a call is answered with.
ReplyCode = Literal["ok"] | RefusalReason

#: In the metadata of an attribute that is no key of the file: what the loader makes it from the
#: document, the path of the table and the table.
FROM_LOADER = "from_loader"

_TOP = Place(1, 1)
_COUNT = optional([instance_of(int), ge(0)])


def _location(document: Document, path: KeyPath, _: Mapping[str, Any]) -> Location:
    return Location(document, path)


def _number(_document: Document, path: KeyPath, _: Mapping[str, Any]) -> int:
    """Return the position of a turn in the file, from 1."""
    return int(path[-1]) + 1


def _label(_document: Document, path: KeyPath, _: Mapping[str, Any]) -> str:
    return str(int(path[-1]) + 1)


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
    refusal: RefusalReason | None = None
    replies: tuple[ReplyCode, ...] | None = None
    row: Literal[False] | None = None
    outcome: Outcome | None = None
    places: Mapping[str, Place] = field(
        factory=dict, eq=False, repr=False, metadata={FROM_LOADER: Places}
    )


@frozen(kw_only=True)
class OpeningExpect:
    """What must come out of the opening row."""

    next: Next | None = None
    places: Mapping[str, Place] = field(
        factory=dict, eq=False, repr=False, metadata={FROM_LOADER: Places}
    )


@frozen(kw_only=True)
class RunExpect:
    """What must come out of the whole run."""

    rows: int | None = field(default=None, validator=_COUNT)
    turns: int | None = field(default=None, validator=_COUNT)
    nudges: int | None = field(default=None, validator=_COUNT)
    asides: int | None = field(default=None, validator=_COUNT)
    closed: CloseReason | None = None
    places: Mapping[str, Place] = field(
        factory=dict, eq=False, repr=False, metadata={FROM_LOADER: Places}
    )


# --- what is played ----------------------------------------------------------------------------


@frozen(kw_only=True)
class Call:
    """One call of a seat. The arguments are as in the file: only the host judges them."""

    tool: str
    arguments: Mapping[str, Any] = field(factory=dict)


@frozen(kw_only=True)
class Meanwhile:
    """What a person says in the middle of a seat's turn.

    It is said once the seat has made ``at`` calls (after the last one, if there are fewer), or
    once the turn has ended.
    """

    person: str
    say: str
    at: int | Literal["end"] = 0


@frozen(kw_only=True)
class Alternative:
    """One thing that a seat may do in a turn: the keys of a turn that say what happens in it."""

    say: str | None = None
    calls: tuple[Call, ...] = ()
    text: str | None = None
    takes: float = field(default=0, validator=ge(0))
    crash: str | None = None
    late: tuple[Call, ...] = ()
    meanwhile: tuple[Meanwhile, ...] = ()
    wrote: tuple[str, ...] = ()
    scores: Mapping[str, float] = field(factory=dict)


#: The keys of a turn that say what happens in it.
DOES_KEYS: Final = tuple(one.name for one in fields(Alternative))


@frozen(kw_only=True)
class Opening:
    """One desk row by a person, before turn 1."""

    by: str
    message: str
    expect: OpeningExpect | None = None
    location: Location | None = field(
        default=None, eq=False, repr=False, metadata={FROM_LOADER: _location}
    )

    @property
    def place(self) -> Place:
        """Where it stands in the file."""
        return _TOP if self.location is None else self.location.place


@frozen(kw_only=True)
class Turn:
    """One listed turn, of a seat or of a person.

    ``number`` is its 1-based position in the file and ``label`` its name: ``4``, or ``4.2`` for
    the second copy of a repeated turn. ``takes`` is in seconds of the room's clock. Of ``one_of``
    the first is played, and stands in the turn's own attributes as well; exploring draws any.
    """

    seat: str | None = None
    person: str | None = None
    say: str | None = None
    calls: tuple[Call, ...] = ()
    text: str | None = None
    takes: float = field(default=0, validator=ge(0))
    crash: str | None = None
    late: tuple[Call, ...] = ()
    meanwhile: tuple[Meanwhile, ...] = ()
    wrote: tuple[str, ...] = ()
    scores: Mapping[str, float] = field(factory=dict)
    one_of: tuple[Alternative, ...] = ()
    repeat: int = field(default=1, validator=[ge(1), le(MAX_TURNS)])
    expect: TurnExpect | None = None
    number: int = field(default=0, metadata={FROM_LOADER: _number})
    label: str = field(default="", metadata={FROM_LOADER: _label})
    location: Location | None = field(
        default=None, eq=False, repr=False, metadata={FROM_LOADER: _location}
    )

    @property
    def place(self) -> Place:
        """Where it stands in the file."""
        return _TOP if self.location is None else self.location.place

    def doing(self, alternative: Alternative) -> Turn:
        """Return this turn as one of its alternatives has it."""
        return evolve(self, **{key: getattr(alternative, key) for key in DOES_KEYS})


@frozen(kw_only=True)
class Scenario:
    """One scenario file. ``path`` is as the user gave it; ``digest`` names its text (SHA-256).

    ``kill`` are the lines of the journal behind which the process is killed, and the room resumed.
    With ``invariants`` a replay also checks what holds in every run. ``explore`` says how the file
    is explored; ``live`` who plays seats when it is run as a live desk: nothing else looks at them.
    """

    format: int = 1
    title: str = ""
    why: str = ""
    order: Order = "listed"
    desk: DeskSpec
    policy: Policy = field(factory=Policy)
    opening: Opening | None = None
    turns: tuple[Turn, ...]
    expect: RunExpect | None = None
    properties: tuple[Property, ...] = ()
    kill: tuple[int, ...] = ()
    invariants: bool = False
    explore: Explore | None = None
    live: Live | None = None
    path: str = "<text>"
    digest: str = ""
    kill_place: Place | None = field(default=None, eq=False, repr=False)
    invariants_place: Place | None = field(default=None, eq=False, repr=False)

    @property
    def expects_nothing(self) -> bool:
        """Whether whatever comes out is as expected, but for who is next in routed order."""
        if self.properties or self.invariants:
            return False
        return expect_nothing(self.opening, self.turns, self.expect)


def expect_nothing(
    opening: Opening | None, turns: Iterable[Turn], expect: RunExpect | None
) -> bool:
    """Whether the parts of a scenario expect nothing at all: there is no block, or it is empty."""
    return (
        (expect is None or expect == RunExpect())
        and (opening is None or opening.expect is None or opening.expect.next is None)
        and all(turn.expect is None or turn.expect == TurnExpect() for turn in turns)
    )


def choices_of(type_: Any) -> dict[str, object]:  # noqa: ANN401 - any annotation of the model
    """Return the values of an enum, of a ``Literal`` or of a union of these, by their strings.

    Of any other type there are none.
    """
    if isinstance(type_, type) and issubclass(type_, StrEnum):
        return {member.value: member for member in type_}
    arguments = [argument for argument in get_args(type_) if argument is not NoneType]
    if get_origin(type_) is Literal:
        return {value: value for value in arguments if isinstance(value, str)}
    if get_origin(type_) not in {Union, UnionType}:
        return {}
    members = [choices_of(argument) for argument in arguments]
    merged = {name: value for member in members for name, value in member.items()}
    return merged if all(members) else {}
