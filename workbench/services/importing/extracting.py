"""Extracts documents from files without a project: parsed in worker processes, in the order of the files."""

from __future__ import annotations

import os
from collections.abc import Generator, Sequence
from pathlib import Path

from workbench.base.messages import Message
from workbench.base.progress import Progress
from workbench.base.types import Document
from workbench.reading import formats
from workbench.reading.formats import Failure, Record
from workbench.services.importing.batch import ImportOptions
from workbench.services.importing.parsing import parse_all

_FILES = 8
"""Number of files above which more than one process is started."""


def extract_files(
    ctx: Progress, paths: Sequence[Path], options: ImportOptions
) -> Generator[tuple[str, Document | str]]:
    """Each document of ``paths`` (name, document), or (name, why it cannot be read); see :func:`extract_records`."""
    for name, item in extract_records(ctx, paths, options):
        yield name, item.error if isinstance(item, Failure) else item.document


def extract_records(
    ctx: Progress, paths: Sequence[Path], options: ImportOptions
) -> Generator[tuple[str, Record | Failure]]:
    """Each record of ``paths`` (name, record), or (name, failure).

    A file that crashes its parser or takes too long costs a worker and is reported like any other failure.
    """
    reading = options.reading()
    many = options.workers or os.cpu_count() or 1
    workers = many if len(paths) >= _FILES or any(path.is_dir() for path in paths) else 1
    done = 0
    for piece, items in parse_all(ctx, formats.expand(paths, reading.options, archives=False), reading, workers):
        done += piece.units
        ctx.advance(Message("Reading"), done, None)
        for item in items:
            if isinstance(item, Failure):
                yield item.path, item
            elif isinstance(item, Record):
                yield (item.document.id if item.id is None else item.document.origin), item
