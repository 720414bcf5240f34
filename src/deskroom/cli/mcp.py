"""``deskroom mcp``: a seat of a room that runs, for a client that speaks MCP over stdio."""

from __future__ import annotations

import os

import anyio
import click

from deskroom.errors import UsageError

__all__ = ["mcp_command"]


@click.command("mcp")
@click.argument("seat")
@click.option(
    "--url",
    required=True,
    metavar="URL",
    help="The address of the seat, or of its room, as deskroom run prints it.",
)
def mcp_command(seat: str, url: str) -> None:
    """Speak MCP over stdin and stdout for SEAT, and forward to the room that runs at URL.

    The token of the seat is taken from the environment variable DESKROOM_TOKEN. A client starts this
    command itself; deskroom run writes a configuration for it.

    \b
    Exit codes: 0 the client has ended it, 2 no room answers, or the token does not open the seat.
    """  # noqa: D301 - click reads this mark
    try:
        from deskroom.seats.mcp.address import TOKEN_ENV, seat_url
        from deskroom.seats.mcp.bridge import bridge
    except ImportError:
        raise UsageError("this needs the extra mcp: pip install 'deskroom[mcp]'") from None
    token = os.environ.get(TOKEN_ENV, "").strip()
    if not token:
        raise UsageError(f"the token of the seat must be in the environment, as {TOKEN_ENV}")
    anyio.run(bridge, seat_url(url, seat), token)
