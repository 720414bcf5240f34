"""Real requests to a real server: what is answered, what is refused, and what no answer holds."""

from __future__ import annotations

import json
import socket
from collections.abc import Callable
from http.client import HTTPConnection, HTTPResponse
from typing import Any

import pytest

from deskroom.core import Viewer
from deskroom.errors import UsageError
from deskroom.serve import Follower, PageServer

Serve = Callable[..., PageServer]


def asked(
    server: PageServer, method: str = "GET", path: str | None = None, **headers: str
) -> HTTPResponse:
    """Ask a server for its page, or for something else."""
    connection = HTTPConnection("127.0.0.1", server.port, timeout=10)
    path = "/" + server.url.split("/", 3)[3] if path is None else path
    connection.putrequest(method, path, skip_host="Host" in headers)
    for name, value in headers.items():
        connection.putheader(name.replace("_", "-"), value)
    connection.endheaders()
    return connection.getresponse()


def token_of(server: PageServer) -> str:
    """Return the token of a server."""
    return server.url.split("/")[3]


def event(response: HTTPResponse) -> tuple[str, Any]:
    """Return the next event that says something: its name, and its data."""
    lines: list[str] = []
    while True:
        line = response.readline().decode().rstrip("\n")
        if line:
            lines.append(line)
        elif any(line.startswith("data:") for line in lines):
            fields = dict(line.split(": ", 1) for line in lines if not line.startswith(":"))
            return fields.get("event") or fields["id"], json.loads(fields["data"])
        else:
            lines = []


def test_the_page_and_its_headers(growing: Any, serve: Serve) -> None:
    """Whoever knows the URL gets the page, which nobody else may keep, frame or read."""
    response = asked(serve(growing.path))
    headers = {
        name: value
        for name, value in response.getheaders()
        if name not in {"Date", "Content-Length"}
    }
    policy = headers.pop("Content-Security-Policy")
    assert 200 == response.status
    assert {
        "Server": "deskroom",
        "Content-Type": "text/html; charset=utf-8",
        "Cache-Control": "no-store",
        "Referrer-Policy": "no-referrer",
        "X-Content-Type-Options": "nosniff",
        "X-Frame-Options": "DENY",
        "Cross-Origin-Resource-Policy": "same-origin",
        "Cross-Origin-Opener-Policy": "same-origin",
        "Connection": "close",
    } == {name: value.strip() for name, value in headers.items()}
    assert "default-src 'none'" in policy
    assert "frame-ancestors 'none'" in policy
    assert response.read().startswith(b"<!doctype html>")


@pytest.mark.parametrize("host", ["127.0.0.1:{}", "localhost:{}"])
def test_its_own_names(growing: Any, serve: Serve, host: str) -> None:
    """It answers under the two names that a browser on this machine uses."""
    server = serve(growing.path)
    assert 200 == asked(server, Host=host.format(server.port)).status


@pytest.mark.parametrize(
    "host",
    ["evil.example:{}", "127.0.0.1", "localhost.evil.example:{}", "[::1]:{}", "", "127.0.0.1:1"],
)
def test_another_host_is_refused(growing: Any, serve: Serve, host: str) -> None:
    """A name of another site that leads here is answered with nothing."""
    server = serve(growing.path)
    response = asked(server, Host=host.format(server.port))
    assert (421, b"Misdirected Request\n") == (response.status, response.read())


def test_no_host_and_two_hosts(growing: Any, serve: Serve) -> None:
    """A request says once whom it is for."""
    server = serve(growing.path)
    for hosts in ([], [f"127.0.0.1:{server.port}", f"127.0.0.1:{server.port}"]):
        connection = HTTPConnection("127.0.0.1", server.port, timeout=10)
        connection.putrequest("GET", f"/{token_of(server)}/", skip_host=True)
        for host in hosts:
            connection.putheader("Host", host)
        connection.endheaders()
        assert 421 == connection.getresponse().status


@pytest.mark.parametrize(
    "method", ["POST", "PUT", "DELETE", "OPTIONS", "PATCH", "HEAD", "TRACE", "X"]
)
def test_nothing_but_get(growing: Any, serve: Serve, method: str) -> None:
    """Whatever else is asked is refused, with the token as without."""
    server = serve(growing.path)
    for path in (None, "/"):
        response = asked(server, method, path)
        assert (405, "GET") == (response.status, response.getheader("Allow"))
        assert response.getheader("Access-Control-Allow-Origin") is None


