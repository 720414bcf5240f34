from __future__ import annotations

import pytest

from deskroom.core import EVERYONE, Desk, DeskSet, Directory, Member, Person, Roster, Target, agent
from deskroom.core.directory import starts_a_name
from deskroom.errors import DeskError, RosterError

NO_DESKS = DeskSet()


def people(*labels: str) -> Directory:
    """Return a directory of people with these labels, their ids p0, p1 and so on."""
    return Directory(Roster((), [Person(f"p{n}", text) for n, text in enumerate(labels)]), NO_DESKS)


def members(*named: tuple[str, str | None], retired: tuple[str, ...] = ()) -> Directory:
    """Return a directory of members with these ids and names."""
    return Directory(Roster([Member(*pair) for pair in named], (), retired), NO_DESKS)


def test_a_member_is_known_by_id_and_name() -> None:
    """Both stand for the member, in any case; a blank or absent name adds nothing."""
    directory = members(("solver", "Chief"), ("b", " "), ("c", None), ("d", ""))
    ada = (agent("solver"),)
    assert [directory.lookup(name) for name in ("solver", "SOLVER", "chief", "x")] == [ada] * 3 + [
        ()
    ]
    assert directory.names == ("solver", "chief", "b", "c", "d", "everyone", "channel", "here")


def test_a_name_equal_to_its_own_id_is_not_ambiguous() -> None:
    """Two aliases for one target agree."""
    assert members(("lead", "LEAD")).lookup("Lead") == (agent("lead"),)


def test_retired_members_have_no_alias() -> None:
    """Nobody is addressed by the name of a member that no longer acts."""
    assert members(("a", "Ada"), retired=("a",)).names == ("everyone", "channel", "here")


def test_lower_casing_is_the_full_unicode_mapping() -> None:
    """A dotted capital I becomes two characters, and a final sigma is one only at the end."""
    directory = members(("İ", None), ("ΣΑΣ", None))
    assert directory.lookup("i\u0307") == (agent("İ"),)
    assert directory.lookup("σας") == (agent("ΣΑΣ"),)
    assert directory.lookup("σασ") == ()
    assert members(("straße", None)).lookup("STRASSE") == ()


def test_everyone_has_three_names() -> None:
    """The three words stand for everyone, unless a member has taken one: then it is ambiguous."""
    directory = members(("here", None))
    assert (directory.lookup("Everyone"), directory.lookup("channel")) == ((EVERYONE,), (EVERYONE,))
    assert directory.lookup("here") == (agent("here"), EVERYONE)


def test_targets_of_different_kinds_with_one_id_disagree() -> None:
    """A member, a person and a desk that share a name leave it ambiguous, each told once."""
    directory = Directory(
        Roster([Member("ops", "Ops")], [Person("ops", "OPS")]), DeskSet([Desk("ops", "Ops")])
    )
    targets = (agent("ops"), Target("person", "ops"), Target("desk", "ops"))
    assert directory.lookup("ops") == targets
    assert directory.lookup("ops", desk_only=True) == (Target("desk", "ops"),)


def test_only_desks_are_known_behind_a_hash() -> None:
    """A desk goes by id and name; members and everyone are not looked at there."""
    directory = Directory(
        Roster([Member("a")]), DeskSet([Desk("d", "Team"), Desk("e", "Team"), Desk("lab", "d")])
    )
    assert directory.lookup("e", desk_only=True) == (Target("desk", "e"),)
    assert directory.lookup("TEAM", desk_only=True) == (Target("desk", "d"), Target("desk", "e"))
    assert directory.lookup("d", desk_only=True) == (Target("desk", "d"), Target("desk", "lab"))
    assert directory.lookup("a", desk_only=True) == ()
    assert directory.lookup("here", desk_only=True) == ()


@pytest.mark.parametrize(
    "alias",
    ["#tag", "-dash", "x.y", "o'neil", "Ada Lovelace", " a", "a ", "a\u3000b", "(a", "a)", "—"],
)
def test_what_no_token_can_be_is_no_alias(alias: str) -> None:
    """An alias must begin like a name and hold nothing that would end a token."""
    assert members((alias, alias)).names == ("everyone", "channel", "here")


