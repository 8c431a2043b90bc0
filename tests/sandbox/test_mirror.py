"""Values that travel between the process of the candidate and that of its tests: exact copies, or none."""

from __future__ import annotations

import marshal
import math
from collections import Counter, OrderedDict, defaultdict, deque
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from thoughtgraph.tools.sandbox.inside.mirror import Mirror, UnfitError


class Stand:
    """Stands for an object that has no copy."""


def refused(value: Any, *_: Any) -> Any:
    raise UnfitError(type(value).__name__)


def sides() -> tuple[Mirror, Mirror]:
    """The judge's table and the candidate's; the candidate's may send what has no copy."""
    return Mirror(0, refused, lambda node, number: Stand()), Mirror(1, lambda value: ("object", "?"), refused)


def carried(sender: Mirror, receiver: Mirror, *values: Any) -> list[Any]:
    """What the other side makes of values, by way of bytes."""
    return receiver.unpack(marshal.loads(marshal.dumps(sender.pack(list(values)))))


def exactly(value: Any) -> Any:
    """What tells a value from any that is merely equal: types, bits of floats, order."""
    if isinstance(value, float):
        return "float", marshal.dumps(value, 2)
    if isinstance(value, (dict, Counter, OrderedDict, defaultdict)):
        made = getattr(value, "default_factory", None)
        return type(value), made, [(exactly(key), exactly(item)) for key, item in value.items()]
    if isinstance(value, (list, tuple, set, frozenset, deque)):
        return type(value), getattr(value, "maxlen", None), [exactly(item) for item in value]
    return type(value), repr(value)


def once(value: Any) -> bool:
    """Whether a time is no second one of an hour that is set back; such times have no copy."""
    return not value.fold


keys = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False)
    | st.text()
    | st.binary()
    | st.fractions()
    | st.dates()
)
plain = (
    keys
    | st.complex_numbers(allow_nan=False)
    | st.decimals()
    | st.times().filter(once)
    | st.datetimes().filter(once)
    | st.timedeltas()
    | st.just(...)
)
ranges = st.builds(range, st.integers(-9, 9), st.integers(-9, 9), st.integers(1, 3))
values = st.recursive(
    plain | ranges | st.binary().map(bytearray),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.lists(inner, max_size=4).map(tuple)
        | st.dictionaries(keys, inner, max_size=4)
        | st.dictionaries(keys, inner, max_size=4).map(OrderedDict)
        | st.dictionaries(keys, inner, max_size=4).map(lambda pairs: defaultdict(list, pairs))
        | st.lists(inner, max_size=4).map(lambda items: deque(items, 9))
    ),
    max_leaves=20,
)


@given(values)
def test_a_value_arrives_exactly_as_it_was(value: Any) -> None:
    judge, candidate = sides()
    assert exactly(carried(judge, candidate, value)[0]) == exactly(value)


@given(st.sets(keys) | st.frozensets(keys) | st.lists(keys).map(Counter))
def test_sets_arrive_in_their_order_or_not_at_all(value: Any) -> None:
    judge, candidate = sides()
    try:
        arrived = carried(judge, candidate, value)
    except UnfitError:
        return
    assert list(map(exactly, arrived)) == [exactly(value)]


@given(values)
def test_what_comes_back_is_the_very_object(value: Any) -> None:
    judge, candidate = sides()
    (there,) = carried(judge, candidate, [value])
    (back,) = carried(candidate, judge, there)
    (again,) = carried(judge, candidate, back)
    assert again is there


def test_changes_in_place_are_seen_on_the_other_side() -> None:
    judge, candidate = sides()
    ours: list[Any] = [[3, 1], {"a": {1}}, bytearray(b"x"), deque([1])]
    (theirs,) = carried(judge, candidate, ours)
    inner = ours[0]
    theirs[0].sort()
    theirs[1]["a"].add(2)
    theirs[2].extend(b"y")
    theirs[3].append(theirs[0])
    theirs.append(1.0)
    carried(candidate, judge, None)
    assert ours == [[1, 3], {"a": {1, 2}}, bytearray(b"xy"), deque([1, [1, 3]]), 1.0]
    assert ours[0] is inner and ours[3][1] is inner
    ours[0][0] = True
    carried(judge, candidate, None)
    assert theirs[0][0] is True


def test_a_change_of_type_alone_is_a_change() -> None:
    judge, candidate = sides()
    ours: list[Any] = [1, 0.0]
    (theirs,) = carried(judge, candidate, ours)
    theirs[:] = [1.0, -0.0]
    carried(candidate, judge, None)
    assert exactly(ours) == exactly([1.0, -0.0])


def test_shared_and_cyclic_containers_stay_so() -> None:
    judge, candidate = sides()
    row: list[Any] = [1]
    ours: list[Any] = [row, row, (row,)]
    ours.append(ours)
    (theirs,) = carried(judge, candidate, ours)
    assert theirs[0] is theirs[1] is theirs[2][0]
    assert theirs[3] is theirs


def test_what_nobody_holds_is_forgotten_on_both_sides() -> None:
    judge, candidate = sides()
    kept = [[1], [2]]
    carried(judge, candidate, kept, [9, [9]])
    message = judge.pack([], forgets=True)
    candidate.unpack(marshal.loads(marshal.dumps(message)))
    assert message[2], "some are forgotten"
    (theirs,) = carried(judge, candidate, kept)
    assert theirs == kept


def test_how_it_was_left_is_told_of_what_is_forgotten() -> None:
    judge, candidate = sides()
    theirs: list[Any] = [[1]]
    (ours,) = carried(candidate, judge, theirs[0])
    ours.append(2)
    del ours
    candidate.unpack(marshal.loads(marshal.dumps(judge.pack([], forgets=True))))
    assert theirs == [[1, 2]]


class Own(list[int]):
    """Looks like a list."""


@pytest.mark.parametrize("value", [object(), Own([1]), lambda: 1, iter([1]), [Own()], {1: print}])
def test_what_has_no_copy_is_refused_or_stands_for_itself(value: Any) -> None:
    judge, candidate = sides()
    with pytest.raises(UnfitError):
        judge.pack([value])
    (stands,) = carried(candidate, sides()[0], [value])
    assert stands != [value]


def test_what_stands_for_an_object_leads_back_to_it() -> None:
    judge, candidate = sides()
    thing = object()
    (stands,) = carried(candidate, judge, thing)
    assert isinstance(stands, Stand)
    assert carried(judge, candidate, [stands])[0][0] is thing


def test_the_usual_values_of_the_library_travel() -> None:
    judge, candidate = sides()
    given_values = [Decimal("1.10"), Fraction(1, 3), date(2024, 2, 29), datetime(2024, 1, 1, 2), time(3), timedelta(4)]
    assert carried(judge, candidate, *given_values) == given_values


def test_more_than_is_worth_a_copy_is_refused() -> None:
    with pytest.raises(UnfitError):
        sides()[0].pack([[0] * 200_001])


@pytest.mark.parametrize("value", [math.nan, [1, math.nan], {"a": (math.nan,)}, complex(0, math.nan)])
def test_a_nan_does_not_arrive_for_its_identity_counts_in_a_list(value: Any) -> None:
    judge, candidate = sides()
    with pytest.raises(UnfitError, match="NaN"):
        carried(judge, candidate, value)
