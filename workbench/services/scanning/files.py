"""The web archives below the paths the user gives."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from workbench.base.errors import UserError
from workbench.project.scans import ScanFile
from workbench.reading import formats
from workbench.reading.formats import Failure, ReadOptions, Source, sentence, warc


@dataclass(frozen=True, slots=True)
class Listed:
    """Archives in order, each with what identifies its present content; files that cannot be opened; and how many
    ``others`` in the folders are not web archives.
    """

    files: tuple[tuple[Source, ScanFile], ...]
    failed: tuple[Failure, ...]
    others: int


def list_archives(paths: Sequence[Path], options: ReadOptions) -> Listed:
    """WARC and WET files, compressed or not; a file named directly is recognised by its content, whatever its name."""
    named = {os.path.abspath(path) for path in paths}
    files, failed, others = [], [], 0
    for item in formats.expand(paths, options, archives=False):
        if isinstance(item, Failure):
            failed.append(item)
            continue
        place = os.path.abspath(item.path)
        if item.suffix not in warc.suffixes and place not in named:
            others += 1
            continue
        try:
            status = item.path.stat()
        except (OSError, UserError) as error:
            failed.append(Failure(item.name, sentence(error)))
            continue
        files.append((Source(Path(place), item.name), ScanFile(place, status.st_size, status.st_mtime_ns)))
    return Listed(tuple(files), tuple(failed), others)
