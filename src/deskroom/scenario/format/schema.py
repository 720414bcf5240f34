"""The scenario format as a JSON Schema, walked from the classes of the model.

Types, defaults, words and limits are the model's own; only what each key is for is written here,
and a test holds that table against the classes. The draft is 7: editors that check TOML (Taplo and
Even Better TOML among them) know no later one, and would not follow ``$defs``.

The schema never refuses what the loader takes. What needs two keys at once to be judged, such as
names that exist, is left to ``deskroom check``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import UnionType
from typing import Any, Final, Literal, Union, get_args, get_origin

import attrs

from deskroom.core.aside import AsidePolicy
from deskroom.core.dispatch import DispatchPolicy
from deskroom.core.roster import Person
from deskroom.engine.policy import BroadcastPolicy, ChairPolicy, Policy
from deskroom.engine.setup import Seat
from deskroom.runs.properties import Property
from deskroom.scenario.format.explore import Explore
from deskroom.scenario.format.live import KEYS_OF_KIND, LIVE_KEYS, NEEDED_KEYS, Live, LiveSeat
from deskroom.scenario.format.load import DOCUMENT_KEYS, FORMAT
from deskroom.scenario.format.model import (
    DOES_KEYS,
    FROM_LOADER,
    Alternative,
    Call,
    DeskSpec,
    Meanwhile,
    Nobody,
    Opening,
    OpeningExpect,
    RunExpect,
    Scenario,
    Turn,
    TurnExpect,
    choices_of,
)
from deskroom.scenario.format.properties import KINDS, MATCHER_KEYS, SAME_AS, WORDS
from deskroom.scenario.format.rules import PERSON_KEYS
from deskroom.speech.tools import served, tool_specs

__all__ = ["DRAFT", "scenario_schema"]

Json = dict[str, Any]

DRAFT: Final = "http://json-schema.org/draft-07/schema#"

#: How each class is called in the schema, and what its table is.
_TABLES: Final[Mapping[type, tuple[str, str]]] = {
    DeskSpec: ("desk", "The desk: its seats in order, and the people who may speak at it."),
    Seat: ("seat", "A seat of the desk: an agent that speaks only by calling tools."),
    Person: ("person", "A human being who may speak at the desk."),
    Policy: ("policy", "What the room allows. What a table leaves out keeps its default."),
    DispatchPolicy: ("dispatch", "Whether a mention hands on the turn, and how often in a row."),
    AsidePolicy: ("aside", "When a seat may speak in private. The default allows nothing."),
    ChairPolicy: ("chair", "How the chair keeps a routed room going. It never speaks in a list."),
    BroadcastPolicy: ("broadcast", "Whom a broadcast goes to."),
    Opening: ("opening", "A row by a person, before turn 1."),
    OpeningExpect: ("openingExpect", "What must come out of the opening."),
    Turn: ("turn", "One listed turn, of a seat or of a person."),
    TurnExpect: ("turnExpect", "What must come out of a turn. What is left out is not compared."),
    RunExpect: ("runExpect", "What must come out of the whole run."),
    Alternative: ("alternative", "One thing that a seat may do in its turn."),
    Meanwhile: ("meanwhile", "What a person says in the middle of a seat's turn."),
    Explore: ("explore", "How deskroom explore plays the file in orders that could happen."),
    Live: ("live", "Who plays seats live. Only deskroom run starts anything of it."),
    LiveSeat: ("liveSeat", "What plays one seat live."),
    Nobody: ("nobody", "The row hands the turn to nobody, for this reason."),
    Call: ("call", "One call. Every other key is an argument, and only the host judges it."),
}

#: What each key is for.
_DOCS: Final[Mapping[type, Mapping[str, str]]] = {
    Scenario: {
        "format": "The version of the format.",
        "title": "One line that says what the scenario shows.",
        "why": "What the file is for, and where its rules or facts are from.",
        "order": "Who is granted a turn: the next in the list, or whom the host's rules choose.",
        "desk": "The desk: its seats in order, and the people who may speak at it.",
        "policy": "What the room allows.",
        "opening": "A row by a person, before turn 1. A routed scenario needs it, or a person's "
        "turn first.",
        "turn": "The listed turns.",
        "expect": "What must come out of the whole run.",
        "property": "What must hold of every run, whatever its seats do.",
        "kill": "Lines of the journal behind which the process is killed, and the room resumed.",
        "invariants": "Whether a replay also checks what holds in every run of the host.",
        "explore": "How the file is explored, by deskroom explore, a sweep and pytest.",
        "live": "Who plays seats live, under deskroom run alone.",
    },
    DeskSpec: {
        "id": "The desk's id, which messages can mention.",
        "name": "The desk's name.",
        "seats": "The seats in order. The first that is not retired leads the desk.",
        "people": "The people who may open, speak, and lend the chair their name.",
    },
    Seat: {
        "id": "The id that messages name with @, and that everything else here goes by.",
        "name": "A second name that messages can use. A space in it ends the mention.",
        "role": "What the seat is there for; the lexical router reads it.",
        "brief": "What the seat is told with every turn.",
        "fence": "A seat without tools: what it says is read out of its text, between <<<POST and "
        "POST>>>.",
        "retired": "The seat no longer acts and can be neither named nor written to.",
    },
    Person: {
        "id": "The id that turns and the opening go by.",
        "label": "The name that is shown. Messages name it, or its words joined by _, with @.",
    },
    Policy: {
        "dispatch": "Whether a mention hands on the turn, and how often in a row.",
        "aside": "When a seat may speak in private.",
        "on_refused_aside": "What becomes of a private message that is declined: its call is "
        "refused, or it goes to the desk.",
        "chair": "How the chair keeps a routed room going.",
        "broadcast": "Whom a broadcast goes to.",
        "close": "Whose completion closes the desk: the first of any seat, or that of every "
        "participant.",
        "participants": 'The seats that must complete under close = "all". Every active seat, '
        "unless it is given.",
        "max_turns": "The room closes after so many turns.",
        "window": "How many last rows a seat is shown with its turn; more, if more were added "
        "since its last one.",
        "history_limit": "The most rows that a seat is shown with its turn.",
        "silence": "What a turn without a message costs: the turn, or one more try.",
        "max_calls": "How many calls a turn may make.",
        "max_message_bytes": "The longest message, in UTF-8 bytes.",
        "turn_timeout_s": "How many seconds a turn may take.",
    },
    DispatchPolicy: {
        "enabled": "Whether a mention hands on the turn.",
        "max_hops": "How many times in a row a mention may hand on the turn.",
    },
    AsidePolicy: {
        "enabled": "Whether seats may speak in private.",
        "max_members": "How many seats may be addressed at once.",
        "max_messages": "How many private messages may follow each other.",
        "must_surface": "A party must speak to the desk before it begins a new aside.",
        "require_thread": "Private talk needs a thread, which a room does not have yet.",
    },
    ChairPolicy: {
        "rounds": "How many nudges the chair has when nobody is next.",
        "every": "The chair also speaks once each time so many turns have run. 0: never.",
        "by": "The person that the chair speaks for. The first, unless it is given.",
    },
    BroadcastPolicy: {
        "router": "Who scores the seats: the scores of the turn, or the words they share with the "
        "message.",
        "width": "How many seats a broadcast goes to at most.",
    },
    Opening: {
        "by": "The id of the person who opens.",
        "message": "What the person says.",
        "expect": "What must come out of the opening.",
    },
    OpeningExpect: {"next": "Who is next: a seat id."},
    Turn: {
        "seat": "The id of the seat whose turn it is.",
        "person": "The id of the person who speaks.",
        "say": "What is said: for a seat, short for one desk_post.",
        "calls": "The calls that the seat makes, in order. The last accepted one stands.",
        "text": "What the seat writes outside any call. It reaches nobody, unless the seat is a "
        "fence seat.",
        "takes": "How many seconds the seat waits before its first call, in simulated time.",
        "crash": "The seat raises an error with this text after its calls.",
        "late": "Calls that the seat sends after its turn has ended.",
        "meanwhile": "What people say in the middle of the turn.",
        "wrote": "Paths of the files that the turn left behind; a row tells of them.",
        "scores": "For the scripted router: how well each seat suits this broadcast. Absent is 0.",
        "one_of": "What the seat may do instead. A replay plays the first, exploring draws one.",
        "repeat": "How many times in a row the turn is listed, with what is expected of it.",
        "expect": "What must come out of the turn.",
    },
    TurnExpect: {
        "content": "The row's text, as it was committed.",
        "audience": 'Who may read the row: "desk", or the seats addressed, in order.',
        "mentions": "Every mention that counts, in order: a seat id, person:id, desk:id or "
        "everyone.",
        "next": "Who is next by this row: a seat id, { none = reason }, or for a broadcast the "
        "seats that it goes to, in order.",
        "completes": "Whether the row is a completion.",
        "refusal": "Why a private message went to the desk, or why the last refused call was "
        "refused.",
        "replies": "One word for each call, in order.",
        "row": "false: the turn becomes no row.",
        "outcome": "How the turn ends.",
    },
    RunExpect: {
        "rows": "How many rows there are in all.",
        "turns": "How many turns are granted.",
        "nudges": "How many times the chair speaks.",
        "asides": "How many rows are private.",
        "closed": "Why the room closes.",
    },
    Live: {
        "people": "The people who speak from the terminal, at any time.",
        "person_timeout_s": "How many seconds a room waits for them where it would close as quiet.",
        "seats": "What plays a seat, under the seat's id.",
    },
    LiveSeat: {
        "kind": "What plays the seat: a client of MCP, a program, a model behind a chat API, a "
        "person at the terminal, or a function in Python.",
        "command": "The program and its arguments, without a shell.",
        "keep": "Whether the program is started once and gets turn after turn.",
        "mcp": "Whether the program takes its turns as an MCP client; its stdout is its text.",
        "env": "The program's environment. Nothing of ours is handed on.",
        "folder": "The working folder, from the file's own.",
        "timeout_s": "How many seconds the program, or one request, may take.",
        "max_output_bytes": "How much a program may write in a turn, in bytes.",
        "base_url": "Where the API is, for example http://127.0.0.1:8080/v1.",
        "model": "The model's name.",
        "key_env": "The environment variable that holds the key.",
        "temperature": "Passed to the model.",
        "seed": "Passed to the model.",
        "max_tokens": "How many tokens an answer may have.",
        "retries": "How often a request is tried again.",
        "function": "An async function of a turn, as package.module:function.",
    },
    Meanwhile: {
        "person": "The id of the person who speaks.",
        "say": "What the person says.",
        "at": "After so many calls of the turn, or after its end.",
    },
    Explore: {
        "runs": "How many runs are played.",
        "seed": "What they are drawn from.",
        "talk": "Whether what seats say is drawn, in place of the listed turns.",
        "turns": "The most turns of a run.",
        "delays": "The most turns of a run that take time, also past their deadline.",
        "late": "The most calls of a run that are made twice, or too late.",
        "kills": "How often at most the process is killed in a run, and the room resumed.",
        "people": "How often at most a person speaks in between in a run.",
        "faults": "The most turns of a run that crash, are silent or are refused.",
        "scores": "The most broadcasts of a run that get other scores.",
    },
    Nobody: {"none": "Why nobody is next."},
}

_PROPERTY_DOCS: Final[Mapping[str, str]] = {
    "name": "What must hold, in words.",
    "never": "No row or turn matches.",
    "always": "Every row and turn matches, or every one that when matches.",
    "when": "Beside always: which rows and turns must match.",
    "eventually": "Some row or turn matches before the room closes.",
    "after": "Behind each row or turn that this matches, one comes that then matches.",
    "then": "Beside after: what comes.",
    "within": "Beside after: in how many turns at most.",
    "count": "So many rows and turns match, by at_least and at_most.",
    "at_least": "Beside count: no fewer match.",
    "at_most": "Beside count: no more match.",
}
_MATCHER_DOCS: Final[Mapping[str, str]] = {
    "seat": "The seat whose turn or row it is.",
    "person": "The person who speaks, or for whom the chair does.",
    "kind": "What kind of row it is.",
    "row": "Whether it is a row.",
    "outcome": "How the turn ended.",
    "audience": 'Who may read the row: "desk", "aside", or the seats of one aside.',
    "mentions": "Whom the row names.",
    "next": "Who is next by the row.",
    "why": "Why nobody is next.",
    "refusal": "Why the row is not private, or why a call of the turn was refused.",
    "hop": "The hop of the turn.",
    "completes": "Whether the row is a completion.",
    "text": "A regular expression that is found in what was said.",
    "repeats_private": "Whether a public row repeats words of a private one.",
}

#: What the file calls otherwise than the model.
_RENAMED: Final[Mapping[str, str]] = {"turns": "turn", "properties": "property"}

#: What the loader asks for beyond the type of an attribute.
_NOT_EMPTY: Final = frozenset(
    {
        (TurnExpect, "audience"),
        (Policy, "participants"),
        (DeskSpec, "seats"),
        (Scenario, "turn"),
        (Turn, "one_of"),
    }
)
_BOUNDS: Final = {">=": "minimum", ">": "exclusiveMinimum", "<=": "maximum"}
_PLAIN: Final[Mapping[Any, Json]] = {
    str: {"type": "string"},
    bool: {"type": "boolean"},
    int: {"type": "integer"},
    float: {"type": "number"},
}


_BESIDE_ONE_OF: Final = tuple(key for key in _DOCS[Turn] if key not in DOES_KEYS)


def scenario_schema() -> Json:
    """Return the JSON Schema of a scenario file, as JSON-ready values in a fixed order."""
    definitions = {_TABLES[cls][0]: _table(cls) for cls in _TABLES}
    definitions |= {"property": _property_table(), "matcher": _matcher_table(after=False)}
    definitions["answer"] = _matcher_table(after=True)
    return {
        "$schema": DRAFT,
        "title": "deskroom scenario",
        "description": "A desk, what its seats say, and what must come out. See: deskroom new.",
        **_object(Scenario),
        "anyOf": [{"required": [key]} for key in ("turn", "live", "explore")],
        "definitions": definitions,
    }


def _table(cls: type) -> Json:
    described = {"description": _TABLES[cls][1]}
    if cls is Call:
        return {**described, **_call()}
    if cls is Turn:
        return {**described, **_object(cls), **_turn_rules()}
    if cls is Alternative:
        return {**described, **_object(cls), "not": {"required": ["say", "calls"]}}
    if cls is Live:
        return {**described, **_live()}
    if cls is LiveSeat:
        return {**described, **_object(cls), "allOf": list(_rules_of_kinds())}
    return {**described, **_object(cls)}


def _object(cls: type) -> Json:
    attributes = {_key(cls, attribute): attribute for attribute in _attributes(cls)}
    keys = DOCUMENT_KEYS if cls is Scenario else tuple(attributes)
    # The parts that every scenario must have, whatever a desk or a scenario in Python may lack.
    needed = {"format"} if cls is Scenario else {"seats"} if cls is DeskSpec else set()
    # A file that says who plays live may list no turn.
    free = {"turn"} if cls is Scenario else set()
    needed |= {key for key in keys if attributes[key].default is attrs.NOTHING} - free
    required = [key for key in keys if key in needed]
    return {
        "type": "object",
        "properties": {key: _property(cls, key, attributes[key]) for key in keys},
        **({"required": required} if required else {}),
        "additionalProperties": False,
    }


def _key(cls: type, attribute: attrs.Attribute[Any]) -> str:
    return _RENAMED.get(attribute.name, attribute.name) if cls is Scenario else attribute.name


def _attributes(cls: type) -> list[attrs.Attribute[Any]]:
    """Return the attributes that are keys of the file."""
    attrs.resolve_types(cls)
    return [one for one in attrs.fields(cls) if FROM_LOADER not in one.metadata]


def _property(cls: type, key: str, attribute: attrs.Attribute[Any]) -> Json:
    typed = _of_type(attribute.type)
    # Beside a reference draft 7 reads nothing; inside allOf the reference stands alone.
    schema: Json = {
        "description": _DOCS[Turn if cls is Alternative else cls][key],
        **({"allOf": [typed]} if "$ref" in typed else typed),
    }
    if (cls, key) == (Scenario, "format"):
        schema["enum"] = [FORMAT]
    elif _is_plain(attribute.default):
        schema["default"] = attribute.default
    schema.update(_limits(attribute.validator))
    if (cls, key) in _NOT_EMPTY:
        _array_in(schema)["minItems"] = 1
    return schema


def _is_plain(default: object) -> bool:
    return isinstance(default, bool | int | float | str)


def _array_in(schema: Json) -> Json:
    arrays = [schema, *schema.get("anyOf", ())]
    return next(one for one in arrays if one.get("type") == "array")


def _limits(validator: Any) -> Json:  # noqa: ANN401 - attrs keeps its validators' classes private
    """Return the bounds that an attribute's validators set."""
    limits: Json = {}
    for inner in getattr(validator, "_validators", ()):
        limits.update(_limits(inner))
    if hasattr(validator, "bound"):
        limits[_BOUNDS[validator.compare_op]] = validator.bound
    if hasattr(validator, "validator"):
        limits.update(_limits(validator.validator))
    return limits


