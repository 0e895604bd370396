"""The form made from a method's parameters, and the fields of the import form for tables."""

from __future__ import annotations

from dataclasses import dataclass, fields
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QApplication, QCheckBox, QLineEdit, QScrollArea
from pytestqt.qtbot import QtBot

from tests.gui.conftest import Start, finished
from tests.gui.documents_view import opened, previewed
from workbench.base.types import DateSource, Role
from workbench.gui import i18n
from workbench.gui.i18n import LANGUAGES
from workbench.gui.kit.forms import ParameterForm
from workbench.gui.kit.option_fields import OptionFields
from workbench.gui.kit.widgets import ChoiceBox, ThresholdField
from workbench.gui.kit.words import language_word, published_words
from workbench.gui.theme.manager import Theme
from workbench.methods.core import registry
from workbench.methods.core.api import Parameters, parameter
from workbench.project.listing import current_ids
from workbench.services.scanning.task import Scan
from workbench.services.session import Session


@dataclass(frozen=True)
class Sample(Parameters):
    length: int = parameter(3, "How long", low=1, high=100, unit="characters", paper=5)
    share: float = parameter(0.5, "How much", low=0.0, high=1.0)
    rule: str = parameter("either", "Which passages", choices=("either", "both"), paper="both")
    width: int = parameter(64, "How wide", choices=(32, 64))
    kana: bool = parameter(False, "Whether")


@pytest.fixture
def form(qtbot: QtBot, tmp_path: Path) -> ParameterForm:
    parameter_form = ParameterForm(Sample, Theme("light", tmp_path))
    qtbot.addWidget(parameter_form)
    parameter_form.show()
    return parameter_form


def test_each_kind_of_parameter_has_its_editor_and_default(form: ParameterForm) -> None:
    kinds = {name: type(row.editor) for name, row in form.rows.items()}
    assert issubclass(kinds["length"], QLineEdit)
    assert kinds["rule"] is kinds["width"] is ChoiceBox
    assert kinds["kana"] is QCheckBox
    assert form.values() == {f.name: f.default for f in fields(Sample)}


@pytest.mark.parametrize("text", ["0", "101", "x", "", "2.5", "nan"])
def test_a_wrong_value_is_explained_and_withholds_the_values(form: ParameterForm, text: str) -> None:
    row = form.rows["length"]
    row.set_value(text)
    assert form.values() is None
    assert row.problem.text() == "Enter a whole number, 1 to 100."
    assert row.editor.property("invalid") == "true"
    assert row.editor.accessibleDescription() == row.problem.text()


def test_reset_puts_one_field_back(form: ParameterForm, qtbot: QtBot) -> None:
    row = form.rows["share"]
    assert not row.reset_button.isEnabled()
    row.set_value(0.25)
    qtbot.mouseClick(row.reset_button, Qt.MouseButton.LeftButton)
    assert form.values() == {f.name: f.default for f in fields(Sample)}


def test_the_papers_values_are_filled_in_where_there_are_some(form: ParameterForm) -> None:
    form.paper()
    values = form.values()
    assert values is not None
    assert (values["length"], values["rule"], values["width"]) == (5, "both", 64)


def test_up_and_down_step_within_the_range(form: ParameterForm, qtbot: QtBot) -> None:
    row = form.rows["length"]
    qtbot.keyClick(row.editor, Qt.Key.Key_Down)
    qtbot.keyClick(row.editor, Qt.Key.Key_Down)
    qtbot.keyClick(row.editor, Qt.Key.Key_Down)
    assert row.raw() == "1"


def test_scrolling_a_form_changes_no_choice(form: ParameterForm, qtbot: QtBot) -> None:
    area = QScrollArea()
    qtbot.addWidget(area)
    area.setWidget(form)
    area.resize(400, 150)
    area.show()
    box = form.rows["rule"].editor
    box.setFocus()
    place = QPointF(box.rect().center())
    buttons, keys = Qt.MouseButton.NoButton, Qt.KeyboardModifier.NoModifier
    phase = Qt.ScrollPhase.NoScrollPhase
    turn = QWheelEvent(place, box.mapToGlobal(place), QPoint(), QPoint(0, -120), buttons, keys, phase, False)
    QApplication.sendEvent(box, turn)
    assert form.values() == {f.name: f.default for f in fields(Sample)}
    assert not turn.isAccepted(), "the area around it scrolls"
    area.takeWidget()


