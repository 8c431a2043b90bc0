"""Plan → thought → act → observe → replan: the loop that works toward a goal with tools.

Method: docs/background/plan_act_loop.md. The loop makes one plan. Each step of it has an inner loop of thoughts, tool
calls and observations. After each finished step and each answer from the user, the loop plans the rest again; an empty
plan ends the run. Of several requests in a goal, to tools of which a call is a whole step, each is planned by itself.
Every round starts with the checks that may end the run and with guidance for the model: the node `observe` gives
guidance on a tool's result, the node `guidance` on everything else.
"""

from __future__ import annotations

from langgraph.graph import END, START

from ...nodes.plan_act.act import act, act_at_once
from ...nodes.plan_act.ask_user import approve, ask_user
from ...nodes.plan_act.begin import begin, change_goal
from ...nodes.plan_act.checks.calls.look_up import look_up
from ...nodes.plan_act.checks.confirm import confirm
from ...nodes.plan_act.checks.effect import effect
from ...nodes.plan_act.checks.ground import ground
from ...nodes.plan_act.checks.require import read_answer, require
from ...nodes.plan_act.finalize import finalize, next_part, trip
from ...nodes.plan_act.guards import TRIPPED
from ...nodes.plan_act.guidance import guidance
from ...nodes.plan_act.loop import PlanActLoop
from ...nodes.plan_act.observe import observe
from ...nodes.plan_act.plan import plan, validate_plan
from ...nodes.plan_act.plans.watched import watched
from ...nodes.plan_act.state import PlanActInput, PlanActOutput, PlanActState
from ...nodes.plan_act.thought import thought
from ..loop_graph import LoopGraph
from . import edges

PlanActBuilder = LoopGraph[PlanActState, PlanActInput, PlanActOutput]

_HELD_BACK = {"incomplete": "require", "ungrounded": "ground", "repeated_call": "observe", "unsure": "confirm"}
"""Why a call is not made, and the node that says so to the model or asks the user."""


def plan_act(loop: PlanActLoop) -> PlanActBuilder:
    """Assemble the loop without compiling it."""
    graph = LoopGraph(loop, PlanActState, PlanActInput, PlanActOutput, watched)
    nodes = (begin, plan, validate_plan, guidance, thought, ground, look_up, require, confirm, effect, approve)
    nodes += (act, act_at_once, observe, ask_user, read_answer, change_goal, next_part)
    for node in nodes:
        graph.add_step(node.__name__, node)
    graph.add_step("replan", plan)
    graph.add_step("finalize", finalize)

    graph.add_edge(START, "begin")
    graph.add_edge("begin", "plan")
    for planner in ("plan", "replan"):
        graph.add_route(
            planner,
            edges.after_plan,
            "validate_plan",
            unreadable="guidance",
            unfounded="effect",
            next="next_part",
            ended="finalize",
        )
    graph.add_route(
        "validate_plan", edges.after_validate_plan, "plan", "replan", "act", "approve", sound="guidance", **_HELD_BACK
    )
    graph.add_route("guidance", edges.next_round, "plan", "thought", "replan", *TRIPPED, ended="finalize")
    graph.add_route(
        "thought",
        edges.after_thought,
        "act",
        "act_at_once",
        "approve",
        "look_up",
        "ask_user",
        "guidance",
        **_HELD_BACK,
        unfounded="effect",
        next="next_part",
        ended="finalize",
    )
    graph.add_route("ground", edges.after_ground, "look_up", "ask_user", sent_back="guidance")
    graph.add_route("require", edges.after_held_back, "ask_user", sent_back="guidance")
    graph.add_edge("look_up", "act")
    graph.add_edge("confirm", "ask_user")
    graph.add_edge("effect", "guidance")
    graph.add_route("approve", edges.after_approve, "act", "act_at_once", decided="observe", ended="finalize")
    graph.add_edge("act", "observe")
    graph.add_edge("act_at_once", "observe")
    graph.add_route(
        "observe",
        edges.after_observe,
        "thought",
        "look_up",
        *TRIPPED,
        finished="guidance",
        next="next_part",
        ended="finalize",
    )
    graph.add_route("ask_user", edges.after_ask_user, answered="read_answer", ended="finalize")
    graph.add_route(
        "read_answer", edges.after_read_answer, "act", "approve", unsettled="guidance", another="change_goal"
    )
    graph.add_route("change_goal", edges.next_round, "plan", *TRIPPED, ended="finalize")
    graph.add_route("next_part", edges.next_round, "plan", *TRIPPED, ended="finalize")
    for check in TRIPPED:
        graph.add_step(check, trip)
        graph.add_edge(check, "finalize")
    graph.add_edge("finalize", END)
    return graph
