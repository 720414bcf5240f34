"""Lists whose length changes, and values that are written anew: no comment is lost."""

from __future__ import annotations

import re
import tomllib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deskroom.scenario.format.patch import edited

LAID_OUT = 'x = [\n    "b", # the lead\n    # about c\n    "c" # the deputy\n]\n'


def rewritten(text: str, after: Any) -> str:
    """Return a text whose ``t.x`` is given another value."""
    text = f"[t]\n{text}"
    before = tomllib.loads(text)["t"]
    return edited(text, [(("t",), before, {**before, "x": after})]).removeprefix("[t]\n")


@pytest.mark.parametrize(
    "text, after, expected",
    [
        ('x = ["a"] # here\n', ["a", "b"], 'x = ["a", "b"] # here\n'),
        (
            LAID_OUT,
            ["b", "s", "c"],
            'x = [\n    "b", # the lead\n    "s",\n    # about c\n    "c" # the deputy\n]\n',
        ),
        (
            LAID_OUT,
            ["b", "c", "s"],
            'x = [\n    "b", # the lead\n    # about c\n    "c", # the deputy\n    "s",\n]\n',
        ),
        (
            LAID_OUT,
            ["s", "b", "c"],
            'x = [\n    "s",\n    "b", # the lead\n    # about c\n    "c" # the deputy\n]\n',
        ),
        (LAID_OUT, ["b"], 'x = [\n    "b", # the lead\n    # about c\n    # the deputy\n]\n'),
        (LAID_OUT, ["c"], 'x = [\n    # the lead\n    # about c\n    "c" # the deputy\n]\n'),
        (LAID_OUT, [], "x = [\n    # the lead\n    # about c\n    # the deputy\n]\n"),
        (LAID_OUT, "b", '# the lead\n# about c\n# the deputy\nx = "b"\n'),
        (
            '  x = [ # "no" comment\n  "#a", "b"] # end\n',
            {"none": "y"},
            '  # "no" comment\n  x = { none = "y" } # end\n',
        ),
        ('x = [\n  "a", "b",\n  "c",\n]\n', ["a", "c"], 'x = [\n  "a",\n  "c",\n]\n'),
        ('x = [\n  "a", "b",\n  "c",\n]\n', ["b", "c"], 'x = [\n  "b",\n  "c",\n]\n'),
        ('x = ["a",\n     "b"]\n', ["a"], 'x = ["a",\n     ]\n'),
        ('x = ["a",\n     "b"]\n', ["a", "b", "c"], 'x = ["a",\n     "b", "c"]\n'),
        ('x = ["a",\n     "b"]\n', ["c", "a", "b"], 'x = ["c", "a",\n     "b"]\n'),
        ("x = [\n]\n", ["a"], 'x = [\n    "a",\n]\n'),
        ("x = [ # none\n]\n", ["a"], 'x = [ # none\n    "a",\n]\n'),
        ('x = [\n  "a" # one\n  , "b"\n]\n', ["b"], 'x = [\n   # one\n   "b"\n]\n'),
        ('x = [\r\n  "a", # one\r\n]\r\n', ["a", "b"], 'x = [\r\n  "a", # one\r\n  "b",\r\n]\r\n'),
        ('x = [\r\n  "a", # one\r\n]\r\n', "b", '# one\r\nx = "b"\r\n'),
    ],
)  # fmt: skip
def test_a_list_keeps_its_layout_and_its_comments(text: str, after: Any, expected: str) -> None:
    """Items come and go; a list that becomes one value leaves its comments above it."""
    assert expected == rewritten(text, after)
    assert after == tomllib.loads(expected)["x"]


def test_a_key_that_goes_leaves_the_comments_in_its_list() -> None:
    """What is on the line of a short value goes with that."""
    text = "[t]\nx = [\n  1, # one\n] # end\ny = 1 # y\nz = 2\n"
    before = tomllib.loads(text)["t"]
    assert "[t]\n# one\n# end\nz = 2\n" == edited(text, [(("t",), before, {"z": 2})])


def test_an_inline_table_with_other_keys_leaves_its_comments_above_it() -> None:
    """Those of a list that it keeps stay in that list."""
    text = "[t]\n  x = { a = [\n 1, # one\n], b = [\n 2, # two\n] } # end\n"
    before = tomllib.loads(text)["t"]
    changed = edited(text, [(("t", "x"), before["x"], {"b": [2], "c": 3})])
    assert "[t]\n  # one\n  x = { b = [\n 2, # two\n], c = 3 } # end\n" == changed


NAMES = st.sampled_from(["a", "b", "c", "d", "#e", ",", "'", "]"])
GAPS = st.sampled_from(
    ["", " ", "\n", "\n  ", " # one\n", "\n\t# two, ]\n  ", "\n# 'three\n# \"four\n"]
)


@given(
    st.lists(st.tuples(GAPS, NAMES, GAPS), max_size=5),
    GAPS,
    st.booleans(),
    st.lists(NAMES),
    st.data(),
)
def test_no_comment_is_lost_whatever_the_list(
    items: list[tuple[str, str, str]], end: str, comma: bool, after: list[str], data: st.DataObject
) -> None:
    """However it is laid out, and whatever it becomes."""
    listed = ",".join(f'{before}"{name}"{behind}' for before, name, behind in items)
    text = f"x = [{listed}{',' if comma and items else ''}{end}] # last\n"
    value = data.draw(st.sampled_from([after, "one", {"none": "x"}]))
    changed = rewritten(text, value)
    assert {"x": value} == tomllib.loads(changed)
    assert comments(text) == comments(changed)


def comments(text: str) -> list[str]:
    """Return the comments of a text, sorted: no name begins with a hash and a space."""
    return sorted(re.findall(r"# [^\n]*", text))
