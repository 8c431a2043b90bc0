"""Datasets, batches of runs, and comparisons of loops.

The way of a task from `evaluate` to the run of its graph; each stop adds one thing to what comes after it:

| stop                  | file                 | adds                                                          |
| --------------------- | -------------------- | ------------------------------------------------------------- |
| `aevaluate`           | `evaluating.py`      | what is given, checked; all loops, built once to check them   |
| `_Lineup.results`     | `evaluating.py`      | one `Study` for each model, and for each cascade              |
| `Study.results`       | `bench.py`           | one shot, the conditions, and the best of N                   |
| `Bench.run`           | `bench.py`           | the folder of a condition, its progress, the metrics of runs  |
| `arun_many`           | `many.py`            | several tasks at a time; `solve_many` begins here             |
| `SingleRuns.result`   | `backends/single.py` | one task: its errors, its scorer, what is kept of it          |
| `Loop`                | `backends/loop.py`   | the graph for the task                                        |

With one budget for all tasks, `Bench.run_within` leads to `arun_within` in `budget/within.py` instead, to divide it.
With a backend, `SingleRuns` gives a task to a worker, which runs it by a `SingleRuns` of its own.
"""

import lazy_loader as lazy

__getattr__, __dir__, __all__ = lazy.attach_stub(__name__, __file__)
