"""Runs one case: from a fresh state, with a scripted user, to the verdict."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command
from thoughtgraph import create_plan_act_graph
from thoughtgraph._internal.texts import Language
from thoughtgraph.graphs.plan_act.create import PlanActGraph

from benchmarks.applications.cases import Application, Case, judge, leaves
from benchmarks.applications.results import Row
from benchmarks.assistant.dataset import NOW
from benchmarks.assistant.native import NativeAgent
from benchmarks.assistant.run import CONTEXT_TOKENS, Models
from benchmarks.cache.run import CallUsage

Way = Literal["loop", "native"]
WAYS: tuple[Way, ...] = get_args(Way)
INSISTS: Mapping[str, str] = {
    "en": "I have told you all there is, please go by that.",
    "zh": "我已经都说了，请照办。",
    "de": "Mehr kann ich dazu nicht sagen, bitte richte dich danach.",
}
"""What the user says to a question about a request that lacks nothing."""

_PROMPTS: Mapping[Language, str] = {
    "en": "{about} Now it is {now:%Y-%m-%d %H:%M (%A)}. Do what the user asks for with the tools, and change nothing "
    "else. If something is missing that only the user knows, call no tool and ask one question. In the end, tell the "
    "user in a sentence what was done or found.",
    "zh": "{about} 现在是 {now:%Y-%m-%d %H:%M}（星期三）。请用工具完成用户的要求，不要更改其他内容。"
    "如果缺少只有用户才知道的信息，请不要调用工具，而是提一个问题。最后用一句话告诉用户做了什么或查到了什么。",
}
"""Of the control."""


class Made(BaseCallbackHandler):
    """Collects the calls that reach a tool."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, dict[str, Any]]] = []

    def on_tool_start(
        self, serialized: dict[str, Any], input_str: str, *, inputs: dict[str, Any] | None = None, **kwargs: Any
    ) -> None:
        """Keep a call with its arguments."""
        self.calls.append((serialized["name"], inputs or {}))


@dataclass
class Talk:
    """A conversation about one case.

    Attributes:
        asked: questions to the user, and what the user said.
        events: the trace of the runs that have ended.
        response: what the user was told in the end; "" before the end.
        stop: why the last run ended.
    """

    asked: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    events: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    response: str = ""
    stop: str = "crash"


def solve(
    model: Models, app: Application, case: Case, *, name: str = "", way: Way = "loop", made: Made | None = None
) -> Row:
    """Run one case from a fresh state to the verdict."""
    usage, made, talk = CallUsage(), made or Made(), Talk()
    state = app.state()
    tools = app.tools(state)
    before = leaves(state)
    tested: PlanActGraph | NativeAgent
    if way == "native":
        # What a tool refuses, the model reads as the call's result.
        refusing = {"handle_tool_error": True, "handle_validation_error": True}
        prompt = _PROMPTS[case.instructions].format(about=app.about, now=NOW)
        tested = NativeAgent(model, [tool.model_copy(update=refusing) for tool in tools], prompt)
    else:
        tested = create_plan_act_graph(
            model,
            tools,
            system_prompt=app.about,
            language=case.instructions,
            context_tokens=CONTEXT_TOKENS,
            clock=lambda: NOW,
            checkpointer=InMemorySaver(),
        )
    config: RunnableConfig = {"configurable": {"thread_id": case.id}, "callbacks": [usage, made]}
    crash = ""
    started = time.perf_counter()
    try:
        converse(tested, config, case, lambda: leaves(state) != before, talk)
    except Exception as error:  # noqa: BLE001 - one case that breaks must not end the benchmark
        crash = f"{type(error).__name__}: {error}"[:500]
    seconds = time.perf_counter() - started
    talk.events += tested.get_state(config).values.get("events", [])
    verdict = judge(case, before, leaves(state), talk.response, len(talk.asked))
    return Row(
        model=name,
        app=app.name,
        id=case.id,
        kind=case.kind,
        said=case.said,
        problem=crash or verdict.problem,
        wrong_effects=verdict.wrong_effects,
        made=made.calls,
        asked=talk.asked,
        response=talk.response,
        stop=talk.stop,
        calls=len(usage.calls),
        input_tokens=sum(call["input_tokens"] for call in usage.calls),
        cached_tokens=sum(call["cached_tokens"] for call in usage.calls),
        output_tokens=sum(call["output_tokens"] for call in usage.calls),
        seconds=round(seconds, 1),
        events=talk.events,
    )


def converse(
    graph: PlanActGraph | NativeAgent, config: RunnableConfig, case: Case, changed: Callable[[], bool], talk: Talk
) -> None:
    """Say what the user says, and answer what the user is asked."""
    said: Any = {"goal": case.said}
    while True:
        result: dict[str, Any] = graph.invoke(said, config)
        paused = "__interrupt__" in result
        told = str(result["__interrupt__"][0].value if paused else result["response"])
        # Who is asked back in plain words answers as well, as long as nothing has been done.
        may_answer = bool(case.reply) and not talk.asked and "?" in told.replace("？", "?")
        if not paused and not (may_answer and not changed()):
            talk.response, talk.stop = told, result["stop_reason"]["kind"]
            return
        answer = case.reply or INSISTS[case.language]
        talk.asked.append((told, answer))
        if not paused:
            talk.events += result["events"]
        said = Command(resume=answer) if paused else {"goal": answer}
