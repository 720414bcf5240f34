"""What the host will answer to the calls of a turn, as far as the file alone decides.

A call is judged by the engine's own rules. What they take from the transcript (how long an aside
has run, and whether it has been reported to the desk) is not known here, so the answer to a private
message is certain only where it is refused whatever went before.
"""

from __future__ import annotations

from collections.abc import Iterator

from attrs import frozen

from deskroom.core import agent, resolve
from deskroom.core.dispatch import first_pinged_agent
from deskroom.core.reasons import CallFault
from deskroom.core.text import is_blank
from deskroom.engine.calls import Accepted, Refusal, judge, judge_post
from deskroom.scenario.check.context import CheckContext
from deskroom.scenario.format.model import Turn
from deskroom.scenario.play.resume import listed_calls
from deskroom.speech import Broadcast, Dm, Read, extract_post
from deskroom.speech.commit import is_private

__all__ = ["CallForecast", "TurnForecast", "forecast_turns"]


@frozen
class CallForecast:
    """The answer to one call; unless it is ``certain``, the call may also be refused."""

    verdict: Accepted | Read | Refusal
    certain: bool = True


@frozen(eq=False)
class TurnForecast:
    """One seat's turn: the answers to its calls, and what may follow from them.

    ``seats`` are all that it may give the next turn; ``may_broadcast`` and ``may_be_silent`` are
    what cannot be ruled out, ``completes`` what is certain once the turn is played.
    """

    turn: Turn
    answers: tuple[CallForecast, ...]
    seats: frozenset[str]
    may_broadcast: bool
    may_be_silent: bool
    completes: bool


def forecast_turns(context: CheckContext) -> dict[int, TurnForecast]:
    """Return what each seat's turn may come to, by the turn's number."""
    return {
        turn.number: _forecast_turn(turn, context)
        for turn in context.partial.turns
        if turn.seat in context.seats
    }


def _forecast_turn(turn: Turn, context: CheckContext) -> TurnForecast:
    answers = _answers(turn, context)
    messages = list(_possible_messages(turn, answers, context))
    return TurnForecast(
        turn,
        answers,
        seats=frozenset(id_ for one in messages for id_ in _named(one, turn, context)),
        may_broadcast=any(isinstance(one.utterance, Broadcast) for one in messages),
        may_be_silent=all(isinstance(one.verdict, Read) for one in answers),
        completes=_completes(turn, answers, context),
    )


def _answers(turn: Turn, context: CheckContext) -> tuple[CallForecast, ...]:
    """Return the answer to each call, and to the message in a fence seat's text."""
    speaker = context.speaker(context.seats[turn.seat or ""])
    answers = [
        CallForecast(Refusal(CallFault.TOO_MANY_CALLS))
        if number >= context.policy.max_calls
        else _call_forecast(judge(call.tool, call.arguments, speaker), context)
        for number, call in enumerate(listed_calls(turn))
    ]
    post = extract_post(turn.text or "") if speaker.fence else ""
    if not is_blank(post):
        answers.append(_call_forecast(judge_post({"message": post}, speaker), context))
    return tuple(answers)


def _call_forecast(verdict: Accepted | Read | Refusal, context: CheckContext) -> CallForecast:
    may_be_declined = (
        isinstance(verdict, Accepted)
        and is_private(verdict.utterance)
        and context.policy.on_refused_aside == "refuse"
    )
    return CallForecast(verdict, certain=not may_be_declined)


def _has_no_row(turn: Turn, context: CheckContext) -> bool:
    return turn.crash is not None or turn.takes >= context.policy.turn_timeout_s


def _possible_messages(
    turn: Turn, answers: tuple[CallForecast, ...], context: CheckContext
) -> Iterator[Accepted]:
    """Yield what may become the turn's row: the last call that is certain, or one after it."""
    if _has_no_row(turn, context):
        return
    for one in reversed(answers):
        if isinstance(one.verdict, Accepted):
            yield one.verdict
            if one.certain:
                return


def _named(accepted: Accepted, turn: Turn, context: CheckContext) -> list[str]:
    """Return the seat that the text gives the next turn, or all that a private message may."""
    utterance = accepted.utterance
    if not is_private(utterance):
        first = first_pinged_agent(accepted.committed.mentions)
        return [] if first is None or first.target.id is None else [first.target.id]
    # It may go to the desk after all; then those who may not read it in private count too.
    named = resolve(utterance.message, None, agent(turn.seat or ""), context.directory)
    seats = [mention.target.id or "" for mention in named if mention.target.kind == "agent"]
    return [*seats, *(utterance.to if isinstance(utterance, Dm) else ())]


def _completes(turn: Turn, answers: tuple[CallForecast, ...], context: CheckContext) -> bool:
    if _has_no_row(turn, context):
        return False
    last = next((one for one in reversed(answers) if isinstance(one.verdict, Accepted)), None)
    return (
        last is not None
        and last.certain
        and isinstance(last.verdict, Accepted)
        and last.verdict.committed.completes_episode
    )
