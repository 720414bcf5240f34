"""A room from elsewhere as a scenario that replays: one turn a row.

The list says whose turn it is, as it was in the original; what the rules give is expected of each
row, and a comment stands where the original went on otherwise. The scenario is replayed before it
is handed out, so that it gives the rows it was made from.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Any, Final

from attrs import evolve, frozen

from deskroom.core import TurnFor
from deskroom.core.mention import MAX_PINGS
from deskroom.engine.policy import Policy
from deskroom.engine.setup import Seat
from deskroom.errors import FileError
from deskroom.imports.records import Left
from deskroom.imports.room import ImportedRoom, ImportedRow, LeftOut
from deskroom.imports.write import Written, add_cut_lines, check_some
from deskroom.printable import counted
from deskroom.runs.run import RunItem
from deskroom.scenario.edit.pins import run_pins, turn_pins
from deskroom.scenario.format.load import parse_scenario
from deskroom.scenario.format.model import (
    MAX_TURNS,
    Call,
    DeskSpec,
    Nobody,
    RunExpect,
    Scenario,
    Turn,
    TurnExpect,
)
from deskroom.scenario.format.problems import ScenarioError
from deskroom.scenario.format.toml import MAX_FILE_BYTES
from deskroom.scenario.format.write import scenario_toml
from deskroom.scenario.play.compare import Replay, compare
from deskroom.scenario.play.replay import replay_scenario
from deskroom.speech.tools import BROADCAST, COMPLETE_EPISODE, DM, served

__all__ = ["ImportedScenario", "import_scenario"]

_ASIDE: Final = "!aside"
#: So often a row that comes out otherwise is taken out, and the rest played again.
_ROUNDS: Final = 4


@frozen(kw_only=True)
class ImportedScenario:
    """A scenario's text, that text as it was replayed, and what was left out of it."""

    text: str
    replay: Replay
    written: Written


@frozen
class _Step:
    """One turn that is listed: the row it gives, and whether its completion can be said."""

    row: ImportedRow
    completes: bool


def import_scenario(
    room: ImportedRoom, base: Policy, remarks: Iterable[str] = ()
) -> ImportedScenario:
    """Return the scenario that replays to the rows of a room.

    ``base`` is the policy to start from; limits of turns and asides are raised to fit. ``remarks``
    become comments at the top. Raises ``FileError`` where no scenario can hold the room.
    """
    written = Written()
    path = room.sources[0].path
    sayable = list(_sayable(room, written))
    add_cut_lines(room, written.left)
    written.rows = len(sayable)
    check_some(room, written)
    if not any(row.kind == "agent" for row in sayable):
        raise FileError(path, "no seat speaks in it, and a scenario needs one", kind="no_seat")
    scenario, replay, steps = _settled(room, base, sayable, written)
    finished = _with_expectations(scenario, replay)
    above = dict(_remarks_above(replay, steps))
    top = [*remarks, *_left_remarks(written.left)]
    text = _text(finished, path, top, above)
    held = compare(parse_scenario(text, path), replay.run)
    written.rows = len(steps)
    return ImportedScenario(text=text, replay=held, written=written)


# --- which rows can be said --------------------------------------------------------------------


def _sayable(room: ImportedRoom, written: Written) -> Iterator[ImportedRow]:
    """Yield the rows that a listed turn can say; the others are counted."""
    seats = {seat.id: seat for seat in room.seats}
    size = 0
    for row in room.rows(written.left, written.mentioned):
        reason = _unsayable(row, seats.get(row.author))
        if reason is not None:
            written.left.add(Left(reason, row.place))
            continue
        size += len(row.text)
        if row.number > MAX_TURNS or size > MAX_FILE_BYTES:
            problem = (
                f"a scenario holds {MAX_TURNS:,} turns and {MAX_FILE_BYTES >> 20} MiB at most; "
                "write a transcript (.jsonl) instead"
            )
            raise FileError(room.sources[0].path, problem, kind="too_large")
        yield row


def _unsayable(row: ImportedRow, seat: Seat | None) -> str | None:
    """Return why no listed turn can say a row, as a kind of what is left out."""
    if row.kind == "person":
        return None if row.to is None else "private row of a person"
    if row.to == ():
        return "private row to people alone"
    if row.to is not None and len(row.to) > MAX_PINGS:
        return f"private row to more than {MAX_PINGS} seats"
    if row.to is None and row.text.startswith(_ASIDE):
        return "row that marks itself as an aside"
    if seat is not None and seat.retired:
        return "row of a retired seat"
    if seat is not None and seat.fence and row.to is not None:
        return "private row of a fence seat"
    return None


# --- a scenario that gives them again ----------------------------------------------------------


def _settled(
    room: ImportedRoom, base: Policy, rows: Sequence[ImportedRow], written: Written
) -> tuple[Scenario, Replay, list[_Step]]:
    """Return a scenario whose replay has these rows, without those that come out otherwise."""
    path = room.sources[0].path
    steps = [_Step(row, row.completes and row.kind == "agent") for row in rows]
    for _ in range(_ROUNDS):
        scenario = _scenario(room, base, steps)
        replay = _replayed(scenario, path)
        if replay.unused and any(step.completes for step in steps[:-1]):
            # It closed before the end: only a last row can close this room.
            steps = [*(evolve(step, completes=False) for step in steps[:-1]), steps[-1]]
            continue
        wrong = [not _same(*pair) for pair in zip(steps, replay.played, strict=True)]
        if not any(wrong):
            return scenario, replay, steps
        for step, is_wrong in zip(steps, wrong, strict=True):
            if is_wrong:
                written.left.add(Left("row that the host would change", step.row.place))
        steps = [step for step, is_wrong in zip(steps, wrong, strict=True) if not is_wrong]
        if not any(step.row.kind == "agent" for step in steps):
            break
    raise FileError(path, "no scenario can give these rows again; write a transcript instead")


