"""Private stays private: two rooms that differ only in what asides say, to whoever is in none of them.

Every seat is looked at in turn: what changes is what is said in the asides that it is not in.
"""

from __future__ import annotations

import io
import json
from collections.abc import Sequence
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

import anyio
import pytest
import structlog
from attrs import frozen
from hypothesis import given, settings
from hypothesis import strategies as st
from structlog.testing import capture_logs

from deskroom.cli.main import _run
from deskroom.core import AsidePolicy, Viewer, project
from deskroom.journal import read_journal
from deskroom.room import ChairPolicy, Policy, Room, RowEntry, SimulatedClock
from deskroom.scenario import load_scenario
from deskroom.testing import ListJournal, ScriptedSeat, broadcast, complete, dm, post, read
from deskroom.testing.calls import CallPair

SEATS = ("a", "b", "c", "d")

#: What an aside says, one way or another. Nobody is named in it: whom a message names is no secret.
SECRETS = st.sampled_from(
    ["s3cret", "s3cret " * 60, "the s3cret\n\nof é", "- s3cret `x`", "```\ns3cret", "!aside s3cret"]
)


@frozen
class Whisper:
    """A private message that can be told in two ways."""

    tool: str
    to: tuple[str, ...]
    texts: tuple[str, str]

    def message(self, telling: int) -> str:
        """Return what is said in one of the two tellings."""
        if self.tool == "dm":
            return self.texts[telling]
        return f"!aside {' '.join(f'@{seat}' for seat in self.to)} {self.texts[telling]}"

    def call(self, telling: int) -> CallPair:
        """Return the call in one of the two tellings."""
        text = self.message(telling)
        return dm(self.to, text) if self.tool == "dm" else post(text)


Call = CallPair | Whisper

PARTIES = st.lists(st.sampled_from(SEATS), min_size=1, max_size=2, unique=True).map(tuple)
WHISPERS = st.builds(Whisper, st.sampled_from(["dm", "post"]), PARTIES, st.tuples(SECRETS, SECRETS))
PUBLIC = st.one_of(
    st.builds(post, st.sampled_from(["@a hi", "@b hi", "@c hi", "@d hi", "hi", "`@a`"])),
    st.builds(read, st.integers(1, 9)),
    st.builds(broadcast, st.just("who?")),
    st.builds(complete, st.just("done")),
)
CALLS: st.SearchStrategy[Call] = st.one_of(WHISPERS, WHISPERS, PUBLIC)
POLICIES = st.builds(
    Policy,
    aside=st.builds(
        AsidePolicy,
        enabled=st.just(True),
        max_members=st.integers(1, 2),
        max_messages=st.integers(1, 6),
        must_surface=st.booleans(),
    ),
    chair=st.builds(ChairPolicy, rounds=st.integers(0, 4), every=st.integers(0, 3)),
    close=st.just("all"),
    silence=st.sampled_from(["yield", "retry"]),
    max_turns=st.just(12),
    window=st.integers(0, 5),
)


def told(call: Call, author: str, stranger: str | None) -> CallPair:
    """Return a call; an aside that the stranger is not in is told the other way."""
    if not isinstance(call, Whisper):
        return call
    outside = stranger is not None and stranger not in {author, *call.to}
    return call.call(1 if outside else 0)


# A live room: what seats are granted, told and shown


Plans = dict[str, list[list[Call]]]


@frozen
class Shown:
    """All that came out of one room."""

    turns: dict[str, list[Any]]
    events: list[Any]
    rows: Sequence[Any]


def lived(plans: Plans, policy: Policy, stranger: str | None, backend: str) -> Shown:
    """Play a room whose asides are told in one way, or as strangers to one seat tell them."""
    seats = {
        seat: ScriptedSeat(*[[told(call, seat, stranger) for call in turn] for turn in turns])
        for seat, turns in plans.items()
    }
    journal = ListJournal()
    with capture_logs() as events:
        room = Room(
            seats,
            opening="@a look around",
            clock=SimulatedClock(),
            policy=policy,
            journal=journal,
        )
        result = anyio.run(room.run, backend=backend)
    structlog.reset_defaults()
    return Shown({seat: seats[seat].turns for seat in seats}, events, result.rows)


@pytest.mark.slow
@pytest.mark.parametrize("backend", ["asyncio", "trio"])
@given(
    plans=st.fixed_dictionaries(
        {seat: st.lists(st.lists(CALLS, max_size=2), max_size=4) for seat in SEATS}
    ),
    policy=POLICIES,
)
def test_no_seat_can_tell_what_is_said_in_an_aside_that_it_is_not_in(
    backend: str, plans: Plans, policy: Policy
) -> None:
    """Its grants, its history, its reads, the replies to its calls, and the log are the same."""
    before = lived(plans, policy, None, backend)
    for seat in SEATS:
        after = lived(plans, policy, seat, backend)
        assert before.turns[seat] == after.turns[seat]
        assert before.events == after.events
        viewer = Viewer("agent", seat)
        assert project(before.rows, viewer) == project(after.rows, viewer)
        assert [r.sequence for r in before.rows] == [r.sequence for r in after.rows]


