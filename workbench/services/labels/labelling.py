"""Labels of several annotators: imported, compared (also over time), and settled where they differ."""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from itertools import combinations, pairwise
from pathlib import Path
from typing import TypeVar
from unicodedata import normalize

from workbench.base.errors import UserError
from workbench.base.messages import Counted, Message
from workbench.base.types import Label, Span
from workbench.evaluation.agreement import Agreement, agreement
from workbench.evaluation.intervals import Interval, proportion_interval
from workbench.jobs.context import Context
from workbench.project import labels
from workbench.project.amendments import amendments, merging
from workbench.project.batches import batched
from workbench.project.database import Connection, open_project
from workbench.project.documents import near_ids, texts_of
from workbench.project.imports import present_version, version_at, versions
from workbench.project.label_sets import current_versions
from workbench.project.listing import current_ids
from workbench.reading.formats import Failure
from workbench.services.labels.annotators import ADJUDICATOR, IMPORTED, is_adjudicator
from workbench.services.labels.definitions import MOST_VALUES, add_values, all_sets, as_called, known_values
from workbench.services.labels.rows import UNRESOLVED, LabelRow, read_rows
from workbench.services.labels.sets import DEFAULT_SETS, NO_LABELS, OWN_WORDS, unknown_set
from workbench.services.labels.targets import (
    PASSAGE_PREFIX,
    TargetKind,
    document_target,
    ids_in,
    is_known,
    kind_of,
    parse_document,
    parse_pair,
    parse_passage,
)
from workbench.services.review.judged_text import side_digest, sides
from workbench.services.review.verdicts import reviewer
from workbench.services.session import Session

_MEASURED = re.compile(r"[-+]?\d*[.,]\d+(?:e[-+]?\d+)?$", re.IGNORECASE)
"""Matches fractions, which are scores rather than labels."""
_BLOCKS = 12
_LEAST = 10
"""Minimum number of entries in a block."""


T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class LabelOptions:
    """How to import labels. Row fields take precedence over ``label_set`` and ``who``; ``values`` are allowed in
    addition, and added to the set if it is defined and rows have them.

    ``adjudicated`` marks all labels as an adjudicator's; ``encoding`` overrides detection; ``columns`` maps the columns
    of a file to fields (:func:`workbench.services.labels.rows.read_rows`). Without ``overwrite``, rows that would
    change an annotator's existing label are skipped.
    """

    label_set: str = ""
    who: str = ""
    values: Sequence[str] = ()
    adjudicated: bool = False
    encoding: str | None = None
    columns: Mapping[str, str] = field(default_factory=dict)
    overwrite: bool = False


@dataclass(frozen=True, slots=True)
class Change:
    """A row (at ``where``) in which ``who`` would change the label of ``name`` from ``before`` to ``after``."""

    where: str
    name: str
    who: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class LabelResult:
    """The outcome of the rows: labels added, labels that existed already, and rows refused.

    ``strange`` are the refused values missing from their set, ``changes`` the rows skipped because they would change an
    existing label. ``number`` is the first event of the import, by which it can be undone like a merge
    (:func:`workbench.services.labels.merging.undo_merge`); 0 if nothing was imported.
    """

    imported: int
    unchanged: int
    failed: tuple[Failure, ...]
    sets: tuple[str, ...] = ()
    strange: tuple[str, ...] = ()
    changes: tuple[Change, ...] = ()
    number: int = 0


