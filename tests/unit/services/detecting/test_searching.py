from __future__ import annotations

from pathlib import Path

import pytest

from workbench.base.errors import Cancelled, UserError
from workbench.base.types import Document, Role, Span
from workbench.jobs.context import Context
from workbench.project.documents import add_documents
from workbench.services.detecting.searching import find_elsewhere
from workbench.services.session import Session, create

PASSAGE = "吾輩は猫である。名前はまだ無い。"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    path = tmp_path / "p.palimpsest"
    create(path)
    texts = {
        "itself": PASSAGE,
        "part": "ある日の事。名前はまだ、無い！　それだけだ。",
        "twice": f"前置き。{PASSAGE}途中。吾輩は 猫 である。　名前は、まだ無い。",
        "nothing": "関係のない話である。",
    }
    with Session(path) as session, session.write() as connection:
        add_documents(connection, [Document(name, text, Role.SOURCE) for name, text in texts.items()])
    return path


def test_whole_passages_come_before_parts_and_the_document_itself_is_left_out(project: Path, ctx: Context):
    elsewhere = find_elsewhere(ctx, project, PASSAGE, left_out=1)
    assert [(p.id, p.times, p.sentences) for p in elsewhere.places] == [("twice", 2, 2), ("part", 0, 1)]
    assert (elsewhere.sentences, elsewhere.documents) == (2, 3)
    assert elsewhere.places[0].span == Span(4, 4 + len(PASSAGE) - 1)
    assert elsewhere.places[1].span == Span(6, 14)


def test_a_whole_passage_comes_before_all_its_sentences_apart(project: Path, ctx: Context):
    with Session(project) as session, session.write() as connection:
        add_documents(
            connection,
            [Document("apart", "名前はまだ無い。そして吾輩は猫である。"), Document("whole", f"昔、{PASSAGE}")],
        )
    elsewhere = find_elsewhere(ctx, project, PASSAGE, left_out=1)
    places = [(p.id, p.times, p.sentences) for p in elsewhere.places]
    assert places == [("twice", 2, 2), ("whole", 1, 2), ("apart", 0, 2), ("part", 0, 1)]


def test_a_passage_of_symbols_alone_is_refused(project: Path, ctx: Context):
    with pytest.raises(UserError, match="no letters"):
        find_elsewhere(ctx, project, "。、！")


def test_a_short_selection_is_looked_for_as_it_is(project: Path, ctx: Context):
    assert [p.id for p in find_elsewhere(ctx, project, "猫", left_out=0).places] == ["itself", "twice"]


def test_a_search_can_be_cancelled(project: Path):
    with pytest.raises(Cancelled):
        find_elsewhere(Context("test", lambda event: None, lambda: True), project, PASSAGE)
