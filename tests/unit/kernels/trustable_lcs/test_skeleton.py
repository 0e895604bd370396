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
