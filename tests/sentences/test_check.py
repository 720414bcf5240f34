"""What ``check`` warns of, sentence by sentence; other tests compare kind, reason, key and place."""

from __future__ import annotations

import pytest

from deskroom.scenario.check import check_text

SEATS = '{ id = "lead" }, { id = "solver", name = "SOL" }, { id = "checker" }'
FENCE = '{ id = "lead", fence = true }'
OLD = '{ id = "lead" }, { id = "old", retired = true }, { id = "solver" }'
TURN = '[[turn]]\nseat = "lead"\nsay = "hello"\n'
OPENING = '[opening]\nby = "sam"\nmessage = "begin"\n'
DONE = '[[turn]]\nseat = "lead"\ncalls = [{ tool = "desk_complete_episode", message = "x" }]\n'
PRIVATE = "aside = { enabled = true, max_members = 1, max_messages = 1 }\n"


def scenario(lines: str, seats: str = SEATS, order: str = "listed") -> str:
    """Return a scenario of these lines below its desk."""
    return (
        f'format = 1\norder = "{order}"\n[desk]\nid = "d"\nname = "D"\n'
        f'people = [{{ id = "sam", label = "Sam Lee" }}]\nseats = [{seats}]\n{lines}'
    )


def calls(*listed: str, seat: str = "lead") -> str:
    """Return a turn with these calls."""
    return f'[[turn]]\nseat = "{seat}"\ncalls = [{", ".join(f"{{ {one} }}" for one in listed)}]\n'


def said(message: str) -> str:
    """Return a turn of the lead's with this message."""
    return TURN.replace("hello", message)


def named(name: str) -> str:
    """Return a scenario with a seat of this name."""
    return scenario(TURN, f'{{ id = "lead", name = "{name}" }}')


BROADCAST = 'tool = "desk_broadcast", message = "x"'

