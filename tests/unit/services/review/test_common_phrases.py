"""A passage is found in all documents that hold it, and in no other."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from workbench.base.types import Document, Role, Span
from workbench.jobs.context import Context
from workbench.project.documents import add_documents, delete_documents
from workbench.project.listing import current_keys_in_order
from workbench.services.review.common_phrases import _Finder, find_holders, letters
from workbench.services.session import Session, create

CONTEXT = Context("j", lambda _event: None, lambda: False)
TEXTS = st.text(st.sampled_from("ab一"), max_size=40)


@given(st.lists(TEXTS, max_size=6), TEXTS)
def test_the_needles_inside_a_text_are_those_that_looking_for_each_finds(needles: list[str], text: str) -> None:
    needles.append(text[3:25])
    expected = {number for number, needle in enumerate(needles) if needle and needle in text}
    assert _Finder(needles).inside(text) == expected


def test_width_case_symbols_and_line_breaks_make_no_difference() -> None:
    assert letters("Ｔｈｅ end-\nof “days”, ２０２４。") == letters("the END of\ndays 2024")
    assert letters("、。!") == ""


def test_every_other_document_that_holds_a_passage_is_named_whatever_its_role(tmp_path: Path) -> None:
    phrase = "in accordance with the provisions of the present agreement"
    rare = "whatever the heron thought of the frozen lake that morning"
    path = tmp_path / "p.palimpsest"
    create(path)
    with Session(path) as session, session.write() as connection:
        texts = [
            f"{phrase}. {rare}",
            f"So {phrase.upper()}",
            f"{rare}!",
            phrase[:-3],
            f"x {phrase.replace(' ', '  ')}",
            phrase,
        ]
        roles = [Role.SUSPECT, Role.SOURCE, Role.SOURCE, Role.SUSPECT, Role.BACKGROUND, Role.SOURCE]
        add_documents(connection, [Document(f"d{n}", t, r) for n, (t, r) in enumerate(zip(texts, roles, strict=True))])
        delete_documents(connection, [6])
    first, second = Span(0, len(phrase)), Span(len(phrase) + 2, len(phrase) + 2 + len(rare))
    spans = np.array([first, second, Span(len(phrase), len(phrase) + 2)], np.int64)
    holders = find_holders(CONTEXT, path, 1, spans)
    assert holders.passages == ((2, 5), (3,), ())
    assert holders.documents == 4
    assert holders.beside(0, 2) == (5,)


def test_a_document_that_was_imported_again_is_no_other_document(tmp_path: Path) -> None:
    phrase = "in accordance with the provisions of the present agreement"
    path = tmp_path / "p.palimpsest"
    create(path)
    with Session(path) as session, session.write() as connection:
        for text in (phrase, f"Again: {phrase}"):
            delete_documents(connection, current_keys_in_order(connection))
            add_documents(
                connection, [Document("a", text, Role.SUSPECT), Document("b", f"{text}!"), Document("c", text)]
            )
    holders = find_holders(CONTEXT, path, 1, np.array([(0, len(phrase))], np.int64))
    assert holders.documents == 2
    assert holders.passages == ((5, 6),)
    assert holders.beside(0, 2) == holders.beside(0, 5) == (6,)
