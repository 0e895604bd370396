"""The open run and pair: reads requested ones, and reads changed ones again."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from workbench.gui.judging.load_gate import LoadGate
from workbench.gui.judging.verdicts import viewer
from workbench.gui.screens.review.pair_data import FIRST, LAST, Limits, PairData, read_opened
from workbench.gui.screens.review.pair_panel import PairPanel
from workbench.gui.screens.review.suspect_list import SuspectModel
from workbench.gui.workspace.context import AppContext
from workbench.services.review.overview import Overview, read_overview
from workbench.services.review.pivot import Grouping, Pivot, grouped


class PairLoader(QObject):
    """Reads a run's lists and one of its pairs in the background; ``pair`` shows the open pair, ``suspects`` has the
    order of the list. Views follow the signals.

    ``run_read`` emits whether the lists are of another run than before; ``nothing_found``: the run has no pairs;
    emits the requested document (key, 0 for none), as does ``unlisted`` if the run has no pairs of that document.
    ``grouped`` emits the requested grouping; ``judged``: the lists differ only in their verdicts. ``leaving``: another
    pair is about to be read; ``pair_read`` emits it, before one of its matches is active; ``kept`` the open pair, if
    the other could not be read. ``unchanged``: the lists were read, and the open pair is the same; ``ready`` emits
    whether everything is on screen.
    """

    run_read = Signal(bool)
    nothing_found = Signal(int)
    unlisted = Signal(int)
    grouped = Signal(object)
    judged = Signal()
    leaving = Signal()
    pair_read = Signal(object)
    kept = Signal(object)
    unchanged = Signal()
    ready = Signal(bool)

    def __init__(self, context: AppContext, pair: PairPanel, suspects: SuspectModel) -> None:
        super().__init__(pair)
        self._context, self._pair, self._suspects = context, pair, suspects
        self.overview = Overview()
        self.pivot = Pivot.SUSPECTS
        """The current, or requested, list."""
        self.pace = LoadGate(context, self)
        self._wanted: tuple[int | None, int, int | None] = (None, 0, None)
        """Run, suspect and source to open when the lists are read; None and 0 keep what is open."""
        self._wanted_limits: Limits | None = None
        """The match to show of that pair."""
        self._resumed = False
        """Whether that pair is where the last session ended: it gives way if the run has nothing of its suspect."""
        self._wanted_match: int | Limits = FIRST
        """The match to show of the pair being read."""
        self._scroll: tuple[float, float] | None = None
        """The scroll positions of the last session, to be restored with their match."""

    # -- a run

    def has_run(self) -> bool:
        """Whether there are matches to show."""
        return self.overview.columns is not None and len(self.overview.columns.matches) > 0

    def request(self, run_id: int, a_key: int, b_key: int | None = None, match: Limits | None = None) -> None:
        """Open this pair of run ``run_id`` when its lists are next read, at ``match`` if it has such a match."""
        self._wanted, self._wanted_limits, self._resumed = (run_id, a_key, b_key), match, False

    def resume(
        self, run_id: int, a_key: int, b_key: int | None, match: Limits | None, scroll: tuple[float, float] | None
    ) -> None:
        """Like :meth:`request`, with the panes' positions, unless another pair has been requested."""
        self._scroll = scroll
        if self._wanted[0] is None:
            self.request(run_id, a_key, b_key, match)
            self._resumed = True

    def load(self) -> None:
        """Read the run's lists again; the open pair remains open unless another has been requested."""
        self.ready.emit(False)
        shown = None if self.overview.run is None else self.overview.run.id
        run = shown if self._wanted[0] is None else self._wanted[0]
        known = self.overview.columns if shown is not None and shown == run else None
        reviewer = viewer(self._context)
        self._context.latest(
            self,
            "overview",
            lambda session: read_overview(session, run, known, reviewer),
            self._show_overview,
            self._not_loaded,
        )

    def _not_loaded(self, error: Exception) -> None:
        self._context.show_error(error)
        self.ready.emit(True)

    def _show_overview(self, overview: Overview) -> None:
        pace = self.pace
        before, self.overview = self.overview, overview
        changed = before.run is None or overview.run is None or overview.run.id != before.run.id
        (run, a_key, b_key), self._wanted = self._wanted, (None, 0, None)
        limits, self._wanted_limits = self._wanted_limits, None
        resumed, self._resumed = self._resumed, False
        if overview.run is None or not self.has_run():
            pace.give_up()
            self.nothing_found.emit(a_key)
            return
        self.run_read.emit(changed)
        if self.pivot is not Pivot.SUSPECTS:
            self.list_by(self.pivot)
        listed = a_key in {row.key for row in overview.suspects}
        if run not in (None, overview.run.id) or (resumed and not listed):
            a_key, b_key, limits = 0, None, None
        unlisted = a_key if b_key is None and not listed else 0
        if unlisted:
            a_key, limits = 0, None
        opened = self._pair.opened
        # The run may have continued, so that the pair has more matches now; or the reviewer changed.
        outdated = overview.columns is not before.columns or overview.viewer != before.viewer
        if a_key or changed or (opened is None and not pace.reading):
            self.open_pair(*((a_key, b_key) if a_key else self._suspects.first_shown()), limits or FIRST)
        elif opened is not None and not pace.reading and outdated:
            self.open_pair(opened.a.key, opened.b.key, self._pair.active_limits() or FIRST)
        else:
            self.unchanged.emit()
            self.ready.emit(not pace.reading)
        if unlisted:
            self.unlisted.emit(unlisted)

    def list_by(self, pivot: Pivot) -> None:
        """List suspects, sources or pairs of the run."""
        overview, self.pivot = self.overview, pivot
        columns = overview.columns
        if columns is None:
            return

        def show(grouping: Grouping) -> None:
            if self.overview.columns is columns:
                self.grouped.emit(grouping)

        self._context.latest(self, "grouping", lambda _session: grouped(columns, pivot, overview.suspects), show)

    def show_judged(self, overview: Overview) -> None:
        """Show ``overview``, which differs from the shown one only in its verdicts."""
        self.overview = overview
        self.judged.emit()

    # -- a pair

    def open_pair(self, a_key: int, b_key: int | None, match: int | Limits = FIRST) -> None:
        """Open suspect ``a_key`` against source ``b_key`` (None: the best), at a match (default: the first shown)."""
        run = self.overview.run
        if run is None:
            return
        self.leaving.emit()
        self.ready.emit(False)
        self._wanted_match = match
        reviewer = viewer(self._context)
        self.pace.load(
            lambda session: read_opened(session, run.id, a_key, b_key, reviewer), self._show_pair, self._not_opened
        )

    def open_source(self, key: int) -> None:
        """Open the suspect against another of its sources."""
        if self._pair.opened is not None:
            self.open_pair(self._pair.opened.a.key, key)

    def open_row(self, row: int) -> None:
        """Open the pair of a row of the run's columns, at that match."""
        if self.overview.columns is not None:
            self.open_pair(*self.overview.columns.place(row))

    def active_row(self) -> int:
        """The row, in the run's columns, of the active match or the open pair; -1 if there is none."""
        columns, opened = self.overview.columns, self._pair.opened
        if columns is None or opened is None:
            return -1
        if opened.whole:
            return columns.row_of(opened.a.key, opened.b.key, (0, len(opened.a.text), 0, len(opened.b.text)))
        limits = self._pair.active_limits()
        return -1 if limits is None else columns.row_from(opened.a.key, opened.b.key, limits)

    def _not_opened(self) -> None:
        if self._pair.opened is not None:
            self.kept.emit(self._pair.opened)
        self.ready.emit(True)

    def _show_pair(self, opened: PairData) -> None:
        self.pair_read.emit(opened)
        self._go_to_wanted(opened)
        self._context.actions.refresh()
        self.ready.emit(True)

    def _go_to_wanted(self, opened: PairData) -> None:
        pair, wanted = self._pair, self._wanted_match
        number = wanted if isinstance(wanted, int) else opened.number_of(wanted)
        if number >= 0:
            pair.go_to(number)
        else:
            pair.go_to_end(last=number == LAST)
        scroll, self._scroll = self._scroll, None
        if scroll is not None and not isinstance(wanted, int):
            pair.show_places(*scroll)
