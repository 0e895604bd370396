"""The rules that tell content from the rest of a page, by name."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from workbench.base.errors import UserError
from workbench.base.messages import Message
from workbench.base.types import Block, BlockClass
from workbench.reading.blocks import kang, scorecard
from workbench.reading.blocks.page import Judgement, Page
from workbench.reading.blocks.trafilatura_rule import trafilatura_rule

Rule = Callable[[Page, str], Sequence[Judgement]]
"""A judgement for every leaf of a page, in order; the page's markup is for rules that consult another library (may be
empty).
"""


_QUOTATION = re.compile(r"(.*)/blockquote\[\d+\](?:/.*)?")
_BESIDE = Message("a quotation next to content")


def _default(page: Page, markup: str) -> Sequence[Judgement]:
    return _with_quotations(page, scorecard.judge(page, (lambda: trafilatura_rule(page, markup)) if markup else None))


def _alone(page: Page, _markup: str) -> Sequence[Judgement]:
    return _with_quotations(page, scorecard.judge(page))


def _with_quotations(page: Page, judgements: Sequence[Judgement]) -> Sequence[Judgement]:
    """Quotations that follow content of the element they stand in are content: what an article ends with, too."""
    judged = list(judgements)
    for at in range(1, len(judged)):
        if judged[at].verdict is BlockClass.CONTENT or judged[at - 1].verdict is not BlockClass.CONTENT:
            continue
        quotation = _QUOTATION.fullmatch(page.leaves[at].path)
        if quotation and page.leaves[at - 1].path.startswith(quotation[1] + "/"):
            judged[at] = Judgement(BlockClass.CONTENT, Message.joined("; ", (judged[at].reason, _BESIDE)))
    return judged


def _kang(page: Page, _markup: str) -> Sequence[Judgement]:
    return kang.judge(page)


def _all(page: Page, _markup: str) -> Sequence[Judgement]:
    return [Judgement(BlockClass.CONTENT, "")] * len(page.leaves)


RULES: dict[str, Rule] = {"default": _default, "alone": _alone, "kang": _kang, "all": _all}
"""Every rule by its name. ``alone`` is ``default`` without a second opinion, and faster."""


def judge(page: Page, rule: str = "default", markup: str = "") -> tuple[Block, ...]:
    """The blocks of ``page`` (read from ``markup``), each with the verdict of ``rule`` and its reason.

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
