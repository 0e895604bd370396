"""The relation of two pages that share rare sentences: the decision tree, and which page came first.

Source: Kang, Finding and Classifying Near-Duplicate Pages based on Identical Sentences Detection (master's thesis,
Kyoto University 2009), section 6.2 and figure 16. A missing address counts as dissimilar.
"""

from __future__ import annotations

import calendar
import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone
from enum import StrEnum

from workbench.base.messages import Message


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
        """The definition of this relation, in one line."""
        return _MEANINGS[self]


_MEANINGS = {
    Relation.MIRROR: "Nearly the same text at similar addresses",
    Relation.IDENTICAL_COPY: "Nearly the same text at different or unknown addresses: a copy, or a standard page",
    Relation.ARCHIVE: "One page contains the other, at similar addresses, as the archive of a month contains its days",
    Relation.LINK_COLLECTION: "One page contains the other and links to it; the addresses differ",
    Relation.INCLUSION: "One page contains the other without a link to it; the addresses differ or are unknown",
    Relation.SAME_SITE: "Part of the text is the same, at similar addresses",
    Relation.CITATION: "Part of the text is the same and one page links to the other; lists of links are alike",
    Relation.SHARED_SENTENCES: "Part of the text is the same; no link, and the addresses differ or are unknown",
}


class Direction(StrEnum):
    """Which of the pages ``a`` and ``b`` copied from the other."""

    A_FROM_B = "a from b"
    B_FROM_A = "b from a"
    UNKNOWN = "cannot tell"


@dataclass(frozen=True, slots=True)
class Thresholds:
    """The overlap above which two pages are identical, the Simpson coefficient above which one contains the other, and
    the similarity above which addresses are similar; the thesis uses 0.6, 0.5 and 0.
    """

    identical: float = 0.6
    inclusion: float = 0.5
    similar_url: float = 0.0


@dataclass(frozen=True, slots=True)
class Facts:
    """The facts about a pair.

    ``overlap`` R and ``simpson`` in [0, 1]; ``a_is_larger``: ``a`` has more text, so ``a`` may contain ``b``;
    ``url_similarity`` in [0, 1], None if an address is unknown; ``link_ab``: ``a`` links to ``b``; ``published``: the
    first second, and one past the last, in which each page may have appeared, if known.
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
    """The relation, the direction of copying, and the steps to each conclusion, as short English sentences."""

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
    identical = _above(_IDENTICAL, facts.overlap, thresholds.identical, steps)
    included = not identical and _above(_INCLUSION, facts.simpson, thresholds.inclusion, steps)
    if not (identical or included):
        steps.append(Message("part of the text"))
    if facts.url_similarity is None:
        similar = False
        steps.append(Message("no URL known"))
    else:
        similar = _above(_SIMILAR_URL, facts.url_similarity, thresholds.similar_url, steps)
        if not similar:
            steps.append(Message("dissimilar URLs"))
    if identical:
        return Relation.MIRROR if similar else Relation.IDENTICAL_COPY
    if similar:
        return Relation.ARCHIVE if included else Relation.SAME_SITE
    if included:
        linked = facts.link_ab if facts.a_is_larger else facts.link_ba
        steps.append(Message("link to the page it contains") if linked else Message("no link to the page it contains"))
        return Relation.LINK_COLLECTION if linked else Relation.INCLUSION
    linked = facts.link_ab or facts.link_ba
    steps.append(_links(facts) if linked else Message("no link"))
    return Relation.CITATION if linked else Relation.SHARED_SENTENCES


_IDENTICAL = Message("R {value} > {limit}: identical"), Message("R {value} <= {limit}")
_INCLUSION = Message("Simpson {value} > {limit}: inclusion"), Message("Simpson {value} <= {limit}")
_SIMILAR_URL = Message("URL similarity {value} > {limit}: similar URL"), Message("URL similarity {value} <= {limit}")
FIGURES = {
    outcome.id: name
    for name, outcomes in (("overlap", _IDENTICAL), ("simpson", _INCLUSION), ("url_similarity", _SIMILAR_URL))
    for outcome in outcomes
}
"""The name of the fact whose value is in a step, by the id of the step's message; other steps have none."""


def _above(outcomes: tuple[Message, Message], value: float, limit: float, steps: list[str]) -> bool:
    """Whether ``value`` is above ``limit``; appends the step in the words of ``outcomes``."""
    above = value > limit
    steps.append(Message(outcomes[not above].id, value=f"{value:.3g}", limit=f"{limit:g}"))
    return above


def _links(facts: Facts) -> str:
    if facts.link_ab and facts.link_ba:
        return Message("link in both directions")
    return Message("link from a to b") if facts.link_ab else Message("link from b to a")


def _direction(facts: Facts) -> tuple[Direction, str]:
    """The direction, from the dates, otherwise from a link in one direction only."""
    a, b = facts.published_a, facts.published_b
    if a and b and a[1] <= b[0]:
        return Direction.B_FROM_A, Message("a was published before b")
    if a and b and b[1] <= a[0]:
        return Direction.A_FROM_B, Message("b was published before a")
    if facts.link_ab != facts.link_ba:
        return (Direction.A_FROM_B if facts.link_ab else Direction.B_FROM_A), _links(facts)
    return Direction.UNKNOWN, _UNKNOWN[bool(a and b), facts.link_ab]


_UNKNOWN = {
    (False, False): Message("a date is missing, no link"),
    (False, True): Message("a date is missing, links in both directions"),
    (True, False): Message("the dates are the same, no link"),
    (True, True): Message("the dates are the same, links in both directions"),
}
"""Why the direction is unknown, by whether there are two dates and whether there are links."""


_DATE = re.compile(
    r"\s*(\d{4})(?:-(\d\d?)(?:-(\d\d?)(?:[T ](\d\d?):(\d\d)(?::(\d\d)(?:[.,]\d+)?)?\s*(Z|[+-]\d\d:?\d\d)?)?)?)?\s*",
    re.IGNORECASE,
)


def interval(published: str) -> tuple[float, float] | None:
    """The first second since 1970, and one past the last, that an ISO 8601 date may denote; None for other texts.

    A year or month denotes all of it. Without a time zone the date is in UTC.
    """
    date = _DATE.fullmatch(published)
    if date is None:
        return None
    year, month, day, hour, minute, second = (int(x) if x else None for x in date.groups()[:6])
    try:
        start = datetime(year or 0, month or 1, day or 1, hour or 0, minute or 0, second or 0, tzinfo=_zone(date[7]))
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
