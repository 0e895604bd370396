"""Assigning entries, writing and merging batches, importing and exporting labels."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QCheckBox, QDialog, QPlainTextEdit, QSpinBox, QTabWidget, QVBoxLayout, QWidget
from shiboken6 import isValid

from workbench.base.errors import UserError
from workbench.base.messages import percent
from workbench.gui.i18n import say, tr, trn
from workbench.gui.judging.label_import import LabelImporter, undo_as_merge
from workbench.gui.kit.columns import Column, ColumnsModel, whole
from workbench.gui.kit.file_dialogs import open_files
from workbench.gui.kit.layouts import clear
from workbench.gui.kit.saving import save_as
from workbench.gui.kit.tables import Table
from workbench.gui.kit.widgets import button, caption, column, heading, label, row
from workbench.gui.kit.words import local_time
from workbench.gui.problems import guarded
from workbench.gui.screens.label.session import LabelSession
from workbench.gui.theme import fonts
from workbench.gui.workspace.context import AppContext
from workbench.gui.workspace.job_bridge import JobRecord, OnlyJob
from workbench.services.labels.batches import BatchResult, assign, deal, export_batch, unassign
from workbench.services.labels.export import write_labels
from workbench.services.labels.labelling import shown
from workbench.services.labels.merging import Doubt, MergeResult, merge_batch, plan_merge


def doubt_words() -> dict[Doubt, str]:
    """The reasons for holding an event back, in words."""
    return {
        Doubt.CONTRADICTS: tr("contradicts the same person's decision here"),
        Doubt.NOTE: tr("replaces the same person's note here"),
        Doubt.OTHER_TEXT: tr("is for another text than the same person's decision here"),
        Doubt.FUTURE: tr("dated in the future"),
        Doubt.ALTERED: tr("its log was altered"),
        Doubt.RENAMES: tr("renames a value"),
    }


def _unmerged(result: MergeResult) -> list[str]:
    """Sentences about the events that a merge does not add: known ones and refused ones."""
    parts = []
    if result.known:
        parts.append(trn("{count} was already known.", "{count} were already known.", result.known))
    if result.failed:
        parts.append(trn("{count} was refused.", "{count} were refused.", len(result.failed)))
    return parts


@guarded
class MergeDialog(QDialog):
    """Previews the project ``batch`` in a separate process, again whenever held-back events are accepted."""

    def __init__(self, context: AppContext, project: Path, batch: Path, parent: QWidget) -> None:
        super().__init__(parent)
        self._context, self._project, self.batch = context, project, batch
        self.result_shown: MergeResult | None = None
        self._job = OnlyJob(context.jobs, self)
        self.setWindowTitle(tr("Merge {name}", name=batch.name))
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
            tr("Decisions that change"),
            Column("of", tr("Item")),
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
            Column("of", tr("Item")),
            Column("here", tr("Here"), width=100, blank="–"),
            Column("there", tr("In the file"), width=100, blank="–"),
            Column("when", tr("Dated"), local_time, width=170),
            Column("why", tr("Why"), width=240),
        )
        self.refused = self._table(tr("Refused"), Column("of", tr("Item")), Column("why", tr("Why it was refused")))
        self.boxes: dict[str, QCheckBox] = {}
        self._boxes = QVBoxLayout()
        self._boxes.setSpacing(4)
        below = QWidget()
        below.setLayout(column(self.doubts, self._boxes, spacing=8, margins=(0, 0, 0, 0)))
        self.tabs = QTabWidget()
        self._titles = (tr("Who"), tr("Decisions that change"), tr("Share that counts"), tr("Held back"), tr("Refused"))
        for part, title in zip((self.people, self.turns, self.shares, below, self.refused), self._titles, strict=True):
            self.tabs.addTab(part, title)
        self.go = button(tr("Merge"), self.accept, kind="primary")
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
        title = tr("What {name} would change", name=self.batch.name)
        names = self.accepted_people()
        self._job.begin(title, plan_merge, self._project, self.batch, names, after=self._read, quiet=True)

    def _read(self, record: JobRecord) -> None:
        if isinstance(record.result, MergeResult):
            self.show_result(record.result)
        else:
            self.summary.setText(record.error or tr("The preview was cancelled."))
            self.state.clear()

    def show_result(self, result: MergeResult) -> None:
        """Show the changes the merge would make."""
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
        refused = ((failure.path.removeprefix(f"{self.batch}:"), failure.error) for failure in result.failed)
        fill(self.refused, [(shown(name), say(why)) for name, why in refused])
        counts = map(len, (result.speakers, result.turns, result.shares, result.doubtful, result.failed))
        for at, (title, count) in enumerate(zip(self._titles, counts, strict=True)):
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
        """Show a check box for each person with held-back events, including those already accepted."""
        counts = Counter(apart.event.who for apart in result.doubtful)
        ticked = self.accepted_people()
        clear(self._boxes)
        self.boxes = {}
        for who in sorted({*counts, *ticked}):
            words = trn("Accept {count} event by {who}", "Accept {count} events by {who}", counts[who], who=who)
            box = QCheckBox(words if who not in ticked else tr("Held-back events by {who} are accepted", who=who))
            box.setChecked(who in ticked)
            box.toggled.connect(lambda _on: self._look())
            self.boxes[who] = box
            self._boxes.addWidget(box)

    @staticmethod
    def _summary(result: MergeResult) -> str:
        parts = [trn("{count} label would be added.", "{count} labels would be added.", result.added)]
        parts += _unmerged(result)
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
        parts += [say(replaced.sentence) for replaced in result.replaced]
        if result.assigned:
            parts.append(trn("{count} label would be assigned.", "{count} labels would be assigned.", result.assigned))
        if result.tagged:
            parts.append(trn("{count} document would get tags.", "{count} documents would get tags.", result.tagged))
        if result.untagged:
            parts.append(
                trn(
                    "Tags removed here stay removed from {count} document.",
                    "Tags removed here stay removed from {count} documents.",
                    result.untagged,
                )
            )
        return " ".join(parts)


class AssignDialog(QDialog):
    """Asks for names, one per line, and the number of annotators for each of ``entries``."""

    def __init__(self, parent: QWidget, names: Sequence[str], entries: int) -> None:
        super().__init__(parent)
        self._entries = entries
        self.setWindowTitle(tr("Assign entries"))
        self.resize(440, 360)
        self.names = QPlainTextEdit("\n".join(names))
        self.names.setAccessibleName(tr("Annotators, one per line"))
        self.names.setFont(fonts.font(14))
        self.names.setTabChangesFocus(True)
        self.count = QSpinBox()
        self.count.setRange(1, 50)
        self.count.setValue(min(2, max(1, len(names))))
        self.count.setAccessibleName(tr("Annotators per entry"))
        self.words = label("", 12, role="muted", wrap=True)
        self.go = button(tr("Assign"), self.accept, kind="primary")
        self.go.setDefault(True)
        whole = column(caption(tr("Annotators, one per line")), self.names, spacing=8, margins=(16, 14, 16, 12))
        whole.addLayout(row(caption(tr("Annotators per entry")), self.count, None))
        whole.addWidget(self.words)
        whole.addLayout(row(None, button(tr("Cancel"), self.reject), self.go))
        self.setLayout(whole)
        self.names.textChanged.connect(self._changed)
        self.count.valueChanged.connect(lambda _value: self._changed())
        self._changed()

    def annotators(self) -> list[str]:
        """The names, without duplicates."""
        typed = (" ".join(line.split())[:120] for line in self.names.toPlainText().splitlines())
        return list(dict.fromkeys(name for name in typed if name))

    def each(self) -> int:
        """The number of annotators per entry."""
        return self.count.value()

    def _changed(self) -> None:
        names, each = self.annotators(), self.each()
        possible = 1 <= each <= len(names)
        self.go.setEnabled(possible)
        if not possible:
            self.words.setText(trn("Enter at least {count} annotator.", "Enter at least {count} annotators.", each))
            return
        entries = trn("{count} entry", "{count} entries", self._entries)
        load = f"{self._entries * each / len(names):,.0f}"
        self.words.setText(
            tr(
                "{entries} in the queue; about {load} for each annotator. Existing assignments are kept.",
                entries=entries,
                load=load,
            )
        )


_PROJECTS = "Palimpsest (*.palimpsest)"


class Exchange(QObject):
    """Asks for files and names, and works in the background; ``label_session`` returns the screen's session."""

    def __init__(self, context: AppContext, parent: QWidget, label_session: Callable[[], LabelSession | None]) -> None:
        super().__init__(parent)
        self._context, self._parent, self._label_session = context, parent, label_session
        self.dialog: AssignDialog | None = None
        self.merging: MergeDialog | None = None
        self._waiting: list[Path] = []
        self.importer = LabelImporter(context, parent)

    # -- assigning

    def ask_assign(self) -> None:
        """Ask for the annotators of the queue, and their number per entry."""
        label_session = self._label_session()
        if label_session is None:
            return
        names = list(dict.fromkeys([*label_session.board.annotators(), label_session.who]))
        dialog = AssignDialog(self._parent.window(), names, len(label_session.items))
        dialog.accepted.connect(lambda: self.assign(dialog.annotators(), dialog.each()))
        dialog.finished.connect(lambda _result: dialog.deleteLater())
        self.dialog = dialog
        dialog.open()

    def assign(self, annotators: list[str], each: int) -> None:
        """Assign the entries of the queue; it can be undone."""
        label_session = self._label_session()
        if label_session is None:
            return
        name = label_session.board.label_set.name
        targets = [item.target for item in label_session.items]
        try:
            pairs = deal(targets, annotators, each, label_session.board.assigned)
        except UserError as error:
            self._context.show_error(error)
            return
        self._context.perform(
            trn("Assign {count} label", "Assign {count} labels", len(pairs)),
            lambda session: assign(session, name, pairs),
            lambda session: unassign(session, name, pairs),
            {"labels", "documents"},
            sentence=trn("{count} label was assigned.", "{count} labels were assigned.", len(pairs)),
        )

    # -- batches

    def ask_share(self) -> None:
        """Ask where to write the annotator's batch, and write it."""
        label_session = self._label_session()
        if label_session is not None:
            who, label_set = label_session.who, label_session.board.label_set.name
            title, kinds = tr("Write the batch of {who}", who=who), {_PROJECTS: ".palimpsest"}
            name = f"{who}.palimpsest"
            save_as(
                self._context, self._parent, title, name, kinds, export_batch, _shared, label_set=label_set, who=who
            )

    def ask_merge(self) -> None:
        """Ask for returned batches or copies, and show the changes made by each, one after another."""
        self._waiting = open_files(self._parent, tr("Merge batches"), self._context.folder, [_PROJECTS])
        self._offer_next()

    def _offer_next(self) -> None:
        if self._waiting:
            self.offer_merge(self._waiting.pop(0))

    def offer_merge(self, path: Path) -> None:
        """Show what the batch or copy at ``path`` would change before it is merged."""
        project = self._context.project
        if project is None:
            return
        self._context.folder = path.parent
        dialog = MergeDialog(self._context, project, path, self._parent.window())
        dialog.accepted.connect(lambda: self.merge(path, dialog.accepted_people()))
        dialog.rejected.connect(self._offer_next)
        dialog.finished.connect(lambda _result: dialog.deleteLater())
        self.merging = dialog
        dialog.open()

    def merge(self, path: Path, accept: Sequence[str] = ()) -> None:
        """Merge the labels and verdicts of the project at ``path``, and held-back ones of the people in ``accept``."""
        project = self._context.project
        if project is not None:
            self._context.folder = path.parent
            title = tr("Merge {name}", name=path.name)
            tell = self._context.after(MergeResult, partial(self._merged, title))

            def after(record: JobRecord) -> None:
                tell(record)
                if isValid(self):
                    self._offer_next()

            self._context.jobs.submit(title, merge_batch, project, path, list(accept), after=after)

    def _merged(self, title: str, result: MergeResult) -> None:
        parts = [trn("{count} label was added.", "{count} labels were added.", result.added), *_unmerged(result)]
        if result.doubtful:
            parts.append(trn("{count} was left out.", "{count} were left out.", len(result.doubtful)))
        if result.number:
            undo_as_merge(self._context, title, result.number)
            self._context.say_undoable(" ".join(parts))
        else:
            self._context.say(" ".join(parts), "warn" if result.failed or result.doubtful else "ok")

    # -- files

    def ask_import(self) -> None:
        """Ask for a file of labels for the shown set, and show its contents."""
        label_session = self._label_session()
        if label_session is not None:
            self.importer.ask(label_session.board.label_set.name)

    def ask_export(self) -> None:
        """Ask where to write the labels, and write them."""
        label_session = self._label_session()
        if label_session is not None:
            label_set = label_session.board.label_set.name
            title, kinds = tr("Export labels"), {"CSV (*.csv)": ".csv", "JSON Lines (*.jsonl)": ".jsonl"}
            save_as(
                self._context, self._parent, title, f"{label_set}.csv", kinds, write_labels, _wrote, label_set=label_set
            )


def _shared(path: Path, result: BatchResult) -> str:
    entries = trn("{count} entry", "{count} entries", result.entries)
    return tr("The batch was written to {path}: {entries}.", path=path, entries=entries)


def _wrote(path: Path, count: int) -> str:
    return tr("Wrote {labels} to {name}.", labels=trn("{count} label", "{count} labels", count), name=path)
