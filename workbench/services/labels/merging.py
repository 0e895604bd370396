"""Merges labels and decisions from a batch or a copy of the project: previewed first, undone as one.

Anyone with a copy can write in it under any name and with any clock. Therefore the preview shows the events by person,
which decisions change, and each suspect's counted share before and after. Events that contradict the same person's
events here, or have a future time, are held back: they are accepted only on request.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from enum import StrEnum
from pathlib import Path

from workbench.base.errors import UserError
from workbench.base.messages import Message
from workbench.base.types import Label, Role
from workbench.jobs.context import Context
from workbench.project import database, labels
from workbench.project import label_sets as stored
from workbench.project.amendments import MERGED, RENAMED, amendments, merging, parse_renaming
from workbench.project.clock import is_stored
from workbench.project.database import Connection
from workbench.project.documents import texts_of
from workbench.project.imports import DocumentVersion, version_at, versions
from workbench.project.listing import ids_of, keys_of, keys_of_role, text_hashes
from workbench.project.pairs import pair_keys
from workbench.project.runs import newest_finished, runs
from workbench.project.tags import attach_tags, removed_tags_by_id, tags_by_id
from workbench.reading.formats import Failure
from workbench.services.labels.labelling import shown
from workbench.services.labels.merge_additions import (
    Additions,
    ReplacedDefinition,
    is_earlier,
    latest_time,
    merge_versions,
)
from workbench.services.labels.sets import (
    ATTACHED,
    BY_HAND,
    CASES,
    EXCLUSIONS,
    LABEL_SET,
    OWN_WORDS,
    PAIR_LABELS,
    SPLITS,
    SUSPECT_LABELS,
)
from workbench.services.labels.settling import settle
from workbench.services.labels.targets import (
    TargetKind,
    ids_in,
    is_known,
    kind_of,
    parse_passage,
    passage_target,
    passages,
)
from workbench.services.review.by_hand import keys_added, suspects_with_added
from workbench.services.review.counting import counted_in, least_score
from workbench.services.review.exclusions import ExclusionKind, described, parse_exclusion
from workbench.services.review.judged_text import digest
from workbench.services.review.judgement import judgement
from workbench.services.review.verdict_index import VerdictIndex
from workbench.services.review.verdicts import reviewer
from workbench.services.session import Session

EVERYBODY = "*"
"""In place of names: accept all events that were held back."""
_COUNTING = Message("Share of each suspect that counts")
_VERDICTS = (SUSPECT_LABELS, PAIR_LABELS)


class Doubt(StrEnum):
    """Why an event is held back."""

    CONTRADICTS = "contradicts"
    """The same person has another label here."""
    NOTE = "note"
    """The same person has the label with another note here."""
    OTHER_TEXT = "other text"
    """The same person has the label here for a text of the document that this event was not given for."""
    FUTURE = "future"
    """Its time is in the future."""
    ALTERED = "altered"
    """Its log was tampered with."""
    RENAMES = "renames"
    """It renames a value, and thereby changes others' labels."""


@dataclass(frozen=True, slots=True)
class Doubtful:
    """An event about ``name`` that is only accepted on request; ``here`` is the same person's value in this project."""

    event: Label
    doubt: Doubt
    name: str
    here: str


@dataclass(frozen=True, slots=True)
class EventAuthor:
    """The incoming events under the name ``who``: their number by label set, and their first and last time."""

    who: str
    events: Mapping[str, int]
    first: str
    last: str


@dataclass(frozen=True, slots=True)
class ChangedDecision:
    """A changed decision: the value of ``name`` in a label set before and after, and the person who changes it."""

    label_set: str
    name: str
    before: str
    after: str
    by: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TurnedShare:
    """The share (0..1) of suspect ``id`` that counts, before and after."""

    id: str
    before: float
    after: float


@dataclass(frozen=True, slots=True)
class MergeResult:
    """The effects of a merge, real or planned: events added, already known, refused with reasons, and held back.

    ``turns`` and ``shares`` list the changes; ``suspects`` counts those whose share was compared, in ``run`` (0 for
    none). ``sets`` are the label sets with a new definition, ``replaced`` those that were changed in both projects.
    ``assigned`` counts new assignments, ``tagged`` documents that get tags, ``untagged`` those with tags in the other
    project that were removed from them in this one. ``number`` is the first event of the merge, by which it can be
    undone; 0 if nothing was written.
    """

    added: int
    known: int
    failed: tuple[Failure, ...]
    doubtful: tuple[Doubtful, ...] = ()
    speakers: tuple[EventAuthor, ...] = ()
    turns: tuple[ChangedDecision, ...] = ()
    shares: tuple[TurnedShare, ...] = ()
    suspects: int = 0
    run: int = 0
    sets: tuple[str, ...] = ()
    assigned: int = 0
    tagged: int = 0
    number: int = 0
    replaced: tuple[ReplacedDefinition, ...] = ()
    untagged: int = 0


