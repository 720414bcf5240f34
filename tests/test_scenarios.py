"""The scenarios that are shipped: what they pin, and that they hold wherever they are played."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
from attrs import evolve

import deskroom
from deskroom.runs.values import TURN_VALUES
from deskroom.scenario import TurnExpect, load_scenario, replay_scenario

FOLDER = Path(__file__).parents[1] / "scenarios"
FILES = sorted(FOLDER.rglob("*.toml"))
EACH = pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)

NOBODY = {"none": "no_direct_agent_mention"}

#: Where a `why` may have its facts from: a section of the rules, or a record of what happened.
SOURCE = re.compile(
    r"\((?:semantics|scenarios|design),\s|specification, acceptance\s+criterion 6"
    r"|(?:record|lessons) of\s+2026-09-0\d"
)


def read(name: str) -> dict[str, Any]:
    """Return what a shipped file says, as plain TOML."""
    return tomllib.loads((FOLDER / f"{name}.toml").read_text(encoding="utf-8"))


def called(turn: dict[str, Any]) -> dict[str, Any]:
    """Return the one call of a turn."""
    (call,) = turn["calls"]
    return dict(call)


def replayed(backend: str, seed: str, folder: Path, hash_free: Path) -> bytes:
    """Return the JSON of a replay of everything shipped, by a process of its own."""
    environment = {
        **os.environ,
        "PYTHONHASHSEED": seed,
        "PYTHONPATH": str(Path(deskroom.__file__).resolve().parents[1]),
    }
    done = subprocess.run(
        [sys.executable, "-m", "deskroom", "replay", "--json", "--backend", backend, hash_free],
        cwd=folder,
        env=environment,
        capture_output=True,
        timeout=120,
        check=False,
    )
    assert (0, b"") == (done.returncode, _but_warnings(done.stderr))
    return done.stdout


def _but_warnings(log: bytes) -> bytes:
    return b"".join(line for line in log.splitlines() if not line.startswith(b"[warning"))


@pytest.mark.slow
def test_every_process_and_backend_and_folder_gives_the_same_bytes(tmp_path: Path) -> None:
    """Two backends, two seeds for hashing, and a folder elsewhere: one document, byte for byte."""
    (tmp_path / "scenarios").symlink_to(FOLDER, target_is_directory=True)
    here, elsewhere = FOLDER.parent, tmp_path
    documents = [
        replayed(backend, seed, folder, Path("scenarios"))
        for backend, seed, folder in [
            ("asyncio", "1", here),
            ("asyncio", "2", elsewhere),
            ("trio", "1", elsewhere),
            ("trio", "2", here),
        ]
    ]
    assert [documents[0]] * 4 == documents
    document = json.loads(documents[0])
    assert {"passed": len(FILES), "failed": 0, "wrong": 0} == {
        key: document["summary"][key] for key in ("passed", "failed", "wrong")
    }
    paths = [path.relative_to(FOLDER.parent).as_posix() for path in FILES]
    assert paths == [scenario["path"] for scenario in document["scenarios"]]


@EACH
def test_a_scenario_says_what_it_is_for_and_where_that_comes_from(path: Path) -> None:
    """Title, order and a why with its source are written out, and the run's end is pinned."""
    stated = tomllib.loads(path.read_text(encoding="utf-8"))
    assert (1, True, True) == (
        stated["format"],
        bool(stated["title"].strip()),
        stated["order"] in {"listed", "routed"},
    )
    assert stated["why"].strip()
    assert SOURCE.search(stated["why"]) or path.parent != FOLDER
    assert {"rows", "closed"} <= set(stated["expect"])


@EACH
def test_what_a_scenario_pins_is_what_it_is_about(path: Path) -> None:
    """It holds, and every turn that is played is pinned."""
    scenario = load_scenario(path)
    replay = replay_scenario(scenario)
    assert ((), []) == (
        replay.mismatches,
        [
            turn.label
            for turn, played in zip(scenario.turns, replay.played, strict=True)
            if played.turn is not None and turn.expect is None
        ],
    )


