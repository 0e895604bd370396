"""The verb ``labels``: what it prints of imports, merges, values, shares and agreement."""

from __future__ import annotations

import csv
import json
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from workbench.base.types import Document, Label, Role
from workbench.cli.main import main
from workbench.jobs.context import Context
from workbench.project.documents import add_documents
from workbench.services.labels.label_state import give
from workbench.services.session import Session, create


class Labels:
    """Calls the verb; jobs run at once, in this process."""

    def __init__(self, path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.path, self._capsys = path, capsys

    def __call__(self, *words: object, code: int = 0) -> tuple[list[str], list[str]]:
        """The lines on standard output, without the room between columns, and those on standard error."""
        assert main(["labels", str(self.path), *map(str, words)]) == code
        shown = self._capsys.readouterr()
        return [" ".join(line.split()) for line in shown.out.splitlines()], shown.err.splitlines()

    def copy(self, name: str) -> Path:
        """A copy of the project."""
        path = self.path.with_name(name)
        with sqlite3.connect(self.path) as source, sqlite3.connect(path) as other:
            source.backup(other)
        return path


@pytest.fixture
def labels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Labels:
    """Four entries: ann labelled all, ben three, who differs about the first."""
    path = tmp_path / "p.palimpsest"
    create(path)
    with Session(path) as session:
        with session.write() as connection:
            add_documents(connection, [Document(f"e{n}", f"Entry {n}.", Role.SUSPECT) for n in range(4)])
        by_person = [("ann", "splog blog blog splog"), ("ben", "blog blog blog")]
        give(session, [label(n, v, who) for who, values in by_person for n, v in enumerate(values.split())])
    ctx = Context("test", lambda _event: None, lambda: False)

    def at_once(_output: object, job: Callable[..., object], *rest: object, **named: object) -> object:
        return job(ctx, *rest, **named)

    monkeypatch.setattr("workbench.cli.monitor.run_job", at_once)
    return Labels(path, capsys)


def label(n: int, value: str, who: str) -> Label:
    return Label(f"document:e{n}", value, who, "", label_set="class")


def test_values_are_listed_renamed_and_removed_with_what_becomes_of_their_labels(labels: Labels) -> None:
    assert labels("values")[0] == ["value key labels", "blog b 5", "splog s 2", "unsure u 0"]
    assert labels("values", "--set", "none", code=1)[1] == ["There is no label set none."]
    lines, _ = labels("rename", "--value", "splog", "--to", "junk")
    assert lines == ["2 labels of splog now called junk. To undo it: --value splog --undo"]
    assert labels("values")[0][2] == "junk s 2"
    assert labels("rename", "--value", "splog", "--undo")[0] == ["2 labels renamed back to splog."]
    assert labels("remove", "--value", "unsure")[0] == ["unsure was removed."]
    (refusal,) = labels("remove", "--value", "splog", code=1)[1]
    assert refusal.startswith("2 labels have the value splog.")
    lines, _ = labels("remove", "--value", "splog", "--retire")
    assert lines == ["splog was removed; 2 labels keep it, and it is no longer offered."]
    assert labels("values")[0] == ["value key labels", "blog b 5", "splog s 2 retired"]


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("rename",), "labels rename needs --value and either --to or --undo."),
        (("rename", "--value", "a", "--to", "b", "--undo"), "labels rename needs --value and either --to or --undo."),
        (("remove",), "labels remove needs --value."),
        (("share",), "labels share needs a FILE and --who."),
        (("share", "s.palimpsest"), "labels share needs a FILE and --who."),
        (("import",), "labels import needs a FILE."),
        (("merge",), "labels merge needs a FILE."),
    ],
)
def test_what_an_action_needs_is_named(labels: Labels, words: tuple[str, ...], sentence: str) -> None:
    assert labels(*words, code=2) == ([], [sentence])


