"""Values renamed, made one, taken out: what is the same judgement stays one, in every reading of the log."""

from __future__ import annotations

from pathlib import Path

import pytest

from workbench.base.errors import UserError
from workbench.base.types import Document, Label
from workbench.jobs.context import Context
from workbench.project import labels
from workbench.project.documents import add_documents
from workbench.services.labels.batches import export_batch
from workbench.services.labels.definitions import LabelSet, Value, read_sets, save_set
from workbench.services.labels.export import export_rows, write_rows
from workbench.services.labels.label_state import BoardScope, give, read_board
from workbench.services.labels.labelling import LabelOptions, compare_annotators, import_labels
from workbench.services.labels.merging import merge_batch
from workbench.services.labels.sets import meaning
from workbench.services.labels.settling import settled
from workbench.services.labels.values import remove_value, rename_value, undo_renaming, value_counts
from workbench.services.session import Session, create


@pytest.fixture
def spam(tmp_path: Path) -> Path:
    """Four documents; two annotators call the first two spam, and differ on the third."""
    path = tmp_path / "spam.palimpsest"
    create(path)
    with Session(path) as session:
        with session.write() as connection:
            add_documents(connection, [Document(f"d{n}", f"Text {n} of its own.") for n in range(4)])
        save_set(session, LabelSet("mood", values=(Value("spam", "s"), Value("ham", "h"), Value("odd", "o"))), "ann")
        give(session, [label(n, "spam", who) for n in (0, 1) for who in ("ann", "ben")])
        give(session, [label(2, "spam", "ann"), label(2, "ham", "ben")])
    return path


def label(number: int, value: str, who: str) -> Label:
    return Label(f"document:d{number}", value, who, "", label_set="mood")


def readings(session: Session) -> list[dict[str, dict[str, str]]]:
    """Who says what of which document, as every reader of the log has it: these are to be the same."""
    with session.read() as connection:
        by = {t: {w: v.value for w, v in of.items()} for t, of in labels.by_annotator(connection, "mood").items()}
        of_events: dict[str, dict[str, str]] = {}
        for event in labels.gained(connection, ["mood"]):
            of_events.setdefault(event.target, {})[event.who] = event.value
        last = {target: {"": value} for target, value in labels.latest_values(connection, "mood").items()}
        latest = {target: {"": value} for target, value in labels.latest_values(connection, "mood").items()}
        current = {target: {"": event.value} for target, event in labels.current(connection, "mood").items()}
    board = read_board(session, BoardScope("mood"))
    boards = {i.target: {w: v.value for w, v in board.labels_of(i.target).items()} for i in board.items}
    rows: dict[str, dict[str, str]] = {}
    for row in export_rows(session, "mood"):
        rows.setdefault(f"document:{row['id']}", {})[row["annotator"]] = row["label"]
    assert by == of_events == {t: of for t, of in boards.items() if of} == rows
    assert last == latest == current
    return [by, last]


def test_a_renamed_value_is_one_judgement_for_every_reader(spam: Path) -> None:
    with Session(spam) as session:
        assert rename_value(session, "mood", "spam", "junk", "ann") == 5
        give(session, [label(3, "junk", "ben")])
        by, last = readings(session)
        assert by["document:d0"] == {"ann": "junk", "ben": "junk"}
        assert by["document:d2"] == {"ann": "junk", "ben": "ham"}
        assert last["document:d3"] == {"": "junk"}
        assert [v.name for v in read_sets(session)["mood"].values] == ["junk", "ham", "odd"]
        assert value_counts(session, "mood") == {"junk": 6, "ham": 1}
        assert settled(session, "mood")["document:d0"].how == "unanimous"
        assert compare_annotators(session, "mood").how == {"single": 1, "unanimous": 2, "unresolved": 1}
        with session.read() as connection:
            assert labels.values_of(connection, "mood") == ["ham", "junk"]
            assert labels.label_sets(connection) == ["mood"]
            assert labels.count_labels(connection) == (7, 4)
            assert labels.verify_chain(connection) == "ok"


def test_a_renaming_is_undone_whole_and_can_be_made_again(spam: Path) -> None:
    with Session(spam) as session:
        before = readings(session)
        rename_value(session, "mood", "spam", "junk", "ann")
        renamed = readings(session)
        assert undo_renaming(session, "mood", "spam", "ann") == 5
        assert readings(session) == before
        assert [v.name for v in read_sets(session)["mood"].active] == ["spam", "ham", "odd"]
        rename_value(session, "mood", "spam", "junk", "ann")
        assert readings(session) == renamed


def test_renamed_twice_and_back_it_has_its_first_name(spam: Path) -> None:
    with Session(spam) as session:
        before = readings(session)
        rename_value(session, "mood", "spam", "junk", "ann")
        rename_value(session, "mood", "junk", "waste", "ann")
        assert value_counts(session, "mood") == {"waste": 5, "ham": 1}
        rename_value(session, "mood", "waste", "spam", "ann")
        assert readings(session) == before


def test_two_values_are_made_one_only_when_that_is_asked_for_and_parted_again(spam: Path) -> None:
    with Session(spam) as session:
        before = readings(session)
        with pytest.raises(UserError, match="ham"):
            rename_value(session, "mood", "spam", "Ham", "ann")
        assert rename_value(session, "mood", "spam", "ham", "ann", merge=True) == 5
        assert value_counts(session, "mood") == {"ham": 6}
        assert settled(session, "mood")["document:d2"].how == "unanimous"
        undo_renaming(session, "mood", "spam", "ann")
        assert readings(session) == before
        assert {v.name for v in read_sets(session)["mood"].active} == {"spam", "ham", "odd"}


