"""A journal becomes a scenario that replays to the same rows and decisions, or nothing.

The scenario is replayed, and the script of that replay is extracted in the same way, before it is
handed out: so no scenario quietly comes out otherwise than the run it was made from.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

import attrs
from attrs import evolve, frozen

from deskroom.engine.entries import RowEntry
from deskroom.errors import FileError
from deskroom.runs.run import Run, RunItem
from deskroom.scenario.edit.pins import next_pin, run_pins, turn_pins
from deskroom.scenario.edit.script import (
    NOT_REACHED,
    RecordedScript,
    RecordedTurn,
    extract_script,
)
from deskroom.scenario.format.load import parse_scenario
from deskroom.scenario.format.model import Nobody, OpeningExpect, RunExpect, Scenario, TurnExpect
from deskroom.scenario.format.problems import ScenarioError
from deskroom.scenario.format.toml import MAX_FILE_BYTES
from deskroom.scenario.format.write import scenario_toml
from deskroom.scenario.play.compare import Replay, compare
from deskroom.scenario.play.replay import replay_scenario

__all__ = ["RecordError", "Recorded", "record_run"]

_HEADLINE: Final = "This run was recorded from a journal, and not all of it can be said in a file:"


class RecordError(FileError):
    """A journal's run is one that no scenario can say. ``path`` is the journal's."""


@frozen(kw_only=True)
class Recorded:
    """A scenario that was made from a journal: its text, and that text as it was replayed.

    ``remarks`` says what the journal had and the scenario has not; they are comments in it too.
    """

    text: str
    replay: Replay
    remarks: tuple[str, ...]


def record_run(run: Run, path: str = "<journal>") -> Recorded:
    """Return the scenario that replays to a run.

    ``path`` is what errors call the journal. Raises ``RecordError`` for a run that a scenario
    cannot give again, and says at which row and why.
    """
    script = extract_script(run)
    if not script.listed:
        raise RecordError(path, "no turn was played to its end, so there is nothing to replay")
    problem = ""
    for variant in _variants(script):
        replay, again = _played(variant, path)
        problem = _difference(variant, again)
        if not problem:
            return _finished(variant, replay, path)
    reason = script.spoken_over[0] if script.spoken_over else problem
    raise RecordError(path, f"no scenario can give this run again: {reason}")


def _played(script: RecordedScript, path: str) -> tuple[Replay, RecordedScript]:
    """Replay the scenario as a file that holds it would be, and extract the script of that."""
    try:
        scenario = parse_scenario(_text(script, script.scenario(), path), path)
    except ScenarioError as error:
        raise RecordError(path, f"no scenario can hold this room: {error.problem}") from None
    replay = replay_scenario(scenario)
    return replay, extract_script(replay.run)


def _finished(script: RecordedScript, replay: Replay, path: str) -> Recorded:
    text = _text(script, _with_expectations(script, replay), path)
    held = compare(parse_scenario(text, path), replay.run)
    of_turns = (
        f"turn {number}: {remark}"
        for number, turn in enumerate(script.listed, start=1)
        for remark in turn.remarks
    )
    return Recorded(text=text, replay=held, remarks=(*script.remarks, *of_turns))


# --- the scenario ------------------------------------------------------------------------------


def _variants(script: RecordedScript) -> Iterator[RecordedScript]:
    """Yield the ways to say it: as it is, then with what the journal leaves open filled in."""
    yield script
    setup = script.setup
    scripted = evolve(setup.policy, broadcast=evolve(setup.policy.broadcast, router="scripted"))
    if setup.policy.broadcast.router != "scripted":
        remark = "A router of the room's own chose these recipients; here scores are scripted."
        script = _changed(script, remark, policy=scripted)
        yield script
    if script.closed is None and script.rows and script.rows[-1].kind == "nudge":
        # A chair that speaks before a pending turn does so only where that turn is then played.
        remark = f"Row {len(script.rows)}, a nudge that no turn came after, is left out."
        yield evolve(script, rows=script.rows[:-1], remarks=(*script.remarks, remark))
    if script.closed is None and script.run.granted:
        remark = "max_turns is where the recorded room stopped, so that its chair says no more."
        policy = evolve(script.setup.policy, max_turns=script.run.granted)
        yield _changed(script, remark, policy=policy)


def _changed(script: RecordedScript, remark: str, **setup: Any) -> RecordedScript:  # noqa: ANN401 - attributes of a setup
    return evolve(script, setup=evolve(script.setup, **setup), remarks=(*script.remarks, remark))


def _text(script: RecordedScript, scenario: Scenario, path: str) -> str:
    remarks = [_HEADLINE, *script.remarks] if script.remarks else []
    above: dict[int, Sequence[str]] = {
        at: turn.remarks for at, turn in enumerate(script.listed) if turn.remarks
    }
    if len(scenario.turns) > len(script.listed):
        above[len(script.listed)] = [NOT_REACHED]
    text = scenario_toml(scenario, remarks=remarks, turn_remarks=above)
    try:
        size = len(text.encode())
    except UnicodeEncodeError:
        raise RecordError(
            path, "the desk or a person's message holds half of a surrogate pair"
        ) from None
    if size > MAX_FILE_BYTES:
        raise RecordError(path, f"the scenario would be larger than {MAX_FILE_BYTES >> 20} MiB")
    return text


# --- what is expected --------------------------------------------------------------------------


def _with_expectations(script: RecordedScript, replay: Replay) -> Scenario:
    """Return the scenario, expecting what came out."""
    scenario = script.scenario()
    opening = scenario.opening
    if opening is not None and replay.opening.entry is not None:
        value = _model_value(next_pin(replay.opening))
        opening = evolve(opening, expect=OpeningExpect(next=value))
    turns = [
        evolve(turn, expect=_turn_expect(played, script.run.state.unrouted))
        for turn, played in zip(scenario.turns, replay.played, strict=True)
    ]
    expect = RunExpect(**run_pins(replay.run, script.order, script.setup.policy))
    return evolve(scenario, opening=opening, turns=tuple(turns), expect=expect)


def _turn_expect(played: RunItem, unrouted: RowEntry | None) -> TurnExpect | None:
    if not played.was_played:
        return None
    pins = {key: _model_value(value) for key, value in turn_pins(played).items()}
    if played.entry is not None and unrouted is not None and played.entry.row == unrouted.row:
        del pins["next"]  # the recorded room never came to know
    return TurnExpect(**pins)


def _model_value(value: Any) -> Any:  # noqa: ANN401 - values of the file format
    if isinstance(value, dict):
        return Nobody(**value)
    return tuple(value) if isinstance(value, list) else value


# --- is it the same run ------------------------------------------------------------------------


def _difference(script: RecordedScript, again: RecordedScript) -> str:
    """Return how a replay differs from the run it is to give again, as a clause, or nothing."""
    return (
        next(_row_differences(script, again), "")
        or next(_turn_differences(script, again), "")
        or _close_difference(script, again)
    )


def _row_differences(script: RecordedScript, again: RecordedScript) -> Iterator[str]:
    for before, after in zip(script.rows, again.rows, strict=False):
        names = list(_differing(evolve(before, cue=None), evolve(after, cue=None)))
        if names:
            yield f"row {before.row.sequence} would have another {names[0]}"
    if len(again.rows) < len(script.rows):
        yield f"row {len(again.rows) + 1} would be missing"
    # A run that was cut short may lack the row about its last files.
    more = again.rows[len(script.rows) :]
    if any(script.closed is not None or entry.kind != "wrote" for entry in more):
        yield f"there would be {len(again.rows)} rows, and there are {len(script.rows)}"


def _turn_differences(script: RecordedScript, again: RecordedScript) -> Iterator[str]:
    for before, after in zip(script.turns, again.turns, strict=False):
        names = [*_differing(before, after), *_grant_differences(before, after)]
        if script.run.state.unrouted is not None and before is script.turns[-1]:
            # A broadcast that was cut short was never routed, and now it is.
            names = [name for name in names if name != "scores"]
        if names:
            number = f"turn {before.played.number}" if before.played else "a person's turn"
            yield f"{number} would have another {names[0]}"
    # And a silent turn's retry, which nobody listed.
    more = again.turns[len(script.turns) :]
    if len(again.turns) < len(script.turns) or any(
        script.closed is not None or turn.listed for turn in more
    ):
        yield f"there would be {len(again.turns)} turns, and there are {len(script.turns)}"


def _grant_differences(before: RecordedTurn, after: RecordedTurn) -> Iterator[str]:
    if before.played is not None and after.played is not None:
        for name in ("number", "hop", "trigger"):
            if getattr(before.played, name) != getattr(after.played, name):
                yield name


def _close_difference(script: RecordedScript, again: RecordedScript) -> str:
    if script.closed in {None, again.closed}:
        return ""
    return f"it would close with {again.closed}, and it closed with {script.closed}"


def _differing(before: RowEntry | RecordedTurn, after: RowEntry | RecordedTurn) -> Iterator[str]:
    for attribute in attrs.fields(type(before)):
        if attribute.eq and getattr(before, attribute.name) != getattr(after, attribute.name):
            yield attribute.name
