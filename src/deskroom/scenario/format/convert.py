"""From plain TOML data to the classes of the model, in one pass that reports all that is wrong.

Nothing is coerced: ``"1"`` is not a number, ``true`` is not a number, and a whole number is
accepted where a number is wanted.

What is wrong is left out, so that the rest can be checked too: a key of a table, or a whole list
when one of its items is wrong. A table without a key that it must have is left out itself.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping
from enum import Enum
from functools import cache
from types import NoneType, UnionType
from typing import Any, Final, Generic, NamedTuple, TypeGuard, TypeVar, Union, get_args, get_origin

import attrs

from deskroom.core.limits import Limit
from deskroom.scenario.format.model import FROM_LOADER, Call, Nobody, choices_of
from deskroom.scenario.format.position import KeyPath
from deskroom.scenario.format.problems import (
    LAST_INTEGER,
    Findings,
    ProblemKind,
    did_you_mean,
    found,
)

__all__ = ["Converted", "convert", "refuse_unknown_keys"]

T = TypeVar("T")

#: What is passed to a tool unchecked must still be writable as JSON.
_MAX_ARGUMENT_NESTING: Final = 100
_BOUND: Final = re.compile(r"must be ([<>]=?) ([0-9.]+)")


class _Omitted(Enum):
    """The result for a value that is wrong, once its problem has been added."""

    OMITTED = 0


_OMITTED: Final = _Omitted.OMITTED
#: Takes a value, its path, and where to add a problem; returns the value of the model.
_Convert = Callable[[Any, KeyPath, Findings], Any]


class Converted(NamedTuple, Generic[T]):
    """What a value became, or None; ``complete`` when nothing had to be left out."""

    part: T | None
    complete: bool


def convert(
    findings: Findings, path: KeyPath, value: object, cls: type[T], *, need_all_keys: bool = False
) -> Converted[T]:
    """Return a table as a class of the model, without the keys that are wrong.

    With ``need_all_keys`` there is no part unless each of the table's own keys could be read.
    """
    before = len(findings)
    table = _table(cls)
    arguments = table.arguments(value, path, findings)
    if arguments is None or (need_all_keys and arguments.keys() != value.keys()):  # type: ignore[attr-defined]
        return Converted(None, complete=False)
    return Converted(cls(**arguments), complete=len(findings) == before)


def refuse_unknown_keys(
    findings: Findings, path: KeyPath, keys: Iterable[str], known: Iterable[str]
) -> None:
    """Add a problem for each key that is not among the known ones."""
    names = list(known)
    for key in keys:
        if key not in names:
            findings.unknown_key((*path, key), names)


def _refuse(
    findings: Findings,
    path: KeyPath,
    value: object,
    expected: str,
    kind: ProblemKind = "wrong_type",
) -> _Omitted:
    findings.at_value(path, kind, f"found {found(value)}, expected {expected}")
    return _OMITTED


# --- tables and lists --------------------------------------------------------------------------


class _Table:
    """How a table becomes an instance of one class of the model."""

    def __init__(self, cls: type) -> None:
        attrs.resolve_types(cls)
        fields = attrs.fields(cls)
        self._cls = cls
        self._keys = {
            field.name: _of_attribute(field)
            for field in fields
            if FROM_LOADER not in field.metadata
        }
        #: The keys of which any value of this class is right: most are texts.
        self._plain = {field.name: str for field in fields if self._keys.get(field.name) is _text}
        self._required = [field.name for field in fields if field.default is attrs.NOTHING]
        self._extra = [
            (field.name, field.metadata[FROM_LOADER])
            for field in fields
            if FROM_LOADER in field.metadata
        ]

    def __call__(self, value: object, path: KeyPath, findings: Findings) -> object:
        """Return the instance."""
        arguments = self.arguments(value, path, findings)
        return _OMITTED if arguments is None else self._cls(**arguments)

    def arguments(self, value: object, path: KeyPath, findings: Findings) -> dict[str, Any] | None:
        """Return the arguments of the class, or None where a required one is missing."""
        if not isinstance(value, dict):
            _refuse(findings, path, value, "a table")
            return None
        arguments: dict[str, Any] = {}
        for key, inner in value.items():
            if type(inner) is self._plain.get(key):
                arguments[key] = inner
                continue
            convert_inner = self._keys.get(key)
            if convert_inner is None:
                refuse_unknown_keys(findings, path, [key], self._keys)
                continue
            converted = convert_inner(inner, (*path, key), findings)
            if converted is not _OMITTED:
                arguments[key] = converted
        for key in self._required:
            if key not in value:  # every required key holds a string
                findings.at_value((*path, key), "missing_key", "missing, expected a string")
        if any(key not in arguments for key in self._required):
            return None
        for name, make in self._extra:
            arguments[name] = make(findings.document, path, value)
        return arguments


_table: Final[Callable[[Any], _Table]] = cache(_Table)


def _list(item_type: Any) -> _Convert:  # noqa: ANN401 - any annotation of the model
    convert_item = _of_type(item_type)

    def convert_list(value: object, path: KeyPath, findings: Findings) -> object:
        if not isinstance(value, list):
            return _refuse(findings, path, value, "a list")
        items = [convert_item(item, (*path, at), findings) for at, item in enumerate(value)]
        return _OMITTED if _OMITTED in items else tuple(items)

    return convert_list


def _mapping(item_type: Any) -> _Convert:  # noqa: ANN401 - any annotation of the model
    convert_item = _of_type(item_type)

    def convert_mapping(value: object, path: KeyPath, findings: Findings) -> object:
        if not isinstance(value, dict):
            return _refuse(findings, path, value, "a table")
        items = {key: convert_item(item, (*path, key), findings) for key, item in value.items()}
        return {key: item for key, item in items.items() if item is not _OMITTED}

    return convert_mapping


# --- single values -----------------------------------------------------------------------------


def _text(value: object, path: KeyPath, findings: Findings) -> object:
    return value if isinstance(value, str) else _refuse(findings, path, value, "a string")


def _flag(value: object, path: KeyPath, findings: Findings) -> object:
    return value if isinstance(value, bool) else _refuse(findings, path, value, "true or false")


def _whole(value: object, path: KeyPath, findings: Findings) -> object:
    return value if _is_whole(value) else _refuse(findings, path, value, "a whole number")


def _number(value: object, path: KeyPath, findings: Findings) -> object:
    if _is_whole(value) or (isinstance(value, float) and math.isfinite(value)):
        return value
    return _refuse(findings, path, value, "a finite number")


def _is_whole(value: object) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool) and abs(value) <= LAST_INTEGER


def _choice(choices: Mapping[str, object]) -> _Convert:
    expected = f"one of {', '.join(choices)}"

    def convert_choice(value: object, path: KeyPath, findings: Findings) -> object:
        if not isinstance(value, str):
            return _refuse(findings, path, value, expected)
        if value not in choices:
            hint = did_you_mean(value, choices)
            return _refuse(findings, path, value, f"{expected}{hint}", "unknown_value")
        return choices[value]

    return convert_choice


def _validated(attribute: attrs.Attribute[Any], convert_value: _Convert) -> _Convert:
    """Run the attribute's own validator here, where the path to a value out of range is known."""
    validate: Any = attribute.validator
    if isinstance(validate, Limit):
        validate = validate.validator

    def convert_validated(value: object, path: KeyPath, findings: Findings) -> object:
        converted = convert_value(value, path, findings)
        if converted is _OMITTED:
            return _OMITTED
        try:
            validate(None, attribute, converted)
        except ValueError as error:
            bound = _BOUND.search(str(error))
            expected = f"a number {bound[1]} {bound[2]}" if bound else str(error)
            return _refuse(findings, path, value, expected, "out_of_range")
        return converted

    return convert_validated


