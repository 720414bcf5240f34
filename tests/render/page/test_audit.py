from __future__ import annotations

from pathlib import Path

from deskroom.core import OPERATOR, Viewer
from deskroom.imports.direct import read_foreign
from deskroom.render.page.audit import audit_values
from deskroom.scenario import load_scenario, replay_scenario

ROOT = Path(__file__).parents[3]
HUB = ROOT / "tests" / "imports" / "samples" / "ag2-hub" / "discussion-1.2.1" / "hub"


def test_a_transcript_has_rates_and_its_first_divergence() -> None:
    """As the command says them; a run of ours was made by the rules and has none."""
    values = audit_values(read_foreign(str(HUB)), OPERATOR)
    assert values is not None
    assert (9, ["follows", 5, 1], 6) == (
        values["judged"],
        values["counts"][0],
        values["first"]["row"],
    )
    view = replay_scenario(load_scenario(ROOT / "scenarios" / "run-28.toml")).view()
    assert None is audit_values(view, OPERATOR)


def test_a_seat_is_told_of_rows_that_it_may_read() -> None:
    """Of an aside of others it hears no decision."""
    values = audit_values(read_foreign(str(HUB)), Viewer("agent", "planner"))
    assert values is not None
    assert values["judged"] == 7
