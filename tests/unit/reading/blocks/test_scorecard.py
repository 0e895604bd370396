from __future__ import annotations

import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.base.errors import UserError
from workbench.base.resources import resource
from workbench.base.types import BlockClass
from workbench.reading.blocks import features, reasons, scorecard
from workbench.reading.blocks.page import Judgement, Page
from workbench.reading.blocks.rules import LEANS, RULES, judge, supported, trafilatura_rule
from workbench.reading.blocks.scorecard import PointsTable, expected_f1, fitted, page_bar, weigh
from workbench.reading.blocks.scorecard import judge as judge_by_points
from workbench.reading.html.page import extract_html
from workbench.text.markup import feature_names, surrounding_names
from workbench.text.markup.feature_names import LABELS, says
from workbench.text.markup.hints import GROUPS, groups

PROSE = "The city council met on Monday, and after a long debate, it voted to rebuild the old bridge over the river. "
ARTICLE = f"""
<html><head><title>The old bridge - News</title><meta property="og:type" content="article"></head><body>
<nav class="menu"><ul><li><a href=/a>Home</a><li><a href=/b>Sports</a><li><a href=/c>Weather</a></ul></nav>
<div class="content"><article><h1>The old bridge</h1>
<p>{PROSE * 3}<p>{PROSE * 2}<p>{PROSE * 4}<p>{PROSE * 3}</article></div>
<div class="sidebar"><h3>Most read</h3><ul><li><a href=/d>Ten things to do</a><li><a href=/e>Five more things</a></ul>
</div><footer id="footer">© 2020 The paper. <a href=/f>Imprint</a> <a href=/g>Privacy</a></footer></body></html>
"""
PARTS = [
    *("<p>", "</p>", "<div class=sidebar>", "<article>", "</div>", "<h1>", "<li>", "<a href=x>", "</a>", "あ。"),
    *("Text, text. ", "<table><td>", "<nav>", PROSE, "12/3/2020"),
]


def page(markup: str) -> Page:
    return extract_html(markup).page


def test_presets_keep_less_and_more_of_a_page_by_the_same_scores() -> None:
    article = page(ARTICLE)
    bars = [weigh(article, lean=lean) for lean in (LEANS["strict"], 0.0, LEANS["generous"])]
    assert all(np.array_equal(weighed.points, bars[1].points) for weighed in bars)
    strict, default, generous = (set(np.flatnonzero(weighed.content).tolist()) for weighed in bars)
    assert strict <= default <= generous
    assert bars[0].bar > bars[1].bar > bars[2].bar
    kept = {
        rule: sum(b.verdict is BlockClass.CONTENT for b in judge(article, rule, ARTICLE))
        for rule in ("strict", "default", "generous", "all")
    }
    assert 0 < kept["strict"] <= kept["default"] <= kept["generous"] <= kept["all"]


@pytest.mark.parametrize("rule", ["default", "strict", "generous", "alone"])
def test_prose_is_content_and_what_is_around_it_is_not(rule: str) -> None:
    article = page(ARTICLE)
    content = [
        article.text[b.span.start : b.span.end]
        for b in judge(article, rule, ARTICLE)
        if b.verdict is BlockClass.CONTENT
    ]
    assert sum(text.startswith("The city council") for text in content) == 4
    assert not {"Home", "Sports", "Ten things to do", "Most read"} & set(content)
    assert not any("Imprint" in text for text in content)


def test_the_reason_names_what_decided_and_the_points() -> None:
    article = page(ARTICLE)
    rules = {article.text[b.span.start : b.span.end]: b.rule for b in judge(article, "alone")}
    assert "menu" in rules["Home"] or "<nav>" in rules["Home"] or "links" in rules["Home"]
    assert all("(points " in rule for rule in rules.values())
    assert all(2 <= len(rule) < 200 for rule in rules.values())


def test_every_feature_that_has_points_has_words() -> None:
    article = page(ARTICLE)
    leaf = article.leaves[0]
    cards = json.loads(resource("blocks", "scorecard.json").read_text(encoding="utf-8"))
    for card in cards.values():
        for table, names in (
            ("own", feature_names.NAMES),
            ("around", surrounding_names.NAMES),
            ("opinion", surrounding_names.NAMES),
        ):
            assert set(card[table]) <= {"start", *names}
            for name in names:
                if not name.startswith(("points:", "page:0", "agrees:")):
                    assert reasons.reason(article, leaf, [name], 1.0, 0.0).split(" (")[0] != "no feature stands out", (
                        name
                    )


