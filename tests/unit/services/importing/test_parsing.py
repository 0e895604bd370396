from __future__ import annotations

import zipfile
from pathlib import Path

import pytest
from lethal import Endless, Lethal, source

from workbench.base.errors import Cancelled
from workbench.base.progress import NullProgress
from workbench.reading import formats
from workbench.reading.formats import Failure, Record, Source
from workbench.services.importing.parsing import parse_all, parse_piece
from workbench.services.importing.pieces import Reading, WorkItem, parts_of


def _read(inputs: list[Source | Failure], limit: float = 60.0) -> list[str]:
    """Ids of what was read and paths of what was not, in order."""
    names = []
    for _, items in parse_all(NullProgress(), inputs, Reading(limit=limit), workers=2):
        names += [f"- {i.path}" if isinstance(i, Failure) else i.document.id for i in items]
    return names


@pytest.mark.slow
def test_an_input_that_kills_its_parser_is_a_failure_and_the_others_are_read(tmp_path: Path) -> None:
    inputs = [source(kind, tmp_path, name) for kind, name in ((Source, "1.txt"), (Lethal, "2.txt"), (Source, "3.txt"))]
    assert _read([*inputs]) == ["1.txt", "- 2.txt", "3.txt"]


@pytest.mark.slow
def test_an_input_that_takes_too_long_is_a_failure(tmp_path: Path) -> None:
    parsed = list(parse_all(NullProgress(), [source(Endless, tmp_path, "e.txt")], Reading(limit=0.3), workers=1))
    ((_, (failure,)),) = parsed
    assert isinstance(failure, Failure)
    assert failure.error == "It could not be read within the limit of 0.3 seconds."


@pytest.mark.slow
def test_rows_of_a_large_file_keep_their_order_over_many_pieces(tmp_path: Path) -> None:
    file = tmp_path / "rows.jsonl"
    line = '{{"id": "{}", "text": "' + "あ" * 300 + '"}}\n'
    file.write_text("".join(line.format(i) for i in range(700)) + "broken\n", encoding="utf-8")
    names = _read([Failure("gone", "There is no such file."), Source(file, "rows.jsonl")])
    assert names == ["- gone", *map(str, range(700)), "- rows.jsonl:701"]


@pytest.mark.slow
def test_rows_of_a_csv_file_may_span_lines_wherever_it_is_cut(tmp_path: Path) -> None:
    file = tmp_path / "rows.csv"
    body = '{},"一行目、{}番の文。\n二行目「""引用""」' + "あ" * 300 + '"\n'
    file.write_text("id,text\n" + "".join(body.format(i, i) for i in range(600)), encoding="utf-8")
    rows = [
        item
        for _, items in parse_all(NullProgress(), [Source(file, "rows.csv")], Reading(), workers=2)
        for item in items
    ]
    assert [item.document.id for item in rows if isinstance(item, Record)] == [str(i) for i in range(600)]
    assert {item.document.text.count("\n") for item in rows if isinstance(item, Record)} == {1}


def _csv_with_a_stray_quote(path: Path, rows: int) -> Source:
    body = "".join(f'{i},"first line {i}\nsecond line of it, {"x" * 200}"\n' for i in range(rows))
    path.write_text('id,text\nstray,a 5" disk\n' + body, encoding="utf-8")
    return Source(path, path.name)


@pytest.mark.slow
def test_a_quote_inside_a_csv_field_does_not_halve_later_rows(tmp_path: Path) -> None:
    file = _csv_with_a_stray_quote(tmp_path / "rows.csv", 3000)
    whole = [item for item in formats.read(file) if isinstance(item, Record)]
    pieces = [items for _, items in parse_all(NullProgress(), [file], Reading(), workers=1)]
    assert len(pieces) > 2
    assert [item.id for items in pieces for item in items if isinstance(item, Record)] == [item.id for item in whole]
    assert {item.document.text.count("\n") for item in whole} == {0, 1}


def test_the_rows_of_a_csv_piece_are_read_one_by_one_after_a_crash(tmp_path: Path) -> None:
    file = _csv_with_a_stray_quote(tmp_path / "rows.csv", 3)
    lines = tuple(enumerate(file.path.read_text(encoding="utf-8").splitlines(keepends=True), 1))
    piece = WorkItem((file,), lines[1:], "id,text\n")
    assert [[number for number, _ in single.lines] for single in piece.split(Reading().options)] == [
        [2],
        [3, 4],
        [5, 6],
        [7, 8],
    ]


@pytest.mark.slow
def test_a_csv_file_without_a_text_column_is_one_failure(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("name,age\na,1\n", encoding="utf-8")
    assert _read([Source(tmp_path / "x.csv", "x.csv")]) == ["- x.csv"]


def test_a_parser_that_raises_is_a_failure_of_its_input(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def explode(*_: object, **__: object) -> None:
        raise KeyError("bug")

    monkeypatch.setattr("workbench.services.importing.parsing.formats.read", explode)
    parsed = parse_piece(WorkItem((source(Source, tmp_path, "a.txt"),)), Reading())
    assert parsed.items == (Failure("a.txt", "The reader failed on this input; it may be damaged."),)


def test_reading_can_be_cancelled(tmp_path: Path) -> None:
    class Impatient(NullProgress):
        def check(self) -> None:
            raise Cancelled

    with pytest.raises(Cancelled):
        list(parse_all(Impatient(), [source(Source, tmp_path, "a.txt")], Reading(), workers=1))


def test_a_piece_is_read_in_this_process_too(tmp_path: Path) -> None:
    (item,) = parse_piece(WorkItem((source(Source, tmp_path, "a.txt"),)), Reading()).items
    assert isinstance(item, Record)
    assert item.document.text == "これは本文です。"


@pytest.mark.slow
def test_what_takes_too_long_is_tried_once_and_its_neighbours_are_read(tmp_path: Path) -> None:
    inputs = [source(kind, tmp_path, name) for kind, name in ((Source, "1.txt"), (Endless, "2.txt"), (Source, "3.txt"))]
    assert _read([*inputs], limit=1.0) == ["1.txt", "- 2.txt", "3.txt"]
    assert len(list(tmp_path.glob("2.txt.*.tried"))) == 1


@pytest.mark.slow
def test_an_archive_that_never_ends_or_kills_its_reader_is_one_failure(tmp_path: Path) -> None:
    inputs = [source(kind, tmp_path, name) for kind, name in ((Endless, "1.zip"), (Lethal, "2.tar"), (Source, "3.txt"))]
    assert _read([*inputs], limit=1.0) == ["- 1.zip", "- 2.tar", "3.txt"]


@pytest.mark.slow
def test_a_cancel_is_heard_while_an_archive_is_searched(tmp_path: Path) -> None:
    class Later(NullProgress):
        looks = 0

        def check(self) -> None:
            self.looks += 1
            if self.looks > 20:
                raise Cancelled

    with pytest.raises(Cancelled):
        list(parse_all(Later(), [source(Endless, tmp_path, "a.zip")], Reading(), workers=1))


def test_the_members_of_an_archive_are_given_out_in_pieces_of_one_size(tmp_path: Path) -> None:
    for number in (600, 1200):
        with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
            for member in range(number):
                archive.writestr(f"{member}.txt", "text " * 20)
        pieces = [piece for piece in parts_of(Source(tmp_path / "a.zip", "a.zip"), Reading()) if piece.inputs]
        assert sum(len(piece.inputs) for piece in pieces) == number
        assert len(pieces) == -(-number // 120)
