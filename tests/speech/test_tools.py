from __future__ import annotations

import re

import pytest

from deskroom.speech import (
    CompleteEpisode,
    Read,
    Rejection,
    ToolSpec,
    parse_call,
    tool_specs,
)
from deskroom.speech.tools import OLD_NAMES, READ_DEFAULT, READ_MAX, bare, find_tool, served

SPECS = {spec.name: spec for spec in tool_specs()}
EACH_TOOL = pytest.mark.parametrize("spec", tool_specs(), ids=lambda spec: spec.name)


def test_the_tools_and_their_parameters_are_those_of_the_rules() -> None:
    """Names, order, types and what may be left out are the contract's."""
    shape = {
        spec.name: [(p.name, p.type, p.required) for p in spec.parameters] for spec in tool_specs()
    }
    message = ("message", "string", True)
    assert shape == {
        "post": [message],
        "broadcast": [message],
        "dm": [("to", "strings", True), message],
        "complete_episode": [message],
        "read": [("limit", "integer", False)],
    }
    assert list(shape) == ["post", "broadcast", "dm", "complete_episode", "read"]


@EACH_TOOL
def test_every_description_tells_what_a_seat_learns_nowhere_else(spec: ToolSpec) -> None:
    """Text outside a call reaches nobody, the first @id hands on the turn, the last call stands."""
    told = spec.description
    assert re.search(r"text outside a call (still )?reaches nobody", told)
    assert "@id" in told
    assert re.search(r"last accepted (call|one) stands", told)


@pytest.mark.parametrize("name", ["post", "complete_episode"])
def test_who_says_something_to_the_desk_learns_that_only_the_first_id_counts(name: str) -> None:
    """The rule that costs most turns when it is not known is told in so many words."""
    told = SPECS[name].description
    assert "The first @id of another seat" in told
    assert "only the first does" in told


def test_a_broadcast_tells_that_an_id_in_it_hands_on_nothing() -> None:
    """A broadcast is routed, so the rule about the first id does not hold there."""
    assert "an @id in the message hands on nothing here" in SPECS["broadcast"].description


def test_a_dm_tells_who_can_read_it_and_who_is_next() -> None:
    """Private is private to the other seats only, and the first id in the text still counts."""
    told = SPECS["dm"].description
    assert "Only they, the people of the desk and the operator can read it" in told
    assert "the first @id hands on the turn" in told


def test_a_completion_tells_what_undoes_it() -> None:
    """Nothing is promised that a later call of the turn takes back."""
    told = SPECS["complete_episode"].description
    assert "accepted after it in the same turn replaces it, and your work is not done then" in told
    assert "in any case" not in told


@EACH_TOOL
def test_every_tool_tells_that_a_completion_is_dropped_like_any_other_call(spec: ToolSpec) -> None:
    """Whichever tool is called last, its description says what becomes of what was said before."""
    assert spec.description.endswith(", a completion included.")


def test_a_reads_bounds_are_stated_where_the_parser_takes_them_from() -> None:
    """What is advertised is what is done."""
    limit = SPECS["read"].parameter("limit")
    assert limit is not None
    assert limit.default == READ_DEFAULT
    assert f": 1 to {READ_MAX}." in limit.description
    assert (READ_DEFAULT, READ_MAX) == (20, 100)
    assert parse_call("read", {}) == Read(READ_DEFAULT)
    assert parse_call("read", {"limit": READ_MAX + 1}) == Read(READ_MAX)


def test_the_old_name_is_accepted_and_never_advertised() -> None:
    """Old callers may still close; no description, name or parameter mentions it."""
    assert OLD_NAMES == {"close": "complete_episode"}
    assert parse_call("close", {"message": "done"}) == CompleteEpisode("done")
    assert "close" not in SPECS
    words = " ".join(f"{s.name} {s.description} {s.parameters}" for s in tool_specs())
    assert not re.search(r"(desk_|[`\"'])close\b", words)


@EACH_TOOL
def test_every_advertised_tool_is_served(spec: ToolSpec) -> None:
    """The parser and the list of tools are of one mind."""
    arguments = {"message": "m", "to": ["bob"], "limit": 3}
    assert not isinstance(parse_call(spec.name, arguments), Rejection)


@EACH_TOOL
def test_a_parameter_is_found_by_name(spec: ToolSpec) -> None:
    """Each declared one is, and no other."""
    assert [spec.parameter(p.name) for p in spec.parameters] == list(spec.parameters)
    assert spec.parameter("nothing") is None


@EACH_TOOL
def test_every_parameter_is_described_in_a_sentence(spec: ToolSpec) -> None:
    """A seat is told what to put in each argument."""
    assert [p.description[-1:] for p in spec.parameters] == ["."] * len(spec.parameters)
    assert spec.description.endswith(".")


@EACH_TOOL
def test_a_tool_is_served_under_the_namespace_and_found_by_its_bare_name(spec: ToolSpec) -> None:
    """The prefix is put on and taken off in one place."""
    assert served(spec.name) == f"desk_{spec.name}"
    assert bare(served(spec.name)) == spec.name
    assert find_tool(spec.name) is spec


def test_a_name_outside_the_namespace_has_no_bare_name() -> None:
    """Only one prefix is taken off, and a bare name is not served as it is."""
    assert [
        bare(name) for name in ("post", "", "DESK_post", "desk", "desk_", "desk_desk_post")
    ] == [
        None,
        None,
        None,
        None,
        "",
        "desk_post",
    ]


def test_the_old_name_finds_the_tool_that_took_its_place() -> None:
    """A stranger's name finds nothing."""
    assert find_tool("close") is SPECS["complete_episode"]
    assert find_tool("desk_post") is None
