"""Files of labels whose columns have any headings."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from workbench.jobs.context import Context
from workbench.project import labels
from workbench.reading.formats import Failure
from workbench.services.labels.labelling import LabelOptions, import_labels
from workbench.services.labels.mapping import guess, preview
from workbench.services.labels.rows import LabelRow, read_rows
from workbench.services.session import Session

ROWS = [("e01", "blog", "splog"), ("e02", "splog", ""), ("e03", "blog", "blog")]


def stored_labels(path: Path) -> dict[tuple[str, str], str]:
    with Session(path, write=False) as session, session.read() as connection:
        by_target = labels.by_annotator(connection, "class")
    return {(target[-3:], who): label.value for target, by in by_target.items() for who, label in by.items()}


@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".jsonl"])
def test_a_wide_file_works_whatever_its_headings_are(project: Path, tmp_path: Path, ctx: Context, suffix: str) -> None:
    file = tmp_path / f"wide{suffix}"
    names = ["記事", "佐藤 さん", "Rater #2", "remarks"]
    if suffix == ".jsonl":
        lines = [json.dumps(dict(zip(names, (*row, "free text"), strict=True))) for row in ROWS]
        file.write_text("\n".join(lines), encoding="utf-8")
    else:
        mark = "," if suffix == ".csv" else "\t"
        file.write_text(
            "\n".join(mark.join(row) for row in [names, *((*r, "free text") for r in ROWS)]), encoding="utf-8"
        )
    with Session(project) as session:
        shown = preview(session, file, "class")
    assert shown.meaning == {"記事": "id", "佐藤 さん": "label:佐藤 さん", "Rater #2": "label:Rater #2", "remarks": ""}
    assert shown.rows[0][:2] == ("e01", "blog")
    result = import_labels(ctx, project, file, LabelOptions(columns={**shown.meaning, "remarks": "note"}))
    assert (result.imported, result.failed) == (5, ())
    assert stored_labels(project) == {
        ("e01", "佐藤 さん"): "blog",
        ("e01", "Rater #2"): "splog",
        ("e02", "佐藤 さん"): "splog",
        ("e03", "佐藤 さん"): "blog",
        ("e03", "Rater #2"): "blog",
    }


def test_headings_that_name_fields_mean_them(project: Path, tmp_path: Path) -> None:
    file = tmp_path / "long.csv"
    file.write_text("Document,Value,Who,Colour\ne01,blog,ann,red\n", encoding="utf-8")
    with Session(project) as session:
        shown = preview(session, file, "class")
    assert shown.meaning == {"Document": "id", "Value": "label", "Who": "annotator", "Colour": ""}


def test_what_is_exported_is_understood_without_a_change(project: Path, tmp_path: Path, ctx: Context) -> None:
    from workbench.base.types import Label
    from workbench.services.labels.export import export_rows, write_rows
    from workbench.services.labels.label_state import give

    with Session(project) as session:
        give(session, [Label("document:e05", "blog", "ann", "", "a note", label_set="class")])
        for suffix in ("csv", "jsonl"):
            file = tmp_path / f"out.{suffix}"
            write_rows(export_rows(session, "class"), file)
            shown = preview(session, file, "class")
            result = import_labels(ctx, project, file, LabelOptions(columns=shown.meaning))
            assert (result.imported, result.unchanged, result.failed) == (0, 1, ())


def test_no_column_of_an_exported_file_is_ignored(project: Path, tmp_path: Path, ctx: Context) -> None:
    digest = f"{'ab' * 32}:{'cd' * 32}"
    row = {"a": "e01", "a_start": 0, "a_end": 4, "b": "e02", "b_start": 0, "b_end": 4, "label": "copy"}
    row |= {"annotator": "ann", "digest": digest, "how": "unanimous"}
    file = tmp_path / "verdicts.jsonl"
    file.write_text(json.dumps(row), encoding="utf-8")
    with Session(project) as session:
        meaning = preview(session, file, "verdict").meaning
        assert "" not in meaning.values()
        import_labels(ctx, project, file, LabelOptions("verdict", columns=meaning))
        with session.read() as connection:
            (by,) = labels.by_annotator(connection, "verdict").values()
    assert by["ann"].digest == digest


def test_a_column_of_remarks_is_not_an_annotator_of_a_new_set() -> None:
    headings = ["Nr", "Anna", "Ben", "Remark"]
    rows = [["d0", "SPAM", "spam", "sure?"], ["d1", "HAM", "ham", ""], ["d2", "SPAM", "ham", ""]]
    meaning = guess(headings, rows, frozenset({"d0", "d1", "d2"}), [])
    assert meaning == {"Nr": "id", "Anna": "label:Anna", "Ben": "label:Ben", "Remark": ""}
    # With one column alone there is nothing to compare it with.
    alone = guess(["Nr", "Anna"], [row[:2] for row in rows], frozenset({"d0", "d1", "d2"}), [])
    assert alone["Anna"] == "label:Anna"


@pytest.mark.parametrize(("known", "identifies"), [(("d0",), False), (("d0", "d1"), False), (("d0", "d1", "d2"), True)])
def test_a_column_identifies_the_documents_if_most_of_its_cells_do(known: tuple[str, ...], identifies: bool) -> None:
    rows = [[f"d{n}", f"remark {n}"] for n in range(4)]
    meaning = guess(["Nr", "Remark"], rows, frozenset(known), [])
    assert [name for name, field in meaning.items() if field == "id"] == ["Nr"] * identifies


@pytest.mark.parametrize("form", [str.upper, str.capitalize, str.lower])
def test_the_case_of_headings_does_not_matter(
    form: Callable[[str], str], project: Path, tmp_path: Path, ctx: Context
) -> None:
    file = tmp_path / "labels.csv"
    rows = [["id", "annotator", "remark", "label", "digest"], ["e00", "Ann", "why", "splog", "0" * 64]]
    file.write_text("\n".join([",".join(map(form, rows[0])), ",".join(rows[1])]), encoding="utf-8")
    (row,) = read_rows(file, columns={"Remark": "Note"})
    assert isinstance(row, LabelRow)
    assert (row.name, row.who, row.note, row.value, row.digest) == ("e00", "Ann", "why", "splog", "0" * 64)
    pairs = tmp_path / "pairs.jsonl"
    side = f'{{"{form("id")}": "e00", "{form("start")}": 1, "{form("end")}": 4}}'
    pairs.write_text(f'{{"{form("a")}": {side}, "{form("b")}": {side}, "{form("label")}:Ann": "copy"}}', "utf-8")
    (row,) = read_rows(pairs)
    assert isinstance(row, LabelRow)
    assert (row.target, row.who) == ("match:e00:1-4:e00:1-4", "Ann")


def test_columns_whose_headings_differ_only_in_case_are_two(tmp_path: Path) -> None:
    file = tmp_path / "labels.csv"
    file.write_text("id,Label,label\ne00,splog,blog\n", encoding="utf-8")
    (row,) = read_rows(file)
    assert isinstance(row, Failure)
    assert row.error == "The row has two labels."
    by = {"Label": "label:Sato", "label": "label:sato"}
    assert [row.who for row in read_rows(file, columns=by) if isinstance(row, LabelRow)] == ["Sato", "sato"]
