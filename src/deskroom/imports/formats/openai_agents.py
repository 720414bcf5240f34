"""``openai-agents``: input items, sessions in SQLite, and run states of the OpenAI Agents SDK.

Items do not say who wrote them. The only trace is the output of a hand-off, ``{"assistant": NAME}``:
from there on NAME speaks; until the first one it is ``assistant``, and a warning says so. In a run
state each item has its agent.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from attrs import define

from deskroom.errors import FileError
from deskroom.imports.importer import Match, Options, pick_room
from deskroom.imports.jsontext import parse_json
from deskroom.imports.parts import arguments_of, said_in
from deskroom.imports.picks import list_at, object_at, string_at
from deskroom.imports.records import Handoff, Left, Place, Record, Speaker, Yielded
from deskroom.imports.said import calls_in, is_desk_tool
from deskroom.imports.source import Source

name: Final = "openai-agents"
reads: Final = "OpenAI Agents SDK 0.0 to 0.24: items, SQLite sessions, run states"
looks_for: Final = "items with a `type` such as `function_call`, a run state, or a session database"
example: Final = "deskroom import session.db --room order-7 -o run.jsonl"
is_sorted: Final = False
same_id: Final = "error"

_ASSISTANT: Final = "assistant"
_PROMPTS: Final = frozenset(("system", "developer"))
_ROLES: Final = frozenset(("user", _ASSISTANT)) | _PROMPTS
_STORED: Final = frozenset(("session_id", "message_data"))
#: Kinds of items that neither end in ``_call`` nor in what a result ends in.
_WORDS: Final[Mapping[str, str]] = {
    "reasoning": "reasoning",
    "program": "tool call",
    "mcp_approval_request": "approval request",
    "mcp_approval_response": "approval response",
    "mcp_list_tools": "tool list",
    "additional_tools": "tool list",
    "compaction": "compaction",
    "compaction_summary": "compaction",
    "compaction_trigger": "compaction",
    "item_reference": "item reference",
}
_RESULTS: Final = ("_output", "_result")
#: How the SDK retells what was said before a hand-off, where it nests the history.
_RETOLD: Final = "For context, here is the conversation so far"
_RETOLD_USER: Final = re.compile(
    r"^\d+\. user: (.*?)(?=^\d+\. |^</CONVERSATION HISTORY>|\Z)", re.MULTILINE | re.DOTALL
)
_ITEMS: Final = ("data", "items", "input")
_USER: Final = Speaker(key="role:user", name="user", kind="person")
_UNNAMED: Final = (
    "no item says who wrote it: until the first hand-off the speaker is `assistant`, from there on "
    "the agent that was handed to"
)


def sniff(source: Source) -> Match | None:
    """Say whether this is such a file or database."""
    if source.shape == "sqlite":
        return Match("a database of agent sessions") if _stored_in(source) else None
    values = source.samples()
    if len(values) == 1 and _is_state(values[0]):
        return Match("a run state with `$schemaVersion`")
    items = list(values)
    if len(items) == 1 and not _is_item(items[0]):
        items = list(list_at(items[0], *_ITEMS))
    if items and all(map(_is_item, items)) and any(_kind(item) for item in items):
        return Match("items with `type`")
    return None


def read(source: Source, options: Options) -> Iterator[Yielded]:
    """Yield the items of one session, or of the run."""
    reading = _Reading(source)
    if source.shape == "sqlite":
        for place, value in _stored(source, options):
            yield from reading.item(place, value)
        return
    first = next(iter(source.samples(1)), None)
    if _is_state(first):
        yield from _state(reading, object_at(first))
        return
    held = () if _is_item(first) else list_at(first, *_ITEMS)
    values = ((Place(pointer=f"/{at}"), one) for at, one in enumerate(held))
    for place, value in values if held else source.values():
        yield from reading.item(place, value)


def _is_state(value: object) -> bool:
    keys = value.keys() if isinstance(value, dict) else ()
    return "$schemaVersion" in keys and bool({"generated_items", "generatedItems"} & set(keys))


def _kind(value: object) -> str:
    """Return the type of an item; empty for a message, which may go without."""
    kind = string_at(value, "type")
    return "" if kind == "message" and "role" in object_at(value) else kind


def _is_item(value: object) -> bool:
    kind = _kind(value)
    if not isinstance(value, dict) or (kind and not _word(kind)):
        return False
    if not kind:
        return string_at(value, "role") in _ROLES and isinstance(value.get("content"), str | list)
    keys = {"call_id", "callId", "id", "summary", "encrypted_content", "tools"}
    return bool(keys & value.keys())


def _word(kind: str) -> str:
    if kind in _WORDS:
        return _WORDS[kind]
    return "tool call" if kind.endswith("_call") else "tool result" * kind.endswith(_RESULTS)


# --- where the items are -----------------------------------------------------------------------


def _stored_in(source: Source) -> str | None:
    """Return the table of a database that holds items; its name can be chosen."""
    return next((one for one in source.tables() if set(source.columns(one)) >= _STORED), None)


def _stored(source: Source, options: Options) -> Iterator[tuple[Place, Any]]:
    table = _stored_in(source)
    if table is None:
        raise source.error(
            Place(), "the database has no table with `session_id` and `message_data`"
        )
    quoted = '"' + table.replace('"', '""') + '"'
    found = source.query(
        f"select session_id from {quoted} group by session_id order by min(rowid)"  # noqa: S608
    )
    wanted = pick_room(source, (str(row[0]) for row in found), options.room, noun="session")
    branches = ""
    if {"message_id", "branch_id"} <= set(source.columns("message_structure")):
        branches = (
            "and id not in (select message_id from message_structure where branch_id <> 'main') "
        )
    sql = (
        f"select rowid, message_data from {quoted} where session_id = ? "  # noqa: S608 - quoted
        f"{branches}order by rowid"
    )
    for number, data in source.query(sql, (wanted,)):
        if not isinstance(data, str):
            raise source.error(Place(pointer=f"message {number}"), "an item must be JSON")
        yield Place(pointer=f"message {number}"), parse_json(data, source.path)


def _state(reading: _Reading, state: Mapping[str, Any]) -> Iterator[Yielded]:
    """Yield the input and the items of a run; what the model answered stands there once more."""
    given = state.get("original_input", state.get("originalInput"))
    if isinstance(given, str):
        given = [{"role": "user", "content": given}]
    # A filter at a hand-off moves items into the input; the session keeps all that were made.
    keys = (("generated_items", "generatedItems"), ("session_items", "sessionItems"))
    held = max((list_at(state, *both) for both in keys), key=len)
    made = {string_at(object_at(item, "raw_item", "rawItem"), "id") for item in held} - {""}
    for at, item in enumerate(given if isinstance(given, list) else ()):
        if string_at(item, "id") not in made:
            yield from reading.item(Place(pointer=f"/original_input/{at}"), item)
    for at, item in enumerate(held):
        place = Place(pointer=f"/generated_items/{at}")
        yield from reading.item(
            place,
            object_at(item, "raw_item", "rawItem"),
            string_at(object_at(item, "agent"), "name"),
            string_at(object_at(item, "target_agent", "targetAgent"), "name"),
            string_at(item, "type"),
        )


# --- an item -----------------------------------------------------------------------------------


@define
class _Reading:
    """One pass: who speaks now, and whether a row of this turn can take a hand-off."""

    _source: Source
    _speaker: str = _ASSISTANT
    _last: str = ""

    def item(
        self, place: Place, value: object, agent: str = "", target: str = "", held: str = ""
    ) -> Iterator[Yielded]:
        if not isinstance(value, dict):
            raise self._source.error(place, "an item must be an object")
        self._speaker = agent or self._speaker
        kind = _kind(value)
        if "__enc__" in value:
            yield Left("encrypted item", place)
        elif held == "tool_approval_item":
            yield Left("approval request", place)
        elif not kind:
            yield from self._message(place, value, is_named=bool(agent))
        elif kind == "function_call" and is_desk_tool(value.get("name")):
            arguments = arguments_of(value.get("arguments"), self._source.path)
            self._last = self._speaker
            yield Record(
                by=self._by(),
                text="",
                calls=calls_in(iter([(value.get("name"), arguments)])),
                place=place,
            )
        else:
            yield Left(_word(kind) or f"{kind[:60]} item", place)
            yield from self._handed(place, target or _handed_to(value, self._source.path))

    def _message(
        self, place: Place, value: Mapping[str, Any], *, is_named: bool
    ) -> Iterator[Yielded]:
        role = string_at(value, "role")
        said = said_in(value.get("content"), "")
        if role not in _ROLES or said is None:
            problem = "a message needs `role`, and `content`, a string or a list of parts"
            raise self._source.error(place, problem)
        if role in _PROMPTS:
            yield Left("system", place)
            return
        if said.text.startswith(_RETOLD):
            yield from self._retold(place, said.text)
            return
        if role == _ASSISTANT and not is_named:
            self._source.warn(None, _UNNAMED)
        by = _USER if role == "user" else self._by()
        self._last = by.key
        id = string_at(value, "id")
        yield Record(by=by, text=said.text, id=id if id.startswith("msg_") else None, place=place)

    def _retold(self, place: Place, text: str) -> Iterator[Yielded]:
        """Yield what a person said, which stands nowhere else once a hand-off has nested it."""
        yield Left("retold history", place)
        for found in _RETOLD_USER.finditer(text):
            self._last = _USER.key
            yield Record(by=_USER, text=found[1], place=place)

    def _by(self) -> Speaker:
        return Speaker(key=self._speaker, name=self._speaker, kind="agent")

    def _handed(self, place: Place, target: str) -> Iterator[Yielded]:
        if not target:
            return
        if self._last == self._speaker:
            yield Handoff(by=self._speaker, to=target, place=place)
        self._speaker, self._last = target, ""


def _handed_to(value: Mapping[str, Any], path: str) -> str:
    """Return whom the output of a hand-off names; empty for that of any other tool."""
    output = value.get("output")
    if isinstance(output, dict):
        output = output.get("text")
    if not isinstance(output, str) or not output.startswith("{"):
        return ""
    try:
        decoded = parse_json(output, path)
    except FileError:
        return ""
    named = string_at(decoded, _ASSISTANT)
    return named if isinstance(decoded, dict) and len(decoded) == 1 else ""
