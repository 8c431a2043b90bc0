"""A short text to JSON: the visible check is a type with rules across its fields, the hidden one the right values."""

from __future__ import annotations

from datetime import date
from typing import Annotated, Any, Literal, Self, cast

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, model_validator
from thoughtgraph.parsers import json_parser
from thoughtgraph.tools.verdict import Verdict
from thoughtgraph.tools.verifiers import JSONSchemaVerifier

Text = Annotated[str, Field(min_length=1)]
Count = Annotated[int, Field(ge=1)]
Amount = Annotated[float, Field(ge=0)]
Clock = Annotated[str, Field(pattern=r"^([01]\d|2[0-3]):[0-5]\d$")]
"""A time of day such as 09:30."""


class _Record(BaseModel):
    model_config = ConfigDict(extra="forbid")


def _hold(is_right: bool, problem: str) -> None:
    if not is_right:
        raise ValueError(problem)


def _same(one: float, other: float) -> bool:
    return abs(one - other) < 0.005


def _minutes(clock: str) -> int:
    return int(clock[:2]) * 60 + int(clock[3:])


class InvoiceLine(_Record):
    item: Text
    quantity: Count
    price: Amount
    amount: Amount

    @model_validator(mode="after")
    def check(self) -> Self:
        right = round(self.quantity * self.price, 2)
        _hold(_same(self.amount, right), f"amount is {self.amount}, but quantity times price is {right}")
        return self


class Invoice(_Record):
    number: Text
    date: date
    lines: list[InvoiceLine] = Field(min_length=1)
    total: Amount

    @model_validator(mode="after")
    def check(self) -> Self:
        right = round(sum(line.amount for line in self.lines), 2)
        _hold(_same(self.total, right), f"total is {self.total}, but the amounts add up to {right}")
        return self


class Booking(_Record):
    guest: Text
    people: Count
    arrival: date
    departure: date
    nights: Count
    breakfast: bool

    @model_validator(mode="after")
    def check(self) -> Self:
        _hold(self.departure > self.arrival, f"departure {self.departure} is not after arrival {self.arrival}")
        right = (self.departure - self.arrival).days
        _hold(self.nights == right, f"nights is {self.nights}, but there are {right} from arrival to departure")
        return self


class Meeting(_Record):
    title: Text
    start: Clock
    end: Clock
    minutes: Count
    attendees: list[Text] = Field(min_length=1)

    @model_validator(mode="after")
    def check(self) -> Self:
        right = _minutes(self.end) - _minutes(self.start)
        _hold(right > 0, f"end {self.end} is not after start {self.start}")
        _hold(self.minutes == right, f"minutes is {self.minutes}, but there are {right} from start to end")
        _hold(len(set(self.attendees)) == len(self.attendees), "attendees names somebody twice")
        return self


class Match(_Record):
    home: Text
    away: Text
    home_goals: int = Field(ge=0)
    away_goals: int = Field(ge=0)
    result: Literal["home", "away", "draw"]

    @model_validator(mode="after")
    def check(self) -> Self:
        _hold(self.home != self.away, "home and away are the same team")
        ahead = self.home_goals - self.away_goals
        right = "home" if ahead > 0 else "away" if ahead else "draw"
        goals = f"{self.home_goals} to {self.away_goals}"
        _hold(self.result == right, f"result is {self.result!r}, but the goals are {goals}")
        return self


class Option(_Record):
    name: Text
    votes: int = Field(ge=0)


class Poll(_Record):
    question: Text
    options: list[Option] = Field(min_length=2)
    total: Count
    winner: Text

    @model_validator(mode="after")
    def check(self) -> Self:
        right = sum(option.votes for option in self.options)
        _hold(self.total == right, f"total is {self.total}, but the votes add up to {right}")
        most = max(option.votes for option in self.options)
        best = [option.name for option in self.options if option.votes == most]
        _hold(self.winner in best, f"winner is {self.winner!r}, which is not the option with the most votes")
        return self


class Expense(_Record):
    name: Text
    amount: Amount


class Budget(_Record):
    month: Annotated[str, Field(pattern=r"^\d{4}-(0[1-9]|1[0-2])$")]
    income: Amount
    expenses: list[Expense] = Field(min_length=1)
    saved: float

    @model_validator(mode="after")
    def check(self) -> Self:
        right = round(self.income - sum(expense.amount for expense in self.expenses), 2)
        _hold(_same(self.saved, right), f"saved is {self.saved}, but income minus the expenses is {right}")
        return self


class Leg(_Record):
    start: Text
    end: Text
    km: Count


