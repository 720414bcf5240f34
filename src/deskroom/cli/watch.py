"""``deskroom watch``: the page of a journal, served on loopback while the journal grows."""

from __future__ import annotations

import os
import sys
import webbrowser
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from threading import Thread
from typing import Final

import click

from deskroom.cli.output import shown_path
from deskroom.cli.shared import log_options, set_up
from deskroom.core import OPERATOR, Viewer
from deskroom.errors import FileError, UsageError
from deskroom.files import can_read_again, open_file
from deskroom.serve import Follower, PageServer

__all__ = ["served", "watch_command"]

#: A journal that is being read when all is over is not waited for longer.
_PATIENCE_S: Final = 2.0


@click.command("watch")
@click.argument("path", metavar="JOURNAL")
@click.option("--as", "seat", metavar="SEAT", help="Serve only what this seat may read.")
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=0,
    help="The port to listen on.  [default: any that is free]",
)
@click.option("--open", "opens", is_flag=True, help="Open the page in a browser.")
@log_options
def watch_command(
    path: str,
    *,
    seat: str | None,
    port: int,
    opens: bool,
    log_format: str | None,
    log_level: str | None,
) -> int:
    """Serve the page of a journal, and keep it up to date while the journal grows.

    The page is that of `report`, with the same "Read as"; with --as it is served nothing but what
    that seat may read. It is served on 127.0.0.1 to whoever knows its URL, which is printed and has
    a random token in it. A room that closes may be resumed, so it is followed until an interrupt.

    JOURNAL must be there; it may be empty still, and then its first line is waited for. A line that
    is wrong is shown on the page as `verify` says it, and what stands before it is shown.

    \b
    Exit codes: 130 interrupted, which is how it ends, 2 the file is no journal or the port is taken.
    """  # noqa: D301 - click reads this mark
    set_up(log_format, log_level, default_level="error")
    _check_file(path)
    viewer = OPERATOR if seat is None else Viewer("agent", seat)
    with Follower(path, shown_path(path), viewer) as follower:
        follower.look()
        if follower.problem is not None and not follower.has_run:
            raise follower.problem
        with served(follower, port=port, opens=opens) as following:
            following.start()
            following.join()
    # It ends before an interrupt only if it failed, and then it has said how.
    raise UsageError("the journal is not followed any more")


def _check_file(path: str) -> None:
    """Raise ``FileError`` for what cannot be followed."""
    if not can_read_again(path):
        raise FileError(path, "only a file can be followed: what comes through a pipe is read once")
    with open_file(path, "journal"):
        pass


@contextmanager
def served(
    follower: Follower, *, port: int = 0, opens: bool = False, err: bool = False
) -> Iterator[Thread]:
    """Serve the page of a journal meanwhile. Prints the URL, to stderr with ``err``.

    Gives the thread that follows the journal, to be started. Raises ``UsageError`` where the port
    cannot be listened on.
    """
    with PageServer(follower, port) as server:
        click.echo(server.url, err=err)
        # Whoever reads the URL through a pipe waits for it.
        if sys.stdout is not None:
            sys.stdout.flush()
        if opens:
            _open(server.url)
        following = Thread(target=follower.follow, daemon=True)
        yield following
    if following.ident is not None:
        following.join(_PATIENCE_S)


def _open(url: str) -> None:
    """Open the page in a browser, where there is one that has a window of its own."""
    has_screen = sys.platform == "darwin" or any(
        os.environ.get(name) for name in ("BROWSER", "DISPLAY", "WAYLAND_DISPLAY")
    )
    if has_screen:
        # One that stays in the foreground must not be waited for.
        Thread(target=_open_quietly, args=(url,), daemon=True).start()


def _open_quietly(url: str) -> None:
    with suppress(Exception):
        webbrowser.open(url)
