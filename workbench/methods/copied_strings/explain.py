"""Why a document shares strings with another under ``copied-strings``, or why not."""

from __future__ import annotations

import numpy as np

from workbench.base.messages import Message, percent
from workbench.base.progress import NullProgress
from workbench.base.types import Document, Span
from workbench.kernels.code_points import code_points
from workbench.methods.copied_strings.index import CopiedStringsIndex, OutsideIndex, pair_alone, score
from workbench.methods.copied_strings.parameters import CopiedStringsParameters
from workbench.methods.core.api import Explanation, Reason


def explain(
    a: Document, b: Document, parameters: CopiedStringsParameters, index: CopiedStringsIndex | None
) -> Explanation:
    """The strings that ``a`` shares with ``b``, or the longest one if all are too short."""
    results, needed = pair_alone(a, b, parameters.min_length if index is None else index.min_length(len(a.text)))
    matches = shared = results.matches
    if index is not None and b.key in index.keys and index.accepts(a):
        matches = score(index, [a], parameters, NullProgress()).matches
        matches = matches.take(np.flatnonzero(matches.b == b.key))
    if len(shared) and not len(matches):
        return Explanation(
            False,
            Message("No match: the shared text is counted with another document, or every document contains it."),
            tuple(
                Reason(
                    Message("shared string"),
                    False,
                    Message(
                        "{end} characters, which have no weight or also occur in another document",
                        end=m.a_span.end - m.a_span.start,
                    ),
                    m.a_span,
                    m.b_span,
                    decides=True,
                )
                for m in shared
            ),
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
        covered = int(matches.evidence["characters"].sum())
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
            reasons,
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
