from __future__ import annotations

import bz2
import gzip
import io
import lzma
import tarfile
import zipfile
from pathlib import Path

import pytest

from workbench.reading import formats
from workbench.reading.formats import Failure, ReadOptions, Record, Source

GOOD = "これは正しい文書です。二つ目の文もあります。\n"


def read(path: Path, **limits: int) -> tuple[list[str], dict[str, str]]:
    """Ids of what was read, and errors by path."""
    items = list(formats.read(Source(path, path.name), options=ReadOptions(**limits)))
    ids = [i.document.id for i in items if isinstance(i, Record)]
    return ids, {i.path: i.error for i in items if isinstance(i, Failure)}


def member(name: str, content: bytes = GOOD.encode(), **facts: object) -> tuple[tarfile.TarInfo, bytes]:
    info = tarfile.TarInfo(name)
    info.size = len(content)
    for key, value in facts.items():
        setattr(info, key, value)
    return info, content


def tarred(path: Path, *members: tuple[tarfile.TarInfo, bytes], mode: str = "w") -> Path:
    with tarfile.open(path, mode) as archive:  # type: ignore[call-overload]
        for info, content in members:
            archive.addfile(info, io.BytesIO(content))
    return path


@pytest.mark.parametrize(
    ("name", "mode"), [("a.tar", "w"), ("a.tgz", "w:gz"), ("a.tar.bz2", "w:bz2"), ("a.txz", "w:xz")]
)
def test_members_are_read_in_their_order_and_hidden_ones_left_out(tmp_path: Path, name: str, mode: str) -> None:
    members = [member(n) for n in ("b.txt", "./a/c.html", ".hidden.txt", "__MACOSX/d.txt")]
    assert read(tarred(tmp_path / name, *members, mode=mode)) == ([f"{name}!b.txt", f"{name}!a/c.html"], {})


def test_what_could_escape_or_is_not_a_file_is_refused_by_name(tmp_path: Path) -> None:
    path = tarred(
        tmp_path / "a.tar",
        member("../out.txt"),
        member("/etc/absolute.txt"),
        member("link.txt", b"", type=tarfile.SYMTYPE, linkname="/etc/passwd"),
        member("hard.txt", b"", type=tarfile.LNKTYPE, linkname="b.txt"),
        member("device", b"", type=tarfile.CHRTYPE),
        member("b.txt"),
    )
    ids, errors = read(path)
    assert ids == ["a.tar!b.txt"]
    assert [p.removeprefix("a.tar!") for p in errors] == [
        "../out.txt",
        "/etc/absolute.txt",
        "link.txt",
        "hard.txt",
        "device",
    ]
    assert not (tmp_path.parent / "out.txt").exists()


def test_sizes_and_numbers_are_limited(tmp_path: Path) -> None:
    path = tarred(tmp_path / "a.tar", member("big.txt", b"a" * 2000), *(member(f"{i}.txt") for i in range(4)))
    ids, errors = read(path, member_bytes=1000, members=3)
    assert ids == ["a.tar!0.txt", "a.tar!1.txt"]
    assert list(errors) == ["a.tar!big.txt", "a.tar!2.txt"]


def test_a_bomb_is_refused_by_its_ratio(tmp_path: Path) -> None:
    path = tarred(tmp_path / "a.tar.gz", member("bomb.txt", b"a" * 5_000_000), mode="w:gz")
    ids, errors = read(path, ratio_from=1_000_000)
    assert not ids
    assert "more than 200 times its size" in errors["a.tar.gz"]


def test_archives_nest_one_level(tmp_path: Path) -> None:
    def zipped(**members: bytes) -> bytes:
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w") as archive:
            for name, content in members.items():
                archive.writestr(name.replace("_", "."), content)
        return buffer.getvalue()

    inner = tarred(tmp_path / "inner.tar", member("t.txt")).read_bytes()
    deep = zipped(z_txt=GOOD.encode(), again_zip=zipped(x_txt=b"x"))
    ids, errors = read(tarred(tmp_path / "a.tar", member("i.tar", inner), member("i.zip", deep)))
    assert ids == ["a.tar!i.tar!t.txt", "a.tar!i.zip!z.txt"]
    assert list(errors) == ["a.tar!i.zip!again.zip"]

    outer = tmp_path / "o.zip"
    outer.write_bytes(zipped(i_tar=inner))
    items = [i for s in formats.expand([outer]) if isinstance(s, Source) for i in formats.read(s)]
    assert [i.document.id.split("!")[1:] for i in items if isinstance(i, Record)] == [["i.tar", "t.txt"]]


