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
from deskroom.scenario.format.toml import MAX_FILE_BYTES, Places, Spot, parse_toml, read_toml

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
    """Return what is wrong with a text that is no TOML file."""
    with pytest.raises(FileError) as caught:
        parse_toml(text, "f.toml")
    return str(caught.value)


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
        ("a = \n", "1:5: this is not TOML: invalid value"),
        ("a = 1\nb == 2\n", "2:4: this is not TOML: invalid value"),
        ("é = 1\n", "1:1: this is not TOML: invalid statement"),
        (
            '"é" = 1 x\n',
            "1:9: this is not TOML: expected newline or end of document after a statement",
        ),
        ("a = 'é\n", '1:7: this is not TOML: expected "\'"'),
        ('a = """x\n\n', "1:9: this is not TOML: unterminated string"),
        ("a = [1,\n", "1:8: this is not TOML: invalid value"),
        ("[turn]\n[turn]\n", "2:2: turn: this is given twice; the first is at 1:2"),
        ("[a.b]\n[a.b]\n", "2:4: a.b: this is given twice; the first is at 1:4"),
        ("a = 1\na = 2\n", "2:1: a: this is given twice; the first is at 1:1"),
        ("a = '\0'\n", "1:6: this is not TOML: found invalid character '\\x00'"),
        (
            "a = 1\r b = 2",
            "1:6: this is not TOML: expected newline or end of document after a statement",
        ),
        ("a = 2020-02-30\n", "1:5: this is not TOML: invalid date or datetime"),
        (
            "\ufeffa = 1\n",
            "1:1: the file begins with a byte order mark; save it as UTF-8 without one",
        ),
        ("a = 1\nb = '\ud800'\n", "2:6: the text holds a lone surrogate, which is no character"),
    ],
)
def test_what_is_no_toml_is_told_with_its_place(text: str, error: str) -> None:
    """A syntax error is one error, with line and column as numbers."""
    assert f"f.toml:{error}" == error_of(text)


def test_an_error_at_the_end_points_at_the_last_line_that_says_something() -> None:
    """What is missing at the end of a file is reported after its last character."""
    with pytest.raises(FileError) as caught:
        parse_toml('x = 1\na = """b\n\n')
    assert (2, 9) == (caught.value.line, caught.value.column)


@pytest.mark.slow
@pytest.mark.parametrize(
    "text, error",
    [
        ("[" * 99, "1:3: this is not TOML: invalid initial character for a key part"),
        ("a = " + "[" * 5000, "1:105: values nest more than 100 deep"),
        ("a = " + "[" * 101 + "]" * 101, "1:105: values nest more than 100 deep"),
        ("b = 1\na = " + "{a=" * 101 + "1" + "}" * 101, "2:305: values nest more than 100 deep"),
        ("a = " + "{a=" * 5000 + "1" + "}" * 5000, "1:305: values nest more than 100 deep"),
        ("a." * 20_000 + "b = 1", "1:202: a key of more than 100 parts is too long"),
        ("[" + "a." * 20_000 + "b]", "1:203: a key of more than 100 parts is too long"),
        ("a = " + "1" * 5000, "1:5: a number of 5000 characters is too long"),
        ("a = 0x" + "f" * 5000, "1:5: a number of 5002 characters is too long"),
        (
            "#\n" * 1_000_001,
            "1000001:1: the file holds more than 1,000,000 keys, values and tables",
        ),
        (
            "a=[" + "1," * 1_000_001,
            "1:2000001: the file holds more than 1,000,000 keys, values and tables",
        ),
    ],
    ids=[
        *("brackets", "open lists", "lists", "tables", "deep tables", "dots", "header dots"),
        *("digits", "hex digits", "comments", "elements"),
    ],
)
def test_a_hostile_text_is_refused_soon(text: str, error: str) -> None:
    """Shapes that cost a parser stack, time or memory are counted before it sees them."""
    assert f"f.toml:{error}" == error_of(text)


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
    """Return what is wrong with a file, without the folder it is in."""
    with pytest.raises(FileError) as caught:
        read_toml(path)
    assert str(path) == caught.value.path
    return str(caught.value).removeprefix(f"{Path(path).parent}/")


@pytest.mark.parametrize(
    "raw, error",
    [
        (b"a = 1\nb = '\xc3\xa9\xff'\n", "f.toml:2:7: the file is not UTF-8: found byte 0xff"),
        (b"\xff\xfea\0", "f.toml:1:1: the file is not UTF-8: found byte 0xff"),
        (b"a = '\xed\xa0\x80'", "f.toml:1:6: the file is not UTF-8: found byte 0xed"),
        (b"a = '\xe2\x82", "f.toml:1:6: the file is not UTF-8: found byte 0xe2"),
        (
            b"\xef\xbb\xbfa = 1",
            "f.toml:1:1: the file begins with a byte order mark; save it as UTF-8 without one",
        ),
        (b"\0\0\0", "f.toml:1:1: this is not TOML: invalid statement"),
    ],
)
def test_bytes_that_are_no_text_are_told_with_their_place(
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
    assert "f: this is a folder; a file is needed" == file_error(folder)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    """A missing file is an error that says so, as is a file below a file."""
    assert "f.toml: there is no such file" == file_error(tmp_path / "f.toml")
    (tmp_path / "f").touch()
    assert "g: the file cannot be read: Not a directory" == file_error(tmp_path / "f" / "g")


def test_a_name_that_no_file_can_have() -> None:
    """A NUL in a name is an error of ours, not of the operating system's interface."""
    assert "a\0b: the file cannot be read: embedded null byte" == file_error("a\0b")


@pytest.mark.skipif(os.geteuid() == 0, reason="the superuser may read everything")
def test_a_file_that_may_not_be_read(tmp_path: Path) -> None:
    """A file without permission is an error that says so."""
    path = tmp_path / "f.toml"
    path.touch(mode=0o000)
    assert "f.toml: the file may not be read: permission denied" == file_error(path)


@pytest.mark.slow
def test_a_large_file_is_refused_unread(tmp_path: Path) -> None:
    """The limit itself is accepted, one byte more is not, and the message names it."""
    path = tmp_path / "f.toml"
    path.write_bytes(b"a = 1\n" + b" " * (MAX_FILE_BYTES - 6))
    assert {"a": 1} == read_toml(path).data
    path.write_bytes(b"[" * 50_000_000)
    assert "f.toml: the file is larger than 16 MiB" == file_error(path)


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
    """They are a mapping by key, in the order of the file; a spot is the place of one value."""
    document = parse_toml("x = 1\n[a]\nc = 2\n  b = 3\n", "f.toml")
    places = Places(document, ("a",), ["c", "b"])
    assert (2, ["c", "b"]) == (len(places), list(places))
    assert {"c": Place(3, 1), "b": Place(4, 3)} == places
    assert None is places.get("x")
    assert Place(4, 7) == Spot(document, ("a", "b")).place