def import_labels(ctx: Context, project_path: Path, file: Path, options: LabelOptions | None = None) -> LabelResult:
    """Append the labels of ``file`` to the log; bad rows are listed by line and the rest imported.

    A note that is new is added to a label that exists; it replaces another note if the row has a time.

    Refused: labels of unknown documents or of another kind of items, values the set does not have, rows with two
    labels, and a second label by one annotator for the same item, unless both have different times (then the later
    counts). Raises UserError if the file would give a new set more values than allowed: most likely numbers.
    """
    options = options or LabelOptions()
    rows = list(read_rows(file, options.encoding, options.columns))
    with open_project(project_path) as project, project.write() as connection:
        known, amended = current_ids(connection), amendments(connection)
        kinds = {name: label_set.kind for name, label_set in all_sets(connection).items()}
        intake = _Intake(options, known, partial(near_ids, connection), kinds)
        intake.learn_spellings(row for row in rows if isinstance(row, LabelRow))
        for row in rows:
            ctx.check()
            if isinstance(row, Failure):
                intake.failed.append(row)
                continue
            label_set = intake.set_of(row)
            if label_set not in intake.values:
                own = known_values(connection, label_set)
                intake.values[label_set] = [*own, *(v for v in options.values if v not in own)]
                intake.former[label_set] = amended.names.get(label_set, {})
            intake.take(row, label_set)
        intake.check_new_sets()
        intake.drop_foreign_digests(connection)
        fresh, unchanged, changes = [], [], []
        current = {name: _current_labels(connection, name) for name in intake.values}
        events = [event for name in intake.values for event in labels.events(connection, name)]
        logged = {_identity(part) for event in events for part in (event, replace(event, note=""))}
        before, texts = {name: dict(values) for name, values in current.items()}, LabelledTexts(connection)
        for where, label in sorted(intake.labels, key=lambda taken: taken[1].when):
            subject = label.target, label.who
            now = current[label.label_set].get(subject, _NOTHING)
            is_noted = label.note == now.note or (not label.note and label.when <= now.when)
            is_noted |= bool(now.note and not label.when and not options.overwrite)
            if _identity(label) in logged or (now.value == label.value and is_noted):
                unchanged.append((label, now))
                continue
            was = before[label.label_set].get(subject, _NOTHING)
            is_later = not label.when or label.when >= was.when
            if was.value not in ("", label.value) and not options.overwrite and is_later:
                changes.append(Change(where, shown(label.target), label.who, was.value, label.value))
                continue
            if now.value == label.value and not label.when:
                # A note does not confirm a label that was given for another text.
                label = replace(label, digest=texts.digest(now))
            current[label.label_set][subject] = label
            fresh.append(label)
        number = labels.last_event(connection) + 1 if fresh else 0
        labels.add_labels(connection, fresh)
        last, defined = labels.last_event(connection), current_versions(connection)
        for name in intake.values:
            used = {label.value for label in fresh if label.label_set == name}
            add_values(connection, name, [value for value in options.values if value in used], options.who)
        if fresh:
            versions_added = [v for name, v in current_versions(connection).items() if v != defined.get(name)]
            note = {"file": file.name, "versions": [asdict(version) for version in versions_added]}
            labels.add_label(connection, merging(number, last, reviewer(), json.dumps(note, ensure_ascii=False)))
    _warn_of_sets(ctx, options.label_set, intake.values)
    _warn_of_others(ctx, sum(not label.when and texts.is_of_other(now) for label, now in unchanged))
    # A set with its first labels is one more on the screens that list them.
    ctx.changed("labels", *([] if all(before.values()) else ["documents"]))
    failed = sorted(intake.failed, key=lambda failure: int(failure.path.rpartition(":")[2]))
    sets = tuple(sorted({label.label_set for label in fresh}))
    return LabelResult(
        len(fresh), len(unchanged), tuple(failed), sets, tuple(sorted(intake.strange)), tuple(changes), number
    )


def _warn_of_sets(ctx: Context, wanted: str, sets: Collection[str]) -> None:
    """Warn that rows went to the ``sets`` that they name instead of the set ``wanted``."""
    if wanted and (named := sorted({*sets} - {wanted})):
        ctx.warn(
            Message(
                "Rows go to the label set that they name: {named}. To import them into {set}, remove that column.",
                set=wanted,
                named=", ".join(named),
            )
        )


