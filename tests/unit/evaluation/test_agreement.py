from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.base.errors import UserError
from workbench.evaluation.agreement import MISSING, agreement, krippendorff_alpha


def test_perfect_agreement_is_one() -> None:
    said = {"d1": "blog", "d2": "splog", "d3": "blog"}
    result = agreement({"x": said, "y": dict(said), "z": dict(said)})
    assert result.fleiss is not None
    assert (result.alpha.value, result.fleiss.value) == (1.0, 1.0)
    assert {c.value for c in result.cohen.values()} == {1.0}


def test_kappa_of_a_table_worked_by_hand() -> None:
    # 20 yes/yes, 5 yes/no, 10 no/yes, 15 no/no: observed 0.7, chance 0.5, kappa 0.4
    pairs = [("y", "y")] * 20 + [("y", "n")] * 5 + [("n", "y")] * 10 + [("n", "n")] * 15
    a = {str(i): p[0] for i, p in enumerate(pairs)}
    b = {str(i): p[1] for i, p in enumerate(pairs)}
    result = agreement({"a": a, "b": b})
    assert result.cohen["a", "b"].value == pytest.approx(0.4)
    # Fleiss pools the marginals: chance = 0.55^2 + 0.45^2
    assert result.fleiss is not None
    assert result.fleiss.value == pytest.approx((0.7 - 0.505) / (1 - 0.505))
    for found in (result.alpha, result.fleiss, result.cohen["a", "b"]):
        assert found.interval is not None
        assert found.interval[0] < found.value < found.interval[1]


def test_alpha_of_the_published_example() -> None:
    # Krippendorff 2011, section C: four observers, twelve units, 0.743
    said = {"a": "123321412   ", "b": "1233224125 3", "c": " 3332342251 ", "d": "12332441251 "}
    result = agreement({who: {str(i): v for i, v in enumerate(row) if v != " "} for who, row in said.items()})
    assert result.alpha.value == pytest.approx(0.743, abs=0.0005)


@given(st.lists(st.lists(st.integers(0, 3), min_size=2, max_size=5), min_size=1, max_size=12))
def test_alpha_compares_the_pairs_within_things_with_those_of_all_labels(things: list[list[int]]) -> None:
    table = np.array([[*values, *[MISSING] * (5 - len(values))] for values in things])
    labels = [value for values in things for value in values]
    differ = sum(sum(a != b for a, b in permutations(values, 2)) / (len(values) - 1) for values in things) / len(labels)
    by_chance = sum(a != b for a, b in permutations(labels, 2)) / len(labels) / (len(labels) - 1)
    expected = 1 - differ / by_chance if by_chance else float("nan")
    assert krippendorff_alpha(table) == pytest.approx(expected, nan_ok=True)


def test_documents_labelled_once_do_not_count() -> None:
    result = agreement({"a": {"1": "y", "2": "n", "3": "y"}, "b": {"1": "y", "2": "n"}})
    assert result.documents == 2


def test_unequal_numbers_of_labels_leave_fleiss_out() -> None:
    result = agreement({"a": {"1": "y", "2": "n"}, "b": {"1": "y", "2": "n"}, "c": {"1": "y"}})
    assert result.fleiss is None
    assert result.alpha.value == 1.0


@pytest.mark.parametrize(
    "labels",
    [{}, {"a": {"1": "y"}}, {"a": {"1": "y"}, "b": {"2": "y"}}, {"a": {"1": "y"}, "b": {"1": "y"}}],
)
def test_undefined_agreement_is_a_sentence(labels: dict[str, dict[str, str]]) -> None:
    with pytest.raises(UserError):
        agreement(labels)
