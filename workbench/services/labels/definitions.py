"""Label sets as people define them: values with keys and colours, kind of item, guidelines; stored with history."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from workbench.base.errors import UserError
from workbench.base.messages import Message
from workbench.project import label_sets as stored
from workbench.project import labels
from workbench.project.amendments import amendments, renaming
from workbench.project.database import Connection
from workbench.services.labels.sets import DEFAULT_SETS, KINDS, NO_LABELS, OWN_WORDS, VALUES
from workbench.services.labels.targets import TargetKind
from workbench.services.session import Session

COLOURS = 8
"""Colours that a value can have, numbered from 1."""
SECOND_KEYS = "1234567890-=qwertyuiopasdfghjklzxcvbnm"
"""Keys for values without one, in this order."""
_LONGEST_NAME = 80
_LONGEST_GUIDELINES = 200_000
MOST_VALUES = 36
_SIMILAR = Message(
    "Two pages are near-duplicates if their main content is the same. They may differ in:\n\n- **paragraphs added or "
    "removed**, together less than 40 % of the text;\n- **a few words** within a paragraph, at most 10 % of it;\n- "
    "**the order** of a few paragraphs.\n\nThey are also near-duplicates if one contains the key paragraphs of the "
    "other, even if little else is the same.\n\nThey are not near-duplicates if they are about different things: two "
    "pages of a shop that share its boilerplate and offer different goods are different. If these rules do not "
    "decide, choose the value for doubtful pairs.\n\nAfter Huang, Wang and Li (2007), section 5."
)
"""Guidelines for the label set of pairs until others are written."""
_PREFIXES = {"document": TargetKind.DOCUMENT, "pair": TargetKind.PAIR, "match": TargetKind.PASSAGE}


@dataclass(frozen=True, slots=True)
class Value:
    """One value of a label set: its ``key`` (one character), its colour (1 to 8).

    ``then`` names the label set that follows this value ("" for none). A ``retired`` value can no longer be assigned;
    existing labels keep it.
    """

    name: str
    key: str = ""
    colour: int = 1
    then: str = ""
    retired: bool = False


@dataclass(frozen=True, slots=True)
class LabelSet:
    """The kind of item, the values and the guidelines (Markdown).

    A fixed sample is a share ``rate`` (above 0, at most 1) of all items, chosen by ``seed``, which also makes the
    random order.
    """

    name: str
    kind: TargetKind = TargetKind.DOCUMENT
    values: tuple[Value, ...] = ()
    guidelines: str = ""
    seed: int = 1
    rate: float = 1.0

    @property
    def active(self) -> tuple[Value, ...]:
        """The values that can be assigned."""
        return tuple(value for value in self.values if not value.retired)

    def value(self, name: str) -> Value | None:
        """The value called ``name``, retired or not."""
        return next((value for value in self.values if value.name == name), None)

    def lacking(self, names: Sequence[str]) -> list[Value]:
        """A value for each of ``names`` that the set does not have, with the next colours and no key."""
        missing = (name for name in names if self.value(name) is None)
        return [Value(name, "", (len(self.values) + at) % COLOURS + 1) for at, name in enumerate(missing)]

    def check(self, present: Collection[str] = ()) -> None:
        """Raise UserError if the set cannot be used.

        Two names may differ in case only if both are ``present`` already: imported labels can have such values.
        """
        if not self.name.strip() or len(self.name) > _LONGEST_NAME:
            raise UserError(Message("Give the label set a name of at most {most} characters.", most=_LONGEST_NAME))
        if self.name in NO_LABELS:
            raise UserError(Message("The program uses the name {name} for its own records.", name=self.name))
        if not self.active:
            raise UserError(Message("A label set needs at least one value."))
        if len(self.active) > MOST_VALUES:
            raise UserError(Message("A label set has at most {most} values.", most=MOST_VALUES))
        _refuse_duplicates([value.name for value in self.values], Message("Two values are called {value}."), present)
        _refuse_duplicates(
            [value.key for value in self.active if value.key], Message("Two values have the key {value}.")
        )
        if any(not value.name.strip() for value in self.values):
            raise UserError(Message("A value needs a name."))
        if not 0 < self.rate <= 1:
            raise UserError(Message("The sample must be greater than 0 and at most 1 (all items)."))
        if len(self.guidelines) > _LONGEST_GUIDELINES:
            raise UserError(
                Message("The guidelines are longer than {most} characters.", most=f"{_LONGEST_GUIDELINES:,}")
            )


def _refuse_duplicates(words: Sequence[str], problem: Message, present: Collection[str] = ()) -> None:
    folded = [word.casefold() for word in words]
    alike = (word for word in words if folded.count(word.casefold()) > 1)
    twice = next((word for word in alike if word not in present or words.count(word) > 1), None)
    if twice is not None:
        raise UserError(Message(problem.id, value=twice))


@dataclass(frozen=True, slots=True)
class SetVersion:
    """A label set as ``who`` saved it."""

    label_set: LabelSet
    who: str
    when: str


def with_keys(values: Sequence[Value]) -> tuple[Value, ...]:
    """``values``, with a key for those without: the first letter of the name that is free."""
    taken = {value.key.casefold() for value in values if value.key}
    complete = []
    for value in values:
        if not value.key and not value.retired:
            initial = value.name.strip()[:1].casefold()
            wanted = initial if initial in SECOND_KEYS and initial.isalpha() else ""
            key = wanted if wanted and wanted not in taken else next((k for k in SECOND_KEYS if k not in taken), "")
            taken.add(key)
            value = replace(value, key=key)
        complete.append(value)
    return tuple(complete)


def default_set(name: str, kind: TargetKind = TargetKind.DOCUMENT, values: Sequence[str] = ()) -> LabelSet:
    """The label set ``name`` before anybody defines it: the program's own, or one of ``values``."""
    own = VALUES.get(name, ())
    names = [*own, *(value for value in values if value not in own)]
    kinds = {label_set: kind for kind, label_set in DEFAULT_SETS.items()}
    defaults = [
        Value(value, "" if name != KINDS else SECOND_KEYS[at : at + 1], at % COLOURS + 1)
        for at, value in enumerate(names)
    ]
    if name == DEFAULT_SETS[TargetKind.DOCUMENT]:
        defaults = [replace(value, then=KINDS) if value.name == "splog" else value for value in defaults]
    guidelines = _SIMILAR if name == DEFAULT_SETS[TargetKind.PAIR] else ""
    return LabelSet(name, kinds.get(name, kind), with_keys(defaults), guidelines)


