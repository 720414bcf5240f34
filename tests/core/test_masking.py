from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from deskroom.core.masking import code_ranges, code_spans, to_byte_offsets

# Pieces that the rules of code turn on, and a few that they do not.
PIECES = st.sampled_from(
    ["`", "``", "```", "~~~", "\\", "\n", "    ", " ", "\t", "\r", "-", "=", "# ", "x", "é", "@"]
)
MARKDOWN = st.lists(PIECES, max_size=24).map("".join)


def coded(body: str) -> list[str]:
    """Return the text that each range of code covers."""
    raw = body.encode()
    return [raw[start:end].decode() for start, end in code_ranges(body)]


@pytest.mark.parametrize("body", ["", "plain @x", "a\n\nb\n", "a ~~ b", "a \\` b", "`", "a``b`c"])
def test_text_without_code_has_no_ranges(body: str) -> None:
    """Neither plain text nor a backtick that closes nowhere is code."""
    assert code_ranges(body) == ()


@pytest.mark.parametrize(
    "body,expected",
    [
        ("a\n```py\nx\n```\nb", ["```py\nx\n```\n"]),
        ("```\nx", ["```\nx"]),
        ("```", ["```"]),
        ("   ~~~\nx\n   ~~~  \t\r\ny", ["   ~~~\nx\n   ~~~  \t\r\n"]),
        ("~~~ `a` ~\nx", ["~~~ `a` ~\nx"]),
        ("````\n```\n~~~~\n`````\nx", ["````\n```\n~~~~\n`````\n"]),
        ("```\n``` x\n    ```\n\t```\n```", ["```\n``` x\n    ```\n\t```\n```"]),
        ("```\na\n```\n```\nb\n```\n", ["```\na\n```\n", "```\nb\n```\n"]),
        ("para\n```\nx\n```\n", ["```\nx\n```\n"]),
    ],
)
def test_a_fence_runs_from_its_opener_to_its_closer(body: str, expected: list[str]) -> None:
    """A closer has the same character and at least the length; without one all the rest is code."""
    assert coded(body) == expected


@pytest.mark.parametrize("body", ["~~\nx", "``\nx", "x ```\nx", "x\n    ```\nx", "\v~~~\nx"])
def test_what_only_resembles_a_fence_opens_none(body: str) -> None:
    """Two marks, text before them or four columns of indentation make no fence."""
    assert coded(body) == []


def test_a_backtick_fence_may_hold_no_other_backtick_in_its_line() -> None:
    """Such a line is read as inline code, if as any."""
    assert coded("``` a`\nx\n```\ny") == ["```\ny"]
    assert coded("```a```\nx") == ["```a```"]


@pytest.mark.parametrize(
    "body,expected",
    [
        ("    x\ny", ["    x\n"]),
        ("\tx", ["\tx"]),
        ("  \tx\n", ["  \tx\n"]),
        ("a\n\n    x\n\n \n    y\n\nz", ["    x\n\n \n    y\n"]),
        ("    x\n    \n\t\n", ["    x\n"]),
        ("# h\n    x", ["    x"]),
        ("#\n    x", ["    x"]),
        ("###### h\n    x", ["    x"]),
        ("* * *\n    x", ["    x"]),
        ("___\n    x", ["    x"]),
        ("---\n    x", ["    x"]),
        ("-\t-  -\t\n    x", ["    x"]),
        ("a\n===\n    x", ["    x"]),
        ("a\n-- \t\n    x", ["    x"]),
        ("```\n```\n    x", ["```\n```\n", "    x"]),
        ("    x\n```\ny", ["    x\n", "```\ny"]),
        ("    # h\n    x", ["    # h\n    x"]),
    ],
)
def test_an_indented_block_opens_where_no_paragraph_is_open(body: str, expected: list[str]) -> None:
    """It begins at the start, or after a blank line, a fence or a line that ended its block."""
    assert coded(body) == expected


@pytest.mark.parametrize(
    "body",
    [
        "a\n    x",
        "a\n\tx\n    y",
        "#h\n    x",
        "####### h\n    x",
        "--\n    x",
        "===\n    x",
        "a\n== =\n    x",
        "- - x\n    y",
        "a\n   \v\n    x",
        "\xa0\n    x",
        "   x",
    ],
)
def test_an_indented_line_under_a_paragraph_is_text(body: str) -> None:
    """An underline over nothing is itself a paragraph, and so are lines that only look special."""
    assert coded(body) == []


