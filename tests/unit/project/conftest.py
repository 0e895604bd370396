"""Projects and contents that the tests of the project file share."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests import project_files
from workbench.base.types import Document, Role
from workbench.project.database import Project, create
from workbench.project.documents import add_documents

sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture(autouse=True)
def written_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    """Projects come into being as they do in the program."""
    monkeypatch.setattr("workbench.project.opening.write_new", project_files.written_anew)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "case.palimpsest"


@pytest.fixture
def project(path: Path) -> Iterator[Project]:
    with create(path) as project:
        yield project


@pytest.fixture
def corpus(project: Project) -> Project:
    """Ten suspects (keys 1..10) and ten sources (keys 11..20) of 1,000 code points."""
    roles = [Role.SUSPECT] * 10 + [Role.SOURCE] * 10
    documents = [Document(f"d{i}", f"{i:04d}" * 250, role=role) for i, role in enumerate(roles, 1)]
    with project.write() as connection:
        add_documents(connection, documents)
    return project
