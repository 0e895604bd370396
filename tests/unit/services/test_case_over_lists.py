"""A whole case, asked of the window, the lists, reports, CSV and JSON, beside the same accounting over plain lists."""

from __future__ import annotations

import csv
import json
from collections import Counter
from collections.abc import Sequence
from itertools import count as numbers
from pathlib import Path
from typing import Any, cast

import pytest
from hypothesis import HealthCheck, Phase, example, given, settings
from hypothesis import strategies as st
from plain import LeftOut, Outcome, Row, Statement, of_suspect, outcome, passages
from plain import count as count_plainly
from scored import passages as results
from scored import store

from workbench.base.messages import percent
from workbench.base.progress import NullProgress
from workbench.base.types import Document, Label, Match, Role, Span
from workbench.project.documents import add_documents
from workbench.project.labels import add_labels
from workbench.services.labels.targets import TargetKind, passage_target, person
from workbench.services.measuring.thresholds import UsedThreshold, use_threshold
from workbench.services.reports.exporting import export
from workbench.services.reports.gathering import Selection, gather
from workbench.services.review import by_hand
from workbench.services.review.counting import SuspectCount, follow_counted, read_counted
from workbench.services.review.either_side import listed_suspects
from workbench.services.review.exclusions import Exclusion, ExclusionKind, exclude
from workbench.services.review.judgement import VERDICTS
from workbench.services.review.overview import read_overview
from workbench.services.review.pivot import Pivot, grouped, pair_key
from workbench.services.session import Session, create

LETTERS = "甲乙丙丁戊己庚辛壬癸子丑寅"
SUSPECTS, SOURCES = ("s1", "s2"), ("o1", "o2")
# Texts of unequal lengths, in letters that no space divides: a phrase of them is found anywhere, as "zz" is.
TEXTS = {
    name: "".join(LETTERS[at * step % 13] for at in range(size)) + "zz" + LETTERS
    for name, size, step in (("s1", 131, 3), ("s2", 97, 5), ("o1", 173, 7), ("o2", 83, 11))
}
KEYS = {name: number for number, name in enumerate(TEXTS, 1)}
PAIRS = (("s1", "o1"), ("s1", "o2"), ("s2", "o1"), ("s2", "s1"), ("s1", "s2"))


def _row(drawn: tuple[tuple[str, str], tuple[int, int], tuple[int, int], int]) -> Row:
    (a, b), (start, size), (begin, length), score = drawn
    at = start, min(start + size, len(TEXTS[a]))
    there = begin, min(begin + length, len(TEXTS[b]))
    return Row(a, b, at, there, float(score))


stretches = st.tuples(st.integers(0, 80), st.sampled_from((4, 5, 6, 8, 12, 30)))
rows_drawn = st.lists(
    st.tuples(st.sampled_from(PAIRS), stretches, stretches, st.integers(1, 3)).map(_row),
    min_size=1,
    max_size=6,
    unique_by=lambda row: (row.a, row.b, row.at, row.there),
)
people = st.sampled_from(("Ann", "Ben", "Cho", "adjudicator:Ann", "adjudicator:Dee"))
verdicts = st.sampled_from(("copy", "partial", "not-copy", "not-copy", ""))
statements_drawn = st.lists(
    st.tuples(st.integers(0, 5), st.builds(Statement, people, verdicts, st.integers(0, 3))),
    max_size=7,
    unique_by=lambda one: (one[0], one[1].who, one[1].when),
)
left_out_drawn = st.lists(
    st.tuples(st.sampled_from(("passage", "source", "shorter", "phrase")), st.integers(0, 5), st.booleans()),
    max_size=3,
    unique=True,
)
_numbers = numbers()