@pytest.mark.parametrize(
    "body,expected",
    [
        ("a `x` b", ["`x`"]),
        ("``a`b`` c", ["``a`b``"]),
        ("`` ` ``", ["`` ` ``"]),
        ("`a``b`", ["`a``b`"]),
        ("``a` b`c`", ["` b`"]),
        ("`a\nb`", ["`a\nb`"]),
        ("`a\\` b`", ["`a\\`"]),
        ("\\`a` b`", ["` b`"]),
        ("\\\\`a`", ["`a`"]),
        ("\\``a`", ["`a`"]),
        ("\\```a``", ["``a``"]),
        ("a\\\n`b`", ["`b`"]),
        ("`a` `b` `c", ["`a`", "`b`"]),
        ("`é` `東`", ["`é`", "`東`"]),
        ("para\n    `a`", ["`a`"]),
        ("`a`\\", ["`a`"]),
    ],
)
def test_an_inline_span_closes_at_a_run_of_its_own_length(body: str, expected: list[str]) -> None:
    """A backslash guards the next character outside a span, and is ordinary within one."""
    assert coded(body) == expected


@pytest.mark.parametrize(
    "between", ["\n\n", "\n \t\n", "\n# h\n", "\n***\n", "\n---\n", "\n==\n", "\n=\n", "\n--\n"]
)
def test_no_span_crosses_the_end_of_its_paragraph(between: str) -> None:
    """Blank lines, headings, breaks and underlines stop the search for a closing run."""
    assert coded(f"`a{between}b`") == []


@pytest.mark.parametrize("block", ["```\nx\n```\n", "~~~\nx\n~~~\n"])
def test_no_span_crosses_a_block(block: str) -> None:
    """A fence between two backticks keeps them apart."""
    assert coded(f"`a\n{block}b`") == [block]


def test_a_span_may_stand_within_a_heading() -> None:
    """Both edges of a heading are boundaries, and what lies between them is one paragraph."""
    assert coded("# `a` b\n`c`") == ["`a`", "`c`"]
    assert coded("# `a\nb`") == []


def test_ranges_count_bytes() -> None:
    """Wide characters before and in the code move the offsets on by their bytes."""
    assert code_ranges("é `é` 東 `x`") == ((3, 7), (12, 15))
    assert code_spans("é `é` 東 `x`") == ((2, 5), (8, 11))


def test_characters_map_to_bytes_in_one_walk() -> None:
    """Each offset asked for is mapped, a lone surrogate counting three bytes."""
    assert to_byte_offsets("aé\ud800b", [0, 1, 2, 3, 4]) == {0: 0, 1: 1, 2: 3, 3: 6, 4: 7}


@given(MARKDOWN)
@example("```\n    \n`")
def test_ranges_ascend_and_do_not_meet(body: str) -> None:
    """Ranges are in order, not empty, apart from each other, and inside the message."""
    last = 0
    for start, end in code_spans(body):
        assert last <= start < end <= len(body)
        last = end


@given(MARKDOWN)
def test_whole_lines_above_a_blank_line_keep_their_ranges(body: str) -> None:
    """What follows a blank line changes nothing before it, once no fence is open."""
    above = f"{body}\n\n"
    closed = code_ranges(f"{above}x")
    if not any(end > len(above.encode()) for _, end in closed):
        assert code_ranges(f"{above}x `y` z")[: len(closed)] == closed


@given(MARKDOWN)
def test_an_open_fence_takes_all_that_follows(body: str) -> None:
    """Under a fence longer than any run in the message everything is code."""
    fenced = f"{'~' * (len(body) + 81)}\n{body}"
    assert code_ranges(fenced) == ((0, len(fenced.encode())),)


@given(st.text(st.characters(codec=None)))
def test_any_text_at_all_has_ranges(body: str) -> None:
    """Lone surrogates and control characters raise nothing."""
    for start, end in code_ranges(body):
        assert 0 <= start < end <= len(body.encode("utf-8", "surrogatepass"))


@pytest.mark.slow
@pytest.mark.parametrize(
    "body,count",
    [
        ("`" * 300_000, 1),
        ("`\\`" * 100_000, 1),
        ("- " * 150_000 + "x", 0),
        ("- \n" * 100_000, 0),
        ("```\n~~~\n" * 40_000, 26_667),
        ("".join("`" * n + " " for n in range(1, 700)), 0),
        (" " * 300_000 + "x", 1),
        ("\t" * 300_000, 0),
        ("    \n" * 60_000 + "    x", 1),
        ("`\n\n" * 100_000, 0),
    ],
)
def test_hostile_messages_are_read_in_one_walk(body: str, count: int) -> None:
    """A long message of what costs most is answered; were a step quadratic this would not end."""
    assert len(code_spans(body)) == count
