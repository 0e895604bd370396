from __future__ import annotations

import json
import pickle
from collections.abc import Iterable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.reading.formats.items import read
from workbench.base.errors import ParameterError
from workbench.base.types import Role
from workbench.reading import formats
from workbench.reading.formats import Failure, ReadOptions, Record, Source, csv
from workbench.reading.formats.api import sentence

GOOD = "これは正しい文書です。二つ目の文もあります。\n"


def errors(items: Iterable[Record | Failure]) -> list[tuple[str, str]]:
    return [(i.path, i.error) for i in items if isinstance(i, Failure)]


def records(items: Iterable[Record | Failure]) -> list[Record]:
    return [i for i in items if isinstance(i, Record)]


def write(path: Path, content: str | bytes) -> Path:
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def test_a_text_file_is_one_document_named_by_its_path(tmp_path: Path) -> None:
    [record] = records(read(write(tmp_path / "a.txt", GOOD)))
    document = record.document
    assert (record.id, document.id, document.origin, document.title) == (None, "a.txt", "a.txt", "a")
    assert (document.text, document.language, document.extraction.format) == (GOOD, "ja", "txt")


@pytest.mark.parametrize(
    ("name", "title"),
    [
        ("LGPL-2.1", "LGPL-2.1"),
        ("version 1.2.txt", "version 1.2"),
        ("Mr. Smith", "Mr. Smith"),
        ("v1.2.html.gz", "v1.2"),
        ("song.mp3", "song"),
    ],
)
def test_the_number_of_a_version_is_part_of_the_title(tmp_path: Path, name: str, title: str) -> None:
    assert Source(tmp_path, name).stem == title


def test_a_page_is_one_document_with_blocks(tmp_path: Path) -> None:
    markup = "<meta charset=utf-8><title>題</title><link rel=canonical href=http://X.example/d/><h1>見出し</h1>"
    [record] = records(read(write(tmp_path / "a.html", markup + "<p>" + GOOD + "<a href=../b>b</a>")))
    document = record.document
    assert (document.title, document.site, document.links) == ("題", "x.example", ("http://X.example/b",))
    assert len(document.blocks) == 2


ROWS = [
    {
        "id": 7,
        "role": "source",
        "title": "T",
        "url": "http://s.example/x",
        "published": "2020-01-02T03:04",
        "lang": "en",
    }
    | {"text": "one. two.", "links": ["/y"], "label": "spam", "kind": "QA"},
    {"html": "<p>" + GOOD},
]


def test_rows_become_documents_with_labels_and_roles(tmp_path: Path) -> None:
    first, second = records(read(write(tmp_path / "a.jsonl", "\n\n".join(map(json.dumps, ROWS)))))
    assert (first.id, first.role, first.labels) == ("7", Role.SOURCE, (("label", "spam"), ("kind", "QA")))
    document = first.document
    assert (document.site, document.published, document.language) == ("s.example", "2020-01-02", "en")
    assert (second.id, second.document.id, second.document.text) == (None, "a.jsonl:3", GOOD.strip())


def test_the_language_of_a_row_is_its_primary_subtag_as_of_a_page(tmp_path: Path) -> None:
    rows = [{"text": GOOD, "lang": lang} for lang in ("ja-JP", "zh_Hant_TW", " EN ", "yue")]
    languages = records(read(write(tmp_path / "a.jsonl", "\n".join(map(json.dumps, rows)))))
    assert [record.document.language for record in languages] == ["ja", "zh", "en", "yue"]


@pytest.mark.parametrize(
    ("row", "error"),
    [
        ("not json", "not valid JSON"),
        ("[1]", "not a JSON object"),
        ('{"id": 1}', "neither a text nor an html"),
        ('{"text": "  "}', "neither a text nor an html"),
        ('{"text": "a", "role": "judge"}', "no role 'judge'"),
        ('{"text": {"a": 1}}', "field text is not text"),
        ('{"text": "a", "id": true}', "field id is not text"),
        ('{"text": "a", "links": 3}', "field links"),
        ("[" * 100_000, ""),
        ('{"text": ' + "9" * 10_000 + "}", "A number in the line is too long."),
        ('{"html": "<script>x</script>"}', "no readable text"),
    ],
)
def test_a_bad_row_is_named_and_the_rest_continues(tmp_path: Path, row: str, error: str) -> None:
    items = read(write(tmp_path / "a.jsonl", f'{{"text": "before"}}\n{row}\n{{"text": "after"}}\n'))
    [(path, message)] = errors(items)
    assert path == "a.jsonl:2"
    assert error in message
    assert [r.document.text for r in records(items)] == ["before", "after"]