#: Scenarios, and the one warning about each.
CASES = [
    # Names.
    (
        named("Big Bob"),
        'desk.seats[1].name: no message can address a seat as "Big Bob": a space ends a mention',
    ),
    (
        named("Bob,2"),
        'desk.seats[1].name: no message can address a seat as "Bob,2": "," ends a mention',
    ),
    (
        named("a@b"),
        'desk.seats[1].name: no message can address a seat as "a@b": an @ inside it breaks the mention',
    ),
    (
        named("#bob"),
        'desk.seats[1].name: no message can address a seat as "#bob": a name cannot begin with "#"',
    ),
    (named("  "), 'desk.seats[1].name: no message can address a seat as "  ": it is blank'),
    (named("D"), "desk.seats[1].name: @D may mean the seat lead or the desk d, so it is nobody"),
    (
        scenario(TURN, '{ id = "lead", name = "Bob" }, { id = "b", name = "BOB" }'),
        "desk.seats[2].name: @BOB may mean the seat lead or the seat b, so it is nobody",
    ),
    (
        scenario(TURN, '{ id = "lead", name = "Big Bob" }, { id = "b", name = "big bob" }'),
        'desk.seats[2].name: the seat "lead" has the same name, "big bob"',
    ),
    (
        scenario(TURN).replace("Sam Lee", "!!"),
        'desk.people[1].label: no message can address a person as "!!": a name cannot begin with "!"',
    ),
    # Mentions.
    (scenario(said("@cheker go")), "turn[1].say: @cheker is nobody here; did you mean @checker?"),
    (scenario(said("@bob go")), "turn[1].say: @bob is nobody here"),
    (
        scenario(said("**@checker** go")),
        "turn[1].say: @checker is not read: an @ counts only at the start, or after a space, a new line or one of ( [ {",
    ),
    (scenario(said("`@solver go`")), "turn[1].say: @solver is inside code and is not read"),
    (
        scenario(said("@**checker** go")),
        "turn[1].say: @**checker** is not read: no name stands right behind the @; did you mean @checker?",
    ),
    (scenario(said("@old go"), OLD), "turn[1].say: @old is retired and can no longer be named"),
    (
        scenario(
            f"[policy]\n{PRIVATE}"
            + calls('tool = "desk_dm", to = ["solver"], message = "hide it from @checker"')
        ),
        "turn[1].calls[1].message: @checker cannot read this private message and gets no turn",
    ),
    # Turns.
    (
        scenario(calls('tool = "desk_pst", message = "x"')),
        "turn[1].calls[1]: this call is refused (unknown_tool); the seat is told: There is no such tool. Did you mean desk_post? The tools are desk_post, desk_broadcast, desk_dm, desk_complete_episode, desk_read.",
    ),
    (
        scenario(calls('tool = "desk_dm", to = ["lead"], message = "x"')),
        "turn[1].calls[1]: this call is refused (self_recipient); the seat is told: You addressed only yourself, so nobody would read it.",
    ),
    (
        scenario(calls('tool = "desk_read"'), FENCE),
        "turn[1].calls: a fence seat has no tools, so each of its calls is refused (unknown_tool)",
    ),
    (
        scenario('[[turn]]\nseat = "lead"\ntext = "x <<<POST"\n', FENCE),
        "turn[1].text: this text holds no message, so the turn is silent",
    ),
    (
        scenario(TURN.replace("lead", "old"), OLD),
        'turn[1].seat: the seat "old" is retired: its turn is played as listed, but its row gives nobody a turn',
    ),
    (
        scenario(f"{TURN}scores = {{ solver = 1 }}\n"),
        "turn[1].scores: scores only count for a broadcast, and this turn makes none",
    ),
    (
        scenario(f"{calls(BROADCAST)}scores = {{ lead = 1 }}\n"),
        "turn[1].scores.lead: a broadcast never goes to its author",
    ),
    (
        scenario(f"{calls(BROADCAST)}scores = {{ old = 1 }}\n", OLD),
        "turn[1].scores.old: a broadcast never goes to a retired seat",
    ),
    (
        scenario(
            f'[policy.broadcast]\nrouter = "lexical"\n{calls(BROADCAST)}scores = {{ solver = 1 }}\n'
        ),
        'turn[1].scores: the "lexical" router reads no scores',
    ),
    (scenario(f"{TURN}wrote = []\n"), "turn[1].wrote: this is empty and has no effect"),
    # Never reached.
    (
        scenario(DONE + TURN),
        "turn[2]: this turn is never played: turn 1 completes and closes the desk",
    ),
    (
        scenario(f"{DONE}{TURN}expect = {{ next = 'solver' }}\n"),
        "turn[2]: this turn is never played: turn 1 completes and closes the desk; its expectations can only fail",
    ),
    (
        scenario(f"{DONE}repeat = 3\n"),
        "turn[1].repeat: at most 1 of these 3 turns are played: turn 1 completes and closes the desk",
    ),
    (
        scenario(f"[policy]\nmax_turns = 1\n{TURN}{TURN}"),
        "turn[2]: this turn is never played: max_turns is 1",
    ),
    (
        scenario(f"{OPENING}{TURN}{TURN.replace('lead', 'solver')}", order="routed"),
        'turn[2]: this turn is never played: nothing in this file gives "solver" a turn',
    ),
    (
        scenario(f"{OPENING}{TURN}repeat = 2\n", order="routed"),
        'turn[1].repeat: at most 1 of these 2 turns are played: this file gives "lead" at most 1 turn',
    ),
    (
        scenario(
            f"[policy.chair]\nrounds = 1\n{OPENING}{TURN}{TURN.replace('lead', 'old')}",
            OLD,
            order="routed",
        ),
        'turn[2]: this turn is never played: the seat "old" is retired',
    ),
    (
        scenario(
            OPENING + TURN.replace("lead", "solver") + '[[turn]]\nperson = "sam"\nsay = "go on"\n',
            order="routed",
        ),
        "turn[2]: this turn is never played: it waits for turn 1, which is never played",
    ),
    (
        scenario(
            f"[policy]\nmax_turns = 1\n{OPENING}{said('@solver')}{TURN.replace('lead', 'solver')}",
            order="routed",
        ),
        "policy.max_turns: seats list 2 turns, and at most 1 are played",
    ),
    # Cannot fail.
    (
        scenario(f"{OPENING}expect = {{}}\n{TURN}"),
        "opening.expect: this expects nothing, so it cannot fail",
    ),
    (
        scenario(f"{TURN}[expect]\nnudges = 0\n"),
        "expect.nudges: this cannot fail: in listed order the chair never speaks",
    ),
    (
        scenario(f"{OPENING}{TURN}[expect]\nnudges = 0\n", order="routed"),
        "expect.nudges: this cannot fail: the chair never speaks, as its rounds are 0",
    ),
    (
        scenario(f"{TURN}[expect]\nasides = 0\n"),
        "expect.asides: this cannot fail: the policy allows no asides",
    ),
    # No effect.
    (
        scenario(f"[policy]\naside = {{ max_members = 1 }}\n{TURN}"),
        "policy.aside: this has no effect without enabled = true",
    ),
    (
        scenario(f"[policy]\naside = {{ enabled = true }}\n{TURN}"),
        "policy.aside.max_members: every aside is refused: max_members is 0",
    ),
    (
        scenario(
            f"[policy]\naside = {{ enabled = true, max_members = 1, max_messages = 0 }}\n{TURN}"
        ),
        "policy.aside.max_messages: every aside is refused: max_messages is 0",
    ),
    (
        scenario(f"[policy]\n{PRIVATE.replace(' }', ', require_thread = true }')}{TURN}"),
        "policy.aside.require_thread: every aside is refused: a room has no threads yet",
    ),
    (
        scenario(f"[policy]\nchair = {{ every = 3 }}\n{TURN}"),
        "policy.chair.every: this has no effect: the chair never speaks, as its rounds are 0",
    ),
    (
        scenario(f"[policy]\nchair = {{ rounds = 3 }}\n{TURN}"),
        "policy.chair: this has no effect: in listed order the chair never speaks",
    ),
    (
        scenario(f'[policy]\nparticipants = ["lead"]\n{TURN}'),
        'policy.participants: this has no effect: with close = "first", any seat may close the desk',
    ),
]


@pytest.mark.parametrize("text, expected", CASES)
def test_a_warning_says_what_is_suspicious(text: str, expected: str) -> None:
    """The key, what is suspicious about it, and why."""
    checked = check_text(text)
    assert () == checked.errors
    assert expected in [f"{warning.key}: {warning.problem}" for warning in checked.warnings]


def test_a_warning_reads_as_one_line() -> None:
    """It begins with the place."""
    pinned = f"{TURN}expect = {{ audience = 'desk' }}\n"
    (warning,) = check_text(scenario(f"{TURN}expect = {{}}\n{pinned}"), "x.toml").warnings
    expected = "x.toml:11:1: warning: turn[1].expect: this expects nothing, so it cannot fail"
    assert expected == str(warning)
