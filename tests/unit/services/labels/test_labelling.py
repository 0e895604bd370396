from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from workbench.base.errors import UserError
from workbench.base.types import Document, Label, Role
from workbench.jobs.context import Context
from workbench.jobs.events import Event, Warned
from workbench.project import labels
from workbench.project.documents import add_documents
from workbench.reading.formats import Failure
from workbench.services.labels.definitions import LabelSet, Value, read_sets, save_set
from workbench.services.labels.export import export_rows, write_rows
from workbench.services.labels.label_state import give
from workbench.services.labels.labelling import LabelOptions, compare_annotators, import_labels
from workbench.services.labels.rows import LabelRow, read_rows
from workbench.services.labels.settling import settle, settled
from workbench.services.labels.targets import TargetKind
from workbench.services.session import Session, create


@pytest.fixture
def project(path: Path) -> Path:
    """Documents d0 .. d5, one with colons in its id."""
    with Session(path) as session, session.write() as connection:
        names = [f"d{i}" for i in range(6)] + ["a:1-2:b"]
        add_documents(connection, [Document(name, f"text {name}", Role.SUSPECT) for name in names])
    return path


def lines(folder: Path, *rows: object, name: str = "labels.jsonl") -> Path:
    file = folder / name
    file.write_text("".join((r if isinstance(r, str) else json.dumps(r)) + "\n" for r in rows), encoding="utf-8")
    return file


def errors(result: object) -> dict[str, str]:
    return {f.path.rpartition(":")[2]: f.error for f in result.failed}  # type: ignore[attr-defined]


def test_the_first_unknown_document_is_reported_with_ids_near_its_own(ctx: Context, path: Path, tmp_path: Path) -> None:
    with Session(path) as session, session.write() as connection:
        add_documents(connection, [Document(f"essays/{name}.txt", name, Role.SUSPECT) for name in ("one", "two")])
    file = lines(tmp_path, {"id": "one.txt", "label": "splog"}, {"id": "two.txt", "label": "splog"})
    assert errors(import_labels(ctx, path, file)) == {
        "1": "There is no document one.txt in this project. Similar ids: essays/one.txt.",
        "2": "There is no document two.txt in this project.",
    }


def test_bad_rows_are_listed_by_line_and_the_rest_is_imported(ctx: Context, project: Path, tmp_path: Path) -> None:
    file = lines(
        tmp_path,
        {"id": "d0", "label": "splog", "annotator": "anna", "time": "2024-01-02T03:04:05+09:00", "note": "計"},
        {"id": "gone", "label": "splog"},
        {"id": "d1", "label": ["splog", "blog"]},
        {"id": "d1", "label": "spolg"},
        '{"id": "d1", "labels": {"anna": "blog", "anna": "splog"}}',
        {"id": "d0", "label": "blog", "annotator": "anna"},
        "{",
        {"label": "blog"},
        {"id": "d1"},
        {"id": "d2", "label": "blog", "time": "yesterday"},
        {"a": "d1", "b": "d2", "label": "not"},
        {"a": "d1", "b": "d1", "label": "not"},
        {"a": {"id": "d1", "start": 0, "end": 3}, "b": {"id": "d2", "start": 1, "end": 4}, "label": "copy"},
        {"a": "d1", "a_start": 3, "a_end": 1, "b": "d2", "b_start": 1, "b_end": 2, "label": "copy"},
        {"id": "d3", "label": "SPLOG", "kind": "word salad"},
        {"a": "d1", "a_start": 3, "b": "d2", "b_start": 1, "b_end": 2, "label": "copy"},
    )
    result = import_labels(ctx, project, file)
    assert {line: text.split(";")[0] for line, text in errors(result).items()} == {
        "2": "There is no document gone in this project.",
        "3": "The row has two labels.",
        "4": "'spolg' is not a value of the label set class",
        "5": "The annotator anna is named twice.",
        "6": "anna already labelled d0 in line 1.",
        "7": "The line is not valid JSON.",
        "8": "The row does not identify the labelled item.",
        "9": "The row has no label.",
        "10": "yesterday is not a time of the form 2024-01-31T12:00:00Z.",
        "12": "A pair needs two documents.",
        "14": "3 to 1 is not a span: start and end are whole numbers, start first.",
        "16": "3 to ? is not a span: start and end are whole numbers, start first.",
    }
    assert (result.imported, result.sets) == (5, ("class", "kind", "near-duplicate", "reference"))
    with Session(project) as session, session.read() as connection:
        by_annotator = labels.by_annotator(connection, "class")
        assert by_annotator["document:d0"]["anna"].when == "2024-01-01T18:04:05.000Z"
        assert by_annotator["document:d3"]["import"].value == "splog"


