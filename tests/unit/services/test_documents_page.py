"""The Documents screen shows a blind reviewer what others said of a document only beside a label of their own."""

from __future__ import annotations

from pathlib import Path

from workbench.base.types import Document, Label
from workbench.project import labels
from workbench.project.documents import add_documents
from workbench.project.listing import DOCUMENT_LABELS
from workbench.services.queries import documents_page
from workbench.services.review.judgement import Reviewer
from workbench.services.session import Session, create


def test_a_blind_reviewer_sees_labels_only_of_documents_labelled_by_themselves(tmp_path: Path) -> None:
    path = tmp_path / "p.palimpsest"
    create(path)
    with Session(path) as session:
        with session.write() as connection:
            add_documents(connection, [Document("one", "Some text."), Document("two", "Other text.")])
            for name, who, value, when in (
                ("one", "bob", "splog", "2026-01-01T00:00:01.000Z"),
                ("two", "ann", "blog", "2026-01-01T00:00:02.000Z"),
                ("two", "bob", "splog", "2026-01-01T00:00:03.000Z"),
            ):
                labels.add_label(connection, Label(f"document:{name}", value, who, when, label_set=DOCUMENT_LABELS))
        everything = documents_page(session).table
        blind = documents_page(session.seen_by(Reviewer("ann", blind=True))).table
        open_eyed = documents_page(session.seen_by(Reviewer("ann"))).table
        assert dict(zip(blind.id, blind.label, strict=True)) == {"one": "", "two": "splog"}
        assert everything.label == open_eyed.label
        assert dict(zip(everything.id, everything.label, strict=True)) == {"one": "splog", "two": "splog"}
