"""Files that once brought an import down, hung it, or took all memory or minutes: each is its own failure alone."""

from __future__ import annotations

import io
import os
import tarfile
import zipfile
from pathlib import Path

import pytest

from workbench.base.errors import UserError
from workbench.base.resources import open_regular
from workbench.jobs.context import Context
from workbench.services.importing.batch import ImportOptions, ImportResult, import_paths
from workbench.services.labels.rows import read_rows
from workbench.services.reports.verifying import verify_pack
from workbench.services.session import create

GOOD = "これは正しい文書です。二つ目の文もあります。三つ目の文です。"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "in"
    folder.mkdir()
    for number in range(6):
        (folder / f"good{number}.txt").write_text(f"{number} {GOOD}", encoding="utf-8")
    return folder


def _import(folder: Path, limit: float = 60.0) -> ImportResult:
    project = folder.parent / "p.palimpsest"
    create(project)
    watch = Context("test", lambda event: None, lambda: False)
    return import_paths(watch, project, [folder], None, ImportOptions(limit=limit))


def _failures(result: ImportResult) -> dict[str, str]:
    return {failure.path.partition("in/")[2]: failure.error for failure in result.failed}


@pytest.mark.parametrize("method", [zipfile.ZIP_LZMA, zipfile.ZIP_BZIP2, zipfile.ZIP_DEFLATED])
def test_a_damaged_member_of_a_nested_archive_is_one_failure(folder: Path, method: int) -> None:
    inner = io.BytesIO()
    with zipfile.ZipFile(inner, "w") as archive:
        archive.writestr("in.txt", "inner text " * 40)
    with zipfile.ZipFile(folder / "bad.zip", "w", method) as archive:
        archive.writestr("n.zip", inner.getvalue())
        archive.writestr("ok.txt", "fine text in the archive " * 4)
    data = bytearray((folder / "bad.zip").read_bytes())
    for place in range(20):
        data[data.index(b"n.zip") + 35 + place] ^= 0xFF
    (folder / "bad.zip").write_bytes(data)
    result = _import(folder)
    assert result.imported == 7
    assert list(_failures(result)) == ["bad.zip!n.zip"]
    assert "Error" not in result.failed[0].error


@pytest.mark.parametrize("size", [1 << 60, 100_000_000])
def test_a_tar_that_claims_more_than_it_holds_ends_where_it_ends(folder: Path, size: int) -> None:
    member = tarfile.TarInfo("x.txt")
    member.size = size
    (folder / "huge.tar").write_bytes(member.tobuf(tarfile.GNU_FORMAT) + b"hello" * 200)
    result = _import(folder, limit=20)
    assert result.imported == 6
    assert {path.partition("!")[0] for path in _failures(result)} == {"huge.tar"}
    assert not any("limit of 20" in error for error in _failures(result).values())


def _pdf_of_a_form_that_invokes_itself() -> bytes:
    drawn = "/X Do " * 12
    form = "<< /Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << /XObject << /X 4 0 R >> >>"
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] /Contents 5 0 R /Resources << /XObject << /X 4 0 R >> >> >>",
        f"{form} /Length {len(drawn)} >>\nstream\n{drawn}\nendstream",
        "<< /Length 6 >>\nstream\n/X Do \nendstream",
    ]
    body = "".join(f"{number} 0 obj\n{content}\nendobj\n" for number, content in enumerate(objects, 1))
    return f"%PDF-1.4\n{body}trailer << /Size 6 /Root 1 0 R >>\n%%EOF\n".encode()


def test_a_pdf_that_would_take_all_memory_or_time_is_one_failure(folder: Path) -> None:
    (folder / "form.pdf").write_bytes(_pdf_of_a_form_that_invokes_itself())
    result = _import(folder, limit=2)
    assert result.imported == 6
    assert list(_failures(result)) == ["form.pdf"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="pipes with names are of POSIX systems")
def test_pipes_are_refused_wherever_a_file_is_asked_for(folder: Path) -> None:
    pipe = folder / "pipe.txt"
    os.mkfifo(pipe)
    result = _import(folder)
    assert (result.imported, _failures(result)) == (6, {"pipe.txt": "This is not a regular file."})
    with pytest.raises(OSError, match="no regular file"):
        open_regular(pipe)
    with pytest.raises(OSError, match="no regular file"):
        open_regular(Path(os.devnull))
    with pytest.raises(UserError, match="no regular file"):
        list(read_rows(pipe))
    with pytest.raises(UserError, match="no regular file"):
        verify_pack(pipe)


def test_a_project_and_what_lies_beside_it_are_not_texts(folder: Path) -> None:
    create(folder / "p.palimpsest")
    for end in ("-wal", "-shm", "-journal", ".import-1.lock", ".v3.bak"):
        (folder / f"p.palimpsest{end}").write_bytes(b"\0\1")
    (folder / "p.palimpsest-index").mkdir()
    (folder / "p.palimpsest-index" / "a.txt").write_text("no text of mine")
    (folder / "about.palimpsest.txt").write_text("A text about it.")
    result = _import(folder)
    assert (result.imported, result.failed) == (7, ())


def test_a_message_needs_no_more_than_one_field(folder: Path) -> None:
    (folder / "a.eml").write_text("From: a@b\nSubject: s\n\nA message that says very little.\n")
    (folder / "b.eml").write_text("From a@b Thu Jan  2 03:04:05 2020\nFrom: a@b\n\nA message out of a mailbox.\n")
    result = _import(folder)
    assert (result.imported, result.failed) == (8, ())


def test_a_file_that_holds_nothing_is_reported(folder: Path) -> None:
    with zipfile.ZipFile(folder / "empty.zip", "w"):
        pass
    (folder / "blank.jsonl").write_text("\n \n")
    (folder / "header.csv").write_text("id,text\n")
    result = _import(folder)
    assert set(_failures(result)) == {"empty.zip", "blank.jsonl", "header.csv"}
    assert set(_failures(result).values()) == {"There is nothing to read in this file."}
