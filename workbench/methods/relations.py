"""What two pages that share rare sentences are to each other: the decision tree, and which of them came first.

Source: Kang, Finding and Classifying Near-Duplicate Pages based on Identical Sentences Detection (master's thesis,
Kyoto University 2009), section 6.2 and figure 16. Where a page has no address, its address counts as unlike.
"""

from __future__ import annotations

import calendar
import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone
from enum import StrEnum


class Relation(StrEnum):
    """Relations of two pages."""

    MIRROR = "mirror"
    IDENTICAL_COPY = "identical copy"
    ARCHIVE = "archive"
    LINK_COLLECTION = "link collection"
    INCLUSION = "inclusion"
    SAME_SITE = "same site"
    CITATION = "citation"
    SHARED_SENTENCES = "shared sentences"

    @property
    def meaning(self) -> str:
        """One line that says when a pair is of this relation."""
        return _MEANINGS[self]


_MEANINGS = {
    Relation.MIRROR: "Nearly the same text at similar addresses",
    Relation.IDENTICAL_COPY: "Nearly the same text at addresses that are unlike or unknown: a copy, or a standard page",
    Relation.ARCHIVE: "One page holds the other, at similar addresses, as a month holds its days",
    Relation.LINK_COLLECTION: "One page holds the other and links to it; the addresses are unlike",
    Relation.INCLUSION: "One page holds the other without a link to it; the addresses are unlike or unknown",
    Relation.SAME_SITE: "Part of the text is the same, at similar addresses",
    Relation.CITATION: "Part of the text is the same and one page links to the other; lists of links are alike",
    Relation.SHARED_SENTENCES: "Part of the text is the same; no link, and the addresses are unlike or unknown",
}


class Direction(StrEnum):
    """Which of the pages ``a`` and ``b`` took from the other."""

    A_FROM_B = "a from b"
    B_FROM_A = "b from a"
    UNKNOWN = "cannot tell"


@dataclass(frozen=True, slots=True)
class Thresholds:
    """Above which overlap two pages are identical, above which Simpson coefficient one holds the other, and above
    which similarity addresses are similar; the thesis has 0.6, 0.5 and 0.
    """

    identical: float = 0.6
    inclusion: float = 0.5
    similar_url: float = 0.0


@dataclass(frozen=True, slots=True)
class Facts:
    """What is known of a pair.

    ``overlap`` R and ``simpson`` in [0, 1]; ``a_is_larger``: ``a`` has more text, so it is ``a`` that may hold ``b``;
    ``url_similarity`` in [0, 1], None where an address is unknown; ``link_ab``: ``a`` links to ``b``;
    ``published``: the times in seconds, first and one past the last, between which each page appeared, if known.
    """

    overlap: float
    simpson: float
    a_is_larger: bool = False
    url_similarity: float | None = None
    link_ab: bool = False
    link_ba: bool = False
    published_a: tuple[float, float] | None = None
    published_b: tuple[float, float] | None = None


@dataclass(frozen=True, slots=True)
class Decision:
    """The relation, who took from whom, and the steps that led to either, each a short sentence in English."""

    relation: Relation
    direction: Direction
    steps: tuple[str, ...]
    direction_step: str


def decide(facts: Facts, thresholds: Thresholds = Thresholds()) -> Decision:
    """The path of a pair through the tree."""
    steps: list[str] = []
    relation = _relation(facts, thresholds, steps)
    direction, why = _direction(facts)
    return Decision(relation, direction, tuple(steps), why)


def _relation(facts: Facts, thresholds: Thresholds, steps: list[str]) -> Relation:
    identical = _above("R", facts.overlap, thresholds.identical, "identical", steps)
    included = not identical and _above("Simpson", facts.simpson, thresholds.inclusion, "inclusion", steps)
    if not (identical or included):
        steps.append("part of the text")
    if facts.url_similarity is None:
        similar = False
        steps.append("no URL known")
    else:
        similar = _above("URL similarity", facts.url_similarity, thresholds.similar_url, "similar URL", steps)
        if not similar:
            steps.append("unlike URL")
    if identical:
        return Relation.MIRROR if similar else Relation.IDENTICAL_COPY
    if similar:
        return Relation.ARCHIVE if included else Relation.SAME_SITE
    if included:
        linked = facts.link_ab if facts.a_is_larger else facts.link_ba
        steps.append("link to the page it holds" if linked else "no link to the page it holds")
        return Relation.LINK_COLLECTION if linked else Relation.INCLUSION
    linked = facts.link_ab or facts.link_ba
    steps.append(f"link {_links(facts)}" if linked else "no link")
    return Relation.CITATION if linked else Relation.SHARED_SENTENCES


def _above(name: str, value: float, threshold: float, conclusion: str, steps: list[str]) -> bool:
    above = value > threshold
    steps.append(
        f"{name} {value:.3g} > {threshold:g}: {conclusion}" if above else f"{name} {value:.3g} <= {threshold:g}"
    )
    return above


def _links(facts: Facts) -> str:
    if facts.link_ab and facts.link_ba:
        return "in both directions"
    return "from a to b" if facts.link_ab else "from b to a"


def _direction(facts: Facts) -> tuple[Direction, str]:
    """By dates; else by a link in one direction only."""
    a, b = facts.published_a, facts.published_b
    if a and b and a[1] <= b[0]:
        return Direction.B_FROM_A, "a was published before b"
    if a and b and b[1] <= a[0]:
        return Direction.A_FROM_B, "b was published before a"
    dates = "the dates are the same" if a and b else "a date is missing"
    if facts.link_ab != facts.link_ba:
        return (Direction.A_FROM_B if facts.link_ab else Direction.B_FROM_A), f"link {_links(facts)}"
    return Direction.UNKNOWN, f"{dates}, {'links in both directions' if facts.link_ab else 'no link'}"


_DATE = re.compile(
    r"\s*(\d{4})(?:-(\d\d?)(?:-(\d\d?)(?:[T ](\d\d?):(\d\d)(?::(\d\d)(?:[.,]\d+)?)?\s*(Z|[+-]\d\d:?\d\d)?)?)?)?\s*",
    re.IGNORECASE,
)


def interval(published: str) -> tuple[float, float] | None:
    """Seconds since 1970, first and one past the last, that an ISO 8601 date may mean; None for any other text.

    A year or month means all of it. Without a time zone the date is one of UTC.
    """
    found = _DATE.fullmatch(published)
    if found is None:
        return None
    year, month, day, hour, minute, second = (int(x) if x else None for x in found.groups()[:6])
    try:
        start = datetime(year or 0, month or 1, day or 1, hour or 0, minute or 0, second or 0, tzinfo=_zone(found[7]))
        first = start.timestamp()
    except (ValueError, OverflowError):
        return None
    if month is None:
        length = timedelta(days=366 if calendar.isleap(start.year) else 365)
    elif day is None:
        length = timedelta(days=calendar.monthrange(start.year, month)[1])
    elif hour is None:
        length = timedelta(days=1)
    else:
        length = timedelta(seconds=60 if second is None else 1)
    return first, first + length.total_seconds()


def _zone(written: str | None) -> timezone:
    if not written or written in "Zz":
        return UTC
    minutes = int(written[1:3]) * 60 + int(written[-2:])
    return timezone(timedelta(minutes=-minutes if written[0] == "-" else minutes))