def _of_type(type_: Any) -> Json:  # noqa: ANN401 - any annotation of the model
    """Return the schema of a type of the model. None means that the file does not say."""
    origin, arguments = get_origin(type_), get_args(type_)
    if type_ in _PLAIN:
        return dict(_PLAIN[type_])
    if type_ is Property:
        return {"$ref": "#/definitions/property"}
    if type_ in _TABLES:
        return {"$ref": f"#/definitions/{_TABLES[type_][0]}"}
    strings = choices_of(type_)
    if strings:
        return {"type": "string", "enum": list(strings)}
    if origin is Literal:
        return {"type": "boolean", "enum": list(arguments)}
    if origin is tuple:
        return {"type": "array", "items": _of_type(arguments[0])}
    if origin is Mapping:
        return {"type": "object", "additionalProperties": _of_type(arguments[1])}
    if origin in {Union, UnionType}:
        choices = [_of_type(one) for one in arguments if one is not type(None)]
        return choices[0] if len(choices) == 1 else {"anyOf": choices}
    raise AssertionError(f"the schema has no word for {type_!r}")


def _property_table() -> Json:
    """Return the schema of a property: one kind, and the keys that go with it."""
    matcher: Json = {"$ref": "#/definitions/matcher"}
    number = {"type": "integer", "minimum": 0}
    shapes: Json = {key: {"allOf": [matcher]} for key in (*KINDS, "when")}
    shapes["then"] = {"allOf": [{"$ref": "#/definitions/answer"}]}
    shapes |= {"within": {"type": "integer", "minimum": 1}, "at_least": number, "at_most": number}
    return {
        "description": "What must hold of every run: one of never, always, eventually, after, count.",
        "type": "object",
        "properties": {
            "name": {"description": _PROPERTY_DOCS["name"], "type": "string"},
            **{key: {"description": _PROPERTY_DOCS[key], **shapes[key]} for key in shapes},
        },
        "required": ["name"],
        "additionalProperties": False,
        "oneOf": [
            {
                "required": [kind, *needed],
                "propertyNames": {"enum": ["name", kind, *needed, *allowed]},
            }
            for kind, (needed, allowed) in KINDS.items()
        ],
    }


