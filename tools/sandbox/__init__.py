"""Runs model-written code: contained, and judged by CPython."""

from .limits import CheckFailure, Limits, SandboxVerdict
from .running import arun, arun_project, run, run_project

__all__ = ["CheckFailure", "Limits", "SandboxVerdict", "arun", "arun_project", "run", "run_project"]
