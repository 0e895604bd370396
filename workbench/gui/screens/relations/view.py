"""The Relations screen: a selection in one panel is shown in all others."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QStackedWidget, QVBoxLayout, QWidget

from workbench.base.errors import UserError
from workbench.gui.i18n import tr, trn
from workbench.gui.judging.load_gate import LoadGate
from workbench.gui.judging.verdicts import pair_looks, verdict_actions
from workbench.gui.kit.layouts import ThreePanes
from workbench.gui.kit.saving import save_as
from workbench.gui.kit.widgets import EmptyState, button
from workbench.gui.screens.relations import SCREEN
from workbench.gui.screens.relations.evidence_panel import EvidencePanel, ShownPair
from workbench.gui.screens.relations.groups_panel import GroupsPanel
from workbench.gui.screens.relations.picture_panel import PicturePanel
from workbench.gui.screens.relations.run import (
    Picture,
    RelationRun,
    Scope,
    is_heavy,
    make_picture,
    read_clusters,
    read_pair,
    read_run,
    read_stitched,
)
from workbench.gui.screens.relations.table import RankedWords, ranked_words
from workbench.gui.workspace.actions import Action
from workbench.gui.workspace.context import AppContext
from workbench.gui.workspace.screen import Screen, View
from workbench.services.records import Pair
from workbench.services.relations.clusters import ClusterOptions, Clusters, clusters
from workbench.services.relations.export import export_graph
from workbench.services.relations.pair_columns import LinkTexts
from workbench.services.relations.stitched import Stitched, StitchedPage
from workbench.services.session import Session

_LEFT, _RIGHT = 290, 330
_SMALL = 1_320
"""Width below which the side panels are narrower, logical pixels."""


class RelationsView(View):
    """Shows how the pages of a run are related; ``load`` updates it."""

    declaration: ClassVar[Screen] = SCREEN
    kinds: ClassVar[frozenset[str]] = frozenset({"runs", "matches", "documents", "measures"})

    def build(self) -> Iterator[None]:
        context = self.context
        self.run = RelationRun()
        self.clusters: Clusters | None = None
        self.stitched: Sequence[StitchedPage] = ()
        self.pair = -1
        """Row of the selected pair in the run's columns; -1 if there is none."""
        self._run_to_open: int | None = None
        self.pace = LoadGate(context, self)
        self.groups = GroupsPanel(context.theme)
        yield
        self.picture = PicturePanel(context.theme)
        yield
        self.evidence = EvidencePanel(context)
        yield
        self._empty: QWidget | None = None
        self._build()
        yield
        self._connect()
        context.actions.add(*self._actions())

    def _build(self) -> None:
        self.body = ThreePanes((self.groups, self.picture, self.evidence), (_LEFT, _RIGHT), _SMALL)
        self.groups.setMinimumWidth(240)
        self.evidence.setMinimumWidth(270)
        self.pages = QStackedWidget()
        self.pages.addWidget(self.body)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(10, 0, 10, 10)
        layout.addWidget(self.pages)

    def _connect(self) -> None:
        self.groups.run_chosen.connect(self.open)
        self.groups.options_changed.connect(self._cluster)
        self.groups.limits_changed.connect(self._limits_changed)
        self.groups.scope_chosen.connect(self._scope_chosen)
        self.picture.classes_changed.connect(self._draw)
        self.picture.pair_chosen.connect(self.choose)
        self.picture.opened.connect(self._opened)
        self.picture.export_asked.connect(lambda: self.context.actions.run(f"{self.view_id}.export"))
        self.evidence.review_asked.connect(self.open_in_review)
        self.evidence.recalled.connect(lambda: self.pace.set_recalling(False))
        self.evidence.source_chosen.connect(self._source_chosen)
        self.context.changed.connect(self._labels_changed)

    def _actions(self) -> list[Action]:
        groups, picture = self.groups, self.picture

        there, chosen = self.has_pairs, self.has_pair
        needs = {there: tr("Select a run that found pairs."), chosen: tr("Select a pair first.")}

        def add(
            key: str,
            title: str,
            call: Callable[[], object],
            shortcut: str,
            icon: str = "",
            *,
            enabled: Callable[[], bool],
        ) -> Action:
            return self.make_action(key, title, call, shortcut, icon, enabled=enabled, needs=needs[enabled])

        actions = [
            add("graph", tr("Show the graph"), lambda: self.show_mode("graph"), "Alt+1", "relations", enabled=there),
            add("matrix", tr("Show the matrix"), lambda: self.show_mode("matrix"), "Alt+2", "columns", enabled=there),
            add("table", tr("Show the table"), lambda: self.show_mode("table"), "Alt+3", "documents", enabled=there),
            add("review", tr("Open the pair in Review"), self.open_in_review, "Ctrl+Return", "review", enabled=chosen),
            add(
                "clusters",
                tr("List the clusters"),
                lambda: self._list(stitched=False),
                "Alt+4",
                "layers",
                enabled=there,
            ),
            add(
                "stitched",
                tr("List the stitched pages"),
                lambda: self._list(stitched=True),
                "Alt+5",
                "copy",
                enabled=there,
            ),
            add("threshold", tr("Change the threshold"), groups.threshold.setFocus, "Alt+6", "filter", enabled=there),
            add("filter", tr("Filter pairs"), self._filter, "Ctrl+F", "search", enabled=there),
            add("all-classes", tr("Show all classes"), picture.show_all, "", "reset", enabled=there),
            add("fit", tr("Show everything"), picture.graph.fit, "Ctrl+0", "reset", enabled=there),
            add("export", tr("Export the graph…"), self._export, "Ctrl+Shift+E", "export", enabled=there),
            add("copy", tr("Copy titles and sites"), self.copy_titles, "Ctrl+Shift+C", "copy", enabled=chosen),
            add("note", tr("Write a note"), self.write_note, "Ctrl+Shift+N", "note", enabled=chosen),
        ]
        return [*actions, *verdict_actions(self.view_id, pair_looks(), self.give_verdict, chosen, needs[chosen])]

    def _export(self) -> None:
        if self.run.run is not None:
            _ask_export(self.context, self, self.run.run.id)

    def _list(self, *, stitched: bool) -> None:
        self.groups.show_list(stitched=stitched)
        self.groups.list.setFocus()

    def _filter(self) -> None:
        self.show_mode("table")
        self.picture.filter.setFocus()
        self.picture.filter.selectAll()

    # -- reading

    def open(self, run_id: int) -> None:
        """Show run ``run_id``."""
        self._run_to_open = run_id
        self.load()

    def load(self) -> None:
        """Read the runs, and the pairs of the shown run, again."""
        self.set_ready(False)
        known = self.run
        run_id = self._run_to_open if self._run_to_open is not None else known.run.id if known.run is not None else None

        def read(session: Session) -> tuple[RelationRun, RankedWords | None]:
            run = read_run(session, run_id, known)
            same = run.columns is None or run.columns is known.columns
            return run, None if same else ranked_words(run)

        self.context.latest(self, "run", read, lambda answer: self._show_run(*answer))

    def _show_run(self, run: RelationRun, ranked: RankedWords | None) -> None:
        used_before, tags_before = self.run.used, self.run.tags
        self.run, self._run_to_open = run, None
        self.groups.show_run(run)
        if run.columns is None or run.run is None:
            self.choose(-1)
            self._show_empty()
            return
        self.pages.setCurrentWidget(self.body)
        self.picture.show_tags(run)
        if ranked is None:
            if run.used != used_before:
                self.groups.begin_at(run.used)
            # Reopening a project drops pending reads.
            if run.used != used_before or self.clusters is None:
                self._cluster()
            elif run.tags != tags_before:
                self._draw()
            else:
                self.set_ready()
            return
        self.choose(-1)
        self.clusters, self.stitched = None, ()
        self.groups.set_scope(Scope())
        self.groups.begin_at(run.used)
        self.picture.show_run(run, ranked)
        self._cluster()
        self._find_stitched()

    def _find_stitched(self) -> None:
        assert self.run.run is not None
        self.evidence.stitched.show_page(None, self.run)
        self.groups.show_stitched(self.run, None)

        def show(stitched: Stitched) -> None:
            self.stitched = stitched.pages
            self.groups.show_stitched(self.run, stitched)
            if self.clusters is not None:
                self._draw()

        def fail(error: Exception) -> None:
            if isinstance(error, UserError):
                reason = tr(
                    "This run compares whole documents: it has no passages that show where a page's text comes from."
                )
                self.groups.show_stitched(self.run, None, reason)
            else:
                self.context.show_error(error)

        self.context.latest(self, "stitched", read_stitched(self.run.run.id, self.groups.limits.options()), show, fail)

    def _limits_changed(self) -> None:
        """Search for stitched pages again, clearing the selection."""
        if self.run.run is not None:
            if self.groups.scope.stitched is not None:
                self.groups.choose(Scope())
            self._find_stitched()

    def _cluster(self) -> None:
        """Find the clusters of the pairs at or above the threshold."""
        columns = self.run.columns
        if columns is None:
            return
        self.set_ready(False)
        options = self.groups.options()
        whole = ClusterOptions(options.figure, options.threshold, 0)

        def read(_session: Session) -> tuple[Clusters, bool]:
            parts = clusters(columns, whole)
            heavy = is_heavy(parts, options)
            return (parts if heavy else clusters(columns, options)), heavy

        def show(answer: tuple[Clusters, bool]) -> None:
            clustered, heavy = answer
            if self.context.session is None or self.run.run is None:
                return
            self._show_clusters(clustered, splitting=heavy)
            if heavy:
                query = self.context.session.path, self.run.run.id, options

                def fail(error: Exception) -> None:
                    self.context.show_error(error)
                    deliver(clustered)

                self.context.aside(self, read_clusters, *query, done=deliver, failed=fail)

        def deliver(split: Clusters) -> None:
            if wanted():
                self._show_clusters(split)

        wanted = self.context.latest(self, "clusters", read, show)

    def _show_clusters(self, clusters: Clusters, *, splitting: bool = False) -> None:
        """Show clusters; ``splitting``: the large ones are being split, and will be shown again."""
        self.clusters = clusters
        if self.groups.scope.stitched is None:
            self.groups.set_scope(Scope())
        self.groups.show_clusters(self.run, clusters, splitting=splitting)
        self._draw()

    def _draw(self) -> None:
        """Lay out the selected scope."""
        columns, clusters = self.run.columns, self.clusters
        if columns is None or clusters is None:
            return
        self.set_ready(False)
        scope = self.groups.scope
        classes, chosen = self.picture.classes.chosen_mask(), self.picture.chosen_pairs()

        def show(picture: Picture) -> None:
            self.picture.show_picture(picture, self.stitched, self.groups.figure.currentText())
            self.picture.choose_pair(self.pair)
            self.set_ready()

        self.context.latest(
            self, "picture", lambda _session: make_picture(columns, clusters, scope, classes, chosen), show
        )

    def _show_empty(self) -> None:
        if self._empty is not None:
            self.pages.removeWidget(self._empty)
            self._empty.deleteLater()
        self._empty = _empty_state(self.context, self.run)
        self.pages.addWidget(self._empty)
        self.pages.setCurrentWidget(self._empty)
        self.set_ready()

    # -- choosing

    def _scope_chosen(self, scope: Scope) -> None:
        self.evidence.stitched.show_page(scope.stitched, self.run)
        self.choose(-1)
        self._draw()

    def choose(self, pair: int) -> None:
        """Select the pair in row ``pair`` of the run's columns; -1 for none."""
        columns, run = self.run.columns, self.run.run
        if pair == self.pair and pair >= 0:
            return
        self.evidence.flush()
        self.pair = pair
        self.picture.choose_pair(pair)
        self.context.actions.refresh()
        if pair < 0 or columns is None or run is None:
            self.evidence.clear()
            self.pace.give_up()
            return
        a, b = int(columns.a[pair]), int(columns.b[pair])

        def show(shown: tuple[Pair, LinkTexts] | None) -> None:
            if shown is None or self.run.columns is not columns:
                self.choose(-1)
                return
            self.pace.set_recalling(True)
            self.evidence.show_pair(ShownPair(shown[0], columns.items[a], columns.items[b], shown[1]))

        # Key presses wait for this pair: the pair still shown must not be judged instead.
        self.pace.load(read_pair(run.id, a, b), show, lambda: self.choose(-1))

    def give_verdict(self, value: str) -> None:
        """Give the selected pair a verdict, once it is shown with its verdicts."""
        self.pace.do(lambda: self.evidence.give_verdict(value), recalled=True)

    def write_note(self) -> None:
        """Move the focus to the note of the selected pair, once it is shown."""
        self.pace.do(self.evidence.verdict.note.setFocus)

    def copy_titles(self) -> None:
        """Put the whole titles of the selected pair's pages on the clipboard, each with its site."""
        self.pace.do(self.evidence.copy_titles)

    def _source_chosen(self, key: int) -> None:
        page, columns = self.groups.scope.stitched, self.run.columns
        if page is not None and columns is not None:
            self.choose(columns.row_of(page.key, key))

    def _opened(self, pair: int) -> None:
        self.choose(pair)
        self.open_in_review()

    def has_pair(self) -> bool:
        """Whether a pair is selected."""
        return self.pair >= 0

    def has_pairs(self) -> bool:
        """Whether there are pairs to show."""
        return self.run.columns is not None

    def open_in_review(self) -> None:
        """Show the selected pair in Review."""
        columns, run = self.run.columns, self.run.run
        if self.pair >= 0 and columns is not None and run is not None:
            self.evidence.flush()
            self.context.open_review(run.id, int(columns.a[self.pair]), int(columns.b[self.pair]))

    def show_mode(self, mode: str) -> None:
        """Show the "graph", the "matrix" or the "table", and focus it."""
        self.picture.show_mode(mode)
        self.picture.current().setFocus()

    def _labels_changed(self, kinds: frozenset[str]) -> None:
        if "labels" in kinds:
            self.evidence.read_labels()

    # -- session

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Make side panels narrower in a small window, until the user resizes them."""
        super().resizeEvent(event)
        self.body.fit(event.size().width())

    def flush(self) -> None:
        self.evidence.flush()

    def save_state(self) -> dict[str, Any]:
        state: dict[str, Any] = {"mode": self.picture.mode}
        if (sizes := self.body.chosen_sizes()) is not None:
            state["sizes"] = sizes
        if self.run.run is not None:
            state["run"] = self.run.run.id
        return state

    def restore_state(self, state: Mapping[str, Any]) -> None:
        self.body.restore_sizes(state.get("sizes"))
        if isinstance(state.get("mode"), str):
            self.picture.show_mode(state["mode"])
        if isinstance(state.get("run"), int) and self._run_to_open is None:
            self._run_to_open = state["run"]

    def key_hints(self) -> list[tuple[str, str]]:
        return [
            ("relations.graph", tr("graph")),
            ("relations.matrix", tr("matrix")),
            ("relations.table", tr("table")),
            ("relations.review", tr("open in Review")),
        ]

    def first_focus(self) -> QWidget | None:
        return self.picture.stack.currentWidget() if self.has_pairs() and self.picture.is_drawn() else None


def _empty_state(context: AppContext, run: RelationRun) -> EmptyState:
    """Why nothing is shown, and what to do next."""
    theme = context.theme
    if not run.documents:
        documents = button(tr("Go to Documents"), lambda: context.show_view("documents"), kind="primary")
        sentence = tr("Import the pages to compare: saved web pages, a WARC file, or texts with their addresses.")
        return EmptyState(theme, "documents", tr("No documents yet"), sentence, documents)
    detect = button(tr("Go to Detect"), lambda: context.show_view("detect"), kind="primary")
    sentence = tr(
        "Run rare-sentences in Detect: it pairs pages that share rare sentences and tells whether each pair "
        "is a mirror, an inclusion or a citation. Runs of other methods that pair documents are shown here, "
        "too."
    )
    return EmptyState(theme, "relations", tr("No run has pairs of pages yet"), sentence, detect)


def _ask_export(context: AppContext, parent: QWidget, run_id: int) -> None:
    """Ask where to save the graph of a run, and write it as a job."""
    kinds = {
        tr("Graph (*.graphml)"): ".graphml",
        tr("Graph for Gephi (*.gexf)"): ".gexf",
        tr("CSV table (*.csv)"): ".csv",
    }

    def sentence(path: Path, pairs: int) -> str:
        count = trn("{count} pair", "{count} pairs", pairs)
        return tr("The graph was saved to {path} ({count}).", path=path, count=count)

    save_as(context, parent, tr("Export the graph"), f"{run_id}.graphml", kinds, export_graph, sentence, run_id=run_id)
