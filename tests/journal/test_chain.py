from __future__ import annotations

import json
from collections.abc import Callable
from hashlib import blake2b
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deskroom.errors import WireError
from deskroom.journal import JournalError, Torn, read_journal
from deskroom.journal.chain import FIRST, seal, unseal

CLOSE = {"kind": "close", "reason": "quiet"}


def digest(text: bytes) -> bytes:
    """Return the digest that a line with this text gets."""
    return blake2b(text, digest_size=8).hexdigest().encode()


# One line


def test_a_line_is_json_that_ends_with_the_digest_of_all_before_it() -> None:
    """The digest covers the line up to itself, and the digest of the line before."""
    first, after_first = seal(CLOSE, FIRST)
    assert b"0" * 16 == FIRST
    assert digest(FIRST + b'{"kind":"close","reason":"quiet"') == after_first
    assert b'{"kind":"close","reason":"quiet","digest":"%s"}\n' % after_first == first
    second, after_second = seal(CLOSE, after_first)
    assert digest(after_first + b'{"kind":"close","reason":"quiet"') == after_second
    assert (CLOSE, after_second) == unseal(second, after_first)
    assert {**CLOSE, "digest": after_second.decode()} == json.loads(second)


@given(st.dictionaries(st.text(max_size=4), st.text(max_size=4) | st.integers(), min_size=1))
def test_what_is_sealed_is_one_line_and_comes_back(value: dict[str, Any]) -> None:
    """Whatever a value holds, even another digest, it takes one line of ASCII."""
    line, after = seal(value, FIRST)
    assert (1, True) == (line.count(b"\n"), line.isascii())
    assert (value, after) == unseal(line, FIRST)


LINE, AFTER = seal(CLOSE, FIRST)


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"\n",
        b"{}\n",
        b'{"digest":"0123456789abcdef"}\n',
        LINE[:-1],
        LINE + b"\n",
        LINE.replace(b'"}\n', b'" }\n'),
        json.dumps(CLOSE).encode() + b"\n",
        b"x" * 100_000 + b"\n",
    ],
)
def test_what_is_not_sealed_is_told(line: bytes) -> None:
    """A line that does not end as every line of a journal does is none."""
    with pytest.raises(WireError) as caught:
        unseal(line, FIRST)
    assert "chain" == caught.value.code


def test_a_line_is_only_good_behind_the_one_before_it() -> None:
    """The same bytes behind another line are no longer what was written."""
    with pytest.raises(WireError) as caught:
        unseal(LINE, AFTER)
    assert "chain" == caught.value.code


@pytest.mark.parametrize("written", [AFTER.upper(), b"x" * 16])
def test_a_digest_is_written_in_one_way(written: bytes) -> None:
    """Capitals are another digest."""
    with pytest.raises(WireError) as caught:
        unseal(LINE.replace(AFTER, written), FIRST)
    assert "chain" == caught.value.code


@pytest.mark.parametrize(
    "body, code",
    [
        (b"{nonsense", "json"),
        (b'{"x":', "json"),
        (b'{"x":"\xff"', "json"),
        (b'{"x":' + b"[" * 100_000, "json"),
        (b'{"x":1}{', "json"),
        (b'{"x":1,"x":2', "twice"),
        (b'{"x":NaN', "range"),
    ],
)
def test_a_line_can_be_sealed_and_be_no_json(body: bytes, code: str) -> None:
    """Only somebody who seals by hand gets there; it is an error all the same."""
    line = body + b',"digest":"' + digest(FIRST + body) + b'"}\n'
    with pytest.raises(WireError) as caught:
        unseal(line, FIRST)
    assert code == caught.value.code


# A whole journal


def fault(path: Path, data: bytes) -> tuple[int | None, bool]:
    """Return the line that reading a journal stops at, and whether it is a torn one."""
    path.write_bytes(data)
    with pytest.raises(JournalError) as caught:
        for _ in read_journal(path):
            pass
    assert str(caught.value).startswith(f"{path}:{caught.value.line}: ")
    return caught.value.line, isinstance(caught.value, Torn)


