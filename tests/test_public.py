"""What the package promises by name: a change to one of these sets is a change for users."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib import import_module
from importlib.resources import files

import pytest

import deskroom

PUBLIC = {
    "deskroom": {
        "AsidePolicy",
        "AsideRefused",
        "BroadcastPolicy",
        "ChairPolicy",
        "DeskError",
        "DeskroomError",
        "DispatchPolicy",
        "EpisodeError",
        "FileError",
        "Opening",
        "Person",
        "Policy",
        "Replay",
        "Reply",
        "Room",
        "RoomClosed",
        "RoomFailure",
        "RoomResult",
        "RosterError",
        "Router",
        "Row",
        "RowEntry",
        "Scenario",
        "ScriptedRouter",
        "Seat",
        "SeatCancelled",
        "SimulatedClock",
        "Turn",
        "TurnRecord",
        "UsageError",
        "__version__",
        "lexical",
        "load_scenario",
        "replay_scenario",
    },
    "deskroom.core": {
        "AsideInput",
        "AsidePolicy",
        "Assignment",
        "Audience",
        "Author",
        "Bookkeeping",
        "DESK",
        "Decision",
        "Desk",
        "DeskSet",
        "Directory",
        "DispatchPolicy",
        "EVERYONE",
        "Elision",
        "Episode",
        "Member",
        "Mention",
        "NoTurn",
        "Note",
        "OPERATOR",
        "Person",
        "Refused",
        "Roster",
        "Row",
        "SeenRow",
        "Target",
        "TurnFor",
        "Viewer",
        "admits",
        "agent",
        "aside",
        "choose_recipients",
        "code_ranges",
        "direct_responder",
        "effective_members",
        "explain_mentions",
        "is_general_chat",
        "lead",
        "mention_dispatch",
        "project",
        "resolve",
        "respond_to_person",
        "slug",
        "validate_desks",
        "validate_roster",
    },
    "deskroom.speech": {
        "Broadcast",
        "CommitRequest",
        "Committed",
        "CompleteEpisode",
        "Dm",
        "Parameter",
        "Post",
        "Read",
        "Rejection",
        "ToolSpec",
        "Utterance",
        "addressed_peers",
        "check_recipients",
        "commit_utterance",
        "commit_utterance_to_room",
        "extract_post",
        "is_private",
        "parse_call",
        "publish",
        "tool_specs",
    },
    "deskroom.room": {
        "BroadcastPolicy",
        "ChairPolicy",
        "Clock",
        "Cue",
        "Entry",
        "Journal",
        "LateCalls",
        "Opening",
        "Policy",
        "RealClock",
        "Reply",
        "Room",
        "RoomResult",
        "Router",
        "RowEntry",
        "Script",
        "ScriptedRouter",
        "Seat",
        "SimulatedClock",
        "Turn",
        "TurnRecord",
        "lexical",
    },
    "deskroom.journal": {
        "Differs",
        "checked_lines",
        "JournalError",
        "JournalFile",
        "Line",
        "Sync",
        "Torn",
        "Verified",
        "read_journal",
        "verify",
        "verify_entries",
    },
    "deskroom.scenario": {
        "Call",
        "CheckWarning",
        "Checked",
        "DeskSpec",
        "KeyProblem",
        "Mismatch",
        "Nobody",
        "Opening",
        "OpeningExpect",
        "Place",
        "Replay",
        "RunExpect",
        "Scenario",
        "ScenarioError",
        "Turn",
        "TurnExpect",
        "check_scenario",
        "find_scenarios",
        "load_desk",
        "load_scenario",
        "load_setting",
        "parse_scenario",
        "play_scenario",
        "replay_scenario",
        "scenario_schema",
    },
    "deskroom.sweep": {
        "Axis",
        "Grid",
        "PolicySummary",
        "ResultLine",
        "ResultsFile",
        "Summary",
        "SweptFile",
        "parse_axis",
        "parse_seeds",
        "play_runs",
        "read_results",
    },
    "deskroom.conformance": {
        "Mismatch",
        "Report",
        "Tally",
        "conform",
    },
    "deskroom.seats": {
        "ChatError",
        "ChatSeat",
        "ChatUsage",
        "CommandSeat",
        "McpSeat",
        "McpServer",
        "PersonSeat",
        "ProgramError",
        "Terminal",
        "load_function",
    },
    "deskroom.testing": {
        "ListJournal",
        "Move",
        "NextSpec",
        "RecordingSeat",
        "Replayer",
        "RoomFactory",
        "RowSpec",
        "ScriptedRouter",
        "ScriptedSeat",
        "SimulatedClock",
        "TakenTurn",
        "assert_closed",
        "assert_next",
        "assert_ok",
        "assert_properties",
        "assert_refused",
        "assert_rows",
        "broadcast",
        "complete",
        "dm",
        "lexical",
        "out_of_turn",
        "post",
        "read",
        "simulated_room",
    },
    "deskroom.cli": {
        "main",
    },
    "deskroom.errors": {
        "AsideRefused",
        "DeskError",
        "DeskroomError",
        "EpisodeError",
        "FileError",
        "RoomClosed",
        "RoomFailure",
        "RosterError",
        "SeatCancelled",
        "UsageError",
        "WireError",
        "hint",
        "nearest",
    },
}

HEAVY = {
    "anyio",
    "asyncio",
    "structlog",
    "click",
    "jinja2",
    "matplotlib",
    "rich",
    "tree_sitter",
    "trio",
}


@pytest.mark.parametrize("package", PUBLIC)
def test_the_public_names_are_these(package: str) -> None:
    """Each is listed once, and each is there."""
    module = import_module(package)
    assert PUBLIC[package] == set(module.__all__)
    assert len(module.__all__) == len(PUBLIC[package])
    assert [] == [name for name in module.__all__ if not hasattr(module, name)]


def loaded_by(statement: str) -> set[str]:
    """Return the modules that are loaded after a statement in a fresh process."""
    code = f"import json, sys; {statement}; print(json.dumps(sorted(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(json.loads(done.stdout.splitlines()[-1]))


def test_importing_the_package_is_cheap() -> None:
    """No event loop, no logging, no command line and no reader of files comes with it."""
    loaded = loaded_by("import deskroom; deskroom.__version__, deskroom.DeskroomError")
    assert (True, set()) == ("deskroom" in loaded, HEAVY & loaded)


def test_what_is_pure_stays_cheap() -> None:
    """The names of the core can be used without an event loop."""
    loaded = loaded_by("import deskroom; deskroom.Row, deskroom.AsidePolicy, deskroom.Person")
    assert (True, set()) == ("deskroom.core" in loaded, HEAVY & loaded)


def test_the_actors_are_loaded_when_they_are_asked_for() -> None:
    """A room needs its event loops' library; it does not need the reader of scenarios."""
    loaded = loaded_by("import deskroom; deskroom.Room")
    assert "anyio" in loaded
    assert set() == loaded & {"structlog", "rich", "click", "tree_sitter", "trio"}


