"""Merged passages against a plain reference, and what becomes of limits, kinds and confidence."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import product
from math import exp, log
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.methods.copies.texts import COPIED, OWN
from workbench.base.evidence import NAMED, other_places
from workbench.base.progress import NullProgress
from workbench.base.types import Document, Matches, Results, Role, Span, Tier
from workbench.methods.altered.method import METHOD as ALTERED
from workbench.methods.copies.figures import FIGURES, MEASURED, MergedPassage, MethodMatch, confidence
from workbench.methods.copies.limits import share_of_sentence, snap_to_words
from workbench.methods.copies.merging import (
    CHANCE,
    _reading,
    _room,
    _wholes,
    grouped,
    is_moved,
    merge,
    once,
    passage,
    standing_alone,
    with_fragments,
    without_moved_edges,
)
from workbench.methods.copies.method import METHOD as COPIES
from workbench.methods.copies.views import SourceTexts
from workbench.methods.core.api import Method
from workbench.methods.core.figures import CopyKind
from workbench.methods.digest.method import METHOD as DIGEST

BEFORE = NullProgress()
SPANS = st.builds(lambda start, size: Span(start, start + size), st.integers(0, 60), st.integers(1, 20))
PARTS = st.builds(
    lambda a, b, tier: MethodMatch("digest", a, b, tier, CopyKind.VERBATIM, (1.0, 0.0, 0.0, 0.0)),
    SPANS,
    SPANS,
    st.integers(0, 2),
)


@pytest.mark.parametrize(("between", "passages"), [("", 1), ("A dog barked. ", 2)])
def test_matches_that_follow_each_other_in_both_texts_are_one_passage(between: str, passages: int) -> None:
    first, _, last = COPIED["en"]
    own, source = f"{OWN['en']} {first} {between}{last} {OWN['en']}", f"Before. {first} {last} After."
    rows = [
        MethodMatch(
            method, *(Span(text.index(words), text.index(words) + len(words)) for text in (own, source)), Tier.ALTERED,
            CopyKind.LIGHTLY_CHANGED, (0.0, 0.0, 0.0, 90.0),
        )
        for method, words in (("altered", first), ("initials", last))
    ]  # fmt: skip
    assert len(_wholes([[row] for row in rows], own, source)) == passages


def plainly_grouped(parts: list[MethodMatch]) -> list[list[MethodMatch]]:
    """Groups by repeated search for one part that overlaps another group's on both sides."""
    groups = [[p] for p in parts]
    while True:
        meeting = next(
            (
                (g, h)
                for i, g in enumerate(groups)
                for h in groups[:i]
                if any(p.a_span.overlap(q.a_span) and p.b_span.overlap(q.b_span) for p in g for q in h)
            ),
            None,
        )
        if meeting is None:
            return groups
        groups = [g for g in groups if g is not meeting[0] and g is not meeting[1]] + [meeting[0] + meeting[1]]


@pytest.mark.slow
@given(st.lists(PARTS, max_size=12))
def test_groups_are_those_of_the_plain_reference(parts: list[MethodMatch]) -> None:
    groups = grouped(parts, BEFORE) if parts else []
    assert sorted(map(sorted, groups)) == sorted(map(sorted, plainly_grouped(parts)))


@given(st.lists(PARTS, min_size=1, max_size=8))
def test_a_passage_reaches_from_end_to_end_of_its_matches(parts: list[MethodMatch]) -> None:
    merged = passage(parts, "x" * 100, None)
    for side in ("a_span", "b_span"):
        spans = [getattr(p, side) for p in parts]
        assert getattr(merged, side) == (min(s.start for s in spans), max(s.end for s in spans))


def with_windows_before(before: str) -> str:
    """What is reported of a copy whose letters in ``before`` are alike, too, as windows of ``initials`` see them."""
    core = "three of the five accounts were shut without any word"
    own, source = f"It was said that {before} {core}", f"Then they wrote that {before} {core}"
    spans = [Span(text.index(core), len(text)) for text in (own, source)]
    words = MethodMatch("altered", *spans, Tier.ALTERED, CopyKind.REWORDED, (0.0, 0.0, 0.0, 50.0))
    wider = [Span(span.start - len(before) - 1, span.end) for span in spans]
    windows = words._replace(method="initials", a_span=wider[0], b_span=wider[1])
    return own[slice(*passage([words, windows], own, None).a_span)]


