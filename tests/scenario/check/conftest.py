"""How the tests of ``check`` write files and read what is told of them."""

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
    """Return a function that checks such a scenario and returns its warnings, place and all.

    That it expects nothing is left out: most of these scenarios are about something else.
    """

    def check(lines: str, **parts: str) -> list[str]:
        checked = check_text(file(lines, **parts))
        assert () == checked.errors
        warnings = [one for one in checked.warnings if one.kind != "expects_nothing"]
        told = [str(warning).removeprefix("<text>:") for warning in warnings]
        return [line.replace(" warning: ", " ", 1) for line in told]

    return check
