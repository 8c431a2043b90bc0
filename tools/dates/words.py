"""What every reader of words starts from: plain characters, the names of days and months, and of a list."""

from __future__ import annotations

# Character for character, so that a position in the folded line is the same position in the original line.
_FOLDED = str.maketrans(
    {code: chr(code - 0xFEE0) for code in range(0xFF01, 0xFF5F)}
    | dict.fromkeys(map(ord, "\u00a0\u3000\u2009\u202f"), " ")
    | dict.fromkeys(map(ord, "“”„‟«»「」『』"), '"')
    | dict.fromkeys(map(ord, "‘’‚‛"), "'")
    | {ord("〜"): "~"}
    | dict.fromkeys(map(ord, "‐‑‒–—―−"), "-")
)

MONTHS = (
    *("january", "february", "march", "april", "may", "june"),
    *("july", "august", "september", "october", "november", "december"),
)
MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    r"|nov(?:ember)?|dec(?:ember)?)"
)
DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
WEEKDAYS = tuple(day[:3] for day in DAYS)
WEEKDAY = r"(?:mon(?:day)?|tue(?:s|sday)?|wed(?:s|nesday)?|thu(?:rs?|rsday)?|fri(?:day)?|sat(?:urday)?|sun(?:day)?)"
"""The name of a month and of a day, whole or short: regular expressions, as is the next."""
NAMED_BY_NUMBERS = (
    r"\b(?:one|1)-(?:to|on|2)-(?:one|1)\b"
    r"|(?<!from )(?<!at )\bone (?:to|on) one\b(?! ?(?:o['’]?clock|pm|p\.m|thirty|fifteen|forty|twenty|and a half|:|\d))"
    r"|\b1[-:]1(?= (?:with|meeting|session|call|chat)\b)|(?<=\bmy )1[-:]1\b|\b\w+-(?:for-\w+|a-side)\b"
)
"""A pattern of what has numbers for its name, and no hour: "my one-to-one with Bo"."""
IN_A_LIST = (
    r"(?:(?:in|into|on|onto|to) (?:my|the|our) (?:(?:to[- ]?do|task|shopping|work|family|home|own) )?"
    r"(?:list|calendar|diary|agenda|schedule|log|planner)"
    r"|(?:in|into) the book"
    r"|(?:in|into|to|among|amongst|under|with) (?:my|the|our) (?:other )?"
    r"(?:appointments|events|to-?dos|tasks|jobs|reminders|errands))\b"
)
"""Where an entry is to be kept, as people say it."""


def fold(line: str) -> str:
    """The line with plain characters in place of full-width letters, digits and punctuation, quotes and dashes."""
    return line.translate(_FOLDED)
