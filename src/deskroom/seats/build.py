"""From what a desk file says of its live seats to what plays them."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, get_args

from attrs import define, evolve

from deskroom.errors import UsageError, hint
from deskroom.room.acts import Act
from deskroom.scenario.format.live import Kind, LiveSeat

if TYPE_CHECKING:
    from deskroom.seats.mcp import McpServer
    from deskroom.seats.person import Terminal

__all__ = ["Surroundings", "build_seats", "with_given"]

_KINDS: Final[tuple[str, ...]] = get_args(Kind)


def with_given(seats: Mapping[str, LiveSeat], given: Iterable[str]) -> dict[str, LiveSeat]:
    """Return who plays live, as a file says it and then as each ``SEAT=KIND[:...]`` does.

    Behind the colon stands what the kind needs: ``python:package.module:function``,
    ``command:PROGRAM ARGUMENT...`` in the words of a shell, or ``chat:MODEL@URL``. Other keys of a
    seat that the file gives the same kind stay. Raises ``UsageError`` for what is none of these.
    """
    merged = dict(seats)
    for text in given:
        id_, equals, rest = text.partition("=")
        kind, colon, detail = rest.partition(":")
        if not (id_ and equals and kind):
            raise UsageError(f"--live takes SEAT=KIND[:...], not {text!r}")
        if kind not in _KINDS:
            raise UsageError(
                f"--live {text}: {kind!r} is none of {', '.join(_KINDS)}{hint(kind, _KINDS)}"
            )
        before = merged.get(id_)
        spec = before if before is not None and before.kind == kind else LiveSeat(kind=kind)  # type: ignore[arg-type]
        if colon or spec is not before:
            spec = evolve(spec, **_DETAILS[kind](text, detail))
        merged[id_] = spec
    return merged


def _nothing(text: str, detail: str) -> dict[str, Any]:
    if detail:
        raise UsageError(f"--live {text}: nothing can stand behind this kind")
    return {}


def _function(text: str, detail: str) -> dict[str, Any]:
    if ":" not in detail:
        raise UsageError(f"--live {text}: write python:package.module:function")
    return {"function": detail}


def _command(text: str, detail: str) -> dict[str, Any]:
    try:
        command = tuple(shlex.split(detail))
    except ValueError as error:
        raise UsageError(f"--live {text}: {error}") from None
    if not command:
        raise UsageError(f"--live {text}: write command:PROGRAM ARGUMENT...")
    return {"command": command}


def _model(text: str, detail: str) -> dict[str, Any]:
    model, at, url = detail.rpartition("@")
    if not (model and at and url):
        raise UsageError(f"--live {text}: write chat:MODEL@URL")
    return {"model": model, "base_url": url}


_DETAILS: Final[Mapping[str, Callable[[str, str], dict[str, Any]]]] = {
    "chat": _model,
    "command": _command,
    "mcp": _nothing,
    "person": _nothing,
    "python": _function,
}


@define(kw_only=True)
class Surroundings:
    """What live seats of one desk share.

    ``folder`` is the desk file's, from which its paths are told; ``terminal`` is where people sit, and
    ``server`` where clients of MCP find their seats.
    """

    folder: Path
    terminal: Terminal | None = None
    server: McpServer | None = None


def build_seats(specs: Mapping[str, LiveSeat], around: Surroundings) -> dict[str, Act]:
    """Return what plays each seat. Nothing is started yet.

    Raises ``UsageError`` for what cannot be built here, in one sentence: an extra that is not
    installed, a function that is not there.
    """
    return {seat: _BUILDERS[spec.kind](seat, spec, around) for seat, spec in specs.items()}


def _python(_seat: str, spec: LiveSeat, _around: Surroundings) -> Act:
    from deskroom.seats.python import load_function

    return load_function(spec.function or "")


def _person(_seat: str, _spec: LiveSeat, around: Surroundings) -> Act:
    if around.terminal is None:
        raise UsageError("a person in a seat needs a terminal")
    return around.terminal.seat()


def _program(seat: str, spec: LiveSeat, around: Surroundings) -> Act:
    from deskroom.seats.command import CommandSeat

    return CommandSeat(
        command=spec.command,
        keep=spec.keep,
        mcp=around.server.seat(seat) if spec.mcp and around.server is not None else spec.mcp,
        env=spec.env,
        folder=str(around.folder / (spec.folder or "")),
        timeout_s=spec.timeout_s,
        max_output_bytes=spec.max_output_bytes,
    )


def _chat(_seat: str, spec: LiveSeat, _around: Surroundings) -> Act:
    from deskroom.seats.chat import ChatSeat

    return ChatSeat(
        base_url=spec.base_url or "",
        model=spec.model or "",
        key_env=spec.key_env,
        temperature=spec.temperature,
        seed=spec.seed,
        max_tokens=spec.max_tokens,
        retries=spec.retries,
        timeout_s=spec.timeout_s,
    )


def _mcp(seat: str, _spec: LiveSeat, around: Surroundings) -> Act:
    if around.server is None:
        raise UsageError("a seat for clients of MCP needs a server")
    return around.server.seat(seat)


_BUILDERS: Final[Mapping[str, Callable[[str, LiveSeat, Surroundings], Act]]] = {
    "chat": _chat,
    "command": _program,
    "mcp": _mcp,
    "person": _person,
    "python": _python,
}
