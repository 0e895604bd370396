"""Two pages through skeleton, edit script, regions and thresholds."""

from __future__ import annotations

import random
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.base.progress import NullProgress
from workbench.methods.trustable_lcs.pair import Examined, PageText, Step, edit_curve, examine, shares
from workbench.methods.trustable_lcs.parameters import TrustableParameters
from workbench.text.languages import detect_language

LETTERS = "".join(map(chr, range(0x4E00, 0x5000)))


def prose(n: int, seed: int) -> str:
    return "".join(random.Random(seed).choices(LETTERS, k=n))


def pair(a: str, b: str, **settings: Any) -> Examined:
    parameters = TrustableParameters(**settings)
    return examine(PageText.of(a, parameters), PageText.of(b, parameters), parameters, NullProgress())


PIECES = st.lists(st.sampled_from([prose(30, i) for i in range(6)] + ["abc", "。"]), max_size=8).map("".join)


@given(PIECES, PIECES, st.integers(1, 12), st.integers(1, 4), st.sampled_from([0.0, 0.1, 0.5, 2.0]))
def test_the_skeletons_bound_is_never_exceeded(a: str, b: str, window: int, regions: int, slope: float) -> None:
    settings = {"window": window, "max_regions": regions, "slope": slope, "min_gain": 1}
    examined = pair(a, b, min_resemblance=0.0, **settings)
    assert examined.resemblance <= examined.bound[0]
    assert max(examined.containment) <= examined.bound[1]
    refused = pair(a, b, min_resemblance=0.3, min_containment=0.7, **settings)
    similar = examined.resemblance >= 0.3 or max(examined.containment) >= 0.7
    assert (refused.step is Step.SIMILAR) == (similar and examined.common > 0)


@given(PIECES, PIECES, st.integers(1, 12), st.sampled_from([0.1, 0.3, 0.6]), st.sampled_from([0.4, 0.7, 1.0]))
def test_what_is_refused_without_counts_is_refused_with_them(
    a: str, b: str, window: int, resemblance: float, containment: float
) -> None:
    p = TrustableParameters(window=window, min_resemblance=resemblance, min_containment=containment)
    pages = PageText.of(a, p), PageText.of(b, p)
    whole, quick = (examine(*pages, p, NullProgress(), counts=counts) for counts in (True, False))
    assert quick.step is whole.step
    assert (quick.sizes, quick.edits, quick.common) == (whole.sizes, whole.edits, whole.common)


@pytest.mark.slow
@given(PIECES, PIECES, st.integers(1, 4))
def test_no_character_is_counted_twice_and_matches_are_equal(a: str, b: str, regions: int) -> None:
    examined = pair(a, b, min_resemblance=0.0, max_regions=regions, min_gain=1, window=4)
    here = np.concatenate([np.zeros(0, np.int64), *(r.a for r in examined.regions)])
    there = np.concatenate([np.zeros(0, np.int64), *(r.b for r in examined.regions)])
    assert len(set(here.tolist())) == len(here) == len(set(there.tolist()))
    assert all(a[i] == b[j] for i, j in zip(here.tolist(), there.tolist(), strict=True))
    for region in examined.regions:
        covered = {x for start, end in region.parts for x in range(start, end)}
        assert set(region.a.tolist()) <= covered


@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=50).filter(str.strip))
def test_identical_pages_have_exactly_one(text: str) -> None:
    examined = pair(text, text)
    assert examined.step is Step.SIMILAR
    assert (examined.resemblance, *examined.containment) == (1.0, 1.0, 1.0)
    assert [r.parts for r in examined.regions] == [((0, len(text)),)]
    assert examined.edits == 0


def test_pages_without_text_are_not_similar() -> None:
    assert pair("", "").step is Step.EMPTY
    assert pair(" \n", " \n").step is Step.EMPTY
    assert shares(0, (0, 5)) == (0.0, 0.0, 0.0)


