"""A Dask cluster that is there already, as an executor. It needs the extra ``dask``.

What happens on the cluster is Dask's affair: who plays which run, and that the runs of a worker that was
lost are played by another.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Executor
from contextlib import contextmanager
from importlib.util import find_spec
from typing import Any, Final

from deskroom.errors import DeskroomError, UsageError
from deskroom.printable import quoted

__all__ = ["check_has_dask", "dask_executor"]

_WAIT_S: Final = 15


def check_has_dask() -> None:
    """Raise ``UsageError`` where Dask's client is not installed."""
    if find_spec("distributed") is None:
        raise UsageError("distributed is not installed; get it with: pip install 'deskroom[dask]'")


@contextmanager
def dask_executor(address: str) -> Iterator[tuple[Executor, int]]:
    """Provide the executor of the cluster whose scheduler is at an address, and its cores now.

    After an error, what was not played is given up. Raises ``UsageError`` where Dask is not installed,
    and ``DeskroomError`` where no scheduler answers.
    """
    check_has_dask()
    from distributed import Client  # noqa: PLC0415 - an extra, and it takes long to load

    _check_address(address)
    try:
        client: Any = Client(address, timeout=_WAIT_S, set_as_default=False)  # type: ignore[no-untyped-call]
    except Exception as error:
        raise DeskroomError(f"no Dask scheduler answers at {address}: {error}") from error
    # Runs are what they are made of, but two sweeps must not wait for each other's.
    executor = client.get_executor(pure=False)
    try:
        yield executor, sum(client.nthreads().values())
    finally:
        executor.shutdown(wait=False)
        client.close()


def _check_address(address: str) -> None:
    """Raise ``UsageError`` for what is no address, before a client is made that waits for it."""
    from distributed.comm.addressing import (  # noqa: PLC0415 - as above
        get_address_host_port,
        parse_address,
    )

    try:
        get_address_host_port("://".join(parse_address(address)))
    except (ValueError, NotImplementedError) as error:
        problem = f"found {quoted(address)}, expected an address such as tcp://127.0.0.1:8786"
        raise UsageError(f"--dask: {problem} ({error})") from None