@dataclass(slots=True)
class _Other:
    """The relevant content of the other project."""

    events: list[Label]
    texts: _Texts
    tags: Mapping[str, tuple[str, ...]]
    versions: list[stored.StoredSet]
    handed_out: Mapping[str, Mapping[str, set[str]]]
    altered: bool


class _OnlyShown(Exception):
    """Rolls back a trial merge, written to see its effects."""


def merge_batch(
    ctx: Context,
    project_path: Path,
    batch: Path,
    accept: Collection[str] = (),
    *,
    only_show: bool = False,
    who: str = "",
) -> MergeResult:
    """Merge the events of the project ``batch`` into the project; existing events are not added again.

    Merged are the whole label log (labels, verdicts, exclusions, passages added by hand or split), assignments, label
    sets with their versions, and tags, except those removed in the project. ``batch`` may be a batch or a copy of the
    project. Events keep their times, so that the latest counts in whatever order projects come back. Events about
    documents that the project lacks, or has never had with that text, are refused unless their passage is the same in
    both; those about a text that it has replaced say so (:class:`workbench.services.labels.settling.LabelledTexts`).
    Events that were held back are accepted only for the people in ``accept`` (:data:`EVERYBODY`: for all). With
    ``only_show`` nothing is changed. Raises UserError if a project cannot be opened.
    """
    if Path(batch).resolve() == Path(project_path).resolve():
        raise UserError(
            Message("This is the project itself."), path=batch, hint=Message("Choose a batch of the project instead.")
        )
    other = _read(batch)
    result = MergeResult(0, 0, ())
    with Session(project_path) as session:
        try:
            with session.write() as connection:
                result = _merge(ctx, session, connection, other, batch, accept, who)
                if only_show:
                    raise _OnlyShown
        except _OnlyShown:
            return replace(result, number=0)
    ctx.changed("labels", "documents")
    return result


def plan_merge(ctx: Context, project_path: Path, batch: Path, accept: Collection[str] = ()) -> MergeResult:
    """The effects that :func:`merge_batch` would have; nothing is changed."""
    return merge_batch(ctx, project_path, batch, accept, only_show=True)


def _read(batch: Path) -> _Other:
    with database.opened_to_read(batch) as other, other.read() as there:
        return _Other(
            list(labels.written_events(there)),
            text_hashes(there),
            tags_by_id(there),
            [version for name in stored.current_versions(there) for version in stored.versions_of(there, name)],
            {name: stored.assignments(there, name) for name in stored.assigned_sets(there)},
            labels.verify_chain(there) != "ok",
        )


def _merge(
    ctx: Context,
    session: Session,
    connection: Connection,
    other: _Other,
    batch: Path,
    accept: Collection[str],
    who: str,
) -> MergeResult:
    ctx.check()
    own = text_hashes(connection)
    # It sees uncommitted changes, and must not be reused later.
    seen = session.apart()
    fresh, apart, failed, known = _classify_events(seen, connection, other, own, batch, accept)
    run = newest_finished(runs(connection))
    suspects = {} if run is None else _suspects(connection, fresh, run.id)
    numbers = 0 if run is None else run.id
    shares_before = _shares(ctx, seen, connection, numbers, suspects)
    decided_before = _decided(seen, connection, fresh, own)
    additions = Additions(batch.name)
    defined_before = stored.current_versions(connection)
    renamings = ((parse_renaming(doubtful.event), doubtful.event.when) for doubtful in apart)
    renamed = {value[0]: when for value, when in sorted(renamings, key=lambda pair: pair[1], reverse=True) if value}
    versions = merge_versions(connection, other.versions, batch, renamed)
    failed += versions.failed
    additions.versions += [asdict(version) for version in versions.added]
    for name, by_target in other.handed_out.items():
        there = stored.assignments(connection, name)
        pairs = [
            (target, annotator)
            for target in by_target
            if is_known(target, own)
            for annotator in sorted(by_target[target] - there.get(target, set()))
        ]
        if pairs:
            stored.assign(connection, name, pairs)
            additions.assigned[name] = pairs
    untagged = _merge_tags(connection, other, own, additions)
    first = labels.last_event(connection) + 1
    labels.add_labels(connection, fresh)
    number = 0
    if fresh or additions:
        note = json.dumps(asdict(additions), ensure_ascii=False)
        labels.add_label(connection, merging(first, labels.last_event(connection), who or reviewer(), note))
        number = first
    defined_after = stored.current_versions(connection)
    decided_after = _decided(seen, connection, fresh, own)
    by: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
    for event in fresh:
        for subject in _subjects(event, own):
            by[subject].add(event.who)
    turns = tuple(
        ChangedDecision(label_set, _shown(label_set, target), before, after, tuple(sorted(by[label_set, target])))
        for (label_set, target), before in decided_before.items()
        if before != (after := decided_after[label_set, target]) and (before or label_set == EXCLUSIONS)
    )
    shares_after = _shares(ctx, seen, connection, numbers, suspects)
    return MergeResult(
        len(fresh),
        known,
        tuple(failed),
        tuple(apart),
        _event_authors(fresh),
        turns,
        tuple(
            TurnedShare(suspects[key], before, shares_after[key])
            for key, before in shares_before.items()
            if before != shares_after[key]
        ),
        len(suspects),
        numbers,
        tuple(name for name, version in defined_after.items() if version != defined_before.get(name)),
        sum(map(len, additions.assigned.values())),
        len(additions.tags),
        number,
        versions.replaced,
        untagged,
    )