def _warn_of_others(ctx: Context, count: int) -> None:
    """Warn that ``count`` labels, which the file repeats, were given for another text than the present one."""
    if count:
        ctx.warn(
            Counted(
                "{count} label was there and was given for another text of its document: a file without times does not "
                "confirm it for the present one. Give the times, or confirm it in Label (Ctrl+Enter).",
                "{count} labels were there and were given for other texts of their documents: a file without times "
                "does not confirm them for the present ones. Give the times, or confirm them in Label (Ctrl+Enter).",
                count,
            )
        )


_NOTHING = Label("", "", "", "")


def _current_labels(connection: Connection, label_set: str) -> dict[tuple[str, str], Label]:
    """Labels by target and annotator."""
    by_target = labels.by_annotator(connection, label_set)
    return {(target, who): label for target, by in by_target.items() for who, label in by.items()}


def _identity(event: Label) -> tuple[str, ...]:
    """The identity of an event; an event without a time never equals a logged one."""
    return event.label_set, event.target, event.who, event.when, event.value, event.note


@dataclass
class _Intake:
    """Rows being imported."""

    options: LabelOptions
    known: frozenset[str]
    near: Callable[[str], str]
    """A sentence with the ids most similar to an unknown one; asked for the first one only."""
    kinds: dict[str, TargetKind]
    """The kind of items of each set, of a new one that of its first row."""
    values: dict[str, list[str]] = field(default_factory=dict)
    former: dict[str, Mapping[str, str]] = field(default_factory=dict)
    labels: list[tuple[str, Label]] = field(default_factory=list)
    """Labels with the positions of their rows."""
    failed: list[Failure] = field(default_factory=list)
    strange: set[str] = field(default_factory=set)
    _unknown: bool = False
    _is_exported: bool = False
    """Whether a row has what every exported label has."""
    _spelled: dict[tuple[str, str], str] = field(default_factory=dict)
    _seen: dict[tuple[str, str, str], tuple[str, set[str]]] = field(default_factory=dict)

    def set_of(self, row: LabelRow) -> str:
        """The label set a row goes to."""
        kind = kind_of(row.target) or TargetKind.DOCUMENT
        return row.label_set or self.options.label_set or DEFAULT_SETS[kind]

    def learn_spellings(self, rows: Iterable[LabelRow]) -> None:
        """If annotators differ in the case of a new set's values, the most frequent spelling is used; if one of them
        uses two spellings, these are two values.
        """
        ways: defaultdict[tuple[str, str], Counter[str]] = defaultdict(Counter)
        of_one: defaultdict[tuple[str, str, str], set[str]] = defaultdict(set)
        for row in rows:
            value = self.set_of(row), row.value.casefold()
            ways[value][row.value] += 1
            of_one[*value, row.who].add(row.value)
        apart = {(label_set, folded) for (label_set, folded, _), spelled in of_one.items() if len(spelled) > 1}
        self._spelled = {value: ways[value].most_common(1)[0][0] for value in ways if value not in apart}

    def take(self, row: LabelRow, label_set: str) -> None:
        """Accept or refuse one row."""
        who = row.who or self.options.who or IMPORTED
        if (row.adjudicated or self.options.adjudicated) and not is_adjudicator(who):
            who = ADJUDICATOR if who == IMPORTED else f"{ADJUDICATOR}:{who}"
        allowed = self.values[label_set]
        value = as_called(row.value, allowed, self.former[label_set])
        if not allowed:
            value = self._spelled.get((label_set, value.casefold()), value)
        problem = self._problem(row, label_set, who, value)
        if problem:
            self.failed.append(Failure(row.where, problem))
        else:
            self._is_exported |= bool(row.label_set and row.who and row.when)
            is_of_one = kind_of(row.target) is TargetKind.DOCUMENT
            digest = row.digest if is_of_one == (":" not in row.digest) else ""
            label = Label(row.target, value, who, row.when, row.note, label_set=label_set, digest=digest)
            self.labels.append((row.where, label))

    def drop_foreign_digests(self, connection: Connection) -> None:
        """Forget the digests of documents' texts if a column of that name contains something else: in a file that is
        not an export of labels, none is that of a text which its document has or had.
        """
        named = {parse_document(label.target) or "" for _, label in self.labels if label.digest} - {""}
        if self._is_exported or not named:
            return
        known = {(name, version.text) for name, of_id in versions(connection, named).items() for version in of_id}
        if not any((parse_document(label.target), label.digest) in known for _, label in self.labels):
            self.labels = [(where, replace(label, digest="")) for where, label in self.labels]

    def check_new_sets(self) -> None:
        """Raise UserError if a set without values would get more than a label set can have, or fractions."""
        values: defaultdict[str, dict[str, None]] = defaultdict(dict)
        for _, label in self.labels:
            if not self.values[label.label_set]:
                values[label.label_set][label.value] = None
        for label_set, own in values.items():
            if len(own) > MOST_VALUES or all(map(_MEASURED.match, own)):
                raise UserError(
                    Message(
                        "The file would create a label set {set} with {count} values: {first} …",
                        set=label_set,
                        count=f"{len(own):,}",
                        first=", ".join([*own][:5]),
                    ),
                    hint=Message(
                        "A label set has at most {most}, and numbers are not labels. Choose the column that "
                        "contains the labels.",
                        most=MOST_VALUES,
                    ),
                    command="Name it with --columns.",
                )

    def _problem(self, row: LabelRow, label_set: str, who: str, value: str) -> str:
        if label_set in NO_LABELS:
            return Message("The program uses the name {name} for its own records.", name=label_set)
        if not is_known(row.target, self.known):
            problem = Message("There is no document {name} in this project.", name=row.name)
            near = "" if self._unknown else self.near(row.name)
            self._unknown = True
            return Message.joined(" ", [problem, near]) if near else problem
        if not value and not row.withdrawn:
            allowed = ", ".join(self.values[label_set])
            self.strange.add(row.value)
            return Message(
                "{value} is not a value of the label set {set}; the values are {allowed}.",
                value=repr(row.value),
                set=label_set,
                allowed=allowed,
            )
        kind = kind_of(row.target) or TargetKind.DOCUMENT
        own = kind if label_set in OWN_WORDS else self.kinds.setdefault(label_set, kind)
        if own is not kind:
            return Message("The labels of the set {set} are of {kinds}.", set=label_set, kinds=own.plural)
        first, times = self._seen.setdefault((label_set, row.target, who), (row.where, set()))
        if first == row.where and not times:
            times.add(row.when)
            return ""
        if row.when and "" not in times and row.when not in times:
            times.add(row.when)
            return ""
        return Message(
            "{who} already labelled {name} in line {rpartition}.",
            who=who,
            name=row.name,
            rpartition=first.rpartition(":")[2],
        )


