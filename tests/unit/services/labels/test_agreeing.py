"""Agreement over time."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path

import pytest

from workbench.base.errors import UserError
from workbench.base.types import Document, Label, Role
from workbench.jobs.context import Context
from workbench.jobs.events import Event, Warned
from workbench.project.documents import add_documents, bring_back
from workbench.project.labels import add_labels
from workbench.project.listing import keys_of
from workbench.services.importing.batch import ImportOptions, import_paths
from workbench.services.labels.export import export_rows, write_rows
from workbench.services.labels.label_state import BoardScope, give, note, read_board
from workbench.services.labels.labelling import (
    LabelOptions,
    agreement_report,
    compare_annotators,
    import_labels,
    over_time,
)
from workbench.services.labels.queue import QueueOptions, progress, queue
from workbench.services.labels.settling import settled
from workbench.services.measuring.evaluating import evaluate
from workbench.services.measuring.label_selection import Question, document_truth
from workbench.services.queries import documents_page, remove
from workbench.services.session import Session, create


def labels(*votes: tuple[str, str, int]) -> list[Label]:
    return [Label("document:e", value, who, f"2026-01-{day:02}T00:00:00.000Z") for who, value, day in votes]


def test_an_entry_belongs_to_the_time_of_its_second_label_whoever_comes_later() -> None:
    entry = labels(("cho", "blog", 20), ("ann", "blog", 1), ("adjudicator:ann", "splog", 2), ("ben", "blog", 5))
    (block,) = over_time([entry, labels(("ann", "blog", 3))])
    assert (block.since, block.until) == ("2026-01-05T00:00:00.000Z",) * 2
    assert (block.entries, block.agreed) == (1, 1)


def test_blocks_are_in_the_order_of_time_and_count_who_agrees_now() -> None:
    early = [labels(("ann", "blog", 1), ("ben", "splog", 2)) for _ in range(10)]
    late = [labels(("ann", "blog", 8), ("ben", "blog", 9)) for _ in range(10)]
    assert [block.agreed for block in over_time([*late, *early])] == [0, 1]


def test_a_set_whose_labels_were_all_withdrawn_is_not_offered_in_its_place(path: Path) -> None:
    votes = [
        Label("document:a", value, "ann", f"2026-01-0{day}", label_set="class") for day, value in ((1, "x"), (2, ""))
    ]
    with Session(path) as session:
        with session.write() as connection:
            add_documents(connection, [Document("a", "Text.", Role.SUSPECT)])
            add_labels(connection, votes)
        with pytest.raises(UserError) as refused:
            settled(session, "class")
        assert str(refused.value.sentence) == "This project has no labels."
        with session.write() as connection:
            add_labels(connection, [Label("document:a", "y", "ann", "", label_set="kind")])
        with pytest.raises(UserError) as refused:
            settled(session, "class")
    assert str(refused.value.sentence).endswith("Available: kind.")


def test_labels_of_documents_that_were_removed_do_not_count_and_are_reported(path: Path, ctx: Context) -> None:
    votes = {"a": ("splog", "splog"), "b": ("blog", "blog"), "c": ("splog", "blog"), "d": ("blog", "blog")}
    with Session(path) as session:
        with session.write() as connection:
            add_documents(connection, [Document(name, f"Text {name}.", Role.SUSPECT) for name in votes])
            add_labels(
                connection,
                [
                    Label(f"document:{name}", value, who, "", label_set="class")
                    for name, values in votes.items()
                    for who, value in zip(("ann", "ben"), values, strict=True)
                ],
            )
        assert compare_annotators(session, "class").unresolved == ("c",)
        with session.read() as connection:
            key = keys_of(connection, ["c"])["c"]
        remove(session, [key])
        compared = compare_annotators(session, "class")
    assert (compared.annotators, compared.unresolved, compared.removed) == ({"ann": 3, "ben": 3}, (), 1)
    assert compared.agreement is not None
    assert (compared.agreement.alpha.value, compared.agreement.documents) == (1.0, 3)
    report = agreement_report(ctx, path, "class")
    assert report.compared == compared
    assert sum(block.entries for block in report.blocks) == 3


def _import(ctx: Context, path: Path, folder: Path, texts: dict[str, str], *, update: bool = False) -> tuple[int, ...]:
    """Import rows; the keys of the documents that they take the place of."""
    rows = folder / "rows.jsonl"
    lines = (f'{{"id": "{name}", "text": "{text}", "role": "suspect"}}\n' for name, text in texts.items())
    rows.write_text("".join(lines), encoding="utf-8")
    return import_paths(ctx, path, [rows], None, ImportOptions(update=update)).replaced


def _give(session: Session, name: str, *votes: tuple[str, str]) -> None:
    give(session, [Label(f"document:{name}", value, who, "", label_set="class") for who, value in votes])


def test_a_label_given_for_an_earlier_text_stays_and_says_so_everywhere(
    path: Path, tmp_path: Path, ctx: Context
) -> None:
    _import(ctx, path, tmp_path, {"a": "The first text.", "b": "Another text."})
    with Session(path) as session:
        _give(session, "a", ("ann", "splog"), ("ben", "splog"))
        _give(session, "b", ("ann", "blog"), ("ben", "blog"))
        assert [row.get("other_text") for row in export_rows(session, "class")] == [None] * 4
    replaced = _import(ctx, path, tmp_path, {"a": "The second text."}, update=True)
    with Session(path) as session:
        rows = {(row["id"], row["annotator"]): row.get("other_text", False) for row in export_rows(session, "class")}
        assert rows == {("a", "ann"): True, ("a", "ben"): True, ("b", "ann"): False, ("b", "ben"): False}
        page = documents_page(session)
        shown = zip(page.table.id, page.labels, page.of_others, strict=True)
        assert {name: (value, other) for name, value, other in shown} == {"a": ("splog", True), "b": ("blog", False)}
        compared = compare_annotators(session, "class")
        assert (compared.of_others, compared.apart, compared.how) == (1, 0, {"unanimous": 2})
        assert document_truth(session, Question()) == {"a": True, "b": False}
        assert evaluate(session, "length").of_other_texts == 1
        board = read_board(session, BoardScope("class"))
        done = progress(board, "ann", queue(board, "ann", QueueOptions()))
        assert (done.done, done.total) == (1, 2)
        # Undo brings the text back that the label is about.
        with session.write() as connection:
            bring_back(connection, replaced)
        assert not settled(session, "class")["document:a"].of_other


def test_labels_for_different_texts_are_not_compared(path: Path, tmp_path: Path, ctx: Context) -> None:
    _import(ctx, path, tmp_path, {"a": "The first text.", "b": "Another text."})
    with Session(path) as session:
        for name in "ab":
            _give(session, name, ("ann", "splog"), ("ben", "splog"), ("adjudicator", "splog"))
    _import(ctx, path, tmp_path, {"a": "The second text."}, update=True)
    with Session(path) as session:
        _give(session, "a", ("ann", "blog"))
        state = settled(session, "class")["document:a"]
        assert (state.value, state.how, state.votes, state.of_other) == ("blog", "single", {"ann": "blog"}, False)
        compared = compare_annotators(session, "class")
        assert (compared.annotators, compared.of_others, compared.apart) == ({"ann": 2, "ben": 1}, 0, 1)
        board = read_board(session, BoardScope("class"))
        assert not board.in_conflict("document:a")


def test_a_note_confirms_nothing_and_files_keep_for_which_text_a_label_was_given(
    path: Path, tmp_path: Path, ctx: Context
) -> None:
    _import(ctx, path, tmp_path, {"a": "The first text."})
    with Session(path) as session:
        _give(session, "a", ("ann", "splog"))
    _import(ctx, path, tmp_path, {"a": "The second text."}, update=True)
    file = tmp_path / "labels.csv"
    file.write_text("id,label,annotator,note\na,splog,ann,why\n", encoding="utf-8")
    assert import_labels(ctx, path, file).imported == 1
    events: list[Event] = []
    assert import_labels(Context("j", events.append, lambda: False), path, file).unchanged == 1
    assert [event.message.split(":")[0] for event in events if isinstance(event, Warned)] == [
        "1 label was there and was given for another text of its document"
    ]
    with Session(path) as session:
        note(session, Label("document:a", "", "ann", "", "and why", label_set="class"))
        (row,) = export_rows(session, "class")
        assert (row["note"], row["other_text"]) == ("and why", True)
        write_rows(export_rows(session, "class"), tmp_path / "out.csv")
        _give(session, "a", ("ann", "splog"))
        assert "other_text" not in next(export_rows(session, "class"))
    other = tmp_path / "other.palimpsest"
    create(other)
    _import(ctx, other, tmp_path, {"a": "The second text."})
    assert import_labels(ctx, other, tmp_path / "out.csv").imported == 1
    with Session(other, write=False) as session:
        assert settled(session, "class")["document:a"].of_other


def test_a_row_with_a_label_says_it_of_its_new_text(path: Path, tmp_path: Path, ctx: Context) -> None:
    rows = tmp_path / "rows.jsonl"
    for text in ("The first text.", "The second text."):
        rows.write_text(f'{{"id": "a", "text": "{text}", "label": "splog"}}\n', encoding="utf-8")
        import_paths(ctx, path, [rows], None, ImportOptions(update=True))
    with Session(path, write=False) as session:
        assert not settled(session, "class")["document:a"].of_other


def test_a_column_of_other_hashes_called_digest_makes_no_label_one_for_another_text(
    path: Path, tmp_path: Path, ctx: Context
) -> None:
    texts = {"a": "The first text.", "b": "Another text.", "c": "The last text."}
    _import(ctx, path, tmp_path, texts)
    file = tmp_path / "labels.csv"

    def others(digests: Mapping[str, str]) -> list[str]:
        rows = (f"{name},splog,{digests[name]}\n" for name in texts)
        file.write_text(f"id,label,digest\n{''.join(rows)}", encoding="utf-8")
        assert import_labels(ctx, path, file, LabelOptions(who=f"ann {len(digests['a'])}")).imported == 3
        with Session(path) as session:
            latest = (row for row in export_rows(session, "class") if row["annotator"] == f"ann {len(digests['a'])}")
            return [row["id"] for row in latest if row.get("other_text")]

    of_files = {name: hashlib.sha256(name.encode()).hexdigest() for name in texts}
    assert others(of_files) == []
    assert others({name: f"{of_file}:{of_file}" for name, of_file in of_files.items()}) == []
    _import(ctx, path, tmp_path, {"a": "The second text."}, update=True)
    of_texts = {name: hashlib.sha256(text.encode()).hexdigest() for name, text in texts.items()}
    file.write_text(f"id,label,digest\na,blog,{of_texts['a']}\nc,blog,{of_files['c']}\n", encoding="utf-8")
    assert import_labels(ctx, path, file, LabelOptions(who="ben")).imported == 2
    with Session(path) as session:
        rows = [row for row in export_rows(session, "class") if row["annotator"] == "ben"]
    assert [(row["id"], row.get("other_text", False)) for row in rows] == [("a", True), ("c", True)]
