"""Fits the confidence of ``copies`` on labelled passages, and prints how well it holds on others.

    python -m tests.golden.copies_confidence

The passages are those of PAN 2013, of the Japanese copies, of statutes altered in Chinese news, and of the altered sets
in three languages. Every set is divided by suspects; coefficients are fitted on one half, with the methods' own
thresholds lowered so that there are wrong matches to learn from, and the table is of the passages that ``copies``
merges on the other half. Where copies were planted in real texts, a match elsewhere whose sides have a sentence in
common is left out: the texts quote each other, and nobody has judged that.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tests.golden import alterations, copies, initials
from tests.golden.altered import DATA, Documents, pan_pairs
from workbench.base.progress import NullProgress
from workbench.base.types import Document, Match, Results, Role, Span
from workbench.evaluation.agreement import reliability
from workbench.methods.copies.figures import FRAGMENT, MEASURED, RARE, WEIGHTS, confidence, features
from workbench.methods.copies.merging import merge
from workbench.methods.copies.parameters import LOWERED
from workbench.methods.copies.views import SourceTexts
from workbench.methods.core import registry

RIDGE = 0.1
"""Weight of the squared coefficients, without which passages that are all right would have no best fit."""


@dataclass(frozen=True)
class Labelled:
    """Documents, the copied passages of each pair (suspect's, source's limits), and the pairs that were judged."""

    documents: Sequence[Document]
    copied: Mapping[tuple[int, int], Sequence[tuple[Span, Span | None]]]
    judged: frozenset[tuple[int, int]] | None = None
    planted: bool = False
    """Whether the copies were put into real texts, which may share sentences by themselves."""

    def right(self, match: Match) -> bool | None:
        """Whether more than half of a match is a copied passage; None where nobody knows."""
        pair = match.a, match.b
        if self.judged is not None and pair not in self.judged:
            return None
        size = match.a_span.end - match.a_span.start
        copied = any(
            2 * a.overlap(match.a_span) > size and (b is None or b.overlap(match.b_span) > 0)
            for a, b in self.copied.get(pair, ())
        )
        return None if not copied and self.planted and self._shared(match) else copied

    def _shared(self, match: Match) -> bool:
        texts = {d.key: d.text for d in self.documents}
        return alterations.share_sentence(texts[match.a][slice(*match.a_span)], texts[match.b][slice(*match.b_span)])


def labelled() -> dict[str, Labelled]:
    """Every set by name."""
    sets = {"copies_ja": _japanese(), "pan": _pan(), "homophones": _homophones()}
    for language in ("ja", "zh", "en"):
        corpus = alterations.corpus(DATA, language, 1)
        passages = (((p.suspect, p.source), p.a_span, p.b_span) for p in corpus.planted)
        sets[f"altered {language}"] = Labelled(corpus.documents, _by_pair(passages), planted=True)
    return sets


def _by_pair(
    passages: Iterable[tuple[tuple[int, int], Span, Span | None]],
) -> dict[tuple[int, int], list[tuple[Span, Span | None]]]:
    passages_of: dict[tuple[int, int], list[tuple[Span, Span | None]]] = defaultdict(list)
    for pair, a, b in passages:
        passages_of[pair].append((a, b))
    return dict(passages_of)


def _japanese() -> Labelled:
    folder = DATA / "copies_ja"
    documents = copies.Folder(folder).all
    keys = {d.id: d.key for d in documents}
    rows = map(json.loads, (folder / "truth.jsonl").read_text(encoding="utf-8").splitlines())
    passages = (((keys[r["suspect"]], keys[r["source"]]), Span(*r["suspect_span"]), None) for r in rows)
    return Labelled(documents, _by_pair(passages), planted=True)


def _homophones() -> Labelled:
    """Statutes put into news; only the pairs in question are judged, since statutes share sentences."""
    corpus = initials.passages(DATA, 1, 6)
    passages = [((c.suspect, c.source), c.span, None) for c in corpus.copies]
    return Labelled(corpus.documents, _by_pair(passages), frozenset(pair for pair, _, _ in passages), planted=True)


def _pan() -> Labelled:
    documents, pairs, reference = pan_pairs()
    keys = {d.id: d.key for d in documents}
    passages = (((keys[p.a], keys[p.b]), p.a_span, p.b_span) for some in reference.values() for p in some)
    judged = frozenset((keys[a], keys[b]) for some in pairs.values() for a, b in some)
    return Labelled(documents, _by_pair(passages), judged)


def found_by(method: str, documents: Sequence[Document], values: Mapping[str, Any]) -> Results:
    """What a method finds in the suspects among ``documents``."""
    chosen, corpus = registry.get(method), Documents(documents)
    parameters = chosen.parameters.parse(values)
    with TemporaryDirectory() as folder:
        chosen.prepare(corpus, parameters, Path(folder), NullProgress())
        index = chosen.load(Path(folder), parameters)
        return chosen.detect(index, list(corpus.documents(Role.SUSPECT)), parameters, NullProgress())


def fitted(features: NDArray[np.float64], right: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Coefficients of the logistic function by Newton's method, the constant first."""
    x = np.column_stack([np.ones(len(features)), features])
    weights, ridge = np.zeros(x.shape[1]), np.full(x.shape[1], RIDGE)
    for _ in range(50):
        p = 1 / (1 + np.exp(-x @ weights))
        slope = x.T @ (right - p) - ridge * weights
        weights = weights + np.linalg.solve((x * (p * (1 - p))[:, None]).T @ x + np.diag(ridge), slope)
    return np.asarray(np.round(weights, 2), np.float64)


