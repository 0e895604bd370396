"""Projects whose tables are in order and whose rows are not, as a stranger may send them."""

from __future__ import annotations

import json
import sqlite3
import struct
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import numpy as np
import zstandard

from tests.project_files import build_once
from workbench.base.types import Document, DocumentScore, Label, Match, Matches, Region, Results, Role, Span
from workbench.methods.core import registry
from workbench.project.columns import pack_matches
from workbench.project.database import create
from workbench.project.documents import add_documents
from workbench.project.labels import add_labels
from workbench.project.runs import begin_run, finish_chunk, finish_run

TEXT = "The first sentence of this text is here. The second one follows it at once. A third closes the whole. "
PAIRS = [(1, 3), (1, 4), (2, 3), (2, 4)]
MATCH = Match(1, 3, Span(0, 40), Span(0, 40), 5.0, {"segments": 2})


@build_once
def sound(path: Path) -> None:
    """A project of two suspects (keys 1, 2) and two sources (3, 4); run 1 has a passage and a score of each."""
    columns = np.array([(a, b, 0, 40, 0, 40) for a, b in PAIRS], np.int64).T
    tiers, counts = np.zeros(len(PAIRS), np.int8), {"segments": np.full(len(PAIRS), 2)}
    matches = Matches(*columns, np.full(len(PAIRS), 5.0), tiers, counts)
    with create(path) as project, project.write() as connection:
        roles = [Role.SUSPECT] * 2 + [Role.SOURCE] * 2
        add_documents(connection, [Document(f"d{n}", f"{TEXT}{n}", role) for n, role in enumerate(roles, 1)])
        method = registry.get("digest")
        run = begin_run(connection, "digest", method.version, method.parameters().as_dict(), "0" * 64, 1)
        scores = tuple(DocumentScore(key, float(key)) for key in (1, 2))
        regions = (Region(1, 3, Span(0, 40), Span(0, 40), 1.0),)
        finish_chunk(connection, run.id, 0, Results(matches, scores=scores, regions=regions), documents=2)
        finish_run(connection, run.id)
        verdict = Label("match:d1:0-40:d3:0-40", "copy", "me", "")
        add_labels(connection, [verdict, Label("document:d1", "splog", "me", "", label_set="class")])


def _block(**columns: list[float]) -> Callable[[sqlite3.Connection], None]:
    """One block with one passage of each pair whose ``columns`` are others."""
    from dataclasses import replace

    def change(connection: sqlite3.Connection) -> None:
        rows = np.array([(a, b, 0, 40, 0, 40) for a, b in PAIRS], np.int64).T
        matches = Matches(*rows, np.full(4, 5.0), np.zeros(4, np.int8), {"segments": np.full(4, 2)})
        kinds = {name: getattr(matches, name).dtype for name in columns}
        size, packed = pack_matches(replace(matches, **{n: np.array(v, kinds[n]) for n, v in columns.items()}))
        connection.execute("UPDATE match_block SET size = ?, packed = ?", (size, packed))

    return change


def _sql(*statements: str) -> Callable[[sqlite3.Connection], None]:
    def change(connection: sqlite3.Connection) -> None:
        for statement in statements:
            connection.execute(statement)

    return change


def _bomb(connection: sqlite3.Connection) -> None:
    """A text frame that claims, and has, 1 GiB."""
    size = 1 << 30
    compressor = zstandard.ZstdCompressor(level=1).compressobj(size)
    packed = b"".join(compressor.compress(bytes(1 << 24)) for _ in range(size >> 24)) + compressor.flush()
    connection.execute("UPDATE text SET size = ?, packed = ? WHERE id = 1", (size, packed))
    connection.execute("UPDATE document SET characters = ? WHERE key = 1", (size,))


def _hidden(connection: sqlite3.Connection) -> None:
    """The documents have blocks, and a count of hidden characters of 5,000 digits."""
    layout = f'{{"blocks":[[0,9,"text","content","",""]],"extraction":{{"hidden":{"9" * 5000}}},"links":[]}}'.encode()
    connection.execute("UPDATE document_detail SET size = ?, packed = ?", (len(layout), zstandard.compress(layout)))
    connection.execute("UPDATE document SET blocks = 1")


def _wide_header(connection: sqlite3.Connection) -> None:
    head = json.dumps([["a", "|i1", "|i1"]] * 100).encode()
    data = struct.pack("<I", len(head)) + head
    connection.execute("UPDATE match_block SET size = ?, packed = ?", (len(data), zstandard.compress(data)))


