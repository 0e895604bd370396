"""Baselines: scores of documents that need no run, only their texts, addresses and links.

They are the related work of Takeda and Takasu (2009, section 2.1). Those that learn from labels score each document by
a model that has not seen it (ten-fold cross-validation), so only labelled documents have a score.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import inf, log, log2
from types import MappingProxyType
from typing import Any
from urllib.parse import urlsplit

import numpy as np
from numpy.typing import NDArray

from workbench.base.errors import UserError
from workbench.base.messages import Message
from workbench.base.types import Document
from workbench.project.database import Connection
from workbench.project.documents import iter_documents
from workbench.project.listing import document_table

LENGTH = "length"
"""A document's number of characters."""
_WRITTEN = re.compile(r"\b(?:https?://|www\.)[\w.~:/?#\[\]@!$&'*+,;=%-]+", re.ASCII | re.IGNORECASE)
_WORD = re.compile(r"[a-z]{2,}")
_PIECE = re.compile(r"[a-z0-9]+")
_LONGEST_WORD = 24
_SHORTEST_NAME = 5
"""Minimum length of a part of a host name, in characters: a shorter one says little about being random."""
_ALPHABET = 38
"""Letters, digits, and the two ends of a word."""
_COMMON = 2
"""Sites that two documents must both link to (Ishida's co-citation)."""

Bags = Sequence[NDArray[Any]]


@dataclass(frozen=True, slots=True)
class _Read:
    """Documents of a project; ``truth`` parallel to them, None where there is no label."""

    documents: Sequence[Document]
    truth: Sequence[bool | None]

    def labelled(self, bags: Bags, learn: Callable[[Bags, NDArray[np.bool_]], NDArray[Any]]) -> dict[str, float]:
        """The scores that ``learn`` gives the labelled documents from their ``bags``."""
        rows = [at for at, label in enumerate(self.truth) if label is not None]
        positive = np.array([bool(self.truth[at]) for at in rows], np.bool_)
        if not rows or positive.all() or not positive.any():
            raise UserError(Message("This baseline learns from labels: it needs positive and negative ones."))
        scores = learn([bags[at] for at in rows], positive)
        return {self.documents[at].id: float(score) for at, score in zip(rows, scores.tolist(), strict=True)}

    def of_all(self, scores: NDArray[Any]) -> dict[str, float]:
        """``scores`` of all documents, by id."""
        return {document.id: float(score) for document, score in zip(self.documents, scores.tolist(), strict=True)}


def _words(read: _Read) -> dict[str, float]:
    from workbench.evaluation.classifiers import svm_apart

    return read.labelled(_token_bags(read.documents), svm_apart)


def _anchors(read: _Read) -> dict[str, float]:
    from workbench.evaluation.classifiers import svm_apart

    texts = ["\n".join(d.text[a.span.start : a.span.end] for a in d.anchors) for d in read.documents]
    return read.labelled(_any(_token_bags([Document("", text) for text in texts]), _NO_LINKS), svm_apart)


def _urls(read: _Read) -> dict[str, float]:
    from workbench.evaluation.classifiers import svm_apart

    pieces = [(p for link in _links(d) for p in _PIECE.findall(link.casefold())) for d in read.documents]
    return read.labelled(_any(_numbered(pieces), _NO_LINKS), svm_apart)


def _host_words(read: _Read) -> dict[str, float]:
    from workbench.evaluation.classifiers import bayes_apart

    frequency = _frequencies(read.documents)
    words = [_segmented(d.url.partition("://")[2].casefold(), frequency) for d in read.documents]
    bags = _any(_numbered(words), _NO_ADDRESSES)
    sites = _sites([d for d, label in zip(read.documents, read.truth, strict=True) if label is not None])
    return read.labelled(bags, lambda some, positive: bayes_apart(some, positive, sites))


def _random_host(read: _Read) -> dict[str, float]:
    names = [_names(_host(d.url)) for d in read.documents]
    if not any(names):
        raise UserError(_NO_ADDRESSES)
    known = Counter(word for d in read.documents for word in {*_WORD.findall(d.text.casefold())})
    hosts = {name for each in names for name in each}
    pairs = Counter(p for word in hosts | {w for w, n in known.items() if n > 1} for p in pairwise(f"^{word}$"))
    single = Counter[str]()
    for (first, _), count in pairs.items():
        single[first] += count

    def bits(name: str) -> float:
        own = Counter(pairwise(f"^{name}$"))
        before = Counter(first for first, _ in own.elements())
        chances = (
            (pairs[p] - own[p] + 0.5) / (single[p[0]] - before[p[0]] + 0.5 * _ALPHABET) for p in pairwise(f"^{name}$")
        )
        return -sum(map(log2, chances)) / (len(name) + 1)

    return read.of_all(np.array([max(map(bits, each), default=0.0) for each in names]))


def _link_farm(read: _Read) -> dict[str, float]:
    from workbench.evaluation.classifiers import sharing

    targets = [{_host(link) for link in _links(d)} - {"", _site(d)} for d in read.documents]
    return read.of_all(sharing(_any(_numbered(targets), _NO_LINKS), _sites(read.documents), _COMMON))


def _self_similarity(read: _Read) -> dict[str, float]:
    from workbench.evaluation.classifiers import likeness

    sites = _sites(read.documents)
    if len(np.unique(sites)) == len(sites):
        raise UserError(_NO_SITES)
    return read.of_all(likeness(_token_bags(read.documents), sites))


