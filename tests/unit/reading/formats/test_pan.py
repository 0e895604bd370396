from __future__ import annotations

from pathlib import Path

import pytest

from workbench.base.types import Role, Span
from workbench.reading import formats
from workbench.reading.formats import Failure, Item, Notice, ReadOptions, Record, Reference, Source
from workbench.reading.formats.pan import same_length


def read(path: Path, content: str | bytes, as_format: str = "pan") -> list[Item]:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    name = f"{path.parent.name}/{path.name}"
    return list(formats.read(Source(path, name), format=as_format, options=ReadOptions()))


def test_the_folder_says_the_role_and_the_name_the_id(tmp_path: Path) -> None:
    for folder, role in (("susp", Role.SUSPECT), ("src", Role.SOURCE)):
        (record,) = read(tmp_path / folder / "document-1.txt", "A text of one sentence.\n")
        assert isinstance(record, Record)
        assert (record.id, record.role, record.document.text) == ("document-1", role, "A text of one sentence.\n")
    (refused,) = read(tmp_path / "elsewhere" / "a.txt", "A text.")
    assert refused == Failure("elsewhere/a.txt", "The file is neither in susp nor in src.")


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"\xef\xbb\xbfone\r\ntwo\rthree\0", "\ufeffone \ntwo\nthree\ufffd"),
        ("日本語の文\r\n".encode(), "日本語の文 \n"),
        ("Größe und Maß, schon wieder Käse für Bücher".encode("cp1252"), "Größe und Maß, schon wieder Käse für Bücher"),
    ],
)
def test_reading_keeps_the_number_of_characters(data: bytes, text: str) -> None:
    assert same_length(data)[0] == text


@pytest.mark.parametrize(
    ("data", "encoding", "notes"),
    [
        (b"gr\xfc\xdfe", "ascii", ()),
        (b"a \xff b", "utf-8", ("replaced undecodable sequences by U+FFFD",)),
        ("日本".encode("iso2022_jp"), "iso2022_jp", ()),
    ],
)
def test_what_could_not_be_decoded_is_reported(data: bytes, encoding: str, notes: tuple[str, ...]) -> None:
    assert same_length(data, encoding)[1].repairs == notes


def test_only_features_of_copies_are_passages(tmp_path: Path) -> None:
    xml = """<document reference="s1.txt">
<feature name="about" this_offset="0" this_length="9"/>
<feature name="plagiarism" this_offset="10" this_length="5" source_reference="o1.txt"
    source_offset="0" source_length="6"/>
<feature name="detected-plagiarism" this_offset="10" this_length="9" source_reference="o1.txt"
    source_offset="0" source_length="9"/>
</document>"""
    assert read(tmp_path / "02-copies" / "s1-o1.xml", xml) == [
        Reference("02-copies/s1-o1.xml:4", "s1", "o1", Span(10, 15), Span(0, 6)),
        Reference("02-copies/s1-o1.xml", "s1", "o1", passages=1),
    ]
    none = read(tmp_path / "01-none" / "s1-o2.xml", '<document reference="s1.txt"/>')
    assert none == [Reference("01-none/s1-o2.xml", "s1", "o2", passages=0)]


def test_what_is_wrong_in_the_xml_is_told_by_line_and_the_rest_read(tmp_path: Path) -> None:
    spans = 'this_offset="{}" this_length="5" source_offset="0" source_length="{}"'
    features = [
        f'<feature name="plagiarism" {spans.format(-1, 6)} source_reference="o.txt"/>',
        f'<feature name="plagiarism" {spans.format(1, 6)}/>',
        f'<feature name="plagiarism" {spans.format(1, 0)} source_reference="o.txt"/>',
        f'<feature name="plagiarism" {spans.format(1, 6)} source_reference="o.txt"/>',
    ]
    xml = "\n".join(['<document reference="s.txt">', *features, "</document>"])
    items = read(tmp_path / "x" / "s-o.xml", xml)
    assert [i.path for i in items if isinstance(i, Failure)] == ["x/s-o.xml:2", "x/s-o.xml:3", "x/s-o.xml:4"]
    assert sum(isinstance(i, Reference) and i.a_span is not None for i in items) == 1


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"<document",
        b"\xff\xfe\x00",
        b"<a>" * 100_000,
        b'<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa">' + b"".join(
            f'<!ENTITY {chr(98 + i)} "{f"&{chr(97 + i)};" * 10}">'.encode() for i in range(9)
        ) + b"]><document>&j;</document>",
    ],
)  # fmt: skip
def test_hostile_xml_is_no_more_than_a_failure(tmp_path: Path, data: bytes) -> None:
    assert not [i for i in read(tmp_path / "x" / "s-o.xml", data) if isinstance(i, Reference)]


def test_pairs_name_documents_and_other_files_are_left_out(tmp_path: Path) -> None:
    assert read(tmp_path / "pan" / "pairs", "s1.txt o1.txt\n\nonly-one.txt\n") == [
        Reference("pan/pairs:1", "s1", "o1"),
        Failure("pan/pairs:3", "The line does not name a suspect and a source."),
    ]
    assert isinstance(read(tmp_path / "pan" / "readme.md", "About.")[0], Notice)
