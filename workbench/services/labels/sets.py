"""The label sets that come with the program, and which of their values mean what a method looks for."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from enum import StrEnum

from workbench.base.errors import UserError
from workbench.base.messages import Message
from workbench.project.listing import DOCUMENT_LABELS
from workbench.services.labels.targets import TargetKind

LABEL_SET = "verdict"
SUSPECT_LABELS = "suspect"
ATTACHED = "attached verdict"
KINDS = "kind"
PAIR_LABELS = "near-duplicate"
REFERENCE = "reference"
EXCLUSIONS = "exclusion"
REFERENCE_PAIRS = "reference pairs"
CASES = "case"


class MatchVerdict(StrEnum):
    """What a reviewer decides about a passage."""

    COPY = "copy"
    PARTIAL = "partial"
    NOT_COPY = "not-copy"


UNDECIDED = "undecided"
SUSPECT_VALUES = (*(verdict.value for verdict in MatchVerdict), UNDECIDED)
"""What a reviewer decides about a suspect as a whole."""

PAIR_VALUES = ("near-duplicate", "not", "unknown")
"""What a reviewer decides about a pair of whole documents."""

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
    PAIR_LABELS: PAIR_VALUES,
    LABEL_SET: tuple(verdict.value for verdict in MatchVerdict),
    SUSPECT_LABELS: SUSPECT_VALUES,
    REFERENCE: ("copy",),
    REFERENCE_PAIRS: ("copy", "not"),
}
"""Values of the label sets that come with the program; any other set has the values it is given."""

DEFAULT_SETS = {
    TargetKind.DOCUMENT: DOCUMENT_LABELS,
    TargetKind.PAIR: PAIR_LABELS,
    TargetKind.PASSAGE: REFERENCE,
}
"""Where a label goes that names no set."""

_POSITIVE = frozenset(
    ("splog", "spam", "near-duplicate", "duplicate", "copy", "partial", "positive", "yes", "true", "1")
)
_UNDECIDED = frozenset(("unsure", "unknown", UNDECIDED, "conflict", "?"))


def is_positive(value: str) -> bool | None:
    """Whether a value of the program's own usually names what is looked for; None where it decides nothing."""
    return None if value.casefold() in _UNDECIDED else value.casefold() in _POSITIVE


class UnclearMeaning(UserError):
    """None of the values in use is one that usually names what is looked for."""


@dataclass(frozen=True, slots=True)
class Meaning:
    """How the values in use split: what counts as positive, and what is left out as undecided."""

    positive: frozenset[str]
    undecided: frozenset[str]


def meaning(values: Collection[str], positive: Sequence[str] = ()) -> Meaning:
    """The split of ``values``; without ``positive``, the values that usually name what is looked for.

    Raises UserError where a value of ``positive`` is not in use, UnclearMeaning where none is named and none is usual.
    """
    listed = ", ".join(sorted(values))
    missing = [value for value in positive if value not in values]
    if missing:
        raise UserError(
            Message("No label has the value {missing}.", missing=missing[0]),
            hint=Message("There are: {listed}.", listed=listed),
        )
    chosen = frozenset(positive) or frozenset(v for v in values if is_positive(v))
    if not chosen:
        raise UnclearMeaning(
            Message("It is not clear which labels count as positive."),
            hint=Message("There are: {listed}.", listed=listed),
            command="Choose with --positive.",
        )
    undecided = frozenset(v for v in values if v.casefold() in _UNDECIDED) - chosen
    return Meaning(chosen, undecided)
