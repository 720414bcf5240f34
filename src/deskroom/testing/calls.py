"""Calls as a seat emits them: the name of a tool as it is served, and its arguments."""

from __future__ import annotations

from collections.abc import Iterable

from deskroom.speech.tools import BROADCAST, COMPLETE_EPISODE, DM, POST, READ, served

__all__ = ["CallPair", "broadcast", "complete", "dm", "post", "read"]

#: A tool and its arguments. Anything may stand in either place: that is what a host has to bear.
CallPair = tuple[object, object]


def post(message: str) -> CallPair:
    """Return the call that says something to the whole desk."""
    return served(POST), {"message": message}


def broadcast(message: str) -> CallPair:
    """Return the call that says something to the desk and lets the router pick who goes on."""
    return served(BROADCAST), {"message": message}


def dm(to: str | Iterable[str], message: str) -> CallPair:
    """Return the call that speaks in private to one seat or several."""
    return served(DM), {"to": [to] if isinstance(to, str) else list(to), "message": message}


def complete(message: str) -> CallPair:
    """Return the call that says a last word and marks the seat's work as done."""
    return served(COMPLETE_EPISODE), {"message": message}


def read(limit: int | None = None) -> CallPair:
    """Return the call that reads the last entries of the transcript."""
    return served(READ), {} if limit is None else {"limit": limit}
