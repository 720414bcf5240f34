from __future__ import annotations

from typing import Any, cast

import pytest

from deskroom.core import DESK, OPERATOR, Audience, Author, Viewer, admits

ASIDE = Audience("aside", ["bob", "cy"])
ADA = Author("agent", "ada")


@pytest.mark.parametrize(
    "viewer", [OPERATOR, Viewer("person", "sam"), Viewer("agent", "ada"), Viewer("agent", "zed")]
)
def test_the_desk_admits_everyone(viewer: Viewer) -> None:
    """A desk row is read by whoever asks."""
    assert admits(DESK, ADA, viewer)


@pytest.mark.parametrize(
    "viewer,expected",
    [
        (OPERATOR, True),
        (Viewer("person", "sam"), True),
        (Viewer("person", "zed"), True),
        (Viewer("agent", "ada"), True),
        (Viewer("agent", "bob"), True),
        (Viewer("agent", "cy"), True),
        (Viewer("agent", "zed"), False),
        (Viewer("agent", "BOB"), False),
    ],
)
def test_an_aside_admits_its_party_and_those_who_run_the_room(
    viewer: Viewer, expected: bool
) -> None:
    """Operators and people read everything, other agents only what they take part in."""
    assert admits(ASIDE, ADA, viewer) is expected


@pytest.mark.parametrize(
    "author",
    [Author("person", "zed"), Author("system", "zed"), Author("operator"), Author("agent")],
)
def test_only_an_agent_author_is_admitted_as_author(author: Author) -> None:
    """An agent with a person's id has not written what that person wrote."""
    assert not admits(ASIDE, author, Viewer("agent", "zed"))


def test_a_viewer_of_no_known_kind_reads_no_aside() -> None:
    """What the rules do not name is not let in, whatever id it claims."""
    stranger = Viewer(cast("Any", "guest"), "bob")
    assert not admits(ASIDE, ADA, stranger)
    assert not admits(ASIDE, Author("agent"), Viewer("agent", "zed"))


def test_members_are_a_list_and_not_one_string() -> None:
    """A forgotten pair of brackets does not admit agents named by single letters."""
    with pytest.raises(TypeError, match="not the string 'bob'"):
        Audience("aside", cast("Any", "bob"))
