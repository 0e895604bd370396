"""Copied-string length: how much of a text stands in other texts too, rare strings weighing more.

Source: Takeda and Takasu (2009). ``df(s)`` is the number of distinct documents of ``B`` and the
examined ``b`` that contain ``s``; ``cpl(s) = |s| * ln(N / df(s))`` where ``|s| >= l`` and ``df(s) >= 2``, else 0
(equation 1); the score ``bl*(b)`` is the largest sum of ``cpl`` over all partitions of ``b`` (equation 5). One suffix
array of the whole corpus scores every document in one sweep.

Two settings, two defaults. Among the suspects themselves (the paper's) only that is seen which is copied more than
once: a copied string tells, what is not copied tells nothing, and common phrases are shared by many. So the score is
``bl*`` with the paper's ``l = 15``. Against other documents, which stand for what is copied from, text that is not
there tells too, so the score is the copy rate ``bl*(b) / |b|``, and whatever is longer than chance counts: ``l`` is the
length of the longest run that two random texts share which are as long as the corpus and as a suspect is on average,
and whose characters are as frequent as theirs (:mod:`workbench.kernels.copied_chance`).
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
_PAPER_LENGTH, _LONGEST = 15, 10_000


@dataclass(frozen=True)
class CopiedStringsParameters(Parameters):
    """Length of a copied string, and the documents that it is looked for in."""

    min_length: int = parameter(
        0,
        "Shortest string that counts as copied (l); 0: 15 among the suspects, else the length that chance reaches",
        low=0,
        high=_LONGEST,
        unit="characters",
        paper=_PAPER_LENGTH,
    )
    corpus: str = parameter(
        "auto",
        "Documents in which strings are counted (B); auto: sources and background, else the suspects",
        choices=tuple(_ROLES),
    )
    score: str = parameter(
        "auto",
        "A document's score: copied-string length bl*, or copy rate, which is bl* over its characters; auto: length "
        "among the suspects, else rate",
        choices=("auto", "length", "rate"),
        paper="length",
    )


@dataclass(frozen=True)
class CopiedStringsIndex:
    """D documents laid end to end, each closed by a separator, n positions in all; arrays are memory-mapped.

    ``keys`` (D int64, ascending) and ``starts`` (D + 1 int64); the rest hold n int32: inverse suffix array, LCP capped
    at separators, deepest interval with df >= 2 and counterpart in another document per rank, document frequency and
    step to the next frequency per interval head. ``counted`` (D bool): whether a document is in B. Frequencies include
    the examined document, in B or not. ``chosen`` (1 int64): the l that held.
    """

    keys: NDArray[np.int64]
    starts: NDArray[np.int64]
    counted: NDArray[np.bool_]
    rank: NDArray[np.int32]
    lcp: NDArray[np.int32]
    owner: NDArray[np.int32]
    elsewhere: NDArray[np.int32]
    frequency: NDArray[np.int32]
    step: NDArray[np.int32]
    chosen: NDArray[np.int64]

    @cached_property
    def min_length(self) -> int:
        """l: the shortest string that counts as copied, in characters."""
        return int(self.chosen[0])

    @cached_property
    def is_foreign(self) -> bool:
        """Whether documents are examined that B does not hold."""
        return not self.counted.all()

    @cached_property
    def size(self) -> int:
        """N: documents of B and the examined one."""
        return int(self.counted.sum()) + int(self.is_foreign)

    @cached_property
    def weight(self) -> NDArray[np.float64]:
        """``ln(N / df)`` by df from 0 to N, 0 for df 0 (float64)."""
        weight: NDArray[np.float64] = np.log(self.size / np.maximum(np.arange(self.size + 1), 1))
        weight[0] = 0
        return weight

    @cached_property
    def queue_of(self) -> NDArray[np.int32]:
        """Room by df from 0 to N for the kernel: -1 everywhere."""
        return np.full(self.size + 1, -1, np.int32)

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
    version = 3
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
        characters in [0, 1], ``longest`` copied string in characters, ``strings`` their number, ``min_length`` the l
        that held. A match's score is its ``cpl``; its ``df`` counts the documents that hold the string, this one
        included. What every document holds weighs nothing and is no copied string.
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
        return _shared(a, b, parameters.min_length)[0]

    def explain(
        self,
        a: Document,
        b: Document,
        parameters: CopiedStringsParameters,
        index: CopiedStringsIndex | None = None,
    ) -> Explanation:
        """The strings that ``a`` shares with ``b``, or the longest one where all are too short."""
        results, needed = _shared(a, b, parameters.min_length if index is None else index.min_length)
        found = results.matches
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
    """Index of (key, code points, whether in B), in key order; ``min_length`` 0 chooses one."""
    from workbench.kernels.characters import character_lcp, character_suffix_array, dense_characters
    from workbench.kernels.copied_strings import counterparts
    from workbench.kernels.document_frequency import frequency_steps, interval_forest

    lengths = np.array([len(codes) + 1 for _, codes, _ in documents], np.int64)
    starts = np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths)])
    if starts[-1] >= 2**31:
        raise UserError(f"The corpus has {starts[-1]:,} characters; this method takes fewer than {2**31:,}.")
    counted = np.array([inside for _, _, inside in documents], np.bool_)
    min_length = min_length or _chosen_length(documents)
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
    elsewhere = counterparts(lcp, document, counted, suffixes)
    watch.advance(stage, 4, 4)
    keys = np.array([key for key, _, _ in documents], np.int64)
    chosen = np.array([min_length], np.int64)
    return CopiedStringsIndex(keys, starts, counted, rank, lcp, owner, elsewhere, frequency, step, chosen)


def _chosen_length(documents: Sequence[tuple[int, NDArray[np.uint32], bool]]) -> int:
    """l where none is given: see the head of this module."""
    from workbench.kernels.copied_chance import CharacterCounts, chance_length

    if all(inside for _, _, inside in documents):
        return _PAPER_LENGTH
    entries, corpus = (CharacterCounts(codes for _, codes, inside in documents if inside is b) for b in (False, True))
    return chance_length(entries, corpus, most=_LONGEST)


def _shared(a: Document, b: Document, min_length: int) -> tuple[Results, int]:
    """The strings of ``a`` that stand in ``b``, each weighed by its length, and the l that held."""
    index = _build([(0, _codes(a.text), False), (1, _codes(b.text), True)], min_length, Unwatched())
    index.weight[:] = 1.0
    found = _score(index, replace(a, key=0), CopiedStringsParameters()).matches
    a_key, b_key = (np.full(len(found), d.key, np.int64) for d in (a, b))
    return Results(matches=replace(found, a=a_key, b=b_key)), index.min_length


def _score(index: CopiedStringsIndex, document: Document, parameters: CopiedStringsParameters) -> Results:
    """Score and copied strings of one document of the index."""
    from workbench.kernels.copied_strings import copied_strings

    number = index.number(document.key)
    begin, size = int(index.starts[number]), len(document.text)
    score, start, length, head, other = copied_strings(
        begin, size, index.rank, index.owner, index.lcp, index.step, index.frequency, index.weight, index.elsewhere,
        index.queue_of, index.min_length,
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
        score=length * index.weight[index.frequency[head]],
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
        "min_length": index.min_length,
    }
    by_rate = index.is_foreign if parameters.score == "auto" else parameters.score == "rate"
    chosen = rate if by_rate else score
    return Results(matches=matches, scores=(DocumentScore(document.key, chosen, evidence),))
