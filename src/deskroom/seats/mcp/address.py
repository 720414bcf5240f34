"""The address of a seat, and how a client is told of it. No I/O."""

from __future__ import annotations

from typing import Any, Final
from urllib.parse import quote, urlsplit

from deskroom.errors import UsageError

__all__ = ["TOKEN_ENV", "http_config", "seat_path", "seat_url", "stdio_config"]

Json = dict[str, Any]

#: The environment variable in which a program finds the token of its seat.
TOKEN_ENV: Final = "DESKROOM_TOKEN"  # noqa: S105 - only its name
#: What the server is called in the configuration of a client.
_NAME: Final = "desk"
_LOOPBACK: Final = ("127.0.0.1", "localhost", "::1")


def seat_path(seat: str) -> str:
    """Return the path of a seat's address, as it stands in a URL."""
    return f"/seats/{quote(seat, safe='')}"


def seat_url(url: str, seat: str) -> str:
    """Return a seat's address, from the address of its room or from its own.

    Raises ``UsageError`` for what is neither, and for what is not on loopback: a token is not sent
    anywhere else.
    """
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname, parts.port
    except ValueError:
        raise UsageError(f"{url!r} is not a URL") from None
    if parts.scheme != "http" or host not in _LOOPBACK:
        raise UsageError(f"{url!r} is no room on this machine; write http://127.0.0.1:PORT")
    path = seat_path(seat)
    if parts.path not in {"", "/", path} or parts.query or parts.fragment:
        raise UsageError(f"{url!r} is not the address of the seat {seat!r}, which ends in {path}")
    return f"http://{parts.netloc.rpartition('@')[2]}{path}"


def http_config(url: str, token: str) -> Json:
    """Return the configuration of a client that speaks HTTP, in the form that most clients take."""
    headers = {"Authorization": f"Bearer {token}"}
    return {"mcpServers": {_NAME: {"type": "http", "url": url, "headers": headers}}}


def stdio_config(url: str, seat: str, token: str, program: str) -> Json:
    """Return the configuration of a client that starts its servers, and speaks to them by stdio."""
    server = {
        "type": "stdio",
        "command": program,
        "args": ["mcp", "--url", url, "--", seat]
        if seat.startswith("-")
        else ["mcp", seat, "--url", url],
        "env": {TOKEN_ENV: token},
    }
    return {"mcpServers": {_NAME: server}}
