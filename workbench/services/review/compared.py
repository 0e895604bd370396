"""How a method read a text: which parts it left out, which characters it ignored, and which it read as others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench.base.types import BlockClass, Document, Span
from workbench.jobs.context import Context
from workbench.methods.core.registry import get, is_imported
from workbench.text.left_out import left_out
from workbench.text.normalisation import FoldOptions, fold


class Reading(IntEnum):
    """How a character was read: unchanged, as another or several, or not at all."""

    SAME = 0
    OTHER = 1
    LEFT_OUT = 2


@dataclass(frozen=True, slots=True)
class Compared:
    """A text of n code points as it was compared: ``readings`` uint8[n] of :class:`Reading`.

    ``shown`` has n code points, too: characters read as one other are replaced by it, all others unchanged.
    """

    shown: str
    readings: NDArray[np.uint8]


def spans_not_compared(document: Document, method: str, parameters: Mapping[str, Any]) -> tuple[Span, ...]:
    """The spans of ``document`` that ``method`` left out under ``parameters``, as stored with its run: blocks that are
    not content, and hidden words unless the method reads blocks itself. None for imported scores.

    Raises UserError for an unknown method.
    """
    if not parameters.get("content"):
        return ()
    if get(method).reads_blocks:
        return tuple(block.span for block in document.blocks if block.verdict is not BlockClass.CONTENT)
    return left_out(document)


def compared(document: Document, method: str, parameters: Mapping[str, Any]) -> Compared:
    """The parts of ``document`` that ``method`` compares under ``parameters``, as stored with its run. Linear in the
    text.

    Raises UserError for an unknown method, ParameterError for parameters that it does not have.
    """
    text, options = document.text, fold_options(method, parameters)
    as_it_is = Compared(text, np.zeros(len(text), np.uint8))
    as_compared = as_it_is if options is None else folded_in_place(text, options)
    for start, end in spans_not_compared(document, method, parameters):
        as_compared.readings[start:end] = Reading.LEFT_OUT
    return as_compared


def compared_sides(
    ctx: Context, documents: Sequence[Document], method: str, parameters: Mapping[str, Any]
) -> list[Compared]:
    """:func:`compared` of each document; run in a separate process, because folding blocks other threads.
    Raises Cancelled.
    """
    sides = []
    for document in documents:
        ctx.check()
        sides.append(compared(document, method, parameters))
    return sides


def fold_options(method: str, parameters: Mapping[str, Any]) -> FoldOptions | None:
    """The differences that ``method`` ignores under ``parameters``; None if it compares texts unchanged, or if its
    scores were imported, of which nothing is known.
    """
    facts = get(method).facts
    if facts.literal or is_imported(method):
        return None
    values = facts.parameters.parse(parameters)
    default = FoldOptions(ruby=bool(getattr(values, "ruby", False)))
    options: FoldOptions | None = getattr(values, "fold_options", default)
    return options


def folded_in_place(text: str, options: FoldOptions) -> Compared:
    """``text`` folded under ``options``, with each character at its position."""
    folded = fold(text, options)
    start, end = folded.start.astype(np.int64), folded.end.astype(np.int64)
    edges = np.zeros(len(text) + 1, np.int64)
    np.add.at(edges, start, 1)
    np.add.at(edges, end, -1)
    kept = np.cumsum(edges[:-1])
    readings = np.where(kept > 0, Reading.SAME, Reading.LEFT_OUT).astype(np.uint8)
    single = (end - start == 1) & (kept[start] == 1) if len(start) else np.zeros(0, np.bool_)
    several = end - start > 1
    within = np.zeros(len(text) + 1, np.int64)
    np.add.at(within, start[several], 1)
    np.add.at(within, end[several], -1)
    readings[(kept > 1) | (np.cumsum(within[:-1]) > 0)] = Reading.OTHER
    characters, of_folded = _code_points(text), _code_points(folded.text)[single]
    at = start[single]
    other = of_folded != characters[at]
    characters[at[other]] = of_folded[other]
    readings[at[other]] = Reading.OTHER
    return Compared(characters.tobytes().decode("utf-32-le", "surrogatepass"), readings)


def _code_points(text: str) -> NDArray[np.uint32]:
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), "<u4").copy()
