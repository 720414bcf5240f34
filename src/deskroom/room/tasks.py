"""The tasks of a room's seats, which whoever waits for the room may have to leave behind."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any, Final

import anyio
from anyio.abc import TaskGroup
from attrs import define, field

__all__ = ["one_error", "seat_tasks", "waits_in"]

_STANDARD_LIBRARY: Final = str(Path(asyncio.__file__).parents[1])
#: Tasks that were left behind: asyncio itself keeps no more than a weak reference to a task.
_LEFT: Final[set[object]] = set()


def waits_in(coroutine: object) -> str:
    """Return where a coroutine waits: the innermost code that is not a library's, and in what."""
    code: list[tuple[str, str, int]] = []
    while (frame := _first(coroutine, "cr_frame", "gi_frame", "ag_frame")) is not None:
        code.append((frame.f_code.co_qualname, frame.f_code.co_filename, frame.f_lineno))
        coroutine = _first(coroutine, "cr_await", "gi_yieldfrom", "ag_await")
    if not code:
        return "nothing that can be seen"
    own = [(name, path, line) for name, path, line in code if not _is_library(path)]
    name, path, line = (own or code)[-1]
    place = f"{name} ({path}:{line})"
    called = code[code.index((name, path, line)) + 1 :]
    return f"{place}, in {called[0][0]}" if called else place


def _is_library(path: str) -> bool:
    return "site-packages" in path or path.startswith(_STANDARD_LIBRARY)


def _first(holder: object, *names: str) -> Any:  # noqa: ANN401 - frames and awaitables
    found = (getattr(holder, name, None) for name in names)
    return next((one for one in found if one is not None), None)


@contextmanager
def one_error() -> Iterator[None]:
    """Raise what stands alone in the group that a task group raises; a group of several stays one."""
    try:
        yield
    except BaseExceptionGroup as group:
        error: BaseException = group
        while isinstance(error, BaseExceptionGroup) and len(error.exceptions) == 1:
            error = error.exceptions[0]
        raise error from error.__cause__


@asynccontextmanager
async def seat_tasks(grace_s: float | None) -> AsyncIterator[TaskGroup]:
    """Open a task group that, on leaving, waits at most ``grace_s`` seconds for its tasks.

    What does not end by then is left behind and goes on by itself. Without ``grace_s`` it is a task
    group like any other.
    """
    if grace_s is None:
        async with anyio.create_task_group() as tasks:
            yield tasks
        return
    held = _Held()
    _start_detached(held.hold)
    await held.opened.wait()
    try:
        with held.around:
            yield held.group
    except BaseException:
        held.group.cancel_scope.cancel()
        raise
    finally:
        held.may_end.set()
        with anyio.CancelScope(shield=True), anyio.move_on_after(grace_s):
            await held.ended.wait()
    if held.error is not None:
        raise held.error


@define(eq=False)
class _Held:
    """A task group in a task of its own, so that whoever opened it can go on without it.

    As in any group, a task that raises ends what goes on ``around`` it.
    """

    around: anyio.CancelScope = field(factory=anyio.CancelScope)
    opened: anyio.Event = field(factory=anyio.Event)
    may_end: anyio.Event = field(factory=anyio.Event)
    ended: anyio.Event = field(factory=anyio.Event)
    error: BaseException | None = None
    group: TaskGroup = field(init=False)

    async def hold(self) -> None:
        """Hold the group open. Nothing may be raised here: this task is nobody's."""
        try:
            async with anyio.create_task_group() as self.group:
                self.opened.set()
                await self.may_end.wait()
        except BaseException as error:  # noqa: BLE001 - raised in the task that opened the group
            self.error = error
            self.around.cancel()
        finally:
            self.ended.set()


def _start_detached(function: Callable[[], Awaitable[None]]) -> None:
    """Start a task that belongs to no group."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        import trio  # noqa: PLC0415 - only where it runs is it there

        trio.lowlevel.spawn_system_task(function)
        return
    task: asyncio.Task[Any] = asyncio.ensure_future(function())
    _LEFT.add(task)
    task.add_done_callback(_LEFT.discard)
