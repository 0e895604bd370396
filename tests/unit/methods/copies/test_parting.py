"""Where a passage is cut in pieces: at credits, and where verbatim text comes in another order."""

from __future__ import annotations

from itertools import permutations, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.methods.copies.texts import COPIED, OWN
from workbench.base.types import Document, Role, Span, Tier
from workbench.methods.copies.figures import MethodMatch
from workbench.methods.copies.limits import SIZES, SourceWords
from workbench.methods.copies.merging import (
    parted,
    passage,
    verbatim_pieces,
)
from workbench.methods.copies.method import METHOD as COPIES
from workbench.methods.core.figures import CopyKind
from workbench.services.review.passages import passages, places_of


def test_a_credited_block_quotation_and_an_unmarked_copy_are_two_passages() -> None:
    first, core, last = COPIED["en"]
    own = f"{OWN['en']}\n\n> {first}\n\n{core} {last}\n\n{OWN['en']}"
    source = f"Before. {first} {core} {last} After."
    whole = MethodMatch(
        "altered", Span(own.index(first), own.index(last) + len(last)), Span(8, source.index(" After.")), Tier.FOLDED,
        CopyKind.VERBATIM, (0.0, 0.0, 0.0, 90.0),
    )  # fmt: skip
    document = Document("a", own, Role.SUSPECT, key=2)
    pieces = parted(passage([whole], own, source), document, source)
    assert [(own[slice(*p.a_span)], source[slice(*p.b_span)]) for p in pieces] == [
        (first, first),
        (f"{core} {last}", f"{core} {last}"),
    ]


HARBOUR = {
    "en": (
        "The ferry left the harbour at dawn with nine passengers. Nobody had told the pilot of the fog bank.",
        "A bell rang twice from the lower deck. The engineer closed the valve and waited for an answer.",
    ),
    "ja": (
        "渡し船は夜明けに九人の客を乗せて港を出た。霧のことを水先案内人に告げた者はいなかった。",
        "下の甲板から鐘が二度鳴った。機関士は弁を閉めて返事を待っていた。",
    ),
    "zh": (
        "渡船在黎明时分载着九名乘客离开了港口。没有人把大雾的事告诉领航员。",
        "下层甲板传来两声钟响。轮机员关上阀门等待回答。",
    ),
}


LEAD = {"en": "As the chronicle says: ", "ja": "年代記はこう述べている。", "zh": "正如编年史所说："}
MARKS = {"en": "“”", "ja": "「」", "zh": "“”"}


def reported(own: str, source: str) -> list[tuple[str, str, int]]:
    """What ``copies`` reports of a suspect: both sides' text, and the tier."""
    documents = Document("a", own, Role.SUSPECT, key=2), Document("b", source, key=1)
    matches = COPIES.compare(*documents, COPIES.parameters()).matches
    return [(own[slice(*m.a_span)], source[slice(*m.b_span)], m.evidence["tier"]) for m in matches]


@pytest.mark.parametrize(("language", "order", "lead", "apart"), [*product(("en", "ja", "zh"), *((True, False),) * 3)])
def test_a_copy_between_quotation_marks_and_an_unmarked_one_are_two_passages(
    language: str, order: bool, lead: bool, apart: bool
) -> None:
    glue = " " if language == "en" else ""
    unmarked, quoted = HARBOUR[language] if order else HARBOUR[language][::-1]
    mark, end = MARKS[language]
    quotation = f"{LEAD[language] if lead else ''}{mark}{quoted}{end}"
    own = ("\n\n" if apart else glue).join(
        (OWN[language], *((unmarked, quotation) if order else (quotation, unmarked)), OWN[language])
    )
    source = glue.join(HARBOUR[language])
    assert sorted(reported(own, source)) == sorted((text, text, Tier.EXACT) for text in (unmarked, quoted))


