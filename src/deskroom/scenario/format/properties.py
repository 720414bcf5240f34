"""Reading ``[[property]]``: what must hold of every run of the file, whatever its seats do."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final, NamedTuple

import regex

from deskroom.core.reasons import AsideReason, CallFault, NoTurnReason, Outcome, RowKind
from deskroom.core.text import is_blank
from deskroom.runs.properties import (
    Audiences,
    Bounds,
    Matcher,
    NextSeat,
    NoSeat,
    OneOf,
    Pattern,
    Property,
    SameAs,
)
from deskroom.scenario.format.position import KeyPath
from deskroom.scenario.format.problems import Findings, did_you_mean, found, quoted
from deskroom.scenario.format.rules import Names

__all__ = ["KINDS", "MATCHER_KEYS", "SAME_AS", "WORDS", "read_properties"]

#: Each kind of property, with the keys that go with it: those it needs, and those it may have.
KINDS: Final[Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]]] = {
    "never": ((), ()),
    "always": ((), ("when",)),
    "eventually": ((), ()),
    "after": (("then", "within"), ()),
    "count": ((), ("at_least", "at_most")),
}
_MATCHERS: Final = ("never", "always", "when", "eventually", "after", "then", "count")
_NUMBERS: Final = ("within", "at_least", "at_most")
_KEYS: Final = ("name", *KINDS, "when", "then", *_NUMBERS)

#: The keys whose values are words of the program.
WORDS: Final[Mapping[str, tuple[str, ...]]] = {
    "kind": tuple(map(str, RowKind)),
    "outcome": tuple(map(str, Outcome)),
    "why": tuple(map(str, NoTurnReason)),
    "refusal": tuple(map(str, (*CallFault, *AsideReason))),
}
#: The keys that can have ``same_as``, each with what it can point at: a seat is never a person.
SAME_AS: Final[Mapping[str, tuple[str, ...]]] = {
    "seat": ("seat", "next", "mentions"),
    "person": ("person", "mentions"),
    "mentions": ("seat", "person", "next", "mentions"),
    "next": ("seat", "next", "mentions"),
}
MATCHER_KEYS: Final = (
    "seat",
    "person",
    "kind",
    "row",
    "outcome",
    "audience",
    "mentions",
    "next",
    "why",
    "refusal",
    "hop",
    "completes",
    "text",
    "repeats_private",
)
_FLAGS: Final = frozenset(("row", "completes", "repeats_private"))


class _Reading(NamedTuple):
    """Where problems go, who can be named, and whether ``same_as`` has something to point at."""

    findings: Findings
    names: Names
    after: bool = False


class _Wrong(Exception):
    """A value is wrong, and its problem has been added."""


def read_properties(findings: Findings, stated: object, names: Names) -> tuple[Property, ...]:
    """Return the properties of a document that can be read; every problem is added."""
    if not isinstance(stated, list):
        problem = f"found {found(stated)}, expected a list of tables: [[property]]"
        findings.at_value(("property",), "wrong_type", problem)
        return ()
    read: list[Property] = []
    for at, one in enumerate(stated):
        before = len(findings)
        property_ = _property(findings, ("property", at), one, names)
        if property_ is not None and len(findings) == before:
            _check_name(findings, ("property", at), property_.name, [one.name for one in read])
            read.append(property_)
    return tuple(read)


def _check_name(findings: Findings, path: KeyPath, name: str, before: Iterable[str]) -> None:
    if name in before:
        problem = f"another property has the name {quoted(name)} already"
        findings.at_value((*path, "name"), "named_twice", problem)


def _property(findings: Findings, path: KeyPath, stated: object, names: Names) -> Property | None:
    if not isinstance(stated, dict):
        _refuse(findings, path, stated, "a table")
        return None
    for key in stated:
        if key not in _KEYS:
            findings.unknown_key((*path, key), _KEYS)
    kind = _kind(findings, path, stated)
    name = _name(findings, path, stated)
    values: dict[str, Any] = {}
    for key in _MATCHERS:
        if key in stated:
            reading = _Reading(findings, names, after=key == "then")
            values[key] = _matcher(reading, (*path, key), stated[key])
    for key in _NUMBERS:
        if key in stated:
            values[key] = _number(findings, (*path, key), stated[key], 1 if key == "within" else 0)
    if kind is None or name is None or None in values.values():
        return None
    _check_bounds(findings, path, values)
    place = findings.document.value_at(path)
    file = findings.document.path
    return Property(name=name, **values, path=file, line=place.line, column=place.column)


def _name(findings: Findings, path: KeyPath, stated: Mapping[str, Any]) -> str | None:
    if "name" not in stated:
        findings.at_value((*path, "name"), "missing_key", "missing, expected a string")
        return None
    name = stated["name"]
    if not isinstance(name, str):
        _refuse(findings, (*path, "name"), name, "a string")
        return None
    if is_blank(name):
        problem = "found a blank text, expected a name that says what must hold"
        findings.at_value((*path, "name"), "blank_text", problem)
    return name


def _kind(findings: Findings, path: KeyPath, stated: Mapping[str, Any]) -> str | None:
    """Return what kind of property it is; keys that do not go with it are problems."""
    kinds = [key for key in stated if key in KINDS]
    if not kinds:
        problem = f"a property needs one of {', '.join(KINDS)}"
        findings.at_value(path, "missing_key", problem)
        return None
    for other in kinds[1:]:
        problem = f"a property says one thing, and this one says {kinds[0]} already"
        findings.at_key((*path, other), "conflicting_keys", problem)
    needed, allowed = KINDS[kinds[0]]
    for key in needed:
        if key not in stated:
            problem = f"missing, needed with {kinds[0]}"
            findings.at_value((*path, key), "missing_key", problem)
    for key in stated:
        if key in _KEYS and key not in {"name", *kinds, *needed, *allowed}:
            problem = f"this does not go with {kinds[0]}"
            findings.at_key((*path, key), "conflicting_keys", problem)
    if kinds[0] == "count" and not {"at_least", "at_most"} & stated.keys():
        problem = "a count needs at_least, at_most or both"
        findings.at_value((*path, "count"), "missing_key", problem)
    return kinds[0] if len(kinds) == 1 else None


def _number(findings: Findings, path: KeyPath, value: object, least: int) -> int | None:
    if isinstance(value, int) and not isinstance(value, bool):
        if value >= least:
            return value
        _refuse(findings, path, value, f"a number >= {least}", "out_of_range")
    else:
        _refuse(findings, path, value, "a whole number")
    return None


def _check_bounds(findings: Findings, path: KeyPath, values: Mapping[str, Any]) -> None:
    least, most = values.get("at_least"), values.get("at_most")
    if least is not None and most is not None and least > most:
        problem = f"at_most is {most}, and at_least is {least}: no count is both"
        findings.at_value((*path, "at_most"), "out_of_range", problem)


# --- matchers ----------------------------------------------------------------------------------


def _matcher(reading: _Reading, path: KeyPath, stated: object) -> Matcher | None:
    findings = reading.findings
    if not isinstance(stated, dict):
        _refuse(findings, path, stated, "a table")
        return None
    if not stated:
        problem = f"found an empty table, expected one or more of {', '.join(MATCHER_KEYS)}"
        findings.at_value(path, "missing_key", problem)
        return None
    values: dict[str, Any] = {}
    before = len(findings)
    for key, value in stated.items():
        if key not in MATCHER_KEYS:
            findings.unknown_key((*path, key), MATCHER_KEYS)
            continue
        try:
            values[key] = _value(reading, (*path, key), key, value)
        except _Wrong:
            continue
    return Matcher(**values) if len(findings) == before else None


def _value(reading: _Reading, path: KeyPath, key: str, value: object) -> object:
    """Return one value of a matcher. Raises ``_Wrong`` once its problem has been added."""
    if key in _FLAGS:
        if isinstance(value, bool):
            return value
        raise _refused(reading, path, value, "true or false")
    if isinstance(value, dict):
        return _table_value(reading, path, key, value)
    return _plain_value(reading, path, key, value, negated=False)


def _table_value(reading: _Reading, path: KeyPath, key: str, value: Mapping[str, Any]) -> object:
    """Return what a table says of a key: ``not``, ``same_as``, ``none``, ``any`` or bounds."""
    forms = ["not"]
    forms += ["same_as"] if key in SAME_AS and (reading.after or "same_as" in value) else []
    forms += ["none", "any"] if key == "next" else []
    forms += ["at_least", "at_most"] if key == "hop" else []
    for inner in value:
        if inner not in forms:
            reading.findings.unknown_key((*path, inner), forms)
            raise _Wrong
    if key == "hop" and value and "not" not in value:
        bounds = {
            name: _number(reading.findings, (*path, name), number, 0)
            for name, number in value.items()
        }
        if None in bounds.values():
            raise _Wrong
        _check_bounds(reading.findings, path, bounds)
        return Bounds(**bounds)
    if len(value) != 1:
        raise _refused(reading, path, value, f"a table with one of {', '.join(forms)}")
    ((form, inner),) = value.items()
    where = (*path, form)
    if form == "same_as":
        return _same_as(reading, where, inner, SAME_AS[key])
    if form == "any":
        if isinstance(inner, bool):
            return NextSeat(inner)
        raise _refused(reading, where, inner, "true or false")
    if form == "none":
        return OneOf((NoSeat(_word(reading, where, inner, WORDS["why"])),))
    if isinstance(inner, dict) and not (key == "next" and inner.keys() == {"none"}):
        raise _refused(reading, where, inner, "a value or a list of values")
    return _plain_value(reading, where, key, inner, negated=True)


def _same_as(reading: _Reading, path: KeyPath, value: object, keys: tuple[str, ...]) -> SameAs:
    if not reading.after:
        problem = "only then can point at something: at the step that after matched"
        reading.findings.at_key(path, "conflicting_keys", problem)
        raise _Wrong
    return SameAs(_word(reading, path, value, keys))  # type: ignore[arg-type]


def _plain_value(
    reading: _Reading, path: KeyPath, key: str, value: object, *, negated: bool
) -> object:
    if key == "text":
        return _pattern(reading, path, value, negated=negated)
    if key == "audience":
        return Audiences(tuple(_audiences(reading, path, value)), negated)
    items: list[tuple[KeyPath, object]] = [(path, value)]
    if isinstance(value, list):
        items = [((*path, at), one) for at, one in enumerate(value)]
        if not items:
            raise _refused(reading, path, value, "one or more values")
    read = _READ_ONE.get(key)
    values = tuple(
        read(reading, where, one) if read else _word(reading, where, one, WORDS[key])
        for where, one in items
    )
    return OneOf(values, negated)


def _seat(reading: _Reading, path: KeyPath, value: object) -> str:
    text = _string(reading, path, value, "a seat's id")
    reading.names.want_seat(reading.findings, path, text)
    return text


def _person(reading: _Reading, path: KeyPath, value: object) -> str:
    text = _string(reading, path, value, "a person's id")
    reading.names.want_person(reading.findings, path, text)
    return text


def _mention(reading: _Reading, path: KeyPath, value: object) -> str:
    text = _string(reading, path, value, "a seat id, person:id, desk:id or everyone")
    reading.names.want_mention(reading.findings, path, text)
    return text


def _next(reading: _Reading, path: KeyPath, value: object) -> str | NoSeat:
    if isinstance(value, dict) and value.keys() == {"none"}:
        return NoSeat(_word(reading, (*path, "none"), value["none"], WORDS["why"]))
    return _seat(reading, path, value)


def _hop(reading: _Reading, path: KeyPath, value: object) -> int:
    number = _number(reading.findings, path, value, 0)
    if number is None:
        raise _Wrong
    return number


_READ_ONE: Final[Mapping[str, Callable[[_Reading, KeyPath, object], Any]]] = {
    "seat": _seat,
    "person": _person,
    "mentions": _mention,
    "next": _next,
    "hop": _hop,
}


def _audiences(reading: _Reading, path: KeyPath, value: object) -> Iterator[Any]:
    """Yield the audience that a value says: a word, or the seats of one aside."""
    if isinstance(value, str):
        if value not in {"desk", "aside"}:
            hint = f"; did you mean [{quoted(value)}]?"
            raise _refused(reading, path, value, f'"desk", "aside" or a list of seat ids{hint}')
        yield value
        return
    if not isinstance(value, list) or not value:
        raise _refused(reading, path, value, '"desk", "aside" or a list of seat ids')
    yield tuple(_seat(reading, (*path, at), one) for at, one in enumerate(value))


def _pattern(reading: _Reading, path: KeyPath, value: object, *, negated: bool) -> Pattern:
    text = _string(reading, path, value, "a regular expression")
    try:
        regex.compile(text)
    except (regex.error, OverflowError, RecursionError) as error:
        problem = f"found {found(value)}, which is no regular expression: {error}"
        reading.findings.at_value(path, "unknown_value", problem)
        raise _Wrong from None
    return Pattern(text, negated)


def _string(reading: _Reading, path: KeyPath, value: object, expected: str) -> str:
    if isinstance(value, str):
        return value
    raise _refused(reading, path, value, expected)


def _word(reading: _Reading, path: KeyPath, value: object, words: tuple[str, ...]) -> str:
    expected = f"one of {', '.join(words)}"
    if not isinstance(value, str):
        raise _refused(reading, path, value, expected)
    if value not in words:
        hint = did_you_mean(value, words)
        problem = f"found {found(value)}, expected {expected}{hint}"
        reading.findings.at_value(path, "unknown_value", problem)
        raise _Wrong
    return value


def _refused(reading: _Reading, path: KeyPath, value: object, expected: str) -> _Wrong:
    _refuse(reading.findings, path, value, expected)
    return _Wrong()


def _refuse(
    findings: Findings,
    path: KeyPath,
    value: object,
    expected: str,
    kind: Any = "wrong_type",  # noqa: ANN401 - a kind of problem
) -> None:
    what = "an empty list" if value == [] else "an empty table" if value == {} else found(value)
    findings.at_value(path, kind, f"found {what}, expected {expected}")
