"""The loops, as compiled LangGraph graphs."""

from .reflection import create_reflection_graph

__all__ = ["create_reflection_graph"]
