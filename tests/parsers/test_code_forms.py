"""Code that is written down in another form than a Python block, and what stands beside it."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from thoughtgraph import PythonTests, json_parser, multi_section_parser, python_parser
from thoughtgraph.parsers.wrapping import plain_lines

pytestmark = pytest.mark.slow

F = "```"
CODE = "def f(x):\n    return 2 * x"
BLOCK = f"{F}python\n{CODE}\n{F}"
FORMS = {
    "markdown": f"{F}markdown\nHere:\n{BLOCK}\nDone.\n{F}",
    "markdown of four": f"````markdown\nHere:\n{BLOCK}\nDone.\n````",
    "markdown of tildes": f"~~~md\n{BLOCK}\n~~~",
    **{tag: f"{F}{tag}\n{CODE}\n{F}" for tag in ("solution.py", "src/main.py", "code", "text", "tool_code", "cpython")},
    "an indented block": "**Code**\n\n    def f(x):\n        return 2 * x\n\nDone.",
    "html": "So: <pre><code>def f(x):\n    return 2 * x if x &lt; 9 else 0</code></pre>",
    "backticks": "`def f(x): return 2 * x`",
    "a quote": "> def f(x):\n>     return 2 * x",
    "a quoted block": "\n".join(f"> {line}" for line in BLOCK.splitlines()),
    "a quoted block below a line": "Answer:\n\n" + "\n".join(f"> {line}" for line in BLOCK.splitlines()),
    "a quote in a quote": "Answer:\n\n" + "\n".join(f"> > {line}" for line in BLOCK.splitlines()) + "\nDone.",
    "a quote below a line": "Answer:\n> def f(x):\n>     return 2 * x\n",
    **{f"four of {tag!r}": f"Sure:\n````{tag}\n{BLOCK}\n````\nBye." for tag in ("", "python", "text", "md")},
    "four around prose": f"````\nHere it is:\n\n{BLOCK}\nDone.\n````",
    "tildes": f"~~~\n{BLOCK}\n~~~",
    "text behind the closing fence": f"{BLOCK} That's it.",
    "text close behind it": f"{BLOCK}That is all.\n\nGoodbye.",
    "text behind two": f"{F}python\nimport os\n{F} Then:\n\n{BLOCK} That's it.",
    "a token behind it": f"{BLOCK}<|im_end|>",
    "opened twice": f"{F}python\n{F}python\n{CODE}\n{F}",
    "closed on its last line": f"{F}python\n{CODE}{F}",
    "not closed before the next": f"{F}python\ndef f(x):\n    return x\n\nNo, that is wrong. Corrected:\n\n{BLOCK}",
    "not closed before its use": f"{F}python\n{CODE}\n\nThis function doubles.\n\n{F}python\nprint(f(2))\n{F}",
    "never closed": f"{F}python\n{CODE}\n\nThis function doubles the number given.",
    "indented as a whole": f"{F}python\n    def f(x):\n        return 2 * x\n{F}",
    "a prompt": f"{F}python\n>>> def f(x):\n...     return 2 * x\n...\n>>> f(2)\n4\n{F}",
    **{
        f"a session in {tag}": f"{F}{tag}\n>>> def f(x):\n...     return 2 * x\n...\n>>> f(2)\n4\n{F}"
        for tag in ("pycon", "python-console", "pyconsole", "")
    },
    "a session without a block": "So:\n\n>>> def f(x):\n...     return 2 * x\n...\n>>> f(2)\n4",
    "a session beside the code": f"{BLOCK}\n{F}pycon\n>>> f = f(2)\n>>> f\n4\n{F}",
    "lines for a notebook": f"{F}python\n%matplotlib inline\n!pip install numpy\n{CODE}\n%timeit f(2)\n{F}",
    **{
        f"lines with numbers, as {first!r}": f"{F}python\n{first} def f(x):\n{second}     return 2 * x\n{third}\n{F}"
        for first, second, third in (
            ("1", "2", "3"),
            (" 9 |", "10 |", "11 |"),
            ("1:", "2:", "3:"),
            ("1.", "3.", ""),
            ("1 ", "2 ", ""),
        )
    },
    "a cell that is timed": f"{F}python\n%%time\n{CODE}\n{F}",
    "a token behind bare code": f"{CODE}<|im_end|>",
    "a token below bare code": f"{CODE}\n<|eot_id|>\n",
    "a session of IPython": (
        f"{F}ipython\nIn [1]: def f(x):\n   ...:     return 2 * x\n   ...: \n\nIn [2]: f(2)\nOut[2]: 4\n{F}"
    ),
    "a cell with its number": f"{F}python\nIn [1]:\n{CODE}\n{F}\nOut[1]: 4",
    "html in a block": f"{F}python\ndef f(x: int) -&gt; int:\n    return 2 * x if x &lt; 9 else &quot;&quot;\n{F}",
    "json": json.dumps({"language": "python", "code": CODE, "notes": "It doubles x."}),
    "a block of json": f"Here:\n{F}json\n{json.dumps({'name': 'submit', 'arguments': {'code': CODE}}, indent=2)}\n{F}",
    "a block in json": json.dumps([{"answer": f"So:\n{BLOCK}\nThat is all."}]),
    "a block behind words": f"Here it is: {BLOCK}\nThat is all.",
    "a block close behind words": f"The function `f` is **this**:{BLOCK}\n\nThat is all.",
    "a block in a list": f"1. {F}python\n   def f(x):\n       return 2 * x\n   {F}\n2. That is all.",
    "a later block behind words": f"{F}python\ndef f(x): return x\n{F}\nNo. It is this: {BLOCK}\nThat is all.",
    "spaces that do not break": f"{F}python\n\ufeffdef f(x):\n\u00a0\u00a0\u00a0 return 2 * x\n{F}",
}


@pytest.mark.parametrize("reply", FORMS.values(), ids=FORMS.keys())
def test_code_is_found_in_whatever_form(reply: str) -> None:
    assert PythonTests("assert f(2) == 4")("t", reply).status == "passed"


@pytest.mark.parametrize("printed", ["4", "True", "None", "[1, 2]", "{'a': 1}", "Hello", "4\n8", "f(2) = 4"])
@pytest.mark.parametrize("tag", ["", "text"])
def test_what_the_code_prints_is_not_the_code(printed: str, tag: str) -> None:
    assert python_parser(f"{BLOCK}\nOutput:\n{F}{tag}\n{printed}\n{F}")["content"] == CODE


def test_a_program_without_a_block_is_one_call() -> None:
    assert python_parser("print(int(input()) + int(input()))")["content"] == "print(int(input()) + int(input()))"


@pytest.mark.parametrize(
    "reply",
    [
        '{"code": "doubles", "a": [1, null]}',
        "I would double it.",
        f"{F}json\n{{}}\n{F}",
        f"{F}bash\nf=2\n{F}",
        "Call `f(2)`.",
        "<code>f(2)</code>",
    ],
)
def test_what_is_no_code_stays_none(reply: str) -> None:
    assert python_parser(reply)["status"] == "error"


def test_no_code_is_cut_off_with_a_sentence() -> None:
    found = python_parser(f"{F}python\n{CODE}\n\nThis is not a comment here\ng = f\n{F}")
    assert "line 4: `This is not a comment here`" in found["feedback"]
    assert python_parser(f"{F}python\n{CODE}\nreturn 2 *\n{F}")["status"] == "error"


def test_numbers_that_do_not_rise_are_no_numbers_of_lines() -> None:
    found = python_parser(f"{F}python\n1 def f(x):\n1     return x\n{F}")
    assert "line 1: `1 def f(x):`" in found["feedback"]


@pytest.mark.parametrize("data", ["1 0\n2 0", "1: a\n2: b", "1 apple\n2 pear", "1. 2.5\n2. 3.5"])
def test_numbered_data_are_no_code(data: str) -> None:
    assert python_parser(f"{F}\n{data}\n{F}")["status"] == "error"


@pytest.mark.parametrize("diff", ["*** Begin Patch", f"{'<' * 7} SEARCH", "@@ -1 +1 @@"])
def test_a_diff_in_a_text_of_the_code_makes_no_diff_of_the_reply(diff: str) -> None:
    code = f'PATCH = """\n{diff}\n"""\ndef g(x):\n    return PATCH'
    assert "has to define `f`" in python_parser(f"{F}python\n{code}\n{F}", ["f"])["feedback"]


def test_numbered_calls_are_code() -> None:
    assert python_parser(f"{F}\n1 print('a')\n2 print('b')\n{F}").get("content") == "print('a')\nprint('b')"


@pytest.mark.parametrize("code", ["def f(x):\n    return (x\n%abs(3))", "def f(x):\n    return '''\n!no\n%no'''"])
def test_a_line_that_belongs_to_the_code_is_none_for_a_notebook(code: str) -> None:
    assert python_parser(f"{F}python\n{code}\n{F}", ["f"]).get("content") == code
    assert "line 1" in python_parser(f"{F}python\ndef f(x)\n    return x\n%time f(1)\n{F}", ["f"])["feedback"]
    constant = f"{F}python\ndef f(x): return x + OFFSET\n\nThe offset below is needed here\nOFFSET = 3\n{F}"
    assert python_parser(constant)["status"] == "error"


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        # The mistake is in the code, not in what shows how it is used, or in its docstring.
        (f"{F}python\ndef f(x) return 2 * x\n{F}\n{F}pycon\n>>> y = 1\n{F}", "line 1: `def f(x) return"),
        (f'````python\ndef f(x) return 2\n"""\n{F}python\ny = 1\n{F}\n"""\n````', "line 1: `def f(x) return"),
        (f"{F}python\ndef f(x) return 2 * x\n{F} That's it.", "line 1: `def f(x) return"),
        (f"{F}python\ndef f(x):\n    return (2\n{F}python\ny = 1\n{F}", "line 2"),
        ('def f(x)\n    return {"a": "print(1)"}', "line 1: `def f(x)`"),
        ("I was told:\n> Write a function.\nI cannot.", "There is no code"),
    ],
)
def test_a_mistake_is_told_where_it_is(reply: str, said: str) -> None:
    assert said in python_parser(reply).get("feedback", "")


def test_a_fence_in_a_text_of_the_code_does_not_end_it() -> None:
    code = f'def f(x):\n    """So:\n\n{F} f(2) {F}\n\n{F} is 4\n    """\n    return 2 * x'
    assert python_parser(f"````python\n{code}\n````", ["f"]).get("content") == code
    manual = f"````md\n# Manual\n\n{F}python\ndef f(x): pass\n{F}\n````"
    assert python_parser(f"{BLOCK}\n{manual}", ["f"]).get("content") == CODE


@pytest.mark.parametrize("thought", ["<think>or {0}</think>", "<thinking>\n{0}\n</thinking>\n"])
def test_later_thoughts_are_no_part_of_an_answer(thought: str) -> None:
    draft = f"{F}python\ndef f(x): return x\n{F}"
    assert PythonTests("assert f(2) == 4")("t", f"{BLOCK}\n{thought.format(draft)}").status == "passed"
    assert json_parser('{"a": 1}\n' + thought.replace("{0}", '{{"a": 2}}').format())["content"] == {"a": 1}
    found = multi_section_parser("[Answer]\n42\n" + thought.format("[Answer]\n41"), ["[Answer]"])
    assert found["content"] == {"[Answer]": "42"}


@pytest.mark.parametrize(
    "reply",
    [
        "Write `<think>` first.",
        f"{F}xml\n<think>a</think>\n{F}",
        "a <think>b</think>",
        "It begins with:\n<think>\nand goes on.",
        'PROMPT = """\n<think>\n{t}\n</think>\nAnswer"""',
    ],
)
def test_a_tag_in_a_line_in_a_block_or_in_a_text_is_the_answers(reply: str) -> None:
    assert plain_lines(reply) == reply


def test_a_line_of_a_value_is_the_values() -> None:
    assert json_parser('{"a": "x\n<think>\r\ny"}')["content"] == {"a": "x\n<think>\r\ny"}


OTHERS = {
    "an indented method": f"{F}python\n    def f(self, x):\n        return None\n{F}",
    "a piece": f"{F}python\n    if x:\n        return 2\n{F}",
    "a prompt": f"{F}python\n>>> def f(x): return None\n{F}",
    "what it prints": f"{F}text\ntotal = 15\n{F}",
    "a test": f"{F}text\nassert f(2) == 4\n{F}",
}


@pytest.mark.parametrize("other", OTHERS.values(), ids=OTHERS.keys())
@pytest.mark.parametrize("names", [("f",), ()])
def test_a_block_that_has_to_be_mended_does_not_compete_with_the_code(other: str, names: tuple[str, ...]) -> None:
    assert python_parser(f"{BLOCK}\nThen:\n{other}", names)["content"] == CODE


def test_bare_code_keeps_its_first_line() -> None:
    reply = "Here is the code.\n\ndef f(x):  # doubles\n    y = 2 * x\n    return y\n"
    assert python_parser(reply)["content"].startswith("def f(x):  # doubles")


@given(st.text(alphabet="<think>/`~\n a", max_size=60))
def test_thoughts_are_taken_out_of_any_text(text: str) -> None:
    kept = plain_lines(text)
    assert plain_lines(kept) == kept or "<think" in text
    assert set(kept) <= set(text)


HOSTILE = {
    "thoughts": "x\n" + "<think>\n" * 60_000,
    "closed thoughts": "x\n" + "<think>a</think>\n" * 30_000,
    "quotes": '"""\n<think>\n' * 30_000,
    "html": "<code>" * 8_000 + "</code>",
    "sentences": f"{F}python\nx = (" + "\n\nThis is a text\n" * 2_500 + "\ny",
    "broken blocks": (f"{F}\n" + "x = 1 +\n" * 700 + f"{F}\n") * 8,
    "printed": (f"{F}text\n" + "x = 1 +\n" * 6_000 + f"{F}\n") * 30,
}