CHRONICLE = {
    "en": (
        "The ferry left the harbour at dawn with nine passengers and a cat.",
        "Nobody in the village could say when the bell had been cast, but the priest was certain that it came by cart.",
        "The engineer closed the valve and waited for an answer from the deck.",
        "He read it aloud on winter evenings to the two widows who rented the rooms above the shop.",
    ),
    "ja": (
        "渡し船は夜明けに九人の客と一匹の猫を乗せて港を出た。",
        "村の誰も鐘がいつ鋳られたかを言えなかったが、司祭はそれが六頭の牛に引かれた荷車で北から来たと信じていた。",
        "機関士は弁を閉めて甲板からの返事を長いあいだ待っていた。",
        "彼は冬の晩にそれを店の上の部屋を借りる二人の未亡人に読み聞かせた。",
    ),
    "zh": (
        "渡船在黎明时分载着九名乘客和一只猫离开了港口。",
        "村里没有人说得出那口钟是何时铸造的，但神父确信它是由六头牛拉的车从北方运来的。",
        "轮机员关上阀门等待甲板上传来的回答等了很久。",
        "他在冬天的晚上把它读给租住店铺楼上房间的两位寡妇听。",
    ),
}
"""Four sentences of a source."""
MINE = {"en": "A thought of mine.", "ja": "これは私の考えである。", "zh": "这是我自己的想法。"}


@pytest.mark.parametrize("every", [5, pytest.param(1, marks=pytest.mark.rest)])
@pytest.mark.parametrize("language", ["en", "ja", "zh"])
@pytest.mark.parametrize("own_line", [True, False])
@pytest.mark.parametrize("form", ["{a}\n\n{lead}{quoted}", "{a}{glue}{quoted}{glue}{b}", "{a}\n\n{lead}\n\n> {text}"])
def test_copies_with_and_without_credit_are_parted_wherever_their_words_are_in_the_source(
    language: str, own_line: bool, form: str, every: int
) -> None:
    glue, (mark, end) = " " if language == "en" else "", MARKS[language]
    source = f"\n\n{OWN[language]}\n\n".join(CHRONICLE[language]) if own_line else "\n\n".join(CHRONICLE[language])
    for a, quoted, b in [*permutations(CHRONICLE[language], 3)][::every]:
        body = form.format(a=a, b=b, text=quoted, quoted=f"{mark}{quoted}{end}", lead=LEAD[language], glue=glue)
        pieces = reported(f"{MINE[language]}\n\n{body}\n\n{MINE[language]}", source)
        copied = [text for text in (a, quoted, b) if text in body]
        assert sorted(pieces) == sorted((text, text, Tier.EXACT) for text in copied)


@pytest.mark.parametrize("language", ["en", "ja", "zh"])
def test_verbatim_sentences_between_which_others_of_the_source_are_left_out_are_verbatim(language: str) -> None:
    glue = " " if language == "en" else ""
    first, _, second, _, third = (*CHRONICLE[language], *HARBOUR[language])[:5]
    source = glue.join((*CHRONICLE[language], *HARBOUR[language]))
    own = f"{MINE[language]}\n\n{glue.join((first, second, third))}\n\n{MINE[language]}"
    assert all(tier == Tier.EXACT and ours == theirs for ours, theirs, tier in reported(own, source))
    assert sum(len(ours) for ours, _, _ in reported(own, source)) >= len(first + second + third)


def test_a_copy_from_within_a_sentence_over_a_line_end_is_equal_ignoring_spaces() -> None:
    first = (
        "Lawan , on Tuesday moved a motion for the adjournment of the session over the deaths of Nzeribe and Adedoyin."
    )
    then = "Lawan raised the motion after the Senate President Bukola Saraki , read letters that the chambers had got ."
    own, source = f"{OWN['en']} {first} {then} {OWN['en']}", f"{first}\n{then}"
    ((ours, theirs, tier),) = reported(own, f"Senator representing Yobe North , Ahmad {source}\nOther things follow.")
    assert (ours, theirs, tier) == (f"{first} {then}", source, Tier.FOLDED)


def test_pieces_of_a_passage_have_no_larger_figures_than_their_text() -> None:
    unmarked, quoted = HARBOUR["en"]
    own = f"{MINE['en']}\n\n{unmarked} “{quoted}”\n\n{MINE['en']}"
    documents = Document("a", own, Role.SUSPECT, key=2), Document("b", " ".join(HARBOUR["en"]), key=1)
    pieces = list(COPIES.compare(*documents, COPIES.parameters()).matches)
    assert len(pieces) == 2
    for piece in pieces:
        assert 0 < piece.evidence["alike"] <= piece.a_span.end - piece.a_span.start
        assert float(piece.evidence["alike"]).is_integer()


