"""Going on with a journal of a scenario: is it this scenario's, and what is different if not."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from hashlib import sha256
from typing import Any

from attrs import asdict

from deskroom.errors import FileError
from deskroom.room.entries import CallEntry, Entry, HeaderEntry, RowEntry, TurnEntry
from deskroom.room.setup import Setup
from deskroom.scenario.model import Call, Scenario, Turn
from deskroom.speech.tools import POST, served

__all__ = ["check_resumable", "listed_calls", "script_digest"]

_SHOWN = 60


def script_digest(scenario: Scenario) -> str:
    """Return the digest of everything in a scenario that is played.

    What is expected, the title, comments and layout are not: mending them leaves a journal good.
    """
    played = {
        "order": scenario.order,
        "turns": [_played(turn) for turn in scenario.turns],
    }
    text = json.dumps(played, sort_keys=True, default=repr)
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def _played(turn: Turn) -> list[Any]:
    return [
        turn.seat or turn.person,
        [[call.tool, call.arguments] for call in listed_calls(turn)],
        [[call.tool, call.arguments] for call in turn.late],
        turn.say if turn.person else None,
        turn.text,
        turn.takes,
        turn.crash,
        turn.wrote,
        dict(turn.scores),
    ]


def listed_calls(turn: Turn) -> tuple[Call, ...]:
    """Return the calls that a seat's turn lists; ``say`` is short for one post."""
    if turn.seat is not None and turn.say is not None:
        return (Call(tool=served(POST), arguments={"message": turn.say}),)
    return turn.calls or ()


def check_resumable(scenario: Scenario, setup: Setup, entries: Sequence[Entry], path: str) -> None:
    """Raise ``FileError`` for a journal that another scenario wrote, naming the difference."""
    header = entries[0] if entries else None
    if not isinstance(header, HeaderEntry):
        return
    difference = next(_setup_differences(header.setup, setup), None)
    if difference is None and header.scenario != script_digest(scenario):
        difference = next(_script_differences(scenario, entries), None) or (
            "a turn that has not been played yet is another, or there are more or fewer"
        )
    if difference is not None:
        raise FileError(
            path, f"this journal was written by another scenario than {scenario.path}: {difference}"
        )


def _setup_differences(journaled: Setup, here: Setup) -> Iterator[str]:
    for name in ("desk_id", "desk_name", "seats", "people", "opening", "policy"):
        before, now = getattr(journaled, name), getattr(here, name)
        if before != now:
            yield from _deeper(name.replace("_", "."), _plain(before), _plain(now))


def _plain(value: Any) -> Any:  # noqa: ANN401 - attrs instances, tuples and plain values
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    return asdict(value) if hasattr(value, "__attrs_attrs__") else value


def _deeper(path: str, before: Any, now: Any) -> Iterator[str]:  # noqa: ANN401 - JSON-like values
    """Walk into two values and yield each leaf that differs."""
    if isinstance(before, dict) and isinstance(now, dict):
        for key in before:
            if before[key] != now.get(key):
                yield from _deeper(f"{path}.{key}", before[key], now.get(key))
    elif isinstance(before, list) and isinstance(now, list) and len(before) == len(now):
        for at, (one, other) in enumerate(zip(before, now, strict=True), start=1):
            if one != other:
                yield from _deeper(f"{path}[{at}]", one, other)
    else:
        yield f"{path} is {_short(before)} there and {_short(now)} here"


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"


def _script_differences(scenario: Scenario, entries: Sequence[Entry]) -> Iterator[str]:
    """Hold what was played against the script, turn by turn."""
    header = entries[0]
    if isinstance(header, HeaderEntry) and header.order != scenario.order:
        yield f"order is {header.order!r} there and {scenario.order!r} here"
    cue: int | None = None
    calls = 0
    for entry in entries:
        if isinstance(entry, TurnEntry):
            cue, calls = entry.cue, 0
            yield from _speaker_differs(scenario, cue, entry.seat)
        elif isinstance(entry, RowEntry) and entry.cue is not None:
            yield from _person_differs(scenario, entry)
        elif isinstance(entry, CallEntry) and entry.source == "call" and not entry.late:
            yield from _call_differs(scenario, cue, calls, entry)
            calls += 1


def _speaker_differs(scenario: Scenario, cue: int | None, speaker: str) -> Iterator[str]:
    if cue is None:
        return
    if cue >= len(scenario.turns):
        yield f"turn {cue + 1} was played there and is not listed here"
    elif (scenario.turns[cue].seat or scenario.turns[cue].person) != speaker:
        label = scenario.turns[cue].label
        yield f"turn {label} is {speaker}'s there and another's here"


def _person_differs(scenario: Scenario, entry: RowEntry) -> Iterator[str]:
    cue = entry.cue or 0
    found = list(_speaker_differs(scenario, cue, entry.row.author.id or ""))
    yield from found
    if not found and scenario.turns[cue].say != entry.row.content:
        yield f"turn {scenario.turns[cue].label} says something else here"


def _call_differs(
    scenario: Scenario, cue: int | None, number: int, entry: CallEntry
) -> Iterator[str]:
    if cue is None or cue >= len(scenario.turns):
        return
    turn = scenario.turns[cue]
    listed = listed_calls(turn)
    if number >= len(listed):
        yield f"turn {turn.label} made more calls there than here"
    elif listed[number].tool != entry.tool or _json(listed[number].arguments) != entry.arguments:
        yield f"call {number + 1} of turn {turn.label} is another here"


def _json(arguments: Any) -> Any:  # noqa: ANN401 - arguments of any shape
    try:
        return json.loads(json.dumps(arguments, allow_nan=False))
    except (TypeError, ValueError):
        return {"not_json": type(arguments).__name__}
