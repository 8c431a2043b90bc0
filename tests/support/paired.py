"""Main graphs and critique graphs, scripted: for tests of pairs."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage
from langgraph.graph import END, START, MessagesState, StateGraph


def alone(node: Any, schema: Any = MessagesState, **options: Any) -> Any:
    """A compiled graph with one node, called `work`."""
    graph = StateGraph(schema)
    graph.add_node("work", node)
    graph.add_edge(START, "work")
    graph.add_edge("work", END)
    return graph.compile(**options)


def adds(*scripted: list[BaseMessage], schema: Any = MessagesState) -> Any:
    """A graph that adds the next of the scripted lists of messages, and fails when there is none."""
    left = list(scripted)

    def work(state: Any) -> dict[str, Any]:
        assert left, "the script is exhausted"
        return {"messages": left.pop(0)}

    graph = alone(work, schema)
    graph.left = left
    return graph


def says(*replies: str) -> Any:
    """A main graph that gives one scripted answer a round."""
    return adds(*([AIMessage(reply)] for reply in replies))


def objects(*critiques: str) -> Any:
    """A critique graph with one scripted critique a round; "" is none."""
    return adds(*([HumanMessage(critique)] if critique else [] for critique in critiques))


def ask(text: str = "Name a prime.") -> dict[str, Any]:
    """The input of a pair."""
    return {"messages": [HumanMessage(text)]}


def texts(result: dict[str, Any]) -> list[str]:
    """The messages of a result, as text."""
    return [str(message.text) for message in result["messages"]]


TWINS: list[Callable[..., Any]] = [
    lambda graph, *args, **options: graph.invoke(*args, **options),
    lambda graph, *args, **options: asyncio.run(graph.ainvoke(*args, **options)),
]
