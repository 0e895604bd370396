"""Which pages to fetch from the web, and how; nothing is requested before the dialog is confirmed."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDialog,
    QDoubleSpinBox,
    QLineEdit,
    QPlainTextEdit,
    QSpinBox,
    QWidget,
)

from workbench.base.errors import ParameterError
from workbench.base.tags import listed, shown
from workbench.base.types import Role
from workbench.gui.i18n import say, tr, trn
from workbench.gui.kit.parts import button, caption, column, label, row
from workbench.gui.kit.tag_field import tag_field
from workbench.gui.kit.words import role_word
from workbench.gui.screens.documents.repetition_box import repetition_box
from workbench.gui.theme import fonts
from workbench.gui.workspace.context import AppContext
from workbench.services.fetching import FetchOptions, Place, PlaceKind

_DEFAULT = FetchOptions()
_BOX_HEIGHT = 32


class FetchDialog(QDialog):
    """Addresses, what they lead to, the role of the pages, and limits."""

    def __init__(
        self, context: AppContext, parent: QWidget, addresses: Sequence[str] = (), usual: FetchOptions = _DEFAULT
    ) -> None:
        """Pre-filled with ``addresses`` and the options of ``usual``."""
        super().__init__(parent)
        self._context = context
        self.setWindowTitle(tr("Fetch pages"))
        self.resize(700, 520)
        self.addresses = QPlainTextEdit()
        self.addresses.setAccessibleName(tr("Addresses"))
        self.addresses.setPlaceholderText(tr("One address a line, like https://example.org/page"))
        self.addresses.setFont(fonts.font(14))
        self.addresses.setTabChangesFocus(True)
        self.addresses.setPlainText("\n".join(addresses))
        kinds = [(PlaceKind.URL, tr("Pages")), (PlaceKind.FEED, tr("Feeds (RSS, Atom)"))]
        self.kind = _combo(tr("The addresses are"), [*kinds, (PlaceKind.SITEMAP, tr("Sitemaps"))])
        self.roles = _combo(tr("Role"), [(r.value, role_word(r)) for r in Role])
        self.rate = QDoubleSpinBox()
        self.rate.setRange(0, 1000)
        self.rate.setDecimals(1)
        self.rate.setValue(usual.rate)
        self.rate.setSpecialValueText(tr("no limit"))
        self.rate.setAccessibleName(tr("Requests a second to one host"))
        self.share = QSpinBox()
        self.share.setRange(1, 100)
        self.share.setSuffix(" %")
        self.share.setValue(round(100 * usual.sample))
        self.share.setAccessibleName(tr("Share of the pages"))
        self.limit = QSpinBox()
        self.limit.setRange(1, 10_000_000)
        self.limit.setGroupSeparatorShown(True)
        self.limit.setValue(usual.limit)
        self.limit.setAccessibleName(tr("Most pages"))
        self.contact = QLineEdit(usual.contact)
        self.contact.setAccessibleName(tr("Contact"))
        self.contact.setPlaceholderText(tr("Address that servers are told; may be empty"))
        self.tags = tag_field(tr("Tags"), shown(usual.tags))
        self.private = QCheckBox(tr("Also from private networks and this computer"))
        self.private.setFont(fonts.font(13))
        self.private.setChecked(usual.allow_private)
        self.repetition = repetition_box(usual.site_repetition)
        self.roles.setCurrentIndex(self.roles.findData(usual.role.value))
        self.state = label("", 12, role="muted", wrap=True)
        self.go = button(tr("Fetch"), self.accept, kind="primary")
        self._build()
        self.addresses.textChanged.connect(self._changed)
        self.contact.textChanged.connect(self._changed)
        self.tags.textChanged.connect(self._changed)
        self.kind.currentIndexChanged.connect(lambda _index: self._changed())
        self._changed()

    def _build(self) -> None:
        boxes = row(spacing=14)
        for number in (self.rate, self.share, self.limit):
            number.setAlignment(Qt.AlignmentFlag.AlignRight)
        for box in (self.kind, self.roles, self.rate, self.share, self.limit):
            box.setFont(fonts.font(13, tabular=True))
            box.setFixedHeight(_BOX_HEIGHT)
            boxes.addLayout(column(caption(box.accessibleName()), box, spacing=4))
        boxes.addStretch(1)
        manners = label(
            tr("robots.txt is obeyed. Fetching again asks only for what changed since."), 12, role="faint", wrap=True
        )
        bottom = row(self.state, button(tr("Cancel"), self.reject), self.go)
        bottom.setStretch(0, 1)
        whole = column(caption(tr("Addresses")), spacing=10, margins=(14, 12, 14, 12))
        whole.addWidget(self.addresses, 1)
        whole.addLayout(boxes)
        for field in (self.contact, self.tags):
            whole.addLayout(column(caption(field.accessibleName()), field, spacing=4))
        whole.addWidget(self.private)
        whole.addWidget(self.repetition)
        whole.addWidget(manners)
        whole.addLayout(bottom)
        self.setLayout(whole)
        self.go.setDefault(True)
        self.addresses.setFocus()

    def places(self) -> list[Place]:
        """The typed addresses, without duplicates."""
        kind = PlaceKind(self.kind.currentData())
        lines = (line.strip() for line in self.addresses.toPlainText().splitlines())
        return [Place(kind, line) for line in dict.fromkeys(lines) if line]

    def options(self) -> FetchOptions:
        """The chosen options."""
        return FetchOptions(
            role=Role(self.roles.currentData()),
            tags=listed(self.tags.text()),
            rate=self.rate.value(),
            sample=self.share.value() / 100,
            limit=self.limit.value(),
            contact=self.contact.text().strip(),
            allow_private=self.private.isChecked(),
            site_repetition=self.repetition.isChecked(),
        )

    def _changed(self) -> None:
        count = len(self.places())
        odd = sum(not place.address.lower().startswith(("http://", "https://")) for place in self.places())
        problem = ""
        state = trn("{count} address", "{count} addresses", count)
        if odd:
            state += " · " + trn(
                "{count} line is not an http or https address", "{count} lines are not http or https addresses", odd
            )
        try:
            self.options().check()
        except ParameterError as error:
            problem = say(error.sentence)
        self.share.setEnabled(self.kind.currentData() != PlaceKind.URL)
        self.state.setText(problem or state)
        self.go.setEnabled(bool(count) and not problem)


def _combo(name: str, choices: Sequence[tuple[str, str]]) -> QComboBox:
    combo = QComboBox()
    combo.setAccessibleName(name)
    for value, word in choices:
        combo.addItem(word, str(value))
    return combo
