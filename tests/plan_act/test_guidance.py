"""What the model is told after a tool's result: analysis, handlers, the three default cases, depth (rows C3, C4)."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.scripted import ScriptedModel
from thoughtgraph import create_plan_act_graph
from thoughtgraph.graphs.middleware import GuidanceMiddleware
from thoughtgraph.nodes.plan_act import ResultAnalysis, TaskHandler, analyze_tool_results, generate_guidance
from thoughtgraph.nodes.plan_act.prompts.advice import depth_hint

CUES: dict[str, list[str]] = {
    "data": ["data", "found", "retrieved", "table", "schema", "Results", "获取到", "表结构", "找到"],
    "error": ["error", "Errors", "failed", "exception", "not found", "错误", "失败", "异常", "未找到"],
    "completion": ["complete", "completed", "finished", "DONE", "ready", "完成"],
    "analysis": ["analysis", "summary", "conclusion", "insights", "分析", "总结", "结论"],
}
WEIGHTS = {"data": 0.3, "error": 0.0, "completion": 0.5, "analysis": 0.4}
ONE_CUE = [(kind, cue) for kind, cues in CUES.items() for cue in cues]


ENGLISH = [(kind, cue) for kind, cue in ONE_CUE if cue.isascii()]
CHINESE = [(kind, cue) for kind, cue in ONE_CUE if not cue.isascii()]


@pytest.mark.parametrize(
    ("kind", "cue", "around"),
    [*((kind, cue, "The {} of it.") for kind, cue in ONE_CUE), ("data", "data", "{}"), ("data", "data", "it-{}, so")],
)
def test_a_cue_names_what_a_result_looks_like_in_both_languages(kind: str, cue: str, around: str) -> None:
    assert analyze_tool_results([around.format(cue)]) == ResultAnalysis(
        has_data=kind == "data",
        has_errors=kind == "error",
        suggests_completion=kind == "completion",
        result_types=[kind],
        completeness_score=WEIGHTS[kind],
    )


@pytest.mark.parametrize(("kind", "cue"), CHINESE, ids=[cue for _, cue in CHINESE])
def test_a_chinese_cue_is_found_between_chinese_words(kind: str, cue: str) -> None:
    assert analyze_tool_results([f"这里{cue}了"])["result_types"] == [kind]


@pytest.mark.parametrize(("kind", "cue"), ENGLISH, ids=[cue for _, cue in ENGLISH])
def test_an_english_cue_is_found_between_chinese_words(kind: str, cue: str) -> None:
    assert analyze_tool_results([f"这里{cue}了"])["result_types"] == [kind]


@pytest.mark.parametrize(
    ("results", "types", "score"),
    [
        ([], [], 0.0),
        (["milk", ""], [], 0.0),
        (["Found 3 rows. Done."], ["data", "completion"], 0.8),
        (["Found it.", "Found more."], ["data"], 0.3),
        (["A summary of the table"], ["data", "analysis"], 0.7),
        (["Done: the summary"], ["completion", "analysis"], 0.9),
        (["data, a conclusion, finished"], ["data", "completion", "analysis"], 1.0),
        (["An error.", "数据分析已完成"], ["data", "error", "completion", "analysis"], 1.0),
    ],
    ids=["none", "plain", "two", "twice", "data and analysis", "completion and analysis", "capped", "everything"],
)
def test_kinds_of_several_results_add_up_to_one_at_most(results: list[str], types: list[str], score: float) -> None:
    analysis = analyze_tool_results(results)
    assert (analysis["result_types"], analysis["completeness_score"]) == (types, score)


@pytest.mark.parametrize(
    "result",
    [
        *("no errors", "0 failures", "without any exceptions", "no error", "没有错误"),
        *("no data", "0 results", "no results yet", "没有数据"),
        *("not done", "not yet finished", "isn't ready", "未完成", "尚未完成", "没有完成"),
        *("incomplete", "unfinished", "database", "stable", "already", "abandoned", "terror"),
    ],
)
def test_what_only_looks_like_a_cue_is_none(result: str) -> None:
    assert analyze_tool_results([result])["result_types"] == []


@pytest.mark.parametrize(
    "result",
    [
        *("No results found.", "No data was found", "Nothing found", "no matching records found", "wasn't found"),
        *("0 failed", "has not been completed", "无异常", "暂无数据", "无结果"),
    ],
)
def test_a_denial_reaches_to_the_end_of_its_own_words(result: str) -> None:
    assert analyze_tool_results([result])["result_types"] == []


@pytest.mark.parametrize(
    "result",
    [
        *('{"error": null}', '{"errors": []}', '{"error": ""}', "Errors: 0", "failed=0", "error: none", "错误：无"),
        *('{"data": []}', '{"results": {}}', '{"done": false}', "found: 0", "结果：无，"),
        *("cannot complete", "unable to complete", "无法完成任务", "未能完成", "不能结束"),
    ],
)
def test_a_field_that_is_empty_and_what_cannot_be_done_are_no_cues(result: str) -> None:
    assert analyze_tool_results([result])["result_types"] == []


@pytest.mark.parametrize(
    ("result", "types"),
    [
        ('{"error": "no disk"}', ["error"]),
        ("errors: 10", ["error"]),
        ("Error: none of the hosts answered", ["error"]),
        ("错误：无权限", ["error"]),
        ('{"error": null, "data": [1]}', ["data"]),
        ('{"data": [0]}', ["data"]),
        ('{"done": true}', ["completion"]),
        ("failed: 0, found: 3", ["data"]),
    ],
)
def test_a_field_that_is_not_empty_is_a_cue(result: str, types: list[str]) -> None:
    assert analyze_tool_results([result])["result_types"] == types


@pytest.mark.parametrize("result", ["not found", "file not found", "未找到文件", "找不到文件", "无法找到文件"])
def test_what_was_looked_for_in_vain_is_an_error(result: str) -> None:
    assert analyze_tool_results([result])["result_types"] == ["error"]


@pytest.mark.parametrize("result", ["未找到结果", "没有找到任何数据"])
def test_data_that_was_looked_for_in_vain_is_an_error_and_no_data(result: str) -> None:
    assert analyze_tool_results([result])["result_types"] == ["error"]


@pytest.mark.parametrize(
    ("result", "types"),
    [
        ("No errors. Found 3 rows.", ["data"]),
        ("0 errors, 3 results", ["data"]),
        ("Not done: the table failed", ["data", "error"]),
        ("There is no need to wait: 3 results", ["data"]),
        ("No luck with the cache, but data came", ["data"]),
        ("No luck with the cache but data came", ["data"]),
        ("没有错误，任务已完成", ["completion"]),
    ],
)
def test_a_denial_reaches_no_further_than_its_own_words(result: str, types: list[str]) -> None:
    assert analyze_tool_results([result])["result_types"] == types


@pytest.mark.parametrize("result", ["", "Found it. Done."])
def test_a_call_that_failed_is_an_error_whatever_it_says(result: str) -> None:
    analysis = analyze_tool_results([result], failed=True)
    assert analysis["has_errors"]
    assert "error" in analysis["result_types"]


@given(st.lists(st.text() | st.sampled_from([cue for _, cue in ONE_CUE]), max_size=5), st.booleans())
def test_an_analysis_agrees_with_itself(results: list[str], failed: bool) -> None:
    analysis = analyze_tool_results(results, failed=failed)
    types = analysis["result_types"]
    assert types == [kind for kind in CUES if kind in types]
    assert analysis["has_data"] == ("data" in types)
    assert analysis["has_errors"] == ("error" in types)
    assert analysis["suggests_completion"] == ("completion" in types)
    assert analysis["completeness_score"] == min(1.0, round(sum(WEIGHTS[kind] for kind in types), 2))


@pytest.mark.parametrize("piece", ["no ", "not any ", "n't ", "no x x ", "没有", "没有任何", " "])
def test_a_hostile_result_is_looked_at_without_backtracking(piece: str) -> None:
    assert analyze_tool_results([piece * 100_000 + "done"])["result_types"] in ([], ["completion"])


PLAIN = analyze_tool_results(["milk"])
DATA = analyze_tool_results(["found it"])
DONE = analyze_tool_results(["finished"])
ERROR = analyze_tool_results(["failed"])
BOTH = analyze_tool_results(["finished, but one part failed"])

COMPLETE = {
    "en": "The tool calls are finished. Complete the task from the results above: Buy milk\n\n"
    "Give the final answer, whole and exact.",
    "zh": "工具调用已完成。请基于返回的结果完成任务：Buy milk\n\n请提供完整、准确的最终答案。",
}
ERRORS = {
    "en": "The tool call met a problem. Try again to do the task: Buy milk\n\n"
    "Advice:\n- check the tool's input\n- try another tool or another way\n"
    "- if the problem stays, say what exactly went wrong",
    "zh": "工具执行遇到问题。请重新尝试完成任务：Buy milk\n\n"
    "建议：\n- 检查工具参数是否正确\n- 尝试使用不同的工具或方法\n- 如果问题持续，请说明具体错误",
}
CONTINUE = {
    "en": "Go on with the task: Buy milk\n\n"
    "Progress: 30%\nAdvice: gather more with the tools, or use what the results above say",
    "zh": "继续处理任务：Buy milk\n\n当前进度：30%\n建议：使用更多工具收集信息或分析已获得的结果",
}


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize(
    ("analysis", "depth", "case"),
    [
        *((DATA, 1, CONTINUE), (DATA, 5, CONTINUE), (DATA, 6, COMPLETE), (DATA, 60, COMPLETE)),
        *((DONE, 1, COMPLETE), (ERROR, 1, ERRORS), (ERROR, 5, ERRORS), (ERROR, 6, COMPLETE)),
        *((BOTH, 1, ERRORS), (BOTH, 6, COMPLETE)),
    ],
    ids=[
        *("data", "data at depth 5", "data at depth 6", "data far down"),
        *("done", "error", "error at depth 5", "error at depth 6", "done but for an error", "both at depth 6"),
    ],
)
def test_without_a_handler_one_of_three_cases_speaks(
    analysis: ResultAnalysis, depth: int, case: dict[str, str], language: Any
) -> None:
    assert generate_guidance("Buy milk", analysis, depth, language=language) == case[language]


@pytest.mark.parametrize(("analysis", "progress"), [(PLAIN, "0%"), (DATA, "30%")], ids=["nothing", "data"])
def test_progress_is_the_score_in_per_cent(analysis: ResultAnalysis, progress: str) -> None:
    assert f"Progress: {progress}\n" in generate_guidance("Buy milk", analysis, 1)


class Handler:
    """Knows tasks with one word, and writes down what it was given."""

    def __init__(self, word: str) -> None:
        self.word = word
        self.asked: list[str] = []

    def can_handle(self, task: str) -> bool:
        self.asked.append(task)
        return self.word in task

    def generate_guidance(self, original_task: str, result_analysis: ResultAnalysis, recursion_depth: int) -> str:
        return f"{self.word}: {original_task}, {result_analysis['completeness_score']}, {recursion_depth}"


def test_the_first_handler_that_can_handle_the_task_speaks() -> None:
    sql, milk, buy = Handler("SQL"), Handler("milk"), Handler("Buy")
    assert generate_guidance("Buy milk", DATA, 7, handlers=[sql, milk, buy]) == "milk: Buy milk, 0.3, 7"
    assert (sql.asked, milk.asked, buy.asked) == (["Buy milk"], ["Buy milk"], [])


def test_where_no_handler_can_the_default_speaks() -> None:
    assert generate_guidance("Buy milk", DATA, 1, handlers=[Handler("SQL")]) == CONTINUE["en"]


class Says(Handler):
    def __init__(self, said: Any) -> None:
        super().__init__("milk")
        self.said = said

    def generate_guidance(self, *_: Any) -> Any:
        return self.said


class Waiting(Handler):
    async def generate_guidance(self, *_: Any) -> Any:
        return "x"


def test_a_handler_that_gives_no_text_is_named() -> None:
    assert generate_guidance("Buy milk", DATA, 1, handlers=[Says(None)]) == ""
    with pytest.raises(ValueError, match="what generate_guidance of Says gives has to be a text, got 5"):
        generate_guidance("Buy milk", DATA, 1, handlers=[Says(5)])


@pytest.mark.parametrize(
    ("handler", "said"),
    [
        (Handler, r"`can_handle` of .*Handler.* cannot be called with \(original_task\)"),
        (Waiting("milk"), "`generate_guidance` of .*Waiting.* is async, and nothing would await it"),
    ],
)
def test_a_handler_that_cannot_be_asked_is_refused_when_the_graph_is_built(handler: Any, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        create_plan_act_graph(ScriptedModel(replies=[]), [], interactive=False, task_handlers=[handler])
    with pytest.raises(ValueError, match=said):
        GuidanceMiddleware([handler])


def test_a_handler_is_known_by_its_two_methods() -> None:
    assert isinstance(Handler("milk"), TaskHandler)
    assert not isinstance(object(), TaskHandler)


@pytest.mark.parametrize(("depth", "said"), [(0, False), (3, False), (4, True), (9, True)])
def test_the_model_is_told_how_far_it_is_past_a_depth_of_three(depth: int, said: bool) -> None:
    assert bool(depth_hint(depth, 5, 20)) is said


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_hint_counts_steps_and_what_is_left_of_them(language: Any) -> None:
    hint = depth_hint(4, 15, 20, language=language)
    lines = {
        "en": ["- Depth: 15/20 (75% of maximum)", "- Remaining iterations: 5"],
        "zh": ["- 深度：15/20（已用 75%）", "- 剩余步数：5"],
    }[language]
    assert hint.split("\n")[1:3] == lines
    ending = {"en": "please provide your final answer.", "zh": "请给出最终答案。"}[language]
    assert hint.endswith(ending)


def test_no_less_than_nothing_is_left_past_the_limit() -> None:
    assert "- Remaining iterations: 0\n" in depth_hint(9, 25, 20)
