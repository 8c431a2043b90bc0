"""Single calls of a bad model: a reply, a stream, a reply that passes its parser, a file."""

from __future__ import annotations

import asyncio
from random import Random
from typing import Any

import support.bad_checks as checks
from support.bad_runs import TASKS
from support.bad_server import Script
from support.bad_ways import Table
from thoughtgraph import (
    agenerate_with_retry,
    astream_think,
    athink_with_retry,
    generate_with_retry,
    json_parser,
    multi_section_parser,
    stream_think,
    think_with_retry,
)
from thoughtgraph.errors import ModelUnavailableError, ParseFailedError, TruncatedError
from thoughtgraph.models.messages import whole_characters
from thoughtgraph.nodes.plan_act.plans.forms import PlanPayload
from thoughtgraph.nodes.plan_act.plans.payloads import PayloadParser
from thoughtgraph.parsers.chain_of_thought import chain_of_thought_parser
from thoughtgraph.parsers.code import python_parser
from thoughtgraph.parsers.wrapping import split_think

_CRITIQUE = ["[Critique]", "[Score]", "[Verdict]"]
PARSERS: tuple[tuple[Any, dict[str, Any]], ...] = (
    (json_parser, {}),
    (json_parser, {"schema": dict[str, int]}),
    (json_parser, {"schema": PlanPayload}),
    (multi_section_parser, {}),
    (multi_section_parser, {"section_headers": _CRITIQUE}),
    (multi_section_parser, {"section_headers": _CRITIQUE, "match_mode": "ANY"}),
    (python_parser, {}),
    (python_parser, {"names": ["solve"]}),
    (chain_of_thought_parser, {}),
    (PayloadParser("thought"), {}),
)


def _ended(error: Exception, script: Script, asked: int, streaming: bool) -> tuple[list[str], str]:
    """What may end a call: no reply passed, the cap, a lost model, or a refusal; nothing else."""
    problems = checks.requests_problems(script.log, asked, streaming)
    if isinstance(error, ModelUnavailableError):
        lost = [drawn.fate for drawn in script.log[-checks.CALLS :]]
        if not streaming and lost != ["retried"] * checks.CALLS:
            problems.append(f"given up after {lost}")
        return problems, "unavailable"
    if isinstance(error, TruncatedError):
        return problems, "truncated"
    if isinstance(error, ParseFailedError):
        if error.attempts != asked or len(error.feedbacks) != asked or not all(error.feedbacks):
            problems.append(f"{error.attempts} attempts of {asked}, feedbacks {[f[:20] for f in error.feedbacks]}")
        return problems, "no reply passed"
    return problems + checks.error_problems(error, script.log, 2 * asked), "refused"


def parsed(at: Table, script: Script, chance: Random) -> tuple[list[str], str]:
    """`think_with_retry` with one of the parsers."""
    streaming, asked = chance.random() < 0.25, chance.randrange(1, 5)
    model = at.streaming if streaming else at.plain
    parser, options = chance.choice(PARSERS)
    prompt: Any = chance.choice((*TASKS, [("system", "Be brief."), ("user", "Go."), ("assistant", "x"), ("user", "y")]))
    try:
        if chance.random() < 0.5:
            think_with_retry(model, prompt, parser, max_retries=asked, **options)
        else:
            asyncio.run(athink_with_retry(model, prompt, parser, max_retries=asked, **options))
    except Exception as error:  # noqa: BLE001 - judged by the check
        return _ended(error, script, asked, streaming)
    return checks.requests_problems(script.log, asked, streaming), "passed"


def generated(at: Table, script: Script, chance: Random) -> tuple[list[str], str]:
    """`generate_with_retry`."""
    streaming, asked = chance.random() < 0.25, chance.randrange(1, 5)
    model = at.streaming if streaming else at.plain
    tag, prompt = chance.choice(("text", "markdown", "python")), chance.choice(TASKS)
    try:
        if chance.random() < 0.5:
            file = generate_with_retry(model, prompt, tag, max_attempts=asked)
        else:
            file = asyncio.run(agenerate_with_retry(model, prompt, tag, max_attempts=asked))
    except Exception as error:  # noqa: BLE001 - judged by the check
        return _ended(error, script, asked, streaming)
    problems = checks.requests_problems(script.log, asked, streaming)
    if file.is_skipped == bool(file.file_name) or bool(file.file_name) != bool(file.file_content):
        problems.append(f"neither a file nor a skip: {file.file_name!a:.50}, {file.is_skipped}")
    if not all(isinstance(count, int) and count >= 0 for count in file.usage.values()):
        problems.append(f"a usage of {file.usage}")
    return problems, "skipped" if file.is_skipped else "written"


def streamed(at: Table, script: Script, chance: Random) -> tuple[list[str], str]:
    """`stream_think`: its pieces are the thought that it ends with."""

    async def pieces() -> list[Any]:
        return [piece async for piece in astream_think(at.plain, prompt)]

    prompt = chance.choice(TASKS)
    try:
        came = list(stream_think(at.plain, prompt)) if chance.random() < 0.5 else asyncio.run(pieces())
    except Exception as error:  # noqa: BLE001 - judged by the check
        return _ended(error, script, 1, True)
    thought, problems = came[-1].thought, checks.requests_problems(script.log, 1, True)
    if [piece.kind for piece in came].count("done") != 1 or thought is None:
        return [*problems, "a stream without its end"], "streamed"
    reply = "".join(piece.text for piece in came if piece.kind == "reply")
    # A closing tag alone makes what stood before it reasoning, which the pieces had told as the reply by then.
    if thought.reply not in (whole_characters(reply), split_think(whole_characters(reply))[1]):
        problems.append(f"the pieces are another reply: {reply[:60]!a} and {thought.reply[:60]!a}")
    return problems, "streamed"


CALLS = {"think_with_retry": parsed, "generate_with_retry": generated, "stream_think": streamed}