#: For each key, a value that no shipped scenario expects of it.
OTHERS: dict[str, Any] = {
    "content": "other",
    "audience": ("other",),
    "mentions": ("other", "other"),
    "next": "other",
    "refusal": "thread_required",
    "replies": ("ok",) * 9,
}


@EACH
def test_every_pin_of_a_scenario_can_fail(path: Path) -> None:
    """With another value in each place, each is a mismatch of its own turn and key."""
    scenario = load_scenario(path)
    upset = evolve(scenario, turns=tuple(evolve(t, expect=other(t.expect)) for t in scenario.turns))
    replay = replay_scenario(upset)
    assert [
        (turn.label, key)
        for turn, played in zip(upset.turns, replay.played, strict=True)
        for key in TURN_VALUES
        if turn.expect and (played.turn or played.entry)
        if getattr(turn.expect, key) is not None and (key != "row")
    ] == [(m.turn, m.key) for m in replay.mismatches if m.key not in ("row", "turn")]


def other(expect: TurnExpect | None) -> TurnExpect | None:
    """Return an expectation of the same keys, none of which will hold."""
    if expect is None:
        return None
    stated = {key: getattr(expect, key) for key in TURN_VALUES}
    changed = {key: OTHERS[key] for key in OTHERS if stated[key] is not None}
    if expect.completes is not None:
        changed["completes"] = not expect.completes
    if expect.outcome is not None:
        changed["outcome"] = "silent" if expect.outcome != "silent" else "spoke"
    return evolve(expect, **changed)


def test_the_scenarios_are_those_that_are_promised() -> None:
    """The runs that the rules come from, and one file for each rule."""
    assert {
        "run-28",
        "run-28-routed",
        "run-28-without-completion",
        "run-28-with-completion",
        "aside-budget",
        "aside-budget-to-room",
        "run-26-fence",
        "run-29-narration",
        "masked-mention",
        "unknown-recipient",
        "self-dm",
        "dm-names-an-outsider",
        "second-post-replaces-the-first",
        "broadcast-two-of-three",
        "reopened-by-a-broadcast",
        "hop-limit",
        "retired-seat",
        "person-before-seat",
        "legacy-close",
    } == {path.stem for path in FOLDER.glob("*.toml")}


# Run 28


MESSAGES = [
    "@solver the factor count obeys a recursion in x and n; the sketch is in factors.py",
    "ran factors.py: Psi(3) = 20302 as published. @checker, recompute it your own way",
    "I measure depth 1.23n, not log n",
    "@checker agreed, and the Cross(n,k) count is mended",
    "SIGNOFF 62418970, recomputed from scratch",
    "ANSWER 62418970. @checker signed; no seat has an open step",
    "this post is never reached",
]
SPEAKERS = ["theory", "solver", "checker", "solver", "checker", "lead", "lead"]
NEXT = ["solver", "checker", "solver", "checker", NOBODY, "checker"]


@pytest.mark.parametrize("name", ["run-28", "run-28-routed"])
def test_run_28_is_told_in_the_words_of_the_record(name: str) -> None:
    """Desk, seats, limits on asides, speakers and messages, in both orders."""
    stated = read(name)
    assert ("pe1006", "PE 1006") == (stated["desk"]["id"], stated["desk"]["name"])
    assert [
        ("lead", "LEAD"),
        ("solver", "SOLVER"),
        ("theory", "THEORY"),
        ("checker", "CHECKER"),
    ] == [(seat["id"], seat["name"]) for seat in stated["desk"]["seats"]]
    assert ["steven"] == [person["id"] for person in stated["desk"]["people"]]
    assert {
        "enabled": True,
        "max_members": 1,
        "max_messages": 6,
        "must_surface": True,
    } == stated["policy"]["aside"]
    turns = stated["turn"]
    assert SPEAKERS == [turn["seat"] for turn in turns]
    assert MESSAGES == [turn["say"] if "say" in turn else called(turn)["message"] for turn in turns]
    assert [("desk_dm", ["solver"]), ("desk_complete_episode", None)] == [
        (called(turn)["tool"], called(turn).get("to")) for turn in turns if "calls" in turn
    ]
    assert ["desk", "desk", ["solver"], "desk", "desk", "desk"] == [
        turn["expect"]["audience"] for turn in turns[:6]
    ]
    assert NEXT == [turn["expect"]["next"] for turn in turns[:6]]
    assert [None, None, None, None, None, True] == [
        turn["expect"].get("completes") for turn in turns[:6]
    ]
    assert "expect" not in turns[6]


