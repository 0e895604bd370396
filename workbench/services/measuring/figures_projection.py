"""What a collection of another size would hold: counts of nested random parts of a project, and their projection."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from workbench.base.errors import UserError
from workbench.base.messages import Message
from workbench.evaluation.figures import Axis, Figure, Series
from workbench.jobs.context import Context
from workbench.methods.core import registry
from workbench.methods.core.collection import batches
from workbench.project.database import open_project
from workbench.project.documents import iter_documents
from workbench.services.measuring.figure_request import FigureRequest, base_run, numbers
from workbench.services.measuring.figures_sentences import METHOD, settings_of

PAGES = 100_000_000
"""Pages of the thesis, to which counts are projected unless another number is asked for."""
_SHARES = (1 / 16, 1 / 8, 1 / 4, 1 / 2, 1)
_DRAWS = 7
_STAGE = Message("Measuring")

Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class _Rows:
    """A row for each different sentence of each document: its number, the document, and whether it is long enough."""

    sentence: Ints
    document: Ints
    long: NDArray[np.bool_]
    documents: int
    limit: int

    def of(self, chosen: NDArray[np.bool_]) -> _Rows:
        """The rows of some documents (bool, by number)."""
        kept = chosen[self.document]
        return replace(self, sentence=self.sentence[kept], document=self.document[kept], long=self.long[kept])

    def sentences(self) -> int:
        """Sentences, each counted in every document that has it."""
        return len(self.sentence)

    def pairs(self) -> int:
        """Pairs of documents that share a long sentence which at most ``limit`` documents have."""
        return len(self._pair_numbers())

    def paired(self) -> int:
        """Documents that are in such a pair."""
        numbers = self._pair_numbers()
        return len(np.unique(np.concatenate([numbers // self.documents, numbers % self.documents])))

    def _pair_numbers(self) -> Ints:
        """A number for each of these pairs, ascending."""
        order = np.argsort(self.sentence[self.long], kind="stable")
        sentence, document = self.sentence[self.long][order], self.document[self.long][order]
        first = np.flatnonzero(np.concatenate([[True], sentence[1:] != sentence[:-1]])[: len(sentence)])
        sizes = np.diff(np.append(first, len(sentence)))
        pair_numbers = [np.zeros(0, np.int64)]
        for size in range(2, self.limit + 1):
            of_size = document[first[sizes == size][:, None] + np.arange(size)] if (sizes == size).any() else None
            if of_size is not None:
                a, b = (np.sort(of_size, axis=1)[:, part] for part in np.triu_indices(size, 1))
                pair_numbers.append((a * self.documents + b).ravel())
        return np.unique(np.concatenate(pair_numbers))


def projected_scale(ctx: Context, path: Path, request: FigureRequest) -> Figure:
    """Sentences, pairs of pages that share a rare one, and pages in such a pair: in random parts of the project, and as
    projected from these.

    ``values``: the number of pages to project to. Raises UserError where the project has too few documents.
    """
    target = int(numbers(request, (PAGES,))[0])
    rows = _read(ctx, path, request)
    sizes = sorted({round(share * rows.documents) for share in _SHARES})
    if sizes[0] < 2 or target <= rows.documents:
        raise UserError(
            Message(
                "A projection to {target} pages needs at least {least} documents, and fewer documents than pages.",
                target=f"{target:,}",
                least=round(2 / _SHARES[0]),
            )
        )
    rng = np.random.default_rng(0)
    lines, far = [], []
    counted: dict[str, list[list[int]]] = {}
    measures: dict[str, Callable[[_Rows], int]] = {
        Message("sentences"): _Rows.sentences,
        Message("pairs that share a rare sentence"): _Rows.pairs,
        Message("pages in such a pair"): _Rows.paired,
    }
    for draw in range(_DRAWS):
        ctx.advance(_STAGE, draw, _DRAWS)
        order = rng.permutation(rows.documents)
        for size in sizes:
            ctx.check()
            part = rows.of(np.isin(np.arange(rows.documents), order[:size]))
            for name, measure in measures.items():
                counted.setdefault(name, [[] for _ in range(_DRAWS)])[draw].append(measure(part))
    ctx.advance(_STAGE, _DRAWS, _DRAWS)
    for name, draws in counted.items():
        table = np.array(draws, np.float64)
        band = tuple(zip(table.min(axis=0).tolist(), table.max(axis=0).tolist(), strict=True))
        lines.append(Series(name, tuple(map(float, sizes)), tuple(np.median(table, axis=0).tolist()), "line", band))
        projected = [_projected(sizes, row, target) for row in table]
        known = [value for value in projected if value is not None]
        if not known:
            continue
        whole = float(np.median(table[:, -1]))
        ends = ((whole, whole), (min(known), max(known)))
        title = Message("{name}, projected", name=name)
        far.append(Series(title, (float(sizes[-1]), float(target)), (whole, float(np.median(known))), "line", ends))
    notes = (
        Message(
            "A projection, not a measurement: power laws fitted to random subsets of {documents} documents, "
            "{draws} draws; bands show the smallest to the largest of these.",
            documents=f"{rows.documents:,}",
            draws=_DRAWS,
        ),
        Message(
            "It is valid only if these are a random sample of the pages projected to: a collection chosen for its "
            "copies gives far too many pairs."
        ),
        settings_of(request),
    )
    axes = Axis(Message("pages"), log=True), Axis(Message("number"), log=True)
    return Figure(Message("Sentences and pairs by number of pages"), *axes, (*lines, *far), notes)


def _projected(sizes: list[int], counts: NDArray[np.float64], target: int) -> float | None:
    """The count at ``target`` by the power law that fits ``counts`` best; None where fewer than two are positive."""
    positive = counts > 0
    if positive.sum() < 2:
        return None
    x, y = np.log(np.array(sizes)[positive]), np.log(counts[positive])
    slope = float(np.polyfit(x, y, 1)[0])
    # Through the largest part, which is counted best.
    return float(np.exp(y[-1] + slope * (np.log(target) - x[-1])))


def _read(ctx: Context, path: Path, request: FigureRequest) -> _Rows:
    from workbench.methods.rare_sentences.parameters import RareSentencesParameters
    from workbench.methods.rare_sentences.sentences import read

    values = base_run(ctx, path, METHOD, request).parameters if request.runs else {}
    parameters = registry.get(METHOD).parameters.parse(values)
    assert isinstance(parameters, RareSentencesParameters)
    hashes, document, long = [np.zeros(0, np.uint64)], [np.zeros(0, np.int64)], [np.zeros(0, np.bool_)]
    documents = 0
    with open_project(path, write=False) as project, project.read() as connection:
        for batch in batches(iter_documents(connection, ())):
            ctx.check()
            sentences = read(batch, replace(parameters, min_length=1))
            hashes.append(sentences.hashes)
            document.append(sentences.document.astype(np.int64) + documents)
            long.append(sentences.length >= parameters.min_length)
            documents += len(batch)
            ctx.advance(Message("Counting sentences"), documents)
    numbered = np.unique(np.concatenate(hashes), return_inverse=True)[1].astype(np.int64)
    return _Rows(numbered, np.concatenate(document), np.concatenate(long), documents, parameters.max_documents)
