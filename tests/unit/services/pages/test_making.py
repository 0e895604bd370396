"""Pages that LibreOffice makes of office files."""

from __future__ import annotations

import os
import time
from io import BytesIO
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import url2pathname
from xml.etree import ElementTree

import numpy as np
import pypdfium2
import pytest
from PIL import Image

from tests.processes import wait_until
from tests.unit.reading.formats.test_hidden_styles import framed, on_slide
from tests.unit.reading.formats.test_office import docx, run
from workbench.base.errors import Cancelled, UserError
from workbench.base.types import Role
from workbench.jobs import children
from workbench.jobs.context import Context
from workbench.project.documents import load_document
from workbench.services.importing.batch import import_paths
from workbench.services.pages import making
from workbench.services.pages.making import MakePages, converted
from workbench.services.pages.pictures import page_pictures
from workbench.services.session import Session, create

TYPES = """<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">
<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>
<Override PartName="/word/document.xml"
ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>"""
RELATIONS = """<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="a"
Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument"
Target="word/document.xml"/></Relationships>"""
BREAK = '<w:r><w:br w:type="page"/></w:r>'


def thesis() -> bytes:
    """Two pages."""
    words = " ".join(f"word{number} of the harbour" for number in range(80))
    body = f"<w:p>{run(words)}</w:p><w:p>{BREAK}{run('The second page is about something else.')}</w:p>"
    return docx(body, **{"[Content_Types].xml": TYPES, "_rels/.rels": RELATIONS})


def context() -> Context:
    return Context("test", lambda event: None, lambda: False)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    path = tmp_path / "case.palimpsest"
    (tmp_path / "thesis.docx").write_bytes(thesis())
    (tmp_path / "plain.txt").write_text("No pages here.", "utf-8")
    create(path)
    import_paths(context(), path, [tmp_path / "thesis.docx", tmp_path / "plain.txt"], Role.SUSPECT)
    (tmp_path / "thesis.docx").unlink()
    return path


@pytest.fixture(scope="module")
def libreoffice() -> None:
    try:
        making.office()
    except UserError as error:
        pytest.skip(error.sentence)


def test_libreoffice_is_told_to_run_no_macro_and_to_fetch_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    switches: dict[str, str] = {}

    def run_office(_program: str, arguments: list[str], folder: Path, **_: object) -> int:
        (profile,) = (word.partition("=")[2] for word in arguments if word.startswith("-env:UserInstallation="))
        settings = Path(url2pathname(urlsplit(profile).path)) / "user" / "registrymodifications.xcu"
        name = "{http://openoffice.org/2001/registry}name"
        for prop in ElementTree.fromstring(settings.read_bytes()).iter("prop"):
            switches[prop.attrib[name]] = prop.findtext("value", "")
        (folder / "document.pdf").write_bytes(b"%PDF-1.4")
        return 0

    monkeypatch.setattr(making, "office", lambda: "soffice")
    monkeypatch.setattr(children, "run_confined", run_office)
    converted(b"", "docx", tmp_path, lambda: None)
    for name in ("DisableMacrosExecution", "BlockUntrustedRefererLinks", "DisableActiveContent"):
        assert switches[name] == "true"
    assert switches["Link"] == "0"


@pytest.mark.usefixtures("libreoffice")
def test_a_word_file_has_pages_with_its_words_in_their_places(project: Path) -> None:
    outcome = MakePages().run(context(), project)
    assert [str(s) for s in outcome.sentences] == ["1 document has pages now."]
    assert (outcome.record["pages"], outcome.record["words_nowhere"], outcome.failed) == (2, 0, [])
    with Session(project) as session:
        with session.read() as connection:
            document = load_document(connection, "thesis.docx")
        pages = page_pictures(session, document)
    assert pages is not None
    assert document.extraction.pages == ()
    assert len(pages.document.extraction.pages) == len(pages.sizes()) == 2
    start = document.text.index("something else")
    places = pages.places(1)
    assert "".join(document.text[at] for at in places.offsets.tolist()) == "Thesecondpageisaboutsomethingelse."
    marked = np.array(Image.open(BytesIO(pages.marked(1, 1.0, [(start, start + 9)]))).convert("RGB")).astype(int)
    columns = np.flatnonzero((marked[:, :, 2] < marked[:, :, 0] - 40).any(0))
    own = places.boxes[np.isin(places.offsets, range(start, start + 9))]
    assert abs(columns[0] - own[:, 0].min()) < 2
    assert abs(columns[-1] - own[:, 2].max()) < 2
    pages.close()
    again = MakePages().run(context(), project)
    assert again.record["documents"] == 0


@pytest.mark.usefixtures("libreoffice")
@pytest.mark.rest
def test_a_slide_has_its_words_in_their_places_whatever_their_case(tmp_path: Path) -> None:
    title = '<p:sp>{}<p:txBody><a:p><a:r><a:rPr cap="all"/><a:t>the harbour</a:t></a:r></a:p></p:txBody></p:sp>'
    (tmp_path / "talk.pptx").write_bytes(on_slide("below the title", shapes=title.format(framed(1, 3, 6, 1))))
    create(tmp_path / "case.palimpsest")
    import_paths(context(), tmp_path / "case.palimpsest", [tmp_path / "talk.pptx"], Role.SUSPECT)
    outcome = MakePages().run(context(), tmp_path / "case.palimpsest")
    assert (outcome.record["pages"], outcome.record["words"], outcome.record["words_nowhere"]) == (1, 5, 0)
    with Session(tmp_path / "case.palimpsest") as session:
        with session.read() as connection:
            document = load_document(connection, "talk.pptx")
        pages = page_pictures(session, document)
    assert pages is not None
    places = pages.places(0)
    assert "".join(document.text[at] for at in places.offsets.tolist()) == "theharbourbelowthetitle"
    tops = dict(zip(places.offsets.tolist(), places.boxes[:, 1].tolist(), strict=True))
    assert tops[document.text.index("harbour")] > tops[document.text.index("below")]
    pages.close()


