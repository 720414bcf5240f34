"""Every code that a rule gives, each list written once: why, how it ended, what kind of row.

A code is on the wire, in scenario files and in reports, so it is never renamed. Each is a string
as well, equal to its value. What a code says in a sentence stands where the sentence is made.
"""

from __future__ import annotations

from enum import StrEnum

__all__ = [
    "OK",
    "AsideReason",
    "CallFault",
    "CloseReason",
    "NoTurnReason",
    "Outcome",
    "RowKind",
]

#: What an accepted call is answered with, where a refused one has its reason.
OK = "ok"


class Code(StrEnum):
    """A string with a closed list of values."""

    # An enum's own hash is a function in Python, and codes are keys of tables.
    __hash__ = str.__hash__

    def __repr__(self) -> str:
        return repr(self.value)


class NoTurnReason(Code):
    """Why a row starts no turn (semantics, section 5; scenarios, "Broadcast")."""

    DISABLED = "disabled"
    HOP_LIMIT_REACHED = "hop_limit_reached"
    SOURCE_INACTIVE = "source_inactive"
    NO_DIRECT_AGENT_MENTION = "no_direct_agent_mention"
    SELF_MENTION = "self_mention"
    TARGET_INACTIVE = "target_inactive"
    HOP_OVERFLOW = "hop_overflow"
    BROADCAST = "broadcast"
    NO_ACTIVE_SEAT = "no_active_seat"


class AsideReason(Code):
    """Why an utterance may not be private (semantics, section 6), in the order of the rules."""

    DISABLED = "disabled"
    SOURCE_INACTIVE = "source_inactive"
    AUTHOR_NOT_ON_DESK = "author_not_on_desk"
    TARGET_INACTIVE = "target_inactive"
    TARGET_NOT_ON_DESK = "target_not_on_desk"
    SELF_ONLY = "self_only"
    NO_AUDIENCE = "no_audience"
    AUDIENCE_TOO_LARGE = "audience_too_large"
    THREAD_REQUIRED = "thread_required"
    BUDGET_SPENT = "budget_spent"
    UNSETTLED_ASIDE = "unsettled_aside"


class CallFault(Code):
    """Why a call is refused before its audience is looked at; the first that applies."""

    TURN_ENDED = "turn_ended"
    NOT_YOUR_TURN = "not_your_turn"
    TOO_MANY_CALLS = "too_many_calls"
    UNKNOWN_TOOL = "unknown_tool"
    BAD_ARGUMENTS = "bad_arguments"
    MESSAGE_TOO_LARGE = "message_too_large"
    EMPTY_MESSAGE = "empty_message"
    NO_RECIPIENTS = "no_recipients"
    UNKNOWN_RECIPIENT = "unknown_recipient"
    SELF_RECIPIENT = "self_recipient"


class Outcome(Code):
    """How a turn ended. Only a turn that spoke has a row."""

    SPOKE = "spoke"
    SILENT = "silent"
    REFUSED = "refused"
    FAILED = "failed"
    TIMED_OUT = "timed_out"


class CloseReason(Code):
    """Why a room closed."""

    COMPLETED = "completed"
    QUIET = "quiet"
    MAX_TURNS = "max_turns"
    SCRIPT = "script"
    STOPPED = "stopped"
    FAILED = "failed"


class RowKind(Code):
    """How a row came about."""

    OPENING = "opening"
    PERSON = "person"
    SEAT = "seat"
    NUDGE = "nudge"
    WROTE = "wrote"
