"""Fetches one page: robots.txt, the host's rate limit, redirects followed explicitly, retries with back-off."""

from __future__ import annotations

import asyncio
import random
import ssl
import threading
from collections.abc import Awaitable, Callable, Collection, Coroutine, Mapping
from concurrent.futures import Future
from concurrent.futures import TimeoutError as NotYet
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from http import HTTPStatus
from importlib.metadata import PackageNotFoundError, version
from typing import Any, Self, TypeVar

import httpcore
from protego import Protego

from workbench.base.errors import UserError
from workbench.base.messages import Message
from workbench.base.progress import Progress
from workbench.project.captures import Capture
from workbench.reading.formats import sentence
from workbench.reading.formats.html import site_of
from workbench.services.fetching.addresses import Refused, normal_url, origin_of
from workbench.services.fetching.options import FetchOptions
from workbench.services.fetching.transfer import Broken, Exchanger, MemoryBody, Response, Sink, TooLarge

TOKEN = "Palimpsest"
"""The product token under which rules are looked up."""

LONGEST_INTERVAL = 600.0
"""Longest interval between two requests, in seconds, a host may ask for; pages of a host that asks for more are not
fetched.
"""

MOST_BYTES = 512_000
"""Bytes of a robots.txt that are read (RFC 9309, section 2.5: at least 500 KiB)."""


@dataclass(frozen=True, slots=True)
class RobotsReply:
    """The outcome of requesting a robots.txt: the last status (0: no answer), or why it was not requested at all."""

    status: int
    error: str = ""
    refused: str = ""


@dataclass(frozen=True, slots=True)
class Rules:
    """The rules of an origin. ``refused`` is why none of its pages can be fetched; ``interval`` is in seconds."""

    parsed: Protego | None = None
    refused: str = ""

    def refusal(self, url: str) -> str:
        """Why ``url`` must not be fetched; empty if it may."""
        if self.refused or self.parsed is None:
            return self.refused
        if not self.parsed.can_fetch(url, TOKEN):
            return Message("The robots.txt of {origin} does not allow this page.", origin=origin_of(url))
        if self.interval > LONGEST_INTERVAL:
            return Message(
                "The robots.txt of {origin} asks for more than {limit} s between requests.",
                origin=origin_of(url),
                limit=f"{LONGEST_INTERVAL:g}",
            )
        return ""

    @property
    def interval(self) -> float:
        """Seconds between two requests, from Crawl-delay or Request-rate; 0 if neither is given."""
        if self.parsed is None:
            return 0.0
        pace = self.parsed.request_rate(TOKEN)
        by_rate = pace.seconds / pace.requests if pace and pace.requests else 0.0
        return max(self.parsed.crawl_delay(TOKEN) or 0.0, by_rate)


Ask = Callable[[str, MemoryBody, int], Awaitable[RobotsReply]]
"""Requests a URL with retries and redirects, and writes at most a given number of bytes of its body."""


class Robots:
    """The rules of the origins of one fetch; each robots.txt is requested once."""

    def __init__(self, ask: Ask) -> None:
        self._ask = ask
        self._known: dict[str, asyncio.Task[Rules]] = {}

    async def rules(self, url: str) -> Rules:
        """The rules for the origin of ``url``."""
        origin = origin_of(url)
        if origin not in self._known:
            self._known[origin] = asyncio.create_task(self._read(origin))
        return await asyncio.shield(self._known[origin])

    async def close(self) -> None:
        """Cancel requests still in progress."""
        for task in self._known.values():
            task.cancel()
        await asyncio.gather(*self._known.values(), return_exceptions=True)

    async def _read(self, origin: str) -> Rules:
        body = MemoryBody()
        reply = await self._ask(f"{origin}/robots.txt", body, MOST_BYTES)
        if reply.refused:
            return Rules(refused=reply.refused)
        if 200 <= reply.status < 300:
            return Rules(Protego.parse(body.data.decode("utf-8", "replace")))
        # RFC 9309, section 2.3.1: if there is no file everything is allowed, if there is no answer nothing is. 429
        # means that there may be a file, so it counts as no answer.
        if 400 <= reply.status < 500 and reply.status != 429:
            return Rules()
        return Rules(
            refused=Message(
                "The robots.txt of {origin} cannot be read now, so its pages are not fetched. {error}",
                origin=origin,
                error=reply.error,
            )
        )


