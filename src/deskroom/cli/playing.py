"""Playing one file for ``deskroom replay``: what it prints, and what is left to be summed up."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Literal

import click
from attrs import evolve, field, frozen

from deskroom.cli.output import console, print_error, shown_path
from deskroom.cli.shared import check_seat
from deskroom.core import OPERATOR, Viewer
from deskroom.engine.entries import Entry, Journal
from deskroom.errors import FileError
from deskroom.render.replay import mismatch_line, replay_json, replay_table
from deskroom.render.text import one_line
from deskroom.scenario import Replay, Scenario, load_scenario, play_scenario
from deskroom.scenario.entries import EntryList

if TYPE_CHECKING:
    from deskroom.scenario.diff import Comparison
    from deskroom.scenario.edit.update import Change
    from deskroom.scenario.play.whatif import Setting

__all__ = ["Options", "Report", "play", "wrong"]

Status = Literal["passed", "failed", "wrong"]


@frozen(kw_only=True)
class Options:
    """How to play and what to show."""

    backend: Literal["asyncio", "trio"] = "asyncio"
    viewer: Viewer = OPERATOR
    quiet: bool = False
    verbose: bool = False
    as_json: bool = False
    fail_on_unused: bool = False
    journal_path: str | None = None
    update: bool = False
    settings: tuple[Setting, ...] = ()
    diff: bool = False
    repeat: int = 1


@frozen(kw_only=True)
class Report:
    """What came of one file.

    ``lines`` say what was wrong with it, as they were printed; ``document`` is its part of the JSON.
    """

    path: str
    status: Status
    document: dict[str, Any] = field(repr=False)
    lines: tuple[str, ...] = ()
    rows: int = 0
    turns: int = 0
    changes: int = 0


async def play(path: str, options: Options) -> Report:
    """Play a file and print what there is to say about it. A file that is wrong is told on stderr."""
    try:
        scenario = load_scenario(path)
        check_seat(path, [seat.id for seat in scenario.desk.seats], options.viewer)
        if options.diff:
            return await _what_if(scenario, options)
        return await _replay(_changed(scenario, options), options)
    except FileError as error:
        return wrong(error)


def _changed(scenario: Scenario, options: Options) -> Scenario:
    """Return a scenario with the policy that is asked for."""
    if not options.settings:
        return scenario
    from deskroom.scenario.play.whatif import with_settings

    return with_settings(scenario, options.settings)


def wrong(error: FileError) -> Report:
    """Tell what is wrong with a file."""
    print_error(error)
    path = shown_path(error.path)
    problem = {"line": error.line, "column": error.column, "problem": error.problem}
    return Report(
        path=path,
        status="wrong",
        document={"path": path, "status": "error", "error": problem},
        lines=(one_line(str(error)),),
    )


# --- as it is ----------------------------------------------------------------------------------


async def _replay(scenario: Scenario, options: Options) -> Report:
    replay = await _played(scenario, options)
    replay, changes = _updated(replay, options)
    path, viewer = shown_path(scenario.path), options.viewer
    lines = tuple(mismatch_line(mismatch, viewer) for mismatch in replay.mismatches)
    document: dict[str, Any] = {}
    if options.as_json:
        document = {**replay_json(replay, path, viewer), **_updates(changes, path, options)}
    else:
        _show(replay, options)
        for line in (*_change_lines(changes, options), *lines):
            click.echo(line)
    return Report(
        path=path,
        status="passed" if replay.ok else "failed",
        document=document,
        lines=lines,
        rows=len(replay.result.rows),
        turns=replay.result.granted,
        changes=len(changes),
    )


def _updated(replay: Replay, options: Options) -> tuple[Replay, tuple[Change, ...]]:
    if not options.update or replay.ok:
        return replay, ()
    from deskroom.scenario.edit.update import update_file

    update = update_file(replay, fail_on_unused=options.fail_on_unused)
    return update.replay, update.changes


def _updates(changes: tuple[Change, ...], path: str, options: Options) -> dict[str, Any]:
    if not options.update:
        return {}
    from deskroom.render.update import change_json

    return {"updates": [change_json(change, path, options.viewer) for change in changes]}


def _change_lines(changes: tuple[Change, ...], options: Options) -> Iterator[str]:
    if changes:
        from deskroom.render.update import change_line

        yield from (change_line(change, options.viewer) for change in changes)


async def _played(scenario: Scenario, options: Options) -> Replay:
    """Play a scenario, as often as that is asked for; a play unlike the first is a mismatch."""
    first = EntryList()
    with contextlib.ExitStack() as stack:
        journals: list[Journal] = [first] if options.repeat > 1 else []
        if options.journal_path is not None:
            from deskroom.journal import JournalFile

            journals.append(stack.enter_context(JournalFile.create(options.journal_path)))
        journal = _Journals(journals) if journals else None
        replay = await _one_play(scenario, journal, options)
    if options.repeat == 1:
        return replay
    from deskroom.scenario.play.repeat import repeat_mismatch, written

    lines = written(first.entries)
    for number in range(2, options.repeat + 1):
        again = EntryList()
        await _one_play(scenario, again, options)
        mismatch = repeat_mismatch(scenario.path, number, lines, written(again.entries))
        if mismatch is not None:
            return evolve(replay, mismatches=(*replay.mismatches, mismatch))
    return replay


async def _one_play(scenario: Scenario, journal: Journal | None, options: Options) -> Replay:
    return await play_scenario(scenario, journal=journal, fail_on_unused=options.fail_on_unused)


@frozen
class _Journals:
    """Several journals as one."""

    journals: list[Journal]

    def write(self, entry: Entry) -> None:
        """Write an entry to each."""
        for journal in self.journals:
            journal.write(entry)


def _show(replay: Replay, options: Options) -> None:
    if options.quiet:
        return
    out = console()
    out.print(one_line(_title(replay.scenario)), style="bold", soft_wrap=True)
    out.print(replay_table(replay, viewer=options.viewer, verbose=options.verbose))
    closed = f"closed: {replay.result.closed}"
    if replay.unused:
        closed += f"; unused: turn {', '.join(turn.label for turn in replay.unused)}"
    out.print(f"{closed}\n", soft_wrap=True)


def _title(scenario: Scenario) -> str:
    return f"{scenario.path} · {scenario.title}" if scenario.title else scenario.path


# --- under another policy ----------------------------------------------------------------------


async def _what_if(scenario: Scenario, options: Options) -> Report:
    """Play a scenario as it is and under another policy, and tell what differs."""
    from deskroom.render.diff import diff_lines
    from deskroom.scenario.account import narrowed
    from deskroom.scenario.diff import compare_accounts
    from deskroom.scenario.sources import play_account

    changed = _changed(scenario, options)
    before = narrowed(await play_account(scenario), options.viewer)
    after = narrowed(await play_account(changed), options.viewer)
    comparison = compare_accounts(before, after)
    lines = tuple(diff_lines(comparison, all_=True))
    path = shown_path(scenario.path)
    document: dict[str, Any] = {}
    if options.as_json:
        document = _diff_document(scenario, comparison, path)
    else:
        for line in _diff_shown(scenario, comparison, lines, options):
            click.echo(line)
    return Report(
        path=path,
        status="passed" if comparison.same else "failed",
        document=document,
        lines=lines if not comparison.same else (),
        rows=sum(event.is_row for event in after.events),
        turns=after.granted,
    )


def _diff_document(scenario: Scenario, comparison: Comparison, path: str) -> dict[str, Any]:
    from deskroom.render.diff import diff_json

    return {
        "path": path,
        "title": scenario.title,
        "status": "passed" if comparison.same else "failed",
        "diff": diff_json(comparison, shown_path, all_=True),
    }


def _diff_shown(
    scenario: Scenario, comparison: Comparison, lines: tuple[str, ...], options: Options
) -> Iterator[str]:
    if not options.quiet:
        yield one_line(_title(scenario))
    if not options.quiet or not comparison.same:
        yield from lines
    if not options.quiet:
        yield ""
