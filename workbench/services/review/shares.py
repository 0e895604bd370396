"""How much of a suspect its passages cover, over all its sources, before and after what reviewers left out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from workbench.base.messages import Message
from workbench.base.types import Document, Matches, Span
from workbench.jobs.context import Context
from workbench.project.database import Connection
from workbench.project.documents import load_document
from workbench.project.listing import DocumentItem, ids_of, items_of
from workbench.project.matches import matches_of
from workbench.project.runs import load_run
from workbench.services.labels.sets import MatchVerdict
from workbench.services.labels.targets import TargetKind, passage_spans
from workbench.services.measuring.thresholds import UsedThreshold, described, used_in
from workbench.services.review.by_hand import FLAG, suspects_with_added, with_added
from workbench.services.review.coverage import mutual_overlap, share
from workbench.services.review.exclusions import (
    Exclusion,
    ExclusionKind,
    exclusions,
    least_length,
    occurrences,
)
from workbench.services.review.judgement import Judgement
from workbench.services.review.spans import Union, difference, intersection, union, union_of
from workbench.services.session import Session
from workbench.text.quotation import Citation, CitationKind, citations

Place = tuple[int, int, int, int, int]

_STAGE = Message("Counting")

NOT_A_COPY = MatchVerdict.NOT_COPY.value
_SAME_PASSAGE = 0.5
"""Mutual overlap on both sides at which an excluded passage is the one of a later run."""
_KINDS = {
    ExclusionKind.QUOTATIONS: (CitationKind.QUOTATION, CitationKind.BLOCK_QUOTATION),
    ExclusionKind.REFERENCES: (CitationKind.REFERENCES,),
    ExclusionKind.NOTES: (CitationKind.NOTE,),
}


@dataclass(frozen=True, slots=True)
class Effect:
    """An exclusion, how many ``passages`` it leaves out whole, and how many matched ``characters`` it reaches."""

    exclusion: Exclusion
    passages: int
    characters: int


@dataclass(frozen=True, slots=True)
class Shares:
    """The matched characters of a suspect of ``length`` characters, over all sources, overlaps once.

    ``matched`` by any passage; ``counted`` of them after ``effects`` and without passages judged no copies, of which
    there are ``not_copies``. ``kept`` bool[n]: passages that count at least in part. ``cited``: matched characters
    within citations, by kind, whether they are left out or not. ``hidden``: stretches of the text that never count.
    """

    length: int
    matched: int
    counted: int
    not_copies: int
    effects: tuple[Effect, ...]
    kept: NDArray[np.bool_]
    cited: Mapping[CitationKind, int]
    citations: tuple[Citation, ...]
    hidden: Union

    @property
    def matched_share(self) -> float:
        """0..1 of the text."""
        return share(self.matched, self.length)

    @property
    def counted_share(self) -> float:
        """0..1 of the text, after exclusions."""
        return share(self.counted, self.length)

    @property
    def excluded(self) -> int:
        """How many exclusions take something away: those in effect, and each passage judged no copy."""
        return self.not_copies + sum(effect.characters > 0 for effect in self.effects)


@dataclass(frozen=True, slots=True)
class Below:
    """The passages (bool[n]) that do not count because they score less than the project's threshold."""

    exclusion: Exclusion
    rows: NDArray[np.bool_]


def shares(
    document: Document,
    matches: Matches,
    sources: Mapping[int, DocumentItem],
    chosen: Sequence[Exclusion],
    not_copies: NDArray[np.bool_],
    cited: Sequence[Citation] | None = None,
    below: Below | None = None,
) -> Shares:
    """The shares of ``document``, whose passages in a run are the n ``matches``.

    ``sources`` are the sources by key, ``not_copies`` bool[n] says which passages were judged no copies, ``cited`` are
    the document's citations where they are known, ``below`` is what follows from the project's threshold.
    """
    found = list(citations(document.text, document.blocks)) if cited is None else list(cited)
    masks = {kind: union_of(c.span for c in found if c.kind is kind) for kind in CitationKind}
    spans = matches.a_start, matches.a_end
    whole = union(*spans)
    out = not_copies.copy()
    hidden = union_of(())
    effects = []
    reaches = [(exclusion, *_reach(exclusion, document, matches, sources, masks)) for exclusion in chosen]
    if below is not None:
        reaches.append((below.exclusion, below.rows, union_of(())))
    for exclusion, rows, mask in reaches:
        out |= rows
        hidden = union(np.concatenate((hidden.start, mask.start)), np.concatenate((hidden.end, mask.end)))
        of_rows = union(matches.a_start[rows], matches.a_end[rows])
        reached = intersection(whole, union(*(np.concatenate(pair) for pair in zip(of_rows, mask, strict=True))))
        gone = rows | _inside(matches, mask)
        effects.append(Effect(exclusion, int(gone.sum()), reached.length))
    counted = difference(union(matches.a_start[~out], matches.a_end[~out]), hidden)
    return Shares(
        len(document.text),
        whole.length,
        counted.length,
        int(not_copies.sum()),
        tuple(effects),
        ~out & ~_inside(matches, hidden),
        {kind: intersection(whole, mask).length for kind, mask in masks.items()},
        tuple(found),
        hidden,
    )


