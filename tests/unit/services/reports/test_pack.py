from __future__ import annotations

import hashlib
import json
import random
import stat
import struct
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st
from stored import FIRST, PASSAGES, A, B

from workbench.base.errors import UserError
from workbench.base.types import Document, Extraction, Label, Role, Span, text_hash
from workbench.project import labels
from workbench.project.captures import Capture, Outcome, add_captures
from workbench.project.details import pack_details
from workbench.project.documents import add_documents
from workbench.project.listing import keys_of
from workbench.project.originals import add_originals
from workbench.project.pages import store_markup
from workbench.project.runs import load_run
from workbench.services.labels.targets import adjudicator, passage_target
from workbench.services.reports.anonymous import MASK, disguise, disguise_of
from workbench.services.reports.archive import DECISIONS, DIGEST, MANIFEST, PackWriter, seal
from workbench.services.reports.data import ReportDocument
from workbench.services.reports.decisions import Decision, broken_entry, chained_lines
from workbench.services.reports.exporting import Written, export
from workbench.services.reports.gathering import Selection
from workbench.services.reports.verifying import Verified, verify_pack
from workbench.services.review.exclusions import Exclusion, ExclusionKind
from workbench.services.review.pairs import PairRow
from workbench.services.review.verdicts import Unit, give_verdict, set_verdict
from workbench.services.session import Session

LONG, TAIL = PASSAGES[FIRST]


@pytest.fixture
def pack(session: Session, tmp_path: Path) -> Path:
    """The pack of suspect ``a``: a page that was captured, with two verdicts of two reviewers."""
    set_verdict(session, LONG, "partial", "seen by Aoyama first", "Aoyama")
    set_verdict(session, TAIL, "not-copy", "a phrase", "Brandt")
    with session.write() as connection:
        store_markup(connection, [(2, f"<p>{B}</p>")])
        capture = Capture(
            "https://copy.example/b", "https://copy.example/b", "2024-05-01T10:00:00Z", Outcome.NEW, 200, document=2,
            body_hash=hashlib.sha256(b"body").digest(), headers=(("etag", "x"),),
        )  # fmt: skip
        add_captures(connection, "fetch 1", [capture])
    _write(session, tmp_path / "pack.zip")
    return tmp_path / "pack.zip"


def _write(session: Session, path: Path, anonymous: bool = False) -> Written:
    return export(session, Selection(suspect="a", anonymous=anonymous), path)


def _contents(path: Path) -> dict[str, bytes]:
    with ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def _rewritten(pack: Path, change: Callable[[dict[str, bytes]], None]) -> Verified:
    """What a check says of the pack after ``change`` to its files by name."""
    contents = _contents(pack)
    change(contents)
    with ZipFile(pack, "w", ZIP_DEFLATED) as archive:
        for name, content in contents.items():
            archive.writestr(name, content)
    return verify_pack(pack)


def test_a_pack_as_it_was_written_is_whole(pack: Path) -> None:
    check = verify_pack(pack)
    assert check.whole
    assert check.fingerprint == hashlib.sha256(_contents(pack)[MANIFEST]).hexdigest()


def test_a_pack_holds_what_the_case_rests_on(pack: Path) -> None:
    contents = _contents(pack)
    manifest = json.loads(contents[MANIFEST])
    texts = {d["id"]: contents[d["text"]].decode() for d in manifest["documents"]}
    assert texts == {"a": A, "b": B}
    source = next(d for d in manifest["documents"] if d["id"] == "b")
    assert contents[source["original"]].decode() == f"<p>{B}</p>"
    [capture] = json.loads(contents[source["captures"]])
    assert (capture["captured"], capture["body_hash"]) == ("2024-05-01T10:00:00Z", hashlib.sha256(b"body").hexdigest())
    assert json.loads(contents["settings.json"])["run"]["parameters"]["min_surprisal"] is not None
    assert "写本" in contents["report.html"].decode()
    assert "equal character for character" in contents["report.csv"].decode("utf-8-sig")
    log = [json.loads(line) for line in contents[DECISIONS].decode().splitlines()]
    assert [(x["who"], x["value"]) for x in log] == [("Aoyama", "partial"), ("Brandt", "not-copy")]
    assert {f["name"] for f in manifest["files"]} == contents.keys() - {MANIFEST, DIGEST}


