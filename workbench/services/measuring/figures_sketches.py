"""Figures of sketches: how the features of a pair vote on its SimHash bits, and its MinHash signatures."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from workbench.base.messages import Message
from workbench.base.types import Document, Run
from workbench.evaluation.figures import Axis, Figure, Series
from workbench.jobs.context import Context
from workbench.methods.core import registry
from workbench.methods.core.content import content_view
from workbench.project.database import open_project
from workbench.project.documents import load_document
from workbench.services.detecting.indexing import index_folder
from workbench.services.measuring.figure_request import FigureRequest, base_run, chosen_pair
from workbench.services.session import Session


def _opened(ctx: Context, path: Path, request: FigureRequest, name: str) -> tuple[Run, Any, tuple[Document, Document]]:
    """A run of the method, its settings, and two documents as compared: the requested ones, else the reported pair with
    the lowest score.
    """
    run = base_run(ctx, path, name, request)
    parameters = registry.get(name).parameters.parse(run.parameters)
    ids = chosen_pair(path, request, run, lambda pair: -pair.score)
    with Session(path, write=False) as session, session.read() as connection:
        a, b = (load_document(connection, one) for one in ids)
    if parameters.content:
        a, b = content_view(a)[0], content_view(b)[0]
    return run, parameters, (a, b)


def simhash_votes(ctx: Context, path: Path, request: FigureRequest) -> Figure:
    """The sum of the votes of both documents' features at each bit, as a share of their weight (figure 1 of the
    survey): a bit is 1 where the sum is not negative, and differs where the two sums have different signs.
    """
    from workbench.methods.sketches.simhash.index import votes

    run, parameters, documents = _opened(ctx, path, request, "simhash")
    method = registry.get("simhash")
    with open_project(path, write=False) as project:
        rarity = method.load(index_folder(project, method, parameters, ctx), parameters).inner.rarity
    sums = votes(documents, parameters, rarity)
    heaviest = np.maximum(np.abs(sums).max(axis=1, keepdims=True), 1)
    shares = sums / heaviest
    bits = tuple(map(float, range(1, parameters.bits + 1)))
    differ = np.flatnonzero((sums[0] >= 0) != (sums[1] >= 0))
    lines = [
        Series(document.id, bits, tuple(share.tolist()), "points")
        for document, share in zip(documents, shares, strict=True)
    ]
    if len(differ):
        lines.append(
            Series(Message("bits that differ"), tuple((differ + 1.0).tolist()), (0.0,) * len(differ), "points")
        )
    note = Message(
        "Run {run}: {count} of {bits} bits differ; at most {most} may.",
        run=run.id,
        count=len(differ),
        bits=parameters.bits,
        most=parameters.max_distance,
    )
    axes = Axis(Message("bit")), Axis(Message("votes, as a share of the highest"), low=-1.05, high=1.05)
    return Figure(Message("Votes of features"), *axes, tuple(lines), (note,))


def minhash_signatures(ctx: Context, path: Path, request: FigureRequest) -> Figure:
    """Where the signatures of both documents are equal, band by band, and the bands that are equal throughout (figure 2
    of the survey: each column of its matrix is a document, each row the least hash in one random order).
    """
    from workbench.methods.sketches.minhash.sketch import signed

    run, parameters, documents = _opened(ctx, path, request, "minhash")
    first, second = signed(documents, parameters, parameters.k, parameters.permutations)["signatures"]
    agree = first == second
    bands, rows = np.divmod(np.arange(parameters.bands * parameters.rows), parameters.rows)
    matrix = agree[: len(bands)]
    banded = matrix.reshape(parameters.bands, parameters.rows).all(axis=1)
    whole = matrix & banded[bands]
    kinds = (
        (Message("band equal throughout"), whole),
        (Message("equal"), matrix & ~whole),
        (Message("different"), ~matrix),
    )
    lines = [
        Series(name, tuple((bands[some] + 1.0).tolist()), tuple((rows[some] + 1.0).tolist()), "points")
        for name, some in kinds
        if some.any()
    ]
    note = Message(
        "Run {run}, {a} and {b}: {count} of {orders} values are equal, an estimated resemblance of {estimate}; "
        "{bands} of {all} bands of {rows} values are equal throughout, and one is enough.",
        run=run.id,
        a=documents[0].id,
        b=documents[1].id,
        count=int(agree.sum()),
        orders=parameters.permutations,
        estimate=f"{agree.mean():.3f}",
        bands=int(banded.sum()),
        all=parameters.bands,
        rows=parameters.rows,
    )
    axes = Axis(Message("band")), Axis(Message("value of the band"), low=0, high=parameters.rows + 1.0)
    return Figure(Message("Signatures"), *axes, tuple(lines), (note,))
