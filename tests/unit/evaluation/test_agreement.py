from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.base.errors import UserError
from workbench.evaluation.agreement import (
    MISSING,
    agreement,
    cohen_kappa,
    fleiss_kappa,
    krippendorff_alpha,
    specific_agreement,
)


def test_perfect_agreement_is_one() -> None:
    labels = {"d1": "blog", "d2": "splog", "d3": "blog"}
    result = agreement({"x": labels, "y": dict(labels), "z": dict(labels)})
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
    for coefficient in (result.alpha, result.fleiss, result.cohen["a", "b"]):
        assert coefficient.interval is not None
        assert coefficient.interval[0] < coefficient.value < coefficient.interval[1]


def test_alpha_of_the_published_example() -> None:
    # Krippendorff 2011, section C: four observers, twelve units, 0.743
    rows = {"a": "123321412   ", "b": "1233224125 3", "c": " 3332342251 ", "d": "12332441251 "}
    result = agreement({who: {str(i): v for i, v in enumerate(row) if v != " "} for who, row in rows.items()})
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


def test_fleiss_is_over_the_things_that_have_the_usual_number_of_labels() -> None:
    two = {"a": {"1": "y", "2": "n", "3": "y"}, "b": {"1": "y", "2": "n", "3": "n"}}
    alone, with_a_third = agreement(two), agreement({**two, "c": {"9": "n"}, "a": {**two["a"], "9": "n"}})
    assert alone.fleiss is not None
    third = agreement({**two, "a": {**two["a"], "4": "y"}, "b": {**two["b"], "4": "y"}, "c": {"4": "y"}})
    assert third.fleiss is not None
    assert (third.raters, third.fleiss.documents, third.documents) == (2, 3, 4)
    assert third.fleiss.value == alone.fleiss.value
    assert with_a_third.fleiss is not None
    assert (with_a_third.fleiss.documents, with_a_third.raters) == (4, 2)


@pytest.mark.parametrize("things", [2, 5, 40])
def test_agreement_on_few_things_claims_no_certainty(things: int) -> None:
    same = {str(i): "y" if i % 2 else "n" for i in range(things)}
    result = agreement({"a": same, "b": dict(same)})
    assert result.fleiss is not None
    kappas = [result.alpha, result.fleiss, result.cohen["a", "b"], *result.values.values()]
    for of in kappas:
        assert of.value == 1
        assert of.interval is not None
        low, high = of.interval
        assert low < high == 1
        # As many things would all agree by luck in one of forty cases, were their share of agreement this low.
        share = (
            low
            if of in result.values.values()
            else 1 - (1 - low) * 2 * (things // 2) * (things - things // 2) / things**2
        )
        assert share**of.documents == pytest.approx(0.025) or low == -1


@pytest.mark.parametrize(
    "labels",
    [{}, {"a": {"1": "y"}}, {"a": {"1": "y"}, "b": {"2": "y"}}, {"a": {"1": "y"}, "b": {"1": "y"}}],
)
def test_undefined_agreement_is_a_sentence(labels: dict[str, dict[str, str]]) -> None:
    with pytest.raises(UserError):
        agreement(labels)


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=2, max_size=60))
def test_cohens_kappa_is_that_of_scikit_learn(pairs: list[tuple[int, int]]) -> None:
    from sklearn.metrics import cohen_kappa_score

    table = np.array(pairs)
    expected = cohen_kappa_score(table[:, 0], table[:, 1]) if len(np.unique(table)) > 1 else float("nan")
    assert cohen_kappa(table) == pytest.approx(expected, abs=1e-9, nan_ok=True)


@given(
    st.lists(st.lists(st.integers(-1, 3), min_size=4, max_size=4), min_size=1, max_size=15),
    st.integers(0, 3),
)
def test_specific_agreement_counts_ordered_pairs(rows: list[list[int]], value: int) -> None:
    pairs = [
        (a, b) for row in rows for a, b in permutations([label for label in row if label != MISSING], 2) if a == value
    ]
    expected = sum(b == value for _, b in pairs) / len(pairs) if pairs else float("nan")
    assert specific_agreement(np.array(rows), value=value) == pytest.approx(expected, abs=1e-9, nan_ok=True)


def test_specific_agreement_of_two_is_the_positive_agreement_of_cicchetti_and_feinstein() -> None:
    # 40 both yes, 9 and 6 differ, 45 both no: 2a / (2a + b + c) and 2d / (2d + b + c)
    pairs = [(1, 1)] * 40 + [(1, 0)] * 9 + [(0, 1)] * 6 + [(0, 0)] * 45
    table = np.array(pairs)
    assert specific_agreement(table, value=1) == pytest.approx(80 / 95)
    assert specific_agreement(table, value=0) == pytest.approx(90 / 105)


@given(
    st.lists(st.lists(st.integers(0, 2), min_size=3, max_size=3), min_size=2, max_size=8),
    st.lists(st.integers(1, 4), min_size=8, max_size=8),
)
def test_a_weight_is_as_many_equal_rows(rows: list[list[int]], weights: list[int]) -> None:
    table, weight = np.array(rows), np.array(weights[: len(rows)])
    repeated = np.repeat(table, weight, axis=0)
    for statistic in (krippendorff_alpha, fleiss_kappa):
        assert statistic(table, weight) == pytest.approx(statistic(repeated), abs=1e-9, nan_ok=True)
    both = table[:, :2]
    assert cohen_kappa(both, weight) == pytest.approx(cohen_kappa(repeated[:, :2]), abs=1e-9, nan_ok=True)


def test_agreement_on_each_value_comes_with_its_interval() -> None:
    given_by_a = {str(n): "yes" if n % 3 else "no" for n in range(60)}
    result = agreement({"a": given_by_a, "b": given_by_a | {"1": "no", "2": "no", "3": "yes"}})
    assert set(result.values) == {"yes", "no"}
    for coefficient in result.values.values():
        assert coefficient.interval is not None
        assert coefficient.interval[0] < coefficient.value < coefficient.interval[1]


def test_where_as_many_things_have_two_labels_as_three_fleiss_is_over_those_with_more() -> None:
    labels = {
        "x": {"d1": "blog", "d2": "splog", "d3": "blog", "d4": "splog"},
        "y": {"d1": "blog", "d2": "splog", "d3": "splog", "d4": "splog"},
        "z": {"d1": "blog", "d2": "splog"},
    }
    result = agreement(labels)
    assert result.fleiss is not None
    assert (result.raters, result.fleiss.documents, result.fleiss.value) == (3, 2, 1.0)
