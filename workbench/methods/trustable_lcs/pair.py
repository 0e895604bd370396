"""One pair of pages: filter skeletons, edit script, trustable regions, thresholds.

Source: Huang, Wang and Li (2007), sections 3.2, 4.3 and 4.4, and its figures 3 and 4. In a trustable region one
text occurs in the other with few edits; positions are in text ``a``. An unmatched character of ``a`` is one edit at its
position; an unmatched character of ``b`` is one edit at the point before the next matched character. Edits at the two
ends of a region are not inside it.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from workbench.base.progress import NullProgress, Progress
from workbench.base.types import Matches, PairScore, Region, Results, Span
from workbench.kernels.code_points import CODE_POINTS, code_points
from workbench.kernels.edit_script import TooDifferent, common_blocks
from workbench.kernels.fold_table import CONTEXT, EXPANDS, VALUE, fold_table
from workbench.kernels.trustable_lcs.regions import (
    EXACT,
    FOLDED,
    UNIT,
    cumulative_edits,
    longest_region,
    matched_places,
    passages,
)
from workbench.kernels.trustable_lcs.sentence_groups import EAST_ASIA
from workbench.kernels.trustable_lcs.skeleton import Windowed, skeletons
from workbench.methods.core.api import NEAR_DUPLICATE
from workbench.methods.trustable_lcs.parameters import TrustableParameters
from workbench.text.languages import detect_language

Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Curve:
    """Cumulative edits of ``a`` (n characters). ``deleted`` int64 [n + 1]: edits among the first i characters;
    ``inserted`` int64 [n + 1]: edits at points up to and including i."""

    deleted: Ints
    inserted: Ints

    @classmethod
    def of(cls, length: int, matched: tuple[Ints, Ints]) -> Curve:
        """From the matched positions in ``a`` (of ``length`` characters) and in ``b``, both ascending.

        Characters of ``b`` before the first match count at point 0, and those after the last at no inner point.
        """
        deleted, inserted = cumulative_edits(length, *matched)
        return cls(deleted, inserted)

    def edits(self, start: int, end: int) -> int:
        """Edits inside ``[start, end)``; 0 if it is empty."""
        if start >= end:
            return 0
        return int(self.deleted[end] - self.deleted[start] + self.inserted[end - 1] - self.inserted[start])

    def points(self) -> tuple[Ints, Ints]:
        """Corners of the curve, for drawing: (positions, cumulative edits), both ascending, from 0 to n.

        An insertion is a vertical step: the same position twice.
        """
        n = len(self.deleted) - 1
        before = self.deleted + np.concatenate([[0], self.inserted[:-1]])
        after = self.deleted + self.inserted
        positions = np.repeat(np.arange(n + 1), 2)
        edits = np.stack([before, after], axis=1).ravel()
        keep = np.ones(len(edits), np.bool_)
        keep[1:] = np.diff(positions) + np.diff(edits) > 0
        positions, edits = positions[keep], edits[keep]
        step = np.stack([np.diff(positions), np.diff(edits)])
        corner = np.ones(len(positions), np.bool_)
        corner[1:-1] = (step[:, 1:] != step[:, :-1]).any(axis=0)
        return positions[corner], edits[corner]


def trustable_region(curve: Curve, block: int, slope: float) -> tuple[int, int] | None:
    """The trustable region ``[start, end)`` of ``a``; None if no block has a slope up to ``slope``.

    Block i of k (from 1) weighs ceil(k/2) - abs(ceil(k/2) - i). Candidates are the heaviest runs of blocks with a slope
    up to ``slope``, and of these those with the fewest blocks; each is extended at both ends, character by character
    and by at most one block, while its slope permits, and the longest is chosen. O(n log n).
    """
    if len(curve.deleted) == 1:
        return None
    start, end = longest_region(curve.deleted, curve.inserted, block, round(slope * UNIT))
    return (int(start), int(end)) if end >= 0 else None


_UNSHARED = 200
"""Number of characters exclusive to each of two texts from which these determine the languages."""
_WITHOUT_ALPHABET = frozenset({"ja", "ko", "zh"})
_RUN = 20
"""Shortest run of such characters that counts; shorter ones are scattered letters of no language."""
_SPACE = 0x20
_SEAM_A, _SEAM_B = 0x110000, 0x110001
"""Markers of removed stretches in either text; not equal to any character."""


class Step(StrEnum):
    """The step at which the examination of a pair ended."""

    EMPTY = "empty"
    SKELETON = "skeleton bound"
    STRETCH = "longest stretch"
    SLOPE = "slope"
    THRESHOLDS = "thresholds"
    LANGUAGES = "languages"
    SIMILAR = "similar"


@dataclass(frozen=True)
class PageText:
    """A text of n characters as compared: ``raw`` and ``folded`` uint32 [n], character by character.

    ``site``: the number of its site, -1 if unknown.
    """

    text: str
    raw: NDArray[np.uint32]
    folded: NDArray[np.uint32]
    site: int = -1

    @classmethod
    def of(cls, text: str, parameters: TrustableParameters, site: int = -1) -> PageText:
        """``text`` under ``parameters.fold_options``. Characters that would fold to none or several are
        unchanged.
        """
        raw = code_points(text)
        alphabet = _alphabet(parameters.fold, parameters.variants)
        return cls(text, raw, raw if alphabet is None else alphabet.take(raw, mode="clip"), site)

    @cached_property
    def windowed(self) -> Windowed:
        """The same, prepared for comparison with several others."""
        return Windowed(self.folded)

    @cached_property
    def blank(self) -> bool:
        """Whether the text is only white space."""
        return not self.text.strip()

    @cached_property
    def is_alphabetic(self) -> bool:
        """Whether most of its characters, ignoring white space, are not East Asian."""
        wide = int(np.count_nonzero(self.raw >= EAST_ASIA))
        return 2 * wide < len(self.raw) - int(np.count_nonzero(self.raw == _SPACE))

    @cached_property
    def language(self) -> str:
        """Its language, ``und`` if unknown."""
        return detect_language(self.text)

    def is_of_the_site_of(self, other: PageText) -> bool:
        """Whether both are known to be of one site."""
        return self.site >= 0 and self.site == other.site

    def may_be_edition_of(self, other: PageText) -> bool:
        """Whether the scattered common text of the two may come from revised editions.

        Translations share code and names, and different pages of one site share its template. Languages and sites count
        as far as known.
        """
        if self.is_of_the_site_of(other):
            return False
        return self.language == other.language or "und" in (self.language, other.language)

    def __len__(self) -> int:
        return len(self.raw)


@lru_cache(maxsize=8)
def _alphabet(fold: bool, variants: str) -> NDArray[np.uint32] | None:
    """The replacement of each code point under these parameters: uint32 [0x110000], None if all are unchanged.

    All white space becomes a space.
    """
    options = TrustableParameters(fold=fold, variants=variants).fold_options
    if options is None:
        return None
    words = fold_table(options).words
    itself = np.arange(CODE_POINTS, dtype=np.uint32)
    single = ((words & (EXPANDS | CONTEXT)) == 0) & ((words & VALUE) != 0)
    alphabet = np.where(single, words & VALUE, itself).astype(np.uint32)
    alphabet[[code for code in range(0x3001) if chr(code).isspace()]] = 32
    return alphabet


@dataclass(frozen=True, slots=True)
class Trusted:
    """One trustable region of ``a``, without unmatched characters at its ends.

    ``a``, ``b``: matched positions in both texts, ascending, equally many. ``parts``: the region as stretches [start,
    end) of ``a``; more than one if it continues across a removed earlier region.
    """

    a: Ints
    b: Ints
    slope: float
    parts: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class Examined:
    """The result of examining a pair of texts of ``sizes`` characters.

    ``skeletons``: characters of both filter skeletons; ``edits``: of the whole edit script (None: not computed).
    """

    step: Step
    sizes: tuple[int, int]
    skeletons: tuple[int, int] = (0, 0)
    edits: int | None = None
    regions: tuple[Trusted, ...] = ()

    @property
    def common(self) -> int:
        """|TLCS| over all regions."""
        return sum(len(region.a) for region in self.regions)

    @property
    def resemblance(self) -> float:
        """|TLCS| / (|A| + |B| - |TLCS|), in [0, 1]; 1 exactly for equal texts."""
        return shares(self.common, self.sizes)[0]

    @property
    def containment(self) -> tuple[float, float]:
        """|TLCS| / |A| (the share of a in b) and |TLCS| / |B|."""
        return shares(self.common, self.sizes)[1:]

    @property
    def bound(self) -> tuple[float, float]:
        """Upper bounds of resemblance and of the greater containment, from the skeletons (see :func:`examine`)."""
        bounds = shares(min(self.skeletons), self.sizes)
        return bounds[0], max(bounds[1:])


def shares(common: int, sizes: tuple[int, int]) -> tuple[float, float, float]:
    """Resemblance, share of a, share of b; each grows with ``common``. 0 for an empty text."""
    a, b = sizes
    if not a or not b:
        return 0.0, 0.0, 0.0
    return common / (a + b - common), common / a, common / b


def window_of(a: PageText, b: PageText, parameters: TrustableParameters) -> int:
    """Characters of the windows of the two texts' skeletons: twice ``parameters.window`` if both are alphabetic."""
    return parameters.window * _letters_per_character(a, b)


