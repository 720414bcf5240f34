from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from deskroom.render.marks import marked_lines


def drawn(
    message: str, *spans: tuple[int, int, str], width: int | None = None
) -> list[tuple[str, str]]:
    """Return each line as it is shown, and its marks."""
    lines = marked_lines(message, spans, width=width)
    return [("".join(shown for shown, _ in line.pieces), line.marks) for line in lines]


def test_marks_stand_under_what_they_mark() -> None:
    """A line without a mark has none; what is not marked at the end of a line takes no spaces."""
    assert [("say `x` now", "    ~~~"), ("", ""), ("bye", "")] == drawn(
        "say `x` now\n\nbye", (4, 7, "~")
    )


def test_a_span_over_several_lines_marks_each() -> None:
    """Line ends take no room."""
    assert [("a `b", "  ~~"), ("", ""), ("c` d", "~~")] == drawn("a `b\n\nc` d", (2, 8, "~"))


def test_of_spans_that_overlap_the_last_counts() -> None:
    """So code can hide what stands in it."""
    assert [("abcdef", "^~~^")] == drawn("abcdef", (0, 4, "^"), (1, 3, "~"))


@pytest.mark.parametrize(
    "message, shown, marks",
    [
        ("漢字@a", "漢字@a", "    ^^"),
        ("⚠\ufe0f @a", "⚠\ufe0f @a", "   ^^"),
        ("e\u0301 @a", "e\u0301 @a", "  ^^"),
        ("\t@a", "    @a", "    ^^"),
        ("ab\t@a", "ab  @a", "    ^^"),
        ("漢\tx\t@a", "漢  x   @a", "        ^^"),
        ("\x1b[2J@a", "\\x1b[2J@a", "       ^^"),
        ("x\r", "x\\r", ""),
    ],
)
def test_marks_go_by_the_cells_of_a_terminal(message: str, shown: str, marks: str) -> None:
    """Wide characters take two, tabs reach the next stop, controls are shown as escapes."""
    at = message.find("@")
    spans = [(at, at + 2, "^")] if at >= 0 else []
    assert [(shown, marks)] == drawn(message, *spans)


def test_a_tab_inside_a_span_is_marked_to_its_stop() -> None:
    """The marks have no holes."""
    assert [("x `a    b`", "  ~~~~~~~~")] == drawn("x `a\tb`", (2, 7, "~"))


def test_a_long_line_goes_on_below_its_marks() -> None:
    """Where the terminal would break the line, it is broken with what stands under it."""
    assert [("abcd", "  ^^"), ("efgh", "^"), ("ij", "")] == drawn(
        "abcdefghij", (2, 5, "^"), width=4
    )
    assert [("漢字", "  ^^"), ("漢", "^^")] == drawn("漢字漢", (1, 3, "^"), width=5)
    assert [("abcd", "")] == drawn("abcd", width=4)


@given(
    message=st.text(alphabet="a漢\t\u0301⚠\ufe0f`@\n\x1b", max_size=30),
    start=st.integers(0, 30),
    length=st.integers(1, 30),
)
def test_marks_are_never_wider_than_the_line(message: str, start: int, length: int) -> None:
    """With everything marked they are exactly as wide, whatever the characters."""
    end = min(start + length, len(message))
    for shown, marks in drawn(message, (min(start, end), end, "~")):
        assert len(marks) <= cell_len(shown) + shown.count("\ufe0f")
    for shown, marks in drawn(message, (0, len(message), "~")):
        assert len(marks) == cell_len(shown)
