"""Which pages and pairs are drawn, where, and what is left out."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from workbench.services.relations.layout import Drawing, drawing

CLUSTERS = ((1, 2, 3, 4, 5), (6, 7, 8), (9, 10))


def laid_out(**limits: int) -> Drawing:
    """Three clusters, all pages of each paired, and one pair between the first two."""
    pairs = [(*two, 0.5 + 0.01 * two[0]) for group in CLUSTERS for two in combinations(group, 2)] + [(5, 6, 0.1)]
    a, b = (np.array([p[i] for p in pairs], np.int64) for i in (0, 1))
    pages = np.arange(1, 11)
    group = np.repeat(np.arange(3), [len(c) for c in CLUSTERS])
    return drawing(a, b, np.array([p[2] for p in pairs]), np.arange(len(pairs)), pages, group, **limits)


def test_all_pages_have_a_place_of_their_own_and_clusters_do_not_overlap() -> None:
    layout = laid_out()
    assert layout.keys.tolist() == list(range(1, 11))
    places = np.stack((layout.x, layout.y), axis=1)
    assert np.isfinite(places).all()
    assert min(float(np.hypot(*(p - q))) for p, q in combinations(places, 2)) > 0.05
    boxes = [(places[layout.group == g].min(0), places[layout.group == g].max(0)) for g in range(3)]
    for (low, high), (other_low, other_high) in combinations(boxes, 2):
        assert bool((high < other_low).any() or (other_high < low).any())


def test_what_is_not_drawn_is_counted() -> None:
    layout = laid_out()
    assert (layout.pages_left_out, layout.pairs_left_out, len(layout.rows)) == (0, 1, 14)
    small = laid_out(most_pages=7, most_pairs=4)
    assert small.keys.tolist() == [1, 2, 3, 4, 5, 9, 10]
    assert (small.pages_left_out, small.pairs_left_out, len(small.rows)) == (3, 11, 4)
    cut = laid_out(most_pages=4)
    assert len(cut.keys) == 4
    assert (cut.pages_left_out, set(cut.keys.tolist()) <= {1, 2, 3, 4, 5}) == (6, True)


def test_the_strongest_pairs_are_drawn_last_and_join_the_pages_they_name() -> None:
    layout = laid_out(most_pairs=3)
    assert layout.rows.tolist() == sorted(layout.rows.tolist())
    assert {(int(layout.keys[i]), int(layout.keys[j])) for i, j in zip(layout.one, layout.other, strict=True)} == {
        (6, 8),
        (7, 8),
        (9, 10),
    }


def test_the_same_pairs_look_the_same() -> None:
    one, other = laid_out(), laid_out()
    assert np.array_equal(one.x, other.x)
    assert np.array_equal(one.y, other.y)


def test_nothing_makes_an_empty_drawing() -> None:
    none = np.zeros(0, np.int64)
    layout = drawing(none, none, np.zeros(0), none, none, none)
    assert (len(layout.keys), len(layout.rows), layout.pages_left_out, layout.pairs_left_out) == (0, 0, 0, 0)
