"""Plain references of the features of a page's blocks: a loop over objects, a branch a feature."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate
from operator import or_

from workbench.base.types import BlockKind
from workbench.reading.blocks.page import Leaf, Page
from workbench.text.markup.feature_names import (
    BIT,
    INDEX,
    LABELS,
    LENGTHS,
    MAIN,
    OF_ARTICLES,
    OF_CJK,
    SHARES,
    WHOLE,
    says,
)
from workbench.text.markup.hints import GROUPS, TAG_BITS, TAGS, groups

_NEIGHBOUR = ("linked", "prose", "same", "short")
_AROUND_TAGS = ("nav", "header", "footer", "aside", "form", "article", "main", "section", "table", "ul", "dl", "figure",
                "blockquote", "details", "address", "li")  # fmt: skip


def thermometer(name: str, limits: Sequence[float], bit: Mapping[str, int]) -> list[int]:
    """The bits of ``name:limit`` for the first 0, 1, 2 … of ``limits``, indexed by how many limits are reached."""
    return list(accumulate((bit[f"{name}:{limit}"] for limit in limits), or_, initial=0))


_PROSE = BIT["prose"]
_LENGTH_BITS = thermometer("length", LENGTHS, BIT)
_LINKED_BITS = [(share, BIT[f"linked:{share}"]) for share in SHARES]
_SAME = 1 << _NEIGHBOUR.index("same")
_PREVIOUS = INDEX["previous:" + _NEIGHBOUR[0]]
_NEXT = INDEX["next:" + _NEIGHBOUR[0]]
_ARTICLE = [(BIT[n], BIT[f"article:{n}"]) for n in OF_ARTICLES if n in BIT]
_CJK_BITS = [(BIT[n], BIT[f"cjk:{n}"]) for n in OF_CJK if n in BIT]
_AROUND_SHIFT = len(GROUPS)
_TAG_SHIFT = INDEX["tag:" + TAGS[0]]
_INLINE_SHIFT = INDEX["inline:" + GROUPS[0]]
_SAYS_SHIFT = INDEX["says:" + LABELS[0]]
_BRIEF_SHIFT = INDEX["brief:" + LABELS[0]]
_IN_BITS = {t: BIT[f"in:{t}"] for t in _AROUND_TAGS} | {"ol": BIT["in:ul"], "menu": BIT["in:ul"]}
_IN_BITS |= {"fieldset": BIT["in:form"], "dialog": BIT["in:form"]}

_CJK = re.compile("[\u2e80-\ua4cf\uf900-\ufaff\uac00-\ud7a3]+")
_STOPS = frozenset(".!?。．！？…")
_CLOSING = "\"'”’」』）)]"
_STOP = re.compile(r"[。！？]|[.!?][\"'”’)]?\s")
_COMMAS = ",，、;；"
_DIGIT = re.compile("[0-9]")
_DATE = re.compile(r"\d{1,4}\s?[-/.年:]\s?\d{1,2}|\b(?:19|20)\d\d\b")
_BARS = "|｜»›>·•/"


def lengths(page: Page) -> list[float]:
    """The weighted length of every leaf."""
    text, sizes = page.text, []
    if text.isascii():
        return [float(leaf.size) for leaf in page.leaves]
    for leaf in page.leaves:
        own = text[leaf.span.start : leaf.span.end]
        sizes.append(leaf.size if own.isascii() else leaf.size + 1.5 * sum(map(len, _CJK.findall(own))))
    return sizes


def features(page: Page, length: Sequence[float] | None = None) -> list[int]:  # noqa: C901, PLR0912 - a branch a feature
    """The features of every leaf: bit ``i`` stands for ``NAMES[i]``. ``length`` is the result of :func:`lengths`, if
    already computed.
    """
    leaves = page.leaves
    if not leaves:
        return []
    if length is None:
        length = lengths(page)
    texts = [page.text_of(leaf) for leaf in leaves]
    own = _with_long_text(leaves, length, [_own(page, *leaf) for leaf in zip(leaves, texts, length, strict=True)])
    around = _Elements(page, length, own).bits()
    around_leaf = [around[leaf.element] if leaf.element >= 0 else 0 for leaf in leaves]
    number = Counter(texts)
    with_prose = [at for at, bits in enumerate(own) if bits & _PROSE]
    first, last = (with_prose[0], with_prose[-1]) if with_prose else (0, len(leaves))
    beside = [_as_neighbour(*leaf) for leaf in zip(leaves, own, length, strict=True)]
    places = [leaf.path.rpartition("/")[0] for leaf in leaves]
    total, before = sum(length) or 1, 0.0
    later = _later_articles(page, own)
    h1 = next((at for at, bits in enumerate(around_leaf) if bits & BIT["tag:h1"]), -1)
    commented = sum(
        size
        for size, bits, above in zip(length, own, around_leaf, strict=True)
        if bits & _PROSE and not above & BIT["around:comments"]
    )
    article = BIT["article:page"] if page.kind == "article" else 0
    cjk = total > 1.5 * sum(leaf.size for leaf in leaves)  # more than a third of its characters
    rows = []
    above, prose = 0, 0.0
    for at, (leaf, bits) in enumerate(zip(leaves, own, strict=True)):
        if bits & _PROSE and length[at] >= 100 and above & BIT["under:related"]:
            above ^= BIT["under:related"]
        prose += length[at] if bits & _PROSE else 0
        bits |= above
        if bits & BIT["brief:related"]:
            above |= BIT["under:related"]
        if prose >= 300 and bits & BIT["brief:comments"]:
            above |= BIT["under:comments"]
        bits |= around_leaf[at]
        if commented >= 300 and bits & BIT["around:comments"]:
            bits |= BIT["comments-on-prose"]
        if leaf.element >= 0 and later[leaf.element]:
            bits |= BIT["later-article"] | (BIT["later-article-of-article"] if article else 0)
        if h1 >= 0:
            bits |= BIT["has-h1"] | (BIT["before-h1"] if at < h1 else 0)
        if number[texts[at]] > 1:
            bits |= BIT["repeated"]
        if at < first:
            bits |= BIT["before-prose"]
        elif at > last:
            bits |= BIT["after-prose"]
        middle = (before + length[at] / 2) / total
        before += length[at]
        if middle < 0.1:
            bits |= BIT["first-tenth"]
        elif middle > 0.67:
            bits |= BIT["last-third"] | (BIT["last-tenth"] if middle > 0.9 else 0)
        if at:
            bits |= beside[at - 1] << _PREVIOUS | (_SAME << _PREVIOUS if places[at - 1] == places[at] else 0)
        if at + 1 < len(leaves):
            bits |= beside[at + 1] << _NEXT | (_SAME << _NEXT if places[at + 1] == places[at] else 0)
        if bits & _SAME << _PREVIOUS and bits & _SAME << _NEXT:
            bits |= BIT["run:same"]
        if article:
            bits |= article
            for single, both in _ARTICLE:
                if bits & single:
                    bits |= both
            if not bits & BIT["main:60"]:
                bits |= BIT["article:outside-main"]
        if cjk:
            bits |= BIT["cjk:page"]
            for single, both in _CJK_BITS:
                if bits & single:
                    bits |= both
        rows.append(bits)
    return rows


def _later_articles(page: Page, own: Sequence[int]) -> list[bool]:
    """For each element, whether it lies in an ``<article>`` after the first outermost one that has prose."""
    if not any(e.tag == "article" for e in page.elements):
        return [False] * len(page.elements)
    prose = _sums(bits & _PROSE != 0 for bits in own)
    later_flags: list[bool] = []
    inside: list[bool] = []
    end = -1
    for e in page.elements:
        above, later = (inside[e.parent], later_flags[e.parent]) if e.parent >= 0 else (False, False)
        if e.tag == "article" and not above:
            above = True
            if end < 0:
                end = e.end if prose[e.end] > prose[e.first] else end
            else:
                later = e.first >= end
        inside.append(above)
        later_flags.append(later)
    return later_flags


def _with_long_text(leaves: Sequence[Leaf], length: Sequence[float], own: list[int]) -> list[int]:
    """``own``; on a page with few sentence ends, long text without links also counts as prose."""
    if sum(bits & _PROSE != 0 for bits in own) >= 3:
        return own
    return [
        bits | BIT["page:prose-rare"] | (_PROSE if size >= 100 and leaf.linked * 4 < leaf.size else 0)
        for bits, leaf, size in zip(own, leaves, length, strict=True)
    ]


def _as_neighbour(leaf: Leaf, own: int, length: float) -> int:
    """A leaf's features as seen by its neighbours, in the order of ``_NEIGHBOUR``."""
    return (2 * leaf.linked >= leaf.size) | (2 if own & _PROSE else 0) | (8 if length <= 25 else 0)


