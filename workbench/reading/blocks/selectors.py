"""CSS selectors a person chose for the main text of a host's pages.

A selector wins over the rule for content blocks: what lies inside the elements it selects is content, the rest is not.
If it selects no text, the rule decides instead, and the reason says so.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import cast

import cssselect
from lxml import etree

from workbench.base.errors import UserError
from workbench.base.messages import Message
from workbench.base.types import Block, BlockClass
from workbench.reading.blocks.page import Page
from workbench.reading.blocks.rules import judge
from workbench.reading.blocks.tree import Places, Tree, read_tree

ANY_HOST = "*"
"""Host whose selector applies if neither a page's host nor a parent domain has one."""

LONGEST = 2_000
"""Longest selector, in characters."""

_MOST_WORK = 3 * 10**8
"""Elements a selector may visit on a page (a few seconds); a page that needs more is left to the rule."""

_INSIDE = "inside "
_NOTHING = "selects nothing here"
_TOO_MUCH = "would take too long here"


def normal_host(host: str) -> str:
    """``host`` as selectors are kept and looked up: in lower case, without ``www.``, a port or a final dot."""
    return host.strip().lower().partition(":")[0].rstrip(".").removeprefix("www.")


def selector_of(host: str, selectors: Mapping[str, str]) -> tuple[str, str]:
    """The entry of ``selectors`` (by normal host) that applies to ``host``, and its selector; empty if there is none.

    The host itself comes first, then the domains above it, then ``*``.
    """
    name = normal_host(host)
    while name:
        if name in selectors:
            return name, selectors[name]
        name = name.partition(".")[2]
    return (ANY_HOST, selectors[ANY_HOST]) if ANY_HOST in selectors else ("", "")


def check_selector(host: str, css: str) -> None:
    """Raises UserError, naming ``host``, for an unusable selector."""
    try:
        _compiled(css)
    except _NoSelectorError as error:
        raise UserError(Message("The selector of {host} cannot be used: {error}.", host=host, error=error)) from None


def judge_by_selectors(
    page: Page, markup: str, host: str, selectors: Mapping[str, str], rule: str = "default"
) -> tuple[Block, ...]:
    """The blocks of ``page``, judged by the selector that applies to ``host``, otherwise by the rule named ``rule``.

    Raises UserError for a selector that cannot be used.
    """
    name, css = selector_of(host, selectors)
    if not css:
        return judge(page, rule, markup)
    check_selector(name, css)
    which = Message("all hosts") if name == ANY_HOST else name
    region = selected(markup, css)
    inside = [region.hold(leaf.path) for leaf in page.leaves] if region is not None else []
    if not any(inside):
        why: str = (
            Message("the selector of {host} selects nothing here", host=which)
            if region is not None
            else Message("the selector of {host} would take too long here", host=which)
        )
        judged = judge(page, rule, markup)
        return tuple(b._replace(rule=Message.joined("; ", filter(None, (b.rule, why)))) for b in judged)
    content = BlockClass.CONTENT, Message("inside the selector of {host} ({css})", host=which, css=css)
    rest = BlockClass.NON_CONTENT, Message("outside the selector of {host} ({css})", host=which, css=css)
    return tuple(
        Block(leaf.span, leaf.kind, *(content if chosen else rest), leaf.path)
        for leaf, chosen in zip(page.leaves, inside, strict=True)
    )


def was_selected(block: Block) -> bool:
    """Whether a selector chose ``block``; no rule overrides that."""
    return block.rule.startswith(_INSIDE)


def fell_back(block: Block) -> bool:
    """Whether the rule judged ``block`` because its host's selector could not."""
    return block.rule.endswith((_NOTHING, _TOO_MUCH))


def selected(markup: str, css: str) -> Places | None:
    """Where the texts selected by ``css`` are in ``markup``; None if selecting would take too long.

    Raises UserError for a selector that cannot be used, UnreadableInput for a page that takes too long to parse.
    """
    try:
        selector = _compiled(css)
    except _NoSelectorError as error:
        raise UserError(Message("The selector {css} cannot be used: {error}.", css=css, error=error)) from None
    tree = read_tree(markup)
    if tree.root is None:
        return Places()
    if selector.work(tree) > _MOST_WORK:
        return None
    return tree.places(cast("list[etree._Element]", selector.search(tree.root)))


class _NoSelectorError(Exception):
    """The text is not a valid selector; the message says why."""


@dataclass(frozen=True, slots=True)
class _Selector:
    """A selector as an XPath. ``down`` and ``across`` count its steps to all descendants and to siblings.

    With ``nested``, they may be repeated from every element that other steps reach.
    """

    search: etree.XPath
    down: int
    across: int
    nested: bool

    def work(self, tree: Tree) -> int:
        """Upper bound on the elements of ``tree`` visited (not counting the initial search of the whole page)."""
        work = self.down * tree.depths if self.down else 0
        work += self.across * tree.siblings if self.across else 0
        return work * max(1, tree.depths // max(len(tree), 1)) if self.nested else work


@lru_cache(maxsize=256)
def _compiled(css: str) -> _Selector:
    if not css.strip():
        raise _NoSelectorError(Message("it is empty"))
    if len(css) > LONGEST:
        raise _NoSelectorError(Message("it is longer than {limit} characters", limit=f"{LONGEST:,}"))
    if not all(c.isprintable() or c in "\t\n" for c in css):
        raise _NoSelectorError(Message("it has unprintable characters"))
    if ":contains(" in css.lower():
        raise _NoSelectorError(Message(":contains() is not CSS"))
    try:
        translator = cssselect.HTMLTranslator()
        parts = [translator.selector_to_xpath(part, translate_pseudo_elements=True) for part in cssselect.parse(css)]
        expression = " | ".join(parts)
        search = etree.XPath(expression)
        # An error that only running it reveals: an unknown namespace.
        search(etree.Element("html"))
    except (cssselect.SelectorError, etree.XPathError, RecursionError, ValueError) as error:
        raise _NoSelectorError(str(error).rstrip(".") or Message("it is nested too deeply")) from None
    down = expression.count("descendant") + expression.count("ancestor") - len(parts)
    return _Selector(search, down, expression.count("sibling"), ":has(" in css.lower())
