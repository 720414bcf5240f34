"""What a test asks of rows and decisions, in the short form that the assertions take."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from types import EllipsisType
from typing import Any, Final

from attrs import frozen

from deskroom.core import Author
from deskroom.core.reasons import NoTurnReason
from deskroom.engine.entries import RowEntry
from deskroom.engine.setup import Setup
from deskroom.errors import UsageError, hint
from deskroom.render.text import shortened, value_text
from deskroom.runs.run import RunItem
from deskroom.runs.values import audience_value, author_value, next_of
from deskroom.scenario import Nobody
from deskroom.scenario.play.expect import file_value, holds

__all__ = [
    "NextSpec",
    "RowSpec",
    "WantedNext",
    "WantedRow",
    "check_known",
    "next_as_spec",
    "row_as_spec",
    "shown",
]

#: A row, as ``assert_rows`` takes it.
RowSpec = (
    EllipsisType
    | tuple[str | EllipsisType, str | EllipsisType]
    | tuple[str | EllipsisType, str | Sequence[str] | EllipsisType, str | EllipsisType]
)
#: A decision, as ``assert_next`` takes it.
NextSpec = str | Sequence[str] | Mapping[str, str] | Nobody | EllipsisType | None

_SHORT: Final = 240
_ROW_FORM: Final = "a row is asked for as (author, content) or (author, audience, content)"
_NEXT_FORM: Final = "a decision is asked for as a seat, a list of seats, None or a reason"


@frozen
class WantedRow:
    """A row as it was asked for; ``...`` fits anything."""

    author: str | EllipsisType = ...
    audience: str | list[str] | EllipsisType = ...
    content: str | EllipsisType = ...

    @classmethod
    def of(cls, spec: RowSpec) -> WantedRow:
        """Read a spec. Raises ``UsageError`` for what is none."""
        match spec:
            case EllipsisType():
                return cls()
            case (str() | EllipsisType() as author, str() | EllipsisType() as content):
                return cls(author, "desk", content)
            case (str() | EllipsisType() as author, audience, str() | EllipsisType() as content):
                return cls(author, _audience(audience), content)
        raise UsageError(f"{_ROW_FORM}, not as {spec!r}")

    def is_by(self, author: Author, seats: Collection[str]) -> bool:
        """Whether this names an author. An id alone is a seat's before it is a person's."""
        if self.author in {..., author_value(author)}:
            return True
        return self.author == author.id and self.author not in seats

    def __str__(self) -> str:
        parts = [self.author, self.content]
        if self.audience != "desk":
            parts.insert(1, self.audience)  # type: ignore[arg-type]
        return _row(map(shown, parts))


def _audience(audience: object) -> str | list[str] | EllipsisType:
    if isinstance(audience, EllipsisType) or audience == "desk":
        return audience
    members = [audience] if isinstance(audience, str) else audience
    if isinstance(members, Sequence) and all(isinstance(member, str) for member in members):
        return list(members)
    raise UsageError(f'an audience is "desk", a seat, or a list of seats, not {audience!r}')


def row_as_spec(entry: RowEntry) -> str:
    """Return a row that came out in the form in which it would be asked for."""
    row = entry.row
    private = [] if row.audience.kind == "desk" else [value_text(audience_value(row.audience))]
    return _row([value_text(author_value(row.author)), *private, value_text(row.content)])


def _row(parts: Iterator[str] | Sequence[str]) -> str:
    return f"({', '.join(shortened(part, _SHORT) for part in parts)})"


@frozen
class WantedNext:
    """A decision as it was asked for: a value of the file format, None for nobody, or ``...``."""

    value: Any

    @classmethod
    def of(cls, spec: NextSpec, setup: Setup) -> WantedNext:
        """Read a spec. Raises ``UsageError`` for what is none, and for a name that is nobody's."""
        reasons = [reason.value for reason in NoTurnReason]
        match spec:
            case None | EllipsisType():
                return cls(spec)
            case Nobody():
                return cls(file_value(spec))
            case str():
                known = [*setup.by_id, *reasons]
                check_known("a seat of this room or a reason for nobody", spec, known)
                return cls(spec if spec in setup.by_id else {"none": spec})
            case {"none": str(reason), **others} if not others:
                check_known("a reason for nobody", reason, reasons)
                return cls({"none": reason})
            case [*seats] if all(isinstance(seat, str) for seat in seats):
                for seat in seats:
                    check_known("a seat of this room", seat, list(setup.by_id))
                return cls(list(seats))
        raise UsageError(f"{_NEXT_FORM}, not as {spec!r}")

    def holds(self, item: RunItem) -> bool:
        """Whether a row's decision is this one."""
        if self.value is ...:
            return True
        if self.value is None:
            return isinstance(next_of(item), dict) or next_of(item) == []
        return holds("next", self.value, item)

    def __str__(self) -> str:
        return "nobody" if self.value is None else shown(self.value)


def next_as_spec(item: RunItem) -> str:
    """Return a row's decision in the form in which it would be asked for."""
    came = next_of(item)
    if isinstance(came, dict):
        reason = came["none"]
        quoted = value_text(reason)
        return f'{{"none": {quoted}}}' if reason in item.setup.by_id else quoted
    return value_text(came)


def shown(value: object) -> str:
    """Return a value as the file writes it, on one line."""
    return "..." if isinstance(value, EllipsisType) else value_text(value)


def check_known(what: str, name: str, known: Sequence[str]) -> None:
    """Raise ``UsageError`` for a name that is nobody's, with the nearest one that is somebody's."""
    if name not in known:
        near = hint(name, known, otherwise=f"; there are {', '.join(known)}")
        raise UsageError(f"{name!r} is not {what}{near}")
