from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any, Final

import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft7Validator

from deskroom.core.reasons import AsideReason, CallFault, NoTurnReason, Outcome, RowKind
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
from deskroom.scenario import ScenarioError, load_scenario, parse_scenario, scenario_schema
from deskroom.scenario.format.load import load_desk, load_properties
from deskroom.scenario.format.properties import MATCHER_KEYS
from deskroom.scenario.format.write import scenario_toml, toml_value

ROOT: Final = Path(__file__).parents[3]
EXAMPLE: Final = ROOT / "docs" / "examples" / "properties.toml"
VALIDATOR: Final = Draft7Validator(scenario_schema())

KEYS: Final = "name, never, always, eventually, after, count, when, then, within, at_least, at_most"
#: Nine lines; a property's keys begin on line 12.
DESK: Final = """\
format = 1
[desk]
id = "d"
name = "Shed"
people = [{ id = "sam", label = "Sam" }]
seats = [{ id = "lead" }, { id = "solver" }, { id = "old", retired = true }]
[[turn]]
seat = "lead"
say = "hello"
"""


def text(*properties: str) -> str:
    """Return a file with properties."""
    return DESK + "".join(f"[[property]]\n{one}\n" for one in properties)


def read(*lines: str) -> Property:
    """Return the one property of a file."""
    (one,) = parse_scenario(text("\n".join(['name = "p"', *lines])), "x.toml").properties
    return one


def problems(*properties: str) -> list[str]:
    """Return everything that is wrong with a file."""
    with pytest.raises(ScenarioError) as caught:
        parse_scenario(text(*properties), "x.toml")
    return [str(problem) for problem in caught.value.problems]


def problem(*lines: str) -> str:
    """Return the one thing that is wrong with one property."""
    (one,) = problems("\n".join(['name = "p"', *lines]))
    assert one.startswith("x.toml:")
    return one.removeprefix("x.toml:")


# What a property says


@pytest.mark.parametrize(
    "lines, says",
    [
        (["never = { row = false }"], {"never": Matcher(row=False)}),
        (["always = { row = true }"], {"always": Matcher(row=True)}),
        (
            ['always = { row = true }\nwhen = { seat = "lead" }'],
            {"always": Matcher(row=True), "when": Matcher(seat=OneOf(("lead",)))},
        ),
        (["eventually = { completes = true }"], {"eventually": Matcher(completes=True)}),
        (
            ["after = { row = true }", "then = { row = false }", "within = 1"],
            {"after": Matcher(row=True), "then": Matcher(row=False), "within": 1},
        ),
        (["count = { row = true }", "at_least = 0"], {"count": Matcher(row=True), "at_least": 0}),
        (
            ["count = { row = true }", "at_least = 2", "at_most = 2"],
            {"count": Matcher(row=True), "at_least": 2, "at_most": 2},
        ),
    ],
)
def test_it_says_one_thing(lines: list[str], says: dict[str, Any]) -> None:
    """And stands somewhere in its file."""
    one = read(*lines)
    assert Property(name="p", **says) == one
    assert ("x.toml", 10, 1) == (one.path, one.line, one.column)


@pytest.mark.parametrize(
    "key, stated, wanted",
    [
        ("seat", '"lead"', OneOf(("lead",))),
        ("seat", '["lead", "old"]', OneOf(("lead", "old"))),
        ("seat", '{ not = "lead" }', OneOf(("lead",), negated=True)),
        ("seat", '{ not = ["lead", "old"] }', OneOf(("lead", "old"), negated=True)),
        ("person", '"sam"', OneOf(("sam",))),
        ("kind", '["opening", "nudge"]', OneOf(("opening", "nudge"))),
        ("row", "true", True),
        ("outcome", '{ not = "spoke" }', OneOf(("spoke",), negated=True)),
        ("audience", '"desk"', Audiences(("desk",))),
        ("audience", '"aside"', Audiences(("aside",))),
        ("audience", '["solver", "lead"]', Audiences((("solver", "lead"),))),
        ("audience", '{ not = ["solver"] }', Audiences((("solver",),), negated=True)),
        (
            "mentions",
            '["person:sam", "desk:d", "everyone"]',
            OneOf(("person:sam", "desk:d", "everyone")),
        ),
        ("next", '["lead", "solver"]', OneOf(("lead", "solver"))),
        ("next", '{ none = "self_mention" }', OneOf((NoSeat("self_mention"),))),
        ("next", '["lead", { none = "broadcast" }]', OneOf(("lead", NoSeat("broadcast")))),
        ("next", '{ not = { none = "broadcast" } }', OneOf((NoSeat("broadcast"),), negated=True)),
        ("next", "{ any = false }", NextSeat(any=False)),
        ("why", '"hop_limit_reached"', OneOf(("hop_limit_reached",))),
        ("refusal", '["budget_spent", "empty_message"]', OneOf(("budget_spent", "empty_message"))),
        ("hop", "3", OneOf((3,))),
        ("hop", "[0, 1]", OneOf((0, 1))),
        ("hop", "{ at_least = 2 }", Bounds(at_least=2)),
        ("hop", "{ at_least = 2, at_most = 2 }", Bounds(at_least=2, at_most=2)),
        ("hop", "{ not = 2 }", OneOf((2,), negated=True)),
        ("completes", "false", False),
        ("text", "'\\bgo\\b'", Pattern(r"\bgo\b")),
        ("text", '{ not = "go" }', Pattern("go", negated=True)),
        ("repeats_private", "true", True),
    ],
)
def test_each_key_takes_a_value_some_or_any_other(key: str, stated: str, wanted: Any) -> None:
    """Whatever is read is written alike."""
    one = read(f"never = {{ {key} = {stated} }}")
    keys: dict[str, Any] = {key: wanted}
    assert Matcher(**keys) == one.never
    again = parse_scenario(
        scenario_toml(parse_scenario(text(f'name = "p"\nnever = {{ {key} = {stated} }}')))
    )
    assert (one,) == again.properties
    assert VALIDATOR.is_valid(tomllib.loads(text(f'name = "p"\nnever = {{ {key} = {stated} }}')))


