"""Values of a label set: counted, renamed, merged, removed."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from workbench.base.errors import UserError
from workbench.base.messages import Counted, Message
from workbench.project import labels
from workbench.project.amendments import amendments
from workbench.services.labels.definitions import LabelSet, Value, default_set, history, read_sets, save_set
from workbench.services.session import Session


def value_counts(session: Session, name: str) -> dict[str, int]:
    """Number of labels with each value of label set ``name``, by any annotator; values without labels are left out."""
    with session.read() as connection:
        by_target = labels.by_annotator(connection, name)
    return dict(Counter(label.value for by in by_target.values() for label in by.values()))


def rename_value(session: Session, name: str, value: str, to: str, who: str, *, merge: bool = False) -> int:
    """Rename ``value`` of label set ``name`` to ``to``; returns the number of its labels.

    Raises UserError if there is no such value or, without ``merge``, ``to`` exists.
    """
    label_set = _existing(session, name, value)
    alike = [v for v in label_set.values if v.name.casefold() == to.casefold() and v.name != value]
    there = next((v for v in alike if v.name == to), alike[0] if alike else None)
    if there is not None and not merge:
        raise UserError(
            Message("There is already a value {value}.", value=there.name), command="Make the two one with --merge."
        )
    count = value_counts(session, name).get(value, 0)
    if there is not None:
        merged = tuple(v for v in label_set.values if v.name != value)
        save_set(session, replace(label_set, values=merged), who, {value: there.name})
    else:
        changed = tuple(replace(v, name=to) if v.name == value else v for v in label_set.values)
        save_set(session, replace(label_set, values=changed), who, {value: to})
    return count


def undo_renaming(session: Session, name: str, value: str, who: str) -> int:
    """Undo the renaming of ``value``; returns the number of its labels.

    Raises UserError if it was not renamed.
    """
    with session.read() as connection:
        present = amendments(connection).names.get(name, {}).get(value)
    if present is None:
        raise UserError(Message("No value of the set {set} was called {value}.", set=name, value=value))
    versions = (version.label_set for version in history(session, name))
    earlier = next((v for v in versions if v.value(value) is not None), default_set(name))
    own = earlier.value(value) or Value(value)
    now = read_sets(session)[name]
    if earlier.value(present) is None:
        values = tuple(replace(v, name=value) if v.name == present else v for v in now.values)
    else:
        taken = {v.key for v in now.values}
        values = (*now.values, replace(own, key="" if own.key in taken else own.key))
    save_set(session, replace(now, values=values), who, {value: ""})
    return value_counts(session, name).get(value, 0)


def remove_value(session: Session, name: str, value: str, who: str, *, retire: bool = False) -> int:
    """Remove ``value`` from label set ``name``; returns the number of its labels.

    If there are any, it is kept as retired, and only with ``retire``. Raises UserError.
    """
    label_set = _existing(session, name, value)
    count = value_counts(session, name).get(value, 0)
    if count and not retire:
        raise UserError(
            Counted(
                "{count} label has the value {value}.", "{count} labels have the value {value}.", count, value=value
            ),
            command="Keep them and give it no more with --retire, or make it another value: rename --to NAME --merge.",
        )
    save_set(session, replace(label_set, values=tuple(v for v in label_set.values if v.name != value)), who)
    return count


def _existing(session: Session, name: str, value: str) -> LabelSet:
    label_set = read_sets(session).get(name)
    if label_set is None:
        raise UserError(Message("There is no label set {set}.", set=name))
    if label_set.value(value) is None:
        known = ", ".join(v.name for v in label_set.values)
        raise UserError(
            Message("The set {set} has no value {value}.", set=name, value=value),
            hint=Message("Available: {known}.", known=known),
        )
    return label_set
