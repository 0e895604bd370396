"""The label sets that come with the program, and their positive values."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from workbench.base.errors import UserError
from workbench.base.messages import Message
from workbench.project.label_sets import (
    ASSIGNED,
    ATTACHED,
    BY_HAND,
    CASES,
    EXCLUSIONS,
    LABEL_SET,
    OWN_WORDS,
    PAIR_LABELS,
    REFERENCE,
    REFERENCE_PAIRS,
    SPLITS,
    SUSPECT_LABELS,
)
from workbench.project.listing import DOCUMENT_LABELS
from workbench.services.labels import verdicts
from workbench.services.labels.targets import TargetKind
from workbench.services.labels.verdicts import Sense

__all__ = [
    "ASSIGNED",
    "ATTACHED",
    "BY_HAND",
    "CASES",
    "DEFAULT_SETS",
    "EXCLUSIONS",
    "KINDS",
    "LABEL_SET",
    "NO_LABELS",
    "OWN_WORDS",
    "PAIR_LABELS",
    "RECORDS",
    "REFERENCE",
    "REFERENCE_PAIRS",
    "SPLITS",
    "SUSPECT_LABELS",
    "VALUES",
    "Meaning",
    "UnclearMeaning",
    "is_positive",
    "meaning",
    "unknown_set",
]

KINDS = "kind"


_SPLOG_TYPES = (
    "news update",
    "mail magazine",
    "dictionary",
    "QA",
    "product induction",
    "RSS",
    "search result",
    "word salad",
    "full template",
    "combine",
    "template decorator",
)
"""Tables 1 and 2 of Takeda and Takasu."""

VALUES: dict[str, tuple[str, ...]] = {
    DOCUMENT_LABELS: ("blog", "splog", "unsure"),
    KINDS: _SPLOG_TYPES,
    PAIR_LABELS: verdicts.values(verdicts.PAIR),
    LABEL_SET: verdicts.values(verdicts.PASSAGE),
    SUSPECT_LABELS: verdicts.values(verdicts.SUSPECT),
    REFERENCE: ("copy",),
    REFERENCE_PAIRS: ("copy", "not"),
}
"""Values of the label sets that come with the program; any other set has the values it is given."""

DEFAULT_SETS = {
    TargetKind.DOCUMENT: DOCUMENT_LABELS,
    TargetKind.PAIR: PAIR_LABELS,
    TargetKind.PASSAGE: REFERENCE,
}
"""The default label set."""

RECORDS = frozenset((ASSIGNED, ATTACHED, BY_HAND, SPLITS))
"""Label sets that record what reviewers did, not whether an item is right."""
NO_LABELS = RECORDS | {EXCLUSIONS, CASES}
"""Names in the log that are not label sets: nobody labels entries in them."""

_POSITIVE = frozenset(("splog", "spam", "duplicate", "positive", "yes", "true", "1"))
_UNDECIDED = frozenset(("unsure", "unknown", "conflict", "?"))


def is_positive(value: str) -> bool | None:
    """Whether a verdict, or a label with a usual name, is positive; None if it decides nothing."""
    folded = value.casefold()
    sense = verdicts.sense_of(folded)
    if sense is None:
        return None if folded in _UNDECIDED else folded in _POSITIVE
    return None if sense is Sense.UNDECIDED else sense is Sense.COPIED


class UnclearMeaning(UserError):
    """None of the values in use is usually a positive one."""


@dataclass(frozen=True, slots=True)
class Meaning:
    """The values in use that count as positive, and those left out as undecided."""

    positive: frozenset[str]
    undecided: frozenset[str]


def meaning(values: Collection[str], positive: Sequence[str] = ()) -> Meaning:
    """The split of ``values``; without ``positive``, by the values that are usually positive.

    Raises UserError if a value of ``positive`` is not in use, UnclearMeaning if none is given and none is usual.
    """
    listed = ", ".join(sorted(values))
    missing = [value for value in positive if value not in values]
    if missing:
        raise UserError(
            Message("No label has the value {missing}.", missing=missing[0]),
            hint=Message("Available: {listed}.", listed=listed),
        )
    chosen = frozenset(positive) or frozenset(v for v in values if is_positive(v))
    if not chosen:
        raise UnclearMeaning(
            Message("It is not clear which labels count as positive."),
            hint=Message("Available: {listed}.", listed=listed),
            command="Choose with --positive.",
        )
    undecided = frozenset(v for v in values if is_positive(v) is None) - chosen
    return Meaning(chosen, undecided)


def unknown_set(label_set: str, known: Sequence[str]) -> UserError:
    """A sentence for a label set without labels; ``known`` may include records that are not labels, and the set itself
    if all of its labels were withdrawn.
    """
    known = [name for name in known if name not in NO_LABELS and name != label_set]
    if not known:
        return UserError(Message("This project has no labels."), command="Import some: palimpsest labels P import FILE")
    return UserError(
        Message("There are no labels in the set {set}.", set=label_set),
        hint=Message("Available: {known}.", known=", ".join(known)),
    )