def test_no_file_of_a_pack_is_called_what_a_project_calls_its_format(session: Session, tmp_path: Path) -> None:
    document = Document("b", B, Role.SOURCE, extraction=Extraction("/../../../.bashrc"))
    with session.write() as connection:
        add_originals(connection, {2: b"from elsewhere"})
        packed = pack_details(document)
        change = "UPDATE document_detail SET size = ?, packed = ? WHERE key = 2"
        connection.exec_driver_sql(change, (packed.size, packed.data))
    _write(session, tmp_path / "pack.zip")
    assert _contents(tmp_path / "pack.zip")["originals/0002.bin"] == b"from elsewhere"
    assert verify_pack(tmp_path / "pack.zip").whole


def test_decisions_of_other_cases_stay_at_home(session: Session, tmp_path: Path) -> None:
    with session.write() as connection:
        add_documents(connection, [Document("c", "elsewhere", Role.SUSPECT)])
        labels.add_label(connection, Label(passage_target("c", Span(0, 4), "b", Span(0, 4)), "copy", "Chen", ""))
    set_verdict(session, LONG, "copy", "", "Aoyama")
    _write(session, tmp_path / "pack.zip")
    log = _contents(tmp_path / "pack.zip")[DECISIONS].decode()
    assert "Aoyama" in log
    assert "Chen" not in log


@pytest.mark.slow
def test_any_changed_byte_is_noticed(pack: Path) -> None:
    whole = pack.read_bytes()
    rng = random.Random(1)
    ends = [*range(12), *range(len(whole) - 200, len(whole))]
    for place in {*ends, *rng.sample(range(len(whole)), 300)}:
        pack.write_bytes(whole[:place] + bytes([whole[place] ^ 1 << rng.randrange(8)]) + whole[place + 1 :])
        try:
            assert not verify_pack(pack).whole, place
        except UserError:
            continue


@pytest.mark.parametrize("more", [b"x", bytes(30)])
def test_bytes_before_or_after_the_archive_are_noticed(pack: Path, more: bytes) -> None:
    whole = pack.read_bytes()
    for changed in (more + whole, whole + more, whole[:-1]):
        pack.write_bytes(changed)
        try:
            assert not verify_pack(pack).whole
        except UserError:
            continue


def test_a_changed_file_is_named(pack: Path) -> None:
    for name in _contents(pack).keys() - {MANIFEST, DIGEST}:
        original = pack.read_bytes()

        def change(contents: dict[str, bytes], name: str = name) -> None:
            content = contents[name]
            contents[name] = content[:-3] + bytes([content[-3] ^ 1]) + content[-2:]

        check = _rewritten(pack, change)
        assert check.changed == (name,)
        pack.write_bytes(original)


@pytest.mark.parametrize("name", [MANIFEST, DIGEST])
def test_a_changed_manifest_is_named(pack: Path, name: str) -> None:
    def change(contents: dict[str, bytes]) -> None:
        contents[name] = contents[name].replace(b"a", b"b", 1)

    assert MANIFEST in _rewritten(pack, change).changed


def test_a_missing_and_an_added_file_are_named(pack: Path) -> None:
    def change(contents: dict[str, bytes]) -> None:
        contents["extra.txt"] = b"more"
        del contents["report.csv"]

    check = _rewritten(pack, change)
    assert (check.missing, check.added) == (("report.csv",), ("extra.txt",))


def test_files_packed_again_by_another_program_are_told_from_changed_ones(pack: Path) -> None:
    check = _rewritten(pack, lambda contents: None)
    [problem] = check.problems()
    assert "rewritten" in problem


def test_folders_that_a_program_adds_to_a_pack_do_not_hide_what_else_was_changed(pack: Path) -> None:
    def add_folder(contents: dict[str, bytes]) -> None:
        contents["texts/"] = b""

    def add_more(contents: dict[str, bytes]) -> None:
        add_folder(contents)
        contents["extra.txt"] = b"more"

    original = pack.read_bytes()
    [problem] = _rewritten(pack, add_folder).problems()
    assert "rewritten" in problem
    pack.write_bytes(original)
    assert _rewritten(pack, add_more).added == ("extra.txt",)


