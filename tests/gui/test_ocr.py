"""Documents: pictures and scans are read by text recognition."""

from __future__ import annotations

from pathlib import Path

import pytest
from PIL import Image, ImageDraw, ImageFont
from pytestqt.qtbot import QtBot

from tests.gui.conftest import Start, finished, settle
from tests.gui.documents_view import opened, previewed
from workbench.base.errors import UserError
from workbench.base.messages import Message
from workbench.base.types import Role
from workbench.reading import recognition

SCANNED = "The harbour was quiet in the morning, and nobody was there."


@pytest.fixture
def scan(tmp_path: Path) -> Path:
    """A picture of a line of text."""
    image = Image.new("L", (1200, 200), 250)
    font = Path(__file__).resolve().parents[2] / "resources" / "fonts" / "PalimpsestUI-Regular.otf"
    ImageDraw.Draw(image).text((60, 80), SCANNED, font=ImageFont.truetype(str(font), 38), fill=25)
    image.save(tmp_path / "scan.png")
    return tmp_path / "scan.png"


def test_pictures_are_offered_for_text_recognition_and_say_that_they_were_read(
    start: Start, project: Path, scan: Path, qtbot: QtBot
) -> None:
    try:
        recognition.check("eng")
    except UserError as error:
        pytest.skip(error.sentence)
    controller, view = opened(start, project)
    view.importer.offer([scan])
    dialog = previewed(qtbot, view)
    dialog.roles.setCurrentIndex(dialog.roles.findData(Role.SUSPECT.value))
    assert dialog.ocr.isVisible()
    assert not dialog.go.isEnabled()
    assert "1 input cannot be read" in dialog.state.text()
    failing = dialog.list.item(0).icon().cacheKey()
    dialog.ocr.click()
    assert dialog.list.item(0).icon().cacheKey() != failing
    assert dialog.go.isEnabled()
    assert dialog.state.text() == "1 document will be read."
    assert dialog.pane.empty.title.text() == "Will be read by text recognition"
    dialog.go.click()
    finished(qtbot, controller)
    view.table.select_keys([5])
    settle(qtbot, controller)
    assert view.pane.document is not None
    assert view.pane.document.text == SCANNED
    assert "read from a picture, 9" in view.pane.facts.text_whole()
    assert view.model.values("ocr")[-1] > 80


def test_without_a_program_for_it_the_dialog_says_what_to_install(
    start: Start, project: Path, scan: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    def missing(_languages: str) -> None:
        raise UserError(Message("No program."), hint=Message("Install one."))

    monkeypatch.setattr(recognition, "check", missing)
    _, view = opened(start, project)
    view.importer.offer([scan])
    dialog = previewed(qtbot, view)
    assert not dialog.ocr.isEnabled()
    assert dialog.ocr.text() == "Read the text of 1 picture or scan: No program. Install one."
    assert not dialog.go.isEnabled()