def test_a_few_characters_that_agree_by_chance_do_not_extend_a_passage() -> None:
    assert with_windows_before("at noon, then,").startswith("three")
    assert with_windows_before("at noon in the old hall").startswith("at noon in the old hall three")


CHANGED = {
    "en": (
        "The committee met on Friday to read the report of its auditors.",
        "The chairman offered an answer before end of week.",
    ),
    "ja": ("委員会は金曜日に会計監督の報告を聴くために開かれた。", "議長も週末までも回答するも約束した。"),
    "zh": ("委员会于星期五开会听见审计人员的通告。", "主席也诺在也周结束也给出答复。"),
}


def with_limits(own: str, source: str, core: str) -> tuple[str, str]:
    """The text on either side of the passage that an exact match of ``core`` becomes."""
    a, b = Span(own.index(core), own.index(core) + len(core)), Span(source.index(core), source.index(core) + len(core))
    merged = passage([MethodMatch("digest", a, b, Tier.EXACT, CopyKind.VERBATIM, (300.0, 0.0, 0.0, 0.0))], own, source)
    return own[slice(*merged.a_span)], source[slice(*merged.b_span)]


@pytest.mark.parametrize("language", ["en", "ja", "zh"])
def test_the_changed_sentences_at_the_edges_of_a_copy_are_reported(language: str) -> None:
    glue = " " if language == "en" else ""
    (first, core, last), (changed, changed_last) = COPIED[language], CHANGED[language]
    source = glue.join(("Before.", first, core, last, "After."))
    for left, right in ((changed, last), (first, changed_last), (changed, changed_last)):
        copied = glue.join((left, core, right))
        own = glue.join((OWN[language], copied, OWN[language]))
        assert with_limits(own, source, core) == (copied, glue.join((first, core, last)))


@pytest.mark.parametrize("language", ["en", "ja", "zh"])
def test_the_writers_own_sentences_beside_a_copy_are_not_reported(language: str) -> None:
    glue = " " if language == "en" else ""
    first, core, last = COPIED[language]
    own = glue.join((OWN[language], core, OWN[language]))
    assert with_limits(own, glue.join((first, core, last)), core) == (core, core)


FERRY = {
    "en": (
        "The ferry left the harbour at dawn with nine passengers and put out to sea on a wind from the north. "
        "Not one of them had told the harbour pilot of the bank of fog that lay across the southern cape. "
        "The bell rang twice from the lower deck, and the engineer closed the main valve and waited for an answer.",
        "After that winter the council ordered every ship to carry two lanterns. "
        "Without leave from the harbour master no captain was allowed to depart from the quay.",
        (
            "- Number of lanterns\n- Leave from the harbour master\n\n",
            "No one there believes in the fog. ",
            "\n\nA wind\n\n",
        ),
    ),
    "ja": (
        "渡し船は夜明けに九人の客を乗せて港を出て、北からの風を受けて沖へ向かった。"
        "南の岬の前に横たわる霧の塊のことを水先案内人に告げた者は一人もいなかった。"
        "下の甲板から鐘が二度鳴り、機関士は主弁を閉めて返事を待っていた。",
        "その冬ののち、評議会はすべての船に二つの灯を備えるよう命じた。"
        "港長の許しなしに岸壁を離れることはどの船長にも許されなかった。",
        ("・灯の数\n・港長の許し\n\n", "私はこの話を信じたことがなかった。", "\n\n船長に許しを\n\n"),
    ),
    "zh": (
        "渡船在黎明载着九名乘客离开港口，乘着北风驶向外海。没有一个人把横在南岬前的雾堤告诉港口的引水员。"
        "下层甲板的钟响了两次，轮机长关上主阀等待回答。",
        "那个冬天之后，议会命令每艘船都要备有两盏灯。没有港务长的许可，任何船长都不得离开码头。",
        ("・灯的数目\n・港务长的许可\n\n", "我从来没有相信过这件事的回答。", "\n\n离开码头\n\n"),
    ),
}


