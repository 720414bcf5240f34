from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deskroom.scenario import Replay, parse_scenario, replay_scenario
from deskroom.scenario.check import CheckWarning, check_text

Warned = Callable[..., list[str]]


def post(seat: str, message: str = "hello", more: str = "") -> str:
    """Return a seat's turn of three lines, and more."""
    return f'[[turn]]\nseat = "{seat}"\nsay = "{message}"\n{more}'


def completion(seat: str, more: str = "") -> str:
    """Return a turn of three lines in which a seat completes."""
    call = '{ tool = "desk_complete_episode", message = "done" }'
    return f'[[turn]]\nseat = "{seat}"\ncalls = [{call}]\n{more}'


def opening(message: str) -> str:
    """Return an opening of three lines."""
    return f'[opening]\nby = "sam"\nmessage = "{message}"\n'


def never(warnings: list[str]) -> list[str]:
    """Return place, turn and reason where turns are never reached; ``part`` where some copies are."""
    pattern = r"(\d+:\d+) turn\[(\d+)\](\.repeat)? never_reached (\w+)"
    found = [re.fullmatch(pattern, line) for line in warnings]
    return [f"{m[1]} turn {m[2]}{' part' if m[3] else ''}: {m[4]}" for m in found if m]


# --- listed order ------------------------------------------------------------------------------


def test_a_turn_behind_a_completion_is_never_reached(warned: Warned) -> None:
    """Of seats and of people; what is expected of it makes a replay fail."""
    lines = (
        post("lead")
        + completion("solver")
        + post("lead")
        + "[[turn]]\nperson = 'sam'\nsay = 'hello'\n"
        + post("lead", more="expect = { next = 'solver' }\n")
    )
    assert [
        "14:1 turn[3] never_reached closed",
        "17:1 turn[4] never_reached closed",
        "20:1 turn[5] never_reached closed",
    ] == warned(lines)


@pytest.mark.parametrize(
    "turn",
    [
        completion("lead", 'crash = "boom"\n'),
        completion("lead", "takes = 600\n"),
        completion("lead").replace('"done"', '" "'),
        completion("lead").replace('"done" }', '"done" }, { tool = "desk_post", message = "x" }'),
        completion("lead").replace(
            '"done" }', '"done" }, { tool = "desk_dm", to = ["solver"], message = "x" }'
        ),
        completion("lead").replace('"done"', '"!aside @solver done"'),
        post("lead"),
    ],
)
def test_a_turn_that_may_not_complete_closes_nothing(warned: Warned, turn: str) -> None:
    """It fails, is over, is refused, is replaced, or may be."""
    policy = "[policy]\naside = { enabled = true, max_members = 1, max_messages = 1 }\n"
    assert [] == never(warned(policy + turn + post("solver")))


@pytest.mark.parametrize(
    "turn",
    [
        completion("lead"),
        completion("lead", "takes = 599\nlate = [{ tool = 'desk_post', message = 'x' }]\n"),
        completion("lead").replace("desk_complete_episode", "desk_close"),
        completion("lead").replace('"done" }', '"done" }, { tool = "desk_read" }'),
        completion("lead").replace('"done" }', '"done" }, { tool = "desk_pst" }'),
        completion("lead").replace(
            '"done" }', '"done" }, { tool = "desk_dm", to = ["solver"], message = "x" }'
        ),
    ],
)
def test_a_call_that_changes_nothing_leaves_a_completion_certain(warned: Warned, turn: str) -> None:
    """A read, a call that is always refused and one that comes too late are no message."""
    assert 1 == len(never(warned(turn + post("solver"))))


def test_copies_behind_a_completion_are_never_reached(warned: Warned) -> None:
    """The first of them closes the desk, which is told at the key that repeats it."""
    assert ["11:10 turn 1 part: closed", "12:1 turn 2: closed"] == never(
        warned(completion("lead", "repeat = 3\n") + post("solver"))
    )