@pytest.mark.parametrize("module", ["engine", "engine.engine", "journal", "speech", "wire"])
def test_a_host_and_a_journal_need_no_event_loop(module: str) -> None:
    """The rules of a room, and a reader of journals, start in a process that has none of it."""
    loaded = loaded_by(f"import deskroom.{module}")
    assert (True, set()) == (f"deskroom.{module}" in loaded, HEAVY & loaded)


def test_a_worker_of_a_sweep_needs_no_command_line() -> None:
    """What plays a run, on whatever machine, is not what shows it."""
    loaded = loaded_by("import deskroom.sweep.play")
    assert "deskroom.scenario.play.player" in loaded
    assert set() == loaded & {*HEAVY - {"tree_sitter"}, "distributed", "pyarrow"}


@pytest.mark.parametrize("level", ["warning", "error"])
def test_a_replay_starts_without_an_event_loop_and_without_structlog(level: str) -> None:
    """A replay that logs nothing loads neither; both take longer to load than it takes to play."""
    arguments = ["replay", "-q", "--log-level", level, "scenarios/run-28.toml"]
    loaded = loaded_by(f"from deskroom.cli.main import _run; assert not _run({arguments!r})")
    assert "deskroom.scenario.play.player" in loaded
    assert set() == loaded & {"anyio", "asyncio", "structlog"}


def test_a_lazy_name_is_the_very_object_of_its_home() -> None:
    """It is looked up once and then stands in the package as any other."""
    room, scenario = import_module("deskroom.room"), import_module("deskroom.scenario")
    assert deskroom.Room is room.Room
    assert deskroom.load_scenario is scenario.load_scenario
    assert deskroom.Room is vars(deskroom)["Room"]


def test_an_unknown_name_is_an_attribute_error() -> None:
    """The message names the package and the name."""
    with pytest.raises(AttributeError, match="module 'deskroom' has no attribute 'Rooms'"):
        _ = deskroom.Rooms


def test_completion_shows_the_public_names() -> None:
    """``dir`` lists what can be used, whether or not it has been loaded yet."""
    assert dir(deskroom) == sorted(PUBLIC["deskroom"])


def test_the_package_says_that_it_is_typed() -> None:
    """Type checkers of users read the annotations."""
    assert files("deskroom").joinpath("py.typed").is_file()
