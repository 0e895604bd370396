"""Content blocks exactly as a thesis defines them, as a baseline for the newer rules.

Kang (2009), "Detection and classification of similar pages by extracting identical sentences", master's thesis, Kyoto
University, section 5:

1. Starting with the children of BODY, an element with at least 50 % of the page's characters is replaced by its
   children, until no such element is left (section 5.1).
2. Siblings with the same tag are joined to one block.
3. A block is not content if at least 50 % of its characters are link text, or if its longest sentence has at most 10
   characters (section 5.2). Strings in h1 to h6 are left out of both conditions and are content.

Sentences end at 。．.？?！! 」 … and at paragraph ends (block elements and line ends); a sentence continues if the next
begins with と, っ or です (section 4.1).

Where the thesis contradicts itself or is silent:

- It splits an element "of 50 % or more" but stops when all are at "50 % or less"; exactly half is split here.
- An element without element children is not replaced. Text directly in an element that was split is a
  separate block (the thesis's parser makes it a node; all such text of one element is joined).
- Inline elements (a, b, span, ...) are not split out of their paragraph: read as nodes, a linked word inside a sentence
  would be a block, and missing from the sentence.
- Nodes "of the same depth" are joined in one sentence, nodes "standing in parallel" in the next. Siblings are joined
  here; the two readings differ only where two elements hold exactly half of the page each.
- The characters of headings count for the split but not for the conditions.
- Characters are counted without white space.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from workbench.base.messages import Message
from workbench.base.types import BlockClass
from workbench.reading.blocks.page import Judgement, Leaf, Page

LONGEST_SENTENCE = 10
"""Longest sentence, in characters, of a block that is not content."""

HEADINGS = frozenset(("h1", "h2", "h3", "h4", "h5", "h6"))

_SENTENCE = re.compile(r"[^。．.？?！!」…\n]*(?:[。．.？?！!」…]+(?:(?=と|っ|です)[^。．.？?！!」…\n]*)?)*")


def judge(page: Page) -> Sequence[Judgement]:
    """A judgement for every leaf of ``page``, in order; text outside BODY (if there is one) is not content."""
    judgements: list[Judgement | None] = [None] * len(page.leaves)
    headed = _inside(page, HEADINGS)
    for name, members in _blocks(page):
        judgement = _judgement(page, name, [page.leaves[i] for i in members if not headed[i]])
        for i in members:
            judgements[i] = (
                Judgement(BlockClass.CONTENT, Message("<{tag}> is exempt", tag=headed[i])) if headed[i] else judgement
            )
    return [judgement or Judgement(BlockClass.NON_CONTENT, Message("outside <body>")) for judgement in judgements]


def longest_sentence(text: str) -> int:
    """Characters, without white space, of the longest sentence of ``text``."""
    return max((_size(sentence[0]) for sentence in _SENTENCE.finditer(text)), default=0)


def _judgement(page: Page, name: str, leaves: Sequence[Leaf]) -> Judgement:
    size, linked = sum(leaf.size for leaf in leaves), sum(leaf.linked for leaf in leaves)
    longest = max((longest_sentence(page.text_of(leaf)) for leaf in leaves), default=0)
    share = Message("link text is {share} % of {name}", share=100 * linked // max(size, 1), name=name)
    if 2 * linked >= size > 0:
        return Judgement(BlockClass.NON_CONTENT, share)
    length = Message("the longest sentence of {name} has {count} characters", name=name, count=f"{longest:,}")
    if longest <= LONGEST_SENTENCE:
        return Judgement(BlockClass.NON_CONTENT, length)
    return Judgement(BlockClass.CONTENT, Message.joined(", ", (share, length)))


def _blocks(page: Page) -> Iterator[tuple[str, list[int]]]:
    """The blocks of ``page``: the name of each, and the positions of its leaves."""
    sizes = page.sizes()
    children = page.children()
    own: list[list[int]] = [[] for _ in page.elements]
    for i, leaf in enumerate(page.leaves):
        own[leaf.element].append(i)
    bodies = [i for i, element in enumerate(page.elements) if element.tag == "body"]
    bodies = bodies or [i for i, element in enumerate(page.elements) if element.parent < 0]
    half = sum(sizes[page.elements[i].end] - sizes[page.elements[i].first] for i in bodies) / 2
    waiting = bodies
    while waiting:
        split = []
        for parent in waiting:
            joined: dict[str, list[int]] = {}
            for at in children[parent]:
                child = page.elements[at]
                if children[at] and sizes[child.end] - sizes[child.first] >= half:
                    split.append(at)
                else:
                    joined.setdefault(child.tag, []).extend(range(child.first, child.end))
            yield from ((f"<{tag}>", members) for tag, members in joined.items())
            yield f"the text directly in <{page.elements[parent].tag}>", own[parent]
        waiting = split


def _inside(page: Page, tags: frozenset[str]) -> list[str]:
    """For each leaf, the outermost of ``tags`` that encloses it, or an empty string."""
    around: list[str] = []
    for element in page.elements:
        above = around[element.parent] if element.parent >= 0 else ""
        around.append(above or (element.tag if element.tag in tags else ""))
    return [around[leaf.element] if leaf.element >= 0 else "" for leaf in page.leaves]


def _size(text: str) -> int:
    return len("".join(text.split()))
