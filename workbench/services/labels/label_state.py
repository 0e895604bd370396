"""The items of one label set with their labels by annotator; updated label by label."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple
from urllib.parse import urlsplit

from workbench.base.types import Label, Role, Run, RunState, Span
from workbench.project import label_sets as stored
from workbench.project import labels
from workbench.project.clock import now
from workbench.project.database import Connection
from workbench.project.imports import with_several_texts
from workbench.project.listing import DocumentTable, addresses, document_table, text_numbers
from workbench.project.matches import match_columns
from workbench.project.pairs import document_totals, pairs_of
from workbench.project.runs import by_weight, runs
from workbench.project.scores import scores_of
from workbench.services.labels.definitions import LabelSet, all_sets
from workbench.services.labels.sets import SUSPECT_LABELS
from workbench.services.labels.settling import LabelledTexts, Settled, settle
from workbench.services.labels.targets import (
    TargetKind,
    document_target,
    is_adjudicator,
    pair_target,
    parse_document,
    parse_pair,
    parse_passage,
    passage_target,
)
from workbench.services.session import Session


class Item(NamedTuple):
    """An item to label: its name in the log, and the documents (keys) and spans it concerns.

    ``b`` is 0 for a single document; ``span`` and ``b_span`` are None except for a passage. ``host`` is the site, else
    the host of the address ``url``. Documents with the same ``text`` (a number) are exact duplicates.
    """

    target: str
    title: str
    a: int
    b: int = 0
    span: Span | None = None
    b_span: Span | None = None
    role: str = Role.SUSPECT.value
    language: str = ""
    host: str = ""
    published: str = ""
    url: str = ""
    text: int = 0
    tags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class BoardScope:
    """The label set to read ("": the one to begin with): pairs and passages are those of ``run`` (None: the newest that
    has some).

    ``targets`` are always included.
    """

    label_set: str = ""
    run: int | None = None
    targets: tuple[str, ...] = ()


@dataclass
class Board:
    """Items of one label set with the labels on them.

    ``only``: ignores labels of other annotators ("": includes everybody's). ``latest`` maps a label set (the board's
    own, and those that follow its values), a target and an annotator to the last label, whose value is empty if it was
    withdrawn. ``assigned``: the annotators assigned to each target. ``people``: others who have labelled.
    ``last_event`` and ``defined``: the state of the log, and of label sets and assignments, that was read. ``texts``
    says for which texts labels were given (None: each document has had only one).
    """

    label_set: LabelSet
    sets: Mapping[str, LabelSet]
    items: Sequence[Item]
    latest: dict[str, dict[str, dict[str, Label]]] = field(default_factory=dict)
    assigned: dict[str, set[str]] = field(default_factory=dict)
    runs: Sequence[Run] = ()
    run: Run | None = None
    last_event: int = 0
    defined: tuple[int, int] = (0, 0)
    documents: int = 0
    known: frozenset[str] = frozenset()
    only: str = ""
    people: set[str] = field(default_factory=set)
    texts: LabelledTexts | None = None

    def __post_init__(self) -> None:
        self.place = {item.target: at for at, item in enumerate(self.items)}
        self._texts: dict[int, list[Item]] = {}
        self._hosts: dict[str, list[Item]] = {}
        for item in self.items:
            if item.text:
                self._texts.setdefault(item.text, []).append(item)
            if item.host:
                self._hosts.setdefault(item.host, []).append(item)

    def take(self, events: Iterable[Label]) -> None:
        """Apply events of the log; events older than the known ones change nothing."""
        for event in events:
            if self.only not in ("", event.who):
                if event.value and event.label_set == self.label_set.name:
                    self.people.add(event.who)
                continue
            mine = self.latest.setdefault(event.label_set, {}).setdefault(event.target, {})
            before = mine.get(event.who)
            if before is None or before.when <= event.when:
                mine[event.who] = event

    def label_of(self, target: str, who: str, label_set: str = "") -> Label | None:
        """The current label of ``who`` for ``target``; None if there is none."""
        label = self.latest.get(label_set or self.label_set.name, {}).get(target, {}).get(who)
        return label if label is not None and label.value else None

    def last(self, target: str, who: str, label_set: str = "") -> Label | None:
        """Like :meth:`label_of`, but includes a withdrawn label, for its note."""
        return self.latest.get(label_set or self.label_set.name, {}).get(target, {}).get(who)

    def labels_of(self, target: str, label_set: str = "") -> dict[str, Label]:
        """Each annotator's label for ``target``, chronologically."""
        by = self.latest.get(label_set or self.label_set.name, {}).get(target, {})
        return {who: label for who, label in sorted(by.items(), key=lambda pair: pair[1].when) if label.value}

    def is_of_other_text(self, label: Label | None) -> bool:
        """Whether ``label`` was given for another text than the present one, and should be confirmed."""
        return label is not None and self.texts is not None and self.texts.is_of_other(label)

    def text_of(self, label: Label) -> str:
        """The digest of the text that ``label`` was given for; "" if its document has had only one."""
        return "" if self.texts is None else self.texts.digest(label)

    def present_text(self, target: str) -> str:
        """The digest of the present text of the document that ``target`` names; "" if it has had only one."""
        return "" if self.texts is None else self.texts.present(target)

    def counted(self, target: str) -> dict[str, Label]:
        """Those of :meth:`labels_of` that count together: the ones given for the newest labelled text."""
        by = self.labels_of(target)
        return by if self.texts is None else self.texts.counted(by)

    def settled(self, target: str) -> Settled | None:
        """The settled result for ``target``; None if there is no label."""
        votes = {who: label.value for who, label in self.counted(target).items()}
        return settle(votes) if votes else None

    def in_conflict(self, target: str) -> bool:
        """Whether annotators differ about ``target``, settled or not."""
        return len({label.value for who, label in self.counted(target).items() if not is_adjudicator(who)}) > 1

    def is_settled(self, target: str) -> bool:
        """Whether an adjudicator has decided about ``target``."""
        return any(map(is_adjudicator, self.counted(target)))

    def is_open_conflict(self, target: str) -> bool:
        """Whether annotators differ about ``target`` and no adjudicator has decided."""
        return self.in_conflict(target) and not self.is_settled(target)

    def annotators(self) -> list[str]:
        """All annotators who labelled or have assignments, except adjudicators, sorted."""
        people = self.people | {
            who for by in self.latest.get(self.label_set.name, {}).values() for who, label in by.items() if label.value
        }
        people |= {who for names in self.assigned.values() for who in names}
        return sorted(who for who in people if not is_adjudicator(who))

    def labels_by(self, who: str) -> list[Label]:
        """The labels ``who`` has given to items of the board, oldest first."""
        by = self.latest.get(self.label_set.name, {})
        own = (by.get(item.target, {}).get(who) for item in self.items)
        return sorted((label for label in own if label is not None and label.value), key=lambda label: label.when)

    def same_text(self, item: Item) -> list[Item]:
        """Other documents with exactly the text of ``item``."""
        return [other for other in self._texts.get(item.text, ()) if other.target != item.target]

    def earlier(self, item: Item) -> list[Item]:
        """Earlier documents of the same host: those that share most of the address first, among these the latest first.

        Documents without a date are ordered by import.
        """
        when = (item.published, item.a)
        entries = [other for other in self._hosts.get(item.host, ()) if (other.published, other.a) < when]
        entries.sort(key=lambda other: (other.published, other.a), reverse=True)
        return sorted(entries, key=lambda other: -shared_path(other.url, item.url))


