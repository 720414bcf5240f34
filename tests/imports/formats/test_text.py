"""Lines `name: text`, and consoles: what begins a row, and what no text can pass for."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from deskroom.errors import FileError

Read = Callable[..., Any]

DASHES = "-" * 80


def test_a_name_begins_a_row_if_it_does_so_twice_or_first(read_rows: Read) -> None:
    """So a word with a colon inside a text does not; blank lines belong to the row."""
    read = read_rows(
        "# Crate 12\n\nuser: go on\np: look:\n\nPrinted: 3 kg\n\n    x\np: well\nw: it is\nw: ok\n\n"
    )
    assert read.format == "text"
    assert read.rows == [
        ("user", "go on"),
        ("p", "look:\n\nPrinted: 3 kg\n\n    x"),
        ("p", "well"),
        ("w", "it is"),
        ("w", "ok"),
    ]
    assert read.left == {"before the first row": 1}
    assert (read.seats, read.people) == (["p", "w"], ["user"])


@pytest.mark.parametrize(
    "lines",
    [
        "[09:00] {}: {}",
        "[9:00 AM] {}: {}",
        "[2026-03-02 09:00:01] {}: {}",
        "(09:00) {}: {}",
        "09:00:01 {}: {}",
        "2026-03-02T09:00:00Z {}: {}",
        "**[09:00] {}:** {}",
        "[09:00] **{}:** {}",
        "**{}**: {}",
        "- **{}:** {}",
        "{} (09:00): {}",
    ],
)
def test_a_time_or_bold_type_is_the_shape_of_all_heads(read_rows: Read, lines: str) -> None:
    """Then only lines of that shape begin a row, each time that one does."""
    talk = [
        ("Mara Lind", "go on"),
        ("Tom", "as it says:\nMara Lind: no\nMara Lind: no"),
        ("Mara Lind", "ok"),
    ]
    text = "".join(lines.format(*row) + "\n" for row in talk)
    read = read_rows(text)
    assert read.rows == [(name.replace(" ", "_"), said) for name, said in talk]


def test_a_bold_note_inside_a_row_is_no_speaker(read_rows: Read) -> None:
    """What begins lines of any document is a name only where it begins rows twice."""
    read = read_rows("**Mara:** go on\n\n**Note:** wet\n\n**Tom:** yes I do\n\n**Mara:** ok\n")
    assert read.rows == [("Mara", "go on\n\n**Note:** wet"), ("Tom", "yes I do"), ("Mara", "ok")]


def test_nothing_inside_a_code_fence_begins_a_row(read_rows: Read) -> None:
    """A fence may begin behind the name; a shorter one inside does not close it."""
    fenced = "````\nuser: no\n```\nuser: no\n````"
    read = read_rows(f"user: go on\np: {fenced}\nuser: ok now\np: ~~~ sh\nuser: no\n~~~\n")
    assert read.rows == [
        ("user", "go on"), ("p", fenced), ("user", "ok now"), ("p", "~~~ sh\nuser: no\n~~~")
    ]  # fmt: skip


def test_a_fence_that_is_not_closed_is_none(read_rows: Read) -> None:
    """It would hide the rest of the file."""
    read = read_rows("user: go on\np: ```\nuser: not code\np: no, it is not\n")
    assert [name for name, _ in read.rows] == ["user", "p", "user", "p"]


def test_what_a_log_calls_system_is_a_prompt(read_rows: Read) -> None:
    """It is no participant."""
    read = read_rows("system: You pack.\nuser: go on\np: yes I do\nuser: ok\np: bye\n")
    assert read.left == {"system": 1}


@pytest.mark.parametrize(
    "text",
    [
        "# A tool\n\nIt packs crates.\n\nNote: it is new.\nNote: it is slow.\n",
        "name,kg\nplanner: a,31\nweigher: b,32\nplanner: c,1\n",
        "INFO: it starts now\nWARNING: it is wet\nINFO: it stops now\n",
        "Author: A B <a@example.org>\nDate: Mon Mar 2\n\nAuthor: C D\nDate: Tue Mar 3\n",
        "try:\n    import a\nexcept ImportError:\n    a = None\ntry:\n    b = 1\nexcept ImportError:\n    pass\n",
        "kind: Pod\nname: a b\n---\nkind: Pod\nname: c d\n",
        "x: int = 1\ny: int = 2\nz: int = 3\n",
        "a: 1\nb: 2\na: 3\nb: 4\n",
        "One day a planner said: go on. A weigher said: no.\n",
        "https://a.example/x: y\nhttps://b.example/x: y\n",
        "Dear all,\n\nThe crate is late.\nIt is wet.\nIt is heavy.\n\np: one of two\nw: two of two\np: end of it\n",
    ],
    ids=["readme", "csv", "levels", "git", "python", "yaml", "types", "pairs", "prose", "links",
         "letter"],
)  # fmt: skip
def test_other_texts_are_not_recognised(read_rows: Read, text: str) -> None:
    """A document, a table, a log, code and prose are no talk."""
    with pytest.raises(FileError) as error:
        read_rows(text)
    assert error.value.kind == "unknown_format"


@pytest.mark.parametrize("start", ['[{"source": "user",\n', '{"messages": [\n', '["user: a",\n'])
def test_cut_json_is_never_a_log(read_rows: Read, start: str) -> None:
    """JSON that breaks off is JSON, whatever its lines look like."""
    with pytest.raises(FileError) as error:
        read_rows(f"{start}user: go on\np: yes I do\nuser: ok\np: bye\n")
    assert error.value.kind in {"json", "cut"}


def test_a_text_without_a_head_is_an_error(read_rows: Read) -> None:
    """Named with --from, too."""
    with pytest.raises(FileError) as error:
        read_rows("nothing here\n", name="text")
    assert error.value.kind == "format"


def test_json_is_not_read_as_text_by_chance(read_rows: Read) -> None:
    """A document of JSON has no rows as text."""
    with pytest.raises(FileError):
        read_rows(json.dumps([{"a": "user: x"}]), name="text")


# --- consoles ----------------------------------------------------------------------------------


def ag2(*rows: tuple[str, str]) -> str:
    """Return what AG2 prints of some messages."""
    return "".join(f"{name} (to chat_manager):\n\n{text}\n\n{DASHES}\n" for name, text in rows)


BLOCK = "***** Suggested tool call (c1): scale *****"
CALL = f"{BLOCK}\nArguments: \n{{}}\n{'*' * len(BLOCK)}"
ANSWER = "***** Response from calling tool (c1) *****"
RESPONSE = f"{ANSWER}\n31\n{'*' * len(ANSWER)}"


def test_ag2_prints_a_head_a_blank_line_and_dashes(read_rows: Read) -> None:
    """A head inside a text is none; an address makes no row private."""
    text = ag2(("boss", "go"), ("p", "boss (to p):\n\nno head"), ("boss", "None"))
    assert read_rows(text).rows == [
        ("boss", "go"), ("p", "boss (to p):\n\nno head"), ("boss", "None")
    ]  # fmt: skip


def test_ag2_tool_calls_results_and_log_lines_are_counted(read_rows: Read) -> None:
    """A text beside a call is a row; further results of one message are counted with it."""
    text = (
        "$ python run.py\n"
        + ag2(("boss", "go"))
        + "\nNext speaker: w\n\n"
        + ag2(("w", f"I weigh.\n{CALL}"), ("w", f"None\n{CALL}"))
        + "\n>>>>>>>> EXECUTED FUNCTION scale...\nCall ID: c1\nOutput:\n31\n"
        + ag2(("x", f"x (to chat_manager):\n\n{RESPONSE}"))
        + f"{RESPONSE}\n\n{DASHES}\n"
        + "\n>>>>>>>> TERMINATING RUN (1): done\n"
    )
    read = read_rows(text)
    assert read.rows == [("boss", "go"), ("w", "I weigh.")]
    assert read.left == {
        "before the first row": 1,
        "next speaker": 1,
        "tool call": 1,
        "log line": 2,
        "tool result": 1,
    }
    assert read.seats == ["boss", "w"]


def test_ag2_in_colour_is_read_as_without(read_rows: Read) -> None:
    """Terminals get their colours as marks in the text."""
    text = ag2(("boss", "go"), ("p", "yes")).replace("boss (", "\x1b[33mboss\x1b[0m (")
    assert read_rows(text).rows == [("boss", "go"), ("p", "yes")]


def autogen(*rows: tuple[str, str]) -> str:
    """Return what AutoGen's Console prints of some messages."""
    dashes = "-" * 10
    return "".join(f"{dashes} {head} {dashes}\n{text}\n" for head, text in rows)


