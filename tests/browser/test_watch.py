"""The page of a journal that grows, in a real browser: it follows, and keeps what one does there."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from attrs import define

from deskroom.journal import JournalFile
from deskroom.scenario import parse_scenario, replay_scenario
from deskroom.serve import Follower, PageServer

TURNS = "".join(
    f'[[turn]]\nseat = "{"ab"[number % 2]}"\nsay = "@{"ba"[number % 2]} message {number}"\n'
    for number in range(60)
)
ASIDE = '[[turn]]\nseat = "a"\ncalls = [{ tool = "desk_dm", to = ["b"], message = "hush" }]\n'
DESK = """
format = 1
desk = { id = "d", name = "D", seats = [{ id = "a" }, { id = "b" }, { id = "c" }] }
policy = { max_turns = 100, aside = { enabled = true, max_members = 1, max_messages = 9 } }
"""
#: A browser that runs beside other tests is slow.
WAIT_MS = 15_000


@define
class Room:
    """A journal that is served, and the lines that are not written yet."""

    path: Path
    lines: list[bytes]
    server: PageServer

    def grow(self, upto: bytes | None = None) -> None:
        """Write lines up to the first that holds some bytes, or all."""
        count = len(self.lines)
        if upto is not None:
            count = next(
                at for at, line in enumerate(self.lines, 1) if upto in line and b'"row"' in line
            )
        with self.path.open("ab") as file:
            file.write(b"".join(self.lines[:count]))
        del self.lines[:count]


@pytest.fixture
def room(tmp_path: Path) -> Iterator[Room]:
    """Return a room of which nothing is written."""
    with JournalFile.create(tmp_path / "whole", sync="never") as journal:
        scenario = parse_scenario(DESK + ASIDE + TURNS, "s")
        for entry in replay_scenario(scenario).run.journal:
            journal.write(entry)
    lines = (tmp_path / "whole").read_bytes().splitlines(keepends=True)
    path = tmp_path / "run.jsonl"
    path.write_bytes(b"")
    with Follower(str(path), path.name) as follower:
        follower.look()
        with PageServer(follower) as server:
            thread = Thread(target=follower.follow, daemon=True)
            thread.start()
            yield Room(path, lines, server)
        thread.join()


def wait(tab: Any, state: str) -> None:
    """Wait until the page says how the run stands."""
    tab.page.wait_for_selector(f'#live:text-is("{state}")', timeout=WAIT_MS)


def forget(tab: Any, server: PageServer) -> None:
    """Leave out the one request that a page makes: for its own news."""
    tab.requests[:] = [url for url in tab.requests if not url.startswith(f"{server.url}events?")]


def test_a_page_follows_its_run(open_tab: Callable[..., Any], room: Room) -> None:
    """From before the first line to the end of following, with no error in the console."""
    tab = open_tab(room.server.url)
    wait(tab, "waiting for the first line")
    room.grow(b"message 3")
    wait(tab, "following")
    tab.page.wait_for_selector(".card >> text=message 3", timeout=WAIT_MS)
    room.path.unlink()
    wait(tab, "the journal is gone")
    assert 1 == tab.page.locator(".card >> text=message 3").count()
    forget(tab, room.server)


def test_what_is_chosen_and_read_stays(open_tab: Callable[..., Any], room: Room) -> None:
    """Rows come behind those that are there; the choice, the reader and the search stay."""
    room.grow(b"message 5")
    tab = open_tab(room.server.url)
    page = tab.page
    wait(tab, "following")
    page.select_option("#read-as", "c")
    page.click(".card >> text=message 2")
    page.fill("#search", "message")
    page.focus("#detail")
    room.grow()
    wait(tab, "following: the room has closed")
    assert "60 of 61 shown" == page.text_content("#said")
    assert "c" == page.input_value("#read-as")
    assert "message" == page.input_value("#search")
    assert "message 2" in page.inner_text("#detail")
    assert "hush" not in page.inner_text("#stage")
    assert page.evaluate("detail.contains(document.activeElement)")
    assert "Closed: script" in page.inner_text("#summary")
    room.server.__exit__()
    wait(tab, "the run is not followed any more")
    forget(tab, room.server)


def test_a_page_hears_of_damage(open_tab: Callable[..., Any], room: Room) -> None:
    """A line that is wrong is told as `verify` tells it, and what stands before it is there."""
    room.grow(b"message 5")
    tab = open_tab(room.server.url)
    wait(tab, "following")
    room.lines[0] = b"x\n"
    room.grow()
    wait(tab, "the journal is damaged")
    assert "is bad" in tab.page.inner_text("#summary")
    assert 1 == tab.page.locator(".card >> text=message 5").count()
    forget(tab, room.server)


def test_axe_finds_nothing(
    open_tab: Callable[..., Any], room: Room, script: Callable[[str], str]
) -> None:
    """What says how the run is followed can be read by everyone, in light and dark."""
    axe = script("axe")
    room.grow(b"message 5")
    for dark in (False, True):
        tab = open_tab(room.server.url, dark=dark)
        wait(tab, "following")
        tab.page.evaluate(axe)
        found = tab.page.evaluate(
            "axe.run().then((found) => found.violations.map((one) => one.id))"
        )
        assert [] == found
        forget(tab, room.server)
