"""What the model is told between two steps: what its last result looks like, what to do about it, and how far it is.

Method: docs/background/parsing_and_feedback.md (result analysis, task handlers, depth hints, early warnings). Its cues
and thresholds are kept; its texts are in `texts.py`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Protocol, cast, runtime_checkable

from typing_extensions import TypedDict

from ...._internal.numbers import check_kind
from ...._internal.texts import Language
from ....tools.calls.results import IS_NOTHING
from ....tools.metadata import misfit
from .texts import text

DEEP = 3
"""Rounds on one task past which the model is told how far it is."""
TIME_TO_FINISH = 6
"""Rounds on one task from which on it is told to finish."""


class ResultAnalysis(TypedDict):
    """What tool results look like.

    Attributes:
        has_data: something was found or returned.
        has_errors: a call failed, or a result speaks of a failure.
        suggests_completion: a result says that something is finished.
        result_types: which of `"data"`, `"error"`, `"completion"`, `"analysis"` were seen, in that order.
        completeness_score: 0.3 for data, 0.5 for completion, 0.4 for analysis, at most 1.
    """

    has_data: bool
    has_errors: bool
    suggests_completion: bool
    result_types: list[str]
    completeness_score: float


def _cues(english: str, chinese: str) -> re.Pattern[str]:
    # A word ends where Chinese begins, which it does not for `\b` unless it looks at ASCII alone.
    return re.compile(rf"\b(?:{english})\b|{chinese}", re.IGNORECASE | re.ASCII)


_CUES = {
    "data": _cues("data|found|retrieved|tables?|schema|results?", "获取到|表结构|数据|找到|结果"),
    "error": _cues("errors?|failed|failures?|exceptions?|not found", "错误|失败|异常|未找到|找不到"),
    "completion": _cues("completed?|finished|done|ready", "完成|已就绪|结束"),
    "analysis": _cues("analysis|summary|conclusions?|insights?", "分析|总结|结论|洞察"),
}
_WEIGHTS = {"data": 0.3, "completion": 0.5, "analysis": 0.4}
# What only looks like a cue: "no errors", "no results were found", "not done yet", `"errors": 0`.
_WORD = r"(?:errors?|failed|failures?|exceptions?|found|done|ready|finished|completed?|data|results?|retrieved)"
_DENIED = _cues(
    rf"(?:(?:no|without|zero|not|cannot|unable\s+to|nothing|never|0)\s+|\w+n't\s+)(?:[a-z]+\s+){{0,2}}?{_WORD}"
    rf"(?:\s+(?:(?:was|were|is|are|been|be)\s+)?{_WORD})*|nothing\s+found",
    "(?:没有|暂无|未|无)(?:找到|获取到|完成)?(?:任何)?(?:错误|异常|失败|数据|结果|完成)|(?:没有|没能|未|未能|无法|不能)(?:找到|获取到|完成|结束)",
)
_NONE_OF = re.compile(
    rf"(?:\b{_WORD}|错误|异常|失败|数据|结果)['\"]?\s*[:=：]\s*(?:{IS_NOTHING}|无(?![^\s，。、；,;)}}]))",
    re.IGNORECASE | re.ASCII,
)
_MISSED = _cues("not found", "(?:未|未能|没有|没能|无法|不能)找到|找不到")


def analyze_tool_results(results: Sequence[str], *, failed: bool = False) -> ResultAnalysis:
    """Look at tool results by cue words, in English and in Chinese.

    Args:
        results: what the tools returned, as text.
        failed: whether a call is known to have failed, whatever its text says.

    Example:
        >>> analyze_tool_results(["Found 3 rows of data. Done."])["completeness_score"]
        0.8
    """
    seen: set[str] = {"error"} if failed else set()
    for result in results:
        plain = _NONE_OF.sub(" ", _DENIED.sub(" ", result))
        seen |= {name for name, cue in _CUES.items() if cue.search(plain)}
        if _MISSED.search(result):
            seen.add("error")
    types = [name for name in _CUES if name in seen]
    score = min(1.0, round(sum(_WEIGHTS.get(name, 0.0) for name in types), 2))
    return ResultAnalysis(
        has_data="data" in seen,
        has_errors="error" in seen,
        suggests_completion="completion" in seen,
        result_types=types,
        completeness_score=score,
    )


@runtime_checkable
class TaskHandler(Protocol):
    """Guidance for one kind of task; the first handler that can handle a task speaks."""

    def can_handle(self, task: str) -> bool:
        """Whether this handler knows the task."""
        ...

    def generate_guidance(self, original_task: str, result_analysis: ResultAnalysis, recursion_depth: int) -> str:
        """What to tell the model after a tool's result.

        Args:
            original_task: the goal of the run, which `can_handle` was asked about.
            result_analysis: what the latest results look like.
            recursion_depth: the number of rounds on this task, from 1.
        """
        ...


_METHODS = {
    "can_handle": ("original_task",),
    "generate_guidance": ("original_task", "result_analysis", "recursion_depth"),
}
"""Of a handler, with what each is called with."""


def as_handlers(given: Iterable[TaskHandler], argument: str = "task_handlers") -> tuple[TaskHandler, ...]:
    """What is given as task handlers, or a `ValueError` that names the argument."""
    check_kind(argument, given, Iterable, "a list of task handlers")
    handlers = tuple(given)
    for handler in handlers:
        if not isinstance(cast(object, handler), TaskHandler):
            raise ValueError(f"a task handler has `can_handle` and `generate_guidance`, got {handler!r:.80}")
        for name, takes in _METHODS.items():
            if problem := misfit(getattr(handler, name), takes):
                raise ValueError(f"`{name}` of the task handler {handler!r:.80} {problem}")
    return handlers


def generate_guidance(
    task: str,
    analysis: ResultAnalysis,
    depth: int,
    *,
    handlers: Sequence[TaskHandler] = (),
    step: str = "",
    language: Language = "en",
) -> str:
    """What to tell the model next: the first matching handler's words, else one of three default cases.

    Args:
        task: what the handlers are asked about.
        analysis: of the latest results.
        depth: rounds on this task, from 1.
        handlers: asked in order.
        step: what the default cases say is being worked on; the task by default.
        language: of the default cases.

    Raises:
        ValueError: a handler gives no text.
    """
    shown = step or task
    for handler in handlers:
        if handler.can_handle(task):
            guidance: object = handler.generate_guidance(task, analysis, depth)
            check_kind(f"what generate_guidance of {type(handler).__name__} gives", guidance, str | None, "a text")
            return cast("str | None", guidance) or ""
    if depth >= TIME_TO_FINISH or (analysis["suggests_completion"] and not analysis["has_errors"]):
        return text(language, "guidance.complete", task=shown)
    if analysis["has_errors"]:
        return text(language, "guidance.errors", task=shown)
    return text(language, "guidance.continue", task=shown, progress=f"{analysis['completeness_score']:.0%}")


def depth_hint(depth: int, steps: int, max_steps: int, *, language: Language = "en") -> str:
    """How far the run is; "" up to a depth of 3.

    Args:
        depth: rounds on the current task, from 1.
        steps: steps used by the run.
        max_steps: its limit.
        language: of the hint.
    """
    if depth <= DEEP:
        return ""
    used = {"depth": steps, "max_depth": max_steps, "progress": f"{steps / max_steps:.0%}"}
    return text(language, "guidance.depth", **used, remaining=max(0, max_steps - steps))
