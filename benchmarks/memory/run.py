"""Does the failure memory help on a second pass over similar tasks, and what does it cost?

    python benchmarks/memory/run.py --model local:qwen2.5-coder-0.5b
    python benchmarks/memory/run.py --limit 6 --out runs/

Every pair of tasks has the same pitfall, but another answer: the first one's passes no second one's tests. Pass 1 goes
over the first tasks and fills an empty memory, from which it reads nothing. Pass 2 reads that memory and adds nothing:

a  second tasks, no memory
b  second tasks, memory             lessons by similarity, as `FailureMemory` recalls them
c  second tasks, unrelated lessons  a control: as many lessons as in b, of the same memory, but of other pairs and the
                                    least similar ones. What it changes, any text in front of the task changes
d  first tasks again, memory        held against pass 1

All by the external loop as it is by default: temperature 0 at first, then 0.8 with the number of the attempt as seed.
Visible tests stop it, hidden tests score what comes out.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import statistics
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from langchain_core.language_models import BaseChatModel
from rich.console import Console
from rich.progress import Progress, TaskID
from thoughtgraph import create_reflection_graph, open_failure_memory, open_model
from thoughtgraph.evaluation.bench import Bench
from thoughtgraph.evaluation.datasets import Task, load_tasks
from thoughtgraph.evaluation.judges import tests_of
from thoughtgraph.evaluation.scored import ConditionResult, contrast
from thoughtgraph.graphs.reflection.create import ReflectionGraph
from thoughtgraph.memory import FailureMemory
from thoughtgraph.memory.lessons import Lesson, teaches
from thoughtgraph.memory.similarity import similarities

PAIRS = Path(__file__).with_name("pairs.jsonl")
CONCURRENCY = 4
HEADERS = (
    "condition", "solved (95 %)", "at first attempt", "attempts", "false accepts", "tokens in", "cached", "tokens out",
    "s/task", "with lessons", "lessons", "similarity",
)  # fmt: skip


class Reading:
    """The memory in pass 2: it is read and not written, so that every task meets what pass 1 left.

    Attributes:
        shown: by task, the lessons that its first attempt read.
    """

    def __init__(self, memory: FailureMemory) -> None:
        self._memory = memory
        self.shown: dict[str, list[Lesson]] = {}

    def recall(self, task: str, *, kind: str = "", error: str = "") -> list[Lesson]:
        """The lessons for a task."""
        # As the loop does it: the others are never shown.
        similar = list(filter(teaches, self._memory.recall(task, kind=kind, error=error)))
        lessons = self._chosen(task, similar)
        self.shown.setdefault(task, lessons)
        return lessons

    async def arecall(self, task: str, *, kind: str = "", error: str = "") -> list[Lesson]:
        """Async twin of `recall`."""
        return self.recall(task, kind=kind, error=error)

    def remember(self, lessons: Sequence[Lesson]) -> None:
        """Nothing is kept."""

    async def aremember(self, lessons: Sequence[Lesson]) -> None:
        """Async twin of `remember`."""
        self.remember(lessons)

    def _chosen(self, task: str, similar: list[Lesson]) -> list[Lesson]:
        return similar


class Filling(Reading):
    """The memory in pass 1: it is written and not read, so that every first task is met without any lesson."""

    def recall(self, task: str, *, kind: str = "", error: str = "") -> list[Lesson]:
        """None."""
        return []

    def remember(self, lessons: Sequence[Lesson]) -> None:
        """As the memory does it."""
        self._memory.remember(lessons)


class Unrelated(Reading):
    """A control: as many lessons as are similar to a task, but the least similar ones, and none of its own pair.

    Args:
        memory: where they come from.
        partners: by second task, the first one of its pair.
    """

    def __init__(self, memory: FailureMemory, partners: Mapping[str, str]) -> None:
        super().__init__(memory)
        self._partners = partners
        self._known = list(filter(teaches, memory.lessons()))

    def _chosen(self, task: str, similar: list[Lesson]) -> list[Lesson]:
        alike = similarities(task, [lesson["task"] for lesson in self._known])
        others: list[Lesson] = [
            {**lesson, "similarity": round(likeness, 4)}
            for lesson, likeness in zip(self._known, alike, strict=True)
            if lesson["task"] != self._partners[task]
        ]
        # Many are like the task in nothing; each task gets others of these, always the same.
        random.Random(task).shuffle(others)
        return sorted(others, key=lambda lesson: lesson["similarity"])[: len(similar)]


@dataclass(frozen=True, slots=True)
class Passes:
    """What the two passes came to.

    Attributes:
        first: pass 1; then conditions a to d.
        without: a.
        similar: b.
        unrelated: c.
        again: d.
        shown: by the title of a condition, for each of its tasks the lessons that its first attempt read.
        kept: what pass 1 left in the memory.
    """

    first: ConditionResult
    without: ConditionResult
    similar: ConditionResult
    unrelated: ConditionResult
    again: ConditionResult
    shown: Mapping[str, list[list[Lesson]]]
    kept: list[Lesson]

    @property
    def conditions(self) -> tuple[ConditionResult, ...]:
        """In the order in which they ran."""
        return self.first, self.without, self.similar, self.unrelated, self.again

    @property
    def held_together(self) -> tuple[tuple[ConditionResult, ConditionResult], ...]:
        """Each condition with lessons beside what it is measured by."""
        a, b, c = self.without, self.similar, self.unrelated
        return (b, a), (c, a), (b, c), (self.again, self.first)


async def measure(
    model: BaseChatModel,
    tasks: Sequence[Task],
    memory: FailureMemory,
    folder: Path,
    *,
    max_attempts: int,
    on_progress: Callable[[str, int, int], None],
) -> Passes:
    """Both passes.

    Args:
        model: the actor.
        tasks: the first and the second of a pair by turns.
        memory: empty.
        folder: where the runs are kept, those of a condition in a folder of their own.
        max_attempts: attempts a task at most.
        on_progress: told of a condition, how many of its tasks are done, and how many there are.
    """
    firsts, seconds = list(tasks[::2]), list(tasks[1::2])
    partners = {second.prompt: first.prompt for first, second in zip(firsts, seconds, strict=True)}
    shown: dict[str, list[list[Lesson]]] = {}

    async def run(title: str, chosen: list[Task], read: Reading | None) -> ConditionResult:
        def build(task: Task) -> ReflectionGraph:
            verifier = tests_of(task.visible_tests, task)
            return create_reflection_graph(actor=model, verifier=verifier, max_attempts=max_attempts, memory=read)

        bench = Bench(chosen, folder, CONCURRENCY, on_progress)
        runs = await bench.run(title, build)
        shown[title] = [read.shown.get(task.prompt, []) if read else [] for task in chosen]
        return ConditionResult(title, runs)

    first = await run("pass 1: first tasks", firsts, Filling(memory))
    return Passes(
        first=first,
        without=await run("a: second tasks, no memory", seconds, None),
        similar=await run("b: second tasks, memory", seconds, Reading(memory)),
        unrelated=await run("c: second tasks, unrelated lessons", seconds, Unrelated(memory, partners)),
        again=await run("d: first tasks again, memory", firsts, Reading(memory)),
        shown=shown,
        kept=memory.lessons(),
    )


def at_first(condition: ConditionResult) -> ConditionResult:
    """The condition as if every run had ended with its first attempt."""
    return ConditionResult(condition.title, tuple(replace(run, scored=run.first_scored) for run in condition.runs))


def row(condition: ConditionResult, lessons: Sequence[Sequence[Lesson]]) -> list[str]:
    """A line of the table; `lessons` are those that the first attempts read, for each task."""
    metrics, read = condition.metrics, [lesson["similarity"] for shown in lessons for lesson in shown]
    cached = metrics.cached_tokens / metrics.input_tokens if metrics.input_tokens else 0.0
    return [
        condition.title,
        str(condition.solved),
        str(at_first(condition).solved.count),
        f"{condition.attempts:.2f}",
        f"{condition.false_accepts} of {condition.accepted}",
        f"{metrics.input_tokens:,}",
        f"{cached:.0%}",
        f"{metrics.output_tokens:,}",
        f"{condition.seconds:.1f}",
        f"{sum(map(bool, lessons))}/{len(condition.runs)}",
        str(len(read)),
        f"{statistics.mean(read):.2f} ({min(read):.2f}–{max(read):.2f})" if read else "–",
    ]


def conclusion(passes: Passes) -> str:
    """The finding in plain words."""
    without, similar, unrelated = passes.without, passes.similar, passes.unrelated
    told = contrast(similar, without)
    certain = f"sign test p = {told.p_value:.2g}"
    if not told.told_apart:
        certain += f", so {similar.solved.of} tasks are too few to tell the two apart"
    cost = [
        f"{_change(similar.metrics.input_tokens, without.metrics.input_tokens)} tokens in",
        f"{_change(similar.metrics.output_tokens, without.metrics.output_tokens)} tokens out",
        f"{_change(similar.seconds, without.seconds)} time a task",
    ]
    return (
        f"With the lessons of similar tasks {similar.solved.count} of {similar.solved.of} second tasks were solved, "
        f"without them {without.solved.count} (+{told.fixed} −{told.broken}; {certain}); with as many unrelated "
        f"lessons {unrelated.solved.count}. The first tasks themselves went from {passes.first.solved.count} to "
        f"{passes.again.solved.count}. On the second tasks the memory cost {', '.join(cost)}."
    )


def _change(now: float, before: float) -> str:
    return f"{(now - before) / before:+.0%}" if before else "–"


def show(console: Console, passes: Passes, title: str) -> None:
    """Print the table, what can be said of each two conditions, and the conclusion."""
    console.print(title, style="bold", markup=False, soft_wrap=True)
    fixed = sum(bool(lesson["fix"]) for lesson in passes.kept)
    console.print(f"pass 1 left {len(passes.kept)} lessons, {fixed} of them with a fix", markup=False)
    rows = [row(condition, passes.shown[condition.title]) for condition in passes.conditions]
    lines = [HEADERS, ["---"] * len(HEADERS), *rows]
    console.print("\n".join("| " + " | ".join(line) + " |" for line in lines), soft_wrap=True, markup=False)
    for one, other in passes.held_together:
        both = f"- {contrast(one, other)}\n  at first: {contrast(at_first(one), at_first(other))}"
        console.print(both, markup=False, soft_wrap=True)
    for condition in passes.conditions:
        for name, problem in condition.problems.items():
            console.print(f"! {condition.title}: {name} could not be run: {problem}", markup=False, soft_wrap=True)
    console.print(conclusion(passes), markup=False, soft_wrap=True)


def main() -> None:
    """Parse the arguments, open the model, measure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", help="as for `thoughtgraph solve`; default: the embedded 0.5B")
    parser.add_argument("--iterations", type=int, default=4, help="attempts a task at most")
    parser.add_argument("--limit", type=int, help="only the first so many pairs")
    parser.add_argument("--out", type=Path, help="keep every run in this folder, which must not exist yet")
    args = parser.parse_args()
    tasks = load_tasks(PAIRS, args.limit and 2 * args.limit)
    if args.out:
        args.out.mkdir(parents=True)
    console = Console(width=200)
    with (
        TemporaryDirectory() if args.out is None else nullcontext(args.out) as folder,
        open_failure_memory(Path(folder) / "memory.sqlite") as memory,
        open_model(args.model, slots=CONCURRENCY) as model,
        Progress(console=console, transient=True) as bar,
    ):
        lines: dict[str, TaskID] = {}

        def tell(title: str, done: int, total: int) -> None:
            if title not in lines:
                lines[title] = bar.add_task(title, total=total)
            bar.update(lines[title], completed=done)

        measuring = measure(model, tasks, memory, Path(folder), max_attempts=args.iterations, on_progress=tell)
        passes = asyncio.run(measuring)
    title = f"{args.model or 'default model'}, {len(tasks) // 2} pairs, {args.iterations} attempts at most"
    show(console, passes, title)


if __name__ == "__main__":
    main()
