from __future__ import annotations

import pytest

from deskroom.engine.setup import Seat
from deskroom.room.router import ScriptedRouter, lexical

SEATS = (
    Seat(id="prover", name="Prover", role="proves lemmas", brief="Number theory and lattices."),
    Seat(id="coder", role="writes Rust"),
    Seat(id="clerk"),
)


@pytest.mark.anyio
async def test_the_lexical_router_scores_the_share_of_words_that_a_seat_is_described_by() -> None:
    """Two of four words are the prover's, one is the coder's, none the clerk's."""
    scores = await lexical("PROVER: lattices in rust today", SEATS)
    assert {"prover": 0.5, "coder": 0.25, "clerk": 0.0} == scores


@pytest.mark.anyio
@pytest.mark.parametrize("message", ["", "a to it", "!?", "日本"])
async def test_a_message_without_a_word_of_three_letters_scores_nobody(message: str) -> None:
    """Short words and marks say nothing about whom a message suits."""
    assert {"prover": 0.0, "coder": 0.0, "clerk": 0.0} == await lexical(message, SEATS)


@pytest.mark.anyio
async def test_the_lexical_router_reads_any_script() -> None:
    """Words are runs of letters and digits of any script, compared without case."""
    seat = Seat(id="übersetzer", role="ÜBERSETZT деревья")
    assert {"übersetzer": 1.0} == await lexical("Деревья übersetzt", [seat])


@pytest.mark.anyio
async def test_a_scripted_router_gives_its_mappings_in_turn_and_then_nothing() -> None:
    """Each broadcast takes the next mapping; after the last, nobody has a score."""
    router = ScriptedRouter([{"coder": 0.9}, {"clerk": 0.3}])
    asked = [await router("any", SEATS) for _ in range(3)]
    assert [{"coder": 0.9}, {"clerk": 0.3}, {}] == asked