def test_containment_tells_the_directions_apart() -> None:
    part = prose(200, 1)
    examined = pair(part, prose(600, 2) + part + prose(600, 3))
    assert examined.step is Step.SIMILAR
    assert examined.containment == (1.0, 200 / 1400)


def test_template_text_of_a_site_around_different_articles_is_not_trusted() -> None:
    def pair(a: str, b: str) -> Examined:
        parameters = TrustableParameters()
        return examine(PageText.of(a, parameters, 0), PageText.of(b, parameters, 0), parameters, NullProgress())

    head, foot = prose(150, 1), prose(150, 2)
    examined = pair(head + prose(500, 3) + foot, head + prose(500, 4) + foot)
    assert examined.step is Step.SKELETON or examined.step is Step.THRESHOLDS
    longer = pair(head + prose(300, 3) + foot, head + prose(300, 4) + foot)
    assert longer.step is Step.THRESHOLDS
    assert longer.common <= 150


def test_a_moved_paragraph_is_found_by_a_further_region() -> None:
    first, second, third = (prose(200, i) for i in range(3))
    a, b = first + second + third, third + first + second
    once = pair(a, b, max_regions=1)
    assert once.common == 400
    twice = pair(a, b, max_regions=5)
    assert twice.common == 600
    assert twice.resemblance == 1.0
    assert len(twice.regions) == 2


def test_what_translations_share_counts_once() -> None:
    code = [prose(100, i) for i in range(2)]
    japanese, chinese = "これはそのとおりである。" * 40, "这是这样的说明文字内容。" * 40
    a, b = (code[0] + words + code[1] for words in (japanese, chinese))
    assert [detect_language(text) for text in (a, b)] == ["ja", "zh"]
    assert len(pair(a, b, min_resemblance=0.0).regions) == 1
    assert len(pair(a, code[0] + "別のことである。" * 60 + code[1], min_resemblance=0.0).regions) == 2


ENGLISH = "The printer is set up as is shown here, and it is then ready for the work of the day. "
GERMAN = "Der Drucker wird wie hier gezeigt eingerichtet und ist danach bereit für die Arbeit. "
JAPANESE, CHINESE = "これは印刷機の設定についての説明である。", "这是关于打印机设置的说明文字内容。"


