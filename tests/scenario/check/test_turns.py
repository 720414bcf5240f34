from __future__ import annotations

from collections.abc import Callable

import pytest

Warned = Callable[..., list[str]]

FENCE = '{ id = "lead", fence = true }, { id = "solver" }'
OLD = '{ id = "lead" }, { id = "old", retired = true }'
ASIDE = "[policy]\naside = { enabled = true, max_members = 1, max_messages = 1 }\n"


def turn(lines: str, seat: str = "lead") -> str:
    """Return a turn whose own lines begin at line 10."""
    return f'[[turn]]\nseat = "{seat}"\n{lines}\n'


@pytest.mark.parametrize(
    "call, reason",
    [
        ('tool = "desk_pst", message = "x"', "unknown_tool"),
        ('tool = "desk_post"', "empty_message"),
        ('tool = "desk_post", message = 3', "bad_arguments"),
        ('tool = "desk_post", to = ["solver"], message = "x"', "bad_arguments"),
        ('tool = "desk_dm", to = ["solve"], message = "x"', "unknown_recipient"),
        ('tool = "desk_dm", to = ["lead"], message = "x"', "self_recipient"),
        ('tool = "desk_dm", to = ["solver"], message = "x"', "disabled"),
        ('tool = "desk_post", message = "!aside @solver x"', "disabled"),
    ],
)
def test_a_call_that_is_always_refused_is_reported_with_the_rooms_reason(
    warned: Warned, call: str, reason: str
) -> None:
    """The place is that of the call."""
    lines = turn(f'calls = [{{ tool = "desk_read" }}, {{ {call} }}]')
    assert [f"10:34 turn[1].calls[2] refused_call {reason}"] == warned(lines)


@pytest.mark.parametrize(
    "expect",
    [
        'replies = ["unknown_tool"]',
        "row = false",
        'outcome = "refused"',
        'refusal = "unknown_tool"',
    ],
)
def test_a_refused_call_that_the_file_expects_is_left_alone(warned: Warned, expect: str) -> None:
    """Pinning what comes of it shows that it is meant; pinning something else does not."""
    lines = turn('calls = [{ tool = "desk_pst", message = "x" }]')
    assert [] == warned(f"{lines}expect = {{ {expect} }}\n")
    assert 1 == len(warned(f'{lines}expect = {{ outcome = "spoke" }}\n'))


def test_a_private_call_that_may_be_taken_is_left_alone(warned: Warned) -> None:
    """How long an aside has run, only the transcript knows."""
    dm = 'calls = [{ tool = "desk_dm", to = ["solver"], message = "x" }]'
    assert [] == warned(ASIDE + turn(dm) * 3)
    assert 1 == len(warned(ASIDE + turn(dm.replace('["solver"]', '["solver", "checker"]'))))


def test_a_private_call_that_goes_to_the_desk_instead_is_taken(warned: Warned) -> None:
    """A host that falls back on the room refuses nothing for being private."""
    dm = turn('calls = [{ tool = "desk_dm", to = ["solver"], message = "x" }]')
    assert [] == warned(f'[policy]\non_refused_aside = "room"\n{dm}')


def test_say_is_one_call(warned: Warned) -> None:
    """A blank one is refused."""
    assert ["10:7 turn[1].say refused_call empty_message"] == warned(turn('say = " "'))


def test_calls_past_the_limit_are_refused(warned: Warned) -> None:
    """The limit is the policy's."""
    lines = "[policy]\nmax_calls = 1\n" + turn(
        'calls = [{ tool = "desk_read" }, { tool = "desk_post", message = "x" }]'
    )
    assert ["12:34 turn[1].calls[2] refused_call too_many_calls"] == warned(lines)


def test_a_turn_that_is_over_before_its_first_call_is_not_judged(warned: Warned) -> None:
    """Whatever it calls is late, which is what such a turn is for."""
    lines = turn("takes = 600\nsay = ' '")
    assert [] == warned(lines)
    assert 1 == len(warned(lines.replace("600", "599.9")))


@pytest.mark.parametrize("key", ["say", "calls"])
def test_a_fence_seat_calls_in_vain(warned: Warned, key: str) -> None:
    """It has no tools, which is reported once and at the key."""
    value = {"say": '"x"', "calls": '[{ tool = "desk_read" }, { tool = "desk_read" }]'}[key]
    lines = turn(f"{key} = {value}")
    assert [f"10:1 turn[1].{key} refused_call unknown_tool"] == warned(lines, seats=FENCE)
    assert [] == warned(f"{lines}expect = {{ row = false }}\n", seats=FENCE)


@pytest.mark.parametrize("text", ["", " ", "x <<<POST  POST>>>", "x <<<POST"])
def test_a_text_that_nothing_can_be_read_out_of_is_silent(warned: Warned, text: str) -> None:
    """Only a fence seat's text is read, and an expected silence is no slip."""
    lines = turn(f'text = "{text}"')
    assert ["10:8 turn[1].text blank_text"] == warned(lines, seats=FENCE)
    assert [] == warned(f'{lines}expect = {{ outcome = "silent" }}\n', seats=FENCE)
    assert [] == warned(lines)


def test_a_text_that_is_read_but_refused_is_reported(warned: Warned) -> None:
    """What is read out of a text is judged as a post is."""
    lines = "[policy]\nmax_message_bytes = 3\n" + turn('text = "longer"')
    assert ["12:8 turn[1].text refused_call message_too_large"] == warned(lines, seats=FENCE)
    assert [] == warned(lines.replace("longer", "ok"), seats=FENCE)


def test_a_retired_seat_in_a_list_is_reported(warned: Warned) -> None:
    """The list grants it the turn all the same, and the row starts nothing."""
    assert ["9:8 turn[1].seat retired_seat"] == warned(turn('say = "x"', "old"), seats=OLD)


def test_scores_without_a_broadcast_say_nothing(warned: Warned) -> None:
    """A broadcast that is refused in any case is none."""
    scores = "\nscores = { solver = 0.9 }"
    warning = "11:1 turn[1].scores no_effect"
    assert [warning] == warned(turn(f'say = "x"{scores}'))
    blank = 'calls = [{ tool = "desk_broadcast", message = " " }]'
    assert warning in warned(turn(f"{blank}{scores}"))


def test_scores_are_for_candidates_and_for_the_scripted_router(warned: Warned) -> None:
    """The author and retired seats are none, and the lexical router reads no scores."""
    seats = f'{OLD}, {{ id = "solver" }}'
    lines = turn(
        'calls = [{ tool = "desk_broadcast", message = "x" }]\n'
        "scores = { lead = 1, old = 1, solver = 1 }"
    )
    assert [
        "11:12 turn[1].scores.lead no_effect",
        "11:22 turn[1].scores.old no_effect",
    ] == warned(lines, seats=seats)
    lexical = "[policy.broadcast]\nrouter = 'lexical'\n"
    assert ["13:1 turn[1].scores no_effect"] == warned(lexical + lines, seats=seats)


def test_an_empty_list_says_nothing(warned: Warned) -> None:
    """It might as well not be there."""
    lines = turn('say = "x"\nlate = []\nwrote = []\nscores = {}')
    assert [
        f"{at} turn[1].{key} no_effect"
        for at, key in (("11:1", "late"), ("12:1", "wrote"), ("13:1", "scores"))
    ] == warned(lines)


def test_a_turn_without_calls_is_silent_on_purpose(warned: Warned) -> None:
    """Nothing is told of it, nor of calls that come too late, which is what they are for."""
    assert [] == warned(turn("") + turn("calls = []") + turn('late = [{ tool = "no_such" }]'))
