"""A scenario as TOML text, laid out as a person would lay it out.

Only what the format does not fill in by itself is written, and what a reader looks for comes
first. Reading the text gives the scenario back, but for the places of its keys.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

import attrs

from deskroom.engine.policy import Policy
from deskroom.engine.setup import Seat
from deskroom.runs.properties import (
    Audiences,
    Bounds,
    Matcher,
    NextSeat,
    NoSeat,
    OneOf,
    Pattern,
    Property,
    SameAs,
)
from deskroom.scenario.format.explore import Explore
from deskroom.scenario.format.model import (
    Alternative,
    Call,
    Meanwhile,
    OpeningExpect,
    RunExpect,
    Scenario,
    Turn,
    TurnExpect,
)
from deskroom.scenario.play.expect import file_value

__all__ = ["LINE_WIDTH", "comment", "scenario_toml", "toml_value"]

#: The longest line that is written where there is a choice, in characters.
LINE_WIDTH: Final = 100
_BARE_KEY: Final = re.compile(r"[A-Za-z0-9_-]+")
_ESCAPES: Final = {"\b": "\\b", "\t": "\\t", "\n": "\\n", "\f": "\\f", "\r": "\\r"}
#: What no reader could see in the file: controls, format marks, odd line ends.
_UNSEEN: Final = frozenset(("Cc", "Cf", "Co", "Zl", "Zp"))
#: A text of several lines is written as it looks, unless an editor might change it unseen.
_HIDDEN_END: Final = re.compile(r"[ \t](?:\n|\Z)")
_MARKS: Final = frozenset('"\\')
_QUOTE_AT_QUOTE: Final = re.compile(r'"(?="|\Z)')


def scenario_toml(
    scenario: Scenario,
    *,
    remarks: Iterable[str] = (),
    turn_remarks: Mapping[int, Sequence[str]] | None = None,
) -> str:
    """Return the text of a scenario file.

    ``remarks`` become comments at its top; ``turn_remarks`` comments above a turn, by its position
    from 0.
    """
    above = turn_remarks or {}
    top = list(_comments(remarks))
    blocks = [
        *([top] if top else []),
        list(_head(scenario)),
        *_desk(scenario),
        *_policy(scenario.policy),
        *_opening(scenario),
        *(
            block
            for at, turn in enumerate(scenario.turns)
            for block in _turn(turn, above.get(at, ()))
        ),
        *_run(scenario.expect),
        *(_property(one) for one in scenario.properties),
        *_explore(scenario.explore),
    ]
    return "\n\n".join("\n".join(block) for block in blocks) + "\n"


def comment(text: str) -> str:
    """Return a text as one line of comment."""
    return f"# {''.join(_seen(character) for character in text)}".rstrip()


def _comments(remarks: Iterable[str]) -> Iterator[str]:
    return (comment(remark) for remark in remarks)


# --- parts of the file -------------------------------------------------------------------------


def _head(scenario: Scenario) -> Iterator[str]:
    yield f"format = {scenario.format}"
    if scenario.title:
        yield _pair("title", scenario.title)
    if scenario.why:
        yield _pair("why", scenario.why)
    yield _pair("order", scenario.order)
    if scenario.kill:
        yield _pair("kill", list(scenario.kill))
    if scenario.invariants:
        yield _pair("invariants", value=True)


def _desk(scenario: Scenario) -> Iterator[list[str]]:
    desk = scenario.desk
    lines = ["[desk]", _pair("id", desk.id), _pair("name", desk.name)]
    if desk.people:
        people = [{"id": person.id, "label": person.label} for person in desk.people]
        lines.append(_items("people", people))
    seats = [_seat(seat) for seat in desk.seats]
    if all(_fits(f"    {toml_value(seat)},") for seat in seats):
        yield [*lines, _one_a_line("seats", seats)]
        return
    yield lines
    for seat in seats:
        yield ["[[desk.seats]]", *(_pair(key, value) for key, value in seat.items())]


def _seat(seat: Seat) -> dict[str, Any]:
    return {key: value for key, value in attrs.asdict(seat).items() if value not in {None, False}}


def _policy(policy: Policy) -> Iterator[list[str]]:
    tables: list[list[str]] = []
    plain: list[str] = []
    for name, value, default in _differing(policy, Policy()):
        if attrs.has(type(value)):
            pairs = [_pair(key, inner) for key, inner, _ in _differing(value, default)]
            tables.append([f"[policy.{name}]", *pairs])
        else:
            plain.append(_pair(name, list(value) if isinstance(value, tuple) else value))
    if plain:
        yield ["[policy]", *plain]
    yield from tables


def _differing(value: Any, default: Any) -> Iterator[tuple[str, Any, Any]]:  # noqa: ANN401 - policies
    """Yield name, value and default of each attribute that is not at its default."""
    for attribute in attrs.fields(type(value)):
        here, there = getattr(value, attribute.name), getattr(default, attribute.name)
        if here != there:
            yield attribute.name, here, there


def _opening(scenario: Scenario) -> Iterator[list[str]]:
    opening = scenario.opening
    if opening is None:
        return
    lines = ["[opening]", _pair("by", opening.by), _pair("message", opening.message)]
    yield from _with_expect(lines, "opening", opening.expect)


def _turn(turn: Turn, remarks: Iterable[str]) -> Iterator[list[str]]:
    lines = [*_comments(remarks), "[[turn]]"]
    if turn.person is not None:
        lines.append(_pair("person", turn.person))
    if turn.seat is not None:
        lines.append(_pair("seat", turn.seat))
    if turn.one_of:
        lines.append(_items("one_of", [dict(_does(one)) for one in turn.one_of]))
    else:
        lines += [_laid_out(key, value) for key, value in _does(turn)]
    if turn.repeat > 1:
        lines.append(_pair("repeat", turn.repeat))
    yield from _with_expect(lines, "turn", turn.expect)


def _does(turn: Turn | Alternative) -> Iterator[tuple[str, Any]]:
    """Yield the keys that say what happens in a turn, each with its value."""
    if turn.say is not None:
        yield "say", turn.say
    for key, calls in (("calls", turn.calls), ("late", turn.late)):
        if calls:
            yield key, [_call(call) for call in calls]
    if turn.text is not None:
        yield "text", turn.text
    if turn.takes:
        yield "takes", turn.takes
    if turn.crash is not None:
        yield "crash", turn.crash
    if turn.meanwhile:
        yield "meanwhile", [_spoken(one) for one in turn.meanwhile]
    if turn.wrote:
        yield "wrote", list(turn.wrote)
    if turn.scores:
        yield "scores", dict(turn.scores)


def _spoken(meanwhile: Meanwhile) -> dict[str, Any]:
    at = {} if meanwhile.at == 0 else {"at": meanwhile.at}
    return {"person": meanwhile.person, "say": meanwhile.say, **at}


def _call(call: Call) -> dict[str, Any]:
    return {"tool": call.tool, **call.arguments}


def _with_expect(
    lines: list[str], table: str, expect: TurnExpect | OpeningExpect | None
) -> Iterator[list[str]]:
    """Yield the lines with the expectation in them, or behind them where it is long."""
    stated = {} if expect is None else _stated(expect)
    inline = _pair("expect", stated)
    if not stated:
        yield lines
    elif _fits(inline):
        yield [*lines, inline]
    else:
        yield lines
        yield [f"[{table}.expect]", *(_laid_out(key, value) for key, value in stated.items())]


def _run(expect: RunExpect | None) -> Iterator[list[str]]:
    if expect is not None:
        yield ["[expect]", *(_pair(key, value) for key, value in _stated(expect).items())]


def _property(one: Property) -> list[str]:
    stated = ((each.name, getattr(one, each.name)) for each in attrs.fields(Property) if each.eq)
    pairs = (
        _pair(name, _matcher(value) if isinstance(value, Matcher) else value)
        for name, value in stated
        if value is not None
    )
    return ["[[property]]", *pairs]


def _matcher(matcher: Matcher) -> dict[str, Any]:
    return {key: _wanted(getattr(matcher, key)) for key in matcher.keys}


def _wanted(value: Any) -> Any:  # noqa: ANN401 - values of a matcher
    """Return a value of a matcher as the file writes it."""
    match value:
        case OneOf() | Audiences():
            values = [_one(one) for one in value.values]
            plain = values[0] if len(values) == 1 else values
            return {"not": plain} if value.negated else plain
        case Pattern():
            return {"not": value.pattern} if value.negated else value.pattern
        case SameAs():
            return {"same_as": value.key}
        case NextSeat():
            return {"any": value.any}
        case Bounds():
            bounds = {"at_least": value.at_least, "at_most": value.at_most}
            return {name: bound for name, bound in bounds.items() if bound is not None}
        case _:
            return value


def _one(value: Any) -> Any:  # noqa: ANN401 - values of a matcher
    if isinstance(value, NoSeat):
        return {"none": value.none}
    return list(value) if isinstance(value, tuple) else value


def _explore(explore: Explore | None) -> Iterator[list[str]]:
    if explore is not None:
        yield [
            "[explore]",
            *(_pair(key, value) for key, value, _ in _differing(explore, Explore())),
        ]


def _stated(expect: TurnExpect | OpeningExpect | RunExpect) -> dict[str, Any]:
    """Return what an expectation says, in the order of its class."""
    values = (
        (attribute.name, getattr(expect, attribute.name))
        for attribute in attrs.fields(type(expect))
        if attribute.name != "places"
    )
    return {name: file_value(value) for name, value in values if value is not None}


# --- values ------------------------------------------------------------------------------------


def _pair(key: str, value: object) -> str:
    return f"{_key(key)} = {toml_value(value)}"


def _laid_out(key: str, value: object) -> str:
    return _items(key, value) if isinstance(value, list) else _pair(key, value)


def _items(key: str, items: Sequence[object]) -> str:
    """Return a list on one line if it fits, else one item a line."""
    line = _pair(key, list(items))
    return line if _fits(line) else _one_a_line(key, items)


def _one_a_line(key: str, items: Sequence[object]) -> str:
    return "\n".join([f"{key} = [", *(f"    {toml_value(item)}," for item in items), "]"])


def _fits(text: str) -> bool:
    return len(text) <= LINE_WIDTH and "\n" not in text


def toml_value(value: object) -> str:
    """Return a value as TOML writes it: a text, a number, true or false, a list or a table of them.

    Floats must be finite, and nothing else than that is ever given. Half of a surrogate pair stays
    what it is, so that the text cannot be encoded.
    """
    match value:
        case str():
            return _text(value)
        case bool():
            return "true" if value else "false"
        case Mapping():
            pairs = [_pair(key, inner) for key, inner in value.items()]
            return "{ " + ", ".join(pairs) + " }" if pairs else "{}"
        case list() | tuple():
            return f"[{', '.join(toml_value(item) for item in value)}]"
        case _:
            return repr(value)


def _key(key: str) -> str:
    return key if _BARE_KEY.fullmatch(key) else _quoted(key)


def _text(text: str) -> str:
    if "\n" in text and "\r" not in text and _HIDDEN_END.search(text) is None:
        return _several_lines(text)
    return _quoted(text)


def _quoted(text: str) -> str:
    if text.isascii() and text.isprintable() and _MARKS.isdisjoint(text):
        return f'"{text}"'
    return '"' + "".join('\\"' if c == '"' else _escaped(c) for c in text) + '"'


def _several_lines(text: str) -> str:
    lines = "".join(c if c in "\n\t" else _escaped(c) for c in text)
    lines = _QUOTE_AT_QUOTE.sub(r'\\"', lines)
    return f'"""\n{lines}"""'


def _escaped(character: str) -> str:
    return "\\\\" if character == "\\" else _seen(character)


def _seen(character: str) -> str:
    """Return a character, or an escape for one that nobody would see."""
    if character.isascii() and character.isprintable():
        return character
    if character in _ESCAPES:
        return _ESCAPES[character]
    if unicodedata.category(character) in _UNSEEN:
        code = ord(character)
        return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"  # noqa: PLR2004
    return character
