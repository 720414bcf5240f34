"""``inspect``: logs of Inspect AI, as ``.json`` or ``.eval`` (a zip with one member a sample).

Who spoke is in the events of a sample: the nearest span of type ``agent`` around a model event. Its
messages have other text and only the first agent's view, so they serve for the prompts alone, and
where no event was logged.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from attrs import define, field

from deskroom.imports.importer import Match, Options, pick_room
from deskroom.imports.parts import said_in
from deskroom.imports.picks import list_at, object_at, string_at
from deskroom.imports.records import Handoff, Left, Place, Record, Speaker, Yielded
from deskroom.imports.said import calls_in, is_desk_tool
from deskroom.imports.source import Source

name: Final = "inspect"
reads: Final = "Inspect AI 0.3: logs as .json and .eval"
looks_for: Final = "a log with `eval` and `samples`, or a zip with `samples/ID_epoch_N.json`"
example: Final = "deskroom import log.eval --room crate-12 -o run.jsonl"
is_sorted: Final = False
same_id: Final = "error"

_MEMBER: Final = re.compile(r"samples/(?P<id>.+)_epoch_(?P<epoch>\d+)(?:\.json|/sample\.json)")
_CHUNK: Final = re.compile(r"\d+\.json")
_MARKS: Final = frozenset(("header.json", "_journal/start.json"))
_ATTACHED: Final = "attachment://"
_HANDS_TO: Final = "transfer_to_"
_SCORERS: Final = frozenset(("scorer", "scorers"))
_ASSISTANT: Final = Speaker(key="assistant", name="assistant", kind="agent")
_USER: Final = Speaker(key="user", name="user", kind="person")


def sniff(source: Source) -> Match | None:
    """Say whether this is such a log."""
    if source.shape == "zip":
        members = source.members()
        if _MARKS & set(members) and any(map(_MEMBER.fullmatch, members)):
            return Match("a zip with `samples/ID_epoch_N.json`")
        return None
    if source.shape != "json":
        return None
    log = source.json()
    if object_at(log, "eval") and "version" in log and isinstance(log.get("samples"), list):
        return Match("a log with `eval` and `samples`")
    return None


def read(source: Source, options: Options) -> Iterator[Yielded]:
    """Yield what was said in one sample."""
    place, sample = _sample(source, options)
    yield from _Reading(source, place, sample).read()


# --- the sample --------------------------------------------------------------------------------


def _sample(source: Source, options: Options) -> tuple[Place, Mapping[str, Any]]:
    if source.shape != "zip":
        log = source.json()
        samples = list_at(log, "samples")
        keys = [(_id_of(one), _number(object_at(one).get("epoch"))) for one in samples]
        at = _picked(source, keys, options)
        return Place(pointer=f"/samples/{at}"), object_at(samples[at])
    members = [found for one in source.members() if (found := _MEMBER.fullmatch(one))]
    keys = [(found["id"], found["epoch"]) for found in members]
    member = members[_picked(source, keys, options)][0]
    sample = object_at(source.member(member).json())
    if member.endswith("/sample.json"):
        sample = _whole(source, member.removesuffix("sample.json"), sample)
    return Place(file=member), sample


def _id_of(sample: object) -> str:
    id = object_at(sample).get("id")
    return str(id) if isinstance(id, str | int) else ""


def _number(epoch: object) -> str:
    return str(epoch) if isinstance(epoch, int) else "1"


def _picked(source: Source, keys: Sequence[tuple[str, str]], options: Options) -> int:
    """Return which sample is to be read; one of several epochs is called as its member is."""
    ids = [id for id, _ in keys]
    names = [id if ids.count(id) == 1 else f"{id}_epoch_{epoch}" for id, epoch in keys]
    return names.index(pick_room(source, names, options.room, noun="sample"))


def _whole(source: Source, prefix: str, sample: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a sample that is stored in chunks, which are called by the number of their first item."""
    held: dict[str, list[Any]] = {}
    for kind in ("events", "messages", "attachments"):
        start = f"{prefix}{kind}/"
        found = [
            one
            for one in source.members()
            if one.startswith(start) and _CHUNK.fullmatch(one.removeprefix(start))
        ]
        held[kind] = []
        for one in sorted(found, key=lambda name: (len(name), name)):
            chunk = source.member(one).json()
            held[kind] += chunk if isinstance(chunk, list) else []
    attachments = {str(at): one for at, one in enumerate(held["attachments"])}
    return {**sample, **{k: v for k, v in held.items() if v}, "attachments": attachments}


# --- what was said in it -----------------------------------------------------------------------


