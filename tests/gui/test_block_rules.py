"""Reasons of the rules for content blocks in the interface language."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from workbench.base.messages import Message, read
from workbench.base.types import Document
from workbench.gui import i18n
from workbench.gui.i18n import say
from workbench.project.details import pack_details, unpack_details
from workbench.reading.blocks import reasons, scorecard
from workbench.reading.blocks.selectors import judge_by_selectors
from workbench.reading.html.page import extract_html

PAGE = (
    "<html><body><nav class=menu><a href=/a>Home</a> <a href=/b>News</a></nav>"
    "<h1>A title of the page</h1><p>" + "This is a sentence of the page, and it is long enough. " * 9 + "</p>"
    "<div class=footer>© 2024</div></body></html>"
)

_OF_THE_PAGE = re.compile(r"<\w+>|menu|footer|a\.example|trafilatura|（(p|table)）|(nav|div|p)\b")
"""What is in no language."""


@pytest.fixture
def japanese() -> Iterator[None]:
    i18n.use("ja")
    yield
    i18n.use("en")


def _has_english(text: str) -> bool:
    return any("a" <= c <= "z" for c in text)


def test_in_english_and_of_older_projects_every_reason_stays_as_it_is() -> None:
    for rule in (
        "<nav>; named “menu”; link text 72 % of it (points −3.2 < −0.7)",
        "repeated on 500+ of 2,000+ pages of the site",
        "inside the selector for a.example (div; p)",
        "decided by root",
        "",
        "something of a later version",
    ):
        assert say(read(rule)) == rule


def test_every_part_of_a_reason_is_translated(japanese: None) -> None:
    parts = (
        Message("named “{name}”", name="menu"),
        Message("low on the page"),
        Message("link text {share} % of it", share=72),
    )
    reason = Message("{reasons} (points {points})", reasons=Message.joined("; ", parts), points="−3.2 < −0.7")
    assert reason == "named “menu”; low on the page; link text 72 % of it (points −3.2 < −0.7)"
    assert say(reason) == "「menu」という名の要素; ページの下のほう; リンク文字列が 72 %（−3.2 < −0.7 点）"


@pytest.mark.parametrize("rule", ["default", "alone", "kang"])
@pytest.mark.parametrize("selectors", [{}, {"*": "p"}, {"a.example": "table"}], ids=["none", "taken", "missed"])
def test_the_reasons_of_a_page_are_translated_after_they_were_stored(
    rule: str, selectors: dict[str, str], japanese: None
) -> None:
    page = extract_html(PAGE)
    blocks = judge_by_selectors(page.page, PAGE, "a.example", selectors, rule)
    document = Document("a", page.text, blocks=blocks)
    again = unpack_details(pack_details(document), len(page.text), "a").blocks
    assert [block.rule for block in again] == [block.rule for block in blocks]
    assert all(block.rule for block in blocks)
    shown = [say(block.rule) for block in again]
    assert [text for text in shown if _has_english(_OF_THE_PAGE.sub("", text))] == []


def test_every_reason_of_the_scorecard_is_known(japanese: None) -> None:
    tables = (reasons._WORDS, reasons._BESIDE, reasons._CONTENT, {"": scorecard.CLEAR})
    words = [word for table in tables for word in table.values()]
    assert all(isinstance(word, Message) and say(word) != word for word in words)
