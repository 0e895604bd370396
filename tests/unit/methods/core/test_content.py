from __future__ import annotations

from dataclasses import replace
from itertools import chain
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.methods.corpora import Collection
from workbench.base.errors import UserError
from workbench.base.gaps import Gaps
from workbench.base.progress import NullProgress
from workbench.base.types import (
    Block,
    BlockClass,
    Document,
    Extraction,
    IntegrityFlag,
    Matches,
    Results,
    Role,
    Span,
    Tier,
)
from workbench.methods.core import registry
from workbench.methods.core.content import WITHOUT_CONTENT, Offsets, content_view, mapped
from workbench.text.left_out import hidden_words

MENU = "ここは全てのページにある案内です。目次と連絡先はこちら。著作権は当社にあります。"
COPY = "最初の文はこれである。次の文はこれである。三つ目の文はこれである。四つ目の文もある。"
OWN = "別の話題について書いた文である。誰も写していない。そう思われる。"


def page(key: int, role: Role, parts: list[tuple[str, BlockClass]]) -> Document:
    blocks, at = [], 0
    for text, verdict in parts:
        blocks.append(Block(Span(at, at + len(text)), verdict=verdict))
        at += len(text) + 1
    return Document(f"d{key}", "\n".join(t for t, _ in parts), role, key, blocks=tuple(blocks))


YES, NO = BlockClass.CONTENT, BlockClass.NON_CONTENT


def detect(documents: list[Document], folder: Path, **parameters: object):
    method = registry.get("digest")
    settings = method.parameters.parse(parameters)
    corpus = Collection(documents)
    method.prepare(corpus, settings, folder, NullProgress())
    suspects = [d for d in documents if d.role is Role.SUSPECT]
    return method.detect(method.load(folder, settings), suspects, settings, NullProgress())


def test_a_template_shared_by_two_pages_is_not_a_match_and_a_copy_is_found_where_it_is(tmp_path: Path):
    a = page(2, Role.SUSPECT, [(MENU, NO), (OWN, YES), (COPY, YES), (MENU, NO)])
    b = page(1, Role.SOURCE, [(MENU, NO), (COPY, YES)])
    (match,) = detect([b, a], tmp_path).matches
    assert a.text[slice(*match.a_span)] == b.text[slice(*match.b_span)] == COPY
    whole = tmp_path / "whole"
    whole.mkdir()
    assert len(detect([b, a], whole, content=False).matches) > 1


def test_a_passage_interrupted_by_a_non_content_block_reaches_over_it(tmp_path: Path):
    cut = COPY.index("三")
    first, second = COPY[:cut], COPY[cut:]
    a = page(2, Role.SUSPECT, [(first, YES), ("広告", NO), (second, YES)])
    b = page(1, Role.SOURCE, [(COPY, YES)])
    (match,) = detect([b, a], tmp_path).matches
    assert match.a_span == (0, len(a.text))
    assert [a.text[slice(*gap)].strip() for gap in match.a_gaps] == ["広告"]
    assert match.b_gaps == ()


def test_halves_with_an_advert_between_them_are_not_the_same_character_for_character(tmp_path: Path):
    cut = COPY.index("三")
    halves = [(COPY[:cut], YES), ("広告", NO), (COPY[cut:], YES)]
    plain = page(1, Role.SOURCE, [(COPY[:cut], YES), (COPY[cut:], YES)])
    for number, (parts, tier) in enumerate(((halves, Tier.ALTERED), (halves[::2], Tier.EXACT))):
        folder = tmp_path / str(number)
        folder.mkdir()
        (match,) = detect([plain, page(2, Role.SUSPECT, parts)], folder).matches
        assert match.evidence["tier"] == tier
    (tmp_path / "both").mkdir()
    (match,) = detect([page(1, Role.SOURCE, halves), page(2, Role.SUSPECT, halves)], tmp_path / "both").matches
    assert match.evidence["tier"] == Tier.EXACT


