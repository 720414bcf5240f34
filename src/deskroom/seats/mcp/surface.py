"""What a client of MCP meets at one seat: tools, a prompt and a resource, over the official SDK."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any, Final

import anyio
import mcp_types as types
from attrs import define, field
from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.session import ServerSession
from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler, ResourceUpdated
from mcp.shared.exceptions import MCPError

from deskroom._version import __version__
from deskroom.render.tools import tools_as
from deskroom.seats.facts import seen_facts
from deskroom.seats.guide import guide
from deskroom.seats.mcp.place import Answer, Gone, Place

__all__ = ["GONE", "PROMPT", "TRANSCRIPT", "Surface"]

Context = ServerRequestContext[Any, Any]

#: The address of the transcript as this seat may read it.
TRANSCRIPT: Final = "deskroom://transcript"
#: The name of the prompt that says who the seat is and how to take part.
PROMPT: Final = "take_part"
#: Where a request says that its client has gone away.
GONE: Final = "deskroom.gone"
_WAIT: Final = "desk_wait"
_END: Final = "desk_end"
#: How many sessions of the older protocol may follow the transcript at once.
_MOST_FOLLOWERS: Final = 64
#: How long one of them may take to be told, in seconds.
_TELLING_S: Final = 1.0

_OWN_TOOLS: Final = (
    types.Tool(
        name=_WAIT,
        description=(
            "Wait for your turn. It answers when you have the turn, with what brought it to you and "
            "what was said; when the room has closed; or, if neither comes for a while, that you "
            "still wait: then call it again."
        ),
        input_schema={"type": "object", "properties": {}, "additionalProperties": False},
    ),
    types.Tool(
        name=_END,
        description=(
            "End your turn. What you said with the last accepted call is said to the room now. The "
            "text is kept as your own notes and reaches nobody."
        ),
        input_schema={
            "type": "object",
            "properties": {
                "text": {"type": "string", "description": "Your own notes on this turn."}
            },
            "additionalProperties": False,
        },
    ),
)
_HOW: Final = """\
Take part in a loop:
1. Call desk_wait. It answers when it is your turn, with what was said.
2. Speak with the other tools. Each call is answered at once.
3. Call desk_end, and begin again. Stop when desk_wait says that the room has closed."""
_HOW_FENCE: Final = """\
Take part in a loop:
1. Call desk_wait. It answers when it is your turn, with what was said.
2. Call desk_end with your text, which holds your message, and begin again. Stop when desk_wait says
   that the room has closed."""


def how_to_take_part(place: Place) -> str:
    """Return who the seat is, its brief, and how a client plays it."""
    how = _HOW_FENCE if place.attendance.seat.fence else _HOW
    return f"{guide(place.attendance)}\n\n{how}"


@define(eq=False)
class Surface:
    """The SDK's server of one seat."""

    place: Place
    server: Server[Any] = field(init=False)
    listeners: ListenHandler = field(init=False)
    _bus: InMemorySubscriptionBus = field(factory=InMemorySubscriptionBus)
    #: Sessions of the older protocol that have subscribed, by their id.
    _followers: dict[str, ServerSession] = field(factory=dict)

    def __attrs_post_init__(self) -> None:
        self.listeners = ListenHandler(self._bus)
        self.server = Server(
            f"deskroom {self.place.attendance.seat.id}",
            version=__version__,
            instructions=how_to_take_part(self.place),
            # No argument of ours travels in a header.
            get_tool_input_schema=_no_schema,
            on_list_tools=self._list_tools,
            on_call_tool=self._call_tool,
            on_list_prompts=self._list_prompts,
            on_get_prompt=self._get_prompt,
            on_list_resources=self._list_resources,
            on_list_resource_templates=self._list_templates,
            on_read_resource=self._read_resource,
            on_subscribe_resource=self._subscribe,
            on_unsubscribe_resource=self._unsubscribe,
            on_subscriptions_listen=self.listeners,
        )
        self.server.middleware.append(_as_emitted)

    async def publish(self) -> None:
        """Tell those who follow the transcript of every change of it, until cancelled."""
        room = self.place.attendance
        rows = room.rows
        while True:
            if rows != room.rows:
                rows = room.rows
                await self._bus.publish(ResourceUpdated(uri=TRANSCRIPT))
                for id_, session in list(self._followers.items()):
                    await self._tell(id_, session)
            else:
                await room.change()

    async def _tell(self, id_: str, session: ServerSession) -> None:
        """Tell one session; one that takes no message any more is forgotten."""
        with anyio.move_on_after(_TELLING_S):
            with suppress(Exception):
                await session.send_resource_updated(TRANSCRIPT)
                return
        self._followers.pop(id_, None)

    # Tools

    async def _list_tools(self, _: Context, __: object) -> types.ListToolsResult:
        served = [] if self.place.attendance.seat.fence else tools_as("mcp")["tools"]
        tools = [types.Tool.model_validate(tool) for tool in served]
        return types.ListToolsResult(tools=[*tools, *_OWN_TOOLS])

    async def _call_tool(
        self, context: Context, params: types.CallToolRequestParams
    ) -> types.CallToolResult:
        emitted = params.arguments or {}
        tool, arguments = emitted["tool"], emitted["arguments"]
        if tool == _WAIT:
            answer = await self._wait(context)
        elif tool == _END:
            text = arguments.get("text", "") if _takes(arguments, "text") else None
            answer = await self.place.end(text)
        else:
            answer = await self.place.call(tool, arguments)
        return _result(answer)

    async def _wait(self, context: Context) -> Answer:
        async def report(times: int, whose_turn: str) -> None:
            await context.session.report_progress(times, message=whose_turn)

        request = context.request
        gone = None if request is None else request.scope.get(GONE)
        return await self.place.wait(report, gone or Gone(anyio.Event()))

    # The prompt

    async def _list_prompts(self, _: Context, __: object) -> types.ListPromptsResult:
        prompt = types.Prompt(name=PROMPT, description="Who you are here, and how to take part.")
        return types.ListPromptsResult(prompts=[prompt])

    async def _get_prompt(
        self, _: Context, params: types.GetPromptRequestParams
    ) -> types.GetPromptResult:
        if params.name != PROMPT:
            raise MCPError(types.INVALID_PARAMS, f"there is one prompt here, {PROMPT}")
        content = types.TextContent(text=how_to_take_part(self.place))
        return types.GetPromptResult(messages=[types.PromptMessage(role="user", content=content)])

    # The transcript

    async def _list_resources(self, _: Context, __: object) -> types.ListResourcesResult:
        resource = types.Resource(
            uri=TRANSCRIPT,
            name="transcript",
            description="What was said so far, as this seat may read it.",
            mime_type="application/json",
        )
        return types.ListResourcesResult(resources=[resource])

    async def _list_templates(self, _: Context, __: object) -> types.ListResourceTemplatesResult:
        return types.ListResourceTemplatesResult(resource_templates=[])

    async def _read_resource(
        self, _: Context, params: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult:
        _check_uri(params.uri)
        room = self.place.attendance
        facts = {
            "desk": room.desk_id,
            "turn_of": room.turn_of,
            "closed": room.closed,
            "rows": [seen_facts(seen) for seen in room.transcript()],
        }
        text = json.dumps(facts, ensure_ascii=False)
        content = types.TextResourceContents(
            uri=TRANSCRIPT, mime_type="application/json", text=text
        )
        return types.ReadResourceResult(contents=[content])

    async def _subscribe(
        self, context: Context, params: types.SubscribeRequestParams
    ) -> types.EmptyResult:
        _check_uri(params.uri)
        id_ = _session_id(context)
        self._followers.pop(id_, None)
        while len(self._followers) >= _MOST_FOLLOWERS:
            self._followers.pop(next(iter(self._followers)))
        self._followers[id_] = context.session
        return types.EmptyResult()

    async def _unsubscribe(
        self, context: Context, params: types.UnsubscribeRequestParams
    ) -> types.EmptyResult:
        _check_uri(params.uri)
        self._followers.pop(_session_id(context), None)
        return types.EmptyResult()


async def _as_emitted(ctx: Context, call_next: CallNext) -> HandlerResult:
    """Carry a call past the SDK's checks as it was emitted, for the host to judge it."""
    if ctx.method == "tools/call":
        params = dict(ctx.params or {})
        emitted = {"tool": params.get("name"), "arguments": params.get("arguments", {})}
        ctx = replace(ctx, params={**params, "name": "call", "arguments": emitted})
    return await call_next(ctx)


def _no_schema(_: str) -> None:
    return None


def _takes(arguments: object, *names: str) -> bool:
    return isinstance(arguments, Mapping) and arguments.keys() <= set(names)


def _result(answer: Answer) -> types.CallToolResult:
    return types.CallToolResult(
        content=[types.TextContent(text=answer.text)],
        structured_content=answer.facts,
        is_error=answer.is_refusal,
    )


def _check_uri(uri: object) -> None:
    if str(uri) != TRANSCRIPT:
        raise MCPError(types.INVALID_PARAMS, f"there is one resource here, {TRANSCRIPT}")


def _session_id(context: Context) -> str:
    request: Any = context.request
    return str(request.headers.get("mcp-session-id", ""))
