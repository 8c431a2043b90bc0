"""LangChain's conventions for tools: arguments that the program fills in, not the model, and `Command` as a result."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from copy import deepcopy
from dataclasses import fields as dataclass_fields
from inspect import Parameter, signature
from types import NoneType
from typing import Any, cast, get_args, get_type_hints

from langchain_core.messages import ToolMessage
from langchain_core.runnables import RunnableConfig
from langchain_core.tools import BaseTool, InjectedToolCallId, StructuredTool, Tool, tool
from langgraph.config import get_config
from langgraph.prebuilt import InjectedState, InjectedStore
from langgraph.prebuilt.tool_node import ToolRuntime
from langgraph.runtime import get_runtime
from langgraph.types import Command
from pydantic import PydanticUserError

from ..._internal.strict_json import entries, mapping
from ...errors import ToolContractError
from ..schemas import input_schema, is_old_model


def as_tool(given: BaseTool | Callable[..., Any]) -> BaseTool:
    """A tool as it is, or one made of a function.

    Raises:
        ValueError: LangChain makes none of it; names the function, since there may be many.
    """
    if isinstance(given, BaseTool):
        return given
    try:
        return tool(given)
    except Exception as problem:
        raise ValueError(f"{getattr(given, '__name__', given)!s:.80} cannot be made a tool: {problem}") from problem


def with_one_argument(tool: Tool) -> StructuredTool:
    """LangChain's tool of one text, as one whose argument has a name and a schema."""
    own: Any = tool

    def call(tool_input: str, config: RunnableConfig) -> Any:
        return own._run(tool_input, config=config)

    async def acall(tool_input: str, config: RunnableConfig) -> Any:
        return await own._arun(tool_input, config=config)

    return StructuredTool.from_function(
        call if tool.func else None,
        acall if tool.coroutine else None,
        name=tool.name,
        description=tool.description,
        return_direct=tool.return_direct,
        response_format=tool.response_format,
        metadata=tool.metadata,
        tags=tool.tags,
        handle_tool_error=tool.handle_tool_error,
        handle_validation_error=tool.handle_validation_error,
        callbacks=tool.callbacks,
    )


def check_injected(tool: BaseTool, fields: Collection[str]) -> None:
    """Refuse a tool with an argument that nothing fills in.

    Args:
        tool: to be called by a loop.
        fields: of the loop's state.

    Raises:
        ValueError: names the tool and the argument.
    """
    for name, about in _fields(tool).items():
        if about.is_required() and not _marks(about):
            raise ValueError(
                f"nothing fills in the argument {name!r} of the tool {tool.name!r}: give it a default, or use "
                "InjectedState, InjectedStore, InjectedToolCallId or ToolRuntime"
            )
        wanted = getattr(_marks(about).get(InjectedState), "field", None)
        if wanted and wanted not in fields:
            raise ValueError(
                f"the state has no {wanted!r}, from which the argument {name!r} of the tool {tool.name!r} is to be "
                "filled: pass it in the run's `context`, and read it from ToolRuntime"
            )


def check_callable(tool: BaseTool) -> None:
    """Refuse a tool whose arguments no model can be told, or whose function cannot be called with them.

    Raises:
        ValueError: names the tool, and the argument.
    """
    try:
        names = shown = {*input_schema(tool)["properties"]}
    except PydanticUserError as problem:
        raise ValueError(f"the arguments of the tool {tool.name!r} have no JSON schema: {problem}") from problem
    if not isinstance(tool.tool_call_schema, dict):
        # As the function is given them: by field, not by alias, and with what is injected.
        full: Any = tool.get_input_schema()
        names = {*(full.__fields__ if is_old_model(full) else full.model_fields)}
    # A class of somebody's own may call its function otherwise.
    forms = (tool.func, tool.coroutine) if type(tool) is StructuredTool else ()
    for form in filter(None, forms):
        try:
            takes, hints = signature(form, follow_wrapped=False).parameters.values(), get_type_hints(form)
        except (NameError, TypeError, ValueError):
            continue
        by_name = {one.name for one in takes if one.kind in (one.POSITIONAL_OR_KEYWORD, one.KEYWORD_ONLY)}
        needed = {one.name for one in takes if one.default is one.empty and one.kind not in _STARRED}
        filled = {"callbacks", *(name for name in hints if hints[name] is RunnableConfig)}
        given = names - _KEPT | filled
        extra = set[str]() if any(one.kind is one.VAR_KEYWORD for one in takes) else names - by_name
        # LangChain leaves out a value under a name of its own without a word; of its own type, none is missed.
        dropped = {
            name for name in shown & _KEPT if RunnableConfig not in (hints.get(name), *get_args(hints.get(name)))
        }
        if lost := sorted(extra | needed - given | needed - by_name | dropped):
            raise ValueError(
                f"the tool {tool.name!r} cannot be called with its argument {lost[0]!r}: its function has to take each "
                "argument of its schema by name, and no others without a default. LangChain keeps the names args, "
                "config, run_manager and self for itself; make a tool of a method from the instance: tool(obj.method)"
            )


_STARRED = (Parameter.VAR_POSITIONAL, Parameter.VAR_KEYWORD)
_KEPT = {"config", "run_manager", "self"}
"""Names that LangChain does not pass on to a tool's function."""


