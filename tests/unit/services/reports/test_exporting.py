from __future__ import annotations

import csv
import json
import re
import sys
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest
from stored import FIRST, PASSAGES, A, B, store_run

from workbench.base.errors import Cancelled, UserError
from workbench.base.progress import NullProgress
from workbench.base.types import (
    Block,
    BlockClass,
    Document,
    Label,
    Match,
    Matches,
    Results,
    Role,
    RunState,
    Span,
    text_hash,
)
from workbench.project import blocks, labels
from workbench.project.documents import add_documents, delete_documents
from workbench.project.imports import begin_batch
from workbench.project.listing import ids_of
from workbench.project.matches import matches_of
from workbench.project.runs import begin_run, finish_chunk, finish_run
from workbench.services.labels.targets import adjudicator
from workbench.services.reports import pair_reader as report_pairs
from workbench.services.reports import pdf as report_print
from workbench.services.reports.data import side
from workbench.services.reports.exporting import Written, export
from workbench.services.reports.gathering import Selection
from workbench.services.review.exclusions import Exclusion, ExclusionKind, exclude
from workbench.services.review.overview import read_overview
from workbench.services.review.pairs import open_pair, pairs
from workbench.services.review.verdicts import Unit, set_verdict
from workbench.services.session import Session, create

LONG, TAIL = PASSAGES[FIRST]
HOSTILE = '<script>alert(1)</script> "quoted" {{ 7 * 7 }} \u202egnp.\u0000'


