from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.base.messages import Message
from workbench.base.types import Document
from workbench.methods.rare_sentences.deciding import Related, scored
from workbench.methods.rare_sentences.pages import Pages
from workbench.methods.rare_sentences.parameters import RareSentencesParameters
from workbench.methods.rare_sentences.relations import Facts, decide, interval
from workbench.reading.web.urls import canonical, url_similarity

URLS = ("", "http://news.example.org/2008/a.html", "http://news.example.org/2008/b.html", "https://other.net/100%25/x")
DATES = ("", "2008", "2008-05-01", "2009-01-01", "unknown")
PAGES = st.builds(
    Document,
    id=st.just(""),
    text=st.just(""),
    url=st.sampled_from(URLS),
    site=st.sampled_from(("", "news.example.org")),
    published=st.sampled_from(DATES),
    links=st.lists(st.sampled_from((*URLS, "mailto:x", "http://else.org/")), max_size=4).map(tuple),
)
PAIRS = st.tuples(st.integers(0, 5), st.integers(0, 5), *(st.integers(1, 400) for _ in range(4)))


def links(a: Document, b: Document) -> bool:
    return bool(b.url and canonical(b.url)) and canonical(b.url) in {canonical(link) for link in a.links}


def address(page: Document) -> str:
    return page.url or (f"//{page.site}/" if page.site else "")


@pytest.mark.slow
@given(
    st.lists(PAGES, min_size=6, max_size=6),
    st.lists(st.integers(1, 900), min_size=6, max_size=6),
    st.lists(PAIRS, max_size=12),
    st.booleans(),
)
def test_pairs_are_decided_as_each_of_them_alone(
    documents: list[Document], sizes: list[int], drawn: list[tuple[int, int, int, int, int, int]], top_level: bool
) -> None:
    p = replace(RareSentencesParameters(), top_level=top_level)
    # What two pages share is part of both.
    rows = [(a, b, n, min(size, sizes[a], sizes[b]), q, r) for a, b, n, size, q, r in drawn]
    table = np.array(rows, np.int64).reshape(-1, 6).T
    pages = Pages.of(documents, np.array(sizes, np.int64))
    related = Related.of(pages, table[0], pages, table[1], table[3], p)
    counts = dict(zip(("sentences", "characters", "quoted_a", "quoted_b"), table[2:], strict=True))
    pairs = scored((table[0], table[1]), related, counts, p.thresholds)
    assert len(pairs) == len(rows)
    for (a, b, sentences, characters, quoted_a, quoted_b), pair in zip(rows, pairs, strict=True):
        x, y = documents[a], documents[b]
        alike = url_similarity(address(x), address(y), every_top_level=top_level) if address(x) and address(y) else None
        facts = Facts(
            2 * characters / (sizes[a] + sizes[b]),
            characters / min(sizes[a], sizes[b]),
            sizes[a] > sizes[b],
            alike,
            links(x, y),
            links(y, x),
            interval(x.published),
            interval(y.published),
        )
        decision = decide(facts, p.thresholds)
        assert (pair.a, pair.b) == (a, b)
        assert (pair.score, pair.resemblance, pair.containment) == (facts.overlap, facts.overlap, facts.simpson)
        assert pair.relation == decision.relation
        assert pair.evidence == {
            "sentences": sentences,
            "characters": characters,
            "characters_a": sizes[a],
            "characters_b": sizes[b],
            "quoted_a": quoted_a,
            "quoted_b": quoted_b,
            "link_ab": facts.link_ab,
            "link_ba": facts.link_ba,
            **({} if alike is None else {"url_similarity": round(alike, 6)}),
            "direction": decision.direction,
            "decision": "; ".join(decision.steps),
            "direction_reason": decision.direction_step,
        }
        written = pair.evidence["decision"]
        assert isinstance(written, Message)
        assert written.stored() == Message.joined("; ", decision.steps).stored()


def test_dates_that_touch_are_told_from_dates_that_overlap_beside_them() -> None:
    dates = ("2008", "2008-05-01", "2009-01-01")
    pages = Pages.of([Document("", "", published=date) for date in dates], np.array([100, 100, 100], np.int64))
    p = RareSentencesParameters()
    a, b, shared = np.array([0, 0, 2]), np.array([1, 2, 0]), np.array([90, 90, 90])
    related = Related.of(pages, a, pages, b, shared, p)
    counts = dict.fromkeys(("sentences", "characters", "quoted_a", "quoted_b"), shared)
    ways = [str(pair.evidence["direction"]) for pair in scored((a, b), related, counts, p.thresholds)]
    assert ways == ["cannot tell", "b from a", "a from b"]
