"""The counted passages of a suspect in a run, kept up to date with the label log."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from workbench.base.evidence import ADDED
from workbench.base.messages import Message
from workbench.base.types import Document, Ints, Label, Matches, Run, Span
from workbench.jobs.context import Context
from workbench.methods.copies.credits import is_copied_with_marks
from workbench.project import labels
from workbench.project.database import Connection
from workbench.project.documents import load_document, texts_of
from workbench.project.listing import items_of
from workbench.project.matches import match_columns
from workbench.project.runs import load_run
from workbench.services.labels.sets import ATTACHED, BY_HAND, EXCLUSIONS, LABEL_SET, SPLITS
from workbench.services.labels.targets import TargetKind, passages
from workbench.services.labels.verdicts import Sense, sense_of
from workbench.services.measuring.thresholds import UsedThreshold, described, used_in
from workbench.services.review.by_hand import with_added
from workbench.services.review.common_phrases import phrase_holders
from workbench.services.review.compared import spans_not_compared
from workbench.services.review.exclusions import Exclusion, ExclusionKind, exclusions, in_texts, of_passage
from workbench.services.review.judgement import Judgement, Reviewer
from workbench.services.review.shares import ExclusionEffect, Shares, exclusion_effect
from workbench.services.review.sides import compared_first, matches_of_suspect, others_of, suspects_of
from workbench.services.review.verdict_index import VerdictIndex, touched
from workbench.services.session import Session
from workbench.text.quotation import CitationKind, citations

_STAGE = Message("Counting")
Place = tuple[int, int, int, int, int]
"""A passage of a suspect: key of the source, start and end in the suspect, start and end in the source."""


@dataclass(frozen=True, slots=True, eq=False)
class _Judged:
    """Which of n passages reviewers judged, judged not copied, and differ on; bool[n] each."""

    at_all: NDArray[np.bool_]
    not_copy: NDArray[np.bool_]
    conflict: NDArray[np.bool_]

    @staticmethod
    def none(count: int) -> _Judged:
        """No passage is judged."""
        return _Judged(*(np.zeros(count, np.bool_) for _ in range(3)))

    def copy(self) -> _Judged:
        """A mutable copy."""
        return _Judged(self.at_all.copy(), self.not_copy.copy(), self.conflict.copy())

    def enter(self, rows: Ints, judgements: Iterable[Judgement | None]) -> None:
        """Apply the ``judgements`` on the passages ``rows``."""
        for row, judgement in zip(rows.tolist(), judgements, strict=True):
            self.at_all[row] = judgement is not None
            self.not_copy[row] = judgement is not None and sense_of(judgement.value) is Sense.NOT_COPIED
            self.conflict[row] = judgement is not None and judgement.conflict


def not_compared(run: Run, document: Document) -> int:
    """How many characters of ``document`` the run did not compare: blocks that are not content, and hidden words."""
    return sum(end - start for start, end in spans_not_compared(document, run.method, run.parameters))


@dataclass(frozen=True, slots=True, eq=False)
class SuspectCount:
    """The parts of suspect ``a`` (key ``a_key``) that count in a run, over its n ``matches``, as of event ``last`` of
    the log.

    ``sources`` are the ids of the sources by key.
    """

    run_id: int
    a_key: int
    a: str
    matches: Matches
    sources: Mapping[int, str]
    effect: ExclusionEffect
    judged: _Judged
    shares: Shares
    last: int

    @property
    def conflict(self) -> NDArray[np.bool_]:
        """On which passages reviewers differ, bool[n]."""
        return self.judged.conflict

    @property
    def characters(self) -> Ints:
        """Number of characters of each passage that count in the suspect, int64[n]."""
        return np.where(self.shares.kept, self.effect.characters, 0)

    def count_of(self, place: Place) -> int | None:
        """Number of characters of a passage that count; None for a passage that is not in the run."""
        b, *limits = place
        m = self.matches
        same = m.b == b
        for column, limit in zip((m.a_start, m.a_end, m.b_start, m.b_end), limits, strict=True):
            same = same & (column == limit)
        rows = np.flatnonzero(same)
        return int(self.characters[rows[0]]) if len(rows) else None

    def counts(self) -> dict[Place, int]:
        """Number of characters of each passage that count."""
        m = self.matches
        places = zip(*(column.tolist() for column in (m.b, m.a_start, m.a_end, m.b_start, m.b_end)), strict=True)
        return dict(zip(places, self.characters.tolist(), strict=True))


def read_counted(session: Session, run_id: int, a_key: int) -> SuspectCount:
    """The parts of suspect ``a_key`` that count in the run. Raises ProjectError for an unknown key."""
    with session.read() as connection:
        return _read(session, connection, run_id, a_key)


def read_counted_shares(ctx: Context, project_path: Path, run_id: int, viewer: Reviewer) -> dict[int, float]:
    """The share (0..1) of each suspect (key) that counts after exclusions, shown to ``viewer``. Raises Cancelled."""
    shares: dict[int, float] = {}
    with Session(project_path, write=False, viewer=viewer) as session, session.read() as connection:
        keys = _suspects(connection, run_id)
        least = least_score(connection, run_id)
        for done, key in enumerate(keys):
            ctx.advance(_STAGE, done, len(keys))
            counted = counted_in(session, connection, run_id, key, least, cited=False)
            shares[key] = counted.shares.counted_share
    return shares


def find_common(ctx: Context, project_path: Path, run_id: int, a_key: int | None, common_from: int) -> list[Exclusion]:
    """Exclusions of all passages of suspect ``a_key``, None for every suspect, that are common phrases: more than
    ``common_from`` documents of the project contain their text, besides their own two; without those that are
    excluded already. Raises Cancelled.
    """
    with Session(project_path, write=False) as session, session.read() as connection:
        keys = _suspects(connection, run_id) if a_key is None else [a_key]
        of_each = (matches_of_suspect(connection, run_id, key, others_of(connection, run_id, key)) for key in keys)
        matches = Matches.concatenate([replace(part, evidence={}) for part in of_each])
        counts = phrase_holders(ctx, connection, matches).counts(matches)
        items = items_of(connection, np.union1d(matches.a, matches.b).tolist())
        common = [
            of_passage(matches.row(number), items[int(matches.a[number])].id, items[int(matches.b[number])].id)
            for number in np.flatnonzero(counts > common_from).tolist()
        ]
        there = {exclusion.target for exclusion in exclusions(connection)}
        return [exclusion for exclusion in common if exclusion.target not in there]


def _suspects(connection: Connection, run_id: int) -> list[int]:
    """Keys of the suspects of a run with passages, on either side, in ascending order."""
    matches = with_added(connection, run_id, match_columns(connection, run_id))
    second = matches.b[compared_first(matches, suspects_of(connection, matches.b.tolist()))]
    keys: list[int] = np.union1d(matches.a, second).tolist()
    return keys


def _read(session: Session, connection: Connection, run_id: int, a_key: int) -> SuspectCount:
    return counted_in(session, connection, run_id, a_key, least_score(connection, run_id))


def counted_in(
    session: Session,
    connection: Connection,
    run_id: int,
    a_key: int,
    least: UsedThreshold | None,
    *,
    cited: bool = True,
) -> SuspectCount:
    """Like :func:`read_counted`, on an open connection; passages that score less than ``least`` do not count."""
    others = others_of(connection, run_id, a_key)
    matches = matches_of_suspect(connection, run_id, a_key, others)
    return counted_of(session, connection, load_document(connection, a_key), matches, run_id, least, cited=cited)


def least_score(connection: Connection, run_id: int) -> UsedThreshold | None:
    """The project's threshold for passages of the run's method; None if there is none."""
    return used_in(connection, load_run(connection, run_id).method, TargetKind.PASSAGE)


def counted_of(
    session: Session,
    connection: Connection,
    document: Document,
    matches: Matches,
    run_id: int,
    least: UsedThreshold | None,
    *,
    cited: bool = True,
) -> SuspectCount:
    """Like :func:`read_counted`, for a given suspect and its passages; those scoring less than ``least`` do not count.

    Passages judged copied or added by hand count whatever their score. Without ``cited``, the characters within
    quotations are not needed: what they exclude is right, but copied dialogue is among them.
    """
    items = items_of(connection, np.unique(matches.b).tolist())
    sources = {key: item.id for key, item in items.items()}
    below = None
    if least is not None:
        what = Exclusion(ExclusionKind.BELOW, f"{least.value:,.4g}", "", described(least), least.who, least.when)
        by_hand = matches.evidence.get(ADDED, np.zeros(len(matches))) > 0
        below = (what, (matches.score < least.value) & ~by_hand)
    chosen = in_texts(connection, exclusions(connection, document.id), document.key, sources)
    hides_quotations = any(exclusion.kind is ExclusionKind.QUOTATIONS for exclusion in chosen)
    dialogue = _dialogue(connection, document, matches) if cited or hides_quotations else []
    effect = exclusion_effect(document, matches, items, chosen, below=below, dialogue=dialogue)
    judged, last = _Judged.none(len(matches)), labels.last_event(connection)
    index = session.verdicts.follow(connection, last)
    for key, identity in sources.items():
        rows = np.flatnonzero(matches.b == key)
        of_pair = matches.take(rows)
        judged.enter(rows, index.of(document.id, identity).on(of_pair))
    shares = effect.shares(judged.not_copy, judged.at_all)
    return SuspectCount(run_id, document.key, document.id, matches, sources, effect, judged, shares, last)


def _dialogue(connection: Connection, document: Document, matches: Matches) -> list[Span]:
    """The quotations of ``document`` that ``matches`` copied together with their marks."""
    quotations = [c.span for c in citations(document.text, document.blocks) if c.kind is CitationKind.QUOTATION]
    reached = np.zeros(len(matches), np.bool_)
    for start, end in quotations:
        reached |= (matches.a_start < end) & (start < matches.a_end)
    return [
        quotation
        for key, source in texts_of(connection, np.unique(matches.b[reached]).tolist())
        for match in matches.take(np.flatnonzero(matches.b == key))
        for quotation in quotations
        if quotation.overlap(match.a_span)
        and is_copied_with_marks(document.text, quotation, match.a_span, source, match.b_span)
    ]


FOLLOWED = (LABEL_SET, ATTACHED, EXCLUSIONS, BY_HAND, SPLITS)
"""Label sets whose events change what counts."""


def follow_counted(
    session: Session, connection: Connection, before: SuspectCount, events: Sequence[Label], last: int
) -> SuspectCount:
    """``before`` updated by ``events``, all new ones in the label log up to event ``last``.

    After verdicts, only their passages are judged again.
    """
    if any(event.label_set in (EXCLUSIONS, BY_HAND, SPLITS) for event in events):
        return _read(session, connection, before.run_id, before.a_key)
    index = session.verdicts.follow(connection, last)
    judged = before.judged.copy()
    for event in events:
        if event.label_set in (LABEL_SET, ATTACHED):
            _judge_again(before, index, event, judged)
    same = all(map(np.array_equal, _flags(judged), _flags(before.judged)))
    shares = before.shares if same else before.effect.shares(judged.not_copy, judged.at_all)
    return replace(before, judged=judged, shares=shares, last=last)


def _flags(judged: _Judged) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """The inputs of the shares."""
    return judged.at_all, judged.not_copy


def _judge_again(before: SuspectCount, index: VerdictIndex, event: Label, judged: _Judged) -> None:
    """Apply ``event``: a verdict, or an attachment of verdicts."""
    keys = {identity: key for key, identity in before.sources.items()}
    for target in (event.target, event.value, event.old) if event.label_set == ATTACHED else (event.target,):
        for a, a_span, b, b_span in passages(target, {before.a, *keys}):
            own, other, span = (a_span, b, b_span) if a == before.a else (b_span, a, a_span)
            if before.a in (a, b) and other in keys:
                rows = np.flatnonzero(before.matches.b == keys[other])
                matches = before.matches.take(rows)
                numbers = touched(matches, own, span)
                judged.enter(rows[numbers], index.of(before.a, other).on(matches, numbers))
