"""What a scripted run needs in each reflection mode, so that one suite can drive all of them."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import pytest
from support.scripted import ScriptedModel, lint_order
from thoughtgraph import Verdict, Verifier, create_reflection_graph, register_reflection_mode
from thoughtgraph.graphs.building import ReflectionBuilder, ReflectionLoop, after_attempt, after_verify, framed, verify
from thoughtgraph.tools import FormattedVerifier

TASK: Any = {"task": "Say the right thing."}
THREAD: Any = {"configurable": {"thread_id": "1"}}
RIGHT = "right"


def wrong(score: float = 0.0, note: str = "") -> str:
    """An answer that fails, and how good it is all the same."""
    return f"wrong {score} {note}".strip()


def score_of(answer: str) -> float:
    """The score that verifier and critic give an answer."""
    return 1.0 if answer == RIGHT else float(answer.split()[1])


def critique(accept: bool, score: float = 0.0, text: str = "Say something else.") -> str:
    """A critic's reply."""
    return f"[Critique]\n{text}\n[Score]\n{score * 10:g}\n[Verdict]\n{'ACCEPT' if accept else 'REVISE'}"


def opinion(answer: str) -> str:
    """What the scripted critic thinks of an answer."""
    return critique(answer == RIGHT, score_of(answer), f"The critic has seen <{answer}>.")


def reflection(number: int) -> str:
    """What the scripted actor notes of its attempt."""
    return f"[Mistake]\nMistake {number}.\n[Next time]\nDo it like {number}."


@dataclass
class Judge(FormattedVerifier):
    """A verifier that passes what is right, scores what is wrong, and notes what it was shown."""

    criteria: str = "Only the right answer counts."
    instructions: str = "Answer in one line."
    seen: list[str] = field(default_factory=list[str])

    def __call__(self, task: str, answer: str) -> Verdict:
        """Judge an answer."""
        self.seen.append(answer)
        if answer == RIGHT:
            return Verdict("passed")
        return Verdict("failed", f"<{answer}> is wrong", score=score_of(answer), kind="wrong")


def always(verdict: Verdict) -> Verifier:
    """A verifier that says the same of every answer."""
    return lambda task, answer: verdict


def unless_right(verdict: Verdict) -> Verifier:
    """A verifier that passes what is right, and says the same of every other answer."""
    return lambda task, answer: Verdict("passed") if answer == RIGHT else verdict


@dataclass(frozen=True)
class Mode:
    """A reflection mode, and whom it asks.

    Attributes:
        name: as `create_reflection_graph` knows it.
        reflects: the actor is asked for a reflection between two attempts.
        explains: the critic is asked about what the verifier failed.
        judges: the critic is asked where nothing could verify.
        samples: its attempts are samples that do not see each other, and it has no strategies.
    """

    name: str
    reflects: bool = False
    explains: bool = False
    judges: bool = False
    samples: bool = False

    @property
    def asks(self) -> str:
        """The node before which nothing of the next attempt has been asked for."""
        return "draw" if self.samples else "attempt"

    def script(self, answers: Sequence[str | None], *, verified: bool = True, verifier: Any = None) -> Script:
        """A run whose last answer ends it; None stands for replies without an answer.

        Args:
            answers: one an attempt.
            verified: the run has a verifier that can judge.
            verifier: instead of a `Judge`; whether it can judge, `verified` says.
        """
        actor: list[Any] = []
        critic: list[Any] = []
        reflects = self.reflects and (verified or self.judges)
        for number, answer in enumerate(answers, 1):
            actor += [answer] if answer is not None else ["", ""]
            if answer is None or answer in answers[: number - 1]:
                continue
            if self.judges if not verified else self.explains and answer != RIGHT:
                critic.append(opinion(answer))
            if reflects and number < len(answers):
                actor.append(reflection(number))
        judge = verifier or (Judge() if verified else None)
        samples = len(answers) if self.samples else 0
        return Script(self.name, ScriptedModel(replies=actor), ScriptedModel(replies=critic), judge, samples)


def critic_for(mode: str, critic: Any) -> Any:
    """The critic, in a mode that asks one."""
    return None if mode in ("external_loop", "best_of_n") else critic


