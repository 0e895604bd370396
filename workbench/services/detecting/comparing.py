"""Compares two stored documents with any method: what corresponds, and why or why not."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from workbench.base.types import Document, Results
from workbench.jobs.context import Context
from workbench.methods.core import registry
from workbench.methods.core.api import Explanation
from workbench.project.documents import load_document
from workbench.services.review.differences import Edit, differences
from workbench.services.session import Session


@dataclass(frozen=True, slots=True)
class Comparison:
    """Results for one pair; ``edits`` is parallel to its matches, ``parameters`` are all settings used."""

    a: Document
    b: Document
    parameters: Mapping[str, Any]
    results: Results
    edits: tuple[tuple[Edit, ...], ...]


def compare(session: Session, a: str | int, b: str | int, method: str, settings: Mapping[str, Any]) -> Comparison:
    """Apply ``method`` to just two documents (ids or keys). Raises UserError for unknown ones, ParameterError."""
    left, right = _load(session, a, b)
    chosen = registry.get(method)
    parameters = chosen.parameters.parse(settings)
    results = chosen.compare(left, right, parameters)
    edits = (tuple(differences(left.text, m.a_span, right.text, m.b_span)) for m in results.matches)
    return Comparison(left, right, parameters.as_dict(), results, tuple(edits))


def explain(session: Session, a: str | int, b: str | int, method: str, settings: Mapping[str, Any]) -> Explanation:
    """Why two documents (ids or keys) matched under ``method``, or why not. Raises as :func:`compare` does."""
    left, right = _load(session, a, b)
    chosen = registry.get(method)
    return chosen.explain(left, right, chosen.parameters.parse(settings))


def explain_texts(ctx: Context, a: Document, b: Document, method: str, settings: Mapping[str, Any]) -> Explanation:
    """As :func:`explain`, for documents already loaded; runs in its own process."""
    ctx.check()
    chosen = registry.get(method)
    return chosen.explain(a, b, chosen.parameters.parse(settings))


def _load(session: Session, a: str | int, b: str | int) -> tuple[Document, Document]:
    with session.read() as connection:
        return load_document(connection, a), load_document(connection, b)