@pytest.mark.parametrize("reply", HOSTILE.values(), ids=HOSTILE.keys())
def test_hostile_replies_are_read_to_their_end(reply: str) -> None:
    assert python_parser(reply, ["f"])["status"] == "error"
    assert multi_section_parser(reply, ["[Plan]"])["status"] == "error"


def test_what_is_printed_does_not_make_the_code_too_long() -> None:
    printed = f"{F}text\n" + "x = 1\n" * 20_000 + F
    assert python_parser(f"{BLOCK}\n{printed}", ["f"])["content"] == CODE


def test_json_in_a_quote_is_read() -> None:
    assert json_parser('> {\n>   "a": 1\n> }')["content"] == {"a": 1}


def test_a_fence_in_a_docstring_does_not_cut_code_that_another_block_follows() -> None:
    code = f'def f(x):\n    """So:\n\n    {F}python\n    f(2)\n    {F}\n    """\n    return 2 * x'
    for tag in ("python", ""):
        reply = f"{F}{tag}\n{code}\n{F}\n\nUsage:\n\n{F}python\nassert f(2) == 4\n{F}"
        assert python_parser(reply, ["f"]).get("content") == code


HUNK = "@@ -1,2 +1,2 @@\n def f(x):\n-    return 3 * x\n+    return 2 * x"
DIFF = f"--- a/solution.py\n+++ b/solution.py\n{HUNK}"
DIFFS = {
    "a patch": "*** Begin Patch\n*** Update File: f.py\n-def f(x): return x\n+def f(x): return 2 * x\n*** End Patch",
    "a block to search for": f"f.py\n{'<' * 7} SEARCH\nreturn x\n{'=' * 7}\nreturn 2 * x\n{'>' * 7} REPLACE",
    "a block": f"Mended:\n{F}diff\n{DIFF}\n{F}",
    "without a hunk's header": f"Mended:\n{F}patch\n-    return 3 * x\n+    return 2 * x\n{F}",
    "a block of Python": f"{F}python\n{DIFF}\n{F}",
    "a hunk": f"{F}\n{HUNK}\n{F}",
    "no block": DIFF,
    "beside an example": f"{F}diff\n{DIFF}\n{F}\nSo:\n{F}python\nassert f(2) == 4\n{F}",
}


@pytest.mark.parametrize("reply", DIFFS.values(), ids=DIFFS)
def test_a_diff_is_not_taken_for_broken_code(reply: str) -> None:
    refused = python_parser(reply, ["f"])
    assert refused["status"] == "error"
    assert refused["feedback"].startswith("Your reply is a diff, and nothing applies it. Write the whole code")


@pytest.mark.parametrize("reply", [f"{DIFFS['a block']}\nWhole:\n{BLOCK}", f"{BLOCK}\nThat is:\n{DIFFS['a block']}"])
def test_a_diff_beside_the_whole_code_changes_nothing(reply: str) -> None:
    assert python_parser(reply, ["f"]) == {"status": "success", "content": CODE}
