"""The evidence of direction of one pair, as the window reads it."""

from __future__ import annotations

from workbench.project.documents import delete_documents
from workbench.services.relations.directions import read_direction
from workbench.services.session import Session


def test_nothing_is_known_of_a_pair_of_which_a_document_was_removed(session: Session) -> None:
    with session.write() as connection:
        delete_documents(connection, [2])
    assert read_direction(1, 2)(session) is None


def test_nothing_is_known_of_a_pair_whose_other_document_is_no_longer_in_the_project(session: Session) -> None:
    assert read_direction(1, 999)(session) is None
