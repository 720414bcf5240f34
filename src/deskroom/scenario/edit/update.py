"""Writing what came out back into a scenario's expectations, and leaving the rest as it is.

Only a block that differs is rewritten, and in it only the keys that differ: comments, order and
layout stay. What is wrong with a script cannot be updated away: a file in which the host granted a
seat that has no turn left is not touched, and a turn that was never played keeps what it expects.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from contextlib import suppress
from hashlib import sha256
from typing import Any

from attrs import frozen

from deskroom.errors import FileError
from deskroom.files import write_file
from deskroom.runs.run import RunItem
from deskroom.runs.values import TURN_VALUES
from deskroom.scenario.edit.pins import next_pin, turn_pins
from deskroom.scenario.format.load import parse_scenario
from deskroom.scenario.format.model import ROW_KEYS, OpeningExpect, RunExpect, Turn, TurnExpect
from deskroom.scenario.format.patch import Unplaced, edited
from deskroom.scenario.format.position import KeyPath
from deskroom.scenario.format.toml import parse_toml, read_toml
from deskroom.scenario.play.compare import Replay, compare, readers
from deskroom.scenario.play.expect import file_value, holds

__all__ = ["Change", "Update", "update_file", "update_text"]


#: What a block expects, by key, in the words of the file.
Block = dict[str, Any]


@frozen(kw_only=True)
class Change:
    """One key that was rewritten, put in or taken out.

    ``line`` and ``column`` are where it now stands, or where its table does. ``before`` and ``after`` are values of
    the file format, None where there is none. ``private_to`` is as for a ``Mismatch``.
    """

    path: str
    line: int
    column: int
    turn: str | None
    seat: str | None
    key: str
    before: Any
    after: Any
    private_to: tuple[str, ...] | None = None


@frozen(kw_only=True)
class Update:
    """What became of a scenario: its text, the changes in it, and its replay held against it.

    The mismatches of ``replay`` are those that could not be updated away.
    """

    text: str
    changes: tuple[Change, ...]
    replay: Replay


@frozen(kw_only=True)
class _Rewrite:
    """A block that is to say something else. ``path`` leads to its ``expect``."""

    path: KeyPath
    before: Block
    after: Block
    turn: str | None = None
    seat: str | None = None
    private_to: tuple[str, ...] | None = None


def update_file(replay: Replay, *, fail_on_unused: bool = False) -> Update:
    """Write what came out of a replayed file back into it, at once or not at all.

    Raises ``FileError`` when the file was changed since it was read, or cannot be written.
    """
    path = replay.scenario.path
    text = read_toml(path).text
    if sha256(text.encode()).hexdigest() != replay.scenario.digest:
        raise FileError(path, "the file was changed while it was played; it is left as it is")
    update = update_text(replay, text, fail_on_unused=fail_on_unused)
    if update.changes:
        write_file(path, update.text)
    return update


def update_text(replay: Replay, text: str, *, fail_on_unused: bool = False) -> Update:
    """Return a scenario's text with what came out, and that text held against it again."""
    rewrites = [] if _has_wrong_script(replay) else list(_rewrites(replay))
    if not rewrites:
        return Update(text=text, changes=(), replay=replay)
    path = replay.scenario.path
    updated = _rewritten(text, rewrites, path)
    scenario = parse_scenario(updated, path)
    return Update(
        text=updated,
        changes=tuple(_changes(rewrites, updated, path)),
        replay=compare(scenario, replay.run, fail_on_unused=fail_on_unused),
    )


def _has_wrong_script(replay: Replay) -> bool:
    """Whether the script and the host disagree about who is granted."""
    return any(mismatch.key == "order" for mismatch in replay.mismatches)


# --- what is to be written ---------------------------------------------------------------------


