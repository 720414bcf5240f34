"""A scenario that was played, beside everything in it that came out otherwise."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from attrs import evolve, field, frozen

from deskroom.engine.engine import Engine
from deskroom.engine.entries import RowEntry
from deskroom.engine.setup import Setup
from deskroom.engine.state import TurnRecord
from deskroom.room import RoomResult
from deskroom.scenario.format.model import RunExpect, Scenario, Turn, TurnExpect
from deskroom.scenario.format.position import Place
from deskroom.scenario.play.expect import TURN_VALUES, Mismatch, Played, file_value, holds

__all__ = ["Replay", "compare", "compare_again", "readers", "run_values"]


@frozen(kw_only=True)
class Replay:
    """A scenario that was played, and every expectation that did not hold.

    ``played`` goes side by side with the scenario's turns; a turn that was never played has
    neither a grant nor a row, and is in ``unused`` as well.
    """

    scenario: Scenario
    setup: Setup = field(repr=False)
    result: RoomResult = field(repr=False)
    opening: Played = field(repr=False)
    played: tuple[Played, ...] = field(repr=False)
    mismatches: tuple[Mismatch, ...] = ()
    unused: tuple[Turn, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether everything came out as expected."""
        return not self.mismatches


def compare(
    scenario: Scenario, room: Engine, result: RoomResult, *, fail_on_unused: bool = False
) -> Replay:
    """Hold what a scenario's room came to against what the scenario expects."""
    opening = Played(room.setup, entry=_opening_entry(result))
    played = _played(scenario, room.setup, result)
    mismatches = [
        *_opening_mismatches(scenario, opening),
        *_turn_mismatches(scenario, played, fail_on_unused=fail_on_unused),
        *_order_mismatches(scenario, room, result),
        *_run_mismatches(scenario, result),
    ]
    return Replay(
        scenario=scenario,
        setup=room.setup,
        result=result,
        opening=opening,
        played=played,
        mismatches=tuple(mismatches),
        unused=tuple(scenario.turns[at] for at in result.unplayed),
    )


def compare_again(replay: Replay, scenario: Scenario, *, fail_on_unused: bool = False) -> Replay:
    """Hold what came out against what a scenario of the same script expects instead.

    A replay with an order mismatch is not compared again: no expectation mends it.
    """
    mismatches = [
        *_opening_mismatches(scenario, replay.opening),
        *_turn_mismatches(scenario, replay.played, fail_on_unused=fail_on_unused),
        *_run_mismatches(scenario, replay.result),
    ]
    unused = tuple(scenario.turns[at] for at in replay.result.unplayed)
    return evolve(replay, scenario=scenario, mismatches=tuple(mismatches), unused=unused)


def _opening_entry(result: RoomResult) -> RowEntry | None:
    return next((entry for entry in result.entries[:1] if entry.kind == "opening"), None)


def _played(scenario: Scenario, setup: Setup, result: RoomResult) -> tuple[Played, ...]:
    records: dict[int, TurnRecord] = {t.cue: t for t in result.turns if t.cue is not None}
    spoken: dict[int, RowEntry] = {e.cue: e for e in result.entries if e.cue is not None}
    return tuple(
        _one(setup, result, records.get(cue), spoken.get(cue)) for cue in range(len(scenario.turns))
    )


def _one(
    setup: Setup, result: RoomResult, record: TurnRecord | None, spoken: RowEntry | None
) -> Played:
    if record is None or record.row is None:
        return Played(setup, record, spoken)
    entry = result.entries[record.row - 1]
    return Played(setup, record, entry, result.routed.get(record.row, ()))


def _opening_mismatches(scenario: Scenario, opening: Played) -> Iterator[Mismatch]:
    expect = scenario.opening.expect if scenario.opening is not None else None
    if expect is None or expect.next is None or holds("next", expect.next, opening):
        return
    where = expect.places.get("next")
    yield _mismatch(scenario, opening, "next", expect.next, where, "opening", None)


