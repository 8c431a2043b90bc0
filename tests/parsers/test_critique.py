"""The parsers of critiques and reflections: loose in form, strict in what counts as an acceptance."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from support.scripted import ScriptedModel
from thoughtgraph import think_with_retry
from thoughtgraph.nodes.reflection.critique import critique_messages, critique_parser
from thoughtgraph.nodes.reflection.reflect import MEMORY, reflection_messages, reflection_parser, remembered

EXAMPLE_CRITIQUE = "All three rivers flow through France, and three were asked for. Nothing is missing."


def said(verdict: str, score: str = "6", critique: str = "The Danube is no French river.") -> str:
    """A critique in the form that is asked for."""
    return f"[Critique]\n{critique}\n[Score]\n{score}\n[Verdict]\n{verdict}"


def accepted(verdict: str) -> bool | None:
    """What a verdict is read as; None for unreadable."""
    parsed = critique_parser(said(verdict))
    return parsed.get("content", {})["accepted"] if parsed.get("status") == "success" else None


@pytest.mark.parametrize(
    "reply",
    [
        "[Critique]\nBad.\n[Score]\n3\n[Verdict]\nREVISE",
        "[critique]\nBad.\n[score]\n3\n[verdict]\nrevise",
        "**[Critique]**\nBad.\n**[Score]**\n3\n**[Verdict]**\n**REVISE**",
        "Critique: Bad.\nScore: 3\nVerdict: REVISE",
        "**Critique:** Bad.\n**Score:** 3/10\n**Verdict:** Revise.",
        "## Critique\nBad.\n## Score\n3\n## Verdict\nREVISE",
        "1. [Critique] Bad.\n2. [Score] 3\n3. [Verdict] REVISE",
        "【Critique】Bad.\n【Score】3\n【Verdict】REVISE",
        "Critique：Bad.\nScore：3分\nVerdict：REVISE。",
        "```\n[Critique]\nBad.\n[Score]\n3\n[Verdict]\nREVISE\n```",
        "[Verdict]\nREVISE\n[Score]\n3\n[Critique]\nBad.",
        "Let me look at it.\n\n[Critique]\nBad.\n\n[Score]\n3\n\n[Verdict]\nREVISE\n",
        "[Critique]\r\nBad.\r\n[Score]\r\n3\r\n[Verdict]\r\nREVISE\r\n",
    ],
    ids=[
        *("as-asked", "lower-case", "bold", "colons", "bold-colons", "headings", "numbered", "wide-brackets"),
        *("wide-colons", "fenced", "reversed", "preamble", "crlf"),
    ],
)
def test_a_critique_is_read_in_the_forms_that_models_write(reply: str) -> None:
    assert critique_parser(reply) == {
        "status": "success",
        "content": {"accepted": False, "score": 0.3, "feedback": "Bad."},
    }


ACCEPTING = [
    *(
        "ACCEPT - the answer is correct.",
        "ACCEPT, this is right",
        "ACCEPT (it is complete)",
        "ACCEPT - it needs no change",
    ),
    *("ACCEPT", "accept", "Accept.", "**ACCEPT**", "`ACCEPT`", "ACCEPTED", "Approved", "[ACCEPT]", '"ACCEPT"'),
    *("I would accept this", "I accept the answer.", "Verdict: ACCEPT", "✅ ACCEPT", "ACCEPT，没有问题。", "ACCEPT。"),
    *("ACCEPT. No changes needed.", "ACCEPT - nothing is missing", "accept!"),
    *("ACCEPT. With negative numbers it is right, too.", "ACCEPT, no changes needed", "I accept it: this works."),
]
REFUSING = [
    *("REVISE", "revise", "REVISE.", "**REVISE**", "`REVISE`", "Revise!", "REVISE。", "REVISE，请修改。", "❌ REVISE"),
    *(
        "Rejected",
        "reject",
        "Not accepted",
        "NOT ACCEPT",
        "I do not accept this.",
        "I can't accept it",
        "needs revision",
    ),
]
NO_ACCEPTANCE = [
    *("not acceptable", "unacceptable", "I wouldn't accept this.", "I would never accept this.", "won't accept"),
    *(
        "I don’t accept this.",
        "I can’t accept it.",
        "Do **not** accept",
        "NOT **ACCEPT**",
        "not\naccept",
        "not  accept",
    ),
    *(
        "Not approved",
        "disapproved",
        "not yet accepted",
        "unable to accept",
        "I refuse to accept it.",
        "not to be accepted",
    ),
    *("It cannot yet be approved.", "The answer must be revised before I accept it.", "Needs revising; accept then."),
    *("I would accept it once it is mended.", "Accept if the last line is mended", "If it is mended, ACCEPT"),
    *(
        "I dont accept this",
        "wont accept it",
        "refused to accept",
        "fails to be accepted",
        "non-accepted",
        "ACCEPT? No.",
    ),
    *("ACCEPT: no", "ACCEPT = false", "Accepted: False", '{"accept": false}', "❌ ACCEPT", "ACCEPT is impossible"),
    *("ACCEPT with small fixes", "Approved, pending changes", "accept, although it fails for 0", "Accept; fix 0 first"),
    *("I accept it only with another example.", "ACCEPT (needs changes)", "ACCEPT would be wrong"),
]
CONTRADICTORY = [
    *("ACCEPT or REVISE", "ACCEPT/REVISE", "ACCEPT | REVISE", "ACCEPT with minor revisions", "REVISE, then ACCEPT"),
    *("Accept, but revise the last line", "ACCEPT\nREVISE"),
]
SILENT = ["8", "good", "maybe", "…", "yes", "接受", "acceptance", "exception"]


@pytest.mark.parametrize("verdict", ACCEPTING)
def test_a_verdict_that_accepts_is_an_acceptance(verdict: str) -> None:
    assert accepted(verdict) is True


@pytest.mark.parametrize("verdict", REFUSING)
def test_a_verdict_that_sends_back_is_a_rejection(verdict: str) -> None:
    assert accepted(verdict) is False


@pytest.mark.parametrize("verdict", NO_ACCEPTANCE)
def test_a_verdict_that_denies_or_defers_is_never_an_acceptance(verdict: str) -> None:
    assert accepted(verdict) is not True


@pytest.mark.parametrize(
    "verdict",
    ["I don't see a problem, so I accept it.", "I want to accept this.", "The content is right: ACCEPT"],
)
def test_an_acceptance_that_denies_something_else_is_no_rejection(verdict: str) -> None:
    assert accepted(verdict) is not False


@pytest.mark.parametrize("verdict", CONTRADICTORY)
def test_a_verdict_that_says_both_is_refused(verdict: str) -> None:
    assert accepted(verdict) is None


@pytest.mark.parametrize("verdict", SILENT)
def test_a_verdict_that_says_neither_is_refused_and_told_the_words(verdict: str) -> None:
    parsed = critique_parser(said(verdict))
    assert parsed.get("status") == "error"
    assert "ACCEPT or REVISE" in parsed.get("feedback", "")


@pytest.mark.parametrize(
    ("shown", "score"),
    [
        *(("0", 0.0), ("6", 0.6), ("10", 1.0), ("10.0", 1.0), ("7.5", 0.75), ("7,5", 0.75), ("**8**", 0.8)),
        *(("8/10", 0.8), ("8 / 10", 0.8), ("7.5/10", 0.75), ("Score: 8 out of 10", 0.8), ("8 out of 10", 0.8)),
        *(("8 of 10", 0.8), ("8.0/10.0", 0.8), ("8: 4 of 5 rivers", 0.8)),
        *(("8分", 0.8), ("8．", 0.8), ("８", 0.8), ("8/10 - quite good, 2 points off", 0.8)),
    ],
    ids=str,
)
def test_a_score_is_read_in_the_forms_that_models_write(shown: str, score: float) -> None:
    assert critique_parser(said("REVISE", shown)).get("content", {})["score"] == pytest.approx(score)


@pytest.mark.parametrize(
    "shown",
    [
        "ten",
        "N/A",
        "11",
        "85%",
        "100",
        "100/100",
        "1000",
        "-3",
        "?",
        "4/5",
        "−3",
        "4 out of 5",
        "4 stars of 5",
        "4 / 5",
        "4 (of 5)",
    ],
)
def test_a_score_that_is_not_between_0_and_10_is_refused(shown: str) -> None:
    parsed = critique_parser(said("REVISE", shown))
    assert parsed.get("status") == "error"
    assert "[Score] is one number from 0 to 10" in parsed.get("feedback", "")


@pytest.mark.parametrize("shown", ["Out of 10: 7", "On a scale from 0 to 10: 7"])
def test_the_scale_is_not_read_as_the_score(shown: str) -> None:
    parsed = critique_parser(said("REVISE", shown))
    assert parsed.get("status") == "error" or parsed.get("content", {})["score"] == pytest.approx(0.7)


@pytest.mark.parametrize(
    ("reply", "missing"),
    [
        ("", "[Critique]"),
        ("ACCEPT", "[Verdict]"),
        ("[Critique]\nBad.\n[Verdict]\nREVISE", "[Score]"),
        ("[Critique]\n[Score]\n3\n[Verdict]\nREVISE", "[Critique]"),
        ("[Critique]\nBad.\n[Score]\n3", "[Verdict]"),
    ],
    ids=["empty", "bare-verdict", "no-score", "empty-critique", "no-verdict"],
)
def test_what_is_missing_is_named(reply: str, missing: str) -> None:
    parsed = critique_parser(reply)
    assert parsed.get("status") == "error"
    assert missing in parsed.get("feedback", "")


def test_what_was_right_in_a_critique_is_kept_and_only_the_rest_asked_for() -> None:
    replies = ["[Critique]\nBad.\n[Score]\nthree", "[Score]\nfour", "[Score] 3\n[Verdict]\nREVISE"]
    model = ScriptedModel(replies=replies)
    content = think_with_retry(model, "Review it.", critique_parser)
    assert content == {"accepted": False, "score": 0.3, "feedback": "Bad."}
    first, second = (str(request[-1].content) for request in model.requests[1:])
    assert "lacks these section headers: ['[Verdict]']" in first
    assert first.endswith("the rest of your reply is kept.")
    assert second.startswith("Your reply lacks these section headers: ['[Verdict]']")


def test_all_that_is_wrong_is_said_at_once_and_the_critique_kept() -> None:
    refused: Any = critique_parser(said("hm", "three"))
    assert "[Score] is one number" in refused["feedback"] and "[Verdict] is one word" in refused["feedback"]
    assert refused["kept"] == {"[Critique]": "The Danube is no French river."}
    assert critique_parser("[Score]\n3\n[Verdict]\nREVISE", kept=refused["kept"])["status"] == "success"


def test_what_copies_an_example_or_contradicts_the_check_is_not_kept() -> None:
    for reply, failed in ((said("ACCEPT"), True), (said("ACCEPT", critique=EXAMPLE_CRITIQUE), False)):
        assert "kept" not in critique_parser(reply, failed=failed)


def test_the_missing_half_of_a_reflection_is_enough() -> None:
    model = ScriptedModel(replies=["[Mistake]\nI forgot the leap year in May.", "[Next time]\nI look at the year."])
    assert think_with_retry(model, "Why?", reflection_parser) == "I forgot the leap year in May. → I look at the year."


def test_a_critique_may_quote_the_words_of_a_verdict() -> None:
    parsed = critique_parser(said("REVISE", critique="I would ACCEPT it with three rivers; 10 points then."))
    assert parsed.get("content", {})["accepted"] is False
    assert parsed.get("content", {})["score"] == 0.6


@pytest.mark.parametrize("verdict", ACCEPTING)
def test_what_has_failed_its_check_cannot_be_accepted(verdict: str) -> None:
    parsed = critique_parser(said(verdict), failed=True)
    assert parsed.get("status") == "error"
    assert "REVISE" in parsed.get("feedback", "")


@pytest.mark.parametrize("verdict", REFUSING)
def test_what_has_failed_its_check_can_be_explained(verdict: str) -> None:
    assert critique_parser(said(verdict), failed=True).get("content", {})["accepted"] is False


@given(reply=st.text(), failed=st.booleans())
@example(reply=said("ACCEPT", "٣"), failed=False)
@example(reply=said("ACCEPT", "²"), failed=False)
def test_any_text_is_read_or_refused_with_words(reply: str, failed: bool) -> None:
    for parsed in (critique_parser(reply, failed=failed), reflection_parser(reply)):
        assert parsed.get("status") in ("success", "error")
        assert parsed.get("status") == "success" or parsed.get("feedback", "").strip()


WORDS = st.sampled_from(
    [
        "accept",
        "ACCEPT",
        "approved",
        "revise",
        "REVISE",
        "reject",
        "not",
        "never",
        "**not**",
        "don't",
        "won’t",
        "is",
        ".",
    ]
)


@given(words=st.lists(WORDS, min_size=1, max_size=5), score=st.text(max_size=6), failed=st.booleans())
def test_an_acceptance_is_in_the_text_of_the_verdict_and_nothing_there_denies_it(
    words: list[str], score: str, failed: bool
) -> None:
    verdict = " ".join(words)
    for shown in (score, "8"):
        parsed = critique_parser(said(verdict, shown), failed=failed)
        if parsed.get("status") == "success":
            content = parsed.get("content", {})
            assert 0 <= content["score"] <= 1
            if content["accepted"]:
                assert not failed
                assert re.search("accept|approved", verdict, re.IGNORECASE)
                assert not re.search("revise|reject", verdict, re.IGNORECASE)
                assert not re.search(r"(not|never|n't|n’t)\W+(is )?(accept|approved)", verdict, re.IGNORECASE)


@pytest.mark.parametrize(
    "reply",
    [
        "[Mistake]\nI forgot zero.\n[Next time]\nTry zero first.",
        "**Mistake:** I forgot zero.\n**Next time:** Try zero first.",
        "mistake: I forgot zero.\nnext time: Try zero first.",
        "## Mistake\nI forgot\nzero.\n\n## Next Time\nTry  zero first.",
        "【Mistake】I forgot zero.\n【Next time】Try zero first.",
    ],
    ids=["as-asked", "bold", "lower-case", "headings", "wide-brackets"],
)
def test_a_reflection_is_read_on_one_line_in_the_forms_that_models_write(reply: str) -> None:
    assert reflection_parser(reply) == {"status": "success", "content": "I forgot zero. → Try zero first."}


@pytest.mark.parametrize(
    ("reply", "missing"),
    [("I forgot zero.", "[Mistake]"), ("[Mistake]\nI forgot zero.", "[Next time]"), ("", "[Mistake]")],
    ids=["prose", "half", "empty"],
)
def test_a_reflection_without_a_section_names_it(reply: str, missing: str) -> None:
    parsed = reflection_parser(reply)
    assert parsed.get("status") == "error"
    assert missing in parsed.get("feedback", "")


@pytest.mark.parametrize(
    ("messages", "parser"),
    [
        (critique_messages("Task", "", "answer"), critique_parser),
        (reflection_messages("Task", "answer", "wrong"), reflection_parser),
    ],
    ids=["critique", "reflection"],
)
def test_an_example_given_back_word_for_word_says_nothing_of_the_answer(messages: list[Any], parser: Any) -> None:
    examples = [str(message.content) for message in messages if message.type == "ai"]
    assert examples
    for reply in examples:
        parsed = parser(reply)
        assert parsed["status"] == "error"
        assert "earlier" in parsed["feedback"]


def test_a_task_with_braces_is_shown_as_it_is() -> None:
    task = "Write {0} and {x!r} and %s."
    assert task in str(critique_messages(task, "{c}", "{a}", "{f}")[-1].content)
    assert task in str(reflection_messages(task, "{a}", "{f}")[-1].content)


def test_the_latest_reflections_are_numbered_oldest_first() -> None:
    assert MEMORY == 3
    assert remembered(["a", "b", "c", "d"]) == "1. b\n2. c\n3. d"
    assert remembered([]) == ""


def test_part_of_an_example_is_a_copy_too_and_common_words_are_none() -> None:
    tail = "Check the list first, and then find out first whether the year is a leap year."
    copied = reflection_parser(f"[Mistake]\nI forgot the mark.\n[Next time]\n{tail}")
    assert "earlier task" in copied.get("feedback", "")
    own = reflection_parser(
        "[Mistake]\nI forgot the days of the year.\n[Next time]\nFind out first whether it is empty."
    )
    assert own.get("status") == "success"
