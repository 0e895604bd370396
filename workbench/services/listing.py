"""The items of a project as plain lists: runs, passages, pairs, scores."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache, partial
from pathlib import Path

import numpy as np

from workbench.base.evidence import ADDED
from workbench.base.locators import Locator, Places
from workbench.base.messages import Message
from workbench.base.tags import ByTag, TagFilter
from workbench.base.types import Document, DocumentScore, Match, Matches, PairScore, Role, Run, Span, Tier
from workbench.jobs.context import Context
from workbench.project.database import Connection
from workbench.project.documents import load_document
from workbench.project.listing import ids_of, items_of
from workbench.project.matches import count_matches as count_stored
from workbench.project.matches import iter_matches, matches_of
from workbench.project.runs import runs
from workbench.project.scores import scores_of
from workbench.project.tags import keys_passing
from workbench.services.review.by_hand import keys_added, pairs_with_added, with_added
from workbench.services.review.splitting import parted
from workbench.services.review.word_marks import same_but_for_script
from workbench.services.session import Session
from workbench.services.tagging import no_such_tags

_TEXTS = 16
"""Documents whose texts are cached while passages are listed."""


def all_runs(session: Session) -> list[Run]:
    """All runs, oldest first."""
    with session.read() as connection:
        return runs(connection)


def document_ids(session: Session) -> dict[int, str]:
    """Imported ids by key, including deleted documents."""
    with session.read() as connection:
        return ids_of(connection)


def matches(
    session: Session, run_id: int, *, document: str | int | None = None, min_score: float | None = None
) -> Iterator[Match]:
    """Passages of a run in stored order, as reviewers split them, then those found by hand; ``document`` (an id or key)
    keeps those with it on either side.
    """
    with session.read() as connection:
        if document is None:
            for part in iter_matches(connection, run_id, min_score=min_score):
                yield from parted(connection, part)
            key = None
        else:
            key = load_document(connection, document).key
            stored = _either_side(
                matches_of(connection, run_id, a=key, min_score=min_score),
                matches_of(connection, run_id, b=key, min_score=min_score),
            )
            yield from parted(connection, stored)
        yield from _found_by_hand(connection, run_id, key, min_score)


def _found_by_hand(connection: Connection, run_id: int, key: int | None, min_score: float | None) -> Iterator[Match]:
    """Passages that reviewers added (with the document ``key``) and the run lacks."""
    for a, b in sorted(keys_added(connection, run_id)):
        if key in (None, a, b):
            matches = with_added(connection, run_id, matches_of(connection, run_id, a=a, b=b), a, b)
            added = matches.evidence.get(ADDED, np.zeros(len(matches))) > 0
            yield from _at_least(matches.take(added), min_score)


def _either_side(as_suspect: Matches, as_source: Matches) -> Matches:
    """The union of both; a passage of a document with itself is in both and kept once."""
    return Matches.concatenate([as_suspect, as_source.take(as_source.a != as_source.b)])


def keys_with(session: Session, tags: str) -> ByTag[int] | None:
    """Keys of the documents by ``tags`` (see :class:`workbench.base.tags.TagFilter`); None: all.

    Raises UserError if it chooses none.
    """
    wanted = TagFilter.parse(tags)
    if not wanted:
        return None
    with session.read() as connection:
        keys = keys_passing(connection, wanted)
        if not keys.accepted:
            raise no_such_tags(connection)
    return keys


def suspects_with(session: Session, tags: str) -> frozenset[int] | None:
    """Keys of the suspects that ``tags`` choose, including deleted ones; None: all."""
    chosen = keys_with(session, tags)
    if chosen is None:
        return None
    with session.read() as connection:
        items = items_of(connection, sorted(chosen.accepted))
    return frozenset(key for key, item in items.items() if item.role is Role.SUSPECT)


def count_matches(
    session: Session, run_id: int, *, document: str | int | None = None, min_score: float | None = None
) -> int:
    """Exact number of passages that :func:`matches` yields."""
    with session.read() as connection:
        key = None if document is None else load_document(connection, document).key
        gained = sum(
            len(_at_least(with_added(connection, run_id, stored, a, b), min_score)) - len(_at_least(stored, min_score))
            for a, b in keys_added(connection, run_id)
            if key in (None, a, b)
            for stored in (matches_of(connection, run_id, a=a, b=b),)
        )
        if key is None:
            return count_stored(connection, run_id, min_score=min_score) + gained
        sides = [count_stored(connection, run_id, a=key, min_score=min_score)]
        sides.append(count_stored(connection, run_id, b=key, min_score=min_score))
        return sum(sides) - count_stored(connection, run_id, a=key, b=key, min_score=min_score) + gained


def _at_least(matches: Matches, min_score: float | None) -> Matches:
    return matches if min_score is None else matches.take(matches.score >= min_score)


def pair_scores(session: Session, run_id: int) -> Iterator[PairScore]:
    """Pairs of a run by key, with those found by hand; evidence starts with the figures of the pair's passages."""
    with session.read() as connection:
        for pair in pairs_with_added(connection, run_id):
            figures = {
                "matches": pair.matches,
                "covered_a": pair.covered_a,
                "covered_b": pair.covered_b,
                "longest": pair.longest,
            }
            evidence = figures | dict(pair.evidence)
            yield PairScore(pair.a, pair.b, pair.score, pair.resemblance, pair.containment, pair.relation, evidence)


def document_scores(session: Session, run_id: int, min_score: float | None = None) -> list[DocumentScore]:
    """Scored documents of a run, the highest score first; those with at least ``min_score`` (None: all)."""
    with session.read() as connection:
        chosen = [s for s in scores_of(connection, run_id) if min_score is None or s.score >= min_score]
    return sorted(chosen, key=lambda s: -s.score)


class PassageTexts:
    """The texts of listed passages; caches a few documents."""

    def __init__(self, session: Session) -> None:
        self._document = lru_cache(_TEXTS)(partial(_document, session))
        self._places = lru_cache(_TEXTS)(lambda key: Places(self._document(key)))

    def excerpt(self, key: int, span: Span, limit: int) -> str:
        """The passage, white space collapsed; if longer, its beginning and "…", at most ``limit`` characters."""
        text = " ".join(self._document(key).text[span.start : min(span.end, span.start + 4 * limit)].split())
        return text if len(text) <= limit else f"{text[: limit - 1].rstrip()}…"

    def place(self, key: int, span: Span) -> Locator:
        """The place of the passage in its document, as people cite it."""
        return self._places(key).of(span)

    def same_but_for_script(self, match: Match) -> bool:
        """Whether the sides of ``match`` are equal in two scripts, such as simplified and traditional Chinese."""
        return match.evidence.get("tier") == Tier.FOLDED and same_but_for_script(
            match, self._document(match.a).text, self._document(match.b).text
        )


def read_places(ctx: Context, project_path: Path, passages: Sequence[tuple[int, Span]]) -> list[Message]:
    """The place of each of ``passages`` (key of a document, span), as people cite it. Raises Cancelled."""
    with Session(project_path, write=False) as session:
        texts = PassageTexts(session)
        words = {}
        for key, span in sorted(set(passages)):
            ctx.check()
            words[key, span] = texts.place(key, span).words
    return [words[passage] for passage in passages]


def _document(session: Session, key: int) -> Document:
    with session.read() as connection:
        return load_document(connection, key)
