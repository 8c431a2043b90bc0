"""Each agent guard trips when it must, and does not when work goes on; alone and with the others."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Annotated, Any, cast

import pytest
from langchain.agents.middleware import ToolErrorMiddleware, ToolRetryMiddleware
from langchain.agents.middleware.types import AgentMiddleware
from langchain_core.messages import ToolMessage
from langchain_core.tools import InjectedToolCallId, ToolException, tool
from langgraph.types import Command
from support.agent_model import AgentModel, calls, counter_tool, echo_tool, echoes, play
from support.texts import text
from thoughtgraph.errors import RunLimitError
from thoughtgraph.graphs.middleware import (
    BudgetMiddleware,
    DuplicateCallMiddleware,
    ErrorRateMiddleware,
    LoopMiddleware,
)

pytestmark = pytest.mark.slow

Guard = DuplicateCallMiddleware | LoopMiddleware | ErrorRateMiddleware | BudgetMiddleware
BEST = "My best answer."


@pytest.fixture(params=["sync", "async"])
def how(request: pytest.FixtureRequest) -> str:
    """Invoke an agent by either twin."""
    return request.param


def page(number: int, size: int = 10, order: str = "by name", columns: list[str] | None = None) -> str:
    """Show a page."""
    return "rows"


def shaky_tool() -> Any:
    """A tool whose calls fail as they are told to, each with a result of its own."""

    def shaky(fails: bool, number: int) -> str:
        """Fail or not."""
        if fails:
            raise ToolException(f"no luck with {number}")
        return f"luck with {number}"

    made = tool(shaky)
    made.handle_tool_error = True
    return made


def outcomes(flags: str) -> list[Any]:
    """A call for every digit, 1 for one that fails."""
    return [calls(("shaky", {"fails": flag == "1", "number": index})) for index, flag in enumerate(flags)]


def together(*guards: Guard) -> list[Guard]:
    """Guards with those of the other kinds beside them, by their defaults."""
    kinds = {type(guard) for guard in guards}
    others = [kind() for kind in (DuplicateCallMiddleware, LoopMiddleware, ErrorRateMiddleware) if kind not in kinds]
    budget = [] if BudgetMiddleware in kinds else [BudgetMiddleware(run_limit=100, max_tokens=10_000, max_seconds=60)]
    return [*others, *guards, *budget]


COMPANY = [pytest.param(lambda *guards: list(guards), id="alone"), pytest.param(together, id="together")]
Company = Callable[..., list[Guard]]


@pytest.mark.parametrize("company", COMPANY)
def test_a_repeated_call_is_refused_with_advice_and_ends_the_run_when_it_comes_again(
    how: str, company: Company
) -> None:
    made: list[str] = []
    played = play(how, [*echoes("xxxxx"), BEST], company(DuplicateCallMiddleware()), [echo_tool(made)])
    assert made == ["x"] * 3
    assert [result.status for result in played.results] == ["success"] * 3 + ["error"] * 2
    assert played.results[3].content == text("en", "refused_repeat", count=3)
    assert played.result["stop_reason"] == {"kind": "duplicate_tool_calls", "value": 3, "limit": 3}
    assert played.answer == BEST


@pytest.mark.parametrize("company", COMPANY)
def test_a_refusal_that_is_heeded_ends_nothing(how: str, company: Company) -> None:
    played = play(how, [*echoes("xxxxyx"), BEST], company(DuplicateCallMiddleware()))
    assert played.result["stop_reason"] is None
    assert [result.status for result in played.results] == ["success"] * 3 + ["error"] + ["success"] * 2


@pytest.mark.parametrize(
    "spelled",
    [
        [{"number": 1, "size": 5}, {"size": 5, "number": 1}],
        [{"number": 1, "order": "by name"}, {"number": 1, "order": "  by\n name "}],
        [{"number": 1, "columns": ["name", "age"]}, {"columns": [" name", "age "], "number": 1}],
    ],
    ids=["key-order", "white-space", "in-a-list"],
)
def test_spelling_does_not_evade_the_check(how: str, spelled: list[dict[str, Any]]) -> None:
    actions = [calls(("page", spelled[number % 2])) for number in range(5)]
    played = play(how, [*actions, BEST], [DuplicateCallMiddleware()], [page])
    assert played.result["stop_reason"]["kind"] == "duplicate_tool_calls"


@pytest.mark.parametrize(
    ("actions", "guards"),
    [
        ([calls(("count", {"name": "x"}))] * 8, together()),
        ([calls(("page", {"number": number})) for number in range(8)], together()),
        (echoes("xxxxxxxx"), together(DuplicateCallMiddleware(exempt_tools={"echo"}))),
        (echoes("xxxx"), together(DuplicateCallMiddleware(threshold=4))),
        (echoes("xxyxx"), together()),
        (echoes("xyxy"), together()),
        (echoes("xyxyx"), together(LoopMiddleware(window=6))),
        (echoes("xyxyxyxy"), together(LoopMiddleware(exempt_tools=["echo"]))),
        (echoes("xyxyzxyxy"), together()),
        (echoes("xxyyxxyy"), together()),
        ([calls(("count", {"name": "x"})), calls(("count", {"name": "y"}))] * 4, together()),
        (echoes("abcdefgh"), together(BudgetMiddleware(run_limit=9, max_tokens=121))),
    ],
    ids=[
        "polling-with-new-results",
        "paging",
        "exempt-repeats",
        "higher-threshold",
        "another-call-between",
        "pattern-below-window",
        "wider-window",
        "exempt-pattern",
        "pattern-left",
        "pairs",
        "pattern-with-new-results",
        "answer-within-the-budget",
    ],
)
def test_work_that_goes_on_trips_nothing(how: str, actions: Sequence[Any], guards: list[Guard]) -> None:
    made: list[str] = []
    fresh_ids = [calls(*((call["name"], call["args"]) for call in action.tool_calls)) for action in actions]
    played = play(how, [*fresh_ids, BEST], guards, [counter_tool(), page, echo_tool(made)])
    assert played.result["stop_reason"] is None
    assert all(result.status == "success" for result in played.results)
    assert played.answer == BEST


@pytest.mark.parametrize("company", COMPANY)
@pytest.mark.parametrize(
    ("letters", "window", "length"),
    [("xyxyx", 5, 5), ("axyxyx", 5, 5), ("xyxy", 4, 4), ("xyzxyz", 6, 6), ("xxyxxy", 6, 6)],
    ids=["a-b-a-b-a", "later", "a-b-a-b", "a-b-c", "a-a-b"],
)
def test_a_pattern_of_calls_that_brings_nothing_new_ends_the_run(
    how: str, company: Company, letters: str, window: int, length: int
) -> None:
    played = play(how, [*echoes(letters), BEST], company(LoopMiddleware(window=window)))
    assert played.result["stop_reason"] == {"kind": "loop_pattern", "value": length, "limit": window}
    assert played.answer == BEST


def test_an_exempt_tool_between_the_calls_does_not_hide_a_pattern(how: str) -> None:
    actions = [action for letter in "xyxyx" for action in (calls(("count", {"name": "n"})), *echoes(letter))]
    guards = [LoopMiddleware(exempt_tools={"count"})]
    played = play(how, [*actions, BEST], guards, [counter_tool(), echo_tool()])
    assert played.result["stop_reason"]["kind"] == "loop_pattern"


@pytest.mark.parametrize("company", COMPANY)
@pytest.mark.parametrize(
    ("flags", "threshold", "min_calls", "rate"),
    [("1111", 0.5, 4, 1.0), ("0111", 0.5, 4, 0.75), ("00111", 0.5, 4, 0.6), ("1", 0.5, 1, 1.0), ("01", 0.4, 2, 0.5)],
    ids=["all", "three-of-four", "three-of-five", "minimum", "threshold"],
)
def test_too_many_failed_calls_end_the_run(
    how: str, company: Company, flags: str, threshold: float, min_calls: int, rate: float
) -> None:
    guard = ErrorRateMiddleware(threshold=threshold, min_calls=min_calls)
    played = play(how, [*outcomes(flags), BEST], company(guard), [shaky_tool()])
    assert played.result["stop_reason"] == {"kind": "error_rate", "value": pytest.approx(rate), "limit": threshold}
    assert played.answer == BEST


@pytest.mark.parametrize(
    ("flags", "guard"),
    [
        ("111", ErrorRateMiddleware()),
        ("0101", ErrorRateMiddleware()),
        ("1111", ErrorRateMiddleware(threshold=1.0)),
        ("1111111", ErrorRateMiddleware(exempt_tools={"shaky"})),
        ("11111", ErrorRateMiddleware(min_calls=6)),
    ],
    ids=["too-few-calls", "half", "threshold", "exempt", "minimum"],
)
def test_a_share_of_failed_calls_within_the_limit_does_not(how: str, flags: str, guard: ErrorRateMiddleware) -> None:
    assert play(how, [*outcomes(flags), BEST], [guard], [shaky_tool()]).result["stop_reason"] is None


class Answering(AgentMiddleware[Any, Any, Any]):
    """Answers for a tool that raises, with a message that has the usual status."""

    def wrap_tool_call(self, request: Any, handler: Any) -> Any:
        try:
            return handler(request)
        except ValueError as error:
            return ToolMessage(str(error), tool_call_id=request.tool_call["id"])

    async def awrap_tool_call(self, request: Any, handler: Any) -> Any:
        try:
            return await handler(request)
        except ValueError as error:
            return ToolMessage(str(error), tool_call_id=request.tool_call["id"])


def raising(fails: bool, number: int) -> str:
    """Fail or not."""
    if fails:
        raise ValueError(f"no luck with {number}")
    return f"luck with {number}"


RAISING = tool("shaky")(raising)
ANSWERING = [
    Answering(),
    ToolErrorMiddleware(lambda error, request: str(error)),
    ToolRetryMiddleware(max_retries=1, initial_delay=0, jitter=False),
]


@pytest.mark.parametrize("answering", ANSWERING, ids=lambda one: type(one).__name__)
@pytest.mark.parametrize("guard_first", [True, False])
@pytest.mark.parametrize(("flags", "trips"), [("0111", True), ("0101", False)])
def test_a_tool_that_raises_has_failed_whoever_answers_for_it(
    how: str, answering: Any, guard_first: bool, flags: str, trips: bool
) -> None:
    guard = ErrorRateMiddleware()
    middleware = [guard, answering] if guard_first else [answering, guard]
    played = play(how, [*outcomes(flags), BEST], middleware, [RAISING])
    assert (played.result["stop_reason"] is not None) == trips
    if trips:
        assert played.result["stop_reason"]["value"] == 0.75


def test_a_retry_that_works_makes_good_for_a_tool_that_raised(how: str) -> None:
    made: list[str] = []

    @tool
    def flaky(number: int) -> str:
        """Work the second time."""
        made.append("")
        if len(made) % 2:
            raise ValueError("not yet")
        return f"luck with {number}"

    retry = ToolRetryMiddleware(max_retries=1, initial_delay=0, jitter=False)
    actions = [calls(("flaky", {"number": number})) for number in range(4)]
    for middleware in ([ErrorRateMiddleware(), retry], [retry, ErrorRateMiddleware()]):
        fresh = [calls(*((call["name"], call["args"]) for call in action.tool_calls)) for action in actions]
        assert play(how, [*fresh, BEST], middleware, [flaky]).result["stop_reason"] is None


def test_a_tool_that_nobody_answers_for_ends_the_run_with_its_error(how: str) -> None:
    with pytest.raises(ValueError, match="no luck with 0"):
        play(how, outcomes("1"), [ErrorRateMiddleware()], [RAISING])


def test_a_refused_call_is_no_failed_one(how: str) -> None:
    guards = [ErrorRateMiddleware(threshold=0.0, min_calls=1), DuplicateCallMiddleware()]
    assert play(how, [*echoes("xxxx"), BEST], guards).result["stop_reason"] is None


@pytest.mark.parametrize(
    ("limits", "stop"),
    [
        ({"run_limit": 3}, {"kind": "max_iterations", "value": 3, "limit": 3}),
        ({"max_tokens": 45}, {"kind": "token_budget", "value": 45, "limit": 45}),
        ({"max_tokens": 31, "run_limit": 9}, {"kind": "token_budget", "value": 45, "limit": 31}),
    ],
    ids=["model-calls", "tokens", "whichever-comes-first"],
)
def test_a_spent_budget_ends_a_run_that_makes_progress(how: str, limits: dict[str, int], stop: dict[str, Any]) -> None:
    for guards in ([BudgetMiddleware(**limits)], together(BudgetMiddleware(**limits))):
        played = play(how, [*echoes("abc"), BEST], guards)
        assert played.result["stop_reason"] == stop
        assert played.answer == BEST


def test_a_budget_of_tokens_holds_where_the_provider_reports_none(how: str) -> None:
    untold = [message.model_copy(update={"usage_metadata": None}) for message in echoes("abc")]
    played = play(how, [*untold, BEST], [BudgetMiddleware(max_tokens=60)])
    assert played.result["stop_reason"]["kind"] == "token_budget"
    assert played.answer == BEST


@pytest.mark.parametrize(
    ("guard", "kind"),
    [
        (BudgetMiddleware(run_limit=2, exit_behavior="error"), "max_iterations"),
        (BudgetMiddleware(max_tokens=31, exit_behavior="error"), "token_budget"),
        (DuplicateCallMiddleware(threshold=1, exit_behavior="error"), "duplicate_tool_calls"),
        (LoopMiddleware(exit_behavior="error"), "loop_pattern"),
    ],
    ids=lambda given: type(given).__name__ if not isinstance(given, str) else given,
)
def test_a_limit_raises_instead_where_that_is_wanted(how: str, guard: Guard, kind: str) -> None:
    with pytest.raises(RunLimitError) as caught:
        play(how, [*echoes("ababab" if kind == "loop_pattern" else "xxxxx"), BEST], [guard])
    assert caught.value.kind == kind and "exit_behavior" in str(caught.value)


def test_an_unknown_exit_behavior_is_refused() -> None:
    with pytest.raises(ValueError, match="exit_behavior is one of"):
        BudgetMiddleware(run_limit=1, exit_behavior=cast(Any, "continue"))


@pytest.mark.parametrize("slow", ["model", "tool", "command-tool"])
def test_time_in_the_model_and_in_tools_is_a_budget(how: str, slow: str, monkeypatch: pytest.MonkeyPatch) -> None:
    now = {"seconds": 0.0}
    for module in ("middleware.guards", "middleware.base"):
        clock = SimpleNamespace(monotonic=lambda: now["seconds"])
        monkeypatch.setattr(f"thoughtgraph.graphs.{module}.time", clock)

    def wait(text: str) -> str:
        """Take a while."""
        now["seconds"] += 10.0
        return text

    def commanding(text: str, tool_call_id: Annotated[str, InjectedToolCallId]) -> Command[Any]:
        """Take a while, and write to the state."""
        now["seconds"] += 10.0
        return Command(update={"messages": [ToolMessage(text, tool_call_id=tool_call_id)]})

    plain_generate = AgentModel._generate  # pyright: ignore[reportPrivateUsage]

    def generate(self: Any, *args: Any, **options: Any) -> Any:
        now["seconds"] += 10.0 if slow == "model" else 0.0
        return plain_generate(self, *args, **options)

    monkeypatch.setattr(AgentModel, "_generate", generate)
    name = {"model": "echo", "tool": "wait", "command-tool": "commanding"}[slow]
    actions = [calls((name, {"text": letter})) for letter in "abc"]
    tools = [echo_tool(), wait, tool(commanding)]
    played = play(how, [*actions, BEST], [BudgetMiddleware(max_seconds=25)], tools)
    assert played.result["stop_reason"] == {"kind": "time_budget", "value": 30.0, "limit": 25}


@pytest.mark.parametrize("make", [lambda: [DuplicateCallMiddleware()], together], ids=["alone", "together"])
def test_equal_calls_in_one_message_are_refused_together_and_advised_once(
    how: str, make: Callable[[], list[Guard]]
) -> None:
    made: list[str] = []
    x, y = ("echo", {"text": "x"}), ("echo", {"text": "y"})
    played = play(how, [calls(x, x, x), calls(x, x), calls(y), BEST], make(), [echo_tool(made)])
    assert made == ["x", "x", "x", "y"]
    assert played.result["stop_reason"] is None
    played = play(how, [calls(x, x, x), calls(x, x), calls(x), BEST], make())
    assert played.result["stop_reason"]["kind"] == "duplicate_tool_calls"


def test_equal_calls_of_one_message_are_all_made_and_count_from_the_next_on(how: str) -> None:
    made: list[str] = []
    batch = calls(*[("echo", {"text": "x"})] * 6)
    played = play(how, [batch, *echoes("xy"), BEST], [DuplicateCallMiddleware()], [echo_tool(made)])
    assert (made, played.result["stop_reason"]) == ([*"xxxxxx", "y"], None)


@pytest.mark.parametrize(
    ("batch", "made_of_it"), [("xy", ["y"]), ("yx", ["y", "x"]), ("xxy", ["y"])], ids=["first", "behind", "twice-first"]
)
def test_calls_of_one_message_are_looked_at_in_their_order(how: str, batch: str, made_of_it: list[str]) -> None:
    made: list[str] = []
    both = calls(*(("echo", {"text": letter}) for letter in batch))
    play(how, [*echoes("xxx"), both, BEST], [DuplicateCallMiddleware()], [echo_tool(made)])
    assert sorted(made[3:]) == sorted(made_of_it)


def test_a_pattern_within_and_across_messages_is_one(how: str) -> None:
    pair = [("echo", {"text": letter}) for letter in "xy"]
    played = play(how, [calls(*pair), calls(*pair), calls(*pair), BEST], [LoopMiddleware()])
    assert played.result["stop_reason"]["kind"] == "loop_pattern"


def test_calls_that_share_an_id_are_all_counted(how: str) -> None:
    def alike() -> Any:
        pair = calls(("echo", {"text": "x"}), ("echo", {"text": "y"}))
        for call in pair.tool_calls:
            call["id"] = "0"
        return pair

    played = play(how, [alike(), alike(), alike(), BEST], [LoopMiddleware()])
    assert played.result["stop_reason"]["kind"] == "loop_pattern"


@pytest.mark.parametrize(
    "make",
    [
        lambda: DuplicateCallMiddleware(threshold=0),
        lambda: DuplicateCallMiddleware(warn_at=1.5),
        lambda: DuplicateCallMiddleware(exempt_tools="echo"),
        lambda: DuplicateCallMiddleware(language="fr"),  # type: ignore[arg-type]
        lambda: LoopMiddleware(window=3),
        lambda: LoopMiddleware(exempt_tools="echo"),
        lambda: ErrorRateMiddleware(threshold=1.1),
        lambda: ErrorRateMiddleware(threshold=-0.1),
        lambda: ErrorRateMiddleware(min_calls=0),
        lambda: BudgetMiddleware(),
        lambda: BudgetMiddleware(run_limit=0),
        lambda: BudgetMiddleware(max_tokens=0),
        lambda: BudgetMiddleware(max_seconds=0),
        lambda: BudgetMiddleware(max_tokens=9, warn_at=-1),
    ],
)
def test_arguments_that_cannot_work_are_refused(make: Callable[[], Guard]) -> None:
    with pytest.raises(ValueError):
        make()


def test_without_langchain_the_error_says_what_to_install() -> None:
    program = "import sys; sys.modules['langchain'] = None; import thoughtgraph.graphs.middleware.guards"
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert "thoughtgraph[middleware]" in result.stderr.splitlines()[-1]
