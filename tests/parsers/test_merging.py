"""What a reply writes again is put into what was there: nothing that was right is lost, and nothing wrong stays."""

from __future__ import annotations

import copy
import json
from typing import Annotated, Any, Literal

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from pydantic import BaseModel, ConfigDict, Field, model_validator
from thoughtgraph import json_parser
from thoughtgraph.parsers.json.merging import Path, mergers, place_of, without

LEAVES = st.integers() | st.text(max_size=3) | st.none() | st.booleans()
NAMES = st.text("abcd", min_size=1, max_size=2)
TREES = st.dictionaries(
    NAMES,
    st.recursive(
        LEAVES,
        lambda inner: st.dictionaries(NAMES, inner, min_size=1, max_size=3) | st.lists(inner, min_size=1, max_size=3),
        max_leaves=8,
    ),
    min_size=1,
    max_size=4,
)


def leaves(value: Any, path: Path = ()) -> list[Path]:
    """The paths of everything in a value that has no parts."""
    if isinstance(value, dict) and value:
        return [found for name, part in value.items() for found in leaves(part, (*path, name))]
    if isinstance(value, list) and value:
        return [found for number, part in enumerate(value) for found in leaves(part, (*path, number))]
    return [path]


def put(value: Any, path: Path, part: Any) -> Any:
    """The value with another part at a path."""
    if not path:
        return part
    changed = copy.copy(value)
    changed[path[0]] = put(value[path[0]], path[1:], part)
    return changed


def alone(value: Any, path: Path) -> Any:
    """What a reply has that writes the part at a path alone: the fields on the way to it, and lists with one item."""
    if not path:
        return value
    inner = alone(value[path[0]], path[1:])
    return [inner] if isinstance(path[0], int) else {path[0]: inner}


def all_unlike(value: Any, path: Path) -> bool:
    """Whether every item of a list on the way, also if it is written alone, is another than those beside it."""
    for number, part in enumerate(path):
        others = [*value[:part], *value[part + 1 :]] if isinstance(part, int) else []
        if value[part] in others or alone(value[part], path[number + 1 :]) in others:
            return False
        value = value[part]
    return True


@given(TREES, st.data())
def test_one_wrong_part_that_is_written_alone_is_mended_and_all_else_stays(right: dict[str, Any], data: Any) -> None:
    path = data.draw(st.sampled_from(leaves(right)))
    assume(all_unlike(right, path))
    kept = put(right, path, "WRONG")
    before = copy.deepcopy(kept)
    written = alone(right, path)
    assert next(mergers(kept, written, [path])) == right
    assert next(mergers(kept, right, [path])) == right, "or the whole"
    assert kept == before


@given(TREES, TREES, st.lists(st.lists(NAMES | st.integers(0, 3), max_size=3).map(tuple), max_size=3))
def test_any_reply_gives_values_with_all_that_it_wrote(kept: Any, written: Any, wrong: list[Path]) -> None:
    for value in mergers(kept, written, wrong):
        assert isinstance(value, dict)
        assert written.keys() <= value.keys()
        assert value.keys() <= {*written, *kept}
    assert next(mergers(kept, {}, wrong)) == kept


@given(TREES, st.lists(st.lists(NAMES | st.integers(0, 3), min_size=1, max_size=3).map(tuple), max_size=3))
def test_fields_that_have_to_go_go_and_no_others(value: Any, gone: list[Path]) -> None:
    left = without(value, gone)
    paths = leaves(value)
    fields = [path for path in gone if isinstance(path[-1], str)]
    kept = [path for path in paths if not any(path[: len(one)] == one for one in fields)]
    assert all(place_of(left, path) == path for path in kept)
    assert all(place_of(left, path) != path for path in paths if path not in kept)


class Address(BaseModel):
    """A part of what is asked for; its street may be left out, so that its loss is not seen."""

    street: str = ""
    zip: int


class Item(BaseModel):
    """One of several."""

    sku: str = ""
    price: float


class Cat(BaseModel):
    """One of two types that a field tells apart."""

    kind: Literal["cat"]
    lives: int


class Dog(BaseModel):
    """The other."""

    kind: Literal["dog"]
    bark: str


class Order(BaseModel):
    """What is asked for."""

    model_config = ConfigDict(extra="forbid")

    name: str
    address: Address | None = None
    items: list[Item] = []
    scores: dict[Literal["red", "blue"], int] = {}
    pet: Annotated[Cat | Dog, Field(discriminator="kind")] | None = None


class Contact(BaseModel):
    """A rule across fields, which only the absence of one can meet."""

    name: str = ""
    phone: str | None = None
    mail: str | None = None

    @model_validator(mode="after")
    def _one_of_two(self) -> Contact:
        if (self.phone is None) == (self.mail is None):
            raise ValueError("give either phone or mail, not both")
        return self


