"""The promises of the package itself: what imports what, what is public, what the wheel holds."""

from __future__ import annotations

import ast
import inspect
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
import thoughtgraph

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("graphs", "nodes", "runtime", "tools", "trace")
MAY_IMPORT = {
    "graphs": {"graphs", "nodes", "tools", "trace"},
    "tools": {"tools", "nodes", "trace"},
    "nodes": {"nodes", "trace"},
    "trace": {"trace"},
    "runtime": set(PACKAGES),
}
MODULES = sorted(path for package in PACKAGES for path in (ROOT / package).rglob("*.py"))
PUBLIC = [getattr(thoughtgraph, name) for name in thoughtgraph.__all__]


def imported_package(path: Path, node: ast.ImportFrom) -> str:
    """The package of ours that a relative import reaches, from any depth of folders."""
    parts = path.relative_to(ROOT).parts[: -node.level]
    return (*parts, *(node.module or "").split("."))[0]


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_packages_import_only_in_the_allowed_direction(path: Path) -> None:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.level:
            package = imported_package(path, node)
            assert package in MAY_IMPORT[path.relative_to(ROOT).parts[0]], f"line {node.lineno} imports {package}"
        if isinstance(node, ast.ImportFrom) and node.level == 0 and path.name != "deploy.py":
            assert not (node.module or "").startswith("thoughtgraph"), f"line {node.lineno}: use a relative import"


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_model_written_code_is_executed_nowhere_but_in_the_sandboxs_harness(path: Path) -> None:
    calls = {
        node.func.id
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    }
    if path.parent.name != "inside":
        assert not calls & {"exec", "eval"}


def test_every_public_name_is_listed_once_and_can_be_loaded() -> None:
    listed = thoughtgraph.__all__
    assert sorted(listed) == sorted(set(listed)) == sorted(thoughtgraph._HOME)  # pyright: ignore[reportPrivateUsage]
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        thoughtgraph.nonsense  # noqa: B018


def test_every_public_function_and_class_is_documented() -> None:
    undocumented = [
        item.__name__
        for item in PUBLIC
        if (inspect.isfunction(item) or inspect.isclass(item)) and not (item.__doc__ or "").strip()
    ]
    assert undocumented == []


def test_every_twin_takes_the_same_arguments() -> None:
    for name in thoughtgraph.__all__:
        twin = getattr(thoughtgraph, f"a{name}", None)
        if twin is not None:
            one = inspect.signature(getattr(thoughtgraph, name))
            assert list(one.parameters.values()) == list(inspect.signature(twin).parameters.values()), name


def test_errors_have_one_root() -> None:
    errors = [item for item in PUBLIC if inspect.isclass(item) and issubclass(item, Exception)]
    assert len(errors) > 5
    assert all(issubclass(error, thoughtgraph.ThoughtGraphError) for error in errors)


def test_importing_the_package_loads_nothing_heavy() -> None:
    program = (
        "import sys, thoughtgraph; "
        "print([m for m in ('langgraph', 'langchain_core', 'networkx', 'xllamacpp', 'openai') if m in sys.modules])"
    )
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[]"


def test_importing_the_loops_loads_no_provider() -> None:
    program = (
        "import sys; from thoughtgraph import create_plan_act_graph, create_reflection_graph, PythonTests; "
        "optional = ('openai', 'langchain_openai', 'xllamacpp', 'ddgs', 'bs4', 'dateparser', 'thoughtgraph.cli'); "
        "print([m for m in optional if m in sys.modules], [m for m in sys.modules if 'thoughtgraph.runtime' in m])"
    )
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[] []"


def test_the_wheel_holds_every_package_and_nothing_else(tmp_path: Path) -> None:
    # Built from a copy: a build folder left in the tree would be taken into the wheel.
    source = tmp_path / "source"
    shutil.copytree(ROOT, source, ignore=shutil.ignore_patterns(".*", "build", "runs", "*.egg-info", "__pycache__"))
    command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(tmp_path), str(source)]
    subprocess.run(command, capture_output=True, check=True)
    with zipfile.ZipFile(next(tmp_path.glob("*.whl"))) as wheel:
        held = {name for name in wheel.namelist() if ".dist-info/" not in name}
        licences = [name for name in wheel.namelist() if name.endswith("LICENSE")]
    tree = {f"thoughtgraph/{path.relative_to(ROOT)}" for path in MODULES}
    top = {f"thoughtgraph/{name}" for name in ("__init__.py", "__main__.py", "cli.py", "py.typed")}
    data = {f"thoughtgraph/trace/{name}" for name in ("page.html", "page.css", "page.js", "page_events.js")}
    assert held == tree | top | data
    assert licences
