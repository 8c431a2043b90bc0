"""How well does the plan-act loop run applications with tools of their own, and what does it cost?

    python benchmarks/applications/run.py --model local:qwen2.5-coder-1.5b --save runs/applications.jsonl
    python benchmarks/applications/run.py --way native --model local:qwen2.5-coder-1.5b --save runs/applications.jsonl
    python benchmarks/applications/run.py --part fourth --model local:qwen2.5-coder-1.5b
    python benchmarks/applications/run.py --app bank --only sister,car --model local:qwen2.5-coder-0.5b
    python benchmarks/applications/run.py --right

Nineteen applications have tools as a LangChain user writes them: they know nothing of this library, but that a few of
them say which tools have effects. Five are the first part, five the second, and three each the third, the fourth and
the fifth. All but the first were held out: written by somebody who had not seen the checks of the loop, and to be
measured before anybody works on what they show. The fourth has what such a user would try first, in plain words; the
fifth speaks by name of what two lists hold together. Each case gets a state of its own and a scripted user. With
`--save`, the same command goes on where it stopped. `--right` needs no model: it plays the right calls straight and
through the loop.

loop           `create_plan_act_graph`
native         the control: LangChain's `create_agent` with the same tools, native tool calls and no check

wrong effect                       something was changed otherwise than it should have been
wrong effect without a question    the same, and the user had been asked nothing
asked though complete              the user was asked something, though the request had all that was needed
lacked something, asked            the user was asked, by the loop or, with nothing done yet, in the answer
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from functools import partial
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from benchmarks.applications.cases import NAMES, PARTS, Application, Case, application  # noqa: E402
from benchmarks.applications.results import Row, saved_rows, table  # noqa: E402
from benchmarks.applications.right import report  # noqa: E402
from benchmarks.applications.solve import WAYS, Way, solve  # noqa: E402
from benchmarks.assistant.results import line, save_row  # noqa: E402
from benchmarks.assistant.run import Models, opened  # noqa: E402


def chosen(names: Sequence[str], only: str | None) -> list[tuple[Application, Case]]:
    """The cases to run; `only` names ids and kinds."""
    found = [(app, case) for app in map(application, NAMES) if app.name in names for case in app.cases]
    wanted = set(only.split(",")) if only else set[str]()
    if unknown := wanted - {name for _, case in found for name in (case.id, case.kind)}:
        raise SystemExit(f"no such case or kind: {', '.join(sorted(unknown))}")
    return [(app, case) for app, case in found if not wanted or wanted & {case.id, case.kind}]


def measure(
    opened: Callable[[], AbstractContextManager[Models]],
    name: str,
    cases: Sequence[tuple[Application, Case]],
    *,
    way: Way,
    save: Path | None,
    deadline: float = float("inf"),
) -> list[Row]:
    """Run the cases that no earlier run has in `save`, until the deadline, and give the rows of all."""
    known = saved_rows(save)
    keys = {(name, app.name, case.id, case.said): (app, case) for app, case in cases}
    rows = [known[key] for key in keys if key in known]
    left = [pair for key, pair in keys.items() if key not in known]
    if not left or time.monotonic() > deadline:
        return rows
    with opened() as model:
        for app, case in left:
            if time.monotonic() > deadline:
                break
            row = solve(model, app, case, name=name, way=way)
            print(line(row, f"{app.name}/{case.id}"), flush=True)
            if row.stop == "model_unavailable":
                raise SystemExit(f"the model {name} is gone; the same command goes on at {app.name}/{case.id}")
            rows.append(row)
            # What broke is tried again by the next run.
            if save and row.stop != "crash":
                save_row(row, save)
    return rows


def main() -> None:
    """Parse the arguments, run the cases with each model, print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--app", action="append", choices=NAMES, help="may be given several times; all by default")
    which.add_argument("--part", choices=PARTS, help="one part of the applications; all by default")
    parser.add_argument("--only", help="ids or kinds of cases, with commas")
    parser.add_argument("--model", action="append", help="as for `thoughtgraph solve`; may be given several times")
    parser.add_argument("--way", choices=WAYS, default="loop", help="the loop, or LangChain's agent as the control")
    parser.add_argument("--minutes", type=float, default=float("inf"), help="begin no case after so many")
    parser.add_argument("--save", type=Path, help="keep every raw reply in this JSONL file, and go on from it")
    parser.add_argument("--right", action="store_true", help="check the cases themselves, without a model")
    args = parser.parse_args()
    cases = chosen(args.app or PARTS.get(args.part, NAMES), args.only)
    if args.right:
        raise SystemExit(report(cases))
    if args.save:
        args.save.parent.mkdir(parents=True, exist_ok=True)
    deadline = time.monotonic() + 60 * args.minutes
    for model in args.model or [None]:
        name = f"{model or 'default model'}, {args.way}"
        rows = measure(partial(opened, [model]), name, cases, way=args.way, save=args.save, deadline=deadline)
        print(f"\n{name}: {len(rows)} of {len(cases)} cases\n\n{table(rows)}\n")


if __name__ == "__main__":
    main()
