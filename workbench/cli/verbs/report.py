"""Verb ``report``: findings as a file."""

from __future__ import annotations

import argparse
from dataclasses import replace

from workbench.base.settings import Settings
from workbench.cli.arguments import add_project, add_run, not_negative, path_argument
from workbench.cli.output import Output, plural

name = "report"
summary = "findings as one HTML, PDF, CSV or JSONL file, or as an evidence pack (ZIP)"
description = (
    "Findings as one file to hand over. Without a choice, the latest finished run. A .zip is an evidence pack: "
    "texts as compared, files and captures where they are kept, settings, report, log of decisions, and a manifest "
    "of checksums that 'verify' checks."
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_project(parser)
    parser.add_argument("--pair", nargs=2, metavar=("A", "B"), help="one suspect and one source")
    parser.add_argument("--suspect", metavar="ID", help="one suspect and all its sources")
    add_run(parser, positional=False)
    parser.add_argument(
        "--out", type=path_argument, required=True, metavar="FILE", help=".html, .pdf, .csv, .jsonl or .zip"
    )
    parser.add_argument(
        "--language", choices=("en", "ja", "zh"), default="en", help="language of the report (default: %(default)s)"
    )
    parser.add_argument(
        "--common-from",
        type=not_negative,
        default=Settings.common_from,
        metavar="N",
        help="count a passage as a common phrase when more than N other documents contain it (default: %(default)s)",
    )
    parser.add_argument(
        "--anonymous",
        action="store_true",
        help="replace the names of documents and reviewers; FILE.names.json has the key",
    )
    parser.add_argument(
        "--with-pages",
        action="store_true",
        help="put pictures of the cited PDF pages, with their marks, beside the passages (.html, .pdf)",
    )
    parser.add_argument(
        "--pack",
        type=path_argument,
        metavar="FILE.zip",
        help="also write the evidence pack, whose fingerprint the report then states",
    )
    parser.add_argument("--stamp", action="store_true", help="have the configured service timestamp the pack")
    parser.add_argument("--unsigned", action="store_true", help="do not use the key that signs evidence packs")
    parser.add_argument("--who", metavar="NAME", default="", help="the blind reviewer (default: the login name)")
    parser.add_argument(
        "--blind",
        action="store_true",
        help="include verdicts of others only for items that the reviewer has also judged",
    )


def execute(arguments: argparse.Namespace, output: Output) -> int:
    from workbench.services.reports.exporting import export
    from workbench.services.reports.gathering import Selection
    from workbench.services.reports.pack import Seal
    from workbench.services.review.judgement import Reviewer
    from workbench.services.review.verdicts import reviewer
    from workbench.services.session import Session

    if arguments.pair and arguments.suspect:
        output.note("Choose --pair or --suspect, not both.")
        return 2
    if arguments.pack and (arguments.pack.suffix.lower() != ".zip" or arguments.out.suffix.lower() == ".zip"):
        output.note("--pack writes a .zip beside a report in another format.")
        return 2
    pair = tuple(arguments.pair) if arguments.pair else None
    with Session(arguments.project, write=False) as session:
        viewer = Reviewer(arguments.who or reviewer(), arguments.blind)
        selection = Selection(
            arguments.run,
            arguments.suspect,
            pair,
            arguments.anonymous,
            arguments.common_from,
            viewer,
            arguments.with_pages,
        )
        words, seal = arguments.language, Seal(not arguments.unsigned, arguments.stamp)
        of_pack = ""
        if arguments.pack:
            of_pack = export(
                session, replace(selection, with_pages=False), arguments.pack, language=words, seal=seal
            ).fingerprint
        written = export(session, selection, arguments.out, language=words, seal=seal, pack=of_pack)
    output.record(
        {
            "file": str(arguments.out),
            "run": written.run,
            "passages": written.passages,
            "matches": written.matches,
            "pairs": written.pairs,
            "matches_left_out": written.matches_left_out,
            "pairs_left_out": written.pairs_left_out,
            "fingerprint": written.fingerprint or of_pack,
            "names": None if written.names is None else str(written.names),
        }
    )
    output.say(
        f"Wrote {arguments.out}: {plural(written.passages, 'passage')} of "
        f"{plural(written.matches, 'match', 'matches')} in {plural(written.pairs, 'pair')} of run {written.run}."
    )
    if arguments.pack:
        output.say(f"Wrote {arguments.pack}, whose fingerprint the report states.")
    if fingerprint := written.fingerprint or of_pack:
        output.say(f"Fingerprint {fingerprint}")
        output.say("Send this fingerprint separately; it reveals a replaced pack.")
    if written.names is not None:
        output.say(f"Key to the names: {written.names}. Store it separately.")
    if written.pairs_left_out or written.matches_left_out:
        pairs, matches = plural(written.pairs_left_out, "pair"), plural(written.matches_left_out, "match", "matches")
        output.note(f"A printed report is limited; not printed: {pairs} and {matches}. Write .html instead.")
    if written.state != "done":
        examined = plural(written.examined, "document")
        output.note(f"Run {written.run} is {written.state}: the report covers the {examined} it examined.")
    if not written.has_findings:
        about = " and ".join(arguments.pair) if arguments.pair else arguments.suspect
        yet = "" if written.state == "done" else " so far"
        outcome = f"found nothing{f' for {about}' if about else ''}{yet}, and the report says so."
        if not written.compared:
            outcome = f"did not compare {about}, and the report says so."
        elif written.only_scores:
            outcome = "gave documents scores, which no report contains. See palimpsest scores, or choose another --run."
        output.note(f"Run {written.run} {outcome}")
        return 1
    return 0
