from __future__ import annotations

import io
import os
import stat
import zipfile
from pathlib import Path

import pytest

from workbench.reading import formats
from workbench.reading.formats import Failure, ReadOptions, Source, expand
from workbench.reading.formats.names import decode_name, placed

GOOD = "これは正しい文書です。"


def names(items: list[Source | Failure]) -> list[str]:
    return [s.name for s in items if isinstance(s, Source)]


def failures(items: list[Source | Failure]) -> dict[str, str]:
    return {f.path: f.error for f in items if isinstance(f, Failure)}


def texts(items: list[Source | Failure]) -> list[str]:
    return [
        item.document.text if isinstance(item, formats.Record) else f"{item.path}: {item.error}"
        for source in items
        if isinstance(source, Source)
        for item in formats.read(source)
    ]


def zipped(path: Path, members: dict[str, bytes | str], compression: int = zipfile.ZIP_STORED) -> Path:
    with zipfile.ZipFile(path, "w", compression) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return path


def test_folders_are_walked_in_name_order_without_hidden_files(tmp_path: Path) -> None:
    for name in ("b.txt", "a/z.txt", "a/y/x.txt", ".hidden", "c.txt"):
        (tmp_path / "in" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "in" / name).write_text(GOOD, encoding="utf-8")
    assert names(list(expand([tmp_path / "in"]))) == ["in/a/y/x.txt", "in/a/z.txt", "in/b.txt", "in/c.txt"]


def test_names_are_as_given_or_relative_to_the_working_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "here").mkdir()
    (tmp_path / "here" / "a.txt").write_text(GOOD, encoding="utf-8")
    monkeypatch.chdir(tmp_path / "here")
    assert names(list(expand([Path("a.txt")]))) == ["a.txt"]
    assert names(list(expand([Path(".")]))) == ["a.txt"]
    assert names(list(expand([Path("../here"), Path("../here/a.txt")]))) == ["a.txt"]
    assert names(list(expand([tmp_path / "here" / "a.txt"]))) == ["a.txt"]
    monkeypatch.chdir("/")
    monkeypatch.chdir(tmp_path / "here")
    (tmp_path / "other.txt").write_text(GOOD, encoding="utf-8")
    assert names(list(expand([tmp_path / "other.txt"]))) == ["other.txt"]


