"""A mail client: its tools come as from a server, async, with JSON schemas, and some tell an error as text."""

from __future__ import annotations

import json
import re
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from langchain_core.tools import BaseTool, StructuredTool, tool

from benchmarks.applications.cases import Application, Case, Like, call

FOLDERS = ["inbox", "drafts", "sent", "archive", "receipts"]
LABELS = ["important", "family", "home", "work"]
ME = "you@example.org"
Answer = tuple[str, None]


def _messages() -> dict[str, dict[str, Any]]:
    rows: list[tuple[str, str, str, str, str, str]] = [
        ("11", "gerald.pine@example.com", ME, "Heating", "The fitter comes on Monday between 8 and 10.", "inbox"),
        ("12", "news@citygardens.example", ME, "Newsletter March", "Time to sow peas.", "inbox"),
        ("13", "hello@oldtowncinema.example", ME, "Newsletter: spring films", "See what is on.", "inbox"),
        ("14", "ruth.adler@example.org", ME, "Lunch on Thursday?", "At one, the usual place?", "inbox"),
        ("15", "statements@riverbank.example", ME, "Your statement", "It is ready.", "inbox"),
        ("21", ME, "omar@example.net", "Ruth's party", "She must not know, so keep it quiet.", "sent"),
        ("31", ME, "fix@example.net", "Leaking tap", "Could you come by this week?", "drafts"),
    ]
    return {
        number: {"from": sender, "to": [to], "subject": subject, "body": body, "folder": folder, "labels": []}
        for number, sender, to, subject, body, folder in rows
    }


def _contacts() -> dict[str, str]:
    return {
        "Ruth Adler": "ruth.adler@example.org",
        "Omar Haddad": "omar@example.net",
        "Dana Fox": "dana.fox@example.org",
        "Dana Kim": "dana.kim@example.com",
        "Gerald Pine (landlord)": "gerald.pine@example.com",
        "Pipes & Sons, plumbers": "fix@example.net",
    }


@dataclass
class Mailbox:
    """All messages, those that were not sent included, and the address book."""

    messages: dict[str, dict[str, Any]] = field(default_factory=_messages)
    contacts: dict[str, str] = field(default_factory=_contacts)


def _schema(*required: str, **properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(required)}


def _texts(**more: Any) -> dict[str, Any]:
    return {"type": "array", "items": {"type": "string"} | more}


_TEXT = {"type": "string"}


def tools(mailbox: Mailbox) -> Sequence[BaseTool]:
    """The tools over one mailbox."""
    messages = mailbox.messages

    async def search(text: str = "", folder: str | None = None) -> Answer:
        wanted = text.casefold()
        found = [
            {"id": number} | {name: one[name] for name in ("from", "to", "subject", "folder", "labels")}
            for number, one in messages.items()
            if wanted in f"{one['from']} {one['to']} {one['subject']} {one['body']}".casefold()
            and folder in (None, one["folder"])
        ]
        return json.dumps(found, ensure_ascii=False), None

    async def read(message_id: str) -> Answer:
        return json.dumps(messages.get(message_id, {"error": "not found"}), ensure_ascii=False), None

    async def compose(to: Sequence[str], subject: str, body: str, send: bool = False) -> Answer:
        for address in to:
            if not re.fullmatch(r"[^@\s]+@[^@\s]+", address):
                return f"Error: {address!r} is not an e-mail address", None
        number = str(max(map(int, messages)) + 1)
        messages[number] = {"from": ME, "to": sorted(to), "subject": subject, "body": body, "labels": []}
        messages[number]["folder"] = "sent" if send else "drafts"
        return f"{'Sent' if send else 'Saved as a draft'}, id {number}", None

    async def send_draft(draft_id: str) -> Answer:
        if messages.get(draft_id, {}).get("folder") != "drafts":
            return f"Error: no draft {draft_id}", None
        messages[draft_id]["folder"] = "sent"
        return "Sent", None

    async def move(message_ids: Sequence[str], folder: str) -> Answer:
        if unknown := [number for number in message_ids if number not in messages]:
            return f"Error: no message {', '.join(unknown)}", None
        for number in message_ids:
            messages[number]["folder"] = folder
        return f"{len(message_ids)} moved to {folder}", None

    async def add_labels(message_id: str, labels: Sequence[str]) -> Answer:
        if message_id not in messages:
            return f"Error: no message {message_id}", None
        messages[message_id]["labels"] = sorted({*messages[message_id]["labels"], *labels})
        return "OK", None

    @tool
    def find_contact(name: str) -> str:
        """Find people in the address book."""
        words = name.casefold().split()
        found = [
            f"{one} <{at}>" for one, at in mailbox.contacts.items() if all(word in one.casefold() for word in words)
        ]
        return "\n".join(found) or f"Nobody called {name} in the address book."

    @tool
    def add_contact(name: str, email: str) -> str:
        """Put somebody into the address book."""
        mailbox.contacts[name] = email
        return "added"

    def served(
        name: str, description: str, schema: dict[str, Any], run: Callable[..., Awaitable[Answer]], reads: bool = False
    ) -> BaseTool:
        return StructuredTool(
            name=name,
            description=description,
            args_schema=schema,
            coroutine=run,
            response_format="content_and_artifact",
            metadata={"readOnlyHint": True} if reads else None,
        )

    return [
        served(
            "search_messages",
            "Search messages, in all folders or in one. Without a text, everything in the folder is listed.",
            _schema(text=_TEXT, folder=_TEXT | {"enum": FOLDERS}),
            search,
            reads=True,
        ),
        served("read_message", "Read a message.", _schema("message_id", message_id=_TEXT), read, reads=True),
        served(
            "compose",
            "Write a message. It is kept as a draft unless send is true.",
            _schema(
                "to",
                "subject",
                "body",
                to=_texts() | {"description": "e-mail addresses"},
                subject=_TEXT,
                body=_TEXT,
                send={"type": "boolean", "default": False},
            ),
            compose,
        ),
        served("send_draft", "Send a draft that is there already.", _schema("draft_id", draft_id=_TEXT), send_draft),
        served(
            "move_messages",
            "Move messages to a folder.",
            _schema("message_ids", "folder", message_ids=_texts(), folder=_TEXT | {"enum": FOLDERS}),
            move,
        ),
        served(
            "add_labels",
            "Label a message.",
            _schema("message_id", "labels", message_id=_TEXT, labels=_texts(enum=LABELS)),
            add_labels,
        ),
        find_contact,
        add_contact,
    ]


