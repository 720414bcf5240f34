"""Seats that are played by a model, against a real server on loopback that behaves, or does not."""

from __future__ import annotations

import json
import logging
import sys
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler
from typing import Any

import anyio
import pytest
import structlog
from structlog.testing import capture_logs

from deskroom.core import AsidePolicy
from deskroom.engine.entries import MemoryJournal
from deskroom.errors import UsageError
from deskroom.render.tools import tools_as
from deskroom.room import Policy, Room, RoomResult, Seat
from deskroom.seats import ChatSeat
from deskroom.testing import ScriptedSeat, dm, post
from deskroom.wire import entry_out

pytestmark = [pytest.mark.anyio, pytest.mark.slow]

KEY = "sk-very-secret-0123456789"
Handler = BaseHTTPRequestHandler


def completion(message: dict[str, Any], finish: str = "stop", **more: Any) -> dict[str, Any]:
    """Return the body of a completion."""
    choice = {"index": 0, "message": {"role": "assistant", **message}, "finish_reason": finish}
    usage = {"prompt_tokens": 10, "completion_tokens": 3, "total_tokens": 13}
    return {"id": "x", "object": "chat.completion", "choices": [choice], "usage": usage, **more}


def text(content: str, **more: Any) -> dict[str, Any]:
    """Return a completion that is text alone."""
    return completion({"content": content}, **more)


def calls(*pairs: tuple[str, Any], **more: Any) -> dict[str, Any]:
    """Return a completion that calls tools; arguments that are no text are written as JSON."""
    made = [
        {
            "id": f"id_{number}",
            "type": "function",
            "function": {
                "name": name,
                "arguments": given if isinstance(given, str) else json.dumps(given),
            },
        }
        for number, (name, given) in enumerate(pairs)
    ]
    return completion({"content": None, "tool_calls": made, **more}, "tool_calls")


def says(message: str) -> dict[str, Any]:
    """Return a completion that posts."""
    return calls(("desk_post", {"message": message}))


def status(code: int, body: bytes = b"{}", **headers: str) -> Callable[[Handler], None]:
    """Return what answers with a status, a body and headers."""

    def respond(handler: Handler) -> None:
        handler.send_response(code)
        for name, value in {"content-length": str(len(body)), **headers}.items():
            handler.send_header(name.replace("_", "-"), value)
        handler.end_headers()
        handler.wfile.write(body)

    return respond


async def play(seat: Any, *, policy: Policy | None = None, **more: Any) -> RoomResult:
    """Play a room in which a model sits; where its turn fails, the room closes quiet."""
    seats: Any = {"a": seat, **more}
    return await Room(seats, opening="@a go", policy=policy).run()


def replies(result: RoomResult) -> list[str]:
    """Return how the calls of the first turn were answered."""
    return result.turns[0].replies


# What a model is asked, and what comes of what it answers


async def test_a_model_reads_its_turn_and_calls_tools(chat_server: Any) -> None:
    """It is asked with the tools, its guide and what it may read; its text becomes no row."""
    chat_server.answers(says("hello"), text("done"))
    seats: Any = {
        Seat(id="b", brief="not for a"): ScriptedSeat([dm("c", "psst"), post("@a yours")]),
        Seat(id="c"): ScriptedSeat(),
        Seat(id="a", brief="Be brief."): ChatSeat(base_url=chat_server.url, model="m"),
    }
    result = await Room(seats, opening="@a go").run()
    assert ["@a go", "hello"] == [row.content for row in result.rows]
    assert "done" == result.turns[0].text
    first, second = chat_server.requests
    assert tools_as("openai") == first["tools"]
    assert {"model", "messages", "tools"} == set(first)
    system, user = first["messages"]
    assert ("system", "user") == (system["role"], user["role"])
    assert "Be brief." in system["content"]
    assert "not for a" not in str(first)
    assert "@a go" in user["content"]
    assert ["system", "user", "assistant", "tool"] == [m["role"] for m in second["messages"]]
    assert "id_0" == second["messages"][3]["tool_call_id"]
    assert "/v1/chat/completions" == chat_server.paths[0]


async def test_a_model_is_shown_no_private_row_of_others(chat_server: Any) -> None:
    """Of an aside it learns that it went by."""
    chat_server.answers(text(""))
    seats: Any = {
        "b": ScriptedSeat([dm("c", "@c the secret word")]),
        "c": ScriptedSeat([post("@a over to you")]),
        "a": ChatSeat(base_url=chat_server.url, model="m"),
    }
    policy = Policy(aside=AsidePolicy(enabled=True, max_members=1, max_messages=4))
    await Room(seats, opening="@b go", policy=policy).run()
    asked = chat_server.requests[0]["messages"][1]["content"]
    assert "b → c · aside, 1 message" in asked
    assert "the secret word" not in asked


