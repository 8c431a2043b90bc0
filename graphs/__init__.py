"""The loops, as compiled LangGraph graphs."""

from .plan_act import create_plan_act_graph
from .reflection import create_reflection_graph

__all__ = ["create_plan_act_graph", "create_reflection_graph"]
