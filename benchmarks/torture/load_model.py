"""Loops whose every run has a tag of its own, and a model that answers by what it reads: a mix-up shows at once.

Nothing is scripted call by call, so that a run that was cut short may ask again for what it had asked for.
"""

from __future__ import annotations

import asyncio
import json
import re
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.tools import BaseTool, StructuredTool
from pydantic import PrivateAttr
from support.modes import critique
from support.plan_act import act, done, planned, replanned
from thoughtgraph import Guards, Verdict, create_plan_act_graph, create_reflection_graph
from thoughtgraph.tools.calls.idempotency import idempotency_key

TAG = re.compile(r"#(\w+)#")
LOOPS = ("plan_act", "external_loop", "reflexion", "actor_critic")
STEPS, ATTEMPTS = 2, 3


@dataclass
class Seen:
    """What all runs of a loop did together."""

    calls: int = 0
    now: int = 0
    most: int = 0
    mixed: list[str] = field(default_factory=list[str])
    effects: dict[str, Counter[str]] = field(default_factory=dict[str, Counter[str]])
    entered: Callable[[str], None] = lambda place: None
    turn: threading.Lock = field(default_factory=threading.Lock)

    @contextmanager
    def counted(self, place: str) -> Iterator[None]:
        """Count who is inside a model call; tell who wants to know where the run is."""
        with self.turn:
            self.calls += 1
            self.now += 1
            self.most = max(self.most, self.now)
        try:
            self.entered(place)
            yield
        finally:
            with self.turn:
                self.now -= 1

    def happened(self, tag: str, effect: str) -> None:
        """An effect under its key; done again under the same key it is the same effect."""
        with self.turn:
            self.effects.setdefault(tag, Counter())[f"{idempotency_key()} {effect}"] += 1


class TaggedModel(BaseChatModel):
    """Plays actor and critic of every run; says of which tag each call is."""

    seconds: float = 0.0
    temperature: float | None = 0.0
    seed: int | None = None
    _seen: Seen = PrivateAttr()

    def __init__(self, seen: Seen, **fields: Any) -> None:
        super().__init__(**fields)
        self._seen = seen

    @property
    def _llm_type(self) -> str:
        return "tagged"

    def _generate(self, messages: list[BaseMessage], *args: Any, **options: Any) -> ChatResult:
        with self._seen.counted("model"):
            if self.seconds:
                time.sleep(self.seconds)
            return self._replied(messages, options)

    async def _agenerate(self, messages: list[BaseMessage], *args: Any, **options: Any) -> ChatResult:
        with self._seen.counted("model"):
            await asyncio.sleep(self.seconds)
            return self._replied(messages, options)

    def _replied(self, messages: list[BaseMessage], options: dict[str, Any]) -> ChatResult:
        tags = {tag for message in messages for tag in TAG.findall(str(message.content))}
        if len(tags) != 1:
            self._seen.mixed.append(f"a prompt with the tags {sorted(tags)}")
        usage: Any = {"input_tokens": 100, "output_tokens": 20, "total_tokens": 120}
        reply = reply_to(messages, min(tags, default="?"), options.get("seed") or self.seed or 0)
        message = AIMessage(reply, usage_metadata=usage, response_metadata={"finish_reason": "stop"})
        return ChatResult(generations=[ChatGeneration(message=message)])


def reply_to(messages: list[BaseMessage], tag: str, tried: int) -> str:
    """What a run of this tag is told at this point of its conversation."""
    last = str(messages[-1].content)
    if "[Next time]" in last and "Reply in two sections" in last:
        return f"[Mistake]\nThe answer to #{tag}# was not right.\n[Next time]\nBe right about #{tag}# this time."
    if "Reply in three sections" in last:
        return critique(False, 0.1, f"Think again about #{tag}#.")
    if "note it for" not in " ".join(str(message.content) for message in messages):
        return answer(tag, tried + 1)
    first = next(number for number, message in enumerate(messages) if f"#{tag}#" in str(message.content))
    said = sum(message.type == "ai" for message in messages[first:])
    script = [
        planned(f"note it for #{tag}#"),
        *(act("note", {"text": f"{number} of #{tag}#"}) for number in range(STEPS)),
        done(f"noted #{tag}#"),
        replanned(response=f"all of #{tag}# is noted"),
    ]
    return script[said]


def answer(tag: str, number: int) -> str:
    """The answer of an attempt; the last one is right."""
    return f"right #{tag}#" if number == ATTEMPTS else f"wrong {number / 10} #{tag}#"


def verdict(task: str, given: str, seen: Seen) -> Verdict:
    """What the verifier says of an answer."""
    tag = TAG.findall(task)[0]
    seen.happened(tag, given)
    if given == answer(tag, ATTEMPTS):
        return Verdict("passed")
    return Verdict("failed", f"<{given}> is wrong", score=float(given.split()[1]), kind="wrong")


def note_tool(seen: Seen) -> BaseTool:
    """A tool with an effect, in both forms."""

    def note(text: str) -> str:
        """Note a text."""
        seen.entered("tool")
        seen.happened(TAG.findall(text)[0], text)
        return f"noted {text}"

    async def anote(text: str) -> str:
        return note(text)

    return StructuredTool.from_function(func=note, coroutine=anote)


def build(
    loop: str, model: Any, seen: Seen, *, tools: list[Any] | None = None, verifier: Any = None, **options: Any
) -> Any:
    """A loop over the model; its verifier and its tool count what they do."""
    if loop == "plan_act":
        options.setdefault("guards", Guards(max_seconds=3600.0))
        return create_plan_act_graph(model, tools or [note_tool(seen)], interactive=False, **options)

    async def judged(task: str, given: str) -> Verdict:
        seen.entered("verifier")
        return verdict(task, given, seen)

    return create_reflection_graph(
        loop, actor=model, verifier=verifier or judged, max_attempts=ATTEMPTS, patience=50, **options
    )


def given(loop: str, tag: str) -> dict[str, str]:
    """What a run of this tag is invoked with."""
    return {"goal": f"note it for #{tag}#"} if loop == "plan_act" else {"task": f"Be right about #{tag}#."}


def wrong_with(loop: str, tag: str, result: dict[str, Any], seen: Seen, *, again: bool = False) -> list[str]:
    """How a run's result and effects differ from what they must be; `again` allows an effect to be repeated."""
    wrong: list[str] = []
    foreign = {found for found in TAG.findall(json.dumps(result, default=str)) if found != tag}
    if foreign:
        wrong.append(f"has the tags {sorted(foreign)}")
    if loop == "plan_act":
        effects = [f"{number} of #{tag}#" for number in range(STEPS)]
        ended = (result.get("response"), (result.get("stop_reason") or {}).get("kind"))
        expected: Any = (f"all of #{tag}# is noted", "goal_met")
    else:
        effects = [answer(tag, number + 1) for number in range(ATTEMPTS)]
        ended = (result.get("answer"), result.get("verdict"))
        expected = (f"right #{tag}#", "passed")
    if ended != expected:
        wrong.append(f"ended with {ended}")
    events = result.get("events") or []
    if [event["seq"] for event in events] != list(range(len(events))) or len({e["id"] for e in events}) != len(events):
        wrong.append("events are missing or doubled")
    had = seen.effects.get(tag, Counter())
    if sorted(key.partition(" ")[2] for key in had) != sorted(effects) or (not again and set(had.values()) != {1}):
        wrong.append(f"had the effects {dict(had)}")
    return [f"{loop} #{tag}#: {what}" for what in wrong]