def test_values_that_no_project_can_hold_do_not_end_an_import(ctx: Context, project: Path, tmp_path: Path) -> None:
    passage = {"a": "d1", "b": "d2", "a_start": "1", "a_end": "9" * 5000, "b_start": 1, "b_end": 2, "label": "copy"}
    file = lines(
        tmp_path,
        {"id": "d0", "label": "blog", "time": "0001-01-01T00:00:00+10:00"},
        passage,
        *({"id": "d0", "label": "blog"} | {field: "\ud800"} for field in ("note", "annotator", "set", "label")),
        {"id": "d1", "label": "blog"},
    )
    result = import_labels(ctx, project, file)
    assert (result.imported, [*errors(result)]) == (1, ["1", "2", "3", "4", "5", "6"])


def test_an_annotator_without_a_value_is_not_an_error_of_the_row(ctx: Context, project: Path, tmp_path: Path) -> None:
    file = lines(tmp_path, {"id": "d0", "labels": {"ann": "blog", "ben": None, "cat": ""}})
    result = import_labels(ctx, project, file)
    assert (result.imported, result.failed) == (1, ())


def test_the_same_file_again_changes_nothing(ctx: Context, project: Path, tmp_path: Path) -> None:
    file = lines(
        tmp_path,
        {"id": "d0", "label": "blog", "annotator": "a", "time": "2024-01-01"},
        {"id": "d0", "label": "splog", "annotator": "a", "time": "2024-01-02"},
    )
    assert import_labels(ctx, project, file).imported == 2
    again = import_labels(ctx, project, file)
    assert (again.imported, again.unchanged) == (0, 2)
    with Session(project) as session:
        assert settled(session, "class")["document:d0"].value == "splog"


def test_a_column_an_annotator_is_read(ctx: Context, project: Path, tmp_path: Path) -> None:
    file = lines(tmp_path, "id,label:花子,label:taro", "d0,blog,splog", "d1,blog,", "d2,blog,splog,blog", name="l.csv")
    result = import_labels(ctx, project, file)
    assert (result.imported, errors(result)) == (3, {"4": "The row has 4 columns, the header 3."})
    with Session(project) as session:
        assert settled(session, "class")["document:d0"].votes == {"花子": "blog", "taro": "splog"}


def test_an_annotator_named_by_two_columns_is_refused(ctx: Context, project: Path, tmp_path: Path) -> None:
    file = lines(tmp_path, "id,label:x,label:x", "d0,blog,splog", name="l.csv")
    assert errors(import_labels(ctx, project, file)) == {"2": "The annotator x is named twice."}


def test_another_encoding_is_detected_and_unreadable_rows_are_listed(
    ctx: Context, project: Path, tmp_path: Path
) -> None:
    text = (
        "id,label,note\n"
        + "d0,blog,これは日記の文章であり、複製ではない。\nd1,splog,検索結果をつないだだけの文章である。\n"
    )
    file = tmp_path / "l.csv"
    file.write_bytes(text.encode("cp932"))
    assert import_labels(ctx, project, file).imported == 2
    file.write_bytes(text.replace("d0", "d2").replace("d1", "d3").encode() + b"d4,blog,\xff\xfe\n")
    result = import_labels(ctx, project, file, LabelOptions(encoding="utf-8"))
    assert (result.imported, list(errors(result))) == (2, ["4"])


def test_a_set_of_ones_own_keeps_to_its_values(ctx: Context, project: Path, tmp_path: Path) -> None:
    own = LabelOptions(label_set="mood", who="x")
    assert import_labels(ctx, project, lines(tmp_path, {"id": "d0", "label": "glad"}), own).imported == 1
    second = lines(tmp_path, {"id": "d1", "label": "sad"})
    assert "the values are glad" in errors(import_labels(ctx, project, second, own))["1"]
    more = LabelOptions(label_set="mood", who="x", values=["sad"])
    assert import_labels(ctx, project, second, more).imported == 1


