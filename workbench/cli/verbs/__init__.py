"""The verbs of the command line: one module each, named after it, and one line in :data:`VERBS`."""

from __future__ import annotations

import argparse
from typing import Protocol

from workbench.cli.options import TaskVerb
from workbench.cli.output import Output
from workbench.cli.verbs import (
    alerts,
    blocks,
    captures,
    child,
    compare,
    demo,
    detect,
    diff,
    engine,
    evaluate,
    explain,
    export,
    extract,
    figure,
    gui,
    import_,
    info,
    key,
    labels,
    matches,
    methods,
    new,
    pairs,
    prepare,
    query,
    relations,
    report,
    review,
    runs,
    scale,
    scores,
    selectors,
    tags,
    verify,
    watch,
)


class Verb(Protocol):
    """A verb of the command line.

    ``summary`` is shown in the list of verbs, ``description`` at the top of the verb's own help.
    """

    name: str
    summary: str
    description: str

    def add_arguments(self, parser: argparse.ArgumentParser, /) -> None:
        """Declare the arguments."""

    def execute(self, arguments: argparse.Namespace, output: Output, /) -> int:
        """Execute the verb; returns its exit code. Raises UserError, Cancelled or Unwritable."""


_FETCH = TaskVerb(
    "fetch",
    "import pages from the web into a project (optional part: pip install 'palimpsest[web]')",
    "workbench.services.fetching.task:Fetch",
)
_SCAN = TaskVerb(
    "scan",
    "search web archives for copies of the sources, keeping only the pages with a hit",
    "workbench.services.scanning.task:Scan",
)
_SEARCH = TaskVerb(
    "search",
    "ask a search engine for copies of the sources, and compare the pages it returns",
    "workbench.services.engines.task:Search",
)
_GATHER = TaskVerb(
    "gather",
    "search for trend words or words of your choice; snippets and pages become a background corpus",
    "workbench.services.engines.gathering:Gather",
)
_PAGES = TaskVerb(
    "pages",
    "make pages of Word, OpenDocument, RTF and PowerPoint files with LibreOffice, to be shown and cited",
    "workbench.services.pages.making:MakePages",
)
_LEARN = TaskVerb(
    "learn",
    "learn from labels how much each filter of the method splog counts, and score all suspects anew",
    "workbench.services.measuring.learning:Learn",
)
VERBS: tuple[Verb, ...] = (
    demo,
    new,
    info,
    import_,
    _FETCH,
    _PAGES,
    extract,
    selectors,
    blocks,
    tags,
    methods,
    detect,
    runs,
    matches,
    pairs,
    scores,
    relations,
    compare,
    diff,
    explain,
    query,
    _SCAN,
    _SEARCH,
    _GATHER,
    engine,
    watch,
    alerts,
    captures,
    review,
    labels,
    export,
    evaluate,
    _LEARN,
    figure,
    report,
    verify,
    key,
    scale,
    prepare,
    gui,
)
"""All verbs, in the order of the help and the reference."""

UNLISTED: tuple[Verb, ...] = (child,)
"""Verbs that only this program itself uses."""
