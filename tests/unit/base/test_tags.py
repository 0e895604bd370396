from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.base.errors import ParameterError
from workbench.base.tags import LONGEST, MOST, TagFilter, checked, listed, shown

TAGS = st.sets(st.sampled_from("abcd"), max_size=4)


def test_a_list_of_tags_is_in_order_and_without_doubles() -> None:
    assert listed(" news, 2019 ,news,, 速報 ") == ("2019", "news", "速報")
    assert shown(listed("b,a")) == "a, b"


@pytest.mark.parametrize("tag", ["a,b", "-a", "a\nb", "x" * (LONGEST + 1)])
def test_what_no_filter_could_name_is_not_a_tag(tag: str) -> None:
    with pytest.raises(ParameterError, match="cannot be a tag"):
        checked([tag])


def test_a_document_has_a_bounded_number_of_tags() -> None:
    with pytest.raises(ParameterError, match="at most"):
        checked(f"t{i}" for i in range(MOST + 1))


@given(TAGS, TAGS, TAGS)
def test_a_filter_takes_one_of_its_tags_and_none_that_it_leaves_out(
    own: set[str], wanted: set[str], unwanted: set[str]
) -> None:
    chosen = TagFilter.parse(",".join([*wanted, *(f"-{tag}" for tag in unwanted)]))
    assert chosen.accepts(own) == ((not wanted or bool(own & wanted)) and not own & unwanted)
    assert bool(chosen) == bool(wanted or unwanted)