def test_values_that_an_import_adds_to_a_set_have_keys_in_label(ctx: Context, project: Path, tmp_path: Path) -> None:
    with Session(project) as session:
        save_set(session, LabelSet("mood", values=(Value("glad", "g"), Value("grim", "r", retired=True))), "anna")
    rows = [{"id": "d0", "label": "glad"}, {"id": "d1", "label": "sad"}, {"id": "d2", "label": "grim"}]
    options = LabelOptions(label_set="mood", who="ben", values=["sad", "shy", "grim"])
    assert import_labels(ctx, project, lines(tmp_path, *rows), options).imported == 3
    with Session(project) as session:
        own = read_sets(session)["mood"]
    assert [(value.name, value.key, value.retired) for value in own.values] == [
        ("glad", "g", False),
        ("grim", "r", True),
        ("sad", "s", False),
    ], "a value that no row has is not added, and a retired one stays retired"


def test_annotators_who_write_values_of_a_new_set_in_other_cases_agree(
    ctx: Context, project: Path, tmp_path: Path
) -> None:
    rows = [{"id": f"d{i}", "labels": {"anna": "SPAM", "ben": "spam", "eve": "spam"}} for i in range(3)]
    result = import_labels(ctx, project, lines(tmp_path, *rows), LabelOptions("mine"))
    assert (result.imported, result.failed) == (9, ())
    with Session(project) as session:
        assert {state.value for state in settled(session, "mine").values()} == {"spam"}
        assert {state.how for state in settled(session, "mine").values()} == {"unanimous"}


def test_two_values_of_one_annotator_stay_two_values(ctx: Context, project: Path, tmp_path: Path) -> None:
    rows = [{"id": f"d{i}", "labels": {"anna": "a" if i else "A", "ben": "a"}} for i in range(3)]
    import_labels(ctx, project, lines(tmp_path, *rows), LabelOptions("mine"))
    with Session(project) as session:
        votes = {target: state.votes["anna"] for target, state in settled(session, "mine").items()}
    assert votes == {"document:d0": "A", "document:d1": "a", "document:d2": "a"}


def test_a_set_keeps_to_one_kind_of_items(ctx: Context, project: Path, tmp_path: Path) -> None:
    pair = {"a": "d1", "b": "d2", "label": "advert"}
    result = import_labels(ctx, project, lines(tmp_path, {"id": "d0", "label": "advert"}, pair), LabelOptions("topic"))
    assert (result.imported, errors(result)) == (1, {"2": "The labels of the set topic are of documents."})
    result = import_labels(ctx, project, lines(tmp_path, pair), LabelOptions("topic"))
    assert errors(result) == {"1": "The labels of the set topic are of documents."}
    with Session(project, write=False) as session:
        assert read_sets(session)["topic"].kind is TargetKind.DOCUMENT


def test_records_of_decisions_take_no_labels(ctx: Context, project: Path, tmp_path: Path) -> None:
    for name in ("case", "exclusion", "assigned", "by hand"):
        file = tmp_path / "rows.csv"
        file.write_text(f"id,label,set\nd0,licensed,{name}\n", encoding="utf-8")
        result = import_labels(ctx, project, file, LabelOptions())
        assert (result.imported, [str(failure.error) for failure in result.failed]) == (
            0,
            [f"The program uses the name {name} for its own records."],
        )


def test_values_that_a_set_lacks_are_named(ctx: Context, project: Path, tmp_path: Path) -> None:
    rows = [{"id": "d0", "label": "ham"}, {"id": "d1", "label": "spam"}, {"id": "d2", "label": "blog"}]
    result = import_labels(ctx, project, lines(tmp_path, *rows), LabelOptions("class"))
    assert (result.imported, result.strange) == (1, ("ham", "spam"))


def test_an_empty_file_of_labels_is_named(ctx: Context, project: Path, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="empty"):
        import_labels(ctx, project, lines(tmp_path, name="labels.csv"))


