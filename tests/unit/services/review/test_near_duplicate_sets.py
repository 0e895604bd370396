"""The partition into near-duplicate sets."""

from hypothesis import given
from hypothesis import strategies as st

from workbench.services.review.near_duplicates import near_duplicate_sets

PAIRS = st.lists(st.tuples(st.integers(1, 12), st.integers(1, 12)), max_size=40)


def test_no_pairs_make_no_sets() -> None:
    assert near_duplicate_sets([]) == []


def test_the_document_with_most_duplicates_leads_its_set() -> None:
    assert near_duplicate_sets([(3, 1), (3, 2), (5, 4)]) == [(3, 1, 2), (4, 5)]


def test_similarity_is_not_handed_on_along_a_chain() -> None:
    assert near_duplicate_sets([(1, 2), (2, 3), (3, 4), (4, 5)]) == [(2, 1, 3), (4, 5)]


@given(PAIRS)
def test_each_document_is_in_one_set_beside_a_first_document_it_is_similar_to(pairs: list[tuple[int, int]]) -> None:
    sets = near_duplicate_sets(pairs)
    placed = [key for keys in sets for key in keys]
    assert len(placed) == len(set(placed))
    known = {frozenset(p) for p in pairs}
    assert all(frozenset((keys[0], key)) in known for keys in sets for key in keys[1:])
    assert near_duplicate_sets(reversed(pairs)) == sets
