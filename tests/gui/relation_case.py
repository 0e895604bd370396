"""A project of nine pages and what a run says of them, for the tests of Relations."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from tests.project_files import build_once
from workbench.base.messages import Message
from workbench.base.types import Anchor, Document, Matches, PairScore, Results, Role, Span
from workbench.project.documents import add_documents
from workbench.project.runs import begin_run, finish_chunk, finish_run
from workbench.services.session import Session, create

PAIRS = [
    (1, 2, 0.9, "mirror"),
    (1, 3, 0.4, "inclusion"),
    (2, 3, 0.4, "inclusion"),
    (5, 4, 0.2, "citation"),
]
"""Pages 1 to 3 and 4 to 5 hang together; 6 is stitched from 7, 8 and 9."""
LINKS = {5: ("https://elsewhere.example/", "https://site0.example/4")}
"""Where pages link to: the text of each link is three characters."""
DECISION = Message.joined(
    "; ",
    (
        Message("R {value} > {limit}: identical", value="0.9", limit="0.6"),
        Message("URL similarity {value} > {limit}: similar URL", value="0.5", limit="0"),
    ),
)


def evidence(relation: str) -> dict[str, object]:
    shared = {
        "sentences": 3,
        "direction": "cannot tell" if relation == "citation" else "a from b",
        "direction_strength": "none" if relation == "citation" else "medium",
        "direction_reason": Message("link from a to b"),
        "decision": DECISION,
    }
    return {**shared, "url_similarity": 0.5, "link_ab": relation == "citation", "link_ba": False}


def passages() -> Matches:
    rows = [(a, b, 0, 60, 0, 60) for a, b, *_ in PAIRS] + [(6, 7 + i, 70 * i, 70 * i + 70, 0, 70) for i in range(3)]
    a, b, a_start, a_end, b_start, b_end = np.array(rows, np.int64).T
    ends = np.full(len(rows), 3)
    return Matches(a, b, a_start, a_end, b_start, b_end, a_end * 1.0, np.zeros(len(rows), np.int8), {"sentences": ends})


@build_once
def build(path: Path, *, whole: bool = False) -> Path:
    """Nine pages and a run of rare-sentences; ``whole``: one of shingle, without passages."""
    create(path)
    documents = [
        Document(
            f"d{n}",
            chr(0x4E00 + n) * 210,
            Role.SUSPECT if n in (1, 5, 6) else Role.SOURCE,
            title=f"Page {n}",
            site=f"site{n % 4}.example",
            url=f"https://site{n % 4}.example/{n}",
            links=LINKS.get(n, ()),
            anchors=tuple(Anchor(Span(3 * i, 3 * i + 3), link) for i, link in enumerate(LINKS.get(n, ()))),
        )
        for n in range(1, 10)
    ]
    pairs = tuple(PairScore(a, b, r, r, r, relation, evidence(relation)) for a, b, r, relation in PAIRS)
    stitched = tuple(PairScore(6, b, 0.3, 0.3, 0.3, "shared sentences") for b in (7, 8, 9))
    with Session(path) as session:
        with session.write() as connection:
            add_documents(connection, documents)
            run = begin_run(connection, "shingle" if whole else "rare-sentences", 1, {}, "00", 1)
            results = Results(pairs=pairs) if whole else Results(passages(), (*pairs, *stitched))
            finish_chunk(connection, run.id, 0, results, documents=9)
        with session.write() as connection:
            finish_run(connection, run.id)
    return path
