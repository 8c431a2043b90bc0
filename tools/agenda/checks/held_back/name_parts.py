"""What a name becomes of which the user gives a part: "he's called Garth" of "Gary's leaving do", "*Quarry Lane" of the
place "14 Quarry Road"."""

from __future__ import annotations

import re
from difflib import get_close_matches

from ....dates.words import fold
from ....likeness import marks
from ....metadata import Told

_CALLED = re.compile(
    r"(?:(?:['’](?:s|re)|\bis|\bare|\bbe)(?: (?:actually|really|properly|now))? called"
    r"|\bname(?:['’]s| is)(?: (?:actually|really|now))?)(?: (?:actually|really))? (?-i:(?P<right>[A-Z][\w-]*))",
    re.IGNORECASE,
)
"""By which a user tells the right name: "the dentist called Anna" tells none."""
_IS_NONE = re.compile(
    r"(?:\bno|\bnot|\bnobody (?:called|named)|n['’]t(?: any)?)(?: called)? (?:(?:mr|mrs|ms|miss|dr)\b\.? )?(\w+)",
    re.IGNORECASE,
)
_STARRED = re.compile(r"^\W*\*\s?(?P<right>[\w'’-]+(?: [\w'’-]+){0,3})(?=\W*$|[.,;!?(]|\s-)")
_TITLE = re.compile(r"\b(?:renam\w*|titles?|called|call (?:it|that|this)|names?|texts?|label\w*)\b", re.IGNORECASE)
_WORDS = re.compile(r"[^\W\d_]+")
_ALIKE = 0.5


def called(text: str, told: Told) -> str:
    """The text of an entry with the right name, where the user tells it: in place of the one that there is not, or of
    the word that is most like it; "" where they tell none."""
    said = fold(told.request[0])
    found = _CALLED.search(said)
    if found is None or len(told.request) > 1:
        return ""
    right, words = found["right"], {word.casefold(): word for word in _WORDS.findall(text)}
    denied = [words[one.casefold()] for one in _IS_NONE.findall(said) if one.casefold() in words]
    close = [words[one] for one in get_close_matches(right.casefold(), words, 1, _ALIKE)]
    # What nobody has spoken of is not misnamed.
    spoken = [one for one in close if re.search(rf"(?<!\w){one}(?!\w)", said, re.IGNORECASE)]
    wrong = next(iter([*denied, *spoken]), right)
    if right.casefold() in words or wrong.casefold() == right.casefold():
        return ""
    return re.sub(rf"(?<!\w){wrong}(?!\w)", right, text)


def with_part(whole: str, part: str) -> str:
    """A place with the part of it that has a word of a new one changed; "" where no word tells which part that is.

    Example:
        >>> with_part("14 Quarry Road", "Quarry LANE"), with_part("Front Hall, Leeds", "Rear Hall")
        ('14 Quarry Lane', 'Rear Hall, Leeds')
    """
    old, new = whole.split(), part.split()
    plain = [word.strip(",;.").casefold() for word in old]
    kept = next((place for place, word in enumerate(new) if word.casefold() in plain), None)
    if kept is None:
        return ""
    start = plain.index(new[kept].casefold()) - kept
    if start < 0 or start + len(new) > len(old):
        return ""
    changed = [_like(*pair) for pair in zip(new, old[start : start + len(new)], strict=True)]
    return " ".join([*old[:start], *changed, *old[start + len(new) :]])


def starred_part(whole: str, told: Told) -> str:
    """A place with the words that the user corrects by a star: "*Quarry Lane"; "" for none."""
    found = _STARRED.match(fold(told.request[0]))
    new = with_part(whole, found["right"]) if found and " " in found["right"] else ""
    return new if new.casefold() != whole.casefold() else ""


def as_place(text: str, place: str, new: str, told: Told) -> str:
    """The place that the new text of an entry stands for, where it has words of the old place and none of the text, and
    the user speaks of no name; else ""."""
    of_place = marks(new) & marks(place) and not marks(new) & marks(text)
    if not of_place or any(_TITLE.search(fold(one)) for one in told.request):
        return ""
    spoken = marks(new) <= marks(" ".join(told.request))
    return (with_part(place, new) or new) if spoken else ""


def _like(new: str, old: str) -> str:
    """A word in the letters and with the mark of the one that it replaces: the capitals of "LANE" only stress it."""
    end = old[-1] if old[-1] in ",;" else ""
    if old[:1].isupper() and not old.isupper() and (new.isupper() or new.islower()) and len(new) > 1:
        new = new.capitalize()
    return new + end
