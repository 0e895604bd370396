"""The input of the rules for content blocks: a page's leaf blocks in order, and the elements around them.

There is no tree: elements are a list in document order, each with its parent's position (always a smaller one) and the
range of leaves inside it, so that rules are a few passes over two lists, however deeply nested the page.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from workbench.base.types import BlockClass, BlockKind, Span
from workbench.text.markup.columns import INLINE_HINTS, KINDS, PATH_STEPS, Columns, unescaped


@dataclass(slots=True)
class Element:
    """An element that may contain blocks: any except inline ones (``a``, ``b``, ``span`` …), if it has text.

    ``parent`` is a position in :attr:`Page.elements` (-1 above the outermost); ``hints`` are its class, id, role and
    itemprop in lower case, separated by spaces. Its leaves are ``page.leaves[first:end]``.
    """

    parent: int
    tag: str
    hints: str
    depth: int
    first: int
    end: int = -1


@dataclass(slots=True)
class Leaf:
    """A stretch of text not divided by block elements. Its text is ``page.text[span.start:span.end]``.

    ``element`` is the position of the innermost element around it. ``size`` counts its characters other than white
    space, ``linked`` those inside ``<a href>``, ``emphasised`` those in ``b``, ``strong``, ``em`` …;
    ``links`` counts the links in it. ``inline`` are the hints of the inline elements inside it (at most a few
    hundred characters).
    """

    span: Span
    kind: BlockKind
    element: int
    path: str
    size: int
    linked: int
    links: int
    emphasised: int
    inline: str


@dataclass(frozen=True)
class Page:
    """A page: ``text`` is its leaves joined by ``\\n``; ``kind`` is the type declared by the page (``article``),
    or empty. Leaves and elements are created from its arrays on first use.
    """

    columns: Columns
    title: str = ""
    language: str = ""
    kind: str = ""

    @cached_property
    def text(self) -> str:
        """The leaves joined by ``\\n``."""
        return self.columns.text.tobytes().decode("utf-32-le")

    @cached_property
    def tags(self) -> list[str]:
        """The names of tags."""
        written = self.columns.written
        return [written(first, end) for first, end in self.columns.names.tolist()]

    @cached_property
    def hints(self) -> list[str]:
        """The hints of elements: class, id, role and itemprop in lower case; the last, at -1, is empty."""
        return [*unescaped(self.columns.hint_texts.tobytes().decode()).lower().split("\0")[:-1], ""]

    @cached_property
    def leaves(self) -> tuple[Leaf, ...]:
        """The leaf blocks in order."""
        return tuple(
            Leaf(
                Span(start, end), KINDS[kind], element, self._path(node), size, linked, links, emphasised,
                self._inline(first, last),
            )
            for start, end, kind, element, node, size, linked, links, emphasised, first, last in (
                self.columns.leaves.tolist()
            )
        )  # fmt: skip

    @cached_property
    def elements(self) -> tuple[Element, ...]:
        """The elements in document order."""
        tags, hints = self.tags, self.hints
        return tuple(
            Element(parent, tags[tag], hints[hint], depth, first, end)
            for parent, tag, hint, depth, first, end, _ in self.columns.elements.tolist()
        )

    def text_of(self, leaf: Leaf) -> str:
        """The text of ``leaf``."""
        return self.text[leaf.span.start : leaf.span.end]

    def children(self) -> list[list[int]]:
        """Positions of the child elements of every element, in order."""
        children: list[list[int]] = [[] for _ in self.elements]
        for at, element in enumerate(self.elements):
            if element.parent >= 0:
                children[element.parent].append(at)
        return children

    def sizes(self) -> list[int]:
        """``total[i]``: characters other than white space in the first ``i`` leaves; one more entry than leaves."""
        total = [0]
        for leaf in self.leaves:
            total.append(total[-1] + leaf.size)
        return total

    @cached_property
    def _nodes(self) -> list[list[int]]:
        nodes: list[list[int]] = self.columns.nodes[:, :4].tolist()
        return nodes

    @cached_property
    def _paths(self) -> dict[int, str]:
        return {-1: ""}

    def _path(self, node: int) -> str:
        """The DOM path of a node: tags, each with its number among siblings with that tag."""
        path = self._paths.get(node)
        if path is None:
            parent, tag, number, depth = self._nodes[node]
            if depth <= PATH_STEPS:
                path = f"{self._path(parent)}/{self.tags[tag]}[{number}]"
            else:
                steps = []
                for _ in range(PATH_STEPS):
                    steps.append(f"{self.tags[tag]}[{number}]")
                    parent, tag, number, _ = self._nodes[parent]
                path = "//" + "/".join(reversed(steps))
            self._paths[node] = path
        return path

    def inline_of(self, at: int) -> str:
        """The hints of the inline elements in the leaf at ``at``."""
        return self._inline(*self.columns.leaves[at, 9:11].tolist())

    def _inline(self, first: int, end: int) -> str:
        if first == end:
            return ""
        hints = self.hints
        return " ".join([hints[at][:INLINE_HINTS] for at in self.columns.inline[first:end].tolist()])[:INLINE_HINTS]


class Judgement(NamedTuple):
    """A rule's judgement of one leaf: the class, and its reason in a few English words."""

    verdict: BlockClass
    reason: str