_TEXTS = 500
"""Number of documents whose texts are requested at a time; one text is in memory at a time."""


def _texts_of(connection: Connection, keys: Iterable[int]) -> Iterator[tuple[int, str]]:
    for some in batched(sorted(keys), _TEXTS):
        yield from texts_of(connection, some)


class LabelledTexts:
    """Which labels were given for another text of a document than its present one: an earlier one, or one that undo
    has replaced by an earlier one. A passage whose words are unchanged in the present text, wherever they moved, is the
    same in both.

    Passages are known from the labels of ``label_set``, by default of all.
    """

    def __init__(self, connection: Connection, label_set: str | None = None) -> None:
        prefix = document_target("")
        named = {parse_document(target) or "" for target in labels.digests(connection, prefix)}
        self._versions = versions(connection, named)
        self._known = current_ids(connection).union(self._versions) if self._versions else frozenset[str]()
        self._present = {name: present_version(of_id) for name, of_id in self._versions.items()}
        self._passages = self._read_passages(connection, label_set) if self._versions else {}

    def _read_passages(self, connection: Connection, label_set: str | None) -> dict[tuple[str, str], dict[str, str]]:
        """By target and digest of passages, the digest of the whole text that each id's side is in; without a digest by
        target and the digest of each text that it may have been given for.
        """
        by_target = labels.digests(connection, PASSAGE_PREFIX, label_set, unsigned=True)
        passages = {
            target: parsed for target in by_target if (parsed := parse_passage(target, self._known)) is not None
        }
        spans: dict[str, set[Span]] = {}
        for a, a_span, b, b_span in passages.values():
            for name, span in ((a, a_span), (b, b_span)):
                if name in self._versions:
                    spans.setdefault(name, set()).add(span)
        by_key, kept = self._read_sides(connection, spans)
        known: dict[tuple[str, str], dict[str, str]] = {}
        for target, passage in passages.items():
            for at, (name, span) in enumerate((passage[:2], passage[2:])):
                of_id = self._versions.get(name, ())
                wanted = {digest: sides(digest)[at] for digest in by_target[target] if digest}
                if "" in by_target[target]:
                    wanted |= {version.text: by_key[version.key, span] for version in of_id}
                texts = {by_key[version.key, span]: version.text for version in of_id}
                for digest, side in wanted.items():
                    if side and of_id:
                        there = self._present[name].text if (name, side) in kept else texts.get(side, side)
                        known.setdefault((target, digest), {})[name] = there
        return known

    def _read_sides(
        self, connection: Connection, spans: Mapping[str, set[Span]]
    ) -> tuple[dict[tuple[int, Span], str], set[tuple[str, str]]]:
        """The digests of what is at the ``spans`` of each id in each of its texts, by document and span; and those,
        with their ids, whose words are in the present text, wherever.
        """
        of = {version.key: name for name in spans for version in self._versions[name]}
        present = {self._present[name].key: name for name in spans}
        digests: dict[tuple[int, Span], str] = {}
        kept: set[tuple[str, str]] = set()
        moved: dict[str, dict[str, str]] = {}
        for key, text in _texts_of(connection, present):
            digests |= {(key, span): side_digest(text[span.start : span.end]) for span in spans[of[key]]}
            kept |= {(of[key], digests[key, span]) for span in spans[of[key]]}
        for key, text in _texts_of(connection, of.keys() - present):
            for span in spans[name := of[key]]:
                side = text[span.start : span.end]
                digests[key, span] = side_digest(side)
                if (name, digests[key, span]) not in kept and (words := "".join(side.split())):
                    moved.setdefault(name, {})[digests[key, span]] = words
        for key, text in _texts_of(connection, (key for key, name in present.items() if name in moved)):
            words_now = "".join(text.split())
            kept |= {(of[key], side) for side, words in moved[of[key]].items() if words in words_now}
        return digests, kept

    def is_of_other(self, label: Label) -> bool:
        """Whether ``label`` was given for another text than the present one of one of its documents."""
        return any(digest != self._present[name].text for name, digest in self._texts(label))

    def present(self, target: str) -> str:
        """What identifies the present text of the document that ``target`` names; "" if it has had only one."""
        version = self._present.get(parse_document(target) or "")
        return "" if version is None else version.text

    def digest(self, label: Label) -> str:
        """What identifies the text of the document that ``label`` was given for; "" if it has had only one."""
        texts = self._texts(label) if parse_document(label.target) is not None else []
        return label.digest or next((digest for _, digest in texts), "")

    def counted(self, by: Mapping[str, Label]) -> dict[str, Label]:
        """Those of an item's labels ``by`` annotator that count together: the ones given for its newest labelled text,
        the present one if any was.
        """
        if not self._versions:
            return dict(by)
        texts = {who: self._texts(label) for who, label in by.items()}
        latest = max(texts.values(), key=self._age, default=[])
        return {who: label for who, label in by.items() if texts[who] == latest}

    def _age(self, texts: list[tuple[str, str]]) -> list[tuple[bool, int]]:
        """Orders texts of an item: the present one last, before it the newest."""
        ages = []
        for name, digest in texts:
            places = [at for at, version in enumerate(self._versions[name]) if version.text == digest]
            ages.append((self._present[name].text == digest, max(places, default=-1)))
        return ages

    def _texts(self, label: Label) -> list[tuple[str, str]]:
        """The digest of the text that ``label`` was given for of each document that has had several."""
        names = [name for name in ids_in(label.target, self._known) if name in self._versions] if self._versions else []
        known: dict[str, str] = {}
        if label.digest and (identity := parse_document(label.target)) is not None:
            known = {identity: label.digest}
        elif label.digest and (pair := parse_pair(label.target)) is not None:
            known = dict(zip(pair, label.digest.split(":"), strict=False))
        elif label.digest:
            known = self._passages.get((label.target, label.digest), {})
        return [(name, known.get(name) or self._by_time(label, name)) for name in names]

    def _by_time(self, label: Label, name: str) -> str:
        text = version_at(self._versions[name], label.when).text
        return self._passages.get((label.target, text), {}).get(name, text)


