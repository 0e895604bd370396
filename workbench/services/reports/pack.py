"""An evidence pack: all data behind a case as one archive that can be verified anywhere."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from io import BufferedWriter, TextIOWrapper
from pathlib import Path, PurePosixPath
from typing import Any, TextIO

from workbench.base.messages import Message
from workbench.base.progress import Progress
from workbench.base.types import Document
from workbench.methods.core import registry
from workbench.project import labels
from workbench.project.captures import captures_of_document, timestamps_of
from workbench.project.clock import now
from workbench.project.database import Connection
from workbench.project.originals import load_original
from workbench.project.pages import load_markup
from workbench.reading.formats import format_names
from workbench.reading.formats.picture import suffix_of
from workbench.services.reports.archive import DECISIONS, KEY, SIGNATURE, STAMP, PackWriter
from workbench.services.reports.decisions import chained_lines, decisions_about
from workbench.services.reports.gathering import Report
from workbench.services.reports.pair_reader import document_facts
from workbench.services.reports.strings import ReportLanguage
from workbench.services.session import Session
from workbench.services.signing import signed
from workbench.services.timestamps import make_timestamp

Write = Callable[[TextIO, Report, ReportLanguage], None]


@dataclass(frozen=True, slots=True)
class Sheet:
    """A form of the report inside the pack: its file name, description and writer."""

    name: str
    what: str
    write: Write
    encoding: str = "utf-8"


@dataclass(frozen=True, slots=True)
class Seal:
    """Proofs of a pack beyond its fingerprint.

    ``sign``: the user's key, if any, signs it; ``stamp``: the configured timestamp service certifies its time.
    """

    sign: bool = True
    stamp: bool = False


USUAL = Seal()


def write_pack(
    watcher: Progress,
    session: Session,
    report: Report,
    path: Path,
    sheets: Sequence[Sheet],
    words: ReportLanguage,
    seal: Seal,
) -> str:
    """Write the pack of ``report`` to ``path``; returns its fingerprint.

    Raises UserError if it would become too large, the key cannot be read or the service does not answer, OSError if it
    cannot be written.
    """
    pack = PackWriter(path)
    try:
        for sheet in sheets:
            with pack.file(sheet.name, sheet.what) as stream, _text(stream, sheet.encoding) as file:
                sheet.write(file, report, words)
        with session.read() as connection:
            log = _write_decisions(pack, connection, report)
            documents = _write_documents(watcher, pack, connection, report)
        pack.write("settings.json", "method, its settings and what was compared", _json(_settings(report)))
        pack.write("README.txt", "how to read and check this pack", _readme(report, words))
        return pack.seal(
            {
                "made": now(),
                "program": _program(),
                "project": report.project,
                "run": report.run.id,
                "about": report.selection.kind,
                "anonymous": report.disguise is not None,
                "log_of_the_project": log,
                "documents": documents,
            },
            partial(_about, seal=seal),
        )
    finally:
        pack.close()


def _about(manifest: bytes, *, seal: Seal) -> dict[str, bytes]:
    """The signature and the timestamp of ``manifest``, by file name."""
    about = {}
    if seal.sign and (own := signed(manifest)) is not None:
        about[SIGNATURE], about[KEY] = own
    if seal.stamp:
        about[STAMP] = make_timestamp(manifest).answer
    return about


def _text(stream: Any, encoding: str) -> TextIOWrapper:
    return TextIOWrapper(BufferedWriter(stream, 1 << 16), encoding, errors="surrogatepass", newline="")


def _write_decisions(pack: PackWriter, connection: Connection, report: Report) -> str:
    """Write the log of decisions on the reported pairs; returns the state of the project's own chain."""
    decisions = decisions_about(connection, [row.as_compared for row in report.rows], report.selection.viewer)
    if report.disguise is not None:
        decisions = [report.disguise.decision(decision) for decision in decisions]
    lines = chained_lines(decisions, with_links=report.disguise is None and not report.selection.viewer.blind)
    pack.write(DECISIONS, "log of decisions, each line chained to the one before", "".join(f"{x}\n" for x in lines))
    return str(labels.verify_chain(connection))


