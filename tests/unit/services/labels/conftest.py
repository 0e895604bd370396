"""A small project to label."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.project_files import build_once
from workbench.base.types import Document, Role
from workbench.project.documents import add_documents
from workbench.services.session import Session, create


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Forty suspects and a source; addresses of two blogs of one host; e38 and e39 have the same text."""
    return entries(tmp_path / "labels.palimpsest")


@build_once
def entries(path: Path) -> None:
    """Write what ``project`` describes."""
    create(path)
    documents = [
        Document(
            f"e{n:02}",
            f"Text of entry {min(n, 38)}.",
            Role.SUSPECT,
            url=f"https://blog.example/{'ann' if n % 2 else 'ben'}/{n}.html" if n < 10 else "",
            published=f"2024-01-{n + 1:02}" if n < 10 else "",
        )
        for n in range(40)
    ]
    with Session(path) as session, session.write() as connection:
        add_documents(connection, [*documents, Document("source", "Something else.", Role.SOURCE)])
