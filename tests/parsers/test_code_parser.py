"""The code in a reply: which block it is, and whether it parses."""

from __future__ import annotations

import ast
import time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.scripted import ScriptedModel
from thoughtgraph import python_parser, think_with_retry

steady = settings(deadline=None)  # a shared machine is no reason to fail


def block(body: str, tag: str = "python") -> str:
    """A fenced block."""
    return f"```{tag}\n{body}\n```"


def parsed(reply: str, *names: str) -> str:
    """The code of a reply that must hold some."""
    result: Any = python_parser(reply, names)
    assert result["status"] == "success", result
    return result["content"]


def feedback(reply: str, *names: str) -> str:
    """The feedback on a reply without the wanted code."""
    result: Any = python_parser(reply, names)
    assert result["status"] == "error", result
    return result["feedback"]


ADD = "def add(a, b):\n    return a + b"
BETTER = "def add(a, b):\n    return b + a"
USAGE = "print(add(1, 2))"
REPLIES: dict[str, tuple[str, str]] = {
    "one block": (f"Sure:\n\n{block(ADD)}\n\nDone.", ADD),
    "no tag": (block(ADD, ""), ADD),
    "py": (block(ADD, "py"), ADD),
    "upper case": (block(ADD, "Python"), ADD),
    "attributes": (block(ADD, 'python title="add.py"'), ADD),
    "tildes": (f"~~~python\n{ADD}\n~~~", ADD),
    "usage behind": (f"{block(ADD)}\n\nUse it:\n\n{block(USAGE)}", ADD),
    "result named like it": (f"{block(ADD)}\n\n{block('add = add(1, 2)')}", ADD),
    "second thought": (f"{block(ADD)}\n\nBetter:\n\n{block(BETTER)}", BETTER),
    "broken second thought": (f"{block(ADD)}\n\n{block('def add(a, b):')}", ADD),
    "other languages": (f"{block('pip install add', 'bash')}\n{block(ADD)}\n{block('{}', 'json')}", ADD),
    "never closed": (f"```python\n{ADD}", ADD),
    "indented in a list": ("1. So:\n   ```python\n   def add(a, b):\n       return a + b\n   ```", ADD),
    "bare code": (ADD, ADD),
    "windows": (block(ADD).replace("\n", "\r\n"), ADD),
    "carriage returns alone": (f"Here:\n\n{block(ADD)}\nDone.".replace("\n", "\r"), ADD),
    "lambda": (block("add = lambda a, b: a + b"), "add = lambda a, b: a + b"),
    "alias": (block("from operator import add"), "from operator import add"),
    "prose before": (f"Sure, here it is:\n\n{ADD}", ADD),
    "prose around": (f"Sure, here it is:\n{ADD}\n\nIt adds two numbers: simple.\nDone", ADD),
    "prose and usage": (f"Here: all of it.\n\nLIMIT = 3\n{ADD}\n\n{USAGE}\n\nOK?", f"LIMIT = 3\n{ADD}\n\n{USAGE}"),
    "brackets to the last line": (f"So:\n{ADD}\n\nX = [\n    1,\n]\nDone.", f"{ADD}\n\nX = [\n    1,\n]"),
    "only the closing fence": (f"So:\n{ADD}\n```", ADD),
    "reasoning": (f"<think>\n{block(BETTER)}\n</think>\n\n{block(ADD)}", ADD),
    "reasoning, bare": (f"<think>So.</think>\n{ADD}", ADD),
    "reasoning without its opening tag": (f"{block(BETTER)}\n</think>\n{block(ADD)}", ADD),
    "async": (block("async def add(a, b):\n    return a + b"), "async def add(a, b):\n    return a + b"),
}


@pytest.mark.parametrize(("reply", "wanted"), REPLIES.values(), ids=REPLIES)
def test_the_block_that_defines_the_name_is_taken(reply: str, wanted: str) -> None:
    assert parsed(reply, "add").strip() == wanted


