"""Archives that show other files, run as programs or say two things at once are no pack, whatever their sums say."""

from __future__ import annotations

import hashlib
import json
import struct
import zlib
from collections.abc import Callable
from pathlib import Path
from zipfile import ZipFile

import pytest

from workbench.base.errors import UserError
from workbench.cli.main import main
from workbench.services.reports.archive import DIGEST, MANIFEST, SEAL_BYTES, PackWriter, digest_line, seal
from workbench.services.reports.verifying import verify_pack

Files = list[tuple[str, bytes]]
FORGED = b"<h1>Forged</h1>"
END = 22


@pytest.fixture
def pack(tmp_path: Path) -> Path:
    """A pack as the program writes it."""
    path = tmp_path / "pack.zip"
    writer = PackWriter(path)
    for name in ("report.html", "texts/0001.txt", "texts/0002.txt"):
        writer.write(name, "a file", f"What {name} holds. 写本\n" * 20)
    writer.seal({"documents": []})
    writer.close()
    return path


def files_of(pack: Path) -> Files:
    with ZipFile(pack) as archive:
        return [(info.filename, archive.read(info)) for info in archive.infolist()]


def local(name: str, content: bytes, extra: bytes = b"", *, packed: bool = False) -> bytes:
    data = zlib.compress(content, 9, -15) if packed else content
    sizes = zlib.crc32(content), len(data), len(content), len(name.encode()), len(extra)
    return struct.pack("<4s5HIIIHH", b"PK\3\4", 20, 0x800, 8 * packed, 0, 33, *sizes) + name.encode() + extra + data


def central(
    name: str, content: bytes, at: int, extra: bytes = b"", *, mode: int = 0o100644, packed: bool = False
) -> bytes:
    size = len(zlib.compress(content, 9, -15)) if packed else len(content)
    sizes = zlib.crc32(content), size, len(content), len(name.encode()), len(extra)
    head = struct.pack("<4s6HIII", b"PK\1\2", 0x0314, 20, 0x800, 8 * packed, 0, 33, *sizes[:3])
    return head + struct.pack("<5H2I", *sizes[3:], 0, 0, 0, mode << 16, at) + name.encode() + extra


def sealed(body: bytes, entries: bytes, at: int, count: int, more: bytes = b"") -> bytes:
    end = struct.pack("<4s4HIIH", b"PK\5\6", 0, 0, count, count, len(entries), at, SEAL_BYTES)
    whole = body + entries + more + end
    return whole + seal(hashlib.sha256(whole).hexdigest())


def archive(
    files: Files,
    *,
    prefix: bytes = b"",
    moved: bool = True,
    extra: Callable[[str], bytes] = lambda _: b"",
    mode: int = 0o100644,
    packed: bool = False,
    count: int | None = None,
) -> bytes:
    """The ``files`` as another program might archive them, with a seal over all of it."""
    body, entries = prefix, b""
    shift = 0 if moved else len(prefix)
    for name, content in files:
        entries += central(name, content, len(body) - shift, extra(name), mode=mode, packed=packed)
        body += local(name, content, extra(name), packed=packed)
    return sealed(body, entries, len(body) - shift, len(files) if count is None else count)


def other_name(names: dict[str, str]) -> Callable[[str], bytes]:
    """The extra field by which some programs extract a file under another name."""

    def field(name: str) -> bytes:
        if name not in names:
            return b""
        other = names[name].encode()
        return struct.pack("<HHBI", 0x7075, 5 + len(other), 1, zlib.crc32(name.encode())) + other

    return field


def two_directories(files: Files) -> bytes:
    """A directory of forged files where its offset says, and the true one where programs that search for it look."""
    forged = [(name, FORGED if name == "report.html" else content) for name, content in files]
    body, entries = b"", b""
    for name, content in forged:
        entries += central(name, content, len(body))
        body += local(name, content)
    at = len(body)
    body += entries
    true, places = b"", []
    for name, content in files:
        places.append(len(body) + len(true))
        true += local(name, content)
    shift = len(body) + len(true) - at
    listing = b"".join(central(n, c, max(0, p - shift)) for (n, c), p in zip(files, places, strict=True))
    return sealed(body + true, listing, at, len(files))


