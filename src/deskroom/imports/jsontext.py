"""JSON from strangers: bounded in depth and digits, and every fault one sentence with its place.

A key that stands twice in one object is an error: readers differ in which one they believe. NaN and
the infinities are taken, since Python's own serialisers write them.
"""

from __future__ import annotations

import json
import re
from typing import Any, Final

from deskroom.errors import FileError
from deskroom.imports.limits import MOST_DIGITS, MOST_NESTED

__all__ = ["parse_json"]

#: What matters for depth and digits: strings (to pass over them), brackets, long numbers.
_TOKEN: Final = re.compile(r'"(?:[^"\\]++|\\.)*+"|[\[{]|[\]}]|-?\d++', re.DOTALL)
_CUT: Final = re.compile(r'[^"\\]*(?:\\.[^"\\]*)*', re.DOTALL)


class _TwiceError(Exception):
    """A key that stands twice in one object."""


def parse_json(text: str, path: str, *, line: int = 1) -> Any:  # noqa: ANN401 - decoded JSON
    """Return what a text of JSON says. ``line`` is the number of its first line.

    Raises ``FileError`` with line and column: of kind ``cut`` where the text ends too early, else
    of kind ``json``.
    """
    _check_depth(text, path, line)
    try:
        return _DECODER.decode(text)
    except json.JSONDecodeError as error:
        raise _fault(error, text, path, line) from None
    except _TwiceError as error:
        at = _second(text, str(error))
        problem = f"the key {str(error)!r} stands twice in one object"
        raise _error(path, problem, text, at, line) from None
    except (RecursionError, MemoryError):
        raise FileError(path, "the JSON is too large to be read", line=line, kind="json") from None
    except ValueError:
        at = next((m.start() for m in _TOKEN.finditer(text) if _is_long_number(m)), 0)
        problem = f"a number has more than {MOST_DIGITS} digits"
        raise _error(path, problem, text, at, line) from None


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) != len(pairs):
        keys = [key for key, _ in pairs]
        raise _TwiceError(next(key for at, key in enumerate(keys) if key in keys[:at]))
    return value


def _integer(digits: str) -> int:
    if len(digits) > MOST_DIGITS:
        raise ValueError
    return int(digits)


_DECODER: Final = json.JSONDecoder(object_pairs_hook=_object, parse_int=_integer)


def _is_long_number(match: re.Match[str]) -> bool:
    return match.end() - match.start() > MOST_DIGITS and match[0][0] not in '"[{]}'


def _check_depth(text: str, path: str, line: int) -> None:
    """Raise for a text that is too deep, before anything recurses into it."""
    if text.count("[") + text.count("{") <= MOST_NESTED:
        return
    depth = 0
    for match in _TOKEN.finditer(text):
        first = text[match.start()]
        if first in "[{":
            depth += 1
            if depth > MOST_NESTED:
                problem = f"lists and objects are nested more than {MOST_NESTED} deep"
                raise _error(path, problem, text, match.start(), line)
        elif first in "]}":
            depth -= 1


def _fault(error: json.JSONDecodeError, text: str, path: str, line: int) -> FileError:
    rest = text[error.pos :].strip()
    if error.msg.startswith("Unterminated string") or (rest[:1] == '"' and _is_open(rest)):
        return _error(path, "the JSON ends inside a string", text, error.pos, line, kind="cut")
    if not rest or rest in _BEGUN:
        return _error(
            path, "the JSON ends inside a list or an object", text, len(text), line, "cut"
        )
    problem = f"this is not JSON: {error.msg[:1].lower()}{error.msg[1:]}"
    return _error(path, problem, text, error.pos, line)


#: What a literal that was cut short looks like.
_BEGUN: Final = frozenset(
    {word[:size] for word in ("true", "false", "null", "NaN", "Infinity") for size in range(1, 8)}
    | {"-", "-I"}
) - {"true", "false", "null", "NaN"}


def _is_open(rest: str) -> bool:
    match = _CUT.match(rest, 1)
    return match is None or match.end() >= len(rest)


def _second(text: str, key: str) -> int:
    written = json.dumps(key, ensure_ascii=False)
    first = text.find(written)
    return max(text.find(written, first + 1), 0)


def _error(path: str, problem: str, text: str, at: int, line: int, kind: str = "json") -> FileError:
    column = at - (text.rfind("\n", 0, at) + 1) + 1
    number = line + text.count("\n", 0, at)
    return FileError(path, problem, line=number, column=column, kind=kind)