class Trip(_Record):
    legs: list[Leg] = Field(min_length=1)
    total_km: Count
    round_trip: bool

    @model_validator(mode="after")
    def check(self) -> Self:
        for number, (leg, after) in enumerate(zip(self.legs, self.legs[1:], strict=False)):
            _hold(leg.end == after.start, f"legs[{number}] ends in {leg.end}, but the next one starts in {after.start}")
        right = sum(leg.km for leg in self.legs)
        _hold(self.total_km == right, f"total_km is {self.total_km}, but the legs add up to {right}")
        back = self.legs[0].start == self.legs[-1].end
        _hold(self.round_trip == back, "round_trip has to be true exactly if the last leg ends where the first starts")
        return self


class Parcel(_Record):
    content: Text
    kg: Annotated[float, Field(gt=0)]


class Shipment(_Record):
    receiver: Text
    sent: date
    due: date
    express: bool
    parcels: list[Parcel] = Field(min_length=1)
    total_kg: float

    @model_validator(mode="after")
    def check(self) -> Self:
        days = (self.due - self.sent).days
        _hold(days >= 0, f"due {self.due} is before sent {self.sent}")
        _hold(self.express == (days <= 2), f"due is {days} days after sent: express is true for 2 days at most, only")
        right = round(sum(parcel.kg for parcel in self.parcels), 2)
        _hold(_same(self.total_kg, right), f"total_kg is {self.total_kg}, but the parcels add up to {right}")
        return self


class Recipe(_Record):
    dish: Text
    serves: Count
    ingredients: list[Text] = Field(min_length=1)
    prep_minutes: int = Field(ge=0)
    cook_minutes: int = Field(ge=0)
    total_minutes: Count

    @model_validator(mode="after")
    def check(self) -> Self:
        right = self.prep_minutes + self.cook_minutes
        _hold(self.total_minutes == right, f"total_minutes is {self.total_minutes}, but prep and cook make {right}")
        _hold(len(set(self.ingredients)) == len(self.ingredients), "ingredients names something twice")
        return self


class Reading(_Record):
    day: date
    celsius: float


class Weather(_Record):
    station: Text
    readings: list[Reading] = Field(min_length=2)
    warmest: date
    coldest: date
    frost: bool

    @model_validator(mode="after")
    def check(self) -> Self:
        days = [reading.day for reading in self.readings]
        _hold(days == sorted(set(days)), "readings are not in the order of their days, each day once")
        by_day = {reading.day: reading.celsius for reading in self.readings}
        for name, day, right in (
            ("warmest", self.warmest, max(by_day.values())),
            ("coldest", self.coldest, min(by_day.values())),
        ):
            _hold(by_day.get(day) == right, f"{name} is {day}, but that is not the day with {right} degrees")
        _hold(self.frost == (min(by_day.values()) < 0), "frost has to be true exactly if a reading is below 0")
        return self


SCHEMAS: dict[str, type[_Record]] = {
    "booking": Booking,
    "budget": Budget,
    "invoice": Invoice,
    "match": Match,
    "meeting": Meeting,
    "poll": Poll,
    "recipe": Recipe,
    "shipment": Shipment,
    "trip": Trip,
    "weather": Weather,
}


class Fields(JSONSchemaVerifier):
    """The visible check: the JSON fits the type, rules across fields included."""

    def __init__(self, schema: str) -> None:
        super().__init__(SCHEMAS[schema])
        # The prompt names fields and rules in words: a small model that reads a JSON schema writes a JSON schema.
        self.criteria = ""


class Values:
    """The hidden check: the values are those of the text."""

    def __init__(self, schema: str, reference: dict[str, Any]) -> None:
        self._adapter: TypeAdapter[Any] = TypeAdapter(SCHEMAS[schema])
        self._wanted = self._values(reference)

    def __call__(self, task: str, answer: str, /) -> Verdict:
        """Compare an answer that fits the type."""
        found = self._values(json_parser(answer).get("content"))
        wrong = [name for name, value in self._wanted.items() if found[name] != value]
        return Verdict("failed", f"Wrong: {', '.join(wrong)}.") if wrong else Verdict("passed")

    def _values(self, content: object) -> dict[str, Any]:
        return _plain(self._adapter.dump_python(self._adapter.validate_python(content), mode="json"))


def _plain(value: Any) -> Any:
    """A value without what no text decides: upper case, an article, a plural, blanks, a final dot."""
    if isinstance(value, dict):
        return {name: _plain(part) for name, part in cast("dict[str, Any]", value).items()}
    if isinstance(value, list):
        return [_plain(part) for part in cast("list[Any]", value)]
    if isinstance(value, str):
        words = [word.removesuffix("s") for word in value.casefold().strip(" .?!").split()]
        return " ".join(words[1:] if len(words) > 1 and words[0] in ("a", "an", "the") else words)
    return round(value, 2) if isinstance(value, float) else value
