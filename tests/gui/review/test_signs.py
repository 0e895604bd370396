"""Unusual characters of a document are counted beside its title, and hidden words are shown as ignored."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtGui import QColor
from pytestqt.qtbot import QtBot
from review_case import matches_of, opened, settled

from workbench.base.types import Document, Extraction, IntegrityFlag, Results, Role, Span
from workbench.gui.document.passage_quote import PassageQuote
from workbench.gui.screens.review.view import ReviewView
from workbench.gui.theme.tokens import LIGHT
from workbench.gui.workspace.context import AppContext
from workbench.project.documents import add_documents
from workbench.project.runs import begin_run, finish_chunk, finish_run
from workbench.services.session import Session, create

TEXT = "The words that are copied here go on for long enough, and they [hidden ones] end with a full stop at last."
HIDDEN = Span(TEXT.index("["), TEXT.index("]") + 1)


@pytest.fixture(params=[Role.SUSPECT])
def review(qtbot: QtBot, context: AppContext, tmp_path: Path, request: pytest.FixtureRequest) -> ReviewView:
    """Review with a suspect and its source, of which the one in the role ``request.param`` has hidden words."""
    flag = IntegrityFlag("hidden-by-style", 13, (HIDDEN,))
    path = tmp_path / "hidden.palimpsest"
    create(path)
    hidden, none = Extraction(integrity=(flag,)), Extraction()
    documents = [
        Document(name, TEXT, role, extraction=hidden if role == request.param else none)
        for name, role in (("a", Role.SUSPECT), ("b", Role.SOURCE))
    ]
    with Session(path) as session:
        with session.write() as connection:
            add_documents(connection, documents)
            run = begin_run(connection, "digest", 1, {}, "00", 1)
            rows = [(1, 2, 0, len(TEXT), 0, len(TEXT), 1.0, 2)]
            finish_chunk(connection, run.id, 0, Results(matches_of(rows)), documents=1)
        with session.write() as connection:
            finish_run(connection, run.id)
    review = opened(qtbot, context, path)
    settled(qtbot, review)
    return review


def test_hidden_words_are_counted_shown_as_ignored_and_found_by_a_click(review: ReviewView) -> None:
    suspect, source = (title.signs for title in review.pair.titles)
    assert suspect.isVisible()
    assert not source.isVisible()
    assert suspect.text() == "13 unusual"
    assert suspect.accessibleName() == "13 characters hidden by their style"
    assert review.pair.left.ignored_in(0, len(TEXT)) == [(HIDDEN.start, HIDDEN.end + 1)]
    assert review.pair.right.ignored_in(0, len(TEXT)) == []
    suspect.click()
    assert review.pair.left.selected_text() == "[hidden ones]"
    suspect.click()
    assert review.pair.left.selection == HIDDEN


@pytest.mark.parametrize("review", [Role.SUSPECT, Role.SOURCE], indirect=True)
def test_a_layer_for_what_is_ignored_is_offered_if_either_text_has_some(review: ReviewView) -> None:
    assert "ignored" in review.pair.toolbar._offered


def test_a_quotation_tints_only_what_is_part_of_the_match(qtbot: QtBot) -> None:
    quote = PassageQuote(LIGHT)
    qtbot.addWidget(quote)
    quote.resize(400, 80)
    plain = []
    for gaps in ((), (HIDDEN,), (Span(0, len(TEXT)),)):
        quote.show_passage(TEXT, "en", LIGHT.source(1), gaps=gaps)
        picture = quote.grab().toImage()
        pixels = [picture.pixelColor(x, y) for x in range(picture.width()) for y in range(picture.height())]
        plain.append(pixels.count(QColor(LIGHT.sunken)))
    assert plain[0] < plain[1] < plain[2]


def test_a_quotation_that_is_not_whole_says_so_and_reads_as_it_is_shown(qtbot: QtBot) -> None:
    quote = PassageQuote(LIGHT)
    qtbot.addWidget(quote)
    quote.resize(900, 80)
    text = "word " * 100 + "END"
    quote.show_passage(text, "en", LIGHT.source(1), [(450, 454, "replaced")])
    shown = quote._lines.text
    assert shown == "…" + text[420:]
    assert quote.accessibleName() == shown
    quote.show_passage(text, "en", LIGHT.source(1), [(10, 503, "replaced")])
    assert quote._lines.text == text[:400] + "…"
    assert quote._differences == [(10, 400, "replaced")]
    quote.show_passage(text[:400], "en", LIGHT.source(1))
    assert quote._lines.text == text[:400]
