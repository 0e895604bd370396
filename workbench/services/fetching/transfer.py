"""One HTTP exchange: a request without cookies or proxies, an answer whose body never exceeds a limit."""

from __future__ import annotations

import os
import ssl
import zlib
from collections.abc import AsyncIterator, Collection, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Protocol

import httpcore
import httpx

from workbench.base.errors import UserError
from workbench.base.messages import Message
from workbench.services.fetching.addresses import CheckedBackend

ENCODINGS = ("gzip", "deflate")
_BLOCK = 1 << 16


class Sink(Protocol):
    """The destination of a body. An attempt that failed halfway is followed by ``reset``."""

    def write(self, data: bytes) -> object:
        """Write the next bytes."""

    def reset(self) -> None:
        """Discard what was written."""


class MemoryBody:
    """A small body in memory."""

    def __init__(self) -> None:
        self.data = bytearray()

    def write(self, data: bytes) -> None:
        """Append the next bytes."""
        self.data += data

    def reset(self) -> None:
        """Forget what was written."""
        self.data.clear()


class TooLarge(UserError):
    """A body that exceeds the limit, as sent or unpacked."""


class Broken(UserError):
    """A malformed answer; a retry may help."""


@dataclass(frozen=True, slots=True)
class Response:
    """Status and headers of an answer, and the bytes of its unpacked body."""

    url: str
    status: int
    headers: httpx.Headers
    size: int = 0


class Exchanger:
    """Connections of a fetch; ``agent`` is its User-Agent, ``private`` the hosts that need not be public.

    Raises UserError if the list of trusted certificates named by the environment cannot be read.
    """

    def __init__(self, agent: str, *, private: Collection[str], connections: int) -> None:
        self._agent = agent
        self._pool = httpcore.AsyncConnectionPool(
            ssl_context=_trusted(*map(os.environ.get, ("SSL_CERT_FILE", "SSL_CERT_DIR"))),
            max_connections=connections,
            keepalive_expiry=15.0,
            network_backend=CheckedBackend(private),
        )

    async def close(self) -> None:
        """Close all connections."""
        await self._pool.aclose()

    async def send(
        self,
        url: str,
        extra: dict[str, str],
        sink: Sink,
        limit: int,
        *,
        whole: bool = True,
        body: bytes | None = None,
    ) -> Response:
        """Request ``url`` (by POST with a ``body``), and write the unpacked body of a successful answer to ``sink``.

        Above ``limit`` bytes, raises TooLarge or, with ``whole`` false, drops the rest. Raises Broken, Refused and the
        errors of httpcore. The caller bounds the time.
        """
        target = httpx.URL(url)
        headers = httpx.Headers(
            {
                "Host": target.netloc.decode("ascii"),
                "User-Agent": self._agent,
                "Accept": "text/html,application/xhtml+xml,text/plain,application/pdf;q=0.9,*/*;q=0.5",
                "Accept-Encoding": ", ".join(ENCODINGS),
                **({} if body is None else {"Content-Length": str(len(body))}),
                **extra,
            }
        )
        request = httpcore.Request(
            "GET" if body is None else "POST",
            httpcore.URL(scheme=target.raw_scheme, host=target.raw_host, port=target.port, target=target.raw_path),
            headers=headers.raw,
            content=body,
        )
        response = await self._pool.handle_async_request(request)
        try:
            reply_headers = httpx.Headers(response.headers)
            size = 0
            if 200 <= response.status < 300:
                size = await _save(response.aiter_stream(), reply_headers, sink, limit, whole)
            else:
                await _skip(response.aiter_stream())
        finally:
            await response.aclose()
        return Response(url, response.status, reply_headers, size)