def test_turns_past_the_limit_are_never_reached(warned: Warned) -> None:
    """A person still speaks before the first of them; copies are counted one by one."""
    lines = (
        "[policy]\nmax_turns = 3\n"
        + post("lead", more="repeat = 2\n")
        + post("solver")
        + "[[turn]]\nperson = 'sam'\nsay = 'hello'\n"
        + post("lead")
        + "[[turn]]\nperson = 'sam'\nsay = 'hello'\n"
    )
    assert ["20:1 turn 4: max_turns", "23:1 turn 5: max_turns"] == never(warned(lines))
    assert ["13:10 turn 1 part: max_turns", "14:1 turn 2: max_turns"] == never(
        warned(lines.replace("repeat = 2", "repeat = 4"))
    )[:2]


def test_a_retry_costs_no_turn_of_its_own(warned: Warned) -> None:
    """A silent turn is granted again, and plays the next in the list if that is the same seat's."""
    silent = '[[turn]]\nseat = "lead"\n'
    policy = '[policy]\nmax_turns = 1\nsilence = "retry"\n'
    assert [] == never(warned(policy + silent + post("lead")))
    assert [] == never(warned(policy + silent + completion("lead")))
    assert [] == never(warned(policy + f"{silent}repeat = 2\n"))
    assert ["13:1 turn 2: max_turns"] == never(warned(policy + silent + post("solver")))
    yields = policy.replace("retry", "yield")
    assert ["13:1 turn 2: max_turns"] == never(warned(yields + silent + post("lead")))
    assert ["14:10 turn 1 part: max_turns"] == never(
        warned(policy + post("lead", more="repeat = 2\n"))
    )
    assert ["16:10 turn 2 part: max_turns"] == never(
        warned(policy + silent + post("lead", more="repeat = 2\n"))
    )


def test_with_close_all_every_participant_completes(warned: Warned) -> None:
    """A broadcast may give each of them new work, whoever it goes to."""
    policy = '[policy]\nclose = "all"\nparticipants = ["lead", "solver"]\n'
    both = completion("lead") + completion("solver")
    assert ["17:1 turn 3: closed"] == never(warned(policy + both + post("lead")))
    assert [] == never(warned(policy + completion("lead") + post("solver") + post("lead")))
    broadcast = post("checker").replace(
        'say = "hello"', 'calls = [{ tool = "desk_broadcast", message = "x" }]'
    )
    reopened = completion("lead") + broadcast + completion("solver") + post("lead")
    assert [] == never(warned(policy + reopened))
    assert ["23:1 turn 5: closed"] == never(
        warned(policy + completion("lead") + broadcast + both + post("lead"))
    )


def test_without_a_list_of_participants_every_active_seat_takes_part(warned: Warned) -> None:
    """A retired one does not."""
    seats = '{ id = "lead" }, { id = "old", retired = true }'
    lines = '[policy]\nclose = "all"\n' + completion("lead") + post("lead")
    assert ["13:1 turn 2: closed"] == never(warned(lines, seats=seats))


def test_a_fence_seat_never_completes(warned: Warned) -> None:
    """What it says is a post."""
    seats = '{ id = "lead", fence = true }, { id = "solver" }'
    lines = completion("lead", 'text = "done"\n') + post("solver")
    assert [] == never(warned(lines, seats=seats))


# --- routed order ------------------------------------------------------------------------------


@pytest.fixture
def routed(warned: Warned) -> Warned:
    """Return a function that tells which turns of a routed scenario are never reached."""
    return lambda lines, **parts: never(warned(lines, order="routed", **parts))


def test_a_seat_that_nobody_names_is_never_reached(routed: Warned) -> None:
    """The lead answers a person who names nobody; further on only names count."""
    lines = opening("begin") + post("lead", "@solver go") + post("solver") + post("checker")
    assert ["17:1 turn 3: no_grant"] == routed(lines)
    assert [] == routed(lines.replace("hello", "@checker go", 1))


def test_only_those_who_are_reached_hand_on_the_turn(routed: Warned) -> None:
    """Two seats that name each other, and that nobody else names, wait for ever."""
    lines = opening("begin") + post("lead") + post("solver", "@checker") + post("checker", "@SOL")
    assert [
        "14:1 turn 2: no_grant",
        "17:1 turn 3: no_grant",
    ] == routed(lines)


def test_a_person_waits_for_what_is_listed_before(routed: Warned) -> None:
    """Behind a turn that is never played nobody speaks, nor whom they would have asked."""
    person = '[[turn]]\nperson = "sam"\nsay = "@solver go"\n'
    lines = opening("begin") + post("lead") + post("checker") + person + post("solver")
    assert [
        "14:1 turn 2: no_grant",
        "17:1 turn 3: waits",
        "20:1 turn 4: no_grant",
    ] == routed(lines)
    handed = lines.replace(post("lead"), post("lead", "@checker go"))
    assert [] == routed(handed)


