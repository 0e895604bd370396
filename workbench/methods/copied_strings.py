"""Copied-string length: how much of a text stands in other texts too, rare strings weighing more.

Source: Takeda and Takasu (2009). ``df(s)`` is the number of distinct documents of ``B`` and the
examined ``b`` that contain ``s``; ``cpl(s) = |s| * ln(N / df(s))`` where ``|s| >= l`` and ``df(s) >= 2``, else 0
(equation 1); the score ``bl*(b)`` is the largest sum of ``cpl`` over all partitions of ``b`` (equation 5). One suffix
array of the whole corpus scores every document in one sweep.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from workbench.base.errors import UserError
from workbench.base.progress import Unwatched, Watcher
from workbench.base.types import Document, DocumentScore, Matches, Results, Role, Span
from workbench.methods.api import Corpus, Explanation, Parameters, Reason, parameter

_ROLES = {
    "auto": (Role.SUSPECT, Role.BACKGROUND, Role.SOURCE),
    "suspects": (Role.SUSPECT,),
    "background": (Role.BACKGROUND,),
    "suspects+background": (Role.SUSPECT, Role.BACKGROUND),
    "all": (Role.SUSPECT, Role.BACKGROUND, Role.SOURCE),
}


@dataclass(frozen=True)
class CopiedStringsParameters(Parameters):
    """Length of a copied string, and the documents that it is looked for in."""

    min_length: int = parameter(
        15, "Shortest string that counts as copied (l)", low=1, high=10_000, unit="characters", paper=15
    )
    corpus: str = parameter(
        "auto",
        "Documents in which strings are counted (B); auto: sources and background, else the suspects",
        choices=tuple(_ROLES),
    )
    score: str = parameter(
        "length",
        "A document's score: its copied-string length bl*, or its copy rate, which is that over its characters",
        choices=("length", "rate"),
        paper="length",
    )


@dataclass(frozen=True)
class CopiedStringsIndex:
    """D documents laid end to end, each closed by a separator, n positions in all; arrays are memory-mapped.

    ``keys`` (D int64, ascending) and ``starts`` (D + 1 int64); the rest hold n int32: suffix array, its inverse, LCP
    capped at separators, document and deepest interval with df >= 2 per rank, document frequency and step to the next
    frequency per interval head. ``counted`` (D bool): whether a document is in B. Frequencies include the examined
    document, in B or not.
    """

    keys: NDArray[np.int64]
    starts: NDArray[np.int64]
    counted: NDArray[np.bool_]
    suffixes: NDArray[np.int32]
    rank: NDArray[np.int32]
    lcp: NDArray[np.int32]
    document: NDArray[np.int32]
    owner: NDArray[np.int32]
    frequency: NDArray[np.int32]
    step: NDArray[np.int32]

    @cached_property
    def size(self) -> int:
        """N: documents of B and the examined one."""
        return int(self.counted.sum()) + int(not self.counted.all())

    @cached_property
    def weight(self) -> NDArray[np.float64]:
        """``ln(N / df)`` per interval head (n float64)."""
        weight: NDArray[np.float64] = np.log(self.size / np.maximum(self.frequency, 1))
        return weight

    def number(self, key: int) -> int:
        """Number of the document ``key`` in the index. Raises UserError where the index does not hold it."""
        i = int(np.searchsorted(self.keys, key))
        if i == len(self.keys) or self.keys[i] != key:
            raise UserError("A document to examine is missing from the index.", hint="Start the detection again.")
        return i


_ARRAYS = tuple(CopiedStringsIndex.__dataclass_fields__)


class CopiedStrings:
    """The method ``copied-strings``: scores documents; a copied string is a match with one document that holds it."""

    name = "copied-strings"
    version = 1
    summary = "How much of each text stands in other texts too, rare strings weighing more"
    source = "Takeda and Takasu: splog filtering by copied-string length (2009)"
    parameters = CopiedStringsParameters
    emits = frozenset({"scores", "matches"})
    indexed: tuple[Role, ...] = _ROLES["auto"]
    examined: tuple[Role, ...] = (Role.SUSPECT,)

    def roles(self, parameters: CopiedStringsParameters) -> tuple[tuple[Role, ...], tuple[Role, ...]]:
        """The chosen corpus and the suspects, which are examined."""
        held = _ROLES[parameters.corpus]
        return held if Role.SUSPECT in held else (Role.SUSPECT, *held), self.examined

    def index_key(self, parameters: CopiedStringsParameters) -> str:
        """The parameters that shape the document frequencies."""
        return f"{parameters.corpus}-{parameters.min_length}"

    def prepare(self, corpus: Corpus, parameters: CopiedStringsParameters, folder: Path, watch: Watcher) -> None:
        """Suffix array, LCP array and document frequencies of the corpus. Raises UserError from 2^31 characters on."""
        held, _ = self.roles(parameters)
        counted = _ROLES[parameters.corpus]
        if parameters.corpus == "auto":
            foreign = (Role.BACKGROUND, Role.SOURCE)
            counted = foreign if corpus.count(*foreign) else self.examined
        total = corpus.count(*held)
        documents: list[tuple[int, NDArray[np.uint32], bool]] = []
        for document in corpus.documents(*held):
            watch.advance("Reading texts", len(documents), total)
            documents.append((document.key, _codes(document.text), document.role in counted))
        documents.sort(key=lambda d: d[0])
        index = _build(documents, parameters.min_length, watch)
        for name in _ARRAYS:
            np.save(folder / f"{name}.npy", getattr(index, name))

    def load(self, folder: Path, parameters: CopiedStringsParameters) -> CopiedStringsIndex:
        """The index, memory-mapped. Raises UserError when it is damaged."""
        try:
            return CopiedStringsIndex(*(np.load(folder / f"{name}.npy", mmap_mode="r") for name in _ARRAYS))
        except (OSError, ValueError, EOFError) as error:
            raise UserError("The index is damaged.", path=folder, hint="Delete the folder and detect again.") from error

    def detect(
        self,
        index: CopiedStringsIndex,
        documents: Sequence[Document],
        parameters: CopiedStringsParameters,
        watch: Watcher,
    ) -> Results:
        """One score a document, and a match for each part of its optimal partition that weighs more than 0.

        Evidence of a score: ``copied_length`` = bl*, ``copy_rate`` = bl*/|b|, ``covered`` share of the
        characters in [0, 1], ``longest`` copied string in characters, ``strings`` their number. A match's
        score is its ``cpl``; its ``df`` counts the documents that hold the string, this one included. What
        every document holds weighs nothing and is no copied string.
        """
        parts = []
        for document in documents:
            watch.check()
            parts.append(_score(index, document, parameters))
        return Results(
            matches=Matches.concatenate([p.matches for p in parts]), scores=tuple(s for p in parts for s in p.scores)
        )

    def compare(self, a: Document, b: Document, parameters: CopiedStringsParameters) -> Results:
        """The strings of ``a`` that stand in ``b``, each weighed by its length (ln N/df taken as 1)."""
        index = _build([(0, _codes(a.text), False), (1, _codes(b.text), True)], parameters.min_length, Unwatched())
        index.weight[:] = 1.0
        found = _score(index, replace(a, key=0), parameters).matches
        a_key, b_key = (np.full(len(found), d.key, np.int64) for d in (a, b))
        return Results(matches=replace(found, a=a_key, b=b_key))

    def explain(
        self,
        a: Document,
        b: Document,
        parameters: CopiedStringsParameters,
        index: CopiedStringsIndex | None = None,
    ) -> Explanation:
        """The strings that ``a`` shares with ``b``, or the longest one where all are too short."""
        found = self.compare(a, b, parameters).matches
        if len(found):
            reasons = tuple(
                Reason("shared string", True, f"{m.a_span.end - m.a_span.start} characters", m.a_span, m.b_span)
                for m in found
            )
            covered = int(found.evidence["characters"].sum())
            share = covered / len(a.text)
            return Explanation(True, f"{covered} characters ({share:.0%}) of {a.id} stand in {b.id}.", reasons)
        longest = SequenceMatcher(None, a.text, b.text, autojunk=False).find_longest_match()
        spans = (Span(longest.a, longest.a + longest.size), Span(longest.b, longest.b + longest.size))
        needed = parameters.min_length
        detail = f"longest shared string {longest.size} characters, {needed} needed"
        return Explanation(
            False, f"No string of {needed} characters stands in both.", (Reason("length", False, detail, *spans),)
        )


METHOD = CopiedStrings()


def _codes(text: str) -> NDArray[np.uint32]:
    return np.frombuffer(text.encode("utf-32-le"), np.uint32)


def _build(
    documents: Sequence[tuple[int, NDArray[np.uint32], bool]], min_length: int, watch: Watcher
) -> CopiedStringsIndex:
    """Index of (key, code points, whether in B), in key order."""
    from workbench.kernels.characters import character_lcp, character_suffix_array, dense_characters
    from workbench.kernels.document_frequency import frequency_steps, interval_forest

    lengths = np.array([len(codes) + 1 for _, codes, _ in documents], np.int64)
    starts = np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths)])
    if starts[-1] >= 2**31:
        raise UserError(f"The corpus has {starts[-1]:,} characters; this method takes fewer than {2**31:,}.")
    counted = np.array([inside for _, _, inside in documents], np.bool_)
    stage = "Suffix array"
    watch.advance(stage, 0, 4)
    ids = dense_characters([codes for _, codes, _ in documents])
    suffixes = character_suffix_array(ids)
    watch.advance(stage, 1, 4)
    lcp = character_lcp(ids, suffixes)
    del ids
    watch.advance(stage, 2, 4)
    rank = np.empty_like(suffixes)
    rank[suffixes] = np.arange(len(suffixes), dtype=np.int32)
    document = np.repeat(np.arange(len(documents), dtype=np.int32), lengths)[suffixes]
    frequency, parent, owner = interval_forest(lcp, document, counted, min_length)
    frequency += not counted.all()
    watch.advance(stage, 3, 4)
    step = frequency_steps(frequency, parent)
    del parent
    inner = owner >= 0
    inner[inner] = frequency[owner[inner]] < 2
    owner[inner] = step[owner[inner]]
    watch.advance(stage, 4, 4)
    keys = np.array([key for key, _, _ in documents], np.int64)
    return CopiedStringsIndex(keys, starts, counted, suffixes, rank, lcp, document, owner, frequency, step)


def _score(index: CopiedStringsIndex, document: Document, parameters: CopiedStringsParameters) -> Results:
    """Score and copied strings of one document of the index."""
    from workbench.kernels.copied_strings import copied_strings

    number = index.number(document.key)
    begin, size = int(index.starts[number]), len(document.text)
    score, start, length, head, other = copied_strings(
        begin, size, index.rank, index.owner, index.lcp, index.step, index.weight, index.document, index.counted,
        index.suffixes, parameters.min_length,
    )  # fmt: skip
    there = np.searchsorted(index.starts, other, side="right") - 1
    b_start = other - index.starts[there]
    matches = Matches(
        a=np.full(len(start), document.key, np.int64),
        b=index.keys[there],
        a_start=start,
        a_end=start + length,
        b_start=b_start,
        b_end=b_start + length,
        score=length * index.weight[head],
        tier=np.zeros(len(start), np.int8),
        evidence={"df": index.frequency[head].astype(np.int64), "characters": length},
    )
    covered = int(length.sum())
    rate = score / max(1, size)
    evidence = {
        "copied_length": score,
        "copy_rate": rate,
        "covered": covered / max(1, size),
        "longest": int(length.max(initial=0)),
        "strings": len(length),
    }
    chosen = rate if parameters.score == "rate" else score
    return Results(matches=matches, scores=(DocumentScore(document.key, chosen, evidence),))
