"""One request to a service that the user has set up: a search engine, a webhook, a timestamp service.

The rules of fetching apply: connections go to checked addresses only, redirects are not followed, so that data reach
only the configured host, and the answer's size and time are bounded. Errors repeat neither the address nor the headers,
which may contain keys, nor the answer, which may echo them.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass

from workbench.base.messages import Message
from workbench.services.fetching import require_libraries

SECONDS = 30.0
"""Seconds for the whole exchange."""


@dataclass(frozen=True, slots=True)
class Reply:
    """A status, and the body of a successful answer."""

    status: int
    body: bytes = b""

    @property
    def is_success(self) -> bool:
        """Whether the service answered with success."""
        return 200 <= self.status < 300


class NoAnswer(Exception):
    """There is no usable answer; ``reason`` says why, without secrets."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


def call(
    url: str, headers: Mapping[str, str], body: bytes | None = None, *, limit: int, seconds: float = SECONDS
) -> Reply:
    """Send ``body`` (None: GET) to ``url``, whose host may be private, since the user named it.

    An answer of more than ``limit`` bytes or ``seconds`` counts as none. Raises NoAnswer, and UserError if the optional
    part is missing or an address cannot be requested at all.
    """
    require_libraries(("httpx", "httpcore"))
    import httpcore

    from workbench.services.fetching.addresses import host_of, normal_url
    from workbench.services.fetching.session import user_agent
    from workbench.services.fetching.transfer import Broken, Exchanger, MemoryBody, TooLarge

    plain, taken = normal_url(url), MemoryBody()

    async def exchange() -> int:
        exchanger = Exchanger(user_agent(""), private={host_of(plain)}, connections=1)
        try:
            async with asyncio.timeout(seconds):
                return (await exchanger.send(plain, dict(headers), taken, limit, body=body)).status
        finally:
            await exchanger.close()

    try:
        status = asyncio.run(exchange())
    except (TimeoutError, httpcore.TimeoutException):
        raise NoAnswer(Message("there was no complete response within {seconds} s", seconds=f"{seconds:g}")) from None
    except TooLarge:
        raise NoAnswer(Message("the response is larger than {limit} bytes", limit=f"{limit:,}")) from None
    except (Broken, httpcore.RemoteProtocolError):
        raise NoAnswer(Message("the response was malformed")) from None
    except httpcore.NetworkError as error:
        raise NoAnswer(str(error) or Message("the connection was lost")) from None
    except (httpcore.ProtocolError, httpcore.UnsupportedProtocol, ValueError):
        raise NoAnswer(Message("its address or a header has characters that cannot be sent")) from None
    except OSError as error:
        raise NoAnswer(error.strerror or type(error).__name__) from None
    if 300 <= status < 400:
        raise NoAnswer(Message("it redirects to another address ({status}), which is not followed", status=status))
    return Reply(status, bytes(taken.data))
