"""Seats that play what a test gives them, and keep what the room showed them and replied."""

from __future__ import annotations

from collections.abc import Sequence

from attrs import field, frozen

from deskroom.core.transcript import SeenRow
from deskroom.engine.messages import Reply
from deskroom.room.seat import Turn
from deskroom.speech.tools import ToolSpec
from deskroom.testing.calls import CallPair

__all__ = ["Move", "RecordingSeat", "ScriptedSeat", "TakenTurn", "out_of_turn"]

#: What a seat does with one turn: make calls, only write text, or raise.
Move = Sequence[CallPair] | str | Exception


@frozen(kw_only=True)
class TakenTurn:
    """A turn as a seat was granted it, with the reply to each of its calls, in order.

    The history is read when the turn is granted, so that it can be compared by value.
    """

    number: int
    attempt: int
    hop: int
    trigger: SeenRow | None
    brief: str | None
    note: str | None
    history: tuple[SeenRow, ...] = field(repr=False)
    tools: tuple[ToolSpec, ...] = field(repr=False)
    replies: list[Reply] = field(factory=list, repr=False)

    @classmethod
    def of(cls, turn: Turn) -> TakenTurn:
        """Return what a turn's grant says."""
        return cls(
            number=turn.number,
            attempt=turn.attempt,
            hop=turn.hop,
            trigger=turn.trigger,
            brief=turn.brief,
            note=turn.note,
            history=tuple(turn.history),
            tools=turn.tools,
        )

    @property
    def words(self) -> list[str]:
        """The replies as expectations spell them: ``ok``, or the word of the refusal."""
        return [reply.rejection or "ok" for reply in self.replies]


class RecordingSeat:
    """A seat that makes the same calls in each of its turns.

    ``turns`` holds the turns that it was granted so far.
    """

    def __init__(self, *calls: CallPair) -> None:
        self.turns: list[TakenTurn] = []
        self._calls = calls

    async def __call__(self, turn: Turn) -> str:
        """Record the turn and play it."""
        taken = TakenTurn.of(turn)
        self.turns.append(taken)
        move = self.move()
        if isinstance(move, Exception):
            raise move
        if isinstance(move, str):
            return move
        for tool, arguments in move:
            # A host has to bear any tool at all, so a test may send any.
            taken.replies.append(await turn.call(tool, arguments))  # type: ignore[arg-type]
        return ""

    def move(self) -> Move:
        """Return what to do with the turn that was recorded last."""
        return self._calls


class ScriptedSeat(RecordingSeat):
    """A seat that plays one move a turn, and is silent once it has played its last.

    A move is a list of calls, or a text (said outside any call), or an exception to raise.
    """

    def __init__(self, *moves: Move) -> None:
        super().__init__()
        self._moves = moves

    def move(self) -> Move:
        """Return the next move."""
        played = len(self.turns) - 1
        return self._moves[played] if played < len(self._moves) else ()


def out_of_turn(turn: Turn, number: int) -> Turn:
    """Return a handle on another turn, as a seat would hold that goes by a wrong number.

    Its calls are judged as that turn's: ``turn_ended`` if the seat once had it, and
    ``not_your_turn`` if it never did.
    """
    if number == turn.number:
        return turn
    grant = turn._grant._replace(turn=number)  # noqa: SLF001 - see the docstring
    return Turn(turn._channel, grant)  # noqa: SLF001 - see the docstring
