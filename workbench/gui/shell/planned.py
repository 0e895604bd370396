"""Screens that are not there yet: each says plainly what it will do and what it will need. They are not in the rail."""

from __future__ import annotations

from typing import ClassVar

from PySide6.QtWidgets import QWidget

from workbench.gui.i18n import tr
from workbench.gui.kit.parts import IconLabel, caption, column, label, line, panel, row
from workbench.gui.theme import fonts
from workbench.gui.workspace.context import AppContext
from workbench.gui.workspace.screen import View


class PlannedView(View):
    """A page for a screen that is still to come."""

    def __init__(self, context: AppContext) -> None:
        super().__init__(context)
        frame, layout = panel()
        frame.setFixedWidth(720)
        layout.setContentsMargins(36, 32, 36, 32)
        layout.setSpacing(12)
        layout.addLayout(
            row(
                IconLabel(context.theme, self.icon, "accent", 36),
                label(self.name(), 22, weight=fonts.SEMIBOLD),
                None,
                spacing=14,
            )
        )
        layout.addWidget(label(tr("This screen is not part of this version."), 14, role="warn"))
        layout.addWidget(label(self.purpose(), 14, wrap=True))
        layout.addWidget(line())
        layout.addWidget(caption(tr("What it needs from the project")))
        for sentence in self.needs():
            layout.addLayout(
                row(
                    IconLabel(context.theme, "circle-check", "text3", 18),
                    label(sentence, 13, role="muted", wrap=True),
                    spacing=10,
                )
            )
            layout.itemAt(layout.count() - 1).layout().setStretch(1, 1)  # type: ignore[union-attr]
        layout.addWidget(line())
        layout.addWidget(label(self.meanwhile(), 13, role="muted", wrap=True))
        self.setLayout(column(None, row(None, frame, None), None))

    def purpose(self) -> str:
        """What the screen is for."""
        raise NotImplementedError

    def needs(self) -> tuple[str, ...]:
        """What the project must hold."""
        raise NotImplementedError

    def meanwhile(self) -> str:
        """What to use until then."""
        raise NotImplementedError

    def first_focus(self) -> QWidget | None:
        """Nothing to type into."""
        return None


class EvaluateView(PlannedView):
    """Measure a method against labels."""

    view_id: ClassVar[str] = "evaluate"
    icon: ClassVar[str] = "evaluate"

    @staticmethod
    def name() -> str:
        """The screen's name."""
        return tr("Evaluate")

    def purpose(self) -> str:
        """What the screen is for."""
        return tr(
            "Draws precision against recall with its uncertainty, F against the threshold, and lists every "
            "false positive and false negative."
        )

    def needs(self) -> tuple[str, ...]:
        """What the project must hold."""
        return (
            tr("A finished run, whose scores are put in order."),
            tr("Labels or reference passages that say what is right."),
            tr("Enough of both kinds of example for an interval to mean something."),
        )

    def meanwhile(self) -> str:
        """What to use until then."""
        return tr("Until then: Review shows the distribution of scores and lets you set a threshold.")
