from __future__ import annotations

import pytest

from deskroom.core import DESK, Audience, Author, Target
from deskroom.runs.values import audience_value, author_value, target_value


@pytest.mark.parametrize(
    "target, value",
    [
        (Target("agent", "a"), "a"),
        (Target("person", "sam"), "person:sam"),
        (Target("desk", "d"), "desk:d"),
        (Target("everyone"), "everyone"),
    ],
)
def test_a_target_is_spelled_as_the_file_does(target: Target, value: str) -> None:
    """Agents stand bare; everybody else is named with the kind."""
    assert value == target_value(target)


@pytest.mark.parametrize(
    "author, value",
    [
        (Author("agent", "a"), "a"),
        (Author("person", "a"), "person:a"),
        (Author("system", kind="workspace"), "workspace"),
        (Author("operator"), "operator"),
    ],
)
def test_an_author_is_spelled_like_a_target(author: Author, value: str) -> None:
    """So a person and a seat of one id are told apart."""
    assert value == author_value(author)


def test_an_audience_is_the_desk_or_its_members() -> None:
    """In the order in which they were addressed."""
    assert ("desk", ["c", "b"]) == (
        audience_value(DESK),
        audience_value(Audience("aside", ["c", "b"])),
    )