def _own(page: Page, leaf: Leaf, text: str, length: float) -> int:  # noqa: C901, PLR0912 - a branch a feature
    size = leaf.size or 1
    bits = groups(leaf.inline) << _INLINE_SHIFT if leaf.inline else 0
    bits |= _LENGTH_BITS[bisect_right(LENGTHS, length)]
    if leaf.linked:
        for share, bit in _LINKED_BITS:
            if leaf.linked < share * size:
                break
            bits |= bit
    if leaf.links >= 3:
        bits |= BIT["links:3"]
    if leaf.emphasised * 10 >= size * 9:
        bits |= BIT["emphasised"]
    if text[-1] in _STOPS or (text[-1] in _CLOSING and text[-8:].rstrip(_CLOSING)[-1:] in _STOPS):
        bits |= BIT["ends:stop"]
    if text[-1] in ":：":
        bits |= BIT["ends:colon"]
    if length >= 25:
        head = text[:2000]
        if stop := _STOP.search(head):
            bits |= BIT["has:stop"] | (BIT["has:stops"] if _STOP.search(head, stop.end()) else 0)
        commas = sum(map(head.count, ",;" if head.isascii() else _COMMAS))
        if commas:
            bits |= BIT["has:comma"] | (BIT["has:commas"] if commas > 2 else 0)
        if bits & (BIT["ends:stop"] | BIT["has:stop"]) and leaf.linked * 4 < size:
            bits |= BIT["prose"]
    if length < 200:
        if not text.isascii() or _DIGIT.search(text):
            if _DATE.search(text):
                bits |= BIT["has:date"]
            if sum(map(str.isdigit, text)) * 10 >= size * 3:
                bits |= BIT["digits"]
        if text.isupper():
            bits |= BIT["capitals"]
        if page.title and length >= 6 and text in page.title:
            bits |= BIT["in-title"] | (BIT["is-title"] if len(text) * 2 > len(page.title) else 0)
    if length < 100 and (labels := says(text)):
        brief = length < 30 or leaf.kind is BlockKind.HEADING
        bits |= labels << _SAYS_SHIFT | (labels << _BRIEF_SHIFT if brief else 0)
    if "©" in text or "(c)" in text:
        bits |= BIT["has:copyright"]
    if sum(map(text[:500].count, "|>/" if text.isascii() else _BARS)) >= 2:
        bits |= BIT["has:bars"]
    if text.count("\n") >= 2:
        bits |= BIT["lines"]
    return bits


