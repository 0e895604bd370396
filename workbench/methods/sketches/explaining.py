"""Why two documents make a pair or match under a sketch: its rules in order, with the values tested."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from workbench.base.messages import Message, beside
from workbench.base.progress import NullProgress
from workbench.base.types import Document, Results, Span
from workbench.kernels.sketches.postings import CandidatePairs, Lists
from workbench.kernels.sketches.shingles import Rows
from workbench.methods.core.api import Explanation, Reason
from workbench.methods.sketches.columns import Columns, Keys, Postings
from workbench.methods.sketches.sketch import Index, PairSketch, Sketch

_SHOWN = 20
_NAME = re.compile(r"\{(\w+)\}")
_SUMMARIES = {
    "empty": Message("No pair: one of the documents has no text to compare."),
    "apart": Message("No pair: the documents have no {things} in common."),
    "frequent": Message("No pair: everything they share occurs in too many documents."),
    "below": Message("No pair: {figures}; less than is needed."),
    "found": Message("A pair: {figures}."),
}
"""Final sentences of explanations; a sketch may have its own, which may name parameters."""
_LIMITS = {
    "max_documents": (
        Message("limit of documents"),
        Message("{frequent} of the {number} occur in more than {limit} documents"),
    ),
    "max_places": (
        Message("limit of places"),
        Message("{frequent} of the {number} occur at more than {limit} places"),
    ),
}


@dataclass(frozen=True)
class Explaining:
    """Explains the result of ``sketch`` for two documents."""

    sketch: Sketch

    def explain(self, a: Document, b: Document, parameters: Any, index: Index | None, results: Results) -> Explanation:
        """The rules in order; with ``index``, also whether their shared keys are too frequent. ``results`` are those of
        the pair.
        """
        sketch, p = self.sketch, parameters
        own = sketch.encode([a, b], p)
        keys = sketch.keys(own, p)
        reasons = [
            Reason(
                Message("{things} of {name}", things=sketch.elements, name=name),
                bool(own["size"][i]),
                Message("{number} distinct", number=len(np.unique(keys.of(i))) if isinstance(keys, Rows) else size),
            )
            for i, (name, size) in enumerate(
                zip((Message("suspect"), Message("source")), own["size"].tolist(), strict=True)
            )
        ]
        if not own["size"].all():
            return self._ended("empty", p, reasons)
        things = sketch.key_name or sketch.elements
        number, every = _in_common(keys)
        detail = Message("{number} of {all} occur in both", number=number, all=every)
        reasons.append(Reason(Message("shared {things}", things=things), number > 0, detail))
        reasons += _places(a, own, keys)
        frequent = 0
        if number:
            postings = (index or sketch.build([[b]], p, NullProgress())).postings
            lists, limit = _lists_in_common(postings, keys), getattr(p, sketch.limit)
            frequent = int((lists.last - lists.first > limit).sum())
        counted = number if sketch.counts_frequent else number - frequent
        measured, reached, figures = self._measured((a, b), own, counted, p)
        matched = len(results.pairs) + len(results.matches) > 0
        free = True
        if number:
            # If nothing else prevents it, only the limit can have excluded the pair.
            free = matched or (frequent < number and not reached)
            if index is not None or not free:
                rule, words = _LIMITS[sketch.limit]
                reasons.append(Reason(rule, free, Message(words, frequent=frequent, number=number, limit=limit)))
        if not free:
            measured = [replace(reason, decides=False) for reason in measured]
        reasons += measured
        if not number:
            return self._ended("apart", p, reasons, things=things)
        if not free:
            return self._ended("frequent", p, reasons)
        if isinstance(sketch, PairSketch):
            return self._ended("found" if matched else "below", p, reasons, figures=Message.joined(", ", figures))
        matches = results.matches
        if not len(matches):
            reasons.append(Reason(Message("passage"), False, Message("fewer than {least} equal tokens", least=p.least)))
            return self._ended("below", p, reasons)
        for m in matches.take(np.argsort(-matches.score, kind="stable")[:_SHOWN]):
            detail = Message("{score} equal tokens", score=int(m.score))
            reasons.append(Reason(Message("passage"), True, detail, m.a_span, m.b_span))
        n = len(matches)
        several = Message("One passage matches") if n == 1 else Message("{number} passages match", number=n)
        return self._ended("found", p, reasons, number=several, score=int(matches.score.max()))

    def _ended(self, how: str, parameters: Any, reasons: Sequence[Reason], **values: Any) -> Explanation:
        sentence = {**_SUMMARIES, **self.sketch.summaries}[how]
        settings = {name: getattr(parameters, name) for name in _NAME.findall(sentence) if name not in values}
        return Explanation(how == "found", Message(sentence, **settings, **values), tuple(reasons))

    def _measured(
        self, documents: Sequence[Document], own: Columns, number: int, parameters: Any
    ) -> tuple[list[Reason], bool, list[Message]]:
        """The requirements for a pair, one reason each; whether any is met; and the figures in words."""
        sketch = self.sketch
        if not isinstance(sketch, PairSketch):
            return [], False, []
        met = CandidatePairs(np.array([0]), np.array([1]), np.array([number]))
        measures = sketch.measure(own, own, met, parameters)
        reasons, words = [], []
        for name, least in sketch.needed:
            value, needed = measures[name][0], getattr(parameters, least)
            exact, short = (
                (beside(value, needed), beside(value, needed, 2))
                if isinstance(value, float)
                else (str(value), str(value))
            )
            detail = Message("{share}, {needed} needed", share=exact, needed=f"{needed:g}")
            remark = sketch.remark(name, documents, measures, parameters)
            if remark is not None:
                detail = Message("{detail} ({more})", detail=detail, more=remark)
            reasons.append(Reason(name, bool(value >= needed), detail))
            words.append(Message("{name} {share}", name=name, share=short))
        further = sketch.further(measures, parameters)
        if any(reason.passed for reason in reasons) and (
            unmet := [detail for _, passed, detail in further if not passed]
        ):
            return [*reasons, *(Reason(*one, decides=not one[1]) for one in further)], False, unmet
        reasons += [Reason(*one) for one in further]
        return reasons, bool(sketch.reaching(measures, parameters)[0]), words


def _in_common(keys: Keys) -> tuple[int, int]:
    """The number of keys common to two documents, and of keys of the first."""
    if isinstance(keys, Rows):
        return len(np.intersect1d(keys.of(0), keys.of(1))), len(np.unique(keys.of(0)))
    return int((keys[:, 0] == keys[:, 1]).sum()), len(keys)


def _lists_in_common(postings: Postings, keys: Keys) -> Lists:
    """The lists of the keys common to two documents."""
    if isinstance(keys, Rows):
        both = np.intersect1d(keys.of(0), keys.of(1))
        return postings.find(Rows(both, np.array([0, len(both)], np.int64)))
    return postings.find(np.ascontiguousarray(keys[:, :1])).take(keys[:, 0] == keys[:, 1])


def _places(a: Document, own: Columns, keys: Keys) -> list[Reason]:
    """The keys in common, each with its places, for sketches that know the places of their keys."""
    if not isinstance(keys, Rows) or not {"key_start", "key_end"} <= own.keys():
        return []
    reasons = []
    for at in zip(*np.intersect1d(keys.of(0), keys.of(1), return_indices=True)[1:], strict=True):
        here, there = (Span(int(own["key_start"].of(i)[at[i]]), int(own["key_end"].of(i)[at[i]])) for i in (0, 1))
        reasons.append(Reason(Message("shared sentence"), True, a.text[here.start : here.end], here, there))
    return reasons