def _left_out(drawn: Sequence[tuple[str, int, bool]], rows: Sequence[Row]) -> list[tuple[LeftOut, str]]:
    """Each exclusion, and the suspect it holds for; "" for all."""
    out = []
    for kind, at, for_all in drawn:
        row = rows[at % len(rows)]
        if kind == "passage":
            # As another run had it: moved by a quarter on the one side, by half on the other.
            (start, end), (begin, stop) = row.at, row.there
            moved = (
                (start + (end - start) // 4, end + (end - start) // 4),
                (begin, stop + (stop - begin) * (at % 3) // 2),
            )
            out.append((LeftOut(kind, row=Row(row.a, row.b, *moved, 0.0)), row.a))
        elif kind == "source":
            out.append((LeftOut(kind, what=row.b), "" if for_all else row.a))
        elif kind == "shorter":
            out.append((LeftOut(kind, number=(5, 6, 8)[at % 3]), "" if for_all else row.a))
        else:
            out.append((LeftOut(kind, what=("zz", TEXTS[row.a][row.at[0] + 1 : row.at[0] + 4])[at % 2]), row.a))
    return out


def _exclusion(one: LeftOut, suspect: str) -> Exclusion:
    if one.row is not None:
        what = passage_target(one.row.a, Span(*one.row.at), one.row.b, Span(*one.row.there))
        return Exclusion(ExclusionKind.PASSAGE, what, suspect)
    return Exclusion(ExclusionKind(one.kind), one.what or str(one.number), suspect)


def _event(row: Row, one: Statement) -> Label:
    target = passage_target(row.a, Span(*row.at), row.b, Span(*row.there))
    return Label(target, one.value, one.who, f"2026-01-01T00:00:0{one.when}.000Z", label_set="verdict")


class Case:
    """A project with ``rows``, the ``statements`` about them, and what is ``left_out``."""

    def __init__(
        self,
        folder: Path,
        rows: Sequence[Row],
        statements: Sequence[tuple[int, Statement]],
        left_out: Sequence[tuple[str, int, bool]],
        least: float | None,
        added: Row | None,
    ) -> None:
        self.folder, self.least = folder, least
        self.rows = [*rows, added] if added is not None else list(rows)
        # What is left out twice is left out.
        self.left_out = [*dict.fromkeys(_left_out(left_out, self.rows))]
        self.statements = [(self.rows[at % len(self.rows)], one) for at, one in statements]
        create(folder / "p.palimpsest")
        self.session = Session(folder / "p.palimpsest")
        roles = {name: Role.SUSPECT if name in SUSPECTS else Role.SOURCE for name in TEXTS}
        with self.session.write() as connection:
            documents = [Document(name, text, roles[name], language="en") for name, text in TEXTS.items()]
            add_documents(connection, documents)
        matches = [Match(KEYS[r.a], KEYS[r.b], Span(*r.at), Span(*r.there), r.score, {"segments": 1}) for r in rows]
        self.run = store(self.session, "digest", results(*matches))
        if added is not None:
            a, b = (Document(name, TEXTS[name], key=KEYS[name]) for name in (added.a, added.b))
            by_hand.add(self.session, a, Span(*added.at), b, Span(*added.there), "Ann")
        if least is not None:
            around = (0.0, 1.0)
            used = UsedThreshold(
                "digest", TargetKind.PASSAGE, least, self.run, "verdict", 9, 1, 1, 1, around, around, True
            )
            use_threshold(self.session, used)
        for one, suspect in self.left_out:
            exclude(self.session, [_exclusion(one, suspect)], "a reason", "Ann")
        self.before = {name: read_counted(self.session, self.run, KEYS[name]) for name in SUSPECTS}
        self.last = max(counted.last for counted in self.before.values())
        with self.session.write() as connection:
            add_labels(connection, [_event(*one) for one in self.statements])

    def outcome(self, row: Row) -> Outcome | None:
        """What holds for a row as the run has it."""
        return outcome(one for of, one in self.statements if of == row)

    def of(self, suspect: str) -> tuple[list[Row], list[Outcome | None]]:
        """The rows of a suspect, seen from it, and what holds for each."""
        rows = of_suspect(self.rows, suspect)
        return rows, [self.outcome(row if row in self.rows else row.turned()) for row in rows]

    def counts(self, suspect: str) -> tuple[list[Row], Any]:
        rows, holds = self.of(suspect)
        chosen = [one for one, of in self.left_out if of in ("", suspect)]
        return rows, count_plainly(TEXTS[suspect], rows, chosen, holds, self.least)

    def followed(self, suspect: str) -> SuspectCount:
        """What counts as an open window has it, which reads no more than what the log has gained."""
        with self.session.read() as connection:
            from workbench.project import labels

            last = labels.last_event(connection)
            events = labels.gained(connection, ["verdict"], self.last)
            return follow_counted(self.session, connection, self.before[suspect], events, last)

    def exported(self, selection: Selection, name: str) -> list[dict[str, Any]]:
        """The lines of a report as JSON, which those of CSV equal; and the report as HTML, written beside it."""
        for suffix in (".jsonl", ".csv", ".html"):
            export(self.session, selection, self.folder / f"{name}{suffix}")
        lines = [json.loads(line) for line in (self.folder / f"{name}.jsonl").read_text("utf-8").splitlines()]
        records = [line for line in lines if "counts" in line]
        with (self.folder / f"{name}.csv").open(encoding="utf-8-sig", newline="") as file:
            rows = list(csv.DictReader(file))
        same = ("a", "a_start", "a_end", "b", "b_start", "b_end", "counts", "characters", "verdict", "reviewer", "note")
        # The table names people, JSON who gave the verdict: also whether to settle a conflict.
        in_words = [record | {"reviewer": person(record["reviewer"])} for record in records]
        assert [[row[c] for c in same] for row in rows] == [[str(record[c]) for c in same] for record in in_words]
        return records

    def page(self, name: str) -> str:
        return (self.folder / f"{name}.html").read_text(encoding="utf-8")


def _place(row: Row) -> tuple[int, int, int, int, int]:
    return (KEYS[row.b], *row.at, *row.there)


def _of_record(record: dict[str, Any]) -> tuple[str, str, int, int, int, int]:
    return cast(Any, tuple(record[c] for c in ("a", "b", "a_start", "a_end", "b_start", "b_end")))


def _check_holds(record: dict[str, Any], holds: Outcome | None) -> None:
    if holds is None:
        assert (record["verdict"], record["reviewer"], record["verdicts"]) == ("", "", [])
        return
    assert (record["verdict"], record["reviewer"]) == (holds.value, holds.by)
    assert [(label["who"], label["value"]) for label in record["verdicts"]] == list(holds.verdicts)
    assert (record["settled"] or {"who": ""})["who"] == holds.settled
    differ = len({value for _, value in holds.verdicts}) > 1
    party = holds.settled.partition(":")[2] in {who for who, _ in holds.verdicts}
    assert record["settled_by_party"] == bool(holds.settled and differ and party)


def _tally(case: Case, rows: Sequence[Row], holds: Sequence[Outcome | None]) -> dict[str, int]:
    """Passages by verdict: one that is judged in all its parts has the gravest."""
    tally: Counter[str] = Counter()
    number = passages(rows)
    for passage in set(number):
        values = [h.value if h else "" for h, of in zip(holds, number, strict=True) if of == passage]
        if all(values):
            tally[min(values, key=("conflict", *VERDICTS).index)] += 1
    return dict(tally)


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cases")


_LONG = Row("s1", "o1", (0, 12), (3, 33), 3.0)


@settings(max_examples=8, phases=(Phase.explicit, Phase.generate), suppress_health_check=[HealthCheck.too_slow])
@example(
    [Row("s1", "s2", (0, 20), (0, 9), 1.0), Row("s2", "o1", (5, 35), (0, 6), 2.0)],
    [(0, Statement("Ann", "not-copy", 0))],
    [],
    None,
    None,
)
@example(
    [_LONG, Row("s1", "o1", (12, 18), (33, 41), 2.0)],
    [(1, Statement("Ben", "copy", 0)), (1, Statement("Ann", "not-copy", 0))],
    [],
    3.0,
    None,
)
@example(
    [_LONG, Row("s2", "o1", (0, 6), (0, 5), 2.0)],
    [],
    [("shorter", 1, True), ("passage", 0, False)],
    2.0,
    Row("s1", "o2", (30, 36), (0, 30), 3.0, True),
)
@example(
    [
        Row("s1", "o1", (0, 12), (0, 12), 2.0),
        Row("s1", "o2", (30, 42), (20, 32), 2.0),
        Row("s2", "o1", (0, 14), (40, 54), 2.0),
    ],
    [],
    [],
    None,
    None,
)
@given(
    rows_drawn,
    statements_drawn,
    left_out_drawn,
    st.sampled_from((None, 2.0, 3.0)),
    st.sampled_from((None, Row("s1", "o2", (40, 46), (0, 8), 3.0, True))),
)
def test_every_face_counts_a_case_as_lists_do(
    folders: Path,
    rows: list[Row],
    statements: list[tuple[int, Statement]],
    left_out: list[tuple[str, int, bool]],
    least: float | None,
    added: Row | None,
) -> None:
    folder = folders / str(next(_numbers))
    folder.mkdir()
    if added is not None:
        # A person's passage is as sure as the surest of the run, and no part of it twice.
        rows = [row for row in rows if (row.a, row.b, row.at, row.there) != (added.a, added.b, added.at, added.there)]
        added = None if not rows else Row(*(added.a, added.b, added.at, added.there), max(r.score for r in rows), True)
    if not rows:
        return
    case = Case(folder, rows, statements, left_out, least, added)
    whole = {_of_record(record): record for record in case.exported(Selection(case.run), "run")}
    assert whole.keys() == {(row.a, row.b, *row.at, *row.there) for row in case.rows}
    overview = read_overview(case.session, case.run)
    listed = {row.id: row for row in listed_suspects(case.session, overview)}
    in_window = {row.id: row for row in overview.suspects}
    report = gather(NullProgress(), case.session, Selection(case.run))
    assert [one.id for one in report.cases.values()] == list(listed)
    assert overview.columns is not None
    in_list = grouped(overview.columns, Pivot.PAIRS, overview.suspects).rows
    in_report = [(pair_key(row.a, row.b), row.score, row.coverage_a) for row in report.rows]
    assert in_report == [(row.key, row.score, row.coverage) for row in in_list]
    for suspect in SUSPECTS:
        own, counts = case.counts(suspect)
        by_place = {_place(row): number for row, number in zip(own, counts.of_rows, strict=True)}
        for counted in (read_counted(case.session, case.run, KEYS[suspect]), case.followed(suspect)):
            assert (counted.shares.matched, counted.shares.counted) == (counts.matched, counts.counted)
            assert counted.shares.excluded == counts.takes
            assert counted.counts() == by_place
        assert (suspect in listed) == (suspect in in_window) == bool(own)
        if not own:
            continue
        size = len(TEXTS[suspect])
        assert listed[suspect].coverage == counts.matched / size
        assert (listed[suspect].matches, listed[suspect].sources) == (len(own), len({row.b for row in own}))
        assert listed[suspect].passages == len(set(passages(own)))
        assert dict(listed[suspect].verdicts) == _tally(case, *case.of(suspect))
        shown = in_window[suspect]
        assert (shown.coverage, shown.matches) == (counts.matched / size, len(own))
        assert shown.sources == len({row.b for row in own})
        assert f"{percent(counts.matched / size)} matched" in case.page("run")
        records = case.exported(Selection(case.run, suspect), suspect)
        assert {_of_record(record) for record in records} == {(row.a, row.b, *row.at, *row.there) for row in own}
        page = case.page(suspect)
        assert f"Of {size} characters {counts.matched} are in passages" in page
        assert f"{counts.counted} count after the exclusions" in page
        lengths = [row.at[1] - row.at[0] for row in own]
        assert page.count("does not count") == sum(not n for n in counts.of_rows)
        in_part = [0 < n < size_of for n, size_of in zip(counts.of_rows, lengths, strict=True)]
        assert page.count("characters count<") == sum(in_part)
        for record in records:
            row = next(row for row in own if (row.a, row.b, *row.at, *row.there) == _of_record(record))
            assert (record["counts"], record["score"]) == (by_place[_place(row)], row.score)
            as_found = row if row in case.rows else row.turned()
            _check_holds(record, case.outcome(as_found))
            if as_found is row:
                of_run = whole[_of_record(record)]
                assert (of_run["counts"], of_run["verdict"]) == (record["counts"], record["verdict"])
                _check_holds(of_run, case.outcome(row))
