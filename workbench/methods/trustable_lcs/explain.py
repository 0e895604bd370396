"""Why a pair is near-duplicate under ``trustable-lcs``, or the step that rejected it."""

from __future__ import annotations

import numpy as np

from workbench.base.messages import Message, beside, percent
from workbench.base.progress import NullProgress
from workbench.base.types import Document, Span
from workbench.methods.core.api import Explanation, Reason
from workbench.methods.trustable_lcs.candidates import Prints, fingerprints
from workbench.methods.trustable_lcs.index import TrustableIndex, pages_of
from workbench.methods.trustable_lcs.pair import Examined, Step, examine
from workbench.methods.trustable_lcs.parameters import TrustableParameters

_SUMMARIES = {
    Step.EMPTY: Message("Not similar: one of the documents has no text."),
    Step.SKELETON: Message("Not similar: the common text cannot reach the thresholds in any order."),
    Step.STRETCH: Message("Not compared: the documents differ over too long a stretch."),
    Step.SLOPE: Message("Not similar: no part has few enough edits to be trusted."),
    Step.THRESHOLDS: Message("Not similar: the trustable part is too small for both thresholds."),
    Step.LANGUAGES: Message("Not similar: what the documents do not have in common is in different languages."),
}
_NO_FINGERPRINT = Message("Not compared: the documents share no fingerprint.")


def explain(
    a: Document, b: Document, parameters: TrustableParameters, index: TrustableIndex | None = None
) -> Explanation:
    """The steps in order, up to the one that rejected the pair.

    If no fingerprint makes it a candidate, the later steps are run anyway, to show their results.
    """
    prints = fingerprints([a, b], parameters)
    reasons = [
        _text(a, Message("suspect")),
        _text(b, Message("source")),
        *(_prints(prints, i, parameters) for i in (0, 1)),
    ]
    read_batches = _gathered(a, b, prints, index)
    reasons.append(read_batches)
    examined = examine(*pages_of(a, b, parameters), parameters, NullProgress())
    reasons += _steps(examined, parameters)
    if examined.step is Step.EMPTY:
        return Explanation(False, _SUMMARIES[Step.EMPTY], tuple(reasons))
    if not read_batches.passed:
        return Explanation(False, _NO_FINGERPRINT, tuple(reasons))
    if examined.step is not Step.SIMILAR:
        return Explanation(False, _SUMMARIES[examined.step], tuple(reasons))
    share_a, share_b = examined.containment
    summary = Message(
        "Near-duplicate: resemblance {resemblance}; {first} of the suspect and {second} of the source can be trusted "
        "to be the same.",
        resemblance=f"{examined.resemblance:.3f}",
        first=percent(share_a),
        second=percent(share_b),
    )
    return Explanation(True, summary, tuple(reasons))


def _text(document: Document, name: str) -> Reason:
    return Reason(
        Message("text of {name}", name=name),
        bool(document.text.strip()),
        Message("{text} characters", text=len(document.text)),
    )


def _prints(prints: Prints, i: int, parameters: TrustableParameters) -> Reason:
    n = len(prints.of(i))
    detail = Message(
        "{number} from {sentences} sentences of {limit} characters or more",
        number=n,
        sentences=prints.sentences[i],
        limit=parameters.min_sentence,
    )
    return Reason(Message("fingerprints of {name}", name=(Message("suspect"), Message("source"))[i]), n > 0, detail)


def _gathered(a: Document, b: Document, prints: Prints, index: TrustableIndex | None) -> Reason:
    """Whether the pair is a candidate: by its own fingerprints, or according to the index."""
    shared = len(np.intersect1d(prints.of(0), prints.of(1), assume_unique=True))
    detail = Message("{shared} shared", shared=shared)
    numbers = (None, None) if index is None else (index.number(a), index.number(b))
    if index is None or numbers[0] is None or numbers[1] is None:
        return Reason(Message("shared fingerprints"), shared > 0, detail)
    later, earlier = max(numbers[0], numbers[1]), min(numbers[0], numbers[1])
    candidates = index.candidates
    rows = slice(int(candidates.starts[later]), int(candidates.starts[later + 1]))
    at = np.flatnonzero(candidates.partners[rows] == earlier)
    if len(at):
        if not candidates.shared[rows][at[0]]:
            detail += Message("; a third document linked the two")
        return Reason(Message("shared fingerprints"), True, detail)
    if shared:
        detail += Message("; they are in too many documents, or there are more candidates than the limit")
    return Reason(Message("shared fingerprints"), False, detail)


def _steps(examined: Examined, parameters: TrustableParameters) -> list[Reason]:
    """Skeletons, edit script, slope and thresholds, as far as the pair got."""
    p = parameters
    if examined.step is Step.EMPTY:
        return []
    bound = examined.bound
    detail = Message(
        "{first} of {length} and {second} of {other} characters occur in windows of both: "
        "resemblance at most {resemblance}, containment at most {containment}",
        first=examined.skeletons[0],
        length=examined.sizes[0],
        second=examined.skeletons[1],
        other=examined.sizes[1],
        resemblance=f"{bound[0]:.3f}",
        containment=f"{bound[1]:.3f}",
    )
    reasons = [Reason(Message("skeleton bound"), examined.step is not Step.SKELETON, detail)]
    if examined.step is Step.SKELETON:
        return reasons
    if examined.edits is None:
        detail = Message("they differ completely over more than {limit} characters", limit=p.max_stretch)
        return [*reasons, Reason(Message("edit script"), False, detail)]
    reasons.append(Reason(Message("edit script"), True, Message("{edits} edits", edits=examined.edits)))
    for region in examined.regions:
        for start, end in region.parts:
            inside = region.b[(region.a >= start) & (region.a < end)]
            there = Span(int(inside[0]), int(inside[-1]) + 1) if len(inside) else None
            detail = Message(
                "{inside} common characters, slope {slope} (at most {limit})",
                inside=len(inside),
                slope=f"{region.slope:.3f}",
                limit=f"{p.slope:g}",
            )
            reasons.append(Reason(Message("trustable region"), True, detail, Span(start, end), there))
    if not examined.regions:
        return [
            *reasons,
            Reason(
                Message("slope"),
                False,
                Message("no {block} characters have a slope up to {slope}", block=p.block, slope=f"{p.slope:g}"),
            ),
        ]
    passed = examined.step is not Step.THRESHOLDS
    share_a, share_b = examined.containment
    detail = Message(
        "resemblance {resemblance} (at least {needed}), containment {first} and {second} (at least {limit})",
        resemblance=beside(examined.resemblance, p.min_resemblance),
        needed=f"{p.min_resemblance:g}",
        first=beside(share_a, p.min_containment),
        second=beside(share_b, p.min_containment),
        limit=f"{p.min_containment:g}",
    )
    reasons.append(Reason(Message("thresholds"), passed, detail))
    if examined.step is Step.LANGUAGES:
        detail = Message("translations that have code, names or untranslated parts in common")
        reasons.append(Reason(Message("languages"), False, detail))
    return reasons
