"""Projects with documents and runs that the tests of the services share."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from stored import FIRST, PASSAGES, A, B, store_run

from workbench.base.types import Document, Role
from workbench.jobs.context import Context
from workbench.project.documents import add_documents
from workbench.project.imports import begin_batch, finish_batch
from workbench.services.session import Session, create


@pytest.fixture
def path(tmp_path: Path) -> Path:
    create(tmp_path / "case.palimpsest")
    return tmp_path / "case.palimpsest"


@pytest.fixture
def ctx() -> Context:
    return Context("test", lambda event: None, lambda: False)


@pytest.fixture
def session(path: Path) -> Iterator[Session]:
    """Suspect ``a`` (key 1) and source ``b`` (key 2) with the passages PASSAGES in run 1."""
    with Session(path) as opened:
        documents = [
            Document("a", A, Role.SUSPECT, title="写本", language="ja"),
            Document("b", B, Role.SOURCE, title="原本", language="ja"),
        ]
        with opened.write() as connection:
            batch = begin_batch(connection)
            add_documents(connection, documents, batch)
            finish_batch(connection, batch)
        store_run(opened, PASSAGES[FIRST])
        yield opened