def read_board(session: Session, wanted: BoardScope, only: str = "") -> Board:
    """The current board of a label set; an unknown name gives the one to begin with.

    With the labels of annotator ``only``, or everybody's.
    """
    with session.read() as connection:
        sets = all_sets(connection)
        label_set = sets.get(wanted.label_set) or _first(connection, sets)
        every = [run for run in runs(connection) if run.state is RunState.DONE][::-1]
        assigned = stored.assignments(connection, label_set.name)
        table = document_table(connection)
        run = _run_for(label_set.kind, every, wanted.run)
        items = _Items(connection, table).of(label_set, run, (*wanted.targets, *assigned))
        # Assignments of removed documents are nobody's work.
        present = {item.target for item in items}
        board = Board(
            label_set,
            sets,
            items,
            assigned={target: names for target, names in assigned.items() if target in present},
            runs=every,
            run=run,
            last_event=labels.last_event(connection),
            defined=stored.state(connection),
            documents=len(table),
            known=frozenset(table.id),
            only=only,
            texts=LabelledTexts(connection, label_set.name),
        )
        board.take(labels.gained(connection, followed(label_set)))
    return board


def _first(connection: Connection, sets: Mapping[str, LabelSet]) -> LabelSet:
    """The label set to begin with: the usual one, unless entries are assigned in others only, as in their batches, or
    documents are labelled in others only.
    """
    usual = next(iter(sets.values()))
    assigned = [name for name in stored.assigned_sets(connection) if name in sets]
    own = [name for name in labels.label_sets(connection) if name in sets and name != SUSPECT_LABELS]
    begun = assigned or [name for name in own if sets[name].kind is TargetKind.DOCUMENT]
    return usual if usual.name in begun or not begun else sets[begun[0]]


