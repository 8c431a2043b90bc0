"""What the checks look for in a user's words: where clauses part, what orders something, and words that say nothing."""

from __future__ import annotations

import re
from datetime import datetime

from ....tools.dates.words import IN_A_LIST
from ....tools.likeness import marks

CLAUSES = re.compile(r"\.(?!\d)|[;!?\n。；！？，]|,\s|\s[-–—]\s|\b(?:and|but)\b|另外|还有")
DOES = "send|buy|get|call|mail|tell|find|look|make|set|change|keep|order|pay|check|invite|push|drop|take|pick|clean"
WANTED = re.compile(
    r"^(?:please |pls |can you |could you )*(?:add|put|note|write|remind|cancel|remove|delete|move|book|schedule|show"
    rf"|mark|tick|cross|block|reserve|postpone|enter|save|{DOES})\b(?! care)"
    r"|(?<!they )(?<!no longer )\b(?:need|needs|has|have|want) to\b|\bmust\b"
    r"|\b(?:don['’]?t forget|remember to|i['’]d like|would like)\b"
    r"|^(?!(?:that|it|this|which|they|those)\b).*"
    rf"\b{IN_A_LIST}"
    r"|提醒|记[一下个得]|加|买|取消|删|改|安排|还要|别忘",
    re.IGNORECASE,
)
LISTS = re.compile(
    r"\b(?:list|things|todos?|tasks?|errands|calendar|diary)\b.*:|\b(?:these|the following) (?:on|to|in|into|down)\b"
    r"|\b(?:two|three|four|five|[2-9]) (?:more )?(?:things|todos|tasks|errands|appointments|for (?:the|my))\b"
    r"|清单|几件",
    re.IGNORECASE,
)
ADDS = re.compile(r"\W*(?:add|schedule|book|create|note|enter|put)\b|\W*(?:安排|添加|加入|记)", re.IGNORECASE)
SOME_DAY = datetime(2024, 5, 6, 8)
SAY_NOTHING = marks(
    "phew sorry hooray wait oops much almost forgot forget dont think thinking maybe pls smth meant mean mind remember"
    " tell know goes takes said told free keep back time times correct make deadline later tonight morning evening"
    " afternoon noon night week month next last half quarter minutes hour hours days until till before after lets"
    " nearly actually really anyway empty urgent urgently important asap hurry worry rush matter matters sure fine"
    " one two three four five six seven eight nine ten another new both each am pm oclock"
) | {"谢谢", "不客", "记着", "记一", "说错", "排进", "几点", "刚才"}