@dataclass
class Script:
    """The collaborators of one run.

    Attributes:
        samples: how many are scripted, in a mode that draws them.
    """

    mode: str
    actor: ScriptedModel
    critic: ScriptedModel
    verifier: Any
    samples: int = 0

    def graph(self, **options: Any) -> Any:
        """The loop over these collaborators; samples are drawn one after the other, in the order of the script."""
        limit = self.samples if self.samples and not self.verifier else 9
        options = {"max_attempts": limit, "patience": 50, "form_repairs": 0, **options}
        if self.samples and "max_tokens" not in options:
            self._fill_batch(options["max_attempts"])
        graph = create_reflection_graph(
            self.mode, actor=self.actor, critic=critic_for(self.mode, self.critic), verifier=self.verifier, **options
        )
        return graph.with_config(max_concurrency=1)

    def _fill_batch(self, limit: int) -> None:
        """Script the rest of the last batch, which is drawn with the sample that ends the run."""
        drawn = 1
        while drawn < self.samples:
            drawn = min(limit, 2 * drawn)
        self.actor.replies += [wrong(0.0, f"drawn in vain {number}") for number in range(drawn - self.samples)]
        self.samples = drawn

    def run(self, invoke: Any, **options: Any) -> dict[str, Any]:
        """Run it; the actor's script is used up, and every request is in order."""
        result = invoke(self.graph(**options), dict(TASK))
        assert len(self.actor.requests) == len(self.actor.replies), (
            "the actor was asked for fewer replies than scripted"
        )
        self.lint()
        return result

    def lint(self) -> None:
        """Hold every request of both models to the order that chat templates demand."""
        lint_order([*self.actor.requests, *self.critic.requests])


def second_thoughts(loop: ReflectionLoop) -> ReflectionBuilder:
    """A mode as a user would assemble one: like the external loop, with a node of its own between two attempts."""
    graph = framed(loop)
    graph.add_step("verify", verify)
    graph.add_node("ponder", lambda state: {"seconds": state["seconds"]})
    graph.add_route("attempt", after_attempt, *loop.ways, "outcome", new="verify")
    graph.add_edge("verify", "ponder")
    graph.add_route("ponder", after_verify, *loop.ways, "outcome")
    return graph


register_reflection_mode("second_thoughts", second_thoughts)

EXTERNAL_LOOP = Mode("external_loop")
REFLEXION = Mode("reflexion", reflects=True, judges=True)
ACTOR_CRITIC = Mode("actor_critic", explains=True, judges=True)
BEST_OF_N = Mode("best_of_n", samples=True)
OWN = Mode("second_thoughts")
MODES = [EXTERNAL_LOOP, REFLEXION, ACTOR_CRITIC, BEST_OF_N, OWN]
JUDGING = [mode for mode in MODES if mode.judges]
RETRYING = [mode for mode in MODES if not mode.samples]
"""Those in which an attempt depends on what the ones before came to."""

all_modes = pytest.mark.parametrize("mode", MODES, ids=lambda mode: mode.name)
retrying_modes = pytest.mark.parametrize("mode", RETRYING, ids=lambda mode: mode.name)


def _runs(modes: Sequence[Mode]) -> Any:
    return pytest.mark.parametrize(
        ("mode", "verified"),
        [(mode, True) for mode in modes] + [(mode, False) for mode in JUDGING],
        ids=lambda value: value.name if isinstance(value, Mode) else "verifier" if value else "critic-alone",
    )


judged_runs = _runs(MODES)
"""Every mode with everything that can judge an answer in it."""
retrying_runs = _runs(RETRYING)
judging_modes = pytest.mark.parametrize("mode", JUDGING, ids=lambda mode: mode.name)


class Clock:
    """Stands in for the clock of every node: a reply of a model takes a second, and so does a verdict."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 0.0
        for module in ("attempt", "verify", "critique", "reflect", "samples.draw"):
            monkeypatch.setattr(
                f"thoughtgraph.nodes.reflection.{module}.time", SimpleNamespace(monotonic=lambda: self.now)
            )
        monkeypatch.setattr(ScriptedModel, "_generate", self._timed(ScriptedModel._generate))  # pyright: ignore[reportPrivateUsage]
        monkeypatch.setattr(Judge, "__call__", self._timed(Judge.__call__))

    def _timed(self, function: Callable[..., Any]) -> Callable[..., Any]:
        def timed(*args: Any, **kwargs: Any) -> Any:
            self.now += 1.0
            return function(*args, **kwargs)

        return timed


def comparable(result: dict[str, Any]) -> Any:
    """A result without what differs between two runs of the same script: ids, times, durations."""
    events = json.loads(json.dumps(result["events"]).replace(result["events"][0]["run_id"], "run"))
    for event in events:
        del event["time"]
        event["data"].pop("seconds", None)
    attempts = json.loads(json.dumps(result["attempts"]).replace(result["events"][0]["run_id"], "run"))
    return {**{key: result[key] for key in ("answer", "verdict", "stop_reason", "usage")}, "a": attempts, "e": events}