LONGEST_WAIT = 120.0
"""Longest wait, in seconds, a host may ask for before a retry; a page that would wait longer fails at once."""

_LONGEST_BACK_OFF = 60.0
_SILENT = 5
"""Consecutive pages without any answer before this fetch gives up on a host."""


class Host:
    """One host of a fetch: when the next request may be sent, and whether it still answers."""

    def __init__(self, rate: float) -> None:
        """``rate`` in requests per second; 0 for no limit."""
        self.interval = 1 / rate if rate else 0.0
        self._next = 0.0
        self._silent = 0

    def slow_down(self, interval: float) -> None:
        """Leave at least ``interval`` seconds between two requests."""
        self.interval = max(self.interval, interval)

    async def turn(self) -> None:
        """Wait until the next request may be sent."""
        clock = asyncio.get_running_loop().time
        while (wait := self._next - clock()) > 0:
            await asyncio.sleep(wait)
        self._next = clock() + self.interval

    def pause(self, seconds: float) -> None:
        """Send no request for ``seconds``."""
        self._next = max(self._next, asyncio.get_running_loop().time() + seconds)

    def answered(self) -> None:
        """Note that an answer of any kind arrived."""
        self._silent = 0

    def record_silence(self) -> None:
        """Note that a page got no answer in any attempt."""
        self._silent += 1

    @property
    def is_gone(self) -> bool:
        """Whether so many consecutive pages got no answer that the rest are not requested."""
        return self._silent >= _SILENT


