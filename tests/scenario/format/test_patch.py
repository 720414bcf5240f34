from __future__ import annotations

from typing import Any

import pytest

from deskroom.scenario.format.patch import Unplaced, edited
from deskroom.scenario.format.position import KeyPath


@pytest.mark.parametrize(
    "text, path, before, after, changed",
    [
        ("[a]\nb = 1 # c\n", ("a",), {"b": 1}, {"b": 2}, "[a]\nb = 2 # c\n"),
        ('[a]\n"b" = 1', ("a",), {"b": 1}, {"b": "x\ny"}, '[a]\n"b" = """\nx\ny"""'),
        ("a = {b = 1}", ("a",), {"b": 1}, {"c": 1}, "a = {c = 1}"),
        (
            "a = { b = [ 1, # one\n], c = 2 }\n",
            ("a",),
            {"b": [1], "c": 2},
            {"b": [1], "d": True},
            "a = { b = [ 1, # one\n], d = true }\n",
        ),
        (
            "a = { b.c = 1, d = 2 }",
            ("a",),
            {"b": {"c": 1}, "d": 2},
            {"b": {"c": 1}},
            "a = { b = { c = 1 } }",
        ),
        (
            "[a]\n\n# here\nb = 1\n\n# end\n",
            ("a",),
            {"b": 1},
            {"c": 1},
            "[a]\n\n# here\nc = 1\n\n# end\n",
        ),
        ("[a]\nb = 1", ("a",), {"b": 1}, {"b": 1, "c": 2}, "[a]\nb = 1\nc = 2\n"),
        ("[a]\n\tb = 1\n", ("a",), {"b": 1}, {"b": 1, "c": 2}, "[a]\n\tb = 1\n\tc = 2\n"),
        ("x.a.b = 1\r\n", ("x", "a"), {"b": 1}, {"b": 1, "c": 2}, "x.a.b = 1\r\nx.a.c = 2\r\n"),
        (
            "[[t]]\n[[t]]\na = {b = [[1], [2]]}\n",
            ("t", 1, "a"),
            {"b": [[1], [2]]},
            {"b": [[1], [3]]},
            "[[t]]\n[[t]]\na = {b = [[1], [3]]}\n",
        ),
    ],
)
def test_a_change_is_cut_into_the_text(
    text: str, path: KeyPath, before: dict[str, Any], after: dict[str, Any], changed: str
) -> None:
    """What is not changed keeps its bytes."""
    assert changed == edited(text, [(path, before, after)])


def test_several_changes_do_not_move_each_other() -> None:
    """Each is made where the text had it."""
    text = "[a]\nx = 1\ny = 2\n[b]\nx = 3\n"
    edits = [(("a",), {"x": 1, "y": 2}, {"y": 22, "z": 5}), (("b",), {"x": 3}, {"x": 33})]
    assert "[a]\ny = 22\nz = 5\n[b]\nx = 33\n" == edited(text, edits)


def test_a_key_that_is_not_there_cannot_be_changed() -> None:
    """The caller thought of another text."""
    with pytest.raises(Unplaced):
        edited("[a]\nb = 1\n", [(("a",), {"c": 1}, {"c": 2})])