def _reach(
    exclusion: Exclusion,
    document: Document,
    matches: Matches,
    sources: Mapping[int, DocumentItem],
    masks: Mapping[CitationKind, Union],
) -> tuple[NDArray[np.bool_], Union]:
    """Which passages ``exclusion`` leaves out whole, and which characters of the text."""
    none, nowhere = np.zeros(len(matches), np.bool_), union_of(())
    kind, what = exclusion.kind, exclusion.what
    if kind is ExclusionKind.PASSAGE:
        return _same_passage(what, document.id, matches, sources), nowhere
    if kind in (ExclusionKind.SOURCE, ExclusionKind.SITE):
        keys = [
            key for key, item in sources.items() if (item.id if kind is ExclusionKind.SOURCE else item.site) == what
        ]
        return np.isin(matches.b, keys), nowhere
    if kind is ExclusionKind.SHORTER:
        return matches.a_end - matches.a_start < least_length(what), nowhere
    if kind is ExclusionKind.PHRASE:
        return none, union_of(occurrences(what, document.text))
    parts = [masks[kind] for kind in _KINDS[kind]]
    return none, union(np.concatenate([p.start for p in parts]), np.concatenate([p.end for p in parts]))


def _same_passage(target: str, a: str, matches: Matches, sources: Mapping[int, DocumentItem]) -> NDArray[np.bool_]:
    found = np.zeros(len(matches), np.bool_)
    for key, item in sources.items():
        spans = passage_spans(target, a, item.id)
        if spans is not None:
            for row in np.flatnonzero(matches.b == key).tolist():
                match = matches.row(row)
                overlap = min(mutual_overlap(match.a_span, spans[0]), mutual_overlap(match.b_span, spans[1]))
                found[row] |= overlap >= _SAME_PASSAGE
    return found


def _inside(matches: Matches, mask: Union) -> NDArray[np.bool_]:
    """Which passages lie wholly within ``mask``."""
    if not len(mask.start):
        return np.zeros(len(matches), np.bool_)
    at = np.searchsorted(mask.start, matches.a_start, "right") - 1
    inside: NDArray[np.bool_] = (at >= 0) & (matches.a_end <= mask.end[np.maximum(at, 0)])
    return inside


def read_shares(session: Session, run_id: int, a_key: int) -> Shares:
    """The shares of suspect ``a_key`` in the run over all its sources. Raises ProjectError for an unknown key."""
    with session.read() as connection:
        matches = with_added(connection, run_id, matches_of(connection, run_id, a=a_key), a_key)
        least = least_score(connection, run_id)
        return shares_of(session, connection, load_document(connection, a_key), matches, least)


def read_counted_shares(ctx: Context, project_path: Path, run_id: int) -> dict[int, float]:
    """The share (0..1) that counts after exclusions of each suspect (key) of the run. Raises Cancelled."""
    found: dict[int, float] = {}
    with Session(project_path, write=False) as session, session.read() as connection:
        least = least_score(connection, run_id)
        keys = [suspect.a for suspect in suspects_with_added(connection, run_id)]
        for done, key in enumerate(keys):
            ctx.advance(_STAGE, done, len(keys))
            matches = with_added(connection, run_id, matches_of(connection, run_id, a=key), key)
            found[key] = shares_of(session, connection, load_document(connection, key), matches, least).counted_share
    return found


