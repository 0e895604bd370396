"""Source code: each file as it is, cited by lines."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import PurePosixPath

from workbench.reading.formats import txt
from workbench.reading.formats.api import Item, ReadOptions, Record, Source

name = "code"
suffixes: tuple[str, ...] = (
    *(".py", ".pyi", ".c", ".h", ".cc", ".cpp", ".cxx", ".hh", ".hpp", ".cs", ".java", ".kt", ".scala", ".go", ".rs"),
    *(".swift", ".js", ".mjs", ".jsx", ".ts", ".tsx", ".php", ".rb", ".pl", ".pm", ".lua", ".r", ".jl", ".m", ".f"),
    *(".f90", ".pas", ".hs", ".ml", ".lisp", ".clj", ".erl", ".ex", ".sql", ".sh", ".bash", ".ps1", ".bat", ".vb"),
    *(".asm", ".css"),
)


def sniff(head: bytes) -> bool:
    """Always false: source code is recognised only by its suffix."""
    return False


def read(source: Source, options: ReadOptions) -> Iterator[Item]:
    """The file as one document, titled by its whole name. Raises UnreadableInput for empty or binary data."""
    title = PurePosixPath(source.innermost).name
    for item in txt.read(source, options):
        if isinstance(item, Record):
            document = item.document
            how = replace(document.extraction, format=name)
            item = replace(item, document=replace(document, title=title, extraction=how))
        yield item
