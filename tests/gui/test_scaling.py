"""A collection too big for a project, from the dialog in Detect to its pairs in Relations."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from tests.gui.conftest import Start, finished
from tests.unit.scaleout.collection import write_pages
from workbench.gui.screens.detect.scaling import RUN, ScaleDialog, Scaling
from workbench.gui.screens.detect.view import DetectView
from workbench.gui.shell.app import Controller
from workbench.gui.workspace.job_bridge import JobRecord
from workbench.services.listing import all_runs


def opened(start: Start, project: Path) -> tuple[Controller, DetectView, ScaleDialog]:
    controller = start(project, "detect")
    view = controller.window.view("detect")
    assert isinstance(view, DetectView)
    controller.context.actions.run("detect.scale")
    assert view.scaling.dialog is not None
    return controller, view, view.scaling.dialog


def test_pairs_of_a_collection_come_into_the_project(start: Start, project: Path, qtbot: QtBot, tmp_path: Path) -> None:
    pages = tmp_path / "pages"
    pages.mkdir()
    write_pages(pages / "in.jsonl", 30)
    (pages / "broken.jsonl").write_text("{\n", "utf-8")
    controller, _, dialog = opened(start, project)
    offers: list[str] = []
    sentences: list[str] = []
    controller.context.offered.connect(lambda sentence, *_: sentences.append(sentence))
    controller.context.offered.connect(lambda _sentence, title, action: (offers.append(title), action()))
    dialog.pages.setText(str(pages))
    dialog.folder.setText(str(tmp_path / "job"))
    dialog.methods.setCurrentIndex(dialog.methods.findData("rare-sentences"))
    dialog.go.click()
    assert dialog.choice == RUN
    qtbot.waitUntil(lambda: "Open in Relations" in offers)
    finished(qtbot, controller)
    assert offers == ["Watch in Jobs", "Import", "Open in Relations"]
    assert sentences[1].endswith(" · 1 input refused")
    assert controller.context.session is not None
    run = max(all_runs(controller.context.session), key=lambda run: run.id)
    # Three are background documents: their sentences count, but they are not examined.
    assert (run.method, run.documents) == ("rare-sentences", 27)
    assert run.pairs
    controller.context.show_view("detect")
    controller.context.actions.run("detect.scale")
    view = controller.window.view("detect")
    assert isinstance(view, DetectView)
    again = view.scaling.dialog
    assert again is not None
    # Who missed the offer finds the job here, ready to be imported.
    assert again.import_button.isEnabled()
    assert "30 pages read" in again.plan.text()
    assert again.request().method == "rare-sentences"
    again.folder.setText(str(tmp_path / "another"))
    assert not again.import_button.isEnabled()
    again.folder.setText(str(tmp_path / "job"))
    again.import_button.click()
    # The results are there already: said first, imported when asked for.
    qtbot.waitUntil(lambda: len(offers) == 5)
    finished(qtbot, controller)
    assert offers[3:] == ["Import again", "Open in Relations"]
    assert max(all_runs(controller.context.session), key=lambda run: run.id).id == run.id + 1


def test_pairs_of_a_collection_are_offered_to_the_project_they_were_sought_for(
    start: Start, project: Path, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    controller, view, dialog = opened(start, project)
    context, ended = controller.context, list[Callable[[JobRecord], object]]()
    monkeypatch.setattr(context.jobs, "submit", lambda *_args, after, **_kinds: ended.append(after))
    dialog.pages.setText(str(tmp_path))
    dialog.folder.setText(str(tmp_path / "job"))
    view.scaling._run(dialog)
    dialog.reject()
    other = tmp_path / "other.palimpsest"
    context.open_project(other, create=True)
    qtbot.waitUntil(lambda: context.project == other)
    offers: list[tuple[str, str, Callable[[], object]]] = []
    context.offered.connect(lambda *offer: offers.append(offer))
    places: list[Path | None] = []
    monkeypatch.setattr(Scaling, "import_results", lambda self, *_args: places.append(self._context.project))
    ended[0](JobRecord("", "", state="done", result=(30, 0, 2)))
    [(sentence, title, follow)] = offers
    assert (sentence, title) == ("30 pages read · 2 pairs found · for the project case", "Open it")
    follow()
    qtbot.waitUntil(lambda: bool(places), timeout=20_000)
    assert places == [project]


def test_the_dialog_asks_for_what_the_engine_needs(start: Start, project: Path) -> None:
    _, view, dialog = opened(start, project)
    assert not dialog.go.isEnabled()
    dialog.pages.setText("pages")
    dialog.folder.setText("job")
    assert dialog.go.isEnabled()
    dialog.engines.setCurrentIndex(dialog.engines.findData("spark"))
    assert not dialog.go.isEnabled()
    dialog.master.setText("spark://host:7077")
    assert dialog.go.isEnabled()
    assert dialog.options().master == "spark://host:7077"
    dialog.columns.setText("Nr=id, Body=words")
    assert not dialog.go.isEnabled()
    assert not dialog.plan_button.isEnabled()
    assert dialog.plan.text().startswith("There is no field words; ")
    dialog.columns.setText("Nr=id, Body=text")
    assert dialog.go.isEnabled()
    assert "no field" not in dialog.plan.text()
    assert dialog.request().columns == {"Nr": "id", "Body": "text"}
    dialog.reject()
    assert view.scaling.usual["folder"] == "job"


def test_a_plan_says_how_far_it_is_and_can_be_cancelled_or_made(
    start: Start, project: Path, qtbot: QtBot, tmp_path: Path
) -> None:
    pages = tmp_path / "pages"
    pages.mkdir()
    write_pages(pages / "in.jsonl", 30)
    _, _, dialog = opened(start, project)
    known = dialog.plan.text()
    dialog.pages.setText(str(pages))
    assert dialog.cancel_button.isHidden()
    dialog.plan_button.click()
    assert dialog.cancel_button.isVisible()
    dialog.cancel_button.click()
    qtbot.waitUntil(dialog.plan_button.isEnabled)
    assert dialog.plan.text() == known
    assert dialog.cancel_button.isHidden()
    lines: set[str] = set()
    dialog.plan_button.click()

    def done() -> bool:
        lines.update(dialog.plan.text().splitlines())
        return dialog.plan_button.isEnabled()

    qtbot.waitUntil(done)
    assert any("Trying the steps on the sample" in line for line in lines)
    assert "A cluster is not needed: this machine is enough." in dialog.plan.text()
    dialog.reject()


def test_a_plan_of_other_pages_is_neither_kept_nor_shown_when_it_comes(
    start: Start, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    controller, _, dialog = opened(start, project)
    jobs, cancelled = controller.context.jobs, list[str]()
    dialog.pages.setText("pages")
    known = dialog.plan.text()
    monkeypatch.setattr(jobs, "submit", lambda *_arguments, **_options: JobRecord("record-1", "Plan"))
    monkeypatch.setattr(jobs, "cancel", cancelled.append)
    for text, done in (("more pages", True), ("other pages", False)):
        dialog.make_plan()
        record = dialog._planning
        assert record is not None
        record.result = ["It takes an hour."]
        if done:
            dialog._planned(record)
            assert dialog.plan.text() == "It takes an hour."
        dialog.pages.setText(text)
        dialog._planned(record)
        assert dialog.plan.text() == known
    assert cancelled == ["record-1"]
    dialog.reject()
