"""What the evidence of a match says, in plain words."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from workbench.base.types import DocumentScore, Matches
from workbench.gui.i18n import tr
from workbench.methods.copies.kinds import BITS, CopyKind
from workbench.services.review.by_hand import FLAG
from workbench.services.stored import Pair

_BITS_PER_DIGIT = float(np.log2(10))


class EvidenceWords(NamedTuple):
    """One figure: name, note, value, and its share (0 to 1) of the greatest in the pair (None: no bar)."""

    name: str
    note: str
    value: str
    share: float | None


def evidence_words(matches: Matches, number: int) -> list[EvidenceWords]:
    """The figures of match ``number``; bars are relative to the strongest match of the pair."""
    found = []
    for name, column in matches.evidence.items():
        value, most = float(column[number]), float(np.nanmax(column)) if np.isfinite(column).any() else 0.0
        if np.isnan(value) or (name == FLAG and not value):
            continue
        share = value / most if most > 0 else None
        found.append(_words(name, value, share))
    return found


def pair_words(pair: Pair) -> list[EvidenceWords]:
    """The figures of a pair of whole documents: those every method may have, then the method's own."""
    found = []
    if pair.resemblance is None:
        found.append(_words("score", pair.score, pair.score if 0 <= pair.score <= 1 else None))
    for name, value in (("resemblance", pair.resemblance), ("containment", pair.containment)):
        if value is not None:
            found.append(_words(name, value, value))
    for name, value in sorted(pair.evidence.items(), key=lambda figure: figure[0] not in _SHARES):
        if isinstance(value, str):
            found.append(EvidenceWords(_named(name)[0], "", value, None))
        else:
            share = float(value) if name in _SHARES else None
            found.append(_words(name, float(value), share))
    return found


def score_words(score: DocumentScore) -> list[EvidenceWords]:
    """The figures of a document that was scored as a whole."""
    found = []
    for name, value in score.evidence.items():
        if isinstance(value, str):
            found.append(EvidenceWords(_named(name)[0], "", value, None))
        else:
            found.append(_words(name, float(value), float(value) if name in _SHARES else None))
    return found


_SHARES = frozenset(
    {"resemblance", "containment", "containment_b", "covered", "cosine", "jaccard", "estimate", "url_similarity"}
)
"""Figures from 0 to 1."""


def _words(name: str, value: float, share: float | None) -> EvidenceWords:
    title, note = _named(name)
    if name == FLAG:
        return EvidenceWords(title, note, tr("a reviewer"), None)
    if name == "kind":
        return EvidenceWords(title, note, _kinds().get(int(value), f"{value:g}"), None)
    if name == "methods":
        seen = [method for method, bit in BITS.items() if int(value) & bit]
        return EvidenceWords(title, note, ", ".join(seen), None)
    if name == "confidence":
        return EvidenceWords(title, note, f"{value:.0%} · {confidence_word(value)}", value)
    if name == "surprisal":
        digits = value / _BITS_PER_DIGIT
        note = tr("chance below 1 in 10^{digits}", digits=int(digits)) if digits >= 2 else tr("could be chance")
        return EvidenceWords(title, note, tr("{bits} bits", bits=f"{value:,.0f}"), share)
    if name == "region":
        return EvidenceWords(title, note, f"R{value:.0f}", None)
    if name in _SHARES or name in ("score", "slope"):
        return EvidenceWords(title, note, f"{value:,.3f}" if value < 100 else f"{value:,.0f}", share)
    return EvidenceWords(title, note, f"{value:,.0f}" if value == round(value) else f"{value:,.4g}", share)


def confidence_word(value: float) -> str:
    """A confidence (0 to 1) as one says it."""
    steps = ((0.99, tr("almost certain")), (0.9, tr("very likely")), (0.7, tr("likely")), (0.5, tr("more likely so")))
    return next((word for least, word in steps if value >= least), tr("doubtful"))


def _kinds() -> dict[int, str]:
    """What was done to a passage, by the number that is stored."""
    return {
        CopyKind.VERBATIM: tr("Verbatim"),
        CopyKind.LIGHTLY_CHANGED: tr("Lightly changed"),
        CopyKind.REWORDED: tr("Reworded"),
        CopyKind.SHUFFLED: tr("Shuffled"),
        CopyKind.SUMMARY: tr("Summary"),
        CopyKind.HOMOPHONES: tr("Homophones"),
    }


def figure_name(name: str) -> str:
    """What a figure of the evidence is called."""
    return _named(name)[0]


def _named(name: str) -> tuple[str, str]:
    """What a figure is called, and a note on it ("" for none)."""
    return _figures().get(name) or (name.replace("_", " ").replace("-", " ").capitalize(), "")


def _figures() -> dict[str, tuple[str, str]]:
    return {
        FLAG: (tr("Found by"), ""),
        "confidence": (tr("Confidence"), tr("that it was copied")),
        "kind": (tr("What was done"), ""),
        "methods": (tr("Seen by"), ""),
        "alike": (tr("Characters in common"), tr("equal or read alike")),
        "odds": (tr("Log-odds"), tr("of the weaker side")),
        "segments": (tr("Sentences in a row"), ""),
        "characters": (tr("Characters in common"), tr("after folding")),
        "surprisal": (tr("Rarity"), ""),
        "df": (tr("Documents that hold it"), ""),
        "resemblance": (tr("Resemblance"), tr("common share of both")),
        "containment": (tr("Containment"), tr("of the suspect in the source")),
        "containment_b": (tr("Containment"), tr("of the source in the suspect")),
        "copy_rate": (tr("Copy rate"), ""),
        "covered": (tr("Copied strings"), tr("share that stands elsewhere, too")),
        "tokens": (tr("Tokens in common"), ""),
        "fingerprints": (tr("Fingerprints in common"), ""),
        "parts": (tr("Parts joined"), ""),
        "shared": (tr("Shingles in common"), ""),
        "shingles_a": (tr("Shingles of the suspect"), ""),
        "shingles_b": (tr("Shingles of the source"), ""),
        "bands": (tr("Bands in common"), ""),
        "estimate": (tr("Resemblance"), tr("estimated from the sketch")),
        "distance": (tr("Bits that differ"), ""),
        "bits": (tr("Bits of a fingerprint"), ""),
        "cosine": (tr("Cosine"), tr("estimated from the bits")),
        "common": (tr("Characters in common"), tr("in trustable regions")),
        "edits": (tr("Edits"), ""),
        "region": (tr("Trustable region"), ""),
        "regions": (tr("Trustable regions"), ""),
        "slope": (tr("Steepest slope"), tr("edits for each character")),
        "templates": (tr("Templates it holds"), ""),
        "longest": (tr("Longest"), tr("characters")),
        "strings": (tr("Copied strings"), ""),
        "sentences": (tr("Shared sentences"), ""),
        "characters_a": (tr("Characters of A"), tr("in long sentences")),
        "characters_b": (tr("Characters of B"), tr("in long sentences")),
        "quoted_a": (tr("Quoted in A"), tr("sentences")),
        "quoted_b": (tr("Quoted in B"), tr("sentences")),
        "url_similarity": (tr("Address similarity"), ""),
        "differ": (tr("Characters that differ"), tr("after folding")),
        "homophones": (tr("Homophones"), tr("of these, read alike")),
        "votes": (tr("Pairs of windows"), tr("that agree on the passage")),
        "score": (tr("Score"), ""),
    }