@pytest.mark.parametrize(("own", "other"), [(JAPANESE, CHINESE), (ENGLISH, JAPANESE), (ENGLISH, GERMAN)])
def test_pages_that_differ_in_language_are_refused_however_much_code_they_share(own: str, other: str) -> None:
    code = "".join(f"d-i partman-auto/method_{i} string lvm {i * 7919}\n" for i in range(200))
    examined = pair(code + own * 12, code + other * 12)
    assert examined.resemblance > 0.7
    assert examined.step is Step.LANGUAGES
    assert pair(code + own * 12, code + other * 12, translations=True).step is Step.SIMILAR
    assert pair(code + own * 12, code + own[len(own) // 3 :] * 12).step is Step.SIMILAR


def test_slips_in_one_letter_of_ten_make_no_other_language() -> None:
    rng = random.Random(3)
    text = "".join(
        f"{ENGLISH}It was number {i} of the {i * 7} that we had seen on our way to the town. " for i in range(60)
    )
    copy = "".join(rng.choice("abcdefghijklmnopqrstuvwxyz") if rng.random() < 0.1 else c for c in text)
    assert pair(text, copy, slope=1.0).step is Step.SIMILAR


def test_scattered_changes_have_no_language() -> None:
    words = (ENGLISH * 30).split(" ")
    changed = [random.Random(i).choice(["xq", "vel", "ond", w]) if i % 4 == 0 else w for i, w in enumerate(words)]
    assert pair(" ".join(words), " ".join(changed), slope=1.0).step is Step.SIMILAR


def test_windows_have_twice_as_many_letters_of_an_alphabet() -> None:
    assert pair("abcdefg" + "uvwxyz" * 5, "abcdefg" + "123456" * 5, min_resemblance=0.0).skeletons == (0, 0)
    assert pair("abcdefgh" + "uvwxyz" * 5, "abcdefgh" + "123456" * 5, min_resemblance=0.0).skeletons == (8, 8)
    a, b = (prose(4, 1) + prose(30, seed) for seed in (2, 3))
    assert pair(a, b, min_resemblance=0.0).skeletons == (4, 4)


def test_paragraphs_in_reverse_order_need_as_many_regions() -> None:
    parts = [prose(100, i) for i in range(5)]
    examined = pair("".join(parts), "".join(reversed(parts)), max_regions=10, min_gain=20, slope=0.15)
    assert examined.common > 480  # single characters may match across paragraphs
    assert len(examined.regions) == 5


def test_a_region_across_a_gap_is_given_in_its_parts() -> None:
    first, moved, last = (prose(120, i) for i in range(3))
    a, b = first + moved + last, moved + first + last
    examined = pair(a, b, max_regions=3)
    assert examined.common == 360
    spans = sorted(part for region in examined.regions for part in region.parts)
    assert all(x[1] <= y[0] for x, y in pairwise(spans))


def test_small_gains_end_the_search() -> None:
    parts = [prose(100, i) for i in range(3)]
    examined = pair("".join(parts), "".join(reversed(parts)), max_regions=10, min_gain=101)
    assert len(examined.regions) == 1


def test_width_case_and_white_space_count_as_equal_when_asked() -> None:
    a, b = "ABC社は１９９０年に設立。\u3000本社は東京都に在る。", "abc社は1990年に設立。 本社は東京都に在る。"
    assert pair(a, b).resemblance == 1.0
    assert pair(a, b, fold=False).resemblance < 1.0
    assert pair("國體の變革を圖る者は", "国体の変革を図る者は").resemblance == 1.0
    assert pair("國體の變革を圖る者は", "国体の変革を図る者は", variants="none").resemblance < 1.0


def test_pages_that_differ_over_too_long_a_stretch_are_refused() -> None:
    words = [prose(8, i) for i in range(400)]
    a, b = ("".join(random.Random(seed).sample(words, 400)) for seed in (1, 2))
    examined = pair(a, b, max_stretch=1000)
    assert examined.step is Step.STRETCH
    assert examined.edits is None


@pytest.mark.slow
def test_two_pages_of_five_megabytes_take_bounded_work() -> None:
    a = "".join(prose(1000, i % 40) + str(i) for i in range(1700))
    b = a[: len(a) // 2] + prose(3000, 99) + a[len(a) // 2 + 500 :]
    examined = pair(a, b)
    assert examined.step is Step.SIMILAR
    assert examined.containment[0] > 0.99


def test_the_curve_of_a_pair_for_drawing() -> None:
    a = prose(300, 1)
    b = a[:100] + prose(20, 2) + a[100:200] + a[210:]
    positions, edits = edit_curve(a, b, TrustableParameters())
    corners = list(zip(positions.tolist(), edits.tolist(), strict=True))
    assert corners == [(0, 0), (100, 0), (100, 20), (200, 20), (210, 30), (300, 30)]
    assert [c.tolist() for c in edit_curve("", "", TrustableParameters())] == [[0], [0]]


@pytest.mark.parametrize(("first", "regions"), [("あ", 2), ("a", 1)])
def test_a_further_region_needs_twice_as_many_letters_of_an_alphabet(first: str, regions: int) -> None:
    letters = [chr(ord(first) + i) for i in range(26)]
    one, other, moved, end = ("".join(random.Random(i).choices(letters, k=n)) for i, n in enumerate((80, 80, 15, 40)))
    examined = pair(end + one + moved, moved + other + end, min_gain=12, min_resemblance=0.0)
    assert len(examined.regions) == regions
