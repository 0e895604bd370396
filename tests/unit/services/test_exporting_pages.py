"""Documents handed out in the standard format are read again as they were."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from workbench.base import own_folders
from workbench.base.errors import UserError
from workbench.base.types import Document, Role
from workbench.jobs.context import Context
from workbench.project.documents import add_documents, iter_documents
from workbench.services.exporting_pages import export_standard
from workbench.services.importing.batch import import_paths
from workbench.services.session import Session, create

PAGE = """<html><head><title>Page {number}</title></head><body><nav><a href="/p{other}">Other</a></nav>
<article><h1>Heading {number}</h1><p>First sentence of page {number}. 第二の文である。</p><p>Another paragraph, and a
<a href="http://s.example/p{other}">link to page {other}</a> within it.</p></article></body></html>"""


def test_pages_are_exported_and_read_again_with_text_blocks_and_links(ctx: Context, path: Path, tmp_path: Path) -> None:
    rows = tmp_path / "pages"
    rows.mkdir()
    for number, other in ((1, 2), (2, 1)):
        page = PAGE.format(number=number, other=other)
        head = f"<link rel='canonical' href='http://s.example/p{number}'>"
        (rows / f"p{number}.html").write_text(page.replace("</head>", f"{head}</head>"), encoding="utf-8")
    import_paths(ctx, path, [rows], Role.SUSPECT)
    folder = tmp_path / "out"
    assert export_standard(ctx, path, folder) == 2
    files = sorted(folder.iterdir())
    assert [file.suffix for file in files] == [".xml"] * 2
    assert 'Url="http://s.example/p2">pages/p2.html</DocID>' in files[0].read_text("utf-8")
    create(tmp_path / "again.palimpsest")
    result = import_paths(ctx, tmp_path / "again.palimpsest", [folder], Role.SUSPECT)
    assert result.imported == 2
    whole = []
    for project in (path, tmp_path / "again.palimpsest"):
        with Session(project, write=False) as session, session.read() as connection:
            documents = list(iter_documents(connection, ()))
        whole.append(
            [(d.title, d.url, d.text, set(d.links), [(b.span, b.verdict) for b in d.blocks]) for d in documents]
        )
    assert whole[0] == whole[1]


def test_a_folder_with_files_is_left_alone(ctx: Context, path: Path, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "mine.txt").write_text("mine", encoding="utf-8")
    with pytest.raises(UserError, match="not empty"):
        export_standard(ctx, path, tmp_path / "out")
    assert [file.name for file in (tmp_path / "out").iterdir()] == ["mine.txt"]


def _killed_export(path: Path, folder: Path) -> None:
    """Export in a process that is killed while it writes its second page."""
    program = (
        "import os, signal, sys\n"
        "from pathlib import Path\n"
        "from workbench.jobs.context import Context\n"
        "from workbench.reading.formats import standard\n"
        "from workbench.services.exporting_pages import export_standard\n"
        "written, pages = standard.written, []\n"
        "def write(*page):\n"
        "    pages.append(page)\n"
        "    if len(pages) == 2:\n"
        "        next(Path(sys.argv[2]).glob('*.xml')).with_name('.00000002.xml.0123456789abcdef.part').touch()\n"
        "        os.kill(os.getpid(), signal.SIGKILL)\n"
        "    return written(*page)\n"
        "standard.written = write\n"
        "ctx = Context('j', lambda event: None, lambda: False)\n"
        "export_standard(ctx, Path(sys.argv[1]), Path(sys.argv[2]))\n"
    )
    assert subprocess.run([sys.executable, "-c", program, path, folder], check=False).returncode == -signal.SIGKILL


def test_what_an_export_that_was_killed_has_left_is_replaced_and_nothing_else(
    ctx: Context, path: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "out"
    with Session(path) as session, session.write() as connection:
        add_documents(connection, [Document(f"d{number}", f"Text {number}.", Role.SUSPECT) for number in range(3)])
    _killed_export(path, folder)
    assert (folder / "00000001.xml").exists()
    (folder / "mine.txt").write_text("mine", encoding="utf-8")
    with pytest.raises(UserError, match="not empty"):
        export_standard(ctx, path, folder)
    (folder / "mine.txt").unlink()
    assert export_standard(ctx, path, folder) == 3
    assert sorted(file.name for file in folder.iterdir()) == [f"0000000{number}.xml" for number in (1, 2, 3)]
    with pytest.raises(UserError, match="not empty"):
        export_standard(ctx, path, folder)
    (folder / own_folders.MARK).write_text("0123456789abcdef 0", encoding="ascii")
    with pytest.raises(UserError, match="not empty"):
        export_standard(ctx, path, folder)