@pytest.mark.usefixtures("libreoffice")
def test_what_takes_too_long_is_refused_and_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(making, "SECONDS", 0.01)
    with pytest.raises(UserError, match=r"took more than 0\.01 seconds"):
        converted(thesis(), "docx", tmp_path, lambda: None)


@pytest.mark.usefixtures("libreoffice")
def test_a_cancelled_job_ends_the_program(tmp_path: Path) -> None:
    def cancel() -> None:
        raise Cancelled

    with pytest.raises(Cancelled):
        converted(thesis(), "docx", tmp_path, cancel)
    assert not (tmp_path / "document.pdf").exists()


@pytest.mark.usefixtures("libreoffice")
def test_what_it_cannot_read_fails_in_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="could not read this file"):
        converted(b"PK\x03\x04 nothing", "docx", tmp_path, lambda: None)


def test_without_the_program_one_sentence_says_what_to_install(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(children, "find", lambda program: None)
    monkeypatch.setattr(making, "_ELSEWHERE", {})
    with pytest.raises(UserError, match="needs the program LibreOffice") as error:
        MakePages().run(context(), project)
    assert "apt install libreoffice-writer" in str(error.value.hint)


def test_an_unknown_document_is_named(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(making, "office", lambda: "soffice")
    with pytest.raises(UserError, match="no document other"):
        MakePages(documents=("other",)).run(context(), project)


@pytest.mark.usefixtures("libreoffice")
def test_a_file_puts_no_picture_of_the_user_on_its_pages(tmp_path: Path) -> None:
    folder, picture = tmp_path / "folder", tmp_path / "own.png"
    folder.mkdir()
    Image.new("RGB", (400, 300), (255, 0, 0)).save(picture)
    if not _has_room(folder):
        pytest.skip("this system isolates no program from files")
    words = f'{{\\rtf1 begin {{\\field{{\\*\\fldinst INCLUDEPICTURE "{picture}" \\\\d}}{{\\fldrslt }}}} end}}'
    with pypdfium2.PdfDocument(converted(words.encode(), "rtf", folder, lambda: None)) as pages:
        assert not [part for part in pages[0].get_objects() if isinstance(part, pypdfium2.PdfImage)]


def _has_room(folder: Path) -> bool:
    return "--mount" in children._alone(folder, "/usr/bin/soffice")


def test_a_confined_program_reads_no_other_file_of_the_user(tmp_path: Path) -> None:
    folder, shell = tmp_path / "folder", children.find("sh")
    folder.mkdir()
    (tmp_path / "own.txt").write_text("private", "utf-8")
    if shell is None or not _has_room(folder):
        pytest.skip("this system isolates no program from files")
    script = f"cat {tmp_path}/own.txt > copy; echo here > done; ls /home /root > list"
    children.run_confined(shell, ["-c", script], folder, seconds=20, memory=1_000_000_000, check=lambda: None)
    assert {name: (folder / name).read_text() for name in ("copy", "done")} == {"copy": "", "done": "here\n"}
    assert (folder / "list").read_text() == ""


def test_a_program_that_nothing_isolates_still_leaves_its_files_in_its_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shell = children.find("sh")
    if shell is None:
        pytest.skip("there is no shell")
    monkeypatch.setattr(children, "_alone", lambda folder, executable: ())
    script = "echo here > done"
    children.run_confined(shell, ["-c", script], tmp_path, seconds=20, memory=1_000_000_000, check=lambda: None)
    assert (tmp_path / "done").read_text() == "here\n"


def test_a_confined_program_and_what_it_starts_end_together(tmp_path: Path) -> None:
    shell = children.find("sh")
    if shell is None:
        pytest.skip("there is no shell")
    script = "(echo up; sleep 60) > pipe & echo $HOME > home; env > all; sleep 30"
    os.mkfifo(tmp_path / "pipe")
    pipe = os.open(tmp_path / "pipe", os.O_RDONLY | os.O_NONBLOCK)
    began = time.monotonic()
    with pytest.raises(TimeoutError):
        children.run_confined(shell, ["-c", script], tmp_path, seconds=0.5, memory=1_000_000_000, check=lambda: None)
    assert time.monotonic() - began < 5
    assert (tmp_path / "home").read_text().strip() == str(tmp_path)
    assert "PYTHON" not in (tmp_path / "all").read_text()
    assert os.read(pipe, 9) == b"up\n"

    def ended() -> bool:
        # Nothing can be read as long as another process may still write.
        try:
            return os.read(pipe, 9) == b""
        except BlockingIOError:
            return False

    try:
        assert wait_until(ended, 30)
    finally:
        os.close(pipe)