TEXTS = st.text("ab 。", min_size=0, max_size=60)


@given(TEXTS, TEXTS, st.integers(1, 4), st.integers(0, 60), st.integers(0, 60))
def test_first_places_are_those_of_a_plain_search(text: str, source: str, size: int, start: int, end: int) -> None:
    within = Span(min(start, len(source)), max(min(start, len(source)), min(end, len(source))))
    size = SIZES[size % len(SIZES)]
    text, source = text * 3, source * 3
    first = SourceWords(source, within).first_places(text, size)
    plain = [source.find(text[at : at + size], *within) for at in range(len(text) - size + 1)]
    assert first.tolist() == plain + [-1] * (len(text) - len(plain))


@pytest.mark.parametrize("language", ["en", "ja", "zh"])
@pytest.mark.parametrize("form", ["{mark}{text}{end}", "> {text}", "{lead}{mark}{text}{end}"])
def test_a_credited_copy_and_an_unmarked_one_beside_it_are_judged_apart(language: str, form: str) -> None:
    glue = " " if language == "en" else ""
    unmarked, quoted = HARBOUR[language]
    mark, end = MARKS[language]
    credited = form.format(mark=mark, text=quoted, end=end, lead=LEAD[language])
    own = "\n\n".join((OWN[language], unmarked, credited, OWN[language]))
    documents = Document("a", own, Role.SUSPECT, key=2), Document("b", glue.join(HARBOUR[language]), key=1)
    matches = COPIES.compare(*documents, COPIES.parameters()).matches
    assert passages(matches).tolist() == [0, 1]
    assert passages(places_of(matches)).tolist() == [0, 1]


@pytest.mark.parametrize("language", ["en", "ja", "zh"])
def test_verbatim_passages_in_another_order_are_judged_apart_and_those_in_order_together(language: str) -> None:
    glue = " " if language == "en" else ""
    first, second = HARBOUR[language]
    inserted = {"en": " It was late. ", "ja": "遅かった。", "zh": "已经很晚了。"}[language]
    source = Document("b", glue.join((first, second)), key=1)
    for own, units in ((glue.join((second, first)), 2), (f"{first}{inserted}{second}", 1)):
        suspect = Document("a", glue.join((OWN[language], own, OWN[language])), Role.SUSPECT, key=2)
        matches = COPIES.compare(suspect, source, COPIES.parameters()).matches
        assert len(set(passages(matches).tolist())) == units


@pytest.mark.parametrize("language", ["en", "ja", "zh"])
@pytest.mark.parametrize("count", [2, 3])
def test_a_passage_that_is_copied_twice_is_two_exact_copies(language: str, count: int) -> None:
    glue = " " if language == "en" else ""
    copied = glue.join(COPIED[language][:count])
    own = "\n\n".join((OWN[language], copied, OWN[language][:14], copied, OWN[language]))
    assert reported(own, f"{copied}\n\n{HARBOUR[language][1]}") == [(copied, copied, Tier.EXACT)] * 2


@pytest.mark.parametrize("language", ["en", "ja", "zh"])
def test_quotation_marks_that_the_source_has_too_and_marked_terms_cut_nothing(language: str) -> None:
    glue = " " if language == "en" else ""
    first, second = HARBOUR[language]
    mark, end = MARKS[language]
    dialogue = glue.join((first, f"{LEAD[language]}{mark}{second}{end}", COPIED[language][2]))
    ((ours, theirs, tier),) = reported(f"{OWN[language]}\n\n{dialogue}\n\n{OWN[language]}", dialogue)
    assert (ours, theirs, tier) == (dialogue, dialogue, Tier.EXACT)
    term = {"en": "rang twice from the lower deck", "ja": "鐘が二度鳴った", "zh": "传来两声钟响"}[language]
    copied = dialogue.replace(term, f"{mark}{term}{end}")
    assert len(reported(f"{OWN[language]}\n\n{copied}\n\n{OWN[language]}", dialogue)) == 1