TIMES = "def times(n):\n    return a * n"
AROUND = {
    "a pair above": f"a, b = 1, 2\n{TIMES}",
    "several lines above": f"a, b = (\n    1,\n    2,\n)\n\n{TIMES}",
    "an item above": f"table = {{}}\ntable['a'] = 1\n{TIMES}",
    "a call above": f"setup(1)  # once\n{TIMES}",
    "a call with a comment below": f"a = {{}}\n{TIMES}\n\na.update({{1: 2}})  # seed",
    "a pair below": f"{TIMES}\n\na, b = 1, 2",
    "several lines below": f"{TIMES}\n\na, b = (\n1,\n2,\n)\n\nprint(a)  # 1",
}


@pytest.mark.parametrize("code", AROUND.values(), ids=AROUND)
def test_code_without_a_block_is_taken_with_each_of_its_statements(code: str) -> None:
    assert parsed(f"Here is it:\n\n{code}\n\nHope it helps.\nDone", "times") == code


LEFT = ["a, b = 1, 2", "times(3)  # nine", "table[1] = 2", "a.b(1)", "x += 1", "a, b = (", "Here and f(1)"]


@pytest.mark.parametrize("line", LEFT)
@pytest.mark.parametrize(
    "form", ["{}\n\nThat was it!\n\n{}", "So:\n\n{1}\n\nThat was it!\n\n{0}"], ids=["above", "below"]
)
def test_code_without_a_block_is_refused_if_prose_parts_it_from_a_statement(form: str, line: str) -> None:
    assert "no code" in feedback(form.replace("{}", "{0}", 1).replace("{}", "{1}").format(line, TIMES), "times")


@pytest.mark.parametrize("prose", ["Done", "Here is it", "Note: mine", "Thanks (really)", "It is 1 + 1.", "x"])
def test_prose_that_happens_to_parse_is_no_part_of_the_code(prose: str) -> None:
    assert parsed(f"{prose}\n\n{TIMES}\n\n{prose}", "times") in (TIMES, f"{prose}\n\n{TIMES}\n\n{prose}")
    assert parsed(f"Well, yes.\n{prose}\n\n{TIMES}\n\n{prose}", "times") == TIMES


def test_code_far_behind_prose_is_missed_too() -> None:
    words = "These are words.\n" * 100
    assert "no code" in feedback(f"So:\n{TIMES}\n{words}a[1] = 2", "times")
    assert "no code" in feedback(f"a[1] = 2\n{words}{TIMES}", "times")


def test_a_fence_in_a_docstring_does_not_end_the_block() -> None:
    body = 'def add(a, b):\n    """Add.\n\n    ```\n    add(1, 2)\n    ```\n    """\n    return a + b'
    assert parsed(f"Here:\n{block(body)}\nDone.", "add") == body


def test_helpers_of_other_blocks_come_along_and_demos_do_not() -> None:
    helper, imports = "def twice(x):\n    return ops.mul(2, x)", "import operator as ops"
    main = "def four_times(x):\n    return twice(twice(x))"
    reply = "\n\n".join(map(block, [imports, helper, "def unused(): pass", main, "print(four_times(2))"]))
    code = parsed(reply, "four_times")
    assert code == "\n\n".join([imports, helper, main])
    scope: dict[str, Any] = {}
    exec(compile(code, "reply", "exec"), scope)  # noqa: S102 - the test's own code
    assert scope["four_times"](3) == 12


def test_an_earlier_version_of_the_solution_is_no_helper() -> None:
    assert parsed("\n".join(map(block, [ADD, BETTER])), "add") == BETTER


def test_names_that_stand_in_separate_blocks_are_put_together() -> None:
    code = parsed(f"{block('class A: pass')}\nand\n{block('class B: pass')}", "A", "B")
    assert {node.name for node in ast.parse(code).body if isinstance(node, ast.ClassDef)} == {"A", "B"}


def test_without_names_the_last_block_that_parses_is_taken() -> None:
    assert parsed(f"{block('x = 1')}\n{block('y = 2')}\n{block('z = ')}") == "y = 2"


