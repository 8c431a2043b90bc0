"""Rules that a text can be held to by counting: each says what is wrong with a text, and "" for nothing."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import pairwise

_LETTERS = r"[^\W_\u3400-\u9fff]+"
_INITIALS = r"(?<![^\W_])[^\W\d_](?:\.[^\W\d_])+(?![^\W_])"
# A Chinese character, letters between points (U.S.), or a run of letters and digits with what joins it: 1,000, it's.
_WORD = re.compile(rf"[\u3400-\u9fff]|{_INITIALS}|{_LETTERS}(?:(?:['\u2019-]|(?<=\d)[.,:](?=\d)){_LETTERS})*")
_MARK = re.compile(r"^[ \t]*(?:\d+[.)]|[-*])[ \t]+", re.MULTILINE)
_WRAPPED = re.compile(r"(?<=\S)[ \t]*\n[ \t]*(?=[a-z])")
_QUOTES = "\"'\u201d\u2019\u300d\u300f"
_END = re.compile(
    rf"(?<![.!?\u2026])[.!?\u2026]++[)*_{_QUOTES}]*+(?:\s+|$)|[\u3002\uff01\uff1f]++[)*_{_QUOTES}]*+\s*|\n+"
)
_NO_END = re.compile(r"(?<![^\W_])(?:mr|mrs|ms|dr|prof|st|vs|e\.g|i\.e)$", re.IGNORECASE)
_MAYBE_NO_END = re.compile(rf"(?:{_INITIALS}|(?<![^\W_])etc)$", re.IGNORECASE)


def _words(text: str) -> list[str]:
    return _WORD.findall(_MARK.sub("", text))


def _sentences(text: str) -> list[str]:
    text = _MARK.sub("", _WRAPPED.sub(" ", text))
    parts: list[str] = []
    start = 0
    for end in _END.finditer(text):
        if not _goes_on(text, end):
            parts.append(text[start : end.end()])
            start = end.end()
    return [part.strip() for part in (*parts, text[start:]) if _WORD.search(part)]


def _goes_on(text: str, end: re.Match[str]) -> bool:
    """Whether a sentence goes on behind a mark: behind a title, and before a small letter also behind another
    abbreviation, three points, and what somebody says in the sentence."""
    before, mark = text[max(0, end.start() - 12) : end.start()], end[0].rstrip()
    if mark == "." and _NO_END.search(before):
        return True
    shortened = mark in ("...", "\u2026") or (mark == "." and _MAYBE_NO_END.search(before))
    return bool(shortened or (mark and mark[-1] in _QUOTES)) and text[end.end() : end.end() + 1].islower()


def _lines(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.strip()]


def _range(least: int, most: int) -> str:
    return f"exactly {least}" if least == most else f"{least} to {most}"


def _counted(found: int, least: int, most: int, what: str) -> str:
    if least <= found <= most:
        return ""
    return f"The text has {found} {what}; {_range(least, most)} are asked for."


def _places(text: str, phrase: str) -> list[int]:
    """The places among a text's words at which a phrase of one or more words starts; "dog's" is a use of "dog"."""
    found, sought = ([word.lower().replace("\u2019", "'") for word in _words(one)] for one in (text, phrase))
    size = len(sought)
    windows = (found[place : place + size] for place in range(len(found) - size + 1)) if size else ()
    return [place for place, some in enumerate(windows) if all(map(_is_use, some, sought))]


def _is_use(found: str, sought: str) -> bool:
    return sought in (found, found.removesuffix("'s"))


def words(text: str, least: int, most: int) -> str:
    return _counted(len(_words(text)), least, most, "words")


def sentences(text: str, least: int, most: int) -> str:
    return _counted(len(_sentences(text)), least, most, "sentences")


def lines(text: str, least: int, most: int) -> str:
    return _counted(len(_lines(text)), least, most, "lines that are not empty")


def paragraphs(text: str, count: int) -> str:
    found = len([part for part in re.split(r"\n\s*\n", text) if part.strip()])
    return _counted(found, count, count, "paragraphs (parted by an empty line)")


def characters(text: str, most: int) -> str:
    return "" if len(text) <= most else f"The text has {len(text)} characters; at most {most} are asked for."


def line_words(text: str, least: int, most: int) -> str:
    for number, line in enumerate(_lines(text), 1):
        if not least <= len(_words(line)) <= most:
            return f"Line {number} has {len(_words(line))} words; {_range(least, most)} are asked for in each line."
    return ""