@pytest.mark.parametrize(
    "key, same_as",
    [
        *(("seat", one) for one in ("seat", "next", "mentions")),
        *(("person", one) for one in ("person", "mentions")),
        *(("mentions", one) for one in ("seat", "person", "next", "mentions")),
        *(("next", one) for one in ("seat", "next", "mentions")),
    ],
)
def test_an_answer_may_be_held_against_its_question(key: str, same_as: Any) -> None:
    """Only ``then`` can be."""
    lines = [
        "after = { row = true }",
        f'then = {{ {key} = {{ same_as = "{same_as}" }} }}',
        "within = 1",
    ]
    keys: dict[str, Any] = {key: SameAs(same_as)}
    assert Matcher(**keys) == read(*lines).then
    assert (
        f"12:{16 + len(key)}: property[1].after.{key}.same_as: only then can point at something: at the step "
        "that after matched"
    ) == problem(lines[1].replace("then", "after"), lines[0].replace("after", "then"), lines[2])


# What is wrong with one


@pytest.mark.parametrize(
    "lines, expected",
    [
        ([], "10:1: property[1]: a property needs one of never, always, eventually, after, count"),
        (
            ["when = { row = true }"],
            "10:1: property[1]: a property needs one of never, always, eventually, after, count",
        ),
        (
            ["nevr = { row = true }", "never = { row = true }"],
            f'12:1: property[1].nevr: unknown key, expected one of {KEYS}; did you mean "never"?',
        ),
        (
            ["never = { row = true }", "eventually = { row = true }"],
            "13:1: property[1].eventually: a property says one thing, and this one says never already",
        ),
        (
            ["never = { row = true }", "within = 3"],
            "13:1: property[1].within: this does not go with never",
        ),
        (
            ["eventually = { row = true }", "when = { row = true }"],
            "13:1: property[1].when: this does not go with eventually",
        ),
        (
            ["after = { row = true }", "then = { row = true }"],
            "10:1: property[1].within: missing, needed with after",
        ),
        (
            ["after = { row = true }", "within = 1"],
            "10:1: property[1].then: missing, needed with after",
        ),
        (
            ["after = { row = true }", "then = { row = true }", "within = 0"],
            "14:10: property[1].within: found 0, expected a number >= 1",
        ),
        (
            ["after = { row = true }", "then = { row = true }", "within = 1.5"],
            "14:10: property[1].within: found 1.5, expected a whole number",
        ),
        (
            ["after = { row = true }", "then = { row = true }", "within = true"],
            "14:10: property[1].within: found true, expected a whole number",
        ),
        (
            ["count = { row = true }"],
            "12:9: property[1].count: a count needs at_least, at_most or both",
        ),
        (
            ["count = { row = true }", "at_least = -1"],
            "13:12: property[1].at_least: found -1, expected a number >= 0",
        ),
        (
            ["count = { row = true }", "at_least = 3", "at_most = 2"],
            "14:11: property[1].at_most: at_most is 2, and at_least is 3: no count is both",
        ),
        (["never = true"], "12:9: property[1].never: found true, expected a table"),
        (
            ["never = {}"],
            f"12:9: property[1].never: found an empty table, expected one or more of {', '.join(MATCHER_KEYS)}",
        ),
        (
            ["never = { seats = 'lead' }"],
            f'12:11: property[1].never.seats: unknown key, expected one of {", ".join(MATCHER_KEYS)}; did you mean "seat"?',
        ),
        (
            ["never = { seat = 'laed' }"],
            '12:18: property[1].never.seat: found "laed", expected a seat of the desk (lead, solver, old); did you mean "lead"?',
        ),
        (
            ["never = { seat = ['lead', 'x'] }"],
            '12:27: property[1].never.seat[2]: found "x", expected a seat of the desk (lead, solver, old)',
        ),
        (
            ["never = { seat = { not = 'x' } }"],
            '12:26: property[1].never.seat.not: found "x", expected a seat of the desk (lead, solver, old)',
        ),
        (
            ["never = { seat = [] }"],
            "12:18: property[1].never.seat: found an empty list, expected one or more values",
        ),
        (["never = { seat = 3 }"], "12:18: property[1].never.seat: found 3, expected a seat's id"),
        (
            ["never = { seat = { nto = 'lead' } }"],
            '12:20: property[1].never.seat.nto: unknown key, expected one of not; did you mean "not"?',
        ),
        (
            ["never = { seat = { none = 'disabled' } }"],
            "12:20: property[1].never.seat.none: unknown key, expected one of not",
        ),
        (
            ["never = { seat = { not = { not = 'lead' } } }"],
            "12:26: property[1].never.seat.not: found a table, expected a value or a list of values",
        ),
        (
            ["never = { person = 'lead' }"],
            '12:20: property[1].never.person: found "lead", expected a person of the desk (sam)',
        ),
        (
            ["never = { kind = 'nugde' }"],
            f'12:18: property[1].never.kind: found "nugde", expected one of {", ".join(RowKind)}; did you mean "nudge"?',
        ),
        (
            ["never = { outcome = 'spoken' }"],
            f'12:21: property[1].never.outcome: found "spoken", expected one of {", ".join(Outcome)}; did you mean "spoke"?',
        ),
        (
            ["never = { why = 1 }"],
            f"12:17: property[1].never.why: found 1, expected one of {', '.join(NoTurnReason)}",
        ),
        (
            ["never = { refusal = 'budget' }"],
            f'12:21: property[1].never.refusal: found "budget", expected one of {", ".join((*CallFault, *AsideReason))}; did you mean "budget_spent"?',
        ),
        (
            ["never = { row = 'yes' }"],
            '12:17: property[1].never.row: found "yes", expected true or false',
        ),
        (
            ["never = { row = { not = true } }"],
            "12:17: property[1].never.row: found a table, expected true or false",
        ),
        (
            ["never = { audience = 'solver' }"],
            '12:22: property[1].never.audience: found "solver", expected "desk", "aside" or a list of seat ids; did you mean ["solver"]?',
        ),
        (
            ["never = { audience = [] }"],
            '12:22: property[1].never.audience: found an empty list, expected "desk", "aside" or a list of seat ids',
        ),
        (
            ["never = { next = { any = 1 } }"],
            "12:26: property[1].never.next.any: found 1, expected true or false",
        ),
        (
            ["never = { next = { none = 'nobody' } }"],
            f'12:27: property[1].never.next.none: found "nobody", expected one of {", ".join(NoTurnReason)}',
        ),
        (
            ["never = { next = { any = true, not = 'lead' } }"],
            "12:18: property[1].never.next: found a table, expected a table with one of not, none, any",
        ),
        (
            ["never = { hop = -1 }"],
            "12:17: property[1].never.hop: found -1, expected a number >= 0",
        ),
        (
            ["never = { hop = '1' }"],
            '12:17: property[1].never.hop: found "1", expected a whole number',
        ),
        (
            ["never = { hop = { at_least = 3, at_most = 2 } }"],
            "12:43: property[1].never.hop.at_most: at_most is 2, and at_least is 3: no count is both",
        ),
        (
            ["never = { hop = { at_least = 3, not = 2 } }"],
            "12:17: property[1].never.hop: found a table, expected a table with one of not, at_least, at_most",
        ),
        (
            ["never = { text = '(' }"],
            '12:18: property[1].never.text: found "(", which is no regular expression: missing ) at position 1',
        ),
        (
            ["never = { text = { not = '*' } }"],
            '12:26: property[1].never.text.not: found "*", which is no regular expression: nothing to repeat at position 0',
        ),
        (
            ["never = { text = 3 }"],
            "12:18: property[1].never.text: found 3, expected a regular expression",
        ),
    ],
)
def test_what_is_wrong_has_its_place_and_what_was_expected(lines: list[str], expected: str) -> None:
    """And the nearest name, where there is one."""
    assert expected == problem(*lines)


