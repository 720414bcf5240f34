"""The published schema of a tool and the host are of one mind about what arguments fit it.

jsonschema is the judge, and the arguments are drawn here: most of them fit or nearly do, which no
generator driven by the schema alone would give.
"""

from __future__ import annotations

import json
from typing import Any, Final

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from deskroom.core import AsidePolicy, Bookkeeping, Desk, DeskSet, Directory, Member, Roster
from deskroom.core.reasons import CallFault
from deskroom.engine.arguments import plain
from deskroom.engine.calls import Refusal, Speaker, judge
from deskroom.engine.policy import Policy
from deskroom.render.tools import TOOL_FORMATS, tools_as

DESK: Final = Directory(
    Roster([Member(seat) for seat in "abc"], []), DeskSet([Desk("d", "D", ("a", "b", "c"))])
)
ASIDES: Final = AsidePolicy(enabled=True, max_members=9, max_messages=9)
SPEAKER: Final = Speaker("a", 0, False, DESK, "d", Policy(aside=ASIDES), Bookkeeping())

#: Arguments of the right shape may still be refused for what they say.
FOR_WHAT_IT_SAYS: Final = {
    CallFault.EMPTY_MESSAGE,
    CallFault.NO_RECIPIENTS,
    CallFault.UNKNOWN_RECIPIENT,
    CallFault.SELF_RECIPIENT,
}

NUMBERS = st.one_of(
    st.integers(),
    st.integers(-3, 120).map(float),
    st.floats(allow_nan=False, allow_infinity=False),
    st.sampled_from([0, -0.0, 1e300, 10**30, 100.5]),
)
#: JSON's own limit: text that UTF-8 can hold.
TEXTS = st.one_of(st.sampled_from(["", " ", "a", "@b", "b", "5", "hi @c"]), st.text(max_size=8))
LEAVES = st.one_of(NUMBERS, TEXTS, st.none(), st.booleans())
VALUES = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=4), inner, max_size=2)
    ),
    max_leaves=4,
)
FITTING = {"string": TEXTS, "array": st.lists(TEXTS, max_size=3), "integer": NUMBERS}


def published(format_: str) -> dict[str, Any]:
    """Return the schema of each tool's arguments, as one format publishes it."""
    document = json.loads(json.dumps(tools_as(format_)))
    tools = document["tools"] if format_ == "mcp" else document
    schemas = {}
    for entry in tools:
        tool = entry.get("function", entry)
        name = tool.get("name") or tool["title"]
        schema = next((tool[key] for key in _SCHEMA_KEYS if key in tool), tool)
        schemas[name] = schema
    return schemas


_SCHEMA_KEYS = ("inputSchema", "input_schema", "parameters")
SCHEMAS = {format_: published(format_) for format_ in TOOL_FORMATS}
TOOLS = list(SCHEMAS["mcp"])


@st.composite
def arguments(draw: st.DrawFn, schema: dict[str, Any]) -> Any:
    """Draw arguments that fit a schema, nearly fit it, or are anything at all."""
    if draw(st.integers(0, 9)) == 0:
        return draw(VALUES)
    given_: dict[str, Any] = {}
    for name, stated in schema["properties"].items():
        if draw(st.integers(0, 9)) > 0:
            odd = draw(st.integers(0, 4)) == 0
            given_[name] = draw(VALUES if odd else FITTING[stated["type"]])
    if draw(st.integers(0, 9)) == 0:
        given_[draw(st.sampled_from(["to", "message", "limit", "text", ""]))] = draw(VALUES)
    return given_


@pytest.mark.parametrize("format_", TOOL_FORMATS)
@pytest.mark.parametrize("tool", TOOLS)
@given(data=st.data())
def test_what_fits_the_schema_fits_the_host(format_: str, tool: str, data: st.DataObject) -> None:
    """And the other way round, whatever a client sends, for every tool in every format."""
    schema = SCHEMAS[format_][tool]
    sent = data.draw(arguments(schema))
    agrees(schema, tool, sent)


@given(st.sampled_from([5, 5.0, 20.0, 5.5, "5", True, None, 0, -3, 500, 1e300, [5], {}]))
@example(-0.0)
@example(0.1 + 0.2)
def test_a_number_fits_the_schema_where_it_fits_the_host(limit: Any) -> None:
    """What clients make of a whole number."""
    agrees(SCHEMAS["json-schema"]["desk_read"], "desk_read", {"limit": limit})


def agrees(schema: dict[str, Any], tool: str, sent: Any) -> None:
    """Assert that the schema and the host say the same of arguments that came as JSON."""
    verdict = judge(tool, plain(sent), SPEAKER)
    reason = verdict.reason if isinstance(verdict, Refusal) else None
    if Draft202012Validator(schema).is_valid(sent):
        assert reason is None or reason in FOR_WHAT_IT_SAYS
    else:
        # A message or recipients that are missing have reasons of their own.
        assert reason in {CallFault.BAD_ARGUMENTS, CallFault.EMPTY_MESSAGE, CallFault.NO_RECIPIENTS}
