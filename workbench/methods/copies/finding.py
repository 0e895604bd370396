"""Copied passages: the merged findings of the methods of ``copies``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from workbench.base.messages import Message
from workbench.base.progress import NullProgress, Progress
from workbench.base.types import Document, Results
from workbench.methods.altered.method import METHOD as ALTERED
from workbench.methods.copies.merging import merge
from workbench.methods.copies.parameters import CopiesParameters
from workbench.methods.copies.views import SourceTexts, Ways, in_documents, views_of
from workbench.methods.core.api import Explanation, Reason
from workbench.methods.core.collection import keys


@dataclass(frozen=True, slots=True)
class CopiesIndex:
    """The index of each enabled part, by the part's name, and the ``ways`` from its views back to documents."""

    parts: Mapping[str, Any]
    ways: Ways

    def aligning(self, also: Mapping[int, Collection[int]]) -> CopiesIndex:
        """This index, of which ``altered`` aligns these sources, too; see :class:`AlteredIndex`."""
        altered = {name: replace(part, also=also) for name, part in self.parts.items() if name == ALTERED.name}
        return replace(self, parts={**self.parts, **altered})

    def texts(self) -> SourceTexts:
        """Texts of the sources, if an index contains them."""
        readers = {"altered": "source", "initials": "text"}
        for name, reader in readers.items():
            if name in self.parts:
                index = self.parts[name]
                return SourceTexts({key: i for i, key in enumerate(keys(index.order).tolist())}, getattr(index, reader))
        return SourceTexts.of_all({})


HOLDERS = 3
"""Maximum number of matches of the same text for which their sources are aligned however unlikely their words are."""
MERGED = Message("matches that are part of another passage")
UNSURE = Message("passages whose confidence is too low")


def find(
    index: CopiesIndex, documents: Sequence[Document], parameters: CopiesParameters, progress: Progress
) -> Results:
    """Passages of ``documents`` that are in the indexed documents. Raises Cancelled."""
    views, ways = views_of(documents)
    results: dict[str, Results] = {}
    for name, (part, settings) in parameters.parts().items():
        progress.check()
        if part is ALTERED:
            # Where the writer's own sentences are between copied ones, a source may seem unlikely by its words.
            index = index.aligning(_likely(results))
        results[name] = part.detect(index.parts[name], views, settings, progress)
    merged = _merged(results, views, index.texts(), parameters, progress)
    return replace(merged, matches=in_documents(merged.matches, ways, index.ways))


def _likely(results: Mapping[str, Results]) -> dict[int, set[int]]:
    """The sources in which a part has found text of a suspect that few others have, by the suspect's key."""
    sources: dict[int, set[int]] = {}
    for part in results.values():
        matches = part.matches
        for suspect in np.unique(matches.a).tolist():
            of_one = matches.take(np.flatnonzero(matches.a == suspect))
            middle = (of_one.a_start + of_one.a_end) // 2
            holders = np.searchsorted(np.sort(of_one.a_start), middle, "right")
            holders -= np.searchsorted(np.sort(of_one.a_end), middle, "right")
            sources.setdefault(suspect, set()).update(of_one.b[holders <= HOLDERS].tolist())
    return sources


def find_alone(a: Document, b: Document, parameters: CopiesParameters) -> Results:
    """Passages of ``a`` in ``b`` alone."""
    (left,), from_left = views_of([a])
    (right,), from_right = views_of([b])
    results = {name: part.compare(left, right, settings) for name, (part, settings) in parameters.parts().items()}
    merged = _merged(results, [left], SourceTexts.of_all({b.key: right.text}), parameters, NullProgress())
    return replace(merged, matches=in_documents(merged.matches, from_left, from_right))