def test_gaps_lead_back_to_the_whole_texts():
    document = page(2, Role.SUSPECT, [("menu", NO), ("copied", YES), ("advert", NO), ("own and copied", YES)])
    view, rows = content_view(document)
    offsets = Offsets(np.array(rows, np.int64))
    own = Span(view.text.index("own"), view.text.index("own") + 4)
    places = np.array([[2], [1], [0], [len(view.text)], [0], [9]], np.int64)
    gaps = Gaps.of([(0, 0, *own), (0, 1, 3, 5)])
    columns = Matches(*places, np.ones(1), np.full(1, Tier.ALTERED, np.int8), gaps=gaps)
    (match,) = mapped(Results(columns), offsets, Offsets(np.zeros((0, 3), np.int64))).matches
    assert [document.text[slice(*gap)] for gap in match.a_gaps] == ["\nadvert\nown "]
    assert match.b_gaps == (Span(3, 5),)


def test_documents_that_the_index_does_not_hold_lead_back_to_their_own_texts(tmp_path: Path):
    b = page(1, Role.SOURCE, [(MENU, NO), (COPY, YES)])
    method = registry.get("copied-strings")
    settings = method.parameters.parse({"min_length": 15})
    method.prepare(Collection((b, page(2, Role.SOURCE, [(MENU, YES)]))), settings, tmp_path, NullProgress())
    a = page(3, Role.SUSPECT, [(MENU, NO), (OWN, YES), (MENU, NO), (COPY, YES)])
    results = method.detect(method.load(tmp_path, settings), [a], settings, NullProgress())
    (match,) = results.matches
    assert a.text[slice(*match.a_span)] == b.text[slice(*match.b_span)] == COPY
    assert results.scores[0].evidence["longest"] == len(COPY)


def test_a_page_without_content_is_counted(tmp_path: Path):
    a = page(2, Role.SUSPECT, [(COPY, NO)])
    results = detect([page(1, Role.SOURCE, [(COPY, YES)]), a], tmp_path)
    assert not len(results.matches)
    assert results.excluded[WITHOUT_CONTENT] == 1


def test_an_explanation_says_what_was_left_out_and_points_into_the_whole_text():
    a = page(2, Role.SUSPECT, [(MENU, NO), (COPY, YES)])
    b = page(1, Role.SOURCE, [(COPY, YES)])
    method = registry.get("digest")
    explanation = method.explain(a, b, method.parameters.parse({}))
    assert explanation.matched
    assert explanation.reasons[0].rule == "content blocks"
    spans = [r.a_span for r in explanation.reasons if r.a_span]
    assert spans
    assert all(span.start >= len(MENU) + 1 for span in spans)


def test_an_index_without_its_offsets_is_damaged(tmp_path: Path):
    detect([page(1, Role.SOURCE, [(COPY, YES)]), page(2, Role.SUSPECT, [(COPY, YES)])], tmp_path)
    (tmp_path / "content.npy").write_bytes(b"nothing")
    method = registry.get("digest")
    with pytest.raises(UserError, match="damaged"):
        method.load(tmp_path, method.parameters.parse({}))


@pytest.mark.slow
@given(st.lists(st.tuples(st.text("abc\n", min_size=1, max_size=6), st.sampled_from([YES, NO])), max_size=8), st.data())
def test_offsets_lead_back_to_the_same_characters(parts: list[tuple[str, BlockClass]], data: st.DataObject):
    document = page(7, Role.SOURCE, parts)
    view, rows = content_view(document)
    content = [t for t, v in parts if v is YES]
    assert view.text == "\n".join(content)
    assert [view.text[slice(*b.span)] for b in view.blocks] == content
    if not view.text:
        return
    offsets = Offsets.of([*chain(*rows, (3 << 32, 5, 9), *rows)] if rows else [])
    start = data.draw(st.integers(0, len(view.text) - 1))
    end = data.draw(st.integers(start + 1, len(view.text)))
    span = offsets.span(7, Span(start, end))
    assert 0 <= span.start <= span.end <= len(document.text)
    inside = [b.span for b in view.blocks if b.span.start <= start < b.span.end]
    if inside:
        assert document.text[span.start] == view.text[start]
    if any(b.span.start < end <= b.span.end for b in view.blocks):
        assert document.text[span.end - 1] == view.text[end - 1]
    keys = np.full(1, 8, np.int64)
    assert offsets.starts(keys, np.array([start]))[0] == start


