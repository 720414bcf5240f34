"""What is said of a value that a policy cannot have: each sentence is pinned here and nowhere else."""

from __future__ import annotations

import math
from typing import Any

import attrs
import pytest

from deskroom.core import AsidePolicy, DispatchPolicy
from deskroom.engine.policy import BroadcastPolicy, ChairPolicy, Policy
from deskroom.errors import UsageError

POLICIES = (Policy, AsidePolicy, ChairPolicy, DispatchPolicy, BroadcastPolicy)
FLAG = "must be True or False, not"
SECONDS = "turn_timeout_s must be a number above 0 up to 1000000000, not"
IDS = "participants must be a list of seat ids, not"


@pytest.mark.parametrize(
    "policy, given, sentence",
    [
        (
            Policy,
            {"max_turns": "3"},
            "max_turns must be a whole number of at least 1, not '3'; did you mean 3?",
        ),
        (
            Policy,
            {"max_turns": True},
            "max_turns must be a whole number of at least 1, not True; did you mean 1?",
        ),
        (
            Policy,
            {"window": 2.5},
            "window must be a whole number of at least 0, not 2.5; did you mean 2?",
        ),
        (
            Policy,
            {"max_calls": math.nan},
            "max_calls must be a whole number of at least 0, not nan; the default is 16",
        ),
        (Policy, {"turn_timeout_s": 0}, f"{SECONDS} 0; did you mean 1?"),
        (Policy, {"turn_timeout_s": "5m"}, f"{SECONDS} '5m'; the default is 600"),
        (Policy, {"turn_timeout_s": math.inf}, f"{SECONDS} inf; did you mean 1000000000?"),
        (
            Policy,
            {"close": "last"},
            "close must be 'first' or 'all', not 'last'; did you mean 'first'?",
        ),
        (
            Policy,
            {"silence": None},
            "silence must be 'yield' or 'retry', not None; did you mean 'yield'?",
        ),
        (Policy, {"participants": "ab"}, f"{IDS} 'ab'"),
        (Policy, {"participants": [1]}, f"{IDS} (1,)"),
        (
            Policy,
            {"aside": {"enabled": True}},
            "aside must be of type AsidePolicy, not {'enabled': True}",
        ),
        (
            ChairPolicy,
            {"rounds": -1},
            "rounds must be a whole number of at least 0, not -1; did you mean 0?",
        ),
        (ChairPolicy, {"by": 3}, "by must be a text, not 3"),
        (AsidePolicy, {"enabled": "yes"}, f"enabled {FLAG} 'yes'; did you mean True?"),
        (DispatchPolicy, {"enabled": 0}, f"enabled {FLAG} 0; did you mean False?"),
        (
            BroadcastPolicy,
            {"router": "lexicl"},
            "router must be 'scripted' or 'lexical', not 'lexicl'; did you mean 'lexical'?",
        ),
    ],
)
def test_a_wrong_value_is_told_in_one_sentence(
    policy: type[Any], given: dict[str, Any], sentence: str
) -> None:
    """The attribute, what it must be, what it is, and the nearest right value or the default."""
    with pytest.raises(UsageError) as wrong:
        policy(**given)
    assert f"{policy.__name__}.{sentence}" == str(wrong.value)


@pytest.mark.parametrize(
    "policy, attribute",
    [
        pytest.param(policy, attribute, id=f"{policy.__name__}.{attribute.name}")
        for policy in POLICIES
        for attribute in attrs.fields(policy)
    ],
)
@pytest.mark.parametrize("value", [object(), -1.5, b"x", {}, "zz", math.nan])
def test_every_attribute_of_every_policy_has_its_sentence(
    policy: type[Any], attribute: attrs.Attribute[Any], value: object
) -> None:
    """Nothing is taken as it comes, and no error is a dump of attrs' own."""
    if (attribute.name, value) == ("by", "zz"):
        return
    with pytest.raises(UsageError) as wrong:
        policy(**{attribute.name: value})
    assert str(wrong.value).startswith(f"{policy.__name__}.{attribute.name} must be ")
    assert "\n" not in str(wrong.value)
    assert "Attribute(" not in str(wrong.value)


def test_participants_may_be_given_as_a_list() -> None:
    """A room that is resumed compares policies, so that both forms are one."""
    assert Policy(participants=["a", "b"]) == Policy(participants=("a", "b"))