def sentence_words(text: str, least: int, most: int) -> str:
    for number, sentence in enumerate(_sentences(text), 1):
        count = len(_words(sentence))
        if not least <= count <= most:
            return f"Sentence {number} has {count} words; {_range(least, most)} are asked for in each sentence."
    return ""


def uses(text: str, words: Sequence[str]) -> str:
    missing = [word for word in words if not _places(text, word)]
    return f"The text does not use {', '.join(map(repr, missing))}." if missing else ""


def uses_one_of(text: str, words: Sequence[str]) -> str:
    return "" if any(_places(text, word) for word in words) else f"The text uses none of {', '.join(words)}."


def uses_times(text: str, word: str, count: int) -> str:
    found = len(_places(text, word))
    return "" if found == count else f"The text uses {word!r} {found} times; exactly {count} are asked for."


def avoids(text: str, words: Sequence[str]) -> str:
    found = [word for word in words if _places(text, word)]
    return f"The text uses {', '.join(map(repr, found))}, which it must not." if found else ""


def avoids_characters(text: str, characters: str) -> str:
    found = sorted({sign for sign in text.lower() if sign in characters})
    return f"The text has the characters {', '.join(map(repr, found))}, which it must not." if found else ""


def in_order(text: str, words: Sequence[str]) -> str:
    places = [next(iter(_places(text, word)), -1) for word in words]
    right = -1 not in places and places == sorted(places)
    return "" if right else f"The words {', '.join(words)} do not first come in this order."


def starts_with(text: str, start: str) -> str:
    return "" if text.strip().startswith(start) else f"The text does not start with {start!r}."


def ends_with(text: str, end: str) -> str:
    return "" if text.strip().endswith(end) else f"The text does not end with {end!r}."


def initials(text: str, letters: str) -> str:
    found = "".join(words[0][0] if (words := _words(line)) else "?" for line in _lines(text)).upper()
    return "" if found == letters else f"The lines start with the letters {found}; {letters} are asked for."


def line_starts(text: str, start: str) -> str:
    wrong = [number for number, line in enumerate(_lines(text), 1) if not line.startswith(start)]
    return f"Line {wrong[0]} does not start with {start!r}." if wrong else ""


def line_ends(text: str, end: str) -> str:
    wrong = [number for number, line in enumerate(_lines(text), 1) if not line.endswith(end)]
    return f"Line {wrong[0]} does not end with {end!r}." if wrong else ""


def numbered(text: str) -> str:
    wrong = [number for number, line in enumerate(_lines(text), 1) if not line.startswith(f"{number}. ")]
    return f"Line {wrong[0]} does not start with '{wrong[0]}. '." if wrong else ""


def word_initial(text: str, letter: str) -> str:
    wrong = [word for word in _words(text) if not word.lower().startswith(letter)]
    return f"The word {wrong[0]!r} does not start with the letter {letter!r}." if wrong else ""


def avoids_initial(text: str, letter: str) -> str:
    wrong = [word for word in _words(text) if word.lower().startswith(letter)]
    return f"The word {wrong[0]!r} starts with the letter {letter!r}, which none must." if wrong else ""


def lowercase(text: str) -> str:
    wrong = [word for word in _words(text) if word != word.lower()]
    return f"The word {wrong[0]!r} is not in lower case." if wrong else ""


def uppercase(text: str) -> str:
    wrong = [word for word in _words(text) if word != word.upper()]
    return f"The word {wrong[0]!r} is not in upper case." if wrong else ""


def no_digits(text: str) -> str:
    return "The text has a digit; numbers are to be written as words." if re.search(r"\d", text) else ""


def questions(text: str, count: int) -> str:
    found = sum(sentence.rstrip(f")*_{_QUOTES}").endswith(("?", "\uff1f")) for sentence in _sentences(text))
    return "" if found == count else f"The text has {found} questions; {_range(count, count)} are asked for."


def alphabetical(text: str) -> str:
    found = [_MARK.sub("", line).lower() for line in _lines(text)]
    wrong = [number for number in range(1, len(found)) if found[number] < found[number - 1]]
    return f"Line {wrong[0] + 1} is not in alphabetical order." if wrong else ""


def rising(text: str) -> str:
    counts = [len(_words(line)) for line in _lines(text)]
    wrong = [number for number in range(1, len(counts)) if counts[number] <= counts[number - 1]]
    return f"Line {wrong[0] + 1} does not have more words than the line before." if wrong else ""


def different_lines(text: str) -> str:
    found = [_MARK.sub("", line).lower() for line in _lines(text)]
    return "" if len(set(found)) == len(found) else "Two lines are the same."


