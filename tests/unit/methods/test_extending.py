"""An index that takes in documents is the index that would be built of all of them, to the byte."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.unit.methods.copied_strings.test_method import best_score, cut_from_one_text
from tests.unit.methods.corpora import Collection
from workbench.base.progress import NullProgress
from workbench.base.types import Block, BlockClass, Document, Role, Span
from workbench.kernels.code_points import code_points
from workbench.methods.copied_strings.sorted_text import SortedText
from workbench.methods.core import registry

EXTENDING = [name for name in registry.names() if registry.get(name).extends]


def files(folder: Path) -> dict[str, bytes]:
    return {str(file.relative_to(folder)): file.read_bytes() for file in folder.rglob("*") if file.is_file()}


def both(name: str, base: Collection, added: Collection, **chosen: Any) -> tuple[dict[str, bytes], dict[str, bytes]]:
    """The files of the index of all documents: built anew, and extended from that of ``base``."""
    method, progress = registry.get(name), NullProgress()
    parameters = method.parameters.parse(chosen)
    everything = Collection((*base.all, *added.all))
    with TemporaryDirectory() as top:
        anew, before, extended = (Path(top) / part for part in ("anew", "before", "extended"))
        for folder in (anew, before, extended):
            folder.mkdir()
        method.prepare(everything, parameters, anew, progress)
        method.prepare(base, parameters, before, progress)
        method.extend(before, everything, added, parameters, extended, progress)
        return files(anew), files(extended)


def halves(texts: list[str], at: int, roles: list[Role]) -> tuple[Collection, Collection]:
    whole = Collection.of(*((roles[i % len(roles)], text) for i, text in enumerate(texts))).all
    return Collection(whole[:at]), Collection(whole[at:])


def test_copied_strings_and_the_sketches_that_keep_all_columns_extend() -> None:
    assert EXTENDING == ["shingle", "minhash", "copied-strings"]


ROLES = ([Role.SUSPECT], [Role.SOURCE], [Role.SUSPECT, Role.SOURCE, Role.BACKGROUND])


@settings(max_examples=60)
@given(cut_from_one_text(), st.integers(0, 9), st.sampled_from(ROLES), st.sampled_from([0, 1, 3]))
def test_an_extended_index_of_copied_strings_equals_one_built_anew(
    texts: list[str], at: int, roles: list[Role], least: int
) -> None:
    texts = [*texts, *texts[:2], "新しい字"]
    base, added = halves(texts, min(at, len(texts)), roles)
    anew, extended = both("copied-strings", base, added, min_length=least, corpus="all")
    assert anew == extended


@settings(max_examples=15)
@given(cut_from_one_text(), st.integers(1, 9), st.sampled_from(["shingle", "minhash"]))
def test_an_extended_sketch_equals_one_built_anew_also_where_sources_come_after_suspects(
    texts: list[str], at: int, name: str
) -> None:
    base, added = halves([*texts, texts[0] + "x"], min(at, len(texts)), [Role.SUSPECT, Role.SOURCE])
    anew, extended = both(name, base, added)
    assert anew == extended


@settings(max_examples=200)
@given(st.lists(st.text("ab", max_size=6), max_size=8), st.lists(st.text("abcＡ", max_size=6), max_size=4), st.data())
def test_extended_suffixes_are_in_order_whatever_the_text_ended_with(
    first: list[str], more: list[str], data: st.DataObject
) -> None:
    again = data.draw(st.integers(0, len(first)))
    more = [*first[again:], *more]
    text = SortedText.of([code_points(t) for t in first], NullProgress())
    text = text.extended([code_points(t) for t in more], NullProgress())
    whole = "".join(t + "\0" for t in (*first, *more))
    assert text.suffixes.tolist() == sorted(range(len(whole)), key=lambda at: whole[at:])


def test_findings_in_an_extended_index_equal_the_definition() -> None:
    texts = ["abcabcabd", "xabcabd", "bcabcab", "abdabcabc", "cabdx"]
    base, added = halves(texts, 3, [Role.SUSPECT])
    method = registry.get("copied-strings")
    parameters = method.parameters.parse({"min_length": 2})
    with TemporaryDirectory() as top:
        before, extended = Path(top) / "before", Path(top) / "extended"
        before.mkdir()
        extended.mkdir()
        method.prepare(base, parameters, before, NullProgress())
        everything = Collection((*base.all, *added.all))
        method.extend(before, everything, added, parameters, extended, NullProgress())
        scores = method.detect(method.load(extended, parameters), everything.all, parameters, NullProgress()).scores
    for i, score in enumerate(scores):
        assert score.score == pytest.approx(best_score(texts[i], texts[:i] + texts[i + 1 :], 2))


@pytest.mark.parametrize("name", EXTENDING)
def test_the_content_of_added_pages_is_mapped_to_their_whole_texts(name: str) -> None:
    def page(key: int) -> Document:
        text = f"menu menu\nthe content of page {key} is a sentence that is long enough to count"
        blocks = (
            Block(Span(0, 9), verdict=BlockClass.NON_CONTENT),
            Block(Span(10, len(text))),
        )
        return Document(f"p{key}", text, Role.SUSPECT, key, blocks=blocks)

    pages = tuple(map(page, range(1, 6)))
    anew, extended = both(name, Collection(pages[:3]), Collection(pages[3:]))
    assert len(anew["content.npy"]) > 200
    assert anew == extended
