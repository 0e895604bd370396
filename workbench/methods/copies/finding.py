"""Copied passages: the merged findings of the methods of ``copies``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

from workbench.base.messages import Message
from workbench.base.progress import NullProgress, Progress
from workbench.base.types import Document, Results
from workbench.methods.copies.index import CopiesIndex
from workbench.methods.copies.merging import Texts, merge
from workbench.methods.copies.parameters import CopiesParameters
from workbench.methods.copies.views import in_documents, views_of

MERGED = Message("matches that are part of another passage")
UNSURE = Message("passages with too low confidence")


def find(
    index: CopiesIndex, documents: Sequence[Document], parameters: CopiesParameters, progress: Progress
) -> Results:
    """Passages of ``documents`` in the indexed documents. Raises Cancelled."""
    views, ways = views_of(documents)
    results = {}
    for name, (part, settings) in parameters.parts().items():
        progress.check()
        results[name] = part.detect(index.parts[name], views, settings, progress)
    merged = _merged(results, views, index.texts(), parameters, progress)
    return replace(merged, matches=in_documents(merged.matches, ways, index.ways))


def find_alone(a: Document, b: Document, parameters: CopiesParameters) -> Results:
    """Passages of ``a`` in ``b`` alone."""
    (left,), from_left = views_of([a])
    (right,), from_right = views_of([b])
    results = {name: part.compare(left, right, settings) for name, (part, settings) in parameters.parts().items()}
    merged = _merged(results, [left], Texts.of_all({b.key: right.text}), parameters, NullProgress())
    return replace(merged, matches=in_documents(merged.matches, from_left, from_right))


def _merged(
    results: Mapping[str, Results],
    documents: Sequence[Document],
    texts: Texts,
    parameters: CopiesParameters,
    progress: Progress,
) -> Results:
    """The passages of all parts that are sure enough, with everything that was left out or merged away."""
    merged = merge(results, documents, texts, progress)
    sure = merged.matches.score >= parameters.min_confidence
    excluded: Counter[str] = Counter()
    for part in results.values():
        excluded.update(part.excluded)
    excluded.update({MERGED: merged.joined, UNSURE: int((~sure).sum())})
    return Results(matches=merged.matches.take(sure), excluded=dict(+excluded))