def labels_that_count(
    connection: Connection, label_set: str, texts: LabelledTexts | None = None
) -> dict[str, dict[str, Label]]:
    """Each annotator's label of each target, those that count together (:meth:`LabelledTexts.counted`)."""
    texts = texts or LabelledTexts(connection, label_set)
    return {target: texts.counted(by) for target, by in labels.by_annotator(connection, label_set).items()}


@dataclass(frozen=True, slots=True)
class Settled:
    """The settled result for a target: ``value`` ("" if unresolved) and how it was determined. ``of_other``: the labels
    were given for another text than the present one.

    ``how`` is adjudicator, single (one annotator alone labelled it), unanimous, majority (more than half of the
    annotators), or unresolved; ``votes`` maps annotators to values.
    """

    value: str
    how: str
    votes: Mapping[str, str]
    of_other: bool = False


def settle(votes: Mapping[str, str]) -> Settled:
    """The settled value of one target from its labels, by annotator, in chronological order."""
    judged = [value for who, value in votes.items() if is_adjudicator(who)]
    choices = {who: value for who, value in votes.items() if not is_adjudicator(who)}
    if judged:
        return Settled(judged[-1], "adjudicator", choices)
    (value, count), *_ = Counter(choices.values()).most_common(1)
    if count == len(choices):
        return Settled(value, "unanimous" if count > 1 else "single", choices)
    if 2 * count > len(choices):
        return Settled(value, "majority", choices)
    return Settled("", UNRESOLVED, choices)