def test_a_pack_sealed_anew_is_told_by_its_fingerprint_alone(session: Session, pack: Path, tmp_path: Path) -> None:
    """What cannot be known without the fingerprint is not claimed."""
    fingerprint = verify_pack(pack).fingerprint
    set_verdict(session, TAIL, "copy", "", "Brandt")
    forged = tmp_path / "forged.zip"
    _write(session, forged)
    assert verify_pack(forged).whole
    assert not verify_pack(forged, fingerprint).whole
    assert verify_pack(pack, fingerprint.upper()).whole


def test_a_rewritten_log_is_noticed_though_all_sums_fit(tmp_path: Path) -> None:
    event = Label("document:a", "splog", "Aoyama", "2024-01-01T00:00:00Z")
    lines = list(chained_lines([Decision(n, event, b"") for n in (1, 2, 3)], with_links=True))
    lines[1] = lines[1].replace("Aoyama", "Brandt")
    pack = PackWriter(tmp_path / "p.zip")
    pack.write(DECISIONS, "log", "".join(f"{line}\n" for line in lines))
    pack.seal({"documents": []})
    assert verify_pack(tmp_path / "p.zip").broken_decision == 2


@given(st.lists(st.tuples(st.text(max_size=5), st.text(max_size=5)), max_size=6), st.data())
def test_a_chain_holds_and_breaks_where_it_was_touched(rows: list[tuple[str, str]], data: st.DataObject) -> None:
    events = [Decision(n, Label("document:a", value, who, "2024"), b"") for n, (value, who) in enumerate(rows)]
    lines = list(chained_lines(events, with_links=False))
    assert broken_entry(lines) is None
    if len(lines) > 1:
        gone = data.draw(st.integers(0, len(lines) - 2))
        assert broken_entry(lines[:gone] + lines[gone + 1 :]) == gone + 1


def _zip(path: Path, members: list[tuple[ZipInfo | str, bytes]]) -> Path:
    with ZipFile(path, "w", ZIP_DEFLATED) as archive:
        archive.writestr(MANIFEST, b"{}")
        for info, content in members:
            archive.writestr(info, content)
    return path


def _link(name: str) -> ZipInfo:
    info = ZipInfo(name)
    info.external_attr = (stat.S_IFLNK | 0o777) << 16
    info.create_system = 3
    return info


@pytest.mark.parametrize(
    "name", ["../out.txt", "/etc/passwd", "a/../../b", "..\\out.txt", "C:\\x", "c:x", "texts/", "a\nb", "a\u202eb"]
)
def test_names_that_lead_elsewhere_are_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(UserError, match="not an evidence pack that is safe to read"):
        verify_pack(_zip(tmp_path / "x.zip", [(name, b"x")]))


def test_links_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="link"):
        verify_pack(_zip(tmp_path / "x.zip", [(_link("texts/a.txt"), b"/etc/passwd")]))


@pytest.mark.filterwarnings("ignore:Duplicate name")
@pytest.mark.parametrize("second", ["a.txt", "A.TXT"])
def test_names_that_occur_twice_are_refused(tmp_path: Path, second: str) -> None:
    with pytest.raises(UserError, match="twice"):
        verify_pack(_zip(tmp_path / "x.zip", [("a.txt", b"x"), (second, b"y")]))


def test_a_bomb_is_refused_before_it_is_unpacked(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="unpack"):
        verify_pack(_zip(tmp_path / "x.zip", [("bomb", bytes(100_000_000))]))


def test_files_that_share_their_bytes_are_refused(tmp_path: Path) -> None:
    path = _zip(tmp_path / "x.zip", [("a", b"abc" * 50), ("b", b"abc" * 50)])
    raw = bytearray(path.read_bytes())
    entries = [at for at in range(len(raw) - 4) if raw[at : at + 4] == b"PK\x01\x02"]
    offset = struct.unpack_from("<I", raw, entries[1] + 42)[0]
    struct.pack_into("<I", raw, entries[2] + 42, offset)
    path.write_bytes(raw)
    with pytest.raises(UserError, match=r"overlap|not a ZIP"):
        verify_pack(path)


@pytest.mark.parametrize("content", [b"", b"no archive", seal("0" * 64), b"PK\x05\x06" + bytes(18)])
def test_what_is_not_a_pack_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "x.zip"
    path.write_bytes(content)
    with pytest.raises(UserError, match=r"not a ZIP|not an evidence pack"):
        verify_pack(path)


