"""``deskroom audit``: where a transcript leaves the rules, row by row."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

import click
from attrs import frozen

from deskroom.cli.output import EXIT_MISMATCH, print_error, print_json, print_warning, shown_path
from deskroom.cli.screen import screen
from deskroom.cli.shared import backend_option, check_seat, log_options, set_up
from deskroom.core import OPERATOR, Viewer
from deskroom.errors import FileError, UsageError
from deskroom.files import STDIN, can_read_again
from deskroom.journal import JournalError, Torn
from deskroom.printable import counted
from deskroom.render.audit import (
    audit_json,
    audit_lines,
    audit_row_json,
    change_lines,
    compare_lines,
)
from deskroom.render.replay import mismatch_json, mismatch_line
from deskroom.runs.audit import Audit, audit_run, changed_rows
from deskroom.runs.audit_claims import MARKS, Mark, parse_claim
from deskroom.runs.audit_desk import FITTED
from deskroom.runs.properties import Property
from deskroom.scenario.format.load import load_properties
from deskroom.scenario.format.problems import ScenarioError
from deskroom.scenario.play.compare import violation_mismatch
from deskroom.scenario.play.expect import Mismatch
from deskroom.scenario.play.whatif import Setting, changed_policy, parse_setting
from deskroom.scenario.sources import Source, read_source

if TYPE_CHECKING:
    from deskroom.imports.source import Source as Input
    from deskroom.runs.view import RunView

__all__ = ["audit_command"]

#: What can make the command end with 1.
_FAULTS: Final = ("divergence", "unexplained", "unanswered", "repeats", "claims")


@frozen(kw_only=True)
class _Asked:
    """What the command was asked for, but for the files."""

    viewer: Viewer
    settings: tuple[Setting, ...]
    handoffs: bool
    marks: tuple[Mark, ...]
    format_: str | None
    room: str | None
    backend: Literal["asyncio", "trio"]
    properties: tuple[Property, ...]


@frozen(kw_only=True)
class _Audited:
    """One file: its audit as it is, and under another policy where one is asked about.

    ``broken`` are the properties that it does not hold.
    """

    as_is: Audit
    changed: Audit | None
    is_damaged: bool
    broken: tuple[Mismatch, ...]

    @property
    def audit(self) -> Audit:
        return self.changed or self.as_is


@click.command("audit", short_help="Say where a transcript leaves the rules, row by row.")
@click.argument("path", metavar="TRANSCRIPT", required=False)
@click.option("--compare", nargs=2, metavar="A B", help="Put two runs side by side instead.")
@click.option(
    "--set",
    "settings",
    multiple=True,
    metavar="KEY=VALUE",
    help="Decide by another policy, such as policy.dispatch.max_hops=4; may be given several times.",
)
@click.option(
    "--handoffs", is_flag=True, help="Count hand-offs that the source recorded as mentions."
)
@click.option(
    "--claims",
    "claims",
    multiple=True,
    metavar="REGEX",
    help="Take what matches for a claim of completion, too; may be given several times.",
)
@click.option(
    "--from", "format_", metavar="FORMAT", help="The format of a file from elsewhere: see import."
)
@click.option("--room", metavar="NAME", help="Which room of a file from elsewhere.")
@click.option("--as", "seat", metavar="SEAT", help="Audit only what this seat may read.")
@click.option(
    "--properties",
    "property_path",
    metavar="FILE",
    help="Hold it against the properties of this scenario or desk file too.",
)
@click.option(
    "--fail-on",
    multiple=True,
    type=click.Choice(_FAULTS),
    help="Exit with 1 if there is any; may be given several times.",
)
@click.option("-q", "--quiet", is_flag=True, help="Leave out the table of rows.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document instead.")
@backend_option
@log_options
def audit_command(
    path: str | None,
    *,
    compare: tuple[str, str] | None,
    settings: tuple[str, ...],
    handoffs: bool,
    claims: tuple[str, ...],
    format_: str | None,
    room: str | None,
    seat: str | None,
    property_path: str | None,
    fail_on: tuple[str, ...],
    quiet: bool,
    as_json: bool,
    backend: Literal["asyncio", "trio"],
    log_format: str | None,
    log_level: str | None,
) -> int:
    """Hold each row of a transcript against who spoke next.

    TRANSCRIPT is a journal, a scenario (which is played), rows in the wire form, or a file of
    another framework. For each row it says whom the turn goes to by the rules, who spoke next, and
    whether that is the same: `follows`, `same seat goes on`, `person or chair next`, `nobody was
    named` or `unexplained`. Then: the first row that leaves the rules, rates, who was named and
    never answered, private words that a public row repeats, and claims of completion that do not
    count.

    A scenario's own properties are checked, and with --properties those of another file.

    The rows stay as they are. With --set each is decided anew by another policy, and what that
    changes is listed; to play a scenario under another policy, use `deskroom replay --set`.

    \b
    Exit codes: 0 audited, 1 a journal is damaged (what stands before is audited), a property does not
    hold, or there is something of --fail-on, 2 a file cannot be read or the command is wrong.
    """  # noqa: D301 - click reads this mark
    set_up(log_format, log_level, backend, default_level="error")
    asked = _Asked(
        viewer=OPERATOR if seat is None else Viewer("agent", seat),
        settings=tuple(parse_setting(text) for text in settings),
        handoffs=handoffs,
        marks=(*MARKS, *(parse_claim(pattern) for pattern in claims)),
        format_=format_,
        room=room,
        backend=backend,
        properties=() if property_path is None else load_properties(property_path),
    )
    if (path is None) == (compare is None):
        raise UsageError("expected one TRANSCRIPT, or two files with --compare A B")
    paths = compare if compare is not None else (path or "",)
    audited = [_audited(one, asked) for one in paths]
    if compare is not None:
        _print_compared(audited[0], audited[1], settings, as_json=as_json)
    else:
        _print(audited[0], asked, as_json=as_json, quiet=quiet)
    for one in audited:
        for mismatch in () if as_json else one.broken:
            click.echo(mismatch_line(mismatch, asked.viewer, screen()))
    fails = any(one.is_damaged or one.broken or _fails(one.audit, fail_on) for one in audited)
    return EXIT_MISMATCH if fails else 0


def _audited(path: str, asked: _Asked) -> _Audited:
    source = _read(path, asked)
    if source.damage is not None:
        if isinstance(source.damage, Torn):
            print_warning(source.damage.place, f"{source.damage.problem}; it is left out")
        else:
            print_error(source.damage)
    whole, options = source.whole, {"handoffs": asked.handoffs, "marks": asked.marks}
    as_is = audit_run(whole, asked.viewer, **options)  # type: ignore[arg-type]
    check_seat(path, as_is.seats, asked.viewer)
    changed = None
    if asked.settings:
        policy = changed_policy(whole.policy or FITTED, asked.settings)
        changed = audit_run(whole, asked.viewer, policy=policy, **options)  # type: ignore[arg-type]
    _warn_of_strangers(path, as_is, asked)
    own = () if source.replay is None else source.replay.scenario.properties
    broken = source.violations((*own, *asked.properties))
    return _Audited(
        as_is=as_is,
        changed=changed,
        is_damaged=source.damage is not None,
        broken=tuple(map(violation_mismatch, broken)),
    )


def _warn_of_strangers(path: str, audit: Audit, asked: _Asked) -> None:
    """Warn of properties of another file about seats that are not in the run."""
    for one in asked.properties:
        for seat in one.seats:
            if seat not in audit.seats:
                problem = f'property "{one.name}" asks about "{seat}", and {path} has no such seat'
                print_warning(f"{one.path}:{one.line}", problem)


def _read(path: str, asked: _Asked) -> Source:
    """Return the run in a file of ours, or else in one of another framework."""
    foreign = asked.format_ is not None or asked.room is not None or Path(path).is_dir()
    # What comes through stdin can be read once, and may have to be read again.
    held = _held() if path == STDIN else None
    ours: FileError | None = None
    if not foreign:
        try:
            return read_source(path, asked.backend, file=None if held is None else held.open())
        except JournalError:
            raise
        except FileError as error:
            # A scenario with a mistake in it is still a scenario.
            if path.endswith(".toml") or not (path == STDIN or can_read_again(path)):
                raise
            ours = error
    return Source(path=path, whole=_read_foreign(path, asked, held, ours))


def _held() -> Input:
    from deskroom.imports.containers import open_source

    return open_source(STDIN)


def _read_foreign(path: str, asked: _Asked, held: Input | None, ours: FileError | None) -> RunView:
    """Read a file of another framework, and say what no row of it can say."""
    from deskroom.imports.direct import read_foreign

    try:
        view = read_foreign(path, format_=asked.format_, room=asked.room, source=held)
    except FileError as error:
        if error.kind == "unknown_format" and isinstance(ours, ScenarioError):
            raise ours from None
        raise
    for left in view.header.left if view.header is not None else ():
        where = f", the first at {left.first}" if left.first else ""
        print_warning(path, f"left out: {left.kind}, {counted(left.count, 'time')}{where}")
    return view


def _fails(audit: Audit, fail_on: tuple[str, ...]) -> bool:
    found = {
        "divergence": audit.first is not None,
        "unexplained": audit.counts["unexplained"] > 0,
        "unanswered": bool(audit.unanswered),
        "repeats": bool(audit.repeats),
        "claims": bool(audit.claims),
    }
    return any(found[fault] for fault in fail_on)


def _print(found: _Audited, asked: _Asked, *, as_json: bool, quiet: bool) -> None:
    changes = () if found.changed is None else changed_rows(found.as_is, found.changed)
    if as_json:
        document = {"format": 1, **audit_json(found.audit, shown_path)}
        document["properties"] = [
            mismatch_json(one, shown_path(one.path), asked.viewer) for one in found.broken
        ]
        if found.changed is not None:
            document["set"] = [setting.text for setting in asked.settings]
            document["before"] = audit_json(found.as_is, shown_path, table=False)
            document["changed"] = [
                {"before": audit_row_json(before), "after": audit_row_json(after)}
                for before, after in changes
            ]
        print_json(document)
        return
    lines = list(audit_lines(found.audit, screen(), table=not quiet))
    if found.changed is not None:
        names = ("as it is", "under it")
        lines += ["", *compare_lines(found.as_is, found.changed, screen(), names=names)]
        lines += ["", *change_lines(changes)]
    for line in lines:
        click.echo(line)


def _print_compared(a: _Audited, b: _Audited, settings: tuple[str, ...], *, as_json: bool) -> None:
    if as_json:
        document = {"format": 1, "set": list(settings)}
        document["a"] = audit_json(a.audit, shown_path)
        document["b"] = audit_json(b.audit, shown_path)
        print_json(document)
        return
    for line in compare_lines(a.audit, b.audit, screen()):
        click.echo(line)