def test_a_truncated_archive_gives_what_was_before(tmp_path: Path) -> None:
    path = tarred(tmp_path / "a.tar.gz", member("a.txt"), member("b.txt", GOOD.encode() * 9000), mode="w:gz")
    path.write_bytes(path.read_bytes()[:-40])
    ids, errors = read(path)
    assert ids == ["a.tar.gz!a.txt"]
    assert len(errors) == 1


def test_a_header_of_absurd_length_is_refused(tmp_path: Path) -> None:
    path = tarred(tmp_path / "a.tar", member("a.txt"), member("pax", b"x" * 3_000_000, type=tarfile.XHDTYPE))
    ids, errors = read(path)
    assert ids == ["a.tar!a.txt"]
    assert list(errors) == ["a.tar"]


@pytest.mark.parametrize("header", [b"1" * 900_000, b"900015 comment=" + b"1" * 900_000, b"3 a" * 300_000 + b"="])
def test_a_header_that_would_take_quadratic_time_is_refused(tmp_path: Path, header: bytes) -> None:
    path = tarred(tmp_path / "a.tar", member("a.txt"), member("pax", header, type=tarfile.XHDTYPE), member("b.txt"))
    ids, errors = read(path)
    assert ids == ["a.tar!a.txt"]
    assert list(errors) == ["a.tar"]


def test_names_in_extended_headers_are_read(tmp_path: Path) -> None:
    path = tmp_path / "a.tar"
    names = [f"{'長い名前' * 50}{i}.txt" for i in range(3)]
    with tarfile.open(path, "w", format=tarfile.PAX_FORMAT, pax_headers={"comment": "x" * 2000}) as archive:
        for name in names:
            info, content = member(name)
            archive.addfile(info, io.BytesIO(content))
    assert read(path) == ([f"a.tar!{name}" for name in names], {})


@pytest.mark.parametrize(("suffix", "pack"), [(".gz", gzip.compress), (".bz2", bz2.compress), (".xz", lzma.compress)])
def test_a_compressed_file_is_read_as_what_it_holds(tmp_path: Path, suffix: str, pack: object) -> None:
    assert callable(pack)
    for name, content in (("a.html", f"<p>{GOOD}"), ("b.jsonl", '{"id": "x", "text": "fine"}\n'), ("c", GOOD)):
        (tmp_path / (name + suffix)).write_bytes(pack(content.encode()))
    ids = [read(tmp_path / (name + suffix)) for name in ("a.html", "b.jsonl", "c")]
    assert ids == [([f"a.html{suffix}"], {}), (["x"], {}), ([f"c{suffix}"], {})]
    assert Source(tmp_path, f"in/a.html{suffix}").stem == "a"


@pytest.mark.slow
def test_a_truncated_compressed_file_is_named_and_rows_before_are_in(tmp_path: Path) -> None:
    rows = "".join(f'{{"id": "{i}", "text": "text {i * 7919}"}}\n' for i in range(6_000))
    (tmp_path / "a.jsonl.gz").write_bytes(gzip.compress(rows.encode())[:-1000])
    (tmp_path / "b.txt.gz").write_bytes(gzip.compress(GOOD.encode())[:-9])
    ids, errors = read(tmp_path / "a.jsonl.gz")
    assert 4_000 < len(ids) < 6_000
    assert errors == {"a.jsonl.gz": "The gzip data is damaged or ends too early."}
    assert read(tmp_path / "b.txt.gz") == ([], {"b.txt.gz": "The gzip data is damaged or ends too early."})


def test_a_compressed_bomb_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.txt.gz").write_bytes(gzip.compress(b"a" * 30_000_000))
    ids, errors = read(tmp_path / "a.txt.gz")
    assert not ids
    assert "200 times" in errors["a.txt.gz"]


def test_a_file_that_only_claims_to_be_compressed_is_read_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "a.txt.gz").write_text(GOOD, encoding="utf-8")
    assert read(tmp_path / "a.txt.gz") == (["a.txt.gz"], {})
