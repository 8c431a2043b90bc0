"""Draws a real run as the README and the docs show it: in a terminal, and as a page in a browser.

python docs/picture.py        writes run.svg and screenshots/*.png; needs the embedded model and Chromium
"""

from __future__ import annotations

import io
import json
import re
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path

from playwright.sync_api import sync_playwright
from rich.console import Console
from thoughtgraph import ContextGraph, PythonTests, create_reflection_graph, open_model
from thoughtgraph.cli.console import LiveRun
from thoughtgraph.traces import Event

HERE = Path(__file__).parent
TASKS = HERE.parent / "benchmarks" / "solving" / "demo.jsonl"
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
SHOTS = {
    "run-light": {"viewport": {"width": 1280, "height": 860}, "color_scheme": "light"},
    "run-phone-dark": {"viewport": {"width": 375, "height": 760}, "color_scheme": "dark"},
}


def main() -> None:
    """Solve tasks of the demo until one has needed a second attempt, and draw that run."""
    with open_model("local:qwen2.5-coder-0.5b", slots=1) as model:
        for line in TASKS.read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            verifier = PythonTests(row["visible_tests"])
            graph = create_reflection_graph("reflexion", actor=model, verifier=verifier, max_attempts=5)
            with LiveRun(Console(file=io.StringIO()), row["prompt"]) as live:
                for update in graph.stream({"task": row["prompt"]}, stream_mode="updates"):
                    live.update(update)
            attempts = sum(event["kind"] == "attempt" for event in live.events)
            print(f"{row['task_id']}: {live.verdict} after {attempts} attempts")
            if live.verdict == "passed" and attempts > 1:
                draw(live)
                photograph(live.events)
                return
    raise SystemExit("no task was solved by a later attempt; nothing was drawn")


def draw(live: LiveRun) -> None:
    """The run in a terminal."""
    drawn = Console(record=True, width=100, file=io.StringIO())
    drawn.print(live.view())
    svg = drawn.export_svg(title="thoughtgraph solve")
    # Rich names its fonts at a host of its own; the reader's will do.
    svg = re.sub(r"@font-face \{.*?\}", "", svg, flags=re.DOTALL)
    (HERE / "run.svg").write_text(svg, encoding="utf-8")


def photograph(events: Sequence[Event]) -> None:
    """The run's page, on a wide screen and on a phone, and in it the loop's graph at a step."""
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        page = Path(folder) / "run.html"
        page.write_text(ContextGraph(events).to_html(), encoding="utf-8")
        browser = playwright.chromium.launch(executable_path=CHROMIUM)
        for name, options in SHOTS.items():
            tab = browser.new_context(**options).new_page()
            tab.goto(page.as_uri())
            tab.screenshot(path=HERE / "screenshots" / f"{name}.png")
        tab = browser.new_context(viewport={"width": 1000, "height": 700}, color_scheme="light").new_page()
        tab.goto(page.as_uri())
        tab.locator("#loop > summary").click()
        tab.get_by_role("slider").focus()
        for key in ("Home", *["ArrowRight"] * 6):
            tab.keyboard.press(key)
        tab.locator("#loop").screenshot(path=HERE / "screenshots" / "loop-light.png")
        browser.close()


if __name__ == "__main__":
    main()