def settled(session: Session, label_set: str) -> dict[str, Settled]:
    """The settled result for each target of ``label_set``. Raises UserError if the set has no labels."""
    with session.read() as connection:
        texts = LabelledTexts(connection, label_set)
        by_target = labels_that_count(connection, label_set, texts)
        if not by_target:
            raise unknown_set(label_set, labels.label_sets(connection))
    return {target: settle_labels(by, texts) for target, by in by_target.items()}


def settle_labels(by: Mapping[str, Label], texts: LabelledTexts) -> Settled:
    """The settled result of the labels ``by`` annotator that count together, in chronological order."""
    state = settle({who: label.value for who, label in by.items()})
    return replace(state, of_other=any(map(texts.is_of_other, by.values())))


def settled_values(connection: Connection, label_set: str) -> dict[str, str]:
    """The settled value of each target of ``label_set``, "" if it is unresolved; none if the set has no labels."""
    by_target = labels_that_count(connection, label_set).items()
    return {target: settle({who: label.value for who, label in by.items()}).value for target, by in by_target}


@dataclass(frozen=True, slots=True)
class Compared:
    """Agreement in a label set; ``problem`` says why it is undefined. ``unresolved`` are names of targets; ``removed``
    counts labelled targets that do not count, as a document is no longer in the project. Of labels given for different
    texts of a document only those for the newest are compared: ``of_others`` counts the targets whose labels were given
    for another text than the present one, ``apart`` the labels that are not compared.
    """

    label_set: str
    annotators: Mapping[str, int]
    agreement: Agreement | None
    problem: str
    how: Mapping[str, int]
    unresolved: tuple[str, ...]
    removed: int = 0
    of_others: int = 0
    apart: int = 0

    @property
    def alike(self) -> tuple[Message, ...]:
        """Sentences about annotators whose names differ in case or width only: most likely the same person."""
        folded = [(normalize("NFKC", who).casefold(), who) for who in self.annotators]
        return tuple(
            Message("{a} and {b} count as two annotators: their names differ in case or width only.", a=a, b=b)
            for (one, a), (other, b) in combinations(folded, 2)
            if one == other
        )