# A scenario: what the command line shows

EXPECTED = st.sampled_from(
    [
        [],
        ['audience = "desk"'],
        ["audience = {to}"],
        # What is meant for some is expected as such, so that its content is theirs to read.
        ["audience = {to}", "content = {text}"],
        ['content = "other"', 'next = "a"'],
        ['mentions = ["a", "everyone"]', 'replies = ["ok"]'],
        ['replies = ["budget_spent"]', "completes = true"],
        ["row = false"],
        ['outcome = "refused"'],
        ['refusal = "disabled"', 'next = {{ none = "self_mention" }}'],
    ]
)


@frozen
class Line:
    """One listed turn: its calls, what it writes beside them, and what is expected of it."""

    seat: str
    calls: list[Call]
    text: str
    expected: list[str]

    def toml(self, stranger: str | None) -> str:
        """Return the turn as a file lists it, each key on a line of its own."""
        calls = [told(call, self.seat, stranger) for call in self.calls]
        listed = ", ".join(_call_toml(tool, arguments) for tool, arguments in calls)
        last = self.calls[-1] if self.calls else post("hi")
        to = last.to if isinstance(last, Whisper) else ("b",)
        arguments = told(last, self.seat, stranger)[1]
        assert isinstance(arguments, dict)
        facts = {"to": json.dumps(to), "text": json.dumps(arguments.get("message", "hi"))}
        keys = [f"seat = {json.dumps(self.seat)}", f"calls = [{listed}]"]
        keys.append(f"text = {json.dumps(self.text)}")
        expect = "\n".join(line.format(**facts) for line in self.expected)
        return "\n".join(["[[turn]]", *keys, "[turn.expect]", expect, ""])


def _call_toml(tool: object, arguments: Any) -> str:
    pairs = "".join(f", {key} = {json.dumps(value)}" for key, value in arguments.items())
    return f"{{ tool = {json.dumps(tool)}{pairs} }}"


LINES = st.builds(
    Line,
    st.sampled_from(SEATS),
    st.lists(CALLS, max_size=2),
    st.sampled_from(["", "s3cret thoughts"]),
    EXPECTED,
)

HEAD = """\
format = 1
title = "Whispers"
order = "{order}"
policy = {{ aside = {{ enabled = true, max_members = 2, max_messages = {most} }}, max_turns = 12 }}
desk = {{ id = "desk1", name = "D", people = [{{ id = "sam", label = "Sam" }}], seats = [\
{{ id = "a" }}, {{ id = "b" }}, {{ id = "c" }}, {{ id = "d" }}] }}
[opening]
by = "sam"
message = "@a begin"
"""


def command(*arguments: object) -> tuple[int, str, str]:
    """Run the command line: its exit code, stdout and stderr."""
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8") for _ in range(2))
    with redirect_stdout(out), redirect_stderr(err):
        code = _run([str(argument) for argument in arguments])
    structlog.reset_defaults()
    written = []
    for stream in (out, err):
        stream.flush()
        assert isinstance(stream.buffer, io.BytesIO)
        written.append(stream.buffer.getvalue().decode())
    return code, written[0], written[1]


@pytest.mark.slow
@settings(max_examples=60)
@given(
    lines=st.lists(LINES, min_size=1, max_size=7),
    order=st.sampled_from(["listed", "routed"]),
    most=st.integers(1, 4),
    seat=st.sampled_from(SEATS),
)
def test_no_command_tells_a_seat_what_is_said_in_an_aside_that_it_is_not_in(
    tmp_path_factory: pytest.TempPathFactory,
    lines: list[Line],
    order: str,
    most: int,
    seat: str,
) -> None:
    """What show and replay print, the mismatches among it, and the log, byte by byte."""
    folder = tmp_path_factory.getbasetemp()
    path, journal, other = folder / "whispers.toml", folder / "run.jsonl", folder / "other.toml"
    shown: list[list[Any]] = []
    for stranger in (None, seat):
        head = HEAD.format(order=order, most=most)
        path.write_text(head + "".join(line.toml(stranger) for line in lines))
        journal.unlink(missing_ok=True)
        seen = [
            command("replay", path, "--as", seat, "--journal", journal, "--log-level", "info"),
            command("replay", path, "--as", seat, "-v"),
            command("replay", path, "--as", seat, "--json", "--fail-on-unused"),
            command("show", journal, "--as", seat),
            command("show", journal, "--as", seat, "-v"),
            command("show", journal, "--as", seat, "--json"),
            command("show", journal, "--as", seat, "--follow", "--tail", 3),
            command("report", path, "--as", seat, "-o", "-"),
            command("report", journal, "--as", seat, "-o", "-"),
            command("show", path, "--as", seat, "-v", "--tail", 2),
            command("stats", path, "--as", seat),
            command("stats", journal, "--as", seat, "--json"),
            command("stats", path, "--as", seat, "--csv"),
            command("graph", journal, "--as", seat, "--format", "json"),
            command("graph", path, "--as", seat),
            command("graph", path, "--as", seat, "--format", "dot", "--diagram", "sequence"),
        ]
        if stranger is not None:
            # Two scenarios that differ in nothing that the seat may read.
            seen_of_both = command("diff", other, path, "--as", seat)
            assert 0 == seen_of_both[0], seen_of_both
        shown.append(seen)
        other.write_bytes(path.read_bytes())
    assert shown[0] == shown[1]
    assert {2}.isdisjoint(code for code, _, _ in shown[0])


