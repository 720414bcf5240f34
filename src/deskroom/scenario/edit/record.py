"""A journal becomes a scenario that replays to the same rows and decisions, or nothing.

The scenario is replayed in memory and its own journal is told in the same way before it is handed
out, so that no scenario quietly comes out otherwise than the run it was made from.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

import attrs
from attrs import evolve, frozen

from deskroom.engine.entries import Entry, RowEntry
from deskroom.errors import FileError
from deskroom.scenario.edit.pins import next_pin, turn_pins
from deskroom.scenario.edit.retell import NOT_REACHED, Part, Told, retell
from deskroom.scenario.entries import EntryList
from deskroom.scenario.format.load import parse_scenario
from deskroom.scenario.format.model import Nobody, OpeningExpect, RunExpect, Scenario, TurnExpect
from deskroom.scenario.format.problems import ScenarioError
from deskroom.scenario.format.toml import MAX_FILE_BYTES
from deskroom.scenario.format.write import scenario_toml
from deskroom.scenario.play.compare import Replay, compare_again, run_values
from deskroom.scenario.play.expect import Played
from deskroom.scenario.play.replay import replay_scenario

__all__ = ["RecordError", "Recorded", "record_entries"]

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


def record_entries(entries: Iterable[Entry], path: str = "<journal>") -> Recorded:
    """Return the scenario that replays to what the entries of a journal say.

    ``path`` is what errors call the journal. Raises ``RecordError`` for a run that a scenario
    cannot give again, and says at which row and why.
    """
    told = retell(entries)
    if not told.listed:
        raise RecordError(path, "no turn was played to its end, so there is nothing to replay")
    problem = ""
    for variant in _variants(told):
        replay, again = _played(variant, path)
        problem = _difference(variant, again)
        if not problem:
            return _finished(variant, replay, path)
    reason = told.spoken_over[0] if told.spoken_over else problem
    raise RecordError(path, f"no scenario can give this run again: {reason}")


def _played(told: Told, path: str) -> tuple[Replay, Told]:
    """Replay the scenario as a file that holds it would be, and tell what came of it."""
    try:
        scenario = parse_scenario(_text(told, told.scenario(), path), path)
    except ScenarioError as error:
        raise RecordError(path, f"no scenario can hold this room: {error.problem}") from None
    journal = EntryList()
    replay = replay_scenario(scenario, journal=journal)
    return replay, retell(journal.entries)


def _finished(told: Told, replay: Replay, path: str) -> Recorded:
    text = _text(told, _with_expectations(told, replay), path)
    held = compare_again(replay, parse_scenario(text, path))
    of_turns = (
        f"turn {number}: {remark}"
        for number, part in enumerate(told.listed, start=1)
        for remark in part.remarks
    )
    return Recorded(text=text, replay=held, remarks=(*told.remarks, *of_turns))


# --- the scenario ------------------------------------------------------------------------------


def _variants(told: Told) -> Iterator[Told]:
    """Yield the ways to say it: as it is, then with what the journal leaves open filled in."""
    yield told
    setup = told.setup
    scripted = evolve(setup.policy, broadcast=evolve(setup.policy.broadcast, router="scripted"))
    if setup.policy.broadcast.router != "scripted":
        remark = "A router of the room's own chose these recipients; here scores are scripted."
        told = _changed(told, remark, policy=scripted)
        yield told
    if told.closed is None and told.rows and told.rows[-1].kind == "nudge":
        # A chair that speaks before a pending turn does so only where that turn is then played.
        remark = f"Row {len(told.rows)}, a nudge that no turn came after, is left out."
        yield evolve(told, rows=told.rows[:-1], remarks=(*told.remarks, remark))
    if told.closed is None and told.state.granted:
        remark = "max_turns is where the recorded room stopped, so that its chair says no more."
        policy = evolve(told.setup.policy, max_turns=told.state.granted)
        yield _changed(told, remark, policy=policy)


def _changed(told: Told, remark: str, **setup: Any) -> Told:  # noqa: ANN401 - attributes of a setup
    return evolve(told, setup=evolve(told.setup, **setup), remarks=(*told.remarks, remark))


def _text(told: Told, scenario: Scenario, path: str) -> str:
    remarks = [_HEADLINE, *told.remarks] if told.remarks else []
    above: dict[int, Sequence[str]] = {
        at: part.remarks for at, part in enumerate(told.listed) if part.remarks
    }
    if len(scenario.turns) > len(told.listed):
        above[len(told.listed)] = [NOT_REACHED]
    text = scenario_toml(scenario, remarks=remarks, turn_remarks=above)
    try:
        size = len(text.encode())
    except UnicodeEncodeError:
        raise RecordError(
            path, "the desk or a person's words hold half of a surrogate pair"
        ) from None
    if size > MAX_FILE_BYTES:
        raise RecordError(path, f"the scenario would be larger than {MAX_FILE_BYTES >> 20} MiB")
    return text


# --- what is expected --------------------------------------------------------------------------


def _with_expectations(told: Told, replay: Replay) -> Scenario:
    """Return the scenario, expecting what came out."""
    scenario = told.scenario()
    opening = scenario.opening
    if opening is not None and replay.opening.entry is not None:
        value = _model_value(next_pin(replay.opening))
        opening = evolve(opening, expect=OpeningExpect(next=value))
    turns = [
        evolve(turn, expect=_turn_expect(played, told.state.unrouted))
        for turn, played in zip(scenario.turns, replay.played, strict=True)
    ]
    expect = RunExpect(**_run_pins(told, replay))
    return evolve(scenario, opening=opening, turns=tuple(turns), expect=expect)


def _turn_expect(played: Played, unrouted: RowEntry | None) -> TurnExpect | None:
    if played.record is None and played.entry is None:
        return None
    pins = {key: _model_value(value) for key, value in turn_pins(played).items()}
    if played.entry is not None and unrouted is not None and played.entry.row == unrouted.row:
        del pins["next"]  # the recorded room never came to know
    return TurnExpect(**pins)


def _run_pins(told: Told, replay: Replay) -> dict[str, Any]:
    """Return what to expect of the run, without what could not come out otherwise."""
    pins = dict(run_values(replay.result))
    policy = told.setup.policy
    if told.order == "listed" or policy.chair.rounds == 0:
        del pins["nudges"]
    if not policy.aside.enabled:
        del pins["asides"]
    return pins


def _model_value(value: Any) -> Any:  # noqa: ANN401 - values of the file format
    if isinstance(value, dict):
        return Nobody(**value)
    return tuple(value) if isinstance(value, list) else value


# --- is it the same run ------------------------------------------------------------------------


def _difference(told: Told, again: Told) -> str:
    """Return how a replay differs from the run it is to give again, as a clause, or nothing."""
    return (
        next(_row_differences(told, again), "")
        or next(_turn_differences(told, again), "")
        or _close_difference(told, again)
    )


def _row_differences(told: Told, again: Told) -> Iterator[str]:
    for before, after in zip(told.rows, again.rows, strict=False):
        names = list(_differing(evolve(before, cue=None), evolve(after, cue=None)))
        if names:
            yield f"row {before.row.sequence} would have another {names[0]}"
    if len(again.rows) < len(told.rows):
        yield f"row {len(again.rows) + 1} would be missing"
    # A run that was cut short may have owed a row about files.
    more = again.rows[len(told.rows) :]
    if any(told.closed is not None or entry.kind != "wrote" for entry in more):
        yield f"there would be {len(again.rows)} rows, and there are {len(told.rows)}"


def _turn_differences(told: Told, again: Told) -> Iterator[str]:
    for before, after in zip(told.parts, again.parts, strict=False):
        names = [*_differing(before, after), *_grant_differences(before, after)]
        if told.state.unrouted is not None and before is told.parts[-1]:
            # A broadcast that was cut short was never routed, and now it is.
            names = [name for name in names if name != "scores"]
        if names:
            number = f"turn {before.record.number}" if before.record else "a person's turn"
            yield f"{number} would have another {names[0]}"
    # And a silent turn's retry, which nobody listed.
    more = again.parts[len(told.parts) :]
    if len(again.parts) < len(told.parts) or any(
        told.closed is not None or part.listed for part in more
    ):
        yield f"there would be {len(again.parts)} turns, and there are {len(told.parts)}"


def _grant_differences(before: Part, after: Part) -> Iterator[str]:
    if before.record is not None and after.record is not None:
        for name in ("number", "hop", "trigger"):
            if getattr(before.record, name) != getattr(after.record, name):
                yield name


def _close_difference(told: Told, again: Told) -> str:
    if told.closed in {None, again.closed}:
        return ""
    return f"it would close with {again.closed}, and it closed with {told.closed}"


def _differing(before: RowEntry | Part, after: RowEntry | Part) -> Iterator[str]:
    for attribute in attrs.fields(type(before)):
        if attribute.eq and getattr(before, attribute.name) != getattr(after, attribute.name):
            yield attribute.name