COMPLAINTS: dict[str, tuple[str, list[str]]] = {
    "empty": ("", ["no code", "```python"]),
    "prose": ("I would add the two numbers.", ["no code"]),
    "other language": (block("int add() {}", "c"), ["no code"]),
    "code of another language": ("So:\n" + block("add = 1", "js"), ["no code"]),
    "reasoning that never ends": (f"<think>\n{block(ADD)}", ["no code"]),
    "prose between": (f"First:\nx = 1\nand then\n{ADD}", ["no code"]),
    "code behind a mistake": (f"So:\n{ADD}\nx = (\ny = 1\n", ["no code"]),
    "a statement of another kind behind it": (f"So:\n{ADD}\nNote.\nassert add(1, 2) == 3", ["no code"]),
    "does not parse": (block("def add(a, b):\n    return a +"), ["line 2", "return a +"]),
    "broken indentation": (block("def add(a, b):\nreturn a"), ["line 2"]),
    "broken indentation, without a block": ("def add(a, b):\nreturn a + b", ["expected an indented block", "line 2"]),
    "the same below a sentence": ("Here it is:\n\ndef add(a, b):\nreturn a + b\n", ["expected an indented block"]),
    "a colon of another script": ("def add(a, b)\uff1a\n    return a + b", ["U+FF1A", "line 1"]),
    "brackets of another script": ("def add\uff08a, b\uff09:\n    return a + b", ["U+FF08", "line 1"]),
    "a class that has lost its indentation": ("class A:\ndef add(self): pass", ["expected an indented block"]),
    "a sentence with a class": ("The class of 2020:\nadd it up, and define it below:\nthat is all.", ["no code"]),
    "another name": (block("def plus(a, b):\n    return a + b"), ["`add`", "define"]),
    "method": (block("class A:\n    def add(self): pass"), ["`add`"]),
    "NUL": (block("x = '\x00'"), ["parse: source code string cannot contain null bytes. Write"]),
}


@pytest.mark.parametrize(("reply", "said"), COMPLAINTS.values(), ids=COMPLAINTS)
def test_the_feedback_says_what_is_wrong(reply: str, said: list[str]) -> None:
    complaint = feedback(reply, "add")
    assert [part for part in said if part not in complaint] == []


def test_the_feedback_names_every_missing_name() -> None:
    complaint = feedback(block("def one(): pass"), "one", "two", "three")
    assert "`two`" in complaint and "`three`" in complaint and "`one`" not in complaint


def test_the_feedback_on_an_endless_line_stays_small() -> None:
    assert len(feedback(block("x = " + "(" * 9_000), "x")) < 500


def test_the_model_is_told_the_line_and_answers_again() -> None:
    model = ScriptedModel(replies=[block("def add(a, b):\n    return a +"), block(ADD)])
    assert think_with_retry(model, "Write add.", python_parser, names=["add"]) == ADD
    assert "line 2" in str(model.requests[1][-1].content)


statements = st.sampled_from([ADD, "x = 1", "import re", "class A:\n    pass", "for i in []:\n    pass", "", "# note"])
bodies = st.lists(statements, min_size=1, max_size=5).map("\n".join).filter(lambda body: bool(body.strip()))


@steady
@given(body=bodies, tag=st.sampled_from(["python", "py", "python3", ""]), words=st.sampled_from(["", "Sure!\n\n"]))
def test_code_is_returned_to_the_letter_and_read_again_the_same(body: str, tag: str, words: str) -> None:
    code = parsed(words + block(body, tag))
    assert code == body
    assert parsed(block(code)) == code


MARKS = ["```", "```python\n", "\n```\n", "~~~", "def add(a, b):", "\n    return a", "x = ", "'''", '"""', "\\", "\x00"]
noise = st.one_of(st.text(), st.lists(st.one_of(st.sampled_from(MARKS), st.text(max_size=2))).map("".join))


@settings(steady, max_examples=300)
@given(reply=noise, names=st.sampled_from([(), ("add",), ("add", "x")]))
@pytest.mark.filterwarnings("ignore::SyntaxWarning")
def test_any_text_is_answered_within_the_contract(reply: str, names: tuple[str, ...]) -> None:
    result: Any = python_parser(reply, names)
    if result["status"] == "error":
        assert result["feedback"].strip()
    else:
        ast.parse(result["content"])


def test_code_that_python_warns_about_is_still_code() -> None:
    """`"\\d"` warns when it is parsed, and a user's process may turn warnings into errors."""
    assert parsed(block('def add(a, b):\n    return "\\d"'), "add")