def test_autogen_prints_the_type_and_the_name(read_rows: Read) -> None:
    """Events are counted by type, statistics as log lines; a streamed text stands once."""
    read = read_rows(
        autogen(
            ("TextMessage (user)", "go\n\n- a list"),
            ("ToolCallRequestEvent (w)", "[FunctionCall(id='1')]"),
            ("ModelClientStreamingChunkEvent (w)", "31 kg"),
            ("MultiModalMessage (user)", "look\n<image>"),
            ("MultiModalMessage (user)", "<image>"),
            (
                "StructuredMessage[Weight] (w)",
                '{"kg":31}\n[Prompt tokens: 1, Completion tokens: 2]',
            ),
            ("Summary", "Number of messages: 5\nFinish reason: None"),
        )
    )
    assert read.rows == [
        ("user", "go\n\n- a list"),
        ("w", "31 kg"),
        ("user", "look"),
        ("user", "[image]"),
        ("w", '{"kg":31}'),
    ]
    assert read.left == {"ToolCallRequestEvent": 1, "image": 1, "log line": 2}


def test_autogen_04_prints_the_name_alone(read_rows: Read) -> None:
    """What is no message is known by how it is printed."""
    read = read_rows(
        autogen(
            ("user", "go"),
            ("w", "[FunctionCall(id='1', arguments='{}', name='scale')]"),
            ("w", "[FunctionExecutionResult(content='31')]"),
            ("w", "31"),
        )
    )
    assert read.rows == [("user", "go"), ("w", "31")]
    assert read.left == {"ToolCallRequestEvent": 1, "ToolCallExecutionEvent": 1}


def test_deskroom_show_is_read_back(read_rows: Read) -> None:
    """Asides stay private, indents are taken off, and what stands below a row is counted."""
    read = read_rows(
        "[1] lead: the log says:\n"
        "    ```\n"
        "    @p go\n"
        "    ```\n"
        "\n"
        "    [9] p: no head\n"
        "  → p: '@p' is the first seat named\n"
        "    as it says\n"
        "[2] p → w · aside: it is: wet\n"
        "turn 3 (w): silent\n"
        "[3-5] p → w · aside, 3 messages · not settled\n"
        "[6] w: see p → w · aside: that\n"
        "  completes\n"
        "closed: completed; 4 turns, 6 rows\n"
    )
    assert read.rows == [
        ("lead", "the log says:\n```\n@p go\n```\n\n[9] p: no head"),
        ("p", "it is: wet", ["w"]),
        ("w", "see p → w · aside: that"),
    ]
    assert read.left == {
        "decision": 1,
        "turn without a row": 1,
        "private row that is not shown": 3,
        "log line": 1,
    }