def _scenario(room: ImportedRoom, base: Policy, steps: Sequence[_Step]) -> Scenario:
    fences = {seat.id for seat in room.seats if seat.fence}
    names = " ".join(source.name for source in room.sources)
    return Scenario(
        title=f"Imported from {room.importer.name}: {names}",
        order="listed",
        desk=DeskSpec(
            id=room.wishes.desk_id,
            name=room.wishes.desk_name,
            seats=room.seats,
            people=room.people,
        ),
        policy=_policy(base, steps),
        turns=tuple(_turn(step, fences) for step in steps),
    )


def _policy(base: Policy, steps: Sequence[_Step]) -> Policy:
    """Return the policy with its limits raised to fit."""
    private = [step.row.to is not None for step in steps]
    aside = base.aside
    if any(private):
        runs = (sum(1 for _ in run) for is_private, run in groupby(private) if is_private)
        aside = evolve(
            aside,
            enabled=True,
            max_members=max(aside.max_members, *(len(step.row.to or ()) for step in steps)),
            max_messages=max(aside.max_messages, *runs),
            must_surface=False,
            require_thread=False,
        )
    turns = sum(step.row.kind == "agent" for step in steps)
    early = any(step.completes for step in steps[:-1])
    return evolve(
        base,
        aside=aside,
        max_turns=max(base.max_turns, turns),
        close="all" if early else base.close,
    )


def _turn(step: _Step, fences: set[str]) -> Turn:
    row = step.row
    if row.kind == "person":
        return Turn(person=row.author, say=row.text)
    if row.author in fences:
        return Turn(seat=row.author, text=row.text)
    if row.to is not None:
        arguments = {"to": list(row.to), "message": row.text}
        return Turn(seat=row.author, calls=(Call(tool=served(DM), arguments=arguments),))
    if step.completes or row.broadcasts:
        tool = served(COMPLETE_EPISODE if step.completes else BROADCAST)
        return Turn(seat=row.author, calls=(Call(tool=tool, arguments={"message": row.text}),))
    return Turn(seat=row.author, say=row.text)


def _replayed(scenario: Scenario, path: str) -> Replay:
    try:
        return replay_scenario(parse_scenario(_text(scenario, path), path))
    except ScenarioError as error:
        raise FileError(path, f"no scenario can hold this room: {error.problem}") from None


def _text(
    scenario: Scenario,
    path: str,
    remarks: Iterable[str] = (),
    above: dict[int, Sequence[str]] | None = None,
) -> str:
    text = scenario_toml(scenario, remarks=remarks, turn_remarks=above)
    if len(text.encode(errors="replace")) > MAX_FILE_BYTES:
        problem = (
            f"the scenario would be larger than {MAX_FILE_BYTES >> 20} MiB; write a transcript "
            "(.jsonl) instead"
        )
        raise FileError(path, problem, kind="too_large")
    return text


def _same(step: _Step, item: RunItem) -> bool:
    """Whether a turn came to the row it was made from: its text, and who could read it."""
    if item.entry is None:
        return False
    row = item.entry.row
    members = None if row.audience.kind == "desk" else set(row.audience.members)
    wanted = None if step.row.to is None else set(step.row.to)
    return row.content == step.row.text and members == wanted


# --- what is expected, and where the original went on otherwise --------------------------------


def _with_expectations(scenario: Scenario, replay: Replay) -> Scenario:
    turns = tuple(
        evolve(turn, expect=_expect(item))
        for turn, item in zip(scenario.turns, replay.played, strict=True)
    )
    expect = RunExpect(**run_pins(replay.run, scenario.order, scenario.policy))
    return evolve(scenario, turns=turns, expect=expect)


def _expect(item: RunItem) -> TurnExpect:
    return TurnExpect(**{key: _model_value(value) for key, value in turn_pins(item).items()})


def _model_value(value: Any) -> Any:  # noqa: ANN401 - values of the file format
    if isinstance(value, dict):
        return Nobody(**value)
    return tuple(value) if isinstance(value, list) else value


def _remarks_above(replay: Replay, steps: Sequence[_Step]) -> Iterator[tuple[int, Sequence[str]]]:
    """Yield a comment for each turn that is not the one the rules hand on to."""
    items = replay.played
    for at in range(1, len(steps)):
        remark = _otherwise(items[at - 1], steps[at - 1], steps[at])
        if remark:
            yield at, [remark]


def _otherwise(item: RunItem, before: _Step, after: _Step) -> str:
    """Return where the original went on otherwise than the rules, as a sentence; or nothing."""
    assert item.entry is not None  # noqa: S101 - every step came to its row
    by_whom = f"{after.row.author} went on"
    if before.row.handoff is not None:
        by_whom += f" (the source hands over to {before.row.handoff} there)"
    decision = item.entry.decision
    if isinstance(decision, TurnFor):
        if after.row.kind == "agent" and decision.target_id == after.row.author:
            return ""
        return f"The rules hand the turn to {decision.target_id}; in the original {by_whom}."
    if item.entry.broadcasting:
        if after.row.author in item.recipients:
            return ""
        return (
            f"The rules hand the turn to {', '.join(item.recipients)}; in the original {by_whom}."
        )
    if after.row.kind == "person":
        return ""
    return f"The rules hand the turn to nobody ({decision.reason}); in the original {by_whom}."


def _left_remarks(left: LeftOut) -> Iterator[str]:
    for kind, (count, place) in left.kinds.items():
        where = f", the first at {place}" if str(place) else ""
        yield f"Left out: {kind}, {counted(count, 'time')}{where}."
