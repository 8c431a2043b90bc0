"""A command in the sandbox judges by its exit status, and says what it printed."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from support.verifiers import judged
from thoughtgraph.errors import UnsafeFileNameError
from thoughtgraph.tools.sandbox import SandboxLimits
from thoughtgraph.tools.verifiers import CommandVerifier

pytestmark = [pytest.mark.skipif(sys.platform != "linux", reason="the sandbox needs Linux"), pytest.mark.slow]


def test_exit_status_zero_passes() -> None:
    verify = CommandVerifier(["grep", "-q", "tea", "answer.txt"])
    verdict = judged(verify, "I like tea.")
    assert (verdict.status, verdict.points, verdict.details["status"]) == ("passed", 1, "passed")


def test_another_fails_with_the_status_and_what_was_printed() -> None:
    verify = CommandVerifier(["sh", "-c", "echo out; echo err >&2; cat answer.txt; exit 3"])
    verdict = judged(verify, "the answer")
    assert (verdict.status, verdict.kind, verdict.points) == ("failed", "failed", 0)
    assert "ended with exit status 3. It printed:\n```\nout\nerr\nthe answer\n```" in verdict.feedback


@pytest.mark.parametrize(("total", "status"), [("sum(a)", "passed"), ("sum(b)", "failed")])
@pytest.mark.parametrize("around", ["```sql\n{}\n```", "\n~~~\n{}\n~~~\nIt adds them up.", "{}"])
def test_a_whole_reply_is_judged_by_its_block(around: str, total: str, status: str) -> None:
    # A scorer of `evaluate` is called with what the task replied.
    query = f"select {total} from (select 1 as a, 2 as b)"
    check = "import sqlite3; q = open('q.sql').read(); assert sqlite3.connect('').execute(q).fetchall() == [(1,)]"
    verdict = judged(CommandVerifier([sys.executable, "-c", check], file="q.sql"), around.format(query))
    assert verdict.status == status, verdict.feedback


@pytest.mark.parametrize(
    ("file", "answer"),
    [
        ("a.md", "```\ncode\n```\n"),
        ("a.py", 'x = """\n```python\ny\n```\n"""\n'),
        ("a.txt", "```\na\n```\nb\n```\nc\n```"),
    ],
)
def test_blocks_that_belong_to_the_file_stay_in_it(file: str, answer: str) -> None:
    verdict = judged(CommandVerifier(["sh", "-c", f"cat {file}; false"], file=file), answer)
    assert verdict.details["output"] == answer.strip()


def test_only_the_end_of_a_long_output_is_shown() -> None:
    verdict = judged(CommandVerifier(["sh", "-c", "seq 5000; exit 1"]), "x")
    assert "\n5000\n" in verdict.feedback
    assert len(verdict.feedback) < 1_700
    # The first line that is shown is a whole one.
    assert verdict.feedback.partition("```\n")[2].startswith("…\n4701\n")


def test_only_the_beginning_of_a_long_command_is_shown() -> None:
    verdict = judged(CommandVerifier(["sh", "-c", f"false # {'x' * 5000}"]), "x")
    assert len(verdict.feedback) < 300
    assert "x…` ended with exit status 1" in verdict.feedback


def test_a_plain_text_that_fails_for_the_words_around_a_block_is_told_of_them() -> None:
    verify = CommandVerifier(["sh", "-c", "! grep -v ^tea answer.txt"])
    assert judged(verify, "tea\n").status == "passed"
    reply = "Here it is:\n\n```\ntea\n```\n\nHope it helps!"
    assert "The file is the whole answer, with the fences" in judged(verify, reply).feedback
    assert "fences" not in judged(verify, "milk").feedback


def test_the_answer_is_the_file_and_nothing_of_the_host_is_there(tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("canary")
    # The environment itself may lie below the working folder, so only files count.
    known = r"^\(HOME\|LANG\|PATH\|PWD\|_\)="
    script = f"cat answer.txt; cat {secret}; cat /etc/passwd; ls -Ap | grep -v /; env | grep -v '{known}'; false"
    verdict = judged(CommandVerifier(["sh", "-c", script]), "mine")
    printed = verdict.details["output"]
    assert printed.count("No such file") == 2
    assert "canary" not in f"{printed}{verdict.feedback}"
    assert printed.startswith("mine")
    assert printed.endswith("\nanswer.txt")


def test_what_is_readable_is_read_and_not_written(tmp_path: Path) -> None:
    (tmp_path / "words.txt").write_text("tea")
    words = tmp_path / "words.txt"
    # Root runs the command as nobody in particular.
    tmp_path.chmod(0o755)
    verify = CommandVerifier(["grep", "-qf", str(words), "answer.txt"], readable=[tmp_path])
    assert (judged(verify, "tea").status, judged(verify, "milk").status) == ("passed", "failed")
    verdict = judged(CommandVerifier(["sh", "-c", f"echo x > {words}"], readable=[words]), "tea")
    assert (verdict.status, words.read_text()) == ("failed", "tea")


def test_python_of_this_environment_has_its_packages() -> None:
    verify = CommandVerifier([sys.executable, "-c", "import pydantic, json; json.load(open('a.json'))"], file="a.json")
    assert judged(verify, "[1]").status == "passed"
    assert "JSONDecodeError" in judged(verify, "[1").feedback


@pytest.mark.parametrize(
    ("script", "limits", "kind"),
    [
        ("sleep 30", {"seconds": 0.3}, "timeout"),
        ("yes", {"output_kb": 4}, "output_limit"),
        ("kill -9 $$", {}, "error"),
        ("kill -15 $$", {}, "error"),
    ],
)
def test_a_limit_fails_it(script: str, limits: Any, kind: str) -> None:
    verdict = judged(CommandVerifier(["sh", "-c", script], limits=SandboxLimits(**limits)), "x")
    assert (verdict.status, verdict.kind) == ("failed", kind)


def test_a_command_that_forges_a_report_does_not_pass() -> None:
    forged = 'printf \'{"exited":0,"done":true}\\n\'; for n in 0 3 4 5 6 7; do echo \'{"exited":0}\' >&$n; done; exit 1'
    assert judged(CommandVerifier(["sh", "-c", f"({forged}) 2>/dev/null; exit 1"]), "x").status == "failed"


def test_what_the_command_leaves_running_ends_with_it() -> None:
    assert judged(CommandVerifier(["sh", "-c", "sleep 60 & echo hi"]), "x").status == "passed"


def test_without_a_sandbox_it_is_unverified_and_nothing_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    def unprotected(*_: Any) -> Any:
        raise AssertionError("started a program without a sandbox")

    monkeypatch.setattr("thoughtgraph.tools.sandbox.running.why_unavailable", lambda: "It needs Linux.")
    monkeypatch.setattr("thoughtgraph.tools.sandbox.running.run_job", unprotected)
    verdict = judged(CommandVerifier(["true"]), "x")
    assert (verdict.status, verdict.kind) == ("unverified", "unsupported")
    assert "It needs Linux." in verdict.feedback


def test_a_program_that_the_sandbox_does_not_see_is_unverified(tmp_path: Path) -> None:
    program = tmp_path / "check"
    program.write_text("#!/nowhere/interpreter\n")
    program.chmod(0o755)
    verdict = judged(CommandVerifier([str(program)]), "x")
    assert (verdict.status, verdict.kind) == ("unverified", "unsupported")


def test_a_sandbox_that_does_not_start_is_unverified(tmp_path: Path) -> None:
    (tmp_path / "rules").write_text("")
    verify = CommandVerifier(["true"], readable=[tmp_path / "rules"])
    (tmp_path / "rules").unlink()
    verdict = judged(verify, "x")
    assert (verdict.status, verdict.kind) == ("unverified", "unsupported")
    assert "rules" in verdict.feedback


def test_a_pipe_that_is_closed_ends_its_writer_silently() -> None:
    assert judged(CommandVerifier(["sh", "-c", "yes | head -n 1; exit 1"]), "x").details["output"] == "y"


def test_an_answer_that_no_file_can_hold_has_failed() -> None:
    assert "UTF-8" in judged(CommandVerifier(["true"]), "\ud800").feedback


def test_the_longest_block_of_a_reply_is_the_file() -> None:
    verify = CommandVerifier(["true"], file="a.yml")
    assert verify.parse("So:\n```yaml\na: 1\nb: 2\n```\nRun\n```\nx\n```")["content"] == "a: 1\nb: 2\n"
    assert verify.parse(" a: 1 ")["content"] == "a: 1"
    assert verify.parse(" ")["status"] == "error"
    assert "`a.yml`" in verify.instructions
    assert "`true`" in verify.criteria


GUIDE = "# Title\n\n```bash\npip install x\n```\n\n## Use\nrun\n"
DOCUMENTED = 'def f():\n    """Doc.\n\n    ```\n    f()\n    ```\n    """\n    return 1\n'


@pytest.mark.parametrize(
    ("file", "reply", "content"),
    [
        ("README.md", f"Here:\n```markdown\n{GUIDE}```\nDone.", GUIDE),
        ("README.md", f"```\n{GUIDE.partition('```')[0]}```", "# Title\n\n"),
        ("README.md", GUIDE, GUIDE.strip()),
        ("a.py", f"```python\n{DOCUMENTED}```", DOCUMENTED),
        ("a.py", "```bash\npip install a-very-long-name\n```\n```python\nx = 1\n```", "x = 1\n"),
        ("a.py", "```\nx = 1\n```\n```\n1\n```", "x = 1\n"),
        ("a.py", "Use:\n```python\nf(1)\n```\n```python\ndef f(x):\n    return x\n```", "def f(x):\n    return x\n"),
        ("README.md", "Here it is:\n\n```\n# Title\n```\nHope it helps", "# Title\n"),
        ("a.json", 'Here it is: ```json\n{"a": 1}\n```\nHope it helps', '{"a": 1}\n'),
        ("a.py", "1. ```python\n   def f():\n       return 1\n   ```\n2. Run it.", "def f():\n    return 1\n"),
        ("a.py", 'P = """```python\nx\n```"""\n', 'P = """```python\nx\n```"""'),
        ("answer.txt", "<think>\n```\nmuch longer\n```\n</think>\n```\ntea\n```", "tea\n"),
    ],
)
def test_the_block_that_fits_the_file_is_the_file(file: str, reply: str, content: str) -> None:
    assert CommandVerifier(["true"], file=file).parse(reply)["content"] == content


WRONG = "# Both numbers, added as texts.\na, b = input().split()\nprint(a + b)\n"
RIGHT = "a, b = map(int, input().split())\nprint(a + b)\n"
QUERY = "SELECT city, {}(pay) FROM staff GROUP BY city;\n"
TABLE = "CREATE TABLE staff (id INTEGER PRIMARY KEY, city TEXT, pay INTEGER);\n"


@pytest.mark.parametrize(
    ("file", "tag", "first", "later", "content"),
    [
        ("a.py", "python", WRONG, RIGHT, RIGHT),
        ("a.sql", "sql", QUERY.format("AVG"), QUERY.format("SUM"), QUERY.format("SUM")),
        (
            "a.sql",
            "",
            QUERY.format("AVG").replace(";", " HAVING AVG(pay) > 0;"),
            QUERY.format("SUM"),
            QUERY.format("SUM"),
        ),
        # An excerpt, an example, a file beside it.
        ("a.py", "python", WRONG, "print(a + b)\n", WRONG),
        ("a.py", "python", WRONG, "a, b = input().split()\nprint(a + b)\n", WRONG),
        (
            "a.py",
            "python",
            "def f(x):\n    value = x * 2\n    return value + 1\n",
            "for x in range(3):\n    print(f(x))\n",
            None,
        ),
        ("a.sql", "sql", f"{QUERY.format('SUM')}-- {'x' * 80}\n", TABLE, None),
    ],
)
def test_a_later_version_of_a_file_replaces_it(
    file: str, tag: str, first: str, later: str, content: str | None
) -> None:
    verify = CommandVerifier(["true"], file=file)
    reply = f"First:\n```{tag}\n{first}```\nThat is not all yet:\n```{tag}\n{later}```\nDone."
    assert verify.parse(reply)["content"] == (content or first)


@pytest.mark.parametrize(
    ("file", "reply", "content"),
    [
        ("a.json", '```json\n{"a": 1}\n```\n', '{"a": 1}\n'),
        ("a.json", 'Here:\n```json\n{"a": 1,\n "b": 2}\n```\nBye.\n', '{"a": 1,\n "b": 2}\n'),
        ("README.md", f"Here:\n```markdown\n{GUIDE}```\nDone.", GUIDE),
        ("a.py", f"```python\n{DOCUMENTED}```", DOCUMENTED),
        ("a.py", "~~~python\nx = 1\n~~~\n\n```\nan output that is longer\n```\n", "x = 1\n"),
        ("answer.txt", "Here it is:\n```\ntea\n```\n", "tea\n"),
        ("answer.txt", "so\n</think>\ntea\nand milk", "tea\nand milk"),
        ("a.sh", "echo a\necho b", "echo a\necho b"),
    ],
)
def test_it_is_the_same_file_whatever_ends_a_line(file: str, reply: str, content: str) -> None:
    verify = CommandVerifier(["true"], file=file)
    for said in (reply, reply.replace("\n", "\r\n")):
        assert verify.parse(said)["content"] == content


def test_the_closing_fence_of_a_windows_reply_is_not_in_the_file() -> None:
    verify = CommandVerifier([sys.executable, "-m", "json.tool", "a.json"], file="a.json")
    assert judged(verify, str(verify.parse('```json\r\n{"a": 1}\r\n```\r\n')["content"])).status == "passed"


RUN = "Run it:\n```bash\nmake all && echo 'a line that is longer than the file'\n```"
PLAIN = "Use this:\n```\nls -l\n```\nThat prints all of the files."


@pytest.mark.parametrize(
    ("file", "tag", "content"),
    [
        ("Makefile", "makefile", "all:\n\techo hi"),
        ("Makefile", "make", "all:\n\techo hi"),
        ("rules.mk", "make", "all:\n\techo hi"),
        ("Dockerfile", "dockerfile", "FROM a"),
        ("a.pl", "perl", "print 1;"),
        ("a.cc", "cpp", "int x;"),
        ("a.hpp", "c++", "int x;"),
        ("a.mjs", "js", "f()"),
        ("a.h", "c", "int x;"),
        ("a.go", "golang", "package a"),
        ("a.awk", "awk", "END{}"),
        ("a.nim", "", "echo 1"),
        ("a.sql", "postgresql", "select 1;"),
        ("a.sh", "sh", "ls"),
    ],
)
def test_a_block_that_tells_how_to_run_the_file_is_not_the_file(file: str, tag: str, content: str) -> None:
    run = RUN.replace("bash", "console")
    for reply in (f"```{tag}\n{content}\n```\n{run}", f"{run}\nof\n```{tag}\n{content}\n```"):
        assert CommandVerifier(["true"], file=file).parse(reply)["content"] == f"{content}\n"
    assert CommandVerifier(["true"], file=file).parse(RUN)["content"].startswith("make all")


TABLE = "Result:\n```\n ?column?\n----------\n        1\n```"


@pytest.mark.parametrize(
    ("file", "tags"),
    [
        ("q.sql", "sql SQL postgresql postgres pgsql mysql sqlite plsql tsql"),
        ("a.js", "node"),
        ("a.mmd", "mermaid"),
        ("a.tf", "hcl terraform"),
        ("a.json", "json jsonc json5"),
        ("a.jsonl", "jsonl json"),
        ("a.proto", "proto protobuf"),
        ("a.graphql", "gql"),
        ("a.ex", "elixir"),
        ("a.dot", "graphviz"),
        ("a.m", "matlab octave"),
        ("nginx.conf", "nginx conf"),
        ("app.service", "ini systemd"),
        ("a.svg", "svg xml"),
        ("a.unheard-of", "unheard-of Other"),
    ],
)
def test_a_block_with_a_language_of_its_own_is_the_file_and_not_what_it_prints(file: str, tags: str) -> None:
    for tag in tags.split():
        block = f"```{tag}\nSELECT 1;\n```"
        for other in (TABLE, TABLE.replace("```\n ", "```output\n "), TABLE.replace("```\n ", "```csv\n "), RUN):
            for reply in (f"{block}\n{other}", f"{other}\n\n{block}"):
                assert CommandVerifier(["true"], file=file).parse(reply)["content"] == "SELECT 1;\n"


@pytest.mark.parametrize("tag", ["python", "json", "bash", "output", "csv", "log"])
def test_a_block_of_another_language_is_not_the_file_for_its_tag(tag: str) -> None:
    file, other = "```\necho 1\necho 2\n```", f"```{tag}\n1\n```"
    for reply in (f"{file}\nIt goes with\n{other}", f"{other}\n\n{file}"):
        assert CommandVerifier(["true"], file="a.nim").parse(reply)["content"] == "echo 1\necho 2\n"


def test_a_tag_that_fits_comes_before_any_other() -> None:
    reply = "```terraform\nmuch longer than the other\n```\n```sql\nselect 1;\n```"
    assert CommandVerifier(["true"], file="q.sql").parse(reply)["content"] == "select 1;\n"


@pytest.mark.parametrize(
    ("file", "tag", "content", "use"),
    [
        ("a.js", "js", "module.exports = x => x", "const f = require('./a.js');\nconsole.log(f(1), f(2));"),
        ("a.mjs", "js", "export const f = 1", "import { f } from './a.mjs'\nconsole.log(f, f, f, f)"),
        ("a.py", "python", "def f(): pass", "from a import f\nprint(f(), f(), f())"),
        ("a.h", "c", "int f(void);", '#include "a.h"\nint main(void) { return f(); }'),
        ("a.sh", "bash", "echo hi", "chmod +x a.sh\n./a.sh with arguments"),
        ("a.py", "python", "# a.py\nprint(1)\nprint(2)", "print(1)"),
        ("a.py", "python", '"""Usage: a.py FILE"""\nimport sys\nprint(sys.argv)', "1 + 1"),
        ("a.py", "python title=a.py", "x = 1", "print('longer than the file')"),
    ],
)
def test_a_block_that_uses_the_file_is_not_the_file(file: str, tag: str, content: str, use: str) -> None:
    blocks = [f"```{tag}\n{content}\n```", f"```{tag.partition(' ')[0]}\n{use}\n```"]
    for reply in ("\nTry:\n".join(blocks), "\n\n".join(reversed(blocks))):
        assert CommandVerifier(["true"], file=file).parse(reply)["content"] == f"{content}\n"


LONGER = "CREATE TABLE t (\n  a INT,\n  b INT\n);"


@pytest.mark.parametrize("title", ["**{}**", "`{}`:", "### 1. {}", "File: {}", "queries/{}"])
def test_a_block_below_the_name_of_the_file_is_the_file(title: str) -> None:
    named, other = (
        f"{title.format(name)}\n\n```sql\n{text}\n```" for name, text in (("q.sql", "SELECT 1;"), ("t.sql", LONGER))
    )
    for reply in (f"{named}\n\n{other}", f"{other}\n\n{named}", f"{named}\n\nThe table:\n```sql\n{LONGER}\n```"):
        assert CommandVerifier(["true"], file="q.sql").parse(reply)["content"] == "SELECT 1;\n"
        assert CommandVerifier(["true"], file="x.sql").parse(reply)["content"] == f"{LONGER}\n"


def test_a_file_of_that_name_in_another_folder_is_not_taken_in_its_place() -> None:
    reply = "old/config.yaml:\n```yaml\na: 1\nb: 2\n```\n\nconfig.yaml:\n```yaml\nb: 2\n```"
    assert CommandVerifier(["true"], file="config.yaml").parse(reply)["content"] == "b: 2\n"


def test_a_correction_of_a_named_block_may_go_without_the_name() -> None:
    first, second = (f"```sql\nSELECT a, b FROM t\nORDER BY {key};\n```" for key in "ab")
    for named in (f"**q.sql**\n{first}", first.replace("sql", "sql title=q.sql", 1)):
        reply = f"{named}\nWait, by b:\n{second}\nFrom:\n```sql\n{LONGER}\n```"
        assert CommandVerifier(["true"], file="q.sql").parse(reply)["content"] == "SELECT a, b FROM t\nORDER BY b;\n"


@pytest.mark.parametrize("named", ["**{}**\n```sql\n{}\n```", "```sql title={}\n{}\n```", "```sql\n-- {}\n{}\n```"])
def test_a_like_block_with_another_name_is_no_correction(named: str) -> None:
    up, down = "ALTER TABLE t ADD COLUMN b INT;", "ALTER TABLE t DROP COLUMN b;"
    reply = f"{named.format('up.sql', up)}\n\n{named.format('down.sql', down)}"
    for file, text in (("up.sql", up), ("down.sql", down)):
        assert text in CommandVerifier(["true"], file=file).parse(reply)["content"]


@pytest.mark.parametrize("remark", ["-- q.sql", "/* q.sql */", "-- file: q.sql"])
def test_a_block_that_names_the_file_in_a_remark_at_its_top_is_the_file(remark: str) -> None:
    reply = f"```sql\n-- t.sql\n{LONGER}\n```\n```sql\n{remark}\nSELECT 1;\n```"
    assert CommandVerifier(["true"], file="q.sql").parse(reply)["content"] == f"{remark}\nSELECT 1;\n"


@pytest.mark.parametrize(
    "beside",
    [
        "**a.sh**\n```bash\nchmod +x a.sh\n./a.sh\n```",
        "a.sh ends with:\n```bash\necho 2\n```",
        "```bash\n# as in a.sh\necho 2\n```",
    ],
)
def test_a_block_that_only_speaks_of_the_file_is_not_the_file(beside: str) -> None:
    reply = f"```bash\necho 1\necho 2\necho 3\n```\n\n{beside}"
    assert CommandVerifier(["true"], file="a.sh").parse(reply)["content"] == "echo 1\necho 2\necho 3\n"


@pytest.mark.parametrize(
    ("file", "reply", "content"),
    [
        ("answer.txt", PLAIN, PLAIN),
        ("a.rst", PLAIN, PLAIN),
        ("answer.txt", "Intro.\n\n```python\nprint(1)\n```\n\nConclusion.", None),
        ("answer.txt", "Two:\n```\na\n```\n```\nb\n```", None),
        ("answer.txt", "```\ntea\n```", "tea\n"),
        ("answer.txt", "Here it is:\n\n```text\ntea\n```\n", "tea\n"),
        ("a.csv", "The table:\n```csv\na,b\n```\nIt has one row.", "a,b\n"),
    ],
)
def test_a_plain_text_may_hold_blocks(file: str, reply: str, content: str | None) -> None:
    assert CommandVerifier(["true"], file=file).parse(reply)["content"] == (content or reply)


@pytest.mark.parametrize(
    ("make", "error"),
    [
        (lambda: CommandVerifier("ruff check"), ValueError),
        (lambda: CommandVerifier([]), ValueError),
        (lambda: CommandVerifier(["no-such-program"]), ValueError),
        (lambda: CommandVerifier(["true"], file="../x"), UnsafeFileNameError),
        (lambda: CommandVerifier(["true"], file="/etc/x"), UnsafeFileNameError),
        (lambda: CommandVerifier(["true"], file=""), UnsafeFileNameError),
        (lambda: CommandVerifier(["true"], readable=["/no/such/folder"]), ValueError),
    ],
)
def test_arguments_that_cannot_work_are_refused(make: Callable[[], Any], error: type[Exception]) -> None:
    with pytest.raises(error):
        make()


def script(folder: Path, text: str, name: str = "check") -> str:
    """A program in a folder that everyone may read."""
    folder.chmod(0o755)
    (folder / name).write_text(text)
    (folder / name).chmod(0o755)
    return str(folder / name)


def test_python_is_this_environment_whatever_wrapper_path_has(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wrapper = '#!/bin/sh\nexec "/nowhere/libexec/pyenv" exec "$0" "$@"\n'
    for name in ("python", "pytest"):
        script(tmp_path, wrapper, name)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    found = CommandVerifier(["python", "-c", "import pydantic, sys; assert open('answer.txt').read() == 'x'"])
    assert [judged(found, answer).status for answer in ("x", "y")] == ["passed", "failed"]
    through = CommandVerifier(["sh", "-c", "python -c 'import pydantic'"])
    assert judged(through, "x").status == "passed"
    tests = CommandVerifier(["pytest", "-q", "-p", "no:cacheprovider", "test_a.py"], file="test_a.py")
    assert [judged(tests, f"def test_a():\n    assert {it}").status for it in (1, 0)] == ["passed", "failed"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('exec "/nowhere/libexec/tool" "$@"', "/nowhere/libexec/tool"),
        ("nowhere-tool", "nowhere-tool: not found"),
    ],
)
def test_a_wrapper_that_does_not_find_its_program_says_nothing_of_the_answer(
    tmp_path: Path, text: str, words: str
) -> None:
    verdict = judged(CommandVerifier([script(tmp_path, f"#!/bin/sh\n{text}\n")]), "x")
    assert (verdict.status, verdict.kind) == ("unverified", "unsupported")
    assert words in verdict.feedback
    assert "`readable`" in verdict.feedback


def test_a_command_that_misses_a_file_that_this_machine_has_says_nothing_of_the_answer(tmp_path: Path) -> None:
    words, uses = tmp_path / "words.txt", script(tmp_path, f"#!/bin/sh\n. {tmp_path}/lib.sh\ncheck\n")
    words.write_text("tea")
    (tmp_path / "lib.sh").write_text("check() { grep -q tea answer.txt; }\n")
    opens = ["python", "-c", f"assert open({str(words)!r}).read() in open('answer.txt').read()"]
    for command, needs in ((["grep", "-qf", words, "answer.txt"], words), (opens, words), ([uses], tmp_path)):
        verdict = judged(CommandVerifier(command), "tea")
        assert (verdict.status, "name it in `readable`" in verdict.feedback) == ("unverified", True), verdict.feedback
        whole = CommandVerifier(command, readable=[needs])
        assert [judged(whole, answer).status for answer in ("tea", "milk")] == ["passed", "failed"]


@pytest.mark.parametrize("line", ["jot <answer.txt | grep -q tea", "if ! jot answer.txt; then exit 1; fi"])
def test_a_program_that_only_this_machine_has_is_told_whatever_the_exit_status(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, line: str
) -> None:
    monkeypatch.setenv("PATH", f"{Path(script(tmp_path, '#!/bin/sh', 'jot')).parent}:/usr/bin:/bin")
    verdict = judged(CommandVerifier(["sh", "-c", line]), "tea")
    assert (verdict.status, "jot: not found. This machine has it" in verdict.feedback) == ("unverified", True)


def test_a_command_that_goes_on_without_a_file_has_its_verdict(tmp_path: Path) -> None:
    (tmp_path / "words.txt").write_text("tea")
    verify = CommandVerifier(["sh", "-c", f"cat {tmp_path}/words.txt; echo looking; grep -q tea answer.txt"])
    assert [judged(verify, answer).status for answer in ("tea", "milk")] == ["passed", "failed"]
    left = Path("/tmp") / f"left-{uuid4().hex}.txt"
    left.write_text("of another program")
    try:
        wrong = CommandVerifier(["sh", "-c", f"sh answer.sh; grep -q tea {left}"], file="answer.sh")
        assert [judged(wrong, answer).status for answer in (f"echo tea >{left}", "exit 0")] == ["passed", "failed"]
    finally:
        left.unlink()


def test_a_file_or_a_function_that_the_answer_is_to_bring_is_the_answers_affair(tmp_path: Path) -> None:
    (tmp_path / "words.txt").write_text("tea")
    for command, answer in (
        ("sh answer.sh; grep -q tea out.txt", "echo tea >other.txt"),
        ('. ./answer.sh; test "$(double 2)" = 4', "twice() { echo 4; }"),
        ("sh answer.sh", f"cat {tmp_path}/words.txt"),
        ("perl answer.sh", "use No::Such;"),
        ("./answer.sh", "exit 0"),
    ):
        assert judged(CommandVerifier(["sh", "-c", command], file="answer.sh"), answer).status == "failed"


def test_a_program_that_the_answer_names_is_the_answers_affair() -> None:
    verdict = judged(CommandVerifier(["sh", "answer.sh"], file="answer.sh"), "nowhere-tool\n")
    assert (verdict.status, "exit status 127" in verdict.feedback) == ("failed", True)
    sourced = judged(CommandVerifier(["sh", "-c", ". ./answer.sh"], file="answer.sh"), "nowhere-tool\n")
    assert sourced.status == "failed"


def test_a_program_without_room_to_start_in_is_unverified() -> None:
    said = "echo 'Fatal process OOM in Failed to reserve virtual memory for CodeRange'; kill -5 $$"
    verdict = judged(CommandVerifier(["sh", "-c", said]), "x")
    assert (verdict.status, verdict.kind) == ("unverified", "unsupported")
    assert "SandboxLimits(memory_mb=4096)" in verdict.feedback


@pytest.mark.parametrize(
    "script",
    ["diff <(sort answer.txt) answer.txt", "cat answer.txt | grep -q a /dev/stdin", "cat answer.txt /proc/self/status"],
)
def test_a_command_that_needs_what_no_sandbox_has_is_unverified(script: str) -> None:
    verdict = judged(CommandVerifier(["bash", "-c", script]), "a\nb\n")
    assert (verdict.status, verdict.kind) == ("unverified", "unsupported")
    assert "The sandbox has no /proc" in verdict.feedback


def test_a_program_that_does_not_find_its_libraries_says_nothing_of_the_answer() -> None:
    said = "java: error while loading shared libraries: libjli.so: cannot open shared object file"
    verdict = judged(CommandVerifier(["sh", "-c", f"echo '{said}' >&2; exit 127"]), "x")
    assert (verdict.status, verdict.kind) == ("unverified", "unsupported")
    assert "LD_LIBRARY_PATH" in verdict.feedback
    assert judged(CommandVerifier(["sh", "answer.sh"], file="answer.sh"), f"echo '{said}'; exit 1").status == "failed"


NO_HOST = "import socket; socket.create_connection(('192.0.2.1', 80), 2)"


@pytest.mark.parametrize(
    ("command", "words"),
    [
        (["python", "-m", "no_such_linter", "answer.txt"], "No module named no_such_linter. The command has"),
        (["python", "-c", "import no_such_package"], "No module named 'no_such_package'. The command has"),
        (["perl", "-MNo::Such", "-e", "1"], "in @INC"),
        (["python", "-c", NO_HOST], "Network is unreachable. The sandbox has no network"),
    ],
)
def test_a_command_that_lacks_a_module_or_a_network_is_unverified(command: list[str], words: str) -> None:
    verdict = judged(CommandVerifier(command), "a\nb\n")
    assert (verdict.status, words in verdict.feedback) == ("unverified", True), verdict.feedback


OOM = "Fatal process OOM in Failed to reserve virtual memory for CodeRange"
NOTE = "import json; note = json.load(open('answer.txt'))['note']; assert note == 'Table reserved', note"


@pytest.mark.parametrize(
    ("command", "answer"),
    [
        (["sh", "-c", "cat answer.txt; exit 1"], "Sorry, I could not reserve the room."),
        (["sh", "-c", "cat answer.txt; exit 1"], "Could not reserve enough space for code cache"),
        (["sh", "-c", "cat answer.txt; kill -5 $$"], f"#\n# {OOM}\n#"),
        (["sh", "-c", "rev answer.txt; exit 1"], OOM[::-1]),
        (["sh", "-c", "echo Failed to reserve a table.; exit 1"], "x"),
        ([sys.executable, "-c", NOTE], '{"note": "Failed to reserve table 5"}'),
        ([sys.executable, "-c", NOTE], '{"note": "\\nCould not reserve enough space for \\u006fbject heap"}'),
        (["sh", "answer.txt"], f"echo {OOM!r}; kill -5 $$"),
        (["/bin/bash", "-c", "source ./answer.txt"], "echo '/bin/bash: x' >&2\nexit 127"),
        (["/bin/sh", "-c", "cat answer.txt; exit 127"], "/bin/sh: 1: tool: not found"),
        (["sh", "-c", "cat answer.txt; exit 1"], "cat: /dev/fd/63: No such file or directory"),
        (["sh", "-c", "echo All of /proc is checked.; exit 1"], "x"),
        (["sh", "answer.txt"], "cat /proc/self/status"),
        (["python", "answer.txt"], "import no_such_package"),
        (["python", "answer.txt"], NO_HOST),
        (["sh", "-c", "cat answer.txt; exit 1"], "ModuleNotFoundError: No module named 'x'"),
    ],
)
def test_no_answer_chooses_that_it_is_unverified(command: list[str], answer: str) -> None:
    assert judged(CommandVerifier(command), answer).status == "failed"


@pytest.mark.parametrize("program", ["/bin/sh", "/usr/bin/sh", "sh"])
def test_a_program_of_the_system_is_found_by_each_of_its_names(program: str) -> None:
    verify = CommandVerifier([program, "-c", "grep -q tea answer.txt"])
    assert [judged(verify, answer).status for answer in ("tea", "milk")] == ["passed", "failed"]


def test_a_command_may_hold_paths(tmp_path: Path) -> None:
    program = Path(script(tmp_path, '#!/bin/sh\ngrep -q tea "$1"\n'))
    verify = CommandVerifier([program, Path("answer.txt")])
    assert [judged(verify, answer).status for answer in ("tea", "milk")] == ["passed", "failed"]


@pytest.mark.parametrize(
    ("command", "words"),
    [
        (["echo", 5], "a list of texts, and one of them is 5"),
        (["echo", "a\0b"], "without null characters"),
        (b"echo", "a list of a program"),
        (5, "the command has to be a list of a program and its arguments, got 5"),
        (["/tmp"], "is no program"),
        (["nowhere-tool"], "is not found"),
    ],
    ids=str,
)
def test_what_is_no_command_is_refused(command: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        CommandVerifier(command)


SCRIPT = '"""Tool.\n\npython answer.py IN OUT\n"""\n' + "\n".join(f"x{n} = {n}" for n in range(9))


@pytest.mark.parametrize(
    ("file", "reply", "content"),
    [
        ("answer.py", f"```python\n{SCRIPT}\n```\n```python\nhelper = 1\n```", f"{SCRIPT}\n"),
        ("run.sh", "```bash\ncat <<E\n./run.sh [x]\nE\necho 1\necho 2\n```\n```bash\nsudo apt install x\n```", None),
        ("answer.txt", "Here:\n```text\nhello\n```\nHope it helps!", "hello\n"),
        ("answer.txt", "Sure!\n\nHere it is:\n```txt\nhello\n```", "hello\n"),
    ],
)
def test_a_file_that_names_itself_is_the_file(file: str, reply: str, content: str | None) -> None:
    wanted = content or "cat <<E\n./run.sh [x]\nE\necho 1\necho 2\n"
    assert CommandVerifier(["true"], file=file).parse(reply).get("content") == wanted


@pytest.mark.parametrize("tag", ["sql", "css", "java"])
def test_a_block_of_another_known_language_is_not_the_file(tag: str) -> None:
    reply = f"```\na,b\n1,2\n3,4\n```\n\nUse it so:\n\n```{tag}\nselect a\n```"
    assert CommandVerifier([sys.executable, "a.csv"], file="a.csv").parse(reply)["content"] == "a,b\n1,2\n3,4\n"


SERVICE = "services:\n  web:\n    image: nginx\n"
DATABASE = "  db:\n    image: postgres\n    environment:\n      USER: me\nvolumes:\n  data: {}\n"
JOINED = "SELECT city, SUM(n) AS all_of_it, COUNT(*) AS c FROM t LEFT JOIN u USING (id) GROUP BY city;\n"


@pytest.mark.parametrize(
    ("file", "tag", "content", "said", "other"),
    [
        ("q.sql", "sql", QUERY.format("SUM"), "Wrong:", JOINED),
        ("q.sql", "sql", QUERY.format("SUM"), "**The original query:**", JOINED),
        ("q.sql", "", QUERY.format("SUM"), "Don't do this:", JOINED),
        ("a.yaml", "yaml", SERVICE, "For a database, add:", DATABASE),
    ],
)
def test_a_longer_block_that_is_a_mistake_or_a_part_is_not_the_file(
    file: str, tag: str, content: str, said: str, other: str
) -> None:
    block, longer = f"```{tag}\n{content}```", f"{said}\n```{tag}\n{other}```"
    verify = CommandVerifier(["true"], file=file)
    for reply in (f"{longer}\n\nSo:\n{block}", f"So:\n{block}\n\n{longer}"):
        assert verify.parse(reply)["content"] == content
    assert verify.parse(longer)["content"] == other


def block(code: str, tag: str = "python") -> str:
    return f"```{tag}\n{code}\n```"


HELPER = "import math\n\n\ndef square(x):\n    return x * math.prod([x])"
MAIN = "def area(x):\n    return 3 * square(x)"
TESTED = (
    "def test_area():\n    assert area(2) == 12\n\n\ndef test_square():\n    assert square(2) == 4\n\n\ntest_area()"
)


@pytest.mark.parametrize(
    "reply",
    [
        f"First a helper:\n{block(HELPER)}\nThen:\n{block(MAIN)}",
        f"{block(MAIN)}\nIt needs a helper:\n{block(HELPER)}",
        f"answer.py:\n{block(MAIN)}\nhelpers.py:\n{block(HELPER)}",
        f"answer.py:\n{block('from helpers import square' + chr(10) * 3 + MAIN)}\nhelpers.py:\n{block(HELPER)}",
        f"{block('import math')}\n{block(HELPER.removeprefix('import math').strip())}\n{block(MAIN)}",
        f"{block(HELPER)}\nThen:\n{block(MAIN, '')}",
        f"{block(HELPER + chr(10) * 3 + MAIN.replace('3', '4'))}\nThe corrected part:\n{block(MAIN)}",
        f"{block(HELPER)}\n{block(MAIN)}\nFor comparison, without it:\n{block(MAIN.replace('3 * square(x)', '0'))}",
        f"{block(HELPER)}\n{block(MAIN)}\nUse it:\n{block('print(area(2), square(2), undefined)')}",
    ],
)
def test_a_python_file_has_what_it_needs_of_other_blocks(reply: str) -> None:
    check = "import runpy; assert runpy.run_path('answer.py')['area'](2) == 12"
    verify = CommandVerifier(["python3", "-c", check], file="answer.py")
    verdict = judged(verify, verify.parse(reply).get("content", ""))
    assert (verdict.status, verdict.feedback) == ("passed", "")


@pytest.mark.parametrize("beside", [f"Tests:\n{block(TESTED)}", f"Use it:\n{block('print(area(2))')}"])
def test_a_python_file_has_nothing_that_it_does_not_need(beside: str) -> None:
    code = f"{HELPER}\n\n\n{MAIN}\n\n\n{'# What follows is long.' * 9}"
    verify = CommandVerifier(["python3", "answer.py"], file="answer.py")
    assert verify.parse(f"{block(code)}\n{beside}").get("content") == f"{code}\n"
    assert verify.parse(f"{block('def broken(:')}").get("content") == "def broken(:\n"