class _Elements:
    """The features leaves inherit from the elements around them."""

    def __init__(self, page: Page, length: Sequence[float], own: Sequence[int]) -> None:
        self._page = page
        leaves = page.leaves
        self._prose = _sums(size if bits & _PROSE else 0 for size, bits in zip(length, own, strict=True))
        self._length = _sums(length)
        self._linked = _sums(leaf.linked for leaf in leaves)
        self._size = _sums(leaf.size for leaf in leaves)

    def bits(self) -> list[int]:
        """For each element that directly contains leaves, the features they inherit from it and its ancestors."""
        mains: dict[int, int] = {}
        for name, share in MAIN.items():
            at = self._main(share)
            mains[at] = mains.get(at, 0) | BIT[name]
        most = WHOLE * self._length[-1]
        elements = self._page.elements
        leaf_elements = {leaf.element for leaf in self._page.leaves}
        named: list[int] = []
        inherited: list[int] = []
        within: dict[int, int] = {}
        by_element = [0] * len(elements)
        for at, e in enumerate(elements):
            parent, bits, own = e.parent, mains.get(at, 0), 0
            if self._length[e.end] - self._length[e.first] < most:
                own = groups(e.hints) if e.hints else 0
                bits |= own << _AROUND_SHIFT | _IN_BITS.get(e.tag, 0)
            if parent >= 0:
                bits |= inherited[parent]
            named.append(own)
            inherited.append(bits)
            if at not in leaf_elements:
                continue
            bits |= own | TAG_BITS.get(e.tag, 0) << _TAG_SHIFT
            if parent >= 0:
                if parent not in within:
                    above = elements[parent].parent
                    outer = named[above] | self._within(above)[1] if above >= 0 else 0
                    within[parent] = named[parent] | self._within(parent)[0] | outer
                bits |= within[parent]
            by_element[at] = bits
        return by_element

    def _within(self, at: int) -> tuple[int, int]:
        """The features of the contents of the element at ``at``, as a parent and as a grandparent."""
        e = self._page.elements[at]
        length, parent, grandparent = self._length[e.end] - self._length[e.first], 0, 0
        if 2 * (self._linked[e.end] - self._linked[e.first]) >= self._size[e.end] - self._size[e.first]:
            parent, grandparent = BIT["parent:linked"], BIT["grandparent:linked"]
        if 2 * (self._prose[e.end] - self._prose[e.first]) >= length:
            parent, grandparent = parent | BIT["parent:prose"], grandparent | BIT["grandparent:prose"]
        if e.end - e.first >= 5 and length < 40 * (e.end - e.first):
            parent |= BIT["parent:many-short"]
        return parent, grandparent

    def _main(self, share: float) -> int:
        """Last of a chain of elements starting at BODY, each a child with ``share`` of its parent's prose; or -1."""
        at, above = -1, 0.0
        for position, e in enumerate(self._page.elements):
            if (e.parent == at) if at >= 0 else e.tag == "body":
                within = self._prose[e.end] - self._prose[e.first]
                if within > 0 and within >= share * above:
                    at, above = position, within
        return at


def _sums(values: Iterable[float]) -> list[float]:
    """Sums of the first 0, 1, 2 … values."""
    return [0.0, *accumulate(values)]
