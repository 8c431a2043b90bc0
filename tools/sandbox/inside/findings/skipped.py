"""Which tests are left out, by whom, and why."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence

from ..mirror import kind_of
from ..telling import is_test
from .raised import files_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def left_out_by(options: Any) -> Callable[[Any], bool]:
    """What tells whether pytest leaves out a test by its options `-k`, `-m` and `--deselect`."""
    from _pytest.mark import KeywordMatcher, MarkMatcher
    from _pytest.mark.expression import Expression

    keyword, mark = (Expression.compile(given) if given else None for given in (options.keyword, options.markexpr))
    paths = tuple(options.deselect or ())

    def leaves_out(item: Any) -> bool:
        return (
            bool(keyword and not keyword.evaluate(KeywordMatcher.from_item(item)))
            or bool(mark and not mark.evaluate(MarkMatcher.from_markers(item.iter_markers())))
            or item.nodeid.startswith(paths)
        )

    return leaves_out


def keep_skips(kind: Any) -> None:
    """Have pytest's test of unittest keep a skip as it was raised; pytest reports one of its own, from nowhere."""
    add_skip = kind.addSkip

    def keep(self: Any, testcase: Any, reason: str, *rest: Any) -> None:
        self.__dict__["_tg_skip"] = sys.exc_info()[1]
        add_skip(self, testcase, reason, *rest)

    kind.addSkip = keep


def says(item: Any, what: str) -> bool:
    """Whether a decorator of `unittest` says something of a test, or of its class."""
    method = getattr(item.cls, item.originalname or item.name, None) if getattr(item, "cls", None) else None
    return any(getattr(place, f"__unittest_{what}__", False) for place in (method, getattr(item, "cls", None)))


def of_skip(representation: Any, place: int) -> str:
    """The path (0) or the reason (2) of a skip; "" for what is none."""
    return str(representation[place]) if kind_of(representation) is tuple else ""


def by_tests(raised: BaseException | None, tests: Sequence[str], *, by_mark: bool) -> bool:
    """Whether a skip comes from a mark or from the tests: one out of the code under test would be an easy way out."""
    files = files_of(raised)
    return is_test(files[-1], tests) if files else by_mark