@pytest.mark.parametrize("method", [COPIES, ALTERED])
@pytest.mark.parametrize("language", ["en", "ja", "zh"])
def test_headings_list_items_and_ends_of_own_sentences_beside_a_copy_are_not_reported(
    language: str, method: Method
) -> None:
    copied, other, (items, sentence, heading) = FERRY[language]
    source = Document("source", f"{copied}\n\n{other}", Role.SOURCE, key=1)
    changed = copied.replace("harbour pilot", "pilot").replace("水先案内人", "案内人").replace("港口的引水员", "引水员")
    for before, after in ((items, ""), (sentence, ""), ("", heading), (items, heading), (sentence, heading)):
        own = f"{OWN[language]}\n\n{before}{changed}{after}{OWN[language]}"
        (match,) = method.compare(Document("own", own, Role.SUSPECT, key=2), source, method.facts.parameters()).matches
        assert own[slice(*match.a_span)].strip() == changed
        assert source.text[slice(*match.b_span)] == copied


@pytest.mark.parametrize("language", ["en", "ja", "zh"])
def test_a_heading_that_was_copied_with_its_paragraph_is_reported(language: str) -> None:
    copied, other, (_, _, heading) = FERRY[language]
    whole = f"{heading.strip()}\n\n{copied}"
    source = Document("source", f"{other}\n\n{whole}", Role.SOURCE, key=1)
    own = f"{OWN[language]}\n\n{whole}\n\n{OWN[language]}"
    (match,) = COPIES.compare(Document("own", own, Role.SUSPECT, key=2), source, COPIES.facts.parameters()).matches
    assert own[slice(*match.a_span)] == whole


def test_a_sentence_of_a_source_repeated_there_is_one_passage_that_counts_the_other_places() -> None:
    boilerplate = "All rights to this text remain with the library that keeps it."
    source = "\n".join(f"{boilerplate} Chapter {n} tells of the {n} ships that were lost." for n in range(8))
    own = f"{OWN['en']} {boilerplate} {OWN['en']}"
    for method in (COPIES, DIGEST):
        parameters = method.parameters.parse({"min_surprisal": 30} if method is DIGEST else {})
        results = method.compare(Document("a", own, Role.SUSPECT, key=2), Document("b", source, key=1), parameters)
        (match,) = results.matches
        assert own[slice(*match.a_span)] == boilerplate
        count, starts = other_places(match.evidence)
        assert count == 7
        assert all(source.startswith(boilerplate, start) for start in [*starts, match.b_span.start])
        assert len({*starts, match.b_span.start}) == NAMED + 1


def test_a_verbatim_sentence_that_a_long_source_repeats_is_not_a_summary_of_it() -> None:
    boilerplate = (
        "All rights to this text remain with the library that keeps it in its vaults, "
        "and no part of it may be used without written leave."
    )
    source = "\n".join(
        f"Chapter {n} tells of {7 * n} ships that were lost near a cape. {boilerplate}" for n in range(11)
    )
    own = f"{OWN['en']} {boilerplate} A cold wind came from the hills."
    for method in (COPIES, ALTERED):
        documents = Document("a", own, Role.SUSPECT, key=2), Document("b", source, key=1)
        (match,) = method.compare(*documents, method.parameters()).matches
        assert own[slice(*match.a_span)] == source[slice(*match.b_span)] == boilerplate
        assert match.evidence["tier"] == Tier.EXACT


def test_characters_of_another_script_are_not_homophones() -> None:
    traditional = "這座圖書館的舊目錄記載了許多關於漁業與貿易的歷史資料。學者們對這批資料進行了長期而深入的研究。"
    simplified = "这座图书馆的旧目录记载了许多关于渔业与贸易的历史资料。学者们对这些资料进行了长期而细致的研究。"
    documents = Document("a", traditional, Role.SUSPECT, key=2), Document("b", simplified, key=1)
    (match,) = COPIES.compare(*documents, COPIES.parameters()).matches
    assert match.evidence["kind"] != CopyKind.HOMOPHONES
    assert match.evidence["homophones"] == 0


def places(span: Span, gaps: Sequence[Span]) -> set[int]:
    return set(range(*span)) - {place for gap in gaps for place in range(*gap)}