def _also(index: CopiesIndex, left: Document, right: Document, parameters: CopiesParameters) -> dict[int, set[int]]:
    """The sources to align with ``left`` because of other parts, ``right`` among them whichever was examined."""
    results: dict[str, Results] = {}
    for name, (part, settings) in parameters.parts().items():
        if part is not ALTERED:
            results[name] = part.detect(index.parts[name], [left, right], settings, NullProgress())
    also = _likely(results)
    if left.key in also.get(right.key, ()):
        also.setdefault(left.key, set()).add(right.key)
    return also


def _find_pair(index: CopiesIndex, a: Document, b: Document, parameters: CopiesParameters) -> Results:
    """Passages of ``a`` in ``b`` by ``index``, whichever comes first in the collection; by the pair alone for methods
    whose index does not contain it.
    """
    (left,), from_left = views_of([a])
    (right,), from_right = views_of([b])
    results = {
        name: part.detect_pair(index.parts[name], left, right, settings) or part.compare(left, right, settings)
        for name, (part, settings) in parameters.parts().items()
    }
    merged = _merged(results, [left], SourceTexts.of_all({b.key: right.text}), parameters, NullProgress())
    return replace(merged, matches=in_documents(merged.matches, from_left, from_right))


def _merged(
    results: Mapping[str, Results],
    documents: Sequence[Document],
    texts: SourceTexts,
    parameters: CopiesParameters,
    progress: Progress,
) -> Results:
    """The passages of all parts with sufficient confidence, with counts of everything omitted or merged."""
    merged = merge(results, documents, texts, progress)
    sure = merged.matches.score >= parameters.min_confidence
    excluded: Counter[str] = Counter()
    for part in results.values():
        excluded.update(part.excluded)
    excluded.update({MERGED: merged.joined, UNSURE: int((~sure).sum())})
    return Results(matches=merged.matches.take(sure), excluded=dict(+excluded))


def explain(a: Document, b: Document, parameters: CopiesParameters, index: CopiesIndex | None) -> Explanation:
    """The reasons of each method in turn, then whether their combined confidence suffices.

    If no method finds a passage, their own explanations decide; otherwise the confidence does.
    """
    reasons: list[Reason] = []
    seen: list[str] = []
    (left,), from_left = views_of([a])
    (right,), from_right = views_of([b])
    if index is not None:
        index = index.aligning(_also(index, left, right, parameters))
    for name, (part, settings) in parameters.parts().items():
        explanation = part.explain(left, right, settings, index.parts[name] if index is not None else None)
        method = Message("method {name}", name=name)
        reasons.append(Reason(method, explanation.matched, explanation.summary, decides=not explanation.matched))
        reasons += [
            replace(
                reason,
                passed=reason.passed or explanation.matched,
                decides=False,
                a_span=reason.a_span and from_left.span(a.key, reason.a_span),
                b_span=reason.b_span and from_right.span(b.key, reason.b_span),
            )
            for reason in explanation.reasons
        ]
        seen += [name] if explanation.matched else []
    if not seen:
        return Explanation(False, Message("No match: no method finds a copied passage."), tuple(reasons))
    reasons = [replace(reason, decides=False) for reason in reasons]
    doubtful = replace(parameters, min_confidence=0.0)
    matches = (find_alone(a, b, doubtful) if index is None else _find_pair(index, a, b, doubtful)).matches
    best = float(matches.score.max()) if len(matches) else 0.0
    sure = int((matches.score >= parameters.min_confidence).sum())
    passed = sure > 0
    detail = Message(
        "passages with a confidence of {min_confidence} or more: {found}, the highest {best}",
        found=f"{sure:,}",
        min_confidence=f"{parameters.min_confidence:g}",
        best=f"{best:.3f}",
    )
    reasons.append(Reason(Message("confidence"), passed, detail, decides=not passed))
    if not passed:
        return Explanation(False, Message("No match: the confidence of the passages is too low."), tuple(reasons))
    methods = ", ".join(seen)
    return Explanation(
        True,
        Message(
            "Copied passages: {found}, confidence up to {best} ({methods}).",
            found=f"{sure:,}",
            best=f"{best:.2f}",
            methods=methods,
        ),
        tuple(reasons),
    )