CREDIT = {"en": "(Holm 1902, p. 12)", "ja": "（ホルム 1902、12頁）", "zh": "（霍尔姆，1902，第12页）"}


@pytest.mark.parametrize("language", ["en", "ja", "zh"])
@pytest.mark.parametrize(
    "form",
    ["{lead}{quoted} {credit}{stop}", "{lead}{quoted} [7]{stop}", "{lead}{quoted}12 ", "{credit}{colon}{quoted}"],
)
def test_a_credit_that_the_source_lacks_makes_its_quotation_the_suspects_own(language: str, form: str) -> None:
    glue = " " if language == "en" else ""
    first, second = HARBOUR[language]
    last, lead, credit = glue.join(COPIED[language][1:]), LEAD[language], CREDIT[language]
    mark, end = MARKS[language]
    quoted = f"{mark}{second}{end}"
    stop, colon = (".", ": ") if language == "en" else ("。", "：")
    written = form.format(lead=lead, quoted=quoted, credit=credit, stop=stop, colon=colon)
    copy = glue.join((first, written, last))
    own = f"{OWN[language]}\n\n{copy}\n\n{OWN[language]}"
    pieces = [ours for ours, _, _ in reported(own, glue.join((first, f"{lead}{quoted}", last)))]
    assert second in pieces
    assert all(any(part in piece for piece in pieces) for part in (first, last))
    # With its credit the quotation is all the source's.
    assert len(reported(own, copy)) == 1


def swapped(language: str, first: str, second: str) -> list[tuple[int, int, str]]:
    """Kind, tier and text of what is reported of a copy in which ``first`` and ``second`` changed places."""
    glue = " " if language == "en" else ""
    source = glue.join((first, second))
    own = glue.join((second, first))
    a, b = Span(own.index(first), own.index(first) + len(first)), Span(0, len(first))
    c = Span(0, len(second))
    d = Span(source.index(second), len(source))
    exact = CopyKind.VERBATIM, (300.0, 0.0, 0.0, 0.0)
    parts = [
        MethodMatch("digest", a, b, Tier.EXACT, *exact),
        MethodMatch("digest", c, d, Tier.EXACT, *exact),
        MethodMatch(
            "altered", Span(0, len(own)), Span(0, len(source)), Tier.ALTERED, CopyKind.SHUFFLED, (0.0, 0.0, 0.0, 90.0)
        ),
    ]
    whole = passage(parts, own, source)
    return [(p.kind, p.tier, own[slice(*p.a_span)]) for p in verbatim_pieces(whole, parts, own, source)]


@pytest.mark.parametrize("language", ["en", "ja", "zh"])
def test_verbatim_passages_in_another_order_stay_verbatim_and_single_sentences_are_shuffled(language: str) -> None:
    first, second = HARBOUR[language]
    pieces = swapped(language, first, second)
    assert pieces == [(CopyKind.VERBATIM, Tier.EXACT, second), (CopyKind.VERBATIM, Tier.EXACT, first)]
    one, other, _ = COPIED[language]
    [(kind, tier, _)] = swapped(language, one, other)
    assert (kind, tier) == (CopyKind.SHUFFLED, Tier.ALTERED)


def test_a_like_sentence_of_the_source_beside_the_copied_one_is_not_reported() -> None:
    copied = "市长因故不能担任职务的时候，由市人大常委会从副市长中决定代理的人选。"
    like = "检察长因故不能担任职务的时候，由市人大常委会从副检察长中决定代理的人选。"
    own, source = f"{OWN['zh']}{copied}{OWN['zh']}", f"{copied}{like}"
    at = Span(own.index(copied), own.index(copied) + len(copied))
    merged = passage(
        [
            MethodMatch("digest", at, Span(0, len(copied)), Tier.EXACT, CopyKind.VERBATIM, (300.0, 0.0, 0.0, 0.0)),
            MethodMatch(
                "initials", at, Span(20, len(source)), Tier.ALTERED, CopyKind.LIGHTLY_CHANGED, (0.0, 30.0, 0.0, 0.0)
            ),
        ],
        own,
        source,
    )
    assert (own[slice(*merged.a_span)], source[slice(*merged.b_span)]) == (copied, copied)