def all_sets(connection: Connection) -> dict[str, LabelSet]:
    """Every label set that is defined or has labels, and the program's own for documents; by name.

    Undefined values in use (imported ones) are added at the end.
    """
    by_name: dict[str, LabelSet] = {}
    defined = stored.current_versions(connection)
    kinds = {name: _PREFIXES[prefix] for name, prefix in labels.target_kinds(connection) if prefix in _PREFIXES}
    names = dict.fromkeys((DEFAULT_SETS[TargetKind.DOCUMENT], KINDS, *defined, *labels.label_sets(connection)))
    for name in names:
        if name in NO_LABELS:
            continue
        used = labels.values_of(connection, name)
        if name in defined:
            own = from_stored(defined[name])
            more = (replace(value, retired=True) for value in own.lacking(used))
            by_name[name] = replace(own, values=(*own.values, *more))
        else:
            by_name[name] = default_set(name, kinds.get(name, TargetKind.DOCUMENT), used)
    return by_name


def add_values(connection: Connection, name: str, values: Sequence[str], who: str) -> None:
    """Add ``values`` to the label set ``name`` if it is defined; before that it has all values in use.

    Values that it has, retired or not, stay as they are. Raises UserError if it would have too many.
    """
    defined = stored.current_versions(connection).get(name)
    if defined is None:
        return
    own = from_stored(defined)
    if more := own.lacking(values):
        whole = replace(own, values=with_keys([*own.values, *more]))
        whole.check([value.name for value in own.values])
        stored.add_version(connection, to_stored(whole, who))


def known_values(connection: Connection, label_set: str) -> list[str]:
    """Values that labels of ``label_set`` may have: its own, retired or not, and those in use; [] if any is allowed."""
    defined = stored.current_versions(connection).get(label_set)
    own = VALUES.get(label_set, ()) if defined is None else [value.name for value in from_stored(defined).values]
    return [*own, *(v for v in labels.values_of(connection, label_set) if v not in own)]


def as_called(value: str, allowed: Sequence[str], former: Mapping[str, str]) -> str:
    """``value`` as the set with the values ``allowed`` spells and calls it; "" if it has none like it.

    ``former`` maps renamed values to their present names.
    """
    value = former.get(value, value)
    if not allowed or value in allowed:
        return value
    spelled = next((v for v in (*allowed, *former) if v.casefold() == value.casefold()), "")
    return former.get(spelled, spelled)


