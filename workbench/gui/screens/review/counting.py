"""The counted part of the open suspect: exclusions, the resulting shares, and the dialog that lists them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QCheckBox, QComboBox, QDialog, QLineEdit, QSpinBox, QVBoxLayout, QWidget
from shiboken6 import isValid

from workbench.base.coverage import A, lengths
from workbench.base.messages import Message, percent
from workbench.gui.i18n import say, tr, trn
from workbench.gui.kit.columns import Column, ColumnsModel, whole
from workbench.gui.kit.tables import Table
from workbench.gui.kit.widgets import apply_style, button, caption, heading, label, line, row
from workbench.gui.screens.review.pair_data import PairData
from workbench.gui.theme.manager import Theme
from workbench.gui.workspace.context import AppContext
from workbench.services import queries
from workbench.services.records import DocumentItem
from workbench.services.review.counting import (
    SuspectCount,
    find_common,
    not_compared,
    read_counted,
    read_counted_shares,
)
from workbench.services.review.exclusions import (
    OF_CITATIONS,
    Exclusion,
    ExclusionKind,
    described,
    exclude,
    least_length,
    of_passage,
    restore_excluded,
)
from workbench.services.review.shares import share_words
from workbench.services.session import Session
from workbench.text.quotation import CitationKind

_CITED = {
    ExclusionKind.QUOTATIONS: (CitationKind.QUOTATION, CitationKind.BLOCK_QUOTATION),
    ExclusionKind.REFERENCES: (CitationKind.REFERENCES,),
    ExclusionKind.NOTES: (CitationKind.NOTE,),
}
_EXCERPT = 60


class ExclusionsDialog(QDialog):
    """Shows the shares of a suspect and the exclusions from them.

    ``added`` emits a list of exclusions and a reason, ``restored`` a list of exclusions; ``common_chosen`` the number
    of other documents above which a passage counts as common, ``common_wanted`` that these are to be left out, and
    whether of all documents.
    """

    added = Signal(object, str)
    restored = Signal(object)
    common_chosen = Signal(int)
    common_wanted = Signal(bool)

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
        self.table = Table(self.model, tr("Left out of the count"))
        self.restore = button(tr("Count again"), self._restore)
        self.kind = QComboBox()
        self.kind.setAccessibleName(tr("What to leave out"))
        for kind, title in self._kinds():
            self.kind.addItem(title, kind.value)
        self.what = QLineEdit()
        self.what.setAccessibleName(tr("Which passages"))
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
        self.common.setAccessibleName(tr("Number of other documents above which a passage counts as common"))
        self.common.valueChanged.connect(self.common_chosen)
        self.leave_common = button(tr("Leave them out"), lambda: self.common_wanted.emit(False))
        self.leave_common.setAccessibleDescription(tr("Leave out the common passages of this document"))
        self.leave_all_common = button(tr("In all documents"), lambda: self.common_wanted.emit(True))
        self.leave_all_common.setAccessibleDescription(tr("Leave out the common passages of all documents"))
        self._problem = label("", 12, role="danger", wrap=True)
        self._build(name)
        self.kind.currentIndexChanged.connect(lambda _at: self._kind_chosen())
        self.table.selected.connect(self._can_restore)
        self._can_restore()

    @staticmethod
    def _kinds() -> list[tuple[ExclusionKind, str]]:
        return [
            (ExclusionKind.PHRASE, tr("A phrase, wherever it occurs")),
            (ExclusionKind.SHORTER, tr("Passages with fewer characters than")),
            (ExclusionKind.SOURCE, tr("All passages from the source")),
            (ExclusionKind.SITE, tr("All passages from the site")),
        ]

    def _build(self, name: str) -> None:
        layout = QVBoxLayout(self)
        layout.setContentsMargins(18, 16, 18, 14)
        layout.setSpacing(9)
        layout.addWidget(heading(tr("Share of {name} that counts", name=name)))
        layout.addWidget(self.total)
        layout.addWidget(self._amount)
        layout.addWidget(line())
        layout.addWidget(caption(tr("Marked as a quotation by the text itself")))
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
        words = tr("Count a passage as common when more than this many other documents of the project contain it")
        buttons = self.leave_common, self.leave_all_common
        common = row(label(words, 12, role="muted", wrap=True), self.common, *buttons, spacing=8)
        common.setStretch(0, 1)
        layout.addLayout(common)
        layout.addLayout(row(None, button(tr("Close"), self.close)))

    def set_subject(self, suspect: str, source: str, site: str) -> None:
        """Set the ids of the open pair and the site of its source, as suggestions."""
        self._suspect, self._source, self._site = suspect, source, site
        self._kind_chosen()

    def propose(self, kind: ExclusionKind, what: str = "") -> None:
        """Prepare the exclusion of ``what``; the focus goes to the first missing entry."""
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

    def show_counted(self, counted: SuspectCount, not_compared: int) -> None:
        """Show shares, citations and the list; ``not_compared`` characters are not content, or hidden."""
        shares = counted.shares
        self.total.setText(say(share_words(shares)))
        amount = tr(
            "{counted} of {length} characters count, {matched} are matched; each character counts once.",
            counted=f"{shares.counted:,}",
            matched=f"{shares.matched:,}",
            length=f"{shares.length:,}",
        )
        apart = tr("Not compared (blocks that are not content, hidden words): {count}.", count=f"{not_compared:,}")
        judged = say(Message("Passages judged not to be copies, which do not count: {count}", count=shares.not_copies))
        lines = (" ".join((amount, *[apart] * (not_compared > 0))), *[judged] * (shares.not_copies > 0))
        self._amount.setText("\n".join(lines))
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
        """The selected exclusions that can be undone here (thresholds are withdrawn in Evaluate)."""
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
            self._problem.setText(tr("Enter a number of characters, such as 40."))
            self.what.setFocus()
            return
        if not what:
            self._problem.setText(tr("Choose what to leave out."))
            self.what.setFocus()
            return
        self._problem.clear()
        suspect = "" if self.scope.currentData() else self._suspect
        self.added.emit([Exclusion(kind, what, suspect)], self.reason.text().strip())
        self.reason.clear()


class Excluding(QObject):
    """Reads the counted part of the open suspect, and writes exclusions.

    ``changed``: ``counted`` has changed; ``words`` contains both shares in one line. ``common_changed``: the number of
    documents for common phrases has changed. ``ranked`` emits counted shares by suspect. ``was_read``: ``counted`` was
    read again and may lack later events of the label log.
    """

    changed = Signal()
    common_changed = Signal()
    ranked = Signal(object)
    was_read = Signal()

    def __init__(self, context: AppContext, parent: QWidget) -> None:
        super().__init__(parent)
        self._context, self._window = context, parent
        self._opened: PairData | None = None
        self.counted: SuspectCount | None = None
        self._dialog: ExclusionsDialog | None = None
        self._searching = QObject(self)
        """Owns the search for common passages, so that ranking and searching do not end each other."""
        self._ranking: int | None = None
        """The last run whose suspects were ranked."""
        context.changed.connect(self._threshold_changed)

    def _threshold_changed(self, kinds: frozenset[str]) -> None:
        if "measures" in kinds:
            self.read()
            if self._ranking is not None:
                self.rank()

    @property
    def words(self) -> str:
        """Both shares; empty until they are known, and for runs that compare whole documents."""
        return "" if self.counted is None else say(share_words(self.counted.shares))

    @property
    def short_words(self) -> str:
        """Both shares in brief, if something is excluded."""
        if self.counted is None or not self.counted.shares.excluded:
            return ""
        shares = self.counted.shares
        return tr(
            "{matched} matched · {counted} counts",
            matched=percent(shares.matched_share),
            counted=percent(shares.counted_share),
        )

    def show(self, opened: PairData) -> None:
        """Switch to the suspect of ``opened``."""
        same = self._opened is not None and self._opened.a.key == opened.a.key and self._opened.run.id == opened.run.id
        self._opened = opened
        if not same:
            self.counted = None
            self.changed.emit()
            self.read()

    def read(self) -> None:
        """Read the counted part again: the documents, the run or the project's threshold have changed."""
        opened = self._opened
        if opened is not None and not opened.whole:
            run, key = opened.run.id, opened.a.key

            def read(session: Session) -> SuspectCount | None:
                # The run may have been removed: the lists will show that.
                there = any(one.id == run for one in queries.runs_newest_first(session))
                return read_counted(session, run, key) if there else None

            self._context.latest(self, "counted", read, self._show_read)

    def _show_read(self, counted: SuspectCount | None) -> None:
        if counted is not None:
            self.show_counted(counted)
            self.was_read.emit()

    def show_counted(self, counted: SuspectCount) -> None:
        """Show the counted part of a suspect, if it is the open one."""
        opened, before = self._opened, self.counted
        if opened is None or (opened.run.id, opened.a.key) != (counted.run_id, counted.a_key):
            return
        self.counted = counted
        if before is None or before.shares is not counted.shares:
            self.changed.emit()
            if self._ranking == counted.run_id:
                self.ranked.emit({counted.a_key: counted.shares.counted_share})
            if self._dialog is not None:
                self._dialog.show_counted(counted, not_compared(opened.run, opened.a))

    def rank(self) -> None:
        """Read the counted share of every suspect of the run."""
        opened, context = self._opened, self._context
        if opened is None or opened.whole or context.project is None:
            return
        self._ranking = opened.run.id
        context.say(tr("Counting the share of every suspect…"))
        context.aside(self, read_counted_shares, context.project, opened.run.id, context.viewer, done=self._ranks)

    def _ranks(self, shares: dict[int, float]) -> None:
        if self._opened is not None and self._opened.run.id == self._ranking:
            self.ranked.emit(shares)
            self._context.say(tr("Suspects are ranked by the share that counts."))

    def counting(self, number: int) -> str:
        """A sentence about match ``number`` of the open pair if it does not fully count."""
        opened, counted = self._opened, self.counted
        if opened is None or counted is None or number < 0:
            return ""
        m = opened.matches
        columns = (m.b, m.a_start, m.a_end, m.b_start, m.b_end)
        b, a_start, a_end, b_start, b_end = (int(column[number]) for column in columns)
        count = counted.count_of((b, a_start, a_end, b_start, b_end))
        covers = int(lengths(m.take([number]), A)[0])
        if count is None or count == covers:
            own = a_end - a_start - covers
            return (
                trn(
                    "{count} character inside the dotted frame is not counted",
                    "{count} characters inside the dotted frame are not counted",
                    own,
                )
                if own
                else ""
            )
        return (
            trn("{count} character of it counts", "{count} characters of it count", count)
            if count
            else tr("Does not count")
        )

    def ask(self, kind: ExclusionKind = ExclusionKind.PHRASE, what: str = "") -> None:
        """Open the list of exclusions, ready to exclude ``what``."""
        opened = self._opened
        if opened is None or opened.whole:
            return
        dialog = ExclusionsDialog(self._context.theme, opened.a.title or opened.a.id, self._window.window())
        apply_style(dialog, self._context.theme)
        dialog.added.connect(self.leave_out)
        dialog.restored.connect(self.restore)
        dialog.destroyed.connect(self._closed)
        self._dialog = dialog
        dialog.common.setValue(self._context.settings.common_from)
        dialog.common_chosen.connect(self._set_common_count)
        dialog.common_wanted.connect(self._leave_out_common)
        dialog.propose(kind, what)
        dialog.set_subject(opened.a.id, opened.b.id, opened.b.site)
        if self.counted is not None:
            dialog.show_counted(self.counted, not_compared(opened.run, opened.a))
        dialog.open()

    def _closed(self) -> None:
        self._dialog = None

    def _set_common_count(self, count: int) -> None:
        self._context.settings.common_from = count
        self.common_changed.emit()

    def _leave_out_common(self, everywhere: bool) -> None:
        """Exclude all passages that are common phrases, of the open suspect or ``everywhere`` in its run."""
        opened, context = self._opened, self._context
        if opened is None or context.project is None:
            return
        count, run, suspect = context.settings.common_from, opened.run.id, None if everywhere else opened.a.key

        def arrived(passages: list[Exclusion]) -> None:
            if passages:
                words = trn("{count} common passage left out", "{count} common passages left out", len(passages))
                self.leave_out(passages, tr("Common phrase (in more than {count} other documents)", count=f"{count:,}"))
                context.say_undoable(words)
            else:
                words = tr("No further passage is in more than {count} other documents.", count=f"{count:,}")
                context.say(words)

        context.say(tr("Looking for common passages…"))
        context.aside(self._searching, find_common, context.project, run, suspect, count, done=arrived)

    def leave_out_source(self, source: DocumentItem | None = None) -> None:
        """Exclude all passages of the open suspect from ``source`` (default: the open one), or count them again."""
        opened = self._opened
        if opened is not None:
            what = opened.b.id if source is None else source.id
            self._swap(Exclusion(ExclusionKind.SOURCE, what, opened.a.id))

    def leave_out_site(self, source: DocumentItem | None = None, *, everywhere: bool = False) -> None:
        """Exclude everything from the site of ``source`` (default: the open one), or count it again.

        For the open suspect, or ``everywhere``.
        """
        opened = self._opened
        site = "" if opened is None else opened.b.site if source is None else source.site
        if opened is None or not site:
            self._context.say(tr("The site of this source is unknown: leave out the source itself."))
            return
        self._swap(Exclusion(ExclusionKind.SITE, site, "" if everywhere else opened.a.id))

    def _swap(self, exclusion: Exclusion) -> None:
        """Exclude from the count if not excluded, otherwise count again."""
        words = say(described(exclusion))
        if equal := self._equal_to(exclusion):
            self.restore(equal)
            self._context.say_undoable(tr("Counted again: {what}", what=words))
        else:
            self.leave_out([exclusion], "")
            self._context.say_undoable(tr("Left out of the count: {what}", what=words))

    def _equal_to(self, exclusion: Exclusion) -> list[Exclusion]:
        """The current exclusion of the same name, if any."""
        effects = () if self.counted is None else self.counted.shares.effects
        return [effect.exclusion for effect in effects if effect.exclusion.target == exclusion.target]

    def leave_out_passage(self, parts: Sequence[int]) -> None:
        """Exclude the passage with the matches ``parts`` of the open pair, or count it again."""
        opened = self._opened
        if opened is None or not parts:
            return
        exclusions = [of_passage(opened.matches.row(number), opened.a.id, opened.b.id) for number in parts]
        there = [self._equal_to(exclusion) for exclusion in exclusions]
        if all(there):
            self.restore([equal for equals in there for equal in equals])
        else:
            self.leave_out([new for new, equals in zip(exclusions, there, strict=True) if not equals], "")

    def leave_out(self, chosen: Sequence[Exclusion], reason: str) -> None:
        """Exclude ``chosen`` for ``reason``; undo counts them again."""
        chosen = list(chosen)
        forth, back = _excluding(chosen, reason), _restoring(chosen)
        self._make(tr("Left out of the count"), forth, back)

    def restore(self, chosen: Sequence[Exclusion]) -> None:
        """Count ``chosen`` again; undo excludes them as before."""
        chosen = list(chosen)
        self._make(tr("What is counted again"), _restoring(chosen), _excluding(chosen, ""))

    def _make(self, title: str, forth: Change, back: Change) -> None:
        self._context.perform(title, forth, back, then=self._rank_again)

    def _rank_again(self) -> None:
        """Compute the ranking again, because exclusions may concern every suspect."""
        if isValid(self) and self._ranking is not None:
            self.rank()


Change = Callable[[Session], None]


def _excluding(chosen: Sequence[Exclusion], reason: str) -> Change:
    return lambda session: exclude(session, chosen, reason)


def _restoring(chosen: Sequence[Exclusion]) -> Change:
    return lambda session: restore_excluded(session, chosen)