def _written(to: Sequence[str], body: str, folder: str = "sent") -> dict[str, Any]:
    entry = {"to": sorted(to), "subject": Like(""), "body": Like(body), "folder": folder, "from": ME, "labels": []}
    return {"messages": {"32": entry}}


RUTH, OMAR, DANA = "ruth.adler@example.org", "omar@example.net", "dana.fox@example.org"

CASES = [
    Case("fitter", "question", "did my landlord ever answer about the heating, and when is somebody coming?",
         [call("search_messages", text="heating"), call("read_message", message_id="11")],
         "Yes, he did: the fitter comes on Monday between 8 and 10.", says=["monday", r"\b8\b|eight"]),
    Case("address", "question", "What was Omar's address again?", [call("find_contact", name="Omar")],
         "Omar Haddad has the address omar@example.net.", says=["omar@example.net"]),
    Case("clutter", "act", "There are two newsletters in my inbox. Archive them both please, I'll read them some day.",
         [call("search_messages", text="newsletter", folder="inbox"),
          call("move_messages", message_ids=["12", "13"], folder="archive")],
         "Both newsletters are in the archive.",
         {"messages": {"12": {"folder": "archive"}, "13": {"folder": "archive"}}}),
    Case("late", "act", "Send Ruth Adler a line, I'll be ten minutes late for our lunch tomorrow",
         [call("find_contact", name="Ruth Adler"),
          call("compose", to=[RUTH], subject="Lunch tomorrow", body="I will be ten minutes late.", send=True)],
         "I wrote to Ruth Adler that you will be ten minutes late.", _written([RUTH], r"\bten\b|\b10\b")),
    Case("picnic", "act", "Prepare a mail to Ruth and Omar, both in one: would they come to a picnic by the lake on "
         "Saturday at noon? But don't send it yet, I want to look over it.",
         [call("find_contact", name="Ruth"), call("find_contact", name="Omar"),
          call("compose", to=[RUTH, OMAR], subject="Picnic on Saturday",
               body="Would you come to a picnic by the lake on Saturday at noon?")],
         "The draft to Ruth and Omar is ready for you to look over.",
         _written([RUTH, OMAR], r"picnic|saturday|noon|\b12\b", "drafts"),
         says=["draft|prepared|saved|ready|written|not (?:been )?sent|n.t sent"]),
    Case("tap", "act", "ok the draft to the plumber can go out now",
         [call("search_messages", folder="drafts"), call("send_draft", draft_id="31")],
         "The mail to the plumber is sent.", {"messages": {"31": {"folder": "sent"}}}),
    Case("dana", "lacking", "Let Dana know by mail that I can't make it on Thursday evening.",
         [call("find_contact", name="Dana"),
          call("compose", to=[DANA], subject="Thursday evening", body="I cannot make it on Thursday evening.",
               send=True)],
         "I wrote to Dana Fox that you cannot make it on Thursday evening.",
         _written([DANA], "thursday|make it"), says=["dana|sent"], reply="Dana Fox."),
    Case("unsend", "impossible", "Oh no, I wrote Omar about the party and he shares his mail with Ruth! Take that mail "
         "back out of his inbox.",
         [call("search_messages", text="party", folder="sent")],
         "I cannot take a mail back that has been sent.", says=[r"not|n.t\b|unable|impossible|no (?:way|tool)"],
         never_says=[r"(?:has been|was|is) (?:successfully )?(?:taken back|recalled|removed|deleted)"]),
    Case("winter-de", "act", "Nimm bitte Jana Winter ins Adressbuch auf: jana.winter@example.org",
         [call("add_contact", name="Jana Winter", email="jana.winter@example.org")],
         "Jana Winter steht jetzt im Adressbuch.", {"contacts": {"Jana Winter": "jana.winter@example.org"}},
         language="de"),
    Case("label-zh", "act", "银行对账单的那封邮件帮我标成重要的。",
         [call("search_messages", text="statement"), call("add_labels", message_id="15", labels=["important"])],
         "对账单邮件已标为重要。", {"messages": {"15": {"labels": ["important"]}}}, language="zh"),
]  # fmt: skip

APPLICATION = Application("mail", "You look after the user's mail.", Mailbox, tools, CASES)
