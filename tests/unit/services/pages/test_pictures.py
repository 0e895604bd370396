"""Pages drawn by a process of their own."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.printed import ENGLISH, printed
from workbench.base.errors import UserError
from workbench.base.types import Role
from workbench.jobs.context import Context
from workbench.project.documents import load_document
from workbench.services.importing.batch import import_paths
from workbench.services.pages.pictures import PagePictures, page_pictures
from workbench.services.session import Session, create


@pytest.fixture
def project(tmp_path: Path) -> Path:
    path = tmp_path / "case.palimpsest"
    (tmp_path / "thesis.pdf").write_bytes(printed(ENGLISH))
    (tmp_path / "plain.txt").write_text("No pages here.", "utf-8")
    create(path)
    context = Context("test", lambda event: None, lambda: False)
    assert import_paths(context, path, [tmp_path / "thesis.pdf", tmp_path / "plain.txt"], Role.SUSPECT).imported == 2
    (tmp_path / "thesis.pdf").unlink()
    return path


def pictures(path: Path, name: str) -> PagePictures | None:
    with Session(path) as session:
        with session.read() as connection:
            document = load_document(connection, name)
        return page_pictures(session, document)


def test_pages_are_shown_when_the_file_is_gone(project: Path) -> None:
    pages = pictures(project, "thesis.pdf")
    assert pages is not None
    assert len(pages.sizes()) > 1
    assert abs(pages.picture(1, 1.0).width - 12 / 2.54 * 72) < 2
    assert len(pages.places(1).offsets) > 100
    pages.close()
    with pytest.raises(UserError):
        pages.picture(0, 1.0)


def test_a_text_without_pages_has_none(project: Path) -> None:
    assert pictures(project, "plain.txt") is None


def test_a_process_that_dies_costs_one_page(project: Path) -> None:
    pages = pictures(project, "thesis.pdf")
    assert pages is not None
    pages.sizes()
    assert pages._process is not None
    pages._process.kill()
    with pytest.raises(UserError, match="could not be drawn"):
        pages.picture(0, 1.0)
    assert pages.picture(0, 1.0).height > 0
    pages.close()


def test_a_file_is_kept_once_and_added_when_it_is_imported_again(project: Path, tmp_path: Path) -> None:
    (tmp_path / "thesis.pdf").write_bytes(printed(ENGLISH))
    with Session(project) as session, session.write() as connection:
        connection.exec_driver_sql("DELETE FROM original")
    assert pictures(project, "thesis.pdf") is None
    context = Context("test", lambda event: None, lambda: False)
    assert import_paths(context, project, [tmp_path / "thesis.pdf"], Role.SUSPECT).duplicates == 1
    pages = pictures(project, "thesis.pdf")
    assert pages is not None
    with Session(project) as session, session.read() as connection:
        assert connection.exec_driver_sql("SELECT count(*) FROM capture_body").scalar() == 1
