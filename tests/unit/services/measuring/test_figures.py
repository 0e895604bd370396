from __future__ import annotations

import time
from pathlib import Path
from random import Random
from types import SimpleNamespace

import numpy as np
import pytest
from drawing import figure, table
from scored import add, label, pairs, passages, scores, store

from workbench.base.errors import ParameterError, UserError
from workbench.base.messages import rate
from workbench.base.types import Document, Label, Match, Role, Span
from workbench.evaluation.figures import Table
from workbench.jobs.context import Context
from workbench.methods.template import TemplateParameters, find_templates
from workbench.project.documents import add_documents, load_document
from workbench.project.labels import add_labels, latest_values
from workbench.services.detecting.runs import detect
from workbench.services.listing import all_runs
from workbench.services.measuring import figures_pairs
from workbench.services.measuring.evaluating import evaluate
from workbench.services.measuring.figure_request import FigureRequest, finished_runs
from workbench.services.measuring.figures import KINDS, check_file, make_figure, render, write_figure
from workbench.services.measuring.label_selection import Question, Scored
from workbench.services.measuring.paper_values import paper_values
from workbench.services.session import Session
from workbench.services.tagging import change_tags_of

ENTRIES = 12


@pytest.fixture
def splogs(path: Path) -> Path:
    """Twelve entries, every other one copied from one of four background texts."""
    random = Random(1)

    def prose(size: int) -> str:
        return "".join(chr(random.randrange(0x4E00, 0x5000)) for _ in range(size))

    background = [prose(300) for _ in range(4)]
    with Session(path) as session:
        with session.write() as connection:
            entries = [
                Document(f"e{i}", prose(60) + (background[i % 4][20:150] if i % 2 else prose(100)), Role.SUSPECT)
                for i in range(ENTRIES)
            ]
            add_documents(connection, entries)
            add_documents(connection, [Document(f"u{i}", t, Role.BACKGROUND) for i, t in enumerate(background)])
        label(session, {f"e{i}": "splog" if i % 2 else "blog" for i in range(ENTRIES)})
    return path


@pytest.mark.slow
def test_f_by_length_has_a_line_for_each_corpus(ctx: Context, splogs: Path) -> None:
    drawn = figure(ctx, splogs, "f-by-length", values=("10", "15"))
    assert [s.name for s in drawn.series] == ["labelled entries", "background", "both"]
    assert [s.x for s in drawn.series] == [(10, 15)] * 3
    assert drawn.series[1].y == (1, 1)
    rows = table(ctx, splogs, "best-by-length", values=("10", "15")).rows
    assert [row[:2] for row in rows[2:4]] == [("background", 10), ("background", 15)]
    assert rows[2][5] == 1


@pytest.mark.parametrize("suffix", [".csv", ".tex"])
def test_the_papers_rows_are_in_the_file_of_a_table(ctx: Context, splogs: Path, suffix: str) -> None:
    drawn = table(ctx, splogs, "best-by-length", values=("15",))
    rows = render(drawn, suffix).decode().splitlines()
    (of_search,) = [row for row in rows if "unlabelled and search" in row and "21.2" in row]
    assert "Takeda and Takasu 2009, table 5" in of_search
    assert all(figure in of_search for figure in ("0.757", "0.751", "0.754"))
    assert sum("this project" in row for row in rows) == len(drawn.rows)


def test_a_figure_says_where_its_best_threshold_needs_no_method(ctx: Context, splogs: Path) -> None:
    # No label is of what is copied: nothing is better than to take everything.
    with Session(splogs) as session:
        label(session, {f"e{n}": "splog" if n < ENTRIES - 1 else "blog" for n in range(ENTRIES)}, who="adjudicator:ann")
    drawn = table(ctx, splogs, "best-by-length", values=("1000", "15"))
    everything = sum(row[3] == (ENTRIES - 1) / ENTRIES and row[4] == 1 for row in drawn.rows)
    assert everything > 0
    sentence = (
        f"At {everything} of {len(drawn.rows)} thresholds every labelled item is selected, which needs no method."
    )
    assert sentence in drawn.notes
    assert sentence in figure(ctx, splogs, "f-by-length", values=("1000", "15")).notes


