"""Mutation testing: the code that decides and parses is made wrong in one place at a time; the tests have to notice.

    python benchmarks/torture/mutation.py                          every mutant, and the survivors as differences
    python benchmarks/torture/mutation.py graphs/reflection/edges.py          those of some modules

Why an engine of its own: a mutant has to cost a second or less, where importing LangGraph and pytest costs three.
cosmic-ray starts a process for each. mutmut, which does not, leaves out what this code is made of: what stands outside
of functions (tables, limits, defaults) and in decorated ones (validators, properties, cached functions); and it wants
the package in a folder below its configuration, where this repository's root is the package itself.

A survivor is no defect: many a change makes no difference. What breaks is a kill rate below its floor.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from effort import Effort, Row
from mutation_operators import Mutant, mutants

ROOT = Path(__file__).resolve().parents[2]
_SESSION = Path(__file__).with_name("mutation_session.py")
_LIMIT = 900.0


@dataclass(frozen=True, slots=True)
class Group:
    """Modules whose kill rate is one figure.

    Attributes:
        name: in the table.
        modules: and the test files that are to notice what is wrong with them.
        floor: the share of mutants that has to be killed; somewhat below what was measured.
        whole: mutants of a whole torture.
    """

    name: str
    modules: dict[str, Sequence[str]]
    floor: float
    whole: int


_LOOPS = ("external_loop", "reflection_modes")
_PLAN = ("plan_act_guards", "plan_act_limits", "ask_user")
GROUPS = (
    Group(
        "edges and guards",
        {
            "nodes/plan_act/guards.py": (*_PLAN, "survivors_edges"),
            "graphs/reflection/edges.py": (*_LOOPS, *_PLAN, "survivors_edges"),
            "graphs/reflection/frame.py": ("reflection_modes_graph",),
        },
        0.8,
        30,
    ),
    Group(
        "parsers",
        {
            "parsers/sections.py": ("sections", "survivors_parsers"),
            "parsers/json_reply.py": ("json_parser", "survivors_parsers"),
            "_internal/fences.py": ("fences", "survivors_parsers"),
            "parsers/code.py": ("code_parser", "survivors_parsers"),
            "parsers/markdown_blocks.py": ("markdown_blocks", "survivors_parsers"),
            "nodes/plan_act/plans/payloads.py": ("plan_payloads", "plan_prompts", "survivors_parsers"),
            "parsers/first_payload.py": ("first_payload", "plan_payloads"),
            "nodes/reflection/critique.py": ("critique", "survivors_parsers"),
            "nodes/reflection/reflect.py": ("critique", "reflexion"),
            "parsers/contract.py": ("contract", "retry", "survivors_parsers"),
            "parsers/chain_of_thought.py": ("chain_of_thought",),
        },
        0.8,
        45,
    ),
    Group(
        "retry and transport",
        {
            "models/retry.py": ("retry", "survivors_retry"),
            "models/transport.py": ("transport", "bad_model", "survivors_retry"),
            "models/reasoning.py": ("think", "bad_model", "survivors_retry"),
            "tools/calls/executor.py": ("executor", "executor_forms", "survivors_retry"),
        },
        0.8,
        22,
    ),
    Group(
        "reducers and state",
        {
            "traces/events.py": ("retry", "context_graph", "reflection_modes_graph", "survivors_state"),
            "_internal/channel.py": ("reflection_modes_graph", "survivors_state"),
            "nodes/reflection/attempt.py": ("reflection_modes", "failure_lessons", "survivors_state"),
        },
        0.8,
        18,
    ),
)


def test_files(names: Sequence[str]) -> list[str]:
    """The files of the tests by those names that there are."""
    files = [f"test_{name}.py" for name in names]
    return [file for file in files if (ROOT / "tests" / file).exists()]


def run(chosen: dict[str, list[int]], workers: int, limit: float) -> dict[tuple[str, int], str]:
    """The outcome of each mutant, by module and number; without those for which the time did not suffice."""
    tests = {module: test_files(names) for group in GROUPS for module, names in group.modules.items()}
    jobs = sorted(
        ({"module": module, "tests": tests[module], "numbers": numbers} for module, numbers in chosen.items()),
        key=lambda job: -len(job["numbers"]),
    )
    outcomes: dict[tuple[str, int], str] = {}
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        share = folder / "jobs"
        share.write_text("".join(json.dumps(job) + "\n" for job in jobs))
        started: list[tuple[subprocess.Popen[bytes], Path]] = []
        for worker in range(workers):
            results = folder / f"results-{worker}"
            results.touch()
            environment = {
                **os.environ,
                "PYTHONHASHSEED": "0",
                "TMPDIR": place,
                "HYPOTHESIS_STORAGE_DIRECTORY": str(folder / f"hypothesis-{worker}"),
            }
            command = [sys.executable, str(_SESSION), str(share), str(results), str(limit)]
            started.append((subprocess.Popen(command, env=environment), results))
        for process, results in started:
            process.wait()
            for line in results.read_text().splitlines():
                said = json.loads(line)
                outcomes[said["module"], said["number"]] = said["outcome"]
    return outcomes


def sample(group: Group, effort: Effort) -> dict[str, list[int]]:
    """Some mutants of each module of a group, more of a longer one; at a small share of its first modules alone.

    Collecting and timing a module's tests costs as much as a dozen mutants.
    """
    modules = list(group.modules)[: effort.count(len(group.modules))]
    numbers = {module: len(mutants(ROOT / module)) for module in modules}
    share = effort.count(group.whole) / sum(numbers.values())
    chosen: dict[str, list[int]] = {}
    for module, there in numbers.items():
        wanted = min(there, max(1, round(there * share)))
        chosen[module] = sorted(effort.random("mutation", module).sample(range(there), wanted))
    return chosen


def judged(group: Group, outcomes: dict[tuple[str, int], str], wanted: int) -> Row:
    """A group's line."""
    own = {key: outcome for key, outcome in outcomes.items() if key[0] in group.modules}
    red = sorted({module for (module, _), outcome in own.items() if outcome == "red"})
    broke = [f"{module}: its tests fail without any mutant" for module in red]
    tried = {key: outcome for key, outcome in own.items() if outcome != "red"}
    killed = sum(outcome in ("killed", "timeout") for outcome in tried.values())
    hung = sum(outcome == "timeout" for outcome in tried.values())
    rate = killed / len(tried) if tried else 0.0
    # Few mutants say little: the floor is that of a whole run, less two standard errors.
    floor = group.floor - 2 * (group.floor * (1 - group.floor) / max(1, len(tried))) ** 0.5
    if rate < floor:
        left = [f"{module} {number}" for (module, number), said in sorted(tried.items()) if said not in _KILLED]
        broke.append(f"{rate:.0%} killed, less than {floor:.0%}; survived: {', '.join(left)}")
    if len(own) < wanted:
        broke.append(f"only {len(own)} of {wanted} mutants could be tried in time")
    note = f"killed {killed} of {len(tried)} ({rate:.0%}), {len(tried) - killed} survived"
    return Row(f"mutants of {group.name}", len(tried), broke, note + (f"; {hung} hung" if hung else ""))


