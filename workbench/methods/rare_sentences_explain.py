"""Why two documents make a pair under ``rare-sentences`` and of which relation, or why not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from workbench.base.types import Document, Span
from workbench.methods.api import Explanation, Reason
from workbench.methods.rare_sentences import RareSentencesParameters
from workbench.methods.rare_sentences_index import RareSentencesIndex, page
from workbench.methods.rare_sentences_pairs import Shared, common, decision
from workbench.methods.rare_sentences_reading import read

_SHOWN = 20


def explain(
    a: Document, b: Document, parameters: RareSentencesParameters, index: RareSentencesIndex | None
) -> Explanation:
    """The rules in order."""
    p = parameters
    both = read([a, b], p)
    sizes = both.characters().tolist()
    counts = np.bincount(both.document, minlength=2).tolist()
    reasons = [
        Reason(f"sentences of {name}", n > 0, f"{n} of {p.min_length} characters or more, {size} characters together")
        for name, n, size in zip(("suspect", "source"), counts, sizes, strict=True)
    ]
    if not all(counts):
        reasons += _elsewhere(a, b, p)
        summary = f"No pair: one of the documents has no sentence of {p.min_length} characters among its content."
        return Explanation(False, summary, tuple(reasons))
    shared = common(both)
    reasons.append(Reason("shared sentences", len(shared) > 0, f"{len(shared)} stand in both"))
    if not len(shared):
        reasons += _elsewhere(a, b, p)
        return Explanation(False, "No pair: the documents share no sentence that counts.", tuple(reasons))
    if index is not None:
        frequency = index.too_frequent(shared.hashes)
        common_ones = int((frequency > 0).sum())
        detail = f"{common_ones} of the {len(shared)} stand in more than {p.max_documents} documents"
        if common_ones:
            detail += f", the most frequent in {int(frequency.max())}"
        reasons.append(Reason("limit of documents", common_ones < len(shared), detail))
        shared = shared.take(frequency == 0)
        if not len(shared):
            summary = "No pair: all sentences that the documents share stand in too many documents."
            return Explanation(False, summary, (*reasons, *_shown(shared)))
    enough = len(shared) >= p.min_sentences
    reasons.append(Reason("shared rare sentences", enough, f"{len(shared)}, {p.min_sentences} needed"))
    if not enough:
        summary = f"No pair: the documents share fewer than {p.min_sentences} rare sentences."
        return Explanation(False, summary, (*reasons, *_shown(shared)))
    decided, facts = decision(page(a, sizes[0]), page(b, sizes[1]), int(shared.length.sum()), p)
    detail = f"R {facts.overlap:.3f}, Simpson {facts.simpson:.3f}: {'; '.join(decided.steps)}"
    reasons.append(Reason(f"relation: {decided.relation}", True, detail))
    reasons.append(Reason(f"direction: {decided.direction}", True, decided.direction_step))
    number = "one rare sentence" if len(shared) == 1 else f"{len(shared)} rare sentences"
    summary = f"A pair, {decided.relation}: {number} shared, R {facts.overlap:.2f}, Simpson {facts.simpson:.2f}."
    return Explanation(True, summary, (*reasons, *_shown(shared)))


def _elsewhere(a: Document, b: Document, parameters: RareSentencesParameters) -> Sequence[Reason]:
    """What the documents would share under milder rules."""
    found = []
    if parameters.content:
        everywhere = len(common(read([a, b], replace(parameters, content=False))))
        if everywhere:
            found.append(Reason("content blocks", False, f"{everywhere} shared, but outside content blocks"))
    shorter = len(common(read([a, b], replace(parameters, min_length=1))))
    if shorter:
        found.append(Reason("length", False, f"{shorter} shared of fewer than {parameters.min_length} characters"))
    return found


def _shown(shared: Shared) -> list[Reason]:
    """The longest shared sentences."""
    rows = np.argsort(-shared.length, kind="stable")[:_SHOWN].tolist()
    spans = [[Span(int(side["start"][i]), int(side["end"][i])) for i in rows] for side in (shared.a, shared.b)]
    return [
        Reason("sentence", True, f"{int(shared.length[i])} characters", mine, theirs)
        for i, mine, theirs in zip(rows, *spans, strict=True)
    ]