@lru_cache(maxsize=4)
def _trusted(file: str | None, folder: str | None) -> ssl.SSLContext:
    """A context that verifies certificates, with the bundled list or the one that the environment names: ``file`` is
    SSL_CERT_FILE, ``folder`` SSL_CERT_DIR. Reading a list takes as long as fetching a page.
    """
    try:
        return httpx.create_ssl_context()
    except OSError as error:
        raise UserError(
            Message("The list of trusted certificates cannot be read ({reason}).", reason=error),
            hint=Message("Set SSL_CERT_FILE or SSL_CERT_DIR."),
        ) from error


async def _skip(stream: AsyncIterator[bytes]) -> None:
    """Read the short body of a redirect or an error, so that its connection can be reused."""
    taken = 0
    async for block in stream:
        taken += len(block)
        if taken > _BLOCK:
            return


async def _save(stream: AsyncIterator[bytes], headers: httpx.Headers, sink: Sink, limit: int, whole: bool) -> int:
    declared = headers.get("content-length", "")
    if whole and declared.isdecimal() and int(declared[:18]) > limit:
        raise TooLarge(
            Message(
                "The page has {declared} bytes; the limit is {limit}.",
                declared=f"{int(declared[:18]):,}",
                limit=f"{limit:,}",
            )
        )
    unpacker = _Unpacker(headers.get("content-encoding", ""))
    sent = unpacked = 0
    async for block in stream:
        sent += len(block)
        for part in unpacker.feed(block):
            sink.write(part[: limit - unpacked])
            unpacked += len(part)
            if unpacked > limit:
                break
        if max(sent, unpacked) > limit:
            if whole:
                raise TooLarge(Message("The page is larger than the limit of {limit} bytes.", limit=f"{limit:,}"))
            return limit
    unpacker.finish()
    return unpacked


class _Unpacker:
    """Decodes Content-Encoding in bounded steps, so that a small bomb never becomes a large block in memory."""

    def __init__(self, encoding: str) -> None:
        name = encoding.strip().lower()
        if name not in ("", "identity", "gzip", "x-gzip", "deflate"):
            raise Broken(Message("The page is compressed in a way that was not requested ({name}).", name=name[:40]))
        self._name = name
        self._inner: Any = None
        self._beginning = b""
        self._ended = name in ("", "identity")

    def feed(self, block: bytes) -> Iterator[bytes]:
        """The unpacked bytes of ``block`` in pieces of at most 64 KiB. Raises Broken."""
        if self._name in ("", "identity"):
            yield block
        try:
            while block and not self._ended:
                if self._inner is None:
                    block, self._beginning = self._beginning + block, b""
                    if len(block) < 2:
                        self._beginning = block
                        return
                    self._inner = self._start(block)
                yield self._inner.decompress(block, _BLOCK)
                while self._inner.unconsumed_tail and not self._inner.eof:
                    yield self._inner.decompress(self._inner.unconsumed_tail, _BLOCK)
                while not self._inner.eof and (rest := self._inner.decompress(b"", _BLOCK)):
                    yield rest
                block = self._rest() if self._inner.eof else b""
        except zlib.error as error:
            raise Broken(Message("The page cannot be unpacked ({error}).", error=error)) from None

    def finish(self) -> None:
        """Raise Broken if the packed data ended too early."""
        if self._beginning or (self._inner is not None and not self._inner.eof):
            raise Broken(Message("The page ended before it was complete."))

    def _start(self, block: bytes) -> Any:
        if self._name != "deflate":
            return zlib.decompressobj(wbits=zlib.MAX_WBITS | 16)
        # "deflate" is zlib by the standard, but some servers send raw data.
        standard = block[0] & 0x0F == 8 and (block[0] << 8 | block[1]) % 31 == 0
        return zlib.decompressobj(wbits=zlib.MAX_WBITS if standard else -zlib.MAX_WBITS)

    def _rest(self) -> bytes:
        """The data after the end: gzip data may have several members; anything else is not part of the page."""
        rest = bytes(self._inner.unused_data.lstrip(b"\0"))
        if rest and self._name != "deflate" and b"\x1f\x8b".startswith(rest[:2]):
            self._inner = None
            return rest
        self._ended = bool(rest)
        return b""
