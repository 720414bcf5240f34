"""``deskroom watch`` and ``deskroom run --watch``, as processes that serve and are interrupted."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Callable
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import pytest

DESK = 'format = 1\ndesk = { id = "d", name = "D", seats = [{ id = "a" }, { id = "b" }] }\n'
SCENARIO = DESK + '[[turn]]\nseat = "a"\nsay = "@b hello"\n[[turn]]\nseat = "b"\nsay = "done"\n'


@pytest.fixture
def journal(run: Callable[..., Any], tmp_path: Path) -> Path:
    """Return the journal of a run that has closed."""
    (tmp_path / "s.toml").write_text(SCENARIO)
    run("run", tmp_path / "s.toml", "--journal", tmp_path / "j.jsonl")
    return tmp_path / "j.jsonl"


def page_of(url: bytes) -> str:
    """Return the page that is served under a URL."""
    _, _, host, path = url.decode().strip().split("/", 3)
    connection = HTTPConnection(host, timeout=20)
    connection.request("GET", f"/{path}")
    return connection.getresponse().read().decode()


def interrupted(process: subprocess.Popen[bytes]) -> tuple[int, bytes]:
    """Interrupt a process, and return its exit code and what it still had to say on stderr."""
    process.send_signal(signal.SIGINT)
    return process.wait(20), process.stderr.read() if process.stderr else b""


@pytest.mark.slow
def test_it_serves_until_an_interrupt(started: Callable[..., Any], journal: Path) -> None:
    """The URL is printed, the page is there, and Ctrl-C ends it as it ends every command."""
    process = started("watch", str(journal), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert "hello" in page_of(process.stdout.readline())
    assert (130, b"\ninterrupted\n") == interrupted(process)


@pytest.mark.slow
def test_an_interrupt_ends_what_pages_listen_to(started: Callable[..., Any], journal: Path) -> None:
    """A page that is open hears that all is over, and the process does not wait for it."""
    process = started("watch", str(journal), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    _, _, host, path = process.stdout.readline().decode().strip().split("/", 3)
    connection = HTTPConnection(host, timeout=20)
    connection.request("GET", f"/{path}events")
    response = connection.getresponse()
    assert response.readline().startswith(b"id: ")
    assert (130, b"\ninterrupted\n") == interrupted(process)
    assert response.read().endswith(b"event: over\ndata: {}\n\n")


@pytest.mark.slow
def test_a_run_is_served_while_it_goes_on(started: Callable[..., Any], tmp_path: Path) -> None:
    """The URL comes first; after the close the page is still there, and the exit code is the run's."""
    (tmp_path / "s.toml").write_text(SCENARIO)
    journal = tmp_path / "j.jsonl"
    arguments = ("run", str(tmp_path / "s.toml"), "--journal", str(journal), "--watch")
    process = started(*arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    url = process.stderr.readline()
    assert url.startswith(b"http://127.0.0.1:")
    process.stderr.readline()  # it says how long the page is served
    while '"closed":"script"' not in (page := page_of(url)):
        assert process.poll() is None
    assert "hello" in page
    assert (0, b"") == interrupted(process)
    assert b"closed: script" in process.stdout.read()


@pytest.mark.slow
def test_a_browser_is_given_the_url(
    started: Callable[..., Any], journal: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With --open the browser of the user gets the page; one that fails is no matter."""
    told = tmp_path / "told"
    browser = tmp_path / "browser"
    browser.write_text(
        f'#!/bin/sh\nprintf "%s\\n" "$1" > {told}.part\nmv {told}.part {told}\nexit 3\n'
    )
    browser.chmod(0o700)
    monkeypatch.setenv("BROWSER", str(browser))
    process = started(
        "watch", str(journal), "--open", stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    url = process.stdout.readline()
    assert "hello" in page_of(url)
    while not told.exists():
        assert process.poll() is None
    assert url == told.read_bytes()
    assert (130, b"\ninterrupted\n") == interrupted(process)


def test_what_cannot_be_watched(run: Callable[..., Any], journal: Path, tmp_path: Path) -> None:
    """A file that is not there, is no journal or is no file, and a seat that is not: exit 2."""
    (tmp_path / "text").write_text("hello\n")
    os.mkfifo(tmp_path / "pipe")
    wrong: list[tuple[object, ...]] = [
        (tmp_path / "none",),
        (tmp_path / "text",),
        (tmp_path / "s.toml",),
        (tmp_path / "pipe",),
        (tmp_path,),
        ("-",),
        (journal, "--as", "c"),
        (journal, "--port", "65536"),
    ]
    ended = [run("watch", *arguments) for arguments in wrong]
    assert [(2, "")] * len(wrong) == [(one.code, one.out) for one in ended]


def test_a_run_is_watched_through_its_journal(run: Callable[..., Any], journal: Path) -> None:
    """Without a journal there is nothing to follow."""
    assert 2 == run("run", journal.with_name("s.toml"), "--watch").code
