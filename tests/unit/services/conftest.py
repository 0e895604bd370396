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


class _Followed(Context):
    """Notes what no progress bar could show: a stage that goes backwards, or beyond its end."""

    def __init__(self) -> None:
        super().__init__("test", lambda event: None, lambda: False)
        self.wrong: list[tuple[str, int, int | None]] = []
        self._at: tuple[str, int, int | None] = ("", 0, None)

    def advance(self, stage: str, done: int, total: int | None = None) -> None:
        # One context may serve several jobs: they begin at nothing, with their first unit, or after the end of another.
        back = (stage, total) == (self._at[0], self._at[2]) and 1 < done < self._at[1] != total
        if done < 0 or back or (total is not None and done > total):
            self.wrong.append((stage, done, total))
        self._at = (stage, done, total)
        super().advance(stage, done, total)


@pytest.fixture
def ctx() -> Iterator[Context]:
    """The context of a job; its progress is possible."""
    followed = _Followed()
    yield followed
    assert not followed.wrong


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
