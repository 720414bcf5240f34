from __future__ import annotations

from deskroom.core import (
    EVERYONE,
    Desk,
    DeskSet,
    Directory,
    Member,
    Mention,
    NoTurn,
    Roster,
    Target,
    TurnFor,
    agent,
    direct_responder,
    respond_to_person,
)
from deskroom.core.reasons import NoTurnReason

ROSTER = Roster([Member("ada"), Member("bob"), Member("old")], [], ["old"])
DESKS = DeskSet([Desk("eng", "Eng", ["old", "bob", "ada"]), Desk("none", "None", ["old"])])
DIRECTORY = Directory(ROSTER, DESKS)


def at(offset: int, id_: str, *, quiet: bool = False) -> Mention:
    """Return a mention of an agent at an offset."""
    return Mention(agent(id_), f"@{id_}", offset, quiet)


def test_the_first_active_agent_by_offset_responds() -> None:
    """Inactive agents are skipped here, and so are quiet mentions and those of anyone else."""
    mentions = (
        at(9, "ada"),
        at(4, "bob"),
        at(0, "old"),
        at(1, "ghost"),
        at(2, "ada", quiet=True),
        Mention(Target("person", "ada"), "@a", 3),
        Mention(EVERYONE, "@here", 3),
    )
    assert direct_responder(mentions, ROSTER) == "bob"
    assert direct_responder(mentions[1:1], ROSTER) is None
    assert direct_responder(mentions[2:], ROSTER) is None


def test_on_a_tie_the_first_listed_responds() -> None:
    """Equal offsets keep their order."""
    assert direct_responder([at(1, "bob"), at(1, "ada")], ROSTER) == "bob"


def test_an_invalid_roster_has_no_responder() -> None:
    """Over a roster that is wrong nobody is chosen."""
    assert direct_responder([at(0, "ada")], Roster([Member("ada"), Member("ada")])) is None


def test_a_person_is_answered_by_who_was_named_at_hop_0() -> None:
    """The decision carries the mention that made it."""
    assert respond_to_person([at(7, "ada")], DIRECTORY, "eng") == TurnFor("ada", 0, at(7, "ada"))


def test_a_person_who_named_nobody_is_answered_by_the_lead() -> None:
    """The lead is the first active member of the desk."""
    assert respond_to_person([at(0, "old")], DIRECTORY, "eng") == TurnFor("bob", 0)
    assert respond_to_person([], DIRECTORY, None) == TurnFor("ada", 0)


def test_a_desk_without_an_active_seat_answers_nobody() -> None:
    """The reason is told."""
    assert respond_to_person([], DIRECTORY, "none") == NoTurn(NoTurnReason.NO_ACTIVE_SEAT)
