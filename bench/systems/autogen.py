"""AutoGen's agentchat: two scripted agents in each of its three ways of choosing who is next."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

from autogen_agentchat.agents import BaseChatAgent
from autogen_agentchat.base import Response
from autogen_agentchat.conditions import MaxMessageTermination
from autogen_agentchat.messages import BaseAgentEvent, BaseChatMessage, HandoffMessage, TextMessage
from autogen_agentchat.teams import RoundRobinGroupChat, SelectorGroupChat, Swarm
from autogen_core.models import ModelInfo

from bench.marks import LINE, Marks

__all__ = ["run"]

_OTHER = {"first": "second", "second": "first"}


class _Scripted(BaseChatAgent):
    """An agent that says the line; in a swarm it hands off as well."""

    def __init__(self, name: str, marks: Marks, *, hands_off: bool) -> None:
        super().__init__(name, "a scripted seat")
        self._marks = marks
        self._hands_off = hands_off

    @property
    def produced_message_types(self) -> Sequence[type[BaseChatMessage]]:
        return (HandoffMessage,) if self._hands_off else (TextMessage,)

    async def on_messages(
        self,
        messages: Sequence[BaseChatMessage],
        cancellation_token: Any,  # noqa: ANN401 - agentchat's signature
    ) -> Response:
        self._marks.turn()
        text, other = f"@{_OTHER[self.name]} {LINE}", _OTHER[self.name]
        if self._hands_off:
            return Response(
                chat_message=HandoffMessage(content=text, source=self.name, target=other)
            )
        return Response(chat_message=TextMessage(content=text, source=self.name))

    async def on_reset(self, cancellation_token: Any) -> None:  # noqa: ANN401 - its signature
        """Nothing is kept."""


class _NoModel:
    """A selector that chooses by a function never asks its model; it only reads what it is."""

    model_info = ModelInfo(
        vision=False,
        function_calling=False,
        json_output=False,
        family="unknown",
        structured_output=False,
    )


def run(turns: int, rooms: int, marks: Marks, variant: str) -> None:
    """Play one conversation."""
    agents: list[Any] = [
        _Scripted(name, marks, hands_off=variant == "swarm") for name in ("first", "second")
    ]
    # The task is a message, too.
    end = MaxMessageTermination(turns + 1)
    team: Any
    if variant == "round_robin":
        team = RoundRobinGroupChat(agents, termination_condition=end)
    elif variant == "swarm":
        team = Swarm(agents, termination_condition=end)
    else:
        team = SelectorGroupChat(
            agents,
            model_client=_NoModel(),  # type: ignore[arg-type]
            selector_func=_select,
            termination_condition=end,
        )
    asyncio.run(team.run(task="begin"))


def _select(messages: Sequence[BaseAgentEvent | BaseChatMessage]) -> str:
    return _OTHER.get(messages[-1].source, "first")
