"""Changing tables of a TOML text in place: what is not changed keeps its bytes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

import tomlkit
from tomlkit.exceptions import TOMLKitError
from tomlkit.items import Array, Item

from deskroom.scenario.position import KeyPath
from deskroom.scenario.write import toml_value

__all__ = ["Edit", "edited"]

_BARE_LINE_END: Final = re.compile(r"(?<!\r)\n")

#: Where a table is, what it holds and what it is to hold.
Edit = tuple[KeyPath, Mapping[str, Any], Mapping[str, Any]]


def edited(text: str, edits: Iterable[Edit]) -> Iterator[str]:
    """Yield the text with its tables changed, the gentlest way first.

    Nothing is yielded for a text that tomlkit cannot give back as it is. A way may fail to say
    what was meant, so the caller reads each text before it is used.
    """
    edits = list(edits)
    for change in (_key_by_key, _as_a_whole):
        try:
            document = tomlkit.parse(text)
            if document.as_string() != text:
                return
            for path, before, after in edits:
                change(_at(document, path[:-1]), path[-1], before, after)
            changed = document.as_string()
        except (TOMLKitError, ValueError, KeyError, TypeError, AttributeError, IndexError):
            continue
        yield changed if _BARE_LINE_END.search(text) else _BARE_LINE_END.sub("\r\n", changed)


def _at(document: Any, path: KeyPath) -> Any:  # noqa: ANN401 - tomlkit's containers
    for step in path:
        document = document[step]
    return document


def _key_by_key(
    parent: Any,  # noqa: ANN401 - tomlkit's containers
    name: str | int,
    before: Mapping[str, Any],
    after: Mapping[str, Any],
) -> None:
    table = parent[name]
    for key in before:
        if key not in after:
            table.remove(key)
    for key, value in after.items():
        if key not in before:
            table.append(key, _item(value))
        elif value != before[key] and not _changed_inside(table[key], value):
            table[key] = _item(value)


def _as_a_whole(
    parent: Any,  # noqa: ANN401 - tomlkit's containers
    name: str | int,
    before: Mapping[str, Any],  # noqa: ARG001 - as the gentler way
    after: Mapping[str, Any],
) -> None:
    """Put an inline table in place of one whose layout is beyond changing key by key."""
    parent.remove(name)
    parent.append(name, _item(after))


def _item(value: object) -> Item:
    return tomlkit.value(toml_value(value))


def _changed_inside(item: object, value: object) -> bool:
    """Change a list item by item, so that its comments stay; say whether that was possible."""
    if not isinstance(item, Array) or not isinstance(value, list) or len(item) != len(value):
        return False
    for at, inner in enumerate(value):
        if item[at] != inner:
            item[at] = _item(inner)
    return True
