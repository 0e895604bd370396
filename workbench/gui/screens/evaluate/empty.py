"""What Evaluate says while nothing can be measured, and what to do next."""

from __future__ import annotations

from collections.abc import Callable

from workbench.gui.i18n import say, tr
from workbench.gui.kit.widgets import EmptyState, button
from workbench.gui.workspace.context import AppContext
from workbench.services.labels.sets import UnclearMeaning
from workbench.services.measuring.scored_run import EvaluationInput


def empty_state(context: AppContext, ground: EvaluationInput, choose_value: Callable[[], object]) -> EmptyState:
    """The next step towards a curve: documents, a run, labels of both kinds, and which of them is looked for.

    ``choose_value`` lets the user say that.
    """
    theme, run = context.theme, context.actions.run
    if not ground.documents:
        documents = button(tr("Go to Documents"), lambda: context.show_view("documents"), kind="primary")
        sentence = tr("Import the texts to examine; a row's label field is taken over as its label.")
        return EmptyState(theme, "documents", tr("No documents yet"), sentence, documents)
    if ground.run is None:
        detect = button(tr("Go to Detect"), lambda: context.show_view("detect"), kind="primary")
        sentence = tr("Run a method over the documents: its scores are measured against labels.")
        return EmptyState(theme, "detect", tr("Nothing was detected yet"), sentence, detect)
    if isinstance(ground.problem, UnclearMeaning):
        choose = button(tr("Choose the value…"), choose_value, kind="primary")
        sentence = tr(
            "Precision and recall are about one kind of label. Choose the values of {set} that count as positive.",
            set=ground.question.labels,
        )
        return EmptyState(theme, "evaluate", tr("Which label are you looking for?"), sentence, choose)
    bring = button(tr("Import labels…"), lambda: run("evaluate.import-labels"), kind="primary")
    label = button(tr("Label here"), lambda: run("evaluate.label-here"))
    bench = ground.bench
    problem = ground.problem.sentence if ground.problem is not None else bench.problem if bench is not None else ""
    if ground.sources and problem:
        title = tr("Run {number} cannot be measured yet", number=ground.run.id)
        return EmptyState(theme, "evaluate", title, say(problem), label, bring)
    sentence = tr(
        "Precision and recall compare the scores of run {number} with labels. Import labels (JSONL or CSV), "
        "or label some documents here: start with ten of each kind.",
        number=ground.run.id,
    )
    return EmptyState(theme, "evaluate", tr("No labels to measure against"), sentence, bring, label)