def test_run_28_is_six_rows_and_closes_completed() -> None:
    """The seventh turn is listed and stays unused."""
    stated = read("run-28")
    assert "listed" == stated["order"]
    assert {
        "rows": 6,
        "turns": 6,
        "asides": 1,
        "nudges": 0,
        "closed": "completed",
    } == stated["expect"]
    replay = replay_scenario(load_scenario(FOLDER / "run-28.toml"))
    assert ["7"] == [turn.label for turn in replay.unused]
    assert MESSAGES[:6] == [row.content for row in replay.run.rows]


def test_run_28_routed_hands_the_stalled_room_to_the_seat_that_never_spoke() -> None:
    """Steven's brief names theory, the chair has two rounds and spends one, on the lead."""
    stated = read("run-28-routed")
    assert ("routed", 2, "steven", "theory") == (
        stated["order"],
        stated["policy"]["chair"]["rounds"],
        stated["opening"]["by"],
        stated["opening"]["expect"]["next"],
    )
    assert {"rows": 8, "turns": 6, "asides": 1, "nudges": 1, "closed": "completed"} == (
        stated["expect"]
    )
    replay = replay_scenario(load_scenario(FOLDER / "run-28-routed.toml"))
    nudge = replay.run.rows[6]
    assert ("steven", True) == (nudge.author.id, nudge.content.startswith("@lead "))
    assert ["opening", *["seat"] * 5, "nudge", "seat"] == [e.kind for e in replay.run.entries]


def test_run_28_without_completion_costs_what_it_cost() -> None:
    """Twelve turns, twenty-three rows, eight nudges; nine turns restate the answer."""
    stated = read("run-28-without-completion")
    assert {"rows": 23, "turns": 12, "nudges": 8, "closed": "quiet"} == stated["expect"]
    assert {"rounds": 8, "every": 6} == stated["policy"]["chair"]
    first, second, third, restated = stated["turn"]
    assert ["theory", "solver", "checker", "lead"] == [turn["seat"] for turn in stated["turn"]]
    assert (True, True, False, False) == tuple("wrote" in turn for turn in stated["turn"])
    assert third["say"].startswith("@lead SIGNOFF 62418970")
    assert (9, False) == (restated["repeat"], "@" in restated["say"])
    assert ["solver", "checker", "lead", NOBODY] == [
        turn["expect"]["next"] for turn in (first, second, third, restated)
    ]
    assert "PE 1006 tool-room record of 2026-09-08, run 28" in stated["why"]


def test_run_28_with_completion_is_the_same_desk_and_a_third_of_the_turns() -> None:
    """Up to the lead's turn both files say the same; then it completes."""
    without, with_ = read("run-28-without-completion"), read("run-28-with-completion")
    assert {"rows": 7, "turns": 4, "nudges": 0, "closed": "completed"} == with_["expect"]
    same = ("format", "order", "desk", "policy", "opening")
    assert [without[key] for key in same] == [with_[key] for key in same]
    assert without["turn"][:3] == with_["turn"][:3]
    assert ("lead", "desk_complete_episode", True) == (
        with_["turn"][3]["seat"],
        called(with_["turn"][3])["tool"],
        with_["turn"][3]["expect"]["completes"],
    )


# One file for each rule