def back_off(attempt: int, first: float) -> float:
    """Seconds before attempt number ``attempt`` + 1 (counting from 1): doubling, with a jitter factor of 0.5 to 1.5."""
    return min(_LONGEST_BACK_OFF, first * 2.0 ** (attempt - 1)) * random.uniform(0.5, 1.5)


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds that ``Retry-After`` (a number or a date) asks to wait; None if it cannot be parsed."""
    value = headers.get("retry-after", "").strip()
    if value.isascii() and value.isdecimal():
        return float(value[:9])
    try:
        when = parsedate_to_datetime(value)
    except (ValueError, TypeError, OverflowError):
        return None
    return max(0.0, (when.replace(tzinfo=when.tzinfo or UTC) - datetime.now(UTC)).total_seconds())


_REDIRECTS = (301, 302, 303, 307, 308)
_AGAIN = (408, 425, 429)
"""Statuses below 500 that are worth a retry."""


@dataclass(frozen=True, slots=True)
class Reply:
    """The outcome of requesting a page. If ``error`` is empty, its body is in the sink, or ``status`` is 304.

    ``again`` says whether a retry may help, ``wait`` how many seconds the host asks to wait first.
    """

    final_url: str
    status: int = 0
    headers: tuple[tuple[str, str], ...] = ()
    size: int = 0
    error: str = ""
    again: bool = False
    wait: float | None = None
    silent: bool = False

    def header(self, name: str) -> str:
        """The first header of this lower-case name; empty if there is none."""
        return next((value for key, value in self.headers if key == name), "")


class FetchSession:
    """The state of all hosts in one fetch; use inside one event loop and close at the end.

    ``named`` are the hosts the user named, as opposed to those reached by links; if private hosts are allowed, only
    these may be.
    """

    def __init__(self, options: FetchOptions, named: Collection[str]) -> None:
        self._options = options
        self._exchanger = Exchanger(
            user_agent(options.contact),
            private=named if options.allow_private else (),
            connections=options.concurrency,
        )
        self._gate = asyncio.Semaphore(options.concurrency)
        self._hosts: dict[str, Host] = {}
        self._robots = Robots(self._ask_robots)

    async def close(self) -> None:
        """Close all connections."""
        await self._robots.close()
        await self._exchanger.close()

    async def page(self, url: str, sink: Sink, limit: int, known: Capture | None = None) -> Reply:
        """Request ``url``, conditionally if its last capture is ``known``. Never raises because of one page."""
        host = self._host(url)
        if host.is_gone:
            return Reply(
                url,
                error=Message(
                    "{site} did not answer several times in a row; its other pages are skipped.", site=site_of(url)
                ),
            )
        reply = await self._tries(url, sink, limit, known=known)
        if reply.silent:
            host.record_silence()
        elif reply.status:
            host.answered()
        return reply

    async def _ask_robots(self, url: str, sink: MemoryBody, limit: int) -> RobotsReply:
        try:
            reply = await self._tries(url, sink, limit, robots=False)
        except Refused as error:
            return RobotsReply(0, refused=sentence(error))
        return RobotsReply(reply.status, reply.error)

    async def _tries(
        self, url: str, sink: Sink, limit: int, *, known: Capture | None = None, robots: bool = True
    ) -> Reply:
        attempt = 0
        while True:
            attempt += 1
            sink.reset()
            try:
                reply = await self._chain(url, sink, limit, known, robots)
            except Refused as error:
                if not robots:
                    raise
                return Reply(url, error=sentence(error))
            if not reply.again or attempt > self._options.retries:
                return reply
            wait = back_off(attempt, self._options.back_off) if reply.wait is None else reply.wait
            if wait > LONGEST_WAIT:
                return replace(
                    reply,
                    error=Message(
                        "{error} It asks to wait {wait} s before trying again.", error=reply.error, wait=f"{wait:,.0f}"
                    ),
                )
            if reply.wait is not None:
                self._host(reply.final_url).pause(wait)
            await asyncio.sleep(wait)

    async def _chain(self, url: str, sink: Sink, limit: int, known: Capture | None, robots: bool) -> Reply:
        """One attempt: the page and the redirects that lead to it. Raises Refused, also for an untrusted
        certificate.
        """
        remaining = self._options.timeout
        clock = asyncio.get_running_loop().time
        seen = [url]
        while True:
            current = seen[-1]
            host = self._host(current)
            if robots:
                rules = await self._robots.rules(current)
                if refusal := rules.refusal(current):
                    raise Refused(refusal)
                host.slow_down(rules.interval)
            await host.turn()
            async with self._gate:
                begun = clock()
                validators = _validators(known, current)
                answer = await self._exchange(current, validators, sink, limit, remaining, whole=robots)
                remaining -= clock() - begun
            if isinstance(answer, Reply):
                return answer
            if answer.status not in _REDIRECTS or "location" not in answer.headers:
                return _reply(answer, conditional=bool(validators))
            target = normal_url(answer.headers["location"], current)
            if target in seen:
                raise Refused(
                    Message(
                        "The page redirects in a loop ({target}).",
                        target=" -> ".join([*seen[seen.index(target) :], target]),
                    )
                )
            if len(seen) > self._options.redirects:
                raise Refused(
                    Message("The page redirects more than {redirects} times.", redirects=self._options.redirects)
                )
            if remaining <= 0:
                return self._late(current)
            seen.append(target)

    async def _exchange(
        self, url: str, validators: dict[str, str], sink: Sink, limit: int, remaining: float, *, whole: bool
    ) -> Response | Reply:
        try:
            async with asyncio.timeout(remaining):
                return await self._exchanger.send(url, validators, sink, limit, whole=whole)
        except (TimeoutError, httpcore.TimeoutException):
            return self._late(url)
        except TooLarge as error:
            return Reply(url, error=sentence(error))
        except Broken as error:
            return Reply(url, error=sentence(error), again=True)
        except httpcore.NetworkError as error:
            if refused := _certificate_error(error):
                raise Refused(
                    Message(
                        "The certificate of {origin} is not trusted ({reason}).",
                        origin=origin_of(url),
                        reason=Message(refused.verify_message.rstrip(".")),
                    ),
                    hint=Message("To trust it, name the issuer's certificate in SSL_CERT_FILE."),
                ) from error
            return Reply(
                url, error=Message("There was no response ({reason}).", reason=_reason(error)), again=True, silent=True
            )
        except httpcore.RemoteProtocolError as error:
            return Reply(
                url, error=Message("The response was malformed ({reason}).", reason=_reason(error)), again=True
            )
        except (httpcore.LocalProtocolError, httpcore.UnsupportedProtocol) as error:
            return Reply(url, error=Message("This address cannot be requested ({reason}).", reason=_reason(error)))
        except OSError as error:
            raise UserError(Message("The fetched pages cannot be written ({reason}).", reason=error)) from error

    def _late(self, url: str) -> Reply:
        error = Message("There was no complete response within {timeout} s.", timeout=f"{self._options.timeout:g}")
        return Reply(url, error=error, again=True, silent=True)

    def _host(self, url: str) -> Host:
        return self._hosts.setdefault(site_of(url), Host(self._options.rate))


def user_agent(contact: str) -> str:
    """The program's User-Agent."""
    try:
        number = version("palimpsest")
    except PackageNotFoundError:
        number = "0"
    return f"{TOKEN}/{number}" + (f" (+{contact})" if contact else "")


