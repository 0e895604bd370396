"""Passages added by a reviewer: stored in the label log with person and time, and shown as matches in every run."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from workbench.base.evidence import ADDED
from workbench.base.types import Document, Label, Matches, Span
from workbench.project import labels
from workbench.project.aggregates import Aggregates, by_pair, by_suspect, in_order
from workbench.project.database import Connection
from workbench.project.documents import texts_of
from workbench.project.followed_labels import current_followed
from workbench.project.imports import versions
from workbench.project.listing import ids_of, removed_keys
from workbench.project.matches import matches_of
from workbench.project.pairs import Pair, SuspectTotals, has_pair, pair_pages, pairs_of, suspects_of
from workbench.project.runs import is_whole, load_run
from workbench.project.word_boxes import without_exact_tier
from workbench.services.labels.sets import BY_HAND
from workbench.services.labels.targets import parse_passage, passage_target
from workbench.services.review.judged_text import JudgedTexts, digest, sides, tier_of
from workbench.services.review.judgement import Judgement
from workbench.services.review.splitting import keys_split, parted, split_targets
from workbench.services.review.verdict_index import UnplacedPassage
from workbench.services.session import Session

_VALUES = ("exact", "folded", "altered")
"""The name of each tier in the log."""


def add(session: Session, a: Document, a_span: Span, b: Document, b_span: Span, who: str) -> Label:
    """Add the passage of suspect ``a`` and source ``b`` as a match. Raises ValueError for an empty side."""
    texts = (a.text[a_span.start : a_span.end], b.text[b_span.start : b_span.end])
    if not all(text.strip() for text in texts):
        raise ValueError("A passage has text on both sides.")
    value = _VALUES[tier_of(*texts)]
    return _write(session, passage_target(a.id, a_span, b.id, b_span), value, who, digest(*texts))


def withdraw(session: Session, target: str, who: str) -> Label:
    """Remove the passage named ``target`` from the matches."""
    return _write(session, target, "", who)


def restore(session: Session, label: Label) -> Label:
    """Undo :func:`withdraw`; ``label`` is what :func:`add` returned."""
    return _write(session, label.target, label.value, label.who, label.digest)


def _write(session: Session, target: str, value: str, who: str, of: str = "") -> Label:
    with session.write() as connection:
        return labels.add_label(connection, Label(target, value, who, "", label_set=BY_HAND, digest=of))


def added_targets(connection: Connection) -> tuple[str, ...]:
    """Names of the passages that were found by hand, sorted."""
    return tuple(sorted(current_followed(connection, BY_HAND)))


def with_added(
    connection: Connection, run_id: int, stored: Matches, a: int | None = None, b: int | None = None
) -> Matches:
    """``stored`` matches of a run (of suspect ``a``, of source ``b``) as changed by reviewers: with added passages that
    the run lacks, and cut where they were split.
    """
    return parted(connection, _with_extra(connection, run_id, stored, a, b), a, b)


def _with_extra(connection: Connection, run_id: int, stored: Matches, a: int | None, b: int | None) -> Matches:
    """``stored`` matches with those found by hand that the run lacks.

    Their score is the run's greatest, so that no threshold hides them; their figures are NaN.
    """
    extra = _added(connection, run_id, a, b)
    if not extra:
        return stored
    known = set(map(tuple, _rows(stored)))
    extra = [row for row in extra if row[:6] not in known]
    if not extra:
        return stored
    best = max((suspect.best for suspect in suspects_of(connection, run_id)), default=1.0)
    one, two, a_start, a_end, b_start, b_end, tier = np.array(extra, np.int64).T
    n = len(extra)
    figures: dict[str, Any] = {name: np.full(n, np.nan) for name in stored.evidence}
    scores, tiers = np.full(n, best), tier.astype(np.int8)
    fresh = Matches(one, two, a_start, a_end, b_start, b_end, scores, tiers, figures | {ADDED: np.ones(n)})
    fresh = without_exact_tier(connection, fresh)
    evidence: dict[str, Any] = {name: column.astype(np.float64) for name, column in stored.evidence.items()}
    old = replace(stored, evidence=evidence | {ADDED: np.zeros(len(stored))})
    return Matches.concatenate([old, fresh])


def _rows(matches: Matches) -> list[tuple[int, ...]]:
    m = matches
    return list(zip(*(c.tolist() for c in (m.a, m.b, m.a_start, m.a_end, m.b_start, m.b_end)), strict=True))


@dataclass(frozen=True, slots=True)
class _Placed:
    """A passage found by hand: its original documents and limits, and its current limits, None if it is gone.

    ``keys`` are the current documents, ``judged`` those in which it was found.
    """

    a: str
    b: str
    then: tuple[Span, Span]
    event: Label
    keys: tuple[int, int]
    judged: tuple[int, int]
    now: tuple[Span, Span] | None


def _placed(
    connection: Connection, run_id: int | None = None, a: int | None = None, b: int | None = None
) -> Iterator[_Placed]:
    """The passages found by hand (in suspect ``a``, source ``b``, or in reverse), by name: in the texts that the run
    has matches of, else in the current ones.
    """
    current = current_followed(connection, BY_HAND)
    if not current:
        return
    keys: defaultdict[str, list[int]] = defaultdict(list)
    ids, removed = ids_of(connection), removed_keys(connection)
    # Undo may have brought back an earlier version.
    for key in sorted(ids, key=lambda key: (key not in removed, key)):
        keys[ids[key]].append(key)
    texts = JudgedTexts(lambda key: next((text for _, text in texts_of(connection, [key])), ""))
    texts.follow(versions(connection))
    for target, event in sorted(current.items()):
        passage = parse_passage(target, keys)
        if passage is None or event.value not in _VALUES:
            continue
        one, a_span, two, b_span = passage
        present = _version(connection, run_id, keys[one]), _version(connection, run_id, keys[two])
        if all(a not in (None, x) or b not in (None, y) for x, y in (present, present[::-1])):
            continue
        then = a_span, b_span
        wanted = list(zip((one, two), present, then, sides(event.digest), strict=True))
        judged = [texts.judged(name, key, span, of, event.when) for name, key, span, of in wanted]
        places = [texts.place(old, key, span) for old, (_, key, span, _) in zip(judged, wanted, strict=True)]
        now = None if places[0] is None or places[1] is None else (places[0], places[1])
        yield _Placed(one, two, then, event, present, (judged[0], judged[1]), now)


def _version(connection: Connection, run_id: int | None, keys: Sequence[int]) -> int:
    """Of the documents ``keys`` with one id, oldest first and the present one last, the last that the run has matches
    of; without any, or without a run, the last.
    """
    if run_id is None or len(keys) == 1:
        return keys[-1]
    pairs = ((key, pair) for key in reversed(keys) for pair in ((key, None), (None, key)))
    return next((key for key, pair in pairs if has_pair(connection, run_id, *pair)), keys[-1])


def _added(connection: Connection, run_id: int, a: int | None = None, b: int | None = None) -> list[tuple[int, ...]]:
    """Keys, spans and tier of the passages found by hand (in suspect ``a``, source ``b``), in the direction in which
    the run compared the two; if it did not, all of a pair in the same. A run that compares whole documents has none.

    In a document reimported with another text, the spans are those in the run's; a passage that this lacks is omitted.
    """
    added: list[tuple[int, ...]] = []
    directions: set[tuple[int, int]] = set()
    for row in _placed(connection, run_id, a, b):
        if not directions and is_whole(load_run(connection, run_id)):
            return []
        if row.now is None:
            continue
        keys, spans, turned = row.keys, row.now, row.keys[::-1]
        if keys not in directions and (turned in directions or _is_turned(connection, run_id, keys)):
            keys, spans = turned, (spans[1], spans[0])
        directions.add(keys)
        if a in (None, keys[0]) and b in (None, keys[1]):
            added.append((*keys, *spans[0], *spans[1], _tier(connection, row)))
    return added


def _tier(connection: Connection, row: _Placed) -> int:
    """The tier of a passage found by hand, which its text may have lost since."""
    if row.now is None or row.keys == row.judged:
        return _VALUES.index(row.event.value)
    texts = dict(texts_of(connection, [*row.keys]))
    one, other = (texts[key][span.start : span.end] for key, span in zip(row.keys, row.now, strict=True))
    return tier_of(one, other)


def _is_turned(connection: Connection, run_id: int, keys: tuple[int, int]) -> bool:
    """Whether the run has the pair only in reverse."""
    return has_pair(connection, run_id, *keys[::-1]) and not has_pair(connection, run_id, *keys)


def gone(connection: Connection) -> list[UnplacedPassage]:
    """Hand-added passages whose text is gone from the current documents, with their authors."""
    return [
        UnplacedPassage(row.a, row.b, row.then, row.event.target, Judgement((row.event,)), row.judged)
        for row in _placed(connection)
        if row.now is None
    ]


def made_by_reviewers(connection: Connection) -> tuple[str, ...]:
    """Names of the passages found by hand and of the splits, which change a run's matches."""
    return (*added_targets(connection), *split_targets(connection))


