"""What a policy's attributes may be, and the sentence for a value that is not.

The limits are attrs' own validators, which the scenario format reads too; their errors are made for
programs, and here one is made for people.
"""

from __future__ import annotations

import difflib
import math
from typing import Any, Final

from attrs import Attribute, frozen

from deskroom.errors import UsageError

__all__ = ["Limit", "with_sentences"]

_NOUNS: Final = {
    bool: "True or False",
    int: "a whole number",
    float: "a number",
    str: "a text",
    tuple: "a list of seat ids",
}
_BOUNDS: Final = {">=": "of at least", ">": "above", "<=": "up to", "<": "below"}


@frozen
class Limit:
    """A validator that says what an attribute must be. Raises ``UsageError``."""

    validator: Any

    def __call__(self, instance: object, attribute: Attribute[Any], value: Any) -> None:  # noqa: ANN401
        """Refuse a value that the validator refuses, and a bool where a number is wanted."""
        types = _types(self.validator)
        try:
            self.validator(instance, attribute, value)
        except (TypeError, ValueError):
            pass
        else:
            if not isinstance(value, bool) or bool in types or not types & {int, float}:
                return
        name = f"{type(instance).__name__}.{attribute.name}"
        expected = _expected(self.validator)
        raise UsageError(f"{name} must be {expected}, not {value!r}{_hint(self, attribute, value)}")


def with_sentences(_class: type, fields: list[Attribute[Any]]) -> list[Attribute[Any]]:
    """Wrap the validators of a class, as attrs' ``field_transformer`` does it."""
    return [field.evolve(validator=Limit(field.validator)) for field in fields]


# What a validator asks for. attrs keeps the classes of its validators private.


def _parts(validator: Any) -> list[Any]:  # noqa: ANN401
    inner = getattr(validator, "_validators", None) or [getattr(validator, "validator", None)]
    return [part for one in inner if one is not None for part in _parts(one)] or [validator]


def _types(validator: Any) -> set[type]:  # noqa: ANN401
    found: set[type] = set()
    for part in _parts(validator):
        types = getattr(part, "type", ())
        found.update(types if isinstance(types, tuple) else (types,))
    return found


def _options(validator: Any) -> tuple[Any, ...]:  # noqa: ANN401
    return next((part.options for part in _parts(validator) if hasattr(part, "options")), ())


def _expected(validator: Any) -> str:  # noqa: ANN401
    options, types = _options(validator), _types(validator)
    if options:
        return " or ".join(map(repr, options))
    noun = _NOUNS.get(float if float in types else next(iter(types)))
    words = [noun or f"of type {next(iter(types)).__name__}"]
    words += [
        f"{_BOUNDS[part.compare_op]} {part.bound}"
        for part in _parts(validator)
        if hasattr(part, "bound")
    ]
    return " ".join(words)


def _hint(limit: Limit, attribute: Attribute[Any], value: object) -> str:
    near = _nearest(limit.validator, value)
    if near is not None:
        return f"; did you mean {near!r}?"
    default = attribute.default
    return f"; the default is {default!r}" if isinstance(default, str | int | float) else ""


def _nearest(validator: Any, value: object) -> object:  # noqa: ANN401
    """Return the right value that is most like a wrong one, or None when none is."""
    options, types = _options(validator), _types(validator)
    if options:
        words = difflib.get_close_matches(str(value).lower(), options, n=1, cutoff=0)
        return words[0] if words else None
    if bool in types:
        return _FLAGS.get(str(value).lower())
    if types & {int, float}:
        return _nearest_number(validator, value, whole=float not in types)
    return None


_FLAGS: Final = {
    "true": True,
    "yes": True,
    "on": True,
    "1": True,
    "false": False,
    "no": False,
    "off": False,
    "0": False,
    "none": False,
}


def _nearest_number(validator: Any, value: object, *, whole: bool) -> object:  # noqa: ANN401
    try:
        number = float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        return None
    if math.isnan(number):
        return None
    for part in _parts(validator):
        if hasattr(part, "bound") and not part.compare_func(number, part.bound):
            # Of the numbers above a bound, none is the nearest.
            number = part.bound if "=" in part.compare_op else part.bound + 1
    return int(number) if whole or number == int(number) else number
