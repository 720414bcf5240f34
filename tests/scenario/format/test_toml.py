from __future__ import annotations

import os
import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deskroom.errors import FileError
from deskroom.scenario.format.position import Index, KeyPath, Place, place_of
from deskroom.scenario.format.toml import MAX_FILE_BYTES, Location, Places, parse_toml, read_toml

TEXT = '''\
# A comment with a [bracket] and "quotes
format = 1
"a b" . c."d\\u00e9" = 2
'q' = """one
two [x] # no comment
\\"""" # after

[policy.chair]
by = "sam"

[policy]
window = 3

[[turn]]
seat = "é😀" # "ü"
'''
LISTS = """\
seats = [
  { id = "é", name.first = "L" }, # { id = "no" }
  { id = 'b' } ]
deep = [1, [2, { k = [3] }]]
[[turn]]
expect = { next = { none = "x" } }
[[turn]]
[turn.expect]
next = "a"
[[turn.calls]]
tool = "t"
[[turn.calls]]
"""
#: Pieces of TOML that meet often in hand-made files, and the ones that are easy to misread.
PIECES = (
    *(
        "a",
        "b",
        '"k"',
        "'q'",
        "a.b",
        " ",
        "\t",
        "\n",
        "\r\n",
        "=",
        ".",
        ",",
        "#",
        "1",
        "1.5",
        "nan",
    ),
    *(
        "[",
        "]",
        "[[",
        "]]",
        "{",
        "}",
        '"""',
        '"',
        "'",
        "'''",
        "\\",
        "\\n",
        "\\\n",
        "\\ \n",
        "é",
        "😀",
    ),
    *("[t]\n", "[[u]]\n", "a = 1\n", "{a = 1}", "[1, 2]", '""""', "1979-05-27 07:32:00Z", "\x7f"),
)


def error_of(text: str) -> str:
    """Return place and kind of what is wrong with a text that is no TOML file."""
    with pytest.raises(FileError) as caught:
        parse_toml(text, "f.toml")
    return f"{caught.value.line}:{caught.value.column} {caught.value.kind}"


# --- places ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "path, key, value",
    [
        ((), (1, 1), (1, 1)),
        (("format",), (2, 1), (2, 10)),
        (("a b",), (3, 1), (3, 1)),
        (("a b", "c"), (3, 9), (3, 9)),
        (("a b", "c", "dé"), (3, 11), (3, 23)),
        (("q",), (4, 1), (4, 7)),
        (("policy",), (11, 2), (11, 1)),
        (("policy", "chair"), (8, 9), (8, 1)),
        (("policy", "chair", "by"), (9, 1), (9, 6)),
        (("policy", "window"), (12, 1), (12, 10)),
        (("turn",), (14, 3), (14, 3)),
        (("turn", 0), (14, 3), (14, 1)),
        (("turn", 0, "seat"), (15, 1), (15, 8)),
    ],
)
def test_a_key_and_its_value_have_places(
    path: KeyPath, key: tuple[int, int], value: tuple[int, int]
) -> None:
    """Every way to write a key is found, counted in characters from 1."""
    document = parse_toml(TEXT)
    assert (Place(*key), Place(*value)) == (document.key_at(path), document.value_at(path))


