"""The environments that compatibility is tried in: found, installed with uv, and kept for as long as they are right."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import time
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement
from packaging.version import Version
from platformdirs import user_cache_path

ROOT = Path(__file__).resolve().parents[2]
RUNNING = f"{sys.version_info.major}.{sys.version_info.minor}"
VERSIONS = ("3.11", "3.12", "3.13")
_LEFT_OUT = (
    ".git",
    ".venv",
    ".hypothesis",
    ".ruff_cache",
    "__pycache__",
    "*.egg-info",
    "_build",
    "build",
    "dist",
    "runs",
)
_UV = (sys.executable, "-m", "uv")


@dataclass(frozen=True, slots=True)
class Combination:
    """A Python, and which versions of the dependencies it has.

    Attributes:
        version: of Python, such as `"3.12"`.
        interpreter: that the environment is made with.
        lowest: the lowest allowed versions, else the latest.
    """

    version: str
    interpreter: Path
    lowest: bool

    def __str__(self) -> str:
        return f"Python {self.version}, {'lowest' if self.lowest else 'latest'} versions"

    @property
    def folder(self) -> Path:
        """The environment's, by what the project allows."""
        allowed = hashlib.sha256((ROOT / "pyproject.toml").read_bytes()).hexdigest()[:12]
        name = f"{self.version}-{'lowest' if self.lowest else 'latest'}"
        return user_cache_path("thoughtgraph") / "compatibility" / allowed / name

    @property
    def python(self) -> Path:
        """The environment's own Python."""
        return self.folder / "bin" / "python"


def combinations() -> list[Combination]:
    """Every Python that runs here with the lowest and with the latest versions."""
    found = {version: interpreter for version in VERSIONS if (interpreter := _interpreter(version))}
    return [Combination(version, found[version], lowest) for lowest in (True, False) for version in found]


def _interpreter(version: str) -> Path | None:
    """A Python of that version; a version manager's shim may be there and yet refuse to run."""
    managed = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    named = [Path(place) / f"python{version}" for place in os.get_exec_path()]
    for candidate in (Path(sys.executable), *sorted(managed.glob(f"{version}.*/bin/python")), *named):
        program = "import sys, sqlite3, ssl; print('%d.%d' % sys.version_info[:2])"
        try:
            said = subprocess.run([candidate, "-c", program], capture_output=True, text=True, timeout=30, check=True)
        except (OSError, subprocess.SubprocessError):
            continue
        if said.stdout.strip() == version:
            return candidate
    return None


def copied_checkout(place: Path) -> Path:
    """A copy of the checkout, which is neither written to nor changed by anyone meanwhile."""
    return Path(shutil.copytree(ROOT, place / "checkout", ignore=shutil.ignore_patterns(*_LEFT_OUT)))


def prepared(combination: Combination, checkout: Path) -> str:
    """Install what is missing, and the wheel; returns how it went.

    Raises:
        subprocess.CalledProcessError: the versions do not go together, or cannot be had.
    """
    started = time.monotonic()
    ready = combination.folder / "ready"
    cold = not ready.exists()
    note = ""
    if cold:
        _uv(
            "venv",
            "--quiet",
            "--clear",
            "--seed",
            "--no-project",
            "--python",
            combination.interpreter,
            combination.folder,
        )
    if cold or not combination.lowest:
        # What is latest may be another version today.
        resolution = "lowest-direct" if combination.lowest else "highest"
        project = ("-r", checkout / "pyproject.toml", "--extra", "dev", "--resolution", resolution, "--upgrade")
        try:
            _uv("pip", "install", "--quiet", "--python", combination.python, *project)
        except subprocess.CalledProcessError:
            if cold:
                raise
            note = ", not looked for newer versions"
    wheel = _wheel(combination, checkout)
    _uv("pip", "install", "--quiet", "--python", combination.python, "--no-deps", "--reinstall", wheel)
    ready.touch()
    return f"{'installed' if cold else 'ready'} in {time.monotonic() - started:.0f} s{note}"


def _wheel(combination: Combination, checkout: Path) -> Path:
    """Built from the checkout, with the lowest or the latest allowed version of what builds it."""
    work = checkout.parent / f"wheel-{combination.folder.name}"
    source = Path(shutil.copytree(checkout, work / "source"))
    constraint = work / "constraint.txt"
    wanted: list[str] = _project()["build-system"]["requires"]
    lines = [re.sub(">=", "==", name) for name in wanted] if combination.lowest else []
    constraint.write_text("\n".join(lines))
    python = ("--python", combination.interpreter)
    _uv("build", "--quiet", "--wheel", *python, "--build-constraint", constraint, "--out-dir", work / "dist", source)
    return next((work / "dist").glob("*.whl"))


def unreached_bounds(combination: Combination) -> list[str]:
    """Lower bounds that nobody can have, as other dependencies want more: they would promise what is never tried."""
    listed = subprocess.run(
        [*_UV, "pip", "list", "--quiet", "--format", "json", "--python", str(combination.python)],
        capture_output=True,
        text=True,
        check=True,
        env=_environment(),
    )
    installed = {each["name"]: Version(each["version"]) for each in json.loads(listed.stdout)}
    project: dict[str, Any] = _project()["project"]
    wanted = [
        *project["dependencies"],
        *(name for extra in project["optional-dependencies"].values() for name in extra),
    ]
    lines: list[str] = []
    for requirement in map(Requirement, wanted):
        low = next((Version(each.version) for each in requirement.specifier if each.operator == ">="), None)
        there = installed.get(requirement.name)
        if low is None or there is None:
            continue
        if there.release[: len(low.release)] != low.release:
            lines.append(f"{combination}: {requirement.name}>={low} cannot be had, {there} is the lowest that can")
    return lines


def _project() -> dict[str, Any]:
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def _uv(*arguments: str | Path) -> None:
    subprocess.run(
        [*_UV, *map(str, arguments)],
        check=True,
        text=True,
        env=_environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=1800,
    )


def _environment() -> dict[str, str]:
    """Where pip has been told to look, uv looks, too."""
    told = {"UV_INDEX_STRATEGY": "unsafe-best-match"}
    for option, variable, between in _PLACES:
        command = [sys.executable, "-m", "pip", "config", "get", f"global.{option}"]
        said = subprocess.run(command, capture_output=True, text=True, check=False)
        if said.returncode == 0 and said.stdout.strip():
            told[variable] = between.join(said.stdout.split())
    return {**told, **os.environ}


_PLACES = (
    ("index-url", "UV_DEFAULT_INDEX", " "),
    ("extra-index-url", "UV_INDEX", " "),
    ("find-links", "UV_FIND_LINKS", ","),
)
"""pip's option, uv's variable, and what stands between several places in it."""
