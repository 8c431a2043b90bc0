"""The benchmark's figure: solved against cost, a curve for each condition and model."""

from __future__ import annotations

from pathlib import Path

from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import PercentFormatter
from thoughtgraph.evaluation.plot import write_figure

from .conditions import CASCADES
from .report import Cell, Finished, bootstrap_interval, cells_of

_COLUMNS = 3


def save_figure(finished: Finished, path: Path) -> None:
    """Draw the share solved against what it cost, after each task's first attempt, its second, and so on.

    A panel for each domain, and one for all of them together; the last place holds the legend. At the end of a curve
    stands the 95 % interval of a bootstrap over tasks. The cost is that of the tables, by task, so that models share
    an axis.

    Args:
        finished: the pieces, as for `tables`.
        path: an `.svg` or `.png` file; its folder is created if missing.
    """
    panels: dict[str, list[Cell]] = {}
    for model in dict.fromkeys(piece.models[-1] for piece in finished):
        for domain, cells in cells_of(finished, model).items():
            panels.setdefault(domain, []).extend(cells)
    names = list(dict.fromkeys(_name(cell) for cells in panels.values() for cell in cells))
    colors = {name: f"C{number % 10}" for number, name in enumerate(names)}
    rows = len(panels) // _COLUMNS + 1
    ends = {id(cell): bootstrap_interval(list(cell.solved.values())) for cells in panels.values() for cell in cells}
    top = min(1.0, max(high for _, high in ends.values()) + 0.05)
    figure = Figure(figsize=(4 * _COLUMNS, 3.6 * rows), layout="constrained")
    places = list(figure.subplots(rows, _COLUMNS, squeeze=False).flat)
    for axes, (domain, cells) in zip(places, panels.items(), strict=False):
        for cell in cells:
            millions, shares = zip(*cell.curve(), strict=True)
            costs = [1000 * cost / len(cell.solved) for cost in millions]
            low, high = ends[id(cell)]
            axes.plot(costs, shares, marker="o", markersize=3, color=colors[_name(cell)])
            axes.vlines(costs[-1], low, high, color=colors[_name(cell)], alpha=0.35)
        title = "all domains" if " + " in domain else domain
        axes.set_title(f"{title} ({len(cells[0].solved)} tasks)", fontsize=10)
        axes.set_xlabel("cost of a task, thousands of tokens × billions of parameters", fontsize=8)
        axes.set_xlim(left=0)
        axes.set_ylim(0, top)
        axes.yaxis.set_major_formatter(PercentFormatter(1))
        axes.grid(alpha=0.2)
        axes.spines[["top", "right"]].set_visible(False)
    for axes in places[len(panels) :]:
        axes.axis("off")
    lines = [Line2D([], [], color=color, marker="o", markersize=3) for color in colors.values()]
    places[-1].legend(lines, names, loc="center", fontsize=9, frameon=False)
    write_figure(figure, path)


def _name(cell: Cell) -> str:
    join = " up to " if cell.condition in CASCADES else ", "
    return f"{cell.condition}{join}{cell.model.removeprefix('local:')}"
