"""thoughtgraph: reasoning loops for LangGraph, checked reply by checked reply, and readable afterwards as a graph.

Names are loaded when they are first used, so that `import thoughtgraph` costs next to nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .graphs.guards import Guards
    from .graphs.middleware import BudgetGuard, DuplicateCallGuard, ErrorRateGuard, LoopGuard
    from .graphs.paired import pair_graphs
    from .graphs.plan_act import create_plan_act_graph
    from .graphs.plan_state import Clarification, Observation, PlanItem
    from .graphs.reflection import create_reflection_graph, reflection_modes, register_reflection_mode
    from .graphs.reflection_nodes import Collaborators
    from .graphs.state import Attempt, StopReason
    from .nodes.chain_of_thought import CHAIN_OF_THOUGHT_PROMPT, chain_of_thought_parser
    from .nodes.code import python_parser
    from .nodes.context import ContextComponent, Coordinator, complexity, task_type
    from .nodes.contract import ParseDict, Parser, ParseResult, pipe
    from .nodes.critique import critique_parser
    from .nodes.examples import PlanExample, ToolExample
    from .nodes.generate import GeneratedFile, agenerate_with_retry, create_file_node, generate_with_retry
    from .nodes.guidance import ResultAnalysis, TaskHandler, analyze_tool_results, generate_guidance
    from .nodes.json_reply import json_parser
    from .nodes.lessons import Lesson, Memory
    from .nodes.markdown_blocks import ParsedFile, parse_markdown_blocks, parse_markdown_with_skip
    from .nodes.retry import athink_with_retry, think_with_retry
    from .nodes.sections import multi_section_parser
    from .nodes.self_reflection import reflection_parser
    from .nodes.think import Thought, ThoughtPiece, astream_think, athink, stream_think, think
    from .nodes.transport import Backoff
    from .runtime.assistant import Assistant
    from .runtime.checkpoints import Checkpoints
    from .runtime.compare import acompare_modes, compare_modes
    from .runtime.conditions import Condition
    from .runtime.datasets import CodingTask, load_tasks
    from .runtime.failure_memory import FailureMemory, open_failure_memory
    from .runtime.models import open_model
    from .runtime.persistence import open_checkpoints
    from .runtime.plot import save_plot
    from .runtime.sqlite import SqliteCheckpoints
    from .runtime.watch import awatch, watch
    from .tools.agenda import Agenda
    from .tools.appointments import Appointment
    from .tools.bing import BingSearchProvider
    from .tools.duckduckgo import DuckDuckGoSearchProvider
    from .tools.executor import ToolExecutor, ToolResult
    from .tools.files import save_file
    from .tools.idempotency import idempotency_key
    from .tools.python_tests import PythonTests
    from .tools.sandbox import CheckFailure, Limits, SandboxVerdict, arun, arun_project, run, run_project
    from .tools.schedule import schedule_tool
    from .tools.search import SearchProvider, SearchQueryError, SearchResult, internet_search_tool
    from .tools.solver import solver_tool
    from .tools.todo import todo_tool
    from .tools.todo_items import Todo
    from .tools.verdict import Verdict, Verifier
    from .trace.context_graph import ContextGraph
    from .trace.errors import (
        CheckpointError,
        CommandError,
        GraphShapeError,
        MemoryStoreError,
        MissingCheckpointerError,
        ModelSetupError,
        ModelUnavailableError,
        ParseFailedError,
        ParserContractError,
        RedirectRefusedError,
        RunFileError,
        SearchError,
        ThoughtGraphError,
        ThreadConflictError,
        TruncatedError,
        UnsafeFileNameError,
        VerifierContractError,
    )
    from .trace.events import Event, recording
    from .trace.metrics import MetricsSummary, RunMetrics, run_metrics, summarize
    from .trace.page import page
    from .trace.streaming import astream_events, stream_events
    from .trace.telemetry import MissingTelemetryError, instrument, uninstrument

__version__ = "0.1.0"

_MODULES = {
    "graphs.guards": ("Guards",),
    "graphs.middleware": ("BudgetGuard", "DuplicateCallGuard", "ErrorRateGuard", "LoopGuard"),
    "graphs.paired": ("pair_graphs",),
    "graphs.plan_act": ("create_plan_act_graph",),
    "graphs.plan_state": ("Clarification", "Observation", "PlanItem"),
    "graphs.reflection": ("create_reflection_graph", "reflection_modes", "register_reflection_mode"),
    "graphs.reflection_nodes": ("Collaborators",),
    "graphs.state": ("Attempt", "StopReason"),
    "nodes.chain_of_thought": ("CHAIN_OF_THOUGHT_PROMPT", "chain_of_thought_parser"),
    "nodes.code": ("python_parser",),
    "nodes.context": ("ContextComponent", "Coordinator", "complexity", "task_type"),
    "nodes.contract": ("ParseDict", "ParseResult", "Parser", "pipe"),
    "nodes.critique": ("critique_parser",),
    "nodes.examples": ("PlanExample", "ToolExample"),
    "nodes.generate": ("GeneratedFile", "agenerate_with_retry", "create_file_node", "generate_with_retry"),
    "nodes.guidance": ("ResultAnalysis", "TaskHandler", "analyze_tool_results", "generate_guidance"),
    "nodes.json_reply": ("json_parser",),
    "nodes.lessons": ("Lesson", "Memory"),
    "nodes.markdown_blocks": ("ParsedFile", "parse_markdown_blocks", "parse_markdown_with_skip"),
    "nodes.retry": ("athink_with_retry", "think_with_retry"),
    "nodes.sections": ("multi_section_parser",),
    "nodes.self_reflection": ("reflection_parser",),
    "nodes.think": ("Thought", "ThoughtPiece", "astream_think", "athink", "stream_think", "think"),
    "nodes.transport": ("Backoff",),
    "runtime.assistant": ("Assistant",),
    "runtime.checkpoints": ("Checkpoints",),
    "runtime.compare": ("acompare_modes", "compare_modes"),
    "runtime.conditions": ("Condition",),
    "runtime.datasets": ("CodingTask", "load_tasks"),
    "runtime.failure_memory": ("FailureMemory", "open_failure_memory"),
    "runtime.models": ("open_model",),
    "runtime.persistence": ("open_checkpoints",),
    "runtime.plot": ("save_plot",),
    "runtime.sqlite": ("SqliteCheckpoints",),
    "runtime.watch": ("awatch", "watch"),
    "tools.agenda": ("Agenda",),
    "tools.appointments": ("Appointment",),
    "tools.bing": ("BingSearchProvider",),
    "tools.duckduckgo": ("DuckDuckGoSearchProvider",),
    "tools.executor": ("ToolExecutor", "ToolResult"),
    "tools.files": ("save_file",),
    "tools.idempotency": ("idempotency_key",),
    "tools.python_tests": ("PythonTests",),
    "tools.sandbox": ("CheckFailure", "Limits", "SandboxVerdict", "arun", "arun_project", "run", "run_project"),
    "tools.schedule": ("schedule_tool",),
    "tools.search": ("SearchProvider", "SearchQueryError", "SearchResult", "internet_search_tool"),
    "tools.solver": ("solver_tool",),
    "tools.todo": ("todo_tool",),
    "tools.todo_items": ("Todo",),
    "tools.verdict": ("Verdict", "Verifier"),
    "trace.context_graph": ("ContextGraph",),
    "trace.errors": (
        "CheckpointError",
        "CommandError",
        "GraphShapeError",
        "MemoryStoreError",
        "MissingCheckpointerError",
        "ModelSetupError",
        "ModelUnavailableError",
        "ParseFailedError",
        "ParserContractError",
        "RedirectRefusedError",
        "RunFileError",
        "SearchError",
        "ThoughtGraphError",
        "ThreadConflictError",
        "TruncatedError",
        "UnsafeFileNameError",
        "VerifierContractError",
    ),
    "trace.events": ("Event", "recording"),
    "trace.metrics": ("MetricsSummary", "RunMetrics", "run_metrics", "summarize"),
    "trace.page": ("page",),
    "trace.streaming": ("astream_events", "stream_events"),
    "trace.telemetry": ("MissingTelemetryError", "instrument", "uninstrument"),
}
_HOME = {name: module for module, names in _MODULES.items() for name in names}

__all__ = [
    "CHAIN_OF_THOUGHT_PROMPT",
    "Agenda",
    "Appointment",
    "Assistant",
    "Attempt",
    "Backoff",
    "BingSearchProvider",
    "BudgetGuard",
    "CheckFailure",
    "CheckpointError",
    "Checkpoints",
    "Clarification",
    "CodingTask",
    "Collaborators",
    "CommandError",
    "Condition",
    "ContextComponent",
    "ContextGraph",
    "Coordinator",
    "DuckDuckGoSearchProvider",
    "DuplicateCallGuard",
    "ErrorRateGuard",
    "Event",
    "FailureMemory",
    "GeneratedFile",
    "GraphShapeError",
    "Guards",
    "Lesson",
    "Limits",
    "LoopGuard",
    "Memory",
    "MemoryStoreError",
    "MetricsSummary",
    "MissingCheckpointerError",
    "MissingTelemetryError",
    "ModelSetupError",
    "ModelUnavailableError",
    "Observation",
    "ParseDict",
    "ParseFailedError",
    "ParseResult",
    "ParsedFile",
    "Parser",
    "ParserContractError",
    "PlanExample",
    "PlanItem",
    "PythonTests",
    "RedirectRefusedError",
    "ResultAnalysis",
    "RunFileError",
    "RunMetrics",
    "SandboxVerdict",
    "SearchError",
    "SearchProvider",
    "SearchQueryError",
    "SearchResult",
    "SqliteCheckpoints",
    "StopReason",
    "TaskHandler",
    "Thought",
    "ThoughtGraphError",
    "ThoughtPiece",
    "ThreadConflictError",
    "Todo",
    "ToolExample",
    "ToolExecutor",
    "ToolResult",
    "TruncatedError",
    "UnsafeFileNameError",
    "Verdict",
    "Verifier",
    "VerifierContractError",
    "acompare_modes",
    "agenerate_with_retry",
    "analyze_tool_results",
    "arun",
    "arun_project",
    "astream_events",
    "astream_think",
    "athink",
    "athink_with_retry",
    "awatch",
    "chain_of_thought_parser",
    "compare_modes",
    "complexity",
    "create_file_node",
    "create_plan_act_graph",
    "create_reflection_graph",
    "critique_parser",
    "generate_guidance",
    "generate_with_retry",
    "idempotency_key",
    "instrument",
    "internet_search_tool",
    "json_parser",
    "load_tasks",
    "multi_section_parser",
    "open_checkpoints",
    "open_failure_memory",
    "open_model",
    "page",
    "pair_graphs",
    "parse_markdown_blocks",
    "parse_markdown_with_skip",
    "pipe",
    "python_parser",
    "recording",
    "reflection_modes",
    "reflection_parser",
    "register_reflection_mode",
    "run",
    "run_metrics",
    "run_project",
    "save_file",
    "save_plot",
    "schedule_tool",
    "solver_tool",
    "stream_events",
    "stream_think",
    "summarize",
    "task_type",
    "think",
    "think_with_retry",
    "todo_tool",
    "uninstrument",
    "watch",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'thoughtgraph' has no attribute {name!r}")
    value = getattr(import_module(f".{_HOME[name]}", __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
