"""Why a document shares strings with another under ``copied-strings``, or why not."""

from __future__ import annotations

from collections.abc import Iterator
from heapq import nlargest

import numpy as np
from numpy.typing import NDArray

from workbench.base.messages import Message, percent
from workbench.base.progress import NullProgress
from workbench.base.types import Document, Matches, Span
from workbench.kernels.code_points import code_points
from workbench.methods.copied_strings.index import CopiedStringsIndex, OutsideIndex, pair_alone, score
from workbench.methods.copied_strings.parameters import CopiedStringsParameters
from workbench.methods.core.api import Explanation, Reason

_SHOWN = 20
"""Number of strings shown that are counted with other documents: the longest ones."""


def explain(
    a: Document, b: Document, parameters: CopiedStringsParameters, index: CopiedStringsIndex | None
) -> Explanation:
    """The strings that ``a`` shares with ``b``, or the longest one if all are too short.

    By the two alone if ``a`` is itself among the documents with which ``index`` compares others: it would be found in
    itself.
    """
    if index is not None and index.open and a.key in index.keys:
        index = None
    results, needed = pair_alone(a, b, parameters.min_length if index is None else index.min_length(len(a.text)))
    matches = shared = results.matches
    if index is not None and b.key in index.keys and index.accepts(a):
        matches = score(index, [a], parameters, NullProgress()).matches
        matches = matches.take(np.flatnonzero(matches.b == b.key))
    apart = tuple(
        Reason(
            Message("shared string"),
            False,
            Message(
                "{end} characters, which have no weight or also occur in another document",
                end=a_span.end - a_span.start,
            ),
            a_span,
            b_span,
            decides=not len(matches),
        )
        for a_span, b_span in sorted(nlargest(_SHOWN, _apart(shared, matches, len(a.text)), key=_length))
    )
    if len(shared) and not len(matches):
        return Explanation(
            False,
            Message("No match: the shared text is counted with another document, or every document contains it."),
            apart,
        )
    if len(matches):
        reasons = tuple(
            Reason(
                Message("shared string"),
                True,
                Message("{end} characters", end=m.a_span.end - m.a_span.start),
                m.a_span,
                m.b_span,
            )
            for m in matches
        )
        covered = int(_inside(shared, len(a.text)).sum())
        share = covered / len(a.text)
        return Explanation(
            True,
            Message(
                "{covered} characters ({share}) of {id} occur in {other}.",
                covered=covered,
                share=percent(share),
                id=a.id,
                other=b.id,
            ),
            reasons + apart,
        )
    alone = OutsideIndex.build(np.array([b.key]), [code_points(b.text)], 1, NullProgress())
    length, place = alone.matching_statistics(a, NullProgress())
    at = int(np.argmax(length)) if len(length) else 0
    longest = int(length[at]) if len(length) else 0
    there = int(place[at]) if longest else 0
    spans = (Span(at, at + longest), Span(there, there + longest))
    detail = Message("longest shared string {longest} characters, {needed} needed", longest=longest, needed=needed)
    return Explanation(
        False,
        Message("No string of {needed} characters occurs in both.", needed=needed),
        (Reason(Message("length"), False, detail, *spans),),
    )


def _length(spans: tuple[Span, Span]) -> int:
    return spans[0].end - spans[0].start


def _inside(matches: Matches, size: int) -> NDArray[np.bool_]:
    """Which characters of a text of ``size`` are in ``matches``: bool [size]."""
    inside = np.zeros(size, np.bool_)
    for start, end in zip(matches.a_start.tolist(), matches.a_end.tolist(), strict=True):
        inside[start:end] = True
    return inside


def _apart(shared: Matches, matches: Matches, size: int) -> Iterator[tuple[Span, Span]]:
    """The parts of ``shared`` strings of a text of ``size`` that are in none of ``matches``, on both sides."""
    counted = _inside(matches, size)
    for m in shared:
        rest = np.flatnonzero(~counted[m.a_span.start : m.a_span.end])
        for part in np.split(rest, np.flatnonzero(np.diff(rest) > 1) + 1):
            if len(part):
                low, high = int(part[0]), int(part[-1]) + 1
                a, b = m.a_span.start, m.b_span.start
                yield Span(a + low, a + high), Span(b + low, b + high)
