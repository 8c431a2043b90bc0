"""Gives a request to the embedded model the reply that it got before; a new request is asked of the model.

Replies are known by the checksum of the request: the model's name, the prompt, the seed and all other settings.
"""

from __future__ import annotations

import gzip
import json
from hashlib import sha256
from pathlib import Path
from unittest import mock

import httpcore


def install(path: Path, *, save: bool) -> None:
    """Answer in place of httpcore's connection pools in this process, sync and async.

    Args:
        path: the kept replies, a line of JSON each, compressed; the file need not exist.
        save: add the replies to new requests.
    """
    lines = gzip.decompress(path.read_bytes()).splitlines() if path.exists() else []
    known: dict[str, dict[str, str]] = dict(map(json.loads, lines))
    ask = httpcore.ConnectionPool.handle_request
    aask = httpcore.AsyncConnectionPool.handle_async_request

    def kept(key: str) -> httpcore.Response:
        reply = known[key]
        return httpcore.Response(200, headers=[("Content-Type", reply["type"])], content=reply["body"].encode())

    def keep(key: str, answer: httpcore.Response) -> httpcore.Response:
        if answer.status == 200:
            types = [value for name, value in answer.headers if name.lower() == b"content-type"]
            known[key] = {"type": b"".join(types).decode(), "body": answer.content.decode()}
            if save:
                line = json.dumps([key, known[key]], ensure_ascii=False) + "\n"
                with path.open("ab") as file:
                    file.write(gzip.compress(line.encode(), mtime=0))
        return httpcore.Response(answer.status, headers=answer.headers, content=answer.content)

    def handle_request(pool: httpcore.ConnectionPool, request: httpcore.Request) -> httpcore.Response:
        key = _key(request.url, b"".join(request.stream))  # pyright: ignore[reportArgumentType]
        if key in known:
            return kept(key)
        answer = ask(pool, request)
        answer.read()
        answer.close()
        return keep(key, answer)

    async def handle_async_request(pool: httpcore.AsyncConnectionPool, request: httpcore.Request) -> httpcore.Response:
        key = _key(request.url, b"".join([part async for part in request.stream]))  # pyright: ignore
        if key in known:
            return kept(key)
        answer = await aask(pool, request)
        await answer.aread()
        await answer.aclose()
        return keep(key, answer)

    mock.patch.object(httpcore.ConnectionPool, "handle_request", handle_request).start()
    mock.patch.object(httpcore.AsyncConnectionPool, "handle_async_request", handle_async_request).start()


def _key(url: httpcore.URL, body: bytes) -> str:
    return sha256(url.target + b"\n" + body).hexdigest()
