"""What is given away: the source distribution, PyPI's page, the version, and names that hide nobody else's."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
from pathlib import Path
from typing import Any

import pytest
from support.paths import ROOT

PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
LEFT_OUT = (".*", "build", "dist", "runs", "*.egg-info", "__pycache__", "_build")


@pytest.mark.slow
def test_the_source_distribution_holds_what_its_tests_read(tmp_path: Path) -> None:
    source = tmp_path / "source"
    shutil.copytree(ROOT, source, ignore=shutil.ignore_patterns(*LEFT_OUT))
    wanted = {str(path.relative_to(source)) for path in source.rglob("*") if path.is_file()}
    command = [sys.executable, "-m", "build", "--sdist", "--no-isolation", "--outdir", str(tmp_path), str(source)]
    subprocess.run(command, capture_output=True, check=True)
    with tarfile.open(next(tmp_path.glob("*.tar.gz"))) as archive:
        held = {name.partition("/")[2] for name in archive.getnames()}
    assert sorted(wanted - held) == []
    assert [name for name in held if name.startswith((".venv", "docs/_build"))] == []


def test_pypis_page_holds_nothing_that_leads_nowhere_there() -> None:
    text = PROJECT["readme"]["text"]
    links = re.findall(r"\]\(([^)]+)\)", text)
    assert [link for link in links if not link.startswith("https://")] == []
    assert "```mermaid" not in text
    assert re.findall(r"</?[a-z][^>]*>", text) == []
    assert "pip install" not in text, "it promises an install that may not be there"


def test_every_extra_is_explained() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert [name for name in PROJECT["optional-dependencies"] if f"`{name}`" not in readme] == []


def test_the_changelog_knows_the_version() -> None:
    headings = re.findall(r"^## (.+)$", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)
    released = [heading for heading in headings if heading != "Unreleased"]
    assert headings
    assert not released or PROJECT["version"] in released[0]


@pytest.mark.parametrize("path", sorted(ROOT.iterdir()), ids=lambda path: path.name)
def test_nothing_at_the_top_hides_a_module_of_the_standard_library(path: Path) -> None:
    # Python started in the clone finds what is at the top before the standard library.
    if path.is_dir() or path.suffix == ".py":
        assert path.stem not in sys.stdlib_module_names
