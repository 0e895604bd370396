"""A method tried out in this process, on part of the documents and with the clock running; no run is recorded."""

from __future__ import annotations

import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from workbench.base.resources import cache_dir
from workbench.base.types import Document, Role
from workbench.jobs.context import Context
from workbench.methods.core import registry
from workbench.project.database import Connection
from workbench.project.tags import EVERYTHING, Scope
from workbench.services.detecting.corpus import ProjectCorpus, scope_of
from workbench.services.session import Session

_WARM = 20


class PartialCorpus:
    """The project's documents of ``scope`` without those whose keys are ``left_out``, at most ``limit`` of each
    role.
    """

    def __init__(
        self,
        connection: Connection,
        left_out: Collection[int] = (),
        limit: int | None = None,
        scope: Scope = EVERYTHING,
    ) -> None:
        self._whole = ProjectCorpus(connection, scope)
        self._left_out = frozenset(left_out)
        self._limit = limit

    def count(self, *roles: Role) -> int:
        """Number of documents in ``roles``."""
        return sum(1 for _ in self.documents(*roles))

    def documents(self, *roles: Role) -> Iterator[Document]:
        """Documents in ``roles`` (all when none is named), in key order."""
        of_role: dict[Role, int] = {}
        for document in self._whole.documents(*roles):
            of_role[document.role] = of_role.get(document.role, 0) + 1
            if document.key not in self._left_out and (self._limit is None or of_role[document.role] <= self._limit):
                yield document


@dataclass(frozen=True, slots=True)
class Trial:
    """The results of a method and their cost.

    ``seconds`` are those of each examined document by key, ``index_seconds`` those of the index; both on one
    processor. ``lengths`` are in code points.
    """

    scores: Mapping[int, float]
    seconds: Mapping[int, float]
    lengths: Mapping[int, int]
    index_seconds: float


def trial(
    ctx: Context,
    session: Session,
    method: str,
    parameters: Mapping[str, Any],
    *,
    left_out: Collection[int] = (),
    examine: Collection[int] | None = None,
    rounds: int = 1,
) -> Trial:
    """Apply ``method`` without the documents ``left_out``; examine those with keys in ``examine`` (None: all).

    Each document is examined ``rounds`` times and the shortest time kept.

    The index is built in a temporary folder. Raises UserError, ParameterError, Cancelled.
    """
    chosen = registry.get(method)
    settings = chosen.parameters.parse(parameters)
    _, examined = chosen.roles(settings)
    scores: dict[int, float] = {}
    seconds: dict[int, float] = {}
    lengths: dict[int, int] = {}
    top = cache_dir() / "trials"
    top.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(dir=top) as folder, session.read() as connection:
        corpus = PartialCorpus(connection, left_out, scope=scope_of(settings))
        begun = time.perf_counter()
        chosen.prepare(corpus, settings, Path(folder), ctx)
        index = chosen.load(Path(folder), settings)
        index_seconds = time.perf_counter() - begun
        for document in corpus.documents(*examined):
            if examine is not None and document.key not in examine:
                continue
            for _ in range(rounds):
                begun = time.perf_counter()
                results = chosen.detect(index, [document], settings, ctx)
                taken = time.perf_counter() - begun
                seconds[document.key] = min(taken, seconds.get(document.key, taken))
            lengths[document.key] = len(document.text)
            scores |= {s.document: s.score for s in results.scores}
        del index
    return Trial(scores, seconds, lengths, index_seconds)


def warm(ctx: Context, session: Session, method: str, parameters: Mapping[str, Any]) -> None:
    """Apply ``method`` to a few documents, so that loading it is not on the clock of the next trial."""
    with session.read() as connection:
        few = {d.key for d in PartialCorpus(connection, limit=_WARM).documents()}
        rest = [d.key for d in ProjectCorpus(connection).documents() if d.key not in few]
    trial(ctx, session, method, parameters, left_out=rest)


def spread(keys: Sequence[int], count: int) -> list[int]:
    """At most ``count`` of ``keys``, evenly spaced, both ends among them."""
    if len(keys) <= count:
        return list(keys)
    return [keys[round(i * (len(keys) - 1) / (count - 1))] for i in range(count)]