def _classify_events(
    seen: Session, connection: Connection, other: _Other, own: _Texts, batch: Path, accept: Collection[str]
) -> tuple[list[Label], list[Doubtful], list[Failure], int]:
    """The events to add, those held back, those refused, and how many are known already."""
    here: dict[tuple[str, str, str], Label] = {}
    logged, judges = set(), set()
    for event in labels.written_events(connection):
        logged.add(_identity(event))
        if not is_stored(event.when):
            continue
        if event.label_set == LABEL_SET:
            judges.add(event.who)
        if _subject(event) not in here or event.when >= here[_subject(event)].when:
            here[_subject(event)] = event
    index = seen.verdicts.follow(connection)
    latest = latest_time()
    names, several = amendments(connection), versions(connection)
    by_text = {text: name for name, text in own.items()}
    here_as = {name: by_text[text] for name, text in other.texts.items() if name not in own and text in by_text}
    fresh: list[Label] = []
    apart: list[Doubtful] = []
    failed: list[Failure] = []
    known = 0
    for event in sorted(other.events, key=lambda event: event.when):
        if (identity := _identity(event)) in logged:
            known += 1
            continue
        logged.add(identity)
        event = _of_version(event, own, other.texts, several)
        if problem := _problem(connection, event, own, other.texts, several, here_as):
            failed.append(Failure(f"{batch}:{event.target}", problem))
            continue
        before = here.get(_subject(event))
        if before is None and event.label_set == LABEL_SET and event.who in judges:
            # Her judgement of a passage that has grown or shrunk since.
            before = next((index.of(a, b).last(x, y, event.who) for a, x, b, y in passages(event.target, own)), None)
        if before is not None:
            before = replace(before, value=names.name(before.label_set, before.value))
        present = replace(event, value=names.name(event.label_set, event.value))
        doubt = Doubt.ALTERED if other.altered else _doubt(present, before, latest)
        if doubt is None and before is not None and _moves(connection, event, before, own, several):
            doubt = Doubt.OTHER_TEXT
        if doubt is None or EVERYBODY in accept or event.who in accept:
            fresh.append(event)
        else:
            here_now = "" if before is None else before.value
            apart.append(Doubtful(event, doubt, _shown(event.label_set, event.target), here_now))
    return fresh, apart, failed, known


def _doubt(event: Label, before: Label | None, latest: datetime) -> Doubt | None:
    if not is_earlier(event.when, latest):
        return Doubt.FUTURE
    if event.label_set == RENAMED:
        return Doubt.RENAMES
    if before is None or event.when < before.when:
        return None
    if event.value != before.value:
        return Doubt.CONTRADICTS
    return Doubt.NOTE if before.note and event.note != before.note else None


def _moves(connection: Connection, event: Label, before: Label, own: _Texts, several: _Versions) -> bool:
    """Whether ``event`` would turn the same person's label ``before`` into one for another text than the present."""
    if event.when < before.when or not event.digest or event.digest == before.digest or event.target != before.target:
        return False
    kind = kind_of(event.target)
    if kind is TargetKind.PASSAGE:
        return not _same_passage(connection, event, own)
    if kind is None:
        return False
    names = ids_in(event.target, own)
    of_before = (version_at(several[n], before.when).text if n in several else own[n].hex() for n in names)
    return event.digest not in (":".join(own[n].hex() for n in names), before.digest or ":".join(of_before))


