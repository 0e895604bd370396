"""Copied-string length: how much of a text stands in other texts too, rare strings weighing more.

Source: Takeda and Takasu (2009). ``df(s)`` is the number of distinct documents of ``B`` and the
examined ``b`` that contain ``s``; ``cpl(s) = |s| * ln(N / df(s))`` where ``|s| >= l`` and ``df(s) >= 2``, else 0
(equation 1); the score ``bl*(b)`` is the largest sum of ``cpl`` over all partitions of ``b`` (equation 5). One suffix
array of the whole corpus scores every document in one sweep.

Two settings, two defaults. Among the suspects themselves (the paper's) only that is seen which is copied more than
once: a copied string tells, what is not copied tells nothing, and common phrases are shared by many. So the score is
``bl*`` with the paper's ``l = 15``. Against other documents, which stand for what is copied from, text that is not
there tells too, so the score is the copy rate ``bl*(b) / |b|``, and whatever is longer than chance counts. Documents
examined against others are no part of the index (:mod:`workbench.methods.copied_strings_outside`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from workbench.base.progress import Unwatched, Watcher
from workbench.base.types import Document, DocumentScore, Matches, Results, Role, Span
from workbench.methods.api import Corpus, Explanation, Parameters, Reason, parameter
from workbench.methods.copied_strings_index import PAPER_LENGTH, AmongIndex, CopiedStringsIndex, codes_of
from workbench.methods.copied_strings_outside import LONGEST, OutsideIndex

_ROLES = {
    "auto": (Role.SUSPECT, Role.BACKGROUND, Role.SOURCE),
    "suspects": (Role.SUSPECT,),
    "background": (Role.BACKGROUND,),
    "suspects+background": (Role.SUSPECT, Role.BACKGROUND),
    "all": (Role.SUSPECT, Role.BACKGROUND, Role.SOURCE),
}
_OTHERS = (Role.BACKGROUND, Role.SOURCE)


@dataclass(frozen=True)
class CopiedStringsParameters(Parameters):
    """Length of a copied string, and the documents that it is looked for in."""

    min_length: int = parameter(
        0,
        "Shortest string that counts as copied (l); 0: 15 among the suspects, else the length that chance reaches",
        low=0,
        high=LONGEST,
        unit="characters",
        paper=PAPER_LENGTH,
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


class CopiedStrings:
    """The method ``copied-strings``: scores documents; a copied string is a match with one document that holds it."""

    name = "copied-strings"
    version = 4
    summary = "How much of each text stands in other texts too, rare strings weighing more"
    source = "Takeda and Takasu: splog filtering by copied-string length (2009)"
    parameters = CopiedStringsParameters
    emits = frozenset({"scores", "matches"})
    indexed: tuple[Role, ...] = _ROLES["auto"]
    examined: tuple[Role, ...] = (Role.SUSPECT,)

    def roles(self, parameters: CopiedStringsParameters) -> tuple[tuple[Role, ...], tuple[Role, ...]]:
        """The chosen corpus and the suspects, which are examined."""
        return _ROLES[parameters.corpus], self.examined

    def held_roles(self, corpus: Corpus, parameters: CopiedStringsParameters) -> tuple[Role, ...]:
        """The corpus B: left to choose, sources and background where there are any, else the suspects."""
        if parameters.corpus != "auto":
            return _ROLES[parameters.corpus]
        return _OTHERS if corpus.count(*_OTHERS) else self.examined

    def index_key(self, parameters: CopiedStringsParameters) -> str:
        """The parameters that shape the document frequencies."""
        return f"{parameters.corpus}-{parameters.min_length}"

    def prepare(self, corpus: Corpus, parameters: CopiedStringsParameters, folder: Path, watch: Watcher) -> None:
        """Suffix array, LCP array and document frequencies of B. Raises UserError from 2^31 characters on."""
        held = self.held_roles(corpus, parameters)
        total = corpus.count(*held)
        documents: list[tuple[int, NDArray[np.uint32]]] = []
        for document in corpus.documents(*held):
            watch.advance("Reading texts", len(documents), total)
            documents.append((document.key, codes_of(document.text)))
        documents.sort(key=lambda d: d[0])
        kind = AmongIndex if Role.SUSPECT in held else OutsideIndex
        keys = np.array([key for key, _ in documents], np.int64)
        kind.build(keys, [codes for _, codes in documents], parameters.min_length, watch).save(folder)

    def load(self, folder: Path, parameters: CopiedStringsParameters) -> CopiedStringsIndex:
        """The index, memory-mapped. Raises UserError when it is damaged."""
        kind = OutsideIndex if (folder / "filter.npy").exists() else AmongIndex
        return kind.load(folder)

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
            parts.append(_score(index, document, parameters, watch))
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
        results, needed = _shared(a, b, parameters.min_length if index is None else index.min_length(len(a.text)))
        found = results.matches
        if len(found):
            reasons = tuple(
                Reason("shared string", True, f"{m.a_span.end - m.a_span.start} characters", m.a_span, m.b_span)
                for m in found
            )
            covered = int(found.evidence["characters"].sum())
            share = covered / len(a.text)
            return Explanation(True, f"{covered} characters ({share:.0%}) of {a.id} stand in {b.id}.", reasons)
        alone = OutsideIndex.build(np.array([b.key]), [codes_of(b.text)], 1, Unwatched())
        length, place = alone.matching_statistics(a, Unwatched())
        at = int(np.argmax(length)) if len(length) else 0
        longest = int(length[at]) if len(length) else 0
        there = int(place[at]) if longest else 0
        spans = (Span(at, at + longest), Span(there, there + longest))
        detail = f"longest shared string {longest} characters, {needed} needed"
        return Explanation(
            False, f"No string of {needed} characters stands in both.", (Reason("length", False, detail, *spans),)
        )


METHOD = CopiedStrings()


def _shared(a: Document, b: Document, min_length: int) -> tuple[Results, int]:
    """The strings of ``a`` that stand in ``b``, each weighed by its length, and the l that held."""
    index = OutsideIndex.build(np.array([b.key]), [codes_of(b.text)], min_length, Unwatched())
    index.weight[:] = 1.0
    return _score(index, a, CopiedStringsParameters(), Unwatched()), index.min_length(len(a.text))


def _score(
    index: CopiedStringsIndex, document: Document, parameters: CopiedStringsParameters, watch: Watcher
) -> Results:
    """Score and copied strings of one document."""
    size = len(document.text)
    score, start, length, df, other = index.strings(document, watch)
    there = np.searchsorted(index.starts, other, side="right") - 1
    b_start = other - index.starts[there]
    matches = Matches(
        a=np.full(len(start), document.key, np.int64),
        b=index.keys[there],
        a_start=start,
        a_end=start + length,
        b_start=b_start,
        b_end=b_start + length,
        score=length * index.weight[df],
        tier=np.zeros(len(start), np.int8),
        evidence={"df": df, "characters": length},
    )
    covered = int(length.sum())
    rate = score / max(1, size)
    evidence = {
        "copied_length": score,
        "copy_rate": rate,
        "covered": covered / max(1, size),
        "longest": int(length.max(initial=0)),
        "strings": len(length),
        "min_length": index.min_length(size),
    }
    by_rate = index.by_rate if parameters.score == "auto" else parameters.score == "rate"
    chosen = rate if by_rate else score
    return Results(matches=matches, scores=(DocumentScore(document.key, chosen, evidence),))
