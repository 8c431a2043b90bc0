"""Numbers written as words, in English and Chinese, put into digits: `twenty-five` → `25`, `两百` → `200`."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection
from itertools import combinations_with_replacement, product

_SMALL = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen"
)
_NTH = (
    "first:1 second:2 third:3 fourth:4 fifth:5 sixth:6 seventh:7 eighth:8 ninth:9 tenth:10 eleventh:11 twelfth:12 "
    "thirteenth:13 fourteenth:14 fifteenth:15 sixteenth:16 seventeenth:17 eighteenth:18 nineteenth:19 twentieth:20 "
    "thirtieth:30 once:1 twice:2 single:1 both:2 pair:2 couple:2"
)
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
_ADDED = (
    {word: value for value, word in enumerate(_SMALL.split())}
    | {word: value for value, word in zip(range(20, 100, 10), _TENS.split(), strict=True)}
    | {word: int(value) for word, value in (pair.split(":") for pair in _NTH.split())}
)
_SCALES = {"dozen": 12, "hundred": 100, "thousand": 1_000, "million": 1_000_000}
_WORD = "|".join(sorted([*_ADDED, *_SCALES], key=len, reverse=True))
_TWENTY_ONE = rf"(?:{'|'.join(_TENS.split())})[ -](?:{'|'.join(_SMALL.split()[1:10])}|first|second|third|\w+th)"
_SCALED = rf"(?:(?:{_TWENTY_ONE}|{_WORD}|an?) )?(?:{'|'.join(_SCALES)})s?"
_NUMBER = re.compile(
    rf"\b(?:{_SCALED}(?: (?:and )?(?:{_SCALED}|{_TWENTY_ONE}|{_WORD})){{0,8}}|{_TWENTY_ONE}|{_WORD})\b"
)

_DIGITS = {digit: value for value, digit in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2, "俩": 2, "双": 2}
_UNITS = {"十": 10, "百": 100, "千": 1_000}
_CHINESE = re.compile(r"[零〇一二两俩双三四五六七八九十百千万]{1,15}")

_FIGURES = re.compile(r"\d+(?:\.\d+)?")
_COMMAS = re.compile(r"(?<=\d),(?=(?:\d\d,)*\d{3})")
"""Between thousands, and between the pairs of figures before them: 1,50,000."""
_SPACES = re.compile(r"(?<=\d)[ \u00a0\u2009\u202f'’](?=\d{3}(?!\d))")
_ARABIC = str.maketrans("٫٬", ".,")
_MIXED = re.compile(r"(?<!\d)(?:\d+(?:\.\d+)?(?:[百千]?[万萬]|[百千]))+")
_PART_OF_MIXED = re.compile(r"([\d.]+)([百千]?)([万萬]?)")
_SCALED_FIGURES = re.compile(r"(?<!\d)(\d+(?:\.\d+)?) ?(k|m|mio|million|thousand)\b")
_SUFFIXES = {"k": 1e3, "t": 1e3, "m": 1e6}
_FACTORS = (7, 12, 24, 60, 100, 1_000)
_MOST = 60
_NEARLY = 0.01


def in_digits(words: str) -> str:
    """An English text in lower case with its number words in digits; an ordinal becomes the plain number."""
    return _NUMBER.sub(lambda found: str(_english(found[0])), words)


def chinese_numbers(words: str) -> list[int]:
    """The numbers that Chinese numerals in a text mean, in order."""
    return [chinese_number(found[0]) for found in _CHINESE.finditer(words)]


def chinese_number(numeral: str) -> int:
    """The number that a Chinese numeral means, or that digits do."""
    if numeral.isdecimal():
        return int(numeral)
    if len(numeral) > 1 and not set(numeral) & {*_UNITS, "万"}:
        return int("".join(str(_DIGITS[digit]) for digit in numeral))
    total = section = digit = 0
    for sign in numeral:
        if sign == "万":
            total, section, digit = (total + section + digit or 1) * 10_000, 0, 0
        elif unit := _UNITS.get(sign):
            section, digit = section + (digit or 1) * unit, 0
        else:
            digit = _DIGITS[sign]
    # 一千二 is 1200; 一千零二 is 1002.
    left_out = {"百": 10, "千": 100, "万": 1_000}.get(numeral[-2:-1], 1)
    return total + section + digit * left_out


def numbers_in(words: str) -> set[float]:
    """The numbers in a text, in digits or words, in each way in which they may be read.

    Example:
        >>> sorted(numbers_in("pay 1.234,50 twice, or 2k"))
        [1.234, 2.0, 50.0, 1234.5, 2000.0]
        >>> 1250.5 in numbers_in("1 250,50 €"), 18.5 in numbers_in("١٨٫٥"), 35000.0 in numbers_in("3万5千元")
        (True, True, True)
    """
    words = _in_plain_figures(words)
    digits = in_digits(words.lower())
    # "3 200" is one number, or two.
    spaced = dict.fromkeys([digits, _SPACES.sub("", digits)])
    written = [_COMMAS.sub("", one) for one in spaced]
    written += [re.sub(r"(?<=\d)\.(?=\d{3})", "", one).replace(",", ".") for one in spaced]
    # In digits, "2.5 million" is two numbers.
    scaled = [*written, _COMMAS.sub("", words.lower()), words.lower().replace(",", ".")]
    found = {float(one) for plain in written for one in _FIGURES.findall(plain)}
    found |= {float(one) * _SUFFIXES[unit[0]] for plain in scaled for one, unit in _SCALED_FIGURES.findall(plain)}
    found |= {_mixed(one) for one in _MIXED.findall(words)}
    return found | {float(one) for one in chinese_numbers(words)}


def _in_plain_figures(words: str) -> str:
    """The words with the figures of other scripts as 0 to 9: ١٨٫٥ is 18.5."""
    plain = re.sub(r"[^\D0-9]", lambda figure: str(unicodedata.decimal(figure[0])), words)
    return plain.translate(_ARABIC)


def _mixed(numeral: str) -> float:
    """The number that figures with Chinese units mean: 3万5千 is 35000."""
    parts = _PART_OF_MIXED.findall(numeral)
    return sum(float(figures) * _UNITS.get(unit, 1) * (10_000 if many else 1) for figures, unit, many in parts)


def follows(number: float, told: Collection[float], shown: Collection[float] = ()) -> bool:
    """Whether a number was told or shown, is the sum or the difference of two such, or the product or the quotient of
    two of which one was told; what was told may be meant in another unit. Of very many numbers any may follow.

    Args:
        number: in question.
        told: numbers that somebody has said.
        shown: further ones, from lists, where a 1 is hardly the 100 of another unit.

    Example:
        >>> follows(45, {3, 15}), follows(3, {45, 15}), follows(90, {1.5}), follows(100, {3, 15}), follows(0, {3})
        (True, True, True, False, False)
        >>> follows(100, {1}), follows(100, (), {1}), follows(45, {3}, {15})
        (True, False, True)
        >>> follows(8, (), {20, 12}), follows(1_000, (), {50, 20})
        (True, False)
    """
    known = {*told, *shown}
    if len(known) > _MOST or not number:
        return number in known or len(known) > _MOST
    made = {one for a, b in combinations_with_replacement(known, 2) for one in (a + b, abs(a - b))}
    pairs = (*product(told, known), *product(known, told), *product(told, _FACTORS))
    made |= {one for a, b in pairs if a and b for one in (a * b, a / b)}
    return any(abs(number - one) < _NEARLY for one in {*known, *made})


def _english(words: str) -> int:
    total = current = 0
    for word in re.split(r"[ -]", words):
        if scale := _SCALES.get(word.removesuffix("s")):
            current = (current or 1) * scale
            if scale >= 1_000:
                total, current = total + current, 0
        else:
            current += _ADDED.get(word, 0)
    return total + current