# --- values with a form of their own -----------------------------------------------------------


def _call(value: object, path: KeyPath, findings: Findings) -> object:
    """Accept a table with a tool. Every other key is an argument and is not looked at."""
    if not isinstance(value, dict):
        return _refuse(findings, path, value, "a table with a tool")
    if "tool" not in value:
        findings.at_value((*path, "tool"), "missing_key", "missing, expected a string")
        return _OMITTED
    tool = value["tool"]
    if not isinstance(tool, str):
        return _refuse(findings, (*path, "tool"), tool, "a string")
    arguments = {name: argument for name, argument in value.items() if name != "tool"}
    if _nests_deeper(arguments, _MAX_ARGUMENT_NESTING):
        problem = f"the arguments are nested more than {_MAX_ARGUMENT_NESTING} levels deep"
        findings.at_value(path, "too_deep", problem)
        return _OMITTED
    return Call(tool=tool, arguments=arguments)


def _nests_deeper(value: object, limit: int) -> bool:
    level = [value]
    for _ in range(limit + 1):
        level = [inner for outer in level for inner in _inside(outer)]
        if not level:
            return False
    return True


def _inside(value: object) -> Iterable[object]:
    if isinstance(value, dict):
        return value.values()
    return value if isinstance(value, list) else ()


def _next(value: object, path: KeyPath, findings: Findings) -> object:
    match value:
        case str():
            return value
        case dict():
            return _table(Nobody)(value, path, findings)
        case list():
            return _ids(value, path, findings)
        case _:
            expected = "a seat id, { none = reason } or a list of seat ids"
            return _refuse(findings, path, value, expected)


