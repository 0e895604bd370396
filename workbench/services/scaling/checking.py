"""The folder of a job may come from anybody: every number in it is checked before anything of it is stored.

Passages, figures and layouts must satisfy what projects ask of theirs, by the same functions.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from workbench.base.errors import ProjectError, UserError
from workbench.base.messages import Message
from workbench.base.sound import is_figure, outside_texts, values_of, without_score
from workbench.base.types import Document, Ints, Matches
from workbench.project.columns import TYPES
from workbench.project.damaged_rows import LONGEST_FIELD, LONGEST_ID
from workbench.project.details import pack_details, unpack_details
from workbench.project.packing import LIMIT, flat, object_from_json
from workbench.scaleout.rows import KEYS, PAGE, PASSAGES, RESULT, ROLES, documents, read_passages, read_regions

_ODD = (ValueError, TypeError, KeyError, IndexError, AttributeError, OverflowError, RecursionError, ProjectError)
"""What reading a row that no step writes may raise."""
_MOST_NAMES = 4096
"""Characters of the names of evidence, with their types."""


def checked_pages(batches: Iterator[pa.RecordBatch]) -> tuple[Ints, Ints]:
    """The numbers of the pages in ``batches``, ascending, and the code points of their texts.

    Raises UserError for pages that no job writes.
    """
    numbers: list[int] = []
    characters: list[int] = []
    ids: set[str] = set()
    for batch in batches:
        _check_columns(batch.schema, {**{field.name: field.type for field in PAGE}, "repeated": pa.string()})
        read = batch.column("page").to_pylist()
        if not all(number is not None and 0 <= number < len(ROLES) * KEYS for number in read):
            raise _unfit(Message("a page has an impossible number"))
        try:
            pages = documents(batch)
        except _ODD as error:
            raise _unfit(Message("the layout of a page cannot be read")) from error
        for document in pages:
            _check_page(document)
        ids.update(document.id for document in pages)
        numbers += read
        characters += [len(document.text) for document in pages]
    if len(ids) < len(numbers) or len(set(numbers)) < len(numbers):
        raise _unfit(Message("two pages have the same number or id"))
    order = np.argsort(np.array(numbers, np.int64))
    return np.array(numbers, np.int64)[order], np.array(characters, np.int64)[order]


def _check_page(document: Document) -> None:
    if not 0 < len(document.id) <= LONGEST_ID or (
        len(document.text) > LIMIT // 4 and len(document.text.encode("utf-8", "surrogatepass")) > LIMIT
    ):
        raise _unfit(Message("a page has an id or a text of impossible length"))
    try:
        unpack_details(pack_details(document), len(document.text), document.id)
    except _ODD as error:
        raise _unfit(Message("the layout of a page cannot be read")) from error


def check_results(tables: Iterator[pa.Table], pages: Ints, characters: Ints) -> None:
    """Raises UserError unless ``tables`` hold pairs of ``pages`` (ascending), whose texts have so many ``characters``,
    as jobs write them.
    """
    last: tuple[int, int] = (-1, -1)
    names: set[str] | None = None
    for table in tables:
        _check_columns(table.schema, {field.name: field.type for field in RESULT})
        if any(table.column(name).null_count for name in RESULT.names if name not in _MAY_BE_NULL):
            raise _unfit(Message("a pair has no value where it must have one"))
        a, b = (table.column(name).to_numpy() for name in "ab")
        lengths = tuple(values_of(keys, pages, characters) for keys in (a, b))
        if any((length < 0).any() for length in lengths):
            raise _unfit(Message("a pair refers to a missing page"))
        places = [last, *zip(a.tolist(), b.tolist(), strict=True)]
        if (a == b).any() or any(here >= there for here, there in pairwise(places)):
            raise _unfit(Message("a pair occurs twice, or pairs a page with itself"))
        last = places[-1]
        _check_pairs(table)
        matches = _passages(table)
        if len(matches):
            if names is not None and names != set(matches.evidence):
                raise _unfit(Message("the evidence of passages differs from pair to pair"))
            names = set(matches.evidence)
        spread = (np.repeat(length, _sizes(table)) for length in lengths)
        if outside_texts(matches, *spread).any():
            raise _unfit(Message("a passage is outside its text"))
        if without_score(matches).any():
            raise _unfit(Message("a passage has no proper score"))
        _check_regions(table, a, b, (pages, characters))


_MAY_BE_NULL = ("resemblance", "containment", "relation", "left_out")


def _sizes(table: pa.Table) -> NDArray[np.int64]:
    sizes: NDArray[np.int64] = pc.list_value_length(table.column("scores")).to_numpy().astype(np.int64)
    return sizes


def _check_pairs(table: pa.Table) -> None:
    """Raises UserError unless what the method gave for the pairs of ``table`` is what projects store."""
    for name in ("score", "resemblance", "containment"):
        if not all(value is None or is_figure(value) for value in table.column(name).to_pylist()):
            raise _unfit(Message("a pair has no proper score"))
    words = (word for word in table.column("relation").unique().to_pylist() if word is not None)
    if any(len(word) > LONGEST_FIELD for word in words):
        raise _unfit(Message("a pair has no proper relation"))
    try:
        for text in table.column("evidence").to_pylist():
            if text != "{}":
                flat(object_from_json(text, "the evidence of a pair"), "the evidence of a pair")
    except ProjectError as error:
        raise _unfit(Message("the evidence of a pair cannot be read")) from error


def _passages(table: pa.Table) -> Matches:
    """The passages of ``table``, with row numbers for keys. Raises UserError for lists that do not fit together."""
    sizes = _sizes(table)
    columns = {name: table.column(name).combine_chunks() for name in PASSAGES.names if name != "names"}
    lengths = {name: pc.list_value_length(column).to_numpy() for name, column in columns.items()}
    if any(column.flatten().null_count for column in columns.values()):
        raise _unfit(Message("a passage has no value where it must have one"))
    kinds = {text: _kinds(text) for text in table.column("names").unique().to_pylist()}
    widths = np.array([len(kinds[text]) for text in table.column("names").to_pylist()], np.int64)
    expected = {name: sizes * widths if name == "values" else sizes for name in columns}
    if any((lengths[name] != expected[name]).any() for name in columns):
        raise _unfit(Message("a pair has lists of different lengths"))
    present = [kind for text, kind in kinds.items() if sizes[_where(table, text)].any()]
    if any(set(kind) != set(present[0]) for kind in present):
        raise _unfit(Message("the evidence of passages differs from pair to pair"))
    if not np.isfinite(columns["values"].flatten().to_numpy(zero_copy_only=False)).all():
        raise _unfit(Message("a passage has no proper score"))
    rows = np.arange(len(table))
    try:
        with np.errstate(invalid="raise", over="raise"):
            return read_passages(table, rows, rows)
    except (*_ODD, FloatingPointError) as error:
        raise _unfit(Message("a passage cannot be read")) from error


def _where(table: pa.Table, text: str) -> NDArray[np.bool_]:
    chosen: NDArray[np.bool_] = pc.equal(table.column("names"), text).to_numpy(zero_copy_only=False)
    return chosen


def _kinds(text: str) -> dict[str, str]:
    """Type by name of evidence, as ``text`` says. Raises UserError for types that projects do not store."""
    try:
        listed = json.loads(text if len(text) <= _MOST_NAMES else "")
        kinds = {str(name): str(kind) for name, kind in listed}
        if len(kinds) == len(listed) and all(kind in TYPES for kind in kinds.values()):
            return kinds
    except _ODD:
        pass
    raise _unfit(Message("the evidence of passages cannot be read"))


def _check_regions(table: pa.Table, a: Ints, b: Ints, texts: tuple[Ints, Ints]) -> None:
    try:
        regions = read_regions(table, a, b)
        numbers = [(*r.a_span, *r.b_span) for r in regions]
        if not all(type(number) is int for row in numbers for number in row) or not all(
            is_figure(r.slope) for r in regions
        ):
            raise ValueError
        a_start, a_end, b_start, b_end = np.array(numbers, np.int64).reshape(-1, 4).T
    except _ODD as error:
        raise _unfit(Message("a region cannot be read")) from error
    keys = tuple(np.array([getattr(r, side) for r in regions], np.int64) for side in "ab")
    none = np.zeros(len(regions), np.int8)
    spans = Matches(keys[0], keys[1], a_start, a_end, b_start, b_end, none.astype(np.float64), none)
    if outside_texts(spans, *(values_of(key, *texts) for key in keys)).any():
        raise _unfit(Message("a region is outside its text"))


def _check_columns(schema: pa.Schema, expected: dict[str, pa.DataType]) -> None:
    if sorted(schema.names) != sorted(expected) or not all(
        _same(schema.field(name).type, kind) for name, kind in expected.items()
    ):
        raise _unfit(Message("a step has other columns"))


def _same(kind: pa.DataType, other: pa.DataType) -> bool:
    """Whether both are the same type; what the items of a list are called does not count."""
    if pa.types.is_list(kind) and pa.types.is_list(other):
        return _same(kind.value_type, other.value_type)
    return bool(kind == other)


def _unfit(reason: str) -> UserError:
    return UserError(
        Message("Nothing of this job can be imported: {reason}.", reason=reason),
        hint=Message("Run the job again, or ask the sender for the original folder."),
    )
