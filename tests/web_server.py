"""A real web server on loopback that can misbehave in every way a test needs."""

from __future__ import annotations

import asyncio
import ssl
import threading
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Self


@dataclass(frozen=True)
class Request:
    path: str
    headers: Mapping[str, str]
    time: float


@dataclass(frozen=True)
class Response:
    """``raw`` replaces the whole answer, head included; ``delay`` in seconds comes before the first byte."""

    body: bytes = b""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    delay: float = 0.0
    raw: bytes | None = None


Stream = Callable[[asyncio.StreamWriter], Awaitable[None]]
Route = Callable[[Request], Response | Stream]


class WebServer:
    """Answers on 127.0.0.1 by ``routes`` (path to function), else 404; remembers every request it got.

    With ``tls`` by https.
    """

    def __init__(self, tls: ssl.SSLContext | None = None) -> None:
        self._tls = tls
        self.routes: dict[str, Route] = {}
        self.fallback: Route = lambda request: Response(b"nothing here", 404)
        self.requests: list[Request] = []
        self.port = 0
        self._loop = asyncio.new_event_loop()
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._serve, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        assert self._ready.wait(60)
        return self

    def __exit__(self, *exception: object) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(60)

    @property
    def url(self) -> str:
        return f"{'https' if self._tls else 'http'}://127.0.0.1:{self.port}"

    def counts(self) -> Counter[str]:
        """Requests by path, robots.txt left out."""
        return Counter(r.path for r in list(self.requests) if r.path != "/robots.txt")

    def page(self, path: str, response: Response | bytes) -> str:
        """Serve ``response`` at ``path``; its URL."""
        answer = response if isinstance(response, Response) else html(response)
        self.routes[path] = lambda request: answer
        return self.url + path

    def _serve(self) -> None:
        asyncio.set_event_loop(self._loop)
        server = self._loop.run_until_complete(asyncio.start_server(self._answer, "127.0.0.1", 0, ssl=self._tls))
        self.port = server.sockets[0].getsockname()[1]
        self._ready.set()
        self._loop.run_forever()
        server.close()
        for task in asyncio.all_tasks(self._loop):
            task.cancel()
        self._loop.run_until_complete(asyncio.sleep(0))
        self._loop.close()

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while head := await reader.readuntil(b"\r\n\r\n"):
                first, *rest = head.decode("latin-1").split("\r\n")
                headers = dict(line.split(": ", 1) for line in rest if line)
                request = Request(first.split(" ")[1], {k.lower(): v for k, v in headers.items()}, self._loop.time())
                self.requests.append(request)
                answer = self.routes.get(request.path, self.fallback)(request)
                if not isinstance(answer, Response):
                    await answer(writer)
                    break
                await asyncio.sleep(answer.delay)
                writer.write(answer.raw if answer.raw is not None else _bytes(answer))
                await writer.drain()
                if answer.raw is not None:
                    break
        except (asyncio.IncompleteReadError, ConnectionError, asyncio.CancelledError):
            pass
        finally:
            writer.close()


def html(text: bytes | str, **headers: str) -> Response:
    """A page of one paragraph."""
    body = text.encode() if isinstance(text, str) else text
    markup = b"<!doctype html><html><head><title>Page</title></head><body><p>" + body + b"</p></body></html>"
    return Response(markup, headers={"Content-Type": "text/html; charset=utf-8"} | headers)


def _bytes(answer: Response) -> bytes:
    headers = {"Content-Length": str(len(answer.body)), **answer.headers}
    lines = [f"HTTP/1.1 {answer.status} X", *(f"{name}: {value}" for name, value in headers.items())]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + answer.body
