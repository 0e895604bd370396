from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.base.types import BlockKind
from workbench.reading.blocks import repetition
from workbench.reading.blocks.repetition import LONG, OTHERS, SITE_BLOCK, Repetition, fingerprint

SiteBlock = tuple[int, int]

MENU, NOTICE = (1, 20), (2, 80)


def page(number: int, *shared: SiteBlock) -> list[SiteBlock]:
    """Three long blocks of its own among shared ones."""
    return [*shared, *((1000 * (number + 1) + i, 200) for i in range(3))]


def repeated(pages: Sequence[Sequence[SiteBlock]]) -> Repetition:
    return repetition.repeated([np.array(list(blocks), SITE_BLOCK) for blocks in pages])


def template(repetition: Repetition) -> list[dict[int, int]]:
    return [repetition.of(page) for page in range(len(repetition.group))]


def reference(pages: Sequence[Sequence[SiteBlock]]) -> tuple[list[int], list[dict[int, int]]]:
    """The definition, every pair compared."""
    leaders: list[int] = []
    group = []
    weights = [{mark: weight for mark, weight in blocks if weight > 0} for blocks in pages]
    for own in weights:
        for number, leader in enumerate(leaders):
            other = weights[leader]
            union = sum((own | other).values())
            if union and sum(own[m] for m in own.keys() & other.keys()) / union >= 0.5:
                group.append(number)
                break
        else:
            leaders.append(len(group))
            group.append(len(leaders) - 1)
    on: dict[int, set[int]] = {}
    for number, blocks in zip(group, pages, strict=True):
        for mark, _ in blocks:
            on.setdefault(mark, set()).add(number)
    beside: dict[tuple[int, int, int], set[int]] = {}
    for number, blocks in zip(group, pages, strict=True):
        for side, near, (mark, _) in neighbours(blocks):
            beside.setdefault((side, mark, near), set()).add(number)
    moving = [
        {
            i
            for i, (_, weight) in enumerate(blocks)
            if weight >= LONG
            and all(len(beside[s, m, near]) <= OTHERS for s, near, (m, _) in neighbours(blocks)[2 * i : 2 * i + 2])
        }
        for blocks in pages
    ]
    return group, [
        {i: len(on[m]) for i, (m, _) in enumerate(b) if len(on[m]) - 1 >= OTHERS and i not in away}
        for b, away in zip(pages, moving, strict=True)
    ]


def neighbours(blocks: Sequence[SiteBlock]) -> list[tuple[int, int, SiteBlock]]:
    """Side, mark of the neighbour there (-1 at the edge) and block, for both sides of each block."""
    marks = [-1, *(mark for mark, _ in blocks), -1]
    return [(side, marks[i + 2 * side], block) for i, block in enumerate(blocks) for side in (0, 1)]


def test_a_passage_reused_in_other_company_is_not_a_template_but_a_long_notice_in_its_place_is():
    passage = (7, 300)
    pages = [[MENU, (100 + i, 500), passage, (200 + i, 500), NOTICE] for i in range(4)]
    assert template(repeated(pages)) == [{0: 4, 4: 4}] * 4
    pages = [[MENU, (100 + i, 500), (200 + i, 500), passage, NOTICE] for i in range(4)]
    assert template(repeated(pages)) == [{0: 4, 3: 4, 4: 4}] * 4


def test_a_block_on_two_other_pages_is_template():
    repetition = repeated([page(i, MENU, NOTICE) for i in range(3)])
    assert template(repetition) == [{0: 3, 1: 3}] * 3
    assert repetition.rules(1)[0] == "repeated on 3 of 3 pages of the site"


def test_many_pages_are_reported_in_round_numbers():
    repetition = repeated([page(i, MENU, NOTICE) if i < 34 else page(i, MENU) for i in range(1_234)])
    assert repetition.rules(0) == {
        0: "repeated on 1,000+ of 1,000+ pages of the site",
        1: "repeated on 20+ of 1,000+ pages of the site",
    }


def test_a_block_on_one_other_page_is_not():
    repetition = repeated([page(0, MENU), page(1, MENU), page(2), page(3)])
    assert repetition.pages == 4
    assert not any(template(repetition))


def test_near_duplicates_count_as_one_page():
    repetition = repeated([page(0, MENU), page(0, MENU, (7, 30)), page(0), page(1, MENU)])
    assert repetition.pages == 2
    assert not any(template(repetition))


def test_a_near_duplicate_is_judged_by_the_other_pages_too():
    repetition = repeated([page(0, MENU), page(0, MENU), page(1, MENU), page(2, MENU)])
    assert template(repetition) == [{0: 3}] * 4


def test_a_long_menu_of_short_pages_makes_no_near_duplicates():
    pages = [[*((mark, 0) for mark in range(50)), (1000 + i, 60)] for i in range(3)]
    assert repeated(pages).pages == 3
    assert all(len(blocks) == 50 for blocks in template(repeated(pages)))


def test_a_block_twice_on_a_page_counts_once():
    assert not any(template(repeated([page(0, MENU, MENU), page(1, MENU, MENU)])))


def test_there_may_be_no_pages_or_blocks():
    assert repeated([]).pages == 0
    assert template(repeated([[], [], []])) == [{}, {}, {}]


def test_fingerprints_ignore_width_case_and_space_but_not_kind():
    assert fingerprint("Ａbc  ﾃﾞｰﾀ\n") == fingerprint("abc データ")
    assert fingerprint("abc") != fingerprint("abd")
    assert fingerprint("abc") != fingerprint("abc", BlockKind.HEADING)
    assert -(2**63) <= fingerprint("\ud800") < 2**63


def test_pages_have_the_same_digest_only_where_the_reasons_are_the_same():
    small, large, other = ([page(i, MENU, NOTICE) for i in range(n)] for n in (21, 30, 9))
    assert repeated(small).rules(3) == repeated(large).rules(3)
    assert repeated(small).digest(3) == repeated(large).digest(3)
    assert repeated(small).digest(3) != repeated(other).digest(3) != ""
    assert repeated([page(0), page(1)]).digest(0) == ""


blocks = st.lists(st.integers(0, 11), max_size=8).map(lambda marks: [(m, (m * 7) % 5 * 25) for m in marks])


@pytest.mark.slow
@given(st.lists(blocks, max_size=9))
def test_equals_the_definition(pages: list[list[SiteBlock]]):
    group, expected = reference(pages)
    repetition = repeated(pages)
    assert list(repetition.group) == group
    assert template(repetition) == expected
