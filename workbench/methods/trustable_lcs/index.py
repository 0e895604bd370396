"""The index of ``trustable-lcs``: candidate pairs, their texts, and the search for similar pairs."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench.base.messages import Message
from workbench.base.progress import NullProgress, Progress
from workbench.base.types import Document, Results
from workbench.methods.core.collection import keys, load_arrays, places, save_arrays
from workbench.methods.trustable_lcs.candidates import Candidates, Prints, candidates, fingerprints
from workbench.methods.trustable_lcs.pair import Findings, PageText, Step, examine, window_of
from workbench.methods.trustable_lcs.parameters import DROPPED, MORE, REFUSED, WITHOUT, TrustableParameters

_CANDIDATES = ("starts", "partners", "shared", "prints", "dropped", "more")
_ARRAYS = ("order", "sites", "text", "text_bounds", *_CANDIDATES)
_HELD = 1 << 23
"""Code points of opened texts in memory."""


@dataclass(frozen=True, slots=True)
class TrustableIndex:
    """d documents in the collection's order.

    ``order`` int64 [d]: their positions (see ``collection.places``); ``sites`` int64 [d]: numbers of their sites, -1
    for none; ``text`` uint8: their texts in UTF-8, document i at ``text_bounds[i]:text_bounds[i + 1]``.
    """

    order: NDArray[np.int64]
    sites: NDArray[np.int64]
    text: NDArray[np.uint8]
    text_bounds: NDArray[np.int64]
    candidates: Candidates
    parameters: TrustableParameters
    _pages: OrderedDict[int, PageText] = field(default_factory=OrderedDict)
    _opened: list[int] = field(default_factory=lambda: [0])

    @classmethod
    def load(cls, folder: Path, parameters: TrustableParameters) -> TrustableIndex:
        """Open a saved index, memory-mapped. Raises UserError if it is damaged."""
        arrays, _ = load_arrays(folder, _ARRAYS)
        candidates = Candidates(**{name: arrays[name] for name in _CANDIDATES})
        return cls(arrays["order"], arrays["sites"], arrays["text"], arrays["text_bounds"], candidates, parameters)

    def numbers(self, documents: Sequence[Document]) -> NDArray[np.int64]:
        """Numbers of ``documents`` in the index, -1 for absent ones: int64."""
        wanted = places(documents)
        at = np.searchsorted(self.order, wanted)
        known = at < len(self.order)
        known[known] = self.order[at[known]] == wanted[known]
        return np.where(known, at, -1)

    def number(self, document: Document) -> int | None:
        """Number of ``document`` in the index; None if it is absent."""
        number = int(self.numbers([document])[0])
        return number if number >= 0 else None

    def page(self, number: int) -> PageText:
        """The text of a document as compared; recent ones are cached."""
        if number in self._pages:
            self._pages.move_to_end(number)
            return self._pages[number]
        data = self.text[self.text_bounds[number] : self.text_bounds[number + 1]].tobytes()
        page = PageText.of(data.decode("utf-8", "surrogatepass"), self.parameters, int(self.sites[number]))
        self._pages[number] = page
        self._opened[0] += len(page)
        while len(self._pages) > 1 and self._opened[0] > _HELD:
            self._opened[0] -= len(self._pages.popitem(last=False)[1])
        return page


def write(batches: Iterable[list[Document]], parameters: TrustableParameters, folder: Path, progress: Progress) -> None:
    """Write the index of the documents in ``batches`` into ``folder``. Raises Cancelled.

    Texts are written to their file as they arrive; only the fingerprints are in memory.
    """
    order: list[NDArray[np.int64]] = [np.zeros(0, np.int64)]
    parts: list[Prints] = []
    sites: list[int] = []
    numbers: dict[str, int] = {}
    sizes: list[int] = []
    raw = folder / "text.utf8"
    with raw.open("wb") as out:
        for batch in batches:
            order.append(places(batch))
            parts.append(fingerprints(batch, parameters))
            for document in batch:
                sites.append(numbers.setdefault(document.site, len(numbers)) if document.site else -1)
                sizes.append(out.write(document.text.encode("utf-8", "surrogatepass")))
    prints = _joined(parts)
    read_batches = candidates(prints, np.array(sites, np.int64), parameters, progress)
    arrays: dict[str, NDArray[Any]] = {name: getattr(read_batches, name) for name in _CANDIDATES}
    arrays["order"] = np.concatenate(order)
    arrays["sites"] = np.array(sites, np.int64)
    arrays["text_bounds"] = np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)])
    arrays["text"] = np.memmap(raw, np.uint8, "r") if sum(sizes) else np.zeros(0, np.uint8)
    save_arrays(folder, arrays)
    del arrays
    raw.unlink()


def _joined(parts: list[Prints]) -> Prints:
    if not parts:
        return Prints(np.zeros(0, np.uint64), np.zeros(1, np.int64), np.zeros(0, np.int64))
    sizes = np.concatenate([np.diff(part.bounds) for part in parts])
    return Prints(
        np.concatenate([part.values for part in parts]),
        np.concatenate([[0], np.cumsum(sizes)]),
        np.concatenate([part.sentences for part in parts]),
    )


def find(
    index: TrustableIndex, documents: Sequence[Document], parameters: TrustableParameters, progress: Progress
) -> Results:
    """Similar pairs of ``documents`` with the indexed documents before them. Raises Cancelled."""
    findings = Findings()
    silent: list[str] = []
    candidates = index.candidates
    for document, number in zip(documents, index.numbers(documents).tolist(), strict=True):
        progress.check()
        if number < 0:
            continue
        if not candidates.prints[number]:
            silent.append(document.id)
        findings.left_out[DROPPED] += int(candidates.dropped[number])
        findings.left_out[MORE] += int(candidates.more[number])
        rows = slice(*candidates.starts[number : number + 2].tolist())
        if rows.start == rows.stop:
            continue
        page = PageText.of(document.text, parameters, int(index.sites[number]))
        partners = candidates.partners[rows]
        columns = partners.tolist(), keys(index.order[partners]).tolist(), candidates.shared[rows].tolist()
        for other, key, shared in zip(*columns, strict=True):
            progress.check()
            examine_into(findings, (document.key, key), (page, index.page(other)), shared, parameters, progress)
    findings.left_out[WITHOUT] = len(silent)
    if silent:
        progress.warn(
            Message(
                "{reason}, which need another method: {documents}.",
                reason=Message("Documents without any fingerprint"),
                documents=", ".join(silent),
            )
        )
    return findings.results()


def pages_of(a: Document, b: Document, parameters: TrustableParameters) -> tuple[PageText, PageText]:
    """Two documents as compared without an index."""
    site = 0 if a.site and a.site == b.site else -1
    return PageText.of(a.text, parameters, site), PageText.of(b.text, parameters, site)


def pair_alone(a: Document, b: Document, parameters: TrustableParameters) -> Results:
    """The pair alone, by all three steps; no other page can make it a candidate."""
    prints = fingerprints([a, b], parameters)
    shared = len(np.intersect1d(prints.of(0), prints.of(1), assume_unique=True))
    findings = Findings()
    findings.left_out[WITHOUT] = int((np.diff(prints.bounds) == 0).sum())
    if shared:
        examine_into(findings, (a.key, b.key), pages_of(a, b, parameters), shared, parameters, NullProgress())
    return findings.results()


def examine_into(
    findings: Findings,
    keys_of_pair: tuple[int, int],
    pages: tuple[PageText, PageText],
    shared: int,
    parameters: TrustableParameters,
    progress: Progress,
) -> None:
    """Add a pair to ``findings`` if it is similar; otherwise count the reason. Raises Cancelled."""
    examined = examine(*pages, parameters, progress, counts=False)
    if examined.step is Step.SIMILAR:
        findings.add(keys_of_pair, pages, examined, window_of(*pages, parameters), shared)
    elif examined.step in REFUSED:
        findings.left_out[REFUSED[examined.step]] += 1
