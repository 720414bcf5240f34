"""Seats played by clients of MCP: one server on loopback, with an address and a token for each seat."""

from __future__ import annotations

from deskroom.seats.mcp.server import McpSeat, McpServer

__all__ = ["McpSeat", "McpServer"]