def keys_added(connection: Connection, run_id: int, a: int | None = None, b: int | None = None) -> set[tuple[int, int]]:
    """Pairs (of suspect ``a``, of source ``b``) that have a passage found by hand, as the run compared them, or that
    were split.
    """
    return {(row[0], row[1]) for row in _added(connection, run_id, a, b)} | keys_split(connection, a, b)


def suspects_with_added(connection: Connection, run_id: int) -> list[SuspectTotals]:
    """The suspects of a run, counted with the passages found by hand."""
    rows = {suspect.a: suspect for suspect in suspects_of(connection, run_id)}
    for a in {a for a, _ in keys_added(connection, run_id)}:
        whole = _with_extra(connection, run_id, matches_of(connection, run_id, a=a), a, None)
        if not len(whole):
            continue
        shown = parted(connection, whole, a)
        aggregates = by_suspect(in_order(shown))
        rows[a] = SuspectTotals(
            a,
            int(aggregates.matches[0]),
            len(np.unique(whole.b)),
            float(whole.score.sum()),
            float(aggregates.best[0]),
            int(aggregates.covered_a[0]),
            int(aggregates.longest[0]),
        )
    return [rows[a] for a in sorted(rows)]


def pairs_with_added(connection: Connection, run_id: int, a: int | None = None, b: int | None = None) -> list[Pair]:
    """The pairs of a run by (a, b) (of suspect ``a``, of source ``b``), counted with the passages found by hand."""
    return [pair for page in pair_pages_with_added(connection, run_id, a, b) for pair in page]