def _matcher_table(*, after: bool) -> Json:
    """Return the schema of a matcher; behind ``after`` it may point at what that matched."""
    properties: Json = {}
    for key in MATCHER_KEYS:
        shape: Json = {}
        if key in {"row", "completes", "repeats_private"}:
            shape = {"type": "boolean"}
        elif key in WORDS:
            word = {"type": "string", "enum": list(WORDS[key])}
            many = {"type": "array", "items": word, "minItems": 1}
            negated = {"type": "object", "properties": {"not": {"anyOf": [word, many]}}}
            shape = {"anyOf": [word, many, negated]}
        elif key == "hop":
            shape = {"type": ["integer", "array", "object"]}
        elif key == "text":
            shape = {"type": ["string", "object"]}
        else:
            shape = {"anyOf": [{"type": ["string", "array", "object"]}]}
            if after and key in SAME_AS:
                same = {"enum": list(SAME_AS[key])}
                shape["anyOf"].append({"type": "object", "properties": {"same_as": same}})
        properties[key] = {"description": _MATCHER_DOCS[key], **shape}
    return {
        "description": "What a row or a turn must have; all keys must fit.",
        "type": "object",
        "properties": properties,
        "minProperties": 1,
        "additionalProperties": False,
    }


def _call() -> Json:
    """Return the schema of a call: any tool may be called, and its arguments are left alone."""
    names = [served(spec.name) for spec in tool_specs()]
    tool = {
        "description": "The tool, as it is served.",
        "type": "string",
        "examples": names,
        # An editor offers the first; the second takes a tool that is wrong on purpose.
        "anyOf": [{"enum": names}, {}],
    }
    return {"type": "object", "properties": {"tool": tool}, "required": ["tool"]}