class _Page(HTMLParser):
    """Tags, addresses and text of a page."""

    def __init__(self, markup: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.addresses: list[str] = []
        self.text = ""
        self.feed(markup)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.addresses += [value or "" for name, value in attrs if name in ("src", "href", "action", "data")]

    def handle_data(self, data: str) -> None:
        self.text += data


def _html(session: Session, tmp_path: Path, selection: Selection = Selection()) -> _Page:  # noqa: B008 - frozen
    out = tmp_path / "r.html"
    export(session, selection, out)
    return _Page(out.read_text(encoding="utf-8"))


def test_a_line_end_that_only_wraps_prose_is_joined_in_a_report() -> None:
    lines = ["The quick brown fox jumps over the lazy dog again", "and the lazy dog looks up at it, and then it says"]
    text = "\n".join([*lines, *lines, "A short end."])
    whole = side(Document("a", text), Span(0, len(text)), [])
    assert "".join(piece.text for piece in whole.pieces) == " ".join([*lines, *lines, "A short end."])
    from_second = side(Document("a", text), Span(len(lines[0]) + 1, len(text)), [])
    assert from_second.before == f"{lines[0]} "
    ja = "\n".join(["智に働けば角が立ち情に棹させば流される" * 2] * 4)
    assert "\n" not in side(Document("b", ja), Span(0, len(ja)), []).pieces[0].text


@pytest.mark.parametrize(
    ("language", "words"), [("en", "Verdict: "), ("ja", "判定："), ("zh", "判定：")], ids=["en", "ja", "zh"]
)
def test_a_report_writes_the_colons_of_its_language(
    language: str, words: str, session: Session, tmp_path: Path
) -> None:
    set_verdict(session, LONG, "partial", "note", "reader")
    out = tmp_path / "r.html"
    export(session, Selection(), out, language=language)
    page = " ".join(_Page(out.read_text(encoding="utf-8")).text.split())
    assert words in page
    assert language == "en" or not re.search(r"[ぁ-ん一-龥]:", page)


@pytest.mark.parametrize(
    ("method", "words", "others"),
    [
        ("digest", "is in both documents", "in two languages"),
        ("translated", "in two languages", "is in both documents"),
    ],
)
def test_a_report_says_what_its_marks_mean(
    method: str, words: str, others: str, session: Session, tmp_path: Path
) -> None:
    with session.write() as connection:
        connection.exec_driver_sql("UPDATE run SET method = ?, parameters = '{}'", (method,))
    page = _html(session, tmp_path).text
    assert words in page
    assert others not in page


def test_a_report_names_everything_that_was_done(session: Session, tmp_path: Path) -> None:
    set_verdict(session, LONG, "partial", "first look", "reader")
    set_verdict(session, LONG, "copy", "second look", "reader")
    page = _html(session, tmp_path)
    for expected in (
        text_hash(A).hex(),
        text_hash(B).hex(),
        "min_surprisal",
        "segments that are too short",
        "second look",
        "first look",
        "Partial or common source",
        "not reviewed",
        "写本",
        "1 of 2 matches",
        "1.1.1",
        "1.1.2",
    ):
        assert expected in page.text


@pytest.mark.parametrize("part", ["", ":3", "!member.txt"])
def test_a_report_never_replaces_a_file_that_was_imported(session: Session, tmp_path: Path, part: str) -> None:
    out = tmp_path / "essays.csv"
    out.write_text("the only copy", encoding="utf-8")
    with session.write() as connection:
        add_documents(connection, [Document("new", "Its text.", origin=f"{out.as_posix()}{part}")])
    with pytest.raises(UserError, match="would replace a file that was imported"):
        export(session, Selection(), out)
    assert out.read_text(encoding="utf-8") == "the only copy"
    export(session, Selection(), tmp_path / "essays.csv2.csv")


def test_settings_are_written_as_they_are_typed(session: Session, tmp_path: Path) -> None:
    with session.write() as connection:
        run = begin_run(connection, "digest", 1, {"content": True, "kana": True, "min_surprisal": 123.4567891}, "00", 1)
        finish_chunk(connection, run.id, 0, Results(), documents=1)
        finish_run(connection, run.id)
    text = " ".join(_html(session, tmp_path, Selection(run=run.id)).text.split())
    assert not re.search(r"\b(True|False)\b", text)
    # The publication does not state every setting.
    assert "None" not in text
    assert "123.4567891" in text
    assert re.search(r"content ?on ?on", text)
    assert re.search(r"kana ?on ?off", text)


def test_a_report_stands_alone_and_runs_nothing(session: Session, tmp_path: Path) -> None:
    page = _html(session, tmp_path)
    assert page.tags.isdisjoint({"script", "img", "link", "iframe", "object", "form"})
    assert all(address.startswith("#") for address in page.addresses)


def test_a_report_does_not_judge_before_a_reviewer_does(session: Session, tmp_path: Path) -> None:
    page = _html(session, tmp_path)
    assert not re.search(r"plagiar|guilty|stolen", page.text, re.IGNORECASE)
    assert "has not been reviewed" in page.text


def test_hostile_text_stays_text(session: Session, tmp_path: Path) -> None:
    documents = [
        Document(HOSTILE, HOSTILE * 3, Role.SUSPECT, title=HOSTILE, url="javascript:alert(1)", language='"><script>'),
        Document("b2", HOSTILE * 3, Role.SOURCE),
    ]
    with session.write() as connection:
        add_documents(connection, documents)
    span = Span(0, len(HOSTILE))
    run = store_run(session, [Match(3, 4, span, span, 1.0, {"segments": 1})])
    page = _html(session, tmp_path, Selection(run=run.id))
    assert "script" not in page.tags
    assert "<script>alert(1)</script>" in page.text
    assert "{{ 7 * 7 }}" in page.text
    assert "<U+202E>gnp.<U+0000>" in page.text
    assert all(address.startswith("#") for address in page.addresses)


def test_a_pair_or_a_suspect_can_be_chosen(session: Session, tmp_path: Path) -> None:
    written = export(session, Selection(pair=("a", "b")), tmp_path / "r.html")
    assert (written.run, written.pairs, written.passages, written.matches) == (1, 1, 1, 2)
    assert export(session, Selection(suspect="b"), tmp_path / "r.html").pairs == 0
    assert "found no passage" in (tmp_path / "r.html").read_text(encoding="utf-8")
    with pytest.raises(UserError, match="no document zzz"):
        export(session, Selection(suspect="zzz"), tmp_path / "r.html")


def test_a_report_says_what_its_run_did_not_compare(session: Session, tmp_path: Path) -> None:
    page = _html(session, tmp_path, Selection(suspect="b"))
    assert "found no passage" in page.text
    assert "did not compare" not in page.text
    with session.write() as connection:
        add_documents(connection, [Document("late", A, role=Role.SUSPECT)], begin_batch(connection))
    for chosen in (Selection(suspect="late"), Selection(pair=("late", "b"))):
        page = _html(session, tmp_path, chosen)
        assert "did not compare the chosen documents" in page.text
        assert "found no passage" not in page.text
        assert re.search(r"Examined document\s*late", page.text)
        assert not export(session, chosen, tmp_path / "r.html").compared
    assert re.search(r"the run did not compare \(imported or changed since\)\s*1", _html(session, tmp_path).text)


def test_a_report_of_a_cancelled_run_says_so_at_the_beginning(session: Session, tmp_path: Path) -> None:
    with session.write() as connection:
        finish_run(connection, 1, RunState.CANCELLED)
    beginning = _html(session, tmp_path, Selection(run=1)).text.partition("What the method cannot find")[0]
    assert re.search(r"State\s*cancelled\s*Documents examined\s*\d", beginning)


def test_the_newest_run_of_a_method_is_reported_though_it_found_nothing(session: Session, tmp_path: Path) -> None:
    with session.write() as connection:
        add_documents(connection, [Document("c", A, Role.SUSPECT)])
    with session.read() as connection:
        other = len(ids_of(connection))
    assert export(session, Selection(suspect="a"), tmp_path / "r.html").run == 1
    newest = store_run(session, [replace(LONG, a=other)])
    assert export(session, Selection(suspect="c"), tmp_path / "r.html").run == newest.id
    written = export(session, Selection(suspect="a"), tmp_path / "r.html")
    assert (written.run, written.passages, written.compared) == (newest.id, 0, True)
    with session.write() as connection:
        connection.exec_driver_sql("UPDATE run SET method = 'shingle' WHERE id = ?", (newest.id,))
    assert export(session, Selection(suspect="a"), tmp_path / "r.html").run == 1


def test_documents_with_one_title_are_told_apart_by_their_ids(session: Session, tmp_path: Path) -> None:
    with session.write() as connection:
        add_documents(connection, [Document(f"{who}/essay", A, Role.SUSPECT, title="essay") for who in ("li", "sato")])
    store_run(session, [replace(LONG, a=key) for key in (3, 4)])
    page = _html(session, tmp_path, Selection(run=2))
    for who in ("li", "sato"):
        # The total, the summary, and the passages.
        assert page.text.count(f"essay · {who}/essay") == 3
    assert "essay ·" not in _html(session, tmp_path, Selection(run=2, suspect="li/essay")).text


def test_rows_for_programs_hold_the_passages(session: Session, tmp_path: Path) -> None:
    set_verdict(session, LONG, "copy", "=1+1", "reader")
    export(session, Selection(), tmp_path / "r.csv")
    with (tmp_path / "r.csv").open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["a_text"] for row in rows] == [A[slice(*LONG.a_span)], A[slice(*TAIL.a_span)]]
    assert (rows[0]["verdict"], rows[0]["note"]) == ("copy", "'=1+1")
    export(session, Selection(), tmp_path / "r.jsonl")
    first, *records = [json.loads(line) for line in (tmp_path / "r.jsonl").read_text(encoding="utf-8").splitlines()]
    assert first["run"]["parameters"]["min_run"] == 3
    assert records[0]["history"][0]["note"] == "=1+1"
    assert records[1]["b_text"] == B[slice(*TAIL.b_span)]