@pytest.mark.parametrize(
    "path, key, value",
    [
        (("seats",), (1, 1), (1, 9)),
        (("seats", 0), (2, 3), (2, 3)),
        (("seats", 0, "id"), (2, 5), (2, 10)),
        (("seats", 0, "name"), (2, 15), (2, 15)),
        (("seats", 0, "name", "first"), (2, 20), (2, 28)),
        (("seats", 1, "id"), (3, 5), (3, 10)),
        (("deep", 1), (4, 12), (4, 12)),
        (("deep", 1, 1, "k"), (4, 18), (4, 22)),
        (("deep", 1, 1, "k", 0), (4, 23), (4, 23)),
        (("turn", 0, "expect", "next", "none"), (6, 21), (6, 28)),
        (("turn", 1), (7, 3), (7, 1)),
        (("turn", 1, "expect"), (8, 7), (8, 1)),
        (("turn", 1, "expect", "next"), (9, 1), (9, 8)),
        (("turn", 1, "calls", 0, "tool"), (11, 1), (11, 8)),
        (("turn", 1, "calls", 1), (12, 8), (12, 1)),
    ],
)
def test_lists_and_inline_tables_have_places_inside(
    path: KeyPath, key: tuple[int, int], value: tuple[int, int]
) -> None:
    """Inline tables, lists, and lists of tables are found to any depth."""
    document = parse_toml(LISTS)
    assert (Place(*key), Place(*value)) == (document.key_at(path), document.value_at(path))


@pytest.mark.parametrize(
    "path, place",
    [
        (("nothing",), (1, 1)),
        (("seats", 1, "name"), (3, 3)),
        (("seats", 7, "name"), (1, 9)),
        (("turn", 0, "seat"), (5, 1)),
        (("turn", 1, "expect", "audience"), (8, 1)),
        (("turn", 0, "expect", "next", "some"), (6, 19)),
    ],
)
def test_a_missing_key_is_found_at_its_table(path: KeyPath, place: tuple[int, int]) -> None:
    """A key that is not there has the place of the table that it is missing from."""
    document = parse_toml(LISTS)
    assert (Place(*place), Place(*place)) == (document.key_at(path), document.value_at(path))


def test_windows_line_ends_count_as_one() -> None:
    """A carriage return before a line feed moves no line and no column."""
    document = parse_toml('a = 1\r\n\r\n[t]\r\nb = """x\\  \r\n  y"""\r\nc = 2\r\n')
    assert {"a": 1, "t": {"b": "xy", "c": 2}} == document.data
    assert Place(6, 1) == document.key_at(("t", "c"))


def every_place(index: Index, text: str, data: Any, path: KeyPath = ()) -> None:
    """Check that each key's place is where the text spells it, and each value's where it begins."""
    lines = text.split("\n")
    inner = data.items() if isinstance(data, dict) else enumerate(data)
    for step, value in inner:
        here = (*path, step)
        key, start = index.key_at(here), index.value_at(here)
        if isinstance(step, str):
            spelled = lines[key.line - 1][key.column - 1 :]
            assert spelled.startswith((step, f'"{step}"', f"'{step}'")) or "\\" in spelled
        if isinstance(value, str):
            assert lines[start.line - 1][start.column - 1] in "\"'"
        if isinstance(value, dict | list):
            every_place(index, text, value, here)


@given(st.lists(st.sampled_from(PIECES), max_size=12).map("".join))
def test_both_readers_agree(text: str) -> None:
    """Whatever tomllib accepts, the index finds; and whatever it refuses, the index survives."""
    index = Index(text)
    assert Place(1, 1) == index.key_at(())
    assert index.value_at(("a", 0, "b")).line >= 1
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return
    every_place(index, text, data)


@given(st.text(st.sampled_from("ab\"'\\\n #é"), max_size=12))
def test_both_readers_agree_on_strings(body: str) -> None:
    """Quotes, backslashes and line ends in a string never move what comes after it."""
    for quote in ('"', '"""', "'", "'''"):
        text = f"a = {quote}{body}{quote}\nb = 'x'\n"
        try:
            data = tomllib.loads(text)
        except tomllib.TOMLDecodeError:
            continue
        every_place(Index(text), text, data)


def test_a_key_that_cannot_be_read_is_passed_over() -> None:
    """Of a text that is no TOML, the index still tells what it can."""
    index = Index('"\\q" = 1\nb = 2\n')
    assert [Place(1, 1), Place(2, 1)] == [index.key_at(("q",)), index.key_at(("b",))]


# --- what is wrong with a text -----------------------------------------------------------------


