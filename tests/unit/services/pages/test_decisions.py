from __future__ import annotations

from pathlib import Path

import pytest

from workbench.base.errors import UserError
from workbench.base.types import Block, BlockClass, Document, Span
from workbench.project.documents import add_documents, corpus_hash, iter_documents, load_document
from workbench.project.pages import load_markup, overrides_of, store_blocks
from workbench.services.pages import decisions as blocks
from workbench.services.session import Session, create

FIRST, SECOND = Span(0, 4), Span(5, 9)
PAGE = Document(
    "page",
    "menu\ntext",
    blocks=(Block(FIRST, verdict=BlockClass.NON_CONTENT, rule="links"), Block(SECOND, rule="prose")),
    markup="<nav>menu</nav><p>text</p>",
)


@pytest.fixture
def session(tmp_path: Path):
    path = tmp_path / "p.palimpsest"
    create(path)
    with Session(path) as opened:
        with opened.write() as connection:
            add_documents(connection, [PAGE])
        yield opened


def judgements(session: Session) -> list[tuple[str, str]]:
    with session.read() as connection:
        one, (same,) = load_document(connection, 1), tuple(iter_documents(connection))
    assert one == same
    return [(block.verdict.value, block.rule) for block in one.blocks]


def test_a_decision_holds_names_its_maker_and_changes_the_corpus(session: Session):
    with session.read() as connection:
        before = corpus_hash(connection)
    blocks.decide(session, 1, [FIRST], BlockClass.CONTENT, "Ana")
    assert judgements(session) == [("content", "decided by Ana"), ("content", "prose")]
    with session.read() as connection:
        assert corpus_hash(connection) != before


def test_what_held_before_can_be_put_back_step_by_step(session: Session):
    first = blocks.decide(session, 1, [FIRST, SECOND], BlockClass.CONTENT, "Ana")
    second = blocks.decide(session, 1, [SECOND], BlockClass.NON_CONTENT, "Bo")
    assert judgements(session)[1] == ("non-content", "decided by Bo")
    blocks.put_back(session, second)
    assert judgements(session)[1] == ("content", "decided by Ana")
    blocks.put_back(session, first)
    assert judgements(session) == [("non-content", "links"), ("content", "prose")]
    with session.read() as connection:
        assert overrides_of(connection, [1]) == {}


def test_a_decision_survives_another_opinion_of_the_rule_and_another_division(session: Session):
    blocks.decide(session, 1, [FIRST], BlockClass.CONTENT, "Ana")
    with session.write() as connection:
        halves = (Block(Span(0, 2)), Block(Span(2, 4)), PAGE.blocks[1]._replace(verdict=BlockClass.NON_CONTENT))
        finer = tuple(b._replace(verdict=BlockClass.NON_CONTENT, rule="new") for b in halves)
        store_blocks(connection, load_document(connection, 1), finer)
    assert judgements(session) == [("content", "decided by Ana")] * 2 + [("non-content", "new")]


def test_a_span_that_is_not_a_block_is_refused(session: Session):
    with pytest.raises(UserError, match="no longer in the document"):
        blocks.decide(session, 1, [Span(0, 3)], BlockClass.CONTENT)
    assert blocks.decided(session, 1) == {}


def test_the_markup_is_kept(session: Session):
    with session.read() as connection:
        assert load_markup(connection, 1) == PAGE.markup
        assert load_markup(connection, 2) == ""
        assert load_document(connection, 1).markup == ""
