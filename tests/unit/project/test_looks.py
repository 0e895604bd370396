"""How text looks, kept with its document."""

from __future__ import annotations

import pytest
from sqlalchemy import update

from workbench.base.errors import ProjectError
from workbench.base.types import Document, Extraction, Look, LookKind, Span
from workbench.project.database import Project
from workbench.project.documents import add_documents, load_document
from workbench.project.packing import Packed, pack, to_json, unpack
from workbench.project.tables import detail_rows

LOOKS = (
    Look(Span(0, 3), LookKind.BOLD | LookKind.ITALIC),
    Look(Span(3, 3), LookKind.PICTURE),
    Look(Span(4, 9), LookKind.CODE),
)


@pytest.fixture
def shown(project: Project) -> Project:
    """A project with one document that has looks."""
    with project.write() as connection:
        add_documents(connection, [Document("d", "abc words", extraction=Extraction("html", looks=LOOKS))])
    return project


def test_they_are_read_as_they_were_stored(shown: Project) -> None:
    with shown.read() as connection:
        assert load_document(connection, "d").extraction.looks == LOOKS


@pytest.mark.parametrize(
    "looks",
    [
        [0, 3],
        [0, 3, 0],
        [0, 3, 99],
        [3, 0, 1],
        [0, 10, 1],
        [0, 4, 1, 3, 5, 1],
        [-1, 2, 1],
        ["0", 3, 1],
        7,
        [0, 1.5, 1],
    ],
)
def test_those_that_cannot_be_of_the_text_are_refused(shown: Project, looks: object) -> None:
    with shown.write() as connection:
        row = connection.execute(detail_rows.select()).one()
        value = unpack(Packed(row.size, row.packed), "it")
        changed = pack(value.replace(to_json([0, 3, 3, 3, 3, 8, 4, 9, 4]).encode(), to_json(looks).encode()))
        connection.execute(update(detail_rows).values(size=changed.size, packed=changed.data))
    with pytest.raises(ProjectError, match="damaged"), shown.read() as connection:
        load_document(connection, "d")


def test_equal_details_of_several_documents_are_checked_against_the_text_of_each(shown: Project) -> None:
    bare = Extraction("html")
    with shown.write() as connection:
        add_documents(connection, [Document(name, "ab", extraction=bare) for name in ("x", "y")])
        row = connection.execute(detail_rows.select()).first()
        assert row is not None
        changed = detail_rows.c.key == load_document(connection, "y").key
        connection.execute(update(detail_rows).where(changed).values(size=row.size, packed=row.packed))
    with shown.read() as connection:
        assert load_document(connection, "x").extraction == bare
        assert load_document(connection, "d").extraction.looks == LOOKS
        with pytest.raises(ProjectError, match="damaged"):
            load_document(connection, "y")