@given(st.lists(PARTS, min_size=1, max_size=5), st.data())
def test_the_gaps_of_a_passage_are_what_none_of_its_matches_takes_in(
    parts: list[MethodMatch], data: st.DataObject
) -> None:
    group = []
    for part in parts:
        method = data.draw(st.sampled_from(["digest", "initials", "altered"]))
        tier = {"digest": Tier.FOLDED, "initials": Tier.ALTERED, "altered": Tier.ALTERED}[method]
        sides: list[tuple[Span, ...]] = []
        for span in (part.a_span, part.b_span):
            low = data.draw(st.integers(span.start, span.end - 1))
            high = data.draw(st.integers(low + 1, span.end))
            sides.append((Span(low, high),) if method == "altered" and data.draw(st.booleans()) else ())
        group.append(part._replace(method=method, tier=tier, gaps=(sides[0], sides[1])))
    merged = passage(group, "x" * 100, None)
    for side, limits in enumerate((merged.a_span, merged.b_span)):
        every = {place for p in group for gap in p.gaps[side] for place in range(*gap)}
        taken: set[int] = set()
        for p in group:
            whole = places((p.a_span, p.b_span)[side], p.gaps[side])
            taken |= whole - every if p.method == "initials" else whole
        if merged.tier == Tier.ALTERED and every:
            assert places(limits, merged.gaps[side]) == set(range(*limits)) & taken
        else:
            assert merged.gaps[side] == ()


def columns(*spans: tuple[int, int, int, int], tier: int, score: float, **evidence: float) -> Results:
    """Matches of the suspect 2 in the source 1."""
    a, a_end, b, b_end = np.array(spans, np.int64).T
    n = len(spans)
    shown = {name: np.full(n, value) for name, value in evidence.items()}
    keys = np.full(n, 2, np.int64), np.full(n, 1, np.int64)
    return Results(Matches(*keys, a, a_end, b, b_end, np.full(n, score), np.full(n, tier, np.int8), shown))


def test_an_altered_passage_around_a_verbatim_core_is_one_that_notes_both() -> None:
    results = {
        "digest": columns((200, 300, 700, 800), tier=Tier.EXACT, score=100, surprisal=400, segments=3, characters=100),
        "altered": columns((100, 310, 600, 815), tier=Tier.ALTERED, score=90, kind=CopyKind.REWORDED),
    }
    documents = [Document("s", "a" * 1000, Role.SUSPECT, key=2)]
    merged = merge(results, documents, SourceTexts.of_all({1: "b" * 1000}), BEFORE)
    (match,) = merged.matches
    assert merged.joined == 1
    assert (match.a_span, match.b_span) == (Span(100, 310), Span(600, 815))
    assert match.evidence["methods"] == 5
    assert match.evidence["kind"] == CopyKind.REWORDED
    assert (match.evidence["surprisal"], match.evidence["odds"]) == (400, 90)
    assert match.score == match.evidence["confidence"]


@pytest.mark.parametrize(
    ("verbatim", "kind"),
    [(100, CopyKind.LIGHTLY_CHANGED), (92, CopyKind.LIGHTLY_CHANGED), (88, CopyKind.REWORDED), (65, CopyKind.REWORDED)],
)
def test_a_passage_is_what_was_seen_of_nine_tenths_of_it(verbatim: int, kind: CopyKind) -> None:
    results = {
        "digest": columns(
            (200, 200 + verbatim, 700, 700 + verbatim),
            tier=Tier.EXACT,
            score=100,
            surprisal=400,
            segments=3,
            characters=100,
        ),
        "altered": columns((200, 300, 700, 810), tier=Tier.ALTERED, score=90, kind=CopyKind.REWORDED),
    }
    documents = [Document("s", "a" * 1000, Role.SUSPECT, key=2)]
    (match,) = merge(results, documents, SourceTexts.of_all({1: "b" * 1000}), BEFORE).matches
    assert match.evidence["kind"] == kind


