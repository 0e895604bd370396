"""The meaning of the columns of a label file, whatever their headings: guessed from names and cells."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from workbench.project.listing import current_ids
from workbench.services.labels.definitions import all_sets, known_values
from workbench.services.labels.rows import first_cells
from workbench.services.labels.sets import DEFAULT_SETS
from workbench.services.session import Session

IGNORED = ""
ANNOTATOR_COLUMN = "label:"
"""Prefix of an annotator's name, for a column with the labels of one annotator."""
FIELDS = ("id", "label", "annotator", "note", "time", "set", "kind", "a", "a_start", "a_end", "b", "b_start", "b_end")
"""Other possible contents of a column."""
_OTHER_NAMES = {"document": "id", "value": "label", "who": "annotator", "when": "time", "label_set": "set"}
_AS_EXPORTED = ("target", "labels", "adjudicated", "old", "written", "how", "other_text", "digest")
"""Headings of exported files that have no field of their own in the window."""
_READ = 200
"""Number of rows that a guess is based on."""
_FEW = 20
"""Maximum number of distinct values in a column of labels."""


@dataclass(frozen=True, slots=True)
class Preview:
    """The beginning of a file of labels: its headings, cells of the first rows, and the guessed meaning of each column.

    ``meaning`` maps a heading to one of :data:`FIELDS`, to ``label:NAME``, or to "" if it is ignored. ``label_set`` is
    one of ``sets``, the possible targets of the labels.
    """

    headings: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    meaning: Mapping[str, str]
    label_set: str
    sets: tuple[str, ...]


def preview(session: Session, file: Path, label_set: str, encoding: str | None = None) -> Preview:
    """The content of ``file``, read as labels of ``label_set``. Raises UserError if it cannot be read."""
    headings, rows = first_cells(file, _READ, encoding)
    with session.read() as connection:
        ids = current_ids(connection)
        values = known_values(connection, label_set)
        sets = dict.fromkeys([*all_sets(connection), *DEFAULT_SETS.values(), label_set])
    cells = tuple(tuple(row) for row in rows)
    return Preview(tuple(headings), cells, guess(headings, rows, ids, values), label_set, tuple(sets))


def guess(
    headings: Sequence[str], rows: Sequence[Sequence[str]], ids: frozenset[str], values: Sequence[str]
) -> dict[str, str]:
    """The guessed meaning of each column: by its heading if that names a field, else by its cells."""
    meaning: dict[str, str] = {}
    cells = {name: [row[at] for row in rows if row[at]] for at, name in enumerate(headings)}
    for name in headings:
        plain = name.strip().lower()
        if plain in FIELDS:
            meaning[name] = plain
        elif plain in _OTHER_NAMES:
            meaning[name] = _OTHER_NAMES[plain]
        elif plain.startswith(ANNOTATOR_COLUMN) or plain in _AS_EXPORTED:
            meaning[name] = name
    if not {"id", "a", "target"} & {field.lower() for field in meaning.values()}:
        named = [name for name in headings if name not in meaning and cells[name]]
        known = {name: sum(cell in ids for cell in cells[name]) / len(cells[name]) for name in named}
        best = max(known, key=lambda name: known[name], default="")
        if best and known[best] > 0.5:
            meaning[best] = "id"
    rest = [name for name in headings if name not in meaning]
    different = {name: frozenset(cell.casefold() for cell in cells[name]) for name in rest}
    labels = frozenset[str]() if "label" in meaning.values() else _of_labels(different, values)
    return meaning | {name: f"{ANNOTATOR_COLUMN}{name}" if name in labels else IGNORED for name in rest}


def _of_labels(different: Mapping[str, frozenset[str]], values: Sequence[str]) -> frozenset[str]:
    """The columns that contain labels, given the distinct cells of each column in lower case (``different``).

    Their cells are ``values`` of the set or, if it has none yet, few and partly shared with another such column.
    """
    allowed = {value.casefold() for value in values}
    if allowed:
        return frozenset(name for name, own in different.items() if own and own <= allowed)
    few = {name: own for name, own in different.items() if 0 < len(own) <= _FEW}
    alike = {name for name, own in few.items() if any(own & other for at, other in few.items() if at != name)}
    return frozenset(alike or few)
