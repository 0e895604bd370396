"""Texts and passages of a small stored case, and a way to store runs of given passages."""

from __future__ import annotations

from collections.abc import Sequence

from workbench.base.gaps import Gaps
from workbench.base.types import Match, Matches, Results, Run, Span
from workbench.methods.core import registry
from workbench.project.runs import begin_run, finish_chunk, finish_run
from workbench.services.session import Session

SENTENCE = "山路を登りながら、こう考えた。"
A = f"はじめに。{SENTENCE}{SENTENCE}{SENTENCE}おわりに。つけたし。"
B = f"{SENTENCE}{SENTENCE}{SENTENCE}智に働けば角が立つ。つけたし。"
FIRST, SHIFTED, OTHER = 1, 2, 3
_LONG = Span(5, 5 + 3 * len(SENTENCE)), Span(0, 3 * len(SENTENCE))
_TAIL = Span(len(A) - 5, len(A)), Span(len(B) - 5, len(B))
PASSAGES = {
    FIRST: [Match(1, 2, *_LONG, 42.0, {"segments": 3}), Match(1, 2, *_TAIL, 5.0, {"segments": 1})],
    SHIFTED: [Match(1, 2, Span(_LONG[0].start + 2, _LONG[0].end), Span(2, _LONG[1].end), 40.0, {"segments": 3})],
    OTHER: [Match(1, 2, Span(0, 5), Span(50, 55), 5.0, {"segments": 1})],
}


def columns(rows: Sequence[Match]) -> Matches:
    """The rows as columns; all have the same evidence."""
    import numpy as np

    whole = {
        "a": [r.a for r in rows],
        "b": [r.b for r in rows],
        "a_start": [r.a_span.start for r in rows],
        "a_end": [r.a_span.end for r in rows],
        "b_start": [r.b_span.start for r in rows],
        "b_end": [r.b_span.end for r in rows],
    }
    return Matches(
        **{name: np.array(values, np.int64) for name, values in whole.items()},
        score=np.array([r.score for r in rows]),
        tier=np.zeros(len(rows), np.int8),
        evidence={name: np.array([r.evidence[name] for r in rows], np.int64) for name in rows[0].evidence},
        gaps=Gaps.of(
            (at, side, *gap)
            for at, r in enumerate(rows)
            for side, gaps in enumerate((r.a_gaps, r.b_gaps))
            for gap in gaps
        ),
    )


def store_run(session: Session, rows: list[Match]) -> Run:
    """A finished run of ``digest`` that found ``rows``."""
    parameters = registry.get("digest").parameters().as_dict()
    with session.write() as connection:
        run = begin_run(connection, "digest", 1, parameters, "0" * 64, 1)
        results = Results(matches=columns(rows), excluded={"segments that are too short": 7})
        finish_chunk(connection, run.id, 0, results, documents=1)
        return finish_run(connection, run.id, seconds=0.5)
