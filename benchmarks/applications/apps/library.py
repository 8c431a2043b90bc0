"""The counter of a public library: most of its tools want numbers that other tools show."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import Any, Literal

from langchain_core.tools import BaseTool, StructuredTool, ToolException, tool
from langchain_core.tools.base import ArgsSchema
from pydantic import BaseModel, Field

from benchmarks.applications.cases import Application, Case, call

Branch = Literal["Main", "Old Mill", "West End"]
TODAY = date(2026, 3, 11)


def _members() -> dict[str, dict[str, Any]]:
    rows = [
        ("m14", "Edith Crane", 0.0),
        ("m22", "Tomas Reyes", 1.2),
        ("m31", "Priya Nair", 7.5),
        ("m47", "Jonas Weber", 0.0),
        ("m52", "李娜", 0.0),
    ]
    return {number: {"name": name, "owes": owes} for number, name, owes in rows}


def _books() -> dict[str, dict[str, Any]]:
    rows = [
        ("b101", "The Harbor Lights", "Odile Marsh", 0),
        ("b102", "Salt Roads", "Peter Quill", 1),
        ("b103", "Glass Orchard", "Ines Moreau", 0),
        ("b104", "A Field Guide to Moss", "Henrik Tarn", 2),
        ("b105", "Night Ferry", "Odile Marsh", 0),
        ("b106", "Bread at Home", "Sal Fenton", 1),
    ]
    return {number: {"title": title, "author": author, "in": copies} for number, title, author, copies in rows}


def _loans() -> dict[str, dict[str, Any]]:
    rows = [
        ("L1", "b101", "m14", "2026-03-13"),
        ("L2", "b106", "m14", "2026-03-20"),
        ("L3", "b102", "m22", "2026-03-12"),
        ("L4", "b105", "m47", "2026-03-14"),
        ("L5", "b104", "m52", "2026-03-12"),
    ]
    return {number: {"book": book, "member": member, "due": due, "renewed": 0} for number, book, member, due in rows}


@dataclass
class Library:
    """Who borrows what, and who waits for it."""

    members: dict[str, dict[str, Any]] = field(default_factory=_members)
    books: dict[str, dict[str, Any]] = field(default_factory=_books)
    loans: dict[str, dict[str, Any]] = field(default_factory=_loans)
    holds: dict[str, dict[str, Any]] = field(
        default_factory=lambda: {"h1": {"book": "b105", "member": "m31", "pickup": "Main"}}
    )

    def member(self, number: str) -> dict[str, Any]:
        """A member that there is."""
        if number not in self.members:
            raise ToolException(f"No member has the number {number!r}.")
        return self.members[number]

    def book(self, number: str) -> dict[str, Any]:
        """A book that there is."""
        if number not in self.books:
            raise ToolException(f"No book has the number {number!r}.")
        return self.books[number]

    def loan(self, number: str) -> dict[str, Any]:
        """A loan that there is."""
        if number not in self.loans:
            raise ToolException(f"There is no loan {number!r}.")
        return self.loans[number]


class Renewal(BaseModel):
    """What is renewed, and for how long."""

    loan_id: str = Field(description="number of the loan, like L9")
    weeks: int = Field(3, ge=1, le=3)


class RenewLoan(BaseTool):
    """Gives a member more time."""

    name: str = "renew_loan"
    description: str = "Extends a loan. Not possible while somebody else waits for the book."
    args_schema: ArgsSchema | None = Renewal
    library: Library

    def _run(self, loan_id: str, weeks: int = 3) -> str:
        loan = self.library.loan(loan_id)
        if any(hold["book"] == loan["book"] for hold in self.library.holds.values()):
            raise ToolException("Cannot be renewed: another reader has placed a hold on it.")
        loan["due"] = str(date.fromisoformat(loan["due"]) + timedelta(weeks=weeks))
        loan["renewed"] += 1
        return f"{loan_id} is due on {loan['due']} now"

    async def _arun(self, loan_id: str, weeks: int = 3) -> str:
        return self._run(loan_id, weeks)


class Hold(BaseModel):
    """Who waits for what, and where it is fetched."""

    member_id: str
    book_id: str
    pickup: Branch = Field(description="branch where the reader collects the book")


def tools(library: Library) -> Sequence[BaseTool]:
    """The tools over one library."""

    @tool
    def find_member(name: str) -> str:
        """look up a reader by name, shows the member number and open fines"""
        word = name.split()[-1].casefold()
        found = [
            f"{number}  {member['name']}  owes {member['owes']:.2f} EUR"
            for number, member in library.members.items()
            if word in member["name"].casefold()
        ]
        return "\n".join(found) or "no such reader"

    @tool(parse_docstring=True)
    async def search_catalog(text: str) -> list[dict[str, Any]]:
        """Search the catalog.

        Args:
            text: a part of the title, or the author's name.
        """
        wanted = text.casefold()
        return [
            {"book_id": number, "title": book["title"], "author": book["author"], "copies_in": book["in"]}
            for number, book in library.books.items()
            if wanted in book["title"].casefold() or wanted in book["author"].casefold()
        ]

    @tool
    def loans_of_member(member_id: str) -> list[dict[str, Any]]:
        """What a reader has borrowed, with due dates."""
        library.member(member_id)
        return [
            {"loan_id": number, "title": library.books[loan["book"]]["title"], "due": loan["due"]}
            for number, loan in library.loans.items()
            if loan["member"] == member_id
        ]

    @tool
    def check_out(member_id: str, book_id: str, weeks: int = 3) -> dict[str, str]:
        """Lend a book that is in to a reader, for three weeks unless told otherwise."""
        book = library.book(book_id)
        library.member(member_id)
        if not book["in"]:
            raise ToolException(f"All copies of {book['title']} are out.")
        book["in"] -= 1
        due = str(TODAY + timedelta(weeks=weeks))
        number = f"L{max((int(loan[1:]) for loan in library.loans), default=0) + 1}"
        library.loans[number] = {"book": book_id, "member": member_id, "due": due, "renewed": 0}
        return {"loan_id": number, "due": due}

    @tool
    def check_in(loan_id: str) -> str:
        """Take a book back, ends the loan."""
        loan = library.loan(loan_id)
        library.books[loan["book"]]["in"] += 1
        del library.loans[loan_id]
        return f"{library.books[loan['book']]['title']} is back."

    def place_hold(member_id: str, book_id: str, pickup: Branch) -> str:
        library.member(member_id)
        number = f"h{len(library.holds) + 1}"
        title = library.book(book_id)["title"]
        library.holds[number] = {"book": book_id, "member": member_id, "pickup": pickup}
        return f"Hold {number} on {title}, to be collected at {pickup}."

    @tool
    def take_payment(member_id: str, amount: float) -> str:
        """Book money that a reader pays towards fines, in EUR."""
        member = library.member(member_id)
        if not 0 < amount <= member["owes"]:
            return f"error: {member['name']} owes {member['owes']:.2f}"
        member["owes"] = round(member["owes"] - amount, 2)
        return f"ok, {member['owes']:.2f} left to pay"

    holding = StructuredTool.from_function(
        place_hold, description="Puts a reader on the waiting list for a book.", args_schema=Hold
    )
    renewing = RenewLoan(library=library)
    return [find_member, search_catalog, loans_of_member, check_out, check_in, renewing, holding, take_payment]


def _hold(book: str, member: str, pickup: Branch) -> dict[str, Any]:
    return {"holds": {"h2": {"book": book, "member": member, "pickup": pickup}}}


CASES = [
    Case("owes", "question", "How much does Priya Nair still owe us?", [call("find_member", name="Priya Nair")],
         "Priya Nair owes 7.50 euros.", says=[r"7[.,]50?\b|seven (?:euros? )?(?:and )?(?:a half|fifty)"]),
    Case("due", "question", "Mrs Crane again.. when's her Harbor Lights due back??",
         [call("find_member", name="Crane"), call("loans_of_member", member_id="m14")],
         "The Harbor Lights is due on Friday, 13 March.", says=[r"\b13|friday"]),
    Case("salt", "act", "Tomas Reyes on the phone, he's only halfway through Salt Roads. Wants the usual three weeks "
         "on top",
         [call("find_member", name="Tomas Reyes"), call("loans_of_member", member_id="m22"),
          call("renew_loan", loan_id="L3", weeks=3)],
         "Tomas Reyes has Salt Roads until 2 April now.",
         {"loans": {"L3": {"due": "2026-04-02", "renewed": 1}}}),
    Case("both", "act", "Edith Crane just dropped off both of her books.",
         [call("find_member", name="Edith Crane"), call("loans_of_member", member_id="m14"),
          call("check_in", loan_id="L1"), call("check_in", loan_id="L2")],
         "Both books of Edith Crane are back.",
         {"loans": {"L1": None, "L2": None}, "books": {"b101": {"in": 1}, "b106": {"in": 2}}}),
    Case("orchard", "act", "Jonas Weber would love to read Glass Orchard, put him on the list. He'd fetch it at West "
         "End.",
         [call("find_member", name="Jonas Weber"), call("search_catalog", text="Glass Orchard"),
          call("place_hold", member_id="m47", book_id="b103", pickup="West End")],
         "Jonas Weber is on the list for Glass Orchard and fetches it at West End.",
         _hold("b103", "m47", "West End")),
    Case("counter", "act", "priya nair is at the counter, gives us five euros towards her fine",
         [call("find_member", name="Priya Nair"), call("take_payment", member_id="m31", amount=5)],
         "Priya Nair paid 5 euros, 2.50 are left.", {"members": {"m31": {"owes": 2.5}}}),
    Case("either", "act", "Is the Harbor Lights in? If so give it to Tomas Reyes, if it isn't he'd like to wait for "
         "it and collect it at Main.",
         [call("search_catalog", text="Harbor Lights"), call("find_member", name="Tomas Reyes"),
          call("place_hold", member_id="m22", book_id="b101", pickup="Main")],
         "The Harbor Lights is out, so Tomas Reyes is on the waiting list and collects it at Main.",
         _hold("b101", "m22", "Main"), says=["hold|held|wait|list|reserv|queue|collect|pick"]),
    Case("ferry", "lacking", "Tomas Reyes also asks for Night Ferry, could you reserve it for him when it comes back?",
         [call("find_member", name="Tomas Reyes"), call("search_catalog", text="Night Ferry"),
          call("place_hold", member_id="m22", book_id="b105", pickup="Old Mill")],
         "Night Ferry is reserved for Tomas Reyes, at Old Mill.", _hold("b105", "m22", "Old Mill"),
         reply="He'd collect it at Old Mill."),
    Case("more", "impossible", "Jonas Weber begs for another two weeks with Night Ferry.",
         [call("find_member", name="Jonas Weber"), call("loans_of_member", member_id="m47"),
          call("renew_loan", loan_id="L4", weeks=2)],
         "Night Ferry cannot be renewed: another reader waits for it.",
         says=[r"not|n.t\b|unable|another|someone|somebody|hold"],
         never_says=[r"(?:is|has been|was|have) (?:been )?(?:renewed|extended)"]),
    Case("lina-zh", "act", "李娜手上那本书明天就到期了，她还没看完，帮她续借两周吧。",
         [call("find_member", name="李娜"), call("loans_of_member", member_id="m52"),
          call("renew_loan", loan_id="L5", weeks=2)],
         "李娜的书已续借两周，到3月26日。", {"loans": {"L5": {"due": "2026-03-26", "renewed": 1}}}, language="zh"),
]  # fmt: skip

APPLICATION = Application("library", "You help at the counter of a public library.", Library, tools, CASES)
