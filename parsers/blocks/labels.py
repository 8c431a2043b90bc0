"""What the line above a block says of it."""

from __future__ import annotations

import ast
import re

from ..._internal.fences import Fence, find_fences
from .names import filled, lacking, provided

_PUT_ASIDE = re.compile(
    r"\W*(?:(?:here(?: is|['\u2019]s)(?: what)? )?(?:the |your |my |an? (?!original))?"
    r"(?:old|original|previous|wrong|incorrect|invalid|faulty|buggy|bad|broken|naive)"
    r"(?:,? (?:and |but )?(?:slow|slower|inefficient|simple|simpler|wrong|incorrect))?"
    r"(?: \((?:(?!correct|fix|right|working|improv|updat|revis)\w+|(?:don['\u2019]t|do not|never)(?: \w+){1,4})\))?"
    r"(?: (?:code|version|function|class|method|implementation|attempt|approach|draft|query|file|script"
    r"|answer|example|output|object|json|response|solution|one|`[\w.]+`)){0,2}"
    r"(?: was| is| would be| looked like)?(?: this| as follows)?(?:,? \(?(?:only )?for (?:reference|comparison))?"
    r"|before(?: the (?:fix|change)|,? (?:it|this|that|the code) was)?|(?:an? )?common mistakes?(?: is| are)?"
    r"|(?:don['\u2019]t|do not|never)(?: (?:do|write|use|copy)(?: this| it| it like this)?)?"
    r"|(?:avoid|instead of|rather than|not(?: like)?)(?: this)?"
    r"|the following (?:is|would be) (?:wrong|incorrect|invalid)"
    r"|this (?:(?:would|will) (?:fail|not work)|fails|does(?:n['\u2019]t| not) work)(?=\W{0,3}:)"
    r"|(?:only |just )?for comparison"
    r"(?:[,:(](?:(?!correct|fix|improv|updat|revis|final)[^\n.?!\uff1f]|\.(?=\S)){0,80})?"
    r"|(?:an? )?counter-?examples?(?: \((?:don['\u2019]t|do not|never)(?: \w+){1,4}\))?"
    r"|(?:an? )?example of (?:an? (?:wrong|incorrect|invalid|bad)(?: \w+){1,2}|what not to \w+)|what not to \w+"
    r"|compare (?:this |it )?(?:with|to) the (?:old|original|previous|naive)(?: \w+)?"
    r"|(?:this (?:is|would be) )?(?:not valid|invalid)"
    r"|this would(?:n['\u2019]t| not) be (?:valid|accepted|right|correct)"
    r"|(?:previously|originally)(?:,? (?:it|this) (?:was|looked like)(?: this)?)?|it used to (?:be|look like)(?: this)?"
    r"|(?:(?:这|以下|下面)是)?[你我]?的?(?:原来的?|原始的?|原有的?|原|旧的?|之前的|错误的?|有问题的)(?: ?`[\w.]+` ?)?"
    r"(?:代码|版本|函数|类|方法|写法|做法|实现|示例|例子)是?"
    r"(?: ?[(\uff08](?:请?不要|请?勿|别)[^()\uff08\uff09]{1,6}[)\uff09])?|(?:修改|修复|修正|改动)前的?(?:代码|版本)?"
    r"|(?:请?不要|请?勿|别)(?:这样|这么)(?:写|做))[^\w?？]*",
    re.IGNORECASE,
)
"""A label of code that is not the answer: what was there before, or a mistake to avoid."""
_DOUBTFUL = re.compile(
    r"\b(?:old|original|previous|earlier|before|wrong|incorrect|buggy|bad|broken|mistake|draft|not|never|avoid|fail"
    r"|instead of|subclass|overrid|alternativ|option|could|would|might|example|e\.g|interface|in short|outline"
    r"|signature|skeleton)|n['\u2019]t\b",
    re.IGNORECASE,
)
"""What a label of a corrected part does not say."""
_LABEL = re.compile(r"([^\n]*)\n\s*(?:`{3}|~{3})[^\n]*\n\s*\Z")
_LONGEST_LABEL = 200


def without_put_aside(parsed: list[tuple[str, ast.Module]], text: str, names: set[str]) -> list[tuple[str, ast.Module]]:
    """The blocks of a reply without those that are labelled as something else than the answer and define what another
    block does, if the others define the names. One that only they have may be a helper; one that has what the others
    lack is an earlier version of them, wherever it stands."""
    kept = [one for one in parsed if not _is_put_aside(one[0], text)]
    written_there = set[str]().union(*(filled(tree) for _, tree in kept))
    if not names <= written_there:
        return parsed
    aside = [one for one in parsed if one not in kept and filled(one[1]) & written_there]
    needed = set[str]().union(*(lacking(tree) for _, tree in kept)).difference(*(provided(tree) for _, tree in kept))
    return [*(one for one in aside if needed & provided(one[1])), *(one for one in parsed if one not in aside)]


def is_of_another(reply: str, fence: Fence) -> bool:
    """Whether the line above a block says that it is not the answer."""
    return _PUT_ASIDE.fullmatch(line_above(reply, fence)) is not None


def line_above(reply: str, fence: Fence) -> str:
    """The line above a block, as far as a label goes."""
    return reply[max(0, fence.start - _LONGEST_LABEL) : fence.start].rstrip().rpartition("\n")[2]


def without_others(reply: str) -> str:
    """A reply without the blocks of which the line above says that they are not the answer."""
    kept, end = list[str](), 0
    for fence in find_fences(reply):
        if is_of_another(reply, fence):
            kept.append(reply[end : fence.start])
            end = fence.end
    return "".join([*kept, reply[end:]])


def _is_put_aside(block: str, text: str) -> bool:
    return any(line and _PUT_ASIDE.fullmatch(line) for line in _labels(block, text) or [_first(block)])


def label_of_part(block: str, text: str) -> str | None:
    """The label of a block that may be a corrected part of another one; None for one that may be something else."""
    labels = _labels(block, text)
    is_doubtful = any(_DOUBTFUL.search(line) or _PUT_ASIDE.fullmatch(line) for line in labels or ())
    return None if labels is None or is_doubtful else " ".join(labels)


def _labels(block: str, text: str) -> list[str] | None:
    """The line above a block, and the remark in its first line; None if the block does not stand in the text."""
    at = text.rfind(block)
    above = _LABEL.search(text, max(0, at - _LONGEST_LABEL), at) if at > 0 else None
    return [above[1], _first(block)] if above else None


def _first(block: str) -> str:
    first = block.lstrip().partition("\n")[0][:_LONGEST_LABEL]
    return first if first.startswith("#") else ""