def test_f_grows_with_the_background(ctx: Context, splogs: Path) -> None:
    (line,) = figure(ctx, splogs, "f-by-corpus", values=("15",)).series
    assert line.x[-1] == 1200
    assert line.y[-1] == 1
    assert line.y[0] < line.y[-1]


@pytest.mark.parametrize(("score", "words"), [("", "Copied-string length"), ("copy_rate", "Copy rate")])
def test_figures_of_copied_strings_rank_by_one_figure_and_name_it(
    ctx: Context, splogs: Path, score: str, words: str
) -> None:
    with Session(splogs) as session:
        with session.write() as connection:
            source = load_document(connection, "u0").text
            quoting = "".join(chr(0x5000 + i) for i in range(3000)) + source
            add_documents(connection, [Document("q", quoting, Role.SUSPECT)])
        label(session, {"q": "blog"})
    request = {"values": ("15",), "question": Question(score=score)}
    (by_corpus,) = figure(ctx, splogs, "f-by-corpus", **request).series
    by_length = figure(ctx, splogs, "f-by-length", **request)
    assert by_corpus.y[-1] == by_length.series[1].y[0]
    assert (by_corpus.y[-1] == 1) == (score == "copy_rate"), "a long quotation in a longer text is no spam"
    for name in ("f-by-corpus", "f-by-length", "best-by-length", "thresholds"):
        notes = make_figure(ctx, splogs, name, FigureRequest(values=("15",), question=Question(score=score))).notes
        assert f"Entries are ranked by: {words}." in notes
    drawn = table(ctx, splogs, "thresholds", **request)
    assert f"by threshold of {words} (copied-strings, run " in drawn.title
    with Session(splogs) as session:
        evaluation = evaluate(session, finished_runs(session)["copied-strings"].id)
    of_own_score = f"The run's own score, by which it is evaluated otherwise, has its best F {rate(evaluation.f1)} at "
    assert any(note.startswith(of_own_score) for note in drawn.notes) == (score == "")


@pytest.mark.slow
def test_time_is_measured_for_each_length_and_entry(ctx: Context, splogs: Path) -> None:
    drawn = figure(ctx, splogs, "time-by-length", values=("5", "15"))
    whole, alone = drawn.series
    assert all(w > a > 0 for w, a in zip(whole.y, alone.y, strict=True))
    for line in drawn.series:
        # An interval of the mean reaches as far up as down, but not below no time at all.
        for y, (low, high) in zip(line.y, line.band, strict=True):
            assert 0 <= low < y < high
            assert low == pytest.approx(max(0.0, 2 * y - high))
    assert drawn.notes[:2] == (f"{ENTRIES} entries; one processor.", "With the settings of run 1.")
    assert len(figure(ctx, splogs, "time-by-entry").series[0].x) == ENTRIES


def test_the_time_of_one_entry_has_neither_a_slope_nor_an_interval(ctx: Context, path: Path) -> None:
    with Session(path) as session, session.write() as connection:
        add_documents(connection, [Document("e", "山路を登りながら、こう考えた。", Role.SUSPECT)])
    assert [line.name for line in figure(ctx, path, "time-by-entry").series] == ["entries"]
    drawn = figure(ctx, path, "time-by-length", values=("5", "15"))
    assert [line.band for line in drawn.series] == [(), ()]
    assert not any("interval" in note for note in drawn.notes)


def test_figures_of_cost_count_the_documents_that_their_run_covers(ctx: Context, splogs: Path) -> None:
    with Session(splogs) as session:
        change_tags_of(session, ["e1", "e2", "e3"], ["few"], [])
        change_tags_of(session, ["u0", "u1"], ["few"], [])
    detect(ctx, splogs, "copied-strings", {"suspect_tags": "few", "source_tags": "few"}, workers=1)
    begun = time.perf_counter()
    drawn = figure(ctx, splogs, "time-by-entry")
    taken = drawn.series[0].y
    assert drawn.notes[0] == "3 entries; one processor."
    assert 0 < min(taken) < sum(taken) < 1000 * (time.perf_counter() - begun), "milliseconds"
    drawn = figure(ctx, splogs, "f-by-corpus", values=("15",))
    assert "2 background documents" in drawn.notes[0]
    assert drawn.series[0].x[-1] == 600


