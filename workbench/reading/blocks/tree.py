"""A page as a searchable tree, built from the same parser events as its blocks, so both have the same DOM paths."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from lxml import etree

from workbench.reading.html.page import parse
from workbench.text.markup.columns import PATH_STEPS
from workbench.text.markup.tags import BLOCK_TAGS

DEEPEST = 500
"""Greatest depth of an element; deeper ones are merged into their ancestor at this depth."""

_TEXT = "text"
"""Placeholder for any text: a search can only tell whether there is some."""

_NAME = re.compile(r"[A-Za-z_][\w.-]*", re.ASCII)
_CONTROLS = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


@dataclass(frozen=True, slots=True)
class Places:
    """The places of some elements' texts: all blocks below ``prefixes``, and those at ``owners`` (DOM paths)."""

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


def read_tree(markup: str) -> Tree:
    """The tree of a page. Raises UnreadableInput if parsing takes too long."""
    return parse(markup, Tree())


@dataclass(slots=True)
class _Frame:
    """An open tag. ``node`` is the position of its element, or of the deepest one around it."""

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

    ``depths`` is the sum of the depths of all elements, ``siblings`` that of the squared numbers of children.
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
        """Character data: only its position matters."""
        at = self._frames[-1].node
        if at >= 0 and not self._nodes[at].has_text and not text.isspace():
            self._nodes[at].has_text = True
            if not len(self._nodes[at].element):
                self._nodes[at].element.text = _TEXT

    def comment(self, text: str) -> None:
        """Comments are not elements."""

    def close(self) -> None:
        """The end of the page."""

    def places(self, elements: Collection[etree._Element]) -> Places:
        """Where the texts of ``elements`` are; text in an inline element selects the block around it."""
        requested = set(elements)
        inside: list[bool] = []
        inline: list[bool] = []
        prefixes, owners = set(), set()
        for at, node in enumerate(self._nodes):
            hit = node.element in requested
            is_block = node.owner == at
            inside.append(hit or (node.parent >= 0 and inside[node.parent]))
            # Inside a selected inline element, with no block in between.
            inline.append(not is_block and (hit or (node.parent >= 0 and inline[node.parent])))
            if hit and node.depth <= PATH_STEPS:
                prefixes.add(self._path(at))
            if inline[-1] and node.has_text:
                owners.add(self._path(node.owner))
            if is_block and inside[-1] and node.depth > PATH_STEPS:
                owners.add(self._path(at))
        owners.update(path for at, path in self._deeper if inside[at])
        return Places(frozenset(prefixes), frozenset(owners))

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