def test_a_side_of_several_stretches_is_reported_as_these(session: Session, tmp_path: Path) -> None:
    gaps = (Span(2, 4), Span(5, 7))
    run = store_run(session, [Match(1, 2, Span(0, 9), Span(0, 9), 1.0, {"segments": 1}, b_gaps=gaps)])
    chosen = Selection(run=run.id)
    export(session, chosen, tmp_path / "r.html")
    page = _Page((tmp_path / "r.html").read_text(encoding="utf-8")).text
    assert "characters 0–2; 4–5; 7–9" in page
    assert "characters 0–9" in page
    export(session, chosen, tmp_path / "r.csv")
    with (tmp_path / "r.csv").open(encoding="utf-8-sig", newline="") as file:
        [row] = csv.DictReader(file)
    assert (row["a_gaps"], row["b_gaps"]) == ("", "2-4; 5-7")
    export(session, chosen, tmp_path / "r.jsonl")
    record = json.loads((tmp_path / "r.jsonl").read_text(encoding="utf-8").splitlines()[1])
    assert (record["a_gaps"], record["b_gaps"]) == ([], [[2, 4], [5, 7]])


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t"])
def test_no_cell_of_a_table_is_a_formula(session: Session, tmp_path: Path, start: str) -> None:
    text = f"{start}cmd|' /C calc'!A0"
    with session.write() as connection:
        add_documents(connection, [Document(f"{text} a", text, Role.SUSPECT), Document(f"{text} b", text)])
    span = Span(0, len(text))
    run = store_run(session, [Match(3, 4, span, span, 1.0, {"segments": 1})])
    export(session, Selection(run=run.id), tmp_path / "r.csv")
    with (tmp_path / "r.csv").open(encoding="utf-8-sig", newline="") as file:
        [row] = csv.DictReader(file)
    assert [row[name][:2] for name in ("a", "b", "a_text", "b_text")] == [f"'{start}"] * 4


