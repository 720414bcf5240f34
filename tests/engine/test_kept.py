from __future__ import annotations

from deskroom.core import Person
from deskroom.core.reasons import AsideReason, CallFault, Outcome
from deskroom.engine.engine import Engine
from deskroom.engine.entries import CallEntry, EndEntry, Entry, ExcessEntry, Raised, RowEntry
from deskroom.engine.kept import (
    KEPT_BYTES,
    KEPT_CHARACTERS,
    MOST_LATE,
    is_cut,
    is_cut_text,
    kept,
    kept_error,
    kept_text,
)
from deskroom.engine.messages import Call, TurnEnd
from deskroom.engine.policy import Policy
from deskroom.engine.setup import Opening, Seat, Setup
from deskroom.journal import verify_entries
from deskroom.runs.run import Run

SETUP = Setup(
    desk_id="d",
    desk_name="D",
    seats=(Seat(id="a"), Seat(id="b"), Seat(id="f", fence=True)),
    people=(Person("p", "Pat"),),
    policy=Policy(max_calls=2, max_message_bytes=1_000_000),
)


class Driver:
    """An engine, with all entries that were written; a turn of the seat that is named is open."""

    def __init__(self, seat: str = "a") -> None:
        opening = Opening("p", f"@{seat} go")
        self.engine = Engine(
            Setup(
                desk_id="d",
                desk_name="D",
                seats=SETUP.seats,
                people=SETUP.people,
                policy=SETUP.policy,
                opening=opening,
            )
        )
        self.entries: list[Entry] = []
        self.write(self.engine.header())
        self.seat = seat
        self.excess = 0
        for _ in range(2):
            self.write(self.engine.due())  # type: ignore[arg-type]

    def write(self, *entries: Entry) -> None:
        """Keep entries and apply them."""
        for entry in entries:
            self.entries.append(entry)
            self.engine.apply(entry)

    def call(self, tool: object, arguments: object) -> str:
        """Make a call, and return the reply's word."""
        call = Call(1, 1, self.seat, 1, tool, arguments)
        entry, reply = self.engine.call(call)
        if entry is not None:
            self.write(entry)
        elif self.engine.is_excess(call):
            self.excess += 1
        return reply.rejection or "ok"

    def end(self, text: str = "", error: Raised | None = None) -> Entry:
        """End the turn; return the entry that ended it, once everything still verifies."""
        end = TurnEnd(1, 1, self.seat, text, error=error)
        self.write(*self.engine.excess(self.excess), *self.engine.end(end))
        self.check()
        return self.entries[-1]

    def check(self) -> None:
        """The entries fold into the same state, and are what the rules give."""
        assert Engine.of(self.entries) == self.engine
        assert len(self.entries) == verify_entries(self.entries, "x").lines


# Calls that are only counted


def test_calls_after_the_first_that_is_too_many_are_one_entry() -> None:
    """However often a seat calls, its turn has so many entries; each call is answered alike."""
    driver = Driver()
    replies = [driver.call("desk_post", {"message": f"{n}"}) for n in range(5000)]
    assert ["ok", "ok", *["too_many_calls"] * 4998] == replies
    assert isinstance(driver.end(), RowEntry)
    assert ExcessEntry(1, 1, "a", 4997) == driver.entries[-2]
    assert 3 + 2 + 1 + 1 + 1 == len(driver.entries)
    turn = Run.from_entries(driver.entries).turns[0]
    assert (3, 1002) == (len(turn.calls), len(turn.replies) - 1)


def test_a_turn_that_has_no_call_too_many_has_no_such_entry() -> None:
    """The first that is too many is an entry of its own, and nothing is counted beside it."""
    driver = Driver()
    assert ["ok", "ok", "too_many_calls"] == [driver.call("desk_read", {}) for _ in range(3)]
    driver.end()
    assert [] == [entry for entry in driver.entries if isinstance(entry, ExcessEntry)]
    replies = Run.from_entries(driver.entries).turns[0].replies
    assert ("ok", "ok", "too_many_calls") == replies


def test_a_turn_that_times_out_counts_its_calls_too() -> None:
    """The deadline ends it as well as the seat does."""
    driver = Driver()
    for _ in range(9):
        driver.call("desk_post", {"message": "x"})
    driver.write(*driver.engine.excess(driver.excess), driver.engine.expire())
    driver.check()
    assert ExcessEntry(1, 1, "a", 6) == driver.entries[-2]


def test_late_calls_are_kept_up_to_a_bound() -> None:
    """A seat that goes on after its turn is told so each time, and cannot fill the journal."""
    driver = Driver()
    driver.end()
    replies = {driver.call("desk_post", {"message": "x"}) for _ in range(MOST_LATE + 500)}
    assert {"turn_ended"} == replies
    assert MOST_LATE + 2 == sum(isinstance(entry, CallEntry) for entry in driver.entries)
    driver.check()


# Calls that are long


