"""The accounts of a bank's customer: plain tools that say nothing of their effects."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Literal

from langchain_core.tools import BaseTool, StructuredTool, ToolException, tool
from pydantic import BaseModel, Field

from benchmarks.applications.cases import Application, Case, Like, call

Account = Literal["checking", "savings"]
PAYEES = {
    "p1": "Harbour Housing (landlord)",
    "p2": "Marta Lindqvist",
    "p3": "Rourke Plumbing",
    "p4": "Ines Duarte",
    "p5": "Jonas Weber",
}
PAST = (
    ("2026-02-17", "Rourke Plumbing, repair of the boiler", -180.0),
    ("2026-02-27", "Salary", 2650.0),
    ("2026-03-01", "Harbour Housing, rent", -640.0),
    ("2026-03-03", "Tallow Hardware Store", -54.9),
    ("2026-03-07", "Greenmarket groceries", -72.15),
    ("2026-03-09", "Tallow Hardware Store", -31.5),
)


@dataclass
class Bank:
    """What the customer has, and what has been sent in the run."""

    balances: dict[str, float] = field(default_factory=lambda: {"checking": 2140.5, "savings": 5300.0})
    card_limit: int = 500
    sent: dict[str, dict[str, object]] = field(default_factory=dict[str, dict[str, object]])

    def take(self, account: str, amount: float) -> None:
        """Take money from an account that has it."""
        if amount <= 0:
            raise ToolException("The amount must be more than 0.")
        if self.balances[account] < amount:
            raise ToolException(f"Insufficient funds: {account} has {self.balances[account]:.2f}.")
        self.balances[account] -= amount


class Search(BaseModel):
    """Which transactions to find."""

    text: str | None = Field(None, description="a word of the description")
    since: date | None = Field(None, description="the first day")


class Transfer(BaseModel):
    """A transfer to somebody else."""

    from_account: Account
    payee_id: str = Field(description="id of the payee, as listed")
    amount: float = Field(gt=0, description="in euros")
    reference: str = Field("", description="what the payee reads")


def tools(bank: Bank) -> Sequence[BaseTool]:
    """The tools over one customer's accounts."""

    @tool
    def list_accounts() -> str:
        """Show the accounts with their balance, and the daily limit of the card."""
        lines = [f"{name}: {balance:.2f} EUR" for name, balance in bank.balances.items()]
        return "\n".join([*lines, f"card limit: {bank.card_limit} EUR a day"])

    @tool
    async def list_payees() -> list[dict[str, str]]:
        """List the people and companies that money can be sent to, with their ids."""
        return [{"id": number, "name": name} for number, name in PAYEES.items()]

    def find_transactions(text: str | None = None, since: date | None = None) -> str:
        found = [
            f"{day} {about} {amount:+.2f}"
            for day, about, amount in PAST
            if (not text or text.casefold() in about.casefold()) and (not since or date.fromisoformat(day) >= since)
        ]
        return "\n".join(found) or "No transactions found."

    def transfer(from_account: str, payee_id: str, amount: float, reference: str = "") -> str:
        if payee_id not in PAYEES:
            raise ToolException(f"There is no payee {payee_id!r}.")
        bank.take(from_account, amount)
        bank.sent[str(len(bank.sent) + 1)] = {"to": payee_id, "amount": amount, "reference": reference}
        return f"Sent {amount:.2f} EUR to {PAYEES[payee_id]}."

    @tool
    def move_money(source: Account, target: Account, amount: float) -> str:
        """Move money between the customer's own accounts.

        Args:
            source: the account to take it from.
            target: the account to put it into.
            amount: in euros.
        """
        bank.take(source, amount)
        bank.balances[target] += amount
        return f"Moved {amount:.2f} EUR from {source} to {target}."

    @tool
    def set_card_limit(euros_per_day: int) -> dict[str, int]:
        """Set how much the card may spend in a day, at most 5000."""
        if not 0 <= euros_per_day <= 5000:
            raise ToolException("The limit must be from 0 to 5000.")
        bank.card_limit = euros_per_day
        return {"card_limit": euros_per_day}

    return [
        list_accounts,
        list_payees,
        StructuredTool.from_function(
            find_transactions, description="Search the past transactions.", args_schema=Search
        ),
        StructuredTool.from_function(
            transfer, name="transfer_money", description="Send money to a payee.", args_schema=Transfer
        ),
        move_money,
        set_card_limit,
    ]  # fmt: skip