def _letters_per_character(a: PageText, b: PageText) -> int:
    """How many characters of the two texts say as much as one East Asian character."""
    return 2 if a.is_alphabetic and b.is_alphabetic else 1


def alike(resemblance: float, containment: float, parameters: TrustableParameters) -> bool:
    """Whether either threshold is reached."""
    return resemblance >= parameters.min_resemblance or containment >= parameters.min_containment


def match(
    a: NDArray[np.uint32], b: NDArray[np.uint32], window: int, longest: int, progress: Progress
) -> tuple[Ints, Ints]:
    """Positions in ``a`` and in ``b`` matched by a longest common subsequence of their filter skeletons.

    All other characters are edits, whether of the skeletons' script or removed by the filter. Raises TooDifferent,
    Cancelled.
    """
    if len(a) == len(b) and np.array_equal(a, b):
        same = np.arange(len(a))
        return same, same
    kept_a, kept_b = (np.flatnonzero(mask) for mask in skeletons(a, b, window))
    return _match_kept(a, b, kept_a, kept_b, longest, progress)


def _match_kept(
    a: NDArray[np.uint32], b: NDArray[np.uint32], kept_a: Ints, kept_b: Ints, longest: int, progress: Progress
) -> tuple[Ints, Ints]:
    here, there = matched_places(common_blocks(a[kept_a], b[kept_b], progress, longest=longest), kept_a, kept_b)
    return here, there


