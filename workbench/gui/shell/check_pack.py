"""Checking an evidence pack in the window: what it proves, and what was changed."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtWidgets import QDialog, QVBoxLayout, QWidget

from workbench.gui.i18n import say, tr, trn
from workbench.gui.kit import file_dialogs
from workbench.gui.kit.layouts import clear, fit
from workbench.gui.kit.widgets import (
    Copyable,
    IconLabel,
    WholeText,
    button,
    caption,
    column,
    heading,
    label,
    line,
    row,
    set_role,
    text_field,
)
from workbench.gui.problems import guarded
from workbench.gui.workspace.context import AppContext
from workbench.gui.workspace.job_bridge import JobRecord
from workbench.services.reports.verifying import Verified, check_pack
from workbench.services.timestamps import Service, load

_WIDTH = 720
_MOST_PROBLEMS = 8


@guarded
class CheckPackDialog(QDialog):
    """Asks for a pack, its fingerprint, its maker's key and the certificates of the timestamp service."""

    def __init__(self, context: AppContext, parent: QWidget) -> None:
        super().__init__(parent)
        self._context = context
        self._running: JobRecord | None = None
        title = tr("Check an evidence pack")
        self.setWindowTitle(title)
        self.finished.connect(self.deleteLater)
        self.setFixedWidth(_WIDTH)
        self.file = text_field(tr("Evidence pack (*.zip)"))
        self.fingerprint = text_field(tr("Fingerprint you were given"), tr("64 digits; empty: not compared"))
        self.key = text_field(tr("Required signing key"), tr("64 digits; empty: any key, or unsigned"))
        self.authorities = text_field(
            tr("Certificates of the timestamp service"), tr("a file (PEM); empty: those of this system")
        )
        self.authorities.setText((load() or Service("")).authorities)
        self.state = label("", 13, role="muted", wrap=True)
        self._findings = QVBoxLayout()
        self._findings.setSpacing(8)
        self.go = button(tr("Check"), self.check, kind="primary")
        self.go.setDefault(True)
        self.file.textChanged.connect(self._changed)
        self._build(title)
        self._changed()

    def _build(self, title: str) -> None:
        about = tr("A fingerprint or key proves something only if it did not come with the pack.")
        whole = column(heading(title), label(about, 12, role="muted", wrap=True), margins=(18, 16, 18, 14), spacing=12)
        for field, browse in (
            (self.file, self._choose_pack),
            (self.fingerprint, None),
            (self.key, None),
            (self.authorities, self._choose_authorities),
        ):
            beside = row(field) if browse is None else row(field, button(tr("Choose…"), browse))
            beside.setStretch(0, 1)
            whole.addLayout(column(caption(field.accessibleName()), beside, spacing=4))
        whole.addWidget(line())
        whole.addWidget(self.state)
        whole.addLayout(self._findings)
        whole.addLayout(row(None, button(tr("Close"), self.reject), self.go))
        self.setLayout(whole)

    def _choose_pack(self) -> None:
        title, kinds = tr("Check an evidence pack"), [tr("Evidence pack (*.zip)")]
        if (path := file_dialogs.open_file(self, title, self._context.folder, kinds)) is not None:
            self.file.setText(str(path))

    def _choose_authorities(self) -> None:
        title = tr("Certificates of the timestamp service")
        kinds = [tr("Certificates (*.pem *.crt)"), tr("All files (*)")]
        if (path := file_dialogs.open_file(self, title, self._context.folder, kinds)) is not None:
            self.authorities.setText(str(path))

    def _changed(self) -> None:
        self.go.setEnabled(bool(self.file.text().strip()) and self._running is None)

    def check(self) -> None:
        """Check the pack as a job."""
        self._clear()
        self.state.setText(tr("Checking…"))
        self._running = self._context.jobs.submit(
            tr("Check an evidence pack"),
            check_pack,
            Path(self.file.text().strip()),
            self.fingerprint.text().strip(),
            self.key.text().strip(),
            self.authorities.text().strip(),
            after=self._checked,
            quiet=True,
        )
        self._changed()

    def _checked(self, record: JobRecord) -> None:
        self._running = None
        self._changed()
        check = record.result
        if not isinstance(check, Verified):
            self._say(record.error, "danger")
        elif problems := check.problems():
            self._say(tr("This is not the pack that was handed out."), "danger")
            for problem in problems[:_MOST_PROBLEMS]:
                self._add("circle-cross", "danger", say(problem))
            if (left := len(problems) - _MOST_PROBLEMS) > 0:
                self._findings.addWidget(label(tr("and {count} more", count=left), 12, role="muted"))
        else:
            files = trn("{count} file", "{count} files", check.files)
            self._say(
                tr(
                    "Nothing was changed. {files}; according to the pack, it was made {time}.",
                    files=files,
                    time=check.created,
                )
                if check.created
                else tr("Nothing was changed. {files}; the pack does not state when it was made.", files=files),
                "ok",
            )
            for proof in check.proofs():
                self._add(
                    "circle-check" if proof.proven else "info", "ok" if proof.proven else "text3", say(proof.sentence)
                )
            self._findings.addWidget(Copyable(self._context.theme, tr("Its fingerprint"), check.fingerprint))
            if check.signed_by:
                self._findings.addWidget(Copyable(self._context.theme, tr("The key that signed it"), check.signed_by))
        fit(self)

    def _say(self, words: str, role: str) -> None:
        self.state.setText(words)
        set_role(self.state, "role", role)

    def _add(self, icon: str, colour: str, words: str) -> None:
        beside = QWidget()
        text = WholeText(words, 13)
        layout = row(column(IconLabel(self._context.theme, icon, colour, 18), None), text)
        layout.setStretch(1, 1)
        beside.setLayout(layout)
        self._findings.addWidget(beside)

    def _clear(self) -> None:
        clear(self._findings)
        self._say("", "muted")

    def done(self, result: int) -> None:
        """Stop a running check as well."""
        if self._running is not None:
            self._context.jobs.cancel(self._running.id)
            self._running = None
        super().done(result)
