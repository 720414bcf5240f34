"""Every error deskroom raises on purpose, in one tree.

Whose fault it is decides the class, because the person who must act differs:

* ``DeskroomError``: the root.

  * ``RosterError``, ``DeskError``: the people, seats or desks given are invalid.
  * ``AsideRefused``: a private utterance was declined; nothing was published.
  * ``EpisodeError``: an event does not fit the episode it was applied to.
  * ``UsageError``: the Python API was called in a way it cannot serve.

    * ``RoomClosed``: the room no longer takes words.

  * ``WireError``: decoded JSON is not what its format says.
  * ``FileError``: a file is wrong; it carries where.
  * ``RoomFailure``: the room itself cannot go on (its router, callback or journal failed).

An error carries its facts as attributes; its message is the sentence for the person who must act.
"""

from __future__ import annotations

from collections.abc import Iterable

from deskroom.lookalike import look_alike, which_differs
from deskroom.printable import quoted

__all__ = [
    "AsideRefused",
    "DeskError",
    "DeskroomError",
    "EpisodeError",
    "FileError",
    "RoomClosed",
    "RoomFailure",
    "RosterError",
    "SeatCancelled",
    "UsageError",
    "WireError",
    "hint",
    "nearest",
]


class DeskroomError(Exception):
    """The root of every error that deskroom raises on purpose."""


class RosterError(DeskroomError):
    """A roster is invalid. ``kind`` is the wire word; ``id`` is the id at fault."""

    def __init__(self, kind: str, id: str) -> None:
        self.kind = kind
        self.id = id
        super().__init__(f"the roster is invalid: {kind} ({id!r})")


class DeskError(DeskroomError):
    """A set of desks is invalid. ``kind`` is the wire word; ``id`` is the desk at fault."""

    def __init__(self, kind: str, id: str) -> None:
        self.kind = kind
        self.id = id
        super().__init__(f"the desks are invalid: {kind} ({id!r})")


class AsideRefused(DeskroomError):
    """A private utterance was declined, and so it is no row. ``reason`` is the policy's word."""

    def __init__(self, reason: str) -> None:
        self.reason = reason
        super().__init__(f"the aside was refused: {reason}")


class EpisodeError(DeskroomError):
    """An event names a participant or an assignment that the episode does not have."""

    def __init__(self, kind: str, participant: str) -> None:
        self.kind = kind
        self.participant = participant
        super().__init__(f"the episode cannot take this event: {kind} ({participant!r})")


class UsageError(DeskroomError):
    """The Python API was called in a way it cannot serve; the message says what would work."""


class RoomClosed(UsageError):
    """The room has closed and takes no more words."""


class WireError(DeskroomError):
    """JSON is not what its format says.

    ``path`` is the field at fault, such as ``row.audience.kind`` or ``mentions[2]``, and empty for
    the whole; ``code`` is what is wrong with it: ``missing``, ``unknown``, ``twice``, ``type``,
    ``word``, ``range``, ``value``, ``format``, ``json`` or ``chain``.
    """

    def __init__(self, problem: str, *, path: str = "", code: str = "value") -> None:
        self.problem = problem
        self.path = path
        self.code = code
        super().__init__(f"{path} {problem}" if path else problem)

    def below(self, key: str) -> WireError:
        """Return the same error, of a value that stands at ``key``."""
        joint = "." if self.path and not self.path.startswith("[") else ""
        return WireError(self.problem, path=f"{key}{joint}{self.path}", code=self.code)


class FileError(DeskroomError):
    """A file is wrong.

    ``path`` is as the user gave it; ``line`` and ``column`` are 1-based and count characters, or
    None where the file as a whole is at fault; ``problem`` is the sentence without the place;
    ``kind`` is a code for it, where it has one.
    """

    def __init__(
        self,
        path: str,
        problem: str,
        *,
        line: int | None = None,
        column: int | None = None,
        kind: str | None = None,
    ) -> None:
        self.path = path
        self.problem = problem
        self.kind = kind
        self.line = line
        self.column = column
        super().__init__(f"{self.place}: {problem}")

    @property
    def place(self) -> str:
        """``path``, ``path:line`` or ``path:line:column``, as much as is known."""
        parts = (self.path, self.line, self.column)
        return ":".join(str(part) for part in parts if part is not None)


class RoomFailure(DeskroomError):
    """The room cannot go on: what it depends on (a router, a callback, a journal) failed."""


class SeatCancelled(DeskroomError):
    """A seat's turn was cut short by a cancellation that was not its room's.

    On asyncio that is what comes of awaiting a task which somebody has cancelled.
    """


def nearest(name: str, known: Iterable[str]) -> str | None:
    """Return the known name most like ``name``, or None when none is close.

    One that looks the same comes first. Case is ignored, since a wrong case is the commonest slip.
    Both sides are cut to a length at which comparing stays cheap, so that a hostile name cannot
    stall the error that reports it.
    """
    import difflib  # noqa: PLC0415 - only what is wrong needs it

    known = list(known)
    if not name.isascii() or not all(map(str.isascii, known)):
        alike = look_alike(name, known)
        if alike is not None:
            return alike
    folded: dict[str, str] = {}
    for item in known:
        folded.setdefault(item[:64].lower(), item)
    close = difflib.get_close_matches(name[:64].lower(), list(folded), n=1, cutoff=0.6)
    return folded[close[0]] if close else None


def hint(name: str, known: Iterable[str], *, otherwise: str = "") -> str:
    """Return the end of an error about a name that is not known: the nearest one that is.

    ``otherwise`` is what to say when none is near.
    """
    near = nearest(name, known)
    if near is None:
        return otherwise
    return f"; did you mean {quoted(near)}{which_differs(name, near)}?"
