"""Which addresses may be contacted: URLs, what their hosts resolve to, and connections to exactly what was checked."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import threading
from collections.abc import Iterable, Sequence
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address
from typing import Any

import httpcore
import httpx

from workbench.base.errors import UserError

MOST_CHARACTERS = 8_000
"""Longest URL that is asked for."""

_PATIENCE = 10.0
"""Seconds for one attempt to connect; a host may have several addresses."""
_NAT64 = IPv6Network("64:ff9b::/96")


class Refused(UserError):
    """An address that is not contacted."""


def normal_url(text: str, base: str = "") -> str:
    """``text`` (relative to ``base``) as the URL that is asked for: ASCII, lower-case host, no fragment.

    Raises Refused for anything but http(s) without credentials.
    """
    text = text.strip()
    if len(text) > MOST_CHARACTERS:
        raise Refused(f"This address is longer than {MOST_CHARACTERS:,} characters.")
    try:
        url = httpx.URL(text)
        if base:
            url = httpx.URL(base).join(url)
        host, port = url.raw_host, url.port
        url = url.copy_with(fragment=None, raw_path=url.raw_path)
    except (httpx.InvalidURL, ValueError, TypeError) as error:
        raise Refused(f"This is no valid address ({error}).") from None
    if url.scheme not in ("http", "https"):
        raise Refused("Only http and https addresses can be fetched.")
    if not host:
        raise Refused("This address names no host.")
    if url.userinfo:
        raise Refused("An address with a user name or password is not fetched.")
    if port is not None and not 0 < port < 65_536:
        raise Refused("This address has no valid port.")
    return str(url)


def origin_of(url: str) -> str:
    """``scheme://host[:port]`` of a normal URL."""
    scheme, _, rest = url.partition("://")
    return f"{scheme}://{rest.split('/', 1)[0].split('?', 1)[0]}"


def is_public(address: str) -> bool:
    """Whether an IP address is one of the public internet, seen through IPv6 forms that embed an IPv4 address."""
    found: IPv4Address | IPv6Address = ip_address(address.partition("%")[0])
    if isinstance(found, IPv6Address):
        inner = found.ipv4_mapped or found.sixtofour
        if inner is None and found in _NAT64:
            inner = IPv4Address(int(found) & 0xFFFFFFFF)
        if inner is not None:
            found = inner
        elif found.is_site_local or found.teredo is not None:
            return False
    return found.is_global and not (found.is_multicast or found.is_reserved or found.is_unspecified)


async def resolve(host: str, port: int) -> list[str]:
    """IP addresses of ``host``, in the system's order. Raises httpcore.ConnectError when there are none.

    The system's look-up cannot be interrupted, so it gets a thread that nobody waits for at the end.
    """
    loop = asyncio.get_running_loop()
    future: asyncio.Future[list[str]] = loop.create_future()

    def settle(found: list[str] | None, error: str) -> None:
        if future.done():
            return
        if found:
            future.set_result(found)
        else:
            future.set_exception(httpcore.ConnectError(error))

    def look_up() -> None:
        found, problem = [], f"the host {host} has no address"
        try:
            rows = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
            found = list(dict.fromkeys(str(row[4][0]) for row in rows))
        except (OSError, UnicodeError) as error:
            problem = f"the host {host} was not found ({getattr(error, 'strerror', None) or error})"
        with contextlib.suppress(RuntimeError):  # the loop may have ended meanwhile
            loop.call_soon_threadsafe(settle, found, problem)

    threading.Thread(target=look_up, name="resolve", daemon=True).start()
    return await future


class CheckedBackend(httpcore.AsyncNetworkBackend):
    """Opens connections only to addresses that were checked; the name is not looked up a second time.

    A host that has any address which is not public is refused whole: an answer that mixes both is an attempt.
    """

    def __init__(self, *, allow_private: bool) -> None:
        self._allow_private = allow_private
        self._inner = httpcore.AnyIOBackend()

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        """A connection to the first address that answers. Raises Refused, httpcore.ConnectError."""
        found = await resolve(host, port)
        if not self._allow_private:
            self._check(host, found)
        for number, address in enumerate(found, 1):
            try:
                return await self._inner.connect_tcp(
                    address, port, min(timeout or _PATIENCE, _PATIENCE), local_address, socket_options
                )
            except (httpcore.ConnectError, httpcore.ConnectTimeout):
                if number == len(found):
                    raise
        raise httpcore.ConnectError(f"the host {host} has no address")

    async def connect_unix_socket(
        self, path: str, timeout: float | None = None, socket_options: Iterable[Any] | None = None
    ) -> httpcore.AsyncNetworkStream:
        """Never: pages come over the network."""
        raise Refused("Only http and https addresses can be fetched.")

    async def sleep(self, seconds: float) -> None:
        """Wait."""
        await self._inner.sleep(seconds)

    @staticmethod
    def _check(host: str, found: Sequence[str]) -> None:
        for address in found:
            if not is_public(address):
                hint = "Pages from there are fetched only where private addresses are allowed."
                raise Refused(f"{host} is in a private network ({address}).", hint=hint)