@pytest.mark.slow
@settings(max_examples=60)
@given(
    lines=st.lists(LINES, min_size=1, max_size=7),
    order=st.sampled_from(["listed", "routed"]),
    most=st.integers(1, 4),
    seat=st.sampled_from(SEATS),
)
def test_no_audit_tells_a_seat_what_is_said_in_an_aside_that_it_is_not_in(
    tmp_path_factory: pytest.TempPathFactory,
    lines: list[Line],
    order: str,
    most: int,
    seat: str,
) -> None:
    """Its verdicts, who was named, what is repeated, and what another policy changes."""
    folder = tmp_path_factory.getbasetemp()
    path, journal = folder / "audited.toml", folder / "audited.jsonl"
    shown: list[list[Any]] = []
    for stranger in (None, seat):
        head = HEAD.format(order=order, most=most)
        path.write_text(head + "".join(line.toml(stranger) for line in lines))
        journal.unlink(missing_ok=True)
        command("run", "-q", path, "--journal", journal)
        seen = [
            command("audit", journal, "--as", seat),
            command("audit", path, "--as", seat, "--json", "--set", "policy.dispatch.max_hops=1"),
            command("audit", path, "--as", seat, "--set", "policy.aside.max_messages=1"),
        ]
        shown.append(seen)
    assert shown[0] == shown[1]
    assert [0, 0, 0] == [code for code, _, _ in shown[0]]


# Whoever may read it does


def test_people_the_operator_and_the_party_read_all_of_it(tmp_path: Path) -> None:
    """A stub is for others only; a person is shown what the operator is."""
    whisper = Whisper("dm", ("b",), ("s3cret", ""))
    path, journal = tmp_path / "whispers.toml", tmp_path / "run.jsonl"
    line = Line("a", [whisper], "", ['content = "other"'])
    path.write_text(HEAD.format(order="listed", most=3) + line.toml(None))
    for viewer, reads in (
        ([], True),
        (["--as", "a"], True),
        (["--as", "b"], True),
        (["--as", "c"], False),
        (["--as", "d"], False),
    ):
        journal.unlink(missing_ok=True)
        told_of = [
            command("replay", path, *viewer, "--journal", journal),
            command("replay", path, *viewer, "--json"),
            command("replay", path, *viewer, "-q"),
            command("show", journal, *viewer),
            command("report", path, *viewer, "-o", "-"),
            command("report", journal, *viewer, "-o", "-"),
            command("show", journal, *viewer, "--json"),
        ]
        assert [reads] * 7 == ["s3cret" in out for _, out, _ in told_of]
        assert {""} == {err for _, _, err in told_of}
    rows = project(_rows(journal), Viewer("person", "sam"))
    assert ["@a begin", "s3cret"] == [row.content for row in rows]
    assert project(_rows(journal), Viewer("operator")) == rows


def _rows(journal: Path) -> list[Any]:
    return [line.entry.row for line in read_journal(journal) if isinstance(line.entry, RowEntry)]


# What ships with the project

FORMS = ((), ("-v",), ("--json",), ("--rows",), ("--tail", 99), ("--follow", "-v"))


@pytest.mark.parametrize("path", sorted(Path("scenarios").rglob("*.toml")), ids=str)
def test_show_tells_no_seat_a_word_that_only_others_may_read(path: Path, tmp_path: Path) -> None:
    """Of the journal of each scenario that is shipped, in each of its forms."""
    journal = tmp_path / "run.jsonl"
    command("replay", "-q", path, "--journal", journal)
    rows = _rows(journal)
    for seat in load_scenario(str(path)).desk.seats:
        viewer = Viewer("agent", seat.id)
        readable = {seen.sequence for seen in project(rows, viewer) if seen.elided is None}
        known = " ".join(row.content for row in rows if row.sequence in readable)
        hidden = {row.content for row in rows if row.sequence not in readable} - {known}
        secret = {text for text in hidden if text not in known}
        for form in FORMS:
            code, out, _ = command("show", journal, "--as", seat.id, *form)
            assert 0 == code
            told = [text for text in secret if text in out or json.dumps(text) in out]
            assert [] == told
