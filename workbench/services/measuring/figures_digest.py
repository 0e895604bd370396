"""Figures of the digest at scale: the memory and the speed of collections of many sizes."""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from statistics import median
from tempfile import TemporaryDirectory

from workbench.base.errors import UserError
from workbench.base.messages import Message
from workbench.base.progress import Progress
from workbench.base.resources import cache_dir
from workbench.base.types import Document, Role
from workbench.evaluation.figures import Axis, Figure, Series
from workbench.jobs.context import Context
from workbench.methods.core import registry
from workbench.project.database import Connection
from workbench.services.detecting.corpus import ProjectCorpus
from workbench.services.measuring.figure_request import FigureRequest, numbers
from workbench.services.session import Session
from workbench.text.segmenting.segmentation import segments

SIZES = (500, 1_000, 2_000, 5_000, 10_000, 20_000)
"""Default numbers of documents in the collections."""
_EXAMINED = 500
_ROUNDS = 5
_POOL = 2_000
"""Documents whose sentences make up synthetic ones."""
_SHARE = 0.5
"""Share of the free disk space that the next index may take."""
_STAGE = Message("Measuring")
_HOUR = 3600


@dataclass(frozen=True, slots=True)
class Measured:
    """A collection of ``documents``: bytes of the index read by queries, and of all its files; ``rates``: documents per
    second on one processor, one per round.
    """

    documents: int
    resident: int
    files: int
    rates: tuple[float, ...]


class _Enlarged:
    """``size`` sources: those of ``own``, then synthetic ones, of sentences of ``own`` in random order, each numbered
    so that no two are equal.
    """

    def __init__(self, own: Sequence[Document], size: int) -> None:
        self._own = own[:size]
        self._size = size
        texts = [d for d in own if d.text.strip()][:_POOL]
        cut = [[d.text[a:b] for a, b in segments(d.text)] for d in texts]
        self._sentences = [sentence for sentences in cut for sentence in sentences]
        self._lengths = [len(sentences) for sentences in cut]

    def count(self, *roles: Role) -> int:
        """Number of documents in ``roles``."""
        return self._size if not roles or Role.SOURCE in roles else 0

    def documents(self, *roles: Role) -> Iterator[Document]:
        """All documents, the same ones every time, one in memory at a time."""
        if not self.count(*roles):
            return
        for key, document in enumerate(self._own, 1):
            yield replace(document, key=key, role=Role.SOURCE)
        rng = Random(1)
        for key in range(len(self._own) + 1, self._size + 1):
            sentences = rng.choices(self._sentences, k=rng.choice(self._lengths))
            yield Document(f"made{key}", "".join(f"{rng.getrandbits(40)}{s}" for s in sentences), key=key)


def measured(
    ctx: Progress, own: Sequence[Document], examined: Sequence[Document], sizes: Sequence[int]
) -> Iterator[Measured]:
    """Measurements of the digest for collections of ``sizes`` documents, ascending, made from ``own``; ``examined`` are
    the suspects.

    Stops before a size whose index would take more than half of the free disk space. Raises Cancelled.
    """
    from workbench.methods.digest.index import RESIDENT  # Needs the kernels, which listing the figures does not

    method = registry.get("digest")
    parameters = method.parameters.parse({"compare": "sources"})
    top = cache_dir() / "trials"
    top.mkdir(parents=True, exist_ok=True)
    known: Measured | None = None
    for step, size in enumerate(sizes):
        ctx.advance(_STAGE, step, len(sizes))
        with TemporaryDirectory(dir=top) as name:
            folder = Path(name)
            if known is not None and size * known.files / known.documents > _SHARE * shutil.disk_usage(folder).free:
                return
            method.prepare(_Enlarged(own, size), parameters, folder, _QuietProgress(ctx))
            index = method.load(folder, parameters)
            method.detect(index, examined, parameters, ctx)
            rates = []
            for _ in range(_ROUNDS):
                ctx.check()
                begun = time.process_time()
                method.detect(index, examined, parameters, ctx)
                rates.append(len(examined) / max(time.process_time() - begun, 1e-9))
            sizes_of = {path.stem: path.stat().st_size for path in folder.rglob("*") if path.is_file()}
            del index
        known = Measured(size, sum(sizes_of[part] for part in RESIDENT), sum(sizes_of.values()), tuple(rates))
        yield known
    ctx.advance(_STAGE, len(sizes), len(sizes))


