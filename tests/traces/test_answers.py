"""How answers differ: from attempt to attempt, and between two runs; as text and as pages."""

from __future__ import annotations

from html import unescape

from hypothesis import given
from hypothesis import strategies as st
from support.page_runs import planned_run
from support.scripted import ScriptedModel, code
from thoughtgraph import ContextGraph, PythonTests, create_reflection_graph
from thoughtgraph.traces.answers import difference_of

WRONG = code("def double(x):\n    y = x\n    return y + 2")
RIGHT = code("def double(x):\n    y = x\n    return 2 * y  # <b>&amp;</b>")
LINES = st.lists(st.sampled_from(["", "a", "b", "  c", "<script>", "\ud800"]), max_size=12)


def solved(*replies: str) -> ContextGraph:
    """A run of the external loop."""
    verifier = PythonTests("assert double(3) == 6")
    graph = create_reflection_graph(actor=ScriptedModel(replies=list(replies)), verifier=verifier)
    return ContextGraph.from_run(graph.invoke({"task": "Write `double(x)`."}))


def shown(html: str) -> str:
    """The page inside of the frame."""
    return unescape(html.partition("srcdoc='")[2])


def test_revisions_show_each_attempt_beside_the_next_with_its_verdict() -> None:
    revisions = solved(WRONG, RIGHT).revisions()
    (difference,) = revisions.differences
    assert difference.names == ("attempt 1 (failed)", "attempt 2 (passed)")
    assert difference.pairs == (
        ("def double(x):", "def double(x):"),
        ("    y = x", "    y = x"),
        ("    return y + 2", "    return 2 * y  # <b>&amp;</b>"),
    )
    assert str(revisions).splitlines()[:2] == ["--- attempt 1 (failed)", "+++ attempt 2 (passed)"]
    assert str(revisions).splitlines()[-2:] == ["-     return y + 2", "+     return 2 * y  # <b>&amp;</b>"]


def test_a_run_with_one_answer_has_no_revisions_and_says_so() -> None:
    revisions = solved(RIGHT).revisions()
    assert revisions.differences == ()
    assert "no two answers" in str(revisions)
    assert "no two answers" in shown(revisions._repr_html_())  # pyright: ignore[reportPrivateUsage]
    assert ContextGraph([]).revisions().differences == ()
    assert ContextGraph(planned_run()).revisions().differences == ()


def test_a_page_of_revisions_holds_the_answers_as_text_alone() -> None:
    page = shown(solved(WRONG, RIGHT).revisions()._repr_html_())  # pyright: ignore[reportPrivateUsage]
    assert '<td class="removed">    return y + 2</td>' in page
    assert '<td class="added">    return 2 * y  # &lt;b&gt;&amp;amp;&lt;/b&gt;</td>' in page
    assert "<b>" not in page


def test_two_runs_stand_beside_each_other_with_their_answers() -> None:
    difference = solved(WRONG, RIGHT).compare(solved(RIGHT))
    assert difference.answers.is_same
    page = shown(difference._repr_html_())  # pyright: ignore[reportPrivateUsage]
    assert ">failed, passed<" in page and "the same" in page
    assert ">this<" in page and ">other<" in page
    other = solved(RIGHT).compare(solved(RIGHT.replace("2 * y", "y + y")))
    assert not other.answers.is_same
    assert str(other.answers).splitlines()[-1].startswith("+     return y + y")


def test_the_answers_of_plan_act_runs_are_their_responses() -> None:
    run = ContextGraph(planned_run())
    difference = run.compare(ContextGraph(run.events[:1]))
    (response,) = {event["data"].get("response") for event in run.events if event["kind"] == "outcome"}
    assert "\n".join(left or "" for left, _ in difference.answers.pairs) == response


@given(LINES, LINES)
def test_the_pairs_hold_both_answers_whole_and_in_order(one: list[str], other: list[str]) -> None:
    difference = difference_of(("one", "other"), "\n".join(one), "\n".join(other))
    left, right = zip(*difference.pairs, strict=True) if difference.pairs else ((), ())
    assert [line for line in left if line is not None] == "\n".join(one).splitlines()
    assert [line for line in right if line is not None] == "\n".join(other).splitlines()
    changed = [line for line in str(difference).splitlines()[2:] if line[:1] in "+-"]
    assert (changed == []) == difference.is_same
    own_script = 1
    assert shown(difference._repr_html_()).count("<script>") == own_script  # pyright: ignore[reportPrivateUsage]


def test_of_a_very_long_answer_the_beginning_is_compared_and_the_rest_counted() -> None:
    difference = difference_of(("one", "other"), "a\nb\n" * 5_000, "b\na\n" * 5_000)
    assert difference.cut == 18_000
    assert str(difference).endswith("18,000 more lines are not compared")