def test_lone_surrogates_in_a_row_are_repaired_and_named(tmp_path: Path) -> None:
    [record] = records(read(write(tmp_path / "a.jsonl", '{"text": "\\ud800 abc"}')))
    assert record.document.text == "\ufffd abc"
    assert record.document.extraction.repairs == ("text: replaced 1 lone surrogate by U+FFFD",)


def test_lone_surrogates_in_links_of_a_row_are_repaired(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"text": "x", "links": "http://a/\\ud800 http://b/"}\n', encoding="utf-8")
    [item] = formats.read(Source(path, path.name))
    assert isinstance(item, formats.Record)
    assert item.document.links == ("http://a/\ufffd", "http://b/")


def test_undecodable_bytes_in_a_row_are_repaired_and_named(tmp_path: Path) -> None:
    data = '{"text": "日本語の文'.encode() + b"\xff" + '章です"}\n'.encode()
    [record] = records(read(write(tmp_path / "a.jsonl", data)))
    assert record.document.text == "日本語の文\ufffd章です"
    assert record.document.extraction.repairs == ("text: replaced 1 undecodable sequence by U+FFFD",)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp932", "euc_jp"])
@pytest.mark.parametrize("name", ["a.jsonl", "a.csv"])
def test_row_files_are_read_in_any_encoding(tmp_path: Path, encoding: str, name: str) -> None:
    text = GOOD.strip()
    content = f'{{"text": "{text}"}}\n' * 3 if name == "a.jsonl" else "id,text\n" + f",{text}\n" * 3
    rows = records(read(write(tmp_path / name, content.encode(encoding))))
    assert [r.document.text for r in rows] == [text] * 3


@pytest.mark.parametrize("name", ["a.jsonl", "a.csv"])
def test_a_line_over_the_limit_is_refused_and_the_rest_continues(tmp_path: Path, name: str) -> None:
    long = "x" * 5000
    rows = ["text,id"] * (name == "a.csv") + (
        ["before,1", f"{long},2", "after,3"]
        if name == "a.csv"
        else [json.dumps({"text": t}) for t in ("before", long, "after")]
    )
    items = read(write(tmp_path / name, "\n".join(rows)), line_characters=1000)
    [(path, error)] = errors(items)
    assert "limit of 1,000 characters" in error
    assert path == f"{name}:{3 if name == 'a.csv' else 2}"
    assert [r.document.text for r in records(items)] == ["before", "after"]


@pytest.mark.parametrize("delimiter", [",", "\t", ";"])
def test_csv_columns_are_named_like_fields(tmp_path: Path, delimiter: str) -> None:
    rows = [["ID", "Text", "label", "other"], ["1", '"a\nb ""c"""', "spam", "x"], ["2", "d", "", ""]]
    items = read(write(tmp_path / "a.csv", "\r\n".join(delimiter.join(r) for r in rows)))
    assert [(r.id, r.document.text, r.labels) for r in records(items)] == [
        ("1", 'a\nb "c"', (("label", "spam"),)),
        ("2", "d", ()),
    ]


@pytest.mark.parametrize("first", ["sep=;", '"sep=;"', "SEP=;"])
def test_a_line_that_names_the_separator_of_a_csv_file_is_not_a_row(tmp_path: Path, first: str) -> None:
    rows = 'id;text\r\nx;"A sentence; of it"\r\n'
    (item,) = read(write(tmp_path / "a.csv", f"{first}\r\n{rows}"))
    assert isinstance(item, Record)
    assert (item.document.id, item.document.text) == ("x", "A sentence; of it")