@pytest.mark.parametrize(
    "policy, reached",
    [
        ("", True),
        ("dispatch = { enabled = false }", False),
        ("dispatch = { max_hops = 0 }", False),
        ("dispatch = { enabled = false }\nchair = { rounds = 1 }", True),
    ],
)
def test_the_policy_says_whether_names_and_the_chair_count(
    routed: Warned, policy: str, *, reached: bool
) -> None:
    """A chair with rounds may turn to any seat."""
    lines = f"[policy]\n{policy}\n" + opening("begin") + post("lead", "@solver") + post("solver")
    assert reached == (routed(lines) == [])


def test_a_broadcast_may_go_to_any_seat(routed: Warned) -> None:
    """As long as somebody can make it, and hops are left."""
    call = 'calls = [{ tool = "desk_broadcast", message = "x" }]'
    broadcast = post("lead").replace('say = "hello"', call)
    lines = opening("begin") + broadcast + post("checker")
    assert [] == routed(lines)
    assert 1 == len(routed("[policy.dispatch]\nmax_hops = 0\n" + lines))
    assert 2 == len(routed(lines.replace('"lead"', '"solver"')))


def test_an_address_hands_on_the_turn_too(routed: Warned) -> None:
    """A private message that may be taken names its recipients, and whoever its text names."""
    policy = "[policy.aside]\nenabled = true\nmax_members = 2\nmax_messages = 2\n"
    call = 'calls = [{ tool = "desk_dm", to = ["solver"], message = "not @checker" }]'
    dm = post("lead").replace('say = "hello"', call)
    lines = opening("begin") + dm + post("solver") + post("checker")
    assert [] == routed(policy + lines)
    assert 2 == len(routed(lines))


def test_a_retired_seat_is_never_granted_a_turn(routed: Warned) -> None:
    """Not even by the chair."""
    seats = '{ id = "lead" }, { id = "old", retired = true }'
    lines = "[policy.chair]\nrounds = 3\n" + opening("@old go") + post("lead") + post("old")
    assert ["16:1 turn 2: retired"] == routed(lines, seats=seats)


def test_a_seat_goes_no_further_than_its_own_closing_completion(routed: Warned) -> None:
    """Another seat's turns may have been played before it, so nothing is told of them."""
    lines = (
        opening("begin")
        + completion("lead", "repeat = 2\n")
        + post("solver", "@lead")
        + post("lead")
        + '[[turn]]\nperson = "sam"\nsay = "@solver go"\n'
    ).replace("begin", "@solver go")
    assert ["14:10 turn 1 part: closed", "18:1 turn 3: closed", "21:1 turn 4: closed"] == routed(
        lines
    )


def test_with_close_all_only_a_sole_participant_closes_alone(routed: Warned) -> None:
    """What the others have done by then depends on the way there."""
    lines = opening("begin") + completion("lead", "") + post("lead")
    policy = '[policy]\nclose = "all"\nchair = {{ rounds = 2 }}\nparticipants = {}\n'
    assert 1 == len(routed(policy.format('["lead"]') + lines))
    assert 0 == len(routed(policy.format('["lead", "solver"]') + lines))


def test_a_seat_has_no_more_turns_than_the_room(routed: Warned) -> None:
    """A person waits for all that is listed before, which may be too much."""
    person = '[[turn]]\nperson = "sam"\nsay = "@solver go"\n'
    lines = (
        "[policy]\nmax_turns = 2\nchair = { rounds = 9 }\n"
        + opening("@lead go")
        + post("lead", more="repeat = 3\n")
        + person
        + post("solver")
    )
    assert [
        "17:10 turn 1 part: max_turns",
        "18:1 turn 2: max_turns",
    ] == routed(lines)
    assert [] == routed(lines.replace("max_turns = 2", 'max_turns = 2\nsilence = "retry"'))
    third = lines.replace("repeat = 3\n", "repeat = 2\n") + post("lead")
    assert ["24:1 turn 4: max_turns"] == routed(third)
    mixed = lines.replace("repeat = 3\n", "") + person + post("lead")
    assert [] == routed(mixed)
    assert ["23:1 turn 4: max_turns", "26:1 turn 5: max_turns"] == routed(
        mixed.replace("max_turns = 2", "max_turns = 1")
    )