def test_imported_values_that_differ_in_case_can_be_renamed_and_merged_one_by_one(
    spam: Path, ctx: Context, tmp_path: Path
) -> None:
    file = tmp_path / "labels.csv"
    file.write_text("id,label,annotator,set\nd0,BLOG,ann,post\nd1,Blog,ann,post\nd2,blog,ann,post\nd3,odd,ann,post\n")
    import_labels(ctx, spam, file)
    with Session(spam) as session:
        rename_value(session, "post", "odd", "rare", "ann")
        with pytest.raises(UserError, match="RARE"):
            save_set(session, LabelSet("post", values=(Value("rare"), Value("RARE"))), "ann")
        assert rename_value(session, "post", "Blog", "blog", "ann", merge=True) == 1
        assert value_counts(session, "post") == {"BLOG": 1, "blog": 2, "rare": 1}
        undo_renaming(session, "post", "Blog", "ann")
        assert value_counts(session, "post") == {"BLOG": 1, "Blog": 1, "blog": 1, "rare": 1}
    export_batch(ctx, spam, "post", "ann", tmp_path / "batch.palimpsest")
    assert merge_batch(ctx, spam, tmp_path / "batch.palimpsest").failed == ()


def test_a_former_name_cannot_become_another_value(spam: Path) -> None:
    with Session(spam) as session:
        rename_value(session, "mood", "spam", "junk", "ann")
        before = readings(session)
        for name in ("ham", "odd"):
            with pytest.raises(UserError, match="junk"):
                rename_value(session, "mood", name, "spam", "ann")
        with pytest.raises(UserError, match="junk"):
            save_set(session, LabelSet("mood", values=(Value("spam"), Value("junk"))), "ann")
        remove_value(session, "mood", "ham", "ann", retire=True)
        with pytest.raises(UserError, match="Labels called spam count as junk"):
            rename_value(session, "mood", "ham", "spam", "ann")
        assert readings(session) == before


def test_a_value_with_labels_is_not_taken_out_silently(spam: Path) -> None:
    with Session(spam) as session:
        with pytest.raises(UserError, match="5"):
            remove_value(session, "mood", "spam", "ann")
        assert remove_value(session, "mood", "odd", "ann") == 0
        assert remove_value(session, "mood", "spam", "ann", retire=True) == 5
        assert [v.name for v in read_sets(session)["mood"].active] == ["ham"]
        assert value_counts(session, "mood")["spam"] == 5


def test_values_that_the_program_reads_keep_their_names(spam: Path) -> None:
    with Session(spam) as session:
        give(session, [Label("match:x:0-1:y:0-1", "copy", "ann", "", label_set="verdict")])
        with pytest.raises(UserError, match="verdict"):
            rename_value(session, "verdict", "copy", "not-copy", "ann", merge=True)


def test_a_share_labelled_under_the_old_name_comes_back_under_the_new(spam: Path, tmp_path: Path, ctx: Context) -> None:
    share = tmp_path / "share.palimpsest"
    export_batch(ctx, spam, "mood", "cleo", share)
    with Session(spam) as session:
        rename_value(session, "mood", "spam", "junk", "ann")
    with Session(share) as session:
        give(session, [label(3, "spam", "cleo")])
    merge_batch(ctx, spam, share)
    with Session(spam) as session:
        assert readings(session)[0]["document:d3"] == {"cleo": "junk"}


def test_a_share_written_after_a_renaming_has_it_and_brings_nothing_new(
    spam: Path, tmp_path: Path, ctx: Context
) -> None:
    with Session(spam) as session:
        rename_value(session, "mood", "spam", "junk", "ann")
    share = tmp_path / "share.palimpsest"
    assert export_batch(ctx, spam, "mood", "ann", share).labels == 3
    with Session(share) as session:
        assert value_counts(session, "mood") == {"junk": 3}
    result = merge_batch(ctx, spam, share)
    assert (result.added, result.failed) == (0, ())


def test_a_file_with_the_old_name_is_imported_under_the_new(spam: Path, tmp_path: Path, ctx: Context) -> None:
    file = tmp_path / "old.csv"
    file.write_text("id,label,annotator\nd3,spam,cleo\n", "utf-8")
    with Session(spam) as session:
        rename_value(session, "mood", "spam", "junk", "ann")
    result = import_labels(ctx, spam, file, LabelOptions(label_set="mood"))
    assert (result.imported, result.failed) == (1, ())
    with Session(spam) as session:
        assert readings(session)[0]["document:d3"] == {"cleo": "junk"}


def test_a_value_that_is_looked_for_is_never_left_out_as_undecided() -> None:
    values = ["blog", "splog", "unsure"]
    usual, chosen = meaning(values), meaning(values, ["unsure"])
    assert (usual.positive, usual.undecided) == ({"splog"}, {"unsure"})
    assert (chosen.positive, chosen.undecided) == ({"unsure"}, set())


def test_an_exported_history_has_renamed_values_as_they_are_called_and_as_they_were_written(
    spam: Path, tmp_path: Path
) -> None:
    with Session(spam) as session:
        before = [row["label"] for row in export_rows(session, "mood", history=True)]
        rename_value(session, "mood", "spam", "junk", "ann")
        rows = list(export_rows(session, "mood", history=True))
        assert [row.get("written", row["label"]) for row in rows] == before
        assert "spam" in before
        assert "spam" not in [row["label"] for row in rows]
        write_rows(iter(rows), tmp_path / "h.csv")
    assert "written" in (tmp_path / "h.csv").read_text("utf-8").splitlines()[0]
