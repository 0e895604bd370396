"""The bundled sample is complete, and its truth is true of the texts as the program extracts them."""

from __future__ import annotations

import importlib.util
import json
import re
import sys
import unicodedata
from difflib import SequenceMatcher
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from workbench.base.resources import resource
from workbench.base.types import Document
from workbench.text.normalisation import FoldOptions, fold

ROOT = Path(__file__).resolve().parents[3]
SAMPLE = resource("sample")
TRUTH = [json.loads(line) for line in (SAMPLE / "truth.jsonl").read_text("utf-8").splitlines()]
MANIFEST: list[dict[str, Any]] = json.loads((SAMPLE / "manifest.json").read_text("utf-8"))["documents"]
VARIANTS = {"kyujitai": "kyujitai", "traditional": "simplified", "simplified": "simplified"}
EVERY_EDIT = {"none", "width", "symbols", "spaces", "case", "kyujitai", "traditional", "simplified", "list", "light"}


def maker() -> ModuleType:
    """The program that wrote the sample (packaging/ is not a package)."""
    spec = importlib.util.spec_from_file_location("make_sample", ROOT / "packaging" / "make_sample.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@cache
def documents() -> dict[str, Document]:
    module = maker()
    read: dict[str, Document] = module.read_folder("sources") | module.read_folder("suspects")
    return read


def folded(text: str, edit: str) -> str:
    return fold(text, FoldOptions(variants=VARIANTS.get(edit, "none"))).text  # type: ignore[arg-type]


def test_the_manifest_names_every_file_and_no_other() -> None:
    assert {entry["id"] for entry in MANIFEST} == set(documents())
    assert all(entry["licence"] and entry["title"] and entry["digitised"] for entry in MANIFEST)


def test_texts_are_in_the_languages_that_the_manifest_says() -> None:
    assert {entry["id"]: documents()[entry["id"]].language for entry in MANIFEST} == {
        entry["id"]: entry["language"] for entry in MANIFEST
    }


@pytest.mark.parametrize("row", TRUTH, ids=lambda row: f"{row['suspect']}:{row['suspect_span'][0]}")
def test_a_true_passage_says_the_same_in_both_texts(row: dict[str, Any]) -> None:
    suspect = documents()[row["suspect"]].text[slice(*row["suspect_span"])]
    source = documents()[row["source"]].text[slice(*row["source_span"])]
    if row["edit"] == "none":
        assert suspect == source
    elif row["edit"] == "light":
        assert suspect != source
        assert SequenceMatcher(None, suspect, source, autojunk=False).ratio() > 0.8
    else:
        assert suspect != source
        assert folded(suspect, row["edit"]) == folded(source, row["edit"])


def test_every_kind_of_edit_and_length_occurs() -> None:
    assert {row["edit"] for row in TRUTH} == EVERY_EDIT
    assert {1, 2, 3, 4, 5, 8} <= {row["sentences"] for row in TRUTH}


def test_an_allusion_is_not_a_copied_passage_and_plays_on_its_source() -> None:
    rows = json.loads((SAMPLE / "manifest.json").read_text("utf-8"))["allusions"]
    copied = {(row["suspect"], row["source"]) for row in TRUTH}
    for row in rows:
        assert (row["suspect"], row["source"]) not in copied
        suspect = documents()[row["suspect"]].text[slice(*row["suspect_span"])].split()
        source = documents()[row["source"]].text[slice(*row["source_span"])].split()
        assert len(set(suspect) & set(source)) > len(set(suspect)) / 2
        assert suspect[:5] == source[:5]


def test_some_suspects_of_each_language_copy_nothing() -> None:
    guilty = {row["suspect"] for row in TRUTH}
    innocent = [entry for entry in MANIFEST if entry["role"] == "suspect" and entry["id"] not in guilty]
    assert {entry["language"] for entry in innocent} == {"ja", "zh", "en"}


def test_the_sample_can_be_made_again_to_the_byte() -> None:
    module = maker()
    sources = module.read_folder("sources")
    copies = []
    for template in sorted((SAMPLE / "templates").glob("*.txt")):
        text, planted = module.written(f"suspects/{template.name}", template.read_text("utf-8"), sources)
        assert text == (SAMPLE / "suspects" / template.name).read_text("utf-8")
        copies += planted
    assert [json.loads(json.dumps(vars(copy))) for copy in copies] == TRUTH


@pytest.mark.slow
def test_the_bundled_fonts_draw_every_character_of_the_sample() -> None:
    ttlib = pytest.importorskip("fontTools.ttLib", reason="fontTools comes with the dev extra")
    drawn: set[int] = set()
    for face in resource("fonts").glob("*.otf"):
        drawn |= set(ttlib.TTFont(face).getBestCmap())
    text = "".join(document.text for document in documents().values())
    assert not {c for c in text if ord(c) not in drawn and not re.match(r"\s", c) and unicodedata.category(c) != "Cc"}
