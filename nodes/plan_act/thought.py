"""The node that asks what to do about the current step."""

from __future__ import annotations

from typing import Any

from ..._internal.steps import Steps
from ...models.retry import recorded_usage
from ...traces.shapes import PlanItem, StopReason
from .loop import PlanActLoop
from .plans.items import plain
from .prompts.conversation import ask
from .prompts.report import step_error
from .prompts.texts import text
from .prompts.turns import finished_note
from .state import PlanActState, finished, happened, remaining, run_recording


def thought(state: PlanActState, loop: PlanActLoop) -> Steps[dict[str, Any]]:
    """Ask what to do about the current step: act, finish it, or put a question."""
    guards = loop.guards
    with run_recording(state) as recorder:
        asked = yield from ask("thought", state, loop)
        writes: dict[str, Any] = {**asked.writes, "steps": state["steps"] + 1, "depth": state["depth"] + 1}
        writes |= {"decision": asked.payload, "events": recorder.events}
        writes["usage"] = recorded_usage(state["usage"], recorder.events)
        if asked.payload is None:
            return writes
        writes["happening"] = happened("decided")
        item = remaining(state)[0]
        number = len(finished(state)) + 1
        said = recorder.events[-1]
        assert said["kind"] == "thought", "a payload was read from the reply before it"
        said["data"].update(
            item=number,
            of=number - 1 + len(remaining(state)),
            step=item["step"],
            steps=writes["steps"],
            max_steps=guards.max_steps,
        )
        if asked.prose:
            said["data"]["prose"] = True
            stop = StopReason(kind="answered", value=writes["steps"], limit=None)
            return {**writes, "decision": None, "stop": stop, "response": asked.payload["response"]}
        said["data"]["decision"] = asked.payload
        if asked.payload["status"] == "done":
            error = step_error(state)
            # What a model says of a step whose every call failed is not what came of it.
            response = error or asked.payload["response"]
            done: PlanItem = {**item, "status": "failed" if error else "done", "response": response}
            writes |= {"plan": [done, *remaining(state)[1:]], "phase": "replan", "depth": 0}
            writes["seen_before"] = len(state["observations"])
            note = finished_note(loop.language, number, item["step"], response, failed=bool(error))
            writes["happening"] = happened("done", note)
        elif asked.payload["status"] == "ask_user":
            question = asked.payload["question"]
            earlier = next((c for c in state["clarifications"] if plain(c["question"]) == plain(question)), None)
            if earlier:
                note = text(loop.language, "note.asked_before", question=question, answer=earlier["answer"])
                writes["happening"] = happened("repeated_question", note)
                writes["repeated_questions"] = state["repeated_questions"] + 1
        return writes