def test_another_path_is_not_found(growing: Any, serve: Serve) -> None:
    """Without the whole token there is nothing, nor beside the two things that there are."""
    server = serve(growing.path)
    token = token_of(server)
    paths = ["/", "/events", f"/{token[:-1]}/", f"/{token}", f"/{token}/../", f"/{token}/data"]
    paths += [f"/x{token}/", f"/{token.upper()}/", "/%2e%2e/", f"/{token}//", f"/\xe9{token}/"]
    paths += [f"http://127.0.0.1:{server.port}/{token}/"]
    answers = []
    for path in paths:
        with socket.create_connection(("127.0.0.1", server.port), timeout=10) as plain:
            request = f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\n\r\n"
            plain.sendall(request.encode("latin-1"))
            answers.append(plain.makefile("rb").readline())
    # Without its slash the token is the page's all the same.
    found = [b"HTTP/1.1 404 Not Found\r\n"] * len(paths)
    found[3] = b"HTTP/1.1 200 OK\r\n"
    assert found == answers


@pytest.mark.parametrize(
    "request_",
    [
        b"nonsense\r\n\r\n",
        b"GET / HTTP/9.9\r\n\r\n",
        b"GET /" + b"x" * 70000 + b" HTTP/1.1\r\n\r\n",
    ],
)
def test_what_is_no_request(growing: Any, serve: Serve, request_: bytes) -> None:
    """An answer to nonsense repeats nothing of it."""
    with socket.create_connection(("127.0.0.1", serve(growing.path).port), timeout=10) as plain:
        plain.sendall(request_)
        answer = plain.makefile("rb").read()
    assert b"nonsense" not in answer
    assert b"9.9" not in answer


def test_two_servers_have_two_tokens(growing: Any, serve: Serve) -> None:
    """The token of one opens no other."""
    one, other = serve(growing.path), serve(growing.path)
    assert 404 == asked(one, path=f"/{token_of(other)}/").status
    assert 43 == len(token_of(one))


def test_a_port_that_is_taken(growing: Any, serve: Serve) -> None:
    """There is one sentence, and no server."""
    server = serve(growing.path)
    with pytest.raises(UsageError):
        PageServer(Follower(str(growing.path), "run"), server.port)


def test_nothing_is_logged(growing: Any, serve: Serve, capfd: pytest.CaptureFixture[str]) -> None:
    """Neither an answer nor a refusal leaves the token in a terminal."""
    server = serve(growing.path)
    asked(server).read()
    asked(server, "POST").read()
    asked(server, path="/x").read()
    assert ("", "") == capfd.readouterr()


def test_news_come_as_the_journal_grows(growing: Any, serve: Serve) -> None:
    """A page is told of each growth, and goes on where it was when it comes back."""
    server = serve(growing.path)
    response = asked(server, path=f"/{token_of(server)}/events")
    assert (200, "text/event-stream") == (response.status, response.getheader("Content-Type"))
    _, first = event(response)
    assert ("growing", []) == (first["live"]["state"], first["items"])
    growing.grow(4)
    name, more = event(response)
    assert ([0, 0, 0, 0], 4) == (more["keep"], len(more["views"]))
    growing.grow_whole()
    again = asked(server, path=f"/{token_of(server)}/events?after=0.0", Last_Event_ID=name)
    _, rest = event(again)
    assert ("closed", [0, 0, 0, 0]) == (rest["live"]["state"], rest["keep"])
    assert [] == [row for row in rest["rows"] if "begin" in str(row)]
    server.__exit__()
    assert "over" == event(again)[0]


@pytest.mark.parametrize("seat, is_there", [("bob", True), ("cyd", False)])
def test_a_seat_is_served_what_it_may_read(
    growing: Any, serve: Serve, seat: str, is_there: bool
) -> None:
    """Of an aside and of another's turn there is nothing in any byte, of the page or of the news."""
    server = serve(growing.path, Viewer("agent", seat))
    response = asked(server, path=f"/{token_of(server)}/events")
    told = response.readline() + response.readline() + response.readline()
    growing.grow_whole()
    while b'"closed"' not in told:
        told += response.readline()
    page = asked(server).read()
    assert [is_there] * 2 == [b"SECRET" in page, b"SECRET" in told]
    assert b"begin" in page
    assert b"of ann's own" not in page + told


@pytest.mark.parametrize("viewer, is_there", [(None, True), ("cyd", False)])
def test_what_a_damaged_line_says_is_for_the_operator(
    growing: Any, serve: Serve, viewer: str | None, is_there: bool
) -> None:
    """What is wrong with a line may quote it, so a seat is told its number alone."""
    growing.grow(4)
    with growing.path.open("ab") as file:
        file.write(b'{"kind":"SECRET","digest":"0"}\n')
    arguments = [] if viewer is None else [Viewer("agent", viewer)]
    page = asked(serve(growing.path, *arguments)).read().decode()
    assert "line 6" in page
    assert is_there == ("line 6 is bad" in page)