def _rewrites(replay: Replay) -> Iterator[_Rewrite]:
    """Yield each block that differs from what came out, with what it is to say."""
    scenario = replay.scenario
    opening = scenario.opening.expect if scenario.opening is not None else None
    if opening is not None:
        before = _stated(opening)
        after = before if "next" not in before else _with_next(before, replay.opening)
        if after != before:
            yield _Rewrite(path=("opening", "expect"), before=before, after=after, turn="opening")
    yield from _turn_rewrites(replay)
    if scenario.expect is not None:
        before = _stated(scenario.expect)
        came_out = replay.run.totals
        after = {key: came_out[key] for key in before}
        if after != before:
            yield _Rewrite(path=("expect",), before=before, after=after)


def _turn_rewrites(replay: Replay) -> Iterator[_Rewrite]:
    """The copies of a repeated turn share one block, so they must all have come out alike."""
    copies: dict[int, list[tuple[Turn, RunItem]]] = {}
    for turn, played in zip(replay.scenario.turns, replay.played, strict=True):
        if turn.expect is not None and played.was_played:
            copies.setdefault(turn.number, []).append((turn, played))
    for number, alike in copies.items():
        turn, played = alike[0]
        assert turn.expect is not None  # noqa: S101 - seen above
        before = _stated(turn.expect)
        after = _block(before, played)
        if after == before or any(_block(before, other) != after for _, other in alike[1:]):
            continue
        speaker = turn.seat or turn.person
        yield _Rewrite(
            path=("turn", number - 1, "expect"),
            before=before,
            after=after,
            turn=str(number),
            seat=speaker,
            private_to=readers(turn.expect, speaker, played),
        )


def _stated(expect: TurnExpect | OpeningExpect | RunExpect) -> Block:
    """Return what a block says, in the order of the file."""
    return {key: file_value(getattr(expect, key)) for key in expect.places}


def _with_next(before: Block, played: RunItem) -> Block:
    expected = before["next"]
    if holds("next", expected, played):
        return before
    return {**before, "next": next_pin(played)}


def _block(before: Block, played: RunItem) -> Block:
    """Return what a turn's block is to say: the same keys with what came out.

    A key that no longer applies is taken out, and what is worth expecting instead is put in.
    """
    if not before:
        return before
    after: Block = {}
    for key, expected in before.items():
        value = expected if holds(key, expected, played) else _came_out(key, played)
        if value is not None:
            after[key] = value
    gone = before.keys() - after.keys()
    if gone & {*ROW_KEYS, "row"} or not after:
        after |= {key: value for key, value in turn_pins(played).items() if key not in after}
    return after


def _came_out(key: str, played: RunItem) -> Any:  # noqa: ANN401 - a value of the file format
    if key == "row":  # there is one, which no file says
        return None
    return next_pin(played) if key == "next" else TURN_VALUES[key](played)


# --- writing it --------------------------------------------------------------------------------


def _rewritten(text: str, rewrites: list[_Rewrite], path: str) -> str:
    """Return the text with its blocks rewritten; nothing else in it may change."""
    intended = tomllib.loads(text)
    for rewrite in rewrites:
        _container(intended, rewrite.path[:-1])[rewrite.path[-1]] = rewrite.after
    edits = [(rewrite.path, rewrite.before, rewrite.after) for rewrite in rewrites]
    with suppress(Unplaced):
        updated = edited(text, edits)
        if _reads_as(updated, intended):
            return updated
    raise FileError(path, "the layout of this file cannot be updated; change it by hand")


def _reads_as(text: str, intended: Block) -> bool:
    try:
        return tomllib.loads(text) == intended
    except tomllib.TOMLDecodeError:
        return False


def _container(data: Any, path: KeyPath) -> Any:  # noqa: ANN401 - data of TOML
    for step in path:
        data = data[step]
    return data


def _changes(rewrites: list[_Rewrite], text: str, path: str) -> Iterator[Change]:
    document = parse_toml(text, path)
    for rewrite in rewrites:
        for key in {**rewrite.before, **rewrite.after}:
            before, after = rewrite.before.get(key), rewrite.after.get(key)
            if before != after:
                place = document.key_at((*rewrite.path, key))
                yield Change(
                    path=path,
                    line=place.line,
                    column=place.column,
                    turn=rewrite.turn,
                    seat=rewrite.seat,
                    key=key,
                    before=before,
                    after=after,
                    private_to=rewrite.private_to,
                )
