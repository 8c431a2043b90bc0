"""`thoughtgraph model`: fetch, list and serve the embedded models."""

from __future__ import annotations

import time
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from ..errors import ModelSetupError
from .terminal import JsonOption, console, fail, fetching, print_json, reported

model_app = typer.Typer(no_args_is_help=True, help="Embedded models: list, fetch, serve.")


@model_app.command("list")
def list_models(as_json: JsonOption = False) -> None:
    """List the embedded models and show which are downloaded."""
    from ..models.local.weights import CATALOG, cache_folder, is_pulled
    from ..models.open import chosen_model

    chosen = chosen_model()
    if as_json:
        listed = CATALOG.values()
        models = [{**asdict(one), "pulled": is_pulled(one), "chosen": chosen == f"local:{one.name}"} for one in listed]
        print_json({"models": models, "folder": str(cache_folder()), "chosen": chosen})
        return
    for weights in CATALOG.values():
        here = "here" if is_pulled(weights) else "not pulled"
        mark = "*" if chosen == f"local:{weights.name}" else " "
        size = f"{weights.size / 1e6:6.0f} MB"
        console.print(f"{mark} {weights.name:20} {size}  {here:10}  {weights.about}", soft_wrap=True)
    console.print(f"in {cache_folder()}; chosen: {chosen}", soft_wrap=True)


@model_app.command("pull")
def pull_model(name: Annotated[str, typer.Argument(help="A name from `model list`.")] = "qwen2.5-coder-0.5b") -> None:
    """Download a model's weights and verify their checksum; resumes an interrupted download."""
    from ..models.local.weights import pull

    _check_name(name)
    with reported():
        with fetching() as progress:
            path = pull(name, progress)
        console.print(f"{name} is at {path}", soft_wrap=True)


@model_app.command("serve")
def serve_model(
    name: Annotated[str, typer.Argument(help="A name from `model list`, or FILE.gguf.")] = "qwen2.5-coder-0.5b",
    port: Annotated[int, typer.Option(min=0, max=65535, help="0 picks a free port.")] = 0,
    slots: Annotated[int, typer.Option(min=1, help="Requests to serve at the same time.")] = 4,
) -> None:
    """Serve a model on loopback through OpenAI's API until Ctrl-C."""
    from ..models.local.server import local_server
    from ..models.local.weights import pull

    if not name.endswith(".gguf"):
        _check_name(name)
    elif not Path(name).is_file():
        fail(f"cannot use {name}: there is no such file")
    with reported():
        with fetching() as progress:
            path = Path(name) if name.endswith(".gguf") else pull(name, progress)
        with local_server(path, slots=slots, port=port) as server:
            console.print(f"serving {server.model} at {server.base_url} (Ctrl-C stops)", soft_wrap=True)
            while True:
                time.sleep(3600)


def _check_name(name: str) -> None:
    """Refuse a name that the catalog does not have: that is wrong usage, and no failure of a download."""
    from ..models.local.weights import weights_named

    try:
        weights_named(name)
    except ModelSetupError as unknown:
        fail(str(unknown))