def pair_pages_with_added(
    connection: Connection, run_id: int, a: int | None = None, b: int | None = None
) -> Iterator[list[Pair]]:
    """The pairs of :func:`pairs_with_added`, a few thousand at a time."""
    added = _pairs_added(connection, run_id, a, b)
    for page in pair_pages(connection, run_id, a=a, b=b):
        rows = {(pair.a, pair.b): pair for pair in page}
        # A page is empty if all of its pairs are damaged.
        rows |= {key: added.pop(key) for key in [*added] if rows and key <= max(rows)}
        yield [rows[key] for key in sorted(rows)]
    if added:
        yield [added[key] for key in sorted(added)]


def matches_gained(connection: Connection, run_id: int) -> dict[int, int]:
    """By document (key), how many more matches Review shows than the run found: passages found by hand, and splits."""
    gained: defaultdict[int, int] = defaultdict(int)
    for (a, b), pair in _pairs_added(connection, run_id, None, None).items():
        of_run = sum(before.matches for before in pairs_of(connection, run_id, a=a, b=b))
        for key in (a, b):
            gained[key] += pair.matches - of_run
    return gained


def _pairs_added(connection: Connection, run_id: int, a: int | None, b: int | None) -> dict[tuple[int, int], Pair]:
    """The pairs that have passages found by hand, or were split."""
    pairs: dict[tuple[int, int], Pair] = {}
    for one, two in keys_added(connection, run_id, a, b):
        whole = _with_extra(connection, run_id, matches_of(connection, run_id, a=one, b=two), one, two)
        if len(whole):
            aggregates = by_pair(in_order(parted(connection, whole, one, two)))
            before = next(iter(pairs_of(connection, run_id, a=one, b=two)), None)
            # Each part of a match has its score.
            pairs[one, two] = _counted(aggregates, float(whole.score.sum()), before)
    return pairs


def _counted(aggregates: Aggregates, total: float, before: Pair | None) -> Pair:
    """The pair whose matches ``aggregates`` counts, with score ``total``; the method's figures ``before`` are kept."""
    best = float(aggregates.best[0])
    figures = (int(aggregates.matches[0]), total, best, int(aggregates.covered_a[0]), int(aggregates.covered_b[0]))
    names = ("matches", "total", "best", "covered_a", "covered_b")
    counted: dict[str, Any] = dict(zip(names, figures, strict=True)) | {"longest": int(aggregates.longest[0])}
    if before is not None:
        score = total if before.is_sum else before.score
        return replace(before, score=score, **counted)
    keys = int(aggregates.a[0]), int(aggregates.b[0])
    return Pair(*keys, score=total, resemblance=None, containment=None, relation=None, evidence={}, **counted)
