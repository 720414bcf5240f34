"""The client of the chat API: the openai library, on an HTTP client that trusts no server.

The library reads whole bodies, follows redirects and takes headers and keys from the environment.
Here a body has an end, a request a time limit, and nothing goes anywhere else or says more than it
must.
"""

from __future__ import annotations

import logging
import math
from ipaddress import ip_address
from typing import Any, Final, Self

import anyio
import httpx2
import openai

from deskroom.seats.chat_answer import ChatError, Key, excerpt

__all__ = ["ChatClient"]

#: What is sent beside the headers of HTTP itself; the library would add what the environment says.
_SENT: Final = frozenset({"accept", "connection", "content-length", "content-type", "host"})
_DUMMY: Final = "none"
#: Those of the libraries' loggers that say something of requests and responses.
_LOGGERS: Final = (
    "httpcore2.connection",
    "httpcore2.http11",
    "httpcore2.proxy",
    "httpx2",
    "openai._base_client",
    "openai._response",
)
_TOO_LARGE: Final = "deskroom.too_large"


class _BoundedClient(httpx2.AsyncClient):
    """Reads at most ``most`` bytes of a response, within ``limit_s`` seconds from its request on."""

    def __init__(self, url: httpx2.URL, key: str, most: int, limit_s: float | None) -> None:
        loopback = _is_loopback(url.host)
        super().__init__(
            # What is on this machine is not behind a proxy, whatever the environment says.
            trust_env=not loopback,
            # Loading certificates takes longer than a turn.
            verify=url.scheme == "https",
            follow_redirects=False,
            timeout=None,
        )
        self._key = key
        self._most = most
        self._limit_s = math.inf if limit_s is None else limit_s

    async def send(self, request: httpx2.Request, **_options: Any) -> httpx2.Response:  # noqa: ANN401 - the library's
        """Send a request and return the response with what was read of its body."""
        for name in [name for name in request.headers if name not in _SENT]:
            del request.headers[name]
        request.headers["authorization"] = f"Bearer {self._key}"
        # A small body could be unpacked to one without an end.
        request.headers["accept-encoding"] = "identity"
        request.headers["user-agent"] = "deskroom"
        with anyio.move_on_after(self._limit_s):
            response = await super().send(request, stream=True, auth=None, follow_redirects=False)
            return await self._read(request, response)
        raise httpx2.ReadTimeout("the time is over", request=request)

    async def _read(self, request: httpx2.Request, response: httpx2.Response) -> httpx2.Response:
        body = bytearray()
        most = self._most
        try:
            async for chunk in response.aiter_raw():
                body += chunk[: most + 1 - len(body)]
                if len(body) > most:
                    # It is read on until that fails, since no generator of the library may be
                    # left in the middle.
                    await response.aclose()
        except httpx2.HTTPError:
            if len(body) <= most:
                raise
        finally:
            await response.aclose()
        headers = response.headers.copy()
        for name in ("content-encoding", "content-length", "transfer-encoding"):
            headers.pop(name, None)
        return httpx2.Response(
            response.status_code,
            headers=headers,
            content=bytes(body),
            request=request,
            extensions={_TOO_LARGE: len(body) > most},
        )


class _Scrubber(logging.Filter):
    """Takes the key out of what the libraries log; they log the headers of a response."""

    def __init__(self, key: Key) -> None:
        super().__init__()
        self._key = key

    def filter(self, record: logging.LogRecord) -> bool:
        """Change a record that holds the key; all are let through."""
        message = record.getMessage()
        scrubbed = self._key.scrub(message)
        if scrubbed != message:
            record.msg, record.args = scrubbed, None
        return True


class ChatClient:
    """A client of one server. It is opened and closed as a context, in the loop that it runs in."""

    def __init__(
        self, base_url: str, key: Key, *, retries: int, limit_s: float | None, most: int
    ) -> None:
        url = httpx2.URL(base_url)
        self._key = key
        self._most = most
        self._limit_s = limit_s
        self._scrubber = _Scrubber(key)
        value = key.value or _DUMMY
        self._http = _BoundedClient(url, value, most, limit_s)
        self._api = openai.AsyncOpenAI(
            base_url=base_url,
            api_key=value,
            max_retries=retries,
            timeout=None,
            http_client=self._http,
        )

    async def __aenter__(self) -> Self:
        for name in _LOGGERS:
            logging.getLogger(name).addFilter(self._scrubber)
        await self._http.__aenter__()
        return self

    async def __aexit__(self, *exc: object) -> None:
        with anyio.CancelScope(shield=True):
            await self._http.aclose()
        for name in _LOGGERS:
            logging.getLogger(name).removeFilter(self._scrubber)

    async def complete(self, request: dict[str, Any]) -> bytes:
        """Send a request for a completion, again where the library does that; return the body.

        Raises ``ChatError`` when there is none, without the key in it.
        """
        try:
            response = await self._api.post(
                "/chat/completions", cast_to=httpx2.Response, body=request
            )
        except openai.APIStatusError as error:
            raise ChatError(self._refused(error)) from None
        except openai.APITimeoutError:
            raise ChatError(f"it did not answer within {self._limit_s:g} s") from None
        except openai.APIConnectionError as error:
            cause = error.__cause__ or error
            what = self._key.scrub(f"{type(cause).__name__}: {cause}")
            raise ChatError(f"the connection failed ({what})") from None
        except Exception as error:  # noqa: BLE001 - whatever the library raises may hold the key
            raise ChatError(self._key.scrub(f"{type(error).__name__}: {error}")) from None
        if response.extensions[_TOO_LARGE]:
            raise ChatError(f"it answered more than {self._most} bytes")
        return response.content

    def _refused(self, error: openai.APIStatusError) -> str:
        status = error.status_code
        if 300 <= status < 400:  # noqa: PLR2004 - HTTP's own
            return f"it answered {status}, and redirects are not followed"
        return f"it answered {status}: {excerpt(error.response.content, self._key)}"


def _is_loopback(host: str) -> bool:
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False
