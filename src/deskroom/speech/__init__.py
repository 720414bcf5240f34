"""The speech core: a call becomes an utterance, and an utterance one row. Pure, like the core."""

from deskroom.speech.commit import (
    CommitRequest,
    Committed,
    addressed_peers,
    commit_utterance,
    commit_utterance_to_room,
    is_private,
    publish,
)
from deskroom.speech.fence import extract_post
from deskroom.speech.parse import check_recipients, parse_call
from deskroom.speech.tools import Parameter, ToolSpec, tool_specs
from deskroom.speech.utterance import (
    Broadcast,
    CompleteEpisode,
    Dm,
    Post,
    Read,
    Rejection,
    Utterance,
)

__all__ = [
    "Broadcast",
    "CommitRequest",
    "Committed",
    "CompleteEpisode",
    "Dm",
    "Parameter",
    "Post",
    "Read",
    "Rejection",
    "ToolSpec",
    "Utterance",
    "addressed_peers",
    "check_recipients",
    "commit_utterance",
    "commit_utterance_to_room",
    "extract_post",
    "is_private",
    "parse_call",
    "publish",
    "tool_specs",
]