async def test_options_pass_through(chat_server: Any) -> None:
    """They are sent as they are, and those that were not given are not sent."""
    chat_server.answers(text(""))
    await play(
        ChatSeat(base_url=chat_server.url, model="m", temperature=0.0, seed=7, max_tokens=99)
    )
    asked = chat_server.requests[0]
    assert (0.0, 7, 99) == (asked["temperature"], asked["seed"], asked["max_tokens"])


async def test_nothing_of_the_environment_goes_to_the_server(
    chat_server: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A proxy is passed by on loopback, and keys and headers meant for others stay here."""
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    monkeypatch.setenv("OPENAI_API_KEY", "key-of-another")
    monkeypatch.setenv("OPENAI_ORG_ID", "org-of-another")
    monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", "X-Other: secret-of-another")
    chat_server.answers(says("hello"), text(""))
    result = await play(ChatSeat(base_url=chat_server.url, model="m"))
    assert "hello" == result.rows[-1].content
    assert "of-another" not in str(chat_server.headers)
    assert "Bearer none" == chat_server.headers[0]["authorization"]


async def test_several_calls_at_once_are_each_answered_in_order(chat_server: Any) -> None:
    """What was accepted last is said."""
    chat_server.answers(
        calls(
            ("desk_read", {}), ("desk_post", {"message": "one"}), ("desk_post", {"message": "two"})
        ),
        text(""),
    )
    result = await play(ChatSeat(base_url=chat_server.url, model="m"))
    assert ["ok", "ok", "ok"] == replies(result)
    assert "two" == result.rows[-1].content
    answered = chat_server.requests[1]["messages"][3:]
    assert ["id_0", "id_1", "id_2"] == [message["tool_call_id"] for message in answered]
    assert "[1] user: @a go" in answered[0]["content"]


@pytest.mark.parametrize(
    "name, given, reason",
    [
        ("desk_post", '{"message": "cut o', "bad_arguments"),
        ("desk_post", "", "bad_arguments"),
        ("desk_post", '["a list"]', "bad_arguments"),
        ("desk_post", "null", "bad_arguments"),
        ("desk_post", "[" * 100_000, "bad_arguments"),
        ("desk_post", '{"message": NaN}', "bad_arguments"),
        ("desk_post", '{"text": "x"}', "bad_arguments"),
        ("desk_shout", '{"message": "x"}', "unknown_tool"),
    ],
)
async def test_a_wrong_call_is_refused_and_the_model_told(
    chat_server: Any, name: str, given: str, reason: str
) -> None:
    """The host judges it as it came, and the model may go on; it is reminded with an object."""
    chat_server.answers(calls((name, given)), says("better"), text(""))
    result = await play(ChatSeat(base_url=chat_server.url, model="m"))
    assert [reason, "ok"] == replies(result)
    assert "better" == result.rows[-1].content
    reminded = chat_server.requests[1]["messages"][2]["tool_calls"][0]["function"]
    assert name == reminded["name"]
    assert isinstance(json.loads(reminded["arguments"]), dict)


async def test_calls_without_ids_and_with_objects_are_taken(chat_server: Any) -> None:
    """Some servers give no id, or arguments that are an object and no text."""
    functions = [{"name": "desk_post", "arguments": {"message": word}} for word in ("one", "two")]
    made = [{"function": functions[0]}, {"id": None, "function": functions[1]}]
    chat_server.answers(completion({"tool_calls": made}), text(""))
    result = await play(ChatSeat(base_url=chat_server.url, model="m"))
    assert ["ok", "ok"] == replies(result)
    messages = chat_server.requests[1]["messages"]
    assert ["call_1", "call_2"] == [call["id"] for call in messages[2]["tool_calls"]]
    assert ["call_1", "call_2"] == [message["tool_call_id"] for message in messages[3:]]


async def test_a_model_that_never_stops_is_stopped(chat_server: Any) -> None:
    """After ``too_many_calls`` it is asked no more."""
    chat_server.answers(says("again"))
    result = await play(ChatSeat(base_url=chat_server.url, model="m"), policy=Policy(max_calls=3))
    assert ["ok", "ok", "ok", "too_many_calls"] == replies(result)
    assert 4 == len(chat_server.requests)
    assert "again" == result.rows[-1].content


async def test_a_flood_of_calls_ends_at_the_first_that_is_too_many(chat_server: Any) -> None:
    """The rest of them is not made."""
    chat_server.answers(calls(*[("desk_read", {})] * 5000))
    result = await play(ChatSeat(base_url=chat_server.url, model="m"))
    assert [*["ok"] * 16, "too_many_calls"] == replies(result)
    assert 0 == result.turns[0].excess


@pytest.mark.parametrize(
    "message, said",
    [
        ({"content": ""}, ""),
        ({"content": None}, ""),
        ({}, ""),
        ({"content": "words"}, "words"),
        ({"content": None, "refusal": "I will not."}, "I will not."),
        (
            {"content": [{"type": "text", "text": "in "}, {"type": "text", "text": "parts"}]},
            "in parts",
        ),
        ({"content": "short", "reasoning": "long", "reasoning_content": "longer"}, "short"),
        ({"content": "x", "tool_calls": []}, "x"),
        ({"content": "x", "tool_calls": None}, "x"),
    ],
)
async def test_an_answer_without_calls_ends_the_turn(
    chat_server: Any, message: dict[str, Any], said: str
) -> None:
    """A turn in which nothing was said is silent; its text is kept, and is no row."""
    chat_server.answers(completion(message))
    result = await play(ChatSeat(base_url=chat_server.url, model="m"))
    assert [("silent", said)] == [(turn.outcome, turn.text) for turn in result.turns]
    assert 1 == len(result.rows)


async def test_reasoning_is_not_sent_back(chat_server: Any) -> None:
    """Nor is anything else of an answer but its text and its calls."""
    made = calls(
        ("desk_post", {"message": "x"}), reasoning="a", reasoning_content="b", refusal=None
    )
    chat_server.answers(made, text(""))
    await play(ChatSeat(base_url=chat_server.url, model="m"))
    assert {"role", "content", "tool_calls"} == set(chat_server.requests[1]["messages"][2])


async def test_an_answer_that_was_cut_is_warned_of(chat_server: Any) -> None:
    """The text that is there is the seat's."""
    chat_server.answers(completion({"content": "and th"}, "length"))
    with capture_logs() as logs:
        result = await play(ChatSeat(base_url=chat_server.url, model="m", max_tokens=2))
    assert "and th" == result.turns[0].text
    warned = [log for log in logs if log["event"] == "chat.cut"]
    assert [("a", 1, "length")] == [(log["seat"], log["turn"], log["why"]) for log in warned]


async def test_a_fence_seat_is_served_no_tool(chat_server: Any) -> None:
    """What stands between the marks of its text is its message; a call is refused."""
    chat_server.answers(says("by a tool"), text("thinking\n<<<POST\nin a fence\nPOST>>>"))
    seats: Any = {Seat(id="a", fence=True): ChatSeat(base_url=chat_server.url, model="m")}
    result = await Room(seats, opening="@a go").run()
    assert "in a fence" == result.rows[-1].content
    assert "tools" not in chat_server.requests[0]
    assert ["unknown_tool"] == replies(result)


# What a server does wrong


def drip(handler: Handler) -> None:
    """Send a byte now and then, and never come to an end."""
    handler.send_response(200)
    handler.send_header("content-length", "100000")
    handler.end_headers()
    while not handler.server.closing.wait(0.02):  # type: ignore[attr-defined]
        handler.wfile.write(b" ")


def hang(handler: Handler) -> None:
    """Answer nothing."""
    handler.server.closing.wait(20)  # type: ignore[attr-defined]
    handler.close_connection = True


def cut(handler: Handler) -> None:
    """End the connection in the middle of a body."""
    handler.send_response(200)
    handler.send_header("content-length", "100000")
    handler.end_headers()
    handler.wfile.write(b'{"choices": [')
    handler.close_connection = True


def drop(handler: Handler) -> None:
    """End the connection without a word."""
    handler.close_connection = True


def nonsense(handler: Handler) -> None:
    """Speak no HTTP."""
    handler.wfile.write(b"SSH-2.0-x\r\n\r\n")
    handler.close_connection = True


def huge(handler: Handler) -> None:
    """Send 1 GB, as long as it is read."""
    handler.send_response(200)
    handler.send_header("content-length", str(1 << 30))
    handler.end_headers()
    for _ in range(1 << 10):
        handler.wfile.write(b" " * (1 << 20))


def packed(handler: Handler) -> None:
    """Send what is small, and large once it is unpacked."""
    import gzip  # noqa: PLC0415 - of one server alone

    body = gzip.compress(b" " * 20_000_000)
    status(200, body, content_encoding="gzip")(handler)


ELSEWHERE = "http://127.0.0.1:9/v1/chat/completions"

WRONG: dict[str, tuple[Any, str]] = {
    "400": (status(400, b'{"error": {"message": "no such model"}}'), "it answered 400: "),
    "401": (status(401), "it answered 401: {}"),
    "404": (status(404, b""), "it answered 404: nothing"),
    "429": (status(429), "it answered 429: {}"),
    "500": (status(500, b"<h1>oh no</h1>"), "it answered 500: <h1>oh no</h1>"),
    "307": (status(307, location=ELSEWHERE), "it answered 307, and redirects are not followed"),
    "302": (status(302, location=ELSEWHERE), "it answered 302, and redirects are not followed"),
    "drip": (drip, "it did not answer within 0.3 s"),
    "hang": (hang, "it did not answer within 0.3 s"),
    "cut": (cut, "the connection failed (RemoteProtocolError: "),
    "drop": (drop, "the connection failed (RemoteProtocolError: "),
    "nonsense": (nonsense, "the connection failed (RemoteProtocolError: "),
    "huge": (huge, "it answered more than 1000000 bytes"),
    "huge error": (status(400, b"x" * 3_000_000), "it answered 400: xxx"),
    "packed": (packed, "what it answered is not JSON: "),
    "html": (status(200, b"<html>hi\n there"), "what it answered is not JSON: <html>hi there"),
    "deep": (status(200, b"[" * 200_000), "what it answered is not JSON: [[["),
    "not text": (status(200, b"\xff\xfe\xfa"), "what it answered is not JSON: "),
    "list": ([1], "there is no message in what it answered: [1]"),
    "error": ({"error": "busy"}, 'there is no message in what it answered: {"error": "busy"}'),
    "no choices": ({"choices": []}, 'there is no message in what it answered: {"choices": []}'),
    "null": ({"choices": [None]}, "there is no message in what it answered: "),
    "number": (completion({"content": 5}), "the content of its message is no text, but int"),
    "calls": (completion({"tool_calls": {}}), "its tool_calls are no list, but dict"),
    "call": (completion({"tool_calls": ["x"]}), "call 1 of its tool_calls names no function"),
    "name": (
        completion({"tool_calls": [{"id": "x", "function": {"name": 5}}]}),
        "call 1 of its tool_calls names no function",
    ),
}


@pytest.mark.parametrize("response, error", WRONG.values(), ids=WRONG.keys())
async def test_what_a_server_does_wrong_costs_the_turn(
    chat_server: Any, response: Any, error: str
) -> None:
    """The failure says what it was, and the room goes on."""
    chat_server.answers(response)
    seat = ChatSeat(
        base_url=chat_server.url, model="m", retries=0, timeout_s=0.3, max_answer_bytes=1_000_000
    )
    with anyio.fail_after(10):
        result = await play(seat)
    (turn,) = result.turns
    assert "failed" == turn.outcome
    assert turn.error is not None
    assert "ChatError" == turn.error.type
    assert turn.error.text.startswith(f"m at {chat_server.url}: {error}")
    assert len(turn.error.text) < 500
    assert "quiet" == result.closed
    assert 1 == len(chat_server.requests)
    assert [0] == [usage.requests for usage in seat.usage]


@pytest.mark.parametrize(
    "response",
    [status(429, retry_after="0.01"), status(500), status(503), cut, drop, hang],
    ids=["429", "500", "503", "cut", "drop", "hang"],
)
async def test_a_failure_that_may_pass_is_tried_again(chat_server: Any, response: Any) -> None:
    """As often as ``retries`` says; once it has passed the turn goes on."""
    chat_server.answers(response, says("after all"), text(""))
    seat = ChatSeat(base_url=chat_server.url, model="m", retries=1, timeout_s=0.3)
    result = await play(seat)
    assert "after all" == result.rows[-1].content
    assert 3 == len(chat_server.requests)


async def test_what_was_said_before_a_failure_is_dropped_with_the_turn(chat_server: Any) -> None:
    """A turn that fails becomes no row, as with every seat."""
    chat_server.answers(says("half"), status(400))
    result = await play(ChatSeat(base_url=chat_server.url, model="m"))
    assert ["@a go"] == [row.content for row in result.rows]


async def test_a_server_that_is_not_there_costs_the_turn() -> None:
    """It is said where it should be."""
    result = await play(ChatSeat(base_url="http://127.0.0.1:9/v1", model="m", retries=0))
    assert "m at http://127.0.0.1:9/v1: the connection failed (ConnectError: " in str(
        result.turns[0].error
    )


async def test_a_turn_ends_with_the_room_s_time(chat_server: Any) -> None:
    """However long the server takes, the request is given up."""
    chat_server.answers(hang)
    with anyio.fail_after(5):
        result = await play(
            ChatSeat(base_url=chat_server.url, model="m"), policy=Policy(turn_timeout_s=0.3)
        )
    assert result.turns[0].outcome in {"timed_out", "failed"}


# The key


@pytest.fixture
def key(monkeypatch: pytest.MonkeyPatch) -> str:
    """A key in the environment."""
    monkeypatch.setenv("THE_KEY", KEY)
    return KEY


ESCAPED = "".join(f"\\u{ord(letter):04x}" for letter in KEY)


@pytest.mark.parametrize(
    "response",
    [
        status(401, f'{{"error": {{"message": "wrong key {KEY}"}}}}'.encode()),
        status(500, KEY.encode()),
        status(200, KEY.encode()),
        status(302, location=f"http://127.0.0.1:9/{KEY}"),
        text(KEY),
        says(KEY),
        calls((KEY, {})),
        calls(("desk_post", KEY)),
        calls(("desk_post", f'{{"message": "{ESCAPED}"}}')),
        calls(("desk_post", f'{{"{ESCAPED}": 1}}')),
        completion({"content": 5, KEY: KEY}),
        {KEY: KEY},
    ],
    ids=range(12),
)
async def test_a_key_is_in_no_journal_log_or_error(
    chat_server: Any, key: str, response: Any, caplog: pytest.LogCaptureFixture
) -> None:
    """It goes to the server, and is shown nowhere, though the server sends it back."""
    caplog.set_level(logging.DEBUG)
    structlog.configure(processors=[structlog.stdlib.render_to_log_kwargs])
    chat_server.answers(response, text(""))
    seat = ChatSeat(base_url=chat_server.url, model="m", key_env="THE_KEY", retries=0)
    journal = MemoryJournal()
    with capture_logs() as logs:
        result = await Room({"a": seat}, opening="@a go", journal=journal).run()
    assert f"Bearer {key}" == chat_server.headers[0]["authorization"]
    kept = [json.dumps(entry_out(entry)) for entry in journal.entries]
    shown = [*kept, repr(seat), repr(result), str(result.exceptions), str(logs), caplog.text]
    shown += [repr((error.args, error.__cause__)) for error in result.exceptions.values()]
    assert not [text for text in shown if key in text]


@pytest.mark.parametrize("value", [None, "", " \n", "two\nlines", "schlüssel"])
def test_a_key_that_is_none_is_an_error_when_the_seat_is_made(
    value: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The variable is named, and what it holds is not."""
    monkeypatch.delenv("THE_KEY", raising=False)
    if value is not None:
        monkeypatch.setenv("THE_KEY", value)
    with pytest.raises(UsageError, match="'THE_KEY'") as caught:
        ChatSeat(base_url="http://127.0.0.1:9/v1", model="m", key_env="THE_KEY")
    assert not (value and value.strip() and value in str(caught.value))


# How it is made


@pytest.mark.parametrize(
    "base_url", ["", "127.0.0.1:8080", "ftp://x/v1", "http://", "http://[x/v1", "http://a:b@c/v1"]
)
def test_an_address_that_is_none_is_an_error_when_the_seat_is_made(base_url: str) -> None:
    """So is one that holds a password."""
    with pytest.raises(UsageError):
        ChatSeat(base_url=base_url, model="m")


def test_without_the_library_there_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    """It says what to install."""
    monkeypatch.setitem(sys.modules, "openai", None)
    with pytest.raises(UsageError, match="'deskroom\\[chat\\]'"):
        ChatSeat(base_url="http://127.0.0.1:9/v1", model="m")


async def test_a_seat_sits_in_one_room_at_a_time(chat_server: Any) -> None:
    """And plays in a room alone."""
    seat = ChatSeat(base_url=chat_server.url, model="m")
    seats: Any = {"a": seat, "b": seat}
    with pytest.raises(UsageError):
        await Room(seats, opening="@a go").run()
    with pytest.raises(UsageError):
        await seat(object())  # type: ignore[arg-type]
    chat_server.answers(text(""))
    for _ in range(2):
        await play(seat)
    assert [1, 1] == [usage.turn for usage in seat.usage]


async def test_a_turn_s_tokens_and_time_are_tallied(chat_server: Any) -> None:
    """As the server counts them, over all requests of the turn."""
    chat_server.answers(says("x"), text("", usage={"prompt_tokens": "many"}))
    seat = ChatSeat(base_url=chat_server.url, model="m")
    await play(seat)
    (usage,) = seat.usage
    assert (1, 1, 2, 10, 3) == (
        usage.turn,
        usage.attempt,
        usage.requests,
        usage.tokens_in,
        usage.tokens_out,
    )
    assert 0 < usage.seconds < 10
