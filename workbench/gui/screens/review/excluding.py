"""What counts of the open suspect: its shares, and leaving things out of the count, undone by appending."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from workbench.base.coverage import A, lengths
from workbench.base.errors import UserError
from workbench.base.percent import percent
from workbench.gui.i18n import say, tr, trn
from workbench.gui.kit.parts import dress
from workbench.gui.screens.review.exclusions_dialog import ExclusionsDialog
from workbench.gui.screens.review.reading import Opened
from workbench.gui.workspace.context import AppContext
from workbench.services.review.counting import Counted, read_counted, read_counted_shares
from workbench.services.review.exclusions import (
    Exclusion,
    ExclusionKind,
    described,
    exclude,
    of_passage,
    restore_excluded,
)
from workbench.services.review.shares import share_words
from workbench.services.session import Session
from workbench.services.stored import DocumentItem


class Excluding(QObject):
    """Reads what counts of the open suspect, and writes what is left out.

    ``changed`` when ``counted`` is of another state; ``words`` says both shares in one line. ``common_changed`` when
    passages are called common from another number of documents on. ``ranked`` carries shares that count, by suspect.
    ``was_read``: events that came to the label log meanwhile may not be in ``counted``.
    """

    changed = Signal()
    common_changed = Signal()
    ranked = Signal(object)
    was_read = Signal()

    def __init__(self, context: AppContext, parent: QWidget) -> None:
        super().__init__(parent)
        self._context, self._window = context, parent
        self._opened: Opened | None = None
        self.counted: Counted | None = None
        self._dialog: ExclusionsDialog | None = None
        self._ranking: int | None = None
        """The run whose suspects were ranked last."""
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
        """Both shares in few words, where something is left out."""
        if self.counted is None or not self.counted.shares.excluded:
            return ""
        shares = self.counted.shares
        return tr(
            "{matched} matched · {counted} counts",
            matched=percent(shares.matched_share),
            counted=percent(shares.counted_share),
        )

    def show(self, opened: Opened) -> None:
        """Follow the suspect of ``opened``."""
        same = self._opened is not None and self._opened.a.key == opened.a.key and self._opened.run.id == opened.run.id
        self._opened = opened
        if not same:
            self.counted = None
            self.changed.emit()
            self.read()

    def read(self) -> None:
        """Read again what counts: the documents, the run or the project's threshold have changed."""
        opened = self._opened
        if opened is not None and not opened.whole:
            run, key = opened.run.id, opened.a.key
            self._context.background(lambda session: read_counted(session, run, key), self._show_read, owner=self)

    def _show_read(self, counted: Counted) -> None:
        self.show_counted(counted)
        self.was_read.emit()

    def show_counted(self, counted: Counted) -> None:
        """Show what counts of a suspect, where it is the open one."""
        opened, before = self._opened, self.counted
        if opened is None or (opened.run.id, opened.a.key) != (counted.run_id, counted.a_key):
            return
        self.counted = counted
        if before is None or before.shares is not counted.shares:
            self.changed.emit()
            if self._ranking == counted.run_id:
                self.ranked.emit({counted.a_key: counted.shares.counted_share})
            if self._dialog is not None:
                self._dialog.show_counted(counted)

    def rank(self) -> None:
        """Read the share that counts of every suspect of the run."""
        opened, context = self._opened, self._context
        if opened is None or opened.whole or context.project is None:
            return
        self._ranking = opened.run.id
        context.say(tr("Counting what counts of every suspect…"))
        context.aside(self, read_counted_shares, context.project, opened.run.id, context.eyes, done=self._ranks)

    def _ranks(self, shares: dict[int, float]) -> None:
        if self._opened is not None and self._opened.run.id == self._ranking:
            self.ranked.emit(shares)
            self._context.say(tr("The suspects are ranked by the share that counts."))

    def counting(self, number: int) -> str:
        """What to say of match ``number`` of the open pair where it does not count, or not as a whole."""
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
                    "{count} character within it, in a dotted frame, is no part of the match and is not counted",
                    "{count} characters within it, in a dotted frame, are no part of the match and are not counted",
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
        """Open the list of what is left out, ready to leave out ``what``."""
        opened = self._opened
        if opened is None or opened.whole:
            return
        dialog = ExclusionsDialog(self._context.theme, opened.a.title or opened.a.id, self._window.window())
        dress(dialog, self._context.theme)
        dialog.added.connect(self.leave_out)
        dialog.restored.connect(self.restore)
        dialog.destroyed.connect(self._closed)
        self._dialog = dialog
        dialog.common.setValue(self._context.settings.common_from)
        dialog.common_chosen.connect(self._call_common)
        dialog.propose(kind, what)
        dialog.set_subject(opened.a.id, opened.b.id, opened.b.site)
        if self.counted is not None:
            dialog.show_counted(self.counted)
        dialog.open()

    def _closed(self) -> None:
        self._dialog = None

    def _call_common(self, count: int) -> None:
        self._context.settings.common_from = count
        self.common_changed.emit()

    def leave_out_source(self, source: DocumentItem | None = None) -> None:
        """Leave all passages of the open suspect from ``source`` (default: the open one) out, or count them again."""
        opened = self._opened
        if opened is not None:
            what = opened.b.id if source is None else source.id
            self._swap(Exclusion(ExclusionKind.SOURCE, what, opened.a.id))

    def leave_out_site(self, source: DocumentItem | None = None, *, everywhere: bool = False) -> None:
        """Leave all from the site of ``source`` (default: the open one) out of the count, or count it again.

        Of the open suspect, or ``everywhere``.
        """
        opened = self._opened
        site = "" if opened is None else opened.b.site if source is None else source.site
        if opened is None or not site:
            self._context.say(tr("No site is known of this source: leave out the source itself."))
            return
        self._swap(Exclusion(ExclusionKind.SITE, site, "" if everywhere else opened.a.id))

    def _swap(self, exclusion: Exclusion) -> None:
        """Leave out what counts, count again what is left out."""
        words = say(described(exclusion))
        if equal := self._equal_to(exclusion):
            self.restore(equal)
            self._context.say_undoable(tr("Counted again: {what}", what=words))
        else:
            self.leave_out([exclusion], "")
            self._context.say_undoable(tr("Left out of the count: {what}", what=words))

    def _equal_to(self, exclusion: Exclusion) -> list[Exclusion]:
        """What is left out now under the same name."""
        effects = () if self.counted is None else self.counted.shares.effects
        return [effect.exclusion for effect in effects if effect.exclusion.target == exclusion.target]

    def leave_out_passage(self, parts: Sequence[int]) -> None:
        """Leave the matches ``parts`` of the open pair, a passage, out of the count, or count them again."""
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
        """Leave ``chosen`` out for ``reason``; undo counts them again."""
        chosen = list(chosen)
        forth, back = _excluding(chosen, reason), _restoring(chosen)
        self._make(tr("What is left out of the count"), forth, back)

    def restore(self, chosen: Sequence[Exclusion]) -> None:
        """Count ``chosen`` again; undo leaves them out as they were."""
        chosen = list(chosen)
        self._make(tr("What is counted again"), _restoring(chosen), _excluding(chosen, ""))

    def _make(self, title: str, forth: Change, back: Change) -> None:
        if self._context.session is None:
            return
        try:
            self._write(forth)
        except (UserError, OSError) as error:
            self._context.show_error(error)
            return
        self._context.history.push(title, lambda: self._write(back), lambda: self._write(forth))

    def _write(self, change: Change) -> None:
        self._context.change(change, None)
        # What is left out may concern every suspect.
        if self._ranking is not None:
            self.rank()
        self._context.announce({"labels"})


Change = Callable[[Session], None]


def _excluding(chosen: Sequence[Exclusion], reason: str) -> Change:
    return lambda session: exclude(session, chosen, reason)


def _restoring(chosen: Sequence[Exclusion]) -> Change:
    return lambda session: restore_excluded(session, chosen)
