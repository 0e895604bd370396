"""Verb ``captures``: the answers of hosts to requests for pages, and their bytes."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from workbench.cli.arguments import add_project, path_argument
from workbench.cli.output import Column, Output, plural

if TYPE_CHECKING:
    from workbench.services.records import Capture
    from workbench.services.session import Session

name = "captures"
summary = "the responses of fetched pages, and their bytes"
description = (
    "Lists the captures of URL, or of all pages. --out FILE.warc writes them as a web archive (WARC 1.1); to any "
    "other FILE, it writes the bytes of the last capture of URL as received. --as text prints its text; --as page "
    "writes it to --out as a page that runs no scripts and fetches nothing. --at chooses a capture other than the last."
    " --stamp has the bytes timestamped (RFC 3161) by the service that --service sets (for all projects; '' switches "
    "it off), which receives their hash only. --verify checks the existing timestamps."
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_project(parser)
    parser.add_argument("url", metavar="URL", nargs="?", default="", help="one page (default: all)")
    parser.add_argument("--out", type=path_argument, metavar="FILE", help="write to a .warc, or the page's bytes")
    parser.add_argument(
        "--as",
        choices=("bytes", "text", "page"),
        default="bytes",
        dest="form",
        help="form of the capture (default: bytes)",
    )
    parser.add_argument("--stamp", action="store_true", help="have the configured service timestamp the bytes")
    parser.add_argument("--verify", action="store_true", help="check the existing timestamps")
    parser.add_argument("--service", metavar="URL", help="the timestamp service to use from now on ('': none)")
    parser.add_argument("--authorities", metavar="FILE.pem", default="", help="CA certificates of the service")
    parser.add_argument("--at", default="", metavar="TIME", help="the capture of this time, as it is listed")


def execute(arguments: argparse.Namespace, output: Output) -> int:
    from workbench.base.errors import ParameterError, UserError
    from workbench.services.fetching.captured import write_warc
    from workbench.services.session import Session
    from workbench.services.timestamps import read_timestamps

    if arguments.service is not None:
        _set_service(arguments, output)
        if not (arguments.stamp or arguments.verify):
            return 0
    if arguments.stamp or arguments.verify:
        return _timestamps(arguments, output)
    is_archive = arguments.out is not None and arguments.out.suffix.lower() == ".warc"
    if is_archive and arguments.form != "bytes":
        raise ParameterError(f"captures --as {arguments.form} cannot be written as a web archive.")
    with Session(arguments.project, write=False) as session:
        page_captures = _wanted(arguments, session)
        if is_archive:
            count = write_warc(session, arguments.out, arguments.url, at=arguments.at)
            output.record({"file": str(arguments.out), "captures": count})
            output.say(f"Wrote {arguments.out}: {plural(count, 'capture')}.")
            return 0
        if arguments.out is not None or arguments.form != "bytes":
            if not arguments.url:
                raise ParameterError("captures needs the URL of a page, or --out FILE.warc.")
            kept = [capture for capture in page_captures if capture.body_hash]
            if not kept:
                raise UserError(f"The bytes of {arguments.url} were not kept.")
            return _one(arguments, session, kept[-1], output)
        stamps = read_timestamps(session, page_captures)
    rows = []
    for capture in page_captures:
        of_capture = stamps.get(capture.body_hash, ())
        output.record(
            {
                "url": capture.url,
                "final_url": capture.final_url,
                "captured": capture.captured,
                "status": capture.status,
                "outcome": capture.outcome.value,
                "sha256": capture.body_hash.hex(),
                "error": str(capture.error),
                "timestamps": [{"service": stamp.service, "stamped": stamp.stamped} for stamp in of_capture],
            }
        )
        stamped = of_capture[0].stamped if of_capture else ""
        rows.append([capture.captured, str(capture.status), capture.outcome.value, stamped, capture.url])
    columns = [Column("captured"), Column("status", right=True), Column("outcome"), Column("timestamp")]
    output.table([*columns, Column("page", limit=100)], rows)
    if not rows:
        output.say("There are no captures: palimpsest fetch PROJECT URL... makes them.")
    return 0


def _wanted(arguments: argparse.Namespace, session: Session) -> list[Capture]:
    """The captures of the page and at the time that were asked for. Raises UserError if there are none to use."""
    from workbench.base.errors import UserError
    from workbench.services.fetching.captured import captures

    wanted = [capture for capture in captures(session, arguments.url) if arguments.at in ("", capture.captured)]
    if not wanted and (arguments.url or arguments.at or arguments.out or arguments.stamp or arguments.verify):
        of_page = f" of {arguments.url}" if arguments.url else ""
        raise UserError(f"There is no capture{of_page}{' at this time' if arguments.at else ''}.")
    return wanted


def _set_service(arguments: argparse.Namespace, output: Output) -> None:
    from workbench.services import timestamps

    if arguments.service:
        timestamps.save(timestamps.Service(arguments.service, arguments.authorities))
    else:
        timestamps.switch_off()
    output.record({"service": arguments.service})
    output.say(f"Timestamps: {arguments.service or 'none'}.")


def _timestamps(arguments: argparse.Namespace, output: Output) -> int:
    from workbench.base.errors import UserError
    from workbench.cli.monitor import run_job
    from workbench.services import timestamps
    from workbench.services.session import Session

    with Session(arguments.project, write=False) as session:
        wanted = _wanted(arguments, session)
    if arguments.stamp:
        count = run_job(output, timestamps.stamp_captures, arguments.project, wanted)
        output.record({"timestamps": count})
        output.say(f"{plural(count, 'new timestamp')}.")
    if not arguments.verify:
        return 0
    service = timestamps.load()
    authorities = arguments.authorities or (service.authorities if service is not None else "")
    wrong = 0
    with Session(arguments.project, write=False) as session:
        stamps = timestamps.read_timestamps(session, wanted)
    if not any(stamps.values()):
        raise UserError("These captures have no timestamps: palimpsest captures PROJECT --stamp makes them.")
    for stamp in (stamp for of_hash in stamps.values() for stamp in of_hash):
        problem = ""
        try:
            timestamps.verify(stamp, authorities)
        except UserError as error:
            problem = str(error.sentence)
        wrong += bool(problem)
        output.record(
            {"sha256": stamp.hash.hex(), "service": stamp.service, "stamped": stamp.stamped, "problem": problem}
        )
        output.say(f"{stamp.stamped}  {stamp.hash.hex()[:16]}  {stamp.service}  {problem or 'valid'}")
    return 1 if wrong else 0


def _one(arguments: argparse.Namespace, session: Session, capture: Capture, output: Output) -> int:
    from workbench.base.errors import ParameterError, UserError
    from workbench.base.messages import Message
    from workbench.services.fetching.captured import shown, write_body
    from workbench.services.writing import atomic_write, refuse_imported

    out, digest = arguments.out, capture.body_hash.hex()
    if arguments.form == "bytes":
        write_body(session, capture, out)
    else:
        look = shown(session, capture)
        if arguments.form == "page" and out is None:
            raise ParameterError("captures --as page needs --out FILE.html.")
        if arguments.form == "page" and not look.page:
            raise UserError(f"{capture.url} is not a page of markup; --as text prints it.")
        if out is None:
            output.record({"sha256": digest, "text": look.text})
            output.text(look.text)
            return 0
        with session.read() as connection:
            refuse_imported(connection, out, Message("The page"))
        with atomic_write(out, Message("The page")) as part:
            part.write_text(look.page if arguments.form == "page" else look.text, encoding="utf-8")
    output.record({"file": str(out), "sha256": digest})
    output.say(f"Wrote {out}.")
    return 0
