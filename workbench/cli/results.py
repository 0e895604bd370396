"""Verbs ``matches``, ``pairs`` and ``scores``: what a run found."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from itertools import islice
from typing import Any

from workbench.base.types import Evidence, Match, PairScore
from workbench.cli.arguments import Verbs, add_project, choose_run, finite, not_negative
from workbench.cli.output import Column, Output, plural

_SHOWN = 100
_EXCERPT = 60


def register(verbs: Verbs, common: argparse.ArgumentParser) -> None:
    """Add the verbs to the command line."""
    matches = verbs.add_parser("matches", parents=[common], help="the passages a run found")
    _add_run(matches)
    matches.add_argument("--document", metavar="ID", help="only passages of this document, on either side")
    matches.add_argument("--min", type=finite, metavar="X", help="only passages with a score of at least X")
    matches.set_defaults(verb=_matches)
    pairs = verbs.add_parser("pairs", parents=[common], help="the pairs of documents a run found, with scores")
    _add_run(pairs)
    pairs.add_argument("--sets", action="store_true", help="the sets that near-duplicate pairs make, one a line")
    pairs.set_defaults(verb=_pairs)
    scores = verbs.add_parser("scores", parents=[common], help="the documents a run scored, highest first")
    _add_run(scores)
    scores.add_argument("--min", type=finite, metavar="X", help="only documents with a score of at least X")
    scores.set_defaults(verb=_scores)


def _add_run(parser: argparse.ArgumentParser) -> None:
    add_project(parser)
    parser.add_argument("run", metavar="RUN", nargs="?", type=int, help="number of the run (palimpsest runs P)")
    parser.add_argument(
        "--limit",
        type=not_negative,
        metavar="N",
        help=f"print at most N and say how many more there are (default: {_SHOWN}, with --json all; 0 for all)",
    )


def _limit(arguments: argparse.Namespace) -> int | None:
    """Rows to print; None for all."""
    if arguments.limit is None:
        return None if arguments.json else _SHOWN
    return arguments.limit or None


def _matches(arguments: argparse.Namespace, output: Output) -> int:
    from workbench.services import listing
    from workbench.services.session import Session

    with Session(arguments.project, write=False) as session:
        run = choose_run(session, arguments.run)
        ids = listing.document_ids(session)
        found = listing.matches(session, run.id, document=arguments.document, min_score=arguments.min)
        total = listing.count_matches(session, run.id, document=arguments.document, min_score=arguments.min)
        shown = islice(found, _limit(arguments))
        if output.as_json:
            for match in shown:
                output.record(match_record(match, ids))
            return 0
        excerpt = listing.Excerpts(session)
        output.table(
            [
                Column("suspect", limit=30),
                Column("from", right=True),
                Column("to", right=True),
                Column("source", limit=30),
                Column("from", right=True),
                Column("to", right=True),
                Column("score", right=True),
                Column("text", limit=_EXCERPT),
            ],
            (
                (
                    ids[m.a],
                    str(m.a_span.start),
                    str(m.a_span.end),
                    ids[m.b],
                    str(m.b_span.start),
                    str(m.b_span.end),
                    f"{m.score:g}",
                    excerpt(m.a, m.a_span, _EXCERPT),
                )
                for m in shown
            ),
        )
        _say_rest(output, total, _limit(arguments), "passage")
        if total:
            output.say(f"Next: palimpsest report {arguments.project} --run {run.id} --out report.html")
    return 0


def match_record(match: Match, ids: dict[int, str]) -> dict[str, Any]:
    """The JSON shape of ``matches``; ids are the imported ones."""
    return {
        "a": {"id": ids[match.a], "start": match.a_span.start, "end": match.a_span.end},
        "b": {"id": ids[match.b], "start": match.b_span.start, "end": match.b_span.end},
        "score": match.score,
        "evidence": dict(match.evidence),
    }


def _sets(arguments: argparse.Namespace, output: Output) -> int:
    from workbench.services import listing, near_duplicates
    from workbench.services.session import Session

    with Session(arguments.project, write=False) as session:
        run = choose_run(session, arguments.run)
        ids = listing.document_ids(session)
        found = near_duplicates.sets(session, run.id)
    shown = found[: _limit(arguments)]
    for keys in shown:
        output.record({"documents": [ids[key] for key in keys]})
    output.table(
        [Column("documents", right=True), Column("first", limit=40), Column("others", limit=100)],
        [(f"{len(keys):,}", ids[keys[0]], ", ".join(ids[key] for key in keys[1:])) for keys in shown],
    )
    _say_rest(output, len(found), _limit(arguments), "near-duplicate set")
    return 0


def _pairs(arguments: argparse.Namespace, output: Output) -> int:
    from workbench.services import listing
    from workbench.services.session import Session

    if arguments.sets:
        return _sets(arguments, output)
    with Session(arguments.project, write=False) as session:
        run = choose_run(session, arguments.run)
        ids = listing.document_ids(session)
        found: Iterator[PairScore] = listing.pair_scores(session, run.id)
        shown = islice(found, _limit(arguments))
        if output.as_json:
            for pair in shown:
                output.record(pair_record(pair, ids))
            return 0
        output.table(
            [
                Column("suspect", limit=40),
                Column("source", limit=40),
                Column("score", right=True),
                Column("passages", right=True),
                Column("resemblance", right=True),
                Column("containment", right=True),
                Column("relation"),
            ],
            (
                (
                    ids[p.a],
                    ids[p.b],
                    f"{p.score:g}",
                    f"{p.evidence.get('matches', 0):,}",
                    _share(p.resemblance),
                    _share(p.containment),
                    p.relation or "",
                )
                for p in shown
            ),
        )
        _say_rest(output, run.pairs, _limit(arguments), "pair")
    return 0


def pair_record(pair: PairScore, ids: dict[int, str]) -> dict[str, Any]:
    """The JSON shape of ``pairs``; what the method lacks is null."""
    return {
        "a": ids[pair.a],
        "b": ids[pair.b],
        "score": pair.score,
        "resemblance": pair.resemblance,
        "containment": pair.containment,
        "relation": pair.relation,
        "evidence": dict(pair.evidence),
    }


def _scores(arguments: argparse.Namespace, output: Output) -> int:
    from workbench.services import listing
    from workbench.services.session import Session

    with Session(arguments.project, write=False) as session:
        run = choose_run(session, arguments.run)
        ids = listing.document_ids(session)
        found = listing.document_scores(session, run.id, arguments.min)
    shown = found[: _limit(arguments)]
    if output.as_json:
        for score in shown:
            output.record({"id": ids[score.document], "score": score.score, "evidence": dict(score.evidence)})
        return 0
    output.table(
        [Column("document", limit=40), Column("score", right=True), Column("evidence", limit=80)],
        ((ids[s.document], f"{s.score:g}", _facts(s.evidence)) for s in shown),
    )
    _say_rest(output, len(found), _limit(arguments), "document")
    return 0


def _facts(evidence: Evidence) -> str:
    return " · ".join(f"{k} {v:.3g}" if isinstance(v, float) else f"{k} {v}" for k, v in evidence.items())


def _share(value: float | None) -> str:
    return "" if value is None else f"{100 * value:.1f} %"


def _say_rest(output: Output, total: int, limit: int | None, noun: str) -> None:
    if limit is not None and total > limit:
        output.say(f"{limit:,} of {plural(total, noun)}; --limit 0 prints all.")
    else:
        output.say(f"{plural(total, noun)}.")