@define
class _Reading:
    """One pass over a sample: its spans, who spoke last, and whether that turn has a row."""

    _source: Source
    _place: Place
    _sample: Mapping[str, Any]
    _spans: dict[str, Mapping[str, Any]] = field(factory=dict)
    _steps: list[str] = field(factory=list)
    _last: str = ""

    def read(self) -> Iterator[Yielded]:
        yield from self._opening()
        messages = list_at(self._sample, "messages")
        prompts = sum(string_at(one, "role") == "system" for one in messages)
        if prompts:
            yield Left("system", self._at("messages"), prompts)
        events = list_at(self._sample, "events")
        if any(string_at(one, "event") == "model" for one in events):
            for at, event in enumerate(events):
                yield from self._event(self._at("events", at), event)
        else:
            yield from self._messages(messages)

    def _at(self, *path: str | int) -> Place:
        pointer = "".join(f"/{part}" for part in path)
        return Place(pointer=f"{self._place.pointer}{pointer}", file=self._place.file)

    def _opening(self) -> Iterator[Yielded]:
        given = self._sample.get("input")
        if isinstance(given, str):
            given = [{"role": "user", "content": given}]
        if not isinstance(given, list):
            raise self._source.error(self._at("input"), "`input` must be a string or a list")
        for message in given:
            yield from self._message(self._at("input"), message)

    def _messages(self, messages: Sequence[Any]) -> Iterator[Yielded]:
        """Yield what stands behind the opening in a sample without events."""
        given = self._sample.get("input")
        opening = given if isinstance(given, list) else [{"content": given}]
        ids = {string_at(one, "id") for one in opening} - {""}
        contents = [object_at(one).get("content") for one in opening]
        for at, message in enumerate(messages):
            is_opening = string_at(message, "source") == "input" or string_at(message, "id") in ids
            if not is_opening and object_at(message).get("content") not in contents:
                yield from self._message(self._at("messages", at), message)

    def _message(self, place: Place, message: object) -> Iterator[Yielded]:
        role = string_at(message, "role")
        if role == "tool":
            yield Left("tool result", place)
        elif role == "user":
            yield from self._said(place, _USER, object_at(message))
        elif role == "assistant":
            yield from self._said(place, _ASSISTANT, object_at(message))
        elif role != "system":
            raise self._source.error(place, "a message needs a role")

    def _event(self, place: Place, event: object) -> Iterator[Yielded]:
        match string_at(event, "event"):
            case "span_begin":
                self._spans[string_at(event, "id")] = object_at(event)
            case "step":
                self._step(object_at(event))
            case "model":
                yield from self._model(place, object_at(event))
            case "tool":
                yield from self._tool(place, object_at(event))
            case "input":
                yield Left("input", place)
            case _:
                pass

    def _step(self, event: Mapping[str, Any]) -> None:
        """Keep track of the steps that logs had before spans."""
        if string_at(event, "type") != "agent":
            return
        if string_at(event, "action") == "begin":
            self._steps.append(string_at(event, "name"))
        elif self._steps:
            self._steps.pop()

    def _speaker(self, event: Mapping[str, Any]) -> Speaker | None:
        """Return the agent around an event; None for the model of a scorer."""
        id = string_at(event, "span_id")
        for _ in range(len(self._spans)):
            span = self._spans.get(id)
            if span is None:
                break
            kind, named = string_at(span, "type"), string_at(span, "name")
            if kind == "agent" and named:
                return Speaker(key=f"agent:{named}", name=named, kind="agent")
            if kind in _SCORERS:
                return None
            id = string_at(span, "parent_id")
        if self._steps:
            named = self._steps[-1]
            return Speaker(key=f"agent:{named}", name=named, kind="agent")
        return _ASSISTANT

    def _model(self, place: Place, event: Mapping[str, Any]) -> Iterator[Yielded]:
        by = self._speaker(event)
        if by is None:
            yield Left("scorer", place)
            return
        if by.key != self._last:
            self._last = ""
        choices = list_at(object_at(event, "output"), "choices")
        message = object_at(choices[0] if choices else None, "message")
        if string_at(event, "error") or not message:
            yield Left("error" if string_at(event, "error") else "blank", place)
            return
        yield from self._said(place, by, message)

    def _said(self, place: Place, by: Speaker, message: Mapping[str, Any]) -> Iterator[Yielded]:
        said = said_in(self._resolved(message.get("content")), "\n")
        if said is None:
            raise self._source.error(place, "`content` must be a string or a list of parts")
        asked = list_at(message, "tool_calls")
        others = sum(not is_desk_tool(string_at(one, "function")) for one in asked)
        left = [*said.left, *["tool call"] * (others + said.calls)]
        for kind in left:
            yield Left(kind, place)
        calls = calls_in(
            (string_at(one, "function"), self._arguments(object_at(one, "arguments")))
            for one in asked
        )
        if said.text.strip() or calls or not left:
            self._last = by.key
            yield Record(by=by, text=said.text, calls=calls, place=place)

    def _tool(self, place: Place, event: Mapping[str, Any]) -> Iterator[Yielded]:
        yield Left("tool result", place)
        target = string_at(event, "agent")
        function = string_at(event, "function")
        if not target and function.startswith(_HANDS_TO):
            target = function.removeprefix(_HANDS_TO)
        if target and self._last:
            yield Handoff(by=self._last, to=target, place=place)

    # --- attachments: a text of more than 100 characters is kept apart ----------------------

    def _resolved(self, content: object) -> object:
        if isinstance(content, list):
            return [
                {key: self._attached(value) for key, value in part.items()}
                if isinstance(part, dict)
                else self._attached(part)
                for part in content
            ]
        return self._attached(content)

    def _attached(self, value: object) -> object:
        if not isinstance(value, str) or not value.startswith(_ATTACHED):
            return value
        return string_at(self._attachments, value.removeprefix(_ATTACHED)) or value

    @property
    def _attachments(self) -> Mapping[str, Any]:
        return object_at(self._sample, "attachments")

    def _arguments(self, arguments: Mapping[str, Any]) -> Mapping[str, Any]:
        return {key: self._attached(value) for key, value in arguments.items()}