_NO_LINKS = Message("No document has a link that this baseline can use.")
_NO_ADDRESSES = Message("No document has an address (url) that this baseline can use.")
_NO_SITES = Message("This baseline compares documents of the same site, and no two documents are from the same site.")

_SCORES: Mapping[str, tuple[Message, Callable[[_Read], dict[str, float]]]] = MappingProxyType(
    {
        "words": (Message("Words of the text, learnt"), _words),
        "anchors": (Message("Words of links, learnt"), _anchors),
        "urls": (Message("Addresses linked to, learnt"), _urls),
        "host-words": (Message("Words in the address, learnt"), _host_words),
        "random-host": (Message("Random host name"), _random_host),
        "link-farm": (Message("Links in common with other sites"), _link_farm),
        "self-similarity": (Message("Likeness to other pages of the site"), _self_similarity),
    }
)
"""``words``, ``anchors`` and ``urls``: Kolari, Finin and Joshi (2006), linear support vector machines on the words of a
text, of its links, and on the pieces of the addresses it links to or writes out. ``host-words``: Salvetti and Nicolov
(2006), naive Bayes on the words into which a document's address is divided. ``random-host``: bits per letter of the
host name's least probable part, under the bigrams of words and of other host names (Takeda and Takasu's remark on
random names). ``link-farm``: documents of other sites that link to two of the same other sites (co-citation, Ishida
2008). ``self-similarity``: mean cosine with the site's other documents (Lin et al. 2007, content only).
"""
BASELINES: Mapping[str, Message] = MappingProxyType(
    {LENGTH: Message("Length of the text")} | {name: title for name, (title, _) in _SCORES.items()}
)
"""The title of each baseline by its name."""


def baseline_scores(connection: Connection, name: str, truth: Mapping[str, bool]) -> dict[str, float]:
    """Scores of documents, by id, under the baseline ``name``; ``truth``: which of the labelled ones are positive.

    Raises UserError if the documents lack the required data.
    """
    if name == LENGTH:
        table = document_table(connection, run_id=None)
        return dict(zip(table.id, map(float, table.length.tolist()), strict=True))
    return scores_of(name, list(iter_documents(connection)), truth)


def scores_of(name: str, documents: Sequence[Document], truth: Mapping[str, bool]) -> dict[str, float]:
    """:func:`baseline_scores` of ``documents``, under any baseline except :data:`LENGTH`."""
    _, score = _SCORES[name]
    return score(_Read(documents, [truth.get(d.id) for d in documents]))


def _token_bags(documents: Sequence[Document]) -> Bags:
    from workbench.methods.core.collection import batches
    from workbench.methods.core.token_parameters import TokenParameters
    from workbench.methods.core.tokenising import tokenise

    bags: list[NDArray[Any]] = []
    for batch in batches(documents):
        tokens = tokenise(batch, TokenParameters())
        bags += np.split(tokens.values, tokens.bounds[1:-1])
    return bags


def _numbered(items: Iterable[Iterable[str]]) -> Bags:
    numbers: dict[str, int] = {}
    return [np.array([numbers.setdefault(item, len(numbers)) for item in each], np.int64) for each in items]


def _any(bags: Bags, problem: Message) -> Bags:
    if not any(len(bag) for bag in bags):
        raise UserError(problem)
    return bags


def _links(document: Document) -> Iterator[str]:
    yield from document.links
    yield from _WRITTEN.findall(document.text)


def _host(address: str) -> str:
    try:
        host = urlsplit(address if "://" in address else f"//{address}").hostname or ""
    except ValueError:
        return ""
    return host.removeprefix("www.")


def _site(document: Document) -> str:
    return _host(document.url) or document.site


def _sites(documents: Sequence[Document]) -> NDArray[np.int64]:
    """A number for each site; each document without a site gets its own number."""
    names = [_site(d) or (at,) for at, d in enumerate(documents)]
    numbers = {name: number for number, name in enumerate(dict.fromkeys(names))}
    return np.array([numbers[name] for name in names], np.int64)


def _names(host: str) -> list[str]:
    """The parts of a host name that are long enough to judge, without the last and those of digits."""
    parts = (part for label in host.split(".")[:-1] for part in label.split("-"))
    return [part for part in parts if len(part) >= _SHORTEST_NAME and _PIECE.fullmatch(part) and not part.isdigit()]


def _frequencies(documents: Sequence[Document]) -> Counter[str]:
    """Document frequency of each Latin word."""
    texts = (d.text.casefold() for d in documents)
    return Counter(word for text in texts for word in {*_WORD.findall(text)} if len(word) <= _LONGEST_WORD)


def _segmented(address: str, frequency: Mapping[str, int]) -> Iterator[str]:
    """Pieces of an address, each divided into its most probable words.

    An unknown string of k letters has the probability 10 / (N 10^k) (Norvig, in Beautiful Data, 2009, chapter 14), so a
    name that occurs in no text is not divided unless it consists of words.
    """
    total = max(1, sum(frequency.values()))
    for piece in _PIECE.findall(address):
        best: list[tuple[float, int]] = [(0.0, 0)]
        for end in range(1, len(piece) + 1):
            chances = []
            for start in range(max(0, end - _LONGEST_WORD), end):
                times = frequency.get(piece[start:end], 0)
                chance = log(times / total) if times else log(10 / total) - (end - start) * log(10)
                chances.append((best[start][0] + chance, start))
            best.append(max(chances, default=(-inf, 0)))
        words, end = [], len(piece)
        while end:
            start = best[end][1]
            words.append(piece[start:end])
            end = start
        yield from reversed(words)
