"""The rules that distinguish content from the rest of a page, by name."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Sequence
from functools import partial

from workbench.base.errors import UserError
from workbench.base.messages import Message
from workbench.base.types import Block, BlockClass
from workbench.reading.blocks import kang, scorecard
from workbench.reading.blocks.page import Judgement, Page

LONGEST = 5_000_000
"""Longest page, in characters, passed to the library, which takes seconds per million."""

DEEPEST = 200
"""Deepest nesting of elements passed to the library, which is recursive."""

_GRAM = 12


def trafilatura_rule(page: Page, markup: str) -> Sequence[bool] | None:
    """Whether trafilatura keeps each leaf of ``page``, in order; None if it was not called or failed."""
    if len(markup) > LONGEST or max((e.depth for e in page.elements), default=0) > DEEPEST:
        return None
    import trafilatura

    logging.getLogger("trafilatura").setLevel(logging.CRITICAL)
    try:
        text = trafilatura.extract(markup, fast=True, include_comments=False)
    except Exception:  # noqa: BLE001 - whatever a library does with hostile markup, the rule works without it
        return None
    return supported(page, text or "")


def supported(page: Page, text: str) -> list[bool]:
    """Which leaves of ``page`` occur in ``text``: at least half of their 12-character runs, or a short leaf as a
    line.
    """
    lines = {_compact(line).casefold() for line in text.split("\n")}
    whole = _compact(text)
    grams = {whole[i : i + _GRAM] for i in range(len(whole) - _GRAM + 1)}
    keeps = []
    for leaf in page.leaves:
        own = _compact(page.text_of(leaf))
        if len(own) < _GRAM + 4:
            keeps.append(own.casefold() in lines or own[:_GRAM] in grams)
        else:
            runs = [own[i : i + _GRAM] in grams for i in range(0, len(own) - _GRAM + 1, _GRAM)]
            keeps.append(2 * sum(runs) >= len(runs))
    return keeps


def _compact(text: str) -> str:
    return "".join(text.split())


Rule = Callable[[Page, str], Sequence[Judgement]]
"""A judgement for every leaf of a page, in order; the page's markup (may be empty) is for rules that consult another
library.
"""


_QUOTATION = re.compile(r"(.*)/blockquote\[\d+\](?:/.*)?")
_BESIDE = Message("a quotation next to content")


LEANS = {"strict": 1.0, "generous": -2.0}
"""Presets of the default rule: points that a block needs above the threshold of its page. On one half of the hosts of
the labelled pages, these are the most extreme multiples of 0.5 that cost at most 0.1 of recall (of precision) in every
collection; figures for the other half are in ``docs/guide.md``.
"""


def _default(page: Page, markup: str, lean: float = 0.0) -> Sequence[Judgement]:
    ask = (lambda: trafilatura_rule(page, markup)) if markup else None
    return _with_quotations(page, scorecard.judge(page, ask, lean=lean))


def _alone(page: Page, _markup: str) -> Sequence[Judgement]:
    return _with_quotations(page, scorecard.judge(page))


def _with_quotations(page: Page, judgements: Sequence[Judgement]) -> Sequence[Judgement]:
    """Marks quotations that follow content of their parent element as content, also at the end of an article."""
    judged = list(judgements)
    for at in range(1, len(judged)):
        if judged[at].verdict is BlockClass.CONTENT or judged[at - 1].verdict is not BlockClass.CONTENT:
            continue
        quotation = _QUOTATION.fullmatch(page.leaves[at].path)
        if quotation and page.leaves[at - 1].path.startswith(quotation[1] + "/"):
            judged[at] = Judgement(BlockClass.CONTENT, Message.joined("; ", (judged[at].reason, _BESIDE)))
    return judged


def _all(page: Page, _markup: str) -> Sequence[Judgement]:
    return [Judgement(BlockClass.CONTENT, "")] * len(page.leaves)


RULES: dict[str, Rule] = {
    "default": _default,
    **{name: partial(_default, lean=lean) for name, lean in LEANS.items()},
    "alone": _alone,
    "kang": lambda page, _markup: kang.judge(page),
    "all": _all,
}
"""Every rule by its name. ``strict`` (only clear content) and ``generous`` (all possible content) are
``default`` with another threshold for the same scores; ``alone`` is ``default`` without a second opinion, and faster.
"""


def judge(page: Page, rule: str = "default", markup: str = "") -> tuple[Block, ...]:
    """The blocks of ``page`` (read from ``markup``), each with its class by ``rule`` and the reason.

    Raises UserError for an unknown rule.
    """
    check_rule(rule)
    judgements = RULES[rule](page, markup)
    return tuple(
        Block(leaf.span, leaf.kind, judgement.verdict, judgement.reason, leaf.path)
        for leaf, judgement in zip(page.leaves, judgements, strict=True)
    )


def check_rule(rule: str) -> None:
    """Raises UserError for an unknown rule."""
    if rule not in RULES:
        raise UserError(
            Message("There is no rule for content blocks named {rule}.", rule=rule),
            hint=Message("Rules: {rules}.", rules=", ".join(RULES)),
        )
