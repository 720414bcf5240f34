"""Kill a desk again and again, and go on with its journal each time.

Run as ``python harness.py BACKEND KILLS SEED FOLDER`` it plays a desk of some sixty turns in a
forked process, kills that at a moment drawn from the seed, goes on, often kills what went on as
well, and holds the journal at the end against that of a run nobody disturbed. It prints how many
processes were killed, and in how many different lines; it exits with 1 at the first difference.
"""

from __future__ import annotations

import json
import logging
import os
import signal
import sys
from collections.abc import Iterable
from hashlib import blake2b
from pathlib import Path

import anyio
import structlog
from attrs import evolve

from deskroom.engine.entries import CallEntry, EndEntry, Entry, ExcessEntry, RowEntry, TurnEntry
from deskroom.journal import JournalFile, read_journal, verify_entries
from deskroom.scenario import Scenario, parse_scenario
from deskroom.scenario.play.replay import run_scripted, scripted_room

HEAD = """\
format = 1
order = "routed"
[desk]
id = "crash"
name = "Crash"
people = [{ id = "sam", label = "Sam" }]
seats = [{ id = "a" }, { id = "b" }, { id = "c" }, { id = "d", fence = true }]
[policy]
silence = "retry"
turn_timeout_s = 60
dispatch = { max_hops = 5 }
chair = { rounds = 40, every = 9 }
aside = { enabled = true, max_members = 2, max_messages = 2, must_surface = true }
broadcast = { width = 2 }
[opening]
by = "sam"
message = "@a begin"
"""

#: What a seat does in its turns: one of everything that leaves something in a journal.
TURNS = [
    'say = "@{next} go on with {n}"\n',
    '\ncalls = [{{ tool = "desk_dm", to = ["{next}"], message = "psst {n}" }}]\n',
    '\ncalls = [{{ tool = "desk_post" }}, {{ tool = "shout", n = {n} }}, {{ tool = "desk_read" }},\n         {{ tool = "desk_post", message = "@{next} at last {n}" }}]\nlate = [{{ tool = "desk_post", message = "late {n}" }}, {{ tool = "desk_read" }}]\n',
    '\nsay = "@{next} see the files of {n}"\nwrote = ["{n}.py", "{n}.txt"]\n',
    '\ncalls = [{{ tool = "desk_broadcast", message = "who can take {n}?" }}]\nscores = {{ a = 0.5, c = 0.4, b = 0.3 }}\n',
    '\ntext = "thinking about {n}"\nwrote = ["{n}.log"]\n',
    '\ntakes = 100\nsay = "@{next} too late {n}"\nlate = [{{ tool = "desk_read" }}]\n',
    '\nsay = "@{next} dropped {n}"\ncrash = "boom {n}"\n',
    '\ntakes = 50\nsay = "@{next} took its time for {n}"\n',
    '\ncalls = [{{ tool = "desk_dm", to = ["{seat}"], message = "{n}" }},\n         {{ tool = "desk_dm", to = ["zz"], message = "{n}" }}]\n',
    '\nsay = "@{next} on {n}"\n',
]
SEATS = "abcd"

_HAS_ENDED = os.WEXITED | os.WNOHANG | os.WNOWAIT


def desk(turns: int) -> Scenario:
    """Return a desk that plays most of so many listed turns."""
    parts = [HEAD]
    for n in range(turns):
        seat, after = SEATS[n % 4], SEATS[(n + 1) % 4]
        body = TURNS[n * 7 % len(TURNS)].format(seat=seat, next=after, n=n)
        if seat == "d":
            body = f'text = "<<<POST @{after} fenced {n} POST>>>"'
        parts.append(f'[[turn]]\nseat = "{seat}"\n{body}\n')
        if n % 16 == 15:
            parts.append(f'[[turn]]\nperson = "sam"\nsay = "@b a word after {n}"\n')
    return parse_scenario("".join(parts))


