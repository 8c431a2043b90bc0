"""The benchmark's tables: what each condition solves, what it costs, and how sure its difference to another one is."""

from __future__ import annotations

import random
import statistics
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from thoughtgraph.evaluation.budget.held import Standing

from .pieces import Piece, Reached

Finished = Mapping[Piece, Mapping[str, Sequence[Reached]]]
"""Of each finished piece: by task, how far it had come after each of its attempts."""

_RESAMPLES = 2_000
_ROUNDING = 1e-6
"""Less than this part of a task is none: a share times the number of tasks need not be a whole number."""

HEADER = (
    "condition", "seeds", "solved", "difference (95 %)", "fixed", "broken", "false accepts", "tokens", "cost",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Cell:
    """One condition on the tasks of one domain, or of all, with one model; numbers are means over its seeds.

    Attributes:
        tasks: by seed and task, how far it had come after each attempt.
    """

    model: str
    domain: str
    condition: str
    tasks: tuple[Mapping[str, Sequence[Reached]], ...]

    @property
    def solved(self) -> dict[str, float]:
        """By task, the share of the seeds that solved it."""
        return {name: statistics.fmean(seed[name][-1].solved for seed in self.tasks) for name in self.tasks[0]}

    @property
    def share(self) -> float:
        """The share of the tasks that is solved."""
        return statistics.fmean(self.solved.values())

    @property
    def tokens(self) -> float:
        """Over all tasks, read and written."""
        return self._mean(lambda last: last.tokens)

    @property
    def cost(self) -> float:
        """Over all tasks, in millions of tokens times billions of parameters."""
        return self._mean(lambda last: last.cost) / 1e6

    @property
    def false_accepts(self) -> float:
        """Wrong answers that the loop accepted."""
        return self._mean(lambda last: last.accepted and not last.solved)

    def _mean(self, value: Callable[[Reached], float]) -> float:
        return sum(value(lines[-1]) for seed in self.tasks for lines in seed.values()) / len(self.tasks)

    def against(self, other: Cell) -> tuple[float, tuple[float, float], float, float]:
        """The difference of the shares to another condition's, its 95 % interval, and the tasks fixed and broken."""
        before = other.solved
        changes = [after - before[name] for name, after in self.solved.items()]
        fixed, broken = (sum(max(0.0, sign * change) for change in changes) for sign in (1, -1))
        return statistics.fmean(changes), bootstrap_interval(changes), fixed, broken

    def curve(self) -> list[tuple[float, float]]:
        """`(cost, share)` after each task's first attempt, after its second, and so on."""
        most = max(line.attempt for seed in self.tasks for lines in seed.values() for line in lines)
        points: list[tuple[float, float]] = []
        for number in range(1, most + 1):
            then = [lines[min(number, len(lines)) - 1] for seed in self.tasks for lines in seed.values()]
            cost = sum(line.cost for line in then) / len(self.tasks) / 1e6
            points.append((cost, statistics.fmean(line.solved for line in then)))
        return points

    def shared(self, share: float) -> float | None:
        """The cost, as in `curve`, for which one budget for all tasks solves a share of them; None if it never does.

        Replayed in the order in which `evaluate` gives attempts under a budget; the mean over the seeds that get there.
        """
        costs = [cost for seed in self.tasks if (cost := _replayed(seed, share * len(seed))) is not None]
        return statistics.fmean(costs) / 1e6 if costs else None


def _replayed(seed: Mapping[str, Sequence[Reached]], wanted: float) -> float | None:
    at = {name: lines[0] for name, lines in seed.items()}
    spent = sum(line.cost for line in at.values())
    missing = wanted - sum(line.solved for line in at.values())
    while missing > _ROUNDING:
        waiting = [line for name, line in at.items() if line.attempt < len(seed[name])]
        if not waiting:
            return None
        line = max(waiting, key=lambda line: Standing(line.attempt, line.score, line.tokens, line.cost).promise)
        after = at[line.task_id] = seed[line.task_id][line.attempt]
        spent += after.cost - line.cost
        missing -= after.solved - line.solved
    return spent


def bootstrap_interval(values: Sequence[float]) -> tuple[float, float]:
    """The 95 % interval of a mean, by the percentile bootstrap (Efron 1979); (0, 0) of nothing.

    For two conditions over the same tasks, `values` are the differences of each task: then the interval is that of the
    difference, and what makes one task harder than another is not in it. The same values give the same interval.

    Args:
        values: one for each task; several seeds of a task are one value, their mean, for they are not independent.
    """
    if not values:
        return 0.0, 0.0
    draw = random.Random(0)
    means = sorted(statistics.fmean(draw.choices(values, k=len(values))) for _ in range(_RESAMPLES))
    tail = round(0.025 * _RESAMPLES)
    return means[tail], means[-1 - tail]


def cells_of(finished: Finished, model: str) -> dict[str, list[Cell]]:
    """A model's cells by domain, with those of cascades that end with it.

    Over all these domains together stands what has at least one seed finished in each of them.
    """
    own = {piece: tasks for piece, tasks in finished.items() if piece.models[-1] == model}
    domains = list(dict.fromkeys(piece.domain for piece in own))
    cells: dict[str, list[Cell]] = {}
    together = [(" + ".join(domains), domains)] if len(domains) > 1 else []
    for title, members in [*((domain, [domain]) for domain in domains), *together]:
        for condition in dict.fromkeys(piece.condition for piece in own):
            by_seed: dict[int, dict[str, Sequence[Reached]]] = {}
            parts: dict[int, int] = {}
            for piece, tasks in own.items():
                if piece.condition == condition and piece.domain in members:
                    by_seed.setdefault(piece.seed, {}).update(tasks)
                    parts[piece.seed] = parts.get(piece.seed, 0) + 1
            whole = tuple(tasks for seed, tasks in by_seed.items() if parts[seed] == len(members))
            if whole:
                cells.setdefault(title, []).append(Cell(model, title, condition, whole))
    return cells


def tables(finished: Finished, against: str) -> Iterator[str]:
    """The lines of the report, as Markdown.

    Args:
        finished: the pieces.
        against: the condition to compare the others with, of the same model; of a cascade's last one.
    """
    for model in dict.fromkeys(piece.models[-1] for piece in finished):
        for domain, cells in cells_of(finished, model).items():
            base = next((cell for cell in cells if cell.condition == against), None)
            yield f"\n### {model}, {domain} ({len(cells[0].solved)} tasks)\n"
            yield _line(HEADER)
            yield _line(["---"] * len(HEADER))
            for cell in cells:
                yield _line(_row(cell, base))
            yield "\nSolved against cost, after each attempt:\n"
            for cell in cells:
                points = " → ".join(f"{share:.0%} for {cost:.3g}" for cost, share in cell.curve())
                caught = [] if base is None or base is cell else [_caught_up(cell, base)]
                yield f"- {cell.condition}: {'; '.join([points, *caught, _one_budget(cell)])}"


def _row(cell: Cell, base: Cell | None) -> list[str]:
    compared = ["–", "–", "–"]
    if base is not None and base is not cell:
        change, (low, high), fixed, broken = cell.against(base)
        compared = [f"{_points(change)} ({_points(low)} to {_points(high)})", f"{fixed:.3g}", f"{broken:.3g}"]
    low, high = bootstrap_interval(list(cell.solved.values()))
    return [
        cell.condition,
        str(len(cell.tasks)),
        f"{cell.share:.0%} ({low:.0%}–{high:.0%})",
        *compared,
        f"{cell.false_accepts:.3g}",
        f"{cell.tokens:,.0f}",
        f"{cell.cost:.3g}",
    ]


def _caught_up(cell: Cell, base: Cell) -> str:
    """What a condition has spent where it has solved as many tasks as another one has in the end."""
    for number, (cost, share) in enumerate(cell.curve(), 1):
        if share >= base.share - _ROUNDING:
            shared = cell.shared(base.share)
            together = f", under one budget for {shared / base.cost:.0%}" if shared and base.cost else ""
            share_of_cost = f", for {cost / base.cost:.0%} of its cost{together}" if base.cost else ""
            return f"as many as {base.condition} after attempt {number}{share_of_cost}"
    return f"never as many as {base.condition}"


def _one_budget(cell: Cell) -> str:
    """What one budget saves against two attempts for each task, against three, and so on, for as many solved."""
    saved = [(number, cost, cell.shared(share)) for number, (cost, share) in enumerate(cell.curve(), 1)][1:]
    shares = [f"{shared / cost - 1:+.0%} ({number})" for number, cost, shared in saved if cost and shared is not None]
    return f"one budget against so many attempts each: {', '.join(shares)}" if shares else "a single attempt"


def _points(share: float) -> str:
    return f"{100 * share:+.1f}"


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"
