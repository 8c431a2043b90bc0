"""The promises of the house: which room imports which, what each room offers, what the wheel holds."""

from __future__ import annotations

import ast
import importlib
import inspect
import pkgutil
import re
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import TypeVar

import networkx as nx
import pytest
import thoughtgraph
from support.paths import ROOT

pytestmark = pytest.mark.slow

Node = TypeVar("Node", bound=ast.AST)
GROUND = {"_internal", "errors"}
TRACES = {"traces", *GROUND}
MODELS = {"models", "parsers", *TRACES}
TOOLS = {"tools", "memory", "checkpoints", *MODELS}
GRAPHS = {"graphs", "nodes", *TOOLS}
MAY_IMPORT = {
    "_internal": GROUND,
    "errors": GROUND,
    "traces": TRACES,
    "parsers": {"parsers", *TRACES},
    "models": MODELS,
    "memory": {"memory", *TRACES},
    "checkpoints": {"checkpoints", *TRACES},
    "tools": TOOLS,
    "nodes": {"nodes", *TOOLS},
    "graphs": GRAPHS,
    "evaluation": {"evaluation", *GRAPHS},
    "assistant": {"assistant", "evaluation", *GRAPHS},
    "cli": {"cli", "assistant", "evaluation", *GRAPHS},
}
"""The table of rooms: what each imports from, itself included; no arrow goes back."""
ROOMS = [room for room in MAY_IMPORT if room != "errors"]
MODULES = sorted([ROOT / "errors.py", *(path for room in ROOMS for path in (ROOT / room).rglob("*.py"))])
_PAGE = ("page.html", "page.css", "page.js", "page_events.js", "page_loop.js", "tables.css", "tables.js")
STUBS = sorted([ROOT / "__init__.pyi", *(path for room in ROOMS for path in (ROOT / room).rglob("*.pyi"))])
MOST_FILES, MOST_LINES = 12, 300


def module_of(path: Path, root: Path) -> tuple[str, ...]:
    """A file's place in the package."""
    return path.relative_to(root).with_suffix("").parts


def imports(path: Path, root: Path) -> Iterator[tuple[int, tuple[str, ...]]]:
    """The line and the module of every relative import in a file, at whatever depth and level it is written."""
    package = module_of(path, root)[:-1]
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if not isinstance(node, ast.ImportFrom) or not node.level:
            continue
        base = (*package[: len(package) - node.level + 1], *(node.module.split(".") if node.module else ()))
        for alias in node.names:
            inside = (*base, alias.name)
            is_module = (root.joinpath(*inside).with_suffix(".py")).exists() or root.joinpath(*inside).is_dir()
            yield node.lineno, inside if is_module else base


def wrong_ways(root: Path) -> list[str]:
    """Imports that no room of the table allows, and circles between files."""
    files = [path for path in root.rglob("*.py") if module_of(path, root)[0] in MAY_IMPORT]
    graph: nx.DiGraph[str] = nx.DiGraph()
    found: list[str] = []
    for path in files:
        own = module_of(path, root)
        for line, target in imports(path, root):
            graph.add_edge(".".join(own), ".".join(target))
            if not target or target[0] not in MAY_IMPORT[own[0]]:
                found.append(f"{path.relative_to(root)}:{line} imports {'.'.join(target) or 'the top level'}")
    circles = [sorted(circle) for circle in nx.strongly_connected_components(graph) if len(circle) > 1]
    return found + [f"a circle: {' '.join(circle)}" for circle in circles]


def test_rooms_import_downwards_only_and_no_files_import_each_other() -> None:
    assert wrong_ways(ROOT) == []


@pytest.mark.parametrize(
    ("name", "line", "found"),
    [
        ("traces/page/deep.py", "from ...graphs import shape", "imports graphs.shape"),
        ("traces/page/deep.py", "def f():\n    from ... import graphs", "imports graphs"),
        ("nodes/plan_act/prompts/deep.py", "from ....graphs.shape import check_shape", "imports graphs.shape"),
        ("memory/deep.py", "from ..parsers.code import python_parser", "imports parsers.code"),
        ("models/deep.py", "from ..memory import lessons", "imports memory.lessons"),
        ("graphs/deep.py", "from .. import create_reflection_graph", "imports the top level"),
        ("graphs/shape.py", "from .reflection import edges", "a circle"),
    ],
)
def test_a_planted_import_is_found(tmp_path: Path, name: str, line: str, found: str) -> None:
    for path, text in {
        "graphs/shape.py": "",
        "graphs/reflection/edges.py": "from ..shape import check_shape\n",
        "parsers/code.py": "",
        "memory/lessons.py": "",
        name: line,
    }.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text, encoding="utf-8")
    assert [problem for problem in wrong_ways(tmp_path) if found in problem]