@given(st.lists(st.sampled_from(PARTS), max_size=40), st.sampled_from(sorted(RULES)))
def test_every_leaf_is_judged_once_and_always_alike(parts: list[str], rule: str) -> None:
    markup = "".join(parts)
    parsed = page(markup)
    blocks = judge(parsed, rule)
    assert [b.span for b in blocks] == [leaf.span for leaf in parsed.leaves]
    assert blocks == judge(page(markup), rule)
    if rule == "alone" and blocks:
        assert any(b.verdict is BlockClass.CONTENT for b in blocks)


@given(st.lists(st.sampled_from(feature_names.NAMES), unique=True))
def test_the_points_of_a_table_are_the_sum_of_its_features(names: list[str]) -> None:
    points = {name: (at % 71 - 35) / 10 for at, name in enumerate(feature_names.NAMES)}
    total, parts = PointsTable(feature_names.NAMES, points, 0.5).look(sum(feature_names.BIT[name] for name in names))
    assert total == (5 + sum(feature_names.INDEX[name] % 71 - 35 for name in names)) / 10
    if names:
        assert max(part.best[0] for part in parts) == max(points[name] for name in names)


def bar(points: list[float], share: float) -> float:
    return page_bar(points, expected_f1(points, [1.0] * len(points)), share)


def test_the_bar_is_near_even_odds_on_clear_pages_and_lower_on_others() -> None:
    assert bar([8.0, 8.0, -8.0], 1.0) == pytest.approx(0.0, abs=0.01)
    assert bar([0.0, 0.0, 0.0], 1.0) < -1.0
    assert bar([-5.0], 1.2) <= -5.0
    assert bar([], 1.0) == 0.0


@given(st.lists(st.tuples(st.floats(-9, 9), st.floats(1, 500)), min_size=1, max_size=8))
def test_what_is_promised_is_the_best_of_all_bars(blocks: list[tuple[float, float]]) -> None:
    odds = [(1 / (1 + math.exp(-p)), size) for p, size in blocks]
    content = sum(chance * size for chance, size in odds)
    ranked = sorted(odds, reverse=True)
    best = max(
        2 * sum(c * n for c, n in ranked[:count]) / (sum(n for _, n in ranked[:count]) + content)
        for count in range(1, len(ranked) + 1)
    )
    assert expected_f1([p for p, _ in blocks], [size for _, size in blocks]) == pytest.approx(best)


def test_another_opinion_is_asked_for_only_where_the_points_are_in_doubt() -> None:
    def second_opinions(markup: str) -> tuple[list[str], list[str]]:
        parsed, calls = page(markup), []

        def ask() -> list[bool]:
            calls.append(markup)
            return [True] * len(parsed.leaves)

        return calls, [j.reason for j in judge_by_points(parsed, ask)]

    calls, reasons = second_opinions(ARTICLE)
    assert not calls
    assert all(reason.endswith("); clear without a second opinion") for reason in reasons)
    doubtful = "<p>one line</p><div><a href=x>two</a> lines and more</div>"
    calls, reasons = second_opinions(doubtful)
    assert calls == [doubtful]
    assert not any("second opinion" in reason for reason in reasons)
    assert judge_by_points(page(doubtful), lambda: None) == judge_by_points(page(doubtful))


def test_an_element_around_the_whole_page_tells_no_block_apart() -> None:
    inside = features.features(page(f"<div><div class=comments><nav>{ARTICLE}</nav></div></div>"))
    bare = features.features(page(f"<div><div><div>{ARTICLE}</div></div></div>"))
    assert [bits & feature_names.BIT["around:comments"] for bits in inside] == [0] * len(inside)
    assert [bits & feature_names.BIT["in:nav"] for bits in inside] == [
        bits & feature_names.BIT["in:nav"] for bits in bare
    ]


