"""Writing what came out back into a scenario's expectations, and leaving the rest as it is.

Only a block that differs is rewritten, and in it only the keys that differ: comments, order and
layout stay. An empty block is filled, and blocks that are missing are put in where that is asked for. What is wrong with a script cannot be updated away: a file in which the host granted a
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
from deskroom.scenario.edit.pins import next_pin, run_pins, turn_pins
from deskroom.scenario.format.load import parse_scenario
from deskroom.scenario.format.model import ROW_KEYS, OpeningExpect, RunExpect, Turn, TurnExpect
from deskroom.scenario.format.patch import Edit, Unplaced, edited
from deskroom.scenario.format.position import KeyPath
from deskroom.scenario.format.toml import parse_toml, read_toml
from deskroom.scenario.play.compare import Replay, compare, readers
from deskroom.scenario.play.expect import file_value, holds

__all__ = ["Change", "Update", "is_outdated", "update_file", "update_text"]


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
    """A block that is to say something else. ``path`` leads to it; ``before`` is None for a new one."""

    path: KeyPath
    before: Block | None
    after: Block
    turn: str | None = None
    seat: str | None = None
    private_to: tuple[str, ...] | None = None


def is_outdated(replay: Replay) -> bool:
    """Whether an update would change the file of a replayed scenario."""
    return next(_rewrites(replay, update=True, pin=False), None) is not None


def update_file(
    replay: Replay, *, update: bool = True, pin: bool = False, fail_on_unused: bool = False
) -> Update:
    """Write what came out of a replayed file back into it, at once or not at all.

    With ``update``, what differs is rewritten; with ``pin``, each turn, the opening and the run get
    an expectation where they have none. Either fills empty ones. Raises ``FileError`` when the file
    was changed since it was read, or cannot be written.
    """
    path = replay.scenario.path
    text = read_toml(path).text
    if sha256(text.encode()).hexdigest() != replay.scenario.digest:
        raise FileError(path, "the file was changed while it was played; it is left as it is")
    updated = update_text(replay, text, update=update, pin=pin, fail_on_unused=fail_on_unused)
    if updated.changes:
        write_file(path, updated.text)
    return updated


def update_text(
    replay: Replay,
    text: str,
    *,
    update: bool = True,
    pin: bool = False,
    fail_on_unused: bool = False,
) -> Update:
    """Return a scenario's text with what came out, and that text held against it again."""
    rewrites = list(_rewrites(replay, update=update, pin=pin))
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


def _rewrites(replay: Replay, *, update: bool, pin: bool) -> Iterator[_Rewrite]:
    """Yield each block that is to say something else, with what that is."""
    if _has_wrong_script(replay):
        return
    scenario = replay.scenario
    if scenario.opening is not None:
        before = _stated(scenario.opening.expect)
        path: KeyPath = ("opening", "expect")
        if _is_filled(before, pin=pin):
            after = {"next": next_pin(replay.opening)}
            yield _Rewrite(path=path, before=before, after=after, turn="opening")
        elif before and update and (after := _with_next(before, replay.opening)) != before:
            yield _Rewrite(path=path, before=before, after=after, turn="opening")
    yield from _turn_rewrites(replay, update=update, pin=pin)
    before = _stated(scenario.expect)
    if _is_filled(before, pin=pin):
        after = run_pins(replay.run, scenario.order, scenario.policy)
        yield _Rewrite(path=("expect",), before=before, after=after)
    elif before and update:
        after = {key: replay.run.totals[key] for key in before}
        if after != before:
            yield _Rewrite(path=("expect",), before=before, after=after)


def _turn_rewrites(replay: Replay, *, update: bool, pin: bool) -> Iterator[_Rewrite]:
    """The copies of a repeated turn share one block, so they must all have come out alike."""
    copies: dict[int, list[tuple[Turn, RunItem]]] = {}
    for turn, item in zip(replay.scenario.turns, replay.played, strict=True):
        copies.setdefault(turn.number, []).append((turn, item))
    for number, alike in copies.items():
        turn = alike[0][0]
        before = _stated(turn.expect)
        items = [item for _, item in alike if item.was_played]
        after = before
        if _is_filled(before, pin=pin):
            after = _common_pins(items) if len(items) == len(alike) else before
        elif before and update and items:
            blocks = [_block(before, item) for item in items]
            after = blocks[0] if all(block == blocks[0] for block in blocks) else before
        if after and after != before:
            speaker = turn.seat or turn.person
            yield _Rewrite(
                path=("turn", number - 1, "expect"),
                before=before,
                after=after,
                turn=str(number),
                seat=speaker,
                private_to=readers(turn.expect or TurnExpect(), speaker, items[0]),
            )


def _is_filled(before: Block | None, *, pin: bool) -> bool:
    """Whether a block is written from nothing: it is empty, or missing and asked for."""
    return before == {} or (before is None and pin)


def _common_pins(items: list[RunItem]) -> Block:
    """Return what is worth expecting of every copy of a turn."""
    first, *others = [turn_pins(item) for item in items]
    return {key: first[key] for key in first if all(pins.get(key) == first[key] for pins in others)}


def _stated(expect: TurnExpect | OpeningExpect | RunExpect | None) -> Block | None:
    """Return what a block says, in the order of the file; None where there is none."""
    return (
        None if expect is None else {key: file_value(getattr(expect, key)) for key in expect.places}
    )


def _with_next(before: Block, played: RunItem) -> Block:
    expected = before["next"]  # the only key there is
    if holds("next", expected, played):
        return before
    return {**before, "next": next_pin(played)}


def _block(before: Block, played: RunItem) -> Block:
    """Return what a turn's block is to say: the same keys with what came out.

    A key that no longer applies is taken out, and what is worth expecting instead is put in.
    """
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
    edits = [_edit(rewrite, intended) for rewrite in rewrites]
    for rewrite in rewrites:
        _container(intended, rewrite.path[:-1])[rewrite.path[-1]] = rewrite.after
    with suppress(Unplaced):
        updated = edited(text, edits)
        if _reads_as(updated, intended):
            return updated
    raise FileError(path, "the layout of this file cannot be updated; change it by hand")


def _edit(rewrite: _Rewrite, data: Block) -> Edit:
    """Return the change of a block, or of the table that a new one is put into."""
    if rewrite.before is not None:
        return rewrite.path, rewrite.before, rewrite.after
    *above, key = rewrite.path
    around = dict(_container(data, tuple(above)))
    return tuple(above), around, {**around, str(key): rewrite.after}


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
        stated = rewrite.before or {}
        for key in {**stated, **rewrite.after}:
            before, after = stated.get(key), rewrite.after.get(key)
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
