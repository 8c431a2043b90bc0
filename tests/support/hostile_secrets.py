"""Secrets in every place where one can be, servers that quote them back, and a scan of all that a run leaves."""

from __future__ import annotations

import json
import logging
import os
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any
from unittest.mock import patch

from langchain_openai import ChatOpenAI
from pydantic import SecretStr
from support.openai_server import OpenAIServer, Reply
from support.plan_act import act, done, planned, replanned
from support.scripted import ScriptedModel
from thoughtgraph import ContextGraph, create_plan_act_graph, create_reflection_graph, stream_think, think
from thoughtgraph.models import Backoff
from thoughtgraph.tools.calls.executor import ToolExecutor

KEY = "correct-horse-battery-staple"
SHAPED = "sk-proj-0a1B2c3D4e5F6g7H8i9J"
HEADER = "header-value-with-no-shape"
PASSWORD = "pass%40word-in-address"
IN_QUERY = "query-key-with-no-shape"
IN_ENVIRONMENT = "environment-value-no-shape"
SECRETS = (KEY, SHAPED, HEADER, PASSWORD, "pass@word-in-address", IN_QUERY, IN_ENVIRONMENT)
VARIABLES = {"SOME_SERVICE_TOKEN": IN_ENVIRONMENT, "SEARCH_API_KEY": IN_QUERY}
STATUSES = (400, 401, 403, 404, 422, 429, 500, 503)
MODES = ("external_loop", "reflexion", "actor_critic", "best_of_n")
_ADDRESS = f"http://user:{PASSWORD}@api.example/v1?api_key={IN_QUERY}&q=1"
_QUOTED = f"at {_ADDRESS} with X-Api-Key: {HEADER}, environment {IN_ENVIRONMENT}"


@contextmanager
def quoting_server(status: int, padding: int = 0) -> Iterator[OpenAIServer]:
    """A server whose every answer is an error that quotes the headers and the address that it was called with."""

    def refuse(body: dict[str, Any], index: int) -> Reply:
        headers = server.requests[-1].headers
        quoted = json.dumps({name: headers.get(name) for name in ("authorization", "x-api-key")})
        said = f"{'.' * padding}Incorrect API key provided: {headers.get('authorization', '')[7:]}. {quoted} {_QUOTED}"
        return Reply(f"{said} {SHAPED}", status=status, retry_after=0)

    with OpenAIServer(refuse) as server:
        yield server


def chat_model(base_url: str, *, named: bool = False) -> Any:
    """A model that holds secrets in its key and its headers, and in its address where that names a user.

    A user in the address takes the place of the key in the request.
    """
    return ChatOpenAI(
        base_url=base_url.replace("http://", f"http://user:{PASSWORD}@") if named else base_url,
        model="m",
        api_key=SecretStr(KEY),
        default_headers={"X-Api-Key": HEADER, "Connection": "close"},
        max_retries=0,
    )


def model_runs(model: Any) -> dict[str, Callable[[], Any]]:
    """Every way of calling a model."""
    runs: dict[str, Callable[[], Any]] = {
        "think": lambda: think(model, "hi"),
        "stream_think": lambda: list(stream_think(model, "hi")),
        "bound": lambda: think(model.bind(temperature=0.5), "hi"),
        "plan_act": lambda: create_plan_act_graph(model, [], interactive=False).invoke({"goal": "x"}),
    }
    for mode in MODES:
        runs[mode] = lambda mode=mode: create_reflection_graph(mode, actor=model).invoke({"task": "x"})
    return runs


def tool_run(error: Exception) -> Any:
    """A run one of whose tools fails with an error."""

    def fetch(text: str) -> str:
        """Fetch a text."""
        raise error

    replies = [
        planned("a"),
        act("fetch", "x"),
        done("It failed."),
        done("It failed."),
        replanned(response="It failed."),
    ]
    at_once = patch(
        "thoughtgraph.graphs.plan_act.create.ToolExecutor",
        partial(ToolExecutor, backoff=Backoff(max_attempts=3, initial_interval=0.0)),
    )
    with at_once:
        graph = create_plan_act_graph(ScriptedModel(replies=replies), [fetch], interactive=False)
    return graph.invoke({"goal": "x"})


def verifier_run(error: Exception) -> Any:
    """A run whose verifier fails with an error."""

    def judge(task: str, answer: str) -> Any:
        raise error

    return create_reflection_graph(actor=ScriptedModel(replies=["x"] * 9), verifier=judge).invoke({"task": "x"})


class _BrokenMemory:
    """A memory whose database cannot be reached."""

    def __init__(self, error: Exception) -> None:
        self._error = error

    def recall(self, task: str, **about: Any) -> Any:
        raise self._error

    remember = arecall = aremember = recall


def memory_run(error: Exception) -> Any:
    """A run whose memory fails with an error, which is logged."""
    memory: Any = _BrokenMemory(error)
    return create_reflection_graph(actor=ScriptedModel(replies=["x"] * 9), memory=memory).invoke({"task": "x"})


def errors() -> list[Exception]:
    """Errors as clients raise them, secrets in their words, arguments, notes and causes."""
    noted = RuntimeError("no answer")
    noted.add_note(_QUOTED)
    caused = RuntimeError("it failed")
    caused.__cause__ = OSError(5, _QUOTED, _ADDRESS)
    dsn = f"host=db user=me password={PASSWORD} dbname=x"
    return [
        RuntimeError(f"GET {_ADDRESS} failed"),
        ConnectionError(f'connection to "postgresql://me:{PASSWORD}@db/x" refused; {dsn}'),
        PermissionError(13, _QUOTED, _ADDRESS),
        ValueError({"headers": {"Authorization": f"Bearer {SHAPED}"}, "url": _ADDRESS}, [_QUOTED]),
        TimeoutError(f"{'.' * 280}{_QUOTED}"),
        LookupError(f"{SHAPED} is no key of {IN_ENVIRONMENT}"),
        noted,
        caused,
    ]


def leaks(run: Callable[[], Any], secrets: Sequence[str] = SECRETS) -> list[str]:
    """Where a run, whatever comes of it, leaves a secret: its result, its events, its views, its error, its logs."""
    records: list[str] = []
    handler = logging.Handler()
    handler.emit = lambda record: records.append(logging.Formatter().format(record))  # type: ignore[method-assign]
    logger = logging.getLogger("thoughtgraph")
    level = logger.level
    logger.addHandler(handler)
    logger.setLevel(logging.DEBUG)
    shown: dict[str, str] = {}
    try:
        with patch.dict(os.environ, VARIABLES):
            result = run()
        shown["result"] = repr(result)
        if isinstance(result, dict) and result.get("events"):
            shown |= _views(result)
    except (TypeError, AssertionError) as error:
        return [f"it could not be run: {error!r}"]
    except Exception as error:  # noqa: BLE001 - its words are looked through
        shown["traceback"] = "".join(traceback.format_exception(error))
        shown["error"] = (
            f"{error} {error!r} {error.args} {getattr(error, 'body', '')} {getattr(error, '__notes__', '')}"
        )
    finally:
        logger.removeHandler(handler)
        logger.setLevel(level)
    shown["log"] = "\n".join(records)
    return [f"{secret!r} is in the {place}" for place, text in shown.items() for secret in secrets if secret in text]


def _views(result: dict[str, Any]) -> dict[str, str]:
    graph = ContextGraph.from_run(result)
    names = ("to_json", "to_html", "to_graphml", "to_mermaid", "to_prov", "why_stopped", "failures", "cost")
    return {name: str(getattr(graph, name)()) for name in names}