def memory_by_documents(ctx: Context, path: Path, request: FigureRequest) -> Figure:
    """Memory of the index against the number of documents (figure 5)."""
    points, notes = _measure(ctx, path, request)
    x = tuple(float(p.documents) for p in points)
    lines = (
        Series(Message("all files of the index"), x, tuple(p.files / 1e6 for p in points)),
        Series(Message("the part that every query may read"), x, tuple(p.resident / 1e6 for p in points)),
    )
    each = Message(
        "{resident} bytes per document in memory, {files} in all files, at {documents} documents.",
        resident=f"{points[-1].resident / points[-1].documents:.0f}",
        files=f"{points[-1].files / points[-1].documents:.0f}",
        documents=f"{points[-1].documents:,}",
    )
    axes = Axis(Message("documents indexed"), log=True), Axis(Message("size (MB)"), log=True)
    return Figure(Message("Scale and memory of the digest"), *axes, lines, (each, *notes))


def speed_by_documents(ctx: Context, path: Path, request: FigureRequest) -> Figure:
    """Documents matched in an hour against the number of documents (figure 5)."""
    points, notes = _measure(ctx, path, request)
    x = tuple(float(p.documents) for p in points)
    rates = [[rate * _HOUR / 1e6 for rate in p.rates] for p in points]
    band = tuple((min(r), max(r)) for r in rates)
    line = Series(Message("matched from raw text"), x, tuple(map(median, rates)), "line", band)
    how = Message(
        "Medians of {rounds} rounds on one processor; the band spans the slowest to the fastest.", rounds=_ROUNDS
    )
    axes = Axis(Message("documents indexed"), log=True), Axis(Message("documents per hour (millions)"), low=0)
    return Figure(Message("Scale and speed of the digest"), *axes, (line,), (how, *notes))


def _measure(ctx: Context, path: Path, request: FigureRequest) -> tuple[list[Measured], tuple[str, ...]]:
    """The measurements, with notes. Raises UserError if there are no documents to measure with."""
    sizes = sorted({int(value) for value in numbers(request, SIZES)})
    if sizes[0] < 1:
        raise UserError(Message("A collection needs at least one document."))
    with Session(path, write=False) as session, session.read() as connection:
        own, examined = _documents(connection, sizes[-1])
    points = list(measured(ctx, own, examined, sizes))
    notes = [
        Message(
            "{examined} documents of this project were examined, with {short} characters on average; of the indexed "
            "documents, with {long} characters, up to {own} are its own, and the others are assembled from their "
            "sentences.",
            examined=f"{len(examined):,}",
            short=f"{_length(examined):,.0f}",
            long=f"{_length(own):,.0f}",
            own=f"{len(own):,}",
        )
    ]
    if len(points) < len(sizes):
        left = ", ".join(f"{size:,}" for size in sizes[len(points) :])
        notes.append(Message("Not measured, for lack of disk space: {sizes} documents.", sizes=left))
    return points, tuple(notes)


def _documents(connection: Connection, most: int) -> tuple[list[Document], list[Document]]:
    """Up to ``most`` sources, and the documents to examine; if one role has none, those of the other."""
    corpus = ProjectCorpus(connection)
    roles = [role for role in (Role.SOURCE, Role.SUSPECT, Role.BACKGROUND) if corpus.count(role)]
    if not roles:
        raise UserError(Message("There are no documents to measure."))
    own = [document for document, _ in zip(corpus.documents(roles[0]), range(most), strict=False)]
    role = Role.SUSPECT if Role.SUSPECT in roles else roles[0]
    suspects = [document for document, _ in zip(corpus.documents(role), range(_EXAMINED), strict=False)]
    if not any(segments(document.text) for document in own):
        raise UserError(Message("The documents of this project have no text to measure."))
    return own, [replace(d, role=Role.SUSPECT, key=-i) for i, d in enumerate(suspects, 1)]


def _length(documents: Sequence[Document]) -> float:
    return sum(len(d.text) for d in documents) / len(documents)


class _QuietProgress:
    """Passes on cancellation and warnings, but not the progress of a single index."""

    def __init__(self, ctx: Progress) -> None:
        self.check, self.warn = ctx.check, ctx.warn

    def advance(self, stage: str, done: int, total: int | None = None) -> None:
        """Does nothing: progress counts the indexes built."""
        self.check()
