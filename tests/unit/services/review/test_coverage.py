from __future__ import annotations

from workbench.services.review.spans import mutual_overlap, share


def test_the_share_of_an_empty_text_is_zero() -> None:
    assert share(0, 0) == 0.0
    assert share(3, 4) == 0.75


def test_spans_agree_by_the_longer_one() -> None:
    assert mutual_overlap((0, 10), (0, 10)) == 1.0
    assert mutual_overlap((0, 10), (2, 10)) == 0.8
    assert mutual_overlap((0, 10), (10, 20)) == 0.0
