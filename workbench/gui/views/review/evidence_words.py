"""What the evidence of a match says, in plain words."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from workbench.base.types import DocumentScore, Matches
from workbench.gui.i18n import tr
from workbench.project.pairs import Pair

_BITS_PER_DIGIT = float(np.log2(10))


class EvidenceWords(NamedTuple):
    """One figure: name, note, value, and its share (0 to 1) of the greatest in the pair (None: no bar)."""

    name: str
    note: str
    value: str
    share: float | None


def tier_words(tier: int) -> str:
    """The name of a tier."""
    return (tr("Exact"), tr("Exact ignoring symbols"), tr("Altered"))[tier]


def tier_rule(tier: int) -> str:
    """What a tier means."""
    return (
        tr("The same, character for character"),
        tr("The same but for punctuation, width, case or spaces"),
        tr("Some words or characters differ"),
    )[tier]


def evidence_words(matches: Matches, number: int) -> list[EvidenceWords]:
    """The figures of match ``number``; bars are relative to the strongest match of the pair."""
    found = []
    for name, column in matches.evidence.items():
        value, most = float(column[number]), float(np.max(column))
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
    if name == "surprisal":
        digits = value / _BITS_PER_DIGIT
        note = tr("chance below 1 in 10^{digits}", digits=int(digits)) if digits >= 2 else tr("could be chance")
        return EvidenceWords(title, note, tr("{bits} bits", bits=f"{value:,.0f}"), share)
    if name == "region":
        return EvidenceWords(title, note, f"R{value:.0f}", None)
    if name in _SHARES or name in ("score", "slope"):
        return EvidenceWords(title, note, f"{value:,.3f}" if value < 100 else f"{value:,.0f}", share)
    return EvidenceWords(title, note, f"{value:,.0f}" if value == round(value) else f"{value:,.4g}", share)


def figure_name(name: str) -> str:
    """What a figure of the evidence is called."""
    return _named(name)[0]


def _named(name: str) -> tuple[str, str]:
    """What a figure is called, and a note on it ("" for none)."""
    match name:
        case "segments":
            return tr("Sentences in a row"), ""
        case "characters":
            return tr("Characters in common"), tr("after folding")
        case "surprisal":
            return tr("Rarity"), ""
        case "df":
            return tr("Documents that hold it"), ""
        case "resemblance":
            return tr("Resemblance"), tr("common share of both")
        case "containment":
            return tr("Containment"), tr("of the suspect in the source")
        case "containment_b":
            return tr("Containment"), tr("of the source in the suspect")
        case "copy_rate":
            return tr("Copy rate"), ""
        case "covered":
            return tr("Copied strings"), tr("share that stands elsewhere, too")
        case "tokens":
            return tr("Tokens in common"), ""
        case "fingerprints":
            return tr("Fingerprints in common"), ""
        case "parts":
            return tr("Parts joined"), ""
        case _:
            return _named_by_method(name)


def _named_by_method(name: str) -> tuple[str, str]:
    match name:
        case "shared":
            return tr("Shingles in common"), ""
        case "shingles_a":
            return tr("Shingles of the suspect"), ""
        case "shingles_b":
            return tr("Shingles of the source"), ""
        case "bands":
            return tr("Bands in common"), ""
        case "estimate":
            return tr("Resemblance"), tr("estimated from the sketch")
        case "distance":
            return tr("Bits that differ"), ""
        case "bits":
            return tr("Bits of a fingerprint"), ""
        case "cosine":
            return tr("Cosine"), tr("estimated from the bits")
        case "common":
            return tr("Characters in common"), tr("in trustable regions")
        case "edits":
            return tr("Edits"), ""
        case "region":
            return tr("Trustable region"), ""
        case "regions":
            return tr("Trustable regions"), ""
        case "slope":
            return tr("Steepest slope"), tr("edits for each character")
        case "templates":
            return tr("Templates it holds"), ""
        case "longest":
            return tr("Longest"), tr("characters")
        case "strings":
            return tr("Copied strings"), ""
        case "sentences":
            return tr("Shared sentences"), ""
        case "characters_a":
            return tr("Characters of A"), tr("in long sentences")
        case "characters_b":
            return tr("Characters of B"), tr("in long sentences")
        case "quoted_a":
            return tr("Quoted in A"), tr("sentences")
        case "quoted_b":
            return tr("Quoted in B"), tr("sentences")
        case "url_similarity":
            return tr("Address similarity"), ""
        case "differ":
            return tr("Characters that differ"), tr("after folding")
        case "homophones":
            return tr("Homophones"), tr("of these, read alike")
        case "votes":
            return tr("Pairs of windows"), tr("that agree on the passage")
        case "score":
            return tr("Score"), ""
        case _:
            return name.replace("_", " ").replace("-", " ").capitalize(), ""