def test_the_best_threshold_is_among_those_of_the_paper(ctx: Context, splogs: Path) -> None:
    drawn = table(ctx, splogs, "thresholds", values=("100000", "1"))
    assert drawn.rows[0] == (100000, None, 0, 0)
    assert max(row[3] for row in drawn.rows if isinstance(row[3], float)) == pytest.approx(1)


def test_a_row_for_each_number_of_templates(ctx: Context, splogs: Path) -> None:
    with pytest.raises(UserError):
        table(ctx, splogs, "templates", values=("many",))
    rows = table(ctx, splogs, "templates", values=("1", "5")).rows
    assert [row[0] for row in rows] == [1, 5]


def test_runs_without_fitting_labels_are_named_under_the_curve(ctx: Context, path: Path) -> None:
    with Session(path) as session:
        add(session)
        label(session, {"s0": "splog", "s1": "splog", "b0": "blog"})
        store(session, "copied-strings", scores([3, 2, 0, 1, 0, 0]))
        store(session, "shingle", pairs({(1, 2): 0.5}))
    drawn = figure(ctx, path, "precision-recall")
    assert [s.name.split(" (")[0] for s in drawn.series] == [
        "copied-strings, run 1",
        "shingle, run 2",
        "length of the text",
    ]
    assert {s.style for s in drawn.series} == {"steps"}, "as on the screen: straight lines would overstate"
    bars = figure(ctx, path, "scores", runs=(1,)).series
    assert [(s.name, sum(s.y)) for s in bars] == [("blog", 1), ("splog", 2)]


@pytest.mark.parametrize("name", ["best-by-length", "f-by-length"])
def test_the_paper_has_a_row_for_each_of_its_four_corpora_and_nine_lengths(name: str) -> None:
    reference = paper_values(name)
    assert reference is not None
    if reference.table is None:
        assert [len(line.x) for line in reference.series] == [9] * 4
        return
    rows = reference.table.rows
    assert len(rows) == 36
    for _, _, _, precision, recall, f in rows:
        assert 2 * precision * recall / (precision + recall) == pytest.approx(f, abs=0.0021)


def test_labelled_entries_by_site_and_type(ctx: Context, splogs: Path) -> None:
    rows = table(ctx, splogs, "sites").rows
    assert rows[-1][0] == "all"
    assert rows[0][0] == "(unknown)"
    assert rows[-1][1] == sum(row[1] for row in rows[:-1])
    reference = table(ctx, splogs, "sites").reference
    assert reference is not None
    *providers, every = reference.rows
    assert len(providers) == 21
    assert [sum(row[column] for row in providers) for column in (1, 2)] == [21_668, 4_871] == list(every[1:3])
    with Session(splogs) as session, session.write() as connection:
        names = [name for name, value in latest_values(connection, "class").items() if value == "splog"]
        add_labels(connection, [Label(name, "word salad", "me", "", label_set="kind") for name in names])
    (row,) = table(ctx, splogs, "types").rows
    assert (row[0], row[1]) == ("word salad", len(names))
    assert 0 < row[2] <= len(names)
    with Session(splogs) as session, session.write() as connection:
        votes = (("you", names[0]), ("you", names[1]), ("she", names[1]))
        add_labels(connection, [Label(name, "RSS", who, "", label_set="kind") for who, name in votes])
    rows = table(ctx, splogs, "types").rows
    assert [row[:2] for row in rows] == [("word salad", len(names) - 2), ("(unknown)", 1), ("RSS", 1)]


def test_a_digest_run_is_measured_by_the_documents_it_found_copies_in(ctx: Context, path: Path) -> None:
    with Session(path) as session:
        add(session, ("s0", "s1", "s2", "b0"))
        add(session, ("source",), Role.SOURCE)
        rows = [Match(key, 5, Span(0, 4), Span(0, 4), 1.0, {}) for key in (1, 2, 4)]
        store(session, "digest", passages(*rows))
        label(session, {"s0": "copy", "s1": "copy", "s2": "copy", "b0": "not-copy"})
    drawn = table(ctx, path, "digest-quality")
    assert [row[1:4] for row in drawn.rows] == [(2, 3, 2 / 3), (2, 3, 2 / 3)]
    assert drawn.reference is not None
    assert [round(row[-1], 2) for row in drawn.reference.rows] == [0.99, 0.8]


