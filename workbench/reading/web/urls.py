"""The similarity of two addresses, and whether a link leads to a page.

Source of the similarity: Kang, Finding and Classifying Near-Duplicate Pages based on Identical Sentences Detection
(master's thesis, Kyoto University 2009), section 6.1.2.
"""

from __future__ import annotations

import re
from functools import lru_cache
from urllib.parse import unquote, urlsplit

from workbench.base.types import Document


def anchor_texts(document: Document, url: str) -> list[str]:
    """The distinct texts of the links from ``document`` to ``url``, in order; none if ``url`` is not the address of a
    page.
    """
    target = canonical(url)
    if not target:
        return []
    texts = (document.text[a.span.start : a.span.end] for a in document.anchors if canonical(a.address) == target)
    return list(dict.fromkeys(texts))


_ADDRESS = re.compile(r"(?:[A-Za-z][A-Za-z0-9+.-]*:)?//(?P<host>[^/?#]*)(?P<path>[^#]*)")
_NUMERIC = re.compile(r"[\d.]+|\[.*\]")
_ENDINGS = ("co.jp", "ac.jp", "ne.jp", "or.jp", "net", "com", "biz", "org")
_SECOND_LEVEL = frozenset(
    ("ac", "ad", "co", "com", "ed", "edu", "go", "gob", "gov", "gr", "lg", "mil", "ne", "net", "or", "org")
)
_INDEX_PAGE = re.compile(r"(?:index|default|welcome)(?:\.\w+)?", re.IGNORECASE)


def host_parts(host: str, *, every_top_level: bool = True) -> frozenset[str]:
    """The distinctive parts of a host: its labels, split at ``.`` and ``-``, without those shared by many hosts.

    Dropped are a leading label that contains ``www`` or is ``jp``, and a trailing net, com, biz, org, co.jp, ac.jp,
    ne.jp or or.jp; with ``every_top_level`` any other top-level domain as well (``cn``, ``co.uk``): the thesis keeps
    these, so that all hosts of a country resemble each other. Numeric addresses are only split.
    """
    labels = host.lower().rstrip(".").split(".")
    if not _NUMERIC.fullmatch(host):
        if len(labels) > 1 and ("www" in labels[0] or labels[0] == "jp"):
            labels = labels[1:]
        labels = _without_ending(labels, every_top_level)
    return frozenset(part for label in labels for part in label.split("-") if part)


def _without_ending(labels: list[str], every_top_level: bool) -> list[str]:
    for ending in _ENDINGS:
        parts = ending.split(".")
        if len(labels) > len(parts) and labels[-len(parts) :] == parts:
            return labels[: -len(parts)]
    if not every_top_level or len(labels) < 2:
        return labels
    national = len(labels) > 2 and len(labels[-1]) == 2 and labels[-2] in _SECOND_LEVEL
    return labels[: -2 if national else -1]


def provider(host: str) -> str:
    """The domain under which a host is registered, such as ``livedoor.jp`` for ``blog.livedoor.jp``; a numeric address
    unchanged.
    """
    labels = host.lower().rstrip(".").split(".")
    if _NUMERIC.fullmatch(host) or len(labels) < 2:
        return host.lower()
    national = len(labels) > 2 and len(labels[-1]) == 2 and labels[-2] in _SECOND_LEVEL
    return ".".join(labels[-3 if national else -2 :])


def path_parts(path: str) -> frozenset[str]:
    """The parts of a path and its query, split at slashes.

    Without a leading ``~`` or ``%7E`` and a last part that contains ``index``; a final ``html`` is read as ``htm``.
    """
    parts = [part for part in path.split("/") if part]
    if parts:
        parts[0] = re.sub(r"^(?:~|%7E)", "", parts[0], flags=re.IGNORECASE)
        parts[-1] = re.sub(r"html$", "htm", parts[-1])
        if "index" in parts[-1]:
            parts.pop()
    return frozenset(part for part in parts if part)


def url_similarity(a: str, b: str, *, every_top_level: bool = True) -> float:
    """Similarity of two URLs in [0, 1]: the mean of the Simpson coefficients of their hosts' and their paths' parts.

    An empty set of parts has similarity 0.
    """
    (host_a, path_a), (host_b, path_b) = (_parts(url, every_top_level) for url in (a, b))
    return (_simpson(host_a, host_b) + _simpson(path_a, path_b)) / 2


@lru_cache(maxsize=1 << 14)
def _parts(url: str, every_top_level: bool) -> tuple[frozenset[str], frozenset[str]]:
    match = _ADDRESS.match(url)
    if match is None:
        return frozenset(), path_parts(url)
    return host_parts(_bare(match["host"]), every_top_level=every_top_level), path_parts(match["path"])


def _simpson(a: frozenset[str], b: frozenset[str]) -> float:
    smaller = min(len(a), len(b))
    return len(a & b) / smaller if smaller else 0.0


def _bare(host: str) -> str:
    """``host`` without user name and port."""
    return re.sub(r":\d*$", "", host.rpartition("@")[2])


@lru_cache(maxsize=1 << 14)
def canonical(url: str) -> str:
    """A form that is equal for all addresses of a page; empty if ``url`` is not the absolute address of a page.

    Scheme, user, port, a leading ``www.``, fragment, trailing slash and a last part like ``index.html`` do not count;
    percent signs are decoded and the host is in lower case.
    """
    match = _ADDRESS.match(url.strip())
    if match is None:
        return ""
    host = _bare(match["host"]).lower().rstrip(".").removeprefix("www.")
    if not host:
        return ""
    try:
        split = urlsplit(match["path"] if match["path"].startswith(("/", "?")) else "/")
    except ValueError:
        return ""
    parts = [part for part in unquote(split.path).split("/") if part]
    if parts and _INDEX_PAGE.fullmatch(parts[-1]):
        parts.pop()
    query = f"?{unquote(split.query)}" if split.query else ""
    return "/".join([host, *parts]) + query
