"""A loop over several models, for the tests of cascades."""

from __future__ import annotations

from typing import Any

from support.modes import Script, critic_for
from support.scripted import ScriptedModel, lint_order
from thoughtgraph import create_reflection_graph


class Named(ScriptedModel):
    """A scripted model with a name."""

    model: str


def small(*replies: Any, name: str = "small") -> Named:
    """A model that is asked before the last one."""
    return Named(model=name, replies=list(replies))


def cascade(first: list[Named], last: Script, **options: Any) -> Any:
    """The loop over smaller models and the last one's collaborators."""
    settings: dict[str, Any] = {"max_attempts": 9, "patience": 50, "form_repairs": 0, **options}
    graph = create_reflection_graph(
        last.mode,
        actor=[*first, last.actor],
        critic=critic_for(last.mode, last.critic),
        verifier=last.verifier,
        **settings,
    )
    # Samples are drawn in the order of the script.
    return graph.with_config(max_concurrency=1)


def used_up(*models: ScriptedModel) -> bool:
    """Whether every scripted reply was asked for, in requests in order."""
    lint_order([request for model in models for request in model.requests])
    return all(len(model.requests) == len(model.replies) for model in models)
