"""Questions answered by a process of their own."""

from __future__ import annotations

import pytest
import slow_jobs
from PySide6.QtCore import QObject
from pytestqt.qtbot import QtBot

from workbench.base.errors import UserError
from workbench.gui.workspace.process_queries import ProcessFailure, ProcessQueries


@pytest.fixture
def owner(qtbot: QtBot) -> QObject:
    return QObject()


def test_an_answer_arrives_and_errors_say_whose_they_are(qtbot: QtBot, owner: QObject) -> None:
    asides = ProcessQueries()
    answers: list[object] = []
    for question, arguments in ((slow_jobs.steps, (3,)), (slow_jobs.refuse, ()), (slow_jobs.crash, ())):
        asides.ask(owner, question, arguments, {}, answers.append, answers.append)
        qtbot.waitUntil(lambda: asides.pending == 0)
    asides.close()
    assert answers[0] == "counted"
    assert isinstance(answers[1], UserError)
    assert isinstance(answers[2], ProcessFailure)
    assert "Traceback" in str(answers[2])


def test_a_newer_question_ends_the_one_before(qtbot: QtBot, owner: QObject) -> None:
    asides = ProcessQueries()
    answers: list[object] = []
    asides.ask(owner, slow_jobs.endless, (), {}, answers.append, answers.append)
    asides.ask(owner, slow_jobs.steps, (1,), {}, answers.append, answers.append)
    qtbot.waitUntil(lambda: asides.pending == 0)
    asides.close()
    assert answers == ["counted"]


def test_closing_waits_for_nobody(qtbot: QtBot, owner: QObject) -> None:
    asides = ProcessQueries()
    answers: list[object] = []
    asides.ask(owner, slow_jobs.endless, (), {}, answers.append, answers.append)
    asides.close()
    assert not answers
