"""A server of pages for the tests of watches."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.web_server import Response, WebServer


@pytest.fixture
def server() -> Iterator[WebServer]:
    with WebServer() as started:
        started.page("/robots.txt", Response(status=404))
        yield started
