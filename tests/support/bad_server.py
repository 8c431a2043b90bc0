"""One script of a bad model: what it answers request by request, and what is wrong with the requests it is sent."""

from __future__ import annotations

import json
from random import Random
from typing import Any

from support.bad_replies import MARK, SLOW, Drawn, fault, spoken, streamed, valid
from support.bad_texts import flood, forever, hostile
from support.openai_server import OpenAIServer, Reply

TEMPERS = {"good": 6, "mixed": 10, "rude": 10, "chaos": 5, "dead": 5, "forever": 4, "length": 2, "flood": 4, "slow": 1}
_FAULTS = {"good": 0.06, "mixed": 0.15, "rude": 0.08, "chaos": 0.45, "dead": 0.1, "flood": 0.1, "slow": 0.1}
_HOSTILE = {"good": 0.05, "mixed": 0.3, "rude": 0.7, "chaos": 0.6, "dead": 0.2, "flood": 0.3, "slow": 0.2}
GUIDED = ("user", "system")
# A prompt that a server would refuse for its length is not sent again and again here either.
_MOST_FLOODS, _MOST_SLOW = 3, 2


class Script:
    """Answers drawn from a seed; the same seed and the same requests draw the same.

    Attributes:
        temper: what the model is like.
        log: what was answered, in order.
        problems: what was wrong with the requests.
        guides: guidance may come as a system message behind the user's turn.
    """

    def __init__(self, seed: str) -> None:
        self.chance = Random(seed)
        self.temper = self.chance.choices(list(TEMPERS), list(TEMPERS.values()))[0]
        self.log: list[Drawn] = []
        self.problems: list[str] = []
        self.guides = False
        self._floods = self._slow = 0
        self._gone = self.chance.randrange(12) if self.temper == "dead" else None
        self._last = fault(self.chance)

    def __call__(self, body: dict[str, Any], index: int) -> Reply:
        """The next answer."""
        self._lint(body)
        drawn = self._drawn(body)
        drawn = streamed(drawn) if body.get("stream") else drawn
        self.log.append(drawn)
        return drawn.reply

    def _drawn(self, body: dict[str, Any]) -> Drawn:
        chance, temper = self.chance, self.temper
        if self._gone is not None and len(self.log) >= self._gone:
            return self._last
        if chance.random() < _FAULTS.get(temper, 0.0):
            return fault(chance)
        if temper == "slow" and self._slow < _MOST_SLOW and chance.random() < 0.3:
            self._slow += 1
            return SLOW
        if temper == "flood" and self._floods < _MOST_FLOODS and chance.random() < 0.3:
            self._floods += 1
            return spoken(chance, flood(chance), name="flood")
        right = valid(chance, body)
        if temper == "forever":
            return spoken(Random(str(self._last)), forever(Random(str(self._last)), body), name="forever")
        if temper == "length":
            choice = {"message": {"role": "assistant", "content": right[:9]}, "finish_reason": "length"}
            return Drawn("length", "read", Reply(raw_body=json.dumps({"choices": [choice]})))
        if chance.random() < _HOSTILE.get(temper, 0.0):
            kind, text = hostile(chance, body, right)
            return spoken(chance, text, name=kind)
        return spoken(chance, right)

    def _lint(self, body: dict[str, Any]) -> None:
        """What holds for every request: no word of a fault, and an order that every chat template takes."""
        messages = body.get("messages")
        if not isinstance(messages, list) or not messages:
            self.problems.append("a request without messages")
            return
        if MARK in json.dumps(messages):
            self.problems.append("a fault of the server came back in a prompt")
        roles = [message.get("role") for message in messages]
        turns = roles[1:] if roles[0] == "system" else roles
        if self.guides:
            turns = [role for before, role in zip(["", *turns], turns, strict=False) if (before, role) != GUIDED]
        if turns != (["user", "assistant"] * len(turns))[: len(turns)] or turns[-1:] != ["user"]:
            self.problems.append(f"messages in the order {roles}")
        if not all(message.get("content") for message in messages):
            self.problems.append("an empty turn")


class BadServer(OpenAIServer):
    """A server that plays one script after another."""

    def __init__(self) -> None:
        super().__init__(self._answer)
        self.script = Script("")

    def play(self, seed: str) -> Script:
        """Begin another script."""
        self.script = Script(seed)
        self.requests.clear()
        return self.script

    def _answer(self, body: dict[str, Any], index: int) -> Reply:
        return self.script(body, index)
