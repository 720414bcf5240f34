"""A program that takes its seat's turns as a client of MCP: what it is told, and where."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from attrs import frozen

from deskroom.room import Turn
from deskroom.room.attendance import Attendance
from deskroom.seats.guide import guide, turn_text
from deskroom.seats.mcp.server import McpSeat

__all__ = ["ProgramSeat"]

_HOW = """\
Speak by calling the tools of the MCP server desk. Your turn ends when you end. What you write is kept
as your own notes and reaches nobody."""


@frozen(kw_only=True)
class ProgramSeat:
    """The seat of a program, once its room runs; ``config`` is the file that tells of it."""

    seat: McpSeat
    attendance: Attendance
    config: Path

    def command(self, command: Sequence[str]) -> tuple[str, ...]:
        """Return a command with the places filled in that hold no secret."""
        return tuple(self._filled(word) for word in command)

    def env(self, env: Mapping[str, str]) -> dict[str, str]:
        """Return an environment with its places filled in, the token's as well."""
        return {
            name: self._filled(value).replace("{token}", self.seat.token)
            for name, value in env.items()
        }

    def _filled(self, text: str) -> str:
        return text.replace("{mcp_config}", str(self.config)).replace("{mcp_url}", self.seat.url)

    def prompt(self, turn: Turn) -> bytes:
        """Return what the program reads from stdin."""
        parts = (guide(self.attendance), turn_text(turn), _HOW)
        return "\n\n".join(parts).encode("utf-8", "replace")
