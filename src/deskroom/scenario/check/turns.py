"""Turns that cannot do what they seem to: refused calls, blank texts, keys without effect."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from deskroom.core.reasons import CallFault
from deskroom.core.text import is_blank
from deskroom.engine.calls import Refusal
from deskroom.engine.sentences import refusal_text
from deskroom.engine.setup import Seat
from deskroom.scenario.check.context import CheckContext, expects_no_row, path_of
from deskroom.scenario.check.forecast import TurnForecast
from deskroom.scenario.format.model import Turn
from deskroom.scenario.format.problems import quoted
from deskroom.speech import extract_post

__all__ = ["warn_of_turns"]

_LISTS: Final = ("late", "wrote", "scores")


def warn_of_turns(context: CheckContext, forecasts: Mapping[int, TurnForecast]) -> None:
    """Warn of what a seat's turn lists and what cannot work, whatever comes before it."""
    for forecast in forecasts.values():
        turn = forecast.turn
        seat = context.seats[turn.seat or ""]
        _warn_of_retired(seat, turn, context)
        _warn_of_calls(seat, forecast, context)
        _warn_of_fence(seat, turn, context)
        _warn_of_scores(forecast, context)
        _warn_of_lists(turn, context)


def _warn_of_retired(seat: Seat, turn: Turn, context: CheckContext) -> None:
    if seat.retired and context.partial.order == "listed":
        problem = (
            f"the seat {quoted(seat.id)} is retired: its turn is played as listed, but its row gives "
            "nobody a turn"
        )
        context.warnings.at_value(path_of(turn, "seat"), "retired_seat", problem)


# --- calls -------------------------------------------------------------------------------------


def _warn_of_calls(seat: Seat, forecast: TurnForecast, context: CheckContext) -> None:
    """Warn of each call that is refused whatever comes before, unless the file expects that."""
    turn = forecast.turn
    is_expected = expects_no_row(turn) or (
        turn.expect is not None and turn.expect.replies is not None
    )
    if is_expected or turn.takes >= context.policy.turn_timeout_s:
        return
    if seat.fence and (turn.say is not None or turn.calls):
        problem = "a fence seat has no tools, so each of its calls is refused (unknown_tool)"
        key = "calls" if turn.say is None else "say"
        context.warnings.at_key(path_of(turn, key), "refused_call", problem, CallFault.UNKNOWN_TOOL)
        return
    speaker = context.speaker(seat)
    for at, answer in enumerate(forecast.answers):
        if isinstance(answer.verdict, Refusal):
            reason, text = answer.verdict.reason, refusal_text(answer.verdict, speaker)
            problem = f"this call is refused ({reason}); the seat is told: {text}"
            path = _call_path(turn, at)
            context.warnings.at_value(path, "refused_call", problem, reason)


def _call_path(turn: Turn, at: int) -> tuple[str | int, ...]:
    if turn.calls:
        return path_of(turn, "calls", at)
    return path_of(turn, "text" if turn.say is None else "say")


def _warn_of_fence(seat: Seat, turn: Turn, context: CheckContext) -> None:
    if not seat.fence or turn.text is None or expects_no_row(turn):
        return
    if is_blank(extract_post(turn.text)):
        problem = "this text holds no message, so the turn is silent"
        context.warnings.at_value(path_of(turn, "text"), "blank_text", problem)


# --- keys without effect -----------------------------------------------------------------------


def _warn_of_scores(forecast: TurnForecast, context: CheckContext) -> None:
    turn = forecast.turn
    if not turn.scores:
        return
    if not forecast.may_broadcast:
        problem = "scores only count for a broadcast, and this turn makes none"
        context.warnings.at_key(path_of(turn, "scores"), "no_effect", problem)
    elif context.policy.broadcast.router != "scripted":
        problem = f'the "{context.policy.broadcast.router}" router reads no scores'
        context.warnings.at_key(path_of(turn, "scores"), "no_effect", problem)
    else:
        _warn_of_candidates(turn, context)


def _warn_of_candidates(turn: Turn, context: CheckContext) -> None:
    for id_ in turn.scores:
        seat = context.seats.get(id_)
        if id_ == turn.seat:
            problem = "a broadcast never goes to its author"
        elif seat is not None and seat.retired:
            problem = "a broadcast never goes to a retired seat"
        else:
            continue
        context.warnings.at_key(path_of(turn, "scores", id_), "no_effect", problem)


def _warn_of_lists(turn: Turn, context: CheckContext) -> None:
    stated = context.stated(turn)
    for key in _LISTS:
        if key in stated and not getattr(turn, key):
            context.warnings.at_key(
                path_of(turn, key), "no_effect", "this is empty and has no effect"
            )