def test_rows_that_end_with_carriage_returns_alone_are_read(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(b'id,text\r1,one text\r2,"another\rtext"\r')
    assert [r.document.text for r in records(read(path))] == ["one text", "another\ntext"]


def test_nuls_in_a_csv_field_are_removed_with_a_word(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("id,text\n1,a\0b\n", encoding="utf-8")
    [item] = formats.read(Source(path, path.name))
    assert isinstance(item, formats.Record)
    assert item.document.text == "ab"
    assert item.document.extraction.repairs == ("text: removed 1 NUL character",)


def test_csv_without_a_text_column_is_refused(tmp_path: Path) -> None:
    [(path, error)] = errors(read(write(tmp_path / "a.csv", "a,b\n1,2\n")))
    assert (path, "no text column" in error) == ("a.csv", True)


def test_a_csv_file_with_two_texts_a_row_is_refused_rather_than_read_by_half(tmp_path: Path) -> None:
    [(path, error)] = errors(read(write(tmp_path / "a.csv", "id,Text,note,text,note\n1,a,b,c,d\n")))
    assert (path, error) == ("a.csv", "Two columns are named text. Give one of them another name.")
    assert not errors(read(write(tmp_path / "b.csv", "id,text,note,note\n1,a,b,c\n")))


def test_a_csv_quotation_that_never_ends_is_named_instead_of_read_with_the_rows_below(tmp_path: Path) -> None:
    items = read(write(tmp_path / "a.csv", 'id,text\n1,"a\nb"\n2,"c\n3,d\n4,e\n'))
    assert [item.document.text for item in items if isinstance(item, Record)] == ["a\nb"]
    [(path, error)] = errors(items)
    assert (path, "quotation mark in this row is not closed" in error) == ("a.csv:4", True)
    assert not errors(read(write(tmp_path / "b.csv", 'id,text\n1,"a\nb"')))


def test_quotation_marks_in_a_table_with_tabs_are_text_unless_they_enclose_a_field(tmp_path: Path) -> None:
    rows = (
        '"Hello," he said. "Come."',
        '"Never closed',
        "plain",
        'an end"',
        '"He said ""x"""',
        '"a\tb"',
        '"two\nlines"',
    )
    table = "id\ttext\r\n" + "".join(f"{n}\t{text}\r\n" for n, text in enumerate(rows))
    items = read(write(tmp_path / "a.tsv", table))
    texts = [item.document.text for item in items if isinstance(item, Record)]
    assert texts == [*rows[:4], 'He said "x"', "a\tb", "two\nlines"]
    numbered = list(enumerate(table.splitlines(keepends=True), 1))
    cut = list(csv.rows(numbered[1:], numbered[0][1], ReadOptions()))
    assert [len(row) for row in cut] == [1, 1, 1, 1, 1, 1, 2]
    assert [line for row in cut for line in row] == numbered[1:]


def test_a_month_in_a_table_is_a_date_and_other_words_stay(tmp_path: Path) -> None:
    items = read(write(tmp_path / "a.csv", "id,text,published\n1,a,2009/3\n2,b,5 March 2009\n3,c,spring\n"))
    assert [item.document.published for item in items if isinstance(item, Record)] == [
        "2009-03",
        "2009-03-05",
        "spring",
    ]


def test_a_csv_row_with_too_many_columns_is_named(tmp_path: Path) -> None:
    items = read(write(tmp_path / "a.csv", "id,text\n1,a,b\n2,c\n"))
    assert errors(items) == [("a.csv:2", "The row has 3 columns, the header 2.")]
    assert len(records(items)) == 1


@pytest.mark.parametrize(
    ("name", "content", "error"),
    [
        ("empty.txt", b"", "empty"),
        ("blank.txt", b" \n ", "empty"),
        ("empty.html", b"", "empty"),
        ("empty.jsonl", b"", "empty"),
        ("nul.txt", b"\0" * 5000, "binary"),
        ("a.html", b"\x89PNG\r\n\x1a\n" * 9, "PNG"),
        ("a.jsonl", b"\x80\x01\x02\x03" * 99, "binary"),
        ("tagless.html", b"<script>x</script>", "no readable text"),
        ("a.ppt", b"\xd0\xcf\x11\xe0", "save it as .pptx"),
        ("a.odp", b"PK\x03\x04mimetype", "save it as .pptx"),
        ("a.rar", b"Rar!", "RAR files are not supported yet"),
        ("nameless", b"%PDF-1.7", "PDF"),
    ],
)
def test_what_cannot_be_read_is_refused_in_a_sentence(tmp_path: Path, name: str, content: bytes, error: str) -> None:
    [(path, message)] = errors(read(write(tmp_path / name, content)))
    assert path == name
    assert error in message
    assert message.endswith(".")


def test_a_file_over_the_limit_is_refused_with_the_limit(tmp_path: Path) -> None:
    [(_, error)] = errors(read(write(tmp_path / "a.txt", "a" * 3_000_000), file_bytes=2_000_000))
    assert error == "This is larger than the limit of 2 MB."


def test_a_missing_file_is_a_failure(tmp_path: Path) -> None:
    assert errors(read(tmp_path / "gone.txt")) == [("gone.txt", "There is no such file.")]


def test_errors_of_the_system_are_reported_in_sentences() -> None:
    assert "Permission" in sentence(PermissionError(13, "no"))
    assert sentence(MemoryError()).endswith(".")


def test_a_file_without_a_telling_suffix_is_read_by_its_content(tmp_path: Path) -> None:
    formats_found = [
        records(read(write(tmp_path / f"file{i}", content)))[0].document.extraction.format
        for i, content in enumerate(["plain text.", "<!-- x --><html><p>page", '{"text": "row"}\n', "id,text\n1,row\n"])
    ]
    assert formats_found == ["txt", "html", "jsonl", "csv"]


@pytest.mark.parametrize("text", ["Well, text and html, he said.", '{"quoted," he said.', "See {x}", "id;title\n1;2"])
def test_a_text_that_looks_like_rows_at_first_is_a_text(tmp_path: Path, text: str) -> None:
    (tmp_path / "note").write_text(text, encoding="utf-8")
    [item] = read(tmp_path / "note")
    assert isinstance(item, Record)
    assert item.document.text == text


def test_an_unknown_format_lists_what_there_is(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="auto, txt, html, jsonl, csv"):
        formats.read(Source(tmp_path, "a"), format="word")


def test_an_array_of_objects_is_refused_and_not_one_document(tmp_path: Path) -> None:
    rows = [{"id": "a", "text": "One text."}, {"id": "b", "text": "Another."}]
    for indent in (None, 1):
        path = write(tmp_path / "rows.json", json.dumps(rows, indent=indent))
        [(name, reason)] = errors(read(path))
        assert name == "rows.json"
        assert "on a line of its own" in reason
    assert len(records(read(path, as_format="txt"))) == 1
    assert len(records(read(write(path, "\n".join(map(json.dumps, rows)))))) == 2
    # A file of settings remains a text.
    assert len(records(read(write(path, json.dumps({"name": "x"}, indent=1))))) == 1


def test_a_format_that_is_asked_for_wins_over_the_suffix(tmp_path: Path) -> None:
    [record] = records(read(write(tmp_path / "a.html", "<p>x"), as_format="txt"))
    assert record.document.text == "<p>x"


def test_options_override_encoding_and_language(tmp_path: Path) -> None:
    path = write(tmp_path / "a.txt", "é".encode())
    [record] = records(list(formats.read(Source(path, "a"), options=ReadOptions(encoding="latin-1", language="fr"))))
    assert (record.document.text, record.document.language) == ("Ã©", "fr")


def test_sources_and_failures_cross_processes(tmp_path: Path) -> None:
    for thing in (Source(tmp_path, "a.zip!b", ("b",)), Failure("a", "b")):
        assert pickle.loads(pickle.dumps(thing)) == thing


@given(st.binary(max_size=300), st.sampled_from([".txt", ".html", ".jsonl", ".csv", ""]))
def test_any_bytes_give_records_or_failures(tmp_path_factory: pytest.TempPathFactory, data: bytes, suffix: str) -> None:
    path = write(tmp_path_factory.getbasetemp() / f"fuzz{suffix}", data)
    for item in read(path):
        assert isinstance(item, Record | Failure)
        if isinstance(item, Record):
            item.document.text.encode()