@pytest.mark.parametrize(
    ("differ", "homophones", "kind"),
    [
        *((4, 4, CopyKind.HOMOPHONES), (4, 2, CopyKind.HOMOPHONES), (4, 1, CopyKind.LIGHTLY_CHANGED)),
        *((5, 3, CopyKind.HOMOPHONES), (5, 2, CopyKind.LIGHTLY_CHANGED), (0, 0, CopyKind.VERBATIM)),
    ],
)
def test_homophones_are_at_least_half_of_what_differs(differ: int, homophones: int, kind: CopyKind) -> None:
    assert _reading("initials", {"differ": differ, "homophones": homophones}, 40.0)[0] is kind


def test_matches_that_overlap_on_one_side_alone_stay_apart() -> None:
    results = {"altered": columns((0, 100, 0, 100), (50, 150, 400, 500), tier=2, score=90, kind=2)}
    documents = [Document("s", "a" * 1000, Role.SUSPECT, key=2)]
    merged = merge(results, documents, SourceTexts.of_all({}), BEFORE)
    assert (len(merged.matches), merged.joined) == (2, 0)


@given(st.lists(st.floats(0, 1e4), min_size=4, max_size=4), st.integers(0, 3), st.floats(0, 1e3), st.booleans())
def test_more_evidence_is_never_less_sure(figures: list[float], which: int, more: float, aligned: bool) -> None:
    assert len(figures) == len(MEASURED)
    added = [*figures]
    added[which] += more
    before, after = confidence(np.array([figures, added]), aligned=aligned)
    assert 0 <= before <= after <= 1


def test_passages_begin_and_end_at_words() -> None:
    text = "of letters. The first thing to say is that nobody expected it."
    assert text[slice(*snap_to_words(text, Span(8, 40)))] == "The first thing to say is"
    assert snap_to_words("これは文であり、", Span(1, 5)) == Span(1, 5)


def test_matches_that_only_touch_in_the_source_stay_apart() -> None:
    touching = MethodMatch("digest", Span(10, 40), Span(40, 70), Tier.EXACT, CopyKind.VERBATIM, (1.0, 0.0, 0.0, 0.0))
    before = touching._replace(a_span=Span(0, 30), b_span=Span(10, 40))
    assert len(grouped([before, touching], BEFORE)) == 2
    assert len(grouped([before._replace(b_span=Span(10, 41)), touching], BEFORE)) == 1


@pytest.mark.parametrize(
    ("own", "source", "tier"),
    [
        ("The harbour was quiet.", "The harbour was quiet.", Tier.EXACT),
        ("The harbour was quiet.", "the harbour was quiet.", Tier.FOLDED),
    ],
)
@pytest.mark.parametrize("of_match", [Tier.EXACT, Tier.FOLDED])
def test_a_passage_is_exact_where_its_sides_are_the_same_characters(
    own: str, source: str, tier: Tier, of_match: Tier
) -> None:
    whole = Span(0, len(own))
    part = MethodMatch("digest", whole, whole, of_match, CopyKind.VERBATIM, (400.0, 0.0, 0.0, 0.0))
    assert passage([part], own, source).tier == tier


def test_a_match_of_the_whole_on_one_side_alone_says_nothing_of_how_alike_the_passage_is() -> None:
    # Equal for the whole of the suspect, but for half of the source; the rest of that was only aligned.
    equal = MethodMatch("digest", Span(0, 60), Span(0, 60), Tier.FOLDED, CopyKind.VERBATIM, (400.0, 0.0, 0.0, 0.0))
    aligned = MethodMatch("altered", Span(5, 60), Span(0, 120), Tier.ALTERED, CopyKind.REWORDED, (0.0, 0.0, 0.0, 90.0))
    assert passage([equal, aligned], "x" * 60, None).tier == Tier.ALTERED


