"""docs/providers.md: every block and every command of a recipe, against a server with the provider's API."""

from __future__ import annotations

import re
import shlex
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

import pytest
from support.doc_blocks import PROVIDERS, ROOT, Block, blocks, run_block
from support.model_classes import holds
from support.wires.anthropic import Anthropic
from support.wires.chat_completions import ChatCompletions
from support.wires.gemini import Gemini
from support.wires.ollama import Ollama
from support.wires.server import Said, Wire, WireServer
from thoughtgraph.cli.main import app
from typer.testing import CliRunner

TEXT = (ROOT / PROVIDERS).read_text(encoding="utf-8")

pytestmark = [
    pytest.mark.slow,
    # Of the libraries of these classes: sockets that they leave to the garbage collector.
    pytest.mark.filterwarnings("ignore:unclosed:ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]


@dataclass(frozen=True)
class Recipe:
    """A section of the page.

    Attributes:
        title: of the section.
        wire: the API.
        environment: what the reader has set; `{url}` is the server.
        address: what stands on the page for the server's address; "" for none.
        sent: how the effort stands in a request.
        models: on the server.
    """

    title: str
    wire: Wire
    environment: dict[str, str]
    address: str
    sent: Any
    models: tuple[str, ...] = ("scripted",)


RECIPES = [
    Recipe("OpenAI", ChatCompletions(), {"OPENAI_API_KEY": "none", "OPENAI_BASE_URL": "{url}/v1"}, "", "low"),
    Recipe(
        "Anthropic",
        Anthropic(),
        {"ANTHROPIC_API_KEY": "none", "ANTHROPIC_BASE_URL": "{url}"},
        "",
        {"effort": "low"},
    ),
    Recipe("Gemini", Gemini(), {"GOOGLE_API_KEY": "none", "GOOGLE_GEMINI_BASE_URL": "{url}"}, "", 1000),
    Recipe("Ollama", Ollama(), {"OLLAMA_HOST": "{url}"}, "", True, ("qwen3:8b",)),
    Recipe("vLLM", ChatCompletions(), {}, "http://localhost:8000", {"enable_thinking": True}),
    Recipe("llama.cpp", ChatCompletions(), {}, "http://localhost:8080", 0.0),
]


def section(title: str) -> tuple[int, int]:
    """The first and the last line of a section, counted from 1."""
    lines = TEXT.splitlines()
    first = lines.index(f"## {title}") + 1
    later = [number for number, line in enumerate(lines, 1) if number > first and line.startswith("## ")]
    return first, later[0] if later else len(lines)


def python_of(recipe: Recipe, url: str) -> list[Block]:
    """The section's blocks, with the server's address."""
    first, last = section(recipe.title)
    found = [block for block in blocks(PROVIDERS) if first < block.line <= last]
    if not recipe.address:
        return found
    return [Block(b.page, b.line, b.info, b.code.replace(recipe.address, url)) for b in found]


@pytest.fixture(params=RECIPES, ids=lambda recipe: recipe.title)
def recipe(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Recipe:
    """A recipe whose reader has set no more than it says."""
    for name in ("GEMINI_API_KEY", "OPENAI_API_BASE", "THOUGHTGRAPH_API_KEY", "THOUGHTGRAPH_MODEL"):
        monkeypatch.delenv(name, raising=False)
    return request.param


@pytest.fixture
def server(recipe: Recipe, monkeypatch: pytest.MonkeyPatch) -> Any:
    """The provider, which always says the same."""
    with ExitStack() as stack:
        said = Said("It is 42.", "Hm, hm.")
        server = stack.enter_context(WireServer(recipe.wire, [said] * 3, models=recipe.models))
        for name, text in recipe.environment.items():
            monkeypatch.setenv(name, text.format(url=server.url))
        yield server


def test_the_python_of_a_recipe_runs_and_asks_for_the_effort_it_names(recipe: Recipe, server: Any) -> None:
    namespace: dict[str, Any] = {"__name__": "__main__"}
    for block in python_of(recipe, server.url):
        run_block(block, namespace, compared=True)
    assert server.bodies
    assert all(holds(body, recipe.sent) for body in server.bodies)


def test_the_command_of_a_recipe_answers(recipe: Recipe, server: Any) -> None:
    first, last = section(recipe.title)
    lines = "\n".join(TEXT.splitlines()[first:last])
    command = re.search(r"^thoughtgraph (solve .*)$", lines, re.MULTILINE)
    assert command
    arguments = shlex.split(command[1].replace(recipe.address, server.url) if recipe.address else command[1])
    result = CliRunner().invoke(app, [*arguments, "--quiet"])
    assert (result.exit_code, result.stdout) == (3, "It is 42.\n"), result.output


def test_every_recipe_of_the_page_is_run() -> None:
    assert re.findall(r"^## (.+)$", TEXT, re.MULTILINE) == [recipe.title for recipe in RECIPES]