def nodes(kind: type[Node]) -> Iterator[tuple[Path, Node]]:
    """The nodes of one kind in every file, with the file."""
    for path in MODULES:
        yield from ((path, node) for node in ast.walk(ast.parse(path.read_bytes())) if isinstance(node, kind))


def test_imports_of_our_own_are_relative() -> None:
    absolute = [(path, node) for path, node in nodes(ast.ImportFrom) if not node.level and path.name != "deploy.py"]
    ours = [(path, node) for path, node in absolute if (node.module or "").startswith("thoughtgraph")]
    assert [f"{path.relative_to(ROOT)}:{node.lineno}" for path, node in ours] == []


def test_a_folder_holds_a_dozen_files_at_most() -> None:
    counts = {folder: len(list(folder.glob("*.py"))) for folder in {path.parent for path in MODULES} - {ROOT}}
    assert {str(folder.relative_to(ROOT)): count for folder, count in counts.items() if count > MOST_FILES} == {}


def test_a_long_file_gives_its_reason() -> None:
    texts = {str(path.relative_to(ROOT)): path.read_text(encoding="utf-8") for path in MODULES}
    long = {name: text for name, text in texts.items() if len(text.splitlines()) > MOST_LINES}
    reasons = {name: ast.get_docstring(ast.parse(text)) or "" for name, text in long.items()}
    assert [name for name, reason in reasons.items() if "One file because" not in reason] == []


def undescribed(root: Path) -> dict[str, set[str]]:
    """By class, the keys of a state or an input that its docstring has no line for, or that it alone has."""
    found: dict[str, set[str]] = {}
    for path in (path for path in root.rglob("*.py") if module_of(path, root)[0] in MAY_IMPORT):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.ClassDef) or not node.name.endswith(("State", "Input")):
                continue
            if (keys := _keys(node)) != (told := _told(node)):
                found[node.name] = keys ^ told
    return found


def _keys(node: ast.ClassDef) -> set[str]:
    return {one.target.id for one in node.body if isinstance(one, ast.AnnAssign) and isinstance(one.target, ast.Name)}


def _told(node: ast.ClassDef) -> set[str]:
    section = (ast.get_docstring(node) or "").partition("Attributes:\n")[2]
    return set(re.findall(r"^    (\w+): \S", section, re.MULTILINE))


def test_every_key_of_a_state_and_of_an_input_is_described() -> None:
    assert undescribed(ROOT) == {}


@pytest.mark.parametrize(
    ("doc", "found"),
    [
        ("All.\n\n    Attributes:\n        goal: of the run.\n        cut: of\n            it.", {}),
        ("All.\n\n    Attributes:\n        goal: of the run.", {"LoopState": {"cut"}}),
        ("All.", {"LoopState": {"goal", "cut"}}),
        ("All.\n\n    Attributes:\n        goal: a.\n        cut: b.\n        gaol: c.", {"LoopState": {"gaol"}}),
    ],
)
def test_a_key_without_a_line_and_a_line_without_a_key_are_found(
    tmp_path: Path, doc: str, found: dict[str, set[str]]
) -> None:
    (tmp_path / "nodes").mkdir()
    code = f'class LoopState(TypedDict):\n    """{doc}\n    """\n\n    goal: str\n    cut: int\n'
    (tmp_path / "nodes" / "state.py").write_text(code, encoding="utf-8")
    assert undescribed(tmp_path) == found


def test_model_written_code_is_executed_nowhere_but_in_the_sandboxs_harness() -> None:
    calls = [(path, node.lineno, node.func) for path, node in nodes(ast.Call) if "inside" not in path.parts]
    run = [(path, line) for path, line, name in calls if isinstance(name, ast.Name) and name.id in ("exec", "eval")]
    assert [f"{path.relative_to(ROOT)}:{line}" for path, line in run] == []


def rooms() -> Iterator[ModuleType]:
    """The top level and every room that offers names."""
    for path in STUBS:
        yield importlib.import_module(".".join(("thoughtgraph", *path.parent.relative_to(ROOT).parts)))


@pytest.mark.parametrize("room", list(rooms()), ids=lambda room: room.__name__)
def test_every_name_of_a_room_can_be_loaded_and_is_documented(room: ModuleType) -> None:
    assert room.__doc__
    assert len(set(room.__all__)) == len(room.__all__) > 0
    assert set(room.__all__) <= set(dir(room))
    assert not hasattr(room, "nonsense")
    for name, item in inspect.getmembers(room):
        if name in room.__all__ and (inspect.isfunction(item) or inspect.isclass(item)):
            assert (item.__doc__ or "").strip(), f"{name} has no docstring"


def test_the_top_level_offers_some_thirty_names() -> None:
    assert 25 <= len(thoughtgraph.__all__) <= 35
    assert {name: thoughtgraph.__dict__.get(name) for name in thoughtgraph.__all__} != {}


