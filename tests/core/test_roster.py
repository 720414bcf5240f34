from __future__ import annotations

import pytest

from deskroom.core import (
    Desk,
    DeskSet,
    Member,
    Person,
    Roster,
    effective_members,
    is_general_chat,
    lead,
    validate_desks,
    validate_roster,
)
from deskroom.errors import DeskError, RosterError

ROSTER = Roster([Member("ada"), Member("bob"), Member("cy")], [Person("p", "P")], ["bob"])
GENERAL = Desk("General", "General", ["ada"])


def test_lists_are_kept_as_tuples() -> None:
    """A value that was built from lists equals one that was built from tuples."""
    assert Roster([Member("a")], retired=["b"]) == Roster((Member("a"),), (), ("b",))
    assert DeskSet([Desk("d", "D", ["a"])]) == DeskSet((Desk("d", "D", ("a",)),))


def test_active_members_are_listed_and_not_retired() -> None:
    """Retired members, strangers and people do not act."""
    assert ROSTER.active == ("ada", "cy")
    assert [ROSTER.is_active(id_) for id_ in ("ada", "bob", "cy", "p", "")] == [
        True,
        False,
        True,
        False,
        False,
    ]


@pytest.mark.parametrize(
    "members,people,kind,id_",
    [
        ([""], [], "empty_member_id", ""),
        (["a", "\u2003\t"], [], "empty_member_id", "\u2003\t"),
        (["a", "b", "a"], [], "duplicate_member_id", "a"),
        ([" ", " "], [], "empty_member_id", " "),
        (["a"], ["\xa0"], "empty_person_id", "\xa0"),
        (["a"], ["p", "p"], "duplicate_person_id", "p"),
        (["a", "a", ""], ["", "p", "p"], "duplicate_member_id", "a"),
        (["a", "", "a"], [""], "empty_member_id", ""),
    ],
)
def test_the_first_fault_of_a_roster_is_told(
    members: list[str], people: list[str], kind: str, id_: str
) -> None:
    """Members come before people, and the first fault in order is the one that is raised."""
    roster = Roster([Member(id_) for id_ in members], [Person(id_, "L") for id_ in people])
    with pytest.raises(RosterError) as caught:
        validate_roster(roster)
    assert (caught.value.kind, caught.value.id) == (kind, id_)


def test_members_and_people_have_ids_of_their_own() -> None:
    """A person may have a member's id; a separator character alone is an id too."""
    validate_roster(Roster([Member("a"), Member("\x1c")], [Person("a", "A")], ["nobody"]))


@pytest.mark.parametrize(
    "desks,kind,id_",
    [
        ([("", "D")], "empty_desk_id", ""),
        ([("d", "")], "empty_desk_name", "d"),
        ([("", "")], "empty_desk_id", ""),
        ([("d", "D"), ("d", "E")], "duplicate_desk_id", "d"),
        ([("d", "D"), ("d", "")], "empty_desk_name", "d"),
        ([("General", "General"), ("General", "General")], "duplicate_desk_id", "General"),
        ([("General", "Team")], "reserved_desk_identity", "General"),
        ([("team", "General")], "reserved_desk_identity", "team"),
        ([("general", "general")], "reserved_desk_identity", "general"),
        ([("mAiN", "x")], "reserved_desk_identity", "mAiN"),
        ([("x", "GENERAL")], "reserved_desk_identity", "x"),
        ([("main", ""), ("", "x")], "empty_desk_name", "main"),
        ([("x", "MAIN"), ("", "x")], "reserved_desk_identity", "x"),
    ],
)
def test_the_first_fault_of_the_desks_is_told(
    desks: list[tuple[str, str]], kind: str, id_: str
) -> None:
    """Desk by desk, and within one desk in the order of the rules."""
    with pytest.raises(DeskError) as caught:
        validate_desks(DeskSet([Desk(desk_id, name) for desk_id, name in desks]))
    assert (caught.value.kind, caught.value.id) == (kind, id_)


def test_valid_desks_pass() -> None:
    """Blank but not empty names, repeated names and the one desk called General are all valid."""
    validate_desks(DeskSet([Desk(" ", " "), Desk("a", "Team"), Desk("b", "Team"), GENERAL]))


def test_a_desk_is_found_by_id_before_name() -> None:
    """An id wins over an equal name; unknown, ambiguous and wrongly cased keys find nothing."""
    desks = DeskSet(
        [Desk("x", "eng"), Desk("eng", "E"), Desk("y", "Team"), Desk("z", "Team"), Desk("w", "Ops")]
    )
    found = {key: desks.find(key) for key in ("eng", "Ops", "Team", "ops", "")}
    assert {key: desk and desk.id for key, desk in found.items()} == {
        "eng": "eng",
        "Ops": "w",
        "Team": None,
        "ops": None,
        "": None,
    }


@pytest.mark.parametrize("key", [None, "", "main", "Main", "General", "gEnErAl"])
def test_the_general_chat_has_every_active_member(key: str | None) -> None:
    """Its spellings win over a desk that is listed under one of them."""
    assert is_general_chat(key)
    assert effective_members(key, ROSTER, DeskSet([GENERAL])) == ("ada", "cy")


@pytest.mark.parametrize("key", [" ", "mains", "maın", "desk"])
def test_other_keys_are_not_the_general_chat(key: str) -> None:
    """White space is a key, and only ASCII letters match regardless of case."""
    assert not is_general_chat(key)


def test_a_desk_has_its_active_members_once_and_in_order() -> None:
    """Retired members and repeats are dropped, and the first that is left leads."""
    desks = DeskSet([Desk("d", "Desk", ["bob", "cy", "ada", "cy"]), Desk("e", "Empty", ["bob"])])
    assert effective_members("d", ROSTER, desks) == ("cy", "ada")
    assert effective_members("Desk", ROSTER, desks) == ("cy", "ada")
    assert lead("d", ROSTER, desks) == "cy"
    assert lead(None, ROSTER, desks) == "ada"


def test_an_empty_or_unknown_desk_has_no_lead() -> None:
    """Where nobody is, nobody leads."""
    desks = DeskSet([Desk("e", "Empty", ["bob"])])
    assert (lead("e", ROSTER, desks), lead("nowhere", ROSTER, desks)) == (None, None)
    assert effective_members("nowhere", ROSTER, desks) == ()