BAD_ROWS: dict[str, Callable[[sqlite3.Connection], None]] = {
    "infinite passage": _block(score=[np.inf, np.nan, 5, -np.inf]),
    "passage past the end": _block(a_end=[40, 10**6, 40, 1 << 59]),
    "passage of no document": _block(a=[1, 1, 77, 2], b=[3, 99, 3, 1 << 60]),
    "passage of length 0": _block(a_end=[0, 40, 0, 40]),
    "tier 100": _block(tier=[0, 100, -3, 2]),
    "block of other columns": _wide_header,
    "block that is none": _sql("UPDATE match_block SET packed = x'00'"),
    "infinite pair": _sql("UPDATE pair SET total = 9e999, score = 9e999, best = -9e999 WHERE a = 1"),
    "pair of no document": _sql("INSERT INTO pair (run_id, a, b) VALUES (1, 1, 77), (1, -5, 3), (1, 88, 99)"),
    "negative pair": _sql("UPDATE pair SET matches = -4, covered_a = -1, longest = -9 WHERE a = 2"),
    "pair of odd evidence": _sql("UPDATE pair SET evidence = '{\"x\": Infinity}', relation = 'sibling' WHERE a = 1"),
    "pair of itself": _sql("INSERT INTO pair (run_id, a, b) VALUES (1, 1, 1), (1, 3, 1)"),
    "infinite suspect": _sql("UPDATE suspect SET best = 9e999, total = 9e999 WHERE a = 1"),
    "suspect of no document": _sql(
        "INSERT INTO suspect SELECT run_id, 77, matches, sources, total, best, covered, longest FROM suspect"
        " WHERE a = 1"
    ),
    "infinite score": _sql("UPDATE document_score SET score = 9e999 WHERE document = 1"),
    "score of no document": _sql("INSERT INTO document_score (run_id, document, score) VALUES (1, 77, 1)"),
    "score of odd evidence": _sql("UPDATE document_score SET evidence = '[1]' WHERE document = 1"),
    "swapped region": _sql("UPDATE region SET a_start = 40, a_end = 0"),
    "long title": _sql("UPDATE document SET title = printf('%.*c', 5000000, 'x') WHERE key IN (1, 3)"),
    "long id": _sql("UPDATE document SET id = printf('%.*c', 5000000, 'x') WHERE key = 2"),
    "text that is no UTF-8": _sql("UPDATE document SET title = CAST(x'ff41fe' AS TEXT) WHERE key = 1"),
    "unknown role": _sql("UPDATE document SET role = 'accomplice' WHERE key = 1"),
    "negative length": _sql("UPDATE document SET characters = -7 WHERE key = 1"),
    "another length": _sql("UPDATE document SET characters = 1000000 WHERE key = 1"),
    "text of 1 GiB": _bomb,
    "text that is none": _sql("UPDATE text SET packed = x'28b52ffd', size = 12 WHERE id = 1"),
    "no text": _sql("DELETE FROM text WHERE id = 1"),
    "no layout": _sql("DELETE FROM document_detail WHERE key = 1"),
    "odd layout": _sql("UPDATE document_detail SET packed = x'00', size = 1 WHERE key = 1"),
    "unknown state": _sql("UPDATE run SET state = 'odd'"),
    "unknown method": _sql("UPDATE run SET method = 'rumour'"),
    "unknown settings": _sql('UPDATE run SET parameters = \'{"min_surprisal": "many", "other": 3}\''),
    "infinite run": _sql("UPDATE run SET seconds = 9e999, matches = -3"),
    "run of itself": _sql("UPDATE run SET varied_from = 1"),
    "times that are none": _sql("UPDATE run SET created = 'yesterday', finished = printf('%.*c', 5000, '9')"),
    "unknown verdict": _sql(
        "INSERT INTO label_event SELECT 9, label_set, target, 'maybe', old, who, occurred, note, hash, digest"
        " FROM label_event WHERE id = 1"
    ),
    "more hidden characters than any number": _hidden,
    "pairs of more matches than any number": _sql("UPDATE pair SET matches = 9223372036854775807"),
    "verdict beyond any text": _sql(
        "INSERT INTO label_event SELECT 9, label_set, 'match:d1:0-' || printf('%.*c', 5000, '9') || ':d3:0-40',"
        " value, old, who, occurred, note, hash, digest FROM label_event WHERE id = 1"
    ),
}


def craft(path: Path, name: str) -> None:
    """A sound project but for what ``name`` (of BAD_ROWS) says."""
    sound(path)
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA foreign_keys = OFF")
        connection.execute("PRAGMA ignore_check_constraints = ON")
        BAD_ROWS[name](connection)
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
