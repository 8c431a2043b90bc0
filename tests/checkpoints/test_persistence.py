"""SQLite checkpoints that sync and async graphs share."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from langgraph.types import Command
from support.assistants import asks, planned, replanned
from support.scripted import ScriptedModel
from thoughtgraph import create_plan_act_graph, open_checkpoints

CONFIG: Any = {"configurable": {"thread_id": "t"}}


@pytest.mark.parametrize("first", ["sync", "async"])
@pytest.mark.parametrize("second", ["sync", "async"])
def test_a_pause_in_one_form_is_resumed_in_the_other(tmp_path: Path, first: str, second: str) -> None:
    def run(form: str, value: Any, *replies: str) -> Any:
        with open_checkpoints(tmp_path / "deep" / "runs.sqlite") as checkpointer:
            graph = create_plan_act_graph(ScriptedModel(replies=list(replies)), [], checkpointer=checkpointer)
            if form == "sync":
                return graph.invoke(value, CONFIG)
            return asyncio.run(graph.ainvoke(value, CONFIG))

    paused = run(first, {"goal": "go"}, planned("a"), asks("Which?"))
    assert paused["__interrupt__"][0].value == "Please confirm: Which?"
    assert run(second, Command(resume="this"), replanned(response="Done."))["response"] == "Done."


def test_threads_are_listed_and_deleted_in_both_forms(tmp_path: Path) -> None:
    async def main() -> None:
        with open_checkpoints(tmp_path / "runs.sqlite") as checkpointer:
            graph = create_plan_act_graph(
                ScriptedModel(replies=[planned(response="Hi.")]), [], checkpointer=checkpointer
            )
            await graph.ainvoke({"goal": "go"}, CONFIG)
            listed = [item async for item in checkpointer.alist(CONFIG)]
            assert len(listed) == len(list(checkpointer.list(CONFIG))) > 2
            assert len([item async for item in graph.aget_state_history(CONFIG)]) == len(listed)
            await checkpointer.adelete_thread("t")
            assert await checkpointer.aget_tuple(CONFIG) is None

    asyncio.run(main())


@pytest.mark.parametrize("as_node", ["__copy__", "plan"])
def test_a_checkpoint_that_is_copied_is_no_conflict(tmp_path: Path, as_node: str) -> None:
    with open_checkpoints(tmp_path / "runs.sqlite") as checkpointer:
        model = ScriptedModel(replies=[planned("a"), asks("Which?"), replanned(response="Done.")])
        graph = create_plan_act_graph(model, [], checkpointer=checkpointer)
        graph.invoke({"goal": "go"}, CONFIG)
        before = graph.get_state(CONFIG)
        graph.update_state(CONFIG, None if as_node == "__copy__" else {}, as_node=as_node)
        copied = graph.get_state(CONFIG)
        assert copied.config != before.config
        assert copied.values == before.values
