"""``deskroom new``: a commented scenario to start from."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Final, Literal

import click

from deskroom.errors import FileError
from deskroom.files import write_file
from deskroom.render.text import one_line
from deskroom.speech.tools import COMPLETE_EPISODE, DM, POST, served, tool_specs

__all__ = ["new_command"]

_POST: Final = served(POST)
_DM: Final = served(DM)
_COMPLETE: Final = served(COMPLETE_EPISODE)
_NAMES: Final = ", ".join(served(spec.name) for spec in tool_specs())
_HEAD: Final = '''\
# A scenario: a desk, what its seats say, and what must come out.
#
#   deskroom check {name}     what is wrong or suspicious in it, without playing it
#   deskroom replay {name}    play it, and compare what comes out
#   deskroom replay --pin {name}    write what came out where nothing is expected
#   deskroom explain "@checker, go on" --from solver --desk {name}
#
# An editor with TOML support completes and checks it once the schema lies beside it
# (deskroom schema > scenario.schema.json) and the first line of this file is:
#   #:schema ./scenario.schema.json

format = 1
title = "The checker signs off what the solver found"
why = """
What this file is for, and where its facts are from.
"""
'''

_DESK: Final = """\

# Who is there. Messages name a seat by its id, or by its name, whatever the case of the letters.
[desk]
id = "sums"
name = "Sums"
people = [{ id = "sam", label = "Sam" }]
seats = [
    { id = "lead", name = "LEAD", role = "shares out the work" },
    { id = "solver", role = "computes" },
    { id = "checker", role = "recomputes", brief = "Trust no number that you have not computed." },
]

"""

_ASIDE: Final = """\
# What the room allows. Without this table nobody may speak in private.
[policy.aside]
enabled = true
max_members = 1     # seats that one message may be addressed to
max_messages = 6    # private messages in a row
must_surface = true # tell the desk before a new aside with the same seat

"""

_LISTED: Final = f"""\
{_HEAD}
# "listed": the list below says whose turn it is, and what the host would decide is compared.
# "routed": the host alone decides, by its rules.
order = "listed"
{_DESK}{_ASIDE}\
# One [[turn]] for each turn. `say` is short for one {_POST}.
[[turn]]
seat = "solver"
say = "the sum is 20302. @checker, recompute it your own way"
# What must come out; what is left out is not compared. `deskroom replay --update` fills in an
# empty `expect = {{}}`, and `--pin` every turn without any; read what it wrote before you keep it.
expect = {{ audience = "desk", next = "checker" }}

# `calls` lists tools by name; the last accepted one stands. They are:
# {_NAMES}
[[turn]]
seat = "checker"
calls = [{{ tool = "{_DM}", to = ["solver"], message = "I get 20303; did you count the zero?" }}]
expect = {{ audience = ["solver"], next = "solver", replies = ["ok"] }}

# A turn that holds text and no call says nothing: text outside a call reaches nobody.
[[turn]]
seat = "solver"
text = "I had better count again."
expect = {{ row = false, outcome = "silent" }}

# A name inside code wakes nobody, and then `next` says why.
[[turn]]
seat = "solver"
say = "I did not count it; the log says `@checker was right`"
expect = {{ mentions = [], next = {{ none = "no_direct_agent_mention" }} }}

# A completion closes the desk.
[[turn]]
seat = "checker"
calls = [{{ tool = "{_COMPLETE}", message = "20303, recomputed from scratch" }}]
expect = {{ completes = true, replies = ["ok"] }}

# What must come out of the whole run.
[expect]
rows = 4
turns = 5
asides = 1
closed = "completed"
"""

_ROUTED: Final = f"""\
{_HEAD}
# "routed": the host alone decides whose turn it is, by its rules.
# "listed": the list below says it, and what the host would decide is compared.
order = "routed"
{_DESK}{_ASIDE}\
# When nobody is next, the chair names a seat, in the name of the first person.
[policy.chair]
rounds = 1

# A routed scenario begins with a person's words.
[opening]
by = "sam"
message = "@solver, what is the sum?"
expect = {{ next = "solver" }}

# A seat plays its next [[turn]] whenever it is granted one. `say` is short for one {_POST}.
[[turn]]
seat = "solver"
say = "the sum is 20302. @checker, recompute it your own way"
# What must come out; what is left out is not compared. `deskroom replay --update` fills in an
# empty `expect = {{}}`, and `--pin` every turn without any; read what it wrote before you keep it.
expect = {{ audience = "desk", next = "checker" }}

# `calls` lists tools by name; the last accepted one stands. They are:
# {_NAMES}
[[turn]]
seat = "checker"
calls = [{{ tool = "{_DM}", to = ["solver"], message = "I get 20303; did you count the zero?" }}]
expect = {{ audience = ["solver"], next = "solver", replies = ["ok"] }}

# This names nobody, so nobody is next. The chair turns to the one seat that has not been heard.
[[turn]]
seat = "solver"
say = "I did not count it: 20303."
expect = {{ next = {{ none = "no_direct_agent_mention" }} }}

# A completion closes the desk.
[[turn]]
seat = "lead"
calls = [{{ tool = "{_COMPLETE}", message = "The sum is 20303." }}]
expect = {{ completes = true, replies = ["ok"] }}

# What must come out of the whole run.
[expect]
rows = 6
turns = 4
nudges = 1
asides = 1
closed = "completed"
"""


@click.command("new")
@click.argument("path", metavar="[PATH]", required=False)
@click.option(
    "--order",
    type=click.Choice(("listed", "routed")),
    default="listed",
    show_default=True,
    help="Whether the list says whose turn it is, or the host alone.",
)
@click.option("--force", is_flag=True, help="Overwrite a file that exists.")
def new_command(path: str | None, *, order: Literal["listed", "routed"], force: bool) -> None:
    """Write a commented scenario that passes as it is, and names the keys that most files need.

    Without PATH, or with `-`, it goes to stdout. A file that exists is left alone.
    """
    text = {"listed": _LISTED, "routed": _ROUTED}[order]
    if path is None or path == "-":
        click.echo(text.replace("{name}", "FILE"), nl=False)
        return
    _write(path, text.replace("{name}", _word(path)), force=force)
    click.echo(one_line(f"wrote {path}; play it with: deskroom replay {_argument(path)}"))


def _argument(path: str) -> str:
    """Return the path as a shell takes it."""
    return shlex.quote(f"./{path}" if path.startswith("-") else path)


def _word(path: str) -> str:
    """Return the file's name as it can stand in a comment."""
    name = Path(path).name
    plain = name.isascii() and all(c.isalnum() or c in "._-" for c in name)
    return name if plain and not name.startswith("-") else "FILE"


def _write(path: str, text: str, *, force: bool) -> None:
    try:
        write_file(path, text, may_replace=force)
    except FileError as error:
        raise FileError(path, _WRITE.get(error.kind, error.problem), kind=error.kind) from None


_WRITE: Final[Mapping[str | None, str]] = {
    "exists": "the file exists already; --force overwrites it",
    "no_folder": "the parent folder does not exist",
}
