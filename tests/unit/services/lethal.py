"""Inputs that end or delay the worker process that reads them."""

from __future__ import annotations

import multiprocessing
import os
import time
from pathlib import Path

from workbench.reading.formats import Source


class Lethal(Source):
    """Kills its reader, as a parser does that crashes in compiled code."""

    @property
    def suffix(self) -> str:
        if multiprocessing.parent_process() is not None:
            os._exit(11)
        return super().suffix


class Endless(Source):
    """Is never read to its end."""

    @property
    def suffix(self) -> str:
        if multiprocessing.parent_process() is not None:
            self.path.with_name(f"{self.path.name}.{os.getpid()}.tried").touch()
        while multiprocessing.parent_process() is not None:
            time.sleep(1)
        return super().suffix


def source(kind: type[Source], folder: Path, name: str) -> Source:
    """An input called ``name`` of class ``kind``."""
    path = folder / name
    path.write_text("これは本文です。", encoding="utf-8")
    return kind(path, name)
