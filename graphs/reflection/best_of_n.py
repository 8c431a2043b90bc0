"""Best of N: draw a batch of samples side by side → attempt after attempt → verify → draw more, or outcome.

Method: docs/background/reflection_modes.md. No sample sees another. With a verifier the first answer that passes ends
the run, and of answers that all fail the best one is kept. Without one the answer is that on which most samples agree
(Wang et al. 2023), drawn until further samples would hardly change it (Aggarwal et al. 2023); it stays unverified.
"""

from __future__ import annotations

from typing import cast

from ...nodes.reflection.begin import begin
from ...nodes.reflection.loop import ReflectionLoop
from ...nodes.reflection.samples.agreement import agree, check_key
from ...nodes.reflection.samples.draw import draw, sample, take
from ...nodes.reflection.samples.state import SampledState
from ...nodes.reflection.state import ReflectionInput, ReflectionOutput, watched
from ...nodes.reflection.verify import verify
from ...nodes.reflection_defaults import DEFAULT_STRATEGIES
from ..loop_graph import LoopGraph
from .edges import after_sample, after_verify, each_sample
from .frame import ReflectionBuilder, surround


def best_of_n(loop: ReflectionLoop) -> ReflectionBuilder:
    """Assemble the loop without compiling it.

    Raises:
        ValueError: strategies, which samples do not have; several models without a verifier; a key that is no function.
    """
    if loop.strategies != DEFAULT_STRATEGIES or loop.form_repairs:
        raise ValueError("best_of_n draws samples that do not see each other: leave strategies and form_repairs out")
    if loop.larger and loop.agrees:
        raise ValueError(
            "best_of_n asks the next model when a verifier failed the answer of the one before: give verifier=… for "
            "all tasks, or one model"
        )
    if loop.key is not None:
        check_key(loop.key)
    graph = LoopGraph(loop, SampledState, ReflectionInput, ReflectionOutput, watched)
    graph.add_step("begin", begin)
    graph.add_step("draw", draw)
    graph.add_step("sample", sample)
    graph.add_step("attempt", take)
    surround(graph, "draw")
    graph.add_route("draw", each_sample, "sample")
    graph.add_edge("sample", "attempt")
    if loop.agrees:
        graph.add_step("agree", agree)
        graph.add_route("attempt", after_sample, "attempt", "agree", "outcome")
        graph.add_route("agree", after_verify, *loop.ways, "outcome")
    else:
        graph.add_step("verify", verify)
        graph.add_route("attempt", after_sample, "attempt", *loop.ways, "outcome", new="verify")
        graph.add_route("verify", after_sample, "attempt", *loop.ways, "outcome")
    return cast(ReflectionBuilder, graph)
