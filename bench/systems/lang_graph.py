"""LangGraph: a graph of two nodes that hand on with ``Command(goto=...)`` and append a message."""

from __future__ import annotations

import asyncio
import operator
from typing import Annotated, Any, TypedDict

from langgraph.graph import END, START, StateGraph
from langgraph.types import Command

from bench.marks import LINE, Marks

__all__ = ["run"]


class _State(TypedDict):
    rows: Annotated[list[str], operator.add]


def run(turns: int, rooms: int, marks: Marks, variant: str) -> None:
    """Play one conversation."""
    graph = StateGraph(_State)
    for name, other in (("first", "second"), ("second", "first")):
        graph.add_node(name, _node(other, turns, marks), destinations=(other, END))
    graph.add_edge(START, "first")
    compiled: Any = graph.compile()
    asyncio.run(compiled.ainvoke({"rows": []}, {"recursion_limit": turns + 10}))


def _node(other: str, turns: int, marks: Marks) -> Any:  # noqa: ANN401 - a graph's node
    async def node(state: _State) -> Command[Any]:
        marks.turn()
        goto = END if marks.spoken >= turns else other
        return Command(goto=goto, update={"rows": [f"@{other} {LINE}"]})

    return node
