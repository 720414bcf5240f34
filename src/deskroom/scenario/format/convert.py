"""From plain TOML data to the classes of the model, with the path to everything that does not fit.

cattrs builds the classes. Every key that a class does not have is an error, and a class's own
validators run key by key, so that what they refuse has its place too.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from copy import deepcopy
from typing import Any, Final, Generic, Literal, TypeVar, get_args, get_origin

import attrs
from attrs import frozen
from cattrs import Converter
from cattrs.errors import (
    BaseValidationError,
    ClassValidationError,
    ForbiddenExtraKeysError,
    IterableValidationError,
)
from cattrs.gen import make_dict_structure_fn, override

from deskroom.scenario.format.model import FROM_LOADER, Call, Nobody, OpeningExpect, TurnExpect
from deskroom.scenario.format.position import KeyPath
from deskroom.scenario.format.problems import Findings, did_you_mean, found
from deskroom.scenario.format.values import (
    Hook,
    Unfit,
    call,
    each,
    flag,
    no_row,
    number,
    one_of,
    text,
    whole,
)

__all__ = ["Fitted", "as_far_as_it_fits", "refuse_unknown_keys", "structured"]

T = TypeVar("T")

#: How often a value is tried again without what does not fit: tables nest no deeper than this.
_DEEPEST: Final = 4
_BOUND: Final = re.compile(r"must be ([<>]=?) ([0-9.]+)")


@frozen
class Fitted(Generic[T]):
    """What could be made of a value; ``whole`` says that nothing had to be left out for it."""

    part: T | None
    whole: bool


def structured(findings: Findings, path: KeyPath, value: object, type_: type[T]) -> T | None:
    """Return the value as the type; when it does not fit, add what is wrong and return None."""
    fitted = as_far_as_it_fits(findings, path, value, type_)
    return fitted.part if fitted.whole else None


def as_far_as_it_fits(
    findings: Findings,
    path: KeyPath,
    value: object,
    type_: type[T],
    *,
    only_inside: bool = False,
) -> Fitted[T]:
    """Return the value as the type, without what does not fit, so that the rest can be judged too.

    What is wrong is added. There is no part where what does not fit cannot be left out: an entry of
    a list, a key that must be there and, with ``only_inside``, a key of the value itself: it may
    have been meant for one without which others would seem wrong.
    """
    try:
        return Fitted(_CONVERTER.structure(value, type_), whole=True)
    except (Unfit, BaseValidationError) as error:
        _tell(findings, error, path)
        return Fitted(_without(value, error, type_, only_inside=only_inside), whole=False)


def _without(value: object, error: Exception, type_: type[T], *, only_inside: bool) -> T | None:
    value = deepcopy(value)
    for _ in range(_DEEPEST):
        for path in _unfit(error, ()):
            if not _drop(value, path, only_inside=only_inside):
                return None
        try:
            return _CONVERTER.structure(value, type_)
        except (Unfit, BaseValidationError) as again:
            error = again
    return None


def _drop(value: Any, path: KeyPath, *, only_inside: bool) -> bool:  # noqa: ANN401 - plain data
    """Leave out a key, or the table in which a key is missing; return whether that can be done."""
    tables = [value]
    for step in path[:-1]:
        if isinstance(step, str) and step not in tables[-1]:
            return True  # it went with the table around it
        tables.append(tables[-1][step])
    while path and isinstance(path[-1], str) and path[-1] not in tables[-1]:
        path = path[:-1]
        tables.pop()
    if not path or not isinstance(path[-1], str) or (len(path) == 1 and only_inside):
        return False
    del tables[-1][path[-1]]
    return True


def _unfit(error: Exception, path: KeyPath) -> Iterator[KeyPath]:
    """Yield the path of everything that does not fit, deepest where it is a key of a table."""
    match error:
        case ClassValidationError() | IterableValidationError():
            for inner, step in _inner(error):
                yield from _unfit(inner, (*path, *step))
        case ForbiddenExtraKeysError():
            yield from ((*path, name) for name in sorted(error.extra_fields))
        case _:
            yield path


def refuse_unknown_keys(
    findings: Findings, path: KeyPath, stated: Iterable[str], known: Iterable[str]
) -> None:
    """Add a problem for each key that is not among the known ones."""
    names = list(known)
    for name in stated:
        if name not in names:
            problem = f"unknown key, expected one of {', '.join(names)}{did_you_mean(name, names)}"
            findings.at_key((*path, name), problem)


def _tell(findings: Findings, error: Exception, path: KeyPath) -> None:
    """Walk an error of cattrs to its leaves; each becomes a problem at its path."""
    match error:
        case ClassValidationError() | IterableValidationError():
            for inner, step in _inner(error):
                _tell(findings, inner, (*path, *step))
        case ForbiddenExtraKeysError():
            refuse_unknown_keys(findings, path, sorted(error.extra_fields), _keys(error.cl))
        case Unfit():
            findings.at_value((*path, *error.inside), str(error))
        case KeyError():  # every key that must be there holds a string
            findings.at_value(path, "missing, expected a string")
        case _:  # pragma: no cover - a validator that looks at several keys at once
            findings.at_value(path, str(error))


def _inner(
    error: ClassValidationError | IterableValidationError,
) -> Iterator[tuple[Exception, KeyPath]]:
    if isinstance(error, ClassValidationError):
        noted, bare = error.group_exceptions()
        yield from ((inner, (note.name,)) for inner, note in noted)
        yield from ((inner, ()) for inner in bare)
    else:
        yield from ((inner, (note.index,)) for inner, note in error.group_exceptions()[0])


def _keys(cls: type) -> list[str]:
    return [field.name for field in attrs.fields(cls) if not _is_from_loader(field)]


def _is_from_loader(attribute: attrs.Attribute[Any]) -> bool:
    return FROM_LOADER in attribute.metadata


# --- hooks that are made for a type ------------------------------------------------------------


def _list_hook(type_: object, converter: Converter) -> Hook:
    element = get_args(type_)[0]
    structure = converter.get_structure_hook(element)

    def hook(value: object, _: object) -> tuple[Any, ...]:
        if not isinstance(value, list):
            raise Unfit.of(value, "a list")
        return tuple(each(enumerate(value), structure, element).values())

    return hook


def _mapping_hook(type_: object, converter: Converter) -> Hook:
    element = get_args(type_)[1]
    structure = converter.get_structure_hook(element)

    def hook(value: object, _: object) -> dict[str, Any]:
        if not isinstance(value, dict):
            raise Unfit.of(value, "a table")
        return each(value.items(), structure, element)

    return hook


def _class_hook(cls: type, converter: Converter) -> Hook:
    attrs.resolve_types(cls)
    overrides: dict[str, Any] = {}
    for attribute in attrs.fields(cls):
        own = _own_hook(cls, attribute, converter)
        omit = _is_from_loader(attribute)
        overrides[attribute.name] = override(omit=omit, struct_hook=own)
    structure: Hook = make_dict_structure_fn(
        cls, converter, _cattrs_forbid_extra_keys=True, **overrides
    )

    def hook(value: object, type_: object) -> object:
        if not isinstance(value, dict):
            raise Unfit.of(value, "a table")
        return structure(value, type_)

    return hook


def _own_hook(cls: type, attribute: attrs.Attribute[Any], converter: Converter) -> Hook | None:
    """Return the hook of an attribute that its type alone does not decide."""
    if cls in {TurnExpect, OpeningExpect} and attribute.name == "next":
        return _next
    if cls is TurnExpect and attribute.name == "audience":
        return _audience
    if cls is TurnExpect and attribute.name == "row":
        return no_row
    if attribute.validator is not None:
        return _validated(attribute, converter)
    return None


def _validated(attribute: attrs.Attribute[Any], converter: Converter) -> Hook:
    structure = converter.get_structure_hook(attribute.type)
    validate: Any = attribute.validator

    def hook(value: object, type_: object) -> object:
        result = structure(value, type_)
        try:
            validate(None, attribute, result)
        except ValueError as error:
            bound = _BOUND.search(str(error))
            expected = f"a number {bound[1]} {bound[2]}" if bound else str(error)
            raise Unfit.of(value, expected) from None
        return result

    return hook


def _next(value: object, _: object) -> object:
    match value:
        case str():
            return value
        case dict():
            return _CONVERTER.structure(value, Nobody)
        case list():
            return _CONVERTER.structure(value, tuple[str, ...])
        case _:
            raise Unfit.of(value, "a seat id, { none = reason } or a list of seat ids")


def _audience(value: object, _: object) -> object:
    if value == "desk":
        return value
    if isinstance(value, list) and value:
        return _CONVERTER.structure(value, tuple[str, ...])
    hint = f"; did you mean [{found(value)}]?" if isinstance(value, str) else ""
    shown = "an empty list" if value == [] else found(value)
    raise Unfit(f'found {shown}, expected "desk" or a list of one or more seat ids{hint}')


def _converter() -> Converter:
    converter = Converter(detailed_validation=True)
    for type_, hook in ((str, text), (bool, flag), (int, whole), (float, number), (Call, call)):
        converter.register_structure_hook(type_, hook)
    converter.register_structure_hook_func(_made_from(Literal), one_of)
    converter.register_structure_hook_factory(attrs.has, _class_hook)
    converter.register_structure_hook_factory(_made_from(tuple), _list_hook)
    converter.register_structure_hook_factory(_made_from(Mapping), _mapping_hook)
    return converter


def _made_from(origin: object) -> Callable[[Any], bool]:
    return lambda type_: get_origin(type_) is origin


_CONVERTER: Final = _converter()
