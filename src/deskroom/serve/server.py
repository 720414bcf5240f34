"""The page of a journal, served on loopback to whoever knows its URL.

The rules, each checked for every request before anything of the journal is touched:

* It listens on 127.0.0.1 and nowhere else.
* The ``Host`` must be this server's own, so that no name of another site that leads here is served.
* Nothing but GET.
* The path begins with a token that is drawn anew for each server; all else is not found.

There are two things: the page, and behind it the news, as server-sent events. Nothing is logged.
"""

from __future__ import annotations

import sys
from contextlib import suppress
from hmac import compare_digest
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.resources import files
from secrets import token_urlsafe
from socket import socket
from socketserver import TCPServer
from threading import Condition, Thread
from typing import Any, Final, Self
from urllib.parse import parse_qs

from deskroom.errors import UsageError
from deskroom.files import reason_of
from deskroom.render.page.page import LiveOptions, PageEntry, page_html, page_policy
from deskroom.serve.follow import Follower

__all__ = ["PageServer"]

_HOST: Final = "127.0.0.1"
_TOKEN_BYTES: Final = 32
#: A request that has not come in this time never will, and a page that takes nothing is gone.
_PATIENCE_S: Final = 15.0
#: So often a page that is told nothing is asked whether it is still there.
_BEAT_S: Final = 10.0
#: So long pages are given to hear that all is over.
_FAREWELL_S: Final = 1.0
_HTTP_PORT: Final = 80
_HEADERS: Final = {
    "Cache-Control": "no-store",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Connection": "close",
}


class PageServer:
    """Serves the page of the journal that a follower follows. Use it as a context manager.

    ``port`` 0 takes any that is free. Raises ``UsageError`` where the port cannot be listened on.
    """

    def __init__(self, follower: Follower, port: int = 0) -> None:
        self._follower = follower
        try:
            self._server = _Server(follower, port)
        except OSError as error:
            problem = f"cannot listen on port {port} of {_HOST}: {reason_of(error)}"
            raise UsageError(problem) from None
        self.port = self._server.server_port
        self.url = f"http://{_HOST}:{self.port}/{self._server.token}/"
        self._thread = Thread(target=self._server.serve_forever, args=(0.1,), daemon=True)

    def __enter__(self) -> Self:
        """Begin to serve."""
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Say to every page that all is over, and serve no more."""
        self._follower.stop()
        self._server.shutdown()
        self._server.wait_for_pages(_FAREWELL_S)
        self._server.server_close()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    # Another server may not listen on the port as well.
    allow_reuse_port = False

    def __init__(self, follower: Follower, port: int) -> None:
        self.follower = follower
        self.token = token_urlsafe(_TOKEN_BYTES)
        self.live = LiveOptions(script=_live_script())
        self._told = Condition()
        self._pages = 0
        super().__init__((_HOST, port), _Handler)

    def server_bind(self) -> None:
        """Listen, and ask no network for the machine's name, as the nearer base class does."""
        TCPServer.server_bind(self)
        self.server_name, self.server_port = _HOST, self.socket.getsockname()[1]

    def handle_error(self, request: socket | tuple[bytes, socket], client_address: Any) -> None:  # noqa: ANN401 - as it is given
        # Whoever hangs up is no error.
        if not isinstance(sys.exception(), OSError):
            super().handle_error(request, client_address)

    def count_page(self, by: int) -> None:
        """Note that a page begins or ends to listen."""
        with self._told:
            self._pages += by
            self._told.notify_all()

    def wait_for_pages(self, timeout_s: float) -> None:
        """Wait until no page listens any more."""
        with self._told:
            self._told.wait_for(lambda: self._pages == 0, timeout_s)


def _live_script() -> str:
    return (files("deskroom.render.page") / "live.js").read_text(encoding="utf-8")


class _Handler(BaseHTTPRequestHandler):
    server: _Server
    server_version = "deskroom"
    sys_version = ""
    protocol_version = "HTTP/1.1"
    timeout = _PATIENCE_S

    def parse_request(self) -> bool:
        """Read a request, and answer it here if it is refused."""
        if not super().parse_request():
            return False
        refused = self._refused()
        if refused is not None:
            self.send_error(refused)
        self.close_connection = True
        return refused is None

    def _refused(self) -> HTTPStatus | None:
        if self.headers.get_all("Host", []) not in [[host] for host in self._hosts()]:
            return HTTPStatus.MISDIRECTED_REQUEST
        if self.command != "GET":
            return HTTPStatus.METHOD_NOT_ALLOWED
        token, _, rest = self.path.removeprefix("/").partition("/")
        # It takes as long whatever the token begins with.
        is_ours = compare_digest(token.encode(), self.server.token.encode())
        if not is_ours or rest.partition("?")[0] not in {"", "events"}:
            return HTTPStatus.NOT_FOUND
        return None

    def _hosts(self) -> list[str]:
        port = self.server.server_port
        hosts = [f"{_HOST}:{port}", f"localhost:{port}"]
        return [*hosts, _HOST, "localhost"] if port == _HTTP_PORT else hosts

    def do_GET(self) -> None:
        """Answer with the page, or with the news."""
        rest = self.path.removeprefix("/").partition("/")[2]
        if rest.startswith("events"):
            self._send_news(rest.partition("?")[2])
        else:
            self._send_page()

    def _send_page(self) -> None:
        data, live = self.server.follower.data(), self.server.live
        page = page_html([PageEntry(path=data.path, data=data)], live=live)
        policy = f"{page_policy(live)}; frame-ancestors 'none'"
        self._send(page.encode(errors="replace"), "text/html", policy)

    def _send_news(self, query: str) -> None:
        known = parse_qs(query).get("after", [""])[0]
        known = self.headers.get("Last-Event-ID") or known
        self._send_head(HTTPStatus.OK, "text/event-stream", "default-src 'none'")
        self.server.count_page(1)
        try:
            self._tell(known)
        finally:
            self.server.count_page(-1)

    def _tell(self, known: str) -> None:
        follower = self.server.follower
        while not follower.is_over:
            news = follower.news(known, _BEAT_S)
            if news is not None:
                known, text = news
                self.wfile.write(f"id: {known}\ndata: {text}\n\n".encode(errors="replace"))
            elif not follower.is_over:
                self.wfile.write(b":\n\n")
        self.wfile.write(b"event: over\ndata: {}\n\n")

    def _send(self, body: bytes, type_: str, policy: str, status: int = HTTPStatus.OK) -> None:
        self._send_head(status, f"{type_}; charset=utf-8", policy, len(body))
        self.wfile.write(body)

    def _send_head(self, status: int, type_: str, policy: str, length: int | None = None) -> None:
        self.send_response(status)
        self.send_header("Content-Type", type_)
        self.send_header("Content-Security-Policy", policy)
        if length is not None:
            self.send_header("Content-Length", str(length))
        if status == HTTPStatus.METHOD_NOT_ALLOWED:
            self.send_header("Allow", "GET")
        for name, value in _HEADERS.items():
            self.send_header(name, value)
        self.end_headers()

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:  # noqa: ARG002 - what was asked is not repeated
        """Refuse a request, quoting nothing of it."""
        self.close_connection = True
        phrase = HTTPStatus(code).phrase
        body = b"" if getattr(self, "command", None) == "HEAD" else f"{phrase}\n".encode()
        with suppress(OSError):
            self._send(body, "text/plain", "default-src 'none'", code)

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing: a request has the token in it."""
