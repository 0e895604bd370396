"""Where a copy ends, and which of the source's sentences belong to it, in texts whose truth is plain."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from tests.unit.methods.copies.texts import COPIED, OWN
from workbench.base.types import Document, Role, Span, Tier
from workbench.methods.copies.credits import credit_of, without_added_marks
from workbench.methods.copies.figures import BESIDE, BITS, MergedPassage, MethodMatch, in_chains
from workbench.methods.copies.limits import copied_pieces, with_changed_sentences, without_added_words
from workbench.methods.copies.merging import (
    once,
    passage,
    verbatim_pieces,
)
from workbench.methods.core.figures import CopyKind

SHARED = "The committee met on Monday in the old hall and"


@pytest.mark.parametrize(
    ("own", "source", "belongs"),
    [
        ("adopted a short final report.", "approved a short written text.", True),
        ("adopted nothing but that report.", "went home before that strike.", False),
    ],
)
def test_a_changed_end_belongs_to_the_copied_sentence_if_a_third_of_its_words_do(
    own: str, source: str, belongs: bool
) -> None:
    a, b = f"{SHARED} {own} Nobody noticed.", f"{SHARED} {source} A dog barked twice."
    sides = with_changed_sentences(a, Span(0, len(SHARED)), b, Span(0, len(SHARED)))
    assert [text[slice(*side)] for text, side in zip((a, b), sides, strict=True)] == (
        [f"{SHARED} {own}", f"{SHARED} {source}"] if belongs else [SHARED, SHARED]
    )


LONG = "The committee met on Monday in the old hall, where nobody had lit the fire since the autumn, and"


@pytest.mark.parametrize(
    ("own", "source", "belongs"),
    [
        ("went home quietly.", "adopted a report.", True),
        ("went home.", "adopted a long report of which only two copies were ever printed.", False),
        ("went home by the road along the river that the flood of last spring had left.", "adopted a report.", False),
    ],
)
def test_other_words_at_the_end_of_a_copied_sentence_replace_about_as_many(
    own: str, source: str, belongs: bool
) -> None:
    a, b = f"{LONG} {own} Nobody noticed.", f"{LONG} {source} A dog barked twice."
    sides = with_changed_sentences(a, Span(0, len(LONG)), b, Span(0, len(LONG)))
    assert [text[slice(*side)] for text, side in zip((a, b), sides, strict=True)] == (
        [f"{LONG} {own}", f"{LONG} {source}"] if belongs else [LONG, LONG]
    )


def test_other_words_before_a_copied_sentence_replace_those_that_the_source_side_already_has() -> None:
    copied = "手続きを記載していますが、この手引きは作業の進め方を説明したものではなく、仕組みの動きを述べたものです。"
    a, b = f"朝は雨でした。静かな九つの山は{copied}", f"犬が鳴いた。このマニュアルは{copied}"
    at, other = a.index(copied), b.index("この")
    ours, theirs = with_changed_sentences(a, Span(at, len(a)), b, Span(other, len(b)))
    assert a[slice(*ours)] == f"静かな九つの山は{copied}"
    assert b[slice(*theirs)] == f"このマニュアルは{copied}"


@pytest.mark.parametrize(
    ("before", "comes_from", "belongs"),
    [
        ("", "A house for repairs was found by brothers near their harbour. ", True),
        ("Near the harbour, their ", "brothers found another house that they would repair. ", True),
        ("", "The harbour was empty that morning. ", False),
    ],
)
def test_the_sources_side_has_the_sentence_that_the_last_one_comes_from_in_any_order(
    before: str, comes_from: str, belongs: bool
) -> None:
    a = f"{SHARED} left. The brothers found a repaired house near the harbour."
    there = f"{SHARED} left. {before}"
    b = f"{there}{comes_from}A dog barked twice."
    sides = with_changed_sentences(f"{a} Nobody noticed.", Span(0, len(a)), b, Span(0, len(there.rstrip())))
    assert sides[0] == Span(0, len(a))
    assert b[slice(*sides[1])] == (f"{there}{comes_from}".rstrip() if belongs else there.rstrip())


@pytest.mark.parametrize(
    ("own", "source", "copied"),
    [
        ("《海港条例》第三条规定：“{}”。", "第三条 {}。", "港口由市政府管理，任何单位和个人不得擅自占用岸线"),
        (
            "港湾法第三条によれば、「{}」とある。",
            "第三条 {}。",
            "港湾は市が管理し、何人もみだりに岸壁を占用してはならない",
        ),
        ('Section 3 says: "{}".', "Section 3: {}.", "the harbour is kept by the city and nobody may use its quays"),
    ],
)
def test_words_before_a_quotation_mark_that_was_added_are_the_writers_own(own: str, source: str, copied: str) -> None:
    a, b = (f"A.\n{text.format(copied)}\nB." for text in (own, source))
    places = [Span(text.index(copied), text.index(copied) + len(copied)) for text in (a, b)]
    ours, _ = with_changed_sentences(a, places[0], b, places[1])
    assert a[slice(*ours)] == copied


def test_a_sentence_copied_in_part_keeps_the_part_it_comes_from() -> None:
    part = "The ferry left the harbour at dawn"
    a, b = f"{SHARED} left. {part}. Nobody noticed.", f"{SHARED} left. {part} with nine passengers and a dog. Yes."
    place = Span(0, a.index(".", a.index(part)))
    sides = with_changed_sentences(a, Span(0, place.end + 1), b, place)
    assert [text[slice(*side)] for text, side in zip((a, b), sides, strict=True)] == [
        a[: place.end + 1],
        b[: place.end],
    ]


@pytest.mark.parametrize("backwards", [True, False])
@pytest.mark.parametrize(
    ("sentence", "times", "belongs"),
    [
        ("The old mill burned down.", 1, True),
        ("The old mill burned down.", 2, False),
        ("古い水車が焼けた。", 1, True),
        ("Not yet, sir.", 1, False),
    ],
)
def test_a_sentence_that_was_moved_to_the_edge_belongs_to_the_passage_unless_that_has_it_already(
    sentence: str, times: int, belongs: bool, backwards: bool
) -> None:
    source = f"{SHARED} left. {sentence} A dog barked twice at the moon."
    copied = source.replace(f"{sentence} ", "") if times == 1 else source
    own = f"Nobody noticed. {sentence} {copied} Hm." if backwards else f"{copied} {sentence} Nobody noticed."
    at = own.index(copied)
    ours, _ = with_changed_sentences(own, Span(at, at + len(copied)), source, Span(0, len(source)))
    whole = f"{sentence} {copied}" if backwards else f"{copied} {sentence}"
    assert own[slice(*ours)] == (whole if belongs else copied)


FERRY = "The ferry left the harbour at dawn with nine passengers."
BELL = "A bell rang twice from the lower deck before noon."


def test_sentences_in_another_order_come_each_from_its_own_place() -> None:
    before = "An unrelated preface of the editor stands here. "
    source = f"{before}{FERRY} {BELL} More."
    within = Span(len(before), len(source) - len(" More."))
    own = f"{BELL} {FERRY}"
    pieces = copied_pieces(own, [Span(0, len(own))], source, within)
    read = [(own[slice(*a)].strip(), source[slice(*b)].strip()) for a, b in pieces]
    assert read == [(BELL, BELL), (FERRY, FERRY)]


def test_words_from_an_earlier_place_of_the_source_are_a_piece_of_their_own() -> None:
    before = "An unrelated preface of the editor stands here. "
    source = f"{before}{FERRY} {BELL} Yes."
    words = "ferry left the harbour at dawn with nine passengers"
    own = f"{BELL} My uncle, who had seen none of it himself, told us all evening of our {words} or even ten."
    pieces = copied_pieces(own, [Span(0, len(own))], source, Span(len(before), len(source)))
    assert [source[slice(*b)].strip() for _, b in pieces] == [BELL, words]


@pytest.mark.parametrize(("short", "copied"), [("All is so bad.", True), ("All is so good.", False)])
def test_a_short_sentence_is_a_copy_only_of_its_very_words(short: str, copied: bool) -> None:
    source = f"All is so bad. {FERRY} {BELL}"
    own = f"{BELL} {short}"
    pieces = copied_pieces(own, [Span(0, len(own))], source, Span(0, len(source)))
    assert (short in [own[slice(*a)] for a, _ in pieces]) == copied


@pytest.mark.parametrize(("between", "pieces"), [("Oh no. ", 1), ("The pilot knew nothing of the fog bank. ", 2)])
def test_sentences_are_passages_of_their_own_where_the_source_has_a_whole_sentence_between_them(
    between: str, pieces: int
) -> None:
    own, source = f"{FERRY} {BELL}", f"{FERRY} {between}{BELL}"
    places = [
        (Span(own.index(s), own.index(s) + len(s)), Span(source.index(s), source.index(s) + len(s)))
        for s in (FERRY, BELL)
    ]
    nothing = (0.0, 0.0, 0.0, 0.0)
    equal = [MethodMatch("digest", *sides, Tier.EXACT, CopyKind.VERBATIM, nothing) for sides in places]
    around = Span(0, len(own)), Span(0, len(source))
    changed = MethodMatch("altered", *around, Tier.ALTERED, CopyKind.LIGHTLY_CHANGED, nothing)
    group = [*equal, changed]
    parts = verbatim_pieces(passage(group, own, source), group, own, source)
    assert len(parts) == pieces
    assert all((p.tier == Tier.EXACT) == (pieces > 1) for p in parts)


def test_a_piece_of_a_piece_has_its_share_of_the_figures() -> None:
    whole = MergedPassage(Span(0, 80), Span(0, 80), Tier.ALTERED, CopyKind.REWORDED, 1, (0.0, 0.0, 0.0, 8.0))
    half = whole.part(Span(0, 40), Span(0, 40))
    assert (half.portion, half.part(Span(0, 10), Span(0, 10)).portion) == (0.5, 0.125)


def test_a_copy_is_credited_though_the_source_quotes_the_same_words_elsewhere() -> None:
    words = f"{FERRY} {BELL}"
    source = f"{words} A year later he wrote in his diary: “{words}” Nobody knew why."
    own = f"As the chronicle says: “{words}” This is my only remark."
    at = own.index(words)
    for place, number in ((0, 1), (source.index("“") + 1, 0)):
        sides = Span(at, at + len(words)), Span(place, place + len(words))
        assert credit_of(Document("a", own, Role.SUSPECT), sides[0], source, sides[1]) == number


def test_a_mark_that_was_copied_with_its_sentence_is_not_a_mark_of_a_quotation() -> None:
    source = f"“It was a long night.\n\n{FERRY} {BELL}”\n\nNobody knew why."
    own = f"“And then, he said, {FERRY} {BELL}” Nobody knew why."
    sides = [Span(text.index(FERRY), len(text)) for text in (own, source)]
    assert credit_of(Document("a", own, Role.SUSPECT), sides[0], source, sides[1]) == 0


@pytest.mark.parametrize(("indent", "number"), [("\u3000\u3000", 1), ("", 0), ("    ", 1)])
def test_an_indented_paragraph_is_credited_unless_the_source_has_the_indent(indent: str, number: int) -> None:
    theirs = "" if number else "\u3000\u3000"
    source = f"{theirs}Preface.\n\n{theirs}{FERRY} {BELL}\n\n{theirs}Nobody knew why."
    own = f"My own remark.\n\n{indent or theirs}{FERRY} {BELL}\n\nMy other remark."
    sides = [Span(text.index(FERRY), text.index(BELL) + len(BELL)) for text in (own, source)]
    within = Span(0, len(source))
    assert credit_of(Document("a", own, Role.SUSPECT), sides[0], source, within) == number


@pytest.mark.parametrize(("source", "kept"), [("“{}”", "“{}”"), ("{}", "{}")])
def test_quotation_marks_belong_to_a_copy_if_the_source_has_them(source: str, kept: str) -> None:
    own, text = f"“{FERRY}”", source.format(FERRY)
    span = without_added_marks(own, Span(0, len(own)), text, Span(0, len(text)))
    assert own[slice(*span)] == kept.format(FERRY)


@pytest.mark.parametrize("mark", ["・", "- ", "•", "> ", "■「"])
def test_marks_of_a_list_belong_to_a_copy_only_if_the_source_has_them(mark: str) -> None:
    own = f"{mark}{FERRY}"
    for source, kept in ((FERRY, FERRY), (own, own)):
        span = without_added_marks(own, Span(0, len(own)), source, Span(0, len(source)))
        assert own[slice(*span)] == kept


CAT = "吾輩は猫である。名前はまだ無い。どこで生れたかとんと見当がつかぬ。"


@pytest.mark.parametrize(
    ("own", "kept"),
    [
        (f"2{FERRY}", FERRY),
        (f"(3) {FERRY}", FERRY),
        (f"In other words, {FERRY} Indeed.", FERRY),
        (f"2{CAT}", CAT),
        (f"甲 {CAT}乙", CAT),
        (f"{FERRY}\nTable 4", FERRY),
        (f"Then {FERRY.lower()}", f"Then {FERRY.lower()}"),
        (FERRY.replace("The", "A"), FERRY.replace("The", "A")),
        (FERRY.replace("harbour", "old harbour"), FERRY.replace("harbour", "old harbour")),
        ("I will now say only that " + FERRY, "I will now say only that " + FERRY),
    ],
)
def test_a_few_words_of_the_writer_before_and_after_a_copy_are_not_part_of_it(own: str, kept: str) -> None:
    source = CAT if "吾輩" in own else f"“{FERRY}”"
    span = without_added_words(own, Span(0, len(own)), source, Span(0, len(source)))
    assert own[slice(*span)] == kept


def test_a_mark_that_opens_the_copy_in_both_texts_belongs_to_it() -> None:
    own, source = f"甲 《{CAT}", f"また《{CAT}"
    at = source.index("《")
    span = without_added_words(own, Span(0, len(own)), source, Span(at, len(source)))
    assert own[slice(*span)] == f"《{CAT}"


def test_every_place_of_a_repeated_sentence_is_counted_also_without_digest() -> None:
    own, source = BELL, f"{BELL} " * 9
    of_initials = BITS["initials"]
    every = [
        MergedPassage(Span(0, len(BELL)), Span(at, at + len(BELL)), Tier.EXACT, CopyKind.VERBATIM, of_initials, ())
        for at in range(0, len(source), len(BELL) + 1)
    ]
    (kept,) = once(every, own, source)
    assert kept.places.number == 8


@pytest.mark.parametrize(("method", "tier"), [("digest", Tier.EXACT), ("altered", Tier.ALTERED)])
@pytest.mark.parametrize("language", ["en", "ja", "zh"])
def test_the_writers_own_sentence_between_two_copied_ones_is_not_part_of_the_passage(
    language: str, method: str, tier: Tier
) -> None:
    glue = " " if language == "en" else ""
    first, _, last = COPIED[language]
    source, own = first + glue + last, glue.join((first, OWN[language], last))
    spans = [
        (Span(own.index(x), own.index(x) + len(x)), Span(source.index(x), source.index(x) + len(x)))
        for x in (first, last)
    ]
    parts = [MethodMatch(method, a, b, tier, CopyKind.VERBATIM, (300.0, 0.0, 0.0, 0.0)) for a, b in spans]
    over = Span(0, len(own)), Span(0, len(source))
    windows = MethodMatch("initials", *over, Tier.ALTERED, CopyKind.LIGHTLY_CHANGED, (0.0, 80.0, 0.0, 0.0))
    # The end of the last sentence is also an exact match of its own.
    end = MethodMatch(
        "digest", Span(len(own) - 9, len(own)), Span(len(source) - 9, len(source)), Tier.EXACT, *parts[0][4:]
    )
    merged = passage([*parts, end, windows], own, source)
    assert [own[slice(*gap)].strip() for gap in merged.gaps[0]] == [OWN[language]]


@pytest.mark.parametrize("language", ["en", "ja", "zh"])
@pytest.mark.parametrize("changed", [False, True])
def test_an_own_sentence_in_place_of_a_copied_one_is_a_gap_on_both_sides_and_a_changed_one_is_not(
    language: str, changed: bool
) -> None:
    glue = " " if language == "en" else ""
    first, there, last = COPIED[language]
    here = there[:-3] + there[-1] if changed else OWN[language]
    source, own = glue.join((first, there, last)), glue.join((first, here, last))
    parts = [
        MethodMatch(
            "digest", *(_span(text, x) for text in (own, source)), Tier.EXACT, CopyKind.VERBATIM, (300.0, 0, 0, 0)
        )
        for x in (first, last)
    ]
    over = Span(0, len(own)), Span(0, len(source))
    windows = MethodMatch("initials", *over, Tier.ALTERED, CopyKind.LIGHTLY_CHANGED, (0.0, 80.0, 0.0, 0.0))
    merged = passage([*parts, windows], own, source)
    sides = ((own, here), (source, there))
    gaps = [[text[slice(*gap)].strip() for gap in gaps] for (text, _), gaps in zip(sides, merged.gaps, strict=True)]
    assert gaps == [[] if changed else [sentence] for _, sentence in sides]


def _span(text: str, part: str) -> Span:
    return Span(text.index(part), text.index(part) + len(part))


def chain(*gaps: tuple[int, int], size: int = 20) -> NDArray[np.int64]:
    """Passages of ``size`` characters of one pair with these gaps between them, in the suspect and in the source."""
    starts = np.cumsum([(0, 0), *((a + size, b + size) for a, b in gaps)], axis=0)
    return np.array([(1, 2, a, a + size, b, b + size) for a, b in starts.tolist()], np.int64)


SUPPORTED = [0.9, 0.8, 0.7]


@pytest.mark.parametrize(
    ("limits", "raised"),
    [
        (chain((BESIDE, 2 * BESIDE), (0, 0)), SUPPORTED),
        (chain((BESIDE + 1, 0), (0, 0)), None),
        (chain((0, 2 * BESIDE + 1), (0, 0)), None),
        (chain((0, -1), (0, 0)), None),
        (chain((0, 0), (0, 0), size=BESIDE), SUPPORTED),
        (chain((0, 0), (0, 0), size=BESIDE + 1), None),
        (chain((0, 0)), None),
        (chain((0, 0), (0, 0)) + np.array([[0] * 6, [0, 1, 0, 0, 0, 0], [0] * 6]), None),
    ],
    ids=["near", "far", "far in the source", "another order", "short", "long", "two", "two sources"],
)
@given(order=st.permutations([0, 1, 2]))
def test_a_short_passage_in_a_chain_has_at_least_the_mean_confidence_of_the_chain(
    limits: NDArray[np.int64], raised: list[float] | None, order: list[int]
) -> None:
    sure = np.array([0.9, 0.8, 0.4])[: len(limits)]
    order = [at for at in order if at < len(limits)]
    expected = sure if raised is None else np.array(raised)
    assert in_chains(limits[order], sure[order]) == pytest.approx(expected[order])
