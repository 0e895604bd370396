"""Why two documents share copied passages under ``copies``: what each of its methods says."""

from __future__ import annotations

from dataclasses import replace

from workbench.base.messages import Message
from workbench.base.progress import Unwatched
from workbench.base.types import Document
from workbench.methods.copies.method import METHOD, CopiesIndex, CopiesParameters
from workbench.methods.core.api import Explanation, Reason


def explain(a: Document, b: Document, parameters: CopiesParameters, index: CopiesIndex | None) -> Explanation:
    """The reasons of each method in turn, then whether their passages are sure enough together."""
    reasons: list[Reason] = []
    seen = []
    for name, (part, settings) in parameters.parts().items():
        explanation = part.explain(a, b, settings, index.parts[name] if index is not None else None)
        reasons.append(Reason(Message("method {name}", name=name), explanation.matched, explanation.summary))
        reasons += [replace(reason, passed=reason.passed or explanation.matched) for reason in explanation.reasons]
        seen += [name] if explanation.matched else []
    if not seen:
        return Explanation(False, Message("No match: no method sees a copied passage."), tuple(reasons))
    if index is None:
        matches = METHOD.compare(a, b, parameters).matches
    else:
        matches = METHOD.detect(index, [a], parameters, Unwatched()).matches
        matches = matches.take(matches.b == b.key)
    best = float(matches.score.max()) if len(matches) else 0.0
    passed = len(matches) > 0
    detail = Message(
        "{found} passages of confidence {min_confidence} or more",
        found=f"{len(matches):,}",
        min_confidence=f"{parameters.min_confidence:g}",
    )
    reasons.append(Reason(Message("confidence"), passed, detail))
    if not passed:
        return Explanation(False, Message("No match: the passages are of too little confidence."), tuple(reasons))
    methods = ", ".join(seen)
    return Explanation(
        True,
        Message(
            "Copied passages: {found}, confidence up to {best} ({methods}).",
            found=f"{len(matches):,}",
            best=f"{best:.2f}",
            methods=methods,
        ),
        tuple(reasons),
    )