@pytest.mark.parametrize(
    "text, error",
    [
        ("a = \n", "1:5 not_toml"),
        ("a = 1\nb == 2\n", "2:4 not_toml"),
        ("é = 1\n", "1:1 not_toml"),
        (
            '"é" = 1 x\n',
            "1:9 not_toml",
        ),
        ("a = 'é\n", "1:7 not_toml"),
        ('a = """x\n\n', "1:9 not_toml"),
        ("a = [1,\n", "1:8 not_toml"),
        ("[turn]\n[turn]\n", "2:2 duplicate_key"),
        ("[a.b]\n[a.b]\n", "2:4 duplicate_key"),
        ("a = 1\na = 2\n", "2:1 duplicate_key"),
        ("a = '\0'\n", "1:6 not_toml"),
        (
            "a = 1\r b = 2",
            "1:6 not_toml",
        ),
        ("a = 2020-02-30\n", "1:5 not_toml"),
        (
            "\ufeffa = 1\n",
            "1:1 byte_order_mark",
        ),
        ("a = 1\nb = '\ud800'\n", "2:6 surrogate"),
    ],
)
def test_what_is_no_toml_is_reported_with_its_place(text: str, error: str) -> None:
    """A syntax error is one error, with line and column as numbers."""
    assert error == error_of(text)


def test_an_error_at_the_end_points_at_the_last_line_that_says_something() -> None:
    """What is missing at the end of a file is reported after its last character."""
    with pytest.raises(FileError) as caught:
        parse_toml('x = 1\na = """b\n\n')
    assert (2, 9) == (caught.value.line, caught.value.column)


@pytest.mark.slow
@pytest.mark.parametrize(
    "text, error",
    [
        ("[" * 99, "1:3 not_toml"),
        ("a = " + "[" * 5000, "1:105 too_deep"),
        ("a = " + "[" * 101 + "]" * 101, "1:105 too_deep"),
        ("b = 1\na = " + "{a=" * 101 + "1" + "}" * 101, "2:305 too_deep"),
        ("a = " + "{a=" * 5000 + "1" + "}" * 5000, "1:305 too_deep"),
        ("a." * 20_000 + "b = 1", "1:202 too_long"),
        ("[" + "a." * 20_000 + "b]", "1:203 too_long"),
        ("a = " + "1" * 5000, "1:5 too_long"),
        ("a = 0x" + "f" * 5000, "1:5 too_long"),
        (
            "#\n" * 1_000_001,
            "1000001:1 too_large",
        ),
        (
            "a=[" + "1," * 1_000_001,
            "1:2000001 too_large",
        ),
        ("[[a]]\n" * 100_001, "100001:1 too_large"),
        ("a = 1\n" * 200_001, "200001:3 too_large"),
    ],
    ids=[
        *("brackets", "open lists", "lists", "tables", "deep tables", "dots", "header dots"),
        *("digits", "hex digits", "comments", "elements", "tables in a list", "keys"),
    ],
)
def test_a_hostile_text_is_refused_soon(text: str, error: str) -> None:
    """Shapes that cost a parser stack, time or memory are counted before it sees them."""
    assert error == error_of(text)


@pytest.mark.parametrize(
    "text",
    [
        'a = """' + "x.y.z = [{(" * 200 + '"""',
        "a = '" + "[" * 500 + "'",
        "# " + "[" * 500 + "\na = 1",
        'a = "' + "1" * 5000 + '"',
        "a = [" + "1.5, " * 200 + "]",
        "a = " + "[" * 100 + "]" * 100,
        'a = """\\""" [[ """ # ]',
        "a = ''''[[''''' # [",
    ],
)
def test_marks_inside_strings_and_comments_do_not_count(text: str) -> None:
    """Only structure is counted; a message may hold anything, and the limits can be reached."""
    assert tomllib.loads(text) == parse_toml(text).data


