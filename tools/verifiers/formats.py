"""The formats of JSON schemas that need no further library, and how each is written."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date
from urllib.parse import urlsplit

_TIME = re.compile(
    r"(?:[01]\d|2[0-3]):[0-5]\d:(?:[0-5]\d|60)(?:\.\d+)?(?:[Zz]|[+-](?:[01]\d|2[0-3]):[0-5]\d)", re.ASCII
)
_DURATION = re.compile(
    r"P(?:\d+W|(?=.)(?:\d+Y)?(?:\d+M)?(?:\d+D)?(?:T(?=.)(?:\d+H)?(?:\d+M)?(?:\d+(?:\.\d+)?S)?)?)", re.ASCII
)
_LABEL = r"(?!-)[A-Za-z0-9-]{1,63}(?<!-)"
_HOSTNAME = re.compile(rf"(?=.{{1,253}}\Z){_LABEL}(?:\.{_LABEL})*\.?")
_ATOM = r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+"
_EMAIL = re.compile(rf'(?:{_ATOM}(?:\.{_ATOM})*|"[^"\\\r\n]+")@(?P<host>[^@]+)')
_REFERENCE = re.compile(r"(?:[\w.~:/?#\[\]@!$&'()*+,;=-]|%[0-9A-Fa-f]{2})*", re.ASCII)
_WITH_A_HOST = ("http", "https", "ftp", "ws", "wss")


def _is_date_time(value: str) -> bool:
    day, _, time = value.replace("t", "T").partition("T")
    try:
        # It also reads forms without hyphens.
        return date.fromisoformat(day).isoformat() == day and bool(_TIME.fullmatch(time))
    except ValueError:
        return False


def _is_email(value: str) -> bool:
    found = _EMAIL.fullmatch(value)
    return bool(found) and bool(_HOSTNAME.fullmatch(found["host"]))


def _is_reference(value: str) -> bool:
    try:
        # Reading the port checks it.
        return bool(_REFERENCE.fullmatch(value)) and urlsplit(value).port is not False
    except ValueError:
        return False


def _is_uri(value: str) -> bool:
    if not _is_reference(value):
        return False
    parts = urlsplit(value)
    return bool(parts.hostname) if parts.scheme in _WITH_A_HOST else bool(parts.scheme)


CHECKS: dict[str, Callable[[str], bool]] = {
    "date-time": _is_date_time,
    "time": lambda value: bool(_TIME.fullmatch(value)),
    "duration": lambda value: bool(_DURATION.fullmatch(value)),
    "email": _is_email,
    "hostname": lambda value: bool(_HOSTNAME.fullmatch(value)),
    "uri": _is_uri,
    "uri-reference": _is_reference,
}
"""What tells whether a text has a format, beside those that the library jsonschema checks by itself."""
EXAMPLES = {
    "date": "2024-01-31",
    "date-time": "2024-01-31T10:00:00Z",
    "time": "10:00:00Z",
    "duration": "P1DT2H",
    "email": "name@example.com",
    "hostname": "www.example.com",
    "uri": "https://example.com/page",
    "ipv4": "192.0.2.1",
    "ipv6": "2001:db8::1",
    "uuid": "123e4567-e89b-12d3-a456-426614174000",
}
