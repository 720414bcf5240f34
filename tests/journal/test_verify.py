from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from types import MappingProxyType
from typing import Any

import anyio
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deskroom.core import AsidePolicy
from deskroom.errors import UsageError
from deskroom.journal import (
    JournalError,
    JournalFile,
    Torn,
    Verified,
    read_journal,
    verify,
    verify_entries,
)
from deskroom.room import Policy, Room, SimulatedClock, Turn
from deskroom.scenario import load_scenario
from deskroom.scenario.play.replay import run_scripted, scripted_room
from deskroom.testing import ListJournal, ScriptedSeat, post

Values = list[dict[str, Any]]
Forge = Callable[[Iterable[dict[str, Any]]], Path]

SHIPPED = sorted((Path(__file__).parents[2] / "scenarios").rglob("*.toml"))


def verdict(path: Path) -> str:
    """Return what is wrong with a journal: the line twice, and the sentence."""
    with pytest.raises(JournalError) as caught:
        verify(path)
    line = caught.value.line
    start = f"{path}:{line}: line {line} differs: "
    assert str(caught.value).startswith(start), str(caught.value)
    return f"{line}: {str(caught.value).removeprefix(start)}"


# Sound journals


@pytest.mark.parametrize("path", SHIPPED, ids=[path.stem for path in SHIPPED])
def test_the_journal_of_every_shipped_scenario_is_sound(path: Path, tmp_path: Path) -> None:
    """What a room writes is what its rules decide; the counts are those of the run."""
    kept = tmp_path / "run.jsonl"
    with JournalFile.create(kept, sync="never") as journal:
        result = anyio.run(run_scripted, scripted_room(load_scenario(path), journal=journal))
    lines = kept.read_bytes().count(b"\n")
    assert Verified(lines, len(result.rows), result.granted, result.closed) == verify(kept)


@pytest.mark.slow
@pytest.mark.parametrize("backend", ["asyncio", "trio"])
@given(data=st.data())
def test_the_journal_of_any_room_is_sound(
    room_plans: st.SearchStrategy[Any],
    tmp_path_factory: pytest.TempPathFactory,
    backend: str,
    data: st.DataObject,
) -> None:
    """Live or scripted, whatever its seats do, and so is every journal that ends earlier."""
    path = tmp_path_factory.getbasetemp() / f"any-{backend}.jsonl"
    path.unlink(missing_ok=True)
    with JournalFile.create(path, sync="never") as journal:
        result = anyio.run(data.draw(room_plans).room(journal).run, backend=backend)
    found = verify(path)
    assert (len(result.rows), result.closed) == (found.rows, found.closed)
    lines = path.read_bytes().splitlines(keepends=True)
    kept = data.draw(st.integers(1, len(lines) - 1))
    path.write_bytes(b"".join(lines[:kept]))
    assert (kept, None) == (verify(path).lines, verify(path).closed)


@pytest.mark.slow
@pytest.mark.parametrize("backend", ["asyncio", "trio"])
@given(data=st.data())
def test_the_journal_of_a_room_that_went_on_is_sound(
    room_plans: st.SearchStrategy[Any], backend: str, data: st.DataObject
) -> None:
    """Where a run was cut off and gone on with, once or twice, every decision is still the room's."""
    plan = data.draw(room_plans)
    journal = ListJournal()
    anyio.run(plan.room(journal).run, backend=backend)
    for _ in range(data.draw(st.integers(1, 2))):
        del journal.entries[data.draw(st.integers(1, len(journal.entries))) :]
        anyio.run(plan.room(journal, tuple(journal.entries)).run, backend=backend)
    assert journal.entries
    verify_entries(journal.entries, "run")


def simulated(seats: dict[Any, Any], journal: ListJournal, **options: Any) -> Room:
    """Return a room in simulated time that keeps its entries in a list."""
    return Room(
        seats, **{"opening": "go", "clock": SimulatedClock(), "journal": journal, **options}
    )


