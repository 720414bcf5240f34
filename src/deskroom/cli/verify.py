"""``deskroom verify``: journals, each line checked against the rules."""

from __future__ import annotations

from typing import IO

import click

from deskroom.cli.output import (
    EXIT_MISMATCH,
    EXIT_WRONG,
    print_error,
    print_json,
    shown_path,
)
from deskroom.cli.progress import reading
from deskroom.journal import JournalError, Verified, verify
from deskroom.printable import counted
from deskroom.render.text import one_line

__all__ = ["verify_command"]


@click.command("verify", short_help="Check every line of journals against the rules.")
@click.argument("paths", nargs=-1, required=True, metavar="JOURNAL...")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document instead.")
def verify_command(paths: tuple[str, ...], *, as_json: bool) -> int:
    """Check that journals are whole and that each decision in them is what would be decided today.

    Every line must decode, be chained to the line before it, have the next sequence, and say what
    the rules say. The first line that does not is named, with what is wrong. JOURNAL may be `-`,
    which reads from stdin.

    \b
    Exit codes: 0 all is well, 1 a line is wrong, 2 a file cannot be read (2 outranks 1).
    """  # noqa: D301 - click reads this mark
    names = list(dict.fromkeys(paths))
    with reading(names, "verifying") as opened:
        found = [_verified(path, opened(path)) for path in names]
    if as_json:
        documents = [_verified_json(*one) for one in found]
        print_json(documents[0] if len(documents) == 1 else {"format": 1, "journals": documents})
    else:
        for path, verified in found:
            if isinstance(verified, JournalError):
                print_error(verified)
            else:
                click.echo(_verified_line(path, verified))
    return max(_verified_code(verified) for _, verified in found)


Outcome = Verified | JournalError


def _verified(path: str, file: IO[bytes] | None) -> tuple[str, Outcome]:
    try:
        return path, verify(path, file=file)
    except JournalError as error:
        return path, error


def _verified_line(path: str, found: Verified) -> str:
    end = f"closed: {found.closed}" if found.closed else "not closed: it can be resumed"
    lines, rows = counted(found.lines, "line"), counted(found.rows, "row")
    return one_line(f"{path}: {lines}, {rows}, {counted(found.turns, 'turn')}; {end}")


def _verified_json(path: str, found: Outcome) -> dict[str, object]:
    if isinstance(found, JournalError):
        return {
            "path": shown_path(path),
            "ok": False,
            "line": found.line,
            "problem": found.problem,
        }
    counts = {"lines": found.lines, "rows": found.rows, "turns": found.turns}
    return {"path": shown_path(path), "ok": True, **counts, "closed": found.closed}


def _verified_code(found: Outcome) -> int:
    if isinstance(found, Verified):
        return 0
    return EXIT_WRONG if found.line is None else EXIT_MISMATCH
