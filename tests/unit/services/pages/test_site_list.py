"""The sites of a project's pages."""

from __future__ import annotations

from pathlib import Path

from workbench.base.types import Document, Role
from workbench.project.captures import Capture, Outcome, add_captures
from workbench.project.documents import add_documents, delete_documents
from workbench.project.imports import begin_batch, imported_times
from workbench.services.pages.site_list import Site, read_sites
from workbench.services.session import Session, create


def test_sites_have_their_name_common_tags_and_the_time_of_their_first_capture(tmp_path: Path) -> None:
    create(tmp_path / "p.palimpsest")
    pages = [
        Document(f"n{i}", f"text {i}", Role.SUSPECT, title=f"Story {i} | Daily News", site="news.example", tags=tags)
        for i, tags in enumerate([("news", "old"), ("news",), ("local", "news"), ("gone",)])
    ]
    other = Document("b", "text", Role.SUSPECT, title="A blog", site="blog.example")
    with Session(tmp_path / "p.palimpsest") as session:
        with session.write() as connection:
            add_documents(connection, [*pages, other, Document("c", "no page", Role.SOURCE)])
            delete_documents(connection, [4])
            times = {2: "2024-03-02T00:00:00+00:00", 1: "2024-03-05T00:00:00+00:00"}
            urls = {key: f"https://news.example/{key}" for key in times}
            captured = [Capture(urls[key], urls[key], when, Outcome.NEW, document=key) for key, when in times.items()]
            add_captures(connection, "f", captured)
        assert read_sites(session) == [
            Site("news.example", "Daily News", "news", 3, "2024-03-02T00:00:00+00:00"),
            Site("blog.example", "", "", 1, ""),
        ]


def test_versions_of_a_page_are_one_page(tmp_path: Path) -> None:
    create(tmp_path / "p.palimpsest")
    url = "https://news.example/1"
    versions = [
        Document(f"{url}@{i}", f"text {i}", title="Story | Part 1", url=url, site="news.example") for i in range(4)
    ]
    with Session(tmp_path / "p.palimpsest") as session:
        with session.write() as connection:
            add_documents(connection, versions)
        assert read_sites(session) == [Site("news.example", "", "", 1, "")]


def test_a_capture_without_a_time_does_not_hide_when_a_page_was_imported(tmp_path: Path) -> None:
    create(tmp_path / "p.palimpsest")
    pages = [Document(f"n{i}", f"text {i}", site="news.example") for i in range(2)]
    with Session(tmp_path / "p.palimpsest") as session:
        with session.write() as connection:
            add_documents(connection, pages, begin_batch(connection))
            imported = min(imported_times(connection, [1, 2]).values())
            url = "https://news.example/1"
            add_captures(connection, "scan-crawl", [Capture(url, url, "", Outcome.NEW, document=1)])
        assert read_sites(session) == [Site("news.example", "", "", 2, imported)]