def examine(
    a: PageText, b: PageText, parameters: TrustableParameters, progress: Progress, *, counts: bool = True
) -> Examined:
    """Compare two texts by steps 2 and 3, up to the step that rejects them. Raises Cancelled.

    The skeletons reject early, and never wrongly: every matched position of ``a`` is in the skeleton of ``a``, each is
    matched once over all regions (a region removes its positions), and likewise for ``b``. So |TLCS| <= m, the length
    of the shorter skeleton. (Later regions cannot match outside the first skeletons: removed text is replaced by a
    symbol that is not in the other text, so a window found later occurs in both original texts.) Resemblance c / (|A| +
    |B| - c) and containment c / |A| grow with c = |TLCS|, so their values for c = m are upper bounds; if these miss
    both thresholds, so does the pair. Without ``counts``, the sizes of the skeletons are not computed for pairs
    rejected by a coarser bound.
    """
    sizes = (len(a), len(b))
    if a.blank or b.blank:
        return Examined(Step.EMPTY, sizes)
    p = parameters
    if sizes[0] == sizes[1] and np.array_equal(a.folded, b.folded):
        return _same(sizes[0], p)
    if not counts and not _may_be_alike(a, b, p):
        return Examined(Step.SKELETON, sizes)
    skeleton_masks = a.windowed.skeletons(b.folded, window_of(a, b, p))
    kept = (int(np.count_nonzero(skeleton_masks[0])), int(np.count_nonzero(skeleton_masks[1])))
    refused = Examined(Step.SKELETON, sizes, kept)
    if not alike(*refused.bound, p):
        return refused
    try:
        places = np.flatnonzero(skeleton_masks[0]), np.flatnonzero(skeleton_masks[1])
        matched = _match_kept(a.folded, b.folded, *places, p.max_stretch, progress)
        regions = _regions(a, b, matched, p, progress)
    except TooDifferent:
        return Examined(Step.STRETCH, sizes, kept)
    edits = sum(sizes) - 2 * len(matched[0])
    examined = Examined(Step.SLOPE, sizes, kept, edits, regions)
    if not regions:
        return examined
    step = Step.SIMILAR
    if not alike(examined.resemblance, max(examined.containment), p):
        step = Step.THRESHOLDS
    elif not p.translations and are_translations(a, b, regions):
        step = Step.LANGUAGES
    return Examined(step, sizes, kept, edits, regions)


def are_translations(a: PageText, b: PageText, regions: tuple[Trusted, ...]) -> bool:
    """Whether the exclusive texts are in different languages: shared text was not translated.

    For alphabets this counts only if the whole texts are also known to differ in language: typing errors make words of
    no language.
    """
    own = (_unshared(a.text, [r.a for r in regions]), _unshared(b.text, [r.b for r in regions]))
    if min(map(len, own)) < _UNSHARED:
        return False
    one, other = map(detect_language, own)
    if one == other or "und" in (one, other):
        return False
    return bool(_WITHOUT_ALPHABET & {one, other}) or a.language != b.language