def _validators(known: Capture | None, url: str) -> dict[str, str]:
    """The headers that request ``url`` only if it has changed since the capture ``known``; they apply to that URL
    only.
    """
    if known is None or known.final_url != url:
        return {}
    validators = {"If-None-Match": known.etag, "If-Modified-Since": known.last_modified}
    # Headers are sent in ASCII; validators a host sent in other characters cannot be sent back.
    return {name: value for name, value in validators.items() if value and value.isascii() and value.isprintable()}


def _reply(answer: Response, *, conditional: bool) -> Reply:
    # Whatever bytes a header has, it is reported in characters that can be stored.
    headers = tuple((k, v.encode("utf-8", "replace").decode()) for k, v in answer.headers.multi_items())
    reply = Reply(answer.url, answer.status, headers, answer.size)
    if answer.status in (200, 203) and not answer.size:
        return replace(reply, error=Message("The page is empty."))
    if answer.status in (200, 203) or (answer.status == 304 and conditional):
        return reply
    try:
        phrase = f"{answer.status} ({HTTPStatus(answer.status).phrase})"
    except ValueError:
        phrase = str(answer.status)
    again = answer.status in _AGAIN or answer.status >= 500
    wait = retry_after(answer.headers) if again else None
    return replace(reply, error=Message("The server responded {phrase}.", phrase=phrase), again=again, wait=wait)


def _certificate_error(error: BaseException) -> ssl.SSLCertVerificationError | None:
    """The certificate error that led to ``error``, if any."""
    cause: BaseException | None = error
    while cause is not None and not isinstance(cause, ssl.SSLCertVerificationError):
        cause = cause.__cause__ or cause.__context__
    return cause


def _reason(error: BaseException) -> str:
    return Message(str(error).strip().rstrip(".")[:200] or type(error).__name__)


T = TypeVar("T")

_POLL = 0.1
"""Seconds between two checks of the cancel flag."""


class Loop:
    """Runs coroutines that use ``session``; at the end, running ones are cancelled and the session is closed."""

    def __init__(self, session: FetchSession) -> None:
        self.session = session
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="fetching", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *exception: object) -> None:
        self.start(self._end()).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def start(self, coroutine: Coroutine[Any, Any, T]) -> Future[T]:
        """Run ``coroutine`` concurrently with this thread."""
        return asyncio.run_coroutine_threadsafe(coroutine, self._loop)

    def wait(self, ctx: Progress, coroutine: Coroutine[Any, Any, T]) -> T:
        """The coroutine's result. Passes its exceptions on; raises Cancelled if the job is cancelled (and cancels
        it)."""
        future = self.start(coroutine)
        try:
            while True:
                ctx.check()
                try:
                    return future.result(_POLL)
                except NotYet:
                    if future.done():
                        raise
        finally:
            future.cancel()

    async def _end(self) -> None:
        others = asyncio.all_tasks() - {asyncio.current_task()}
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)
        await self.session.close()
