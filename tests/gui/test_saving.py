"""Saving files from the window: where, under which name, and what is said of it."""

from __future__ import annotations

from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from tests.gui.conftest import Start
from workbench.base.errors import UserError
from workbench.gui.kit import file_dialogs, saving
from workbench.gui.shell.app import Controller
from workbench.jobs.context import Context

KINDS = {"Text (*.txt)": ".txt", "Table (*.csv)": ".csv"}


def write(_ctx: Context, _project: Path, path: Path, words: str) -> int:
    if not words:
        raise UserError("There is nothing to write.", path=path)
    return path.write_text(words, encoding="utf-8")


def sentence_of(path: Path, characters: int) -> str:
    return f"{characters} characters are in {path}."


@pytest.fixture
def controller(start: Start, project: Path) -> Controller:
    return start(project, "documents")


def save(controller: Controller, words: str) -> None:
    saving.save_as(controller.context, controller.window, "Save", "words.txt", KINDS, write, sentence_of, words=words)


def test_the_chosen_kind_gives_the_suffix_and_the_folder_is_offered(
    controller: Controller, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    suggested: list[Path] = []
    folder = tmp_path / "elsewhere"
    folder.mkdir()

    def chosen(_parent: object, _title: str, start: Path, _filters: object) -> tuple[Path, str]:
        suggested.append(start)
        return folder / "v1.2", "Table (*.csv)"

    opened: list[Path] = []
    monkeypatch.setattr(file_dialogs, "save_file", chosen)
    monkeypatch.setattr(saving, "open_file", opened.append)
    with qtbot.waitSignal(controller.context.offered) as offered:
        save(controller, "a,b")
    assert (folder / "v1.2.csv").read_text("utf-8") == "a,b"
    sentence, title, action = offered.args
    assert (sentence, title) == (f"3 characters are in {folder / 'v1.2.csv'}.", "Open folder")
    action()
    assert opened == [folder]
    assert controller.context.project is not None
    assert suggested == [controller.context.project.parent / f"{controller.context.project.stem} words.txt"]
    assert controller.context.folder == folder


def test_a_file_that_the_suffix_leads_to_is_not_replaced_unasked(
    controller: Controller, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    there = tmp_path / "words.txt"
    there.write_text("kept", encoding="utf-8")
    starts: list[Path] = []

    def chosen(_parent: object, _title: str, start: Path, _filters: object) -> tuple[Path | None, str]:
        starts.append(start)
        return (tmp_path / "words" if len(starts) == 1 else None), "Text (*.txt)"

    monkeypatch.setattr(file_dialogs, "save_file", chosen)
    save(controller, "new")
    assert starts[1] == there
    assert there.read_text("utf-8") == "kept"
    assert not controller.context.jobs.active()


def test_what_cannot_be_written_is_reported_with_its_name(
    controller: Controller, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(file_dialogs, "save_file", lambda *_rest: (tmp_path / "words.txt", ""))
    with qtbot.waitSignal(controller.context.notice) as notice:
        save(controller, "")
    assert "words.txt" in notice.args[0]
    assert notice.args[1] == "danger"
