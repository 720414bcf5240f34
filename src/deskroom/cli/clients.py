"""How the clients of a desk's MCP seats learn where their seats are, from ``deskroom run``."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import click
from attrs import define, field

from deskroom.render.text import one_line
from deskroom.scenario.format.live import LiveSeat
from deskroom.seats.mcp import McpServer
from deskroom.seats.mcp.address import stdio_config
from deskroom.seats.mcp.files import ConfigFolder, own_program

__all__ = ["Clients"]


@define(eq=False)
class Clients:
    """The server of a desk, and the files that tell the clients of ``seats`` of it."""

    seats: tuple[str, ...]
    folder: ConfigFolder
    server: McpServer = field(init=False)

    @classmethod
    def of(
        cls,
        specs: Mapping[str, LiveSeat],
        *,
        folder: str | None = None,
        port: int = 0,
        takeover: bool = False,
    ) -> Clients:
        """Return them, for the seats that clients from elsewhere play."""
        seats = tuple(seat for seat, spec in specs.items() if spec.kind == "mcp")
        clients = cls(seats, ConfigFolder(None if folder is None else Path(folder)))
        clients.server = McpServer(port=port, takeover=takeover, on_open=clients.announce)
        return clients

    def announce(self, server: McpServer) -> None:
        """Write the configurations, and print where the seats are; tokens stand in the files alone."""
        for seat in self.seats:
            url = server.url_of(seat)
            path = self.folder.write(seat, server.config_of(seat))
            config = stdio_config(url, seat, server.token_of(seat), own_program())
            self.folder.write(f"{seat}.stdio", config)
            told = one_line(
                f"{seat}: waits for a client of MCP at {url}; its configuration: {path}"
            )
            click.echo(told, err=True)

    def remove(self) -> None:
        """Remove the configurations."""
        self.folder.remove()