@dataclass(frozen=True)
class Judged:
    """n merged passages: ``measured`` float64 [n, 4], whether they are right, the half of the texts each is in, and
    whether it is a fragment."""

    measured: NDArray[np.float64]
    right: NDArray[np.bool_]
    half: NDArray[np.int64]
    fragments: NDArray[np.bool_]


def judged(labels: Labelled) -> Judged:
    """The passages that the methods find together with lowered thresholds, as far as somebody knows."""
    by_key = {d.key: d for d in labels.documents}
    results = {method: found_by(method, labels.documents, values) for method, values in LOWERED.items()}
    texts = SourceTexts.of_all({key: d.text for key, d in by_key.items()})
    merged = merge(results, list(by_key.values()), texts, NullProgress())
    matches = merged.matches
    verdicts = [labels.right(m) for m in matches]
    known = np.array([v is not None for v in verdicts], np.bool_)
    measured = np.stack([matches.evidence[name] for name in MEASURED], 1)[known]
    right = np.array([v for v in verdicts if v is not None], np.bool_)
    return Judged(measured, right, matches.a[known] % 2, merged.fragments[known])


def main() -> None:
    """Print the coefficients of each half and of both, and the reliability on what was not fitted."""
    sets = [judged(labels) for labels in labelled().values()]
    measured = np.concatenate([s.measured for s in sets])
    right, half, fragments = (np.concatenate([getattr(s, n) for s in sets]) for n in ("right", "half", "fragments"))
    doubtful = fragments & (measured[:, MEASURED.index("surprisal")] < RARE)
    print(f"fragments: {doubtful.sum()} of {len(right)} passages, {right[doubtful].sum()} of them right")
    claimed, columns = np.zeros(len(right)), features(measured)[:, [MEASURED.index(name) for name in WEIGHTS]]
    for which in (0, 1):
        own = half == which
        weights = fitted(columns[own], right[own])
        print(f"half {which + 1}: {weights.tolist()} on {own.sum()} passages, {(~right[own]).sum()} of them wrong")
        claimed[~own] = 1 / (1 + np.exp(-(weights[0] + columns[~own] @ weights[1:])))
    claimed[doubtful] = np.minimum(claimed[doubtful], 1 / (1 + np.exp(-FRAGMENT)))
    print(f"both: {fitted(columns, right).tolist()}")
    for i, name in enumerate(MEASURED):
        seen = measured[:, i] > 0
        alone = fitted(features(measured[seen])[:, [i]], right[seen]).tolist()
        print(f"{name} alone: {alone} on {seen.sum()} passages, {(~right[seen]).sum()} of them wrong")
    print_table("each half by the other's coefficients", claimed, right)
    print_table("with the built-in coefficients", confidence(measured, aligned=True, fragments=fragments), right)


def print_table(title: str, claimed: NDArray[np.float64], right: NDArray[np.bool_]) -> None:
    """Bins of confidence: how many passages, what was claimed, what is right; and the expected calibration error."""
    bins = reliability(claimed, right)
    print(title)
    for b in bins:
        print(f"  {b.low:.2f} to {b.high:.2f}: {b.items:5} passages, claimed {b.claimed:.3f}, right {b.right:.3f}")
    error = sum(b.items * abs(b.claimed - b.right) for b in bins) / max(1, len(right))
    print(f"  expected calibration error {error:.3f}, Brier score {np.mean((claimed - right) ** 2):.3f}")


if __name__ == "__main__":
    main()