def least_score(connection: Connection, run_id: int) -> UsedThreshold | None:
    """The project's threshold for passages of the run's method; None where there is none."""
    return used_in(connection, load_run(connection, run_id).method, TargetKind.PASSAGE)


def shares_of(
    session: Session, connection: Connection, document: Document, matches: Matches, least: UsedThreshold | None
) -> Shares:
    """As :func:`read_shares`, of the suspect's ``matches`` at hand; those that score less than ``least`` do not count.

    What a person judged a copy, or added by hand, counts whatever it scores.
    """
    sources = items_of(connection, np.unique(matches.b).tolist())
    chosen = exclusions(connection, document.id)
    judged = judgements_of(session, connection, document.id, matches)
    not_copies = np.array([found is not None and found.value == NOT_A_COPY for found in judged], np.bool_)
    below = None
    if least is not None:
        by_people = np.array([found is not None and bool(found.value) for found in judged], np.bool_)
        by_people |= matches.evidence.get(FLAG, np.zeros(len(matches))) > 0
        what = Exclusion(ExclusionKind.BELOW, f"{least.value:,.4g}", "", described(least), least.who, least.when)
        below = Below(what, (matches.score < least.value) & ~by_people)
    return shares(document, matches, sources, chosen, not_copies, below=below)


def judgements_of(session: Session, connection: Connection, a: str, matches: Matches) -> list[Judgement | None]:
    """What reviewers say of each of ``matches``, all of suspect ``a`` (its id)."""
    found: list[Judgement | None] = [None] * len(matches)
    index = session.verdicts.follow(connection)
    for key, identity in ids_of(connection, np.unique(matches.b).tolist()).items():
        rows = np.flatnonzero(matches.b == key)
        for row, judgement in zip(rows.tolist(), index.of(a, identity).on(matches.take(rows)), strict=True):
            found[row] = judgement
    return found


def parts_that_count(shares: Shares, matches: Matches, row: int) -> list[Span]:
    """The parts of passage ``row`` in the suspect that count: a passage that is quoted in part is split."""
    if not shares.kept[row]:
        return []
    whole = union(matches.a_start[row : row + 1], matches.a_end[row : row + 1])
    return difference(whole, shares.hidden).spans()


@dataclass(frozen=True, slots=True)
class Counted:
    """The shares of a suspect, and of each passage how many of its characters in the suspect count.

    ``counts`` by key of the source, start and end in the suspect, start and end in the source.
    """

    shares: Shares
    counts: Mapping[Place, int]


def counted_of(
    session: Session, connection: Connection, document: Document, matches: Matches, least: UsedThreshold | None
) -> Counted:
    """As :func:`shares_of`, with what counts of each of ``matches``."""
    found = shares_of(session, connection, document, matches, least)
    columns = (matches.b, matches.a_start, matches.a_end, matches.b_start, matches.b_end)
    places = zip(*(column.tolist() for column in columns), strict=True)
    counts = {
        place: sum(span.end - span.start for span in parts_that_count(found, matches, row))
        for row, place in enumerate(places)
    }
    return Counted(found, counts)


def read_counted(session: Session, run_id: int, a_key: int) -> Counted:
    """As :func:`counted_of`, of suspect ``a_key`` in the run. Raises ProjectError for an unknown key."""
    with session.read() as connection:
        matches = with_added(connection, run_id, matches_of(connection, run_id, a=a_key), a_key)
        least = least_score(connection, run_id)
        return counted_of(session, connection, load_document(connection, a_key), matches, least)


def share_words(found: Shares) -> Message:
    """Both shares as one line: before exclusions, and after them where there are any."""
    matched, counted = percent(found.matched_share), percent(found.counted_share)
    if not found.excluded:
        return Message("{matched} matched", matched=matched)
    if found.excluded == 1:
        return Message("{matched} matched · {counted} after 1 exclusion", matched=matched, counted=counted)
    return Message(
        "{matched} matched · {counted} after {count} exclusions", matched=matched, counted=counted, count=found.excluded
    )


def percent(part: float) -> str:
    """A share of 0..1 in percent, with one decimal below ten; never rounded to none or all."""
    if 0 < part < 0.001:
        return "< 0.1 %"
    if 0.995 <= part < 1:
        return "> 99 %"
    return f"{100 * part:.1f} %" if 0 < part < 0.0995 else f"{100 * part:.0f} %"