@pytest.mark.parametrize(
    ("line", "group"),
    [
        ("相关报道：", "related"),
        ("関連記事", "related"),
        ("Related stories", "related"),
        ("责任编辑：山石", "credit"),
        ("已有1件评论", "comments"),
        ("上一页 | 下一页", "action"),
        ("无断転載禁止 © 2005", "rights"),
    ],
)
def test_short_lines_tell_what_they_are_about(line: str, group: str) -> None:
    assert says(line) >> LABELS.index(group) & 1
    assert not says("The old bridge stands") | says("古い橋が立つ")


def test_what_is_below_a_line_about_comments_is_known() -> None:
    commented = page(f"<h1>The bridge</h1><p>{PROSE * 4}<h3>Comments</h3><p>I like it.<p>So do I.")
    below = [bool(bits & feature_names.BIT["under:comments"]) for bits in features.features(commented)]
    assert below == [False, False, False, True, True]


def test_names_in_the_markup_say_what_a_part_is() -> None:
    def named(hints: str) -> set[str]:
        return {g for at, g in enumerate(GROUPS) if groups(hints) >> at & 1}

    assert named("side-bar") == {"sidebar"}
    assert named("commentlist") == {"comments"}
    assert named("pagecontent") == {"article"}
    assert named("x1 zz") == set()


def test_the_second_opinion_keeps_prose_and_is_not_asked_about_hostile_pages() -> None:
    article = page(ARTICLE)
    second_opinions = trafilatura_rule(article, ARTICLE)
    assert second_opinions is not None
    assert [article.text_of(leaf)[:8] for leaf, k in zip(article.leaves, second_opinions, strict=True) if k].count(
        "The city"
    ) == 4
    deep = "<div>" * 5_000 + "x"
    assert trafilatura_rule(page(deep), deep) is None
    assert supported(article, "") == [False] * len(article.leaves)


def test_an_unknown_rule_is_refused() -> None:
    with pytest.raises(UserError, match="Rules: default"):
        judge(page("<p>x"), "nonesuch")


@pytest.mark.slow
@pytest.mark.parametrize(
    "markup", ["<div>a" * 20_000, "<p class='" + "a " * 100_000 + "'>x", "<p>x" * 20_000, "<p>" + "1" * 500_000]
)
def test_hostile_pages_are_judged(markup: str) -> None:
    parsed = page(markup)
    assert len(judge(parsed, "alone")) == len(parsed.leaves) > 0


def test_all_scorecards_are_there() -> None:
    assert len({id(fitted(on)) for on in ("half", "other", "all")}) == 3


QUOTATION = "<blockquote><p>我因为常见些但愿不如所料，封王翳為杜衍侯，封楊喜為赤泉侯，封楊武為吳防侯。</p></blockquote>"


@pytest.mark.parametrize(
    ("markup", "is_content"),
    [
        (f"<div><p>{PROSE}</p>{QUOTATION}</div>", True),
        (f"<div><p>{PROSE}</p></div><div><p>Menu</p>{QUOTATION}</div>", False),
        (f"<div><p>{PROSE}</p></div><div>{QUOTATION}</div>", False),
        (f"<div>{QUOTATION}<p>{PROSE}</p></div>", False),
    ],
)
def test_a_quotation_after_content_of_its_own_element_is_content(
    markup: str, is_content: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    def by_prose(read: Page, _ask: object = None) -> list[Judgement]:
        kept = [PROSE.strip() in read.text_of(leaf) for leaf in read.leaves]
        return [Judgement(BlockClass.CONTENT if keep else BlockClass.NON_CONTENT, "points") for keep in kept]

    monkeypatch.setattr(scorecard, "judge", by_prose)
    (block,) = (b for b in judge(page(f"<html><body>{markup}</body></html>"), "alone") if "blockquote" in b.path)
    assert (block.verdict is BlockClass.CONTENT) is is_content
    assert ("a quotation next to content" in block.rule) is is_content


def test_a_reason_says_how_much_of_a_block_is_link_text() -> None:
    parsed = page("<p>Read <a href=x>more</a> about the harbour</p>")
    (leaf,) = parsed.leaves
    assert reasons.reason(parsed, leaf, ["linked:0.1"], 1.0, 0.0).startswith("link text 17 % of it")
