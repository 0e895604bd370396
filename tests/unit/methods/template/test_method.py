from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.base.progress import NullProgress
from workbench.base.types import Document
from workbench.kernels.character_suffixes import (
    character_lcp,
    character_suffix_array,
    dense_characters,
    substring_frequencies,
)
from workbench.methods.template import METHOD, TemplateParameters, find_templates


@pytest.mark.slow
@given(st.lists(st.text("ab", max_size=12), min_size=1, max_size=5), st.integers(1, 4))
def test_substring_frequencies_equal_a_count_of_all_substrings(texts, shortest):
    ids = dense_characters([np.frombuffer(t.encode("utf-32-le"), np.uint32) for t in texts])
    suffixes = character_suffix_array(ids)
    different, longest, place = substring_frequencies(character_lcp(ids, suffixes), shortest)
    counted = Counter(t[i:j] for t in texts for i in range(len(t)) for j in range(i + shortest, len(t) + 1))
    by_frequency = Counter(f for f in counted.values() if f >= 2)
    assert {f: int(different[f]) for f in np.flatnonzero(different)} == by_frequency
    joined = "\0".join(texts) + "\0"
    for f in by_frequency:
        start = suffixes[place[f]]
        text = joined[start : start + longest[f]]
        assert counted[text] == f
        assert len(text) == max(len(s) for s, n in counted.items() if n == f)


def test_the_form_of_generated_entries_is_found():
    rng = np.random.default_rng(0)
    words = ["".join(map(chr, rng.integers(0x4E00, 0x5500, 5))) for _ in range(300)]
    own = ["".join(words[min(i, 300) - 1] for i in rng.zipf(1.5, 30)) for _ in range(60)]
    form = "今日は{}について詳しく調べてみましたので、最後まで読んでください。"
    generated = [form.format(words[-1 - i]) for i in range(40)]
    templates = find_templates([*own, *generated], TemplateParameters(min_length=8), NullProgress())
    assert any("について詳しく調べてみましたので" in t for t in templates)


def test_a_corpus_without_repetition_has_no_template():
    assert find_templates(["一つだけの文である。", "まったく別の話。"], TemplateParameters(), NullProgress()) == []


@pytest.mark.parametrize("length", range(15, 45, 3))
@pytest.mark.parametrize("deviation", [0.0, 1.0])
def test_frequencies_with_as_many_strings_each_are_on_the_line_and_none_is_above_it(length, deviation):
    letters = iter(map(chr, range(0x4E00, 0x9000)))
    shared = {frequency: "".join(next(letters) for _ in range(length)) for frequency in (2, 3, 5)}
    texts = [next(letters) + text + next(letters) for frequency, text in shared.items() for _ in range(frequency)]
    assert find_templates(texts, TemplateParameters(deviation=deviation), NullProgress()) == []


def test_the_list_of_templates_survives_storing(tmp_path):
    (tmp_path / "templates.json").write_text('{"templates": ["同じ文句"]}', encoding="utf-8")
    assert METHOD.load(tmp_path, TemplateParameters()) == ["同じ文句"]


def test_a_long_text_that_repeats_itself_is_cut_in_linear_time():
    texts = ["あ" * 200_000, "いろは" * 50_000, "いろはに" * 10_000]
    templates = find_templates(texts, TemplateParameters(templates=5), NullProgress())
    assert all(any(template in text for text in texts) for template in templates)


def test_the_search_continues_below_the_limit_and_begins_alike():
    rng = np.random.default_rng(0)
    words = ["".join(map(chr, rng.integers(0x4E00, 0x5500, 5))) for _ in range(100)]
    texts = ["".join(words[min(i, 100) - 1] for i in rng.zipf(1.5, 30)) for _ in range(40)]
    few = find_templates(texts, TemplateParameters(templates=50, min_length=6), NullProgress())
    more = find_templates(texts, TemplateParameters(templates=50, min_length=6, go_on=True), NullProgress())
    assert len(few) < len(more)
    assert more[: len(few)] == few
    assert more[:10] == find_templates(
        texts, TemplateParameters(templates=10, min_length=6, go_on=True), NullProgress()
    )


@pytest.mark.parametrize(
    ("text", "template", "covered"),
    [("=" * 29, "=" * 15, 29), ("☆★" * 12, "☆★" * 8, 24), ("abaxaba", "aba", 6), ("ababa", "aba", 5), ("b", "a", 0)],
)
def test_characters_of_overlapping_occurrences_count(text, template, covered):
    (score,) = METHOD.detect([template], [Document("d", text)], TemplateParameters(), NullProgress()).scores
    assert score.score == covered


def test_an_explanation_of_one_document_says_how_much_of_it_is_in_templates():
    template, parameters = "毎日更新しているおすすめの記事です。", TemplateParameters()
    one, other = Document("d1", "前" * 8 + template, key=1), Document("d2", template + "後", key=2)
    (score,) = METHOD.detect([template, "別の文"], [one], parameters, NullProgress()).scores
    alone = METHOD.explain(one, one, parameters, [template, "別の文"])
    assert alone.summary == f"{score.score:g} of the {len(one.text)} characters of d1 are in templates."
    assert METHOD.explain(one, one, parameters, ["別の文"]).summary == "d1 contains no template."
    pair = METHOD.explain(one, other, parameters, [template, "別の文"])
    assert pair.summary == "1 template occurs in both documents."
    assert [str(r.detail) for r in alone.reasons] == [str(r.detail) for r in pair.reasons] == [template]