def test_a_name_is_needed_and_is_the_only_one() -> None:
    """A failure is told by it."""
    never = "never = { row = true }"
    assert ["x.toml:10:1: property[1].name: missing, expected a string"] == problems(never)
    assert ["x.toml:11:8: property[1].name: found 3, expected a string"] == problems(
        f"name = 3\n{never}"
    )
    assert [
        "x.toml:11:8: property[1].name: found a blank text, expected a name that says what must hold"
    ] == problems(f'name = " "\n{never}')
    named = f'name = "p"\n{never}'
    assert ['x.toml:14:8: property[2].name: another property has the name "p" already'] == problems(
        named, named
    )


def test_same_as_points_only_at_what_can_be_the_same() -> None:
    """A seat is never a person."""
    assert (
        '13:31: property[1].then.person.same_as: found "seat", expected one of person, mentions'
    ) == problem("after = { row = true }", 'then = { person = { same_as = "seat" } }', "within = 1")


def test_all_that_is_wrong_is_told_at_once() -> None:
    """In the order of the file."""
    found = problems('name = "p"\nnever = { x = 1 }', 'name = "q"\nnever = { seat = "y" }')
    assert [
        "x.toml:12:11: property[1].never.x: unknown key",
        'x.toml:15:18: property[2].never.seat: found "y"',
    ] == [one.partition(", expected")[0] for one in found]


