from __future__ import annotations

import json

from deskroom.core import Viewer
from deskroom.runs.audit import audit_run
from deskroom.runs.audit_named import Naming
from deskroom.runs.transcript import read_transcript
from deskroom.runs.view import RunView


def transcript(*lines: tuple[str, str, list[str] | None]) -> RunView:
    """Return rows by agents: who, what, and whom alone it was for."""
    rows = [
        {
            "sequence": number,
            "chat_id": "d",
            "parent": None,
            "author": {"type": "agent", "id": who},
            "content": text,
            "audience": {"kind": "desk"} if to is None else {"kind": "aside", "members": to},
        }
        for number, (who, text, to) in enumerate(lines, start=1)
    ]
    return read_transcript("\n".join(map(json.dumps, rows)), "x.jsonl")


def test_each_naming_has_its_answer_or_none() -> None:
    """The rows between are counted; a seat that never spoke again was waited for to the end."""
    view = transcript(
        ("a", "@b and @c, please", None),
        ("a", "@b?", None),
        ("b", "@c you", None),
        ("a", "hm", None),
    )
    assert (
        Naming(row=1, seat="b", answer=3, after=2),
        Naming(row=2, seat="b", answer=3, after=1),
    ) == audit_run(view).named
    known = transcript(("c", "hi", None), ("a", "@c?", None), ("b", "x", None), ("b", "y", None))
    audit = audit_run(known)
    assert (Naming(row=2, seat="c", answer=None, after=2),) == audit.named == audit.unanswered


def test_only_a_mention_that_counts_names_a_seat() -> None:
    """Not in code, not oneself, not a second time in a row, and not whom an aside leaves out."""
    view = transcript(
        ("a", "`@b` @a @b @b", None),
        ("b", "@c @a psst", ["a"]),
        ("b", "psst", ["a"]),
        ("c", "x", None),
    )
    assert [(1, "b"), (2, "a"), (3, "a")] == [(one.row, one.seat) for one in audit_run(view).named]


def test_a_seat_that_may_have_spoken_in_private_is_not_called_silent() -> None:
    """Of a stub for several rows only the first author is shown."""
    view = transcript(("a", "one", ["b"]), ("b", "two", ["a"]), ("c", "x", None))
    assert () == audit_run(view).silent
    assert () == audit_run(view, Viewer("agent", "c")).silent
    alone = transcript(("a", "one", ["b"]), ("c", "x", None))
    assert ("b",) == audit_run(alone, Viewer("agent", "c")).silent
