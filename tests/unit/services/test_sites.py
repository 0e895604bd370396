from __future__ import annotations

from pathlib import Path

import pytest

from workbench.base.types import Role
from workbench.jobs.context import Context
from workbench.project.documents import load_document
from workbench.services import selectors
from workbench.services.importing import ImportOptions, import_paths
from workbench.services.session import Session, create

MENU = "<p>ここは当サイトの全ページに付く案内であり、どの記事にも同じものが載る。</p>"
BODY = "<p>{0}番目の記事だけに書いてあることで、ほかのどのページにもこの文は載っていない（{0}）。</p>"


def page(folder: Path, number: int, host: str = "site.example") -> Path:
    file = folder / f"{host}-{number}.html"
    link = f'<link rel="canonical" href="http://{host}/{number}.html">'
    file.write_text(f"<html><head><title>{number}</title>{link}</head><body>{MENU}{BODY.format(number)}</body></html>")
    return file


@pytest.fixture
def project(tmp_path: Path) -> Path:
    path = tmp_path / "p.palimpsest"
    create(path)
    return path


def brought(project: Path, files: list[Path]) -> None:
    import_paths(
        Context("test", lambda event: None, lambda: False), project, files, Role.SOURCE, ImportOptions(workers=1)
    )


def rules(project: Path, key: int) -> dict[str, tuple[str, str]]:
    with Session(project) as session, session.read() as connection:
        document = load_document(connection, key)
    text = {document.text[slice(*b.span)]: (b.verdict.value, b.rule) for b in document.blocks}
    return {("menu" if "全ページ" in words else "body"): found for words, found in text.items()}


def test_what_three_pages_of_a_site_repeat_is_left_out(project: Path, tmp_path: Path):
    brought(project, [page(tmp_path, n) for n in range(4)])
    for key in (1, 4):
        assert rules(project, key)["menu"] == ("non-content", "repeated on 4 of 4 pages of the site")
        assert rules(project, key)["body"][0] == "content"


def test_pages_of_one_site_that_come_one_by_one_count_together(project: Path, tmp_path: Path):
    for n in range(3):
        brought(project, [page(tmp_path, n)])
        brought(project, [page(tmp_path, n, "other.example")])
    assert rules(project, 1)["menu"] == ("non-content", "repeated on 3 of 3 pages of the site")
    brought(project, [page(tmp_path, 3)])
    assert rules(project, 1)["menu"] == ("non-content", "repeated on 4 of 4 pages of the site")


def test_two_pages_or_pages_of_many_sites_repeat_nothing(project: Path, tmp_path: Path):
    brought(project, [page(tmp_path, n, f"{n}.example") for n in range(4)])
    brought(project, [page(tmp_path, n, "two.example") for n in range(2)])
    assert {rules(project, key)["menu"][0] for key in range(1, 7)} == {"content"}


def test_what_a_selector_chose_stays_even_where_it_is_repeated(project: Path, tmp_path: Path):
    with Session(project) as session:
        selectors.choose(session, "site.example", "body")
    brought(project, [page(tmp_path, n) for n in range(4)])
    assert rules(project, 1)["menu"][0] == "content"
