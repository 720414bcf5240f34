"""One utterance, one row: what it says, who may read it, whom it names (semantics, section 7)."""

from __future__ import annotations

from typing import Final, NamedTuple

from attrs import frozen

from deskroom.core.aside import AsideInput, AsidePolicy, Refused, aside
from deskroom.core.audience import DESK, Audience
from deskroom.core.directory import Directory, Target, agent
from deskroom.core.dispatch import pinged_agents
from deskroom.core.mention import Mention, resolve
from deskroom.core.text import trim_start
from deskroom.errors import AsideRefused
from deskroom.speech.utterance import Broadcast, CompleteEpisode, Dm, Utterance

__all__ = [
    "CommitRequest",
    "Committed",
    "addressed_peers",
    "commit_utterance",
    "commit_utterance_to_room",
    "is_private",
    "publish",
]

_ASIDE_MARKER: Final = "!aside"


@frozen(kw_only=True)
class CommitRequest:
    """An utterance and all that decides what becomes of it.

    ``spent`` and ``unsettled`` are what the transcript says: see ``Bookkeeping``.
    """

    utterance: Utterance
    speaker_id: str
    directory: Directory
    desk_id: str | None
    thread_root: int | None = None
    policy: AsidePolicy = AsidePolicy()
    spent: int = 0
    unsettled: bool = False


class Committed(NamedTuple):
    """What an utterance becomes. ``refusal`` is why a private wish was published instead."""

    content: str
    audience: Audience
    mentions: tuple[Mention, ...]
    completes_episode: bool = False
    broadcasting: bool = False
    refusal: str | None = None


def commit_utterance(request: CommitRequest) -> Committed:
    """Return what the utterance becomes.

    It fails closed: a private utterance that is declined raises ``AsideRefused`` and becomes
    nothing. ``RosterError`` and ``DeskError`` are raised for a private utterance only.
    """
    committed = commit_utterance_to_room(request)
    if committed.refusal is not None:
        raise AsideRefused(committed.refusal)
    return committed


def commit_utterance_to_room(request: CommitRequest) -> Committed:
    """Return what the utterance becomes, publishing it to the desk when an aside is declined.

    A host must choose this on purpose. Raises ``RosterError`` or ``DeskError`` for a private
    utterance only.
    """
    utterance, speaker = request.utterance, agent(request.speaker_id)
    public = publish(utterance, speaker, request.directory)
    if not is_private(utterance):
        return public
    addressed = _addressed(utterance)
    mentions = public.mentions
    if addressed and all(m.target == speaker for m in pinged_agents(mentions)):
        mentions = addressed
    audience = _ask(request, addressed or mentions)
    if isinstance(audience, Refused):
        return public._replace(mentions=mentions, refusal=audience.reason)
    admitted = tuple(m for m in mentions if _is_admitted(m, audience))
    return public._replace(mentions=admitted, audience=audience)


def publish(utterance: Utterance, speaker: Target, directory: Directory) -> Committed:
    """Return what an utterance that is not private becomes: whom its text mentions is mentioned."""
    return Committed(
        utterance.message,
        DESK,
        resolve(utterance.message, None, speaker, directory),
        isinstance(utterance, CompleteEpisode),
        isinstance(utterance, Broadcast),
    )


def is_private(utterance: Utterance) -> bool:
    """Whether an utterance is meant for some only: it is addressed, or begins with the marker."""
    if isinstance(utterance, Dm) and utterance.to:
        return True
    message = utterance.message
    return _ASIDE_MARKER in message and trim_start(message).startswith(_ASIDE_MARKER)


def addressed_peers(utterance: Utterance, speaker_id: str, directory: Directory) -> tuple[str, ...]:
    """Return the ids an utterance speaks to, without its author and without repeats.

    For a dm that is its recipients; for anything else the agents that its text mentions.
    """
    if isinstance(utterance, Dm):
        named = list(utterance.to)
    else:
        written = resolve(utterance.message, None, agent(speaker_id), directory)
        named = [m.target.id or "" for m in sorted(pinged_agents(written), key=lambda m: m.offset)]
    return tuple(id_ for id_ in dict.fromkeys(named) if id_ != speaker_id)


def _addressed(utterance: Utterance) -> tuple[Mention, ...]:
    if not isinstance(utterance, Dm):
        return ()
    return tuple(Mention(agent(id_), f"@{id_}", at) for at, id_ in enumerate(utterance.to))


def _ask(request: CommitRequest, mentions: tuple[Mention, ...]) -> Audience | Refused:
    asked = AsideInput(
        author_id=request.speaker_id,
        desk_id=request.desk_id,
        mentions=mentions,
        thread_root=request.thread_root,
        spent=request.spent,
        unsettled=request.unsettled,
    )
    return aside(request.policy, asked, request.directory)


def _is_admitted(mention: Mention, audience: Audience) -> bool:
    return mention.target.kind == "agent" and mention.target.id in audience.members