def compare_annotators(session: Session, label_set: str) -> Compared:
    """Agreement of the annotators of ``label_set``, except adjudicators, and the unresolved targets.

    Raises UserError if the set has no labels.
    """
    labelled = settled(session, label_set)
    states = _in_project(session, labelled)
    with session.read() as connection:
        every = labels.by_annotator(connection, label_set)
    votes = sum(not is_adjudicator(who) for target in states for who in every.get(target, ()))
    by_annotator: dict[str, dict[str, str]] = {}
    for target, state in states.items():
        for who, value in state.votes.items():
            by_annotator.setdefault(who, {})[target] = value
    measured, problem = None, ""
    try:
        measured = agreement(by_annotator)
    except UserError as error:
        problem = error.sentence
    return Compared(
        label_set,
        {who: len(values) for who, values in sorted(by_annotator.items())},
        measured,
        problem,
        Counter(state.how for state in states.values()),
        tuple(shown(target) for target, state in sorted(states.items()) if state.how == UNRESOLVED),
        len(labelled) - len(states),
        sum(state.of_other for state in states.values()),
        votes - sum(len(state.votes) for state in states.values()),
    )


def _in_project(session: Session, by_target: Mapping[str, T]) -> dict[str, T]:
    """The targets whose documents are in the project."""
    with session.read() as connection:
        known = current_ids(connection)
    return {target: value for target, value in by_target.items() if is_known(target, known)}


def shown(target: str) -> str:
    """A target in readable form."""
    pair = parse_pair(target)
    return " / ".join(pair) if pair else parse_document(target) or target


@dataclass(frozen=True, slots=True)
class AgreementBlock:
    """``entries`` that got their second label between ``since`` and ``until`` (ISO 8601), consecutively.

    ``agreed``: share on which all their annotators currently agree, with its exact 95 % interval.
    """

    since: str
    until: str
    entries: int
    agreed: float
    interval: Interval


@dataclass(frozen=True, slots=True)
class AgreementReport:
    """Agreement, unresolved targets, and blocks in chronological order."""

    compared: Compared
    blocks: tuple[AgreementBlock, ...]


def agreement_report(ctx: Context, project_path: Path, label_set: str) -> AgreementReport:
    """The agreement of a label set; run in a separate process. Raises UserError if the set has no labels."""
    ctx.check()
    with Session(project_path, write=False) as session:
        compared = compare_annotators(session, label_set)
        with session.read() as connection:
            by_target = labels_that_count(connection, label_set)
        by_target = _in_project(session, by_target)
    return AgreementReport(compared, over_time([list(by.values()) for by in by_target.values()]))


def over_time(entries: list[list[Label]]) -> tuple[AgreementBlock, ...]:
    """Blocks of equal size from the labels of each entry, except adjudicators; the latest come last."""
    complete = []
    for votes in entries:
        own = sorted((label for label in votes if not is_adjudicator(label.who)), key=lambda label: label.when)
        if len(own) >= 2:
            complete.append((own[1].when, len({label.value for label in own}) == 1))
    complete.sort()
    if not complete:
        return ()
    count = max(1, min(_BLOCKS, len(complete) // _LEAST))
    edges = [round(at * len(complete) / count) for at in range(count + 1)]
    blocks = []
    for start, end in pairwise(edges):
        part = complete[start:end]
        agreed = sum(same for _, same in part)
        interval = proportion_interval(agreed, len(part))
        blocks.append(AgreementBlock(part[0][0], part[-1][0], len(part), agreed / len(part), interval))
    return tuple(blocks)