def followed(label_set: LabelSet) -> list[str]:
    """The label sets whose labels a board shows: its own, and those that follow one of its values."""
    return [label_set.name, *sorted({value.then for value in label_set.values if value.then} - {label_set.name})]


class News(NamedTuple):
    """Events that a board shows, since it was read, and the present ``last_event`` and ``defined`` of the project."""

    events: list[Label]
    last_event: int
    defined: tuple[int, int]


def news(session: Session, label_set: LabelSet, after: int) -> News:
    """The news for a board of ``label_set`` since event number ``after``."""
    with session.read() as connection:
        gained = labels.gained(connection, followed(label_set), after)
        return News(gained, labels.last_event(connection), stored.state(connection))


def history(session: Session, target: str, label_set: str) -> list[Label]:
    """All events about ``target``, notes and withdrawals among them, oldest first."""
    with session.read() as connection:
        return labels.history(connection, [target], label_set)


def give(session: Session, events: Sequence[Label]) -> list[Label]:
    """Append labels to the log, all or none; returns them as written, without the digest of a document's only text."""
    with session.write() as connection:
        named = {event.target: parse_document(event.target) or "" for event in events if event.digest}
        several = with_several_texts(connection, set(named.values()))
        kept = [
            replace(event, digest="") if named.get(event.target) and named[event.target] not in several else event
            for event in events
        ]
        return labels.add_labels(connection, kept)


def note(session: Session, label: Label) -> Label:
    """Append the note of ``label`` with its annotator's current value for the target, if any."""
    with session.write() as connection:
        before = labels.history(connection, [label.target], label.label_set)
        last = max((event for event in before if event.who == label.who), key=lambda event: event.when, default=None)
        if last is not None:
            # A note does not confirm a label that was given for another text.
            label = replace(label, value=last.value, digest=LabelledTexts(connection, label.label_set).digest(last))
        return labels.add_label(connection, label)


def stamped(labels: Iterable[Label]) -> list[Label]:
    """``labels`` with the current time filled in, until they are written."""
    return [label if label.when else replace(label, when=now()) for label in labels]


def _run_for(kind: TargetKind, every: Sequence[Run], wanted: int | None) -> Run | None:
    """The requested run, or the newest whose pairs or passages can be labelled."""
    chosen = next((run for run in every if run.id == wanted), None)
    if chosen is not None:
        return chosen
    if kind is TargetKind.PAIR:
        return next((run for run in by_weight(every) if run.pairs), None)
    if kind is TargetKind.PASSAGE:
        return next((run for run in by_weight(every) if run.matches), None)
    return next((run for run in by_weight(every) if run.scores or run.pairs), None)


