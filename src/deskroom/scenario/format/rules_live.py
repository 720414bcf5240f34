"""What the ``[live]`` table must be beyond its shape."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from deskroom.core.text import is_blank
from deskroom.scenario.format.live import KEYS_OF_KIND, NEEDED_KEYS, Live, LiveSeat
from deskroom.scenario.format.problems import Findings, quoted
from deskroom.scenario.format.rules import Names

__all__ = ["TOKEN_MARK", "check_live_people", "check_live_seat"]

#: What stands for the seat's token in the environment of a program.
TOKEN_MARK: Final = "{token}"  # noqa: S105 - only the name of its place


def check_live_seat(
    findings: Findings, id_: str, seat: LiveSeat, stated: Collection[str], names: Names
) -> None:
    """Check who plays one seat: that it is one, and that the keys go with the kind."""
    path = ("live", id_)
    names.want_seat_key(findings, path, id_)
    if id_ in names.seats and names.seats[id_].retired:
        problem = f"the seat {quoted(id_)} is retired and plays no turn"
        findings.at_key(path, "retired_seat", problem)
    takes = KEYS_OF_KIND[seat.kind]
    for key in stated:
        # An unknown key has been reported already.
        if key != "kind" and key not in takes and hasattr(seat, key):
            expected = f"expected {', '.join(takes)}" if takes else "which takes no other key"
            problem = f"not a key of the kind {quoted(seat.kind)}, {expected}"
            findings.at_key((*path, key), "conflicting_keys", problem)
    for key in NEEDED_KEYS.get(seat.kind, ()):
        if key not in stated:
            problem = f"missing, needed for the kind {quoted(seat.kind)}"
            findings.at_value((*path, key), "missing_key", problem)
    _check_command(findings, id_, seat, stated)


def _check_command(findings: Findings, id_: str, seat: LiveSeat, stated: Collection[str]) -> None:
    path = ("live", id_, "command")
    if "command" in stated and (not seat.command or is_blank(seat.command[0])):
        problem = "found no program, expected a list of the program and its arguments"
        findings.at_value(path, "empty_list", problem)
    for at, argument in enumerate(seat.command):
        if TOKEN_MARK in argument:
            problem = (
                f"{TOKEN_MARK} must stand in env: process lists show the arguments of a program"
            )
            findings.at_value((*path, at), "conflicting_keys", problem)
    if seat.keep and seat.mcp:
        problem = "a program that speaks MCP is started for each turn; leave out keep or mcp"
        findings.at_key(("live", id_, "keep"), "conflicting_keys", problem)
    if seat.function is not None and ":" not in seat.function:
        problem = f"found {quoted(seat.function)}, expected package.module:function"
        findings.at_value(("live", id_, "function"), "unknown_value", problem)


def check_live_people(findings: Findings, live: Live, names: Names) -> None:
    """Check that those who attend are people of the desk, each once."""
    for at, id_ in enumerate(live.people):
        path = ("live", "people", at)
        names.want_person(findings, path, id_)
        if id_ in live.people[:at]:
            findings.at_value(path, "named_twice", f"the person {quoted(id_)} is named twice")
