"""The tables of a project file, for use in statements.

Their columns are created by :mod:`workbench.project.migrations`. Times are ISO 8601 in UTC, empty for events that
have not happened. A ``packed`` column is one zstd frame that unpacks to ``size`` bytes. Only
SQLAlchemy Core is used: importing its mapper would slow every start.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import Column, Float, Integer, LargeBinary, MetaData, String, Table
from sqlalchemy.types import TypeEngine

from workbench.project import migrations

_METADATA = MetaData()
_TYPES: dict[str, type[TypeEngine[Any]]] = {"INTEGER": Integer, "TEXT": String, "REAL": Float, "BLOB": LargeBinary}
_COLUMNS = migrations.newest_columns()


def _table(name: str) -> Table:
    columns: list[Column[Any]] = [
        Column(c.name, _TYPES[c.kind](), primary_key=c.is_key, nullable=c.is_nullable) for c in _COLUMNS[name]
    ]
    return Table(name, _METADATA, *columns)


text_rows = _table("text")
"""A text, stored once by content: SHA-256 of its UTF-8, its length in code points, its size in bytes."""

batch_rows = _table("import_batch")
"""One import; ``finished`` is empty while it runs, and remains so if its process died."""

failure_rows = _table("import_failure")
"""An input that could not be imported; ``resolved`` is when a later import accepted it."""

document_rows = _table("document")
"""A document; ``id`` is unique among those not deleted, ``deleted`` is when it was deleted (empty: it exists).

``tags`` are names between commas, with a leading and a trailing comma (empty: none); ``untagged`` are those that a
person removed, which a merge does not bring back. ``dated_by`` is the DateSource of ``published`` (empty: unknown).
``unusual`` counts possibly disguising characters (``Extraction.integrity``); ``ocr`` is the confidence of its
recognised text, in percent (``Extraction.confidence``; 0: not recognised). ``blocks_kept`` of its ``blocks`` are
content; ``content_digest`` identifies these (empty: the whole text).
"""

detail_rows = _table("document_detail")
"""Data needed only when a document is opened: blocks, links and extraction as packed JSON."""

page_source_rows = _table("page_source")
"""The markup of a web page, as UTF-8."""

fingerprint_rows = _table("page_fingerprint")
"""The packed fingerprint by which a page's blocks are compared, and a digest of its blocks last found to be
repeated.
"""

override_rows = _table("block_override")
"""A person's decision on ``[start, end)`` of a document's text; an empty verdict withdraws the earlier ones."""

selector_rows = _table("body_selector")
"""The CSS selector of the main text of a host's pages."""

run_rows = _table("run")
"""One application of a method. ``state`` is never ``interrupted`` here: this is determined from the run's lock.

``varied_from``: the run whose parameters a sweep varied to make this one. ``taken_over``: how many of its documents
were examined in the run that it ``continues``. ``watch``: the watch that started it. ``part``: it examined only some
documents. ``removed`` is when it was removed (empty: it was not).
"""

chunk_rows = _table("run_chunk")
"""A finished chunk of a run; its matches were committed with it."""

run_document_rows = _table("run_document")
"""The documents that a run was applied to, as :mod:`workbench.project.run_documents` packs them, and the ``roles`` that
it reads, between commas.
"""

block_rows = _table("match_block")
"""Consecutive matches of a run as packed columns.

``position`` orders the blocks of a run: chunk index * 2^20 + part. ``a_low``..``a_high`` bound the keys of
its suspects. ``gaps``: stretches within the matches that are not part of them, packed; NULL if there are none.
"""

pair_rows = _table("pair")
"""A pair of documents in a run: figures of its matches, and the method's own figures for the pair."""

suspect_rows = _table("suspect")
"""A suspect in a run: figures of its matches over all sources."""

score_rows = _table("document_score")
"""A run's score of one document; ``evidence`` is a JSON object."""

region_rows = _table("region")
"""A trustable region of a pair in a run; ``id`` preserves the method's order."""

label_rows = _table("label_event")
"""One event of the label log; ``hash`` chains it to the preceding event, ``digest`` identifies its text."""

label_set_rows = _table("label_set_version")
"""One version of a label set: ``definition`` is a JSON object, ``guidelines`` Markdown; the latest applies."""

assignment_rows = _table("label_assignment")
"""An annotator assigned to ``target``."""

capture_rows = _table("capture")
"""A host's answer to the request for ``url`` in the fetch ``fetch``; ``packed`` contains the headers as JSON.

``outcome`` is new, unchanged, duplicate or failed; ``status`` is 0 if there was no answer, ``body_hash`` (SHA-256)
empty if there was no body.
"""

timestamp_rows = _table("capture_timestamp")
"""The answer of a timestamp service about the bytes with this SHA-256; ``stamped`` is the time by its clock."""

body_rows = _table("capture_body")
"""The unchanged bytes of captured pages and of originals, by their SHA-256."""

original_rows = _table("original")
"""The file from which a document was read, if it has pages or pages can be made from it."""

page_file_rows = _table("page_file")
"""A PDF made by another program from the file of a document without pages, and its number of pages."""

word_box_rows = _table("word_box")
"""The positions of a document's words on its pages, as :mod:`workbench.project.word_boxes` packs them."""

scan_rows = _table("scan")
"""A search of web archives. ``basis`` identifies the documents and settings with which pages are compared."""

scan_file_rows = _table("scan_file")
"""A file of a scan as it was when it was listed; ``pieces`` were searched, ``finished`` is empty until all were."""

scan_failure_rows = _table("scan_failure")
"""A record or file of a scan that could not be read."""

watch_rows = _table("watch")
"""A saved search that is checked repeatedly. ``basis`` identifies the documents and settings of the last comparison."""

check_rows = _table("watch_check")
"""One check of a watch; ``finished`` is empty while it runs, and remains so if its process died."""

seen_rows = _table("watch_seen")
"""A document that a watch has compared; ``content`` identifies its text and blocks at that time. ``withheld``: whether
a match of it was not reported because of its page's case.
"""

watch_match_rows = _table("watch_match")
"""A match reported by a check; ``page`` identifies the page across all its captures, ``gaps`` is a JSON list of [side,
start, end], NULL if there are none.
"""

threshold_rows = _table("threshold_event")
"""A threshold that was chosen for a method and a kind of item; ``value`` is null if it was withdrawn."""

sheet_rows = _table("sheet")
"""A saved figure: its input (``request``) and its output (``drawn``), both JSON."""
