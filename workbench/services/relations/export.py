"""The pages of a run and their pairs as a graph for other programs: GraphML, GEXF, or a table (CSV).

Nodes are documents by their ids, with title, address, site, date and role. An edge is a pair with its figures and
relation; if its direction is known it leads from the original to the copy (``original`` names the first), otherwise
from a to b, with the strength ``none``. ``a`` and ``b`` are the documents that the direction and its reason call so. If
a run compared two documents both ways, the pair with the better score is their edge.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from workbench.base.errors import UserError
from workbench.base.messages import Message
from workbench.base.spreadsheet import write_csv
from workbench.jobs.context import Context
from workbench.methods.rare_sentences.relations import Direction
from workbench.project.listing import addresses
from workbench.services.relations.direction import Strength
from workbench.services.relations.pair_columns import PairColumns, columns_with_directions, read_pairs
from workbench.services.session import Session
from workbench.services.writing import atomic_write, refuse_imported

SUFFIXES = (".graphml", ".gexf", ".csv")
_FIGURES = ("score", "resemblance", "containment")
_WORDS = ("direction", "direction_strength", "direction_reason")
_PAGE = ("id", "title", "url", "site", "published", "dated_by", "role")
_ILLEGAL = dict.fromkeys([*range(9), 11, 12, *range(14, 32), 0xFFFE, 0xFFFF])
"""Characters that XML cannot contain."""


def export_graph(ctx: Context, project: Path, run_id: int, path: Path) -> int:
    """Write the pairs of a run to ``path`` (a job). Returns the number of edges.

    Raises UserError for a suffix that is not one of :data:`SUFFIXES`, or if the file cannot be written.
    """
    if path.suffix.lower() not in SUFFIXES:
        raise UserError(
            Message("A graph can be written as {suffixes}.", suffixes=", ".join(SUFFIXES)),
            path=path,
        )
    ctx.advance(Message("Writing"), 0, None)
    with Session(project, write=False) as session:
        columns = columns_with_directions(session, read_pairs(session, run_id), ctx)
        with session.read() as connection:
            urls = addresses(connection)
            refuse_imported(connection, path, Message("The graph"))
    ctx.check()
    rows = _edge_rows(columns)
    with atomic_write(path, Message("The graph")) as part:
        if path.suffix.lower() == ".csv":
            with part.open("w", encoding="utf-8-sig", newline="") as file:
                pages = [f"{side}_{name}" for side in ("from", "to") for name in _PAGE]
                names = [*pages, "original", "a", "b", "relation", *_FIGURES, "matches", *_WORDS]
                write_csv(file, names, _cells(columns, urls, rows))
        else:
            _write_xml(columns, urls, rows, part, path.suffix.lower())
    return len(rows)


def _write_xml(columns: PairColumns, urls: dict[int, str], rows: Sequence[int], path: Path, suffix: str) -> None:
    import networkx

    graph: Any = networkx.DiGraph()
    for key in np.unique(np.concatenate((columns.a, columns.b))).tolist():
        page = {name: _legal(value) for name, value in _page(columns, urls, key).items()}
        graph.add_node(page["id"], label=page["title"] or page["id"], **{k: v for k, v in page.items() if k != "id"})
    for one, other, values in _edges(columns, rows):
        names = (_legal(columns.items[key].id) for key in (one, other))
        kept = {k: _legal(v) if isinstance(v, str) else v for k, v in values.items() if v == v}
        graph.add_edge(*names, **kept)
    write = networkx.write_graphml if suffix == ".graphml" else networkx.write_gexf
    write(graph, path, encoding="utf-8")


def _cells(columns: PairColumns, urls: dict[int, str], rows: Sequence[int]) -> Iterator[list[Any]]:
    for one, other, values in _edges(columns, rows):
        pages = [*_page(columns, urls, one).values(), *_page(columns, urls, other).values()]
        yield [*pages, *("" if value != value else value for value in values.values())]


def _edge_rows(columns: PairColumns) -> list[int]:
    """The rows that are edges, in order: of each two documents the one with the best score."""
    low, high = np.minimum(columns.a, columns.b), np.maximum(columns.a, columns.b)
    best = np.lexsort((-columns.score, high, low))
    first = np.unique(np.stack((low, high))[:, best], axis=1, return_index=True)[1]
    rows: list[int] = np.sort(best[first]).tolist()
    return rows


def _edges(columns: PairColumns, rows: Sequence[int]) -> Iterator[tuple[int, int, dict[str, Any]]]:
    """(key, key, values) of the pairs ``rows``; NaN where one lacks a figure."""
    empty = [""] * len(columns)
    words = {name: columns.words.get(name, empty) for name in _WORDS}
    for row in rows:
        a, b = int(columns.a[row]), int(columns.b[row])
        direction = words["direction"][row]
        turned = direction == Direction.A_FROM_B
        known = direction in (Direction.A_FROM_B, Direction.B_FROM_A)
        values: dict[str, Any] = {
            "original": columns.items[b if turned else a].id if known else "",
            "a": columns.items[a].id,
            "b": columns.items[b].id,
            "relation": columns.relations[columns.relation[row]],
        }
        values |= {name: float(getattr(columns, name)[row]) for name in _FIGURES}
        values |= {"matches": int(columns.matches[row])} | {name: str(words[name][row]) for name in _WORDS}
        values["direction_strength"] = values["direction_strength"] or Strength.NONE.value
        yield (b, a, values) if turned else (a, b, values)


def _page(columns: PairColumns, urls: dict[int, str], key: int) -> dict[str, str]:
    item = columns.items[key]
    return {
        "id": item.id,
        "title": item.title,
        "url": urls.get(key, ""),
        "site": item.site,
        "published": item.published,
        "dated_by": item.dated_by,
        "role": item.role.value,
    }


def _legal(text: str) -> str:
    return text.translate(_ILLEGAL)