def test_a_row_hands_on_one_turn_and_a_seat_has_no_more_than_that(routed: Warned) -> None:
    """Each row that may name a seat counts once, and each copy of it; the first name counts."""
    solver = post("solver", more="repeat = 2\n")
    lines = opening("begin") + post("lead", "@solver and @checker") + solver
    assert ["17:10 turn 2 part: few_grants"] == routed(lines)
    twice = lines.replace('"@solver and @checker"\n', '"@solver"\nrepeat = 2\n')
    assert ["14:10 turn 1 part: few_grants"] == routed(twice)
    asked = twice.replace("[[turn]]", '[[turn]]\nperson = "sam"\nsay = "go on"\n[[turn]]', 1)
    assert [] == routed(asked)
    nobody = opening("begin") + post("lead", "@solver and @checker") + post("checker")
    assert ["14:1 turn 2: no_grant"] == routed(nobody)


TWO_POSTS = """\
calls = [{ tool = "desk_post", message = "@checker" }, { tool = "desk_post", message = "@solver" }]\
"""


@pytest.mark.parametrize(
    "lead",
    [
        post("lead", "@checker", "crash = 'boom'\n"),
        post("lead", "@checker", "takes = 9999\n"),
        post("lead").replace('say = "hello"', TWO_POSTS),
        post("lead", "@checker").replace("@checker", "@solver, then @checker"),
    ],
)
def test_what_becomes_no_row_hands_on_nothing(routed: Warned, lead: str) -> None:
    """A crash, a turn that is too long, a call that another replaced, and a second name."""
    found = routed(opening("begin") + lead + post("checker"))
    assert ["no_grant"] == [line.split(": ")[1] for line in found]


def test_a_chain_reaches_no_further_than_its_hops(routed: Warned) -> None:
    """Hop by hop from the opening; a chair may begin a chain anywhere."""
    chain = (
        opening("begin") + post("lead", "@solver") + post("solver", "@checker") + post("checker")
    )
    assert [] == routed(chain)
    short = "[policy.dispatch]\nmax_hops = 1\n" + chain
    assert ["19:1 turn 3: no_grant"] == routed(short)
    assert [] == routed("[policy.chair]\nrounds = 1\n" + short)


def test_a_seat_that_may_be_asked_again_for_its_silence_has_turns_without_end(
    routed: Warned,
) -> None:
    """A retry plays a listed turn that no row handed on."""
    lines = '[policy]\nsilence = "retry"\n' + opening("begin") + post("lead", more="repeat = 2\n")
    assert 1 == len(routed(lines))
    assert [] == routed(lines.replace('say = "hello"', 'text = "hm"'))


def test_more_listed_turns_than_the_room_grants_are_told_once(warned: Warned) -> None:
    """Which of them are left, the host decides."""
    routed_head = opening("begin") + post("lead", "@solver") + post("solver")
    assert ["9:13 policy.max_turns never_reached max_turns"] == warned(
        "[policy]\nmax_turns = 1\n" + routed_head, order="routed"
    )


# --- what is told is true ----------------------------------------------------------------------

MESSAGES = ["hello", "@a", "@b go", "@c", "`@a`", "!aside @b x", " ", "@a and @b", "@sam"]
SEATS = ["a", "a", "b", "b", "c"]
WORDS = ["@a", "@b", "go"]
ADDRESSES = ['["a"]', '["b", "c"]', '["x"]']
TOOLS = ["post", "broadcast", "complete_episode", "dm", "read", "pst"]


@st.composite
def calls(draw: st.DrawFn) -> str:
    """Draw the lines of what a seat does in its turn."""
    if draw(st.booleans()):
        return f'say = "{draw(st.sampled_from(MESSAGES))}"'
    listed = []
    for tool in draw(st.lists(st.sampled_from(TOOLS), max_size=3)):
        to = f"to = {draw(st.sampled_from(ADDRESSES))}, "
        message = f'message = "{draw(st.sampled_from(MESSAGES))}"'
        rest = "" if tool == "read" else f", {to if tool == 'dm' else ''}{message}"
        listed.append(f'{{ tool = "desk_{tool}"{rest} }}')
    return f"calls = [{', '.join(listed)}]"


