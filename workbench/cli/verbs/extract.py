"""Verb ``extract``: what would be read from a file, without a project."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.cli.arguments import add_reading, path_argument, reading_options
from workbench.cli.output import Output

if TYPE_CHECKING:
    from workbench.base.types import Document
    from workbench.jobs.context import Context
    from workbench.services.importing.batch import ImportOptions

name = "extract"
summary = "text, encoding, language and blocks of files"
description = ""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("files", metavar="FILE", nargs="+", type=path_argument)
    add_reading(parser)


def execute(arguments: argparse.Namespace, output: Output) -> int:
    from workbench.cli.monitor import run_job

    options = reading_options(arguments)
    return 0 if run_job(output, _print_all, arguments.files, options, output) else 1


def _print_all(ctx: Context, files: Sequence[Path], options: ImportOptions, output: Output) -> int:
    """Print each document as it is read. Returns their number."""
    from workbench.services.importing.extracting import extract_files

    extracted = 0
    for name, document in extract_files(ctx, files, options):
        if isinstance(document, str):
            output.note(f"{name}: {document}")
            continue
        extracted += 1
        output.record(as_record(name, document))
        how = [document.extraction.format, document.extraction.encoding, document.language]
        how += [read] if (read := document.extraction.recognition) else []
        how += document.extraction.repairs
        if hidden := document.extraction.hidden:
            how.append(f"{hidden:,} hidden characters left out: --json shows them")
        output.say(f"== {name} ({', '.join(how)})")
        output.text(content(document))
    return extracted


def content(document: Document) -> str:
    """The text of the content blocks, one per line; the whole text if there are no blocks."""
    if not document.blocks:
        return document.text
    from workbench.base.types import BlockClass

    spans = (b.span for b in document.blocks if b.verdict is BlockClass.CONTENT)
    return "\n".join(document.text[s.start : s.end].strip("\n") for s in spans)


def as_record(name: str, document: Document) -> dict[str, object]:
    """The JSON object of ``extract``."""
    from workbench.base.locators import Places
    from workbench.services.pages.hidden import hidden_text

    places = Places(document)
    return {
        "file": name,
        "encoding": document.extraction.encoding,
        "language": document.language,
        "title": document.title,
        "text": document.text,
        "content": content(document),
        "hidden": hidden_text(document),
        "ocr": list(document.extraction.ocr),
        "integrity": [
            {"kind": flag.kind, "count": flag.characters, "spans": [list(span) for span in flag.spans]}
            for flag in document.extraction.integrity
        ],
        "blocks": [
            {"start": b.span.start, "end": b.span.end, "verdict": b.verdict.value, "rule": b.rule, "path": b.path}
            | {"place": places.of(b.span).record}
            for b in document.blocks
        ],
    }
