"""The documentation: every Python block of it runs and prints what it says, and every public name is explained once."""

from __future__ import annotations

import builtins
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer
from opentelemetry import metrics
from support.doc_api import homes
from support.doc_blocks import NOT_RUN, PROVIDERS, ROOT, blocks, pages, run_page
from support.doc_replies import SCENES, Scene
from support.openai_server import OpenAIServer
from thoughtgraph.cli.main import app
from thoughtgraph.graphs.reflection import create as reflection
from thoughtgraph.models import open as models
from thoughtgraph.models.servers.openai_api import KEY_VARIABLE

pytestmark = pytest.mark.slow

WITH_PYTHON = [page for page in pages() if page != PROVIDERS and any(block.is_run for block in blocks(page))]
REAL_MODEL = ["docs/index.md", "docs/plan_act.md"]
API_PAGES = sorted((ROOT / "docs" / "api").glob("*.md"))


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Pages write files, and read the user's settings and folders: all of them in a folder of the test's."""
    providers: list[Any] = []
    # A global provider cannot be taken back: its thread would export the metrics of all later tests.
    monkeypatch.setattr(metrics, "set_meter_provider", providers.append)
    monkeypatch.chdir(tmp_path)
    for name in ("XDG_CONFIG_HOME", "XDG_DATA_HOME"):
        monkeypatch.setenv(name, str(tmp_path / name))
    for key in ("OPENAI_API_KEY", KEY_VARIABLE):
        monkeypatch.delenv(key, raising=False)
    monkeypatch.setattr(reflection, "_MODES", dict(reflection._MODES))  # pyright: ignore[reportPrivateUsage]
    monkeypatch.setattr(builtins, "input", lambda question="": "12:00")
    yield
    for provider in providers:
        provider.shutdown()


@pytest.mark.parametrize("page", WITH_PYTHON)
def test_the_blocks_of_a_page_run_and_print_what_they_say(
    page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scene = SCENES.get(page, Scene())
    for name, text in scene.files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    with OpenAIServer(scene.script) as server:
        named = models.chosen_model

        def chosen_model(spec: str | None = None) -> str:
            # What a page opens by the name of an embedded model is scripted as well.
            return named(None if spec and spec.startswith("local:") else spec)

        monkeypatch.setenv(models.MODEL_VARIABLE, f"{server.base_url}#scripted")
        monkeypatch.setattr(models, "chosen_model", chosen_model)
        run_page(page, scene.names())
        if not callable(scene.script):
            assert len(server.requests) == len(scene.script), "the page asked for fewer replies than scripted"


@pytest.mark.model
@pytest.mark.parametrize("page", REAL_MODEL)
def test_a_page_runs_with_the_embedded_model(page: str) -> None:
    run_page(page, {}, compared=False)


def test_no_block_is_left_out_silently() -> None:
    found = [block for page in pages() for block in blocks(page)]
    written = sum(len(re.findall(r"^[ >]*`{3,}py", (ROOT / page).read_text(), re.MULTILINE)) for page in pages())
    assert len(found) == written, "a Python block is not found where it stands: is it nested in another one?"
    assert set(SCENES) <= set(WITH_PYTHON), "a scene of a page that has no Python, or is gone"
    not_run = [block for block in found if not block.is_run]
    assert len(not_run) <= 3
    for block in not_run:
        assert block.info == f"python {NOT_RUN}", f"{block.page}, line {block.line}: {block.info!r}"
        assert block.reason, f"{block.page}, line {block.line}: say in its first line, a comment, why it is not run"


def test_every_public_name_is_on_one_page_of_the_reference() -> None:
    listed: list[str] = []
    for path in API_PAGES:
        for names in re.findall(r"```\{api\}\n(.*?)```", path.read_text(), re.DOTALL):
            listed += [name.rpartition(".")[2] for name in names.split()]
    assert [name for name, count in Counter(listed).items() if count > 1] == []
    assert sorted(set(homes()) - set(listed)) == [], "list them on a page of docs/api"


def test_every_command_and_every_option_of_solve_is_explained() -> None:
    page = (ROOT / "docs" / "command_line.md").read_text()
    command: Any = typer.main.get_command(app)
    for name, found in command.commands.items():
        for below in getattr(found, "commands", {"": found}):
            assert f"thoughtgraph {name} {below}".strip() in page
    options = [option for parameter in command.commands["solve"].params for option in parameter.opts]
    assert [option for option in options if option.startswith("--") and option not in page] == []


def test_every_error_is_explained() -> None:
    page = (ROOT / "docs" / "errors.md").read_text()
    found = [name for name, (room, _) in homes().items() if room == "thoughtgraph.errors"]
    assert len(found) > 15
    assert [name for name in found if f"`{name}`" not in page] == []
