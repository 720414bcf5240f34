"""Spans and log records of OpenTelemetry: OTLP in JSON, and what the Python SDK's ``to_json`` gives.

Only what generative AI has in them is kept: attributes and events whose names begin with ``gen_ai``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from attrs import frozen

from deskroom.imports.picks import list_at, object_at, string_at
from deskroom.imports.records import Place
from deskroom.imports.source import Source

__all__ = ["GenAIEvent", "Span", "events_in", "is_telemetry", "spans_in"]

_GEN_AI: Final = "gen_ai."
#: Attributes of an event that older instrumentations use without the prefix.
_BARE: Final = frozenset(("content", "message", "role", "tool_calls", "index", "id"))
_MOST_DEPTH: Final = 60


@frozen(kw_only=True)
class GenAIEvent:
    """An event of a span, or a log record that belongs to one."""

    span: str
    name: str
    order: tuple[str, int]
    body: Mapping[str, Any]


@frozen(kw_only=True)
class Span:
    """A span with its ``gen_ai`` attributes; ``start`` sorts as a text."""

    id: str
    parent: str
    trace: str
    name: str
    scope: str
    start: str
    attributes: Mapping[str, Any]
    events: Sequence[GenAIEvent]
    place: Place


def is_telemetry(value: object) -> bool:
    """Whether a value is an OTLP document, or a span or log record as the SDK shows it."""
    if not isinstance(value, dict):
        return False
    if any(isinstance(value.get(key), list) for key in ("resourceSpans", "resourceLogs")):
        return True
    return _is_shown_span(value) or _is_shown_log(value)


def _is_shown_span(value: object) -> bool:
    context = object_at(value, "context")
    return bool(string_at(context, "span_id") and string_at(value, "name"))


def _is_shown_log(value: object) -> bool:
    keys = object_at(value).keys()
    return {"span_id", "trace_id", "attributes", "body"} <= keys


def spans_in(source: Source) -> Iterator[Span]:
    """Yield every span, in the order of the file."""
    for place, value in source.values():
        if _is_shown_span(value):
            yield _shown_span(place, value)
            continue
        for where, group, span in _under(place, value, "resourceSpans", "scopeSpans", "spans"):
            yield _span(where, string_at(object_at(group, "scope"), "name"), span)


def events_in(source: Source) -> Iterator[GenAIEvent]:
    """Yield every log record of generative AI, in the order of the file."""
    for place, value in source.values():
        if _is_shown_log(value) and not _is_shown_span(value):
            yield from _event(value, _plain_id(string_at(value, "span_id")), 0)
            continue
        found = _under(place, value, "resourceLogs", "scopeLogs", "logRecords")
        for at, (_, _, record) in enumerate(found):
            yield from _event(record, string_at(record, "spanId"), at)


def _under(
    place: Place, value: object, *keys: str
) -> Iterator[tuple[Place, Mapping[str, Any], Mapping[str, Any]]]:
    """Yield each item three lists down, with what holds its list."""
    first, second, third = keys
    for i, resource in enumerate(list_at(value, first)):
        for j, group in enumerate(list_at(resource, second, "instrumentationLibrarySpans")):
            for k, item in enumerate(list_at(group, third)):
                pointer = f"{place.pointer}/{first}/{i}/{second}/{j}/{third}/{k}"
                yield Place(place.line, pointer, place.file), object_at(group), object_at(item)


def _span(place: Place, scope: str, value: Mapping[str, Any]) -> Span:
    id = string_at(value, "spanId")
    events = enumerate(list_at(value, "events"))
    return Span(
        id=id,
        parent=string_at(value, "parentSpanId"),
        trace=string_at(value, "traceId"),
        name=string_at(value, "name"),
        scope=scope,
        start=_sortable(value.get("startTimeUnixNano")),
        attributes=_kept(_attributes(value.get("attributes"))),
        events=[one for at, event in events for one in _event(event, id, at)],
        place=place,
    )


def _shown_span(place: Place, value: Mapping[str, Any]) -> Span:
    context = object_at(value, "context")
    id = _plain_id(string_at(context, "span_id"))
    events = enumerate(list_at(value, "events"))
    return Span(
        id=id,
        parent=_plain_id(string_at(value, "parent_id")),
        trace=_plain_id(string_at(context, "trace_id")),
        name=string_at(value, "name"),
        scope=string_at(object_at(value, "instrumentation_scope", "scope"), "name"),
        start=_sortable(value.get("start_time")),
        attributes=_kept(object_at(value, "attributes")),
        events=[one for at, event in events for one in _event(event, id, at)],
        place=place,
    )


def _event(value: object, span: str, at: int) -> Iterator[GenAIEvent]:
    held = object_at(value).get("attributes")
    attributes = held if isinstance(held, dict) else _attributes(held)
    named = string_at(value, "eventName", "event_name", "name")
    named = named or string_at(attributes, "event.name")
    if not named.startswith(_GEN_AI):
        return
    body = object_at(value).get("body")
    if isinstance(body, dict) and len(body) == 1 and next(iter(body)).endswith("Value"):
        body = _any(body)
    time = object_at(value)
    yield GenAIEvent(
        span=span,
        name=named,
        order=(_sortable(time.get("timeUnixNano", time.get("timestamp"))), at),
        body={**_kept(attributes, _BARE), **(body if isinstance(body, dict) else {})},
    )


def _kept(attributes: Mapping[str, Any], also: frozenset[str] = frozenset()) -> Mapping[str, Any]:
    return {k: v for k, v in attributes.items() if k.startswith(_GEN_AI) or k in also}


def _plain_id(id: str) -> str:
    return id.removeprefix("0x")


def _sortable(time: object) -> str:
    """Return a time as a text that sorts: nanoseconds of equal length, or an ISO date."""
    if isinstance(time, int):
        return str(time)[:40].zfill(20)
    return time.zfill(20) if isinstance(time, str) else ""


# --- OTLP's values -----------------------------------------------------------------------------


def _attributes(held: object) -> dict[str, Any]:
    found = held if isinstance(held, list) else []
    return {string_at(one, "key"): _any(object_at(one, "value")) for one in found}


def _any(value: object, depth: int = 0) -> Any:  # noqa: ANN401 - decoded JSON
    """Return a value of OTLP, which names its type, as a plain one."""
    if not isinstance(value, dict) or depth > _MOST_DEPTH:
        return None
    if "arrayValue" in value:
        return [_any(one, depth + 1) for one in list_at(value["arrayValue"], "values")]
    if "kvlistValue" in value:
        pairs = list_at(value["kvlistValue"], "values")
        return {string_at(one, "key"): _any(object_at(one, "value"), depth + 1) for one in pairs}
    return next(iter(value.values()), None)
