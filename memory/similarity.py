"""How similar two texts are, from their words alone: offline, deterministic, English and Chinese.

A text is a bag of features: word stems and the letter groups inside them, and, for scripts without spaces, pairs of
neighboring characters. The fewer of the compared texts have a feature, the more it weighs. Words that every task has
("write a function that returns…") weigh little or nothing from the start, so that they do not make texts similar, even
if there is only one text to compare with.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import chain
from operator import mul

_BACKGROUND = 20
"""Imaginary texts counted in addition to the compared ones, so that one or two texts do not decide what is rare."""

_NEARLY_ALL = 0.8
"""What two tasks of common words alone have to have in common to be similar at all."""

_LITTLE = 0.3
_GROUPS = 0.5
_GROUP = 4

_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_UNSPACED = r"\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_IS_UNSPACED = re.compile(rf"[{_UNSPACED}]")
_TOKEN = re.compile(rf"[{_UNSPACED}]+|[^\W\d_{_UNSPACED}]+")


def _words(listed: str) -> frozenset[str]:
    return frozenset(listed.split())


_EMPTY_WORDS = _words("""
    a about above after again all also an and any are as at be because been before below between both but by can
    cannot could did do does doing done each either else every few first for from further get give given gives had
    has have having he her here him his how i if in into is it its itself just last like make may me more most must
    my neither never no nor not now of off on once one only or other our out over own please same she should so some
    such take takes than that the their them then there these they this those through to too two under until up us
    use used uses using very was we were what when where whether which while who whose why will with within without
    would yes yet you your answer argument call called class code coding compute create def define defined describe
    e eg error example exactly except exception expected failed following function g got helper implement
    implementation import input line main method module name named need output parameter problem program provide
    python raise raised result return returned returns script self snippet solution solve task test traceback type
    value want write written
""")
_PALE_WORDS = _words("""
    array assert bool boolean character check contain convert count dict dictionary element empty end equal exist
    false file find float group highest hold index int integer item key largest leave length letter list lowest max
    maximum min minimum n negative new none null number object occurrence order pair position positive present
    remove sequence set single size smallest sort start str string text time total true tuple word x y zero
""")
_EMPTY_PHRASES = _words("""
    编写 写一个 写出 写个 请写 请用 请你 帮我 实现 定义 创建 函数 方法 程序 代码 返回值 返回 给定
    输入 输出 参数 例如 比如 示例 如果 其中 并且 以及 或者 那么 需要 要求 可以 一个 两个 这个 那个
    某个 每个 每一个 它们 它 该 使用 利用 接受 接收 得到 结果 之间 是否 判断 计算 求出 求 找出
    找到 检查 出现 第一 请 用 的 了 是 与 并 为 把 将 被 在 则 从 到 中 用于 任务 测试 错误
    失败 异常 期望 预期 实际
""")
_PALE_PHRASES = _words("""
    列表 数组 字符串 字符 字典 整数 数字 元素 个数 数量 次数 长度 所有 单词 文本 统计 转换 顺序
    位置 下标 最大 最小
