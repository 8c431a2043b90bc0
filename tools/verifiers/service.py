"""A verifier that asks a service of the user's over HTTP."""

from __future__ import annotations

from collections.abc import Mapping

import httpx

from ..._internal.numbers import check_kind, number
from ..._internal.redact import line_of, redacted
from ..._internal.strict_json import dumps, loads_or
from ...models.servers.bounded import bounded_transport
from ..verdict import FormattedVerifier, Verdict
from .judgment import FORM, unjudged, verdict_of, wrong_with

_MAX_BYTES = 1_000_000
_SHOWN = 200


class HTTPVerifier(FormattedVerifier):
    """Verifies an answer by a POST request to a service.

    The request's body is `{"task": …, "answer": …}`. The service answers with status 200 and
    `{"passed": true or false, "feedback": "what is wrong"}`; `score` and `failed_on`, as in `Verdict`, are optional.
    Whatever else happens (no connection, the time-out, another status, another body) says nothing about the answer: the
    verdict is `"unverified"`. The request is not repeated, and a redirect is not followed. Calls are coroutines:
    `await verify(task, answer)`.

    Args:
        url: the service's http or https address.
        headers: sent along, such as an authorization. They never reach a verdict.
        timeout: seconds for everything, from the name look-up to the last byte.

    Raises:
        ValueError: the address is not an http or https address, or the time-out is not above 0.

    Example:
        >>> verify = HTTPVerifier("http://localhost:8000/check", timeout=10)
        >>> graph = create_reflection_graph(actor=model, verifier=verify)        # doctest: +SKIP
    """

    def __init__(self, url: str, *, headers: Mapping[str, str] | None = None, timeout: float = 30.0) -> None:
        check_kind("url", url, str | httpx.URL, "a text")
        try:
            address = httpx.URL(url)
        except httpx.InvalidURL as odd:
            raise ValueError(f"this is not an address: {redacted(url)[:_SHOWN]!r}: {odd}") from None
        if address.scheme not in ("http", "https") or not address.host:
            raise ValueError(f"the service has an http or https address, got {redacted(url)[:_SHOWN]!r}")
        check_kind("headers", headers, Mapping | None, "a dict of texts")
        for name, value in (headers or {}).items():
            check_kind(f"the header {name!r:.80}", value, str, "a text")
        self._url = address
        self._headers = {**(headers or {}), "Content-Type": "application/json", "Accept": "application/json"}
        self._secrets = [value for value in (headers or {}).values() if value]
        self._timeout = number("timeout", timeout, above=0)

    async def __call__(self, task: str, answer: str, /) -> Verdict:
        """Ask the service about an answer."""
        # In ASCII, in which half of a surrogate pair can be written, too.
        body = dumps({"task": task, "answer": answer}).encode()
        transport = bounded_transport(max_seconds=self._timeout, max_bytes=_MAX_BYTES)
        try:
            async with httpx.AsyncClient(transport=transport, timeout=None) as client:
                response = await client.post(self._url, content=body, headers=self._headers)
        except Exception as failed:  # noqa: BLE001 - whatever it is, the answer is not to blame
            return self._unjudged(f"could not be asked: {line_of(failed)}")
        if response.status_code != 200:
            return self._unjudged(f"answered with HTTP {response.status_code}: {response.text[:_SHOWN]}")
        said: object = loads_or(response.content, None)
        verdict = None if isinstance(said, bool) else verdict_of(said)
        why = f"; {wrong}" if (wrong := wrong_with(said)) else ""
        return verdict or self._unjudged(f"did not answer with {FORM}, but with {response.text[:_SHOWN]}{why}")

    def _unjudged(self, problem: str) -> Verdict:
        return unjudged(redacted(f"The service {self._url} {problem}", self._secrets))
