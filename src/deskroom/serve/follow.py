"""A journal, followed as it grows.

It is looked at a few times a second. Only the lines that are new are read, checked against the rules
and folded in. A journal that has become shorter, is another file, or is wrong is read from its start
again: somebody may have put another in its place. What is still wrong then is wrong.
"""

from __future__ import annotations

import os
import re
from threading import Condition, Event
from typing import Any, Final, Literal, Self

from deskroom.core import OPERATOR, Viewer
from deskroom.engine.entries import Entry, HeaderEntry
from deskroom.errors import hint
from deskroom.journal import JournalError
from deskroom.journal.reader import JournalReader
from deskroom.journal.verify import Verifier
from deskroom.printable import one_line, printable
from deskroom.render.page.growth import Growth
from deskroom.render.page.model import RunData, Tables, head_values, joined, view_values
from deskroom.room.clock import RealClock
from deskroom.runs.view import RunView
from deskroom.scenario.sources import Source

__all__ = ["Follower"]

#: ``waiting`` for the first line; ``growing``; ``closed``, which a room may be opened again from;
#: ``damaged``; ``gone``, where there is no such file; ``over`` once it is not followed any more.
State = Literal["waiting", "growing", "closed", "damaged", "gone", "over"]

#: It is looked at so often, and more seldom where taking in what is new takes longer than it should.
_EACH_S: Final = 0.25
_MOST_OF_TIME: Final = 3.0
_IS_VERSION: Final = re.compile("[0-9]{1,12}")


