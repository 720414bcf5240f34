"""Where LangGraph keeps messages: in states, snapshots, checkpoints, and in what a graph streams.

A history is one room: the messages of its newest state are all of it. A snapshot is an object, or a
list in the order of its fields, as a named tuple becomes in JSON. States of subgraphs (a checkpoint
with a namespace, the ``tasks`` of a snapshot) are not the room.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from attrs import frozen

from deskroom.imports.importer import Options, pick_room
from deskroom.imports.records import Place
from deskroom.imports.source import Source

__all__ = ["fields_of", "is_message", "is_state", "messages_in"]

_CLASSES: Final = {
    f"{name}Message": kind
    for name, kind in (
        ("AI", "ai"),
        ("Human", "human"),
        ("System", "system"),
        ("Tool", "tool"),
        ("Function", "function"),
        ("Chat", "chat"),
        ("Remove", "remove"),
    )
}
_KINDS: Final = frozenset((*_CLASSES.values(), *(f"{name}Chunk" for name in _CLASSES)))
#: What tells a flat message from any other object with a ``type`` and a ``content``.
_MARKS: Final = ("additional_kwargs", "response_metadata", "tool_call_id", "usage_metadata")
_SPEAK: Final = frozenset(("ai", "human"))
#: Where a state is inside a snapshot, a checkpoint, or what is around one.
_INSIDE: Final = ("values", "channel_values", "checkpoint", "payload")
#: A named tuple's fields in JSON: of a StateSnapshot, and of a CheckpointTuple.
_SNAPSHOT: Final = ("values", "next", "config", "metadata", "created_at", "parent_config", "tasks")
_CHECKPOINT: Final = ("config", "checkpoint", "metadata", "parent_config", "pending_writes")
_TASKS: Final = ("task", "task_result")
_DEEP: Final = 4


def fields_of(value: object) -> tuple[str, Mapping[str, Any]] | None:
    """Return what kind a message is, and its fields; None for what is no message.

    The kind of a piece of a streamed message is its class: ``AIMessageChunk``.
    """
    if not isinstance(value, dict):
        return None
    if "lc" in value:
        return _constructed(value)
    kind = value.get("type")
    if not isinstance(kind, str) or kind not in _KINDS:
        return None
    data = value.get("data")
    if isinstance(data, dict) and "content" in data:
        return kind, data
    return (kind, value) if "content" in value else None


def _constructed(value: Mapping[str, Any]) -> tuple[str, Mapping[str, Any]] | None:
    id, data = value.get("id"), value.get("kwargs")
    if not isinstance(id, list) or not id or not isinstance(data, dict):
        return None
    name = id[-1]
    if not isinstance(name, str) or name.removesuffix("Chunk") not in _CLASSES:
        return None
    return _CLASSES.get(name, name), data


def is_message(value: object) -> bool:
    """Whether it is a message, in one of the three forms."""
    fields = fields_of(value)
    if fields is None:
        return False
    kind, data = fields
    return data is not value or kind in _SPEAK or any(mark in data for mark in _MARKS)


@frozen(kw_only=True)
class _Held:
    """What holds messages: which, when it was made, of which thread, and whether it is a step.

    A step adds to those before it; a state has all of them.
    """

    channels: Mapping[str, Any]
    when: str = ""
    step: int = -2
    thread: str = ""
    is_inner: bool = False
    adds: bool = False

    @property
    def rank(self) -> tuple[str, int, int]:
        return self.when, self.step, sum(map(_count, self.channels.values()))


def is_state(value: object) -> bool:
    """Whether it is something of LangGraph that holds messages."""
    held = _held(value)
    return held is not None and any(map(_is_list, held.channels.values()))


def messages_in(source: Source, options: Options) -> Iterator[tuple[Place, Any]]:
    """Yield each message with its place.

    Raises ``FileError`` for what holds none, and where there are several threads, or several lists
    of messages, and none is named.
    """
    first = next(iter(source.samples(1)), None)
    if is_message(first):
        yield from source.values()
        return
    chosen, steps = _chosen(source, options)
    if chosen < 0 and not steps:
        raise source.error(Place(), "there is no message of LangChain, and no state that holds any")
    for number, (place, value) in enumerate(_values(source)):
        held = _held(value) if number == chosen or steps else None
        if held is not None and (not steps or held.adds):
            yield from _of(source, place, held, options)


def _values(source: Source) -> Iterator[tuple[Place, Any]]:
    """Yield the values; a document that is one snapshot as a list is one value."""
    if source.shape == "json" and _named(source.json()) is not None:
        yield Place(), source.json()
        return
    yield from source.values()


def _chosen(source: Source, options: Options) -> tuple[int, bool]:
    """Return the number of the newest state, or that there are only steps."""
    best: dict[str, tuple[tuple[bool, tuple[str, int, int]], int]] = {}
    steps = False
    for number, (_, value) in enumerate(_values(source)):
        held = _held(value)
        if held is None:
            continue
        if held.adds:
            steps = True
            continue
        rank = (not held.is_inner, held.rank)
        if held.thread not in best or rank > best[held.thread][0]:
            best[held.thread] = (rank, number)
    if not best:
        return -1, steps
    thread = next(iter(best))
    if len(best) > 1:
        thread = pick_room(source, best, options.room, noun="thread")
    return best[thread][1], False


def _of(source: Source, place: Place, held: _Held, options: Options) -> Iterator[tuple[Place, Any]]:
    lists = {key: value for key, value in held.channels.items() if _is_list(value)}
    if held.adds:
        keys = list(lists)
    elif "messages" in lists or len(lists) == 1:
        keys = ["messages" if "messages" in lists else next(iter(lists))]
    else:
        keys = [pick_room(source, lists, options.room, noun="list of messages")] if lists else []
    for key in keys:
        found = lists[key] if isinstance(lists[key], list) else [lists[key]]
        for at, message in enumerate(found):
            yield Place(place.line, f"{place.pointer} {key}/{at}".strip(), place.file), message


def _held(value: object) -> _Held | None:
    """Return what holds messages here; None for what cannot."""
    named = _named(value)
    if named is None:
        if not isinstance(value, list):
            return None
        # A graph that streams messages gives each with where it came from.
        pair = bool(value) and is_message(value[0])
        return _Held(channels={"messages": value[0]}, adds=True) if pair else None
    if named.get("type") in _TASKS:
        return None
    return _dated(_object(named.get("payload")) or named, _channels(named, 0))


def _dated(around: Mapping[str, Any], channels: Mapping[str, Any]) -> _Held:
    inner = around.get("checkpoint")
    inner = inner if isinstance(inner, dict) else {}
    when = next((w for w in (around.get("created_at"), around.get("ts"), inner.get("ts")) if w), "")
    step = _object(around.get("metadata")).get("step")
    config = _object(_object(around.get("config")).get("configurable"))
    is_step = not any(key in around for key in _INSIDE) and not any(
        map(_is_list, channels.values())
    )
    if is_step:
        channels = {
            f"{node}/{key}": value
            for node, update in channels.items()
            for key, value in _object(update).items()
            if _is_list(value)
        }
    return _Held(
        channels=channels,
        when=str(when),
        step=step if isinstance(step, int) else -2,
        thread=str(config.get("thread_id", "")),
        is_inner=bool(config.get("checkpoint_ns")),
        adds=is_step and bool(channels),
    )


def _named(value: object) -> Mapping[str, Any] | None:
    """Return an object, or the fields of a named tuple that became a list."""
    if isinstance(value, dict):
        return value
    if not isinstance(value, list) or len(value) < len(_CHECKPOINT):
        return None
    if isinstance(value[2], dict) and "configurable" in value[2] and isinstance(value[1], list):
        return dict(zip(_SNAPSHOT, value, strict=False))
    if isinstance(value[0], dict) and "configurable" in value[0] and isinstance(value[1], dict):
        return dict(zip(_CHECKPOINT, value, strict=False))
    return None


def _channels(value: Mapping[str, Any], depth: int) -> Mapping[str, Any]:
    for key in _INSIDE:
        inside = value.get(key)
        if isinstance(inside, list) and _is_list(inside):
            return {"messages": inside}
        if isinstance(inside, dict) and depth < _DEEP:
            return _channels(inside, depth + 1)
    return value


def _is_list(value: object) -> bool:
    """Whether it is messages: a list of nothing else, or one."""
    if isinstance(value, list):
        return bool(value) and all(map(is_message, value[:20]))
    return is_message(value)


def _count(value: object) -> int:
    return len(value) if isinstance(value, list) and _is_list(value) else 0


def _object(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}