def different_starts(text: str) -> str:
    found = [_words(sentence)[0].lower() for sentence in _sentences(text)]
    return "" if len(set(found)) == len(found) else "Two sentences start with the same word."


def different_words(text: str) -> str:
    found = [word.lower() for word in _words(text)]
    twice = sorted({word for word in found if found.count(word) > 1})
    return f"The text uses {', '.join(map(repr, twice))} more than once." if twice else ""


def parts(text: str, mark: str, count: int) -> str:
    for number, line in enumerate(_lines(text), 1):
        found = len([part for part in line.split(mark) if part.strip()])
        if found != count or line.count(mark) != count - 1:
            return f"Line {number} does not have {_range(count, count)} parts with {mark!r} between them."
    return ""


def avoids_start(text: str, word: str) -> str:
    found = [_words(sentence)[0].lower() for sentence in _sentences(text)]
    return f"A sentence starts with {word!r}, which none must." if word in found else ""


def sentence_starts(text: str, words: Sequence[str]) -> str:
    found = [_words(sentence)[0] for sentence in _sentences(text)]
    return "" if found == list(words) else f"The sentences do not start with {', '.join(words)}, in this order."


def sentence_rising(text: str) -> str:
    counts = [len(_words(sentence)) for sentence in _sentences(text)]
    rises = all(one < other for one, other in pairwise(counts))
    return "" if rises else f"The sentences have {counts} words; each one is to be longer than the one before."


def line_counts(text: str, counts: Sequence[int]) -> str:
    found = [len(_words(line)) for line in _lines(text)]
    return "" if found == list(counts) else f"The lines have {found} words; {list(counts)} are asked for."


def first_line_words(text: str, count: int) -> str:
    return line_words(text.strip().split("\n")[0], count, count)


def line_first_words(text: str, words: Sequence[str]) -> str:
    found = [next(iter(_words(line)), "") for line in _lines(text)]
    return "" if found == list(words) else f"The lines do not start with {', '.join(words)}, in this order."


def first_line_upper(text: str) -> str:
    return uppercase(text.strip().split("\n")[0])


def text_sentences(text: str, count: int) -> str:
    _, _, body = text.strip().partition("\n")
    return sentences(body, count, count)


def inner_line_ends(text: str, end: str) -> str:
    return line_ends("\n".join(_lines(text)[:-1]), end)


def not_ends(text: str, end: str) -> str:
    return f"The text ends with {end!r}, which it must not." if text.strip().endswith(end) else ""


def dialog(text: str, speakers: Sequence[str]) -> str:
    for number, line in enumerate(_lines(text)):
        speaker = speakers[number % len(speakers)]
        if not line.startswith(f"{speaker}:"):
            return f"Line {number + 1} does not start with '{speaker}:'."
    return ""


def reverse_alphabetical(text: str) -> str:
    wrong = alphabetical("\n".join(reversed(_lines(text))))
    return "The lines are not in reverse alphabetical order." if wrong else ""


def longest_word(text: str, letters: int) -> str:
    wrong = [word for word in _words(text) if len(word) > letters]
    return f"The word {wrong[0]!r} has more than {letters} letters." if wrong else ""


def characters_times(text: str, character: str, count: int) -> str:
    found = text.count(character)
    return "" if found == count else f"The text has {character!r} {found} times; exactly {count} are asked for."


def first_letter_not(text: str, letters: str) -> str:
    first = text.strip()[:1].lower()
    return f"The text starts with {first!r}, which it must not." if first in letters else ""


def chain(text: str) -> str:
    for one, other in pairwise(word.lower() for word in _words(text)):
        if one[-1] != other[0]:
            return f"The word {other!r} does not start with the last letter of {one!r}."
    return ""


RULES: dict[str, Callable[..., str]] = {
    rule.__name__: rule
    for rule in (
        words, sentences, lines, paragraphs, characters, line_words, sentence_words, uses, uses_one_of, uses_times,
        avoids, avoids_characters, in_order, starts_with, ends_with, initials, line_starts, line_ends, numbered,
        word_initial, avoids_initial, lowercase, uppercase, no_digits, questions, alphabetical, rising, different_lines,
        different_starts, different_words, parts, avoids_start, sentence_starts, sentence_rising, line_counts,
        first_line_words, line_first_words, first_line_upper, text_sentences, inner_line_ends, not_ends, dialog,
        reverse_alphabetical, longest_word, characters_times, first_letter_not, chain,
    )
}  # fmt: skip
"""By name: what is wrong with a text under a rule, "" for nothing."""