@pytest.mark.parametrize("manifest", [b"[" * 100_000, b"{}", b'{"format": 1}', b"\xff", b'{"files": [{}]}'])
def test_a_manifest_of_any_form_is_survived(pack: Path, manifest: bytes) -> None:
    def change(contents: dict[str, bytes]) -> None:
        contents[MANIFEST] = manifest

    assert MANIFEST in _rewritten(pack, change).changed


def test_of_a_pack_without_a_readable_manifest_no_other_file_is_called_changed(pack: Path) -> None:
    def change(contents: dict[str, bytes]) -> None:
        contents[MANIFEST] = b"["

    assert _rewritten(pack, change).changed == (MANIFEST,)


def test_an_anonymous_pack_names_nobody(session: Session, tmp_path: Path) -> None:
    titled = Document(
        "thesis-42", f"Mill Wheels\n{A}\nby Mill Wheels, see thesis-42", Role.SUSPECT, title="Mill Wheels",
        url="https://uni.example/42", origin="/srv/x/thesis_hanako.docx",
    )  # fmt: skip
    with session.write() as connection:
        add_documents(connection, [titled])
    match = replace(LONG, a=3, a_span=Span(*(x + 12 for x in LONG.a_span)))
    from stored import store_run

    store_run(session, [match])
    set_verdict(session, match, "copy", "Aoyama agrees with Brandt about thesis-42", "Aoyama")
    set_verdict(session, match, "partial", "", "Brandt")
    set_verdict(session, match, "not-copy", "", adjudicator("Clausen"))
    written = export(session, Selection(suspect="thesis-42", anonymous=True), tmp_path / "pack.zip")
    assert verify_pack(tmp_path / "pack.zip").whole
    for name, content in _contents(tmp_path / "pack.zip").items():
        text = content.decode("utf-8-sig").casefold()
        for secret in (
            "aoyama",
            "brandt",
            "clausen",
            "thesis-42",
            "mill wheels",
            "uni.example",
            "hanako",
            "case.palimpsest",
            "原本",
        ):
            assert secret not in text, (name, secret)
    contents = _contents(tmp_path / "pack.zip")
    manifest = json.loads(contents[MANIFEST])
    text = next(contents[d["text"]].decode() for d in manifest["documents"] if d["id"] == "suspect-1")
    assert len(text) == len(titled.text)
    assert text[12 : 12 + len(A)] == A
    assert written.names is not None
    mapping = json.loads(written.names.read_text(encoding="utf-8"))
    assert mapping["documents"] == {"suspect-1": "thesis-42", "source-1": "b"}
    assert set(mapping["reviewers"].values()) == {"Aoyama", "Brandt", "Clausen"}
    # Who settled it is still said to have done so.
    (settles,) = (name for name, own in mapping["reviewers"].items() if own == "Clausen")
    assert settles in contents["report.html"].decode("utf-8")
    assert mapping["fingerprint"] == written.fingerprint


def test_an_anonymous_report_keeps_no_hash_of_the_text_under_its_masks(session: Session, tmp_path: Path) -> None:
    label = give_verdict(session, Unit("a", "b", (LONG.a_span, LONG.b_span)), "copy", "", "Aoyama")
    assert label.digest
    for name in ("report.jsonl", "pack.zip"):
        export(session, Selection(suspect="a", anonymous=True), tmp_path / name)
    contents = {"report.jsonl": (tmp_path / "report.jsonl").read_bytes()} | _contents(tmp_path / "pack.zip")
    for name, content in contents.items():
        assert label.digest not in content.decode("utf-8-sig"), name
    assert verify_pack(tmp_path / "pack.zip").whole


def test_an_anonymous_report_says_that_its_hashes_are_of_the_texts_under_its_masks(
    session: Session, tmp_path: Path
) -> None:
    for anonymous, stored in ((False, True), (True, False)):
        export(session, Selection(suspect="a", anonymous=anonymous), tmp_path / "report.html")
        page = (tmp_path / "report.html").read_text("utf-8")
        assert ("as they are stored in the project" in page) is stored
        assert ("covered by █" in page) is not stored