@st.composite
def turns(draw: st.DrawFn) -> str:
    """Draw one turn."""
    if draw(st.integers(0, 5)) == 0:
        return f'[[turn]]\nperson = "sam"\nsay = "{draw(st.sampled_from(WORDS))}"\n'
    lines = ["[[turn]]", f'seat = "{draw(st.sampled_from(SEATS))}"', draw(calls())]
    lines += draw(
        st.lists(
            st.sampled_from(
                [
                    "repeat = 2",
                    'crash = "boom"',
                    "takes = 700",
                    'text = "<<<POST @a x POST>>>"',
                    'meanwhile = [{ person = "sam", say = "@c now" }]',
                    'meanwhile = [{ person = "sam", say = "@b now", at = "end" }]',
                ]
            ),
            max_size=1,
        )
    )
    return "\n".join([*lines, ""])


@st.composite
def scenarios(draw: st.DrawFn) -> str:
    """Draw a whole scenario, small enough that much in it goes wrong."""
    order = draw(st.sampled_from(["listed", "routed"]))
    mark = draw(st.sampled_from(["", ", retired = true", ", fence = true"]))
    policy = draw(
        st.lists(
            st.sampled_from(
                [
                    "max_turns = 2",
                    'close = "all"',
                    'silence = "retry"',
                    "chair = { rounds = 2 }",
                    "dispatch = { max_hops = 1 }",
                    "aside = { enabled = true, max_members = 1, max_messages = 1 }",
                    'on_refused_aside = "room"',
                    "max_calls = 1",
                ]
            ),
            max_size=3,
            unique=True,
        )
    )
    return "\n".join(
        [
            "format = 1",
            f'order = "{order}"',
            "[desk]",
            'id = "d"',
            'name = "D"',
            'people = [{ id = "sam", label = "Sam" }]',
            f'seats = [{{ id = "a" }}, {{ id = "b" }}, {{ id = "c"{mark} }}]',
            "[policy]",
            *policy,
            "[opening]",
            'by = "sam"',
            f'message = "{draw(st.sampled_from(WORDS))}"',
            *draw(st.lists(turns(), min_size=1, max_size=5)),
        ]
    )


def told_copies(warnings: tuple[CheckWarning, ...], replay: Replay) -> set[str]:
    """Return the labels of the listed turns that are told to be never reached."""
    told = {
        int(re.findall(r"\d+", warning.key)[0]): re.match(r"at most (\d+)", warning.problem)
        for warning in warnings
        if warning.kind == "never_reached" and warning.key.startswith("turn")
    }
    labels = set()
    for turn in replay.scenario.turns:
        if turn.number in told:
            partly = told[turn.number]
            copy = int(turn.label.partition(".")[2] or 1)
            if copy > (int(partly[1]) if partly else 0):
                labels.add(turn.label)
    return labels


@pytest.mark.slow
@settings(max_examples=100)
@given(text=scenarios())
def test_whatever_is_told_to_be_never_reached_is_left_over(text: str) -> None:
    """The room itself is asked. In a list that leaves nothing open, all that is left over is told."""
    checked = check_text(text)
    assert () == checked.errors
    replay = replay_scenario(parse_scenario(text))
    told = told_copies(checked.warnings, replay)
    left = {turn.label for turn in replay.unused}
    assert told <= left
    if any(warning.key == "policy.max_turns" for warning in checked.warnings):
        assert left
    unsure = ("routed", "retry", "desk_dm", "!aside", '"all"')
    if not any(word in text for word in unsure):
        assert told == left


@settings(max_examples=60)
@given(text=scenarios())
def test_whatever_is_told_to_be_refused_is_refused(text: str) -> None:
    """For the reason that is reported, in every turn that is played."""
    checked = check_text(text)
    replay = replay_scenario(parse_scenario(text))
    refused = [warning for warning in checked.warnings if warning.kind == "refused_call"]
    for warning in refused:
        number, *call = (int(n) for n in re.findall(r"\d+", warning.key))
        for turn, played in zip(replay.scenario.turns, replay.played, strict=True):
            if turn.number == number and played.turn is not None:
                assert warning.reason == played.turn.replies[call[0] - 1 if call else 0]
