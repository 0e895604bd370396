"""Labels of several annotators: imported, and compared, also over time."""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from itertools import combinations, pairwise
from pathlib import Path
from typing import TypeVar
from unicodedata import normalize

from workbench.base.errors import UserError
from workbench.base.messages import Counted, Message
from workbench.base.types import Label
from workbench.evaluation.agreement import Agreement, agreement
from workbench.evaluation.intervals import Interval, proportion_interval
from workbench.jobs.context import Context
from workbench.project import labels
from workbench.project.amendments import amendments, merging
from workbench.project.database import Connection, open_project
from workbench.project.documents import near_ids
from workbench.project.imports import versions
from workbench.project.label_sets import current_versions
from workbench.project.listing import current_ids
from workbench.reading.formats import Failure
from workbench.services.labels.definitions import MOST_VALUES, add_values, all_sets, as_called, known_values
from workbench.services.labels.rows import UNRESOLVED, LabelRow, read_rows
from workbench.services.labels.sets import DEFAULT_SETS, NO_LABELS, OWN_WORDS
from workbench.services.labels.settling import LabelledTexts, labels_that_count, settled
from workbench.services.labels.targets import (
    ADJUDICATOR,
    IMPORTED,
    TargetKind,
    is_adjudicator,
    is_known,
    kind_of,
    parse_document,
    parse_pair,
)
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
    (:func:`workbench.services.labels.merge_additions.undo_merge`); 0 if nothing was imported.
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
