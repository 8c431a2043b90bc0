"""A run as W3C PROV-JSON (https://www.w3.org/submissions/prov-json/)."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import quote

from ..._internal.strict_json import dumps
from ..events import Event
from ..lookup import line, number
from ..shapes import PERSON
from .graph import legal

_PREFIXES = {
    "tg": "urn:thoughtgraph:",
    "event": "urn:thoughtgraph:event:",
    "work": "urn:thoughtgraph:work:",
    "agent": "urn:thoughtgraph:agent:",
    "tool": "urn:thoughtgraph:tool:",
}
_AGENTS = {
    "plan": "agent:model",
    "thought": "agent:model",
    "attempt": "agent:model",
    "reflection": "agent:model",
    "critique": "agent:critic",
    "verdict": "agent:verifier",
    "action": "agent:loop",
    "outcome": "agent:loop",
}


def to_prov(events: Sequence[Event]) -> str:
    """Every event as an entity, the work that made it as an activity, and who did it as an agent."""
    document: dict[str, dict[str, Any]] = {"prefix": dict(_PREFIXES), "entity": {}, "activity": {}, "agent": {}}
    known = {event["id"] for event in events}
    for event in events:
        links = [link for link in event["links"] if link["source"] in known]
        given = event["kind"] == "goal" and not links
        entity, agent = _entity_id(event["id"]), "agent:user" if given else _agent_of(event)
        document["entity"][entity] = {
            "prov:label": legal(line(event)),
            "prov:type": _name(f"tg:{_quoted(event['kind'])}"),
            "tg:seq": {"$": str(event["seq"]), "type": "xsd:int"},
            "tg:data": dumps(event["data"]),
        }
        if agent not in document["agent"]:
            kind = "prov:Person" if agent == "agent:user" else "prov:SoftwareAgent"
            document["agent"][agent] = {"prov:type": _name(kind)}
        if given:
            _relate(document, "wasAttributedTo", {"prov:entity": entity, "prov:agent": agent})
        else:
            _add_work(document, event, agent, links)
    return dumps({kind: records for kind, records in document.items() if records})


def _add_work(document: dict[str, dict[str, Any]], event: Event, agent: str, links: Sequence[Any]) -> None:
    entity, work = _entity_id(event["id"]), f"work:{_quoted(event['id'])}"
    start, end = times(event)
    document["activity"][work] = {
        **({"prov:startTime": start} if start else {}),
        **({"prov:endTime": end} if end else {}),
        "prov:type": _name(f"tg:making_{_quoted(event['kind'])}"),
    }
    generated = {"prov:entity": entity, "prov:activity": work, **({"prov:time": end} if end else {})}
    _relate(document, "wasGeneratedBy", generated)
    _relate(document, "wasAssociatedWith", {"prov:activity": work, "prov:agent": agent})
    for link in links:
        source = _entity_id(link["source"])
        about = {"tg:relation": legal(link["relation"])}
        if "error" in link:
            about["tg:error"] = legal(str(link["error"]))
        _relate(document, "used", {"prov:activity": work, "prov:entity": source, **about})
        derived: dict[str, Any] = {
            "prov:generatedEntity": entity,
            "prov:usedEntity": source,
            "prov:activity": work,
            **about,
        }
        if link["relation"] == "revised":
            derived["prov:type"] = _name("prov:Revision")
        _relate(document, "wasDerivedFrom", derived)


def _relate(document: dict[str, dict[str, Any]], relation: str, about: dict[str, Any]) -> None:
    records = document.setdefault(relation, {})
    records[f"_:{relation}{len(records) + 1}"] = about


def _agent_of(event: Event) -> str:
    if event["kind"] == "observation":
        tool = event["data"].get("tool")
        return "agent:user" if tool in PERSON else f"tool:{_quoted(tool) or 'unnamed'}"
    if event["kind"] == "critique" and event["data"].get("by") == "evaluator":
        return "agent:verifier"
    return _AGENTS.get(event["kind"], "agent:loop")


def _entity_id(event_id: str) -> str:
    return f"event:{_quoted(event_id)}"


def _quoted(text: object) -> str:
    """A text as the local part of a qualified name."""
    return quote("" if text is None else str(text), safe="", errors="surrogatepass")


def _name(qualified: str) -> dict[str, str]:
    return {"$": qualified, "type": "xsd:QName"}


def times(event: Event) -> tuple[str, str]:
    """When the work began, if its length is known, and when it ended, as xsd:dateTime; "" for what is unknown."""
    try:
        end = datetime.fromisoformat(event["time"])
        end = end.astimezone(UTC) if end.tzinfo else end
        seconds = number(event["data"].get("seconds"))
        start = end - timedelta(seconds=seconds) if seconds else None
    except (ValueError, OverflowError):
        return "", ""
    return start.isoformat() if start else "", end.isoformat()
