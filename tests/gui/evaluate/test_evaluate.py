"""The Evaluate screen over a small project with known scores and labels."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from threading import Event

import numpy as np
import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import QLabel, QPushButton
from pytestqt.qtbot import QtBot

from tests.gui.conftest import Start, settle
from tests.gui.evaluate_case import COUNT, SPLOGS, build, counted, give, listed, scores, shown
from workbench.base.errors import UserError
from workbench.base.messages import threshold_words
from workbench.base.types import Document, DocumentScore, Label, Results, Role
from workbench.evaluation.choosing import Choice, Rule
from workbench.gui.charts.confusion_matrix import _WRAPPED_SIDE
from workbench.gui.i18n import tr
from workbench.gui.kit.widgets import ElidedLink
from workbench.gui.problems import recorder
from workbench.gui.screens.evaluate.screen_data import read_choices
from workbench.gui.screens.evaluate.view import EvaluateView, threshold_of
from workbench.gui.screens.evaluate.words import ends, rule_words, score_text, share
from workbench.gui.screens.review.scores import ScorePanel
from workbench.gui.shell.app import Controller
from workbench.gui.theme.fonts import font
from workbench.project.documents import add_documents, delete_documents
from workbench.project.imports import begin_batch
from workbench.project.labels import add_labels
from workbench.project.runs import begin_run, finish_chunk, finish_run
from workbench.services.choosing import find_run
from workbench.services.labels.queue import NamedOrder
from workbench.services.labels.sets import LABEL_SET
from workbench.services.labels.targets import TargetKind, document_target, passage_target
from workbench.services.measuring.evaluating import Difference
from workbench.services.measuring.label_selection import Question
from workbench.services.measuring.scored_run import ScoredRun, read_scored_run
from workbench.services.measuring.thresholds import described, used_threshold
from workbench.services.session import Session


def test_the_screen_counts_labels_of_other_texts_and_items_that_are_not_measured(
    view: EvaluateView, case: Path, controller: Controller, qtbot: QtBot
) -> None:
    assert not view.curves.left_out.isVisible()
    with Session(case) as session, session.write() as connection:
        add_labels(connection, [Label(document_target("d40"), "unsure", "anna", "", label_set="class")])
        delete_documents(connection, [1])
        text = Document("d00", "Quite another text.", Role.SUSPECT)
        add_documents(connection, [text], begin_batch(connection))
        stored_run = begin_run(connection, "copied-strings", 1, {}, "00", 1)
        results = Results(scores=tuple(DocumentScore(k, float(k), {}) for k in range(2, COUNT + 2)))
        finish_chunk(connection, stored_run.id, 0, results, documents=COUNT)
        finish_run(connection, stored_run.id)
    view.open(stored_run.id)
    settle(qtbot, controller)
    assert view.curves.left_out.text() == (
        "The labels of 1 document were given for another text than the present one. "
        "Left out: labelled as undecided (1)."
    )


def test_items_whose_annotators_differ_are_not_said_to_have_no_label(
    view: EvaluateView, case: Path, controller: Controller, qtbot: QtBot
) -> None:
    with Session(case) as session, session.write() as connection:
        add_labels(connection, [Label(document_target("d00"), "blog", "ben", "", label_set="class")])
    controller.context.announce({"labels"})
    settle(qtbot, controller)
    assert view.curves.left_out.text() == "Left out: labelled differently and not resolved (1)."
    assert view.curves.histogram.rows[-1].name == "no settled label"


def test_runs_of_sweeps_are_listed_after_those_to_compare(case: Path, start: Start, qtbot: QtBot) -> None:
    with Session(case) as session, session.write() as connection:
        stored_run = begin_run(connection, "copied-strings", 1, {"min_length": 9}, "00", 1, varied_from=1)
        finish_chunk(connection, stored_run.id, 0, Results(scores=(DocumentScore(2, 1.0, {}),)), documents=1)
        finish_run(connection, stored_run.id)
    view = shown(start(case, "evaluate"))
    view.set_mode("runs-compared")
    page = view.pages.comparison
    numbers = [key for key in page.model.values("run") if isinstance(key, int)]
    assert numbers[-1] == stored_run.id


def test_an_empty_project_says_what_comes_next_and_labels_bring_the_curve(
    start: Start, tmp_path: Path, qtbot: QtBot
) -> None:
    path = build(tmp_path / "empty.palimpsest", labels=False)
    controller = start(path, "evaluate")
    view = shown(controller)
    assert not view.has_curve()
    words = [button.text() for button in view.findChildren(QPushButton) if button.isVisible()]
    assert {"Import labels…", "Label here"} <= set(words)
    with Session(path) as session, session.write() as connection:
        give(connection, [0, 1])
    controller.context.announce({"labels"})
    settle(qtbot, controller)
    assert any("both classes" in part.text() or "need both" in part.text() for part in view.findChildren(QLabel))
    assert any(f"Left out: scored but not labelled ({COUNT - 2})." in part.text() for part in view.findChildren(QLabel))
    with Session(path) as session, session.write() as connection:
        give(connection, [30, 31])
    controller.context.announce({"labels"})
    settle(qtbot, controller)
    assert view.has_curve()
    assert view.pages.currentWidget() is view.body


def test_without_a_run_detect_is_next(start: Start, tmp_path: Path) -> None:
    view = shown(start(build(tmp_path / "none.palimpsest", run=False), "evaluate"))
    assert any("Nothing has been detected" in part.text() for part in view.findChildren(QLabel) if part.isVisible())


@pytest.mark.parametrize("mode", ["runs-compared", "sweep", "sheets"])
def test_keys_of_the_curves_show_them_first(controller: Controller, view: EvaluateView, mode: str) -> None:
    actions = controller.context.actions
    for key, part in (("list", view.curves.items.table), ("pr", view.curves.pr), ("use", None)):
        view.set_mode(mode)
        assert not actions.offered("evaluate.label"), "its list is hidden"
        actions.run(f"evaluate.{key}")
        assert view.mode == "curves"
        assert part is None or (part.isVisible() and controller.window.focusWidget() is part)
    assert actions.offered("evaluate.label")


def test_the_keyboard_goes_to_the_page_that_is_shown_by_a_key(controller: Controller, view: EvaluateView) -> None:
    view.head.chips["runs-compared"].setFocus()
    controller.context.actions.run("evaluate.show-sheets")
    assert controller.window.focusWidget() is view.head.chips["sheets"]
    view.head.sets.setFocus()
    controller.context.actions.run("evaluate.show-sweep")
    assert controller.window.focusWidget() is view.head.sets


@pytest.mark.parametrize("way", ["field", "f", "histogram", "curve", "key"])
def test_the_threshold_moves_everywhere_at_once(qtbot: QtBot, view: EvaluateView, way: str) -> None:
    curves, scored = view.curves, view.scored
    assert scored is not None
    assert scored.curve is not None
    before = curves.threshold
    match way:
        case "field":
            curves.bar.field.setValue(30.0)
        case "f" | "histogram":
            chart = curves.f if way == "f" else curves.histogram
            at = chart.point(chart.x_scale.place(30.0), 0.5).toPoint()
            mark = chart.point(chart.x_scale.place(before), 0.5).toPoint()
            qtbot.mousePress(chart, Qt.MouseButton.LeftButton, pos=mark)
            qtbot.mouseMove(chart, at)
            qtbot.mouseRelease(chart, Qt.MouseButton.LeftButton, pos=at)
        case "curve":
            row = 3
            place = curves.pr.at(float(scored.curve.recall[row]), float(scored.curve.precision[row])).toPoint()
            qtbot.mousePress(curves.pr, Qt.MouseButton.LeftButton, pos=place)
        case "key":
            qtbot.keyClick(curves.f, Qt.Key.Key_Right)
    now = curves.threshold
    assert now != before
    if way in ("field", "f", "histogram"):
        assert now == pytest.approx(30.0, rel=0.05)
    if way == "key":
        higher = scored.curve.threshold[scored.curve.threshold > before]
        assert now == higher.min()
    expected = counted(now)
    assert curves.matrix._counts == expected
    assert (curves.f.mark, curves.histogram.mark) == (now, now)
    assert curves.pr.dot is not None
    assert curves.pr.dot[0] == pytest.approx(expected["true_positive"] / SPLOGS)
    assert curves.bar.field.value() == pytest.approx(now, abs=0.001)
    qtbot.waitUntil(lambda: len(listed(view)) == expected[curves.matrix.cell])


@pytest.mark.parametrize("threshold", [0.998527, 0.5247427, 0.3])
def test_the_shown_threshold_selects_the_same_when_it_is_typed(view: EvaluateView, threshold: float) -> None:
    bar, scored = view.curves.bar, view.scored
    assert scored is not None
    assert scored.curve is not None
    bar.set_bench(replace(scored, ascending=scored.ascending / scored.ascending.max()))
    bar.show_threshold(threshold, scored.curve.counts(0), 1, 2)
    assert threshold - 1e-5 < bar.field.value() <= threshold


@pytest.mark.parametrize(
    ("threshold", "words"), [(1.4789077646, "1.4789"), (0.998527, "0.998527"), (47.152342, "47.1523"), (30.0, "30")]
)
def test_a_threshold_is_written_alike_everywhere(view: EvaluateView, threshold: float, words: str) -> None:
    curves, panel = view.curves, ScorePanel(view.context.theme)
    curves.set_threshold(threshold)
    assert (curves.bar.field.text(), curves.f.mark_words) == (words, words)
    panel.chart.set_scores(np.array([0.25, 99.5]))
    panel.field.set_scores(0.25, 99.5, whole=False)
    panel.chart.set_threshold(threshold)
    panel.chart.threshold_changed.emit(threshold)
    assert panel.field.text() == words
    assert panel.chart.accessibleDescription().endswith(f" {words}")


def test_what_to_know_of_the_figures_is_read_whole_in_a_narrow_window(qtbot: QtBot, view: EvaluateView) -> None:
    warning = view.head.warning
    warning.setText("The weights of this run were learnt from labels. " * 9)
    warning.show()
    view.window().resize(1280, 720)
    lines = 2 * warning.fontMetrics().height()
    qtbot.waitUntil(lambda: warning.height() >= warning.heightForWidth(warning.width()) >= lines, timeout=5000)
    assert warning.width() <= view.width()


@pytest.mark.parametrize("height", [80, 100, 130, 160, 300])
def test_the_rows_of_the_confusion_matrix_have_their_whole_names_at_any_height(view: EvaluateView, height: int) -> None:
    matrix = view.curves.matrix
    matrix.resize(360, height)
    box, upright = matrix._box(1, 0), matrix._side(matrix._box(1, 0).height()) > _WRAPPED_SIDE
    longest = max(map(QFontMetrics(font(11)).horizontalAdvance, (tr("Selected"), "selected")))
    assert longest <= (box.left() - 6 if upright else box.height())


@pytest.mark.parametrize("cell", ["true_positive", "false_positive", "false_negative", "true_negative"])
def test_a_cell_lists_what_is_in_it(view: EvaluateView, cell: str) -> None:
    view.curves.set_threshold(25.0)
    view.curves.matrix.chosen.emit(cell)
    wanted = {
        f"d{i:02}"
        for i, value in enumerate(scores())
        if ((i < SPLOGS) == (cell in ("true_positive", "false_negative")))
        and (value >= 25.0) == cell.endswith("_positive")
    }
    assert listed(view) == wanted


def test_a_brushed_region_lists_what_scores_there_and_a_key_takes_it_back(qtbot: QtBot, view: EvaluateView) -> None:
    chart = view.curves.histogram
    ends = [chart.point(chart.x_scale.place(value), 0.4).toPoint() for value in (11.0, 16.0)]
    view.curves.set_threshold(60.0)
    qtbot.mousePress(chart, Qt.MouseButton.LeftButton, pos=ends[0])
    qtbot.mouseMove(chart, ends[1])
    qtbot.mouseRelease(chart, Qt.MouseButton.LeftButton, pos=ends[1])
    assert view.curves.brush is not None
    low, high = view.curves.brush
    wanted = {f"d{i:02}" for i, value in enumerate(scores()) if low <= value <= high}
    assert wanted
    qtbot.waitUntil(lambda: listed(view) == wanted)
    qtbot.keyClick(chart, Qt.Key.Key_Escape)
    assert view.curves.brush is None
    qtbot.keyClick(chart, Qt.Key.Key_Right, Qt.KeyboardModifier.ShiftModifier)
    assert view.curves.brush is not None


def test_a_new_label_after_brushing_lists_the_errors_again(
    qtbot: QtBot, controller: Controller, view: EvaluateView, case: Path
) -> None:
    view.curves.set_brush((11.0, 16.0))
    with Session(case) as session, session.write() as connection:
        give(connection, [COUNT - 1])
    view.load()
    settle(qtbot, controller)
    assert view.curves.brush is None
    assert view.curves.matrix.cell in ("false_positive", "false_negative")
    assert not len(recorder())


def test_enter_on_a_chart_goes_to_the_items(qtbot: QtBot, view: EvaluateView) -> None:
    view.activateWindow()
    for chart in (*view.curves.planes(), view.curves.matrix):
        chart.setFocus()
        qtbot.waitUntil(chart.hasFocus)
        qtbot.keyClick(chart, Qt.Key.Key_Return)
        qtbot.waitUntil(view.curves.items.table.hasFocus)


def test_enter_opens_the_item_in_review(qtbot: QtBot, controller: Controller, view: EvaluateView) -> None:
    requested: list[tuple[int, int, object]] = []
    controller.context.review_requested.disconnect()
    controller.context.review_requested.connect(lambda *what: requested.append(what))
    view.curves.choose_cell("true_positive")
    table = view.curves.items.table
    table.setFocus()
    table.selectRow(1)
    qtbot.keyClick(table, Qt.Key.Key_Return)
    scored = view.scored
    assert scored is not None
    assert requested == [(1, int(scored.a[view.curves.items.model.source_row(1)]), None)]


def test_use_here_makes_it_the_projects_until_it_is_undone(
    qtbot: QtBot, controller: Controller, view: EvaluateView, case: Path
) -> None:
    view.curves.set_threshold(25.0)
    controller.context.actions.run("evaluate.use")
    settle(qtbot, controller)

    def stored() -> float | None:
        with Session(case) as session:
            threshold = used_threshold(session, "copied-strings", TargetKind.DOCUMENT)
        return None if threshold is None else threshold.value

    assert stored() == 25.0
    assert view.curves.bar.use.isHidden()
    assert "25" in view.advice._used.text()
    controller.context.actions.run("edit.undo")
    settle(qtbot, controller)
    assert stored() is None
    assert not view.curves.bar.use.isHidden()


def test_a_threshold_that_no_labelled_item_reaches_is_not_used(
    controller: Controller, view: EvaluateView, case: Path
) -> None:
    notices: list[str] = []
    controller.context.notice.connect(lambda sentence, _tone: notices.append(sentence))
    view.curves.set_threshold(1e9)
    controller.context.actions.run("evaluate.use")
    assert notices == ["No labelled item reaches this threshold; choose a lower one."]
    with Session(case) as session:
        assert used_threshold(session, "copied-strings", TargetKind.DOCUMENT) is None


def test_suggestions_say_what_they_are_worth_elsewhere(
    qtbot: QtBot, controller: Controller, view: EvaluateView, case: Path
) -> None:
    qtbot.waitUntil(lambda: bool(view.advice.choices))
    best = view.advice.choices[0]
    assert best.rule.kind == "best-f"
    assert [rule_words(rule) for rule in view.advice.rules] == [
        "Best F",
        "Precision ≥ 0.9",
        "Precision ≥ 0.95",
        "Recall ≥ 0.9",
        "A false accusation costs 5 misses",
    ]
    assert best.f1.value < best.counts.f1
    view.advice.kind.setCurrentIndex(1)
    view.advice.value.setValue(0.5)
    view.advice.add.click()
    qtbot.waitUntil(lambda: any(rule_words(c.rule) == "Recall ≥ 0.5" for c in view.advice.choices))
    cost = next(c for c in view.advice.choices if c.rule.kind == "cost")
    links = [link for link in view.advice.findChildren(ElidedLink) if rule_words(cost.rule) in link.text_whole()]
    links[0].setFixedWidth(140)
    qtbot.waitUntil(lambda: "…" in links[0].text())
    assert links[0].text().endswith(threshold_words(cost.threshold))
    sentences: list[str] = []
    controller.context.undoable.connect(sentences.append)
    view.advice.chosen.emit(best.threshold)
    assert view.curves.threshold == best.threshold
    controller.context.actions.run("evaluate.use")
    qtbot.waitUntil(lambda: bool(sentences))
    assert sentences[0].endswith("Both are corrected for the optimism of choosing and measuring on the same labels.")
    with Session(case) as session:
        used = used_threshold(session, "copied-strings", TargetKind.DOCUMENT)
    assert used is not None
    assert "corrected for the optimism" in str(described(used))
    assert "corrected" not in str(described(replace(used, corrected=False)))


def test_suggestions_by_earlier_rules_do_not_replace_later_ones(
    qtbot: QtBot, controller: Controller, view: EvaluateView, monkeypatch: pytest.MonkeyPatch
) -> None:
    qtbot.waitUntil(lambda: bool(view.advice.choices))
    known, begun, release = len(view.advice.rules), Event(), Event()

    def read_slowly(scored: ScoredRun, rules: tuple[Rule, ...]) -> Callable[[Session], list[Choice]]:
        def read(session: Session) -> list[Choice]:
            if len(rules) == known + 1:
                begun.set()
                release.wait(60)
            return read_choices(scored, rules)(session)

        return read

    monkeypatch.setattr("workbench.gui.screens.evaluate.view.read_choices", read_slowly)
    view.advice.kind.setCurrentIndex(1)
    for recall in (0.5, 0.6):
        view.advice.value.setValue(recall)
        view.advice.add.click()
        qtbot.waitUntil(begun.is_set)
    qtbot.waitUntil(lambda: bool(view.advice.choices))
    release.set()
    settle(qtbot, controller)
    assert "Recall ≥ 0.6" in [rule_words(choice.rule) for choice in view.advice.choices]


def test_labelling_next_asks_for_what_has_no_label(start: Start, tmp_path: Path, qtbot: QtBot) -> None:
    path = build(tmp_path / "some.palimpsest", labels=False)
    with Session(path) as session, session.write() as connection:
        give(connection, range(0, COUNT, 6))
    controller = start(path, "evaluate")
    view = shown(controller)
    requested: list[tuple[NamedOrder, str]] = []
    controller.context.label_requested.disconnect()
    controller.context.label_requested.connect(lambda order, name: requested.append((order, name)))
    qtbot.waitUntil(lambda: view.advice.next is not None)
    controller.context.actions.run("evaluate.label-next")
    ((order, label_set),) = requested
    assert label_set == "class"
    labelled = {document_target(f"d{i:02}") for i in range(0, COUNT, 6)}
    assert order.targets
    assert not labelled & set(order.targets)


def test_why_nothing_is_labelled_next_is_said(controller: Controller, view: EvaluateView, qtbot: QtBot) -> None:
    words = controller.window.banner.text
    qtbot.waitUntil(lambda: view.advice.next is not None)
    controller.context.actions.run("evaluate.label-next")
    assert words.text() == "Everything that was scored has a label."
    view.advice.wait()
    controller.context.actions.run("evaluate.label-next")
    assert words.text() == "Which labels to give next is still being computed."


def test_labels_of_any_headings_are_previewed_and_imported_into_a_chosen_set(
    start: Start, tmp_path: Path, qtbot: QtBot
) -> None:
    controller = start(build(tmp_path / "empty.palimpsest", labels=False), "evaluate")
    view = shown(controller)
    file = tmp_path / "wide.csv"
    rows = [f"d{i:02},{'Spam' if i < SPLOGS else 'Ham'}" for i in range(COUNT)]
    file.write_text("\n".join(["Entry,Rater A", *rows]), encoding="utf-8")
    view.importer.offer(file, "class")
    qtbot.waitUntil(lambda: view.importer.dialog is not None)
    dialog = view.importer.dialog
    assert dialog is not None
    # The set "class" has neither value, any other takes all.
    assert dialog.meaning() == {"Entry": "id", "Rater A": ""}
    assert not dialog.go.isEnabled()
    dialog.sets.addItem("spam")
    dialog.sets.setCurrentText("spam")
    dialog.set_chosen.emit("spam")
    qtbot.waitUntil(lambda: dialog.meaning() == {"Entry": "id", "Rater A": "label:Rater A"})
    assert dialog.label_set() == "spam"
    dialog.go.click()
    qtbot.waitUntil(view.has_curve)
    assert view.scored is not None
    assert (view.scored.chosen.label_set, view.scored.labelled.sum()) == ("spam", COUNT)


def test_another_label_value_is_looked_for(qtbot: QtBot, controller: Controller, view: EvaluateView) -> None:
    for action in view.head.value_choices():
        action.setChecked(action.text() == "blog")
    view.head._values_chosen()
    settle(qtbot, controller)
    assert view.scored is not None
    assert view.scored.curve is not None
    assert view.scored.curve.positives == COUNT - SPLOGS
    (blog,) = (action for action in view.head.value_choices() if action.isChecked())
    blog.trigger()
    assert (blog.isChecked(), view.head.positive.text()) == (True, "blog")


def test_runs_are_drawn_over_each_other_and_tested(qtbot: QtBot, controller: Controller, view: EvaluateView) -> None:
    view.set_mode("runs-compared")
    qtbot.waitUntil(lambda: len(view.pages.comparison.plot.traces) == 2)
    qtbot.waitUntil(lambda: "coincide" in view.pages.comparison.note.text())
    assert view.pages.comparison.plot.pen(0).style() != view.pages.comparison.plot.pen(1).style()
    page = view.pages.comparison
    page.table.select_keys([1, 2, "length"])
    page.table.select_keys([1])
    assert "Select further rows" in page.note.text()
    assert not controller.context.asides.pending
    assert list(page.model.values("difference"))[1:3] == [None, None]


def test_runs_are_compared_once_and_it_is_said_if_they_could_not_be(
    qtbot: QtBot, controller: Controller, view: EvaluateView, monkeypatch: pytest.MonkeyPatch
) -> None:
    following: list[Callable[[Exception], None]] = []
    monkeypatch.setattr(controller.context, "aside", lambda *_arguments, failed=None, **_: following.append(failed))
    view.set_mode("runs-compared")
    settle(qtbot, controller)
    page = view.pages.comparison
    for times in (1, 2):
        assert len(following) == times
        assert page.note.text() == "Comparing…"
        following[-1](UserError("The project cannot be read."))
        assert page.note.text() == "The runs could not be compared. Select them again."
        assert controller.window.banner.text.text() == "The project cannot be read."
        page.table.select_keys([1])
        page.table.select_keys([1, 2])
    page.table.select_keys([1, "length"])
    following[-1](UserError("The project cannot be read."))
    assert view.scored is not None
    page.show_scored(replace(view.scored), [], {})
    assert page.table.chosen_keys() == [1, "length"]


def test_compared_runs_are_sorted_by_the_difference(view: EvaluateView) -> None:
    view.set_mode("runs-compared")
    page = view.pages.comparison
    assert view.scored is not None
    page._compared([Difference("length", average_precision=-0.2), Difference("host-words", average_precision=-0.01)])
    column = [column.name for column in page.model.columns].index("difference")
    page.model.sort(column, Qt.SortOrder.DescendingOrder)
    assert page.model.keys_at(range(3)) == [view.scored.run.id, "host-words", "length"]
    assert page.model.index(1, column).data().startswith("-0.010 (")


def test_a_baseline_is_drawn_over_a_run_and_tested(qtbot: QtBot, view: EvaluateView) -> None:
    view.set_mode("runs-compared")
    page = view.pages.comparison
    assert view.scored is not None
    page.table.select_keys([view.scored.run.id, "length", "host-words"])
    qtbot.waitUntil(lambda: "Length of the text against run" in page.note.text())
    assert [trace.name for trace in page.plot.traces][1:] == ["Length of the text"]
    # The verdict names the figure that it is about, and the other test.
    difference = next(d for _, d in filter(None, page.model.values("difference")) if d[0] in "+-")
    assert f"5 % level (average precision {difference.split()[0]}); best F" in page.note.text()
    assert "McNemar p" in page.note.text()
    rows = dict(zip(page.model.values("run"), page.model.values("difference"), strict=True))
    assert "no document has an address" in str(rows["host-words"]).lower()
    average = dict(zip(page.model.values("run"), page.model.values("ap"), strict=True))
    assert average["length"] is not None
    assert average["host-words"] is None


def test_subgroups_are_small_multiples(qtbot: QtBot, view: EvaluateView) -> None:
    view.set_mode("subgroups")
    view.pages.subgroups.attribute.setCurrentIndex(view.pages.subgroups.attribute.findText("Language"))
    view.pages.subgroups.read()
    qtbot.waitUntil(lambda: [plot.accessibleName() for plot in view.pages.subgroups.plots] == ["日本語", "中文"])


def test_where_the_user_was_is_taken_up_again(qtbot: QtBot, controller: Controller, view: EvaluateView) -> None:
    view.curves.set_threshold(25.0)
    view.curves.set_axis("quantile")
    view.set_mode("subgroups")
    state = view.save_state()
    other = EvaluateView(controller.context)
    list(other.pieces)
    other.restore_state(state)
    other.load()
    qtbot.waitUntil(other.is_ready)
    assert (other.curves.threshold, other.curves.axis, other.mode) == (25.0, "quantile", "subgroups")
    other.restore_state({"labels": 3, "axis": "odd", "run": "x", "mode": "gone"})
    other.deleteLater()


def test_the_threshold_of_another_run_is_not_taken_up(qtbot: QtBot, controller: Controller, view: EvaluateView) -> None:
    view.curves.set_threshold(25.0)
    state = view.save_state()
    for at, run in ((1, 1), (2, 2), (99, 2)):
        other = EvaluateView(controller.context)
        list(other.pieces)
        if at == 99:
            other.restore_state(state | {"run": at})
            other.load()
        else:
            other.restore_state(state)
            other.open(at)
        qtbot.waitUntil(other.is_ready)
        assert other.scored is not None
        assert (other.scored.run.id, other.curves.threshold == 25.0) == (run, run == 1)
        other.deleteLater()


def test_verdicts_on_passages_are_measured_too(qtbot: QtBot, start: Start, project: Path) -> None:
    from workbench.base.types import Span

    spans = Span(0, 20), Span(0, 20)
    events = [
        Label(passage_target("s1", spans[0], "t1", spans[1]), "copy", "anna", "", label_set=LABEL_SET),
        Label(passage_target("s2", spans[0], "t2", spans[1]), "not-copy", "anna", "", label_set=LABEL_SET),
    ]
    with Session(project) as session, session.write() as connection:
        add_labels(connection, events)
    view = shown(start(project, "evaluate"))
    assert view.scored is not None
    assert view.scored.kind is TargetKind.PASSAGE
    assert tuple(view.curves.matrix._counts.values()) == (1, 1, 0, 0)


@pytest.mark.parametrize("label_set", ["reference", LABEL_SET])
def test_what_is_counted_of_reference_passages_is_in_the_head(start: Start, project: Path, label_set: str) -> None:
    from workbench.base.types import Span

    spans = Span(0, 20), Span(0, 20)
    with Session(project) as session, session.write() as connection:
        target = passage_target("s1", spans[0], "t1", spans[1])
        add_labels(connection, [Label(target, "copy", "anna", "", label_set=label_set)])
    view = shown(start(project, "evaluate"))
    assert view.head.warning.text().startswith("Passages are counted") == (label_set == "reference")


def test_the_line_of_the_threshold_leaves_out_the_words_of_each_row(view: EvaluateView) -> None:
    chart = view.curves.histogram
    chart.resize(400, 200)
    area = chart.area()
    stretches = chart.mark_stretches(area)
    assert len(stretches) == len(chart.rows) == 2
    height = area.height() / 2
    for number, (top, bottom) in enumerate(stretches):
        assert top == area.top() + number * height + 16
        assert bottom == area.top() + (number + 1) * height


def test_charts_take_any_size(qtbot: QtBot, view: EvaluateView) -> None:
    for size in ((40, 30), (1, 1), (900, 500)):
        for chart in (*view.curves.planes(), view.curves.matrix, view.pages.sweep.map, view.pages.comparison.plot):
            chart.resize(*size)
            chart.grab()
    assert view.curves.pr.nearest(QPointF(0, 0))[0] == 0


def test_a_threshold_says_on_how_many_labels_it_was_measured(tmp_path: Path) -> None:
    path = build(tmp_path / "few.palimpsest", labels=False)
    with Session(path) as session, session.write() as connection:
        give(connection, range(5))
    with Session(path, write=False) as session:
        scored = read_scored_run(session, find_run(session, 1), Question("class", complete=True))
    assert (scored.curve and scored.curve.total, threshold_of(scored, 10.0, None, "anna").labelled) == (COUNT, 5)


def test_figures_that_are_nearly_whole_do_not_look_whole() -> None:
    assert (share(0.99967), ends((0.9981, 0.99999))) == ("0.999", "0.998–0.999")
    assert (share(1.0), ends((0.9981, 1.0))) == ("1.000", "0.998–1.000")
    assert [score_text(score) for score in (0.99996, 1.0, 14.99992, 1234.04)] == [
        "0.99996",
        "1",
        "14.99992",
        "1,234.04",
    ]
