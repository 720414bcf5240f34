"""The first line of a journal: what the room is made of, with every key of its policy stated.

A policy states every key, so that a default which changes in a later version changes no room of
before. Of the script it holds the outline: who is listed, in which order, and not what they say.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any, Final

from deskroom.core.roster import Person
from deskroom.engine.entries import HeaderEntry
from deskroom.engine.policy import Policy
from deskroom.engine.script import Cue, Script
from deskroom.engine.setup import Opening, Seat, Setup
from deskroom.errors import WireError
from deskroom.wire.codecs import (
    COUNT,
    FLAG,
    INTEGER,
    TEXT,
    Codec,
    Json,
    List,
    Maybe,
    Word,
    read_field,
)
from deskroom.wire.form import Form, form_of

__all__ = ["FORMAT", "MOST_TURNS", "Header"]

#: The version of the journal's format; a reader refuses any other.
FORMAT: Final = 2
#: A script that lists more turns is not read, so that a short line cannot fill the memory.
MOST_TURNS: Final = 10_000_000


# The outline of a script


class Run:
    """One listed turn, as often as it is repeated: of a seat, or of a person."""

    noun = "an object"
    types = frozenset({dict})
    write = None
    _of_seat = Form(lambda seat, times: (Cue(seat=seat), times), {"seat": TEXT, "times": COUNT})
    _of_person = Form(
        lambda person, times: (Cue(person=person), times), {"person": TEXT, "times": COUNT}
    )

    def read(self, value: Json) -> tuple[Cue, int]:
        """Return the cue, and how often it is listed."""
        return (self._of_person if "person" in value else self._of_seat).read(value)


def _cues(runs: Sequence[tuple[Cue, int]]) -> list[Cue]:
    if sum(times for _, times in runs) > MOST_TURNS:
        raise WireError(f"must not list more than {MOST_TURNS} turns", path="turns", code="range")
    return [cue for cue, times in runs for _ in range(times)]


def _script(
    order: str, runs: Sequence[tuple[Cue, int]], unscripted: tuple[str, ...] = ()
) -> Script:
    if unscripted and order == "listed":
        raise WireError("must be left out of a listed script", path="unscripted", code="range")
    return Script(_cues(runs), order == "listed", unscripted=unscripted)


def _runs(script: Script) -> Iterator[Json]:
    for (seat, person), cues in groupby(script.cues, key=lambda cue: (cue.seat, cue.person)):
        named = {"person": person} if seat is None else {"seat": seat}
        yield named | {"times": sum(1 for _ in cues)}


class Outline:
    """Who is listed in a script, whether the order counts, and who plays without it, if anybody."""

    noun = "an object"
    types = frozenset({dict})
    _keys: Final[Mapping[str, Codec]] = {
        "order": Word(("listed", "routed")),
        "turns": List(Run(), "a list of objects"),
    }
    _form = Form(_script, _keys)
    _form_of_some = Form(_script, {**_keys, "unscripted": List(TEXT, "a list of strings")})

    def read(self, value: Json) -> Script:
        """Return a script whose cues say who speaks, and no more."""
        return (self._form_of_some if "unscripted" in value else self._form).read(value)

    def write(self, script: Script) -> Json:
        """Return the outline of a script."""
        order = "listed" if script.listed else "routed"
        outline: Json = {"order": order, "turns": list(_runs(script))}
        return outline | {"unscripted": list(script.unscripted)} if script.unscripted else outline


# The header


def _header(
    desk: tuple[Any, ...],
    policy: Policy,
    opening: Opening | None,
    script: Script | None,
    scenario: str | None,
    own_router: bool,
) -> HeaderEntry:
    id_, name, seats, people = desk
    setup = Setup(
        desk_id=id_,
        desk_name=name,
        seats=seats,
        people=people,
        policy=policy,
        opening=opening,
        script=script,
    )
    fault = setup.directory.roster.fault or setup.directory.desks.fault
    if fault is not None:
        raise WireError(f"is not valid: {fault[0]} ({fault[1]!r})", path="desk")
    return HeaderEntry(setup, scenario, own_router)


#: A desk is read as its parts and written from the setup.
_DESK: Final[Form[Any]] = Form(
    lambda *parts: parts,
    {
        "id": TEXT,
        "name": TEXT,
        "seats": List(form_of(Seat), "a list of objects"),
        "people": List(form_of(Person), "a list of objects"),
    },
    names={"id": "desk_id", "name": "desk_name"},
)


_FORM: Final = Form(
    _header,
    {
        "desk": _DESK,
        "policy": form_of(Policy),
        "opening": Maybe(form_of(Opening)),
        "script": Maybe(Outline()),
        "scenario": Maybe(TEXT),
        "own_router": FLAG,
    },
    tag={"kind": "header", "format": FORMAT},
    names={
        "desk": "setup",
        "policy": "setup.policy",
        "opening": "setup.opening",
        "script": "setup.script",
    },
)


class Header:
    """The header of a journal of this format."""

    noun = "an object"
    types = frozenset({dict})

    def read(self, value: Json) -> HeaderEntry:
        """Read a header. Raises ``WireError`` for one that no room can be made of."""
        if "format" not in value:
            raise WireError("is missing", path="format", code="missing")
        written = read_field(INTEGER, value["format"], "format")
        if written != FORMAT:
            problem = f"the journal has format {written}, and this program reads format {FORMAT}"
            raise WireError(problem, code="format")
        return _FORM.read(value)

    def write(self, entry: HeaderEntry) -> Json:
        """Return a header as an object."""
        return _FORM.write(entry)
