"""Seats that live elsewhere: programs, models, clients of MCP, people and functions, as objects.

Each kind is an object that ``Room`` takes for a seat. What a kind needs beyond deskroom is an extra,
and is loaded when the kind is first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from deskroom._lazy import lazy

if TYPE_CHECKING:
    from deskroom.seats.chat import ChatError, ChatSeat, ChatUsage
    from deskroom.seats.command import CommandSeat
    from deskroom.seats.mcp import McpSeat, McpServer
    from deskroom.seats.person import PersonSeat, Terminal
    from deskroom.seats.process import ProgramError
    from deskroom.seats.python import load_function

_LAZY = {
    "ChatError": "deskroom.seats.chat",
    "ChatSeat": "deskroom.seats.chat",
    "ChatUsage": "deskroom.seats.chat",
    "CommandSeat": "deskroom.seats.command",
    "McpSeat": "deskroom.seats.mcp",
    "McpServer": "deskroom.seats.mcp",
    "PersonSeat": "deskroom.seats.person",
    "ProgramError": "deskroom.seats.process",
    "Terminal": "deskroom.seats.person",
    "load_function": "deskroom.seats.python",
}

__all__ = [
    "ChatError",
    "ChatSeat",
    "ChatUsage",
    "CommandSeat",
    "McpSeat",
    "McpServer",
    "PersonSeat",
    "ProgramError",
    "Terminal",
    "load_function",
]

__getattr__ = lazy(__name__, _LAZY)
