"""Pages by https: certificates are verified, and whom to trust is for the environment to say."""

from __future__ import annotations

import ssl
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path

import pytest
import trustme

from tests.web_server import Response, WebServer, html
from workbench.base.errors import UserError
from workbench.base.page_sources import PageSource, PlaceKind
from workbench.base.types import Document
from workbench.jobs.context import Context
from workbench.jobs.events import Event, Warned
from workbench.services.fetching import FetchOptions, FetchResult, fetch

Get = Callable[..., FetchResult]
Documents = Callable[[], dict[str, Document]]
Secure = Callable[..., WebServer]
TEXT = "The old bridge over the river was rebuilt in the spring of that year, stone by stone."


@pytest.fixture(scope="module")
def authority() -> trustme.CA:
    return trustme.CA()


@pytest.fixture
def secure(authority: trustme.CA) -> Iterator[Secure]:
    """A server with a certificate for a host, by the authority or another."""
    with ExitStack() as stack:

        def start(host: str = "127.0.0.1", by: trustme.CA = authority, until: datetime | None = None) -> WebServer:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            by.issue_cert(host, not_after=until).configure_cert(context)
            server = stack.enter_context(WebServer(context))
            server.page("/a", html(TEXT))
            return server

        yield start


@pytest.fixture
def trusted(authority: trustme.CA, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "authority.pem"
    authority.cert_pem.write_to_path(str(file))
    monkeypatch.setenv("SSL_CERT_FILE", str(file))


def refusal(get: Get, server: WebServer) -> str:
    """Why /a was not fetched; nothing at all was asked of the server."""
    (failed,) = get(f"{server.url}/a").failed
    assert failed.path == f"{server.url}/a"
    assert not server.requests
    return failed.error


def test_an_untrusted_certificate_is_refused_and_nothing_is_asked(secure: Secure, get: Get):
    server = secure()
    message = refusal(get, server)
    assert message.startswith(f"The certificate of {server.url} is not trusted (")
    assert "SSL_CERT_FILE" in message


@pytest.mark.usefixtures("trusted")
def test_a_certificate_by_a_trusted_issuer_is_taken(secure: Secure, get: Get, documents: Documents):
    server = secure()
    assert get(f"{server.url}/a").ids == (f"{server.url}/a",)
    assert TEXT in documents()[f"{server.url}/a"].text


@pytest.mark.usefixtures("trusted")
def test_a_certificate_for_another_host_or_of_another_time_is_refused(secure: Secure, get: Get):
    assert "not valid for '127.0.0.1'" in refusal(get, secure("example.org"))
    assert "expired" in refusal(get, secure(until=datetime(2020, 1, 1, tzinfo=UTC)))
    assert "is not trusted" in refusal(get, secure(by=trustme.CA()))


@pytest.mark.parametrize("text", [None, "no certificate"])
def test_a_list_of_issuers_that_cannot_be_read_is_named(
    get: Get, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str | None
):
    file = tmp_path / "list.pem"
    if text is not None:
        file.write_text(text)
    monkeypatch.setenv("SSL_CERT_FILE", str(file))
    with pytest.raises(UserError, match=r"trusted certificates cannot be read .*SSL_CERT_FILE"):
        get("https://127.0.0.1/a")


@pytest.mark.usefixtures("trusted")
def test_what_is_led_from_https_to_plain_http_is_reported(secure: Secure, server: WebServer, project: Path):
    there = secure()
    server.page("/plain", html(TEXT))
    there.page("/lowered", Response(status=302, headers={"Location": f"{server.url}/plain"}))
    server.page("/raised", Response(status=302, headers={"Location": f"{there.url}/a"}))
    events: list[Event] = []
    places = [PageSource(PlaceKind.URL, url) for url in (f"{there.url}/lowered", f"{server.url}/raised")]
    options = FetchOptions(rate=0, allow_private=True, workers=0)
    result = fetch(Context("t", events.append, lambda: False), project, places, options)
    assert set(result.ids) == {f"{server.url}/plain", f"{there.url}/a"}
    (message,) = [event.message for event in events if isinstance(event, Warned)]
    assert f"1 (such as {there.url}/lowered)" in message
