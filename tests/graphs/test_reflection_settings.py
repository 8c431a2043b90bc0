"""The settings that `create_agent` has, in every reflection mode: system prompt, context, pauses, name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.runtime import get_runtime
from support.modes import MODES, RIGHT, TASK, THREAD, Mode
from support.plan_act import TWINS, twin
from thoughtgraph import PythonTests, Verdict, create_reflection_graph
from thoughtgraph.models import ScriptedModel


@dataclass
class Context:
    """What a run is invoked with beside its task."""

    wanted: str


def by_context(task: str, answer: str) -> Verdict:
    """A verifier that reads the context of the run."""
    wanted = get_runtime(Context).context.wanted
    return Verdict("passed" if answer == wanted else "failed", f"It has to be {wanted}.", float(answer == wanted))


@pytest.fixture(params=MODES, ids=lambda mode: mode.name)
def mode(request: pytest.FixtureRequest) -> Mode:
    """Each reflection mode."""
    return request.param


@pytest.mark.parametrize("form", TWINS)
def test_a_verifier_reads_the_context_of_the_run(mode: Mode, form: str) -> None:
    graph = create_reflection_graph(
        mode.name, actor=ScriptedModel(replies=["yes"]), verifier=by_context, context_schema=Context
    )
    assert twin(form)(graph, dict(TASK), context=Context("yes"))["verdict"] == "passed"


def test_a_system_prompt_comes_before_the_format_of_answers(mode: Mode) -> None:
    tests = PythonTests("assert double(2) == 4")
    for verifier, told in ((tests, tests.instructions), (None, "")):
        model = ScriptedModel(replies=["```python\ndef double(x): return 2 * x\n```", *["words"] * 6])
        graph = create_reflection_graph(
            mode.name, actor=model, verifier=verifier, system_prompt="Use no loops.", max_attempts=1
        )
        graph.invoke(dict(TASK))
        assert model.requests[0][0].content == f"Use no loops.\n\n{told}".strip()


def test_a_run_pauses_where_it_is_told_to(mode: Mode) -> None:
    options: dict[str, Any] = {"checkpointer": InMemorySaver(), "interrupt_before": ["verify"]}
    graph = mode.script([RIGHT]).graph(**options)
    graph.invoke(dict(TASK), THREAD)
    assert graph.get_state(THREAD).next == ("verify",)
    assert graph.invoke(None, THREAD)["verdict"] == "passed"


def test_a_graph_has_the_name_it_is_given(mode: Mode) -> None:
    model = ScriptedModel(replies=[])
    assert create_reflection_graph(mode.name, actor=model, name="solver").name == "solver"
    assert create_reflection_graph(mode.name, actor=model).name == mode.name
