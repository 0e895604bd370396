"""Why a pair matched under ``digest``, or why not: every rule in order of application."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from workbench.base.messages import Counted, Message, beside, percent
from workbench.base.progress import NullProgress
from workbench.base.types import Document, Matches, Span
from workbench.methods.core.api import Explanation, Reason
from workbench.methods.digest.index import DigestIndex, build
from workbench.methods.digest.matching import find, matches, surprisals
from workbench.methods.digest.parameters import DigestParameters
from workbench.methods.digest.segments import Segments, segment
from workbench.text.normalisation import fold
from workbench.text.segmenting.segmentation import segments as split

_SHOWN = 5
_GRAM = 4
_ALIKE = 0.5


@dataclass(frozen=True, slots=True)
class _Shared:
    """Maximal runs of one or more segments, as columns of r rows (``a``, ``b``: spans), and the result of detection.

    ``accepted``: the reported passages; ``cut``: the number of further ones without ``max_places``.
    """

    segments: NDArray[np.int64]
    surprisal: NDArray[np.float64]
    a: list[Span]
    b: list[Span]
    distinct: int
    accepted: Matches
    cut: int


def explain(a: Document, b: Document, parameters: DigestParameters, index: DigestIndex | None) -> Explanation:
    """The rules in order. Frequencies are those of ``index`` if it contains the documents, otherwise of ``b`` alone."""
    if index is not None and not compares(index, a, b, parameters):
        index = None
    reasons = [
        Reason(
            Message("text of {name}", name=name), bool(d.text.strip()), Message("{text} characters", text=len(d.text))
        )
        for name, d in ((Message("suspect"), a), (Message("source"), b))
    ]
    if not all(r.passed for r in reasons):
        return Explanation(False, Message("No match: one of the documents has no text."), tuple(reasons))
    mine, theirs = segment([a], parameters), segment([b], parameters)
    reasons += [
        _segment_count(Message("suspect"), a, mine, parameters),
        _segment_count(Message("source"), b, theirs, parameters),
    ]
    shared = _shared(a, b, parameters, index)
    reasons.append(
        Reason(
            Message("shared sentences"),
            shared.distinct > 0,
            Message(
                "{distinct} of {fingerprints} occur in both",
                distinct=shared.distinct,
                fingerprints=len(mine.fingerprints),
            ),
        )
    )
    passages = shared.accepted
    if shared.distinct:
        reasons += _rules(shared, parameters)
        if parameters.max_places and (index is not None or shared.cut):
            reasons.append(
                Reason(
                    Message("limit of places"),
                    not shared.cut,
                    Message(
                        "{cut} passages occur at more than {limit} places",
                        cut=shared.cut,
                        limit=parameters.max_places,
                    ),
                )
            )
    reported = [
        Reason(
            Message("passage"),
            True,
            Message(
                "{sentences}, {surprisal} bits",
                sentences=_sentences(int(match.evidence["segments"])),
                surprisal=f"{match.evidence['surprisal']:.0f}",
            ),
            match.a_span,
            match.b_span,
        )
        for match in passages
    ]
    near = [] if len(passages) else _similar_sentences(a, b, mine, theirs, parameters)
    return Explanation(len(passages) > 0, _summary(shared, parameters, near), tuple(reasons + reported + near))


def compares(index: DigestIndex, a: Document, b: Document, parameters: DigestParameters) -> bool:
    """Whether ``index`` contains the documents that a detection would compare: ``b``, and with ``compare=all`` both."""
    wanted = [a.key, b.key] if parameters.compare == "all" else [b.key]
    first, end = index.own_places(wanted)
    return bool((end > first).all())


def accepted(
    a: Document, b: Document, parameters: DigestParameters, where: DigestIndex, *, alone: bool = False
) -> Matches:
    """The runs that detection by the index ``where`` reports for the pair, which has only ``b`` if it is ``alone``."""
    itself = parameters.compare == "all" and not alone
    places = where.own_places([a.key, b.key])[0]
    runs = find(where, [a], parameters, NullProgress(), itself=itself, later=itself and bool(places[0] < places[1]))
    reported = matches(runs, where, [a])
    return reported.take(np.flatnonzero(reported.b == b.key))


def _segment_count(name: str, document: Document, segments: Segments, parameters: DigestParameters) -> Reason:
    n, short = len(segments.fingerprints), int(segments.short.sum())
    detail: Message = Counted("{count} sentence kept", "{count} sentences kept", n)
    if short:
        detail += Message(
            ", {short} shorter than {limit} characters dropped", short=short, limit=parameters.min_segment
        )
        examples = _short_examples(document, parameters)
        if examples:
            detail += Message(" (such as {examples})", examples=", ".join(examples))
    return Reason(Message("sentences of {name}", name=name), n > 0, detail)


def _short_examples(document: Document, parameters: DigestParameters) -> list[str]:
    options = parameters.fold_options
    examples: list[str] = []
    for span in split(document.text, blocks=document.blocks, layout=parameters.layout):
        if span.end - span.start <= 3 * parameters.min_segment:
            piece = document.text[span.start : span.end]
            if len(fold(piece, options).text) < parameters.min_segment:
                examples.append(f"“{piece}”")
        if len(examples) == 3:
            break
    return examples


def _shared(a: Document, b: Document, parameters: DigestParameters, index: DigestIndex | None) -> _Shared:
    pair = build([b], [], parameters, NullProgress())
    every = replace(parameters, rule="length", min_run=1, max_places=0)
    everything = find(pair, [a], every, NullProgress(), itself=False)
    bits = np.zeros(len(everything.surprisal) + 1)
    if index is None:
        bits[1:] = np.maximum(everything.surprisal, 0)
    else:
        rows = np.flatnonzero(everything.surprisal >= 0)
        bits[rows + 1] = surprisals(index, everything.segments, rows, itself=parameters.compare == "all")
    bits = np.cumsum(bits)
    runs, ends = everything.passages, everything.passages.query_end
    where, alone = (pair, True) if index is None else (index, False)
    reported, cut = accepted(a, b, parameters, where, alone=alone), 0
    if parameters.max_places:
        cut = len(accepted(a, b, replace(parameters, max_places=0), where, alone=alone)) - len(reported)
    text = everything.segments
    start, end = (pair.spans(places, np.zeros_like(places)) for places in (runs.place, runs.place_end - 1))
    return _Shared(
        segments=ends - runs.query,
        surprisal=bits[ends] - bits[runs.query],
        a=[Span(int(text.start[q]), int(text.end[e - 1])) for q, e in zip(runs.query, ends, strict=True)],
        b=[Span(int(a), int(b)) for a, b in zip(start[:, 0], end[:, 1], strict=True)],
        distinct=int(everything.shared.sum()),
        accepted=reported,
        cut=cut,
    )


def _rules(shared: _Shared, parameters: DigestParameters) -> list[Reason]:
    reasons = []
    longest = int(np.argmax(shared.segments))
    if parameters.length_needed:
        n = int(shared.segments[longest])
        detail = Message(
            "longest sequence: {sentences}, {needed} needed", sentences=_sentences(n), needed=parameters.min_run
        )
        reasons.append(Reason(Message("length"), n >= parameters.min_run, detail, shared.a[longest], shared.b[longest]))
    if parameters.surprisal_needed:
        top = int(np.argmax(shared.surprisal))
        bits = float(shared.surprisal[top])
        detail = Message(
            "rarest sequence: {bits} bits, {needed} needed",
            bits=beside(bits, parameters.min_surprisal, 0),
            needed=f"{parameters.min_surprisal:g}",
        )
        reasons.append(
            Reason(Message("surprisal"), bits >= parameters.min_surprisal, detail, shared.a[top], shared.b[top])
        )
    # Either rule would suffice, so neither decides alone.
    return [replace(reason, decides=not any(r.passed for r in reasons)) for reason in reasons]


def _similar_sentences(
    a: Document, b: Document, mine: Segments, theirs: Segments, parameters: DigestParameters
) -> list[Reason]:
    """Unequal sentences that share at least half of their 4-letter strings, the most similar first, only a few."""
    options = parameters.fold_options
    spans = [[Span(int(s), int(e)) for s, e in zip(x.start, x.end, strict=True)] for x in (mine, theirs)]
    grams = [
        [_grams(fold(d.text[s.start : s.end], options).text) for s in of] for d, of in zip((a, b), spans, strict=True)
    ]
    holders: dict[str, list[int]] = {}
    for j, of_b in enumerate(grams[1]):
        for gram in of_b:
            holders.setdefault(gram, []).append(j)
    common = set(theirs.fingerprints.tolist())
    pairs: list[tuple[float, int, int]] = []
    for i, of_a in enumerate(grams[0]):
        if int(mine.fingerprints[i]) in common:
            continue
        votes = Counter(j for gram in of_a for j in holders.get(gram, ())[:64])
        for j, n in votes.most_common(1):
            alike = n / max(len(of_a), len(grams[1][j]))
            if alike >= _ALIKE:
                pairs.append((-alike, i, j))
    pairs.sort()
    return [
        Reason(
            Message("near miss"),
            False,
            Message("Altered sentence, {alike} similar", alike=percent(-alike)),
            spans[0][i],
            spans[1][j],
        )
        for alike, i, j in pairs[:_SHOWN]
    ]


def _grams(text: str) -> set[str]:
    return {text[i : i + _GRAM] for i in range(max(1, len(text) - _GRAM + 1))}


def _summary(shared: _Shared, parameters: DigestParameters, near: Sequence[Reason]) -> str:
    n = len(shared.accepted)
    if n:
        longest = int(shared.accepted.evidence["segments"].max())
        passages = Message("One passage matches") if n == 1 else Message("{number} passages match", number=n)
        return Message("{passages}; the longest has {sentences}.", passages=passages, sentences=_sentences(longest))
    altered = ""
    if near:
        more = Message(" or more") if len(near) == _SHOWN else ""
        sentences = Message("One sentence") if len(near) == 1 else Message("{number} sentences", number=len(near))
        altered = Message(" {sentences}{more} may have been altered.", sentences=sentences, more=more)
    if not shared.distinct:
        return Message("No match: the documents have no sentence in common.{altered}", altered=altered)
    if shared.cut:
        return Message("No match: the shared text occurs in too many other documents.")
    needs = []
    if parameters.length_needed:
        needs.append(
            Message(
                "{segments} in a row ({needed} needed)",
                segments=int(shared.segments.max()),
                needed=parameters.min_run,
            )
        )
    if parameters.surprisal_needed:
        needs.append(
            Message(
                "{surprisal} bits of surprisal ({needed} needed)",
                surprisal=beside(float(shared.surprisal.max()), parameters.min_surprisal, 0),
                needed=f"{parameters.min_surprisal:g}",
            )
        )
    return Message(
        "No match: {sentences} in common, at most {needs}.{altered}",
        sentences=_sentences(shared.distinct),
        needs=Message("{first} and {second}", first=needs[0], second=needs[1]) if len(needs) == 2 else needs[0],
        altered=altered,
    )


def _sentences(n: int) -> str:
    return Message("one sentence") if n == 1 else Message("{number} sentences", number=n)
