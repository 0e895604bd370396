"""The panel beside the curves: suggested thresholds with their figures, and the most informative labels."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QComboBox, QDoubleSpinBox, QFrame, QScrollArea, QVBoxLayout, QWidget

from workbench.base.messages import threshold_words
from workbench.evaluation.choosing import RULES, Choice, Rule, RuleKind
from workbench.gui.i18n import tr, trn
from workbench.gui.kit.layouts import clear, scroll_down
from workbench.gui.kit.widgets import ElidedLink, button, caption, column, heading, icon_button, label, line, row
from workbench.gui.screens.evaluate.words import counted, ends, rule_words, score_text, share
from workbench.gui.theme.fonts import SEMIBOLD, font
from workbench.gui.workspace.context import AppContext
from workbench.services.measuring.learning import WITHIN, NextLabels
from workbench.services.measuring.scored_run import ScoredRun
from workbench.services.measuring.thresholds import UsedThreshold

_KINDS: tuple[RuleKind, ...] = ("precision", "recall", "cost")


class AdvicePanel(QFrame):
    """``chosen`` emits a threshold to go to; ``rules_changed`` is emitted when another rule is chosen."""

    chosen = Signal(float)
    rules_changed = Signal()

    def __init__(self, context: AppContext) -> None:
        super().__init__()
        self.setObjectName("panel")
        self._context = context
        self.rules: list[Rule] = list(RULES)
        self.choices: Sequence[Choice] = ()
        self.next: NextLabels | None = None
        self._rows = QVBoxLayout()
        self._rows.setSpacing(4)
        self.kind = QComboBox()
        self.kind.setAccessibleName(tr("Rule"))
        names = {"precision": tr("Precision ≥"), "recall": tr("Recall ≥"), "cost": tr("Cost ratio")}
        for kind in _KINDS:
            self.kind.addItem(names[kind], kind)
        self.kind.setToolTip(tr("Cost ratio: how many misses one false accusation costs"))
        self.value = QDoubleSpinBox()
        self.value.setAccessibleName(tr("Value of the rule"))
        self.value.setFont(font(13, tabular=True))
        self.value.setFixedWidth(84)
        self.kind.currentIndexChanged.connect(lambda _at: self._limits())
        self._limits()
        self.add = button(tr("Suggest"), self._add)
        self._state = label("", 12, role="muted", wrap=True)
        self._note = label("", 11, role="faint", wrap=True)
        self._population = label("", 12, role="muted", wrap=True, tabular=True)
        self._needed = label("", 13, wrap=True, weight=SEMIBOLD)
        self._why = label("", 12, role="muted", wrap=True)
        self.label = icon_button(
            context.theme, tr("Label these next"), "label", lambda: context.actions.run("evaluate.label-next")
        )
        self._used = label("", 12, role="muted", wrap=True, tabular=True)
        self.withdraw = button(tr("Stop using it"), lambda: context.actions.run("evaluate.withdraw"), kind="link")
        inside = column(
            heading(tr("Suggested thresholds"), 13),
            self._state,
            self._rows,
            row(self.kind, self.value, None, spacing=6),
            row(self.add, None),
            self._note,
            line(),
            heading(tr("Label these next"), 13),
            self._needed,
            self._why,
            row(self.label, None),
            self._population,
            line(),
            caption(tr("The project's threshold")),
            self._used,
            row(self.withdraw, None),
            None,
            margins=(14, 10, 12, 12),
            spacing=8,
        )
        content = QWidget()
        content.setObjectName("page")
        content.setLayout(inside)
        scroll = QScrollArea()
        scroll_down(scroll, content)
        scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        whole = column(spacing=0, margins=(1, 1, 1, 1))
        whole.addWidget(scroll)
        self.setLayout(whole)
        self.setMinimumWidth(220)

    def _limits(self) -> None:
        cost = self.kind.currentData() == "cost"
        self.value.setDecimals(1 if cost else 2)
        self.value.setRange(0.1 if cost else 0.01, 1000.0 if cost else 1.0)
        self.value.setSingleStep(1 if cost else 0.01)
        self.value.setValue(10.0 if cost else 0.99 if self.kind.currentData() == "precision" else 0.95)

    def _add(self) -> None:
        rule = Rule(self.kind.currentData(), round(self.value.value(), 4))
        if rule not in self.rules:
            self.rules.append(rule)
        self.rules_changed.emit()

    def wait(self) -> None:
        """Clear the panel until the figures of the current run are known."""
        self.choices, self.next = (), None
        clear(self._rows)
        self._state.setText(tr("Choosing on resampled labels…"))
        self._state.show()
        for words in (self._note, self._needed, self._why, self._population):
            words.setText("")

    def show_choices(self, choices: Sequence[Choice]) -> None:
        """Show the thresholds chosen by the rules."""
        self.choices = choices
        clear(self._rows)
        self._state.setVisible(not choices)
        self._state.setText("" if choices else tr("No threshold meets the rules."))
        for choice in choices:
            self._rows.addWidget(self._card(choice))
        met = {choice.rule for choice in choices}
        missing = [rule_words(rule) for rule in self.rules if rule not in met]
        note = tr(
            "Corrected for the optimism of choosing and measuring on the same labels (bootstrap); intervals of 95 %."
        )
        if missing:
            note += " " + tr("Not reached by any threshold: {rules}.", rules="; ".join(missing))
        self._note.setText(note if choices else "")

    def _card(self, choice: Choice) -> QWidget:
        # A rule that is too long loses its middle: the threshold behind it must stay whole.
        go = ElidedLink(lambda: self.chosen.emit(choice.threshold), Qt.TextElideMode.ElideMiddle)
        go.setStyleSheet("padding-left: 0;")
        name = f"{rule_words(choice.rule)} → {threshold_words(choice.threshold)}"
        spread = "" if choice.spread is None else f"{score_text(choice.spread[0])}–{score_text(choice.spread[1])}"
        tip = tr("With other labels, the rule would choose a threshold in the range {spread}.", spread=spread)
        go.set_text(name, f"{name}\n{tip}" if spread else "")
        figures = [
            tr("{name} {value} ({interval})", name=name, value=share(e.value), interval=ends(e.interval))
            for name, e in (("P", choice.precision), ("R", choice.recall), ("F", choice.f1))
        ]
        apparent = tr("measured on the same labels: F {value}", value=share(choice.counts.f1))
        if choice.counts.everything:
            figures.insert(0, tr("This selects every labelled item, which needs no method."))
        words = label("\n".join(figures), 12, role="muted", wrap=True, tabular=True)
        words.setToolTip(apparent)
        go.setAccessibleDescription(", ".join([*figures, apparent]))
        card = QWidget()
        card.setLayout(column(go, words, margins=(0, 0, 0, 2), spacing=0))
        return card

    def show_next(self, advice: NextLabels, scored: ScoredRun) -> None:
        """Show the number of labels needed, and the estimates over all items."""
        self.next = advice
        aim = f"{100 * WITHIN:.0f}"
        if advice.needed is None or not advice.targets:
            self._needed.setText(tr("Everything that was scored has a label."))
            self._why.setText("")
        elif advice.needed == 0:
            self._needed.setText(tr("F at this threshold is known to within about ±{aim} %.", aim=aim))
            self._why.setText(tr("More labels of informative items narrow it further."))
        else:
            self._needed.setText(
                trn(
                    "About {count} more label to know F to within ±{aim} %",
                    "About {count} more labels to know F to within ±{aim} %",
                    advice.needed,
                    aim=aim,
                )
            )
            self._why.setText(tr("Items near the threshold or with few labels nearby."))
        rates = "\n".join(
            tr("{name} {value} ({interval})", name=name, value=share(value), interval=ends(interval))
            for name, (value, interval) in zip(("P", "R", "F"), advice.rates.values(), strict=True)
        )
        whole = counted(scored.chosen, len(scored))
        self._population.setText(tr("Over all {items}, labels weighted by score stratum:", items=whole) + "\n" + rates)
        self._why.setVisible(bool(self._why.text()))
        self.label.setVisible(bool(advice.targets))

    def show_used(self, used: UsedThreshold | None) -> None:
        """Show the project's threshold."""
        self.withdraw.setVisible(used is not None)
        if used is None:
            self._used.setText(tr("None is chosen: lists begin at the lowest score."))
            return
        self._used.setText(
            tr(
                "{value} for {method}, chosen on run {run} with {count} labels: precision {precision} ({p}), recall "
                "{recall} ({r}).",
                value=threshold_words(used.value),
                method=used.method,
                run=used.run,
                count=f"{used.labelled:,}",
                precision=share(used.precision),
                p=ends(used.precision_interval),
                recall=share(used.recall),
                r=ends(used.recall_interval),
            )
        )

    def estimate_at(self, threshold: float) -> Choice | None:
        """The suggestion with exactly ``threshold``."""
        return next((choice for choice in self.choices if choice.threshold == threshold), None)
