"""Why a pair is near-duplicate under ``trustable-lcs``, or which step refused it."""

from __future__ import annotations

import numpy as np

from workbench.base.progress import Unwatched
from workbench.base.types import Document, Span
from workbench.methods.api import Explanation, Reason
from workbench.methods.trustable_lcs_candidates import Prints, fingerprints
from workbench.methods.trustable_lcs_index import TrustableIndex
from workbench.methods.trustable_lcs_pair import Examined, Page, Step, examine
from workbench.methods.trustable_lcs_parameters import TrustableParameters

_SUMMARIES = {
    Step.EMPTY: "Not similar: one of the documents has no text.",
    Step.SKELETON: "Not similar: what stands in both cannot reach the thresholds, whatever its order.",
    Step.STRETCH: "Not compared: the documents differ over too long a stretch.",
    Step.SLOPE: "Not similar: no part has few enough edits to be trusted.",
    Step.THRESHOLDS: "Not similar: the trustable part is too small for both thresholds.",
}
_NO_FINGERPRINT = "Not compared: the documents share no fingerprint."


def explain(
    a: Document, b: Document, parameters: TrustableParameters, index: TrustableIndex | None = None
) -> Explanation:
    """The steps in order, up to the one that refused the pair.

    Where no fingerprint brings the pair together the later steps are shown all the same, for what they would have said.
    """
    prints = fingerprints([a, b], parameters)
    reasons = [_text(a, "suspect"), _text(b, "source"), *(_prints(prints, i, parameters) for i in (0, 1))]
    gathered = _gathered(a, b, prints, index)
    reasons.append(gathered)
    examined = examine(Page.of(a.text, parameters), Page.of(b.text, parameters), parameters, Unwatched())
    reasons += _steps(examined, parameters)
    if examined.step is Step.EMPTY:
        return Explanation(False, _SUMMARIES[Step.EMPTY], tuple(reasons))
    if not gathered.passed:
        return Explanation(False, _NO_FINGERPRINT, tuple(reasons))
    if examined.step is not Step.SIMILAR:
        return Explanation(False, _SUMMARIES[examined.step], tuple(reasons))
    share_a, share_b = examined.containment
    summary = (
        f"Near-duplicate: resemblance {examined.resemblance:.3f}; "
        f"{share_a:.1%} of the suspect and {share_b:.1%} of the source can be trusted to be the same."
    )
    return Explanation(True, summary, tuple(reasons))


def _text(document: Document, name: str) -> Reason:
    return Reason(f"text of {name}", bool(document.text.strip()), f"{len(document.text)} characters")


def _prints(prints: Prints, i: int, parameters: TrustableParameters) -> Reason:
    n = len(prints.of(i))
    detail = f"{n} from {prints.sentences[i]} sentences of {parameters.min_sentence} characters or more"
    return Reason(f"fingerprints of {('suspect', 'source')[i]}", n > 0, detail)


def _gathered(a: Document, b: Document, prints: Prints, index: TrustableIndex | None) -> Reason:
    """Whether the pair is compared: by its own fingerprints, or as the index has it."""
    shared = len(np.intersect1d(prints.of(0), prints.of(1), assume_unique=True))
    detail = f"{shared} shared"
    numbers = (None, None) if index is None else (index.number(a), index.number(b))
    if index is None or numbers[0] is None or numbers[1] is None:
        return Reason("shared fingerprints", shared > 0, detail)
    later, earlier = max(numbers[0], numbers[1]), min(numbers[0], numbers[1])
    held = index.candidates
    rows = slice(int(held.starts[later]), int(held.starts[later + 1]))
    at = np.flatnonzero(held.partners[rows] == earlier)
    if len(at):
        if not held.shared[rows][at[0]]:
            detail += "; another document brought the two together"
        return Reason("shared fingerprints", True, detail)
    if shared:
        detail += "; they are in too many documents, or there are more candidates than the limit"
    return Reason("shared fingerprints", False, detail)


def _steps(found: Examined, parameters: TrustableParameters) -> list[Reason]:
    """Skeletons, edit script, slope and thresholds, as far as the pair came."""
    p = parameters
    if found.step is Step.EMPTY:
        return []
    bound = found.bound
    detail = (
        f"{found.skeletons[0]} of {found.sizes[0]} and {found.skeletons[1]} of {found.sizes[1]} characters stand in "
        f"windows of both: resemblance at most {bound[0]:.3f}, containment at most {bound[1]:.3f}"
    )
    reasons = [Reason(Step.SKELETON.value, found.step is not Step.SKELETON, detail)]
    if found.step is Step.SKELETON:
        return reasons
    if found.edits is None:
        detail = f"they differ wholly over more than {p.max_stretch} characters"
        return [*reasons, Reason("edit script", False, detail)]
    reasons.append(Reason("edit script", True, f"{found.edits} edits"))
    for region in found.regions:
        for start, end in region.parts:
            inside = region.b[(region.a >= start) & (region.a < end)]
            there = Span(int(inside[0]), int(inside[-1]) + 1) if len(inside) else None
            detail = f"{len(inside)} common characters, slope {region.slope:.3f} (at most {p.slope:g})"
            reasons.append(Reason("trustable region", True, detail, Span(start, end), there))
    if not found.regions:
        return [*reasons, Reason(Step.SLOPE.value, False, f"no {p.block} characters have a slope up to {p.slope:g}")]
    similar = found.step is Step.SIMILAR
    share_a, share_b = found.containment
    detail = (
        f"resemblance {found.resemblance:.3f} (from {p.min_resemblance:g} on), "
        f"containment {share_a:.3f} and {share_b:.3f} (from {p.min_containment:g} on)"
    )
    return [*reasons, Reason(Step.THRESHOLDS.value, similar, detail)]
