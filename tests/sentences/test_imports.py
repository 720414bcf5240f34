"""The sentences of ``deskroom import``: what is wrong with an input, and what was left out."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from deskroom.errors import DeskroomError, FileError
from deskroom.imports.cast import Wishes
from deskroom.imports.containers import open_source
from deskroom.imports.formats import rows
from deskroom.imports.importer import Options, find_importer, load_importer, pick_room
from deskroom.imports.jsontext import parse_json
from deskroom.imports.room import LeftOut, open_room
from deskroom.imports.source import check_encoding

INPUTS = [
    ("", "in: there is no row in it: it is empty"),
    ("[]", "in: there is no row in it"),
    (b"a\xfcb", "in:1:2: byte 0xFC is no UTF-8; name the encoding with --encoding NAME, such as cp1252 or utf-16"),
    ('{"author": "a", "text": "x', "in:1:25: the JSON ends inside a string"),
    ('[{"author": "a"},', "in:1:18: the JSON ends inside a list or an object"),
    ('[{"a": 1, "a": 2}]', "in:1:11: the key 'a' stands twice in one object"),
    ('{"a": ' + "9" * 6000 + "}", "in:1:7: a number has more than 4000 digits"),
    ('{"a":' + "[" * 300, "in:1:205: lists and objects are nested more than 200 deep"),
    ('{"a": nope}', "in:1:7: this is not JSON: expecting value"),
]  # fmt: skip

ROWS = [
    ("[1]", "in: at /0, a row must be an object with `author` and `text`"),
    ('{"author": "a", "txt": "b"}', "in: a row has the keys author, text and to; 'txt' is none of them; did you mean 'text'?"),
    ('{"author": "a"}', "in: a row needs `text`, a string"),
    ('{"author": "a", "text": "b", "to": "c"}', "in: `to` must be a list of strings; leave it out for the room"),
    ('{"author": "a", "text": "b"}\n{"author": 1, "text": "b"}', "in:2: a row needs `author`, a string"),
    ('{"author": "a", "text": " "}', "in: there is no row in it"),
]  # fmt: skip


@pytest.mark.parametrize("content, sentence", INPUTS)
def test_what_is_wrong_with_an_input(
    content: str | bytes, sentence: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever importer looks at it."""
    monkeypatch.chdir(tmp_path)
    Path("in").write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(FileError) as caught:
        find_importer(open_source("in"))
    assert sentence == str(caught.value)


@pytest.mark.parametrize("content, sentence", ROWS)
def test_what_is_wrong_with_rows(
    content: str, sentence: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The place, what stands there, and what should."""
    monkeypatch.chdir(tmp_path)
    Path("in").write_text(content)
    with pytest.raises(FileError) as caught:
        list(open_room([open_source("in")], rows, Options(), Wishes()).rows(LeftOut()))
    assert sentence == str(caught.value)


def test_a_format_that_is_not_known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was found, and what was looked for; a name that is wrong gets the nearest."""
    monkeypatch.chdir(tmp_path)
    Path("in").write_text('[{"who": 1, "said": 2}]')
    with pytest.raises(FileError) as caught:
        find_importer(open_source("in"))
    assert str(caught.value).startswith(
        "in: no format fits; it is JSON with the keys who, said; name one with --from; looked for: "
    )
    with pytest.raises(DeskroomError) as unknown:
        find_importer(open_source("in"), "slac")
    assert str(unknown.value).startswith(
        "there is no format 'slac'; did you mean 'slack'? (known: "
    )


def test_rooms(tmp_path: Path) -> None:
    """Several, none of that name, and none at all."""
    (tmp_path / "in").write_text("x")
    source = open_source(str(tmp_path / "in"))
    said = []
    for names, wanted in ((["a", "b"], None), (["general", "b"], "genral"), ([], None)):
        with pytest.raises(FileError) as caught:
            pick_room(source, names, wanted, "channel")
        said.append(caught.value.problem)
    assert [
        "its channels are: a, b; name one with --room",
        "there is no channel 'genral'; did you mean 'general'?; its channels are: general, b",
        "there is no channel in it",
    ] == said


BROKEN: list[tuple[Callable[[], Any], str]] = [
    (lambda: check_encoding("hex"), "there is no encoding of texts called 'hex'"),
    (lambda: load_importer(entry("x", "nowhere.at_all")), "the importer 'x' (nowhere.at_all) cannot be loaded: ModuleNotFoundError: No module named 'nowhere'"),
    (lambda: load_importer(entry("x", "json")), "the importer 'x' (json) is not an importer: it has no `name`"),
    (lambda: parse_json("{}x", "in"), "in:1:3: this is not JSON: extra data"),
]  # fmt: skip


def entry(name: str, value: str) -> Any:
    """Return an entry point."""
    from importlib.metadata import EntryPoint  # noqa: PLC0415 - one test needs it

    return EntryPoint(name, value, "deskroom.importers")


@pytest.mark.parametrize("ask, sentence", BROKEN, ids=[sentence for _, sentence in BROKEN])
def test_what_else_is_wrong(ask: Callable[[], Any], sentence: str) -> None:
    """An importer of anybody, an encoding, JSON."""
    with pytest.raises(DeskroomError) as caught:
        ask()
    assert sentence == str(caught.value)


def test_the_report_of_an_import(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Line by line, to stderr."""
    from deskroom.cli.main import _run  # noqa: PLC0415 - one test needs it

    monkeypatch.chdir(tmp_path)
    lines = [
        {"author": "user", "text": "@Dispatch Desk hi"},
        {"author": "Dispatch Desk", "text": " "},
        {"author": "Dispatch Desk", "text": "well"},
        {"author": "fitter", "text": "x"},
    ]
    Path("in").write_text("".join(f"{json.dumps(line)}\n" for line in lines) + '{"author": ')
    assert 0 == _run(["import", "in", "--from", "rows", "-o", "out.jsonl"])
    assert (
        """\
in: read as rows: it was named
in:5: warning: the last line is cut short and is left out
seats: Dispatch_Desk (Dispatch Desk), fitter
people: user
mentions: Dispatch Desk is @Dispatch_Desk
in: warning: left out: blank, 1 time, the first at line 2
in: warning: left out: cut line, 1 time, the first at line 5
out.jsonl: 3 rows
"""
        == capsys.readouterr().err
    )