def test_agreement_says_how_entries_are_settled_and_which_are_not(labels: Labels) -> None:
    lines, _ = labels("agreement")
    assert lines[:3] == ["annotator labels", "ann 4", "ben 3"]
    assert lines[3] == "1 by one annotator alone, 2 unanimous, 1 unresolved."
    assert lines[4] == "value 95 % of"
    figures = {line.rsplit(" to ", 1)[0].rstrip("-.0123456789 "): line.split()[-1] for line in lines[5:-1]}
    # Of the entries that both labelled.
    assert figures["Krippendorff's alpha"] == figures["Cohen's kappa, ann and ben"] == "3"
    assert lines[-1] == "unresolved: e0"


def test_entries_are_dealt_out_and_a_share_says_what_is_in_it(labels: Labels, tmp_path: Path) -> None:
    assert labels("assign", "--annotators", "ann, ben", "--each", "1")[0] == ["annotator assigned", "ann 2", "ben 2"]
    share = tmp_path / "s.palimpsest"
    (line,), _ = labels("share", share, "--who", "ben")
    assert line.startswith(f"Wrote {share}: 2 to label, 2 documents, ")
    file = tmp_path / "l.csv"
    assert labels("export", file)[0] == [f"Wrote {file}: 7 labels."]
    assert len(file.read_text("utf-8").splitlines()) == 8


def test_annotators_whose_names_differ_in_case_only_are_named(labels: Labels, tmp_path: Path) -> None:
    file = tmp_path / "in.csv"
    file.write_text("id,label,annotator\ne3,blog,Ann\n", encoding="utf-8")
    assert not any("differ" in line for line in labels("agreement")[0])
    labels("import", file)
    assert "Ann and ann count as two annotators: their names differ in case or width only." in labels("agreement")[0]


def test_a_withdrawal_that_is_not_imported_is_listed_in_words(labels: Labels, tmp_path: Path) -> None:
    file = tmp_path / "in.csv"
    file.write_text("id,label,annotator,old,time\ne0,,ann,splog,2099-01-01T00:00:00Z\n", encoding="utf-8")
    _, notes = labels("import", file, code=1)
    assert notes[0] == f"{file}:2: ann labelled e0 splog, not nothing."


def test_an_import_lists_what_it_did_not_take_and_how_to_take_it(labels: Labels, tmp_path: Path) -> None:
    file = tmp_path / "in.csv"
    rows = ["e0,blog,ann", "e3,blog,ben", "e2,odd,ben", "xx,blog,ben"]
    file.write_text("\n".join(["id,label,annotator", *rows]), encoding="utf-8")
    lines, notes = labels("import", file, code=1)
    assert lines == ["1 label imported, 0 unchanged, 2 failed."]
    assert notes == [
        f"{file}:4: 'odd' is not a value of the label set class; the values are blog, splog, unsure.",
        f"{file}:5: There is no document xx in this project.",
        f"{file}:2: ann labelled e0 splog, not blog.",
        "1 row would have changed the existing label of an annotator; --overwrite imports them, too.",
        "--values odd adds these values to the set; --set NAME imports the labels into another one.",
    ]
    lines, notes = labels("import", file, "--overwrite", "--values", "odd", code=1)
    assert lines == ["2 labels imported, 1 unchanged, 1 failed."]
    assert len(notes) == 1


def test_a_merge_is_shown_first_holds_back_contradictions_and_is_undone_whole(labels: Labels) -> None:
    other = labels.copy("other.palimpsest")
    with Session(other) as session:
        give(session, [label(1, "splog", "ann"), label(2, "splog", "cleo")])
    assert labels("merge", "--undo", code=1)[1] == ["There is no import or merge of labels to undo."]
    for words, lead in ((("--dry-run",), "1 label would be added"), ((), "1 label added")):
        lines, notes = labels("merge", other, *words)
        assert lines[0] == f"{lead}, 7 known, 0 refused, 1 held back."
        assert lines[1] == "who events of from to"
        assert lines[2].startswith("cleo 1 class 1 ")
        assert notes[0].startswith("held back (contradicts): ann, ")
        assert notes[0].endswith(": splog of e1, here blog")
        assert notes[1] == "To accept them, if you know that they are right: --accept ann"
    lines, notes = labels("merge", other, "--accept", "ann")
    assert lines[0] == "1 label added, 8 known, 0 refused, 0 held back."
    assert lines[3:] == ["1 decision changed:", "set of before after by", "class e1 blog conflict ann"]
    assert notes == []
    assert labels("merge", other)[0] == ["0 labels added, 9 known, 0 refused, 0 held back."]
    before = len(labels("export")[0])
    for rest in (1, 0):
        (line,), _ = labels("merge", "--undo")
        assert line.startswith("The labels from other.palimpsest (")
        assert line.endswith(") were undone.")
        assert len(labels("export")[0]) == before - (0 if rest else 1)
    assert labels("merge", "--undo", code=1)[1] == ["There is no import or merge of labels to undo."]