""")
_PHRASE = re.compile("|".join(sorted(_EMPTY_PHRASES | _PALE_PHRASES, key=lambda phrase: (-len(phrase), phrase))))


def similarities(text: str, others: Sequence[str]) -> list[float]:
    """How similar a text is to each of `others`.

    Args:
        text: the text to compare.
        others: the texts to compare it with; words that are rare among them count for more.

    Returns:
        A number from 0 (no significant word in common) to 1 (the same significant words) for each of `others`. A text
        without a significant word is similar to nothing, not even itself; numbers are not words. The time is linear in
        the number of `others`.
    """
    return [alike for alike, _ in _compared(text, others)]


def task_similarities(task: str, others: Sequence[str]) -> list[float]:
    """How similar a task is to each of `others`, which are tasks, too.

    As `similarities`, but a task may have no words than those that every task has: "Sort the list." Two of them are
    similar if they have nearly all of these in common, and 1 if they are the same. Errors are not: a wrong answer is
    told in the same few words whatever is wrong.
    """
    said = _said(task)
    found = _compared(task, others)
    return [
        1.0 if said == _said(other) else max(alike, (common - _NEARLY_ALL) / (1 - _NEARLY_ALL))
        for other, (alike, common) in zip(others, found, strict=True)
    ]


def _said(text: str) -> str:
    return " ".join(text.casefold().split())


def _compared(text: str, others: Sequence[str]) -> list[tuple[float, float]]:
    """For each of `others`: how similar the text is to it, and how much of all features the two have in common."""
    bags, lengths, rarity, unseen, least = _weighed(tuple(others))
    query = {feature: weight * rarity.get(feature, unseen) for feature, weight in _bag(text).items()}
    length = math.hypot(*query.values())
    found: list[tuple[float, float]] = []
    for bag, other in zip(bags, lengths, strict=True):
        # In the text's order, not a set's: otherwise the sum's last digits would differ between processes.
        shared = sum(query[feature] * bag[feature] * rarity[feature] for feature in query if feature in bag)
        alike, common = max(length, least) * max(other, least), length * other
        found.append((min(shared / alike, 1.0), min(shared / common, 1.0) if common else 0.0))
    return found


@lru_cache(maxsize=8)
def _weighed(
    texts: tuple[str, ...],
) -> tuple[list[Mapping[str, float]], list[float], Mapping[str, float], float, float]:
    """The texts' features and vector lengths, each feature's rarity, an unseen feature's rarity, and the least length.

    With the least length, a text of only common words counts as long as one significant word, so its shortness does
    not make it similar.
    """
    bags = [_bag(text) for text in texts]
    rarities = [math.log(1 + (len(bags) + _BACKGROUND) / (having + 1)) for having in range(len(bags) + 2)]
    unseen, least, *_ = rarities
    rarity = {feature: rarities[having] for feature, having in Counter(chain.from_iterable(bags)).items()}
    lengths = [math.hypot(*map(mul, bag.values(), map(rarity.__getitem__, bag))) for bag in bags]
    return bags, lengths, rarity, unseen, least


@lru_cache(maxsize=2048)
def _bag(text: str) -> Mapping[str, float]:
    """The features of a text with their weights, before rarity counts."""
    features: dict[str, float] = {}
    for token in _TOKEN.findall(unicodedata.normalize("NFKC", _CAMEL.sub(" ", text)).casefold()):
        features |= _unspaced(token) if _IS_UNSPACED.match(token) else _spaced(token)
    return features


def _unspaced(run: str) -> dict[str, float]:
    """Pairs of neighbors in a run of characters; words with little meaning split the run."""
    features = {phrase: _LITTLE for phrase in _PHRASE.findall(run) if phrase in _PALE_PHRASES}
    for piece in filter(None, _PHRASE.split(run)):
        features |= {piece[at : at + 2]: 1.0 for at in range(max(len(piece) - 1, 1))}
    return features


def _spaced(word: str) -> dict[str, float]:
    """A word's stem and the letter groups in it, which related words share."""
    stem = _stem(word)
    if not _EMPTY_WORDS.isdisjoint((word, stem)):
        return {}
    weight = _LITTLE if len(stem) == 1 or not _PALE_WORDS.isdisjoint((word, stem)) else 1.0
    groups = dict.fromkeys(f"~{stem[at : at + _GROUP]}" for at in range(len(stem) - _GROUP + 1))
    return {stem: weight, **dict.fromkeys(groups, weight * _GROUPS / math.sqrt(len(groups) or 1))}


def _stem(word: str) -> str:
    """A word without the most common English endings."""
    for ending, instead in (("ies", "y"), ("sses", "ss"), ("ing", ""), ("ed", ""), ("es", "e"), ("s", ""), ("ly", "")):
        if word.endswith(ending) and len(word) - len(ending) >= 3 and not word.endswith("ss"):
            word = word.removesuffix(ending) + instead
            break
    return word.removesuffix("e") if len(word) > 4 else word