@pytest.mark.parametrize("alias", ["a@b", "a`b", "a\x1cb", "a(b", "a~b", "_", "9", "½", "a\u200b"])
def test_what_a_token_might_be_is_an_alias(alias: str) -> None:
    """Whatever does not end a token may be in an alias."""
    assert alias.lower() in members((alias, None)).names


def test_people_are_known_by_label_and_slug() -> None:
    """The label itself counts where a token can be it, the slug always."""
    directory = people("Zoë", "Ada Lovelace", "x.y")
    assert directory.names[:4] == ("zoë", "zo", "ada_lovelace", "x_y")
    assert directory.lookup("ZOË") == (Target("person", "p0"),)
    assert directory.lookup("p0") == ()


@pytest.mark.parametrize(
    "labels,slugs",
    [
        (("Ada", "Ada!", "ADA"), ["ada", "ada_2", "ada_3"]),
        (("Ada 2", "Ada", "Ada"), ["ada_2", "ada", "ada_3"]),
        (("Ada", "Ada", "Ada 2", "Ada-2"), ["ada", "ada_2", "ada_2_2", "ada_2_3"]),
        (("Ada 3", "Ada", "Ada", "Ada", "Ada"), ["ada_3", "ada", "ada_2", "ada_4", "ada_5"]),
        (("東京", "—", "Ada"), [None, None, "ada"]),
    ],
)
def test_a_repeated_slug_gets_the_next_free_number(
    labels: tuple[str, ...], slugs: list[str | None]
) -> None:
    """Numbers are given in roster order and pass over what is taken; an empty slug is none."""
    directory = people(*labels)
    assert [directory.slugs.get(f"p{n}") for n in range(len(labels))] == slugs


def test_a_label_equal_to_anothers_slug_is_ambiguous() -> None:
    """Two people at one name are told apart by neither."""
    assert people("Ada", "Ada!", "ada_2").lookup("ada_2") == (
        Target("person", "p1"),
        Target("person", "p2"),
    )


def test_ten_thousand_equal_names_are_held_in_one_walk() -> None:
    """Equal names and labels cost no more than different ones; quadratic work would not end."""
    crowd = 10_000
    directory = Directory(
        Roster(
            [Member(f"m{n}", "Same") for n in range(crowd)],
            [Person(f"p{n}", "Ada") for n in range(crowd)],
        ),
        DeskSet([Desk(f"d{n}", "Team") for n in range(crowd)]),
    )
    assert len(directory.lookup("same")) == crowd
    assert directory.lookup(f"ada_{crowd}") == (Target("person", f"p{crowd - 1}"),)
    assert len(directory.lookup("team", desk_only=True)) == crowd


def test_validity_is_that_of_both_and_the_roster_is_told_first() -> None:
    """Either fault makes a directory invalid, and with both the roster's is raised."""
    fine, bad_roster, bad_desks = (
        Roster([Member("a")]),
        Roster([Member("")]),
        DeskSet([Desk("", "")]),
    )
    assert Directory(fine, NO_DESKS).is_valid
    Directory(fine, NO_DESKS).validate()
    for roster, desks, error in (
        (bad_roster, NO_DESKS, RosterError),
        (fine, bad_desks, DeskError),
        (bad_roster, bad_desks, RosterError),
    ):
        directory = Directory(roster, desks)
        assert not directory.is_valid
        with pytest.raises(error):
            directory.validate()


def test_directories_are_equal_only_to_themselves() -> None:
    """Two rooms with the same people are still two."""
    roster = Roster([Member("a")])
    first, second = Directory(roster, NO_DESKS), Directory(roster, NO_DESKS)
    assert first != second
    assert len({first, second}) == 2


def test_a_name_begins_with_an_underscore_or_what_is_alphanumeric() -> None:
    """This decides both for tokens and for aliases."""
    assert [starts_a_name(c) for c in "_aé7½-@# "] == [True] * 5 + [False] * 4
