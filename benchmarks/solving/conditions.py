"""The conditions that the benchmark can run: a line each."""

from __future__ import annotations

from thoughtgraph.evaluation.conditions import RETRY_ONLY, Condition

ONE_SHOT = "one shot"
"""The baseline of the others: a single attempt at the model's own temperature."""

CONDITIONS: dict[str, Condition] = {
    ONE_SHOT: RETRY_ONLY,
    "fresh": RETRY_ONLY,
    "repair": Condition("external_loop", ("repair",), form_repairs=0),
    "lesson": Condition("external_loop", ("lesson",), form_repairs=0),
    "repair+fresh": Condition("external_loop", ("repair", "fresh"), form_repairs=0),
    "form repaired": Condition("external_loop", ("fresh",), form_repairs=1),
    "min score": Condition("external_loop", ("fresh",), form_repairs=1, min_score=0.5),
    "reflexion": Condition("reflexion"),
    "actor_critic": Condition("actor_critic"),
    "best_of_n": Condition("best_of_n"),
    "cascade": RETRY_ONLY,
    "cascade+form": Condition("external_loop", ("fresh",), form_repairs=1),
}
CASCADES = frozenset({"cascade", "cascade+form"})
"""Those that ask all of the models, the first one first, and go on to the next where its answers fail."""