def _turn_mismatches(
    scenario: Scenario, played: tuple[Played, ...], *, fail_on_unused: bool
) -> Iterator[Mismatch]:
    for turn, one in zip(scenario.turns, played, strict=True):
        if one.record is None and one.entry is None:
            if turn.expect is not None or fail_on_unused:
                yield _unused(scenario, turn, one)
            continue
        if turn.expect is None:
            continue
        speaker = turn.seat or turn.person
        for key in TURN_VALUES:
            expected = getattr(turn.expect, key)
            if expected is not None and not holds(key, expected, one):
                where = turn.expect.places.get(key) or turn.place
                mismatch = _mismatch(scenario, one, key, expected, where, turn.label, speaker)
                yield evolve(mismatch, private_to=readers(turn.expect, speaker, one))


def readers(expect: TurnExpect, seat: str | None, played: Played) -> tuple[str, ...] | None:
    """Return who may read about a turn: of a message meant to be private, only its readers."""
    if not isinstance(expect.audience, tuple):
        return played.private_to
    meant = (*expect.audience, *([seat] if seat else []))
    if played.private_to is None:
        return meant
    return tuple(reader for reader in played.private_to if reader in meant)


def _mismatch(
    scenario: Scenario,
    played: Played,
    key: str,
    expected: Any,  # noqa: ANN401 - a value of the file format
    where: Place | None,
    label: str,
    speaker: str | None,
) -> Mismatch:
    return Mismatch(
        path=scenario.path,
        line=where.line if where else 1,
        column=where.column if where else None,
        turn=label,
        seat=speaker,
        key=key,
        expected=file_value(expected),
        got=TURN_VALUES[key](played),
        why=played.why(key),
        private_to=played.private_to,
    )


def _unused(scenario: Scenario, turn: Turn, played: Played) -> Mismatch:
    return Mismatch(
        path=scenario.path,
        line=turn.place.line,
        column=turn.place.column,
        turn=turn.label,
        seat=turn.seat or turn.person,
        key="turn",
        expected="played",
        got="unused",
        why=played.why(),
    )


def _order_mismatches(scenario: Scenario, room: Engine, result: RoomResult) -> Iterator[Mismatch]:
    """A routed script that ran dry for the seat that was granted while others had turns left."""
    if scenario.order != "routed" or result.closed != "script":
        return
    left = [scenario.turns[at] for at in result.unplayed if scenario.turns[at].seat is not None]
    pending = room.state.pending or (room.state.queue[0] if room.state.queue else None)
    if not left or pending is None:
        return
    yield Mismatch(
        path=scenario.path,
        line=left[0].place.line,
        column=left[0].place.column,
        turn=left[0].label,
        seat=left[0].seat,
        key="order",
        expected=left[0].seat,
        got=pending.seat,
        why=f"row {pending.trigger} gave the turn to {pending.seat}, which has no listed turn left",
    )


def _run_mismatches(scenario: Scenario, result: RoomResult) -> Iterator[Mismatch]:
    expect = scenario.expect or RunExpect()
    for key, got in run_values(result).items():
        expected = getattr(expect, key)
        if expected is not None and expected != got:
            where = expect.places.get(key)
            yield Mismatch(
                path=scenario.path,
                line=where.line if where else 1,
                column=where.column if where else None,
                turn=None,
                seat=None,
                key=key,
                expected=expected,
                got=got,
                why=f"the room closed with {result.closed!r} after {_turns(result.granted)}",
            )


def run_values(result: RoomResult) -> Mapping[str, Any]:
    """Return what came out of a run, under the keys of the file's last table."""
    return {
        "rows": len(result.rows),
        "turns": result.granted,
        "nudges": result.nudges,
        "asides": sum(row.audience.kind == "aside" for row in result.rows),
        "closed": result.closed,
    }


def _turns(count: int) -> str:
    return "1 turn" if count == 1 else f"{count} turns"