def from_stored(version: stored.StoredSet) -> LabelSet:
    """The label set of a stored version; missing or invalid values get their defaults."""
    try:
        content = json.loads(version.definition)
    except (ValueError, RecursionError):
        content = {}
    if not isinstance(content, dict):
        content = {}
    kind = content.get("kind")
    rows = content.get("values")
    values = [_value(row) for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []
    seed, rate = content.get("seed"), content.get("rate")
    return LabelSet(
        version.name,
        TargetKind(kind) if kind in tuple(TargetKind) else TargetKind.DOCUMENT,
        tuple(value for value in values if value.name),
        version.guidelines,
        seed if isinstance(seed, int) else 1,
        float(rate) if isinstance(rate, int | float) and 0 < rate <= 1 else 1.0,
    )


def _value(row: Mapping[str, Any]) -> Value:
    name, key, colour, then = (row.get(field_name) for field_name in ("name", "key", "colour", "then"))
    return Value(
        name if isinstance(name, str) else "",
        key if isinstance(key, str) and len(key) == 1 else "",
        colour if isinstance(colour, int) and 1 <= colour <= COLOURS else 1,
        then if isinstance(then, str) else "",
        row.get("retired") is True,
    )


def to_stored(label_set: LabelSet, who: str) -> stored.StoredSet:
    """The stored form, which :func:`from_stored` reads."""
    values = [
        {"name": v.name, "key": v.key, "colour": v.colour, "then": v.then, "retired": v.retired}
        for v in label_set.values
    ]
    content = {"kind": label_set.kind.value, "values": values, "seed": label_set.seed, "rate": label_set.rate}
    return stored.StoredSet(label_set.name, json.dumps(content, ensure_ascii=False), label_set.guidelines, who)


def save_set(session: Session, label_set: LabelSet, who: str, renamed: Mapping[str, str] | None = None) -> LabelSet:
    """Make this the current version of ``label_set``; values it lacks but labels use are kept as retired.

    ``renamed`` maps values to their new names, "" undoes a renaming: each is an event of the log, which also applies to
    existing labels and to those of batches merged later. Two values with one name are merged. Returns the set as
    stored. Raises UserError if it cannot be used, its kind differs from that of its labels, or a name is taken.
    """
    with session.write() as connection:
        before = all_sets(connection).get(label_set.name)
        label_set.check({*(renamed or ()), *(value.name for value in (before.values if before else ()))})
        if renamed:
            _rename(connection, label_set.name, renamed, who)
        former = amendments(connection).names.get(label_set.name, {})
        for value in label_set.active:
            if value.name in former:
                raise _former_name(value.name, former[value.name])
        used = set(labels.values_of(connection, label_set.name))
        check_kind(label_set, before, used)
        there = {value.name for value in label_set.values}
        gone = [v for v in (before.values if before else ()) if v.name in used and v.name not in there]
        kept = (*label_set.values, *(replace(value, retired=True) for value in gone))
        whole = replace(label_set, values=with_keys(kept))
        stored.add_version(connection, to_stored(whole, who))
    return whole


def check_kind(label_set: LabelSet, before: LabelSet | None, used: Collection[str]) -> None:
    """Raise UserError if ``label_set`` is for other items than the labels (with the values ``used``) of the set as it
    was ``before``: they would no longer be shown.
    """
    if before is not None and used and before.kind is not label_set.kind:
        raise UserError(
            Message("The labels of the set {set} are of {kinds}.", set=label_set.name, kinds=before.kind.plural),
            hint=Message("Create a separate set for other kinds of items."),
        )


def _rename(connection: Connection, label_set: str, renamed: Mapping[str, str], who: str) -> None:
    if label_set in OWN_WORDS:
        raise UserError(
            Message("The values of the set {set} have a meaning for the program and cannot be renamed.", set=label_set)
        )
    former = amendments(connection).names.get(label_set, {})
    for value, name in renamed.items():
        if former.get(name, value) != value:
            raise _former_name(name, former[name])
        if name in renamed and renamed[name] not in ("", name):
            raise UserError(Message("Rename {value} and {name} one after the other.", value=value, name=name))
    labels.add_labels(connection, [renaming(label_set, value, name, who) for value, name in renamed.items()])


def _former_name(name: str, present: str) -> UserError:
    return UserError(
        Message("Labels called {name} count as {present}: the value was renamed.", name=name, present=present),
        hint=Message("Choose another name, or rename {present} back.", present=present),
    )


def history(session: Session, name: str) -> list[SetVersion]:
    """Every version of label set ``name``, newest first; none if it was never defined."""
    with session.read() as connection:
        versions = stored.versions_of(connection, name)
    return [SetVersion(from_stored(version), version.who, version.when) for version in reversed(versions)]


def read_sets(session: Session) -> dict[str, LabelSet]:
    """:func:`all_sets` of the open project."""
    with session.read() as connection:
        return all_sets(connection)
