"""The words that a scenario may use where the format lists them, each list written once."""

from __future__ import annotations

from typing import Literal

__all__ = ["AsideReason", "CallFault", "NoTurnReason", "Order", "RefusalWord", "ReplyWord"]

#: Who decides the next turn: the list, or the host alone.
Order = Literal["listed", "routed"]

#: Why a row starts no turn.
NoTurnReason = Literal[
    "disabled",
    "hop_limit_reached",
    "source_inactive",
    "no_direct_agent_mention",
    "self_mention",
    "target_inactive",
    "hop_overflow",
    "broadcast",
    "no_active_seat",
]

#: Why an utterance may not be private.
AsideReason = Literal[
    "disabled",
    "source_inactive",
    "author_not_on_desk",
    "target_inactive",
    "target_not_on_desk",
    "self_only",
    "no_audience",
    "audience_too_large",
    "thread_required",
    "budget_spent",
    "unsettled_aside",
]

#: Why a call is refused before its audience is looked at; the first that applies.
CallFault = Literal[
    "turn_ended",
    "not_your_turn",
    "too_many_calls",
    "unknown_tool",
    "bad_arguments",
    "message_too_large",
    "empty_message",
    "no_recipients",
    "unknown_recipient",
    "self_recipient",
]

#: What can stand as a refusal.
RefusalWord = Literal[CallFault, AsideReason]

#: What a call is answered with.
ReplyWord = Literal["ok", CallFault, AsideReason]