def test_a_room_that_was_stopped_and_gone_on_with_is_sound() -> None:
    """A stop may come in the middle of a turn; a journal that stopped there can be gone on with."""

    async def stops(turn: Turn) -> None:
        await turn.post("never a row")
        room.stop()
        await anyio.sleep_forever()

    journal = ListJournal()
    room = simulated({"a": stops, "b": ScriptedSeat()}, journal)
    anyio.run(room.run)
    assert "stopped" == verify_entries(journal.entries, "run").closed
    seats = {"a": ScriptedSeat([post("@b here")]), "b": ScriptedSeat()}
    anyio.run(simulated(seats, journal, resume=tuple(journal.entries)).run)
    assert "quiet" == verify_entries(journal.entries, "run").closed
    # As if it had been killed right after it went on.
    at = next(n for n, entry in enumerate(journal.entries) if "stopped" in repr(entry))
    assert verify_entries(journal.entries[: at + 2], "run").closed is None


def test_whatever_a_seat_emits_its_journal_is_sound(tmp_path: Path) -> None:
    """What JSON cannot hold, or gives back otherwise, is judged the same when it is read again."""
    emitted: list[tuple[Any, Any]] = [
        ("desk_post", MappingProxyType({"message": "@b é"})),
        ("desk_dm", {"to": ("b",), "message": "x"}),
        ("desk_read", {"limit": 10**5000}),
        ("desk_read", {"limit": -(10**5000)}),
        ("desk_post", {"message": "\ud83d\ude00"}),
        ("desk_post", {"message": "\ud83d"}),
        ("desk_post", {"message": "x", "more": float("nan")}),
        ("desk_post", {1: "x"}),
        ("desk_post", object()),
        (object(), {"message": "x"}),
        ("desk_\ud83d\ude00", {}),
        ("desk_post", {"message": "last"}),
    ]
    seats = {"a": ScriptedSeat(emitted), "b": ScriptedSeat()}
    path = tmp_path / "run.jsonl"
    with JournalFile.create(path) as journal:
        room = Room(
            seats,
            opening="go",
            clock=SimulatedClock(),
            journal=journal,
            policy=Policy(aside=AsidePolicy(enabled=True, max_members=1, max_messages=1)),
        )
        result = anyio.run(room.run)
    assert ["ok"] * 4 == result.turns[0].replies[:4]
    assert 2 == verify(path).rows


@pytest.mark.slow
def test_the_largest_message_and_the_deepest_arguments_can_be_read_again(tmp_path: Path) -> None:
    """A line has no length, and what nests too deep to be a tool's is not kept."""
    deep: Any = "x"
    for _ in range(50_000):
        deep = [deep]
    big = "@b " + "é" * 500_000
    path = tmp_path / "run.jsonl"
    seats = {"a": ScriptedSeat([("desk_post", {"message": deep}), post(big)]), "b": ScriptedSeat()}
    with JournalFile.create(path) as journal:
        room = Room(seats, opening="go", clock=SimulatedClock(), journal=journal)
        result = anyio.run(room.run)
    assert ["bad_arguments", "ok"] == result.turns[0].replies
    assert 2 == verify(path).rows


# What is wrong with one that is read


def test_a_journal_that_cannot_be_read_cannot_be_verified(sound: bytes, tmp_path: Path) -> None:
    """Reading says so with the line: torn, changed, empty or not there."""
    path = tmp_path / "run.jsonl"
    with pytest.raises(JournalError, match="No such file"):
        verify(path)
    path.write_bytes(b"")
    with pytest.raises(JournalError, match="the file is empty"):
        verify(path)
    path.write_bytes(sound[:-3])
    with pytest.raises(Torn, match=r"run.jsonl:32: the last line is cut short"):
        verify(path)
    path.write_bytes(sound.replace(b"psst", b"p5st", 1))
    with pytest.raises(JournalError, match=r"run.jsonl:5: line 5 is bad: the digest does not fit"):
        verify(path)


def test_entries_without_a_header_cannot_be_verified(sound: bytes, tmp_path: Path) -> None:
    """The header says by which policy all was decided."""
    path = tmp_path / "run.jsonl"
    path.write_bytes(sound)
    entries = [line.entry for line in read_journal(path)]
    for given_entries in ([], entries[1:]):
        with pytest.raises(UsageError, match="there is no header"):
            verify_entries(given_entries, path)
