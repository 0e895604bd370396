"""Verb ``pairs``: the pairs of documents a run found, or the near-duplicate sets they form."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from workbench.base.messages import percent
from workbench.cli.arguments import add_project, add_run, add_tag_filter, choose_run
from workbench.cli.output import Column, Output
from workbench.cli.results import add_limit, limit_of, print_rest

if TYPE_CHECKING:
    from workbench.base.types import PairScore

name = "pairs"
summary = "the pairs of documents a run found, with scores"
description = "The score of a pair is the method's own, otherwise the sum of the scores of its matches."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_project(parser)
    add_run(parser)
    add_limit(parser)
    add_tag_filter(parser, "only pairs with a document")
    parser.add_argument("--sets", action="store_true", help="the sets that near-duplicate pairs form, one per line")


def execute(arguments: argparse.Namespace, output: Output) -> int:
    from workbench.services import listing
    from workbench.services.relations.pair_columns import with_directions
    from workbench.services.session import Session

    if arguments.sets:
        return _sets(arguments, output)
    with Session(arguments.project, write=False) as session:
        run = choose_run(session, arguments)
        ids = listing.document_ids(session)
        pairs = [*listing.pair_scores(session, run.id)]
        if (chosen := listing.keys_with(session, arguments.tag)) is not None:
            pairs = [pair for pair in pairs if chosen.has((pair.a, pair.b))]
        listed = with_directions(session, pairs[: limit_of(arguments)])
        if output.as_json:
            for pair in listed:
                output.record(pair_record(pair, ids))
            return 0
        output.table(
            [
                Column("suspect", limit=40),
                Column("source", limit=40),
                Column("score", right=True),
                Column("matches", right=True),
                Column("resemblance", right=True),
                Column("containment", right=True),
                Column("relation"),
                Column("direction"),
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
                    direction_words(p),
                )
                for p in listed
            ),
        )
        print_rest(output, len(pairs), limit_of(arguments), "pair")
    return 0


def direction_words(pair: PairScore) -> str:
    """The direction of a pair and its strength; empty if nothing is known of it."""
    from workbench.methods.rare_sentences.relations import Direction
    from workbench.services.relations.direction import in_words

    way, strength = (pair.evidence.get(name) for name in ("direction", "direction_strength"))
    if not way:
        return ""
    words = in_words(Direction(way), own=False)
    return words if strength in (None, "none") else f"{words} ({strength})"


def _sets(arguments: argparse.Namespace, output: Output) -> int:
    from workbench.services import listing
    from workbench.services.review import near_duplicates
    from workbench.services.session import Session

    with Session(arguments.project, write=False) as session:
        run = choose_run(session, arguments)
        ids = listing.document_ids(session)
        chosen = listing.keys_with(session, arguments.tag)
        sets = [keys for keys in near_duplicates.sets(session, run.id) if chosen is None or chosen.has(keys)]
    listed = sets[: limit_of(arguments)]
    for keys in listed:
        output.record({"documents": [ids[key] for key in keys]})
    output.table(
        [Column("documents", right=True), Column("first", limit=40), Column("others", limit=100)],
        [(f"{len(keys):,}", ids[keys[0]], ", ".join(ids[key] for key in keys[1:])) for keys in listed],
    )
    print_rest(output, len(sets), limit_of(arguments), "near-duplicate set")
    return 0


def pair_record(pair: PairScore, ids: dict[int, str]) -> dict[str, Any]:
    """The JSON object of ``pairs``; figures the method does not compute are null."""
    return {
        "a": ids[pair.a],
        "b": ids[pair.b],
        "score": pair.score,
        "resemblance": pair.resemblance,
        "containment": pair.containment,
        "relation": pair.relation,
        "evidence": dict(pair.evidence),
    }


def _share(value: float | None) -> str:
    return "" if value is None else percent(value)
