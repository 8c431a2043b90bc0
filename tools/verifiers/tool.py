"""A verifier that calls a tool with the answer."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable
from typing import Any, cast

from langchain_core.tools import BaseTool

from ..._internal.numbers import as_pythons_own, check_kind
from ..._internal.strict_json import loads_or, objects
from ..verdict import FormattedVerifier, Verdict
from .judgment import FORM, unjudged, verdict_of, wrong_with

Judge = Callable[[Any], "bool | Verdict | Awaitable[bool | Verdict]"]
_SHOWN = 1_500


class ToolVerifier(FormattedVerifier):
    """Verifies an answer by a LangChain tool, such as one of an MCP server.

    The tool is called with the answer: as its only required argument, or as its argument `answer`; also with the task,
    if it has an argument `task`. What the tool raises counts as what a function raises that judges by itself; a
    tool with `handle_tool_error` returns its error as a result instead. Calls are coroutines:
    `await verify(task, answer)`.

    Args:
        tool: any tool, sync or async.
        judge: gets the tool's result and returns a `Verdict`, or whether the answer passes; the actor then reads the
            result as feedback. Without it the result has to be a verdict itself: a `Verdict`, a bool, or
            `{"passed": true or false, "feedback": "what is wrong"}`, also as JSON. Any other result is `"unverified"`.

    Raises:
        ValueError: the tool is none, or cannot be called with an answer and, if it wants one, a task; or the judge
            is no function.

    Example:
        >>> from langchain_core.tools import tool
        >>> @tool
        ... def count_words(text: str) -> int:
        ...     "Count the words of a text."
        ...     return len(text.split())
        >>> verify = ToolVerifier(count_words, judge=lambda count: count <= 50)
        >>> graph = create_reflection_graph(actor=model, verifier=verify)        # doctest: +SKIP
    """

    def __init__(self, tool: BaseTool, *, judge: Judge | None = None) -> None:
        check_kind("tool", tool, BaseTool, "a LangChain tool; make one of a function with `@tool`")
        check_kind("judge", judge, Callable | None, "a function of the tool's result")
        arguments = tool.tool_call_schema
        schema = cast(
            "dict[str, Any]", arguments if isinstance(arguments, dict) else cast(Any, arguments).model_json_schema()
        )
        names: list[str] = list(schema.get("properties", {}))
        required: list[str] = [name for name in schema.get("required", []) if name != "task"]
        named = "answer" if "answer" in names else required[0] if required else next(iter(names), "")
        if not named or set(required) - {named}:
            raise ValueError(
                f"the tool {tool.name!r} takes {', '.join(names) or 'no arguments'}: a verifier's tool takes the "
                "answer as its only required argument or as `answer`, and the task, if it wants it, as `task`"
            )
        self._tool, self._argument, self._judge = tool, named, judge
        self._wants_task = "task" in names and named != "task"

    async def __call__(self, task: str, answer: str, /) -> Verdict:
        """Call the tool with an answer."""
        given = {self._argument: answer, **({"task": task} if self._wants_task else {})}
        result = await self._tool.ainvoke(given)
        if self._judge is None:
            written = _read(result)
            returned = f"The tool {self._tool.name} returned no verdict such as {FORM}, but {str(result)[:_SHOWN]}"
            return verdict_of(result) or verdict_of(written) or unjudged(_with_reason(returned, result, written))
        said = self._judge(result)
        said = as_pythons_own(await said if inspect.isawaitable(said) else said)
        if said is False:
            return Verdict("failed", f"{self._tool.name} returned: {str(result)[:_SHOWN]}")
        returned = f"The judge of {self._tool.name} returned no Verdict or bool, but {str(said)[:_SHOWN]}"
        return verdict_of(said) or unjudged(_with_reason(returned, said))


def _with_reason(returned: str, *said: object) -> str:
    """What came back, with what keeps it from being a verdict."""
    return "; ".join(filter(None, (returned, *map(wrong_with, said))))


def _read(result: object) -> object:
    """The value of a result that is JSON, or a list of text blocks that hold JSON, as MCP tools return it."""
    if isinstance(result, list):
        result = "".join(str(block.get("text", "")) for block in objects(cast("list[Any]", result)))
    return loads_or(result, None) if isinstance(result, str) else None