def _audience(value: object, path: KeyPath, findings: Findings) -> object:
    if value == "desk":
        return value
    if isinstance(value, list) and value:
        return _ids(value, path, findings)
    hint = f"; did you mean [{found(value)}]?" if isinstance(value, str) else ""
    shown = "an empty list" if value == [] else found(value)
    problem = f'found {shown}, expected "desk" or a list of one or more seat ids{hint}'
    findings.at_value(path, "empty_list" if value == [] else "wrong_type", problem)
    return _OMITTED


def _no_row(value: object, path: KeyPath, findings: Findings) -> object:
    if value is False:
        return False
    return _refuse(findings, path, value, "false; leave the key out where a row is expected")


def _at(value: object, path: KeyPath, findings: Findings) -> object:
    if value == "end" or (_is_whole(value) and value >= 0):
        return value
    return _refuse(findings, path, value, 'a number of calls from 0 on, or "end"')


# --- which of these a key has ------------------------------------------------------------------

_PLAIN: Final[Mapping[Any, _Convert]] = {
    str: _text,
    bool: _flag,
    int: _whole,
    float: _number,
    Call: _call,
}
#: Keys whose type alone does not say which values they take.
_BY_NAME: Final[Mapping[str, _Convert]] = {
    "next": _next,
    "audience": _audience,
    "row": _no_row,
    "at": _at,
}


def _of_attribute(attribute: attrs.Attribute[Any]) -> _Convert:
    if attribute.name in _BY_NAME:
        return _BY_NAME[attribute.name]
    convert_value = _of_type(attribute.type)
    return convert_value if attribute.validator is None else _validated(attribute, convert_value)


def _of_type(type_: Any) -> _Convert:  # noqa: ANN401 - any annotation of the model
    """Return how a value of a type of the model is converted; None only stands for a default."""
    arguments = [argument for argument in get_args(type_) if argument is not NoneType]
    origin = get_origin(type_)
    if origin is tuple:
        return _list(arguments[0])
    if origin is Mapping:
        return _mapping(arguments[1])
    if origin in {Union, UnionType} and len(arguments) == 1:
        return _of_type(arguments[0])
    if type_ in _PLAIN:
        return _PLAIN[type_]
    if attrs.has(type_):
        return _table(type_)
    return _choice(choices_of(type_))


_ids: Final = _list(str)
