"""The page's data of a run that grows: what is new is found without going through all of it again.

The newest entries are the window. What stands before it in a view does not change any more, so only
the window is projected again when entries come. Where they do change what stands before it (an old
aside is settled, a call comes very late) the window is opened up to the whole run, once.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final, NamedTuple

from attrs import evolve

from deskroom.core import OPERATOR, Viewer
from deskroom.core.reasons import CloseReason, RowKind
from deskroom.core.text import is_blank
from deskroom.core.transcript import party_of, settlements
from deskroom.engine.entries import Entry, RowEntry, TurnEntry
from deskroom.engine.setup import Setup
from deskroom.journal import JournalError
from deskroom.render.page.model import Tables, TableSizes, head_values, joined, view_values
from deskroom.runs.stream import Happening, RunStream, gathered
from deskroom.runs.view import RunView, in_order, narrowed
from deskroom.scenario.sources import Source

__all__ = ["Growth"]

#: A window that has become longer is made shorter, but never shorter than this. Both are entries.
_LONGEST: Final = 1200
_SHORTEST: Final = 400


class _Version(NamedTuple):
    """How large the tables were, and how much of each view was left as the version before had it."""

    sizes: TableSizes
    kept: tuple[int, ...]


class Growth:
    """A run as one viewer's page shows it, version after version.

    For the operator it holds a view for each seat as well, as ``run_data`` does; for a seat, its
    view and nothing else. ``path`` is the one that is shown. A window is made shorter when it holds
    more than ``longest`` entries.
    """

    def __init__(
        self, setup: Setup, path: str, viewer: Viewer = OPERATOR, *, longest: int = _LONGEST
    ) -> None:
        self._setup = setup
        self._path = path
        self._longest, self._shortest = longest, min(_SHORTEST, longest // 3)
        self._viewers = [viewer]
        if viewer == OPERATOR:
            self._viewers += [Viewer("agent", seat) for seat in setup.by_id]
        self._entries: list[Entry] = []
        #: Where the window begins among the entries, and how much of each view stands before it.
        self._start = 0
        self._kept = [0] * len(self._viewers)
        self._places: list[list[int]] = [[] for _ in self._viewers]
        self._lines: list[int] = []
        self._views: list[RunView] = []
        #: Who may settle an aside that stands before the window.
        self._owing: frozenset[str] = frozenset()
        self._shorten_at = longest
        self._damage: JournalError | None = None
        self._tables = Tables(narrowed(self._window(0), viewer))
        self._history: list[_Version] = []
        self.take(())

    @property
    def version(self) -> int:
        """The number of the newest version; the first is 0."""
        return len(self._history) - 1

    @property
    def closed(self) -> CloseReason | None:
        """Why the room closed, if the last entry says so."""
        closed: CloseReason | None = self._views[0].run.get("closed")
        return closed

    def take(self, entries: Iterable[Entry], damage: JournalError | None = None) -> None:
        """Make a new version with these entries behind the others; ``damage`` is what follows them."""
        new = list(entries)
        self._entries += new
        self._damage = damage
        if any(_speaker(entry) in self._owing for entry in new):
            self._open_up()
        window = self._window(self._start)
        if window.stray and self._start:
            self._open_up()
            window = self._window(0)
        self._show(window)
        self._history.append(_Version(self._tables.sizes, tuple(self._kept)))
        if len(self._entries) - self._start > self._shorten_at and not window.stray:
            self._shorten(window)

    # What is sent

    def whole(self, more: dict[str, Any]) -> str:
        """Return the newest version as the page's data, JSON, with ``more`` about the run."""
        return joined(self._head(more), self._tables, list(self._values([0] * len(self._kept))))

    def since(self, version: int, more: dict[str, Any]) -> str | None:
        """Return what the newest version has beyond an earlier one, or None for one that was none.

        ``keep`` says how many items of each view stay; tables and views hold what comes behind.
        """
        if not 0 <= version < len(self._history):
            return None
        later = [one.kept for one in self._history[version + 1 :]]
        keep = [min(kept) for kept in zip(*later, strict=True)] or list(map(len, self._places))
        head = self._head({**more, "keep": keep})
        return joined(head, self._tables, list(self._values(keep)), self._history[version].sizes)

    def _head(self, more: dict[str, Any]) -> dict[str, Any]:
        status = "read" if self._damage is None else "damaged"
        return {**head_values(self._views[0], self._path, status), **more}

    def _values(self, keep: Sequence[int]) -> Iterator[dict[str, Any]]:
        source = Source(path=self._path, whole=self._views[0], damage=self._damage)
        for at, view in enumerate(self._views):
            lines = self._lines if at == 0 else ()
            yield view_values(source, view, self._places[at][keep[at] :], lines[keep[at] :])

    # The window

    def _window(self, start: int) -> RunView:
        """Return what the entries from one on come to, as the operator may know it."""
        stream = RunStream(setup=self._setup)
        stream.rows = _rows_before(self._entries, start)
        happened: list[Happening] = []
        for at in range(start, len(self._entries)):
            happened += stream.take(at + 1, self._entries[at])
        closed = stream.closed
        happened += stream.end()
        view = gathered(happened, stream, "journal")
        rows = [item for item in view.items if item.is_row]
        settled = settlements([item.row for item in rows if item.row is not None])
        rows = [
            evolve(item, settled_at=settled[item.sequence]) if item.sequence in settled else item
            for item in rows
        ]
        rowless = [item for item in view.items if not item.is_row]
        return evolve(view, items=tuple(in_order(rows, rowless)), run={"closed": closed})

    def _show(self, window: RunView) -> None:
        self._views = [narrowed(window, viewer) for viewer in self._viewers]
        self._tables.grow(self._views[0])
        for at, view in enumerate(self._views):
            places, lines = self._tables.places(view)
            self._places[at][self._kept[at] :] = places
            if at == 0:
                self._lines[self._kept[0] :] = lines

    def _open_up(self) -> None:
        self._start, self._kept = 0, [0] * len(self._viewers)
        self._owing = frozenset()
        self._shorten_at = self._longest

    def _shorten(self, window: RunView) -> None:
        """Begin the window at a later turn, if what it comes to is the end of what there is."""
        self._shorten_at = len(self._entries) - self._start + self._shortest
        start = self._last_desk_turn()
        if start is None:
            return
        shorter = self._window(start)
        ends = [self._tables.places(narrowed(shorter, viewer))[0] for viewer in self._viewers]
        kept = [len(all_) - len(end) for all_, end in zip(self._places, ends, strict=True)]
        if shorter.stray or any(
            all_[at:] != end for all_, at, end in zip(self._places, kept, ends, strict=True)
        ):
            return
        before = _rows_before(self._entries, start)
        for item in window.items:
            private = item.row is not None and item.row.audience.kind != "desk"
            if private and item.settled_at is None and (item.sequence or 0) <= before:
                assert item.row is not None  # noqa: S101 - the guard has looked
                self._owing |= party_of(item.row.author, item.row.audience)
        self._start, self._kept = start, kept
        self._shorten_at = self._longest

    def _last_desk_turn(self) -> int | None:
        """Return where a turn begins that said something to the desk, with enough behind it."""
        at = len(self._entries) - self._shortest
        while at > self._start and not _is_said_to_desk(self._entries[at]):
            at -= 1
        while at > self._start and not isinstance(self._entries[at], TurnEntry):
            at -= 1
        return at if at > self._start else None


def _rows_before(entries: Sequence[Entry], at: int) -> int:
    """Return the sequence of the last row before an entry, or 0."""
    for place in range(at - 1, -1, -1):
        entry = entries[place]
        if isinstance(entry, RowEntry):
            return entry.row.sequence
    return 0


def _speaker(entry: Entry) -> str | None:
    """Return the seat that says something to the desk with this entry."""
    if isinstance(entry, RowEntry) and entry.row.audience.kind == "desk":
        return entry.row.author.id if entry.row.author.type == "agent" else None
    return None


def _is_said_to_desk(entry: Entry) -> bool:
    return (
        isinstance(entry, RowEntry)
        and entry.kind == RowKind.SEAT
        and _speaker(entry) is not None
        and not is_blank(entry.row.content)
    )