class _Items:
    """Makes items from the documents of a table."""

    def __init__(self, connection: Connection, table: DocumentTable) -> None:
        self._connection, self._table = connection, table
        self._row = {int(key): at for at, key in enumerate(table.key.tolist())}
        self._key = dict(zip(table.id, table.key.tolist(), strict=True))
        self._known = frozenset(table.id)

    def of(self, label_set: LabelSet, run: Run | None, more: Sequence[str]) -> list[Item]:
        """Items of a label set, each once: all documents, or the pairs or passages of ``run``; and ``more``."""
        if label_set.kind is TargetKind.DOCUMENT:
            return list(self._documents())
        labelled = labels.latest_values(self._connection, label_set.name)
        named = dict.fromkeys((*self._targets_of(label_set.kind, run), *labelled, *more))
        items = (self._item(target) for target in named)
        return [item for item in items if item is not None]

    def _documents(self) -> Iterator[Item]:
        table = self._table
        texts = text_numbers(self._connection)
        urls = addresses(self._connection)
        for at, (key, name) in enumerate(zip(table.key.tolist(), table.id, strict=True)):
            yield Item(
                document_target(name),
                table.title[at] or name,
                key,
                role=table.role[at],
                language=table.language[at],
                host=host_of(table.site[at], urls.get(key, "")),
                published=table.published[at],
                url=urls.get(key, ""),
                text=texts.get(key, 0),
                tags=table.tags[at],
            )

    def _targets_of(self, kind: TargetKind, run: Run | None) -> Iterator[str]:
        if run is None:
            return
        name = {key: self._table.id[at] for key, at in self._row.items()}
        if kind is TargetKind.PAIR:
            for pair in pairs_of(self._connection, run.id):
                if pair.a in name and pair.b in name:
                    yield pair_target(name[pair.a], name[pair.b])
            return
        matches = match_columns(self._connection, run.id)
        columns = (matches.a, matches.a_start, matches.a_end, matches.b, matches.b_start, matches.b_end)
        for a, a_start, a_end, b, b_start, b_end in zip(*(c.tolist() for c in columns), strict=True):
            if a in name and b in name:
                yield passage_target(name[a], Span(a_start, a_end), name[b], Span(b_start, b_end))

    def _item(self, target: str) -> Item | None:
        a_span = b_span = None
        if (pair := parse_pair(target)) is not None:
            a, b = pair
        elif (passage := parse_passage(target, self._known)) is not None:
            a, a_span, b, b_span = passage
        else:
            return None
        if a not in self._key or b not in self._key:
            return None
        key, other = self._key[a], self._key[b]
        at, to = self._row[key], self._row[other]
        title = f"{self._table.title[at] or a} / {self._table.title[to] or b}"
        tags = tuple(dict.fromkeys((*self._table.tags[at], *self._table.tags[to])))
        role, language = self._table.role[at], self._table.language[at]
        return Item(target, title, key, other, a_span, b_span, role, language, tags=tags)


def host_of(site: str, url: str) -> str:
    """The site of a page, else the host of its address; "" if neither is known."""
    if site:
        return site
    try:
        return (urlsplit(url).hostname or "") if url else ""
    except ValueError:
        return ""


def shared_path(a: str, b: str) -> int:
    """Number of leading path segments that two addresses share: pages of one blogger share the blog's."""
    try:
        one, other = (urlsplit(url).path.strip("/").split("/") for url in (a, b))
    except ValueError:
        return 0
    return next(
        (at for at, (x, y) in enumerate(zip(one, other, strict=False)) if x != y or not x), min(len(one), len(other))
    )


def scores(session: Session, kind: TargetKind, run: Run) -> dict[str, float]:
    """The scores of ``run``, by target: a document's own score, else the sum of its matches on either side,
    else its best pair.
    """
    with session.read() as connection:
        table = document_table(connection)
        name = dict(zip(table.key.tolist(), table.id, strict=True))
        if kind is TargetKind.PASSAGE:
            matches = match_columns(connection, run.id)
            columns = (
                matches.a,
                matches.a_start,
                matches.a_end,
                matches.b,
                matches.b_start,
                matches.b_end,
                matches.score,
            )
            rows = zip(*(c.tolist() for c in columns), strict=True)
            return {
                passage_target(name[a], Span(s, e), name[b], Span(t, f)): value
                for a, s, e, b, t, f, value in rows
                if a in name and b in name
            }
        best: dict[str, float] = {}
        if kind is TargetKind.PAIR:
            for pair in pairs_of(connection, run.id):
                if pair.a in name and pair.b in name:
                    target = pair_target(name[pair.a], name[pair.b])
                    best[target] = max(best.get(target, pair.score), pair.score)
        elif run.scores:
            best = {
                document_target(name[s.document]): s.score for s in scores_of(connection, run.id) if s.document in name
            }
        elif run.matches:
            totals = document_totals(connection, run.id)
            best = {document_target(name[key]): total for key, total in totals.items() if key in name}
        else:
            for pair in pairs_of(connection, run.id):
                for key in (pair.a, pair.b):
                    if key in name:
                        target = document_target(name[key])
                        best[target] = max(best.get(target, pair.score), pair.score)
    return best