def test_a_star_import_pydoc_and_the_modules_of_the_package_need_no_extra() -> None:
    extras = (
        "langchain",
        "xllamacpp",
        "ddgs",
        "matplotlib",
        "opentelemetry",
        "pandas",
        "psycopg",
        "psycopg_pool",
        "ray",
        "pytest",
        "IPython",
        "inspect_ai",
    )
    program = (
        "import sys\n"
        f"for name in {extras!r}: sys.modules[name] = None\n"
        "from thoughtgraph import *\n"
        "import pydoc, inspect, thoughtgraph\n"
        "assert 'create_reflection_graph' in pydoc.render_doc(thoughtgraph, renderer=pydoc.plaintext)\n"
        "assert len(inspect.getmembers(thoughtgraph)) >= 30 and callable(create_reflection_graph)\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


def test_a_function_is_not_hidden_by_a_module_of_its_name() -> None:
    for room in rooms():
        for info in pkgutil.iter_modules(room.__path__):
            if info.name in room.__all__:
                importlib.import_module(f"{room.__name__}.{info.name}")
                assert not inspect.ismodule(getattr(room, info.name)), f"{room.__name__}.{info.name}"


def test_every_twin_takes_the_same_arguments() -> None:
    for room in rooms():
        for name in room.__all__:
            twin = getattr(room, f"a{name}", None)
            if twin is not None:
                one = inspect.signature(getattr(room, name))
                assert list(one.parameters.values()) == list(inspect.signature(twin).parameters.values()), name


def test_every_error_is_in_one_module_and_has_one_root() -> None:
    errors = importlib.import_module("thoughtgraph.errors")
    public = [item for _, item in inspect.getmembers(errors, inspect.isclass) if issubclass(item, Exception)]
    assert len(public) > 15
    assert all(issubclass(error, thoughtgraph.ThoughtGraphError) for error in public)
    elsewhere = [
        f"{path.relative_to(ROOT)}: {node.name}"
        for path in MODULES
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ClassDef) and node.name.endswith("Error") and path.name != "errors.py"
        # What runs in the sandbox has nothing of ours around it.
        if "inside" not in path.parts and not node.name.startswith("_")
    ]
    assert elsewhere == []


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
        "optional = ('openai', 'langchain_openai', 'xllamacpp', 'ddgs', 'bs4', 'dateparser'); "
        "above = tuple('thoughtgraph.' + room for room in ('cli', 'assistant', 'evaluation', 'models.local')); "
        "print([m for m in optional if m in sys.modules], [m for m in sys.modules if m.startswith(above)])"
    )
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[] []"


def test_help_and_completion_wait_for_no_loop_and_no_client() -> None:
    program = (
        "import sys, thoughtgraph.cli.main; "
        "heavy = ('langchain_core', 'langgraph', 'pydantic', 'httpx', 'networkx'); "
        "print([m for m in heavy if m in sys.modules])"
    )
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[]"


def test_the_wheel_holds_every_package_and_nothing_else(tmp_path: Path) -> None:
    # Built from a copy: a build folder left in the tree would be taken into the wheel.
    source = tmp_path / "source"
    shutil.copytree(ROOT, source, ignore=shutil.ignore_patterns(".*", "build", "runs", "*.egg-info", "__pycache__"))
    command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(tmp_path), str(source)]
    subprocess.run(command, capture_output=True, check=True)
    with zipfile.ZipFile(next(tmp_path.glob("*.whl"))) as wheel:
        held = {name for name in wheel.namelist() if ".dist-info/" not in name}
        licenses = [name for name in wheel.namelist() if name.endswith("LICENSE")]
    tree = {f"thoughtgraph/{path.relative_to(ROOT)}" for path in (*MODULES, *STUBS)}
    top = {f"thoughtgraph/{name}" for name in ("__init__.py", "__main__.py", "py.typed")}
    data = {f"thoughtgraph/traces/page/{name}" for name in _PAGE}
    data |= {f"thoughtgraph/tools/agenda/examples/{language}.jsonl" for language in ("en", "zh")}
    assert held == tree | top | data
    assert licenses


def test_no_group_of_a_pattern_is_possessive() -> None:
    # Before Python 3.11.5, such a group may stop, or go on, where one of its alternatives fails.
    possessive = re.compile(r"(?<![\\(])\)(?:[*+?]|\{{1,2}\d+(?:,\d*)?\}{1,2})\+")
    assert possessive.search(r"(?:a|b)*+") and possessive.search(r"(?:a|b){{0,3}}+")
    assert not possessive.search(r"[()*+]") and not possessive.search(r"(?:a|b)*")
    lines = [(path, line) for path in MODULES for line in path.read_text(encoding="utf-8").splitlines()]
    assert [(path.name, line) for path, line in lines if possessive.search(line)] == []
