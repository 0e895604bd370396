"""CSS selectors chosen by a person for the main text of a host's pages.

A selector takes precedence over the rule for content blocks: text in the selected elements is content, the rest is not.
If it selects no text, the rule decides, and the reason states that.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import cast

import cssselect
from lxml import etree

from workbench.base.errors import UserError
from workbench.base.messages import Message
from workbench.base.types import Block, BlockClass
from workbench.reading.blocks.page import Page
from workbench.reading.blocks.rules import judge
from workbench.reading.html.page import parse
from workbench.text.markup.columns import PATH_STEPS
from workbench.text.markup.tags import BLOCK_TAGS

DEEPEST = 500
"""Greatest depth of an element; deeper ones are merged into their ancestor at this depth."""

_TEXT = "text"
"""Placeholder for any text: searches can only test whether there is any."""

_NAME = re.compile(r"[A-Za-z_][\w.-]*", re.ASCII)
_CONTROLS = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


@dataclass(frozen=True, slots=True)
class SelectedPlaces:
    """The places of the texts of some elements: all blocks below ``prefixes``, and those at ``owners`` (DOM paths)."""

    prefixes: frozenset[str] = frozenset()
    owners: frozenset[str] = frozenset()

    def hold(self, path: str) -> bool:
        """Whether the block with this DOM path is included."""
        if path in self.owners:
            return True
        while path and not path.endswith("/"):
            if path in self.prefixes:
                return True
            path = path.rpartition("/")[0]
        return False


@dataclass(slots=True)
class _Frame:
    """An open tag. ``node`` is the position of its element, or of the deepest element around it."""

    tag: str
    step: str
    node: int
    children: dict[str, int] = field(default_factory=dict)


@dataclass(slots=True)
class _Node:
    """An element of the tree; ``owner`` is the position of the innermost block element, itself included."""

    element: etree._Element
    parent: int
    step: str
    depth: int
    owner: int
    has_text: bool = False


class Tree:
    """Parser target. ``root`` is the ``html`` element, None for an empty page.

    ``depths`` is the sum of the depths of all elements, ``siblings`` the sum of the squared numbers of children.
    """

    def __init__(self) -> None:
        self.root: etree._Element | None = None
        self.depths = 0
        self._nodes: list[_Node] = []
        self._deeper: list[tuple[int, str]] = []
        self._frames = [_Frame("", "", -1)]

    @property
    def siblings(self) -> int:
        """The sum of the squared numbers of children."""
        return sum(len(node.element) ** 2 for node in self._nodes)

    def __len__(self) -> int:
        return len(self._nodes)

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        """Open an element."""
        above = self._frames[-1]
        count = above.children[tag] = above.children.get(tag, 0) + 1
        depth = len(self._frames)
        frame = _Frame(tag, f"{tag}[{count}]", above.node)
        self._frames.append(frame)
        is_block = tag in BLOCK_TAGS
        if depth <= DEEPEST:
            frame.node = at = len(self._nodes)
            owner = at if is_block or above.node < 0 else self._nodes[above.node].owner
            element = self._element(tag, attributes, above.node)
            self._nodes.append(_Node(element, above.node, frame.step, depth, owner))
            self.depths += depth
        elif is_block:
            self._deeper.append((frame.node, "//" + "/".join(f.step for f in self._frames[-PATH_STEPS:])))

    def end(self, tag: str) -> None:
        """Close an element, and any still open inside it."""
        at = len(self._frames) - 1
        while at and self._frames[at].tag != tag:
            at -= 1
        if at:
            del self._frames[at:]

    def data(self, text: str) -> None:
        """Character data, of which only the position matters."""
        at = self._frames[-1].node
        if at >= 0 and not self._nodes[at].has_text and not text.isspace():
            self._nodes[at].has_text = True
            if not len(self._nodes[at].element):
                self._nodes[at].element.text = _TEXT

    def comment(self, text: str) -> None:
        """Comments are not elements."""

    def close(self) -> None:
        """The end of the page."""

    def places(self, elements: Collection[etree._Element]) -> SelectedPlaces:
        """The places of the texts of ``elements``; text in an inline element selects the block around it."""
        requested = set(elements)
        inside: list[bool] = []
        inline: list[bool] = []
        prefixes, owners = set(), set()
        for at, node in enumerate(self._nodes):
            hit = node.element in requested
            is_block = node.owner == at
            inside.append(hit or (node.parent >= 0 and inside[node.parent]))
            # Inside a selected inline element, with no block between them.
            inline.append(not is_block and (hit or (node.parent >= 0 and inline[node.parent])))
            if hit and node.depth <= PATH_STEPS:
                prefixes.add(self._path(at))
            if inline[-1] and node.has_text:
                owners.add(self._path(node.owner))
            if is_block and inside[-1] and node.depth > PATH_STEPS:
                owners.add(self._path(at))
        owners.update(path for at, path in self._deeper if inside[at])
        return SelectedPlaces(frozenset(prefixes), frozenset(owners))

    def _path(self, at: int) -> str:
        depth = self._nodes[at].depth
        steps: list[str] = []
        while at >= 0 and len(steps) < PATH_STEPS:
            steps.append(self._nodes[at].step)
            at = self._nodes[at].parent
        return ("//" if depth > PATH_STEPS else "/") + "/".join(reversed(steps))

    def _element(self, tag: str, attributes: Mapping[str, str], parent: int) -> etree._Element:
        name = tag if _NAME.fullmatch(tag) else "unnamed"
        allowed = {key: _CONTROLS.sub("", value or "") for key, value in attributes.items() if _NAME.fullmatch(key)}
        if parent >= 0:
            return etree.SubElement(self._nodes[parent].element, name, allowed)
        element = etree.Element(name, allowed)
        if self.root is None:
            self.root = element
        return element


ANY_HOST = "*"
"""The host of the selector for pages of which neither the host nor a parent domain has a selector."""

LONGEST = 2_000
"""Longest selector, in characters."""

_MOST_WORK = 3 * 10**8
"""Maximum number of elements that a selector may visit on a page (a few seconds); beyond it, the rule decides."""

_INSIDE = "inside "
_NOTHING = "selects nothing here"
_TOO_MUCH = "would take too long here"


def normal_host(host: str) -> str:
    """``host`` in the form used as a key of selectors: in lower case, without ``www.``, a port or a final dot."""
    return host.strip().lower().partition(":")[0].rstrip(".").removeprefix("www.")


def selector_of(host: str, selectors: Mapping[str, str]) -> tuple[str, str]:
    """The entry of ``selectors`` (by normalised host) that applies to ``host``, and its selector; empty if there is
    none.

    Tries the host itself, then its parent domains, then ``*``.
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
        raise UserError(Message("The selector for {host} cannot be used: {error}.", host=host, error=error)) from None


