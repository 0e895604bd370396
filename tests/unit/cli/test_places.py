"""A passage in a PDF is cited by its page and lines, alike in lists, reports and tables."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
import typst

from workbench.cli.main import main

COPIED = (
    "The ferry left the harbour at dawn with nine passengers and put out to sea on a wind from the north. "
    "Not one of them had told the pilot of the bank of fog that lay across the southern cape."
)
OWN = (
    "My own town has nothing like it, and nobody there has ever asked why.",
    "Trains leave from the station behind the mill every hour of the day.",
    "In spring the river rises up to the windows of the lowest houses.",
    "The old school burned down and its bell was never found again.",
    "Letters took three weeks then, and some of them were never read.",
)


def thesis(path: Path) -> None:
    """Five pages of five lines or more under a header, with the copy on the third."""
    pages = [[sentence, f"{sentence} {sentence}"] for sentence in OWN]
    pages[2].insert(1, COPIED)
    body = "\n#pagebreak()\n".join("\n\n".join(page) for page in pages)
    header = 'header: [A thesis on harbours #h(1fr) #context counter(page).display("1")]'
    layout = f"#set page(width: 12cm, height: 10cm, {header})"
    path.with_suffix(".typ").write_text(f"{layout}\n#set text(size: 11pt)\n{body}", "utf-8")
    typst.compile(str(path.with_suffix(".typ")), output=str(path))
    path.with_suffix(".typ").unlink()


def test_a_copy_is_cited_by_page_and_lines_wherever_it_is_mentioned(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    thesis(tmp_path / "thesis.pdf")
    page = f"<h1>Harbours</h1><p>Words of our own.</p><h2>2.3 Methods</h2><p>First.</p><p>{COPIED}</p>"
    (tmp_path / "source.html").write_text(f"<html><body>{page}</body></html>", "utf-8")
    for words in (
        "new p",
        "import p source.html --role source",
        "import p thesis.pdf --role suspect",
        "detect p copies",
    ):
        verb, _, rest = words.partition(" p")
        assert main([verb, "p.palimpsest", *rest.split()]) == 0
    capsys.readouterr()

    assert main(["matches", "p.palimpsest", "--json"]) == 0
    (match,) = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    first, last = match["a"]["place"]["lines"]
    assert match["a"]["place"]["page"] == 3
    assert match["b"]["place"]["heading"] == "2.3 Methods"
    assert match["b"]["place"]["paragraph"] == 2

    assert main(["compare", "p.palimpsest", match["a"]["id"], match["b"]["id"], "--method", "copies", "--json"]) == 0
    (alone,) = json.loads(capsys.readouterr().out.splitlines()[-1])["matches"]
    for side in "ab":
        assert {"id": match[side]["id"], **alone[side]} == match[side]
    assert set(alone["evidence"]) == set(match["evidence"])

    for suffix in ("html", "csv", "jsonl"):
        assert main(["report", "p.palimpsest", "--out", f"r.{suffix}"]) == 0
    cited = f"p. 3, lines {first}–{last}"
    assert cited in (tmp_path / "r.html").read_text("utf-8")
    (row,) = csv.DictReader((tmp_path / "r.csv").open(encoding="utf-8-sig"))
    assert (row["a_place"], row["b_place"]) == (cited, "2.3 Methods, ¶ 2")
    record = json.loads((tmp_path / "r.jsonl").read_text("utf-8").splitlines()[1])
    assert (record["a_place"], record["b_place"]) == (match["a"]["place"], match["b"]["place"])

    assert main(["extract", "thesis.pdf", "--json"]) == 0
    extracted = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert "A thesis on harbours" not in extracted["content"]
    heads = [block for block in extracted["blocks"] if block["verdict"] == "non-content"]
    assert {block["rule"] for block in heads} == {"running header, the same on 5 pages"}
    assert len(heads) == 5
