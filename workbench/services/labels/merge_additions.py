"""What a merge adds besides labels: versions of label sets, assignments and tags; merges are undone and redone."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from workbench.base.errors import UserError
from workbench.base.messages import Message
from workbench.base.types import Label
from workbench.project import label_sets as stored
from workbench.project import labels
from workbench.project.amendments import MERGED, Amendments, amendments, merging, parse_merging
from workbench.project.clock import is_stored, moment
from workbench.project.database import Connection
from workbench.project.listing import keys_of
from workbench.project.tags import attach_tags, detach_tags
from workbench.reading.formats import Failure
from workbench.services.labels.definitions import LabelSet, Value, all_sets, check_kind, from_stored, to_stored
from workbench.services.review.verdicts import reviewer
from workbench.services.session import Session

_AHEAD = timedelta(minutes=5)
"""Maximum difference between the clocks of two machines."""


def latest_time() -> datetime:
    """The latest time that an event of another machine may have."""
    return datetime.now(UTC) + _AHEAD


def is_earlier(when: str, latest: datetime) -> bool:
    """Whether ``when`` is a valid time, at most ``latest``."""
    time = moment(when) if is_stored(when) else None
    return time is not None and time <= latest


@dataclass(frozen=True, slots=True)
class ReplacedDefinition:
    """Two people have changed one label set independently: the definition by ``who`` is in use because it is later,
    that by ``other`` is not. ``values`` are those that only one of the two has, or that they define differently;
    ``guidelines``: whether these differ.
    """

    label_set: str
    who: str
    when: str
    other: str
    other_when: str
    values: tuple[str, ...]
    guidelines: bool

    @property
    def sentence(self) -> Message:
        """What the user has to know about it."""
        parts = [*self.values, *([Message("guidelines")] if self.guidelines else [])]
        return Message(
            "Label set {set}: the definition by {who} ({when}) is used, not the one by {other} ({before}); they "
            "differ in: {parts}.",
            set=self.label_set,
            who=self.who,
            when=self.when,
            other=self.other,
            before=self.other_when,
            parts=Message.joined(", ", parts or [Message("sample")]),
        )


@dataclass(frozen=True, slots=True)
class MergedVersions:
    """The versions added, those refused with reasons, and definitions of which only one can be in use."""

    added: Sequence[stored.StoredSet]
    failed: Sequence[Failure]
    replaced: tuple[ReplacedDefinition, ...]


def merge_versions(
    connection: Connection, versions: Sequence[stored.StoredSet], batch: Path, renamed: Mapping[str, str]
) -> MergedVersions:
    """Take over the ``versions`` (of each label set, oldest first) that are missing here; invalid ones are refused.

    Those since the time in ``renamed``, by label set, are left out: a renaming that they contain was held back.
    """
    failed, fresh = [], []
    by_name: dict[str, list[stored.StoredSet]] = {}
    here, names = all_sets(connection), amendments(connection)
    latest = latest_time()
    for version in versions:
        if not is_earlier(version.when, latest) or version.when >= renamed.get(version.name, "~"):
            continue
        try:
            read = _renamed(from_stored(version), names)
            read.check([value.name for value in read.values])
            check_kind(read, here.get(read.name), labels.values_of(connection, read.name))
        except UserError as error:
            failed.append(Failure(f"{batch}:{version.name[:80]}", error.message))
            continue
        clean = replace(to_stored(read, version.who), when=version.when)
        own = stored.versions_of(connection, clean.name)
        by_name.setdefault(clean.name, own)
        same_time = [known for known in own if known.when == clean.when]
        of_name = [to_stored(here[clean.name], "")] if clean.name in here else []
        if all(content(clean) != content(known) for known in (*of_name, *same_time)):
            stored.add_version(connection, clean)
            fresh.append(clean)
    return MergedVersions(fresh, failed, tuple(_replaced(by_name, versions, fresh)))


def _renamed(label_set: LabelSet, names: Amendments) -> LabelSet:
    """``label_set`` with the current names of its values; two that have become one are the first."""
    values: dict[str, Value] = {}
    for value in label_set.values:
        name = names.name(label_set.name, value.name)
        values.setdefault(name, replace(value, name=name))
    return replace(label_set, values=tuple(values.values()))


def _replaced(
    here: Mapping[str, Sequence[stored.StoredSet]],
    there: Sequence[stored.StoredSet],
    fresh: Sequence[stored.StoredSet],
) -> Iterator[ReplacedDefinition]:
    """The label sets with a ``fresh`` version that were also changed ``here`` since the last version of both.

    A version by nobody is the definition as it was when a batch was made.
    """
    for name, theirs in {version.name: version for version in fresh if version.who}.items():
        shared = {version.when for version in there if version.name == name}
        own = [version for version in here[name] if version.when not in shared]
        common = max((version.when for version in here[name] if version.when in shared), default="")
        if not own or own[-1].when <= common or content(own[-1]) == content(theirs):
            continue
        used, other = (theirs, own[-1]) if theirs.when > own[-1].when else (own[-1], theirs)
        one, two = ({value.name: value for value in from_stored(version).values} for version in (used, other))
        values = tuple(value for value in {**one, **two} if one.get(value) != two.get(value))
        guidelines = used.guidelines != other.guidelines
        yield ReplacedDefinition(name, used.who, used.when, other.who, other.when, values, guidelines)


def content(version: stored.StoredSet) -> tuple[str, str]:
    """What distinguishes versions of one label set, whoever saved them and when."""
    return version.definition, version.guidelines


def switch_versions(connection: Connection, additions: Sequence[stored.StoredSet], *, counts: bool) -> None:
    """For each label set with ``additions``, append the last one, or the last before; later ones are kept."""
    for name in dict.fromkeys(version.name for version in additions):
        theirs = [version for version in additions if version.name == name]
        contents = [*map(content, theirs)]
        own = [version for version in stored.versions_of(connection, name) if content(version) not in contents]
        before, after = (own, theirs) if counts else (theirs, own)
        present = content(stored.current_versions(connection)[name])
        if after and present in map(content, before):
            stored.add_version(connection, replace(after[-1], when=""))


@dataclass(slots=True)
class Additions:
    """Additions other than events, in a form that undo and redo can read."""

    file: str
    versions: list[dict[str, str]] = field(default_factory=list)
    assigned: dict[str, list[tuple[str, str]]] = field(default_factory=dict)
    tags: dict[str, list[str]] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.versions or self.assigned or self.tags)


@dataclass(frozen=True, slots=True)
class Merge:
    """A merge: the ``number`` of its first event, the ``file`` it came from, its author and time, whether it counts."""

    number: int
    file: str
    who: str
    when: str
    counts: bool


def merges(session: Session) -> list[Merge]:
    """The merges of the project, oldest first."""
    with session.read() as connection:
        latest = {event.target: event for event in labels.events(connection, MERGED)}
    numbered = ((parse_merging(event), event) for event in latest.values())
    return [
        Merge(numbers[0], _read_additions(event).file, event.who, event.when, bool(event.value))
        for numbers, event in numbered
        if numbers is not None
    ]


def undo_merge(session: Session, number: int, who: str = "") -> None:
    """Undo the merge that began with event ``number``. Raises UserError if there is none."""
    _switch(session, number, who, counts=False)


def redo_merge(session: Session, number: int, who: str = "") -> None:
    """Redo a merge after :func:`undo_merge`."""
    _switch(session, number, who, counts=True)


def _switch(session: Session, number: int, who: str, *, counts: bool) -> None:
    with session.write() as connection:
        of_number = [
            (numbers, event)
            for event in labels.events(connection, MERGED)
            if (numbers := parse_merging(event)) is not None and numbers[0] == number
        ]
        if not of_number or bool(of_number[-1][1].value) is counts:
            raise UserError(Message("There is no such merge to undo or redo."))
        numbers, event = of_number[-1]
        additions = _read_additions(event)
        switch_versions(connection, [stored.StoredSet(**version) for version in additions.versions], counts=counts)
        for name, pairs in additions.assigned.items():
            (stored.assign if counts else stored.unassign)(connection, name, [(t, a) for t, a in pairs])
        for name, key in keys_of(connection, list(additions.tags)).items():
            (attach_tags if counts else detach_tags)(connection, [key], additions.tags[name])
        labels.add_label(connection, merging(*numbers, who or reviewer(), event.note, counts=counts))


def _read_additions(event: Label) -> Additions:
    """Additions other than events; nothing if the project file has them in an unknown form."""
    try:
        content: dict[str, Any] = json.loads(event.note)
        additions = Additions(**content)
        for version in additions.versions:
            stored.StoredSet(**version)
    except (ValueError, TypeError, RecursionError):
        return Additions("")
    return additions
