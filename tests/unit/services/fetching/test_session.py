from __future__ import annotations

import asyncio
import gzip
import zlib
from collections.abc import Callable
from typing import Any

import pytest

from tests.web_server import Request, Response, WebServer, html
from workbench.services.fetching.session import back_off, retry_after, user_agent

Ask = Callable[..., tuple[Any, bytes]]
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"


def in_turn(*responses: Response) -> Callable[[Request], Response]:
    """A route that answers with one after the other, then with the last."""
    remaining = list(responses)
    return lambda request: remaining.pop(0) if len(remaining) > 1 else remaining[0]


def test_a_page_with_its_headers(server: WebServer, ask: Ask):
    reply, body = ask(server.page("/a", html("text", ETag='"1"')))
    assert (reply.status, reply.error, reply.header("etag")) == (200, "", '"1"')
    assert b"text" in body
    sent = server.requests[-1].headers
    assert sent["user-agent"] == user_agent("")
    assert "cookie" not in sent


def test_the_contact_is_sent(server: WebServer, ask: Ask):
    ask(server.page("/a", b"text"), contact="mail@example.org")
    assert server.requests[-1].headers["user-agent"].endswith(" (+mail@example.org)")


def test_proxies_of_the_environment_are_not_used(server: WebServer, ask: Ask, monkeypatch: pytest.MonkeyPatch):
    for name in ("http_proxy", "HTTP_PROXY", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9/")
    assert not ask(server.page("/a", b"text"))[0].error


# Redirects


def test_redirects_are_followed_and_the_last_url_is_reported(server: WebServer, ask: Ask):
    server.page("/a", Response(status=301, headers={"Location": "b"}))
    server.page("/b", Response(status=308, headers={"Location": f"{server.url}/c?x=1#part"}))
    server.page("/c?x=1", b"text")
    reply, body = ask(f"{server.url}/a")
    assert reply.final_url == f"{server.url}/c?x=1"
    assert b"text" in body


def test_a_circle_of_redirects_is_named(server: WebServer, ask: Ask):
    server.page("/a", Response(status=302, headers={"Location": "/b"}))
    server.page("/b", Response(status=302, headers={"Location": "/a"}))
    reply, _ = ask(f"{server.url}/a")
    assert reply.error == f"The page redirects in a loop ({server.url}/a -> {server.url}/b -> {server.url}/a)."
    assert server.counts() == {"/a": 1, "/b": 1}


def test_endless_redirects_end(server: WebServer, ask: Ask):
    server.fallback = lambda r: Response(status=302, headers={"Location": f"/{int(r.path[1:] or 0) + 1}"})
    server.page("/robots.txt", Response(status=404))
    reply, _ = ask(f"{server.url}/0", redirects=5)
    assert "more than 5 times" in reply.error
    assert sum(server.counts().values()) == 6


@pytest.mark.parametrize("target", ["file:///etc/passwd", "http://user:pw@127.0.0.1/", "gopher://x/"])
def test_redirects_to_other_schemes_and_credentials_are_refused(server: WebServer, ask: Ask, target: str):
    reply, _ = ask(server.page("/a", Response(status=302, headers={"Location": target})))
    assert reply.error
    assert not reply.again


# Bodies


def test_packed_bodies_are_unpacked(server: WebServer, ask: Ask):
    text = b"<p>" + b"text " * 50_000
    raw = zlib.compressobj(wbits=-15)
    for name, data, encoding in (
        ("/gzip", gzip.compress(text), "gzip"),
        ("/members", gzip.compress(text[:1000]) + gzip.compress(text[1000:]), "gzip"),
        ("/trailing", gzip.compress(text) + b"rubbish", "gzip"),
        ("/zlib", zlib.compress(text), "deflate"),
        ("/raw", raw.compress(text) + raw.flush(), "deflate"),
    ):
        reply, body = ask(server.page(name, Response(data, headers={"Content-Encoding": encoding})), 1_000_000)
        assert (reply.error, body) == ("", text), name


def test_a_bomb_is_refused_before_it_fills_memory(server: WebServer, ask: Ask):
    packed = gzip.compress(bytes(50_000_000))
    assert len(packed) < 100_000
    reply, body = ask(server.page("/a", Response(packed, headers={"Content-Encoding": "gzip"})))
    assert "larger than the limit of 100,000 bytes" in reply.error
    assert len(body) <= 100_000
    assert server.counts() == {"/a": 1}


def test_packing_that_was_not_asked_for_is_refused(server: WebServer, ask: Ask):
    reply, _ = ask(server.page("/a", Response(b"xxxx", headers={"Content-Encoding": "br"})), retries=0)
    assert "not requested (br)" in reply.error


def test_an_endless_body_ends_at_the_limit(server: WebServer, ask: Ask):
    async def endless(writer: asyncio.StreamWriter) -> None:
        writer.write(HEAD + b"\r\n")
        while True:
            writer.write(b"more and more " * 1000)
            await writer.drain()

    server.routes["/a"] = lambda request: endless
    reply, _ = ask(f"{server.url}/a")
    assert "larger than the limit" in reply.error
    assert server.counts() == {"/a": 1}


def test_a_declared_length_above_the_limit_is_refused_at_once(server: WebServer, ask: Ask):
    server.page("/a", Response(raw=HEAD + b"Content-Length: 5000000000\r\n\r\nx"))
    reply, body = ask(f"{server.url}/a")
    assert "5,000,000,000 bytes" in reply.error
    assert not body


@pytest.mark.parametrize(
    "answer",
    [
        HEAD + b"Content-Length: 500\r\n\r\ntoo short",
        HEAD + b"Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n",
        HEAD + b"Transfer-Encoding: chunked\r\n\r\nzz\r\nhello\r\n",
        HEAD + b"Content-Length: nonsense\r\n\r\nhello",
        HEAD + b"Content-Length: 5\r\nContent-Length: 7\r\n\r\nhello",
        HEAD + b"Content-Encoding: gzip\r\nContent-Length: 20\r\n\r\n" + gzip.compress(b"hello" * 100, mtime=0)[:20],
        HEAD + b"Content-Encoding: gzip\r\nContent-Length: 5\r\n\r\nhello",
        b"nonsense\r\n\r\n",
        b"HTTP/1.1 200 OK\r\n" + b"X: " + b"x" * 300_000 + b"\r\n\r\n",
        b"",
    ],
)
def test_a_broken_answer_is_asked_for_again_and_then_fails(server: WebServer, ask: Ask, answer: bytes):
    reply, _ = ask(server.page("/a", Response(raw=answer)), retries=2)
    assert reply.error
    assert server.counts() == {"/a": 3}


def test_a_broken_answer_may_be_whole_the_next_time(server: WebServer, ask: Ask):
    server.routes["/a"] = in_turn(Response(raw=HEAD + b"Content-Length: 500\r\n\r\nwrong"), html("right"))
    reply, body = ask(f"{server.url}/a")
    assert not reply.error
    assert b"right" in body
    assert b"wrong" not in body


def test_a_body_longer_than_declared_is_read_as_declared(server: WebServer, ask: Ask):
    reply, body = ask(server.page("/a", Response(raw=HEAD + b"Content-Length: 4\r\n\r\ntextHTTP/1.1 200 OK\r\n\r\n")))
    assert (reply.error, body) == ("", b"text")


def test_a_body_that_ends_with_the_connection_is_whole(server: WebServer, ask: Ask):
    reply, body = ask(server.page("/a", Response(raw=b"HTTP/1.0 200 OK\r\n\r\ntext")))
    assert (reply.error, body) == ("", b"text")


def test_an_empty_page_is_a_failure(server: WebServer, ask: Ask):
    assert ask(server.page("/a", Response()))[0].error == "The page is empty."


# Tries


def test_what_fails_for_now_is_tried_again(server: WebServer, ask: Ask):
    for status in (429, 500, 502, 503, 504):
        server.routes[f"/{status}"] = in_turn(Response(status=status), Response(status=status), html("text"))
        reply, body = ask(f"{server.url}/{status}")
        assert (reply.error, reply.status) == ("", 200)
        assert b"text" in body
        assert server.counts()[f"/{status}"] == 3


def test_what_fails_for_good_is_not_tried_again(server: WebServer, ask: Ask):
    for status in (400, 401, 403, 404, 410, 451):
        reply, _ = ask(server.page(f"/{status}", Response(b"no", status)))
        assert f"responded {status}" in reply.error
        assert server.counts()[f"/{status}"] == 1
    assert "404 (Not Found)" in ask(f"{server.url}/404")[0].error


def test_tries_end(server: WebServer, ask: Ask):
    reply, _ = ask(server.page("/a", Response(status=503)), retries=2)
    assert reply.error == "The server responded 503 (Service Unavailable)."
    assert server.counts() == {"/a": 3}


@pytest.mark.slow
def test_retry_after_is_kept(server: WebServer, ask: Ask):
    server.routes["/a"] = in_turn(Response(status=503, headers={"Retry-After": "1"}), html("text"))
    assert not ask(f"{server.url}/a")[0].error
    first, second = (r.time for r in server.requests if r.path == "/a")
    assert second - first >= 1


def test_a_host_that_asks_to_wait_for_long_fails_now(server: WebServer, ask: Ask):
    reply, _ = ask(server.page("/a", Response(status=429, headers={"Retry-After": "3600"})))
    assert "It asks to wait 3,600 s" in reply.error
    assert server.counts() == {"/a": 1}


def test_retry_after_may_be_a_date():
    assert retry_after({"retry-after": "Fri, 01 Jan 1999 00:00:00 GMT"}) == 0
    assert retry_after({"retry-after": "12"}) == 12
    assert retry_after({"retry-after": "soon"}) is None
    assert retry_after({"retry-after": "9" * 400}) is not None
    assert retry_after({}) is None


def test_waits_grow_and_are_bounded():
    for attempt in range(1, 50):
        assert 0.5 * min(60, 2 ** (attempt - 1)) <= back_off(attempt, 1.0) <= 1.5 * min(60, 2 ** (attempt - 1))


@pytest.mark.slow
def test_a_slow_page_is_given_up(server: WebServer, ask: Ask):
    async def drip(writer: asyncio.StreamWriter) -> None:
        writer.write(HEAD + b"\r\n")
        while True:
            writer.write(b"x")
            await writer.drain()
            await asyncio.sleep(0.05)

    server.routes["/drip"] = lambda request: drip
    server.page("/late", Response(b"text", delay=20))
    for path in ("/drip", "/late"):
        reply, _ = ask(server.url + path, timeout=0.4, retries=1)
        assert reply.error == "There was no complete response within 0.4 s."
        assert server.counts()[path] == 2


def test_a_refused_connection_is_a_failure(ask: Ask):
    with WebServer() as gone:
        url = gone.url
    reply, _ = ask(f"{url}/a", retries=1)
    assert "robots.txt" in reply.error
    assert "no response" in reply.error


# robots.txt


def robots(server: WebServer, rules: str, status: int = 200) -> None:
    server.page("/robots.txt", Response(rules.encode(), status))


def test_robots_rules_are_obeyed(server: WebServer, ask: Ask):
    robots(server, "User-agent: *\nDisallow: /\n\nUser-agent: Palimpsest\nDisallow: /private\nAllow: /private/but\n")
    server.fallback = lambda request: html("text")
    assert not ask(f"{server.url}/open")[0].error
    assert not ask(f"{server.url}/private/but/this")[0].error
    assert "does not allow" in ask(f"{server.url}/private/x")[0].error
    assert server.counts() == {"/open": 1, "/private/but/this": 1}


def test_a_redirect_to_a_page_that_is_not_allowed_is_not_followed(server: WebServer, ask: Ask):
    robots(server, "User-agent: *\nDisallow: /private\n")
    reply, _ = ask(server.page("/a", Response(status=302, headers={"Location": "/private"})))
    assert "does not allow" in reply.error
    assert server.counts() == {"/a": 1}


@pytest.mark.parametrize(("status", "allowed"), [(404, True), (401, True), (403, True), (500, False), (429, False)])
def test_a_missing_robots_allows_and_a_broken_one_does_not(server: WebServer, ask: Ask, status: int, allowed: bool):
    robots(server, "", status)
    reply, _ = ask(server.page("/a", b"text"), retries=1)
    assert bool(reply.error) is not allowed
    assert server.counts()["/a"] == (1 if allowed else 0)


def test_a_robots_that_is_too_long_is_read_as_far_as_it_counts(server: WebServer, ask: Ask):
    robots(server, "User-agent: *\nDisallow: /private\n" + "# much\n" * 200_000)
    server.page("/a", b"text")
    assert not ask(f"{server.url}/a")[0].error
    assert "does not allow" in ask(f"{server.url}/private")[0].error


@pytest.mark.timeout(60)
def test_hostile_robots_rules_cost_no_time(server: WebServer, ask: Ask):
    robots(server, "User-agent: *\n" + f"Disallow: /{'a*' * 200}b$\n" * 1000)
    server.fallback = lambda request: html("text")
    assert not ask(f"{server.url}/{'a' * 2000}")[0].error