def _sent(to: str, amount: float, left: float, reference: str = "") -> dict[str, object]:
    entry = {"to": to, "amount": amount, "reference": Like(reference)}
    return {"balances": {"checking": left}, "sent": {"1": entry}}


CASES = [
    Case("savings", "question", "How much have I got put by in my savings?", [call("list_accounts")],
         "You have 5,300.00 euros in savings.", says=[r"5[,. ]?300"]),
    Case("hardware", "question", "What did I leave at the hardware store this month?",
         [call("find_transactions", text="hardware", since="2026-03-01")],
         "You spent 54.90 and 31.50 euros at Tallow Hardware Store this month.",
         says=[r"86[.,]40?|54[.,]90?.*31[.,]50?|31[.,]50?.*54[.,]90?"]),
    Case("theatre", "act", "I owe Marta 45 for the theatre tickets, could you send it to her from my checking account?",
         [call("list_payees"),
          call("transfer_money", from_account="checking", payee_id="p2", amount=45, reference="Theatre tickets")],
         "I sent 45 euros to Marta Lindqvist.", _sent("p2", 45, 2095.5)),
    Case("aside", "act", "I got paid, so let's put three hundred from checking aside into savings.",
         [call("move_money", source="checking", target="savings", amount=300)],
         "I moved 300 euros into your savings.", {"balances": {"checking": 1840.5, "savings": 5600.0}}),
    Case("lisbon", "act", "I'm flying to Lisbon tomorrow. My card should let me spend 1200 a day there.",
         [call("set_card_limit", euros_per_day=1200)],
         "Your card now allows 1,200 euros a day.", {"card_limit": 1200}),
    Case("plumber", "act",
         "The plumber was here again, same job as in February. Pay him what he got then, out of checking.",
         [call("find_transactions", text="plumbing"), call("list_payees"),
          call("transfer_money", from_account="checking", payee_id="p3", amount=180)],
         "I paid Rourke Plumbing 180 euros.", _sent("p3", 180, 1960.5)),
    Case("landlord", "lacking", "Can you send my landlord the money for the broken window? Take it from checking.",
         [call("list_payees"),
          call("transfer_money", from_account="checking", payee_id="p1", amount=85, reference="Broken window")],
         "I sent 85 euros to Harbour Housing.", _sent("p1", 85, 2055.5), reply="It was 85 euros."),
    Case("sister", "lacking", "My sister lent me 75, please pay her back from checking.",
         [call("list_payees"), call("transfer_money", from_account="checking", payee_id="p4", amount=75)],
         "I sent 75 euros to Ines Duarte.", _sent("p4", 75, 2065.5), reply="She is called Ines Duarte."),
    Case("car", "impossible", "I found a car! Get me 9000 out of savings and over to checking.",
         [call("move_money", source="savings", target="checking", amount=9000)],
         "I could not move 9,000 euros: there are only 5,300.00 euros in savings.",
         says=[r"not|n.t\b|insufficient|only|unable|fail"], never_says=[r"^i moved|(?:were|was|have been) moved"]),
    Case("tutoring", "act", "Überweise bitte 120 Euro vom Girokonto an Jonas Weber, Verwendungszweck Nachhilfe.",
         [call("list_payees"),
          call("transfer_money", from_account="checking", payee_id="p5", amount=120, reference="Nachhilfe")],
         "Ich habe 120 Euro an Jonas Weber überwiesen.", _sent("p5", 120, 2020.5, "nachhilfe"), language="de"),
]  # fmt: skip

APPLICATION = Application("bank", "You help a customer of a bank with their accounts.", Bank, tools, CASES)