HOSTILE = {
    "brackets": block("x = " + "(" * 40_000),
    "nested lists": block("x = " + "[" * 20_000 + "]" * 20_000),
    "minus": block("x = " + "-" * 40_000 + "1"),
    "long": block("x = 1\n" * 33_000),
    "blocks": block("def add(a, b): pass") * 6_000,
    "chained helpers": "\n".join(block(f"def f{n}(): f{n + 1}()") for n in range(5_000)),
    "fences": "```\n" * 50_000,
    "broken blocks": "```python\ndef f(:\n```\n" * 8_000,
    "bare": "x = 1\n" * 33_000,
    "bare in prose": "So:\n" + "x = 1\nb c\n" * 4_000,
    "one line of calls": "So:\n" + "a.b(" * 10_000,
    "closing fences": "```python\n(\n" + "```\n" * 40_000,
}


@pytest.mark.parametrize("reply", HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_reply_is_read_to_its_end(reply: str) -> None:
    assert python_parser(reply, ["add"]).get("status") in ("success", "error")


@pytest.mark.parametrize("character", ["x", "`", "~", ">", " ", "#", '"', "."])
def test_four_times_as_long_a_line_takes_no_more_than_eight_times_as_long(character: str) -> None:
    code = "def add(a, b):\n    return a + b\n#"

    def seconds(size: int) -> float:
        reply = f"Use solution.py:\n\n{block(code + character * size)}\n\nThat is it."
        started = time.process_time()
        assert python_parser(reply, ["add"])["status"] == "success"
        return time.process_time() - started

    # Quadratic, it would be sixteen times; what takes a moment may take two.
    assert min(seconds(44_000) for _ in range(3)) < 8 * min(seconds(11_000) for _ in range(3)) + 0.1


FULL = "def f(x):\n    return 2 * x"


@pytest.mark.parametrize(
    "stub",
    [
        "def f(x): ...",
        "def f(x: int) -> int:\n    pass",
        'def f(x):\n    """Double it."""',
        "def f(x):\n    raise NotImplementedError",
    ],
)
@pytest.mark.parametrize("first", [True, False])
def test_a_signature_alone_does_not_replace_the_code(stub: str, first: bool) -> None:
    blocks = [FULL, stub] if first else [stub, FULL]
    reply = "\n".join(f"```python\n{block}\n```\nSo it is." for block in blocks)
    assert python_parser(reply, ["f"]).get("content") == FULL
    # Where there is nothing else, it is the code.
    assert python_parser(f"```python\n{stub}\n```", ["f"]).get("content") == stub


@pytest.mark.parametrize("code", ["def f(x)\n    return 2 * x", "def f(x):\n    return 2 * * x", "class A(\n    x = 1"])
def test_bare_code_that_does_not_parse_is_told_so(code: str) -> None:
    feedback = python_parser(f"Here it is:\n\n{code}\n", ["f"]).get("feedback", "")
    assert "does not parse: " in feedback
    assert code.split("\n")[0] in feedback or "* *" in feedback


@pytest.mark.parametrize(
    "final",
    [
        "from typing import overload\n@overload\ndef f(x: int) -> int: ...\ndef f(x): return 2 * x",
        'def f(x):\n    """Double."""\ndef f(x): return 2 * x',
        "try:\n    from m import f\nexcept ImportError:\n    def f(x): pass",
    ],
)
def test_a_signature_beside_the_code_hides_nothing(final: str) -> None:
    reply = f"```python\ndef f(x): return 0\n```\nBetter:\n```python\n{final}\n```"
    assert python_parser(reply, ["f"]).get("content") == final


@pytest.mark.parametrize(
    "words", ["class Foo(Bar) inherits:\n  - a\n  - b", "def f(x) is a function that\n    doubles its argument"]
)
def test_prose_about_a_definition_is_no_code(words: str) -> None:
    assert "There is no code" in python_parser(words, ["f"]).get("feedback", "")


def test_what_a_block_imports_from_another_one_is_put_before_it() -> None:
    models = "class Circle:\n    def __init__(self, r): self.r = r"
    main = "from math import pi\nfrom models import Circle\ndef area(r): return pi * Circle(r).r ** 2"
    found = python_parser(f"models.py:\n```python\n{models}\n```\nmain.py:\n```python\n{main}\n```", ["area"])
    assert found.get("content", "").startswith(models)
    assert "models" not in found.get("content", "")
    assert "from math import pi" in found.get("content", "")


@pytest.mark.parametrize(
    "label",
    [
        "### Original code", "**Before:**", "The old `add` was:", "Don't do this:", "A common mistake is:",
        "A naive version would be:", "My previous answer was:", "**This would fail:**", "This doesn't work:",
        "Original (wrong) version, for reference:", "Previous version", "Incorrect version (for comparison):",
        "❌ Don't:", "Before, it was:", "Instead of:", "**Avoid this:**",
        "错误示例：", "原代码：", "### 修改前", "旧的 `add` 函数：", "**不要这样写：**", "你原来的代码是：",
        "Bad (do not use this):", "Wrong (don't write it like this):", "Don't use this:", "错误示例（不要这样写）：",
        "For comparison, without re.sub:", "**For comparison:**",
        "The original version was this:", "Previously it was:",
        "Here's what the original code looked like:", "It used to be:",
        "Counter-example:", "An invalid solution would be:",
        "For comparison, here is the recursive version:", "An example of what not to do:",
        "A naive, slower version would be:", "Do not write:", "Common mistakes:", "The following would be incorrect:",
        "Rather than:", "Not like this:", "Compare this with the original:",
    ],
)  # fmt: skip
def test_a_block_that_is_labelled_as_no_answer_is_none(label: str) -> None:
    wrong = "def add(a, b):\n    return a - b"
    for reply in (
        f"Fixed:\n\n{block(ADD)}\n\n{label}\n\n{block(wrong)}",
        f"{label}\n{block(wrong)}\nFixed:\n{block(ADD)}",
        f"{block(ADD)}\n{block(f'# {label}{chr(10)}{wrong}')}",
    ):
        assert parsed(reply, "add").strip() == ADD


@pytest.mark.parametrize(
    "words",
    [
        "That was naive:", "This does not work.", "This fails for 0, so write:",
        "My previous answer was wrong:", "The old code fails. Now:", "Before you call it, define it:", "Original code?",
        "The old code was wrong, so:", "原代码有误，应改为：", "错误处理：", "修正错误后的代码：", "原代码？",
        "Before, it was slow. Now:", "Avoid recursion:", "Don't worry:", "Instead of a loop:",
        "My previous (corrected) version:", "Original (fixed):", "An original implementation:", "原代码（已修正）：",
        "Don't use it without this:", "In comparison with yours, this is right:",
        "For comparison, the corrected version:",
        "Previously it was slow:", "Invalid input is refused now:",
        "Rather than a loop:", "Not only that:", "Compare the results:", "Naive, but right:", "Common cases:",
    ],
)  # fmt: skip
def test_words_about_earlier_code_are_no_label_of_it(words: str) -> None:
    wrong = "def add(a, b):\n    return a - b"
    assert parsed(f"{block(wrong)}\n{words}\n{block(ADD)}", "add").strip() == ADD


def test_a_labelled_block_is_taken_where_no_other_has_the_names() -> None:
    assert parsed(f"Original code:\n{block(ADD)}\nUse it:\n{block(USAGE)}", "add").strip() == ADD


@pytest.mark.parametrize("label", ["Broken down:", "Bad news:", "An original solution:"])
def test_words_like_a_label_put_nothing_aside(label: str) -> None:
    wrong = "def add(a, b):\n    return a - b"
    assert parsed(f"Draft:\n{block(wrong)}\n{label}\n{block(ADD)}", "add").strip() == ADD


def test_a_labelled_block_that_others_need_stays() -> None:
    total = "def total(items):\n    return add(items[0], items[1])"
    assert parsed(f"Your original code:\n{block(ADD)}\nAdd this:\n{block(total)}", "total").startswith(ADD)
    assert ADD in parsed(f"Original code:\n{block(ADD)}\nUse it:\n{block(USAGE)}")
