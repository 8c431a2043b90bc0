"""Draws a comparison: bars in the terminal, and a figure with matplotlib (the extra `plots`)."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from rich.text import Text

from .._internal.atomic import local_path
from .._internal.numbers import check_kind
from ..errors import PlotError
from .comparison import Comparison
from .scored import ConditionResult, short

_SUFFIXES = (".png", ".svg")
_BAR = 36
_COLORS = (
    "#7f7f7f",
    "#4c78a8",
    "#f58518",
    "#54a24b",
    "#b279a2",
    "#72b7b2",
    "#5b6fb5",
    "#9d755d",
    "#d8a400",
    "#333333",
)


def check_plot(path: str | Path) -> None:
    """Check that a figure can be drawn, before a comparison takes hours.

    Raises:
        PlotError: the file is neither PNG nor SVG, or matplotlib is not installed.
    """
    if Path(path).suffix.lower() not in _SUFFIXES:
        raise PlotError(f"cannot draw {path}: name a file that ends with {' or '.join(_SUFFIXES)}")
    if find_spec("matplotlib") is None:
        raise PlotError("a figure needs matplotlib: pip install 'thoughtgraph[plots]', or leave out --plot")


def bars(comparison: Comparison, columns: int = 80) -> Text:
    """The solved shares with their 95 % intervals: a line for each condition, below its title if both do not fit.

    A bar is solid up to the lower end of the interval, shaded up to the share, and light up to the upper end.
    """
    titles = [short(condition.title) for condition in comparison.conditions]
    width = max(map(len, titles)) + 1
    beside = width + _BAR + len(" 100% (100%–100%)") <= columns
    text = Text()
    for title, condition in zip(titles, comparison.conditions, strict=True):
        share = condition.solved
        low, high = share.interval
        solid, shaded, light = (round(_BAR * value) for value in (low, share.value, high))
        text.append(f"{title:{width}}" if beside else f"{title}\n")
        text.append("█" * solid + "▓" * (shaded - solid), style="green" if condition.verified else "yellow")
        text.append("░" * (light - shaded), style="dim")
        text.append(" " * (_BAR - light) + f" {share.value:4.0%} ({low:.0%}–{high:.0%})\n")
    text.append(f"{'':{width if beside else 0}}{'0%':<{_BAR // 2}}50%{'100%':>{_BAR // 2 - 3}}\n", style="dim")
    return text


def save_plot(comparison: Comparison, path: str | Path) -> Path:
    """Draw solved shares with their intervals, and the shares against the cost of a task.

    If the tasks of a condition shared a budget, also its curve: the share that was solved when so many
    tokens had been spent, with the 95 % interval at each point (Wilson 1927); beside it that of the best of N.

    Args:
        comparison: what to draw.
        path: a `.png` or `.svg` file; its folder is created if missing.

    Raises:
        PlotError: see `check_plot`.
        ValueError: `comparison` is none.
    """
    check_kind("comparison", comparison, Comparison, "what evaluate returns")
    check_plot(path)
    shared = any(
        condition.max_tokens is not None or condition.max_cost is not None for condition in comparison.conditions
    )
    figure: Any = import_module("matplotlib.figure").Figure(
        figsize=(16 if shared else 11, 1.9 + 0.42 * len(comparison.conditions)), layout="constrained"
    )
    shares, costs, *curves = figure.subplots(1, 3 if shared else 2, width_ratios=(1.15, 1, 1) if shared else (1.15, 1))
    figure.suptitle(
        f"Solved: {comparison.tasks} tasks, {comparison.max_attempts} attempts at most (95 % intervals)",
        fontsize=11,
    )
    _draw_shares(shares, comparison)
    _draw_costs(costs, comparison)
    for axes in curves:
        _draw_curves(axes, comparison)
    return write_figure(figure, path)


def write_figure(figure: Any, path: str | Path) -> Path:
    """Write a matplotlib figure; the same figure gives the same file.

    Args:
        figure: a `matplotlib.figure.Figure`.
        path: a `.png` or `.svg` file; its folder is created if missing.
    """
    target = local_path(path)
    target.parent.mkdir(parents=True, exist_ok=True)
    # An SVG would have the date inside, and random ids.
    with import_module("matplotlib").rc_context({"svg.hashsalt": "thoughtgraph"}):
        figure.savefig(target, dpi=150, metadata={"Date": None} if target.suffix.lower() == ".svg" else None)
    return target


def _draw_shares(axes: Any, comparison: Comparison) -> None:
    for place, condition in enumerate(comparison.conditions):
        share, false = condition.solved.value, condition.false_accepts / comparison.tasks
        hatch = {} if condition.verified else {"hatch": "///", "edgecolor": "white"}
        axes.barh(place, share, color=_color(place), alpha=0.75, height=0.62, **hatch)
        label = {} if place else {"label": "accepted, but wrong"}
        axes.barh(place, false, left=share, height=0.62, color="#f3c6c2", zorder=0, **label)
        axes.errorbar(share, place, xerr=_whiskers(condition), color="black", capsize=3, linewidth=1)
        axes.text(0.01, place, f"{condition.solved.count}/{condition.solved.of}", va="center", fontsize=8)
    titles = [condition.title.replace(" (", "\n(") for condition in comparison.conditions]
    axes.set_yticks(range(len(titles)), [f"{title}  {_letter(n)}" for n, title in enumerate(titles)], fontsize=9)
    axes.invert_yaxis()
    axes.set_xlim(0, 1)
    axes.xaxis.set_major_formatter(_percent)
    axes.set_xlabel("solved")
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(loc="upper right", bbox_to_anchor=(1, 1.07), fontsize=8, frameon=False)


def _draw_costs(axes: Any, comparison: Comparison) -> None:
    costs = [condition.tokens / comparison.tasks for condition in comparison.conditions]
    # Points that coincide share a label.
    labels: dict[tuple[float, int], str] = {}
    beside: dict[tuple[float, int], float] = {}
    for place, (condition, cost) in enumerate(zip(comparison.conditions, costs, strict=True)):
        share = condition.solved.value
        axes.errorbar(cost, share, yerr=_whiskers(condition), color=_color(place), alpha=0.35, capsize=2, linewidth=1)
        axes.scatter(cost, share, s=70, color=_color(place), zorder=3, edgecolor="white")
        spot = share, round(25 * cost / max(*costs, 1))
        labels[spot] = labels.get(spot, "") + _letter(place)
        beside[spot] = cost
    for spot, letters in labels.items():
        axes.annotate(letters, (beside[spot], spot[0]), (6, 5), textcoords="offset points", fontsize=9, zorder=4)
    if min(costs) > 0 and max(costs) > 8 * min(costs):
        axes.set_xscale("log")
        axes.margins(x=0.1)
    else:
        axes.set_xlim(0, 1.1 * max(*costs, 1))
    axes.set_xlabel("tokens a task, read and written")
    _frame(axes)


def _draw_curves(axes: Any, comparison: Comparison) -> None:
    for place, condition in enumerate(comparison.conditions):
        if not condition.curve:
            continue
        tokens = [0, *(point.tokens for point in condition.curve)]
        solved = [0.0, *(point.solved.value for point in condition.curve)]
        bands = [(0.0, 0.0), *(point.solved.interval for point in condition.curve)]
        low, high = zip(*bands, strict=True)
        # Between two attempts nothing more is known than after the first of them.
        axes.step(
            tokens, solved, where="post", color=_color(place), label=f"{_letter(place)}  {short(condition.title)}"
        )
        axes.fill_between(tokens, low, high, step="post", color=_color(place), alpha=0.12, linewidth=0)
    for budget in {condition.max_tokens for condition in comparison.conditions} - {None}:
        axes.axvline(budget, color="black", linewidth=0.8, linestyle=":")
    axes.set_xlim(left=0)
    axes.set_xlabel("tokens of all tasks, in the order of the attempts")
    axes.legend(loc="lower right", fontsize=8, frameon=False)
    _frame(axes)


def _frame(axes: Any) -> None:
    axes.xaxis.set_major_formatter(_grouped)
    axes.set_ylabel("solved")
    axes.set_ylim(-0.04, 1.06)
    axes.yaxis.set_major_formatter(_percent)
    axes.grid(alpha=0.2)
    axes.spines[["top", "right"]].set_visible(False)


def _whiskers(condition: ConditionResult) -> list[list[float]]:
    share, (low, high) = condition.solved.value, condition.solved.interval
    return [[max(0.0, share - low)], [max(0.0, high - share)]]


def _percent(value: float, place: int) -> str:
    return f"{value:.0%}"


def _grouped(value: float, place: int) -> str:
    return f"{value:,.0f}"


def _color(place: int) -> str:
    return _COLORS[place % len(_COLORS)]


def _letter(place: int) -> str:
    return chr(ord("A") + place) if place < 26 else str(place + 1)