def _subject(event: Label) -> tuple[str, str, str]:
    return event.label_set, event.target, event.who


def _identity(event: Label) -> tuple[str, ...]:
    return event.label_set, event.target, event.who, event.when, event.value, event.note


_Versions = Mapping[str, Sequence[DocumentVersion]]
_Texts = Mapping[str, bytes]


def _of_version(event: Label, own: _Texts, texts: _Texts, several: _Versions) -> Label:
    """``event`` with the digest of the text that it was given for in the other project, if this one has replaced it."""
    if event.digest or kind_of(event.target) not in (TargetKind.DOCUMENT, TargetKind.PAIR):
        return event
    names = ids_in(event.target, own)
    if not any(name in several and texts.get(name, own[name]) != own[name] for name in names):
        return event
    return replace(event, digest=":".join(texts.get(name, own[name]).hex() for name in names))


def _is_of_versions(event: Label, own: _Texts, several: _Versions) -> bool:
    """Whether the whole documents that ``event`` is about have, or had, the texts here that it was given for."""
    if kind_of(event.target) not in (TargetKind.DOCUMENT, TargetKind.PAIR):
        return False
    names, hashes = ids_in(event.target, own), event.digest.split(":")
    return len(names) == len(hashes) and all(
        text in (own[name].hex(), *(version.text for version in several.get(name, ())))
        for name, text in zip(names, hashes, strict=True)
    )


def _problem(
    connection: Connection, event: Label, own: _Texts, texts: _Texts, several: _Versions, here_as: Mapping[str, str]
) -> str:
    """The reason to refuse ``event``, "" for none; ``here_as``: the names here of the other project's documents."""
    if not is_stored(event.when):
        return Message("Its time is invalid.")
    if event.label_set == EXCLUSIONS:
        return _problem_of_exclusion(event, own, texts)
    if event.label_set in (RENAMED, MERGED):
        renamed = parse_renaming(event)
        if renamed is None or renamed[0] in OWN_WORDS:
            return Message("This value cannot be renamed.")
        return ""
    if kind_of(event.target) is None:
        # Not about a document.
        return ""
    if not is_known(event.target, own):
        here = next((here_as[name] for name in ids_in(event.target, texts) if name in here_as), "")
        elsewhere = Message("The document is not in this project under this name; its text is, as {here}.", here=here)
        return elsewhere if here else Message("The document is not in this project.")
    other = any(own[name] != texts.get(name, own[name]) for name in ids_in(event.target, own))
    other |= bool(event.digest) and kind_of(event.target) is not TargetKind.PASSAGE
    if other and not _is_of_versions(event, own, several) and not _same_passage(connection, event, own):
        return Message("The document has a different text in this project.")
    return ""


def _problem_of_exclusion(event: Label, own: _Texts, texts: _Texts) -> str:
    """The reason to refuse an exclusion, "" for none: its documents must exist here, those of a passage with the same
    text; the others apply to any texts.
    """
    exclusion = parse_exclusion(event.target)
    if exclusion is None:
        return Message("This is not an exclusion.")
    named = [exclusion.suspect] if exclusion.suspect else []
    named += [exclusion.what] if exclusion.kind is ExclusionKind.SOURCE else []
    missing = any(name not in own for name in named)
    of_passage = exclusion.kind is ExclusionKind.PASSAGE
    if missing or (of_passage and not is_known(exclusion.what, own)):
        return Message("The document is not in this project.")
    if of_passage and any(own[name] != texts.get(name, own[name]) for name in ids_in(exclusion.what, own)):
        return Message("The document has a different text in this project.")
    return ""


def _same_passage(connection: Connection, event: Label, known: Collection[str]) -> bool:
    """Whether the passage that ``event`` is about has the same text here as when it was judged."""
    passage = parse_passage(event.target, known)
    if passage is None or not event.digest:
        return False
    a, a_span, b, b_span = passage
    keys = keys_of(connection, [a, b])
    texts = dict(texts_of(connection, [*keys.values()]))
    spans = ((keys[a], a_span), (keys[b], b_span))
    return event.digest == digest(*(texts[key][span.start : span.end] for key, span in spans))


def _merge_tags(connection: Connection, other: _Other, own: _Texts, additions: Additions) -> int:
    """Add the tags of the other project. Returns the number of documents with tags that were removed here."""
    here, removed = tags_by_id(connection), removed_tags_by_id(connection)
    untagged = 0
    for name, tags in other.tags.items():
        if own.get(name) != other.texts[name]:
            continue
        missing = [tag for tag in tags if tag not in here.get(name, ())]
        more = [tag for tag in missing if tag not in removed.get(name, ())]
        untagged += len(more) < len(missing)
        if more:
            additions.tags[name] = more
    for name, key in keys_of(connection, list(additions.tags)).items():
        attach_tags(connection, [key], additions.tags[name])
    return untagged


