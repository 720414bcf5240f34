from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from deskroom.engine.script import Cue, Script, ScriptPosition


def position(*speakers: str) -> ScriptPosition:
    """Return the start of a script; an upper-case speaker is a person."""
    cues = [Cue(person=s) if s.isupper() else Cue(seat=s) for s in speakers]
    return ScriptPosition(Script(cues, listed=False))


def test_an_empty_script_has_no_head_and_nothing_due() -> None:
    """There is nothing to play and nobody to speak."""
    empty = position()
    assert (None, None, None, []) == (
        empty.head,
        empty.due_person(),
        empty.next_of("a"),
        empty.unplayed(),
    )


def test_a_person_is_due_once_everything_listed_before_has_been_played() -> None:
    """Seats may play out of order; the person waits for all that stand before."""
    at = position("a", "b", "P", "a")
    at.play(1)
    assert (0, None) == (at.head, at.due_person())
    at.play(0)
    assert (2, 2) == (at.head, at.due_person())
    at.play(2)
    assert (3, None, [3]) == (at.head, at.due_person(), at.unplayed())
    at.play(3)
    assert (None, None, []) == (at.head, at.due_person(), at.unplayed())


def test_a_seat_plays_its_own_cues_in_order() -> None:
    """The next cue of a seat is its first that was not played; others' do not matter."""
    at = position("a", "b", "a")
    assert [0, 1, None] == [at.next_of("a"), at.next_of("b"), at.next_of("c")]
    at.play(0)
    assert [2, 1] == [at.next_of("a"), at.next_of("b")]
    at.play(2)
    assert [None, 1] == [at.next_of("a"), at.next_of("b")]


@given(st.lists(st.sampled_from("abP"), max_size=12), st.data())
def test_any_order_of_playing_keeps_the_questions_consistent(
    speakers: list[str], data: st.DataObject
) -> None:
    """Head, next of each seat and what is unplayed agree with a plain count, whoever is granted."""
    at = position(*speakers)
    left = list(range(len(speakers)))
    while left:
        assert left == at.unplayed()
        assert left[0] == at.head
        assert (left[0] if speakers[left[0]] == "P" else None) == at.due_person()
        firsts = {s: next((i for i in left if speakers[i] == s), None) for s in "ab"}
        assert firsts == {s: at.next_of(s) for s in "ab"}
        due = at.due_person()
        playable = [i for i in (due, *firsts.values()) if i is not None]
        played = data.draw(st.sampled_from(playable))
        at.play(played)
        left.remove(played)
    assert ([], None) == (at.unplayed(), at.head)
