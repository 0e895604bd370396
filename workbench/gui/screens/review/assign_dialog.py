"""Assigning suspects to a reviewer: all, a share, or a sample drawn by a seed that is kept."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtWidgets import QDialog, QLineEdit, QSpinBox, QWidget

from workbench.base.percent import percent
from workbench.base.types import Label
from workbench.gui.i18n import tr, trn
from workbench.gui.judging.eyes import eyes
from workbench.gui.kit.parts import button, caption, column, heading, label, row
from workbench.gui.workspace.context import AppContext
from workbench.services.review.assigning import assign, draw, how_drawn, unassign
from workbench.services.session import Session


class AssignDialog(QDialog):
    """Draws some of ``suspects`` (ids) for a reviewer."""

    def __init__(self, context: AppContext, suspects: Sequence[str], parent: QWidget) -> None:
        super().__init__(parent)
        self._context, self._suspects = context, list(suspects)
        title = tr("Assign suspects")
        self.setWindowTitle(title)
        self.setFixedWidth(460)
        self.name = QLineEdit(eyes(context).name)
        self.name.setMaxLength(120)
        self.name.setAccessibleName(tr("Reviewer"))
        self.count = QSpinBox()
        self.count.setRange(1, max(1, len(self._suspects)))
        self.count.setValue(len(self._suspects))
        self.count.setAccessibleName(tr("Number of suspects"))
        self.seed = QSpinBox()
        self.seed.setRange(0, 999_999)
        self.seed.setAccessibleName(tr("Seed"))
        self._share = label("", 12, role="faint", tabular=True)
        self.count.valueChanged.connect(lambda _count: self._show_share())
        sentence = tr(
            "The suspects are drawn at random; the seed is kept with the assignment, so that the same sample can be "
            "drawn again. What was assigned to this reviewer before is replaced."
        )
        go = button(tr("Assign"), self._assign, kind="primary")
        go.setDefault(True)
        fields = row(
            column(caption(tr("Suspects")), row(self.count, self._share), spacing=4),
            column(caption(tr("Seed")), self.seed, spacing=4),
            None,
            spacing=16,
        )
        self.setLayout(
            column(
                heading(title),
                column(caption(tr("Reviewer")), self.name, spacing=4),
                fields,
                label(sentence, 12, role="muted", wrap=True),
                row(None, button(tr("Cancel"), self.reject), go),
                spacing=12,
                margins=(18, 16, 18, 14),
            )
        )
        self._show_share()

    def _show_share(self) -> None:
        total = len(self._suspects)
        self._share.setText(
            tr("of {total} ({share})", total=f"{total:,}", share=percent(self.count.value() / max(1, total)))
        )

    def _assign(self) -> None:
        who = " ".join(self.name.text().split())
        if not who or not self._suspects:
            return
        drawn = draw(self._suspects, count=self.count.value(), seed=self.seed.value())
        note = how_drawn(len(drawn), len(self._suspects), self.seed.value(), eyes(self._context).name)
        events: list[Label] = []
        context = self._context

        def keep(session: Session) -> None:
            events[:] = assign(session, drawn, who, note)

        def make() -> None:
            context.change_later(keep)
            context.announce({"labels"})

        def take_back() -> None:
            context.change_later(lambda session: unassign(session, events))
            context.announce({"labels"})

        make()
        words = trn("{count} suspect", "{count} suspects", len(drawn))
        sentence = tr("{suspects} assigned to {name}", suspects=words, name=who)
        context.history.push(sentence, take_back, make)
        context.say_undoable(sentence)
        self.accept()
