from __future__ import annotations

import socket
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.web_server import Response, WebServer, html
from workbench.base.page_sources import PageSource, PlaceKind
from workbench.services.fetching import addresses
from workbench.services.fetching.addresses import Refused, is_public, normal_url, origin_of
from workbench.services.fetching.task import Fetch


@pytest.mark.parametrize(
    ("address", "normal"),
    [
        ("HTTP://Example.COM:80/a b?q=ü#f", "http://example.com/a%20b?q=%C3%BC"),
        ("http://例え.jp/パス", "http://xn--r8jz45g.jp/%E3%83%91%E3%82%B9"),
        (" https://example.com ", "https://example.com/"),
        ("http://example.com?a=1", "http://example.com/?a=1"),
        ("http://[::1]:8080/x", "http://[::1]:8080/x"),
        ("http://example.com/a%2Fb", "http://example.com/a%2Fb"),
    ],
)
def test_an_address_has_one_form(address: str, normal: str):
    assert normal_url(address) == normal
    assert normal_url(normal) == normal


@given(st.one_of(st.text(), st.text().map("http://h/".__add__), st.text().map("http://".__add__)))
def test_whatever_is_given_is_refused_or_normal(text: str):
    try:
        url = normal_url(text, "https://base.example/a/b")
    except Refused:
        return
    assert url.isascii()
    assert url.startswith(("http://", "https://"))
    assert "#" not in url
    assert "@" not in origin_of(url)
    assert normal_url(url) == url


def test_a_relative_address_is_joined():
    assert normal_url("../b?x#y", "http://host/a/c/d") == "http://host/a/b?x"
    assert origin_of("http://host:81/a/b?x") == "http://host:81"


@pytest.mark.parametrize(
    "address",
    [
        "",
        "ftp://host/",
        "file:///etc/passwd",
        "javascript:alert(1)",
        "mailto:a@b",
        "//host/path",
        "http:///path",
        "http://user:secret@host/",
        "http://host:99999/",
        "http://ho\nst/",
        "http://host/" + "a" * 9000,
    ],
)
def test_other_addresses_are_refused(address: str):
    with pytest.raises(Refused):
        normal_url(address)


@pytest.mark.parametrize(
    ("address", "public"),
    [
        ("8.8.8.8", True),
        ("127.0.0.1", False),
        ("10.1.1.1", False),
        ("172.16.0.1", False),
        ("192.168.1.1", False),
        ("169.254.169.254", False),
        ("100.64.1.1", False),
        ("224.0.0.1", False),
        ("0.0.0.0", False),
        ("255.255.255.255", False),
        ("240.0.0.1", False),
        ("192.0.2.1", False),
        ("2001:4860:4860::8888", True),
        ("::1", False),
        ("::", False),
        ("fe80::1%eth0", False),
        ("fc00::1", False),
        ("fec0::1", False),
        ("ff02::1", False),
        ("2001:db8::1", False),
        ("::127.0.0.1", False),
        ("::ffff:127.0.0.1", False),
        ("::ffff:8.8.8.8", True),
        ("2002:7f00:1::", False),
        ("2002:808:808::", True),
        ("64:ff9b::127.0.0.1", False),
        ("64:ff9b::8.8.8.8", True),
        ("2001:0:1::1", False),
        ("192.88.99.1", False),
        ("192.0.0.8", False),
        ("::ffff:192.88.99.1", False),
        ("2002:c058:6301::", False),
        ("3fff::1", False),
        ("3fff:fff::1", False),
        ("64:ff9b:1::8.8.8.8", False),
        ("5f00::1", False),
    ],
)
def test_only_addresses_of_the_public_internet_are_public(address: str, public: bool):
    assert is_public(address) is public


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "2130706433", "0x7f.1", "127.1", "[::ffff:127.0.0.1]"])
def test_loopback_is_refused_in_every_spelling(server: WebServer, ask: Callable[..., Any], host: str):
    reply, _ = ask(f"http://{host}:{server.port}/", allow_private=False)
    assert "private network" in reply.error
    assert not server.requests


def resolver(monkeypatch: pytest.MonkeyPatch, *answers: list[str]) -> list[str]:
    """Names resolve to ``answers``, one after the other; the names that were looked up."""
    hosts: list[str] = []

    def look_up(host: str, port: int, **options: object) -> list[Any]:
        hosts.append(host)
        ip = answers[min(len(hosts), len(answers)) - 1]
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port)) for address in ip]

    monkeypatch.setattr(addresses.socket, "getaddrinfo", look_up)
    return hosts


def test_a_name_for_a_private_address_is_refused(server, ask, monkeypatch: pytest.MonkeyPatch):
    resolver(monkeypatch, ["127.0.0.1"])
    reply, _ = ask(f"http://inner.example:{server.port}/", allow_private=False)
    assert "private network (127.0.0.1)" in reply.error
    assert "--allow-private" in reply.error
    resolver(monkeypatch, ["8.8.8.8", "127.0.0.1"])
    reply, _ = ask(f"http://mixed.example:{server.port}/", allow_private=False)
    assert "private network" in reply.error
    assert not server.requests


def test_the_checked_address_is_the_one_connected_to(server, ask, monkeypatch: pytest.MonkeyPatch):
    """A second look-up that gave another address (DNS rebinding) is never made."""
    hosts = resolver(monkeypatch, ["127.0.0.1"], ["8.8.8.8"])
    server.page("/", html("here"))
    reply, body = ask(f"http://name.example:{server.port}/")
    assert b"here" in body
    assert hosts == ["name.example"]
    assert server.requests[-1].headers["host"] == f"name.example:{server.port}"
    assert not reply.error


def test_a_redirect_into_a_private_network_is_refused(server, ask, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(addresses, "is_public", lambda address: address == "127.0.0.1")
    target = f"http://127.0.0.2:{server.port}/secret"
    server.page("/", Response(status=302, headers={"Location": target}))
    reply, _ = ask(f"{server.url}/", allow_private=False)
    assert "private network (127.0.0.2)" in reply.error
    assert "/secret" not in server.counts()


@pytest.mark.parametrize("target", ["127.0.0.2", "[::1]", "169.254.169.254", "10.0.0.1", "localhost", "[fe80::1]"])
def test_a_private_host_that_is_allowed_leads_to_no_other(server, ask, target: str):
    server.page("/", Response(status=302, headers={"Location": f"http://{target}:{server.port}/secret"}))
    server.page("/robots.txt", Response(status=404))
    reply, _ = ask(f"{server.url}/", allow_private=True)
    assert "private network" in reply.error
    assert "/secret" not in server.counts()


def test_a_private_host_may_redirect_to_itself(server, ask):
    server.page("/", Response(status=302, headers={"Location": "/there"}))
    server.page("/there", html("here"))
    assert b"here" in ask(f"{server.url}/", allow_private=True)[1]


def test_an_unknown_host_is_a_failure(ask):
    reply, _ = ask("http://nowhere.invalid/", retries=0)
    assert "nowhere.invalid" in reply.error


def test_a_fetch_is_named_by_its_address_or_by_how_many_there_are() -> None:
    places = tuple(PageSource(PlaceKind.URL, f"https://a.example/{number}") for number in range(2))
    assert Fetch(places=places[:1]).subject == "https://a.example/0"
    assert Fetch(places=places).subject == "2 addresses"
