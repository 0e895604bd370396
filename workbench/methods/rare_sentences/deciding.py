"""The relations of many pairs at once, with the results of :func:`workbench.methods.rare_sentences.relations.decide`.

The outcome of the tree depends on only a few comparisons, so it is evaluated once for each combination of these that
occurs. The pairs of one combination have the same evidence except for figures.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench.base.evidence import packed
from workbench.base.messages import Message
from workbench.base.types import Ints, PairScores
from workbench.methods.rare_sentences.pages import Pages, likenesses
from workbench.methods.rare_sentences.parameters import RareSentencesParameters
from workbench.methods.rare_sentences.relations import FIGURES, Decision, Facts, Thresholds, decide

COUNTS = ("sentences", "characters", "quoted_a", "quoted_b")
"""Counts of the sentences shared by a pair."""
_PLACE = re.compile('("?)\ue000(\\w+)\\1')
"""The place of a figure: a word after a character that is in no message; numbers of the evidence are quoted."""


@dataclass(frozen=True, slots=True)
class Related:
    """The facts about n pairs, as columns: see :class:`~workbench.methods.rare_sentences.relations.Facts`.

    ``url_similarity`` is NaN if an address is unknown; ``published_a`` and ``published_b`` float64 [n, 2] are equal
    if a date is.
    """

    overlap: NDArray[np.float64]
    simpson: NDArray[np.float64]
    characters_a: Ints
    characters_b: Ints
    url_similarity: NDArray[np.float64]
    link_ab: NDArray[np.bool_]
    link_ba: NDArray[np.bool_]
    published_a: NDArray[np.float64]
    published_b: NDArray[np.float64]

    @classmethod
    def of(cls, a: Pages, mine: Ints, b: Pages, other: Ints, characters: Ints, p: RareSentencesParameters) -> Related:
        """Facts about the pages ``mine`` of ``a`` and ``other`` of ``b``, which share ``characters``, row by row."""
        left, right = a.characters[mine], b.characters[other]
        return cls(
            overlap=2 * characters / (left + right),
            simpson=characters / np.minimum(left, right),
            characters_a=left,
            characters_b=right,
            url_similarity=likenesses(a, mine, b, other, every_top_level=p.top_level),
            link_ab=a.linking(mine, b.address[other]),
            link_ba=b.linking(other, a.address[mine]),
            published_a=a.published.reshape(-1, 2)[mine],
            published_b=b.published.reshape(-1, 2)[other],
        )

    def row(self, i: int) -> Facts:
        """The facts of pair ``i``."""
        alike = float(self.url_similarity[i])
        times = (tuple(column[i].tolist()) for column in (self.published_a, self.published_b))
        first, second = ((t[0], t[1]) if t[0] < t[1] else None for t in times)
        return Facts(
            overlap=float(self.overlap[i]),
            simpson=float(self.simpson[i]),
            a_is_larger=bool(self.characters_a[i] > self.characters_b[i]),
            url_similarity=None if np.isnan(alike) else alike,
            link_ab=bool(self.link_ab[i]),
            link_ba=bool(self.link_ba[i]),
            published_a=first,
            published_b=second,
        )

    def paths(self, thresholds: Thresholds) -> Ints:
        """A number for the path through the tree, equal for pairs with the same decisions."""
        a, b = self.published_a, self.published_b
        answers = (
            self.overlap > thresholds.identical,
            self.simpson > thresholds.inclusion,
            np.isnan(self.url_similarity),
            self.url_similarity > thresholds.similar_url,
            self.characters_a > self.characters_b,
            self.link_ab,
            self.link_ba,
            a[:, 0] < a[:, 1],
            b[:, 0] < b[:, 1],
            a[:, 1] <= b[:, 0],
            b[:, 1] <= a[:, 0],
        )
        numbers: Ints = np.column_stack(answers) @ (1 << np.arange(len(answers)))
        return numbers


def scored(keys: tuple[Ints, Ints], related: Related, counts: Mapping[str, Ints], thresholds: Thresholds) -> PairScores:
    """The pairs of ``keys``; ``counts``: columns of :data:`COUNTS`."""
    _, first, path = np.unique(related.paths(thresholds), return_index=True, return_inverse=True)
    relation = np.empty(len(path), object)
    evidence = np.empty(len(path), object)
    figures: dict[str, NDArray[Any]] = {
        **{name: getattr(related, name) for name in ("overlap", "simpson", "characters_a", "characters_b")},
        **counts,
        "url_similarity": related.url_similarity,
        "rounded": np.round(related.url_similarity, 6),
    }
    for number, example in enumerate(first.tolist()):
        rows = np.flatnonzero(path == number)
        facts = related.row(example)
        decided = decide(facts, thresholds)
        relation[rows] = str(decided.relation)
        template, names = _template(decided, facts)
        columns = [figures[name][rows].tolist() for name in names]
        evidence[rows] = [template % row for row in zip(*columns, strict=True)]
    overlap = related.overlap.tolist()
    return PairScores(*keys, overlap, overlap, related.simpson.tolist(), relation.tolist(), evidence.tolist())


def _template(decided: Decision, facts: Facts) -> tuple[str, list[str]]:
    """The evidence of pairs with this decision, as a format string, and its columns."""
    steps = (
        Message(step.id, **{**step.values, "value": f"\ue000{FIGURES[step.id]}"})
        if isinstance(step, Message) and step.id in FIGURES
        else step
        for step in decided.steps
    )
    numbers = {name: f"\ue000{name}" for name in (*COUNTS, "characters_a", "characters_b")}
    evidence = {
        **numbers,
        "link_ab": facts.link_ab,
        "link_ba": facts.link_ba,
        **({} if facts.url_similarity is None else {"url_similarity": "\ue000rounded"}),
        "direction": str(decided.direction),
        "decision": Message.joined("; ", steps),
        "direction_reason": decided.direction_step,
    }
    names: list[str] = []

    def place(match: re.Match[str]) -> str:
        names.append(match[2])
        return "%r" if match[1] else "%.3g"

    return _PLACE.sub(place, packed(evidence).replace("%", "%%")), names
