"""A run that failed, as a scenario that fails by a plain replay."""

from __future__ import annotations

from collections.abc import Iterator

from attrs import evolve, frozen

from deskroom.engine.entries import MemoryJournal
from deskroom.errors import DeskroomError
from deskroom.explore.explore import FoundFailure
from deskroom.explore.play import Played
from deskroom.scenario.format.load import parse_scenario
from deskroom.scenario.format.model import Scenario, Turn
from deskroom.scenario.format.write import scenario_toml
from deskroom.scenario.play.compare import Replay, compare
from deskroom.scenario.play.replay import played_run
from deskroom.speech.tools import POST, served

__all__ = ["Written", "written"]


@frozen(kw_only=True)
class Written:
    """The text of a scenario, and that text as it was replayed: with at least one mismatch."""

    text: str
    replay: Replay


def written(
    played: Played, found: FoundFailure, *, explored: str, seed: int, path: str
) -> Written | None:
    """Return the scenario of a run that failed; it was ``explored``, and goes to ``path``.

    None where no scenario fails in the same way, which would be a fault of ours.
    """
    for scenario in _variants(_named(played.scenario, found, explored, seed), played):
        text = scenario_toml(scenario)
        replay = _replayed(text, path)
        if replay is not None and _fails(replay, found):
            return Written(text=text, replay=replay)
    return None


def _replayed(text: str, path: str) -> Replay | None:
    try:
        scenario = parse_scenario(text, path)
        return compare(scenario, played_run(scenario, MemoryJournal(), logs=False))
    except DeskroomError:
        return None


def _fails(replay: Replay, found: FoundFailure) -> bool:
    return any((one.key, one.expected) == found.key for one in replay.mismatches)


def _named(scenario: Scenario, found: FoundFailure, path: str, seed: int) -> Scenario:
    """Return a scenario that says what it shows, and asks for nothing but that."""
    properties = tuple(one for one in scenario.properties if one.name == found.name)
    is_property = found.kind == "property"
    what = "the property" if is_property else "the invariant"
    return evolve(
        scenario,
        title=f"{what[4:].capitalize()} does not hold: {found.name}",
        why=f"Found by exploring {path} (seed {seed}, run {found.number}), and made as plain as it "
        f"can be. It fails as long as {what} does not hold.",
        turns=tuple(map(_plain, scenario.turns)),
        properties=properties if is_property else (),
        invariants=not is_property,
    )


def _plain(turn: Turn) -> Turn:
    """Return a turn whose one post is written as ``say``."""
    calls = turn.calls
    if turn.say is None and len(calls) == 1 and calls[0].tool == served(POST):
        message = calls[0].arguments.get("message")
        if isinstance(message, str) and calls[0].arguments.keys() == {"message"}:
            return evolve(turn, say=message, calls=())
    return turn


def _variants(scenario: Scenario, played: Played) -> Iterator[Scenario]:
    """Yield the first turns alone, as few as may do, then more; at last all of them.

    Turns that were never played are left out where that changes nothing.
    """
    turns = scenario.turns
    used = [turn for at, turn in enumerate(turns) if at in played.places or turn.person is not None]
    for most in range(1, len(used)):
        yield evolve(scenario, turns=tuple(used[:most]))
    if used:
        yield evolve(scenario, turns=tuple(used))
    yield scenario
