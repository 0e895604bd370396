"""Sentences that methods, readers and reports make, in the interface language."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from workbench.base.types import Document
from workbench.gui import i18n
from workbench.gui.sentences import told
from workbench.gui.views.review.reporting import report_words
from workbench.methods import registry


@pytest.fixture(params=["ja", "zh"])
def language(request: pytest.FixtureRequest) -> Iterator[str]:
    i18n.use(request.param)
    yield request.param
    i18n.use("en")


def test_figures_and_names_stand_in_the_translated_sentence(language: str) -> None:
    said = told("The row has 3 columns, the header 12.")
    assert "3" in said
    assert "12" in said
    assert "row" not in said


def test_what_is_filled_in_and_what_is_said_after_is_translated_too(language: str) -> None:
    assert "suspect" not in told("text of suspect")
    long = told("12 sentences kept, 3 shorter than 6 characters dropped (such as “prose of one passage”)")
    assert "“prose of one passage”" in long
    assert all(word not in long for word in ("kept", "dropped", "such as"))
    assert "passage" not in told("One passage matches; the longest has 4 sentences.")


def test_names_from_files_are_left_as_they_are(language: str) -> None:
    assert "passage" in told("The field passage is no text.")
    assert told("A title. Something no method says.") == "A title. Something no method says."


def test_english_stays_english(qapp: object) -> None:
    i18n.use("en")
    assert told("text of suspect") == "text of suspect"


def test_a_report_is_in_one_language(language: str) -> None:
    words = report_words()
    assert words["en"] == language
    same = [text for text, translated in words.items() if text == translated]
    assert same == []


CAT = "吾輩は猫である。名前はまだ無い。" * 9


@pytest.mark.parametrize("method", registry.names())
@pytest.mark.parametrize("texts", [("", "source text"), (CAT, CAT), ("甲。" * 9, "乙。" * 9)])
def test_explanations_are_wholly_translated(method: str, texts: tuple[str, str]) -> None:
    i18n.use("ja")
    chosen = registry.get(method)
    a, b = (Document(f"{n}", text, key=n + 1) for n, text in enumerate(texts))
    explanation = chosen.explain(a, b, chosen.parameters())
    said = [explanation.summary, *(text for r in explanation.reasons for text in (r.rule, r.detail))]
    left = [text for text in said if _has_english(text) and told(text) == text]
    i18n.use("en")
    assert left == []


def _has_english(text: str) -> bool:
    return any("a" <= c <= "z" for c in text)