def flipped(data: bytes, at: int, bit: int) -> bytes:
    """Return bytes with one bit of one byte turned over."""
    return b"%s%c%s" % (data[:at], data[at] ^ (1 << bit), data[at + 1 :])


def test_a_bit_that_is_turned_in_any_byte_is_told_with_its_line(
    sound: bytes, tmp_path: Path
) -> None:
    """Every byte of a small journal: the line is named, and the last newline makes it torn."""
    data = b"".join(sound.splitlines(keepends=True)[:5])
    path = tmp_path / "run.jsonl"
    for at in range(len(data)):
        expected = (data[:at].count(b"\n") + 1, at == len(data) - 1)
        assert expected == fault(path, flipped(data, at, at % 8)), at


def test_every_bit_of_a_line_counts(sound: bytes, tmp_path: Path) -> None:
    """All eight bits of every byte of one line in the middle, its newline among them."""
    lines = sound.splitlines(keepends=True)
    number = 1 + min(range(1, 9), key=lambda at: len(lines[at]))
    start = sum(map(len, lines[: number - 1]))
    data = b"".join(lines[: number + 1])
    for at in range(start, start + len(lines[number - 1])):
        for bit in range(8):
            assert (number, False) == fault(tmp_path / "run.jsonl", flipped(data, at, bit))


@given(data=st.data())
def test_bytes_that_change_anywhere_in_a_long_journal_are_told(
    sound: bytes, tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    """One byte or several, the first line that is touched is named."""
    places = data.draw(
        st.lists(st.integers(0, len(sound) - 2), min_size=1, max_size=3, unique=True)
    )
    changed = sound
    for at in places:
        changed = flipped(changed, at, data.draw(st.integers(0, 7)))
    path = tmp_path_factory.getbasetemp() / "changed.jsonl"
    assert (sound[: min(places)].count(b"\n") + 1, False) == fault(path, changed)


Lines = list[bytes]


@pytest.mark.parametrize(
    "change, line",
    [
        (lambda lines: [*lines[:6], lines[7], lines[6], *lines[8:]], 7),
        (lambda lines: [*lines[:6], *lines[7:]], 7),
        (lambda lines: [*lines[:6], lines[6], lines[6], *lines[7:]], 8),
        (lambda lines: [*lines[:6], lines[2], *lines[6:]], 7),
        (lambda lines: [*lines[:6], b"\n", *lines[6:]], 7),
        (lambda lines: [*lines[:6], b"{}\n", *lines[6:]], 7),
        (lambda lines: [*lines[:6], lines[6][:-1], *lines[7:]], 7),
        (lambda lines: [*lines[:6], lines[6][:-1] + b"\r\n", *lines[7:]], 7),
        (lambda lines: [*lines, *lines], None),
        (lambda lines: lines[1:], 1),
        (lambda lines: [b"\n", *lines], 1),
        (lambda lines: [b"\xef\xbb\xbf" + lines[0], *lines[1:]], 1),
        (lambda lines: list(reversed(lines)), 1),
        (lambda lines: [*lines, b"\n"], None),
    ],
    ids=[
        "swapped",
        "removed",
        "doubled",
        "copied",
        "blank",
        "strange",
        "joined",
        "crlf",
        "twice",
        "beheaded",
        "blank-first",
        "bom",
        "reversed",
        "blank-last",
    ],
)
def test_lines_that_were_moved_are_told(
    sound: bytes, tmp_path: Path, change: Callable[[Lines], Lines], line: int | None
) -> None:
    """A line that is whole but not where it was written is found at its place."""
    lines = sound.splitlines(keepends=True)
    expected = len(lines) + 1 if line is None else line
    assert (expected, False) == fault(tmp_path / "run.jsonl", b"".join(change(lines)))


def test_a_line_that_is_left_out_at_the_end_is_not_told(sound: bytes, tmp_path: Path) -> None:
    """Lines that a crash lost are always the last ones, so the rest is a journal."""
    lines = sound.splitlines(keepends=True)
    path = tmp_path / "run.jsonl"
    path.write_bytes(b"".join(lines[:-2]))
    assert list(range(1, len(lines) - 1)) == [line.number for line in read_journal(path)]
