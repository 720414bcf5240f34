"""Where time is read: when the first, a late and the last turn of a conversation were spoken."""

from __future__ import annotations

from time import perf_counter

__all__ = ["LINE", "Marks"]

#: What every seat says in every system, with the other seat's name in front.
LINE = "your turn: I measured the depth again and it is 1.23n"


class Marks:
    """Counts turns and notes the time at the first, after nine tenths, and at the last one."""

    def __init__(self, turns: int) -> None:
        self.turns = turns
        self.spoken = 0
        self._late = max(1, turns - max(1, turns // 10))
        self._at: dict[int, float] = {}

    def turn(self) -> None:
        """Note one turn."""
        self.spoken += 1
        if self.spoken in (1, self._late, self.turns):
            self._at[self.spoken] = perf_counter()

    @property
    def a_turn_s(self) -> float:
        """Seconds a turn, over the whole conversation."""
        return (self._at[self.turns] - self._at[1]) / max(1, self.turns - 1)

    @property
    def a_late_turn_s(self) -> float:
        """Seconds a turn, over its last tenth: what a turn costs at that length."""
        return (self._at[self.turns] - self._at[self._late]) / max(1, self.turns - self._late)
