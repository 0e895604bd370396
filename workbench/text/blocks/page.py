"""The input of the rules for content blocks: a page's leaf blocks in order, and the elements around them.

There is no tree: elements are a list in document order, each with its parent's position (always a smaller one) and the
range of leaves inside it, so that every rule is a few passes over two lists, however deep the page is.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from workbench.base.types import BlockKind, Span, Verdict


@dataclass(slots=True)
class Element:
    """An element that may hold blocks: every tag but the inline ones (``a``, ``b``, ``span`` …), if it has any text.

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
    """A stretch of text that no block element divides. Its text is ``page.text[span.start:span.end]``.

    ``element`` is the position of the innermost element around it. ``size`` counts its characters other than white
    space, ``linked`` those of them inside ``<a href>``, ``emphasised`` those in ``b``, ``strong``, ``em`` …;
    ``links`` counts the links it touches. ``inline`` are the hints of the inline elements inside it (at most a few
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


@dataclass(frozen=True, slots=True)
class Page:
    """A page: ``text`` is its leaves joined by ``\\n``; ``kind`` is what the page declares itself to be (``article``),
    or empty.
    """

    text: str
    leaves: tuple[Leaf, ...]
    elements: tuple[Element, ...]
    title: str = ""
    language: str = ""
    kind: str = ""

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


class Judgement(NamedTuple):
    """A rule's judgement of one leaf: the verdict, and its reason in a few English words."""

    verdict: Verdict
    reason: str