def test_other_suffixes_and_missing_runs_are_refused_with_a_sentence(
    session: Session, path: Path, tmp_path: Path
) -> None:
    with pytest.raises(UserError, match=r"\.html, \.csv, \.jsonl, \.pdf, \.zip"):
        export(session, Selection(), tmp_path / "r.doc")
    with pytest.raises(UserError, match="There is no run 9"):
        export(session, Selection(run=9), tmp_path / "r.html")
    with pytest.raises(UserError, match="cannot be written"):
        export(session, Selection(), tmp_path / "missing" / "r.html")
    assert [p.name for p in tmp_path.iterdir() if "part" in p.name] == []


def test_a_passage_is_cut_at_its_differences_with_context_around() -> None:
    excerpt = side(Document("a", "前の文。一つ二つ三つ。後の文。"), Span(4, 11), [Span(6, 8), Span(9, 9)])
    assert [(p.text, p.changed) for p in excerpt.pieces] == [
        ("一つ", False),
        ("二つ", True),
        ("三", False),
        ("つ。", False),
    ]
    assert (excerpt.before, excerpt.after) == ("前の文。", "後の文。")


COPY = (sys.executable, "-c", "import shutil, sys; shutil.copy(sys.argv[1], sys.argv[2])")
"""In place of the typesetter: the content of the pages becomes the file."""


