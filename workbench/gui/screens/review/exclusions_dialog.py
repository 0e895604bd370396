"""The list of what is left out of the count, with reasons: add to it, restore from it."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox, QComboBox, QDialog, QLineEdit, QSpinBox, QVBoxLayout, QWidget

from workbench.base.percent import percent
from workbench.gui.i18n import say, tr, trn
from workbench.gui.kit.columns import Column, ColumnsModel, whole
from workbench.gui.kit.parts import button, caption, heading, label, line, row
from workbench.gui.kit.tables import Table
from workbench.gui.theme.manager import Theme
from workbench.services.review.counting import Counted
from workbench.services.review.exclusions import (
    OF_CITATIONS,
    Exclusion,
    ExclusionKind,
    described,
    least_length,
)
from workbench.services.review.shares import share_words
from workbench.text.quotation import CitationKind

_CITED = {
    ExclusionKind.QUOTATIONS: (CitationKind.QUOTATION, CitationKind.BLOCK_QUOTATION),
    ExclusionKind.REFERENCES: (CitationKind.REFERENCES,),
    ExclusionKind.NOTES: (CitationKind.NOTE,),
}
_EXCERPT = 60


class ExclusionsDialog(QDialog):
    """Shows the shares of a suspect and what is left out of them.

    ``added`` carries a list of exclusions and a reason, ``restored`` a list of exclusions; ``common_chosen`` in more
    than how many other documents a passage stands to be called common.
    """

    added = Signal(object, str)
    restored = Signal(object)
    common_chosen = Signal(int)

    def __init__(self, theme: Theme, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("What counts"))
        self.resize(760, 620)
        self._suspect = self._source = self._site = ""
        self._listed: list[Exclusion] = []
        self.total = label("", 18, wrap=True)
        self._amount = label("", 12, role="muted", wrap=True)
        self.toggles = {kind: QCheckBox() for kind in OF_CITATIONS}
        columns = [
            Column("what", tr("Left out"), width=250),
            Column("scope", tr("For"), width=110),
            Column("reason", tr("Reason"), width=150),
            Column("who", tr("Who"), width=90),
            Column("characters", tr("Characters"), whole, numeric=True, width=80),
        ]
        self.model = ColumnsModel(columns, "key", self)
        self.table = Table(self.model, tr("What is left out of the count"))
        self.restore = button(tr("Count again"), self._restore)
        self.kind = QComboBox()
        self.kind.setAccessibleName(tr("What to leave out"))
        for kind, title in self._kinds():
            self.kind.addItem(title, kind.value)
        self.what = QLineEdit()
        self.what.setAccessibleName(tr("Which"))
        self.scope = QComboBox()
        self.scope.addItem(tr("in this document"), False)
        self.scope.addItem(tr("in all documents"), True)
        self.scope.setAccessibleName(tr("For"))
        self.reason = QLineEdit()
        self.reason.setPlaceholderText(tr("Reason"))
        self.reason.setAccessibleName(tr("Reason"))
        self.add = button(tr("Leave out"), self._add, kind="primary")
        self.add.setDefault(True)
        self.common = QSpinBox()
        self.common.setRange(1, 999_999)
        self.common.setFixedWidth(110)
        self.common.setAccessibleName(tr("Other documents from which on a passage is called common"))
        self.common.valueChanged.connect(self.common_chosen)
        self._problem = label("", 12, role="danger", wrap=True)
        self._build(name)
        self.kind.currentIndexChanged.connect(lambda _at: self._kind_chosen())
        self.table.selected.connect(self._can_restore)
        self._can_restore()

    @staticmethod
    def _kinds() -> list[tuple[ExclusionKind, str]]:
        return [
            (ExclusionKind.PHRASE, tr("A phrase, wherever it stands")),
            (ExclusionKind.SHORTER, tr("Passages of fewer characters than")),
            (ExclusionKind.SOURCE, tr("All passages from the source")),
            (ExclusionKind.SITE, tr("All passages from the site")),
        ]

    def _build(self, name: str) -> None:
        layout = QVBoxLayout(self)
        layout.setContentsMargins(18, 16, 18, 14)
        layout.setSpacing(9)
        layout.addWidget(heading(tr("What counts of {name}", name=name)))
        layout.addWidget(self.total)
        layout.addWidget(self._amount)
        layout.addWidget(line())
        layout.addWidget(caption(tr("Marked by the text itself as another’s")))
        for kind, box in self.toggles.items():
            box.clicked.connect(lambda on, kind=kind: self._toggled(kind, on))
            layout.addWidget(box)
        layout.addWidget(line())
        layout.addWidget(self.table, 1)
        layout.addLayout(row(None, self.restore))
        layout.addWidget(caption(tr("Leave out more")))
        layout.addLayout(row(self.kind, self.what, self.scope))
        layout.addLayout(row(self.reason, self.add))
        layout.addWidget(self._problem)
        layout.addWidget(line())
        words = tr("A passage is called common where it stands in more other documents of the project than")
        layout.addLayout(row(label(words, 12, role="muted", wrap=True), self.common, spacing=8))
        layout.addLayout(row(None, button(tr("Close"), self.close)))

    def set_subject(self, suspect: str, source: str, site: str) -> None:
        """The ids of the open pair and the site of its source, which are proposed."""
        self._suspect, self._source, self._site = suspect, source, site
        self._kind_chosen()

    def propose(self, kind: ExclusionKind, what: str = "") -> None:
        """Ready to leave out ``what``; the keyboard goes to what is still to be said."""
        self.kind.setCurrentIndex(max(0, self.kind.findData(kind.value)))
        self.what.setText(what)
        (self.reason if what else self.what).setFocus()

    def _kind_chosen(self) -> None:
        known = {ExclusionKind.SOURCE: self._source, ExclusionKind.SITE: self._site}
        kind = ExclusionKind(self.kind.currentData())
        if kind in known:
            self.what.setText(known[kind])
        elif self.what.text() in known.values():
            self.what.clear()
        self._problem.clear()

    def show_counted(self, counted: Counted) -> None:
        """Show shares, citations and the list."""
        shares = counted.shares
        self.total.setText(say(share_words(shares)))
        self._amount.setText(
            tr(
                "{counted} of {length} characters count, {matched} are matched; each once, whatever number of sources.",
                counted=f"{shares.counted:,}",
                matched=f"{shares.matched:,}",
                length=f"{shares.length:,}",
            )
        )
        kinds = {effect.exclusion.kind for effect in shares.effects}
        for kind, box in self.toggles.items():
            count = sum(shares.cited[cited] for cited in _CITED[kind])
            part = percent(count / shares.length if shares.length else 0.0)
            title = say(described(Exclusion(kind)))
            amount = trn("{count} matched character", "{count} matched characters", count)
            box.setText(tr("Leave out: {title} · {amount}, {part}", title=title, amount=amount, part=part))
            box.setChecked(kind in kinds)
            citations = [c for c in shares.citations if c.kind in _CITED[kind]]
            box.setEnabled(bool(citations) or kind in kinds)
            box.setToolTip("\n".join(dict.fromkeys(say(c.why) for c in citations[:12])))
        self._listed = [effect.exclusion for effect in shares.effects]
        self.model.set_values(
            {
                "key": list(range(len(shares.effects))),
                "what": [say(described(effect.exclusion)) for effect in shares.effects],
                "scope": [
                    tr("this document") if effect.exclusion.suspect else tr("all documents")
                    for effect in shares.effects
                ],
                "reason": [say(effect.exclusion.reason) for effect in shares.effects],
                "who": [effect.exclusion.who for effect in shares.effects],
                "characters": [effect.characters for effect in shares.effects],
            }
        )
        self._can_restore()

    def _toggled(self, kind: ExclusionKind, on: bool) -> None:
        chosen = [exclusion for exclusion in self._listed if exclusion.kind is kind]
        if on:
            self.added.emit([Exclusion(kind, "", self._suspect)], "")
        elif chosen:
            self.restored.emit(chosen)

    def _chosen(self) -> list[Exclusion]:
        """What is chosen and can be counted again here: a threshold is withdrawn in Evaluate."""
        chosen = [self._listed[key] for key in self.table.chosen_keys()]
        return [exclusion for exclusion in chosen if exclusion.kind is not ExclusionKind.BELOW]

    def _can_restore(self) -> None:
        self.restore.setEnabled(bool(self._chosen()))

    def _restore(self) -> None:
        chosen = self._chosen()
        if chosen:
            self.restored.emit(chosen)

    def _add(self) -> None:
        kind, what = ExclusionKind(self.kind.currentData()), " ".join(self.what.text().split())
        if kind is ExclusionKind.SHORTER and not least_length(what):
            self._problem.setText(tr("Give a number of characters, such as 40."))
            self.what.setFocus()
            return
        if not what:
            self._problem.setText(tr("Say what to leave out."))
            self.what.setFocus()
            return
        self._problem.clear()
        suspect = "" if self.scope.currentData() else self._suspect
        self.added.emit([Exclusion(kind, what, suspect)], self.reason.text().strip())
        self.reason.clear()