@given(st.lists(st.tuples(st.text("ab", min_size=1, max_size=6), st.sampled_from([YES, NO])), max_size=8), st.data())
def test_within_its_limits_a_match_covers_only_what_its_view_holds(
    parts: list[tuple[str, BlockClass]], data: st.DataObject
):
    document = page(7, Role.SOURCE, parts)
    view, rows = content_view(document)
    if not view.text:
        return
    offsets = Offsets.of([*chain(*rows)] if rows else [])
    start = data.draw(st.integers(0, len(view.text) - 1))
    end = data.draw(st.integers(start + 1, len(view.text)))
    keys, first, last = (np.array([value], np.int64) for value in (7, start, end))
    whole = offsets.span(7, Span(start, end))
    left_out = list(zip(*(column.tolist() for column in offsets.left_out(keys, first, last)), strict=True))
    covered = "".join(
        character
        for at, character in enumerate(document.text[slice(*whole)], whole.start)
        if not any(begin <= at < until for _, begin, until in left_out)
    )
    assert covered.replace("\n", "") == view.text[start:end].replace("\n", "")
    assert not any(len(column) for column in offsets.left_out(keys + 1, first, last))


@given(
    st.lists(st.tuples(st.text("abc ", min_size=1, max_size=12), st.sampled_from([YES, NO])), min_size=1, max_size=5),
    st.lists(st.tuples(st.integers(0, 60), st.integers(1, 5)), max_size=6),
    st.booleans(),
)
def test_a_view_without_hidden_words_leads_back_to_the_characters_that_remain(
    parts: list[tuple[str, BlockClass]], places: list[tuple[int, int]], has_blocks: bool
):
    whole = page(7, Role.SOURCE, parts)
    size = len(whole.text)
    spans = tuple(sorted(Span(min(x, size), min(x + length, size)) for x, length in places))
    extraction = Extraction(integrity=(IntegrityFlag("hidden-by-style", 0, spans),))
    whole = replace(whole, extraction=extraction, blocks=whole.blocks if has_blocks else ())
    view, rows = content_view(whole)
    hidden = {at for span in hidden_words(whole) for at in range(*span)}
    blocks = [b.span for b in whole.blocks if b.verdict is YES] if has_blocks else [Span(0, size)]
    kept = [[at for at in range(*span) if at not in hidden] for span in blocks]
    assert view.text.replace("\n", "") == "".join(whole.text[at] for at in chain(*kept)).replace("\n", "")
    if view is whole:
        return
    assert [view.text[slice(*b.span)] for b in view.blocks] == [
        "".join(whole.text[at] for at in of_block) for of_block in kept if of_block and has_blocks
    ]
    offsets = Offsets(np.array(rows, np.int64).reshape(-1, 3))
    keys = np.full(len(view.text), 7)
    at = np.arange(len(view.text))
    own = np.array([character != "\n" for character in view.text], np.bool_)
    starts, ends = offsets.starts(keys, at), offsets.ends(keys, at + 1)
    assert [whole.text[x] for x in starts[own]] == [c for c in view.text if c != "\n"]
    assert (ends[own] == starts[own] + 1).all()
    assert not hidden & set(starts[own].tolist())


HIDDEN_WORDS = "決して見えない言葉がここに十六字"


def test_words_hidden_within_a_copy_neither_hinder_finding_it_nor_count(tmp_path: Path):
    cut = COPY.index("次") + 3
    text = OWN + "\n" + COPY[:cut] + HIDDEN_WORDS + COPY[cut:]
    start = text.index(HIDDEN_WORDS)
    flag = IntegrityFlag("hidden-by-style", len(HIDDEN_WORDS), (Span(start, start + len(HIDDEN_WORDS)),))
    a = Document("a", text, Role.SUSPECT, 2, extraction=Extraction(integrity=(flag,)))
    b = page(1, Role.SOURCE, [(COPY, YES)])
    (match,) = detect([b, a], tmp_path).matches
    assert text[slice(*match.a_span)] == COPY[:cut] + HIDDEN_WORDS + COPY[cut:]
    assert match.a_gaps == (Span(start, start + len(HIDDEN_WORDS)),)
    assert match.evidence["tier"] == Tier.ALTERED
    method = registry.get("digest")
    (first, *_) = method.explain(a, b, method.parameters.parse({})).reasons
    assert "16 characters of a are hidden among visible words" in str(first.detail)
