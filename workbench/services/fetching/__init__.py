"""Fetching pages from the web into a project: polite, bounded and resumable, and only on request.

The libraries are an optional extra: ``pip install 'palimpsest[web]'``. Nothing here imports them before :func:`fetch`
is called.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.base.errors import UserError
from workbench.base.messages import Message
from workbench.base.page_sources import PageSource
from workbench.services.fetching.options import KNOWN, NOT_DUE, SAMPLED, FetchOptions, FetchResult

__all__ = ["KNOWN", "NOT_DUE", "SAMPLED", "FetchOptions", "FetchResult", "fetch", "require_libraries"]

if TYPE_CHECKING:
    from workbench.jobs.context import Context

_LIBRARIES = ("httpx", "protego", "feedparser")


def fetch(
    ctx: Context, project_path: Path, places: Sequence[PageSource], options: FetchOptions | None = None
) -> FetchResult:
    """Fetch ``places`` into the project (a job; cancelled within a second).

    A page is one document with its final URL as id; a page whose text changed since its last capture becomes a new
    document ``URL@time``. Every answer is recorded as a capture. After a cancellation or a crash the same call
    continues where it stopped: pages already fetched are not requested again. Raises UserError for problems of the
    whole fetch: the extra is not installed, another fetch into this project is running, there is nothing to fetch.
    """
    options = options or FetchOptions()
    options.check()
    if not places:
        raise UserError(Message("There is nothing to fetch."))
    require_libraries()
    from workbench.services.fetching.running import run

    return run(ctx, project_path, places, options)


def require_libraries(names: Sequence[str] = _LIBRARIES) -> None:
    """Raise UserError saying how to install the optional extra if one of ``names``, which are in it, is missing."""
    if not all(find_spec(name) for name in names):
        raise UserError(
            Message("Fetching needs an optional part."), hint=Message("Install it with: pip install 'palimpsest[web]'")
        )