def test_what_is_exported_comes_back_whole(ctx: Context, project: Path, tmp_path: Path) -> None:
    rows = [
        {"id": "a:1-2:b", "label": "blog", "annotator": "x", "note": '改行\nと,"引用"'},
        {"a": "d1", "b": "a:1-2:b", "label": "unknown", "annotator": "x"},
        {"a": {"id": "d1", "start": 0, "end": 3}, "b": {"id": "a:1-2:b", "start": 1, "end": 4}, "label": "copy"},
    ]
    assert import_labels(ctx, project, lines(tmp_path, *rows)).imported == 3
    with Session(project) as session:
        with session.write() as connection:
            labels.add_label(connection, Label("document:a:1-2:b", "", "x", "", label_set="class"))
        for name, history in (("h.jsonl", True), ("h.csv", True), ("now.jsonl", False)):
            count = write_rows(export_rows(session, history=history), tmp_path / name)
            assert count == (4 if history else 2)
            whole = list(export_rows(session, history=history))
            copy = tmp_path / f"{name}.palimpsest"
            from workbench.services.session import create

            create(copy)
            with Session(copy) as other:
                with other.write() as connection:
                    add_documents(connection, [Document(n, n, Role.SUSPECT) for n in ("d1", "a:1-2:b")])
                result = import_labels(ctx, copy, tmp_path / name)
                assert not result.failed
                assert list(export_rows(other, history=history)) == whole


@pytest.mark.parametrize("name", ["h.jsonl", "h.csv"])
def test_a_history_comes_back_with_notes_that_came_after_the_label_or_without_one(
    ctx: Context, project: Path, tmp_path: Path, name: str
) -> None:
    with Session(project) as session:
        for value, note in (("splog", ""), ("splog", "sells followers"), ("splog", ""), ("splog", "sells likes")):
            give(session, [Label("document:d0", value, "ann", "", note, label_set="class")])
        give(session, [Label("document:d1", "", "ann", "", "ask Ben", label_set="class")])
        write_rows(export_rows(session, history=True), tmp_path / name)
        whole = sorted(map(str, export_rows(session, history=True)))
    copy = tmp_path / "copy.palimpsest"
    create(copy)
    with Session(copy) as other:
        with other.write() as connection:
            add_documents(connection, [Document(n, n, Role.SUSPECT) for n in ("d0", "d1")])
        result = import_labels(ctx, copy, tmp_path / name)
        assert (result.imported, result.failed) == (5, ())
        assert sorted(map(str, export_rows(other, history=True))) == whole
        again = import_labels(ctx, copy, tmp_path / name)
        assert (again.imported, again.unchanged) == (0, 5)


def test_a_note_in_a_file_reaches_the_label_that_is_there(ctx: Context, project: Path, tmp_path: Path) -> None:
    row = {"id": "d0", "label": "splog", "annotator": "ann"}
    import_labels(ctx, project, lines(tmp_path, row))
    assert import_labels(ctx, project, lines(tmp_path, row | {"note": "sells followers"})).imported == 1
    other = lines(tmp_path, row | {"note": "another note"}, name="other.jsonl")
    assert import_labels(ctx, project, other).unchanged == 1
    with Session(project, write=False) as session:
        (current,) = export_rows(session)
    assert current["note"] == "sells followers"
    assert import_labels(ctx, project, lines(tmp_path, current | {"note": "sells likes"})).imported == 1
    assert import_labels(ctx, project, other, LabelOptions(overwrite=True)).imported == 1


def test_a_spreadsheet_takes_no_exported_cell_for_a_formula(ctx: Context, project: Path, tmp_path: Path) -> None:
    notes = ["=HYPERLINK(1)", "+1", "-1", "@SUM(1)", "'=1", "''-1", "'quoted'", "plain", "a=b"]
    rows = [{"id": f"d{i % 6}", "label": "blog", "annotator": f"{n[0]}{i}", "note": n} for i, n in enumerate(notes)]
    import_labels(ctx, project, lines(tmp_path, *rows))
    with Session(project) as session:
        before = list(export_rows(session))
        write_rows(iter(before), tmp_path / "out.csv")
    with (tmp_path / "out.csv").open(encoding="utf-8", newline="") as file:
        cells = [cell for row in csv.reader(file) for cell in row]
    assert not [cell for cell in cells if cell[:1] in "=+-@" and cell]
    assert sorted(row.note for row in read_rows(tmp_path / "out.csv")) == sorted(notes)
    assert import_labels(ctx, project, tmp_path / "out.csv").unchanged == len(notes)


def test_a_quotation_that_never_ends_is_named_instead_of_read_with_the_rows_below(tmp_path: Path) -> None:
    file = tmp_path / "labels.csv"
    file.write_text('id,label,note\na,copy,"of\ntwo lines"\nb,copy,"no end\nc,copy,x\n', encoding="utf-8")
    first, second = read_rows(file)
    assert isinstance(first, LabelRow)
    assert first.note == "of\ntwo lines"
    assert isinstance(second, Failure)
    assert (second.path, "not closed" in second.error) == (f"{file}:4", True)
    file.write_text('id,label,"note\na,copy,x\n', encoding="utf-8")
    with pytest.raises(UserError, match="not closed"):
        list(read_rows(file))


