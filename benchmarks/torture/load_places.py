"""Where a run can be when it is cut short: in a model, over HTTP, in a tool, in a verifier, in the sandbox, waiting."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage
from langchain_core.outputs import ChatResult
from langchain_core.tools import StructuredTool
from load_model import ATTEMPTS, LOOPS, TAG, Seen, TaggedModel, answer, build, note_tool, reply_to, verdict
from support.openai_server import OpenAIServer, Reply
from thoughtgraph import PythonTests, Verdict
from thoughtgraph.tools.sandbox.limits import SandboxLimits

SECONDS = 0.02
SANDBOX_SECONDS = 0.4


@dataclass(frozen=True)
class Place:
    """A place, and the loops that have it."""

    name: str
    loops: tuple[str, ...] = LOOPS
    times: int = 3
    # How long what no run waits for any more may go on: a thread cannot be stopped, and ends with its call.
    seconds: float = 2.0


PLACES = (
    Place("model"),
    Place("model over HTTP", ("plan_act", "actor_critic"), 2, 5.0),
    Place("back-off", ("plan_act", "external_loop"), 2),
    Place("tool in a thread", ("plan_act",)),
    Place("async tool with a time limit", ("plan_act",)),
    Place("verifier in a thread", ("external_loop", "reflexion")),
    Place("sandbox", ("external_loop",), 2, SANDBOX_SECONDS + 3.0),
)


class Failing(TaggedModel):
    """Breaks the connection at every seventh call."""

    def _generate(self, messages: list[BaseMessage], *args: Any, **options: Any) -> ChatResult:
        self._break()
        return super()._generate(messages, *args, **options)

    async def _agenerate(self, messages: list[BaseMessage], *args: Any, **options: Any) -> ChatResult:
        self._break()
        return await super()._agenerate(messages, *args, **options)

    def _break(self) -> None:
        self._seen.calls += 1
        if self._seen.calls % 7 == 3:
            self._seen.entered("back-off")
            raise ConnectionError("the connection was reset")


def _slow_tool(seen: Seen, *, asynchronous: bool) -> Any:
    note = note_tool(seen)

    def slow(text: str) -> str:
        """Note a text."""
        seen.entered("tool")
        time.sleep(SECONDS)
        answered = str(note.func(text))  # pyright: ignore[reportAttributeAccessIssue]
        # A run that is cut short here has had its effect, and no checkpoint says so.
        seen.entered("effect")
        time.sleep(SECONDS)
        return answered

    async def aslow(text: str) -> str:
        seen.entered("tool")
        await asyncio.sleep(SECONDS)
        answered = str(note.func(text))  # pyright: ignore[reportAttributeAccessIssue]
        seen.entered("effect")
        await asyncio.sleep(SECONDS)
        return answered

    return StructuredTool.from_function(slow, aslow if asynchronous else None, name="note")


class _Coded(PythonTests):
    """Runs code for the answers: a wrong one does not end."""

    def __init__(self, seen: Seen) -> None:
        super().__init__("assert double(2) == 4", limits=SandboxLimits(seconds=SANDBOX_SECONDS), show_tests=False)
        self._seen = seen
        self.instructions = ""

    def parse(self, raw_reply: str) -> Any:
        return {"status": "success", "content": raw_reply}

    def __call__(self, task: str, answer_given: str) -> Verdict:
        tag = TAG.findall(task)[0]
        right = answer_given == answer(tag, ATTEMPTS)
        self._seen.entered("sandbox")
        body = "return x * 2" if right else "\n    while True: pass"
        ran = self.run(f"def double(x):\n    {body}\n")
        if ran.status != ("passed" if right else "timeout"):
            return Verdict("unverified", f"the sandbox says {ran.status}")
        return verdict(task, answer_given, self._seen)


@contextmanager
def opened(place: Place, loop: str, seen: Seen, checkpointer: Any) -> Generator[Any]:
    """The graph of a loop whose runs come to this place."""
    model: Any = TaggedModel(seen, seconds=SECONDS)
    options: dict[str, Any] = {"checkpointer": checkpointer}
    if place.name == "back-off":
        model = Failing(seen)
    elif place.name == "tool in a thread":
        options["tools"] = [_slow_tool(seen, asynchronous=False)]
    elif place.name == "async tool with a time limit":
        options |= {"tools": [_slow_tool(seen, asynchronous=True)], "tool_timeout": 30.0}
    elif place.name == "verifier in a thread":
        options["verifier"] = _slow_verifier(seen)
    elif place.name == "sandbox":
        options["verifier"] = _Coded(seen)
    elif place.name == "model over HTTP":
        with OpenAIServer(lambda body, number: _served(body, seen)) as server:
            yield build(loop, _client(server.base_url), seen, **options)
        return
    yield build(loop, model, seen, **options)


def _slow_verifier(seen: Seen) -> Any:
    def judged(task: str, given: str) -> Verdict:
        seen.entered("verifier")
        time.sleep(SECONDS)
        return verdict(task, given, seen)

    return judged


def _client(base_url: str) -> Any:
    from langchain_openai import ChatOpenAI

    return ChatOpenAI(
        model="scripted",
        base_url=base_url,
        api_key="none",
        streaming=True,
        max_retries=0,
        temperature=0.0,  # type: ignore[arg-type]
    )


_MESSAGES = {"system": SystemMessage, "user": HumanMessage, "assistant": AIMessage}


def _served(body: dict[str, Any], seen: Seen) -> Reply:
    messages = [_MESSAGES[message["role"]](message["content"]) for message in body["messages"]]
    tags = {tag for message in messages for tag in TAG.findall(str(message.content))}
    seen.entered("http")
    return Reply(reply_to(messages, min(tags), body.get("seed") or 0), chunk_delay=0.002)
