"""thoughtgraph: reasoning loops for LangGraph, checked reply by checked reply, and readable afterwards as a graph.

Names are loaded when they are first used, so that `import thoughtgraph` costs next to nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .graphs.reflection import create_reflection_graph
    from .graphs.state import Attempt, StopReason
    from .nodes.chain_of_thought import CHAIN_OF_THOUGHT_PROMPT, chain_of_thought_parser
    from .nodes.code import python_parser
    from .nodes.contract import ParseDict, Parser, ParseResult, pipe
    from .nodes.generate import GeneratedFile, agenerate_with_retry, create_file_node, generate_with_retry
    from .nodes.json_reply import json_parser
    from .nodes.markdown_blocks import ParsedFile, parse_markdown_blocks, parse_markdown_with_skip
    from .nodes.retry import athink_with_retry, think_with_retry
    from .nodes.sections import multi_section_parser
    from .nodes.think import Thought, ThoughtPiece, astream_think, athink, stream_think, think
    from .nodes.transport import Backoff
    from .runtime.models import open_model
    from .tools.files import save_file
    from .tools.limits import CheckFailure, Limits, SandboxVerdict
    from .tools.python_tests import PythonTests
    from .tools.sandbox import arun, arun_project, run, run_project
    from .tools.verdict import Verdict, Verifier
    from .trace.context_graph import ContextGraph
    from .trace.errors import (
        GraphShapeError,
        ModelSetupError,
        ModelUnavailableError,
        ParseFailedError,
        ParserContractError,
        RunFileError,
        ThoughtGraphError,
        TruncatedError,
        UnsafeFileNameError,
        VerifierContractError,
    )
    from .trace.events import Event, recording

__version__ = "0.1.0"

_MODULES = {
    "graphs.reflection": ("create_reflection_graph",),
    "graphs.state": ("Attempt", "StopReason"),
    "nodes.chain_of_thought": ("CHAIN_OF_THOUGHT_PROMPT", "chain_of_thought_parser"),
    "nodes.code": ("python_parser",),
    "nodes.contract": ("ParseDict", "ParseResult", "Parser", "pipe"),
    "nodes.generate": ("GeneratedFile", "agenerate_with_retry", "create_file_node", "generate_with_retry"),
    "nodes.json_reply": ("json_parser",),
    "nodes.markdown_blocks": ("ParsedFile", "parse_markdown_blocks", "parse_markdown_with_skip"),
    "nodes.retry": ("athink_with_retry", "think_with_retry"),
    "nodes.sections": ("multi_section_parser",),
    "nodes.think": ("Thought", "ThoughtPiece", "astream_think", "athink", "stream_think", "think"),
    "nodes.transport": ("Backoff",),
    "runtime.models": ("open_model",),
    "tools.files": ("save_file",),
    "tools.limits": ("CheckFailure", "Limits", "SandboxVerdict"),
    "tools.python_tests": ("PythonTests",),
    "tools.sandbox": ("arun", "arun_project", "run", "run_project"),
    "tools.verdict": ("Verdict", "Verifier"),
    "trace.context_graph": ("ContextGraph",),
    "trace.errors": (
        "GraphShapeError",
        "ModelSetupError",
        "ModelUnavailableError",
        "ParseFailedError",
        "ParserContractError",
        "RunFileError",
        "ThoughtGraphError",
        "TruncatedError",
        "UnsafeFileNameError",
        "VerifierContractError",
    ),
    "trace.events": ("Event", "recording"),
}
_HOME = {name: module for module, names in _MODULES.items() for name in names}

__all__ = [
    "CHAIN_OF_THOUGHT_PROMPT",
    "Attempt",
    "Backoff",
    "CheckFailure",
    "ContextGraph",
    "Event",
    "GeneratedFile",
    "GraphShapeError",
    "Limits",
    "ModelSetupError",
    "ModelUnavailableError",
    "ParseDict",
    "ParseFailedError",
    "ParseResult",
    "ParsedFile",
    "Parser",
    "ParserContractError",
    "PythonTests",
    "RunFileError",
    "SandboxVerdict",
    "StopReason",
    "Thought",
    "ThoughtGraphError",
    "ThoughtPiece",
    "TruncatedError",
    "UnsafeFileNameError",
    "Verdict",
    "Verifier",
    "VerifierContractError",
    "agenerate_with_retry",
    "arun",
    "arun_project",
    "astream_think",
    "athink",
    "athink_with_retry",
    "chain_of_thought_parser",
    "create_file_node",
    "create_reflection_graph",
    "generate_with_retry",
    "json_parser",
    "multi_section_parser",
    "open_model",
    "parse_markdown_blocks",
    "parse_markdown_with_skip",
    "pipe",
    "python_parser",
    "recording",
    "run",
    "run_project",
    "save_file",
    "stream_think",
    "think",
    "think_with_retry",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'thoughtgraph' has no attribute {name!r}")
    value = getattr(import_module(f".{_HOME[name]}", __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