def test_every_figure_says_what_it_needs_and_where_it_is_in_the_papers() -> None:
    assert all(kind.needs for kind in KINDS.values())
    own = {kind.name for kind in KINDS.values() if not kind.source}
    assert own == {"scores", "reliability", "agreement"}


def test_the_digest_is_measured_on_collections_of_each_size(ctx: Context, splogs: Path) -> None:
    memory = figure(ctx, splogs, "scale-memory", values=("4", "8", "64"))
    files, resident = memory.series
    assert files.x == resident.x == (4, 8, 64)
    assert all(0 < r < f for r, f in zip(resident.y, files.y, strict=True))
    assert list(resident.y) == sorted(resident.y)
    speed = figure(ctx, splogs, "scale-speed", values=("4", "8"))
    (line,) = speed.series
    assert all(low <= y <= high for y, (low, high) in zip(line.y, line.band, strict=True))
    assert [(s.x, s.y) for s in (*memory.reference, *speed.reference)] == [((20e6,), (4_000,)), ((20e6,), (8.4,))]
    with pytest.raises(UserError, match="at least one document"):
        figure(ctx, splogs, "scale-speed", values=("0",))


def test_sizes_that_do_not_fit_on_the_disk_are_named(
    ctx: Context, splogs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("shutil.disk_usage", lambda folder: SimpleNamespace(free=1))
    drawn = figure(ctx, splogs, "scale-memory", values=("4", "8", "16"))
    assert drawn.series[0].x == (4,)
    assert any("lack of disk space: 8, 16" in note for note in drawn.notes)


def test_counts_are_projected_by_power_laws_and_say_so(ctx: Context, path: Path) -> None:
    shared = "これは二つずつの文書にある二十文字よりも長い文で番号は{}なのである"
    texts = [f"{shared.format(chr(0x4E00 + i // 2) * 3)}。短い文{chr(0x5E00 + i)}。" for i in range(64)]
    with Session(path) as session, session.write() as connection:
        add_documents(connection, [Document(f"s{i}", text, Role.SUSPECT) for i, text in enumerate(texts)])
    drawn = figure(ctx, path, "projected-scale", values=("6400",))
    sentences, pairs_of, paired, far, far_pairs, far_paired = drawn.series
    assert paired.y == tuple(2 * y for y in pairs_of.y)
    assert (sentences.x[0], sentences.x[-1], far.x) == (4, 64, (64, 6400))
    assert sentences.y == tuple(2 * x for x in sentences.x)
    assert far.y == pytest.approx((128, 12800))
    assert pairs_of.y[-1] == 32
    assert far_paired.y[-1] == 6400, "no more pages than there are"
    assert far_paired.band[-1] == (6400, 6400)
    assert all(low <= y <= high for y, (low, high) in zip(far_pairs.y, far_pairs.band, strict=True))
    assert any("not a measurement" in note for note in drawn.notes)
    with pytest.raises(UserError, match="at least 32 documents"):
        figure(ctx, path, "projected-scale", values=("10",))


@pytest.mark.slow
def test_the_agreement_of_annotators_is_a_table(ctx: Context, path: Path) -> None:
    with Session(path) as session:
        names = [f"d{i}" for i in range(8)]
        add(session, names)
        label(session, {name: "splog" if i < 4 else "blog" for i, name in enumerate(names)})
        label(session, {name: "splog" if i < 5 else "blog" for i, name in enumerate(names)}, who="ben")
    drawn = table(ctx, path, "agreement")
    by_name = {str(row[0]): row for row in drawn.rows}
    assert by_name["Cohen's kappa, anna and ben"][1] == pytest.approx(0.75)
    assert by_name["Krippendorff's alpha"][-1] == 8
    low, high = by_name["Krippendorff's alpha"][2:4]
    assert low < by_name["Krippendorff's alpha"][1] < high
    assert "specific agreement on splog" in by_name
    assert drawn.notes == ("Labels of class: anna 8, ben 8.", "Without a settled value: 1.")


def test_agreement_needs_two_annotators(ctx: Context, path: Path) -> None:
    with Session(path) as session:
        add(session)
        label(session, dict.fromkeys(("s1", "s2"), "splog"))
    with pytest.raises(UserError, match="two annotators"):
        table(ctx, path, "agreement")


@pytest.mark.parametrize("name", ["slope", "reliability", "f-by-length", "templates", "types", "f-by-corpus"])
def test_no_run_is_made_for_a_figure_that_lacks_labels(ctx: Context, path: Path, name: str) -> None:
    with Session(path) as session:
        add(session)
    with pytest.raises(UserError, match="There are no labels of"):
        make_figure(ctx, path, name, FigureRequest(workers=1))
    with Session(path) as session:
        assert not all_runs(session)


def test_missing_data_are_a_sentence(ctx: Context, path: Path) -> None:
    for name in KINDS:
        with pytest.raises(UserError):
            make_figure(ctx, path, name, FigureRequest(workers=1))
    with pytest.raises(ParameterError, match="f-by-length"):
        make_figure(ctx, path, "nothing", FigureRequest())


def test_files_are_written_by_suffix(path: Path, tmp_path: Path) -> None:
    drawn = Table("t", ("a",), ((1,),))
    folder = tmp_path / "new"
    folder.mkdir()
    write_figure(path, drawn, folder / "t.csv")
    assert (folder / "t.csv").read_text() == "a\n1\n"
    assert [p.name for p in folder.iterdir()] == ["t.csv"]
    with pytest.raises(UserError, match=r"\.csv, \.tex"):
        render(drawn, ".svg")
    with pytest.raises(ParameterError):
        check_file("thresholds", Path("t.svg"))
    with pytest.raises(ParameterError):
        check_file("scores", Path("t.gif"))
    with pytest.raises(UserError, match="cannot be written"):
        write_figure(path, drawn, tmp_path / "gone" / "t.csv")


def test_a_figure_never_replaces_a_file_that_was_imported(path: Path, tmp_path: Path) -> None:
    out = tmp_path / "thesis.csv"
    out.write_text("the only copy", encoding="utf-8")
    with Session(path) as session, session.write() as connection:
        add_documents(connection, [Document("new", "Its text.", origin=out.as_posix())])
    with pytest.raises(UserError, match="would replace a file that was imported"):
        write_figure(path, Table("t", ("a",), ((1,),)), out)
    assert out.read_text(encoding="utf-8") == "the only copy"


@pytest.mark.slow
def test_tags_on_the_background_make_a_corpus_each(ctx: Context, splogs: Path) -> None:
    with Session(splogs) as session:
        change_tags_of(session, ["u0", "u1"], ["search"], [])
    drawn = figure(ctx, splogs, "f-by-length", values=("10",))
    names = ["labelled entries", "background without a tag", "background tagged search", "the whole background"]
    assert [line.name for line in drawn.series] == names
    # Half of the copies are of tagged texts.
    alone, whole = (drawn.series[at].y[0] for at in (2, 3))
    assert alone < whole == 1
    assert "Run 1" in drawn.notes[0]
    assert "class" in drawn.notes[0]


def test_a_measure_is_taken_on_documents_with_a_tag(ctx: Context, splogs: Path) -> None:
    with Session(splogs) as session:
        change_tags_of(session, ["e1", "e2", "e3"], ["few"], [])
    rows = table(ctx, splogs, "sites", question=Question(tags="few")).rows
    assert rows[-1][1:3] == (3, 2)
    rows = table(ctx, splogs, "sites", question=Question(tags="-few")).rows
    assert rows[-1][1:3] == (ENTRIES - 3, 4)


def test_sentences_and_relations_are_those_of_documents_with_a_tag(ctx: Context, path: Path) -> None:
    shared = "これは二つずつの文書にある二十文字よりも長い文で番号は{}なのである。"
    with Session(path) as session:
        texts = [shared.format(chr(0x4E00 + i // 2) * 3) for i in range(4)]
        with session.write() as connection:
            add_documents(connection, [Document(f"d{i}", text, Role.SUSPECT) for i, text in enumerate(texts)])
        change_tags_of(session, ["d0"], ["mail"], [])
    for tags, documents, sentences in (("", 4, 2), ("mail", 1, 1), ("-mail", 3, 2)):
        question = Question(tags=tags)
        notes = figure(ctx, path, "sentence-frequency", question=question).notes
        assert notes[0] == f"{sentences} different sentences of {documents} documents."
        assert table(ctx, path, "sentences", question=question).notes[0] == f"{documents} documents."
        relations = table(ctx, path, "relations", question=question).rows
        assert sum(row[1] for row in relations if isinstance(row[1], int)) == (1 if tags else 2)


@pytest.mark.parametrize(
    "name",
    [
        # What takes time or space, is drawn of the methods alone, of annotators, or of two documents that are named.
        *("scale", "scale-memory", "scale-speed", "time-by-length", "time-by-entry", "efficiency", "fingerprints"),
        *("window", "simhash-votes", "minhash-signatures", "agreement", "edits", "edit-graph", "page-pair"),
    ],
)
def test_a_figure_of_all_documents_refuses_a_tag(ctx: Context, path: Path, name: str) -> None:
    with pytest.raises(ParameterError, match="documents with a tag"):
        make_figure(ctx, path, name, FigureRequest(question=Question(tags="mail")))


@pytest.mark.slow
def test_templates_are_counted_in_the_order_they_are_found(ctx: Context, path: Path) -> None:
    random = Random(3)

    def prose(size: int) -> str:
        return "".join(chr(random.randrange(0x4E00, 0x5000)) for _ in range(size))

    texts = [form + prose(30) for form in map(prose, range(18, 43, 4)) for _ in range(len(form) // 3)]
    spam = len(texts)
    texts += [prose(60) for _ in range(10)]
    with Session(path) as session:
        with session.write() as connection:
            add_documents(connection, [Document(f"e{i}", text, Role.SUSPECT) for i, text in enumerate(texts)])
        label(session, {f"e{i}": "splog" if i < spam else "blog" for i in range(len(texts))})
    templates = find_templates(texts, TemplateParameters(templates=400, go_on=True), ctx)
    assert len(templates) > 2
    expected = [sum(any(t in text for t in templates[:count]) for text in texts[:spam]) / spam for count in (1, 2, 400)]
    rows = table(ctx, path, "templates", values=("1", "2", "400")).rows
    assert [row[2] for row in rows] == pytest.approx(expected)
    assert expected[0] < expected[1] < expected[2]
    line = next(series for series in figure(ctx, path, "precision-recall").series if "templates" in series.name)
    assert line.style == "points"
    assert line.x[0] == pytest.approx(expected[0])
    assert line.x[-1] == pytest.approx(expected[2])


@pytest.mark.parametrize(
    ("thirds", "best"),
    [
        # Nine of ten are found at the second score, with two wrong ones; the third adds one and two more wrong ones ...
        ((True, False, False), (9, 11)),
        # ... or three that are right, which is better by precision, too.
        ((True, True, True), (12, 14)),
    ],
)
def test_precision_by_slope_is_the_best_one_at_which_enough_is_found(
    thirds: tuple[bool, ...], best: tuple[int, int]
) -> None:
    positive = np.array([True] * 9 + [False] * 2 + [*thirds])
    score = np.array([9.0] * 8 + [8.0] * 3 + [7.0] * 3)
    names = tuple((f"a{n}", f"b{n}") for n in range(len(score)))
    reached = figures_pairs._at_recall(Scored(names, score, positive))
    assert (reached.right, reached.selected) == best


def test_precision_at_a_recall_is_the_best_that_any_threshold_with_that_recall_gives() -> None:
    right = [False] + [True] * 10
    scored = Scored(tuple((f"a{n}", f"b{n}") for n in range(11)), np.linspace(1.0, 0.5, 11), np.array(right))
    reached = figures_pairs._at_recall(scored)
    assert (reached.right, reached.selected) == (10, 11)  # not 9 of 10, where the recall is reached first
