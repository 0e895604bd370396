"""The Documents screen shows a blind reviewer what others said of a document only beside a label of their own."""

from __future__ import annotations

from pathlib import Path

from workbench.base.types import Document, Label
from workbench.project import labels
from workbench.project.documents import add_documents
from workbench.project.listing import DOCUMENT_LABELS
from workbench.project.tags import removed_tags_by_id, tags_by_id
from workbench.services.queries import documents_page
from workbench.services.review.judgement import CONFLICT, Reviewer
from workbench.services.session import Session, create
from workbench.services.tagging import change_tags, change_tags_of, restore_tags


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
        everything = documents_page(session)
        blind = documents_page(session.seen_by(Reviewer("ann", blind=True)))
        open_eyed = documents_page(session.seen_by(Reviewer("ann")))
        assert dict(zip(blind.table.id, blind.labels, strict=True)) == {"one": "", "two": CONFLICT}
        assert everything.labels == open_eyed.labels
        assert dict(zip(everything.table.id, everything.labels, strict=True)) == {"one": "splog", "two": CONFLICT}


def test_documents_show_the_label_that_evaluate_counts_not_the_last_one(tmp_path: Path) -> None:
    path = tmp_path / "p.palimpsest"
    create(path)
    votes = {
        "majority": (("ann", "blog"), ("bob", "blog"), ("cid", "splog")),
        "settled": (("ann", "blog"), ("adjudicator:dee", "blog"), ("cid", "splog")),
    }
    with Session(path) as session:
        with session.write() as connection:
            add_documents(connection, [Document(name, f"Text {name}.") for name in votes])
            for name, of in votes.items():
                for who, value in of:
                    labels.add_label(connection, Label(f"document:{name}", value, who, "", label_set=DOCUMENT_LABELS))
        assert documents_page(session).labels == ["blog", "blog"]


def test_undoing_a_change_of_tags_keeps_what_another_program_has_changed_since(tmp_path: Path) -> None:
    path = tmp_path / "p.palimpsest"
    create(path)
    with Session(path) as session:
        with session.write() as connection:
            add_documents(connection, [Document("one", "Some text.", tags=("a", "b"))])
        before = change_tags(session, [1], ["c"], ["a"])
        with Session(path) as other:
            change_tags_of(other, ["one"], ["theirs"], ["b"])
        restore_tags(session, before, ["c"], ["a"])
        with session.read() as connection:
            assert tags_by_id(connection) == {"one": ("a", "theirs")}
            assert removed_tags_by_id(connection) == {"one": ("b",)}
