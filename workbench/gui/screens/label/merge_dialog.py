"""What a share or a copy of the project would change: shown before it is brought back, and asked about."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from PySide6.QtWidgets import QCheckBox, QDialog, QTabWidget, QVBoxLayout, QWidget

from workbench.base.percent import percent
from workbench.gui.i18n import say, tr, trn
from workbench.gui.kit.columns import Column, ColumnsModel, whole
from workbench.gui.kit.layouts import clear
from workbench.gui.kit.tables import Table
from workbench.gui.kit.widgets import button, column, heading, label, row
from workbench.gui.kit.words import local_time
from workbench.gui.problems.guard import guarded
from workbench.gui.workspace.context import AppContext
from workbench.gui.workspace.job_bridge import JobRecord
from workbench.gui.workspace.only_job import OnlyJob
from workbench.services.labels.merging import Doubt, MergeResult, plan_merge


def doubt_words() -> dict[Doubt, str]:
    """Why an event is held back, in words."""
    return {
        Doubt.CONTRADICTS: tr("contradicts the same person here"),
        Doubt.FUTURE: tr("dated in the future"),
        Doubt.ALTERED: tr("its log was altered"),
        Doubt.RENAMES: tr("renames a value"),
    }


@guarded
class MergeDialog(QDialog):
    """Looks at the project ``share`` in a process of its own, again whenever somebody's held events are to be taken."""

    def __init__(self, context: AppContext, project: Path, share: Path, parent: QWidget) -> None:
        super().__init__(parent)
        self._context, self._project, self.share = context, project, share
        self.result_shown: MergeResult | None = None
        self._job = OnlyJob(context.jobs, self)
        self.setWindowTitle(tr("Bring back {name}", name=share.name))
        self.resize(980, 560)
        self.summary = label("", 13, wrap=True)
        self.state = label("", 12, role="muted", wrap=True)
        self.people = self._table(
            tr("Who"),
            Column("who", tr("Who")),
            Column("events", tr("Events"), whole, numeric=True, width=80),
            Column("sets", tr("Label sets")),
            Column("first", tr("First event"), local_time, width=170),
            Column("last", tr("Last event"), local_time, width=170),
        )
        self.turns = self._table(
            tr("Decisions that turn"),
            Column("of", tr("Of")),
            Column("set", tr("Label set"), width=110),
            Column("before", tr("Before"), width=110, blank="–"),
            Column("after", tr("After"), width=110, blank="–"),
            Column("by", tr("By"), width=160),
        )
        self.shares = self._table(
            tr("Share that counts"),
            Column("suspect", tr("Suspect")),
            Column("before", tr("Before"), percent, numeric=True, width=110),
            Column("after", tr("After"), percent, numeric=True, width=110),
        )
        self.doubts = self._table(
            tr("Held back"),
            Column("who", tr("Who"), width=130),
            Column("of", tr("Of")),
            Column("here", tr("Here"), width=100, blank="–"),
            Column("there", tr("In the file"), width=100, blank="–"),
            Column("when", tr("Dated"), local_time, width=170),
            Column("why", tr("Why"), width=240),
        )
        self.boxes: dict[str, QCheckBox] = {}
        self._boxes = QVBoxLayout()
        self._boxes.setSpacing(4)
        below = QWidget()
        below.setLayout(column(self.doubts, self._boxes, spacing=8, margins=(0, 0, 0, 0)))
        self.tabs = QTabWidget()
        for part in (self.people, self.turns, self.shares):
            self.tabs.addTab(part, "")
        self.tabs.addTab(below, "")
        self.go = button(tr("Bring back"), self.accept, kind="primary")
        bottom = row(self.state, button(tr("Cancel"), self.reject), self.go)
        bottom.setStretch(0, 1)
        whole_dialog = column(
            heading(tr("Nothing has been changed yet"), 15), self.summary, spacing=8, margins=(16, 14, 16, 12)
        )
        whole_dialog.addWidget(self.tabs, 1)
        whole_dialog.addLayout(bottom)
        self.setLayout(whole_dialog)
        self.go.setDefault(True)
        self._look()

    def _table(self, name: str, *columns: Column) -> Table:
        return Table(ColumnsModel(columns, "row", self), name, many=False)

    def accepted_people(self) -> list[str]:
        """The people whose held-back events are accepted."""
        return [who for who, box in self.boxes.items() if box.isChecked()]

    def _look(self) -> None:
        self.state.setText(tr("Reading…"))
        self.go.setEnabled(False)
        title = tr("What {name} would change", name=self.share.name)
        names = self.accepted_people()
        self._job.begin(title, plan_merge, self._project, self.share, names, after=self._read, quiet=True)

    def _read(self, record: JobRecord) -> None:
        if isinstance(record.result, MergeResult):
            self.show_result(record.result)
        else:
            self.state.setText(record.error or tr("This was cancelled."))

    def show_result(self, result: MergeResult) -> None:
        """Show what would change."""
        self.result_shown = result
        self.summary.setText(self._summary(result))
        fill = self._fill
        fill(
            self.people,
            [(s.who, sum(s.events.values()), ", ".join(s.events), s.first, s.last) for s in result.speakers],
        )
        fill(self.turns, [(t.name, t.label_set, t.before, t.after, ", ".join(t.by)) for t in result.turns])
        fill(self.shares, [(s.id, s.before, s.after) for s in result.shares])
        words = doubt_words()
        fill(
            self.doubts,
            [(h.event.who, say(h.name), h.here, h.event.value, h.event.when, words[h.doubt]) for h in result.doubtful],
        )
        counts = (len(result.speakers), len(result.turns), len(result.shares), len(result.doubtful))
        titles = (tr("Who"), tr("Decisions that turn"), tr("Share that counts"), tr("Held back"))
        for at, (title, count) in enumerate(zip(titles, counts, strict=True)):
            self.tabs.setTabText(at, f"{title} ({count:,})")
        self._offer(result)
        self.state.setText(tr("A single undo reverts all of it."))
        something = result.added or result.sets or result.assigned or result.tagged
        self.go.setEnabled(bool(something))

    @staticmethod
    def _fill(table: Table, rows: list[tuple[object, ...]]) -> None:
        model = table.model()
        assert isinstance(model, ColumnsModel)
        names = [part.name for part in model.columns]
        values = {name: [line[at] for line in rows] for at, name in enumerate(names)}
        model.set_values({"row": list(range(len(rows))), **values})

    def _offer(self, result: MergeResult) -> None:
        """A box for each person of whom something is held back, or was taken because the box is ticked."""
        counts = Counter(apart.event.who for apart in result.doubtful)
        ticked = self.accepted_people()
        clear(self._boxes)
        self.boxes = {}
        for who in sorted({*counts, *ticked}):
            words = trn("Take {count} event of {who}", "Take {count} events of {who}", counts[who], who=who)
            box = QCheckBox(
                words if who not in ticked else tr("Events of {who} that were held back are accepted", who=who)
            )
            box.setChecked(who in ticked)
            box.toggled.connect(lambda _on: self._look())
            self.boxes[who] = box
            self._boxes.addWidget(box)

    @staticmethod
    def _summary(result: MergeResult) -> str:
        parts = [trn("{count} label would be added.", "{count} labels would be added.", result.added)]
        if result.known:
            parts.append(trn("{count} was known already.", "{count} were known already.", result.known))
        if result.failed:
            parts.append(
                trn(
                    "{count} was refused: its document is not here, or has another text.",
                    "{count} were refused: their documents are not here, or have other texts.",
                    len(result.failed),
                )
            )
        if result.doubtful:
            parts.append(
                trn(
                    "{count} is held back until you accept it.",
                    "{count} are held back until you accept them.",
                    len(result.doubtful),
                )
            )
        if result.sets:
            parts.append(tr("Label sets that change: {names}.", names=", ".join(result.sets)))
        if result.assigned:
            parts.append(trn("{count} label would be assigned.", "{count} labels would be assigned.", result.assigned))
        if result.tagged:
            parts.append(trn("{count} document would get tags.", "{count} documents would get tags.", result.tagged))
        return " ".join(parts)
