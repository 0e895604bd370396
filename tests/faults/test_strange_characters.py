"""Characters that no honest file has in these places are shown, or named in a sentence."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pypdfium2
import pytest

from tests.faults.test_terminal import hostile
from workbench.cli.main import main
from workbench.text.markup.columns import unescaped

__all__ = ["hostile"]


@pytest.mark.parametrize("number", ["1114112", "99999999999999999999999", "0", "9" * 5000])
def test_a_reference_beyond_unicode_is_one_character(number: str) -> None:
    assert unescaped(f"a&#{number};b") == "a\ufffdb"
    assert unescaped("&#1114111;&#00065;") == "\U0010ffffA"


def test_a_page_with_a_reference_beyond_unicode_is_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = tmp_path / "page.html"
    for markup in ("<div&#1114112;>", '<div class="&#1114112;">', "<p>&#1114112;</p>"):
        page.write_text(
            f"<html><body>{markup}<p>A sentence that stays on the page.</p></body></html>", encoding="utf-8"
        )
        assert main(["extract", str(page)]) == 0
        assert "A sentence that stays" in capsys.readouterr().out


def test_a_report_of_documents_with_control_characters_is_printed(hostile: Path) -> None:
    out = hostile.with_name("report.pdf")
    assert main(["report", str(hostile), "--out", str(out)]) == 0
    assert out.read_bytes().startswith(b"%PDF")


def test_characters_that_no_font_has_are_spelled_out_in_a_printed_report(tmp_path: Path) -> None:
    """Noncharacters, an unassigned one, a mark of a rare script, and a script without speakers."""
    strange = "\ufffe\ufdd0\u0378\U0010ffff", "a\u1cd0b", "\U00012000"
    sentence = "The keeper of the lantern measured every copper furnace beside the old canal before winter. "
    rows = [{"id": f"{role} {strange[0]}", "role": role, "title": strange[1]} for role in ("source", "suspect")]
    texts = [sentence * 3 + " ".join(strange), "Mine. " + sentence * 3 + " ".join(strange)]
    file, project, out = tmp_path / "rows.jsonl", tmp_path / "p.palimpsest", tmp_path / "report.pdf"
    file.write_text("".join(json.dumps(row | {"text": t}) + "\n" for row, t in zip(rows, texts, strict=True)), "utf-8")
    for verb in (["new", project], ["import", project, file], ["detect", project, "digest"]):
        assert main([str(word) for word in verb]) == 0
    assert main(["report", str(project), "--out", str(out)]) == 0
    with pypdfium2.PdfDocument(out) as document:
        shown = "".join(page.get_textpage().get_text_range() for page in document)
    assert {"<U+FFFE>", "<U+0378>", "<U+10FFFF>"} <= set(re.findall(r"<U\+[0-9A-F]+>", shown))
    assert "keeper of the lantern" in shown


@pytest.mark.parametrize("words", [["add", "\udcff", "a"], ["add", "tag", "a\udce9"], ["documents", "\udc80"]])
def test_words_that_are_not_utf_8_are_named(
    hostile: Path, capsys: pytest.CaptureFixture[str], words: list[str]
) -> None:
    assert main(["tags", str(hostile), *words]) == 2
    assert "not text in UTF-8" in capsys.readouterr().err


@pytest.mark.skipif(os.name == "nt", reason="names of files are text there")
def test_names_of_files_that_are_not_utf_8_are_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "caf\udce9.txt"
    path.write_text("A text in a file whose name is not UTF-8.", encoding="utf-8")
    assert main(["extract", str(path)]) == 0
    assert "A text in a file" in capsys.readouterr().out
