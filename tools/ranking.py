"""How alike short requests are.

`memory.similarity` compares tasks of programming, where words such as "list" or "find" say little; in an everyday
request they say what is wanted.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from itertools import chain, pairwise

from .dates.words import fold
from .likeness import CHINESE, traits

_UNKNOWN = 6.0
"""The weight of what no other text has."""
_TRAITS = {
    "chinese": 0.6,
    "time": 0.25,
    "date": 0.12,
    "length": 0.1,
    "asks": 0.3,
    "done": 0.2,
    "off": 0.25,
    "moved": 0.2,
}
"""What a text may have in common with another beside words, and how much it counts."""


_SIZE = 0.1
"""What it counts if one is e times as long as the other."""


def most_alike(text: str, others: Sequence[str], count: int) -> list[int]:
    """The indices of the texts that are most like a text, the least alike of them first.

    Method: the cosine of words, pairs of words and groups of three letters (pairs of Chinese characters), each weighed
    by how rare it is among the texts; less for each trait that only one of two texts has, such as a time of day or the
    form of a question. Few requests share words, and their traits tell the order that they mean. Of equal ones the
    first counts.

    Args:
        text: what to compare with.
        others: the texts to choose from.
        count: how many.
    """
    return list(_ranked(text, tuple(others))[:count][::-1])


@lru_cache(maxsize=16)
def _ranked(text: str, others: tuple[str, ...]) -> tuple[int, ...]:
    """The indices of the texts, the most alike first; every call of a run is shown those of the same request."""
    bags, lengths, rarity = _weighed(others)
    own, having = _grams(text), traits(text)
    length = _length(own, rarity)
    scores = [
        sum(rarity[gram] for gram in bag & own) / (its * length)
        - sum(_TRAITS[trait] for trait in having ^ traits(other))
        - _SIZE * abs(math.log((1 + len(other)) / (1 + len(text))))
        for bag, its, other in zip(bags, lengths, others, strict=True)
    ]
    return tuple(sorted(range(len(others)), key=lambda index: (-scores[index], index)))


@lru_cache(maxsize=16)
def _weighed(texts: tuple[str, ...]) -> tuple[list[frozenset[str]], list[float], dict[str, float]]:
    bags = [_grams(text) for text in texts]
    having = Counter(chain.from_iterable(bags))
    rarity = {gram: math.log((1 + len(bags)) / count) ** 2 for gram, count in having.items()}
    return bags, [_length(bag, rarity) for bag in bags], rarity


def _length(bag: frozenset[str], rarity: dict[str, float]) -> float:
    return math.sqrt(sum(rarity.get(gram, _UNKNOWN) for gram in sorted(bag))) or 1.0


@lru_cache(maxsize=2048)
def _grams(text: str) -> frozenset[str]:
    folded = fold(text).casefold()
    words = re.findall(r"[^\W_]+(?:'\w+)?", CHINESE.sub(" ", folded))
    found = {f"{word} " for word in words} | {f"{first} {second}" for first, second in pairwise(words)}
    found |= {word[at : at + 3] for word in words for at in range(len(word) - 2)}
    for run in CHINESE.findall(folded):
        found |= {run[at : at + size] for size in (1, 2) for at in range(len(run) - size + 1)}
    return frozenset(found)