FORGERIES: dict[str, Callable[[Files], bytes]] = {
    "swapped by another name": lambda f: archive(f, extra=other_name({f[1][0]: f[2][0], f[2][0]: f[1][0]})),
    "hidden by another name": lambda f: archive(f, extra=other_name({"report.html": "report2.html"})),
    "any extra field": lambda f: archive(f, extra=lambda _: struct.pack("<HH4s", 0x9999, 4, b"abcd")),
    "files that no directory lists": lambda f: archive(f, prefix=local("report.html", FORGED)),
    "a program in front": lambda f: archive(f, prefix=b"#!/bin/sh\necho code ran; exit 0\n"),
    "a program in front, offsets kept": lambda f: archive(f, prefix=b"#!/bin/sh\nexit 0\n", moved=False),
    "a page in front": lambda f: archive(f, prefix=b"<html><script>alert(1)</script><!--"),
    "two directories": two_directories,
    "run as its owner": lambda f: archive(f, mode=0o104777),
    "any mode": lambda f: archive(f, mode=0o100755),
    "packed": lambda f: archive(f, packed=True),
    "a wrong count": lambda f: archive(f, count=2),
    "another order": lambda f: archive(f[1:] + f[:1]),
    "a file that differs by a dot": lambda f: archive([*f, ("report.html.", FORGED)]),
    "bytes before the end record": lambda f: sealed(archive(f)[: -SEAL_BYTES - END], b"", 0, 0),
}


def accepted(path: Path, fingerprint: str = "") -> bool:
    """Whether a check says that nothing was changed."""
    try:
        return verify_pack(path, fingerprint).whole
    except UserError:
        return False


def test_the_form_is_the_one_that_other_programs_read(pack: Path) -> None:
    assert archive(files_of(pack)) == pack.read_bytes()
    with ZipFile(pack) as opened:
        assert opened.testzip() is None
    assert verify_pack(pack).whole


@pytest.mark.parametrize("name", FORGERIES)
def test_another_archive_of_the_same_files_is_not_a_pack(pack: Path, tmp_path: Path, name: str) -> None:
    forged = tmp_path / "forged.zip"
    forged.write_bytes(FORGERIES[name](files_of(pack)))
    assert not accepted(forged, verify_pack(pack).fingerprint)


@pytest.mark.parametrize("cut", [1, END, SEAL_BYTES, SEAL_BYTES + END])
def test_a_pack_that_was_cut_or_appended_to_is_not_a_pack(pack: Path, cut: int) -> None:
    whole = pack.read_bytes()
    for content in (whole[:-cut], whole + whole[-cut:], whole + b"\n"):
        pack.write_bytes(content)
        assert not accepted(pack)


@pytest.mark.parametrize("listed", [["x" * 70_000], ["é" * 40_000], [f"{number}" for number in range(66_000)]])
def test_a_manifest_that_lists_what_no_archive_can_hold_is_refused(
    pack: Path, tmp_path: Path, listed: list[str]
) -> None:
    files = dict(files_of(pack))
    manifest = json.loads(files[MANIFEST])
    none = hashlib.sha256(b"").hexdigest()
    manifest["files"] = [{"name": name, "what": "", "bytes": 0, "sha256": none} for name in listed] + manifest["files"]
    files[MANIFEST] = json.dumps(manifest).encode()
    files[DIGEST] = digest_line(hashlib.sha256(files[MANIFEST]).hexdigest())
    forged = tmp_path / "forged.zip"
    forged.write_bytes(archive(list(files.items())))
    with pytest.raises(UserError):
        verify_pack(forged)


def test_the_sum_of_the_manifest_has_one_form(pack: Path, tmp_path: Path) -> None:
    files = [(name, content.replace(b"\n", b"\r\n") if name == DIGEST else content) for name, content in files_of(pack)]
    forged = tmp_path / "forged.zip"
    forged.write_bytes(archive(files))
    assert MANIFEST in verify_pack(forged).changed


@pytest.mark.parametrize("what", [5, "", "2026-01-01T00:00:00.000Z).\nFingerprint " + "0" * 64, "9999-01-01T00:00:00Z"])
def test_what_is_not_a_time_is_not_repeated_as_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], what: object
) -> None:
    writer = PackWriter(tmp_path / "pack.zip")
    writer.seal({"made": what, "documents": []})
    writer.close()
    assert main(["verify", str(tmp_path / "pack.zip")]) == 0
    shown = capsys.readouterr().out
    assert "it does not state when it was made" in shown
    assert "0" * 64 not in shown
