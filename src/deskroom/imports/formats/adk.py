"""``adk``: sessions and events of Google's Agent Development Kit, as JSON or in its databases.

``author`` is the speaker; the role of a content is no help. Text parts are joined with nothing
between them. Pickled columns of databases before 1.22 are never read: a transfer is then known from
the call of ``transfer_to_agent`` alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from attrs import define

from deskroom.errors import FileError
from deskroom.imports.importer import Match, Options, pick_room
from deskroom.imports.jsontext import parse_json
from deskroom.imports.picks import list_at, object_at, string_at
from deskroom.imports.records import Handoff, Left, Place, Record, Speaker, Yielded
from deskroom.imports.said import calls_in, is_desk_tool
from deskroom.imports.source import Source

name: Final = "adk"
reads: Final = "Google ADK 1.0 to 2.x: sessions, events, SQLite databases of sessions"
looks_for: Final = (
    "a session with `appName` and `events`, events with `invocationId`, or its database"
)
example: Final = "deskroom import crate-12.session.json -o run.jsonl"
is_sorted: Final = False
same_id: Final = "error"

_TRANSFER: Final = "transfer_to_agent"
_USER: Final = "user"
#: Parts that say nothing to the others, under both spellings, with the word for each.
_SILENT: Final = (
    ("function call", "functionCall", "function_call"),
    ("function response", "functionResponse", "function_response"),
    ("executable code", "executableCode", "executable_code"),
    ("code execution result", "codeExecutionResult", "code_execution_result"),
    ("tool call", "toolCall", "tool_call"),
    ("tool response", "toolResponse", "tool_response"),
)
_SESSIONS: Final = ("app_name", "user_id", "id")
_EVENTS: Final = ("id", "app_name", "user_id", "session_id", "invocation_id", "timestamp")
#: Of a database before 1.22, which has no ``event_data``.
_COLUMNS: Final = ("author", "content", "partial", "error_code", "error_message")


def sniff(source: Source) -> Match | None:
    """Say whether this is such a file or database."""
    if source.shape == "sqlite":
        columns = source.columns("events")
        fits = set(_EVENTS) <= set(columns) and {"event_data", "content"} & set(columns)
        return Match("a database of ADK sessions") if fits else None
    values = source.samples()
    if not values:
        return None
    if all(_is_session(value) for value in values):
        return Match("a session with `appName` and `events`")
    if all(_is_event(value) for value in values):
        return Match("events with `author` and `invocationId`")
    return None


def read(source: Source, options: Options) -> Iterator[Yielded]:
    """Yield the events of one session."""
    reading = _Reading(source)
    for place, value in _events(source, options):
        yield from reading.event(place, value)


def _is_session(value: object) -> bool:
    return (
        bool(string_at(value, "appName", "app_name"))
        and isinstance(value, dict)
        and isinstance(value.get("events"), list)
    )


def _is_event(value: object) -> bool:
    return (
        bool(string_at(value, "author"))
        and isinstance(value, dict)
        and ("invocationId" in value or "invocation_id" in value)
    )


# --- where the events are ----------------------------------------------------------------------


def _events(source: Source, options: Options) -> Iterator[tuple[Place, Any]]:
    if source.shape == "sqlite":
        yield from _stored(source, options)
        return
    if not _is_session(next(iter(source.samples(1)), None)):
        yield from source.values()
        return
    names = (string_at(value, "id") for _, value in source.values())
    wanted = pick_room(source, names, options.room, noun="session")
    for place, session in source.values():
        if string_at(session, "id") == wanted:
            for at, event in enumerate(list_at(session, "events")):
                yield Place(place.line, f"{place.pointer}/events/{at}", place.file), event


def _stored(source: Source, options: Options) -> Iterator[tuple[Place, Any]]:
    """Yield the events of a session in a database, in the order in which they were stored."""
    has_data = "event_data" in source.columns("events")
    found = source.query("select distinct app_name, user_id, session_id from events order by 1,2,3")
    keys = [tuple(str(part) for part in row) for row in found]
    ids = [session for _, _, session in keys]
    names = {
        session if ids.count(session) == 1 else f"{app}/{user}/{session}": (app, user, session)
        for app, user, session in keys
    }
    wanted = names[pick_room(source, names, options.room, noun="session")]
    columns = "event_data" if has_data else ", ".join(_COLUMNS)
    sql = (
        f"select id, invocation_id, {columns} from events "  # noqa: S608 - names of our own
        "where app_name = ? and user_id = ? and session_id = ? order by rowid"
    )
    for number, (id, invocation, *rest) in enumerate(source.query(sql, wanted), start=1):
        place = Place(pointer=f"event {number}")
        if has_data:
            value = _decoded(source, rest[0])
        else:
            value = dict(zip(_COLUMNS, rest, strict=True))
            value["content"] = _decoded(source, value["content"])
        known = {"id": id, "invocation_id": invocation}
        yield place, {**object_at(value), **known}


def _decoded(source: Source, value: object) -> Any:  # noqa: ANN401 - decoded JSON
    if isinstance(value, bytes):
        try:
            value = value.decode()
        except UnicodeDecodeError:
            raise FileError(source.path, "an event is no UTF-8", kind="format") from None
    return parse_json(value, source.path) if isinstance(value, str) else None


# --- an event ----------------------------------------------------------------------------------


@define
class _Reading:
    """One pass: whether the author of this event has a row in this turn, for a hand-off."""

    _source: Source
    _author: str = ""
    _has_row: bool = False

    def event(self, place: Place, value: object) -> Iterator[Yielded]:
        author = string_at(value, "author")
        if not author or not isinstance(value, dict):
            raise self._source.error(place, "an event needs `author`, a string")
        if author != self._author:
            self._author, self._has_row = author, False
        if value.get("partial"):
            yield Left("streamed piece", place)
            return
        parts = list_at(object_at(value, "content"), "parts")
        silent = [kind for part in parts for kind in _silent(part)]
        for kind in silent:
            yield Left(kind, place)
        text = _text(parts) or _spoken(value)
        calls = calls_in(_calls(parts))
        if text.strip() or calls:
            self._has_row = True
            yield Record(
                by=Speaker(key=author, name=author, kind="person" if author == _USER else "agent"),
                text=text,
                id=string_at(value, "id") or None,
                calls=calls,
                place=place,
            )
        elif parts and not silent:
            yield Left("blank", place)
        yield from self._rest(place, value, parts)

    def _rest(
        self,
        place: Place,
        value: Mapping[str, Any],
        parts: Any,  # noqa: ANN401 - decoded JSON
    ) -> Iterator[Yielded]:
        actions = object_at(value, "actions")
        if object_at(actions, "compaction"):
            yield Left("compaction", place)
        if string_at(actions, "rewindBeforeInvocationId", "rewind_before_invocation_id"):
            yield Left("rewind", place)
        if string_at(value, "errorCode", "error_code", "errorMessage", "error_message"):
            yield Left("error", place)
        target = string_at(actions, "transferToAgent", "transfer_to_agent")
        if not target and "actions" not in value:
            target = _transfer(parts)
        if target and self._has_row:
            yield Handoff(by=self._author, to=target, place=place)


def _silent(part: object) -> Iterator[str]:
    """Yield a word for each thing in a part that is no text for the others."""
    if not isinstance(part, dict):
        yield "other part"
        return
    for kind, camel, snake in _SILENT:
        found = object_at(part, camel, snake)
        if found and not (kind == "function call" and is_desk_tool(found.get("name"))):
            yield kind
    if part.get("thought") is True and string_at(part, "text"):
        yield "thought"


def _text(parts: Any) -> str:  # noqa: ANN401 - decoded JSON
    """Return the text of some parts; where there is none, what stands for pictures and files."""
    said = "".join(string_at(part, "text") for part in parts if not _is_thought(part))
    if said.strip():
        return said
    return "\n".join(shown for part in parts if (shown := _shown(part))) or said


def _is_thought(part: object) -> bool:
    return isinstance(part, dict) and part.get("thought") is True


def _shown(part: object) -> str:
    blob = object_at(part, "inlineData", "inline_data", "fileData", "file_data")
    if not blob:
        return ""
    kind = string_at(blob, "mimeType", "mime_type").partition("/")[0]
    if kind in {"image", "audio", "video"}:
        return f"[{kind}]"
    named = string_at(blob, "displayName", "display_name")
    return f"[file: {named}]" if named else "[file]"


def _spoken(value: Mapping[str, Any]) -> str:
    """Return what was said aloud, once the whole of it was heard."""
    for keys in (
        ("inputTranscription", "input_transcription"),
        ("outputTranscription", "output_transcription"),
    ):
        heard = object_at(value, *keys)
        if heard.get("finished") is not False and (text := string_at(heard, "text")):
            return text
    return ""


def _calls(parts: Any) -> Iterator[tuple[object, object]]:  # noqa: ANN401 - decoded JSON
    for part in parts:
        call = object_at(part, "functionCall", "function_call")
        yield call.get("name"), call.get("args")


def _transfer(parts: Any) -> str:  # noqa: ANN401 - decoded JSON
    """Return whom a call hands to, in a database that keeps the actions where nobody may look."""
    for tool, arguments in _calls(parts):
        if tool == _TRANSFER:
            return string_at(arguments, "agent_name")
    return ""
