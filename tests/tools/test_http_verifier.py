"""A service's word is the verdict; whatever else it answers judges nothing."""

from __future__ import annotations

import json
from typing import Any

import pytest
from support.raw_server import JSON, Connection, RawServer, whole
from support.verifiers import judged
from thoughtgraph import Verdict
from thoughtgraph.tools.verifiers import HTTPVerifier


def replying(body: object, status: bytes = b"200 OK") -> RawServer:
    """A service that always says the same."""
    data = body if isinstance(body, bytes) else json.dumps(body).encode()

    def answer(client: Connection) -> None:
        client.send(whole(data, JSON, status=status))

    return RawServer(answer)


@pytest.mark.parametrize(
    ("said", "verdict"),
    [
        ({"passed": True}, Verdict("passed")),
        ({"passed": True, "feedback": "nice", "score": 0.9, "more": 1}, Verdict("passed", "nice", 0.9)),
        ({"passed": False, "feedback": "Too long."}, Verdict("failed", "Too long.")),
    ],
)
def test_the_services_word_is_the_verdict(said: Any, verdict: Verdict) -> None:
    with replying(said) as service:
        assert judged(HTTPVerifier(f"{service.url}/check", headers={"X-Key": "k"}), "A half: \ud800", "T") == verdict
        head, _, body = service.requests[0].partition(b"\r\n\r\n")
    assert head.startswith(b"POST /check ")
    assert b"\r\nX-Key: k\r\n" in head
    assert json.loads(body) == {"task": "T", "answer": "A half: \ud800"}


def test_feedback_may_be_null() -> None:
    with replying({"passed": True, "feedback": None}) as service:
        assert judged(HTTPVerifier(service.url), "x") == Verdict("passed")


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b"passed", b"200 OK"),
        (True, b"200 OK"),
        ({"passed": "yes"}, b"200 OK"),
        ({"passed": 1}, b"200 OK"),
        ({"feedback": "fine"}, b"200 OK"),
        ({"passed": True, "score": 2}, b"200 OK"),
        ({"passed": True, "feedback": 3}, b"200 OK"),
        (b"[" * 100_000, b"200 OK"),
        ({"passed": True}, b"201 Created"),
        ({"passed": True}, b"503 Busy"),
        ({"passed": True}, b"302 Found\r\nLocation: /elsewhere"),
        (b" " * 1_000_001 + b'{"passed": true}', b"200 OK"),
    ],
)
def test_any_other_answer_judges_nothing(body: object, status: bytes) -> None:
    with replying(body, status) as service:
        verdict = judged(HTTPVerifier(service.url), "x")
        assert len(service.requests) == 1
    assert (verdict.status, verdict.kind) == ("unverified", "verifier_error")
    assert service.url in verdict.feedback
    assert len(verdict.feedback) < 1_000


@pytest.mark.parametrize(
    ("body", "wrong"),
    [
        ({"passed": False, "score": 7}, "; score: it should be less than or equal to 1, not 7"),
        ({"passed": "yes"}, '; passed: write true or false, not "yes"'),
        ({"passed": True, "feedback": 3}, "; feedback: write a text in quotes, not 3"),
        ({"score": 0.5, "failed_on": "luck"}, 'not "luck"'),
        ({"status": "passed"}, "; passed: this field is missing"),
        ([], "but with []"),
        (True, "but with true"),
    ],
)
def test_the_field_that_is_wrong_is_named(body: object, wrong: str) -> None:
    with replying(body) as service:
        assert judged(HTTPVerifier(service.url), "x").feedback.endswith(wrong)


def test_a_key_that_the_service_says_back_in_a_field_is_not_shown() -> None:
    with replying({"passed": True, "score": "0123456789ab"}) as service:
        verify = HTTPVerifier(service.url, headers={"X-Key": "0123456789ab"})
        said = judged(verify, "x").feedback
    assert "; score: write a number" in said
    assert "0123456789ab" not in said


def test_a_service_that_is_gone_or_slow_judges_nothing_and_keeps_the_key() -> None:
    pieces = [b"HTTP/1.1 200 OK\r\n", *[b"X: y\r\n"] * 30]
    key = {"Authorization": "Bearer 0123456789ab"}
    with RawServer(lambda client: client.drip(iter(pieces))) as slow:
        verify = HTTPVerifier(f"{slow.url}/?token=abcdefgh1234", headers=key, timeout=0.1)
        late = judged(verify, "x")
    gone = judged(verify, "x")
    assert [late.status, gone.status] == ["unverified"] * 2
    assert "Timeout" in late.feedback
    assert not any(secret in late.feedback + gone.feedback for secret in ("abcdefgh1234", "0123456789ab"))


def test_a_service_that_repeats_the_key_does_not_put_it_into_the_verdict() -> None:
    with replying(b"unknown key: letmein-please") as service:
        verdict = judged(HTTPVerifier(service.url, headers={"X-Pass": "letmein-please"}), "x")
    assert verdict.status == "unverified"
    assert "unknown key: [redacted]" in verdict.feedback


@pytest.mark.parametrize("url", ["localhost:8000", "ftp://host/x", "http://", "file:///etc/passwd", ""])
def test_what_is_no_address_is_refused(url: str) -> None:
    with pytest.raises(ValueError, match="address"):
        HTTPVerifier(url)


@pytest.mark.parametrize("timeout", [0, -1, float("inf"), float("nan")])
def test_a_timeout_has_to_end(timeout: float) -> None:
    with pytest.raises(ValueError, match="timeout"):
        HTTPVerifier("http://localhost", timeout=timeout)
