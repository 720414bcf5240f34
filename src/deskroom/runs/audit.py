"""Where a transcript leaves the rules: each row held against who spoke next.

It answers what the host would have decided after a row that really stands there, and does not play
the room anew: the rows stay what they are, whatever policy is asked about. The verdicts, in the
order in which they are looked for:

``system``       the row says what the system did (files), so nobody answers it
``hidden``       the viewer may not read the row, so what it decided is not known
``last``         nobody spoke after it
``person``       a person, the chair or the operator spoke next: they may at any time
``follows``      a seat spoke next to which the turn was to go: whom the row hands it to, or one
                 that a broadcast went to and that still waited, in any order
``same_seat``    the row's own author went on: elsewhere one turn can give several rows
``closed``       the room would have closed here: the work was complete, or ``max_turns`` was reached
``nobody``       the row hands the turn to nobody, and a seat spoke all the same
``unexplained``  another seat spoke than the one that the row hands the turn to

The last three are where a transcript leaves the rules. Rows about files are passed over in looking
for who spoke next.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, Literal

from attrs import field, frozen

from deskroom.core import OPERATOR, Author, TurnFor, Viewer
from deskroom.core.reasons import RowKind
from deskroom.engine.policy import Policy
from deskroom.runs.audit_claims import MARKS, Claim, Mark, claims_of
from deskroom.runs.audit_desk import setup_of
from deskroom.runs.audit_host import Judged, judge_rows
from deskroom.runs.audit_named import Naming, namings_of, silent_seats
from deskroom.runs.audit_words import Repeat, repeats_of
from deskroom.runs.values import audience_value
from deskroom.runs.view import RunView, ViewItem, narrowed, tells

__all__ = ["DIVERGES", "VERDICTS", "Audit", "AuditRow", "Verdict", "audit_run", "changed_rows"]

Verdict = Literal[
    "follows",
    "same_seat",
    "person",
    "nobody",
    "unexplained",
    "closed",
    "last",
    "hidden",
    "system",
]

#: The verdicts on a row that somebody spoke after, in the order in which they are shown.
VERDICTS: Final[tuple[Verdict, ...]] = (
    "follows",
    "same_seat",
    "person",
    "nobody",
    "unexplained",
    "closed",
)
#: Those with which a transcript leaves the rules.
DIVERGES: Final[frozenset[Verdict]] = frozenset({"nobody", "unexplained", "closed"})


@frozen(kw_only=True)
class AuditRow:
    """A row, what the host would have decided after it, and who spoke next.

    ``next`` is a seat, the recipients of a broadcast, or ``{"none": reason}``; None where the viewer
    may not know it. ``spoke`` is who spoke next, in row ``spoke_row``. ``handoff`` is whom the
    source handed the turn to beside the text. ``nudged`` is the seat that the chair would have
    spoken to before anybody else; ``closes`` why the room would have closed; ``refusal`` why
    another policy would have refused the message.
    """

    sequence: int
    place: str
    line: int | None
    author: Author
    audience: str | list[str]
    kind: str | None
    next: Any
    why: str | None
    verdict: Verdict
    hop: int | None = None
    spoke: Author | None = None
    spoke_row: int | None = None
    handoff: str | None = None
    nudged: str | None = None
    closes: str | None = None
    refusal: str | None = None

    @property
    def decided(self) -> tuple[object, ...]:
        """What a policy decides of it."""
        return repr(self.next), self.nudged, self.closes, self.refusal


@frozen(kw_only=True)
class Audit:
    """What an audit found, for one viewer.

    ``total`` counts rows, hidden ones too; ``judged`` those after which somebody spoke and which
    may be read; ``counts`` has a number for each of ``VERDICTS``. ``first`` is the first row with
    which the transcript leaves the rules. ``is_derived`` says that the desk was made of those who
    speak, ``silent`` which seats have no row. ``left_out`` counts asides that were not compared,
    because there were too many words.
    """

    path: str
    kind: str
    viewer: Viewer
    seats: tuple[str, ...]
    people: tuple[str, ...]
    is_derived: bool
    policy: Policy = field(repr=False)
    rows: tuple[AuditRow, ...] = field(repr=False)
    total: int
    asides: int
    silent: tuple[str, ...] = ()
    named: tuple[Naming, ...] = field(default=(), repr=False)
    repeats: tuple[Repeat, ...] = ()
    left_out: int = 0
    claims: tuple[Claim, ...] = ()

    @property
    def counts(self) -> Mapping[Verdict, int]:
        """How many rows have each verdict, for rows after which somebody spoke."""
        return {one: sum(row.verdict == one for row in self.rows) for one in VERDICTS}

    @property
    def judged(self) -> int:
        """How many rows could be held against who spoke next."""
        return sum(self.counts.values())

    @property
    def first(self) -> AuditRow | None:
        """The first row with which the transcript leaves the rules, or None where it never does."""
        return next((row for row in self.rows if row.verdict in DIVERGES), None)

    def first_of(self, verdict: Verdict) -> AuditRow | None:
        """Return the first row with a verdict, or None."""
        return next((row for row in self.rows if row.verdict == verdict), None)

    @property
    def unanswered(self) -> tuple[Naming, ...]:
        """The namings after which the seat never spoke."""
        return tuple(one for one in self.named if one.answer is None)


def audit_run(
    whole: RunView,
    viewer: Viewer = OPERATOR,
    *,
    policy: Policy | None = None,
    handoffs: bool = False,
    marks: Sequence[Mark] = MARKS,
) -> Audit:
    """Audit a whole run, and return what a viewer may know of what was found.

    ``policy`` is another one to decide by than the run's own. ``handoffs`` counts hand-offs that
    the source recorded as addresses; ``marks`` are what a claim of completion is recognised by.
    Raises ``UsageError`` for a policy that the desk cannot have.
    """
    setup = setup_of(whole, policy)
    judged = {one.sequence: one for one in judge_rows(whole, policy, handoffs=handoffs)}
    view = narrowed(whole, viewer)
    readable = [item.row for item in view.items if item.row is not None]
    repeats, left_out = repeats_of(readable)
    counted = frozenset(setup.policy.participants or setup.active)
    return Audit(
        path=view.path,
        kind=view.kind,
        viewer=viewer,
        seats=tuple(setup.by_id),
        people=tuple(person.id for person in setup.people),
        is_derived=whole.directory is None,
        policy=setup.policy,
        rows=tuple(_rows(view, judged)),
        total=sum(item.hidden or 1 for item in view.items if item.is_row),
        asides=sum(item.hidden or 1 for item in view.items if _is_aside(item)),
        silent=silent_seats(view.items, setup.active),
        named=tuple(namings_of(view.items, judged)),
        repeats=repeats,
        left_out=left_out,
        claims=tuple(
            claims_of(view.items, marks, counted if setup.policy.close == "all" else None)
        ),
    )


def changed_rows(before: Audit, after: Audit) -> tuple[tuple[AuditRow, AuditRow], ...]:
    """Return the rows of one transcript about which two policies decide otherwise."""
    pairs = zip(before.rows, after.rows, strict=True)
    return tuple((one, other) for one, other in pairs if one.decided != other.decided)


def _is_aside(item: ViewItem) -> bool:
    seen = item.row or item.stub
    return seen is not None and seen.audience.kind == "aside"


# --- row by row --------------------------------------------------------------------------------


def _rows(view: RunView, judged: Mapping[int, Judged]) -> Iterator[AuditRow]:
    rows = [item for item in view.items if item.is_row]
    speakers = _next_speakers(rows)
    readable = {item.sequence for item in rows if item.row is not None}
    for item, spoken in zip(rows, speakers, strict=True):
        one = judged.get(item.sequence or 0) if item.row is not None else None
        handed = {} if view.header is None else view.header.handoffs
        yield _row(item, spoken, one, view.viewer, readable, handed)


def _next_speakers(rows: Sequence[ViewItem]) -> list[ViewItem | None]:
    """Return for each row the next one that somebody said."""
    found: list[ViewItem | None] = []
    following: ViewItem | None = None
    for item in reversed(rows):
        found.append(following)
        if _author(item).type != "system":
            following = item
    return found[::-1]


def _author(item: ViewItem) -> Author:
    seen = item.row or item.stub
    assert seen is not None  # noqa: S101 - every row is one or the other
    return seen.author


def _row(
    item: ViewItem,
    spoken: ViewItem | None,
    judged: Judged | None,
    viewer: Viewer,
    readable: set[int | None],
    handed: Mapping[int, str],
) -> AuditRow:
    seen = item.row or item.stub
    assert seen is not None  # noqa: S101 - every row is one or the other
    spoke = None if spoken is None else _author(spoken)
    sequence = item.sequence or 0
    is_operator = viewer == OPERATOR
    return AuditRow(
        sequence=sequence,
        place=item.place,
        line=item.line,
        author=seen.author,
        audience=audience_value(seen.audience),
        kind=item.facts.get("kind"),
        next=None if judged is None else _next(judged),
        why=None if judged is None else judged.why,
        verdict=_verdict(item, spoke, judged, readable),
        hop=None if judged is None else judged.hop,
        spoke=spoke,
        spoke_row=None if spoken is None else spoken.sequence,
        handoff=handed.get(sequence) if item.row is not None else None,
        # Whom the chair turns to tells who has spoken, also where that may not be known.
        nudged=judged.nudged if judged is not None and is_operator else None,
        closes=None if judged is None else judged.closes,
        refusal=judged.refusal if judged and tells(viewer, seen.author.id) else None,
    )


def _next(judged: Judged) -> Any:  # noqa: ANN401 - a value of the file format
    if judged.recipients:
        return list(judged.recipients)
    if isinstance(judged.decision, TurnFor):
        return judged.decision.target_id
    return {"none": str(judged.decision.reason)}


def _verdict(
    item: ViewItem, spoke: Author | None, judged: Judged | None, readable: set[int | None]
) -> Verdict:
    if _author(item).type == "system" or item.facts.get("kind") == RowKind.WROTE:
        return "system"
    if item.row is None or judged is None:
        return "hidden"
    if spoke is None:
        return "last"
    if spoke.type != "agent":
        return "person"
    if spoke.id in _due(judged, readable) and judged.closes is None:
        return "follows"
    if spoke == _author(item):
        return "same_seat"
    if judged.closes is not None:
        return "closed"
    return "unexplained" if _due(judged, readable) else "nobody"


def _due(judged: Judged, readable: set[int | None]) -> tuple[str, ...]:
    """Return the seats that the turn may go to; of a broadcast that may not be read, none."""
    waiting = [seat for seat, sequence in judged.waiting if sequence in readable]
    if isinstance(judged.decision, TurnFor):
        return (judged.decision.target_id, *waiting)
    return (*judged.recipients, *judged.candidates, *waiting)
