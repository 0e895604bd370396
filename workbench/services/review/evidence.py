"""The figures of the evidence in plain words, for window and reports."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, NamedTuple

from workbench.base.errors import UserError
from workbench.base.evidence import ADDED, APART, RECOGNISED, is_recognised
from workbench.base.messages import Message, percent
from workbench.base.types import DocumentScore, Run
from workbench.methods.copies import figures as copies
from workbench.methods.core import registry
from workbench.methods.core.api import Contributions
from workbench.methods.core.figures import OF_ANY, CopyKind, Figure, kind, share
from workbench.project.pairs import Pair
from workbench.services.review.passages import PART
from workbench.services.review.splitting import SPLIT


class FigureWords(NamedTuple):
    """One figure: its name, a note on it (may be empty), its value, and the tooltip that explains it."""

    name: Message
    note: str
    value: Message
    tip: str


def _reviewer_unit(_value: float) -> Message:
    return Message("a reviewer")


def _sure(value: float) -> Message:
    return Message("{share} certain", share=percent(value))


@cache
def _figures() -> Mapping[str, Figure]:
    """Every figure by its stored name, including those of reviewing and of all methods."""
    of_reviewing = {
        ADDED: Figure(Message("Found by"), unit=_reviewer_unit),
        SPLIT: Figure(Message("Split by"), unit=_reviewer_unit),
        RECOGNISED: Figure(Message("Read from a picture"), unit=_sure),
    }
    of_methods = {name: figure for facts in registry.facts().values() for name, figure in facts.figures.items()}
    return of_reviewing | OF_ANY | of_methods


def figure_of(name: str) -> Figure:
    """A figure of the evidence; an unknown one (from another program, or an earlier version) keeps its name."""
    return _figures().get(name) or Figure(Message(name.replace("_", " ").replace("-", " ").capitalize()))


def is_share(name: str) -> bool:
    """Whether a figure is from 0 to 1."""
    return figure_of(name).unit is share


def is_name(name: str) -> bool:
    """Whether a figure's number represents a name, which cannot be ordered."""
    return figure_of(name).unit in (kind, copies.methods)


def measured(name: str, evidence: Mapping[str, Any]) -> bool:
    """Whether figure ``name`` of ``evidence`` was measured: a method without findings measures nothing."""
    value = evidence[name]
    if isinstance(value, str):
        return True
    if value != value or name in (PART, APART) or (name in (ADDED, SPLIT, RECOGNISED) and not value):
        return False
    # Text recognised in a picture cannot be shown to be verbatim.
    if figure_of(name).unit is kind and value == CopyKind.VERBATIM and is_recognised(evidence):
        return False
    return copies.measured(name, evidence)


def of_whole_pair(pair: Pair, *, turned: bool = False) -> dict[str, float]:
    """The figures by name that a method gives a pair of whole documents: resemblance (else the score) and containment
    of the first document, which says nothing about the second if the pair is ``turned``.
    """
    figures = {"score": pair.score} if pair.resemblance is None else {"resemblance": pair.resemblance}
    # Methods that measure both containments store the greater one with the pair.
    if pair.containment is not None and "containment_a" not in pair.evidence and not turned:
        figures["containment"] = pair.containment
    return figures


def words_of(name: str, value: Any) -> FigureWords:
    """One figure of the evidence in words; ``value`` is a number, or a text, which stays unchanged."""
    figure = figure_of(name)
    if isinstance(value, str):
        return FigureWords(figure.name, "", Message("{text}", text=value), "")
    return FigureWords(figure.name, figure.note, figure.unit(value), figure.tip)


_CLOSE = 1e-6
"""Maximum difference of a stored score and the one that its contributions make."""


def contributions(run: Run) -> Callable[[DocumentScore], Contributions | None]:
    """Finds what each figure adds to a score of ``run``: None where the score is no such sum, or that of other figures
    or weights than those stored.
    """
    try:
        method = registry.get(run.method)
        parameters = method.parameters.parse(run.parameters)
    except UserError:
        return lambda score: None

    def parts(score: DocumentScore) -> Contributions | None:
        whole = method.contributions(score.evidence, parameters)
        if whole is None or abs(_probability(whole.log_odds) - score.score) > _CLOSE:
            return None
        return whole

    return parts


def _probability(log_odds: float) -> float:
    return 1 / (1 + math.exp(-max(-500.0, min(500.0, log_odds))))
