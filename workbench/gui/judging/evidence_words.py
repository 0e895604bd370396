"""The evidence of a match in plain words."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import replace
from typing import Any

import numpy as np

from workbench.base.evidence import figures
from workbench.base.messages import percent
from workbench.base.types import DocumentScore, Matches
from workbench.gui.i18n import say, tr, trn
from workbench.gui.kit.columns import decimal
from workbench.gui.kit.figures import FigureWords
from workbench.gui.kit.words import score_figure
from workbench.services.records import Contributions, Pair
from workbench.services.review.evidence import figure_of, is_name, is_share, measured, words_of


def evidence_words(matches: Matches, number: int) -> list[FigureWords]:
    """The figures of match ``number``; bars are relative to the strongest match of the pair."""
    rows = []
    evidence = {name: column[number] for name, column in matches.evidence.items()}
    shown = figures(evidence)
    for name in shown:
        column = matches.evidence[name]
        value, most = float(column[number]), float(np.nanmax(column)) if np.isfinite(column).any() else 0.0
        if not measured(name, evidence):
            continue
        share = value / most if most > 0 and not is_name(name) else None
        rows.append(_words(name, value, share))
    return rows


def length_words(text: str, language: str, *, changed: bool = False) -> str:
    """The length of a passage, in characters or words depending on its language; ``changed``: the source differs."""
    if language[:2] in ("ja", "zh", "ko"):
        if changed:
            return trn("a changed passage of {count} character", "a changed passage of {count} characters", len(text))
        return trn("a run of {count} character", "a run of {count} characters", len(text))
    count = len(text.split())
    if changed:
        return trn("a changed passage of {count} word", "a changed passage of {count} words", count)
    return trn("a run of {count} word", "a run of {count} words", count)


def run_words(text: str, language: str, others: int, *, changed: bool = False) -> str:
    """The counts of a passage: its length, and the number of the run's other sources that match there."""
    length = length_words(text, language, changed=changed)
    if changed:
        if not others:
            return tr("{length} that no other source of this run matches", length=length)
        return trn(
            "{length}; {count} other source of this run also matches here",
            "{length}; {count} other sources of this run also match here",
            others,
            length=length,
        )
    if not others:
        return tr("{length} that no other source of this run contains", length=length)
    return trn(
        "{length}; {count} other source of this run also contains it",
        "{length}; {count} other sources of this run also contain it",
        others,
        length=length,
    )


def pair_words(pair: Pair) -> list[FigureWords]:
    """The figures of a pair of whole documents: those every method may have, then the method's own."""
    rows = []
    if pair.resemblance is None:
        share = pair.score if 0 <= pair.score <= 1 and not pair.is_sum else None
        rows.append(_words("score", pair.score, share)._replace(name=pair_score_name(sums=pair.is_sum)))
    # Methods that measure both containments store the greater one with the pair.
    containment = None if "containment_a" in pair.evidence else pair.containment
    for name, value in (("resemblance", pair.resemblance), ("containment", containment)):
        if value is not None:
            rows.append(_words(name, value, value))
    for name, value in sorted(pair.evidence.items(), key=lambda figure: not is_share(figure[0])):
        if isinstance(value, str):
            rows.append(_words(name, value, None))
        else:
            share = float(value) if is_share(name) else None
            rows.append(_words(name, float(value), share))
    return rows


def pair_score_name(*, sums: bool) -> str:
    """The name of the score of pairs; ``sums``: it is the sum of those of a pair's matches."""
    return tr("Score sum") if sums else tr("Score")


def score_words(score: DocumentScore) -> list[FigureWords]:
    """The figures of a document that was scored as a whole."""
    rows = []
    for name, value in score.evidence.items():
        if isinstance(value, str):
            rows.append(_words(name, value, None))
        else:
            rows.append(_words(name, float(value), float(value) if is_share(name) else None))
    return rows


def contribution_words(score: DocumentScore, parts: Contributions) -> list[FigureWords]:
    """What each figure of a document adds to the log odds of its score, the most first, and its other figures."""
    most = max(map(abs, parts.figures.values()), default=0.0) or 1.0
    start = f"{parts.start:+.2f}"
    rows = [FigureWords(tr("Typical document"), tr("median of every figure"), start, None)]
    for name, part in sorted(parts.figures.items(), key=lambda item: -abs(item[1])):
        title, note, figure, tip = map(say, words_of(name, score.evidence[name]))
        value = f"{figure} ({note})" if note else figure
        rows.append(FigureWords(title, value, f"{part:+.2f}", part / most, tip, signed=True))
    others = {name: value for name, value in score.evidence.items() if name not in parts.figures}
    return rows + score_words(replace(score, evidence=others))


def _words(name: str, value: float | str, share: float | None) -> FigureWords:
    if name == "confidence" and not isinstance(value, str):
        share = value
    title, note, figure, tip = map(say, words_of(name, value))
    return FigureWords(title, note, figure, share, tip)


def figure_name(name: str) -> str:
    """The name of a figure of the evidence."""
    return say(figure_of(name).name)


def score_name(evidence: Collection[str]) -> str:
    """The name of the score of matches with these figures: "confidence" if it is one, in the window and in reports."""
    return figure_name("confidence" if "confidence" in evidence else "score")


def named_score(score: float, evidence: Collection[str]) -> tuple[str, str]:
    """The name of the score of a match with these figures, and its value as formatted in the evidence."""
    return score_name(evidence), percent(score) if "confidence" in evidence else score_figure(score)


def score_column(evidence: Collection[str]) -> tuple[str, Callable[[Any], str]]:
    """Title and format of a column with the scores of matches with these figures."""
    return score_name(evidence), percent if "confidence" in evidence else decimal