def settled(entries: Iterable[Entry]) -> list[Entry]:
    """Return a room's entries as if no crash had been.

    A grant that a crash cut short becomes the one after it, without the calls it had answered;
    the attempts of a turn count from 1 and mean retries only.
    """
    kept: list[Entry] = []
    attempts: dict[tuple[int, int], int] = {}
    open_turn: TurnEntry | None = None
    for entry in entries:
        if isinstance(entry, TurnEntry) and open_turn is not None:
            cut = (open_turn.turn, open_turn.attempt)
            attempts[entry.turn, entry.attempt] = attempt = attempts.pop(cut)
            kept = [
                e
                for e in kept
                if not (isinstance(e, CallEntry | ExcessEntry) and _of(e) == (cut[0], attempt))
            ]
            open_turn = entry
            continue
        if isinstance(entry, TurnEntry):
            before = [attempt for (turn, _), attempt in attempts.items() if turn == entry.turn]
            attempts[entry.turn, entry.attempt] = max(before, default=0) + 1
            open_turn = entry
        elif isinstance(entry, EndEntry) or (isinstance(entry, RowEntry) and entry.kind == "seat"):
            open_turn = None
        if isinstance(entry, TurnEntry | CallEntry | ExcessEntry | EndEntry):
            kept.append(evolve(entry, attempt=attempts[_of(entry)]))
        else:
            kept.append(entry)
    return kept


def _of(entry: TurnEntry | CallEntry | ExcessEntry | EndEntry) -> tuple[int, int]:
    return entry.turn, entry.attempt


def play(scenario: Scenario, path: Path, backend: str) -> None:
    """Play the desk into its journal, from wherever that stops."""
    opened = JournalFile.resume(path) if path.exists() else JournalFile.create(path)
    with opened as journal:
        room = scripted_room(scenario, journal=journal, resume=journal.entries)
        anyio.run(run_scripted, room, backend=backend)


def play_and_kill(scenario: Scenario, path: Path, backend: str, size: int, spins: int) -> bool:
    """Play the desk in a process of its own, and kill that once the journal has this size.

    Returns whether it was killed before it had ended by itself.
    """
    child = os.fork()
    if child == 0:
        code = 1
        try:
            play(scenario, path, backend)
            code = 0
        finally:
            os._exit(code)
    while _size(path) < size and os.waitid(os.P_PID, child, _HAS_ENDED) is None:
        os.sched_yield()
    for _ in range(spins):
        pass
    os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        return True
    assert os.WEXITSTATUS(status) == 0, "the desk failed by itself"
    return False


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return -1


def draw(*what: object) -> float:
    """Return a number from 0 up to 1 that depends on nothing but its arguments."""
    digest = blake2b(repr(what).encode(), digest_size=6).digest()
    return int.from_bytes(digest) / 2**48


def main(backend: str, kills: int, seed: str, folder: Path) -> None:
    """Kill so many runs, and check each."""
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.CRITICAL))
    scenario = desk(84)
    whole = folder / f"whole-{seed}.jsonl"
    play(scenario, whole, backend)
    wanted, size = settled(line.entry for line in read_journal(whole)), whole.stat().st_size
    killed = run = 0
    lines: set[int] = set()
    path = folder / f"killed-{seed}.jsonl"
    while killed < kills:
        run += 1
        path.unlink(missing_ok=True)
        for share in sorted(draw(seed, run, at) for at in range(1 + run % 4)):
            spins = int(draw(seed, run, share) * 4000)
            if play_and_kill(scenario, path, backend, int(share * size), spins):
                killed += 1
                lines.add(path.read_bytes().count(b"\n") if path.exists() else -1)
        play(scenario, path, backend)
        entries = [line.entry for line in read_journal(path)]
        verify_entries(entries, path)
        assert wanted == settled(entries), f"run {run} differs"
    whole.unlink()
    path.unlink()
    sys.stdout.write(json.dumps({"killed": killed, "lines": len(lines), "turns": _turns(wanted)}))


def _turns(entries: list[Entry]) -> int:
    return max(entry.turn for entry in entries if isinstance(entry, TurnEntry))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), sys.argv[3], Path(sys.argv[4]))