@pytest.mark.parametrize("name", registry.names())
def test_every_method_has_a_form_whose_untouched_values_are_its_defaults(
    name: str, qtbot: QtBot, tmp_path: Path
) -> None:
    method = registry.get(name)
    method_form = ParameterForm(method.parameters, Theme("light", tmp_path))
    qtbot.addWidget(method_form)
    assert method_form.values() == method.parameters().as_dict()
    assert all(r.editor.accessibleName() for r in method_form.rows.values())
    method_form.paper()
    papers = method.parameters.preset("paper") if method.parameters.has_paper() else {}
    assert method_form.values() == method.parameters.parse(papers).as_dict()


def test_columns_with_other_headings_are_named_in_the_import_form(
    start: Start, project: Path, tmp_path: Path, qtbot: QtBot
) -> None:
    rows = "Nr,Body\n7,The harbour was quiet in the morning.\n8,Nobody was there before the boats came back.\n"
    (tmp_path / "table.csv").write_text(rows, encoding="utf-8")
    controller, view = opened(start, project)
    view.importer.offer([tmp_path / "table.csv"])
    dialog = previewed(qtbot, view)
    assert dialog.columns.isVisible()
    assert "1 input cannot be read" in dialog.state.text()
    dialog.columns.setText("Nr=id, Body")
    assert "HEADING=FIELD" in dialog.state.text()
    assert not dialog.go.isEnabled()
    dialog.columns.setText("Nr=id, Body=text")
    qtbot.waitUntil(lambda: "2 documents" in dialog.state.text() and dialog.is_ready())
    dialog.roles.setCurrentIndex(dialog.roles.findData(Role.SUSPECT.value))
    dialog.go.click()
    finished(qtbot, controller)
    with Session(project, write=False) as session, session.read() as connection:
        assert {"7", "8"} <= current_ids(connection)


def test_files_that_are_not_tables_have_no_columns(start: Start, project: Path, tmp_path: Path, qtbot: QtBot) -> None:
    (tmp_path / "a.txt").write_text("The harbour was quiet in the morning.", encoding="utf-8")
    _, view = opened(start, project)
    view.importer.offer([tmp_path / "a.txt"])
    dialog = previewed(qtbot, view)
    assert not dialog.columns.isVisible()
    dialog.reject()


@pytest.mark.parametrize("language", LANGUAGES)
def test_choices_are_seen_whole_in_any_language(qtbot: QtBot, language: str) -> None:
    i18n.use(language)
    try:
        box = OptionFields(Scan, {})["method"]
    finally:
        i18n.use("en")
    qtbot.addWidget(box)
    box.show()
    box.setFixedWidth(160)
    box.showPopup()
    widest = max(box.fontMetrics().horizontalAdvance(box.itemText(at)) for at in range(box.count()))
    assert box.view().width() > widest
    box.hidePopup()


def test_a_box_is_as_wide_as_its_choices_in_japanese(qtbot: QtBot) -> None:
    i18n.use("ja")
    try:
        box = OptionFields(Scan, {})["method"]
    finally:
        i18n.use("en")
    qtbot.addWidget(box)
    whole = "参照元から文単位でコピーされた箇所"
    assert box.findText(whole) >= 0
    assert box.sizeHint().width() > box.fontMetrics().horizontalAdvance(whole)


@pytest.mark.parametrize(("threshold", "words"), [(0.25, "0.25"), (1234.0, "1234")])
def test_a_threshold_of_any_size_is_shown(qtbot: QtBot, threshold: float, words: str) -> None:
    field = ThresholdField("Threshold")
    qtbot.addWidget(field)
    field.show_threshold(threshold)
    assert (field.value(), field.text().replace(",", "")) == (threshold, words)


def test_languages_that_have_no_name_are_shown_by_their_codes(qapp: object) -> None:
    words = [language_word(code) for code in ("de", "", "und", "tlh")]
    assert words == ["Deutsch", "undetermined", "undetermined", "tlh"]


def test_the_source_of_each_date_has_words_of_its_own(qapp: object) -> None:
    words = [published_words("2020-01-02", source) for source in DateSource]
    assert len({*words, "2020-01-02"}) == len(words) + 1
