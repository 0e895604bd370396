"""A web server on loopback, and fetching from it without waiting."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import pytest

from tests.web_server import WebServer
from workbench.base.page_sources import PageSource, PlaceKind
from workbench.base.types import Document
from workbench.jobs.context import Context
from workbench.project.database import create, open_project
from workbench.project.documents import iter_documents
from workbench.services.fetching import FetchOptions, FetchResult, fetch
from workbench.services.fetching.session import FetchSession, Reply
from workbench.services.fetching.transfer import MemoryBody

FAST = {"rate": 0.0, "allow_private": True, "back_off": 0.01, "workers": 0, "timeout": 5.0}


@pytest.fixture
def server() -> Iterator[WebServer]:
    with WebServer() as started:
        yield started


@pytest.fixture
def project(tmp_path: Path) -> Path:
    path = tmp_path / "case.palimpsest"
    create(path).close()
    return path


@pytest.fixture
def get(ctx: Context, project: Path) -> Callable[..., FetchResult]:
    """Fetch URLs and places into the project."""

    def call(*places: str | PageSource, **options: object) -> FetchResult:
        requested = [place if isinstance(place, PageSource) else PageSource(PlaceKind.URL, place) for place in places]
        return fetch(ctx, project, requested, FetchOptions(**(FAST | options)))  # type: ignore[arg-type]

    return call


@pytest.fixture
def ask() -> Callable[..., tuple[Reply, bytes]]:
    """Ask for one URL, without a project; the reply and the body."""

    def call(url: str, limit: int = 100_000, **options: object) -> tuple[Reply, bytes]:
        named = {httpx.URL(url).raw_host.decode()}

        async def go() -> tuple[Reply, bytes]:
            session = FetchSession(FetchOptions(**(FAST | options)), named)  # type: ignore[arg-type]
            body = MemoryBody()
            try:
                return await session.page(url, body, limit), bytes(body.data)
            finally:
                await session.close()

        return asyncio.run(go())

    return call


@pytest.fixture
def documents(project: Path) -> Callable[[], dict[str, Document]]:
    """What is in the project, by id."""

    def call() -> dict[str, Document]:
        with open_project(project, write=False) as opened, opened.read() as connection:
            return {document.id: document for document in iter_documents(connection)}

    return call