def _live() -> Json:
    """Return the schema of who plays live. A seat may have the name of one of the table's keys."""
    seat = _of_type(LiveSeat)
    own = {one.name: _property(Live, one.name, one) for one in _attributes(Live)}
    return {
        "type": "object",
        "properties": {
            key: {"description": own[key].pop("description"), "anyOf": [own[key], seat]}
            for key in LIVE_KEYS
        },
        "additionalProperties": seat,
    }


def _rules_of_kinds() -> Iterator[Json]:
    """Yield, for each kind of live seat, which keys go with it."""
    for kind, keys in KEYS_OF_KIND.items():
        rules: Json = {"propertyNames": {"enum": ["kind", *keys]}}
        if kind in NEEDED_KEYS:
            rules["required"] = list(NEEDED_KEYS[kind])
        yield {"if": {"properties": {"kind": {"enum": [kind]}}}, "then": rules}


def _turn_rules() -> Json:
    """Return which keys of a turn go together."""
    person = {
        "required": ["say"],
        "propertyNames": {"enum": [key for key in _DOCS[Turn] if key in PERSON_KEYS]},
        "properties": {"expect": {"propertyNames": {"enum": [*_DOCS[OpeningExpect]]}}},
    }
    return {
        "oneOf": [{"required": ["seat"]}, {"required": ["person"]}],
        "not": {"required": ["say", "calls"]},
        "dependencies": {"one_of": {"propertyNames": {"enum": list(_BESIDE_ONE_OF)}}},
        "if": {"required": ["person"]},
        "then": person,
    }
