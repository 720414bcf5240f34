from __future__ import annotations

import json
from typing import Any

from deskroom.core import Viewer
from deskroom.core.dispatch import DispatchPolicy
from deskroom.engine.policy import Policy
from deskroom.render.audit import audit_json, audit_lines, change_lines, compare_lines
from deskroom.runs.audit import Audit, audit_run, changed_rows
from deskroom.runs.transcript import read_transcript
from deskroom.runs.view import RunView

WHISPER = "The third key is under the blue flower pot behind the shed"


def view(*lines: tuple[str, str, list[str] | None]) -> RunView:
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


RUN = view(
    ("a", WHISPER, ["b"]),
    ("c", f"@a I say: {WHISPER}", None),
    ("b", "DONE \x1b[31m", None),
    ("a", "@c x", None),
)


def shown(audit: Audit, **options: Any) -> str:
    """Return all lines of an audit as one text."""
    return "\n".join(audit_lines(audit, **options))


def test_private_words_stand_in_no_line_and_no_value() -> None:
    """Not even the operator is shown them: the numbers of the rows are enough."""
    for viewer in (None, Viewer("agent", "b"), Viewer("agent", "c")):
        audit = audit_run(RUN) if viewer is None else audit_run(RUN, viewer)
        assert "flower" not in shown(audit)
        assert "flower" not in json.dumps(audit_json(audit, str))


def test_what_is_repeated_is_told_to_those_who_may_read_it() -> None:
    """To the others it would tell what the private words are."""
    whole, narrow = audit_run(RUN), audit_run(RUN, Viewer("agent", "c"))
    assert [1, 0] == [audit_json(one, str)["repeats"]["exact"] for one in (whole, narrow)]
    assert "[2] of [1] by somebody who could not read it" in shown(whole)


def test_the_values_are_those_of_the_audit() -> None:
    """Counts and shares by verdict, the first row that leaves the rules, and the table."""
    document = audit_json(audit_run(RUN), lambda path: f"./{path}")
    assert ("./x.jsonl", "transcript", None, 4, 1, 3) == tuple(
        document[key] for key in ("path", "kind", "as", "rows", "asides", "judged")
    )
    assert {"rows": 1, "share": 0.3333, "first": 3} == document["verdicts"]["nobody"]
    assert (1, "unexplained") == (document["first"]["sequence"], document["first"]["verdict"])
    assert [1, 2, 3, 4] == [row["sequence"] for row in document["table"]]
    assert [{"sequence": 3, "seat": "b", "mark": "DONE", "why": "no_call"}] == document["claims"]
    assert "table" not in audit_json(audit_run(RUN), str, table=False)


def test_no_line_acts_on_a_terminal() -> None:
    """Names and reasons are escaped, whatever stands in them."""
    odd = view(("a", "hi", None), ("b\ufeff", "@\x1b[31m", None))
    assert {"\x1b", "\ufeff"}.isdisjoint(shown(audit_run(odd)))
    assert {"\ufeff"}.isdisjoint("\n".join(compare_lines(audit_run(odd), audit_run(odd))))


def test_two_audits_stand_side_by_side() -> None:
    """Every figure of both, and where each leaves the rules."""
    other = audit_run(view(("a", "@b x", None), ("b", "y", None)))
    lines = list(compare_lines(audit_run(RUN), other))
    cells = {line.split("│")[0].strip(): line.split("│")[1:] for line in lines if "│" in line}
    assert ["4", "2"] == [cell.strip() for cell in cells["rows"]]
    assert ["0 (0%)", "1 (100%)"] == [cell.strip() for cell in cells["follows"]]
    assert lines[-1].startswith("B: x.jsonl: ")


def test_an_audit_of_one_row_has_no_rates() -> None:
    """Nothing can be held against what did not follow."""
    audit = audit_run(view(("a", "hi", None)))
    document = audit_json(audit, str)
    assert (0, None, None) == (
        document["judged"],
        document["verdicts"]["follows"]["share"],
        document["first"],
    )
    assert "-" in shown(audit)


def test_each_row_that_another_policy_decides_otherwise_has_a_line() -> None:
    """And where there is none, that is said."""
    before = audit_run(RUN)
    after = audit_run(RUN, policy=Policy(dispatch=DispatchPolicy(enabled=False)))
    changes = changed_rows(before, after)
    assert 1 + len(changes) == len(list(change_lines(changes)))
    assert 1 == len(list(change_lines(())))
