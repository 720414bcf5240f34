"""How the tests of ``check`` write files and read the warnings about them."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from deskroom.scenario.check import check_text

#: Six lines; what a test adds begins at line 7.
_DESK = """\
format = 1
{order}
[desk]
id = "d"
name = "Desk of ours"
people = [{{ id = "sam", label = "Sam Lee" }}]
seats = [{seats}]
"""


@pytest.fixture
def file() -> Callable[..., str]:
    """Return a function that writes a scenario whose lines begin at line 8, below the desk."""

    def write(lines: str, *, seats: str = "", order: str = "listed") -> str:
        listed = seats or '{ id = "lead" }, { id = "solver", name = "SOL" }, { id = "checker" }'
        return _DESK.format(order=f'order = "{order}"', seats=listed) + lines

    return write


@pytest.fixture
def warned(file: Callable[..., str]) -> Callable[..., list[str]]:
    """Return a function that checks such a scenario: place, key, kind and reason of each warning.

    That it expects nothing is left out: most of these scenarios are about something else.
    """

    def check(lines: str, **parts: str) -> list[str]:
        checked = check_text(file(lines, **parts))
        assert () == checked.errors
        return [
            f"{warning.line}:{warning.column} {warning.key} {warning.kind} {warning.reason}".rstrip()
            for warning in checked.warnings
            if warning.kind != "expects_nothing"
        ]

    return check
