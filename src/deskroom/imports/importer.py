"""What an importer is, and how the one that fits an input is found.

An importer is an object with a few facts and two functions. It is registered as an entry point of
the group ``deskroom.importers``; a package of anybody can bring one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from importlib.metadata import EntryPoint, entry_points
from itertools import islice
from typing import Final, Literal, Protocol, runtime_checkable

from attrs import frozen

from deskroom._version import __version__
from deskroom.errors import DeskroomError, FileError, UsageError, hint
from deskroom.imports.records import Yielded
from deskroom.imports.source import Source

__all__ = [
    "GROUP",
    "Importer",
    "Match",
    "Options",
    "find_importer",
    "importers",
    "load_importer",
    "pick_room",
    "version_of",
]

GROUP: Final = "deskroom.importers"
_LINES_LOOKED_AT: Final = 1000


@frozen
class Match:
    """That an input is of a format: why, for a person, and how sure that is.

    An input that several formats may be is an error, unless one alone is ``sure``.
    """

    reason: str
    sure: bool = True


@frozen(kw_only=True)
class Options:
    """What the user asked of a reader: ``room`` names one of several rooms."""

    room: str | None = None


@runtime_checkable
class Importer(Protocol):
    """Reads one format. A module with these names at its top serves as well as an object.

    ``name`` is what ``--from`` takes; ``reads`` says which versions of what; ``looks_for`` what a
    file must have, for the error when nothing fits; ``example`` a command line. ``is_sorted`` says
    that rows are to be sorted by ``Record.order``, ``same_id`` what a second message with the same
    id and another text is.
    """

    @property
    def name(self) -> str:
        """The name of the format, such as ``slack``."""
        ...

    @property
    def reads(self) -> str:
        """What it reads, with versions: ``AutoGen 0.4 to 0.7``."""
        ...

    @property
    def looks_for(self) -> str:
        """What makes a file one of this format, as a noun phrase."""
        ...

    @property
    def example(self) -> str:
        """A command line that imports such a file."""
        ...

    @property
    def is_sorted(self) -> bool:
        """Whether rows come in the order of ``Record.order`` and not of the file."""
        ...

    @property
    def same_id(self) -> Literal["error", "replace"]:
        """What a message is that has the id of an earlier one and another text."""
        ...

    def sniff(self, source: Source, /) -> Match | None:
        """Say whether this is such a file. It may raise ``FileError`` for one that is broken."""
        ...

    def read(self, source: Source, options: Options, /) -> Iterator[Yielded]:
        """Yield what is in it, in the order of the file. It may be called several times."""
        ...


def importers() -> dict[str, EntryPoint]:
    """Return the registered importers by name, ours first; none of them is loaded."""
    found = sorted(
        entry_points(group=GROUP),
        key=lambda entry: (not entry.value.startswith("deskroom.imports."), entry.name),
    )
    known: dict[str, EntryPoint] = {}
    for entry in found:
        known.setdefault(entry.name, entry)
    return known


def load_importer(entry: EntryPoint) -> Importer:
    """Return the importer of an entry point. Raises ``UsageError`` for one that does not work."""
    where = f"the importer {entry.name!r} ({entry.value})"
    try:
        importer = entry.load()
    except Exception as error:  # noqa: BLE001 - code of anybody
        raise UsageError(f"{where} cannot be loaded: {type(error).__name__}: {error}") from None
    for name in ("name", "reads", "looks_for", "example", "is_sorted", "same_id", "sniff", "read"):
        if not hasattr(importer, name):
            raise UsageError(f"{where} is not an importer: it has no `{name}`")
    loaded: Importer = importer
    return loaded


def version_of(name: str) -> str:
    """Return the version of the package that an importer comes from; of ours, deskroom's."""
    entry = importers().get(name)
    if entry is None or entry.dist is None or entry.value.startswith("deskroom."):
        return __version__
    return f"{entry.dist.name} {entry.dist.version}"


def find_importer(source: Source, name: str | None = None) -> tuple[Importer, str]:
    """Return the importer for an input and why it is the one.

    Raises ``UsageError`` for a ``name`` that is not known, and ``FileError`` where no format fits,
    or several do.
    """
    known = importers()
    if name is not None:
        if name not in known:
            named = ", ".join(known)
            raise UsageError(f"there is no format {name!r}{hint(name, known)} (known: {named})")
        return load_importer(known[name]), "it was named"
    return _sniffed(source, list(_loaded(source, known.values())))


def _loaded(source: Source, entries: Iterable[EntryPoint]) -> Iterator[Importer]:
    """Yield the importers that work; of another one a warning is kept."""
    for entry in entries:
        try:
            yield load_importer(entry)
        except UsageError as error:
            source.warn(None, f"{error}; it was passed over")


def _sniffed(source: Source, loaded: Sequence[Importer]) -> tuple[Importer, str]:
    fitting: list[tuple[Importer, Match]] = []
    broken: FileError | None = None
    for importer in loaded:
        try:
            match = _sniff(source, importer)
        except FileError as error:
            broken = broken or error
            continue
        if match is not None:
            fitting.append((importer, match))
    chosen = [(importer, match) for importer, match in fitting if match.sure] or fitting
    if len(chosen) == 1:
        importer, match = chosen[0]
        return importer, match.reason
    if not chosen:
        raise broken or FileError(source.path, _nothing_fits(source, loaded), kind="unknown_format")
    seen = "; ".join(f"{importer.name} ({match.reason})" for importer, match in chosen)
    problem = f"the file may be of several formats: {seen}; name one with --from"
    raise FileError(source.path, problem, kind="ambiguous_format")


def _sniff(source: Source, importer: Importer) -> Match | None:
    try:
        return importer.sniff(source)
    except DeskroomError:
        raise
    except Exception as error:  # noqa: BLE001 - code of anybody
        problem = f"the importer {importer.name!r} failed: {type(error).__name__}: {error}"
        source.warn(None, f"{problem}; it was passed over")
        return None


def _nothing_fits(source: Source, loaded: Sequence[Importer]) -> str:
    if source.shape == "empty":
        return "there is no row in it: it is empty"
    if source.shape in {"json", "jsonl"} and not source.samples(1):
        return "there is no row in it"
    if source.shape == "text":
        for _ in islice(source.lines(), _LINES_LOOKED_AT):
            pass  # bytes that are no text are what is wrong, and their error says where
    looked = "; ".join(f"{importer.name}: {importer.looks_for}" for importer in loaded)
    return f"no format fits; {source.described()}; name one with --from; looked for: {looked}"


def pick_room(source: Source, rooms: Iterable[str], wanted: str | None, noun: str = "room") -> str:
    """Return the room to read: the one wanted, or the only one.

    Raises ``FileError`` that lists the rooms where there are several, or none of that name.
    """
    names = list(dict.fromkeys(rooms))
    if wanted is not None:
        if wanted in names:
            return wanted
        problem = f"there is no {noun} {wanted!r}{hint(wanted, names)}; {_listed(names, noun)}"
        raise FileError(source.path, problem, kind="no_room")
    if len(names) == 1:
        return names[0]
    if not names:
        raise FileError(source.path, f"there is no {noun} in it", kind="no_room")
    problem = f"{_listed(names, noun)}; name one with --room"
    raise FileError(source.path, problem, kind="several_rooms")


def _listed(names: Sequence[str], noun: str) -> str:
    shown = ", ".join(names[:50]) + (f" and {len(names) - 50} more" if len(names) > 50 else "")  # noqa: PLR2004
    verb = "is" if len(names) == 1 else "are"
    return f"its {noun}s {verb}: {shown}" if names else f"it has no {noun}"