def test_confidence_is_the_one_that_the_page_of_the_method_prints(repository: Path) -> None:
    page = (repository / "docs/methods/copies.md").read_text(encoding="utf-8")
    words = page[page.index("## Confidence") : page.index("`python -m tests.golden")]
    number = r"(-?[\d.]+)"
    weights = rf"{number} \+ {number} g\(s, 200\) \+ {number} ln\(1 \+ h\) \+ {number} g\(o, 50\)"
    ((constant, surprisal, homophones, odds),) = (map(float, groups) for groups in re.findall(weights, words))
    ((own, slope),) = (map(float, groups) for groups in re.findall(rf"or of {number} \+ {number} g\(s, 200\)", words))
    (rare,) = map(float, re.findall(r"applies from (\d+) bits", words))
    (most,) = map(float, re.findall(r"never above ([\d.]+\d)", words))

    def grown(x: float, c: float) -> float:
        return 5 * min(x / c, 1) + log(max(x / c, 1))

    for s, h, o in product((0.0, 20.0, 150.0, 199.0, 200.0, 900.0), (0.0, 3.0), (0.0, 14.0, 49.0, 200.0)):
        logit = constant + surprisal * grown(s, 200) + homophones * log(1 + h) + odds * grown(o, 50)
        if s >= rare:
            logit = max(logit, own + slope * grown(s, 200))
        (claimed,) = confidence(np.array([[s, 7.0, h, o]]), aligned=True)
        assert claimed == pytest.approx(min(1 / (1 + exp(-logit)), most), abs=1e-4)


@pytest.mark.parametrize(("words", "cut"), [("een cats sea", True), ("eens cats sea", False)])
def test_a_match_is_cut_back_to_words_where_at_least_half_of_it_is_left(words: str, cut: bool) -> None:
    # " cats " is all that is whole: six of twelve characters, or of thirteen.
    text = f"gre{words}son"
    start, end = 3, text.index(" sea") + 4
    assert (text[slice(*snap_to_words(text, Span(start, end)))].strip() == "cats") == cut


@pytest.mark.parametrize(("gap", "passages_of"), [(10, 1), (11, 2)])
def test_words_that_a_passage_has_at_least_half_of_are_not_reported_again(gap: int, passages_of: int) -> None:
    own = "".join(chr(0x4E00 + n) for n in range(100))
    holder = passage(
        [
            MethodMatch(
                "altered",
                Span(0, 100),
                Span(0, 100),
                Tier.ALTERED,
                CopyKind.REWORDED,
                (0.0, 0.0, 0.0, 90.0),
                ((Span(40, 40 + gap),), ()),
            ),
        ],
        own,
        None,
    )
    inside = MethodMatch("digest", Span(40, 60), Span(300, 320), Tier.EXACT, CopyKind.VERBATIM, (400.0, 0.0, 0.0, 0.0))
    assert len(once([holder, passage([inside], own, None)], own, None)) == passages_of


@pytest.mark.parametrize(("second", "moved"), [(99, True), (100, False), (101, False)])
def test_parts_are_moved_where_a_later_one_comes_from_an_earlier_place(second: int, moved: bool) -> None:
    parts = [
        MethodMatch("digest", Span(at, at + 20), Span(there, there + 20), Tier.EXACT, CopyKind.VERBATIM, (1.0, 0, 0, 0))
        for at, there in ((0, 100), (40, second))
    ]
    assert is_moved(parts) is moved
    assert is_moved(parts[::-1]) is moved


def merged_passage(start: int, end: int, there: int, kind: CopyKind = CopyKind.REWORDED) -> MergedPassage:
    """A passage of as many characters on both sides."""
    spans = Span(start, end), Span(there, there + end - start)
    return MergedPassage(*spans, Tier.ALTERED, kind, 4, (0.0, 0.0, 0.0, 90.0))


@pytest.mark.parametrize(
    ("size", "beside", "kind", "fragment"),
    [
        (29, 50, CopyKind.VERBATIM, True),
        (30, 50, CopyKind.VERBATIM, False),
        (29, 49, CopyKind.VERBATIM, False),
        (29, 50, CopyKind.LIGHTLY_CHANGED, False),
    ],
)
def test_a_sentence_beside_a_longer_verbatim_copy_is_a_fragment(
    size: int, beside: int, kind: CopyKind, fragment: bool
) -> None:
    own, source = "字" * 99 + "。" + "文" * size + "。", "文" * size + "。" + "字" * 99 + "。"
    verbatim, other = merged_passage(0, beside, size + 1, kind), merged_passage(100, 100 + size, 0)
    assert [p.fragment for p in with_fragments([verbatim, other], own, source)] == [False, fragment]