def _event_authors(fresh: Iterable[Label]) -> tuple[EventAuthor, ...]:
    by: defaultdict[str, list[Label]] = defaultdict(list)
    for event in fresh:
        by[event.who].append(event)
    return tuple(
        EventAuthor(
            who,
            dict(sorted(Counter(event.label_set for event in events).items())),
            min(event.when for event in events),
            max(event.when for event in events),
        )
        for who, events in sorted(by.items())
    )


def _decided(
    seen: Session, connection: Connection, fresh: Iterable[Label], known: Collection[str]
) -> dict[tuple[str, str], str]:
    """The current values of all subjects of ``fresh``, by label set and target; "" for none."""
    index = seen.verdicts.follow(connection)
    targets: defaultdict[str, dict[str, None]] = defaultdict(dict)
    for event in fresh:
        for label_set, target in _subjects(event, known):
            targets[label_set][target] = None
    decided: dict[tuple[str, str], str] = {}
    for label_set, own in targets.items():
        if label_set == LABEL_SET:
            holds = {target: _verdict(index, target, known) for target in own}
        elif label_set in (EXCLUSIONS, CASES, BY_HAND, SPLITS, RENAMED):
            holds = {target: event.value for target, event in labels.current(connection, label_set).items()}
        else:
            by_target = labels.by_annotator(connection, label_set)
            holds = {target: _value(label_set, by_target[target]) for target in own if target in by_target}
        decided |= {(label_set, target): holds.get(target, "") for target in own}
    return decided


def _subjects(event: Label, known: Collection[str]) -> Iterator[tuple[str, str]]:
    """The label sets and targets of the decisions that ``event`` may change."""
    if event.label_set in (LABEL_SET, ATTACHED):
        # A verdict attached elsewhere moves from one passage to the other.
        for text in (event.target, event.value):
            yield from ((LABEL_SET, passage_target(*passage)) for passage in passages(text, known))
    else:
        yield event.label_set, event.target


def _verdict(index: VerdictIndex, target: str, known: Collection[str]) -> str:
    """The current value of a passage, even if it is carried over."""
    verdicts = (index.of(a, b).at(x, y) for a, x, b, y in passages(target, known))
    return next((verdict.value for verdict in verdicts if verdict is not None), "")


def _value(label_set: str, by: Mapping[str, Label]) -> str:
    if label_set in _VERDICTS:
        judged = judgement(by.values())
        return "" if judged is None else judged.value
    state = settle({who: event.value for who, event in by.items()})
    return state.value or "conflict"


def _shown(label_set: str, target: str) -> str:
    exclusion = parse_exclusion(target) if label_set == EXCLUSIONS else None
    return shown(target) if exclusion is None else described(exclusion)


def _suspects(connection: Connection, fresh: Iterable[Label], run: int) -> dict[int, str]:
    """The suspects of the run, on either side of its matches (key: id), whose counted share may change with
    ``fresh``.
    """
    ids = ids_of(connection)
    known = frozenset(ids.values())
    suspects = {*keys_of_role(connection, Role.SUSPECT)}
    first = {suspect.a for suspect in suspects_with_added(connection, run)}
    names: set[str] = set()
    for event in fresh:
        if event.label_set == EXCLUSIONS:
            exclusion = parse_exclusion(event.target)
            if exclusion is not None and not exclusion.suspect:
                second = suspects.intersection(
                    b for _, b in (*pair_keys(connection, run), *keys_added(connection, run))
                )
                return {key: ids[key] for key in sorted(first | second) if key in ids}
            names |= {exclusion.suspect} if exclusion is not None else set()
        elif event.label_set in (LABEL_SET, ATTACHED, BY_HAND, SPLITS):
            for target in (event.target, event.value):
                names |= {name for a, _, b, _ in passages(target, known) for name in (a, b)}
    return {key: ids[key] for key in sorted(first | suspects) if ids.get(key) in names}


def _shares(
    ctx: Context, seen: Session, connection: Connection, run: int, suspects: Mapping[int, str]
) -> dict[int, float]:
    """The counted share of each of ``suspects`` as ``connection`` sees it, including uncommitted changes."""
    if not suspects:
        return {}
    least = least_score(connection, run)
    shares = {}
    for done, key in enumerate(suspects):
        ctx.advance(_COUNTING, done, len(suspects))
        shares[key] = counted_in(seen, connection, run, key, least).shares.counted_share
    return shares
