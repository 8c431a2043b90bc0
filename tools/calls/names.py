"""Names in a text: words with a capital letter inside a sentence, and Chinese surnames with a title; and the words of
the names of tools and of their arguments."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterator

_WORD = re.compile(r"(?<!\w)[^\W\d_](?:[\w’'-]*\w)?")
_SENTENCE = ".!?:\n。！？：|>"
_SURNAMES = (
    "王李张刘陈杨赵周吴徐孙朱胡郭林罗郑梁谢宋唐许邓冯韩曹曾彭萧蔡潘田董袁于余叶蒋杜苏魏程吕丁沈任姚卢傅钟姜崔谭廖范汪陆"
    "石戴贾韦夏邱侯邹熊孟秦阎薛尹段雷"
)
_TITLES = "老师|先生|女士|小姐|太太|医生|大夫|经理|教授|律师|主任|阿姨|叔叔|师傅"
_CHINESE_NAME = re.compile(rf"[{_SURNAMES}](?:{_TITLES})|(?<![大])[小老阿][{_SURNAMES}]")
_CHINESE_FULL_NAME = re.compile(
    rf"(?:(?<![\u4e00-\u9fff])|(?<=[把给帮和跟让请]))[{_SURNAMES}][\u4e00-\u9fff]{{1,2}}?"
    r"(?=[的也要想会说是和跟在来给把，。、！？\s]|$)"
)
_LETTERS_OF_A_STEM = 5
_WORDS_OF_A_NAME = 3
# Capitals that name nothing: days, months, titles, and what entries are called in Title Case.
_FREE_WORDS = """
monday tuesday wednesday thursday friday saturday sunday mon tue tues wed thu thur thurs fri sat sun
january february march april may june july august september october november december
jan feb mar apr jun jul aug sep sept oct nov dec
i i'm i'll i've i'd a an the and or of for to at on in with by from my your about
mr mrs ms miss dr prof professor doctor sir madam am pm ok todo todos
appointment meeting call visit lunch dinner breakfast brunch reminder session party event task review check checkup
trip flight class lesson course training practice rehearsal interview conference discussion deadline booking
reservation date time day morning afternoon evening night weekend week month year noon midnight today tomorrow tonight
add buy get take send pay make do go see meet pick return renew order phone email write read clean fix repair
finish prepare schedule cancel move book bring attend submit check-up follow-up
"""
_FREE = frozenset(_FREE_WORDS.split())
_SPELLED = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")
_NO_ENTRY = "page|line|row|phone|fax|house|floor|zip|area|country|error|status|postal|post|language|currency"
"""What has a number or a code that is no id of an entry."""
NUMBERS = frozenset(("no", "nr", "num", "number"))
_KEYS = frozenset(("id", "isbn", "sku")) | NUMBERS
_KEYS_OF_A_THING = frozenset(("code", "ref"))
"""What is an id behind the word for a thing alone: `class_code`, but not the `code` of a program."""


def names_in(text: str, words: Collection[str], folded: str, *, latin: bool, chinese: bool) -> Iterator[str]:
    """The names in a text that are not among known words.

    The first word of a sentence, words of a schedule in Title Case and abbreviations in capitals are no names. A text
    that is nothing but capitalized words, three at most, is one.

    Args:
        text: running text.
        words: the known words, as `words_of` gives them.
        folded: the known texts in lower case.
        latin: whether to look for names in Latin letters, which a text in another script does not hold.
        chinese: the same for Chinese names.
    """
    if latin:
        alone = text.istitle() and len(text.split()) <= _WORDS_OF_A_NAME
        for found in _WORD.finditer(text):
            name = re.sub(r"['’]s?$", "", found[0])
            before = text[: found.start()].rstrip(" \"'(*-")
            first = not alone and (not before or before[-1] in _SENTENCE)
            if not name[0].isupper() or name.isupper() or first:
                continue
            if not all(_is_known(part, words) for part in words_of(name)):
                yield name
    if chinese:
        yield from (name for name in _CHINESE_NAME.findall(text) if name not in folded)


def words_of(text: str) -> list[str]:
    """The words of a text in lower case and without accents, each without an ending for the plural or a genitive."""
    letters = unicodedata.normalize("NFKD", text.replace("’", "'"))
    plain = "".join(letter for letter in letters if not unicodedata.combining(letter)).casefold()
    return [_singular(re.sub(r"'s?$", "", word)) for word in re.findall(r"\w+(?:'\w+)*", plain)]


def full_chinese_names(text: str) -> list[str]:
    """What may be Chinese names of people in a text: a surname with one or two signs, before a word of grammar.

    Example:
        >>> full_chinese_names("王芳的先生也要来，帮李小明改一下")
        ['王芳']
    """
    return _CHINESE_FULL_NAME.findall(text)


def spelled(name: str) -> list[str]:
    """The words of a tool's or of an argument's name, in lower case, each in the singular.

    Example:
        >>> spelled("list_orders"), spelled("classCodes")
        (['list', 'order'], ['class', 'code'])
    """
    return [_singular(word.lower()) for word in _SPELLED.findall(name)]


def is_key(field: str) -> bool:
    """Whether an argument takes an id, or several, by its name.

    Example:
        >>> [is_key(one) for one in ("id", "article_no", "classCodes", "phone_number", "code", "quantity")]
        [True, True, True, False, False, False]
    """
    *of, last = spelled(field) or [""]
    may_be = last in _KEYS or (last in _KEYS_OF_A_THING and bool(of))
    return may_be and not re.fullmatch(_NO_ENTRY, "".join(of[-1:]))


def _is_known(word: str, words: Collection[str]) -> bool:
    if word in words or word in _FREE or word in _FREE_SINGULAR:
        return True
    stem = word[:_LETTERS_OF_A_STEM]
    # "Renewal" for "renewing"; a short word has to be there itself.
    return len(word) > _LETTERS_OF_A_STEM and any(known.startswith(stem) for known in words)


def _singular(word: str) -> str:
    if len(word) > 4 and word.endswith("ies"):
        return f"{word[:-3]}y"
    if len(word) > 4 and word.endswith(("sses", "ches", "shes")):
        return word[:-2]
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word


_FREE_SINGULAR = frozenset(map(_singular, _FREE))
