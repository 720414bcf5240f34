"""A seat played by a model, behind any server with the OpenAI-compatible chat API."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

import anyio
from attrs import define, evolve, field, frozen
from attrs.validators import ge, gt, optional

from deskroom.core.reasons import CallFault
from deskroom.errors import UsageError
from deskroom.render.tools import tools_as
from deskroom.room import Turn
from deskroom.room.attendance import Attendance
from deskroom.room.clock import Clock, RealClock
from deskroom.seats.chat_answer import Answer, ChatError, Key, read_answer
from deskroom.seats.guide import guide, turn_text

if TYPE_CHECKING:
    from deskroom.seats.chat_client import ChatClient

__all__ = ["ChatError", "ChatSeat", "ChatUsage"]

_MIB: Final = 1024 * 1024
#: After these there is nothing left that a call could do in this turn.
_OVER: Final = frozenset({CallFault.TOO_MANY_CALLS, CallFault.TURN_ENDED, CallFault.NOT_YOUR_TURN})
#: Why a message may end before the model is done.
_CUT: Final = frozenset({"length", "content_filter"})


@frozen(kw_only=True)
class ChatUsage:
    """What one turn of a model took.

    ``requests`` counts those that were answered; ``seconds`` is how long they took together, with
    what the library tried again. Tokens are those that the server counted, as far as it did.
    """

    turn: int
    attempt: int
    requests: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    seconds: float = 0.0


@define(eq=False)
class _Life:
    """What a seat needs while its room runs."""

    attendance: Attendance
    client: ChatClient
    tools: list[dict[str, Any]]
    clock: Clock = field(factory=RealClock)


@frozen(kw_only=True, eq=False)
class ChatSeat:
    """A model that plays a seat. ``base_url`` is the API's, as a rule with ``/v1`` at its end.

    In each turn the model is told the seat's brief and how to take part, and the transcript as the
    seat may read it. Its calls are answered until it makes none; its text is the seat's text, and
    becomes no row (a ``fence`` seat's is read as always).

    ``key_env`` names the environment variable that holds the key; without it a key that is none is
    sent. ``temperature``, ``seed`` and ``max_tokens`` go to the server as they are. ``timeout_s``
    seconds is how long one request may take, and ``retries`` how often it is made again after a 429,
    a 5xx, a failed connection or that time. ``max_answer_bytes`` is the most that is read of one
    response. What the server does wrong costs the seat its turn, with a ``ChatError``.

    Raises ``UsageError`` when the ``openai`` library is missing, the variable is not set, or the
    address is none.
    """

    base_url: str
    model: str
    key_env: str | None = None
    temperature: float | None = field(default=None, validator=optional(ge(0)))
    seed: int | None = None
    max_tokens: int | None = field(default=None, validator=optional(gt(0)))
    retries: int = field(default=2, validator=ge(0))
    timeout_s: float | None = field(default=None, validator=optional(gt(0)))
    max_answer_bytes: int = field(default=16 * _MIB, validator=gt(0))
    _key: Key = field(init=False, repr=False)
    _tally: list[ChatUsage] = field(factory=list, init=False, repr=False)
    #: At most one, while its room runs.
    _lives: list[_Life] = field(factory=list, init=False, repr=False)

    def __attrs_post_init__(self) -> None:
        _check_url(self.base_url)
        if not self.model:
            raise UsageError("a ChatSeat needs the name of a model")
        object.__setattr__(self, "_key", _key_of(self.key_env))
        try:
            import openai  # noqa: F401
        except ImportError:
            raise UsageError(
                "a chat seat needs the openai library: pip install 'deskroom[chat]'"
            ) from None

    @property
    def usage(self) -> tuple[ChatUsage, ...]:
        """What each of its turns took, in order, those included that failed."""
        return tuple(self._tally)

    @asynccontextmanager
    async def attend(self, attendance: Attendance) -> AsyncIterator[None]:
        """Keep its connections for as long as the room runs. A seat sits in one room at a time."""
        from deskroom.seats.chat_client import ChatClient

        if self._lives:
            raise UsageError("this ChatSeat sits in a room already; make another one")
        client = ChatClient(
            self.base_url,
            self._key,
            retries=self.retries,
            limit_s=self.timeout_s,
            most=self.max_answer_bytes,
        )
        async with client:
            tools = tools_as("openai") if attendance.tools else []
            self._lives.append(_Life(attendance, client, tools))
            try:
                yield
            finally:
                self._lives.clear()

    async def __call__(self, turn: Turn) -> str:
        """Play one turn, and return the seat's text."""
        life = next(iter(self._lives), None)
        if life is None:
            raise UsageError("a ChatSeat plays in a room that opens it")
        usage = _Usage(ChatUsage(turn=turn.number, attempt=turn.attempt))
        limit_s = life.attendance.turn_timeout_s
        try:
            with anyio.move_on_after(limit_s):
                return await self._converse(turn, life, usage)
        except ChatError as error:
            raise ChatError(f"{self.model} at {_shown(self.base_url)}: {error}") from None
        finally:
            self._tally.append(usage.so_far)
            _report(turn, usage.so_far)
        raise ChatError(f"{self.model} at {_shown(self.base_url)}: took longer than {limit_s:g} s")

    async def _converse(self, turn: Turn, life: _Life, usage: _Usage) -> str:
        """Ask the model and answer its calls, until it makes none or none is left to it."""
        messages: list[dict[str, Any]] = [
            {"role": "system", "content": guide(life.attendance)},
            {"role": "user", "content": turn_text(turn)},
        ]
        while True:
            answer = await self._ask(messages, life, usage)
            if answer.finish in _CUT:
                life.attendance.warn(
                    "chat.cut", turn=turn.number, seat=turn.seat.id, why=answer.finish
                )
            if not answer.calls:
                return answer.text
            messages.append(answer.sent_back)
            for call in answer.calls:
                reply = await turn.call(call.name, call.arguments)
                if reply.rejection in _OVER:
                    return answer.text
                messages.append({"role": "tool", "tool_call_id": call.id, "content": reply.text})

    async def _ask(self, messages: list[dict[str, Any]], life: _Life, usage: _Usage) -> Answer:
        request: dict[str, Any] = {
            "model": self.model,
            "messages": messages,
            "temperature": self.temperature,
            "seed": self.seed,
            "max_tokens": self.max_tokens,
            "tools": life.tools or None,
        }
        started = life.clock.now()
        answer = None
        try:
            body = await life.client.complete(
                {name: value for name, value in request.items() if value is not None}
            )
            answer = read_answer(body, self._key)
        finally:
            usage.add(answer, life.clock.now() - started)
        return answer


@define
class _Usage:
    """What a turn has taken so far."""

    so_far: ChatUsage

    def add(self, answer: Answer | None, seconds: float) -> None:
        """Count one request; ``answer`` is None where it failed."""
        before = self.so_far
        self.so_far = evolve(
            before,
            requests=before.requests + (answer is not None),
            tokens_in=before.tokens_in + ((answer and answer.tokens_in) or 0),
            tokens_out=before.tokens_out + ((answer and answer.tokens_out) or 0),
            seconds=before.seconds + seconds,
        )


def _report(turn: Turn, usage: ChatUsage) -> None:
    """Have it written down with the turn's end."""
    turn.used(
        requests=usage.requests,
        tokens_in=usage.tokens_in,
        tokens_out=usage.tokens_out,
        seconds=usage.seconds,
    )


def _check_url(base_url: object) -> None:
    try:
        parts = urlsplit(base_url) if isinstance(base_url, str) else None
        host = None if parts is None else parts.hostname
        _ = None if parts is None else parts.port
    except ValueError:
        parts = host = None
    if parts is None or parts.scheme not in {"http", "https"} or not host:
        raise UsageError(
            "the base_url of a chat seat is an address of HTTP, for example "
            "http://127.0.0.1:8080/v1"
        )
    if "@" in parts.netloc:
        raise UsageError("the base_url of a chat seat holds no password: name a key_env instead")


def _shown(base_url: str) -> str:
    """Return an address without its query, which may hold what is nobody's business."""
    parts = urlsplit(base_url)
    return f"{parts.scheme}://{parts.netloc}{parts.path}"


def _key_of(name: str | None) -> Key:
    if name is None:
        return Key()
    value = os.environ.get(name, "").strip()
    if not value:
        raise UsageError(f"the environment variable {name!r} is not set, and key_env names it")
    if not (value.isascii() and value.isprintable()):
        raise UsageError(f"the environment variable {name!r} holds no key: it is no line of ASCII")
    return Key(value)
