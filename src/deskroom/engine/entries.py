"""What a room writes down, in order. A room's state is the fold of its entries.

One entry holds everything that must not come apart: a row with its trigger and its decision, a
call with its reply. ``RoomState.apply`` is the fold; live rooms, resumed rooms and readers of
journals all run it, and an entry carries all that it needs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, Protocol, Self

from attrs import field, frozen

from deskroom.core.dispatch import Decision
from deskroom.core.mention import Mention
from deskroom.core.reasons import OK, CloseReason, Outcome, RowKind
from deskroom.core.transcript import Row
from deskroom.engine.setup import Setup

if TYPE_CHECKING:
    from deskroom.engine.calls import Verdict

__all__ = [
    "CallEntry",
    "CloseEntry",
    "EndEntry",
    "Entry",
    "ExcessEntry",
    "HeaderEntry",
    "Journal",
    "MemoryJournal",
    "Raised",
    "RoutedEntry",
    "RowEntry",
    "TurnEntry",
    "UsageEntry",
]


@frozen
class HeaderEntry:
    """What the room is made of: the first entry.

    ``scenario`` is the digest of its script; ``own_router`` says that the room's user scores its
    broadcasts, and not the router that the policy names.
    """

    setup: Setup
    scenario: str | None = None
    own_router: bool = False


@frozen
class TurnEntry:
    """A turn is granted. ``trigger`` is a sequence; ``cue`` the place in a script, if any.

    ``attempt`` counts the grants of one turn from 1: a retry, or a turn that a crash cut short.
    """

    turn: int
    seat: str
    hop: int
    trigger: int | None
    attempt: int = 1
    cue: int | None = None


@frozen
class CallEntry:
    """A call was answered.

    Of a refused call that is very long, ``tool`` and ``arguments`` hold what ``engine/kept.py`` says.

    ``call_id`` counts the calls of a turn from 1; it is 0 for a turn that was never the seat's, and
    for a message that was read out of a ``fence`` seat's text. ``reply`` is ``ok`` or the reason of
    the refusal; ``late`` says that no turn of the seat was open. ``verdict`` is what was judged,
    where it is at hand; it is not written down, since judging the call again gives the same.
    """

    turn: int
    attempt: int
    seat: str
    call_id: int
    tool: Any
    arguments: Any = field(repr=False)
    reply: str = OK
    late: bool = False
    source: Literal["call", "fence"] = "call"
    verdict: Verdict | None = field(default=None, eq=False, repr=False)


@frozen
class ExcessEntry:
    """Calls of a turn after the first that was one too many. They were refused alike.

    They are only counted, in one entry before the turn's end, so that a seat that calls for ever
    cannot fill a journal.
    """

    turn: int
    attempt: int
    seat: str
    calls: int


@frozen
class UsageEntry:
    """What a turn took of a model, as far as its seat said: written before the turn's end.

    ``requests`` were answered, and took ``seconds`` together. Nothing is decided by it.
    """

    turn: int
    attempt: int
    seat: str
    requests: int
    tokens_in: int
    tokens_out: int
    seconds: float


@frozen
class Raised:
    """What a seat raised: the name of the exception's class, and its text."""

    type: str
    text: str = field(repr=False)

    @classmethod
    def of(cls, error: BaseException) -> Self:
        """Describe an exception. Even its own text may raise; then there is none."""
        try:
            text = str(error)
        except Exception:  # noqa: BLE001 - whatever a seat raises costs its own turn
            text = ""
        return cls(type(error).__name__, text)

    def __str__(self) -> str:
        return f"{self.type}: {self.text}" if self.text else self.type


@frozen
class EndEntry:
    """A turn ended without a row; a turn that spoke is ended by its row, in one piece.

    ``text`` is what the seat said outside any call, ``wrote`` the paths it left behind, ``error``
    what it raised. None of them is a row, so no seat ever reads them.
    """

    turn: int
    attempt: int
    seat: str
    outcome: Outcome
    text: str = field(default="", repr=False)
    wrote: tuple[str, ...] = ()
    error: Raised | None = field(default=None, repr=False)


@frozen
class RowEntry:
    """A row with what triggered it and what was decided after it, in one piece.

    ``turn`` is the turn that made it, for a row by a seat or about its files; ``cue`` the place in
    a script, for a person's row; ``wrote`` the paths that a seat's turn left behind, and ``text``
    what the seat said outside its calls.
    """

    row: Row
    kind: RowKind
    decision: Decision
    mentions: tuple[Mention, ...] = ()
    turn: int | None = None
    trigger: int | None = None
    completes: bool = False
    broadcasting: bool = False
    refusal: str | None = None
    cue: int | None = None
    wrote: tuple[str, ...] = ()
    text: str = field(default="", repr=False)


@frozen
class RoutedEntry:
    """Who a broadcast goes to, in grant order; ``hop`` is the hop of those turns.

    ``scores`` are the router's, by candidate; empty where nobody could be reached and no router
    was asked.
    """

    sequence: int
    scores: tuple[tuple[str, float], ...]
    recipients: tuple[str, ...]
    hop: int


@frozen
class CloseEntry:
    """The room closed."""

    reason: CloseReason


Entry = (
    HeaderEntry
    | TurnEntry
    | CallEntry
    | ExcessEntry
    | UsageEntry
    | EndEntry
    | RowEntry
    | RoutedEntry
    | CloseEntry
)


class Journal(Protocol):
    """Where a room's entries go. An entry is written before anybody acts on it."""

    def write(self, entry: Entry) -> None:
        """Append one entry. Raises ``RoomFailure`` when it cannot be kept."""
        ...


class MemoryJournal:
    """A journal that keeps its entries in memory, and in another journal first if there is one."""

    def __init__(self, journal: Journal | None = None) -> None:
        self.entries: list[Entry] = []
        self._journal = journal

    def write(self, entry: Entry) -> None:
        """Keep one entry. Raises what the other journal raises."""
        if self._journal is not None:
            self._journal.write(entry)
        self.entries.append(entry)
