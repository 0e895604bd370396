"""Which addresses may be contacted: URLs, their hosts' IP addresses, and connections to exactly those that were
checked.
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
import threading
from collections.abc import Collection, Iterable, Sequence
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address
from typing import Any

import httpcore
import httpx

from workbench.base.errors import UserError
from workbench.base.messages import Message

MOST_CHARACTERS = 8_000
"""Longest URL that is requested."""

_PATIENCE = 10.0
"""Seconds for one attempt to connect; a host may have several addresses."""
_NAT64 = IPv6Network("64:ff9b::/96")
_SPECIAL = (IPv4Network("192.0.0.0/24"), IPv4Network("192.88.99.0/24"), IPv6Network("3fff::/20"))
"""Not public according to IANA's registries of special addresses (RFC 6890, 7526, 9637); not every Python version knows
them.
"""


class Refused(UserError):
    """An address that must not be contacted."""


def normal_url(text: str, base: str = "") -> str:
    """``text`` (relative to ``base``) as the URL to request: ASCII, lower-case host, no fragment.

    Raises Refused for anything but http(s) without credentials.
    """
    text = text.strip()
    if len(text) > MOST_CHARACTERS:
        raise Refused(Message("This address is longer than {limit} characters.", limit=f"{MOST_CHARACTERS:,}"))
    try:
        url = httpx.URL(text)
        if base:
            url = httpx.URL(base).join(url)
        host, port = url.raw_host, url.port
        url = url.copy_with(fragment=None, raw_path=url.raw_path)
    except (httpx.InvalidURL, ValueError, TypeError) as error:
        raise Refused(Message("This is not a valid address ({error}).", error=error)) from None
    if url.scheme not in ("http", "https"):
        raise Refused(Message("Only http and https addresses can be fetched."))
    if not host:
        raise Refused(Message("This address has no host."))
    if url.userinfo:
        raise Refused(Message("An address with a user name or password is not fetched."))
    if port is not None and not 0 < port < 65_536:
        raise Refused(Message("This address has no valid port."))
    return str(url)


def origin_of(url: str) -> str:
    """``scheme://host[:port]`` of a normal URL."""
    scheme, _, rest = url.partition("://")
    return f"{scheme}://{rest.split('/', 1)[0].split('?', 1)[0]}"


def host_of(url: str) -> str:
    """The host of a normal URL, in the form used for look-ups."""
    return httpx.URL(url).raw_host.decode("ascii")


def is_public(address: str) -> bool:
    """Whether an IP address is on the public internet, looking inside IPv6 forms that embed an IPv4 address."""
    ip: IPv4Address | IPv6Address = ip_address(address.partition("%")[0])
    if isinstance(ip, IPv6Address):
        inner = ip.ipv4_mapped or ip.sixtofour
        if inner is None and ip in _NAT64:
            inner = IPv4Address(int(ip) & 0xFFFFFFFF)
        if inner is not None:
            ip = inner
        elif ip.is_site_local or ip.teredo is not None:
            return False
    if any(ip in network for network in _SPECIAL):
        return False
    return ip.is_global and not (ip.is_multicast or ip.is_reserved or ip.is_unspecified)


async def resolve(host: str, port: int) -> list[str]:
    """IP addresses of ``host``, in the system's order. Raises httpcore.ConnectError if there are none.

    The system's look-up cannot be interrupted, so it runs in a thread that is not waited for at exit.
    """
    loop = asyncio.get_running_loop()
    future: asyncio.Future[list[str]] = loop.create_future()

    def settle(addresses: list[str] | None, error: str) -> None:
        if future.done():
            return
        if addresses:
            future.set_result(addresses)
        else:
            future.set_exception(httpcore.ConnectError(error))

    def look_up() -> None:
        addresses, problem = [], Message("the host {host} has no address", host=host)
        try:
            rows = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
            addresses = list(dict.fromkeys(str(row[4][0]) for row in rows))
        except (OSError, UnicodeError) as error:
            problem = Message("the host {host} was not found ({error})", host=host, error=error)
        with contextlib.suppress(RuntimeError):  # the loop may have ended meanwhile
            loop.call_soon_threadsafe(settle, addresses, problem)

    threading.Thread(target=look_up, name="resolve", daemon=True).start()
    return await future


class CheckedBackend(httpcore.AsyncNetworkBackend):
    """Opens connections only to addresses that were checked; the name is not resolved a second time.

    A host with any non-public address is refused entirely: an answer that mixes both is an attack. Only ``private``
    hosts may have such addresses, wherever a page redirects to.
    """

    def __init__(self, private: Collection[str]) -> None:
        self._private = private
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
        addresses = await resolve(host, port)
        if host not in self._private:
            self._check(host, addresses)
        for number, address in enumerate(addresses, 1):
            try:
                return await self._inner.connect_tcp(
                    address, port, min(timeout or _PATIENCE, _PATIENCE), local_address, socket_options
                )
            except (httpcore.ConnectError, httpcore.ConnectTimeout):
                if number == len(addresses):
                    raise
        raise httpcore.ConnectError(Message("the host {host} has no address", host=host))

    async def connect_unix_socket(
        self, path: str, timeout: float | None = None, socket_options: Iterable[Any] | None = None
    ) -> httpcore.AsyncNetworkStream:
        """Never: pages come over the network."""
        raise Refused(Message("Only http and https addresses can be fetched."))

    async def sleep(self, seconds: float) -> None:
        """Wait."""
        await self._inner.sleep(seconds)

    @staticmethod
    def _check(host: str, addresses: Sequence[str]) -> None:
        for address in addresses:
            if not is_public(address):
                hint = Message(
                    "Such a host is contacted only if it was named explicitly and private networks are allowed"
                    " (--allow-private)."
                )
                raise Refused(
                    Message("{host} is in a private network ({address}).", host=host, address=address), hint=hint
                )