@pytest.mark.parametrize(("last", "fragment"), [(29, False), (28, False), (26, True)])
def test_an_equal_sentence_beside_a_longer_verbatim_copy_is_a_passage(last: int, fragment: bool) -> None:
    text = "字" * 99 + "。" + "文" * 29 + "。"
    verbatim, other = (merged_passage(0, 50, 0, CopyKind.VERBATIM), merged_passage(100, 100 + last, 100))
    assert with_fragments([verbatim, other._replace(tier=Tier.EXACT)], text, text)[1].fragment is fragment
    assert with_fragments([verbatim, other], text, text)[1].fragment


@pytest.mark.parametrize(
    ("own", "source", "fragment"),
    [
        ("We asked the Royal Society of Northern Harbours for money. Nothing came of it.", None, False),
        (
            "We asked the Royal Society of Northern Harbours for money and for two of its clerks, in vain.",
            "Its chairman, a fellow of the Royal Society of Northern Harbours, had died a year before.",
            True,
        ),
        (
            "We asked the Royal Society of Northern Harbours for money and for two of its clerks, in vain.",
            "He led the Royal Society of Northern Harbours.",
            False,
        ),
        (
            "We asked the Royal Society of Northern Harbours for it.",
            "Its chairman, a fellow of the Royal Society of Northern Harbours, had died a year before.",
            False,
        ),
    ],
)
def test_less_than_half_of_a_sentence_on_both_sides_is_a_fragment(own: str, source: str | None, fragment: bool) -> None:
    name = "Royal Society of Northern Harbours"
    at, there = own.index(name), (source or own).index(name)
    (p,) = with_fragments([merged_passage(at, at + len(name), there)], own, source)
    assert p.fragment is fragment


@given(st.text("ab. \n", max_size=40), st.integers(0, 40), st.integers(1, 40))
def test_the_share_of_a_sentence_is_that_of_the_plain_reference(text: str, start: int, size: int) -> None:
    span = Span(min(start, len(text)), min(start + size, len(text)))
    ends = [i + 1 for i, c in enumerate(text) if c == "\n" or (c == "." and text[i + 1 : i + 2] in ("", " ", "\n"))]
    last_stop = [e for e in ends if e < len(text[: span.end].rstrip()) and text[span.start : e].strip()]
    first = max((e for e in ends if e <= span.start + 1), default=0)
    last = min((e for e in ends if e >= span.end - 1), default=len(text))
    plain = (span.end - span.start) / max(1, len(text[first:last].strip()))
    assert share_of_sentence(text, span) == (1.0 if last_stop else min(1.0, plain))


@pytest.mark.parametrize(
    ("value", "shown"), [(0.986, "99 % · almost certain"), (0.984, "98 % · very likely"), (0.004, "0.4 % · doubtful")]
)
def test_the_word_for_a_confidence_is_that_of_the_figure_beside_it(value: float, shown: str) -> None:
    assert str(FIGURES["confidence"].unit(value)) == shown  # type: ignore[operator]


@pytest.mark.parametrize(("letters", "share"), [(400, 1.0), (399, 10 / 410)])
def test_a_sentence_whose_end_is_far_off_counts_as_whole(letters: int, share: float) -> None:
    text = "First. " + "a" * 10 + "b" * letters + ". Last."
    assert share_of_sentence(text, Span(7, 17)) == pytest.approx(share, abs=1e-9)


def test_a_book_that_two_writers_cite_is_a_fragment_however_rare() -> None:
    cited = "[The Political Philosophy of Bakunin, p."
    own = f'"Nobody is free among slaves." {cited} 57] And so he asks who of them is to be freed first.'
    source = f'He spoke of "the instinct of the crowd." {cited} 269] Others speak of the weather like that.'
    at, there = own.index(cited), source.index(cited)
    equal = merged_passage(at, at + len(cited), there)._replace(tier=Tier.EXACT, measured=(270.0, 0.0, 0.0, 0.0))
    (p,) = with_fragments([equal], own, source)
    assert p.fragment
    assert confidence(np.array([p.measured]), aligned=True, fragments=np.array([True]))[0] < 0.05


