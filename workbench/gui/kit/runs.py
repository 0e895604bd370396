"""Runs in the window: their names, settings and results in words, and choosing between runs."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QComboBox

from workbench.base.types import Run
from workbench.gui.i18n import tr, trn
from workbench.gui.kit.widgets import ChoiceBox
from workbench.gui.kit.words import parameter_title, value_text
from workbench.methods.core import registry


def changed_parameters(run: Run) -> dict[str, object]:
    """The parameters of ``run`` that differ from their defaults (all for an unknown method)."""
    if run.method not in registry.names() and not registry.is_imported(run.method):
        return dict(run.parameters)
    defaults = {s.name: s.default for s in registry.get(run.method).parameters.specs()}
    return {name: value for name, value in run.parameters.items() if defaults.get(name) != value}


_LONGEST_VALUE = 200
"""Characters of a setting that are shown: learnt weights have thousands."""


def settings_text(run: Run) -> str:
    """The run's settings in one line."""
    changed = changed_parameters(run)
    settings = ", ".join(
        f"{parameter_title(name)} {'…' if len(text) > _LONGEST_VALUE else text}"
        for name, value in changed.items()
        if (text := value_text(value))
    ) or tr("defaults")
    if run.method in registry.names() and run.version != registry.get(run.method).version:
        settings = tr("{settings}; version {version} of the method", settings=settings, version=run.version)
    if run.watch is not None:
        return tr("{settings}; check of a watch", settings=settings)
    if run.varied_from is not None:
        return tr("{settings}; sweep of run {run}", settings=settings, run=run.varied_from)
    if run.continues is not None:
        taken = trn("{count} document", "{count} documents", run.taken_over)
        return tr(
            "{settings}; {documents} reused from run {run}", settings=settings, documents=taken, run=run.continues
        )
    return settings


def has_results(run: Run) -> bool:
    """Whether the run has results for Review: passages, pairs or scores."""
    return bool(run.matches or run.pairs or run.scores)


def result_sentence(run: Run) -> str:
    """The findings of a finished run."""
    pairs = trn("{count} pair", "{count} pairs", run.pairs)
    if run.matches:
        matches = trn("{count} match", "{count} matches", run.matches)
        return tr("Run {run} found {found} in {pairs}.", run=run.id, found=matches, pairs=pairs)
    if run.pairs:
        return tr("Run {run} found {pairs} of documents.", run=run.id, pairs=pairs)
    if run.scores:
        scored = trn("{count} document", "{count} documents", run.scores)
        return tr("Run {run} scored {documents}.", run=run.id, documents=scored)
    return tr("Run {run} found nothing. Other parameters or another method may find more.", run=run.id)


class RunBox(ChoiceBox):
    """A box of runs, newest first; hidden if there is nothing to choose. ``chosen`` emits a run's number."""

    chosen = Signal(int)

    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName(tr("Run"))
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.setMinimumContentsLength(18)
        self.activated.connect(lambda at: self.chosen.emit(int(self.itemData(at))))

    def show_runs(self, runs: Sequence[Run], chosen: Run | None) -> None:
        """List ``runs`` with ``chosen`` selected."""
        self.clear()
        for run in reversed(runs):
            own = registry.is_imported(run.method)
            words = tr(
                "Run {number} · {method}", number=run.id, method=run.parameters.get("name") if own else run.method
            )
            self.addItem(words if run.watch is None else tr("{run} · watch", run=words), run.id)
        if chosen is not None:
            self.setCurrentIndex(self.findData(chosen.id))
        self.setVisible(len(runs) > 1)


def newer_words(count: int, successor: int = 0) -> str:
    """A sentence that a run is out of date, with the number of documents that it was not applied to, or with the run
    ``successor`` that was.
    """
    if successor:
        return tr("Run {number} has newer texts. Show it…", number=successor)
    return trn(
        "Out of date: this run does not cover {count} document. Continue…",
        "Out of date: this run does not cover {count} documents. Continue…",
        count,
    )
