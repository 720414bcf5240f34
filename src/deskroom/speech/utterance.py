"""What a seat can say, once a call has been read (semantics, section 7)."""

from __future__ import annotations

from attrs import field, frozen

from deskroom.core.reasons import CallFault
from deskroom.core.text import as_ids

__all__ = ["Broadcast", "CompleteEpisode", "Dm", "Post", "Read", "Rejection", "Utterance"]


@frozen
class Post:
    """A message to the desk."""

    message: str


@frozen
class Broadcast:
    """A message to the desk that a router hands to the seats it suits best."""

    message: str


@frozen
class Dm:
    """A message to the members in ``to``, in the order addressed. The address stays a field."""

    message: str
    to: tuple[str, ...] = field(converter=as_ids)


@frozen
class CompleteEpisode:
    """A message to the desk with which a seat says that its work is done."""

    message: str


Utterance = Post | Broadcast | Dm | CompleteEpisode


@frozen
class Read:
    """A wish to read the last ``limit`` entries of the transcript. It says nothing."""

    limit: int


@frozen
class Rejection:
    """Why a call was not taken.

    ``kind`` is the reason; ``subject`` the tool or the recipient it is about, if there is one.
    """

    kind: CallFault
    subject: str | None = None
