"""The office of an apartment building: argument schemas with a description of every field."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any, Literal

from langchain_core.tools import BaseTool, ToolException, tool
from pydantic import BaseModel, Field

from benchmarks.applications.cases import Application, Case, Like, call

Contractor = Literal["Brandt Plumbing", "Volt Electric", "Kowalski Roofing"]
SUNDAY = 6


def _tenants() -> dict[str, dict[str, Any]]:
    rows = [
        ("T-01", "Pavel Novak", "1A", "555-0110", 780.0, 1170.0),
        ("T-02", "Grace Okafor", "2C", "555-0128", 850.0, 850.0),
        ("T-03", "Ellen Marsh", "3B", "555-0131", 910.0, 0.0),
        ("T-04", "Luis Ortega", "4A", "555-0157", 820.0, 0.0),
        ("T-05", "Hannah Stein", "5A", "555-0166", 1040.0, 0.0),
    ]
    return {
        number: {"name": name, "apartment": apartment, "phone": phone, "rent": rent, "owed": owed}
        for number, name, apartment, phone, rent, owed in rows
    }


def _repair(apartment: str, problem: str, *, urgent: bool = False, status: str = "open") -> dict[str, Any]:
    return {
        "apartment": apartment,
        "problem": problem,
        "urgent": urgent,
        "status": status,
        "contractor": "",
        "visit": "",
    }


def _repairs() -> dict[str, dict[str, Any]]:
    return {
        "R-201": _repair("2C", "Bedroom window does not close", status="closed"),
        "R-202": _repair("2C", "Kitchen faucet drips"),
        "R-203": _repair("1A", "Outlet in the living room is broken"),
        "R-204": _repair("4A", "Pipe under the bathroom sink leaks", urgent=True),
        "R-205": _repair("5A", "Water stain on the ceiling, the roof leaks"),
    }


@dataclass
class Building:
    """Who lives in the building, and what is broken."""

    tenants: dict[str, dict[str, Any]] = field(default_factory=_tenants)
    repairs: dict[str, dict[str, Any]] = field(default_factory=_repairs)

    def open_repair(self, number: str) -> dict[str, Any]:
        """A repair that is still to be done."""
        if self.repairs.get(number, {}).get("status") in (None, "closed"):
            raise ToolException(f"There is no open repair {number!r}.")
        return self.repairs[number]


class FindTenants(BaseModel):
    """Which tenants to find; without anything, all of them."""

    name: str | None = Field(default=None, description="First or last name of the tenant")
    apartment: str | None = Field(default=None, description="Number of the apartment, for example 3B")


class ListRepairs(BaseModel):
    """Which repairs to list."""

    apartment: str | None = Field(default=None, description="Only repairs in this apartment")
    include_closed: bool = Field(default=False, description="Whether to list closed repairs as well")


class ReportRepair(BaseModel):
    """Something that is broken."""

    apartment: str = Field(description="Number of the apartment, for example 3B")
    problem: str = Field(description="What is broken, in a few words")
    urgent: bool = Field(default=False, description="True if it cannot wait")


class ScheduleVisit(BaseModel):
    """Who comes for a repair, and when."""

    repair_id: str = Field(description="Id of the repair, for example R-201")
    contractor: Contractor = Field(description="The company that does the repair")
    day: date = Field(description="Day of the visit, YYYY-MM-DD")


class CloseRepair(BaseModel):
    """A repair that is done."""

    repair_id: str = Field(description="Id of the repair, for example R-201")


class RecordPayment(BaseModel):
    """Rent that has come in."""

    tenant_id: str = Field(description="Id of the tenant, for example T-01")
    amount: float = Field(gt=0, description="Amount in dollars")


class UpdatePhone(BaseModel):
    """A new number of a tenant."""

    tenant_id: str = Field(description="Id of the tenant, for example T-01")
    phone: str = Field(description="The new phone number")


def tools(building: Building) -> Sequence[BaseTool]:
    """The tools over one building."""

    @tool(args_schema=FindTenants)
    def find_tenants(name: str | None = None, apartment: str | None = None) -> list[dict[str, Any]]:
        """Find tenants by name or apartment, with phone number, monthly rent and what they owe."""
        # As people say it: "Mr. Novak", "Ms Okafor".
        words = [word for word in (name or "").casefold().split() if word.rstrip(".") not in ("mr", "mrs", "ms")]
        return [
            {"tenant_id": number, **one}
            for number, one in building.tenants.items()
            if all(word in one["name"].casefold() for word in words)
            and (apartment is None or apartment.upper() == one["apartment"])
        ]

    @tool(args_schema=ListRepairs)
    async def list_repairs(apartment: str | None = None, include_closed: bool = False) -> list[dict[str, Any]]:
        """List the repairs that have been reported."""
        return [
            {"repair_id": number, **one}
            for number, one in building.repairs.items()
            if (apartment is None or apartment.upper() == one["apartment"])
            and (include_closed or one["status"] != "closed")
        ]

    @tool(args_schema=ReportRepair)
    def report_repair(apartment: str, problem: str, urgent: bool = False) -> dict[str, Any]:
        """Report a new repair."""
        if apartment.upper() not in {one["apartment"] for one in building.tenants.values()}:
            return {"error": f"There is no apartment {apartment}."}
        number = f"R-{201 + len(building.repairs)}"
        building.repairs[number] = _repair(apartment.upper(), problem, urgent=urgent)
        return {"repair_id": number, "status": "open"}

    @tool(args_schema=ScheduleVisit)
    def schedule_visit(repair_id: str, contractor: Contractor, day: date) -> dict[str, Any]:
        """Schedule the visit of a contractor for an open repair."""
        repair = building.open_repair(repair_id)
        if day.weekday() == SUNDAY:
            raise ToolException(f"{contractor} does not work on Sundays.")
        repair |= {"status": "scheduled", "contractor": contractor, "visit": str(day)}
        return {"repair_id": repair_id, **repair}

    @tool(args_schema=CloseRepair)
    def close_repair(repair_id: str) -> dict[str, Any]:
        """Close a repair that is done."""
        building.open_repair(repair_id)["status"] = "closed"
        return {"repair_id": repair_id, "status": "closed"}

    @tool(args_schema=RecordPayment)
    def record_payment(tenant_id: str, amount: float) -> dict[str, Any]:
        """Record a payment of rent."""
        if tenant_id not in building.tenants:
            return {"error": f"There is no tenant {tenant_id}."}
        building.tenants[tenant_id]["owed"] -= amount
        return {"tenant_id": tenant_id, "paid": amount, "still_owed": building.tenants[tenant_id]["owed"]}

    @tool(args_schema=UpdatePhone)
    def update_phone(tenant_id: str, phone: str) -> dict[str, Any]:
        """Change the phone number of a tenant."""
        if tenant_id not in building.tenants:
            return {"error": f"There is no tenant {tenant_id}."}
        building.tenants[tenant_id]["phone"] = phone
        return {"tenant_id": tenant_id, "phone": phone}

    return [find_tenants, list_repairs, report_repair, schedule_visit, close_repair, record_payment, update_phone]


def _visit(contractor: Contractor, day: str) -> dict[str, str]:
    return {"status": "scheduled", "contractor": contractor, "visit": day}


CASES = [
    Case("pending", "question", "What's still open in apartment 4A?", [call("list_repairs", apartment="4A")],
         "The pipe under the bathroom sink in 4A still leaks.", says=["pipe|sink|leak"],
         never_says=["faucet|outlet|ceiling"]),
    Case("owes", "question", "How much does Mr. Novak owe us at the moment?", [call("find_tenants", name="Novak")],
         "Pavel Novak owes 1,170 dollars.", says=[r"\b1[,. ]?170\b"]),
    Case("heating", "act", "3B just called, their heating is out. Please report it as an urgent repair.",
         [call("report_repair", apartment="3B", problem="Heating is out", urgent=True)],
         "The heating in 3B is reported as an urgent repair.",
         {"repairs": {"R-206": _repair("3B", "", urgent=True) | {"problem": Like("heat")}}}),
    Case("outlet", "act", "Please schedule Volt Electric for the broken outlet in 1A, on Friday.",
         [call("list_repairs", apartment="1A"),
          call("schedule_visit", repair_id="R-203", contractor="Volt Electric", day="2026-03-13")],
         "Volt Electric comes to 1A on Friday, March 13.",
         {"repairs": {"R-203": _visit("Volt Electric", "2026-03-13")}}),
    Case("okafor", "act", "Grace Okafor paid her rent of 850 dollars today, and her new phone number is 555-0142. "
         "Please enter both.",
         [call("find_tenants", name="Grace Okafor"), call("record_payment", tenant_id="T-02", amount=850),
          call("update_phone", tenant_id="T-02", phone="555-0142")],
         "The 850 dollars and the new phone number of Grace Okafor are entered.",
         {"tenants": {"T-02": {"owed": 0.0, "phone": "555-0142"}}}),
    Case("pipe", "lacking", "Please schedule Brandt Plumbing for the leaking pipe in 4A.",
         [call("list_repairs", apartment="4A"),
          call("schedule_visit", repair_id="R-204", contractor="Brandt Plumbing", day="2026-03-16")],
         "Brandt Plumbing comes to 4A on Monday, March 16.",
         {"repairs": {"R-204": _visit("Brandt Plumbing", "2026-03-16")}}, reply="On Monday, March 16."),
    Case("roof", "impossible", "Can Kowalski Roofing come this Sunday for the leak in 5A? Please schedule them.",
         [call("list_repairs", apartment="5A"),
          call("schedule_visit", repair_id="R-205", contractor="Kowalski Roofing", day="2026-03-15")],
         "Kowalski Roofing cannot come: they do not work on Sundays.",
         says=[r"\bnot?\b|n.t\b|cannot|unable|only"],
         never_says=[r"(?:is|are|was|has been|have been) (?:now |successfully )?scheduled\b"]),
    Case("faucet-zh", "act", "2C的水龙头修好了，请把那条报修关掉。",
         [call("list_repairs", apartment="2C"), call("close_repair", repair_id="R-202")],
         "2C的水龙头报修已关闭。", {"repairs": {"R-202": {"status": "closed"}}}, language="zh"),
]  # fmt: skip

APPLICATION = Application("property", "You help the manager of an apartment building.", Building, tools, CASES)
