"""Which key is given twice, and where both of them stand."""

from __future__ import annotations

import re
import tomllib

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from deskroom.errors import FileError
from deskroom.scenario.format.duplicate import duplicate_error
from deskroom.scenario.format.problems import KeyProblem
from deskroom.scenario.format.toml import parse_toml


@pytest.mark.parametrize(
    "text, key, first, second",
    [
        ("a = 1\na = 2\n", "a", "1:1", "2:1"),
        ("a = 1\r\n\r\na = 2\r\n", "a", "1:1", "3:1"),
        ('a = 1\n"\\u0061" = 2\n', "a", "1:1", "2:1"),
        ("[t]\n[t]\n", "t", "1:2", "2:2"),
        ("[a.b]\n[a.b]\n", "a.b", "1:4", "2:4"),
        ("[a.b]\n[a]\nc = 1\n[a]\n", "a", "2:2", "4:2"),
        ("[t]\n[[t]]\n", "t", "1:2", "2:3"),
        ("[[t]]\n[t]\n", "t", "1:3", "2:2"),
        ("t = []\n[[t]]\n", "t", "1:1", "2:3"),
        ("t = { a = 1 }\n[t.b]\n", "t", "1:1", "2:2"),
        ("t = { a = 1 }\nt.b = 1\n", "t", "1:1", "2:1"),
        ("t = { a = 1, a = 2 }\n", "t.a", "1:7", "1:14"),
        ("t = { a.b = 1, a = 2 }\n", "t.a", "1:7", "1:16"),
        ("t = [[{ b = 1 }, # x\n { a = 1, a = 2 }]]\n", "t[1][2].a", "2:4", "2:11"),
        ("[[turn]]\nsay = 'x'\n[[turn]]\nsay = 'x'\nsay = '''\n#x\n'''\n", "turn[2].say", "4:1", "5:1"),
        ("[[turn]]\nexpect.next = 1\n[turn.expect]\n", "turn[1].expect", "2:1", "3:7"),
        ("[[turn]]\nexpect = {}\n[turn.expect]\nrow = 1\n", "turn[1].expect", "2:1", "3:7"),
        ("[[a]]\n[[a.b]]\n[[a.b]]\nc = 1\nc.d = 1\n", "a[1].b[2].c", "4:1", "5:1"),
        ("[a.b]\n[a]\nb.c = 1\n", "a.b", "1:4", "3:1"),
        ("x = '''\na = 1\n''' # a = 1\na = 1\na = 1\n", "a", "4:1", "5:1"),
    ],
)  # fmt: skip
def test_a_key_that_is_given_twice_is_named_with_both_places(
    text: str, key: str, first: str, second: str
) -> None:
    """Whether a value, a table, a list of tables or a key on the way to one of these."""
    with pytest.raises(KeyProblem) as caught:
        parse_toml(text, "f.toml")
    error = caught.value
    assert ("duplicate_key", key, second) == (error.kind, error.key, f"{error.line}:{error.column}")
    assert error.problem.endswith(first)


def test_a_fault_before_it_is_the_one_that_is_told() -> None:
    """Reading stops at the first fault, whichever it is."""
    with pytest.raises(FileError) as caught:
        parse_toml("a = 1\nb = \na = 2\n")
    assert ("not_toml", 2) == (caught.value.kind, caught.value.line)


NAMES = st.sampled_from(["a", "b", '"a"', "a.b", "b.a", "a.b.c"])
VALUES = st.sampled_from(["1", "{}", "{ b = 1 }", "{ b.c = 1 }", "[]", "[{ b = 1 }]", "{ b = 1, b.c = 1 }"])  # fmt: skip
STATEMENTS = st.one_of(
    st.builds("{} = {}".format, NAMES, VALUES),
    st.builds("[{}]".format, NAMES),
    st.builds("[[{}]]".format, NAMES),
)


@given(st.lists(STATEMENTS, max_size=6))
@example(["[a.b]", "[a]", "b.c = 1"])
@example(["[[a]]", "[a.b]", "[[a]]", "[a.b]"])
def test_it_is_found_wherever_the_parser_stops_for_one(statements: list[str]) -> None:
    """What TOML allows to be said again is no finding, and nothing else is overlooked."""
    text = "\n".join(statements)
    found = duplicate_error(text, "f.toml", len(statements))
    assert stopped_at(text) == (None if found is None else found.line)


def stopped_at(text: str) -> int | None:
    """Return the line at which the parser stops, or None where it does not."""
    try:
        tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        at = re.search(r"line (\d+)", str(error))
        return int(at[1]) if at else text.count("\n") + 1
    return None
