"""The contents of a project in figures, and the next step with them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from workbench.base.types import Role, Run, RunState
from workbench.methods.core import registry
from workbench.project.documents import count_documents
from workbench.project.imports import StoredFailure, failures, imported_since, interrupted_batches
from workbench.project.integrity import counts, integrity
from workbench.project.pages import hidden_totals
from workbench.project.runs import newest_finished, runs
from workbench.project.tags import tag_counts
from workbench.services.detecting.corpus import not_examined
from workbench.services.session import Session


@dataclass(frozen=True, slots=True)
class Overview:
    """Counts of a project. ``failed`` are the inputs that were not imported, ``interrupted`` run numbers;
    ``unfinished_imports`` counts interrupted imports, ``tags`` documents by tag, ``labelled`` the items of all label
    sets that ``labels`` are about, ``hidden_characters`` those on ``hidden_pages`` that browsers do not show.
    """

    documents: int
    roles: Mapping[str, int]
    failed: tuple[StoredFailure, ...]
    labels: int
    labelled: int
    runs: int
    matches: int
    interrupted: tuple[int, ...]
    unfinished_imports: int
    integrity: str
    tags: Mapping[str, int]
    hidden_pages: int
    hidden_characters: int


def overview(session: Session) -> Overview:
    """Counts, interrupted work, and whether the file is intact."""
    state = integrity(session.project)
    with session.read() as connection:
        totals = counts(connection)
        roles = {role.value: count_documents(connection, [role]) for role in Role}
        broken = tuple(run.id for run in runs(connection) if run.state is RunState.INTERRUPTED)
        return Overview(
            totals.documents,
            {role: count for role, count in roles.items() if count},
            tuple(failures(connection)),
            totals.labels,
            totals.labelled,
            totals.runs,
            totals.matches,
            broken,
            len(interrupted_batches(connection)),
            state,
            tag_counts(connection),
            *hidden_totals(connection),
        )


_LONGEST_SETTING = 200
"""Characters of a setting that can be typed."""


def next_step(session: Session) -> tuple[str, ...]:
    """The next command: verb and arguments after ``palimpsest``."""
    with session.read() as connection:
        counts = {role: count_documents(connection, [role]) for role in Role}
        known = runs(connection)
        finished = newest_finished(known)
        outdated = finished is not None and not_examined(connection, finished) > 0
        of_file = finished is not None and registry.is_imported(finished.method)
        rescored = finished is not None and of_file and bool(imported_since(connection, finished.created))
    if finished is not None and rescored:
        lower = ["--lower-is-better"] * bool(finished.parameters.get("lower_is_better"))
        return "scores", "import", str(session.path), "FILE", "--name", str(finished.parameters.get("name")), *lower
    if finished is not None and outdated:
        settings = tuple(_settings(finished))
        too_long = any(len(setting) > _LONGEST_SETTING for setting in settings)
        return "detect", str(session.path), finished.method, *(("--as", str(finished.id)) if too_long else settings)
    if finished is not None:
        return "report", str(session.path), "--run", str(finished.id), "--out", "report.html"
    for role in (Role.SOURCE, Role.SUSPECT):
        if not counts[role]:
            return "import", str(session.path), "PATH...", "--role", str(role)
    return "detect", str(session.path), registry.names()[0]


def _settings(run: Run) -> Iterator[str]:
    """The options of ``detect`` for the settings of ``run`` that are not the default ones."""
    for spec in registry.get(run.method).parameters.specs():
        value = run.parameters.get(spec.name, spec.default)
        if value != spec.default:
            yield from ("--set", f"{spec.name}={value}")
