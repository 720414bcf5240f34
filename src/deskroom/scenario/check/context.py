"""What the checks look at: the parts of a document, and who would speak under its policy."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

from attrs import frozen

from deskroom.core import Bookkeeping, Directory
from deskroom.engine.calls import Speaker
from deskroom.engine.policy import Policy
from deskroom.engine.setup import Seat
from deskroom.scenario.check.warning import Warnings
from deskroom.scenario.format.load import PartialScenario
from deskroom.scenario.format.model import DOES_KEYS, DeskSpec, Turn
from deskroom.scenario.format.position import KeyPath

__all__ = ["CheckContext", "expects_no_row", "path_of"]


@frozen(eq=False)
class CheckContext:
    """One document whose desk could be read, and where its warnings go."""

    partial: PartialScenario
    desk: DeskSpec
    warnings: Warnings

    @property
    def policy(self) -> Policy:
        """The policy of the file, with its defaults."""
        return self.partial.policy

    @cached_property
    def directory(self) -> Directory:
        """Everyone who can be addressed."""
        return Directory(self.desk.roster(), self.desk.desks())

    @cached_property
    def seats(self) -> Mapping[str, Seat]:
        """The seats by id."""
        return {seat.id: seat for seat in self.desk.seats}

    def speaker(self, seat: Seat) -> Speaker:
        """Return a seat as it speaks at hop 0, after no private row: the most that it may do."""
        return Speaker(
            seat.id, 0, seat.fence, self.directory, self.desk.id, self.policy, Bookkeeping()
        )

    def stated(self, turn: Turn) -> Mapping[str, Any]:
        """Return the keys that the file gives a turn."""
        table: Mapping[str, Any] = self.partial.document.data["turn"][turn.number - 1]
        return {**table, **table["one_of"][0]} if turn.one_of else table


def path_of(turn: Turn, *steps: str | int) -> KeyPath:
    """Return the path to a turn, or to something in it; of alternatives the first is looked at."""
    if turn.one_of and steps and steps[0] in DOES_KEYS:
        steps = ("one_of", 0, *steps)
    return ("turn", turn.number - 1, *steps)


def expects_no_row(turn: Turn) -> bool:
    """Whether the file says that nothing comes of this turn, and so that its author knows."""
    expect = turn.expect
    return expect is not None and (
        expect.row is False or expect.outcome not in {None, "spoke"} or expect.refusal is not None
    )