def test_a_refused_call_that_is_very_long_is_kept_cut() -> None:
    """Its beginning, its length and its digest; every reason to refuse it verifies again."""
    long = "x" * 2_000_000
    calls = [
        ("desk_post", {"message": long}, CallFault.MESSAGE_TOO_LARGE),
        ("desk_post", {"massage": long}, CallFault.BAD_ARGUMENTS),
        ("desk_post", [long], CallFault.BAD_ARGUMENTS),
        (long, {"message": "x"}, CallFault.UNKNOWN_TOOL),
        ([long], long, CallFault.UNKNOWN_TOOL),
        ("desk_post", {"message": " " * 500_000}, CallFault.EMPTY_MESSAGE),
        ("desk_dm", {"to": [long], "message": "x"}, CallFault.UNKNOWN_RECIPIENT),
        ("desk_dm", {"to": ["a"] * 50_000, "message": "x"}, CallFault.SELF_RECIPIENT),
        ("desk_dm", {"to": ["b"], "message": long[:900_000]}, AsideReason.DISABLED),
    ]
    for tool, arguments, reason in calls:
        driver = Driver()
        assert reason == driver.call(tool, arguments)
        call = driver.entries[-1]
        assert isinstance(call, CallEntry)
        assert (True, reason) == (is_cut(call.arguments) or is_cut(call.tool), call.reply)
        assert isinstance(driver.end(), EndEntry)


def test_a_call_too_many_and_a_late_one_are_kept_cut_as_well() -> None:
    """Nobody looks at what they say."""
    driver = Driver()
    for _ in range(3):
        driver.call("desk_post", {"message": "x" * 100_000})
    *_, last = driver.entries
    assert isinstance(last, CallEntry)
    assert is_cut(last.arguments)
    driver.end()
    driver.call("desk_post", {"message": "x" * 100_000})
    *_, last = driver.entries
    assert isinstance(last, CallEntry)
    assert is_cut(last.arguments)
    driver.check()


def test_what_a_call_is_cut_to_tells_how_long_it_was() -> None:
    """And is told from another of the same beginning; what is short enough is kept whole."""
    whole = {"message": "x" * (KEPT_BYTES - len('{"message":""}'))}
    assert whole == kept(whole)
    one, other = ({"message": f"{'x' * KEPT_BYTES}{end}"} for end in "ab")
    assert kept(one)["bytes"] == KEPT_BYTES + len('{"message":"a"}')
    assert kept(one)["cut"] == kept(other)["cut"]
    assert kept(one)["digest"] != kept(other)["digest"]
    assert kept(one) == kept(kept(one))
    assert not is_cut(whole)


def test_a_seat_may_send_what_a_cut_call_looks_like() -> None:
    """It is refused as any call of another shape, and verifies."""
    driver = Driver()
    forged = {"cut": "x", "bytes": KEPT_BYTES + 1, "digest": "0" * 32}
    assert CallFault.BAD_ARGUMENTS == driver.call("desk_post", forged)
    driver.end()


# Texts


def test_a_text_that_is_very_long_is_kept_cut() -> None:
    """A mark at its end says how long it was; cutting it again changes nothing."""
    for driver in (Driver(), Driver()):
        end = driver.end("é" * 3_000_000)
        assert isinstance(end, EndEntry)
        assert (Outcome.SILENT, "é" * KEPT_CHARACTERS) == (end.outcome, end.text[:KEPT_CHARACTERS])
        assert end.text.endswith("\n[cut: 3000000 characters]")
        assert (True, end.text) == (is_cut_text(end.text), kept_text(end.text))
    assert "x" * KEPT_CHARACTERS == kept_text("x" * KEPT_CHARACTERS)
    assert not is_cut_text("x" * KEPT_CHARACTERS + "\n[cut: 12 characters]")


def test_what_a_seat_raised_is_kept_cut() -> None:
    """Its text as any text, and the name of its class."""
    end = Driver().end(error=Raised("E" * 5000, "x" * 3_000_000))
    assert isinstance(end, EndEntry)
    assert end.error == kept_error(Raised("E" * 5000, "x" * 3_000_000))
    assert end.error is not None
    assert (200, True) == (len(end.error.type), is_cut_text(end.error.text))


def test_a_message_is_read_out_of_all_of_a_fence_seats_text() -> None:
    """It may stand behind what is kept of the text, and be too long itself."""
    for message, reply in (("@b go", "ok"), ("y" * 2_000_000, CallFault.MESSAGE_TOO_LARGE)):
        driver = Driver("f")
        ended = driver.end(f"{'x' * 3_000_000}\n<<<POST {message} POST>>>")
        call = next(entry for entry in driver.entries if isinstance(entry, CallEntry))
        assert ("fence", reply) == (call.source, call.reply)
        assert isinstance(ended, RowEntry if reply == "ok" else EndEntry)
        assert is_cut_text(ended.text)