def with_injected(
    tool: BaseTool,
    given: Mapping[str, Any],
    state: Mapping[str, Any] | None,
    key: str,
    tools: Collection[BaseTool] = (),
) -> dict[str, Any]:
    """The arguments of a call: what the model gave, and what it can neither see nor give.

    Args:
        tool: as `check_injected` accepts it.
        given: by the model.
        state: the graph's, of which a tool gets a copy. None outside of a graph, where nothing is filled in.
        key: the call's id.
        tools: all that there are.

    Raises:
        ToolContractError: the tool needs a store, and the graph has none.
    """
    fields, aliases = _fields(tool), _aliases(tool)
    found = {aliases.get(name, name): value for name, value in given.items() if name not in fields}
    if state is None:
        return found
    for name, about in fields.items():
        marks = _marks(about)
        if ToolRuntime in marks:
            own: dict[str, Any] = {
                "state": _copied(state),
                "config": get_config(),
                "tool_call_id": key,
                "tools": list(tools),
            }
            # LangGraph's own runtime has the rest, more of it with every version.
            rest: dict[str, Any] = {
                one.name: getattr(get_runtime(), one.name, None) for one in dataclass_fields(ToolRuntime)
            }
            found[name] = ToolRuntime(**{**rest, **own})
        elif InjectedState in marks:
            field = getattr(marks[InjectedState], "field", None)
            found[name] = _copied({field: state[field]})[field] if field else _copied(state)
        elif InjectedStore in marks:
            store = get_runtime().store
            if store is not None or NoneType in get_args(about.annotation):
                found[name] = store
            elif about.is_required():
                problem = f"has its argument {name!r} filled from the graph's store, and the graph has none"
                raise ToolContractError(tool.name, problem, advice=_A_STORE)
    return found


def _copied(state: Mapping[str, Any]) -> dict[str, Any]:
    """A state of a tool's own: what a tool changes in it must not change the run, and its checkpoints, behind its back.

    Of the events only the list is copied, for in a long run they are many.
    """
    return {name: [*value] if name == "events" else deepcopy(value) for name, value in state.items()}


_A_STORE = (
    "Give the graph a store, such as store=InMemoryStore(), then invoke it with None: a run with a checkpointer goes "
    "on where it stopped. Or let the argument be None: `BaseStore | None`."
)


def is_stub(form: object) -> bool:
    """Whether a tool's sync or async form only says that there is none, as LangChain's own tools do."""
    return getattr(getattr(form, "__code__", None), "co_names", None) == (NotImplementedError.__name__,)


def takes_state(tool: BaseTool) -> bool:
    """Whether a tool has the graph's state injected."""
    return any({InjectedState, ToolRuntime} & set(_marks(about)) for about in _fields(tool).values())


def message_in(tool: str, command: Command[Any]) -> ToolMessage:
    """The message of a command that a tool returned, which may hold nothing else.

    Raises:
        ToolContractError: it would change the state or go to another node, which only the loop itself does.
    """
    update = mapping(command.update)
    messages, only = entries(update.get("messages")), set(update) == {"messages"}
    is_one = len(messages) == 1 and isinstance(messages[0], ToolMessage)
    if not only or command.goto or command.resume or not is_one:
        raise ToolContractError(tool, "returned a Command that does more than give one ToolMessage")
    return messages[0]


def _fields(tool: BaseTool) -> dict[str, Any]:
    """The injected arguments with what pydantic knows of them."""
    full: Any = tool.get_input_schema()
    called: Any = tool.tool_call_schema
    if isinstance(called, dict):
        # A JSON schema, as of a tool on a server, names what the model gives and nothing else.
        return {}
    if is_old_model(called):
        missing = full.__fields__.keys() - called.__fields__.keys()
        # LangChain also leaves out a field that has an alias.
        if filled := sorted(name for name in missing if full.__fields__[name].alias == name):
            raise ValueError(
                f"the argument {filled[0]!r} of the tool {tool.name!r} cannot be filled in, since its `args_schema` is "
                "a model of pydantic 1: give it one of pydantic 2, or leave it to the function's type hints"
            )
        return {}
    return {name: about for name, about in full.model_fields.items() if name not in called.model_fields}


def _aliases(tool: BaseTool) -> dict[str, str]:
    """The aliases of a tool's arguments: LangChain shows the model names, and takes a value by its alias alone."""
    kind: Any = tool.args_schema
    settings: Mapping[str, Any] = getattr(kind, "model_config", {})
    if settings.get("populate_by_name") or settings.get("validate_by_name"):
        return {}
    found = {name: about.validation_alias for name, about in getattr(kind, "model_fields", {}).items()}
    return {name: alias for name, alias in found.items() if isinstance(alias, str)}


def _marks(about: Any) -> dict[Any, Any]:
    """How an argument is marked: LangChain's classes, with the instance where there is one."""
    found: dict[Any, Any] = {}
    for mark in (*about.metadata, about.annotation, getattr(about.annotation, "__origin__", None)):
        kind = cast("type[Any]", mark if isinstance(mark, type) else type(mark))
        for known in (InjectedState, InjectedStore, InjectedToolCallId, ToolRuntime):
            if issubclass(kind, known):
                found[known] = mark
    return found