def test_a_binary_file_of_labels_is_named(ctx: Context, project: Path, tmp_path: Path) -> None:
    (tmp_path / "labels.csv").write_bytes(bytes(range(4)) * 500)
    with pytest.raises(UserError, match="binary") as caught:
        import_labels(ctx, project, tmp_path / "labels.csv")
    assert caught.value.path == str(tmp_path / "labels.csv")


def test_an_adjudicator_wins_over_a_majority_and_a_tie_stays_open() -> None:
    assert settle({"a": "blog", "b": "blog", "c": "splog"}).how == "majority"
    assert settle({"a": "blog", "b": "blog"}).how == "unanimous"
    assert settle({"a": "blog"}).how == "single"
    assert settle({"a": "blog", "b": "splog"}) == settle({"a": "blog", "b": "splog"})
    assert settle({"a": "blog", "b": "splog"}).value == ""
    final = settle({"a": "blog", "b": "blog", "adjudicator:k": "splog"})
    assert (final.value, final.how, set(final.votes)) == ("splog", "adjudicator", {"a", "b"})
    assert settle({"adjudicator": "splog"}).value == "splog"


def test_agreement_names_what_is_not_resolved(ctx: Context, project: Path, tmp_path: Path) -> None:
    rows = [
        {"id": f"d{i}", "labels": {"a": "blog" if i else "splog", "b": "blog" if i < 3 else "splog"}} for i in range(6)
    ]
    import_labels(ctx, project, lines(tmp_path, *rows))
    import_labels(ctx, project, lines(tmp_path, {"id": "d0", "label": "blog"}), LabelOptions(adjudicated=True))
    with Session(project) as session:
        comparison = compare_annotators(session, "class")
        assert (comparison.how["adjudicator"], comparison.how["unanimous"]) == (1, 2)
        assert comparison.unresolved == ("d3", "d4", "d5")
        assert comparison.annotators == {"a": 6, "b": 6}
        assert comparison.agreement is not None
        with pytest.raises(UserError, match="Available: class"):
            compare_annotators(session, "kind")


@pytest.mark.parametrize("name", ["gold.csv", "gold.jsonl"])
def test_settled_labels_come_back_without_complaint_about_open_ones(
    ctx: Context, project: Path, tmp_path: Path, name: str
) -> None:
    votes = (("d0", "blog", "ann"), ("d0", "splog", "ben"), ("d1", "splog", "ann"), ("d1", "splog", "ben"))
    rows = [{"id": target, "label": value, "annotator": who} for target, value, who in votes]
    import_labels(ctx, project, lines(tmp_path, *rows))
    with Session(project, write=False) as session:
        assert write_rows(export_rows(session, adjudicated=True), tmp_path / name) == 2
    result = import_labels(ctx, project, tmp_path / name)
    assert (result.imported, result.failed) == (1, ())
    assert labels_held(project)["document:d1"] == {"ann": "splog", "ben": "splog", "adjudicator": "splog"}


def test_one_annotator_is_a_sentence(project: Path) -> None:
    with Session(project) as session:
        with session.write() as connection:
            labels.add_label(connection, Label("document:d0", "blog", "a", "", label_set="class"))
        assert "two annotators" in compare_annotators(session, "class").problem


def labels_held(project: Path) -> dict[str, dict[str, str]]:
    with Session(project, write=False) as session, session.read() as connection:
        by_target = labels.by_annotator(connection, "class")
    return {target: {who: label.value for who, label in by.items()} for target, by in by_target.items()}


@pytest.mark.parametrize("named", [False, True])
def test_a_file_changes_no_label_that_somebody_gave_unless_asked(
    ctx: Context, project: Path, tmp_path: Path, named: bool
) -> None:
    import_labels(ctx, project, lines(tmp_path, {"id": "d0", "label": "blog", "annotator": "root"}))
    rows: list[dict[str, str]] = [{"id": "d0", "label": "splog"}, {"id": "d1", "label": "splog"}]
    file = lines(tmp_path, *(row | ({"annotator": "root"} if named else {}) for row in rows), name="again.jsonl")
    result = import_labels(ctx, project, file, LabelOptions(who="" if named else "root"))
    assert labels_held(project) == {"document:d0": {"root": "blog"}, "document:d1": {"root": "splog"}}
    assert [(c.name, c.who, c.before, c.after) for c in result.changes] == [("d0", "root", "blog", "splog")]
    forced = import_labels(ctx, project, file, LabelOptions(who="" if named else "root", overwrite=True))
    assert (forced.imported, forced.changes) == (1, ())
    assert labels_held(project)["document:d0"] == {"root": "splog"}


