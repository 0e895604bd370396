"""The compiled pass against the plain reference: segmentation, folding, fingerprint, one segment at a time."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.base.types import Block, Document, Span
from workbench.kernels.rabin import fingerprint
from workbench.methods.core.collection import batches
from workbench.methods.digest.parameters import DigestParameters
from workbench.methods.digest.segments import Segments, segment
from workbench.text.normalisation import VARIANTS, fold, ruby_spans
from workbench.text.segmenting.segmentation import segments as plain_segments

LETTERS = "あアｱ漢字體國AaＡéßİ①㍿ﾃﾞ가각ᄒ ᅡ\u3099\u0301\u200b\ufe0f𠀋😀א٣"
MARKS = "\u3099\u309aﾞ\u0301\u0323\u0344\u0e38\u0e48\u094d\u093c\u09be\u0651\u064b\u05b7\u0338\ufe0f\U0001d165"
STOPS = '。．｡.!！？?…」』）)”"、 \u3000\n\t-・1１#|'
MARKED = "あかはハㇷｶeéÅ한ᄒ각ᅡᆨตจतरनα漢ﬁ\u0340。. \n" + MARKS
PIECES = st.text(st.sampled_from(LETTERS) | st.sampled_from(STOPS), max_size=40)
ANYTHING = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
LINES = st.lists(
    st.sampled_from(["・項目その一", "長い文がここで折り返されていて次の行に", "続く。", "", "# 見出し"])
).map("\n".join)
TEXTS = PIECES | ANYTHING | LINES | st.lists(PIECES | LINES, max_size=4).map("".join)
PARAMETERS = st.builds(
    DigestParameters,
    min_segment=st.integers(1, 6),
    bits=st.sampled_from([32, 64]),
    layout=st.sampled_from(["layout", "never", "always"]),
    kana=st.booleans(),
    variants=st.sampled_from(list(VARIANTS)),
)


def reference(document: Document, parameters: DigestParameters) -> tuple[list[tuple[int, int, int, int]], int]:
    """Rows (fingerprint, start, end, folded length) and the number of short segments."""
    rows, short = [], 0
    for start, end in plain_segments(document.text, blocks=document.blocks, layout=parameters.layout):
        folded = fold(document.text[start:end], parameters.fold_options).text
        if len(folded) >= parameters.min_segment:
            rows.append((fingerprint(folded, parameters.bits), start, end, len(folded)))
        else:
            short += 1
    return rows, short


def rows(segments: Segments, i: int) -> list[tuple[int, int, int, int]]:
    part = slice(segments.bounds[i], segments.bounds[i + 1])
    columns = (segments.fingerprints, segments.start, segments.end, segments.length)
    return list(zip(*(c[part].tolist() for c in columns), strict=True))


@pytest.mark.slow
@settings(max_examples=600)
@given(st.lists(TEXTS, max_size=5), PARAMETERS)
def test_the_compiled_pass_equals_the_reference(texts: list[str], parameters: DigestParameters) -> None:
    documents = [Document(str(i), text) for i, text in enumerate(texts)]
    segments = segment(documents, parameters)
    for i, document in enumerate(documents):
        assert (rows(segments, i), int(segments.short[i])) == reference(document, parameters)


@pytest.mark.slow
@settings(max_examples=600)
@given(st.lists(st.text(st.sampled_from(MARKED), max_size=30), max_size=3), PARAMETERS)
def test_texts_with_marks_equal_the_reference(texts: list[str], parameters: DigestParameters) -> None:
    documents = [Document(str(i), text) for i, text in enumerate(texts)]
    segments = segment(documents, parameters)
    for i, document in enumerate(documents):
        assert (rows(segments, i), int(segments.short[i])) == reference(document, parameters)


def test_marks_that_compose_with_nothing_are_folded_in_the_pass() -> None:
    document = Document("d", "กุ้ง ภาษาไทยมีวรรณยุกต์ त्य र्त ㇷ゚ あ゙。" * 3)
    assert rows(segment([document], DigestParameters()), 0) == reference(document, DigestParameters())[0]


@given(PIECES, st.lists(st.integers(0, 40), max_size=6))
def test_blocks_bound_segments(text: str, edges: list[int]) -> None:
    edges = sorted({min(e, len(text)) for e in edges})
    blocks = tuple(Block(Span(a, b)) for a, b in zip(edges[::2], edges[1::2], strict=False))
    document = Document("d", text, blocks=blocks)
    parameters = DigestParameters(min_segment=1)
    assert rows(segment([document], parameters), 0) == reference(document, parameters)[0]


def test_ruby_is_cut_before_segmenting_and_offsets_point_into_the_original() -> None:
    text = "［＃ここから二字下げ。終わり］吾輩《わがはい》は猫である。｜名前《なまえ。》はまだ無い。"
    parameters = DigestParameters(ruby=True)
    cut_rows = rows(segment([Document("d", text)], parameters), 0)
    plain = rows(segment([Document("d", "吾輩は猫である。名前はまだ無い。")], parameters), 0)
    assert [(f, n) for f, _, _, n in cut_rows] == [(f, n) for f, _, _, n in plain]
    assert [text[a:b] for _, a, b, _ in cut_rows] == ["吾輩《わがはい》は猫である。", "名前《なまえ。》はまだ無い。"]


@pytest.mark.slow
@given(
    st.lists(st.sampled_from(["猫", "《ねこ》", "｜", "。", "［＃注。］", "犬である", "\n"]), max_size=20).map("".join)
)
def test_ruby_gives_what_the_text_without_it_gives(text: str) -> None:
    plain, at = "", 0
    for a, b in ruby_spans(text):
        plain, at = plain + text[at:a], b
    plain += text[at:]
    parameters = DigestParameters(ruby=True, min_segment=1)
    got = rows(segment([Document("d", text)], parameters), 0)
    expected = reference(Document("d", plain), replace(parameters, ruby=False))[0]
    assert [(f, n) for f, _, _, n in got] == [(f, n) for f, _, _, n in expected]
    assert all(0 <= a < b <= len(text) for _, a, b, _ in got)


@pytest.mark.parametrize("size", [1, 10, 1000])
def test_batches_hold_every_document_once_in_order(size: int) -> None:
    documents = [Document(str(i), "あ" * (i % 7)) for i in range(50)]
    parts = list(batches(iter(documents), size))
    assert [d for part in parts for d in part] == documents
    assert all(len(part) == 1 or sum(len(d.text) for d in part) <= size for part in parts)


def test_a_document_gives_the_same_segments_in_any_batch() -> None:
    documents = [Document(str(i), "文の終わりは句点。" * i + "e\u0301 はどうか") for i in range(6)]
    together = segment(documents, DigestParameters())
    for i, document in enumerate(documents):
        alone = segment([document], DigestParameters())
        assert rows(alone, 0) == rows(together, i)
        own = np.arange(*together.bounds[i : i + 2])
        assert np.array_equal(alone.spellings(own - own[0]), together.spellings(own))


@pytest.mark.parametrize("text", ["ﷺ" * 3000, "字" * 5000 + "。" + "㍿" * 3000 + "。", "あ。" * 3000])
@pytest.mark.parametrize("bits", [32, 64])
def test_long_pieces_equal_the_reference(text: str, bits: int) -> None:
    document, parameters = Document("d", text), DigestParameters(min_segment=1, bits=bits)
    segments = segment([Document("before", "あいうえお。"), document], parameters)
    assert (rows(segments, 1), int(segments.short[1])) == reference(document, parameters)