_KILLED = ("killed", "timeout")


def torture(effort: Effort) -> Iterator[Row]:
    """A sample of the mutants of each group."""
    chosen = {group.name: sample(group, effort) for group in GROUPS}
    together = {module: numbers for modules in chosen.values() for module, numbers in modules.items()}
    outcomes = run(together, effort.workers, _LIMIT * effort.share + 60)
    for group in GROUPS:
        yield judged(group, outcomes, sum(map(len, chosen[group.name].values())))


def main(modules: Sequence[str]) -> None:
    """Try every mutant of some modules, or of all, and print the survivors."""
    for group in GROUPS:
        wanted = [module for module in group.modules if not modules or module in modules]
        made: dict[str, list[Mutant]] = {module: mutants(ROOT / module) for module in wanted}
        if not made:
            continue
        chosen = {module: list(range(len(own))) for module, own in made.items()}
        outcomes = run(chosen, 2, 24 * 3600)
        for (module, number), outcome in sorted(outcomes.items()):
            if outcome not in _KILLED:
                print(f"{outcome}: {module} {number}, {made[module][number]}")
        for module in wanted:
            said = [outcome for (own, _), outcome in outcomes.items() if own == module]
            print(f"{module}: killed {sum(each in _KILLED for each in said)} of {len(said)}")
        print(judged(group, outcomes, sum(map(len, chosen.values()))).note, flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