def _unshared(text: str, places: list[Ints]) -> str:
    """The runs of ``text`` outside the matched ``places``, one per line."""
    shared = np.zeros(len(text) + 2, np.int8)
    shared[[0, -1]] = 1
    for matched in places:
        shared[matched + 1] = 1
    edges = np.flatnonzero(np.diff(shared)).reshape(-1, 2).tolist()
    return "\n".join(text[start:end] for start, end in edges if end - start >= _RUN)


def _may_be_alike(a: PageText, b: PageText, parameters: TrustableParameters) -> bool:
    """Whether the skeleton of the shorter text may be long enough for the pair; False is always correct."""
    p = parameters
    if len(a.folded) < len(b.folded):
        a, b = b, a
    return a.windowed.may_reach(b.folded, window_of(a, b, p), p.min_resemblance, p.min_containment)


def _same(size: int, parameters: TrustableParameters) -> Examined:
    """The result for two equal texts of ``size`` characters: one region from end to end."""
    sizes = (size, size)
    if not alike(1.0, 1.0, parameters):
        return Examined(Step.SKELETON, sizes, sizes)
    whole = np.arange(size)
    return Examined(Step.SIMILAR, sizes, sizes, 0, (Trusted(whole, whole, 0.0, ((0, size),)),))


def _regions(
    page_a: PageText, page_b: PageText, matched: tuple[Ints, Ints], parameters: TrustableParameters, progress: Progress
) -> tuple[Trusted, ...]:
    """The trustable region, then the regions of the texts without it and its common characters, and so on; only the
    first if the pages cannot be editions of one text.
    """
    p = parameters
    a, b, window = page_a.folded, page_b.folded, window_of(page_a, page_b, p)
    min_gain = p.min_gain * _letters_per_character(page_a, page_b)
    regions: list[Trusted] = []
    places_a, places_b = np.arange(len(a)), np.arange(len(b))
    while True:
        curve = Curve.of(len(a), matched)
        span = trustable_region(curve, p.block, p.slope)
        if span is None:
            break
        start, end = span
        first, last = np.searchsorted(matched[0], span)
        gain = int(last - first)
        if not gain or (regions and gain < min_gain):
            break
        # Unmatched characters at the ends are left to later regions.
        here, there = matched[0][first:last], matched[1][first:last]
        start, end = int(here[0]), int(here[-1]) + 1
        slope = curve.edits(start, end) / (end - start)
        parts = _stretches(places_a[start:end], a[start:end] != _SEAM_A) if regions else ((start, end),)
        regions.append(Trusted(places_a[here], places_b[there], slope, parts))
        if len(regions) == p.max_regions or min(len(a), len(b)) - gain < min_gain:
            break
        if len(regions) == 1 and page_a.is_of_the_site_of(page_b):
            break
        progress.check()
        gone_a, gone_b = np.zeros(len(a), np.bool_), np.zeros(len(b), np.bool_)
        gone_a[start:end] = True
        gone_b[there] = True
        a, places_a = _without(a, places_a, gone_a, _SEAM_A)
        b, places_b = _without(b, places_b, gone_b, _SEAM_B)
        # The window keeps its initial length, so that shorter texts do not have shorter windows.
        if min(len(a), len(b)) < window:
            break
        # Usually too little is left for a region, as a bound on the skeleton shows.
        shorter, longer = sorted((a, b), key=len)
        if Windowed(longer).kept_at_most(shorter, window) < min_gain:
            break
        if len(regions) == 1 and not page_a.may_be_edition_of(page_b):
            break
        matched = match(a, b, window, p.max_stretch, progress)
    return tuple(regions)


def _without(
    codes: NDArray[np.uint32], places: Ints, gone: NDArray[np.bool_], seam: int
) -> tuple[NDArray[np.uint32], Ints]:
    """``codes`` without those that are ``gone``, with a ``seam`` for each removed stretch."""
    gone = gone | (codes == seam)
    remaining = codes.copy()
    remaining[gone] = seam
    is_kept = ~gone
    is_kept[1:] |= gone[1:] & ~gone[:-1]
    is_kept[:1] = True
    return remaining[is_kept], places[is_kept]


def _stretches(places: Ints, real: NDArray[np.bool_]) -> tuple[tuple[int, int], ...]:
    """Stretches [start, end) of consecutive ``places``, without seams."""
    places = places[real]
    if not len(places):
        return ()
    cut = np.flatnonzero(np.diff(places) > 1) + 1
    return tuple((int(part[0]), int(part[-1]) + 1) for part in np.split(places, cut))


