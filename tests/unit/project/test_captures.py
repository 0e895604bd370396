"""Captures that were not recorded in the order of their times."""

from __future__ import annotations

import pytest

from workbench.project.captures import (
    Capture,
    Outcome,
    add_captures,
    all_captures,
    captures_of_document,
    first_captures,
)
from workbench.project.database import Project

URL = "https://a.example/"
FETCHED, ARCHIVED = "2026-03-10T12:00:00Z", "2019-05-01T00:00:00Z"


@pytest.fixture
def captured(corpus: Project) -> Project:
    """A page that was fetched, and then found in two archives: earlier, and without a valid time."""
    with corpus.write() as connection:
        for fetch, when in (("fetch", FETCHED), ("archive", ARCHIVED), ("undated", "")):
            add_captures(connection, fetch, [Capture(URL, URL, when, Outcome.NEW, 200, 1)])
        add_captures(connection, "undated", [Capture("https://b.example/", "", "", Outcome.NEW, 200, 2)])
    return corpus


def test_the_captures_of_a_page_are_listed_by_time(captured: Project) -> None:
    with captured.read() as connection:
        for captures in (captures_of_document(connection, 1), list(all_captures(connection, URL))):
            assert [capture.captured for capture in captures] == [ARCHIVED, FETCHED, ""]


def test_a_capture_without_a_time_is_not_the_first(captured: Project) -> None:
    with captured.read() as connection:
        assert first_captures(connection, [1, 2]) == {1: (ARCHIVED, "archive"), 2: ("", "undated")}
