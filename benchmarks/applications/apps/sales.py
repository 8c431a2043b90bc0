"""The customers of a sales team: every tool takes plain values and returns text, errors included."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from langchain_core.tools import BaseTool, tool

from benchmarks.applications.cases import Application, Case, Like, call

STAGES = ("lead", "proposal", "negotiation", "won", "lost")


def _contacts() -> dict[str, dict[str, str]]:
    rows = [
        ("C-1", "Priya Raman", "Orchard Foods", "priya@orchard.example", "555-0173"),
        ("C-2", "Dana Whitfield", "Brightline Media", "dana@brightline.example", "555-0119"),
        ("C-3", "Marcus Hale", "Tidewater Spa", "marcus@tidewater.example", "555-0186"),
        ("C-4", "Sofia Lindgren", "Harbor Logistics", "sofia@harbor.example", "555-0104"),
    ]
    return {
        number: {"name": name, "company": company, "email": email, "phone": phone}
        for number, name, company, email, phone in rows
    }


def _deals() -> dict[str, dict[str, Any]]:
    rows = [
        ("D-11", "Orchard Foods", "annual license", 24000, "proposal"),
        ("D-12", "Brightline Media", "starter package", 6500, "lead"),
        ("D-13", "Harbor Logistics", "50 seats", 15000, "negotiation"),
        ("D-14", "Tidewater Spa", "booking module", 9800, "negotiation"),
        ("D-15", "Alder Clinics", "pilot", 4000, "lost"),
    ]
    return {
        number: {"company": company, "title": title, "value": value, "stage": stage}
        for number, company, title, value, stage in rows
    }


@dataclass
class Sales:
    """Whom the team knows and what it sells; calls and follow-ups are those of the run."""

    contacts: dict[str, dict[str, str]] = field(default_factory=_contacts)
    deals: dict[str, dict[str, Any]] = field(default_factory=_deals)
    calls: dict[str, dict[str, str]] = field(default_factory=dict[str, dict[str, str]])
    follow_ups: dict[str, dict[str, str]] = field(default_factory=dict[str, dict[str, str]])


def tools(sales: Sales) -> Sequence[BaseTool]:
    """The tools over one team's customers."""

    @tool
    async def search_contacts(query: str) -> str:
        """Search contacts by name or company. Returns id, name, company, email and phone."""
        words = query.casefold().split()
        found = [
            f"{number}: {one['name']} ({one['company']}), {one['email']}, {one['phone'] or 'no phone'}"
            for number, one in sales.contacts.items()
            if all(word in f"{one['name']} {one['company']}".casefold() for word in words)
        ]
        return "\n".join(found) or f"No contacts found for '{query}'."

    @tool
    def add_contact(name: str, company: str, email: str, phone: str = "") -> str:
        """Add a new contact.

        Args:
            name: Full name.
            company: Where the person works.
            email: E-mail address.
            phone: Phone number, if known.
        """
        if "@" not in email:
            return f"Error: '{email}' is not an e-mail address."
        number = f"C-{len(sales.contacts) + 1}"
        sales.contacts[number] = {"name": name, "company": company, "email": email, "phone": phone}
        return f"Added {name} as {number}."

    @tool
    def list_deals(company: str = "", stage: str = "") -> str:
        """List deals, optionally of one company or in one stage (lead, proposal, negotiation, won, lost)."""
        found = [
            f"{number}: {one['company']}, {one['title']}, ${one['value']:,}, {one['stage']}"
            for number, one in sales.deals.items()
            if company.casefold() in one["company"].casefold() and stage.casefold() in ("", one["stage"])
        ]
        return "\n".join(found) or "No deals found."

    @tool
    def update_deal(deal_id: str, stage: str | None = None, value: int | None = None) -> str:
        """Update the stage or the value of a deal.

        Args:
            deal_id: The id of the deal, like D-10.
            stage: lead, proposal, negotiation, won or lost.
            value: The new value in dollars.
        """
        if deal_id not in sales.deals:
            return f"Error: there is no deal {deal_id}."
        if stage is not None and stage not in STAGES:
            return f"Error: stage must be one of {', '.join(STAGES)}."
        new = {"stage": stage, "value": value}
        sales.deals[deal_id] |= {name: one for name, one in new.items() if one is not None}
        one = sales.deals[deal_id]
        return f"{deal_id} ({one['company']}) is now ${one['value']:,}, {one['stage']}."

    @tool
    def log_call(contact_id: str, summary: str) -> str:
        """Log a phone call with a contact.

        Args:
            contact_id: The id of the contact, like C-10.
            summary: What was said.
        """
        if contact_id not in sales.contacts:
            return f"Error: there is no contact {contact_id}."
        sales.calls[str(len(sales.calls) + 1)] = {"contact": contact_id, "summary": summary}
        return f"Call with {sales.contacts[contact_id]['name']} logged."

    @tool
    def add_follow_up(contact_id: str, due: str, about: str) -> str:
        """Remind the user to get back to a contact.

        Args:
            contact_id: The id of the contact, like C-10.
            due: The day, as YYYY-MM-DD.
            about: What it is about.
        """
        if contact_id not in sales.contacts:
            return f"Error: there is no contact {contact_id}."
        try:
            day = date.fromisoformat(due)
        except ValueError:
            return f"Error: '{due}' is not a date like 2026-01-31."
        number = str(len(sales.follow_ups) + 1)
        sales.follow_ups[number] = {"contact": contact_id, "due": str(day), "about": about}
        return f"Follow-up with {sales.contacts[contact_id]['name']} on {day} added."

    return [search_contacts, add_contact, list_deals, update_deal, log_call, add_follow_up]