def test_an_anonymous_report_tells_neither_tags_nor_folders_nor_the_hash_of_a_captured_page(
    session: Session, tmp_path: Path
) -> None:
    captured = hashlib.sha256(b"body").digest()
    with session.write() as connection:
        page = Capture("https://x.example/", "https://x.example/", "", Outcome.NEW, document=2, body_hash=captured)
        add_captures(connection, "fetch 1", [page])
    with session.read() as connection:
        run = replace(load_run(connection, 1), method="translated")
    parameters = {"suspect_tags": "by:Hanako", "source_tags": "", "model": "C:\\Users\\Hanako\\small.onnx"}
    hidden = disguise({}, {}, {}).run(replace(run, parameters=parameters))
    assert dict(hidden.parameters) == {"suspect_tags": MASK, "source_tags": "", "model": "small.onnx"}
    with session.write() as connection:
        connection.exec_driver_sql("UPDATE run SET parameters = json_set(parameters, '$.suspect_tags', 'by:Hanako')")
    for name in ("report.html", "report.jsonl"):
        export(session, Selection(suspect="a", anonymous=True), tmp_path / name)
        text = (tmp_path / name).read_text(encoding="utf-8")
        assert "Hanako" not in text
        assert captured.hex() not in text


def test_a_file_name_with_an_exclamation_mark_is_masked_as_a_whole(session: Session) -> None:
    name = "in/Smith!.docx"
    with session.write() as connection:
        add_documents(connection, [Document(name, "elsewhere", Role.SUSPECT, title="Essay", origin=f"/{name}")])
        key = keys_of(connection, [name])[name]
    hidden = disguise_of(session, [PairRow(key, key, name, name, "", "", 1.0, 0, 0, 0.0, 0.0, "", {})])
    assert hidden.words("A .docx file: Smith!.docx") == "A .docx file: suspect-1"


def test_a_name_is_masked_as_a_word_and_keeps_every_position() -> None:
    hidden = disguise({"Ann": "suspect-1"}, {"山田": "reviewer-1"}, {"Ann": ["Annals of Ann"]})
    text = "Ann and Anne; ANNALS OF ANN. 山田氏"
    masked = hidden.mask(text)
    assert masked == f"{MASK * 3} and Anne; {MASK * 13}. {MASK * 2}氏"
    assert hidden.words("山田: see Ann") == "reviewer-1: see suspect-1"


def test_a_name_is_masked_across_lines_and_in_any_encoding_of_its_accents() -> None:
    hidden = disguise({"Mu\u0308ller  on rivers": "suspect-1", "水滸伝": "source-1"}, {"Zoë 山田": "reviewer-1"}, {})
    text = "In Müller on\r\n  rivers, 水滸\n伝, by Zoe\u0308 山田."
    masked = hidden.mask(text)
    assert masked == f"In {MASK * 19}, {MASK * 4}, by {MASK * 7}."
    assert hidden.words(text) == "In suspect-1, source-1, by reviewer-1."


def test_numbers_and_single_letters_are_not_names_in_running_text() -> None:
    hidden = disguise({"7": "suspect-1", "a": "source-1"}, {}, {})
    assert hidden.mask("a 7 a") == "a 7 a"
    facts = ReportDocument(Document("7", "text"), text_hash("text").hex(), "")
    assert hidden.document(facts).document.id == "suspect-1"


def test_an_excluded_passage_of_a_source_outside_the_report_is_not_named() -> None:
    hidden = disguise({"Ann": "suspect-1", "Bob": "source-1"}, {}, {})
    first, second = Span(0, 5), Span(2, 7)
    outside = Exclusion(ExclusionKind.PASSAGE, passage_target("Ann", first, "Carol: 1-2", second), "Ann")
    assert hidden.exclusion(outside).what == passage_target("suspect-1", first, MASK, second)
    assert hidden.exclusion(replace(outside, suspect="")).what == MASK
    assert hidden.exclusion(replace(outside, what=f"match:Ann:0-{'9' * 5000}:Carol:2-7")).what == MASK
    inside = Exclusion(ExclusionKind.PASSAGE, passage_target("Ann", first, "Bob", second), "Ann")
    assert hidden.exclusion(inside).what == passage_target("suspect-1", first, "source-1", second)
