"""Reports from Review."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import pypdfium2
import pytest
from PySide6.QtPrintSupport import QPrintDialog, QPrinter
from PySide6.QtWidgets import QApplication, QDialog, QLabel, QPushButton
from pytestqt.qtbot import QtBot

from workbench.base.errors import UserError
from workbench.base.messages import Message
from workbench.gui.kit import file_dialogs
from workbench.gui.screens.review.reporting import PackDialog, SealDialog, report_name
from workbench.gui.screens.review.view import ReviewView
from workbench.gui.workspace.context import AppContext
from workbench.services import timestamps
from workbench.services.reports.verifying import verify_pack
from workbench.services.signing import create_key

Kind = TypeVar("Kind", bound=QDialog)


@pytest.mark.parametrize(("kind", "pairs"), [("pair", 1), ("suspect", 2), ("run", 3)])
def test_a_report_is_written_as_a_job_and_offered_for_opening(
    qtbot: QtBot, context: AppContext, review: ReviewView, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str,
    pairs: int,
) -> None:  # fmt: skip
    path = tmp_path / "findings.jsonl"
    requested: list[Path] = []
    monkeypatch.setattr(
        file_dialogs, "save_file", lambda _parent, _title, start, _filters: requested.append(start) or (path, "")
    )
    with qtbot.waitSignal(context.offered) as offered:
        review.reporter.ask_open(kind)
    assert str(path) in offered.args[0]
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    assert len({row["pair"] for row in rows[1:]}) == pairs
    assert requested[0].parent == tmp_path


def test_a_report_without_a_suffix_is_a_page(
    qtbot: QtBot, context: AppContext, review: ReviewView, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(file_dialogs, "save_file", lambda *_: (tmp_path / "findings v1.0", ""))
    with qtbot.waitSignal(context.offered):
        review.reporter.ask_open("suspect")
    assert (tmp_path / "findings v1.0.html").read_text(encoding="utf-8").startswith("<!")


def test_a_report_that_cannot_be_written_says_so(
    qtbot: QtBot, context: AppContext, review: ReviewView, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(file_dialogs, "save_file", lambda *_: (tmp_path / "gone" / "report.html", ""))
    with qtbot.waitSignal(context.notice) as notice:
        review.reporter.ask_open("run")
    assert notice.args[1] == "danger"
    assert "report.html" in notice.args[0]


def test_a_report_that_cannot_be_laid_out_for_the_printer_says_so(
    qtbot: QtBot, context: AppContext, review: ReviewView, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_rest: object, failed: Callable[[Exception], None], **_more: object) -> None:
        failed(UserError(Message("The disk is full.")))

    monkeypatch.setattr(context, "aside", refuse)
    sentences: list[str] = []
    context.notice.connect(lambda sentence, _tone: sentences.append(sentence))
    review.reporter.print_open()
    qtbot.waitUntil(lambda: any("The disk is full." in sentence for sentence in sentences))


def test_a_suggested_name_holds_no_characters_that_files_cannot_have(review: ReviewView) -> None:
    from dataclasses import replace

    opened = review.pair.opened
    assert opened is not None
    odd = replace(opened, a=replace(opened.a, title='../a: "b"? <c>.'))
    assert report_name("suspect", odd) == ".. a b c"
    assert report_name("run", odd) == "run 1"


def test_a_report_is_printed_from_the_window(
    qtbot: QtBot, context: AppContext, review: ReviewView, tmp_path: Path
) -> None:
    def dialogs() -> list[QPrintDialog]:
        return [w for w in QApplication.topLevelWidgets() if isinstance(w, QPrintDialog) and w.isVisible()]

    review.reporter.print_open()
    qtbot.waitUntil(lambda: bool(dialogs()))
    [dialog] = dialogs()
    assert dialog.maxPage() >= 1
    dialog.printer().setOutputFormat(QPrinter.OutputFormat.PdfFormat)
    dialog.printer().setOutputFileName(str(tmp_path / "printed.pdf"))
    sentences: list[str] = []
    context.notice.connect(lambda sentence, _tone: sentences.append(sentence))
    dialog.accepted.emit(dialog.printer())
    qtbot.waitUntil(lambda: any("sent to the printer" in sentence for sentence in sentences))
    pages = pypdfium2.PdfDocument(tmp_path / "printed.pdf")
    assert len(pages) == dialog.maxPage()
    pages.close()
    dialog.reject()
    qtbot.waitUntil(lambda: not dialogs())


def dialog_of(kind: type[Kind]) -> Kind | None:
    """The dialog of this kind that is shown."""
    shown = [w for w in QApplication.topLevelWidgets() if isinstance(w, kind) and w.isVisible()]
    return shown[0] if shown else None


def write_pack(qtbot: QtBot, review: ReviewView, *, stamp: str = "") -> PackDialog:
    """Ask for a pack of the open suspect, with a timestamp by the service at ``stamp``; what is shown of it."""
    review.reporter.ask_open("suspect")
    question = dialog_of(SealDialog)
    focused = question.focusWidget()
    assert isinstance(focused, QPushButton)
    assert focused.text() == "Write the pack"
    assert question is not None
    of_key = "Anyone who has your public key" if question.sign.isEnabled() else "You have no key"
    assert any(part.text().startswith(of_key) for part in question.findChildren(QLabel) if part.isVisible())
    if stamp:
        question.stamp.setChecked(True)
        question.address.setText(stamp)
    question.accept()
    qtbot.waitUntil(lambda: dialog_of(PackDialog) is not None)
    shown = dialog_of(PackDialog)
    assert shown is not None
    return shown


def test_a_pack_without_names_shows_its_fingerprint_and_is_not_signed_unasked(
    qtbot: QtBot, context: AppContext, review: ReviewView, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "case.zip"
    key = create_key()

    def chosen(_parent: object, _title: str, _start: Path, filters: list[str]) -> tuple[Path, str]:
        return path, next(name for name in filters if "without names" in name)

    monkeypatch.setattr(file_dialogs, "save_file", chosen)
    dialog = write_pack(qtbot, review)
    check = verify_pack(path, dialog.fingerprint.field.text())
    assert check.whole
    assert check.anonymous
    assert check.expected
    assert check.signed_by == ""
    assert "not signed" in dialog.words.text_whole()
    assert f"{path.name}.names.json" in dialog.words.text_whole()
    monkeypatch.setattr(file_dialogs, "save_file", lambda _p, _t, start, _f: (start, ""))
    with qtbot.waitSignal(context.offered):
        dialog.report.click()
    report = (tmp_path / "case.html").read_text("utf-8")
    assert check.fingerprint in report
    assert key not in report
    dialog.reject()


def test_a_signed_pack_offers_the_report_that_names_it(
    qtbot: QtBot, context: AppContext, review: ReviewView, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    key, path = create_key(), tmp_path / "case.zip"
    monkeypatch.setattr(file_dialogs, "save_file", lambda *_: (path, ""))
    dialog = write_pack(qtbot, review)
    fingerprint = dialog.fingerprint.field.text()
    dialog.fingerprint.button.click()
    assert QApplication.clipboard().text() == fingerprint
    assert verify_pack(path, fingerprint, key=key).whole
    monkeypatch.setattr(file_dialogs, "save_file", lambda _p, _t, start, _f: (start, ""))
    with qtbot.waitSignal(context.offered):
        dialog.report.click()
    report = (tmp_path / "case.html").read_text("utf-8")
    assert fingerprint in report
    assert key in report
    dialog.reject()


def test_a_pack_from_the_window_is_timestamped_by_the_service_that_is_named(
    qtbot: QtBot, review: ReviewView, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("rfc3161_client")
    from tests.timestamp_service import TimestampService

    path = tmp_path / "case.zip"
    monkeypatch.setattr(file_dialogs, "save_file", lambda *_: (path, ""))
    review.reporter.ask_open("suspect")
    question = dialog_of(SealDialog)
    assert question is not None
    assert not question.sign.isEnabled()
    question.stamp.setChecked(True)
    question.address.setText("nowhere")
    question.accept()
    assert question.isVisible()
    assert "must begin with https" in question.problem.text()
    question.reject()
    with TimestampService(tmp_path) as service:
        timestamps.save(timestamps.Service(service.url, str(service.authorities)))
        dialog = write_pack(qtbot, review, stamp=service.url)
        assert service.requests == 1
    assert "timestamp" in dialog.words.text_whole()
    assert verify_pack(path, authorities=str(service.authorities)).existed
    dialog.reject()