CASES = [
    Case("negotiation", "question", "Which deals are in negotiation right now?",
         [call("list_deals", stage="negotiation")],
         "The deals with Harbor Logistics and Tidewater Spa are in negotiation.",
         says=["harbor|d-13", "tidewater|d-14"], never_says=["orchard|brightline|alder"]),
    Case("phone", "question", "What's Priya Raman's phone number?", [call("search_contacts", query="Priya Raman")],
         "Priya Raman's phone number is 555-0173.", says=["555.?0173"]),
    Case("signed", "act", "Orchard Foods has signed! Mark their deal as won, please.",
         [call("list_deals", company="Orchard Foods"), call("update_deal", deal_id="D-11", stage="won")],
         "The deal with Orchard Foods is marked as won.", {"deals": {"D-11": {"stage": "won"}}}),
    Case("renewal", "act", "Remind me to call Sofia Lindgren next Tuesday about the renewal.",
         [call("search_contacts", query="Sofia Lindgren"),
          call("add_follow_up", contact_id="C-4", due="2026-03-17", about="Call about the renewal")],
         "You will be reminded on Tuesday, March 17, to call Sofia Lindgren about the renewal.",
         {"follow_ups": {"1": {"contact": "C-4", "due": "2026-03-17", "about": Like("renew")}}}),
    Case("demo", "act", "I just got off the phone with Dana Whitfield, she'd like a second demo. Log the call and move "
         "the Brightline deal to proposal.",
         [call("search_contacts", query="Dana Whitfield"), call("list_deals", company="Brightline"),
          call("log_call", contact_id="C-2", summary="She would like a second demo."),
          call("update_deal", deal_id="D-12", stage="proposal")],
         "The call with Dana Whitfield is logged, and the Brightline deal is in proposal.",
         {"calls": {"1": {"contact": "C-2", "summary": Like("demo")}}, "deals": {"D-12": {"stage": "proposal"}}}),
    Case("seats", "lacking", "Harbor Logistics wants more seats. Please update the value of their deal.",
         [call("list_deals", company="Harbor Logistics"), call("update_deal", deal_id="D-13", value=18500)],
         "The deal with Harbor Logistics is worth 18,500 dollars now.", {"deals": {"D-13": {"value": 18500}}},
         reply="It's 18,500 dollars now."),
    Case("hale", "impossible", "Marcus Hale doesn't work there anymore, please delete him from the contacts.",
         [call("search_contacts", query="Marcus Hale")], "I cannot delete contacts, so Marcus Hale is still there.",
         says=[r"cannot|can.t\b|could not|couldn.t|unable|not (?:be|possible|able|have|supported|deleted|removed)|"
               r"n.t (?:have|able|delete|possible)|\bno (?:tool|way|option|function)"],
         never_says=[r"(?:has been|was|is) (?:now |successfully )?(?:deleted|removed)|no longer in|"
                     r"^i (?:have )?(?:deleted|removed)"]),
    Case("becker-de", "act", "Leg bitte einen neuen Kontakt an: Tom Becker von Lakeside Hotels, "
         "tom.becker@lakeside.example.",
         [call("add_contact", name="Tom Becker", company="Lakeside Hotels", email="tom.becker@lakeside.example")],
         "Tom Becker von Lakeside Hotels ist als Kontakt angelegt.",
         {"contacts": {"C-5": {"name": "Tom Becker", "company": "Lakeside Hotels",
                               "email": "tom.becker@lakeside.example", "phone": ""}}}, language="de"),
]  # fmt: skip

APPLICATION = Application("sales", "You help a sales team to keep track of its customers.", Sales, tools, CASES)