def test_a_report_of_any_size_has_a_bounded_print_that_counts_what_is_not_there(
    session: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(report_print, "command", lambda _module: COPY)

    def printed() -> tuple[Written, str]:
        out = tmp_path / "r.pdf"
        return export(session, Selection(), out), out.read_text(encoding="utf-8")

    assert printed()[0] == Written(1, 1, 1, 2, examined=1)
    assert json.loads(printed()[1])["opening"]["left_out"] == ""
    monkeypatch.setattr(report_print, "MOST_MATCHES", 1)
    monkeypatch.setattr(report_print, "MOST_CHARACTERS", 5)
    written, text = printed()
    content = json.loads(text)
    assert written == Written(1, 1, 1, 1, 0, 1, examined=1)
    assert "Not printed: pairs 0, matches 1." in content["opening"]["left_out"]
    assert ["Matches printed here", "1 of 2", False] in content["pairs"][0]["a_facts"]
    first = A[slice(*LONG.a_span)]
    [passage] = content["pairs"][0]["passages"][0]["parts"]
    assert [piece["text"] for piece in passage["a"]["pieces"]] == [first[:5]]
    assert passage["a"]["left_out"] == f"… not printed: characters {len(first) - 5}"


@pytest.mark.parametrize(
    ("matches", "pairs", "most", "expected"),
    [
        ([], 2, 3, ((), 0, 0)),
        ([1, 1], 2, 3, ((1, 1), 0, 0)),
        ([2, 2, 1], 2, 3, ((2, 1), 1, 2)),
        ([3, 0, 4], 5, 3, ((1, 0, 2), 0, 4)),
        ([9, 1, 1], 5, 5, ((3, 1, 1), 0, 6)),
        ([0, 0, 0], 2, 3, ((0, 0), 1, 0)),
    ],
)
def test_matches_of_every_pair_are_printed_though_one_has_many(
    monkeypatch: pytest.MonkeyPatch,
    matches: list[int],
    pairs: int,
    most: int,
    expected: tuple[tuple[int, ...], int, int],
) -> None:
    monkeypatch.setattr(report_print, "MOST_PAIRS", pairs)
    monkeypatch.setattr(report_print, "MOST_MATCHES", most)
    assert report_print.share_out(matches) == report_print.Printed(*expected)


SLOW = (sys.executable, "-c", "import sys, time; print('working', file=sys.stderr); time.sleep(600)")


def test_a_print_that_takes_too_long_is_ended_with_a_sentence(
    session: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(report_print, "SECONDS", 0.2)
    monkeypatch.setattr(report_print, "command", lambda _module: SLOW)
    with pytest.raises(UserError, match=r"within the limit of 0\.2 seconds"):
        export(session, Selection(), tmp_path / "r.pdf")
    assert not list(tmp_path.glob("*.pdf*"))


def test_a_print_can_be_cancelled(session: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(report_print, "command", lambda _module: SLOW)

    class Impatient(NullProgress):
        checks = 0

        def check(self) -> None:
            self.checks += 1
            if self.checks > 3:
                raise Cancelled

    with pytest.raises(Cancelled):
        export(session, Selection(), tmp_path / "r.pdf", watcher=Impatient())
    assert not list(tmp_path.glob("*.pdf*"))


@pytest.mark.slow
def test_a_report_of_many_pairs_unpacks_each_block_and_document_a_few_times(
    session: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with session.write() as connection:
        add_documents(connection, [Document(f"s{n}", f"{n:03d}" * 40, Role.SUSPECT) for n in range(30)])
        add_documents(connection, [Document(f"b{n}", f"{n:03d}" * 40, Role.SOURCE) for n in range(30, 60)])
    rows = [Match(a, b, Span(0, 9), Span(3, 12), 5.0, {"segments": 1}) for a in range(3, 33) for b in range(33, 63)]
    run = store_run(session, rows)
    for row in rows[::7]:
        set_verdict(session, row, "copy", "", "reader")
    unpacked, loaded = [], []
    unpack, load = blocks.unpack_matches, report_pairs.load_document
    monkeypatch.setattr(blocks, "unpack_matches", lambda *a: unpacked.append(1) or unpack(*a))
    monkeypatch.setattr(report_pairs, "load_document", lambda *a: loaded.append(1) or load(*a))
    written = export(session, Selection(run=run.id), tmp_path / "r.jsonl")
    assert (written.pairs, written.passages) == (900, 900)
    # Once for the shares of the suspects, once for the pairs.
    assert (len(unpacked), len(loaded)) == (3, 60)


@pytest.mark.parametrize("suffix", [".html", ".csv", ".jsonl"])
def test_a_report_can_be_cancelled_at_any_passage_and_leaves_nothing(
    session: Session, tmp_path: Path, suffix: str
) -> None:
    class Impatient(NullProgress):
        def __init__(self, patience: int) -> None:
            self.patience = patience

        def check(self) -> None:
            self.patience -= 1
            if self.patience == 0:
                raise Cancelled

    whole = Impatient(0)
    export(session, Selection(), tmp_path / f"whole{suffix}", watcher=whole)
    assert -whole.patience >= 3
    for patience in range(1, -whole.patience + 1):
        with pytest.raises(Cancelled):
            export(session, Selection(), tmp_path / f"part{suffix}", watcher=Impatient(patience))
        assert [path.name for path in tmp_path.iterdir() if "part" in path.name] == []


_PHRASE, _OWN = "in accordance with the provisions of this agreement", "the heron waited for the ice to go"


def _case_of_phrases(session: Session) -> int:
    """A run on a suspect with a phrase that three more documents hold, and a passage of two sentences swapped."""
    text = f"{_PHRASE}. Then {'nothing of the kind ' * 5}happened. {_OWN}. One more sentence of it."
    other = f"One more sentence of it. {_OWN}. {'Quite another text here. ' * 5}{_PHRASE}"
    more = [
        Document(f"m{n}", f"So {_PHRASE.upper()} it was.", Role.BACKGROUND, title=f"Contract {n}") for n in range(3)
    ]
    with session.write() as connection:
        add_documents(connection, [Document("case", text, Role.SUSPECT), Document("source", other), *more])

    def match(words: str) -> Match:
        a, b = text.index(words), other.index(words)
        return Match(3, 4, Span(a, a + len(words)), Span(b, b + len(words)), 9.0, {"segments": 1})

    return store_run(session, [match(_PHRASE), match(_OWN), match("One more sentence of it.")]).id


def test_reports_count_passages_of_matches_and_name_common_phrases(session: Session, tmp_path: Path) -> None:
    run = _case_of_phrases(session)
    chosen = Selection(run=run, suspect="case", common_from=2)
    page = _html(session, tmp_path, chosen)
    for expected in (
        "Passages: 2 of 3 matches",
        "Common phrases (in more than 2 other documents)1",
        "Common phrase, also in 3 other documents: Contract 0; Contract 1; Contract 2",
        "1.2.2",
        "2 parts",
    ):
        assert expected in page.text
    written = export(session, chosen, tmp_path / "r.csv")
    assert (written.passages, written.matches) == (2, 3)
    with (tmp_path / "r.csv").open(encoding="utf-8-sig", newline="") as file:
        rows = [
            (row["passage"], row["part"], row["other_documents"], row["common_phrase"], row["holders"])
            for row in csv.DictReader(file)
        ]
    names = "Contract 0; Contract 1; Contract 2"
    assert rows == [("1", "1", "3", "yes", names), ("2", "1", "0", "", ""), ("2", "2", "0", "", "")]
    export(session, Selection(run=run, suspect="case"), tmp_path / "r.jsonl")
    _, *records = map(json.loads, (tmp_path / "r.jsonl").read_text(encoding="utf-8").splitlines())
    first = records[0]
    assert (first["other_documents"], first["common_phrase"], first["holders"]) == (3, False, [])
    nameless = _html(session, tmp_path, Selection(run=run, suspect="case", common_from=2, anonymous=True))
    assert "Contract" not in nameless.text
    # In as many documents as that it is not common yet.
    assert (
        "Common phrase, also in" not in _html(session, tmp_path, Selection(run=run, suspect="case", common_from=3)).text
    )
    assert "Common phrase, also in 3 other documents" in nameless.text


def test_what_is_said_alike_of_all_parts_of_a_passage_is_said_once(session: Session, tmp_path: Path) -> None:
    run = _case_of_phrases(session)
    with session.read() as connection:
        _, one, two = matches_of(connection, run)
    set_verdict(session, one, "copy", "the same hand", "reader")
    set_verdict(session, two, "copy", "the same hand", "reader")
    assert _html(session, tmp_path, Selection(run=run)).text.count("the same hand") == 1
    set_verdict(session, two, "partial", "not quite", "reader")
    text = _html(session, tmp_path, Selection(run=run)).text
    assert "the same hand" in text
    assert "not quite" in text


def _event(about: Unit, who: str, value: str, minute: int, note: str = "") -> Label:
    when = f"2026-01-01T00:{minute:02}:00Z"
    return Label(about.target, value, who, when, note, label_set=about.label_set)


def _write(session: Session, *events: Label) -> None:
    with session.write() as connection:
        labels.add_labels(connection, events)


def _report(session: Session, tmp_path: Path, suffix: str = ".html") -> str:
    export(session, Selection(), tmp_path / f"out{suffix}")
    return (tmp_path / f"out{suffix}").read_text("utf-8-sig")


def test_settling_a_suspect_is_not_printed_as_another_verdict(session: Session, tmp_path: Path) -> None:
    suspect = read_overview(session, 1).suspects[0].id
    _write(session, _event(Unit(suspect), "Ann", "copy", 1), _event(Unit(suspect), "Ben", "not-copy", 2))
    case = re.search(r'<section class="case">.*?</section>', _report(session, tmp_path), re.DOTALL)
    assert case is not None
    assert "The verdicts differ" in case[0]
    for minute, settler, words in ((3, "Cho", "Settled:"), (5, "Ann", "Settled by one of those who disagreed:")):
        _write(session, _event(Unit(suspect), adjudicator("Cho"), "", minute))
        _write(session, _event(Unit(suspect), adjudicator(settler), "not-copy", minute + 1))
        case = re.search(r'<section class="case">.*?</section>', _report(session, tmp_path), re.DOTALL)
        assert case is not None
        verdicts, settled = case[0].split(words)
        # Each of the two said one thing; what holds is said apart, and by whom.
        assert re.findall(r"chip ([a-z-]+)\">[^<]*</span> (\w+),", verdicts) == [("danger", "Ann"), ("ok", "Ben")]
        assert re.findall(r"chip ([a-z-]+)\">[^<]*</span> (\w+),", settled) == [("ok", settler)]
        assert "The verdicts differ" not in case[0]


def test_a_table_names_people_as_they_are_called_whether_they_judge_or_settle(session: Session, tmp_path: Path) -> None:
    row = pairs(session, 1)[0]
    match = open_pair(session, 1, row.a, row.b).matches.row(0)
    unit = Unit(row.a_id, row.b_id, (match.a_span, match.b_span))
    votes = [_event(unit, "Ann", "copy", 1), _event(unit, "Ben", "not-copy", 2)]
    _write(session, *votes, _event(unit, adjudicator("Cho"), "partial", 3))
    rows = list(csv.DictReader(_report(session, tmp_path, ".csv").splitlines()))
    judged = next(r for r in rows if r["a_start"] == str(match.a_span.start) and r["verdict"])
    assert (judged["reviewer"], judged["verdicts"], judged["carried"]) == ("Cho", "Ann: copy; Ben: not-copy", "")


def test_a_table_has_the_notes_of_all_who_differ(session: Session, tmp_path: Path) -> None:
    row = pairs(session, 1)[0]
    match = open_pair(session, 1, row.a, row.b).matches.row(0)
    unit = Unit(row.a_id, row.b_id, (match.a_span, match.b_span))
    votes = _event(unit, "Ann", "copy", 1, "word for word"), _event(unit, "Ben", "not-copy", 2, "a quotation")
    _write(session, *votes)
    rows = list(csv.DictReader(_report(session, tmp_path, ".csv").splitlines()))
    judged = next(r for r in rows if r["a_start"] == str(match.a_span.start) and r["verdict"])
    assert judged["note"] == "a quotation"
    assert judged["verdicts"] == "Ann: copy (word for word); Ben: not-copy"


def test_a_history_leaves_out_what_was_undone_and_counts_it(session: Session, tmp_path: Path) -> None:
    row = pairs(session, 1)[0]
    match = open_pair(session, 1, row.a, row.b).matches.row(0)
    unit = Unit(row.a_id, row.b_id, (match.a_span, match.b_span))
    acts = [("partial", 1), ("", 2), ("copy", 3), ("not-copy", 20), ("copy", 45)]
    _write(session, *(_event(unit, "Ann", value, minute) for value, minute in acts))
    record = next(
        record
        for record in map(json.loads, _report(session, tmp_path, ".jsonl").splitlines()[1:])
        if (record["a_start"], record["b_start"]) == (match.a_span.start, match.b_span.start)
    )
    # A slip within minutes is no act; who thinks again after half an hour acts.
    assert [event["value"] for event in record["history"]] == ["copy", "not-copy", "copy"]
    assert record["undone"] == 2
    page = _report(session, tmp_path)
    listed = re.search(r'<ol class="history">(.*?)</ol>', page, re.DOTALL)
    assert listed is not None
    assert listed[1].count("<li>") == 3
    assert "2 entries that were undone" in page


def test_the_text_of_a_note_without_a_verdict_is_in_every_form_of_a_report(session: Session, tmp_path: Path) -> None:
    row = pairs(session, 1)[0]
    match = open_pair(session, 1, row.a, row.b).matches.row(0)
    unit = Unit(row.a_id, row.b_id, (match.a_span, match.b_span))
    _write(session, _event(unit, "Ann", "", 1, "ask the editor"))
    for suffix in (".html", ".csv", ".jsonl"):
        assert _report(session, tmp_path, suffix).count("ask the editor") == 1, suffix


def test_a_report_says_how_much_of_a_passage_counts_where_a_phrase_in_it_does_not(
    session: Session, tmp_path: Path
) -> None:
    exclude(session, [Exclusion(ExclusionKind.PHRASE, "登りながら")], "a common phrase", "Aoyama")
    export(session, Selection(), tmp_path / "r.html")
    page = (tmp_path / "r.html").read_text(encoding="utf-8")
    whole = LONG.a_span.end - LONG.a_span.start
    assert f"{whole} characters" in page
    assert f"{whole - 3 * len('登りながら')} characters count" in page
    assert "does not count" not in page


@pytest.mark.parametrize("number", [1, None])
def test_what_a_run_found_is_reported_after_the_suspect_was_imported_again(
    session: Session, tmp_path: Path, number: int | None
) -> None:
    with session.write() as connection:
        delete_documents(connection, [1])
        add_documents(connection, [Document("a", f"Again: {A}", Role.SUSPECT)])
    for selection in (Selection(number, suspect="a"), Selection(number, pair=("a", "b"))):
        assert export(session, selection, tmp_path / "r.html").matches == len(PASSAGES[FIRST])
    later = store_run(session, [replace(PASSAGES[FIRST][1], a=3)])
    assert export(session, Selection(suspect="a"), tmp_path / "r.html").run == later.id
    assert export(session, Selection(1, suspect="a"), tmp_path / "r.html").matches == len(PASSAGES[FIRST])


@pytest.mark.parametrize("content", [True, False])
def test_text_that_was_not_compared_is_counted(tmp_path: Path, *, content: bool) -> None:
    create(tmp_path / "c.palimpsest")
    menu = (Block(Span(0, 5), verdict=BlockClass.NON_CONTENT), Block(Span(6, 16)))
    documents = [Document("s", "Menu. Copied it.", Role.SUSPECT, blocks=menu), Document("t", "Copied it.", Role.SOURCE)]
    spans = [np.array([value], np.int64) for value in (1, 2, 6, 16, 0, 10)]
    with Session(tmp_path / "c.palimpsest") as session:
        with session.write() as connection:
            add_documents(connection, documents)
            run = begin_run(connection, "digest", 1, {"content": content}, "00", 1)
            matches = Matches(*spans, np.ones(1), np.zeros(1, np.int8))
            finish_chunk(connection, run.id, 0, Results(matches), documents=1)
            finish_run(connection, run.id)
        export(session, Selection(), tmp_path / "r.html")
    page = re.sub(r"\s+", " ", re.sub("<[^>]*>", " ", (tmp_path / "r.html").read_text("utf-8")))
    assert ("Not compared (blocks that are not content, hidden words) 5 characters" in page) is content