def test_places_take_linear_time_in_one_long_line() -> None:
    """A list of thousands of tables in one line of non-ASCII text is indexed at once."""
    text = "a = [" + "{k = 'é'}," * 20_000 + "]"
    document = parse_toml(text)
    last = document.value_at(("a", 19_999, "k"))
    assert Place(1, 5 + 10 * 19_999 + 6) == last
    assert place_of(text, last.column - 1) == last


# --- what is wrong with a file -----------------------------------------------------------------


def file_error(path: Path | str) -> str:
    """Return place and kind of what is wrong with a file, or the kind alone."""
    with pytest.raises(FileError) as caught:
        read_toml(path)
    error = caught.value
    assert str(path) == error.path
    return f"{error.line}:{error.column} {error.kind}" if error.line else f"{error.kind}"


@pytest.mark.parametrize(
    "raw, error",
    [
        (b"a = 1\nb = '\xc3\xa9\xff'\n", "2:7 not_utf8"),
        (b"\xff\xfea\0", "1:1 not_utf8"),
        (b"a = '\xed\xa0\x80'", "1:6 not_utf8"),
        (b"a = '\xe2\x82", "1:6 not_utf8"),
        (
            b"\xef\xbb\xbfa = 1",
            "1:1 byte_order_mark",
        ),
        (b"\0\0\0", "1:1 not_toml"),
    ],
)
def test_bytes_that_are_no_text_are_reported_with_their_place(
    tmp_path: Path, raw: bytes, error: str
) -> None:
    """What is not UTF-8 is named by its first bad byte, in characters."""
    path = tmp_path / "f.toml"
    path.write_bytes(raw)
    assert error == file_error(path)


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    """Reading a folder is an error that says so."""
    folder = tmp_path / "f"
    folder.mkdir()
    assert "folder" == file_error(folder)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    """A missing file is an error that says so, as is a file below a file."""
    assert "no_file" == file_error(tmp_path / "f.toml")
    (tmp_path / "f").touch()
    assert "unreadable" == file_error(tmp_path / "f" / "g")


def test_a_name_that_no_file_can_have() -> None:
    """A NUL in a name is an error of ours, not of the operating system's interface."""
    assert "unreadable" == file_error("a\0b")


@pytest.mark.skipif(os.geteuid() == 0, reason="the superuser may read everything")
def test_a_file_that_may_not_be_read(tmp_path: Path) -> None:
    """A file without permission is an error that says so."""
    path = tmp_path / "f.toml"
    path.touch(mode=0o000)
    assert "unreadable" == file_error(path)


@pytest.mark.slow
def test_a_large_file_is_refused_unread(tmp_path: Path) -> None:
    """The limit itself is accepted, one byte more is not."""
    path = tmp_path / "f.toml"
    path.write_bytes(b"a = 1\n" + b" " * (MAX_FILE_BYTES - 6))
    assert {"a": 1} == read_toml(path).data
    path.write_bytes(b"[" * 50_000_000)
    assert "too_large" == file_error(path)


@given(st.binary(max_size=60))
def test_random_bytes_give_one_error_or_data(
    tmp_path_factory: pytest.TempPathFactory, raw: bytes
) -> None:
    """Whatever a file holds, reading it gives data or one error with a place."""
    path = tmp_path_factory.getbasetemp() / "random.toml"
    path.write_bytes(raw)
    try:
        document = read_toml(path)
    except FileError as error:
        place = (error.line, error.column)
    else:
        place = (1, 1)
        assert tomllib.loads(raw.decode()) == document.data
    assert None not in place


def test_places_of_a_table_are_worked_out_when_asked_for() -> None:
    """They are a mapping by key, in the order of the file; a location is the place of one value."""
    document = parse_toml("x = 1\n[a]\nc = 2\n  b = 3\n", "f.toml")
    places = Places(document, ("a",), document.data["a"])
    assert (2, ["c", "b"]) == (len(places), list(places))
    assert {"c": Place(3, 1), "b": Place(4, 3)} == places
    assert None is places.get("x")
    assert Place(4, 7) == Location(document, ("a", "b")).place
