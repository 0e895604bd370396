import pytest

from tests.golden.blocks import ARTICLES, DATA, PAGES, by_rule, by_selector, quality, samples

pytestmark = pytest.mark.skipif(
    not all((DATA / corpus).is_dir() for corpus in (*ARTICLES, PAGES)),
    reason="the real texts are not beside the repository",
)


# Each corpus is read once for all tests of it.
@pytest.mark.parametrize(
    ("corpus", "f1"),
    [("articles_en", 0.763), pytest.param("articles_zh", 0.895, marks=pytest.mark.rest), (PAGES, 0.756)],
)
def test_the_rule_of_the_thesis_is_what_it_was(corpus: str, f1: float) -> None:
    """It is a definition: any drift is one of the text or its blocks."""
    pages = samples(DATA, corpus)
    assert quality(corpus, [(s, by_rule("kang")(s)) for s in pages]).f1 == pytest.approx(f1, abs=0.004)


@pytest.mark.parametrize("corpus", ["articles_en", pytest.param("articles_zh", marks=pytest.mark.rest), PAGES])
def test_all_blocks_hold_all_the_text(corpus: str) -> None:
    assert quality(corpus, [(s, by_rule("all")(s)) for s in samples(DATA, corpus)]).recall > 0.995


def test_selectors_take_what_their_author_took() -> None:
    figure = quality(PAGES, [(s, by_selector(s)) for s in samples(DATA, PAGES)])
    assert figure.f1 > 0.99


def test_the_default_rule_is_no_worse_than_its_second_opinion_on_pages_that_nothing_was_fitted_on() -> None:
    import trafilatura

    pages = samples(DATA, PAGES)
    theirs = quality(
        PAGES, [(s, trafilatura.extract(s.markup, include_comments=False, fast=True) or "") for s in pages]
    )
    ours = quality(PAGES, [(s, by_rule("default")(s)) for s in pages])
    assert ours.f1 > theirs.f1
    assert ours.f1 > 0.88
