"""Verb ``relations``: how the pages of a run are related."""

from __future__ import annotations

import argparse
from typing import Any

from workbench.base.messages import percent
from workbench.cli.arguments import add_project, add_run, choose_run, finite, not_negative, path_argument
from workbench.cli.output import Column, Output, plural
from workbench.cli.results import add_limit, limit_of, print_rest

name = "relations"
summary = "relation classes, clusters or stitched pages of a run"
description = ""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    from workbench.cli.options import add_options
    from workbench.services.relations.options import StitchedOptions

    add_project(parser)
    add_run(parser)
    view = parser.add_mutually_exclusive_group()
    view.add_argument("--clusters", action="store_true", help="groups of pages joined by pairs")
    view.add_argument("--stitched", action="store_true", help="pages assembled from unrelated pages")
    parser.add_argument(
        "--figure",
        choices=("resemblance", "containment", "score"),
        help="clusters: value of pairs (default: resemblance where the method reports it, else score)",
    )
    parser.add_argument(
        "--min", type=finite, default=0.0, metavar="X", help="clusters: lowest value of a pair (default: 0)"
    )
    parser.add_argument(
        "--largest",
        type=not_negative,
        default=50,
        metavar="N",
        help="clusters: split clusters of more than N pages into communities (default: 50; 0: never)",
    )
    add_options(parser, StitchedOptions, note="stitched: ")
    parser.add_argument(
        "--out", type=path_argument, metavar="FILE", help="write the pairs as a graph: .graphml, .gexf or .csv"
    )
    add_limit(parser)


def execute(arguments: argparse.Namespace, output: Output) -> int:
    from workbench.base.errors import ParameterError
    from workbench.cli.options import chosen
    from workbench.services.listing import document_ids
    from workbench.services.relations.options import StitchedOptions
    from workbench.services.session import Session

    arguments.limits = chosen(arguments, StitchedOptions)
    if not arguments.clusters and (arguments.figure, arguments.min, arguments.largest) != (None, 0.0, 50):
        raise ParameterError("--figure, --min and --largest choose clusters: add --clusters.")
    if not arguments.stitched and arguments.limits != StitchedOptions():
        raise ParameterError("--sources, --share and --characters choose stitched pages: add --stitched.")
    if arguments.out is not None and (arguments.clusters or arguments.stitched):
        raise ParameterError("--out writes all pairs as a graph, without --clusters and --stitched.")
    with Session(arguments.project, write=False) as session:
        run = choose_run(session, arguments)
    if arguments.out is not None:
        from workbench.cli.monitor import run_job
        from workbench.services.relations.export import export_graph

        count = run_job(output, export_graph, arguments.project, run.id, arguments.out)
        output.record({"file": str(arguments.out), "pairs": count})
        output.say(f"Wrote {arguments.out}: {plural(count, 'pair')}.")
        return 0
    with Session(arguments.project, write=False) as session:
        ids = document_ids(session)
        show = _clusters if arguments.clusters else _stitched if arguments.stitched else _classes
        show(session, run.id, ids, arguments, output)
    return 0


def _classes(session: Any, run: int, ids: dict[int, str], arguments: argparse.Namespace, output: Output) -> None:
    import numpy as np

    from workbench.services.relations.pair_columns import read_pairs

    columns = read_pairs(session, run)
    rows = []
    for code, name in enumerate(columns.relations):
        of_class = columns.relation == code
        pages = np.union1d(columns.a[of_class], columns.b[of_class])
        rows.append((name, int(of_class.sum()), len(pages)))
        output.record({"relation": name or None, "pairs": rows[-1][1], "documents": len(pages)})
    output.table(
        [Column("relation"), Column("pairs", right=True), Column("documents", right=True)],
        [(name or "(none)", f"{pairs:,}", f"{documents:,}") for name, pairs, documents in rows],
    )
    output.say(f"{plural(len(columns), 'pair')}.")


def _clusters(session: Any, run: int, ids: dict[int, str], arguments: argparse.Namespace, output: Output) -> None:
    from workbench.services.relations.clusters import ClusterOptions, clusters
    from workbench.services.relations.pair_columns import read_pairs

    options = ClusterOptions(arguments.figure or "", arguments.min, arguments.largest)
    clustering = clusters(read_pairs(session, run), options)
    listed = clustering.clusters[: limit_of(arguments)]
    for cluster in listed:
        output.record(
            {
                "documents": [ids[key] for key in cluster.keys.tolist()],
                "sites": list(cluster.sites),
                "pairs": cluster.pairs,
                "figure": clustering.figure,
                "min": cluster.weakest,
                "max": cluster.strongest,
                "component": cluster.component,
            }
        )
    output.table(
        [
            Column("documents", right=True),
            Column("pairs", right=True),
            Column(f"least {clustering.figure}", right=True),
            Column("sites", limit=30),
            Column("first", limit=40),
            Column("others", limit=60),
        ],
        (
            (
                f"{len(c.keys):,}",
                f"{c.pairs:,}",
                f"{c.weakest:.3g}",
                ", ".join(c.sites),
                ids[int(c.keys[0])],
                ", ".join(ids[key] for key in c.keys[1:21].tolist()),
            )
            for c in listed
        ),
    )
    print_rest(output, len(clustering.clusters), limit_of(arguments), "cluster")
    if clustering.alone:
        output.say(f"{plural(clustering.alone, 'document')} of the run's pairs in no cluster.")


def _stitched(session: Any, run: int, ids: dict[int, str], arguments: argparse.Namespace, output: Output) -> None:
    from workbench.services.relations.stitched import stitched_pages

    stitched = stitched_pages(session, run, arguments.limits)
    listed = stitched.pages[: limit_of(arguments)]
    for page in listed:
        output.record(
            {
                "id": ids[page.key],
                "characters": page.length,
                "covered": page.covered,
                "share": round(page.share, 4),
                "sources": [
                    {"id": ids[s.key], "characters": s.characters, "share": round(s.characters / page.length, 4)}
                    for s in page.sources
                ],
                "others": page.others,
                "proven": page.proven,
            }
        )
    output.table(
        [
            Column("document", limit=40),
            Column("content", right=True),
            Column("covered", right=True),
            Column("sources", right=True),
            Column("each", limit=100),
        ],
        (
            (
                ids[page.key],
                f"{page.length:,}",
                percent(page.share),
                f"{len(page.sources):,}",
                ", ".join(f"{ids[s.key]} {percent(s.characters / page.length)}" for s in page.sources),
            )
            for page in listed
        ),
    )
    print_rest(output, len(stitched.pages), limit_of(arguments), "stitched page")
    if stitched.undecided:
        output.say(
            f"{plural(stitched.undecided, 'page')} undecided: the search limit for unrelated sources was reached."
        )