def test_the_same_file_twice_is_given_once(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(GOOD, encoding="utf-8")
    assert len(list(expand([tmp_path / "a.txt", tmp_path / "a.txt"]))) == 1


def test_a_file_and_links_to_it_are_given_once(tmp_path: Path) -> None:
    folder = tmp_path / "in"
    (folder / "sub").mkdir(parents=True)
    for name in ("a.txt", "b.txt"):
        (folder / name).write_text(GOOD, encoding="utf-8")
    os.symlink("a.txt", folder / "latest.txt")
    os.symlink("../b.txt", folder / "sub" / "copy.txt")
    os.symlink("in", tmp_path / "again")
    assert names(list(expand([folder]))) == ["in/a.txt", "in/b.txt"]
    assert names(list(expand([tmp_path / "again", folder / "a.txt"]))) == ["again/a.txt", "again/b.txt"]


def test_links_and_special_files_are_refused_by_name(tmp_path: Path) -> None:
    folder = tmp_path / "in"
    (folder / "sub").mkdir(parents=True)
    (folder / "sub" / "good.txt").write_text(GOOD, encoding="utf-8")
    (tmp_path / "outside.txt").write_text("secret", encoding="utf-8")
    os.symlink("../outside.txt", folder / "out.txt")
    os.symlink("loop", folder / "loop")
    os.symlink("nowhere", folder / "dangling")
    os.symlink(".", folder / "itself")
    os.symlink("sub", folder / "twice")
    os.mkfifo(folder / "pipe.txt")
    items = list(expand([folder]))
    assert names(items) == ["in/sub/good.txt"]
    assert set(failures(items)) == {"in/out.txt", "in/loop", "in/dangling", "in/pipe.txt"}
    assert "outside the folder" in failures(items)["in/out.txt"]


def test_what_is_not_there_is_a_failure(tmp_path: Path) -> None:
    assert failures(list(expand([tmp_path / "gone"]))) == {"gone": "There is no such file."}


def test_members_of_archives_are_listed_one_nested_level_deep(tmp_path: Path) -> None:
    deepest = zipped(tmp_path / "3.zip", {"c.txt": GOOD}).read_bytes()
    inner = zipped(tmp_path / "2.zip", {"b.txt": GOOD, "3.zip": deepest}).read_bytes()
    outer = zipped(tmp_path / "1.zip", {"d/a.txt": GOOD, "2.zip": inner, "__MACOSX/x": "x", "d/.y": "y"})
    items = list(expand([outer]))
    assert names(items) == ["1.zip!d/a.txt", "1.zip!2.zip!b.txt"]
    assert "only one inner level" in failures(items)["1.zip!2.zip!3.zip"]
    assert texts(items) == [GOOD, GOOD]


def test_names_with_exclamation_marks_are_whole(tmp_path: Path) -> None:
    folder = tmp_path / "Wow!"
    folder.mkdir()
    (folder / "Help!.md").write_text("# Head\n", encoding="utf-8")
    zipped(folder / "Stop!.zip", {"d!/Hey!.md": "# Head\n", "Hello!.txt": GOOD})
    items = [
        placed(item, source)
        for source in expand([folder])
        if isinstance(source, Source)
        for item in formats.read(source)
    ]
    documents = [item.document for item in items if isinstance(item, formats.Record)]
    assert [(document.text, document.extraction.format) for document in documents] == [
        ("Head", "markdown"),
        ("Head", "markdown"),
        (GOOD, "txt"),
    ]
    assert documents[2].title == "Hello!"
    assert [document.origin.removeprefix(f"{folder}/") for document in documents] == [
        "Help!.md",
        "Stop!.zip!d!/Hey!.md",
        "Stop!.zip!Hello!.txt",
    ]


def test_members_that_could_escape_are_refused_and_nothing_is_written(tmp_path: Path) -> None:
    bad = ["../../escaped.txt", "/absolute.txt", "C:\\windows.txt", "a\\..\\b.txt"]
    items = list(expand([zipped(tmp_path / "a.zip", dict.fromkeys([*bad, "good.txt"], GOOD))]))
    assert names(items) == ["a.zip!good.txt"]
    assert set(failures(items)) == {f"a.zip!{name}" for name in bad}
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.zip"]


def test_links_in_archives_are_refused(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        info = zipfile.ZipInfo("link.txt")
        info.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(info, "/etc/hostname")
    assert "symbolic link" in failures(list(expand([tmp_path / "a.zip"])))["a.zip!link.txt"]


def test_encrypted_members_are_refused(tmp_path: Path) -> None:
    data = bytearray(zipped(tmp_path / "a.zip", {"a.txt": GOOD}).read_bytes())
    data[6] |= 1
    data[data.index(b"PK\x01\x02") + 8] |= 1
    (tmp_path / "a.zip").write_bytes(bytes(data))
    assert "encrypted" in failures(list(expand([tmp_path / "a.zip"])))["a.zip!a.txt"]


def test_bombs_are_refused_by_size_and_by_ratio(tmp_path: Path) -> None:
    bomb = zipped(tmp_path / "a.zip", {"a.txt": b"a" * 2_000_000}, zipfile.ZIP_DEFLATED)
    by_size = failures(list(expand([bomb], ReadOptions(member_bytes=1_000_000))))
    assert "limit of 1 MB" in by_size["a.zip!a.txt"]
    by_ratio = failures(list(expand([bomb], ReadOptions(ratio_from=1_000_000))))
    assert "more than 200 times" in by_ratio["a.zip!a.txt"]
    assert names(list(expand([bomb]))) == ["a.zip!a.txt"]


def test_a_member_that_lies_about_its_size_is_not_read_beyond_it(tmp_path: Path) -> None:
    data = zipped(tmp_path / "a.zip", {"a.txt": b"a" * 2_000_000}, zipfile.ZIP_DEFLATED).read_bytes()
    lying = data.replace((2_000_000).to_bytes(4, "little"), (1000).to_bytes(4, "little"))
    (tmp_path / "a.zip").write_bytes(lying)
    [text] = texts(list(expand([tmp_path / "a.zip"])))
    assert text.startswith("a.zip!a.txt: The archive is damaged here")


def test_too_many_members_are_left_out_with_a_word(tmp_path: Path) -> None:
    archive = zipped(tmp_path / "a.zip", {f"{i}.txt": GOOD for i in range(5)})
    items = list(expand([archive], ReadOptions(members=3)))
    assert len(names(items)) == 3
    assert "more than 3 members" in failures(items)["a.zip!3.txt"]


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04" + b"x" * 1000, b"not a zip"])
def test_a_damaged_archive_is_named_and_the_rest_continues(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "a.zip").write_bytes(content)
    (tmp_path / "b.txt").write_text(GOOD, encoding="utf-8")
    items = list(expand([tmp_path / "a.zip", tmp_path / "b.txt"]))
    assert failures(items) == {"a.zip": "This is not a zip archive, or it is damaged."}
    assert names(items) == ["b.txt"]


def test_names_of_old_east_asian_archives_are_read(tmp_path: Path) -> None:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        archive.writestr("XXXXXX.txt", GOOD)
    named = data.getvalue().replace(b"XXXXXX.txt", "日本語".encode("cp932") + b".txt")
    (tmp_path / "a.zip").write_bytes(named)
    items = list(expand([tmp_path / "a.zip"]))
    assert names(items) == ["a.zip!日本語.txt"]
    assert texts(items) == [GOOD]


def test_names_that_are_not_utf8_become_text_and_no_file_is_lost(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    for raw in ("表.txt".encode("cp932"), "表.txt".encode(), b"\x81\x20.txt"):
        Path(os.fsdecode(os.fsencode(tmp_path) + b"/in/" + raw)).write_text(GOOD, encoding="utf-8")
    items = list(expand([tmp_path / "in"]))
    assert sorted(names(items)) == ["in/\\x81 .txt", "in/表.txt", "in/表.txt"]
    assert texts(items) == [GOOD] * 3


def test_files_of_one_name_in_two_folders_are_both_given(tmp_path: Path) -> None:
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "x.txt").write_text(folder, encoding="utf-8")
    items = list(expand([tmp_path / "a" / "x.txt", tmp_path / "b" / "x.txt", tmp_path / "a" / ".." / "a" / "x.txt"]))
    assert texts(items) == ["a", "b"]


def test_an_archive_with_a_name_that_is_not_utf8_is_a_failure(tmp_path: Path) -> None:
    path = zipped(tmp_path / "a.zip", {"あ.txt": GOOD})
    path.write_bytes(path.read_bytes().replace("あ".encode(), b"\xff\xfe\xfd"))
    (failure,) = expand([path])
    assert failure == Failure("a.zip", "This is not a zip archive, or it is damaged.")


def test_the_earlier_of_two_members_of_one_name_is_a_failure(tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("x.txt", "first")
        with pytest.warns(UserWarning, match="Duplicate name"):
            archive.writestr("x.txt", "second")
    items = list(expand([path]))
    assert [type(f) for f in items] == [Failure, Source]
    assert "later member" in failures(items)["a.zip!x.txt"]
    assert texts(items) == ["second"]


def test_the_directory_of_an_archive_is_not_read_again_for_each_member(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    members = {f"{number}.txt": GOOD for number in range(20)}
    inner = zipped(tmp_path / "inner.zip", members)
    outer = zipped(tmp_path / "outer.zip", {**members, "inner.zip": inner.read_bytes()})
    items = list(expand([outer]))
    opened = []
    whole = zipfile.ZipFile
    monkeypatch.setattr(zipfile, "ZipFile", lambda *arguments: opened.append(arguments) or whole(*arguments))
    assert texts(items) == [GOOD] * 40
    assert len(opened) <= 2
    zipped(outer, {"0.txt": "changed since"})
    assert texts(items[:1]) == ["changed since"]


@pytest.mark.parametrize(
    ("name", "encoding"),
    [
        *((name, "cp1252") for name in ("thèse.txt", "résumé.txt", "Universität Köln.docx", "café")),
        *((name, "cp932") for name in ("卒業論文.txt", "ソ表.txt", "報告A.txt", "レポート提出版.docx", "李.txt")),
        *((name, "gb18030") for name in ("论文.txt", "学位论文 final.doc", "张三.txt", "毕业设计说明书.pdf")),
        *((name, "big5") for name in ("論文.txt", "學位論文 final.doc", "張三.txt", "畢業設計說明書.pdf")),
        *((name, "euc_jp") for name in ("卒業論文の草稿.txt", "レポート.txt", "第二章 まとめ.docx")),
        ("論文 è.txt", "utf-8"),
    ],
)
def test_names_in_older_encodings_are_read(name: str, encoding: str) -> None:
    assert decode_name(name.encode(encoding)) == name


def test_a_name_in_no_known_encoding_keeps_its_bytes() -> None:
    assert decode_name(b"a\x81.txt") == r"a\x81.txt"
