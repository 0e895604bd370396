"""A sentence copied from another place of the source is no part of the passage beside it."""

from __future__ import annotations

import pytest

from workbench.base.types import Document, Role
from workbench.methods.copies.method import METHOD as COPIES

TEXTS = {
    "ja": (
        "配送会社の係員は荷物を開ける前に受取人に署名を求め、そのあとで荷物を渡すことになっている。"
        "荷物が運ばれる途中で壊れたとしても、署名のあとでは配送会社の責任は問われない。",
        "受取人は荷物がいつ配送会社から届くのかを知らず、係員の前で荷物を確かめることもできない。",
        ("この章の残りでは倉庫の管理を扱う。", "倉庫の話に移ろう。"),
        ("私はこの問題を祖母から聞いて初めて知った。", "これからも考え続けたいと思う。"),
    ),
    "zh": (
        "快递人员总会要求顾客先对所购买的货物签字，然后再把货物交给顾客。"
        "货物是否在运输途中损坏，签字之后就与物流公司无关了。",
        "顾客不知道自己什么时候能收到货物，也不能当着快递人员的面对货物进行检查。",
        ("本章其余部分讨论仓库管理。", "下面谈谈仓库。"),
        ("我是从祖母那里第一次听说这个问题的。", "今后我还想继续思考下去。"),
    ),
    "en": (
        "The carrier asks the customer to sign for the parcel before it is opened and hands it over only then. "
        "Whether the parcel was damaged on its way is no concern of the carrier once the customer has signed for it.",
        "The customer does not know when the carrier will bring the parcel and cannot open it before the driver.",
        ("The rest of the chapter is about stores.", "Let us turn to stores."),
        ("I first heard of this from my grandmother.", "I shall go on thinking about it."),
    ),
}


@pytest.mark.parametrize("language", TEXTS)
@pytest.mark.parametrize("before", [True, False])
def test_a_moved_sentence_and_the_copy_beside_it_are_cited_from_their_own_places(language: str, before: bool) -> None:
    block, moved, (first, second), (opening, end) = TEXTS[language]
    glue = " " if language == "en" else ""
    # Both texts have them in the same order, but not beside each other in the source.
    source = glue.join((second, block, first, second, first, moved, second))
    if before:
        source = glue.join((second, moved, first, second, first, block, second))
    suspect = glue.join((opening, *((moved, block) if before else (block, moved)), end))
    documents = Document("a", suspect, Role.SUSPECT, key=2), Document("b", source, key=1)
    matches = COPIES.compare(*documents, COPIES.parameters()).matches
    sides = {(suspect[slice(*m.a_span)].strip(), source[slice(*m.b_span)].strip()) for m in matches}
    assert sides == {(block, block), (moved, moved)}