def _write_documents(
    watcher: Progress, pack: PackWriter, connection: Connection, report: Report
) -> list[Mapping[str, Any]]:
    """Write the texts as compared, with their stored origins; returns the manifest's entry for each document."""
    keys = list(dict.fromkeys(key for row in report.rows for key in (row.a, row.b)))
    listed: list[Mapping[str, Any]] = []
    for number, key in enumerate(keys, 1):
        watcher.advance(Message("Writing"), number, len(keys))
        facts = document_facts(connection, key, report.disguise)
        document = facts.document
        text = f"texts/{number:04d}.txt"
        pack.write(text, "text as compared", document.text)
        entry: dict[str, Any] = {
            "id": document.id,
            "role": document.role.value,
            "title": document.title,
            "url": document.url,
            "published": document.published,
            "dated_by": document.dated_by,
            "language": document.language,
            "tags": list(document.tags),
            "characters": len(document.text),
            "text": text,
            "text_sha256": facts.sha256,
            "imported": facts.imported,
            "extraction": asdict(document.extraction),
            "blocks": [[*block.span, block.kind.value, block.verdict.value] for block in document.blocks],
        }
        if report.disguise is None:
            entry |= {"origin": document.origin} | _kept(pack, connection, key, number, document)
        listed.append(entry)
    return listed


def _kept(pack: PackWriter, connection: Connection, key: int, number: int, document: Document) -> dict[str, str]:
    """The page a text was read from and its captures, if the project stores them."""
    kept = {}
    if markup := load_markup(connection, key):
        kept["original"] = f"originals/{number:04d}{_suffix(document)}"
        pack.write(kept["original"], "source of the page, decoded to UTF-8", markup)
    if original := load_original(connection, key):
        # What a project from elsewhere calls a format may be a path.
        known = document.extraction.format if document.extraction.format in format_names() else "bin"
        kept["original"] = f"originals/{number:04d}{suffix_of(original) or '.' + known}"
        with pack.file(kept["original"], "file that the text was read from, unchanged") as stream:
            stream.write(original)
    captures = captures_of_document(connection, key)
    if captures:
        kept["captures"] = f"captures/{number:04d}.json"
        rows = [
            asdict(capture)
            | {"outcome": capture.outcome.value, "document": document.id, "body_hash": capture.body_hash.hex()}
            for capture in captures
        ]
        pack.write(kept["captures"], "what the host answered, and when", _json(rows))
        stamps = timestamps_of(connection, [capture.body_hash for capture in captures if capture.body_hash])
        for place, stamp in enumerate((s for of_hash in stamps.values() for s in of_hash), 1):
            name = f"captures/{number:04d}-{place}.tsr"
            with pack.file(name, f"timestamp (RFC 3161) of the SHA-256 {stamp.hash.hex()}") as stream:
                stream.write(stamp.answer)
            kept["timestamps"] = f"{kept.get('timestamps', '')} {name}".strip()
    return kept


def _suffix(document: Document) -> str:
    suffix = PurePosixPath(document.origin).suffix.lower()
    return suffix if suffix in (".html", ".htm", ".xhtml", ".xml") else ".html"


def _settings(report: Report) -> dict[str, Any]:
    method = registry.get(report.run.method)
    run = asdict(report.run) | {"parameters": dict(report.run.parameters), "excluded": dict(report.run.excluded)}
    thresholds = [asdict(used) for used in report.thresholds]
    described = {"name": report.run.method, "summary": str(method.summary), "source": method.source}
    return {"run": run, "thresholds": thresholds, "method": described}


def _readme(report: Report, words: ReportLanguage) -> str:
    t = words.texts
    names: tuple[str, ...] = ("pack_files", "pack_check", "pack_signed", "pack_proves", "pack_proves_not")
    if report.disguise is not None:
        names = (*names, "pack_anonymous")
    return "\n\n".join([t["pack_title"], t["neutral"], *(t[name] for name in names)]) + "\n"


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=1, default=str)


def _program() -> str:
    try:
        return f"palimpsest {version('palimpsest')}"
    except PackageNotFoundError:
        return "palimpsest"
