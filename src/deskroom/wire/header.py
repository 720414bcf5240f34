"""The first line of a journal: what the room is made of, with every key of its policy stated."""

from __future__ import annotations

import json
from typing import Any, Final

from attrs import asdict

from deskroom.core import AsidePolicy, DispatchPolicy, Person
from deskroom.core.wire import Fields
from deskroom.engine.entries import HeaderEntry
from deskroom.engine.policy import BroadcastPolicy, ChairPolicy, Policy
from deskroom.engine.setup import Opening, Seat, Setup
from deskroom.errors import WireError

__all__ = ["FORMAT", "header_in", "header_out"]

#: The version of the journal's format; a reader refuses any other.
FORMAT: Final = 1

Json = dict[str, Any]


def header_out(entry: HeaderEntry) -> Json:
    """Return a header as JSON-ready values."""
    setup = entry.setup
    return {
        "format": FORMAT,
        "desk": {
            "id": setup.desk_id,
            "name": setup.desk_name,
            "seats": [asdict(seat) for seat in setup.seats],
            "people": [{"id": person.id, "label": person.label} for person in setup.people],
        },
        "policy": _policy_out(setup.policy),
        "opening": None
        if setup.opening is None
        else {"by": setup.opening.by, "message": setup.opening.message},
        "order": entry.order,
        "scenario": entry.scenario,
    }


def header_in(fields: Fields) -> HeaderEntry:
    """Read a header. Raises ``WireError`` for one that no room can be made of."""
    if fields.number("format") != FORMAT:
        raise WireError(f"the format is {fields.number('format')}; this program reads {FORMAT}")
    desk = fields.object("desk")
    setup = Setup(
        desk_id=desk.text("id"),
        desk_name=desk.text("name"),
        seats=tuple(_seat_in(seat) for seat in desk.objects("seats")),
        people=tuple(_person_in(person) for person in desk.objects("people")),
        policy=_policy_in(fields),
        opening=_opening_in(fields),
    )
    desk.end()
    fault = setup.directory.roster.fault or setup.directory.desks.fault
    if fault is not None:
        raise WireError(f"the desk is not valid: {fault[0]} ({fault[1]!r})")
    order = None if fields.raw("order") is None else fields.word("order", "listed", "routed")
    return HeaderEntry(setup, order, fields.maybe_text("scenario"))


def _seat_in(fields: Fields) -> Seat:
    seat = Seat(
        id=fields.text("id"),
        name=fields.maybe_text("name"),
        role=fields.maybe_text("role"),
        brief=fields.maybe_text("brief"),
        fence=fields.flag("fence"),
        retired=fields.flag("retired"),
    )
    fields.end()
    return seat


def _person_in(fields: Fields) -> Person:
    person = Person(fields.text("id"), fields.text("label"))
    fields.end()
    return person


def _opening_in(fields: Fields) -> Opening | None:
    if fields.raw("opening") is None:
        return None
    opening = fields.object("opening")
    read = Opening(opening.text("by"), opening.text("message"))
    opening.end()
    return read


def _policy_out(policy: Policy) -> Json:
    out: Json = json.loads(json.dumps(asdict(policy)))
    return out


def _policy_in(fields: Fields) -> Policy:
    """Read a policy. It states every key, so a default that changes changes no room of before."""
    policy = fields.object("policy")
    try:
        read = Policy(
            dispatch=_dispatch_in(policy.object("dispatch")),
            aside=_aside_in(policy.object("aside")),
            on_refused_aside=policy.word("on_refused_aside", "refuse", "room"),
            chair=_chair_in(policy.object("chair")),
            broadcast=_broadcast_in(policy.object("broadcast")),
            close=policy.word("close", "first", "all"),
            participants=_maybe_texts(policy, "participants"),
            max_turns=policy.number("max_turns"),
            window=policy.number("window"),
            history_limit=policy.number("history_limit"),
            silence=policy.word("silence", "yield", "retry"),
            max_calls=policy.number("max_calls"),
            max_message_bytes=policy.number("max_message_bytes"),
            turn_timeout_s=_seconds(policy, "turn_timeout_s"),
        )
    except (TypeError, ValueError) as error:
        raise WireError(f"the policy is not valid: {error.args[0]}") from None
    policy.end()
    return read


def _dispatch_in(fields: Fields) -> DispatchPolicy:
    read = DispatchPolicy(enabled=fields.flag("enabled"), max_hops=fields.number("max_hops"))
    fields.end()
    return read


def _aside_in(fields: Fields) -> AsidePolicy:
    read = AsidePolicy(
        enabled=fields.flag("enabled"),
        max_members=fields.number("max_members"),
        max_messages=fields.number("max_messages"),
        must_surface=fields.flag("must_surface"),
        require_thread=fields.flag("require_thread"),
    )
    fields.end()
    return read


def _chair_in(fields: Fields) -> ChairPolicy:
    read = ChairPolicy(
        rounds=fields.number("rounds"), every=fields.number("every"), by=fields.maybe_text("by")
    )
    fields.end()
    return read


def _broadcast_in(fields: Fields) -> BroadcastPolicy:
    read = BroadcastPolicy(
        router=fields.word("router", "scripted", "lexical"), width=fields.number("width")
    )
    fields.end()
    return read


def _maybe_texts(fields: Fields, name: str) -> tuple[str, ...] | None:
    return None if fields.raw(name) is None else fields.texts(name)


def _seconds(fields: Fields, name: str) -> float:
    value = fields.raw(name)
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise WireError(f"{fields.at(name)} must be a number")
    return value