@pytest.mark.parametrize(
    ("bits", "more", "certain"),
    [
        ([150.0], "", False),
        ([199.0], "", False),
        ([200.0], "", True),
        ([150.0, 60.0], "", True),
        ([150.0], "文字。", True),
        ([0.0], "", True),
    ],
)
def test_a_short_sentence_that_is_all_that_two_texts_have_in_common_is_likely_and_not_certain(
    bits: list[float], more: str, certain: bool
) -> None:
    text = "本論文の構成は以下のとおりである。" + more
    whole = merged_passage(0, len(text), 0)
    passages = standing_alone([whole._replace(measured=(of_one, 0.0, 0.0, 300.0)) for of_one in bits], text)
    measured = np.array([p.measured for p in passages])
    sure = confidence(measured, aligned=True, alone=np.array([p.alone for p in passages]))
    assert (sure[0] > 0.95) == certain
    assert certain or 0.85 < sure[0] < 0.9


@pytest.mark.parametrize(("bits", "sure"), [(199.0, False), (200.0, True)])
def test_a_fragment_is_doubtful_unless_its_sentences_are_rare(bits: float, sure: bool) -> None:
    figures = np.array([[bits, 0.0, 0.0, 300.0]])
    whole, fragment = (confidence(figures, aligned=True, fragments=np.array([is_one])) for is_one in (False, True))
    assert whole[0] > 0.95
    assert (fragment[0] > 0.95) == sure
    assert sure or fragment[0] == pytest.approx(1 / (1 + exp(3)), abs=1e-4)


@pytest.mark.parametrize("language", ["en", "ja", "zh"])
def test_a_changed_sentence_that_one_passage_has_does_not_extend_the_next(language: str) -> None:
    glue = " " if language == "en" else ""
    first, core, last = COPIED[language]
    changed = CHANGED[language][0]
    source = glue.join((first, core, last))
    own = glue.join((OWN[language], changed, core, OWN[language]))

    def match(method: str, text: str, there: str, tier: Tier) -> MethodMatch:
        sides = [
            Span(whole.index(part), whole.index(part) + len(part)) for whole, part in ((own, text), (source, there))
        ]
        return MethodMatch(method, *sides, tier, CopyKind.REWORDED, (300.0, 0.0, 0.0, 0.0))

    groups = [[match("digest", core, core, Tier.EXACT)], [match("altered", changed, first, Tier.ALTERED)]]
    passages = [passage(group, own, source, room) for group, room in zip(groups, _room(groups, len(own)), strict=True)]
    assert [own[slice(*p.a_span)].strip() for p in passages] == [core, changed]


@pytest.mark.parametrize(("inset", "limits"), [(0, (60, 120)), (CHANCE, (60, 120)), (CHANCE + 1, (0, 180))])
def test_sentences_copied_from_elsewhere_are_trimmed_from_both_ends_of_a_passage(
    inset: int, limits: tuple[int, int]
) -> None:
    first, middle, last = "f" * 60, "m" * 60, "l" * 60
    own, source = first + middle + last, middle + "x" * 200 + first + last
    exact = [(Span(inset, 60), Span(260 + inset, 320)), (Span(120, 180 - inset), Span(320, 380 - inset))]
    parts = [MethodMatch("digest", *sides, Tier.EXACT, CopyKind.VERBATIM, (1.0,)) for sides in exact]
    parts.append(MethodMatch("altered", Span(0, 180), Span(0, 60), Tier.ALTERED, CopyKind.REWORDED, (1.0,)))
    (trimmed,) = (p for p in without_moved_edges(parts, own, source) if p.method == "altered")
    assert (tuple(trimmed.a_span), trimmed.b_span) == (limits, Span(0, 60))


@pytest.mark.parametrize("ends", [("", "\n"), ("\u3000", " \n\n")])
def test_equal_texts_are_wholly_one_exact_passage(ends: tuple[str, str]) -> None:
    text = (
        ends[0] + "郵便局の前で祖母を待つあいだ、私は切手の図柄を数えていた。鳥が三羽、船が二隻、花が一輪。" + ends[1]
    )
    documents = Document("a", text, Role.SUSPECT, key=2), Document("b", text, key=1)
    (match,) = COPIES.compare(*documents, COPIES.parameters()).matches
    assert match.a_span == match.b_span == Span(0, len(text))
    assert match.evidence["tier"] == Tier.EXACT
