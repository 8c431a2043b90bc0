"""How much does the assistant get right, and what does it cost? Requests of people who do not think of commands.

    python benchmarks/assistant/run.py --model local:qwen2.5-coder-0.5b --save runs/dev.jsonl
    python benchmarks/assistant/run.py --part unseen --model local:qwen2.5-coder-1.5b --minutes 30 --save runs/u.jsonl
    python benchmarks/assistant/run.py --part dev2 --way native --save runs/native.jsonl

Each request gets an agenda of its own, the real tools, a search over its own pages, and a scripted user. Turns before
the request are played with the right calls, on the same thread; only the request itself is asked of the model, and only
what comes of it is judged. With `--save`, the same command goes on where it stopped.

text           the assistant as it is: the model writes its payloads as text
constrained    the server holds them to their JSON schema (`response_format`)
native         the control: LangChain's `create_agent` with the same tools, native tool calls and no check
typed          the same with a tool for every command, which takes arguments in place of a line

wrong effect                       an entry was changed, removed or added otherwise than it should have been
wrong effect without a question    the same, and the user had been asked nothing
asked about though complete        the user was asked something, though the request had all that was needed
lacked something, asked about      the user was asked, by the loop or, with nothing done yet, in the answer
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Literal, get_args

from langchain_core.language_models import LanguageModelInput
from langchain_core.messages import AIMessage, AnyMessage
from langchain_core.runnables import Runnable, RunnableConfig
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command
from thoughtgraph import Guards, create_plan_act_graph, open_model
from thoughtgraph._internal.texts import Language
from thoughtgraph.errors import SearchError
from thoughtgraph.graphs.plan_act.create import PlanActGraph
from thoughtgraph.nodes.plan_act.prompts.texts import text
from thoughtgraph.tools.agenda import Agenda, schedule_tool, todo_tool
from thoughtgraph.tools.search import SearchResult, internet_search_tool

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from benchmarks.assistant.checks import Lists, judge, shown  # noqa: E402
from benchmarks.assistant.dataset import NOW, PARTS, Part, Request, load_requests, new_agenda  # noqa: E402
from benchmarks.assistant.native import PROMPTS, NativeAgent, played, slash_tools, typed_tools  # noqa: E402
from benchmarks.assistant.player import player  # noqa: E402
from benchmarks.assistant.results import Row, by_kind, by_measure, line, save_row, saved_rows  # noqa: E402
from benchmarks.cache.run import CallUsage  # noqa: E402

Model = Runnable[LanguageModelInput, AIMessage]
Models = Model | Sequence[Model]
Way = Literal["text", "constrained", "native", "typed"]
WAYS: tuple[Way, ...] = get_args(Way)

CONTEXT_TOKENS, SERVED_CONTEXT, MAX_TOKENS = 7_000, 8_192, 300
"""As `thoughtgraph chat` has it with an embedded model; a reply that runs on is cut off."""
INSISTS: Mapping[Language, str] = {
    "en": "I have told you all there is, please go by that.",
    "zh": "我已经都说了，请照办。",
}
"""What the user says to a question about a request that lacks nothing."""
AGREES: Mapping[Language, str] = {"en": "yes", "zh": "是"}


class Pages:
    """A search over the pages of one request."""

    name = "pages"

    def __init__(self, request: Request) -> None:
        self._request = request

    def search(self, query: str, top_k: int) -> list[SearchResult]:
        """The pages for the words in the query."""
        if self._request.search_fails:
            raise SearchError("timeout", self.name, query, "no answer in time")
        found = [hit for words, hits in self._request.pages.items() if words in query.casefold() for hit in hits]
        return [SearchResult(hit.title, hit.snippet, hit.link) for hit in found][:top_k]


def solve(
    model: Models, request: Request, *, name: str = "", way: Way = "text", confirm_below: float | None = None
) -> Row:
    """Run one request from a fresh agenda to the verdict.

    The user says yes to a call if nothing wrong comes of it; else the request is run again, with another answer.
    """
    row, confirmed = _solved(model, request, name, way, confirm_below, True)
    wrong = confirmed and row.wrong_effects
    return _solved(model, request, name, way, confirm_below, False)[0] if wrong else row


def _solved(model: Models, request: Request, name: str, way: Way, below: float | None, yes: bool) -> tuple[Row, bool]:
    usage = CallUsage()
    thread: RunnableConfig = {"configurable": {"thread_id": request.id}}
    checkpoints = InMemorySaver()
    with new_agenda(request) as agenda:
        search = internet_search_tool(Pages(request), language=request.language)
        tools = [todo_tool(agenda), schedule_tool(agenda), search]
        history: list[AnyMessage] = []

        def graph(model: Models, *, constrained: bool = False, confirm_below: float | None = None) -> PlanActGraph:
            return create_plan_act_graph(
                model,
                tools,
                language=request.language,
                context_tokens=CONTEXT_TOKENS,
                summarize_results=True,
                constrained=constrained,
                guards=Guards(confirm_below=confirm_below),
                clock=lambda: NOW,
                checkpointer=checkpoints,
            )

        for turn in request.before:
            known = graph(player(turn.calls, turn.answer, said=turn.said)).invoke({"goal": turn.said}, thread)
            results = [seen["result"] for seen in known["observations"]]
            history += played(turn, results, calls=way == "native")
        before = Lists.of(agenda)
        talk = Talk(yes)
        config: RunnableConfig = {**thread, "callbacks": [usage]}
        if way in ("native", "typed"):
            own = slash_tools(tools) if way == "native" else typed_tools(agenda, search)
            prompt = PROMPTS[request.language].format(now=NOW)
            tested: PlanActGraph | NativeAgent = NativeAgent(model, own, prompt, history)
        else:
            tested = graph(model, constrained=way == "constrained", confirm_below=below)
        crash = ""
        started = time.perf_counter()
        try:
            converse(tested, config, request, agenda, talk)
        except Exception as error:  # noqa: BLE001 - one request that breaks must not end the benchmark
            crash = f"{type(error).__name__}: {error}"[:500]
        seconds = time.perf_counter() - started
        talk.events += tested.get_state(thread).values.get("events", [])
        after = Lists.of(agenda)
    verdict = judge(request, before, after, talk.response, len(talk.asked))
    row = Row(
        model=name,
        id=request.id,
        kind=request.kind,
        language=request.language,
        said=request.said,
        lacking=bool(request.reply),
        problem=crash or verdict.problem,
        wrong_effects=verdict.wrong_effects,
        asked=talk.asked,
        response=talk.response,
        stop=talk.stop,
        calls=len(usage.calls),
        input_tokens=sum(call["input_tokens"] for call in usage.calls),
        cached_tokens=sum(call["cached_tokens"] for call in usage.calls),
        output_tokens=sum(call["output_tokens"] for call in usage.calls),
        seconds=round(seconds, 1),
        agenda=shown(after),
        events=talk.events,
    )
    return row, talk.confirmed


@dataclass
class Talk:
    """A conversation about one request.

    Attributes:
        agrees: whether the user says yes to a call that the model was not sure of.
        confirmed: whether the user was asked about one.
        asked: questions to the user, and what the user said.
        events: the trace of the runs that have ended.
        response: what the user was told in the end; "" before the end.
        stop: why the last run ended.
    """

    agrees: bool
    confirmed: bool = False
    asked: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    events: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    response: str = ""
    stop: str = "crash"


def converse(
    graph: PlanActGraph | NativeAgent, config: RunnableConfig, request: Request, agenda: Agenda, talk: Talk
) -> None:
    """Say what the user says, and answer what the user is asked."""
    before = Lists.of(agenda)
    said: Any = {"goal": request.said}
    while True:
        result: dict[str, Any] = graph.invoke(said, config)
        paused = "__interrupt__" in result
        told = str(result["__interrupt__"][0].value if paused else result["response"])
        # Who is asked back in plain words answers as well, as long as nothing has been done.
        may_answer = bool(request.reply) and not talk.asked and "?" in told.replace("？", "?")
        if not paused and not (may_answer and Lists.of(agenda) == before):
            talk.response, talk.stop = told, result["stop_reason"]["kind"]
            return
        answer = request.reply or INSISTS[request.language]
        if paused and text(request.language, "ask.unsure", calls="") in told:
            talk.confirmed = True
            answer = AGREES[request.language] if talk.agrees else answer
        talk.asked.append((told, answer))
        if not paused:
            talk.events += result["events"]
        said = Command(resume=answer) if paused else {"goal": answer}


def chosen(part: Part, only: str | None) -> list[Request]:
    """The requests to run; `only` names ids and kinds."""
    requests = load_requests(part)
    names = set(only.split(",")) if only else set[str]()
    if unknown := names - {name for request in requests for name in (request.id, request.kind)}:
        raise SystemExit(f"no such request or kind: {', '.join(sorted(unknown))}")
    return [request for request in requests if not names or names & {request.id, request.kind}]


def measure(
    opened: Callable[[], AbstractContextManager[Models]],
    name: str,
    requests: Sequence[Request],
    *,
    way: Way = "text",
    confirm_below: float | None = None,
    save: Path | None,
    deadline: float,
) -> list[Row]:
    """Run the requests that no earlier run has in `save`, until the deadline, and give the rows of all."""
    known = saved_rows(save)
    rows = [known[key] for request in requests if (key := (name, request.id, request.said)) in known]
    left = [request for request in requests if (name, request.id, request.said) not in known]
    if not left or time.monotonic() > deadline:
        return rows
    with opened() as model:
        for request in left:
            if time.monotonic() > deadline:
                break
            row = solve(model, request, name=name, way=way, confirm_below=confirm_below)
            print(line(row), flush=True)
            if row.stop == "model_unavailable":
                raise SystemExit(f"the model {name} is gone; the same command goes on at {request.id}")
            rows.append(row)
            # What broke is tried again by the next run.
            if save and row.stop != "crash":
                save_row(row, save)
    return rows


@contextmanager
def opened(models: Sequence[str | None]) -> Generator[Models]:
    """A model while the block runs, or several as a cascade."""
    options: dict[str, Any] = {"slots": 1, "context": SERVED_CONTEXT, "temperature": 0.0, "max_tokens": MAX_TOKENS}
    with ExitStack() as stack:
        found = [stack.enter_context(open_model(model, **options)) for model in models]
        yield found if len(found) > 1 else found[0]


def main() -> None:
    """Parse the arguments, run the requests with each model, print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--part", choices=PARTS, default="dev", help="unseen: for figures, not for development")
    parser.add_argument("--model", action="append", help="as for `thoughtgraph solve`; may be given several times")
    parser.add_argument("--cascade", action="store_true", help="ask the models in turn, the cheapest first")
    parser.add_argument("--way", choices=WAYS, default="text", help="how the model makes its calls")
    parser.add_argument("--confirm-below", type=float, help="as in `Guards`; not for the control")
    parser.add_argument("--only", help="ids or kinds of requests, with commas")
    parser.add_argument("--minutes", type=float, default=float("inf"), help="begin no request after so many")
    parser.add_argument("--save", type=Path, help="keep every raw reply in this JSONL file, and go on from it")
    args = parser.parse_args()
    requests = chosen(args.part, args.only)
    if args.save:
        args.save.parent.mkdir(parents=True, exist_ok=True)
    deadline = time.monotonic() + 60 * args.minutes
    models: list[str | None] = args.model or [None]
    for each in [models] if args.cascade else [[model] for model in models]:
        named = " → ".join(model or "default model" for model in each)
        below: float | None = args.confirm_below
        further = [] if args.way == "text" else [args.way]
        further += [] if below is None else [f"confirmed below {below}"]
        name = ", ".join([named, *further])
        rows = measure(
            partial(opened, each),
            name,
            requests,
            way=args.way,
            confirm_below=below,
            save=args.save,
            deadline=deadline,
        )
        print(f"\n{name}, {args.part}: {len(rows)} of {len(requests)} requests\n")
        print(f"{by_kind(rows)}\n\n{by_measure(rows)}\n")


if __name__ == "__main__":
    main()
