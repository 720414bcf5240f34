"""A server of the chat API on loopback that answers, or misbehaves, as a test tells it."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

#: One response: the body of a completion, or what is done with the connection.
Response = Mapping[str, Any] | Callable[[BaseHTTPRequestHandler], None]


class ChatServer(ThreadingHTTPServer):
    """Gives one response after the other, the last one for ever; keeps what it was asked."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.responses: list[Response] = []
        self.requests: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.paths: list[str] = []
        self.closing = threading.Event()

    @property
    def url(self) -> str:
        """Where its API is."""
        return f"http://127.0.0.1:{self.server_address[1]}/v1"

    def answers(self, *responses: Response) -> None:
        """Set what it answers, one request after the other."""
        self.responses = list(responses)

    def handle_error(self, *_: object) -> None:
        """A client that went away is no news."""


class _Handler(BaseHTTPRequestHandler):
    server: ChatServer
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        server = self.server
        body = self.rfile.read(int(self.headers["content-length"]))
        server.requests.append(json.loads(body))
        server.headers.append({name.lower(): value for name, value in self.headers.items()})
        server.paths.append(self.path)
        response = server.responses[0]
        if len(server.responses) > 1:
            del server.responses[0]
        with suppress(OSError):
            if callable(response):
                response(self)
            else:
                data = json.dumps(response).encode()
                self.send_response(200)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

    def do_GET(self) -> None:
        self.server.paths.append(f"GET {self.path}")
        self.send_error(404)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def chat_server() -> Iterator[ChatServer]:
    """A server on loopback, for one test."""
    server = ChatServer()
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    yield server
    server.closing.set()
    server.shutdown()
    server.server_close()
    thread.join()
