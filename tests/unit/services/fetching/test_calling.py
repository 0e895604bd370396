"""What a service may answer: a search engine, a webhook and a timestamp service are called alike, and safely."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable
from dataclasses import dataclass, field

import pytest

from workbench.base.errors import UserError
from workbench.services import keyrings, timestamps
from workbench.services.engines import asking
from workbench.services.engines.setup import Engine
from workbench.services.fetching import calling
from workbench.services.fetching.calling import NoAnswer, call
from workbench.services.watching import alerts
from workbench.services.watching.alerts import Alerts

SECRET = "T0ps3cret"
GOOD = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"


@dataclass
class Answering:
    """A host at ``port`` that answers every request with ``answer``, however broken; ``seen`` are the requests."""

    answer: bytes
    hangs: bool = False
    seen: list[bytes] = field(default_factory=list)
    port: int = 0

    def __enter__(self) -> Answering:
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.port = self._listening.getsockname()[1]
        self._over = threading.Event()
        threading.Thread(target=self._serve, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._listening.close()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/{SECRET}"

    def _serve(self) -> None:
        while not self._over.is_set():
            try:
                connection, _ = self._listening.accept()
            except OSError:
                return
            with connection:
                self.seen.append(connection.recv(65_536))
                try:
                    connection.sendall(self.answer)
                    if self.hangs:
                        self._over.wait(20)
                except OSError:
                    pass


Call = Callable[[str], object]


def by_engine(url: str) -> object:
    return asking.ask(Engine(f"{url}?q={{query}}&key={{key}}", "", "items[]"), SECRET, "words")


def by_webhook(url: str) -> object:
    (problem,) = alerts.tell(Alerts(webhook=True), "subject", url) or ("",)
    if problem:
        raise UserError(problem)
    return None


def by_timestamps(url: str) -> object:
    return timestamps._send(timestamps.Service(url.replace(SECRET, "tsa")), b"query")


@pytest.fixture(params=[by_engine, by_webhook, by_timestamps], ids=["engine", "webhook", "timestamps"])
def ask(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Call:
    """One of the three callers; each is told the address of its service."""
    caller: Call = request.param

    def ask_at(url: str) -> object:
        monkeypatch.setattr(keyrings, "secret", lambda name: url)
        return caller(url)

    return ask_at


BROKEN = {
    "a status line that is none": f"{SECRET} not http at all\r\n\r\n".encode(),
    "no answer": b"",
    "less than was announced": b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{",
    "an endless line": b"HTTP/1.1 200 OK\r\nX: " + b"a" * 200_000 + b"\r\n\r\n",
    "a thousand headers": b"HTTP/1.1 200 OK\r\n" + b"".join(b"X%d: 1\r\n" % n for n in range(20_000)) + b"\r\n",
    "chunks that are none": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
    "more than is read": b"HTTP/1.1 200 OK\r\nContent-Length: 9000000\r\n\r\n" + b"a" * 5_000_000,
    "a status of its own": b"HTTP/1.1 503 " + SECRET.encode() + b"\r\nContent-Length: 0\r\n\r\n",
}


@pytest.mark.parametrize("what", BROKEN)
def test_whatever_a_service_answers_is_an_error_in_a_sentence_without_the_secret(ask: Call, what: str) -> None:
    with Answering(BROKEN[what]) as service, pytest.raises(UserError) as raised:
        ask(service.url)
    assert SECRET not in str(raised.value)
    assert raised.value.__cause__ is None or SECRET not in str(raised.value.__cause__)


def test_nothing_is_sent_on_to_where_a_service_points(ask: Call) -> None:
    with Answering(GOOD) as elsewhere:
        answer = f"HTTP/1.1 307 Temporary Redirect\r\nLocation: {elsewhere.url}\r\nContent-Length: 0\r\n\r\n"
        with Answering(answer.encode()) as service, pytest.raises(UserError, match="not followed"):
            ask(service.url)
        assert len(service.seen) == 1
        assert elsewhere.seen == []


def test_a_service_that_does_not_end_its_answer_is_not_waited_for(ask: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(call.__kwdefaults__, "seconds", 0.5)
    with Answering(GOOD[:-1], hangs=True) as service, pytest.raises(UserError, match="no complete response"):
        ask(service.url)


def test_a_missing_service_or_an_invalid_address_is_reported(ask: Call) -> None:
    for url in (f"http://127.0.0.1:1/{SECRET}", f"http://exa mple.invalid/{SECRET}"):
        with pytest.raises(UserError) as raised:
            ask(url)
        assert SECRET not in str(raised.value)


def test_an_answer_is_given_as_it_is() -> None:
    with Answering(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello") as service:
        assert call(service.url, {"X-Key": SECRET}, b"query", limit=9) == calling.Reply(200, b"hello")
    (seen,) = service.seen
    assert seen.startswith(b"POST /")
    assert f"X-Key: {SECRET}".encode().lower() in seen.lower()
    with Answering(GOOD) as service, pytest.raises(NoAnswer) as raised:
        call(service.url, {"X-Key": f"{SECRET}\r\nHost: other"}, limit=9)
    assert SECRET not in str(raised.value)
    assert b"".join(service.seen) == b""
