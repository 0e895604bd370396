"""Filter skeletons against their definition."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from workbench.kernels.code_points import code_points
from workbench.kernels.trustable_lcs.skeleton import Windowed, skeletons

TEXTS = st.text(st.sampled_from("abc"), max_size=40)


def reference(a: str, b: str, window: int) -> list[bool]:
    """Characters of ``a`` in a window that stands in ``b``."""
    size = min(window, len(a), len(b))
    windows = {b[i : i + size] for i in range(len(b) - size + 1)}
    covered = [False] * len(a)
    for i in range(len(a) - size + 1 if size else 0):
        if a[i : i + size] in windows:
            covered[i : i + size] = [True] * size
    return covered


@given(TEXTS, TEXTS, st.integers(1, 10))
def test_a_character_is_kept_when_any_shared_window_covers_it(a: str, b: str, window: int) -> None:
    masks = skeletons(code_points(a), code_points(b), window)
    assert masks[0].tolist() == reference(a, b, window)
    assert masks[1].tolist() == reference(b, a, window)


@given(TEXTS, st.lists(st.tuples(TEXTS, st.integers(1, 5)), max_size=4))
def test_a_text_compared_with_several_in_turn_gives_what_each_pair_gives(a: str, others: list[tuple[str, int]]) -> None:
    windowed = Windowed(code_points(a))
    for b, window in others:
        ours, theirs = windowed.skeletons(code_points(b), window)
        assert ours.tolist() == reference(a, b, window)
        assert theirs.tolist() == reference(b, a, window)


def test_what_lies_between_two_near_changes_is_taken_out() -> None:
    a = "0123456789abcdef" + "#" + "xyz" + "#" + "ghijklmnopqrstuv"
    b = a.replace("#", "+")
    mask, _ = skeletons(code_points(a), code_points(b), 8)
    assert "".join(c for c, k in zip(a, mask, strict=True) if k) == "0123456789abcdefghijklmnopqrstuv"


def test_a_changed_character_alone_takes_out_only_itself() -> None:
    a = "abcdefghijklmnopqrstuvwxyz"
    mask, _ = skeletons(code_points(a), code_points(a[:15] + "#" + a[16:]), 4)
    assert np.flatnonzero(~mask).tolist() == [15]


LONGER = st.lists(st.sampled_from(["abcabcabcd", "bcdbcd", "cad", "dddd", "a", "ef"]), max_size=12).map("".join)


@given(LONGER, LONGER, st.integers(1, 12), st.sampled_from([0.0, 0.2, 0.5, 1.0]), st.sampled_from([0.3, 0.7, 1.0]))
def test_the_bound_is_never_below_what_is_kept(a: str, b: str, window: int, resemblance: float, share: float) -> None:
    windowed = Windowed(code_points(a))
    kept = sum(reference(b, a, window))
    assert kept <= windowed.kept_at_most(code_points(b), window)
    if not a or not b:
        return
    common = min(kept, len(a))
    reaches = common / (len(a) + len(b) - common) >= resemblance or common / min(len(a), len(b)) >= share
    assert windowed.may_reach(code_points(b), window, resemblance, share) >= reaches


@given(LONGER, LONGER, st.integers(1, 12), st.sampled_from([0.1, 0.2, 0.5, 1.0]), st.sampled_from([0.3, 0.7, 1.0]))
def test_a_count_that_ends_early_decides_as_the_whole_one_does(
    a: str, b: str, window: int, resemblance: float, share: float
) -> None:
    if not a or not b:
        return
    windowed = Windowed(code_points(a))
    common = min(windowed.kept_at_most(code_points(b), window), len(a), len(b))
    reaches = common / (len(a) + len(b) - common) >= resemblance or common / min(len(a), len(b)) >= share
    assert windowed.may_reach(code_points(b), window, resemblance, share) == reaches


def test_texts_with_nothing_in_common_keep_nothing_by_the_bound() -> None:
    a, b = (code_points("".join(map(chr, range(first, first + 500)))) for first in (0x4E00, 0x5E00))
    assert Windowed(a).kept_at_most(b, 8) < 100
    assert not Windowed(a).may_reach(b, 8, 0.28, 0.7)
