"""A format is one module and one line in FORMATS: a planted one appears everywhere a format should."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from workbench.project.documents import load_document
from workbench.services.session import Session, create

pytestmark = pytest.mark.slow
ROOT = Path(__file__).resolve().parents[4]
FORMAT = '''"""Tapes: one document a file."""

from workbench.reading.formats.api import Record
from workbench.reading.formats.media import plain
from workbench.reading.formats.opening import whole

name = "tape"
suffixes = (".tape",)


def sniff(head):
    return head.startswith(b"TAPE")


def read(source, options):
    yield Record(None, plain(whole(source, options).decode().removeprefix("TAPE "), source.name, options))
'''


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the program with one more module and one more line."""
    copy = tmp_path_factory.mktemp("program")
    for folder in ("workbench", "packaging"):
        shutil.copytree(ROOT / folder, copy / folder)
    for folder in ("resources", "docs"):
        (copy / folder).symlink_to(ROOT / folder)
    (copy / "workbench" / "reading" / "formats" / "tape.py").write_text(FORMAT, "utf-8")
    declared = copy / "workbench" / "reading" / "formats" / "__init__.py"
    text = declared.read_text("utf-8")
    end = '\n)\n"""'
    assert end in text
    text = text.replace(end, f"\n    tape,{end}").replace("    tar,\n    txt,", "    tape,\n    tar,\n    txt,")
    declared.write_text(text, "utf-8")
    return copy


def python(program: Path, *arguments: str, cwd: Path) -> str:
    completed = subprocess.run(
        [sys.executable, *arguments],
        capture_output=True,
        encoding="utf-8",
        cwd=cwd,
        env=os.environ | {"PYTHONPATH": str(program), "QT_QPA_PLATFORM": "offscreen"},
        timeout=120,
        check=False,
    )
    assert completed.returncode == 0, completed.stderr
    return completed.stdout


def test_a_planted_format_is_imported(program: Path, tmp_path: Path) -> None:
    (tmp_path / "a.tape").write_text("TAPE 写本である。", "utf-8")
    (tmp_path / "b").write_text("TAPE 原本である。", "utf-8")
    create(tmp_path / "p.palimpsest")
    imported = python(program, "-m", "workbench", "import", "p.palimpsest", "a.tape", "b", "--json", cwd=tmp_path)
    assert json.loads(imported)["imported"] == 2
    with Session(tmp_path / "p.palimpsest") as session, session.read() as connection:
        assert [load_document(connection, name).text for name in ("a.tape", "b")] == ["写本である。", "原本である。"]


@pytest.mark.rest
def test_a_planted_format_is_extracted(program: Path, tmp_path: Path) -> None:
    (tmp_path / "a.tape").write_text("TAPE 写本である。", "utf-8")
    command = ("-m", "workbench", "extract", "a.tape", "--format", "tape", "--json")
    assert json.loads(python(program, *command, cwd=tmp_path))["text"] == "写本である。"


@pytest.mark.rest
def test_a_planted_format_is_offered_in_the_window_and_in_the_reference(program: Path, tmp_path: Path) -> None:
    show = """
from types import SimpleNamespace
from PySide6.QtWidgets import QApplication, QWidget
application = QApplication([])
from workbench.gui.screens.documents import import_dialog
import_dialog.DocumentPane = lambda *_: QWidget()
import_dialog.ImportDialog.preview = lambda _: None
parent = QWidget()
formats = import_dialog.ImportDialog(SimpleNamespace(jobs=None, session=None), [], parent).formats
print([formats.itemData(i) for i in range(formats.count())])
"""
    assert "'tape'" in python(program, "-c", show, cwd=tmp_path)
    show = f"import sys; sys.path.insert(0, {str(program / 'packaging')!r})\n"
    show += "import reference; print(*reference.reference(), *reference.format_table(), sep='\\n')"
    page = python(program, "-c", show, cwd=tmp_path)
    assert ", tape, zip" in page
    assert "| `tape` | `.tape` | Tapes: one document a file. |" in page
