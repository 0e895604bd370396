"""Continues a finished run: only documents imported since then are examined."""

from __future__ import annotations

from collections.abc import Sequence

from workbench.base.types import Run, RunState
from workbench.methods.core.api import Method, Parameters
from workbench.project.database import Connection
from workbench.project.documents import corpus_hash
from workbench.project.runs import runs
from workbench.services.detecting.corpus import ProjectCorpus, scope_of


def run_to_continue(
    connection: Connection, method: Method, settings: Parameters, lengths: Sequence[tuple[int, int]]
) -> Run | None:
    """The latest finished run that examined the first of these documents, with the same settings and sources.

    ``lengths``: (key, characters) of the documents to examine, in key order. None where a new run would find other
    things: because documents that the index is made of came or went, or texts or content blocks changed since.
    """
    indexed, examined = method.roles(settings)
    scope = scope_of(settings)
    corpus = ProjectCorpus(connection, scope)
    if (
        "matches" not in method.emits
        or "scores" in method.emits
        or set(examined) & set(method.index_roles(corpus, settings))
    ):
        return None
    roles = sorted({*indexed, *examined})
    defaults, values = method.parameters().as_dict(), settings.as_dict()
    for run in reversed(runs(connection)):
        same = (run.method, run.version, run.state) == (method.name, method.version, RunState.DONE)
        if not same or {**defaults, **run.parameters} != values or not 0 < run.documents < len(lengths):
            continue
        last = lengths[run.documents - 1][0]
        if corpus_hash(connection, roles, last=last, of=examined, scope=scope) == run.corpus_hash:
            return run
    return None
