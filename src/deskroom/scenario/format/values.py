"""One function a kind of value: the value as it is, or an ``Unfit`` that says what was wanted.

Nothing is coerced: ``"1"`` is no number, ``true`` is no number, and a whole number is accepted
where a number is wanted.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any, Final, Literal, TypeGuard, TypeVar, get_args

from cattrs.errors import BaseValidationError, IterableValidationError, IterableValidationNote

from deskroom.scenario.format.model import Call
from deskroom.scenario.format.position import KeyPath
from deskroom.scenario.format.problems import LAST_INTEGER, MAX_PROBLEMS, did_you_mean, found

__all__ = ["Hook", "Unfit", "call", "each", "flag", "no_row", "number", "one_of", "text", "whole"]

#: What cattrs calls with a value and the type that is wanted of it.
Hook = Callable[[Any, Any], Any]
K = TypeVar("K", int, str)

#: What is passed to a tool unchecked must still be writable as JSON.
_MAX_ARGUMENT_NESTING: Final = 100


class Unfit(ValueError):
    """A value is not what its place needs. The message is the sentence without place and key.

    ``inside`` leads from that place to the part at fault.
    """

    def __init__(self, sentence: str, inside: KeyPath = ()) -> None:
        self.inside = inside
        super().__init__(sentence)

    @classmethod
    def of(cls, value: object, expected: str, hint: str = "") -> Unfit:
        """Say what was found and what was expected."""
        return cls(f"found {found(value)}, expected {expected}{hint}")


def text(value: object, _: object) -> str:
    """Accept a string."""
    if not isinstance(value, str):
        raise Unfit.of(value, "a string")
    return value


def flag(value: object, _: object) -> bool:
    """Accept true or false."""
    if not isinstance(value, bool):
        raise Unfit.of(value, "true or false")
    return value


def whole(value: object, _: object) -> int:
    """Accept a whole number of TOML's 64 bits."""
    if not _is_whole(value):
        raise Unfit.of(value, "a whole number")
    return value


def number(value: object, _: object) -> float:
    """Accept a whole number or a finite one."""
    if isinstance(value, float) and math.isfinite(value):
        return value
    if isinstance(value, float) or not _is_whole(value):
        raise Unfit.of(value, "a finite number")
    return value


def one_of(value: object, type_: object) -> str:
    """Accept one of the words of a ``Literal`` type."""
    words = get_args(type_)
    if isinstance(value, str) and value in words:
        return value
    hint = did_you_mean(value, words) if isinstance(value, str) else ""
    raise Unfit.of(value, f"one of {', '.join(words)}", hint)


def no_row(value: object, _: object) -> Literal[False]:
    """Accept false."""
    if value is not False:
        raise Unfit.of(value, "false, or no such key where a row is expected")
    return False


def call(value: object, _: object) -> Call:
    """Accept a table with a tool. Every other key is an argument and is not looked at."""
    if not isinstance(value, dict):
        raise Unfit.of(value, "a table with a tool")
    if "tool" not in value:
        raise Unfit("missing, expected a string", ("tool",))
    tool = value["tool"]
    if not isinstance(tool, str):
        raise Unfit(f"found {found(tool)}, expected a string", ("tool",))
    arguments = {name: argument for name, argument in value.items() if name != "tool"}
    if _nests_deeper(arguments, _MAX_ARGUMENT_NESTING):
        raise Unfit(f"the arguments nest more than {_MAX_ARGUMENT_NESTING} deep")
    return Call(tool=tool, arguments=arguments)


def each(items: Iterable[tuple[K, object]], hook: Hook, element: object) -> dict[K, Any]:
    """Apply a hook to each item. What does not fit is gathered, but not without end."""
    good: dict[K, Any] = {}
    errors: list[Exception] = []
    for index, item in items:
        try:
            good[index] = hook(item, element)
        except (Unfit, BaseValidationError) as error:
            error.add_note(IterableValidationNote("", index, element))
            errors.append(error)
            if len(errors) == MAX_PROBLEMS:
                break
    if errors:
        raise IterableValidationError("", errors, object)
    return good


def _is_whole(value: object) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool) and abs(value) <= LAST_INTEGER


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