@pytest.mark.parametrize("name", ["aside-budget", "aside-budget-to-room"])
def test_six_private_messages_go_through_and_the_seventh_does_not(name: str) -> None:
    """Refused it is no row; with the room as fallback it is a desk row with the reason."""
    stated = read(name)
    six, seventh = stated["turn"]
    assert (6, "desk_dm", ["checker"]) == (six["repeat"], called(six)["tool"], called(six)["to"])
    assert (["checker"], ["ok"]) == (six["expect"]["audience"], six["expect"]["replies"])
    assert (6, 6) == (stated["policy"]["aside"]["max_messages"], stated["expect"]["asides"])
    if name == "aside-budget":
        assert {"row": False, "outcome": "refused", "replies": ["budget_spent"]} == (
            seventh["expect"]
        )
        assert (6, None) == (stated["expect"]["rows"], stated["policy"].get("on_refused_aside"))
    else:
        assert {
            "audience": "desk",
            "refusal": "budget_spent",
            "next": "checker",
            "replies": ["ok"],
        } == seventh["expect"]
        assert (7, "room") == (stated["expect"]["rows"], stated["policy"]["on_refused_aside"])


def test_run_26_loses_nothing_to_the_symmetric_spelling() -> None:
    """The text closes with the spelling that opens it, and its message is the row."""
    (turn,) = read("run-26-fence")["turn"]
    assert 2 == turn["text"].count("<<<POST>>>")
    assert "@solver verified: Psi(3) = 20302" == turn["expect"]["content"]


def test_run_29_names_who_narrated_in_the_next_nudge() -> None:
    """Neither narration is a row, and each nudge tells of the one before it."""
    replay = replay_scenario(load_scenario(FOLDER / "run-29-narration.toml"))
    silent = [turn for turn in replay.scenario.turns if turn.text]
    assert ["solver", "lead"] == [turn.seat for turn in silent]
    nudges = [entry.row.content for entry in replay.run.entries if entry.kind == "nudge"]
    told = [re.findall(r"\A(@\w+) .* that (\w+) wrote text and made no call", n) for n in nudges]
    assert [[("@lead", "solver")], [("@lead", "lead")]] == told


@pytest.mark.parametrize(
    "name, turn, pinned",
    [
        ("masked-mention", 0, {"mentions": [], "next": NOBODY}),
        ("unknown-recipient", 0, {"replies": ["unknown_recipient", "ok"], "next": "checker"}),
        ("self-dm", 0, {"replies": ["self_recipient"], "row": False}),
        ("dm-names-an-outsider", 0, {"audience": ["solver"], "mentions": [], "next": NOBODY}),
        ("second-post-replaces-the-first", 0, {"content": "@checker go on instead"}),
        ("broadcast-two-of-three", 0, {"next": ["checker", "solver"]}),
        ("reopened-by-a-broadcast", 1, {"next": ["solver"]}),
        ("hop-limit", 4, {"next": {"none": "hop_limit_reached"}, "mentions": ["checker"]}),
        ("retired-seat", 0, {"mentions": ["solver"], "next": "solver"}),
        ("retired-seat", 2, {"replies": ["unknown_recipient"]}),
        ("person-before-seat", 0, {"next": "solver"}),
        ("legacy-close", 0, {"completes": True, "replies": ["ok"]}),
    ],
)
def test_each_rule_has_a_file_that_pins_it(name: str, turn: int, pinned: dict[str, Any]) -> None:
    """The turn that the file is about expects what the rule says."""
    expect = read(name)["turn"][turn]["expect"]
    assert pinned == {key: expect[key] for key in pinned}


def test_the_cycle_at_the_hop_limit_is_one_of_three_seats() -> None:
    """No pair answers each other; only the length of the chain ends it."""
    stated = read("hop-limit")
    speakers = [turn["seat"] for turn in stated["turn"]]
    assert ["solver", "theory", "checker", "solver", "theory"] == speakers
    assert (4, "quiet") == (stated["policy"]["dispatch"]["max_hops"], stated["expect"]["closed"])


def test_the_episode_that_is_reopened_closes_when_all_are_done_again() -> None:
    """The solver completes twice, and the desk closes at the second time."""
    stated = read("reopened-by-a-broadcast")
    done = [turn["seat"] for turn in stated["turn"] if turn["expect"].get("completes")]
    assert (["solver", "checker", "solver"], "all") == (done, stated["policy"]["close"])
    assert {"rows": 6, "turns": 5, "closed": "completed"} == stated["expect"]