EVA: dict[str, Any] = {"name": "Eva", "address": {"street": "Main St 5", "zip": 1}}
CASES: dict[str, tuple[Any, dict[str, Any], list[dict[str, Any]], dict[str, Any]]] = {
    "nested": (
        Order, {"name": "Eva", "address": {"street": "Main St 5", "zip": "x"}}, [{"address": {"zip": 1}}], EVA
    ),
    "missing-below": (Order, {"name": "Eva", "address": {"street": "Main St 5"}}, [{"address": {"zip": 1}}], EVA),
    "item-alone": (
        Order,
        {"name": "Eva", "items": [{"sku": "a", "price": 1}, {"sku": "b", "price": "?"}, {"sku": "c", "price": 3}]},
        [{"items": [{"price": 2}]}],
        {"name": "Eva", "items": [{"sku": "a", "price": 1}, {"sku": "b", "price": 2}, {"sku": "c", "price": 3}]},
    ),
    "wrong-key-below": (
        Order,
        {"name": "Eva", "scores": {"red": 1, "blu": 2}},
        [{"scores": {"blue": 2}}],
        {"name": "Eva", "scores": {"red": 1, "blue": 2}},
    ),
    "no-such-field-below": (
        dict[str, Order],
        {"a": {"name": 5, "size": 1}, "b": {"name": "Bo"}},
        [{"a": {"name": "Eva"}}],
        {"a": {"name": "Eva"}, "b": {"name": "Bo"}},
    ),
    "told-apart": (
        Order,
        {"name": "Eva", "pet": {"kind": "cat", "lives": "nine"}},
        [{"pet": {"lives": 9}}],
        {"name": "Eva", "pet": {"kind": "cat", "lives": 9}},
    ),
    "told-apart-at-the-top": (
        Annotated[Cat | Dog, Field(discriminator="kind")],
        {"kind": "cat", "lives": "nine", "note": "x"},
        [{"lives": 9}],
        {"kind": "cat", "lives": 9},
    ),
    "either-or": (
        Contact, {"name": "Eva", "phone": "1", "mail": "e@x"}, [{"mail": "e@x"}], {"name": "Eva", "mail": "e@x"}
    ),
    "either-or-whole": (
        Contact,
        {"name": "Eva", "phone": "1", "mail": "e@x"},
        [{"name": "Eva", "mail": "e@x"}],
        {"name": "Eva", "mail": "e@x"},
    ),
    "too-many": (
        Annotated[dict[str, int], Field(max_length=2)],
        {"a": 1, "b": 2, "c": 3},
        [{"a": 1, "b": 2}],
        {"a": 1, "b": 2},
    ),
    "one-after-the-other": (
        Order,
        {"name": 1, "items": [], "address": {"street": "Main St 5", "zip": "x"}},
        [{"address": {"zip": "y"}}, {"name": "Eva"}, {"address": {"zip": 1}}],
        {**EVA, "items": []},
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_a_model_that_writes_only_what_it_is_asked_for_gets_there(name: str) -> None:
    schema, first, replies, wanted = CASES[name]
    result = json_parser(json.dumps(first), schema=schema)
    for reply in replies:
        assert result.get("status") == "error"
        result = json_parser(json.dumps(reply), schema=schema, kept=result.get("kept"))
    assert result.get("status") == "success", result.get("feedback")
    content: Any = result.get("content")
    shown = content.model_dump(exclude_unset=True) if isinstance(content, BaseModel) else content
    shown = {n: v.model_dump(exclude_unset=True) if isinstance(v, BaseModel) else v for n, v in shown.items()}
    assert shown == wanted


@pytest.mark.parametrize("name", CASES)
def test_who_writes_the_whole_again_gets_there_at_once(name: str) -> None:
    schema, first, _, wanted = CASES[name]
    kept = json_parser(json.dumps(first), schema=schema).get("kept")
    assert json_parser(json.dumps(wanted), schema=schema, kept=kept).get("status") == "success"


def test_a_list_with_a_wrong_item_is_asked_for_with_all_its_items() -> None:
    _, first, _, _ = CASES["item-alone"]
    feedback = str(json_parser(json.dumps(first), schema=Order).get("feedback"))
    assert "`items[1].price`: write a number" in feedback
    assert "`items` with all its items" in feedback


def test_the_name_of_a_type_stands_in_no_path() -> None:
    _, first, _, _ = CASES["told-apart"]
    feedback = str(json_parser(json.dumps(first), schema=Order).get("feedback"))
    assert "`pet.lives`" in feedback


def test_where_either_of_two_types_may_be_meant_the_whole_is_asked_for() -> None:
    class Fish(BaseModel):
        fins: int

    class Bird(BaseModel):
        wings: int

    result = json_parser('{"name": "x"}', schema=Fish | Bird)
    assert not result.get("kept")
    assert "`fins`: this field is missing (as Fish)" in str(result.get("feedback"))
    assert "`wings`: this field is missing (as Bird)" in str(result.get("feedback"))


def test_however_many_fields_there_are_few_readings_are_tried() -> None:
    kept = {str(number): number for number in range(5_000)}
    assert len(list(mergers(kept, {"0": 1}, [()]))) < 30
    assert len(list(mergers(kept, {"0": 1}, [("0",)]))) == 1


def test_a_list_that_is_written_without_its_wrong_item_doubles_no_other() -> None:
    kept = {"id": 1, "lines": [{"a": "tea", "n": 3}, {"a": "total", "n": "?"}]}
    assert next(mergers(kept, {"lines": [{"a": "tea", "n": 3}]}, [("lines", 1, "n")])) == {
        "id": 1, "lines": [{"a": "tea", "n": 3}]
    }  # fmt: skip


def test_a_list_in_another_order_takes_nothing_from_the_items_that_stood_there() -> None:
    kept = {"lines": [{"a": "x", "n": "?", "note": "hot"}, {"a": "tea", "n": 3}]}
    written = {"lines": [{"a": "tea", "n": 3}, {"a": "x", "n": 1}]}
    assert next(mergers(kept, written, [("lines", 0, "n")])) == written


@pytest.mark.parametrize(
    ("written", "items"),
    [
        ([{"sku": "b", "price": 2}], ["a", "b", "c", "d"]),
        ([{"sku": "a", "price": 1}, {"sku": "c", "price": 3}, {"sku": "d", "price": 4}], ["a", "c", "d"]),
        ([{"sku": "d", "price": 4}, {"sku": "b", "price": 2}], None),
        ([{"sku": "a", "price": 1}], None),
        ([{"sku": "x", "price": 1}, {"sku": "y", "price": 1}], None),
        ([], None),
    ],
    ids=["the-wrong-one", "without-it", "some", "a-right-one", "others", "none"],
)
@pytest.mark.parametrize("below", [False, True], ids=["at-the-top", "below"])
def test_no_right_item_of_a_list_is_lost(written: list[Any], items: list[str] | None, below: bool) -> None:
    prices = [1, "?", 3, 4]
    order = {"name": "Eva", "items": [{"sku": sku, "price": price} for sku, price in zip("abcd", prices, strict=True)]}
    schema: Any = dict[str, Order] if below else Order
    refused = json_parser(json.dumps({"x": order, "y": EVA} if below else order), schema)
    again = {"x": {"name": "Eva", "items": written}} if below else {"name": "Eva", "items": written}
    result: Any = json_parser(json.dumps(again), schema, kept=refused.get("kept"))
    if items is None:
        assert "items` with all its items" in result["feedback"]
        assert result["kept"] == refused.get("kept")
    else:
        content = result["content"]["x"] if below else result["content"]
        assert [item.sku for item in content.items] == items


@given(TREES, st.data())
def test_a_list_is_shorter_only_without_what_was_wrong(right: dict[str, Any], data: Any) -> None:
    path = data.draw(st.sampled_from(leaves(right)))
    kept, written = put(right, path, "WRONG"), alone(right, path)
    assert next(mergers(kept, written, [path])) in (kept, right) or not all_unlike(right, path)


def test_an_entry_with_a_wrong_name_stays_until_its_object_is_written_again() -> None:
    class Week(BaseModel):
        name: str
        hours: dict[Literal["January", "February"], int]

    kept = json_parser('{"name": 5, "hours": {"Januar": 5, "February": 2}, "x": 1}', schema=Week).get("kept")
    assert json_parser('{"name": "x"}', schema=Week, kept=kept).get("status") == "error"
    result: Any = json_parser('{"name": "x", "hours": {"January": 5}}', schema=Week, kept=kept)
    assert result["content"].hours == {"January": 5, "February": 2}


@pytest.mark.parametrize(
    ("schema", "first", "second"),
    [
        (Order, {"name": "E", "scores": {"red": "?", "blue": 1}}, {"name": "E", "scores": {"blue": 1}}),
        (
            Order,
            {"name": "E", "pet": {"kind": "cat", "lives": "x"}},
            {"name": "E", "pet": {"kind": "dog", "bark": "loud"}},
        ),
    ],
    ids=["an-entry-left-out", "another-type"],
)
def test_a_whole_reply_may_leave_out_what_was_wrong(schema: Any, first: dict[str, Any], second: dict[str, Any]) -> None:
    kept = json_parser(json.dumps(first), schema=schema).get("kept")
    assert kept
    assert json_parser(json.dumps(second), schema=schema, kept=kept).get("status") == "success"


@pytest.mark.parametrize("depth", [90, 600, 900, 5_000])
def test_a_reply_of_any_depth_is_merged_or_refused(depth: int) -> None:
    nested = '{"a": ' * depth + "1" + "}" * depth
    assert json_parser(nested, schema=Order, kept={"name": "x"}).get("status") == "error"
