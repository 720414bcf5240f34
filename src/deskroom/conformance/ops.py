"""What each op of the vectors asks of the public API, one small function an op."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from deskroom.conformance.wire import Case, mention_out, rejection_out, seen_out
from deskroom.core import (
    AsideInput,
    Bookkeeping,
    DispatchPolicy,
    Refused,
    TurnFor,
    aside,
    code_ranges,
    direct_responder,
    mention_dispatch,
    project,
    resolve,
    slug,
)
from deskroom.errors import AsideRefused, DeskError, RosterError
from deskroom.speech import (
    Broadcast,
    CommitRequest,
    Dm,
    Post,
    Read,
    Rejection,
    Utterance,
    addressed_peers,
    check_recipients,
    commit_utterance,
    commit_utterance_to_room,
    extract_post,
    parse_call,
)
from deskroom.wire import audience_out

__all__ = ["OPS", "answer"]

Answer = Any


def answer(op: str, case: Case) -> Answer:
    """Return what this build answers to a case, in the wire form of ``want``.

    Raises ``WireError`` if an input is missing or of the wrong type, ``KeyError`` for an op that
    is not in ``OPS``.
    """
    return OPS[op](case)


def _code_ranges(case: Case) -> Answer:
    return [list(span) for span in code_ranges(case.text("body"))]


def _slug(case: Case) -> Answer:
    return slug(case.text("label"))


def _fence(case: Case) -> Answer:
    return extract_post(case.text("text"))


def _resolve(case: Case) -> Answer:
    mentions = resolve(
        case.text("body"),
        case.maybe_mentions("supplied"),
        case.author("author"),
        case.directory("world"),
    )
    return [mention_out(mention) for mention in mentions]


def _direct_responder(case: Case) -> Answer:
    return direct_responder(case.mentions("mentions"), case.directory("world").roster)


def _dispatch(case: Case) -> Answer:
    policy = DispatchPolicy(enabled=case.flag("enabled"), max_hops=case.count("max_hops"))
    try:
        decision = mention_dispatch(
            policy,
            case.directory("world").roster,
            hop=case.count("hop"),
            author_id=case.text("author_id"),
            mentions=case.mentions("mentions"),
        )
    except (RosterError, DeskError) as error:
        return {"error": {"kind": error.kind}}
    if isinstance(decision, TurnFor):
        return {"kind": "one", "target_id": decision.target_id, "child_hop": decision.child_hop}
    return {"kind": "none", "reason": decision.reason}


def _aside(case: Case) -> Answer:
    asked = AsideInput(
        author_id=case.text("author_id"),
        desk_id=case.maybe_text("desk_id"),
        mentions=case.mentions("mentions"),
        thread_root=case.maybe_number("thread_root"),
        spent=case.count("spent"),
        unsettled=case.flag("unsettled"),
    )
    try:
        allowed = aside(case.policy("policy"), asked, case.directory("world"))
    except (RosterError, DeskError) as error:
        return {"error": {"kind": error.kind}}
    if isinstance(allowed, Refused):
        return {"kind": "none", "reason": allowed.reason}
    return {"kind": "one", "audience": audience_out(allowed)}


def _interpret(case: Case) -> Answer:
    arguments = {
        "message": case.maybe_text("message"),
        "to": None if case.raw("to") is None else list(case.texts("to")),
        "limit": case.maybe_number("limit"),
    }
    parsed = parse_call(case.text("name"), arguments)
    if isinstance(parsed, Rejection):
        return {"rejected": rejection_out(parsed)}
    if isinstance(parsed, Read):
        return {"read": {"limit": parsed.limit}}
    return {"speak": _utterance_out(parsed)}


def _utterance_out(utterance: Utterance) -> Answer:
    if isinstance(utterance, Dm):
        return {"kind": "dm", "to": list(utterance.to), "message": utterance.message}
    if isinstance(utterance, Post):
        kind = "post"
    else:
        kind = "broadcast" if isinstance(utterance, Broadcast) else "complete_episode"
    return {"kind": kind, "message": utterance.message}


def _check(case: Case) -> Answer:
    rejection = check_recipients(
        case.utterance("utterance"), case.text("speaker_id"), case.directory("world").roster
    )
    return {"ok": True} if rejection is None else {"rejected": rejection_out(rejection)}


def _commit(case: Case) -> Answer:
    request = CommitRequest(
        utterance=case.utterance("utterance"),
        speaker_id=case.text("speaker_id"),
        directory=case.directory("world"),
        desk_id=case.maybe_text("desk_id"),
        thread_root=case.maybe_number("thread_root"),
        policy=case.policy("policy"),
        spent=case.count("spent"),
        unsettled=case.flag("unsettled"),
    )
    commit = commit_utterance_to_room if case.flag("to_room") else commit_utterance
    try:
        committed = commit(request)
    except AsideRefused as refused:
        return {"error": {"kind": "aside_refused", "reason": refused.reason}}
    except (RosterError, DeskError) as error:
        return {"error": {"kind": error.kind}}
    return {
        "ok": {
            "content": committed.content,
            "audience": audience_out(committed.audience),
            "mentions": [mention_out(mention) for mention in committed.mentions],
            "completes_episode": committed.completes_episode,
            "broadcasting": committed.broadcasting,
            "refusal": committed.refusal,
        }
    }


def _peers(case: Case) -> Answer:
    peers = addressed_peers(
        case.utterance("utterance"), case.text("speaker_id"), case.directory("world")
    )
    return list(peers)


def _bookkeeping(case: Case) -> Answer:
    books = Bookkeeping.of(case.rows("rows"))
    unsettled = books.unsettled(case.text("author_id"), case.texts("addressed"))
    return {"spent": books.spent, "unsettled": unsettled}


def _project(case: Case) -> Answer:
    return [seen_out(seen) for seen in project(case.rows("rows"), case.viewer("viewer"))]


#: Every op, in the order in which reports list them.
OPS: Final[Mapping[str, Callable[[Case], Answer]]] = {
    "code_ranges": _code_ranges,
    "slug": _slug,
    "fence": _fence,
    "resolve": _resolve,
    "direct_responder": _direct_responder,
    "dispatch": _dispatch,
    "aside": _aside,
    "interpret": _interpret,
    "check": _check,
    "commit": _commit,
    "peers": _peers,
    "bookkeeping": _bookkeeping,
    "project": _project,
}
