"""The inputs of the relation of two pages other than shared sentences, as columns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from workbench.base.types import Document
from workbench.methods.rare_sentences.relations import interval
from workbench.reading.web.urls import canonical, url_similarity

_NO_TIME = (0.0, 0.0)


@dataclass(frozen=True, slots=True)
class Pages:
    """n pages.

    ``characters`` int64 [n]: total of its sentences; ``address`` uint64 [n]: hash of the canonical URL, 0 for none;
    ``published`` float64 [2n]: the first second and one past the last in which each may have appeared, equal if
    unknown. Page i has the ``links`` (uint64, ascending: hashes as in ``address``) ``link_bounds[i]:link_bounds[i +
    1]``, and ``urls`` (uint8, UTF-8) likewise by ``url_bounds``.
    """

    characters: NDArray[np.int64]
    address: NDArray[np.uint64]
    published: NDArray[np.float64]
    link_bounds: NDArray[np.int64]
    links: NDArray[np.uint64]
    url_bounds: NDArray[np.int64]
    urls: NDArray[np.uint8]

    @classmethod
    def of(cls, documents: Sequence[Document], characters: NDArray[np.int64]) -> Pages:
        """The pages of ``documents``, whose sentences have ``characters``."""
        shown = [_shown(document) for document in documents]
        urls = [url.encode("utf-8", "replace") for url in shown]
        addresses = [address_code(url) if d.url else 0 for url, d in zip(shown, documents, strict=True)]
        links = [sorted({h for link in d.links if (h := address_code(link))}) for d in documents]
        return cls(
            characters,
            np.array(addresses, np.uint64),
            np.array([interval(d.published) or _NO_TIME for d in documents], np.float64).ravel(),
            _bounds(links),
            np.array([h for hashes in links for h in hashes], np.uint64),
            _bounds(urls),
            np.frombuffer(b"".join(urls), np.uint8),
        )

    def url(self, page: int) -> str:
        """The address of ``page``, or of its site; empty if neither is known."""
        return self.urls[self.url_bounds[page] : self.url_bounds[page + 1]].tobytes().decode("utf-8", "replace")

    def linking(self, page: NDArray[np.int64], address: NDArray[np.uint64]) -> NDArray[np.bool_]:
        """Whether the pages with the numbers ``page`` link to ``address``, row by row."""
        low, end = self.link_bounds[page], self.link_bounds[page + 1]
        high = np.where(address == 0, low, end)
        # A binary search in all rows simultaneously.
        while len(open_rows := np.flatnonzero(low < high)):
            middle = (low[open_rows] + high[open_rows]) // 2
            less = self.links[middle] < address[open_rows]
            low[open_rows] = np.where(less, middle + 1, low[open_rows])
            high[open_rows] = np.where(less, high[open_rows], middle)
        linked: NDArray[np.bool_] = (address != 0) & (low < end)
        linked[linked] = self.links[low[linked]] == address[linked]
        return linked


def likenesses(
    a: Pages, mine: NDArray[np.int64], b: Pages, other: NDArray[np.int64], *, every_top_level: bool
) -> NDArray[np.float64]:
    """The similarity of the addresses of pages, row by row; NaN if one is unknown."""
    alike = np.full(len(mine), np.nan)
    known = np.flatnonzero((np.diff(a.url_bounds)[mine] > 0) & (np.diff(b.url_bounds)[other] > 0))
    if len(known):
        pairs = zip(_urls(a, mine[known]), _urls(b, other[known]), strict=True)
        alike[known] = [url_similarity(x, y, every_top_level=every_top_level) for x, y in pairs]
    return alike


def _urls(pages: Pages, numbers: NDArray[np.int64]) -> Iterator[str]:
    distinct, place = np.unique(numbers, return_inverse=True)
    urls = [pages.url(number) for number in distinct.tolist()]
    return (urls[at] for at in place.tolist())


def _bounds(parts: Sequence[Sequence[int]]) -> NDArray[np.int64]:
    return np.concatenate([[0], np.cumsum([len(part) for part in parts])]).astype(np.int64)


def _shown(document: Document) -> str:
    url = document.url or (f"//{document.site}/" if document.site else "")
    return f"//{url}" if url and "//" not in url else url


@lru_cache(maxsize=1 << 16)
def address_code(url: str) -> int:
    """A hash of the canonical form of an address, by which links and addresses are compared; 0 for no address."""
    plain = canonical(url)
    return int.from_bytes(blake2b(plain.encode("utf-8", "replace"), digest_size=8).digest(), "big") if plain else 0