def judge_by_selectors(
    page: Page, markup: str, host: str, selectors: Mapping[str, str], rule: str = "default"
) -> tuple[Block, ...]:
    """The blocks of ``page``, classified by the selector that applies to ``host``, otherwise by the rule ``rule``.

    Raises UserError for an unusable selector.
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
            Message("the selector for {host} selects nothing here", host=which)
            if region is not None
            else Message("the selector for {host} would take too long here", host=which)
        )
        judged = judge(page, rule, markup)
        return tuple(b._replace(rule=Message.joined("; ", filter(None, (b.rule, why)))) for b in judged)
    content = BlockClass.CONTENT, Message("inside the selector for {host} ({css})", host=which, css=css)
    rest = BlockClass.NON_CONTENT, Message("outside the selector for {host} ({css})", host=which, css=css)
    return tuple(
        Block(leaf.span, leaf.kind, *(content if chosen else rest), leaf.path)
        for leaf, chosen in zip(page.leaves, inside, strict=True)
    )


def was_selected(block: Block) -> bool:
    """Whether a selector chose ``block``; no rule overrides that."""
    return block.rule.startswith(_INSIDE)


def is_fallback(block: Block) -> bool:
    """Whether the rule classified ``block`` because its host's selector could not."""
    return block.rule.endswith((_NOTHING, _TOO_MUCH))


def selected(markup: str, css: str) -> SelectedPlaces | None:
    """The places of the texts selected by ``css`` in ``markup``; None if selecting would take too long.

    Raises UserError for an unusable selector, UnreadableInput for a page that takes too long to parse.
    """
    try:
        selector = _compiled(css)
    except _NoSelectorError as error:
        raise UserError(Message("The selector {css} cannot be used: {error}.", css=css, error=error)) from None
    tree = parse(markup, Tree())
    if tree.root is None:
        return SelectedPlaces()
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
        # An error that is only detected when it is run: an unknown namespace.
        search(etree.Element("html"))
    except (cssselect.SelectorError, etree.XPathError, RecursionError, ValueError) as error:
        raise _NoSelectorError(str(error).rstrip(".") or Message("it is nested too deeply")) from None
    down = expression.count("descendant") + expression.count("ancestor") - len(parts)
    return _Selector(search, down, expression.count("sibling"), ":has(" in css.lower())
