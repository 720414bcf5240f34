"""``otel``: OpenTelemetry spans of generative AI, with what agents said captured in them.

Rows are the ``invoke_agent`` spans, by their start. Where those hold no messages, the spans of the
model calls in them do. What people said is in the inputs: the first user message of a run that
nobody said before.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from attrs import define, field

from deskroom.errors import FileError
from deskroom.imports.genai import Message, inputs_of, outputs_of, speaks
from deskroom.imports.importer import Match, Options, pick_room
from deskroom.imports.limits import MOST_HELD_BYTES, MOST_HELD_ROWS
from deskroom.imports.picks import string_at
from deskroom.imports.records import Handoff, Left, Place, Record, Speaker, Yielded
from deskroom.imports.source import Source
from deskroom.imports.spans import GenAIEvent, Span, events_in, is_telemetry, spans_in

name: Final = "otel"
reads: Final = "OpenTelemetry GenAI spans and events: OTLP JSON, JSON lines, the SDK's to_json"
looks_for: Final = "OTLP JSON with `resourceSpans`, or spans with `context` and `attributes`"
example: Final = "deskroom import traces.json -o run.jsonl"
is_sorted: Final = False
same_id: Final = "error"

_AGENT: Final = "invoke_agent"
_MODEL: Final = frozenset(("chat", "generate_content", "text_completion"))
_WORKFLOWS: Final = ("workflow.run", "invoke_workflow")
_USER: Final = Speaker(key="role:user", name="user", kind="person")
#: How ADK begins what it tells one agent of another's words.
_RETOLD: Final = "For context:"


def sniff(source: Source) -> Match | None:
    """Say whether this is such a file."""
    values = source.samples()
    if values and all(map(is_telemetry, values)):
        return Match("spans of OpenTelemetry")
    return None


def read(source: Source, options: Options) -> Iterator[Yielded]:
    """Yield what was said in one conversation or trace."""
    held = _Held(source)
    room = held.picked(options)
    yield from _Reading(held).read(room)


def _operation(span: Span) -> str:
    return string_at(span.attributes, "gen_ai.operation.name")


@define
class _Held:
    """The spans of a file: the tree of all of them, and those that say something."""

    _source: Source
    tree: dict[str, Span] = field(factory=dict)
    spans: list[Span] = field(factory=list)
    logged: dict[str, list[GenAIEvent]] = field(factory=dict)
    traces: int = 0

    def __attrs_post_init__(self) -> None:
        size = 0
        for event in events_in(self._source):
            size += _size(event.body)
            self.logged.setdefault(event.span, []).append(event)
        for span in spans_in(self._source):
            size += _size(span.attributes)
            if size > MOST_HELD_BYTES or len(self.tree) >= MOST_HELD_ROWS:
                problem = (
                    f"spans have to be held to put them in order: {MOST_HELD_ROWS} of them, or "
                    f"{MOST_HELD_BYTES >> 20} MiB, at most"
                )
                raise FileError(self._source.path, problem, kind="too_large")
            self.tree[span.id] = span
        found = [span for span in self.tree.values() if _operation(span) in {_AGENT, *_MODEL}]
        speaking = [span for span in found if speaks(span, self.events(span))]
        if not speaking:
            raise self._source.error(Place(), _silent(len(found)))
        agents = [span for span in speaking if _operation(span) == _AGENT]
        self.spans = sorted(agents or speaking, key=lambda span: span.start)
        self.traces = len({span.trace for span in self.spans})

    def events(self, span: Span) -> Sequence[GenAIEvent]:
        """Return the events of a span and the log records that belong to it."""
        return sorted((*span.events, *self.logged.get(span.id, ())), key=lambda one: one.order)

    def around(self, span: Span) -> Iterator[Span]:
        """Yield the spans around one, from the inside."""
        seen = {span.id}
        while (outer := self.tree.get(span.parent)) is not None and outer.id not in seen:
            seen.add(outer.id)
            yield outer
            span = outer

    def picked(self, options: Options) -> str:
        """Return the room to read."""
        rooms = dict.fromkeys(self.room_of(span) for span in self.spans)
        return pick_room(self._source, rooms, options.room, noun="conversation")

    def room_of(self, span: Span) -> str:
        """Return the conversation of a span; a trace is one, unless each of them says one thing."""
        for one in (span, *self.around(span)):
            if id := string_at(one.attributes, "gen_ai.conversation.id"):
                return id
        return "all" if self.traces == len(self.spans) else span.trace

    def run_of(self, span: Span) -> str:
        """Return the workflow that a span is part of, or the outermost agent."""
        run = span.id
        for outer in self.around(span):
            if outer.name.startswith(_WORKFLOWS):
                return outer.id
            if _operation(outer) == _AGENT:
                run = outer.id
        return run

    def speaker(self, span: Span) -> Speaker:
        """Return the agent that a span is of."""
        for one in (span, *self.around(span)):
            named = string_at(one.attributes, "gen_ai.agent.name", "gen_ai.agent.id")
            if not named and _operation(one) == _AGENT:
                named = one.name.removeprefix(_AGENT).strip()
            if named:
                return Speaker(key=f"agent:{named}", name=named, kind="agent")
        return Speaker(key="role:assistant", name="assistant", kind="agent")


def _size(attributes: Mapping[str, Any]) -> int:
    return sum(len(value) if isinstance(value, str) else 64 for value in attributes.values())


def _silent(found: int) -> str:
    if not found:
        return "there is no span whose `gen_ai.operation.name` is `invoke_agent` or `chat`"
    return (
        f"there are {found} spans of agents and models, and none has the attribute "
        "`gen_ai.output.messages` or a `gen_ai.choice` event: the capture of messages was off"
    )


@define
class _Reading:
    """One pass over the spans: what was said so far, and in which runs."""

    _held: _Held
    _said: dict[str, None] = field(factory=dict)
    _prompts: dict[str, None] = field(factory=dict)
    _runs: dict[str, None] = field(factory=dict)
    _last: str = ""

    def read(self, room: str) -> Iterator[Yielded]:
        spans = [span for span in self._held.spans if self._held.room_of(span) == room]
        inner = self._inner(spans)
        for span in spans:
            yield from self._asked(span)
            by = self._held.speaker(span)
            for message in outputs_of(span, self._held.events(span)):
                if message.text.strip() and message.text in inner.get(span.id, ()):
                    continue
                yield from self._message(span.place, by, message)

    def _inner(self, spans: Sequence[Span]) -> Mapping[str, set[str]]:
        """Return the texts of the spans inside each: a workflow that is an agent repeats them."""
        chosen = {span.id for span in spans}
        inner: dict[str, set[str]] = {}
        for span in spans:
            outer = [one.id for one in self._held.around(span) if one.id in chosen]
            if outer:
                texts = {message.text for message in outputs_of(span, self._held.events(span))}
                for id in outer:
                    inner.setdefault(id, set()).update(texts)
        return inner

    def _asked(self, span: Span) -> Iterator[Yielded]:
        """Yield what a person said before a span."""
        messages = inputs_of(span, self._held.events(span))
        for message in messages:
            if message.role in {"system", "developer"} and message.text not in self._prompts:
                self._prompts[message.text] = None
                yield Left("system", span.place)
        run = self._held.run_of(span)
        if _operation(span) == _AGENT and run in self._runs:
            return
        asked = [one for one in messages if one.role == "user" and not one.silent]
        if _operation(span) == _AGENT:
            asked = asked[-1:] if self._runs else asked[:1]
        self._runs[run] = None
        for message in asked:
            if message.text in self._said or message.text.startswith(_RETOLD):
                continue
            self._said[message.text] = None
            self._last = _USER.key
            yield Record(by=_USER, text=message.text, place=span.place)

    def _message(self, place: Place, by: Speaker, message: Message) -> Iterator[Yielded]:
        for kind in message.silent:
            yield Left(kind, place)
        if message.role in {"user", "system", "tool"}:
            return
        if message.text.strip() or message.calls or not message.silent:
            self._said[message.text] = None
            self._last = by.key
            yield Record(
                by=by,
                text=message.text,
                handoff=message.handoff,
                calls=message.calls,
                place=place,
            )
        elif message.handoff and self._last == by.key:
            yield Handoff(by=by.key, to=message.handoff, place=place)