class Findings:
    """Accumulated similar pairs, and counts of omissions by reason."""

    def __init__(self) -> None:
        self.left_out: Counter[str] = Counter()
        self._pairs: list[PairScore] = []
        self._regions: list[Region] = []
        self._passages: list[NDArray[np.int64]] = []
        self._of: list[tuple[int, int, int, int]] = []

    def add(
        self, keys: tuple[int, int], pages: tuple[PageText, PageText], examined: Examined, window: int, shared: int
    ) -> None:
        """Add the similar pair of documents ``keys`` (a, b), which share ``shared`` fingerprints.

        Its passages are the equal stretches of its regions, joined if fewer than ``window`` characters of either text
        separate them. Their ``score`` counts matched characters. Evidence: ``characters`` matched, ``edits``
        inside, ``region`` from 1.
        """
        a, b = keys
        resemblance, share_a, share_b = shares(examined.common, examined.sizes)
        evidence = {
            "common": examined.common,
            "edits": examined.edits,
            "containment_b": round(share_b, 6),
            "regions": len(examined.regions),
            "slope": round(max(r.slope for r in examined.regions), 6),
            "fingerprints": shared,
        }
        self._pairs.append(PairScore(a, b, resemblance, resemblance, share_a, NEAR_DUPLICATE, evidence))
        for number, trusted in enumerate(examined.regions, 1):
            self._regions += _spans(a, b, trusted)
            rows = _passages(trusted, pages, window)
            self._passages.append(rows)
            self._of.append((len(rows), a, b, number))

    def results(self) -> Results:
        """All results so far."""
        excluded = {reason: n for reason, n in self.left_out.items() if n}
        return Results(self._matches(), tuple(self._pairs), regions=tuple(self._regions), excluded=excluded)

    def _matches(self) -> Matches:
        if not self._passages:
            return Matches.empty()
        of = np.array(self._of, np.int64)
        a, b, number = np.repeat(of[:, 1:].T, of[:, 0], axis=1)
        a_start, a_end, b_start, b_end, common, edits, tier = np.concatenate(self._passages).T.copy()
        evidence = {"characters": common, "edits": edits, "region": number}
        score = common.astype(np.float64)
        return Matches(a, b, a_start, a_end, b_start, b_end, score, tier.astype(np.int8), evidence)


def _passages(trusted: Trusted, pages: tuple[PageText, PageText], window: int) -> NDArray[np.int64]:
    """Rows of :func:`workbench.kernels.trustable_lcs.regions.passages`."""
    a, b, size = int(trusted.a[0]), int(trusted.b[0]), len(trusted.a)
    if trusted.a[-1] - a == trusted.b[-1] - b == size - 1:  # most pairs are identical from end to end
        same = np.array_equal(pages[0].raw[a : a + size], pages[1].raw[b : b + size])
        return np.array([(a, a + size, b, b + size, size, 0, EXACT if same else FOLDED)], np.int64)
    rows: NDArray[np.int64] = passages(trusted.a, trusted.b, pages[0].raw, pages[1].raw, window)
    return rows


def _spans(a: int, b: int, trusted: Trusted) -> list[Region]:
    """The stretches of a region with common characters."""
    if len(trusted.parts) == 1:  # begins and ends with matched characters
        there = Span(int(trusted.b[0]), int(trusted.b[-1]) + 1)
        return [Region(a, b, Span(*trusted.parts[0]), there, trusted.slope)]
    spans = []
    for part in trusted.parts:
        first, last = np.searchsorted(trusted.a, part)
        if first < last:
            there = Span(int(trusted.b[first]), int(trusted.b[last - 1]) + 1)
            spans.append(Region(a, b, Span(*part), there, trusted.slope))
    return spans


def edit_curve(a: str, b: str, parameters: TrustableParameters) -> tuple[Ints, Ints]:
    """Corners of the cumulative-edit curve of ``a`` against ``b``: (positions, edits), int64 of equal length.

    ``positions`` are code points of ``a`` from 0 to len(a), ascending; ``edits`` counts the edits before each, with a
    vertical step (the same position twice) for characters of ``b`` that are not in ``a``. A line of the slope
    ``parameters.slope`` shows the maximum rise of a trustable region (Huang, Wang and Li, 2007, figure 3). Raises
    TooDifferent if the texts differ completely over more than ``parameters.max_stretch`` characters.
    """
    pages = PageText.of(a, parameters), PageText.of(b, parameters)
    window = window_of(*pages, parameters)
    matched = match(pages[0].folded, pages[1].folded, window, parameters.max_stretch, NullProgress())
    return Curve.of(len(a), matched).points()