def test_an_older_label_of_a_file_is_history_and_changes_nothing(ctx: Context, project: Path, tmp_path: Path) -> None:
    import_labels(ctx, project, lines(tmp_path, {"id": "d0", "label": "blog", "annotator": "root"}))
    old = {"id": "d0", "label": "splog", "annotator": "root", "time": "2001-01-01T00:00:00Z"}
    result = import_labels(ctx, project, lines(tmp_path, old))
    assert (result.imported, result.changes) == (1, ())
    assert labels_held(project)["document:d0"] == {"root": "blog"}


def test_a_column_of_figures_makes_no_label_set(ctx: Context, path: Path, tmp_path: Path) -> None:
    with Session(path) as session, session.write() as connection:
        add_documents(connection, [Document(f"d{i}", f"text {i}", Role.SUSPECT) for i in range(924)])
    file = lines(tmp_path, "id,label", *(f"d{i},{i / 924:.6f}" for i in range(924)), name="scores.csv")
    with pytest.raises(UserError, match="924"):
        import_labels(ctx, path, file, LabelOptions("scores"))
    with Session(path, write=False) as session, session.read() as connection:
        assert labels.count_events(connection) == 0
    fractions = lines(tmp_path, "id,label", "d1,0.5", "d2,17.25", name="fractions.csv")
    with pytest.raises(UserError, match=r"0\.5"):
        import_labels(ctx, path, fractions, LabelOptions("fraction"))
    few = lines(tmp_path, "id,label", *(f"d{i},{i % 5}" for i in range(924)), name="ratings.csv")
    assert import_labels(ctx, path, few, LabelOptions("rating")).imported == 924


def test_rows_that_name_another_set_than_the_wanted_one_are_said_to(project: Path, tmp_path: Path) -> None:
    events: list[Event] = []
    ctx = Context("t", events.append, lambda: False)
    named, plain = {"id": "d0", "label": "splog", "set": "class"}, {"id": "d1", "label": "splog"}
    for rows, wanted, warned in (
        ([named, plain], "second", True),
        ([plain], "second", False),
        ([named], "class", False),
    ):
        events.clear()
        import_labels(ctx, project, lines(tmp_path, *rows), LabelOptions(label_set=wanted, who="ann"))
        sentences = [event.message for event in events if isinstance(event, Warned)]
        assert [("class" in sentence, "second" in sentence) for sentence in sentences] == [(True, True)] * warned


def test_names_of_several_lines_become_one_line_and_notes_keep_theirs(tmp_path: Path) -> None:
    file = tmp_path / "labels.csv"
    file.write_text('id,label,annotator,set,note\nd0,"two\nlines","A \n B","my\nset","one\ntwo"\n', encoding="utf-8")
    (row,) = read_rows(file)
    assert isinstance(row, LabelRow)
    assert (row.value, row.who, row.label_set, row.note) == ("two lines", "A B", "my set", "one\ntwo")


@pytest.mark.parametrize(
    ("header", "row"),
    [
        ("id\tlabel:Suzuki, K.\tlabel:Mori, A., Dr.", "d0\tblog\tsplog"),
        ("id;label:Suzuki, K.;label:Mori, A., Dr.", "d0;blog;splog"),
        ('"id","label:Suzuki, K.","label:Mori, A., Dr."', "d0,blog,splog"),
        ('id;"label:Suzuki, K.";"label:Mori, A., Dr."', "d0;blog;splog"),
    ],
)
def test_names_of_annotators_in_headings_may_contain_other_delimiters(tmp_path: Path, header: str, row: str) -> None:
    file = tmp_path / "labels.csv"
    file.write_text(f"{header}\n{row}\n", encoding="utf-8")
    votes = [(label.who, label.value) for label in read_rows(file) if isinstance(label, LabelRow)]
    assert votes == [("Suzuki, K.", "blog"), ("Mori, A., Dr.", "splog")]