def test_an_import_is_undone_whole(labels: Labels, tmp_path: Path) -> None:
    before = labels("export")
    file = tmp_path / "new.csv"
    file.write_text("id,label,annotator,note\ne0,splog,ben,why\ne3,odd,ben,\n", encoding="utf-8")
    (line, *_), _ = labels("import", file, "--values", "odd", "--overwrite")
    assert line == "2 labels imported, 0 unchanged, 0 failed."
    assert labels("export") != before
    (line,), _ = labels("import", "--undo")
    assert line.startswith("The labels from new.csv (")
    assert labels("export") == before
    (line, *_), _ = labels("import", file, "--values", "odd", "--overwrite")
    assert line == "2 labels imported, 0 unchanged, 0 failed."


def test_info_counts_the_labels_that_an_export_writes(labels: Labels, capsys: pytest.CaptureFixture[str]) -> None:
    def counted() -> tuple[int, int, int]:
        assert main(["info", str(labels.path), "--json"]) == 0
        info = json.loads(capsys.readouterr().out)
        return info["labels"], info["labelled"], len(labels("export")[0])

    assert counted() == (7, 4, 7)
    with Session(labels.path) as session:
        give(session, [label(3, "", "ann"), label(0, "", "ben")])
    assert counted() == (5, 3, 5)
    other = labels.copy("other.palimpsest")
    with Session(other) as session:
        give(session, [label(3, "splog", "cleo")])
    labels("merge", other)
    assert counted() == (6, 4, 6)
    labels("merge", "--undo")
    assert counted() == (5, 3, 5)
    assert main(["info", str(labels.path)]) == 0
    assert "labels 5 of 3 items" in " ".join(capsys.readouterr().out.split())


def test_settled_labels_name_their_adjudicator_and_open_entries_are_not_labels(labels: Labels, tmp_path: Path) -> None:
    out = tmp_path / "settled.csv"
    assert labels("export", out, "--set", "class", "--adjudicated")[0] == [
        f"Wrote {out}: 3 labels; 1 entry without one, as unresolved."
    ]
    file = tmp_path / "by_cid.csv"
    file.write_text("id,label,note\ne0,splog,pure adverts\n", encoding="utf-8")
    labels("import", file, "--set", "class", "--adjudicated", "--who", "cid")
    with Session(labels.path) as session:
        give(session, [label(0, "blog", "dan")])
    assert labels("export", out, "--set", "class", "--adjudicated")[0] == [f"Wrote {out}: 4 labels."]
    with out.open(encoding="utf-8-sig") as rows:
        (row,) = (row for row in csv.DictReader(rows) if row["id"] == "e0")
    assert (row["label"], row["annotator"], row["note"], row["how"]) == (
        "splog",
        "adjudicator:cid",
        "pure adverts",
        "adjudicator",
    )


def test_an_option_of_another_action_is_refused_rather_than_ignored(labels: Labels, tmp_path: Path) -> None:
    rows = tmp_path / "rows.csv"
    rows.write_text("id,label,annotator\ne3,splog,cid\n", "utf-8")
    assert labels("import", rows, "--dry-run", code=2)[1] == ["--dry-run is for merge, not for import."]
    assert labels("import", rows, "--each", "1", code=2)[1] == ["--each is for assign, not for import."]
    assert labels("agreement", rows, code=2)[1] == ["labels agreement takes no FILE."]
    assert "cid" not in "".join(labels("agreement")[0])