def test_properties_are_a_list_of_tables() -> None:
    """One table is none."""
    with pytest.raises(ScenarioError) as caught:
        parse_scenario(f'{DESK}[property]\nname = "p"\n', "x.toml")
    assert ["x.toml:10:1: property: found a table, expected a list of tables: [[property]]"] == [
        str(one) for one in caught.value.problems
    ]


# Files


def test_a_desk_file_may_have_properties(tmp_path: Path) -> None:
    """It stays a desk file, and is read as a whole."""
    path = tmp_path / "desk.toml"
    desk = DESK[: DESK.index("[[turn]]")]
    path.write_text(f'{desk}[[property]]\nname = "p"\nnever = {{ seat = "lead" }}\n')
    assert "Shed" == load_desk(path).name
    (one,) = load_properties(path)
    assert ("p", str(path), 7) == (one.name, one.path, one.line)
    path.write_text(path.read_text().replace('"lead" }\n', '"x" }\n'))
    for read_file in (load_desk, load_properties):
        with pytest.raises(ScenarioError, match='found "x"'):
            read_file(path)


def test_a_scenario_has_those_that_it_states() -> None:
    """A file without any has none."""
    assert load_scenario(EXAMPLE).properties == load_properties(EXAMPLE)
    assert 6 == len(load_properties(EXAMPLE))
    assert () == parse_scenario(DESK).properties
    assert () == load_properties(ROOT / "docs" / "examples" / "desk.toml")


def test_a_live_file_may_have_properties() -> None:
    """There nothing else can be pinned."""
    live = DESK.replace('[[turn]]\nseat = "lead"\nsay = "hello"\n', '[live]\npeople = ["sam"]\n')
    (one,) = parse_scenario(
        f'{live}[[property]]\nname = "p"\nnever = {{ row = true }}\n'
    ).properties
    assert "p" == one.name


@given(st.data())
def test_what_is_written_is_read_as_it_was(
    scenarios: Any, properties: Any, data: st.DataObject
) -> None:
    """And the schema takes it."""
    asked = data.draw(st.lists(properties, max_size=4))
    drawn = data.draw(scenarios.filter(lambda one: len(one.desk.seats) == 3))
    scenario = evolve(
        drawn,
        properties=tuple(evolve(one, name=f"{one.name} {at}") for at, one in enumerate(asked)),
    )
    written = scenario_toml(scenario)
    assert scenario.properties == parse_scenario(written).properties
    assert VALIDATOR.is_valid(tomllib.loads(written))


VALUES: Final = st.sampled_from(
    [0, -1, True, "", "lead", "sam", "desk", "aside", "spoke", "seat", "broadcast", "x", [], ["lead"], [1],
     {}, {"not": "lead"}, {"not": []}, {"not": {"none": "broadcast"}}, {"none": "broadcast"}, {"any": True},
     {"same_as": "next"}, {"same_as": "person"}, {"same_as": "x"}, {"at_least": 1}, {"at_most": "x"}, {"x": 1}]
)  # fmt: skip


@given(part=st.sampled_from(["after", "then"]), key=st.sampled_from(MATCHER_KEYS), value=VALUES)
def test_what_the_loader_takes_the_schema_takes(part: str, key: str, value: Any) -> None:
    """And what the schema refuses, the loader refuses."""
    stated: dict[str, Any] = {"after": {"row": True}, "then": {"row": True}}
    stated[part] = {key: value}
    lines = [f"{name} = {toml_value(matcher)}" for name, matcher in stated.items()]
    whole = text("\n".join(['name = "p"', *lines, "within = 1"]))
    try:
        parse_scenario(whole)
    except ScenarioError:
        return
    assert VALIDATOR.is_valid(tomllib.loads(whole))
