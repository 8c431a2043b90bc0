"""External loop: attempt → verify by running something → repair the form, or try again → outcome.

Method: docs/background/reflection_modes.md. An answer that nothing could verify is never reported as a success. The
retry strategies follow measurements on small models (docs/benchmarks.md): these models rarely fix their own code in
the conversation that shows it, and a repeated answer is a stall, so the loop drops a strategy that does not help.
"""

from __future__ import annotations

from ...nodes.reflection.loop import ReflectionLoop
from ...nodes.reflection.verify import verify
from .edges import after_attempt, after_verify
from .frame import ReflectionBuilder, framed


def external_loop(loop: ReflectionLoop) -> ReflectionBuilder:
    """Assemble the loop without compiling it."""
    graph = framed(loop)
    graph.add_step("verify", verify)
    graph.add_route("attempt", after_attempt, *loop.ways, "outcome", new="verify")
    graph.add_route("verify", after_verify, *loop.ways, "outcome")
    return graph
