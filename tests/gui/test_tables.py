"""Selections of the product's tables."""

from __future__ import annotations

import re

import numpy as np
import pytest
from PySide6.QtCore import QBuffer, QModelIndex, QRect, Qt
from PySide6.QtSvg import QSvgGenerator
from PySide6.QtWidgets import QStyleOptionViewItem
from pytestqt.qtbot import QtBot

from workbench.gui.kit.columns import Column, ColumnsModel
from workbench.gui.kit.tables import Index, Table, TagDelegate
from workbench.gui.problems import painting
from workbench.gui.theme.manager import Theme


@pytest.fixture
def table(qtbot: QtBot) -> Table:
    """Keys 10 to 109, shown in falling order of their numbers."""
    model = ColumnsModel([Column("number", "Number", numeric=True), Column("word", "Word")], "key")
    numbers = np.arange(100)
    model.set_values({"key": numbers + 10, "number": numbers, "word": [f"w{n}" for n in numbers]}, ("word",))
    view = Table(model, "Numbers")
    qtbot.addWidget(view)
    model.setParent(view)
    view.sortByColumn(0, Qt.SortOrder.DescendingOrder)
    return view


def test_keys_are_chosen_together_and_told_once(table: Table) -> None:
    choices: list[list[int]] = []
    table.selected.connect(lambda: choices.append(table.chosen_keys()))
    table.select_keys([10, 11, 12, 50, 109, 999])
    assert choices == [[109, 50, 12, 11, 10]]
    assert table.any_chosen()
    assert table.currentIndex().row() == 0
    table.select_keys([])
    assert choices[1:] == [[]]
    assert not table.any_chosen()


def test_what_a_filter_hides_is_not_chosen(table: Table) -> None:
    model = table.model()
    assert isinstance(model, ColumnsModel)
    model.set_filter("w7")
    table.select_keys([16, 17, 80])
    assert table.chosen_keys() == [80, 17]
    table.selectAll()
    assert table.chosen_keys() == [*range(89, 79, -1), 17]


def test_drawing_the_titles_does_not_go_through_all_rows(qtbot: QtBot) -> None:
    requested = 0

    class Counting(ColumnsModel):
        def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008, N802 - Qt's own
            nonlocal requested
            requested += 1
            return super().rowCount(parent)

    model = Counting([Column("word", "Word"), Column("more", "More")], "key")
    model.set_values({"key": np.arange(5_000), "word": ["w"] * 5_000, "more": ["m"] * 5_000})
    view = Table(model, "Words")
    qtbot.addWidget(view)
    model.setParent(view)
    view.show()
    qtbot.waitExposed(view)
    view.selectAll()
    requested = 0
    view.grab()
    assert requested < 1_000


@pytest.mark.parametrize("language", ["en", "ja", "zh"])
def test_no_title_is_cut_in_a_column_of_a_given_width(qtbot: QtBot, language: str) -> None:
    words = {"en": "Whole passage", "ja": "文章全体の一致箇所", "zh": "整段文字的匹配次数"}
    model = ColumnsModel([Column("word", "Word"), Column("times", words[language], numeric=True, width=60)], "key")
    view = Table(model, "Places")
    qtbot.addWidget(view)
    model.setParent(view)
    view.resize(600, 200)
    assert view.columnWidth(1) > view.horizontalHeader().fontMetrics().horizontalAdvance(words[language]) + 22


def test_a_tag_that_does_not_fit_keeps_its_beginning(qtbot: QtBot) -> None:
    model = ColumnsModel([Column("label", "Label", width=96)], "key")
    model.set_values({"key": [1], "label": ["mail magazine, sent again and again"]})
    delegate = TagDelegate(Theme(), lambda _index: "text2", model)
    option, buffer, drawing = QStyleOptionViewItem(), QBuffer(), QSvgGenerator()
    option.rect = QRect(0, 0, 96, 28)
    drawing.setOutputDevice(buffer)
    with painting(drawing) as painter:
        delegate.paint(painter, option, model.index(0, 0))
    (text,) = re.findall("<text[^>]*>([^<]*)</text>", bytes(buffer.data().data()).decode())
    assert re.fullmatch("mail mag.*…", text)