class Follower:
    """Follows a journal for the pages of one viewer. ``shown`` is the path that they show.

    A version of what it knows has a name, and of two names a page may ask what lies between. All
    but ``follow``, ``look`` and ``close``, which belong to one thread, may be called from any. Use it as
    a context manager.
    """

    def __init__(self, path: str, shown: str, viewer: Viewer = OPERATOR) -> None:
        self.path = path
        #: The journal's first line that is wrong, or why it cannot be read.
        self.problem: JournalError | None = None
        self._shown = shown
        self._viewer = viewer
        self._changed = Condition()
        self._stopped = Event()
        self._state: State = "waiting"
        #: Counts the journals that stood under the path, and what was said of them beside entries.
        self._epoch = 0
        self._growth: Growth | None = None
        self._reader: JournalReader | None = None
        self._verifier = Verifier(path)
        self._end = 0
        #: Which file it is that is being read, and how it looked when it was.
        self._file: tuple[int, int] | None = None
        self._looked: tuple[int, int] | None = None

    # Following

    def follow(self) -> None:
        """Look at the journal again and again, until it is stopped."""
        clock, pause = RealClock(), 0.0
        while not self._stopped.wait(pause):
            before = clock.now()
            self.look()
            pause = max(_EACH_S, _MOST_OF_TIME * (clock.now() - before))

    def stop(self) -> None:
        """Follow it no more, and say so to every page."""
        self._stopped.set()
        with self._changed:
            self._state = "over"
            self._changed.notify_all()

    def look(self) -> None:
        """Take in what is new in the journal."""
        try:
            found = os.stat(self.path)  # noqa: PTH116 - a bare name, as it is given
        except OSError:
            self._lose()
            return
        file, looks = (found.st_dev, found.st_ino), (found.st_size, found.st_mtime_ns)
        if (file, looks) == (self._file, self._looked):
            return
        is_another = file != self._file or found.st_size < self._end or self.problem is not None
        self._file, self._looked = file, looks
        if self._reader is not None and not is_another:
            entries, problem = self._read()
            if problem is None:
                self._take(entries)
                return
        self._read_again()

    def _lose(self) -> None:
        self.close()
        self._file = self._looked = None
        if self._state not in {"waiting", "gone"}:
            self._tell("gone")

    def _read_again(self) -> None:
        """Read the journal from its start."""
        self.close()
        self._verifier, self._end = Verifier(self.path), 0
        try:
            self._reader = JournalReader(self.path)
        except JournalError as error:
            self._begin([], error)
            return
        self._begin(*self._read())

    def _read(self) -> tuple[list[Entry], JournalError | None]:
        """Return the entries that are new, and what is wrong with the line behind them."""
        assert self._reader is not None  # noqa: S101 - the callers have opened it
        entries: list[Entry] = []
        try:
            for line in self._reader.lines():
                self._verifier.take(line.number, line.entry)
                entries.append(line.entry)
                self._end = line.end
        except JournalError as error:
            return entries, error
        return entries, None

    def _begin(self, entries: list[Entry], problem: JournalError | None) -> None:
        header = entries[0] if entries else None
        growth = None
        if isinstance(header, HeaderEntry):
            problem = _no_such_seat(self.path, header, self._viewer) or problem
            if not isinstance(problem, _NoSeat):
                growth = Growth(header.setup, self._shown, self._viewer)
        with self._changed:
            self._growth, self.problem = growth, problem
            self._epoch += 1
        self._take(entries, problem)

    def _take(self, entries: list[Entry], problem: JournalError | None = None) -> None:
        """Fold in entries that are sound; ``problem`` says what comes behind them."""
        growth = self._growth
        if growth is None:
            # The first line came: everything else hangs on it.
            if entries and problem is None:
                self._begin(entries, None)
            else:
                self._tell("waiting" if problem is None else "damaged")
            return
        with self._changed:
            if entries or problem:
                growth.take(entries, problem)
                self._state = "growing" if growth.closed is None else "closed"
                if problem is not None:
                    self._state = "damaged"
                self._changed.notify_all()

    def _tell(self, state: State) -> None:
        """Say something that is no entry."""
        with self._changed:
            self._state = state
            self._epoch += 1
            self._changed.notify_all()

    def close(self) -> None:
        """Let go of the file."""
        if self._reader is not None:
            self._reader.__exit__()
            self._reader = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # What pages are told

    @property
    def has_run(self) -> bool:
        """Whether there is something to show."""
        return self._growth is not None

    @property
    def is_over(self) -> bool:
        """Whether it is followed no more."""
        return self._stopped.is_set()

    def data(self) -> RunData:
        """Return all that is known now, for a page."""
        with self._changed:
            text, status = self._whole(), self._status
        return RunData(
            path=one_line(self._shown),
            title="",
            kind="journal",
            status=status,
            rows=0,
            rowless=0,
            mismatches=0,
            text=text,
        )

    def news(self, name: str, timeout_s: float) -> tuple[str, str] | None:
        """Return what has come since a version, with the new version's name.

        It waits for something to come, so long; None says that nothing did, or that all is over.
        """
        with self._changed:
            self._changed.wait_for(lambda: self.is_over or name != self._name, timeout_s)
            if self.is_over or name == self._name:
                return None
            return self._name, self._since(name)

    @property
    def _status(self) -> str:
        return "read" if self.problem is None else "damaged"

    @property
    def _name(self) -> str:
        return f"{self._epoch}.{0 if self._growth is None else self._growth.version}"

    def _since(self, name: str) -> str:
        epoch, _, version = name.partition(".")
        is_ours = epoch == str(self._epoch) and _IS_VERSION.fullmatch(version)
        if self._growth is None or not is_ours:
            return self._whole()
        return self._growth.since(int(version), self._about()) or self._whole()

    def _whole(self) -> str:
        if self._growth is not None:
            return self._growth.whole(self._about())
        # The name of a file that cannot be shown is all there is.
        view = RunView(path="", kind="journal", viewer=self._viewer, items=())
        head = {**head_values(view, self._shown, self._status), **self._about()}
        return joined(head, Tables(view), [view_values(Source(path="", whole=view), view, (), ())])

    def _about(self) -> dict[str, Any]:
        about: dict[str, Any] = {"name": self._name, "state": self._state}
        if self.problem is not None and self._growth is None:
            # What an error quotes of a file is for the operator only.
            is_told = self._viewer == OPERATOR or isinstance(self.problem, _NoSeat)
            about["problem"] = printable(self.problem.problem) if is_told else "it cannot be read"
        return {"live": about}


class _NoSeat(JournalError):
    """The desk of a journal has not the seat that is to read it."""


def _no_such_seat(path: str, header: HeaderEntry, viewer: Viewer) -> _NoSeat | None:
    seats = tuple(header.setup.by_id)
    if viewer.kind != "agent" or viewer.id in seats:
        return None
    near = hint(viewer.id or "", seats, otherwise=f"; its seats are {', '.join(seats)}")
    return _NoSeat(path, f"this desk has no seat {viewer.id!r}{near}")
