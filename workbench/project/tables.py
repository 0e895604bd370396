"""The tables of a project file, as statements name them.

The SQL that creates them is in :mod:`workbench.project.migrations`; a test checks that the two agree. Times are ISO
8601 in UTC, empty if something has not happened yet. A ``packed`` column is one zstd frame that unpacks to ``size``
bytes. The tables are of SQLAlchemy's core alone: importing its mapper would slow every start.
"""

from __future__ import annotations

from sqlalchemy import Column, Float, ForeignKey, Integer, LargeBinary, MetaData, String, Table

METADATA = MetaData()

text_rows = Table(
    "text",
    METADATA,
    Column("id", Integer, primary_key=True),
    Column("hash", LargeBinary, unique=True, nullable=False),
    Column("characters", Integer, nullable=False),
    Column("size", Integer, nullable=False),
    Column("packed", LargeBinary, nullable=False),
)
"""A text, stored once by content: SHA-256 of its UTF-8, its length in code points, its size in bytes."""

batch_rows = Table(
    "import_batch",
    METADATA,
    Column("id", Integer, primary_key=True),
    Column("role", String, nullable=False),
    Column("started", String, nullable=False),
    Column("finished", String, nullable=False),
    Column("message", String, nullable=False),
)
"""One import; ``finished`` is empty while it runs, and remains so if its process died."""

failure_rows = Table(
    "import_failure",
    METADATA,
    Column("id", Integer, primary_key=True),
    Column("batch_id", Integer, ForeignKey("import_batch.id"), nullable=False),
    Column("path", String, nullable=False),
    Column("error", String, nullable=False),
    Column("occurred", String, nullable=False),
    Column("resolved", String, nullable=False),
)
"""An input that could not be imported; ``resolved`` is when a later import accepted it."""

document_rows = Table(
    "document",
    METADATA,
    Column("key", Integer, primary_key=True),
    Column("id", String, nullable=False),
    Column("role", String, nullable=False),
    Column("title", String, nullable=False),
    Column("url", String, nullable=False),
    Column("site", String, nullable=False),
    Column("published", String, nullable=False),
    Column("language", String, nullable=False),
    Column("origin", String, nullable=False),
    Column("characters", Integer, nullable=False),
    Column("text_id", Integer, ForeignKey("text.id"), nullable=False),
    Column("batch_id", Integer, ForeignKey("import_batch.id")),
    Column("deleted", String, nullable=False),
    Column("blocks", Integer, nullable=False),
    Column("blocks_kept", Integer, nullable=False),
    Column("content_digest", String, nullable=False),
    Column("tags", String, nullable=False),
    Column("dated_by", String, nullable=False),
    Column("unusual", Integer, nullable=False),
    Column("ocr", Integer, nullable=False),
)
"""A document; ``id`` is unique among those not deleted, ``deleted`` is when it was deleted (empty: it exists).

``tags`` are names between commas, one before the first and one after the last (empty: none). ``dated_by`` says
where ``published`` comes from (a DateSource; empty: unknown).
``unusual`` counts the characters that may hide something (``Extraction.integrity``); ``ocr`` is how sure its text is
that was read from pictures, in percent (``Extraction.confidence``; 0: it was not).
``blocks_kept`` of its ``blocks`` are content; ``content_digest`` identifies which (empty: the whole text).
"""

detail_rows = Table(
    "document_detail",
    METADATA,
    Column("key", Integer, ForeignKey("document.key"), primary_key=True),
    Column("size", Integer, nullable=False),
    Column("packed", LargeBinary, nullable=False),
)
"""Data needed only when a document is opened: blocks, links and extraction as packed JSON."""

page_source_rows = Table(
    "page_source",
    METADATA,
    Column("key", Integer, ForeignKey("document.key"), primary_key=True),
    Column("size", Integer, nullable=False),
    Column("packed", LargeBinary, nullable=False),
)
"""The markup a web page was read from, as UTF-8."""

fingerprint_rows = Table(
    "page_fingerprint",
    METADATA,
    Column("key", Integer, ForeignKey("document.key"), primary_key=True),
    Column("blocks", LargeBinary, nullable=False),
    Column("applied", String, nullable=False),
)
"""The packed fingerprint by which a page's blocks are compared, and a digest of what was last found repeated on
it.
"""

override_rows = Table(
    "block_override",
    METADATA,
    Column("id", Integer, primary_key=True),
    Column("document", Integer, ForeignKey("document.key"), nullable=False),
    Column("start", Integer, nullable=False),
    Column("end", Integer, nullable=False),
    Column("verdict", String, nullable=False),
    Column("who", String, nullable=False),
    Column("occurred", String, nullable=False),
)
"""A person's decision on ``[start, end)`` of a document's text; an empty verdict withdraws the earlier ones."""

selector_rows = Table(
    "body_selector",
    METADATA,
    Column("host", String, primary_key=True),
    Column("selector", String, nullable=False),
)
"""The CSS selector of the main text of a host's pages."""

run_rows = Table(
    "run",
    METADATA,
    Column("id", Integer, primary_key=True),
    Column("method", String, nullable=False),
    Column("version", Integer, nullable=False),
    Column("parameters", String, nullable=False),
    Column("corpus_hash", String, nullable=False),
    Column("state", String, nullable=False),
    Column("created", String, nullable=False),
    Column("finished", String, nullable=False),
    Column("seconds", Float, nullable=False),
    Column("chunks", Integer, nullable=False),
    Column("documents", Integer, nullable=False),
    Column("matches", Integer, nullable=False),
    Column("pairs", Integer, nullable=False),
    Column("scores", Integer, nullable=False),
    Column("excluded", String, nullable=False),
    Column("message", String, nullable=False),
    Column("varied_from", Integer),
    Column("continues", Integer),
    Column("taken_over", Integer, nullable=False),
    Column("watch", Integer),
    Column("part", Integer, nullable=False),
    Column("removed", String, nullable=False),
)
"""One application of a method. ``state`` is never ``interrupted`` here: that is determined from the run's lock.

``varied_from``: the run whose parameters a sweep varied to make this one. ``taken_over``: how many of its documents
were examined in the run that it ``continues``. ``watch``: the watch whose check made it. ``part``: it examined some
documents only. ``removed`` is when it was removed (empty: it is there).
"""

chunk_rows = Table(
    "run_chunk",
    METADATA,
    Column("run_id", Integer, ForeignKey("run.id"), primary_key=True),
    Column("chunk_index", Integer, primary_key=True),
)
"""A finished chunk of a run; its matches were committed with it."""

block_rows = Table(
    "match_block",
    METADATA,
    Column("id", Integer, primary_key=True),
    Column("run_id", Integer, ForeignKey("run.id"), nullable=False),
    Column("position", Integer, nullable=False),
    Column("rows", Integer, nullable=False),
    Column("a_low", Integer, nullable=False),
    Column("a_high", Integer, nullable=False),
    Column("size", Integer, nullable=False),
    Column("packed", LargeBinary, nullable=False),
    Column("gaps_size", Integer),
    Column("gaps", LargeBinary),
)
"""Consecutive matches of a run as packed columns.

``position`` orders the blocks of a run: chunk index * 2^20 + part. ``a_low``..``a_high`` bounds the keys of
the suspects inside. ``gaps``: stretches within the matches that are not part of them, packed; NULL if there are none.
"""

pair_rows = Table(
    "pair",
    METADATA,
    Column("run_id", Integer, ForeignKey("run.id"), primary_key=True),
    Column("a", Integer, ForeignKey("document.key"), primary_key=True),
    Column("b", Integer, ForeignKey("document.key"), primary_key=True),
    Column("matches", Integer, nullable=False),
    Column("total", Float, nullable=False),
    Column("best", Float, nullable=False),
    Column("covered_a", Integer, nullable=False),
    Column("covered_b", Integer, nullable=False),
    Column("longest", Integer, nullable=False),
    Column("score", Float),
    Column("resemblance", Float),
    Column("containment", Float),
    Column("relation", String),
    Column("evidence", String, nullable=False),
)
"""A pair of documents in a run: figures of its matches, and the method's own figures for the pair."""

suspect_rows = Table(
    "suspect",
    METADATA,
    Column("run_id", Integer, ForeignKey("run.id"), primary_key=True),
    Column("a", Integer, ForeignKey("document.key"), primary_key=True),
    Column("matches", Integer, nullable=False),
    Column("sources", Integer, nullable=False),
    Column("total", Float, nullable=False),
    Column("best", Float, nullable=False),
    Column("covered", Integer, nullable=False),
    Column("longest", Integer, nullable=False),
)
"""A suspect in a run: figures of its matches over all sources."""

score_rows = Table(
    "document_score",
    METADATA,
    Column("run_id", Integer, ForeignKey("run.id"), primary_key=True),
    Column("document", Integer, ForeignKey("document.key"), primary_key=True),
    Column("score", Float, nullable=False),
    Column("evidence", String, nullable=False),
)
"""A run's score of one document; ``evidence`` is a JSON object."""

region_rows = Table(
    "region",
    METADATA,
    Column("id", Integer, primary_key=True),
    Column("run_id", Integer, ForeignKey("run.id"), nullable=False),
    Column("a", Integer, ForeignKey("document.key"), nullable=False),
    Column("b", Integer, ForeignKey("document.key"), nullable=False),
    Column("a_start", Integer, nullable=False),
    Column("a_end", Integer, nullable=False),
    Column("b_start", Integer, nullable=False),
    Column("b_end", Integer, nullable=False),
    Column("slope", Float, nullable=False),
)
"""A trustable region of a pair in a run; ``id`` keeps the method's order."""

label_rows = Table(
    "label_event",
    METADATA,
    Column("id", Integer, primary_key=True),
    Column("label_set", String, nullable=False),
    Column("target", String, nullable=False),
    Column("value", String, nullable=False),
    Column("old", String, nullable=False),
    Column("who", String, nullable=False),
    Column("occurred", String, nullable=False),
    Column("note", String, nullable=False),
    Column("hash", LargeBinary, nullable=False),
    Column("digest", String, nullable=False),
)
"""One event of the label log; ``hash`` chains it to the event before, ``digest`` identifies the text it is about."""

label_set_rows = Table(
    "label_set_version",
    METADATA,
    Column("id", Integer, primary_key=True),
    Column("name", String, nullable=False),
    Column("definition", String, nullable=False),
    Column("guidelines", String, nullable=False),
    Column("who", String, nullable=False),
    Column("occurred", String, nullable=False),
)
"""One version of a label set: ``definition`` is a JSON object, ``guidelines`` Markdown; the last one is in force."""

assignment_rows = Table(
    "label_assignment",
    METADATA,
    Column("label_set", String, primary_key=True),
    Column("target", String, primary_key=True),
    Column("annotator", String, primary_key=True),
)
"""Somebody who is asked to label ``target``."""

capture_rows = Table(
    "capture",
    METADATA,
    Column("id", Integer, primary_key=True),
    Column("fetch", String, nullable=False),
    Column("url", String, nullable=False),
    Column("final_url", String, nullable=False),
    Column("captured", String, nullable=False),
    Column("status", Integer, nullable=False),
    Column("outcome", String, nullable=False),
    Column("document", Integer, ForeignKey("document.key")),
    Column("etag", String, nullable=False),
    Column("last_modified", String, nullable=False),
    Column("body_hash", LargeBinary, nullable=False),
    Column("error", String, nullable=False),
    Column("size", Integer, nullable=False),
    Column("packed", LargeBinary, nullable=False),
)
"""A host's answer to the request for ``url`` in the fetch ``fetch``; ``packed`` contains the headers as JSON.

``outcome`` is new, unchanged, duplicate or failed; ``status`` is 0 if there was no answer, ``body_hash`` (SHA-256)
empty if there was no body.
"""

timestamp_rows = Table(
    "capture_timestamp",
    METADATA,
    Column("hash", LargeBinary, primary_key=True),
    Column("service", String, primary_key=True),
    Column("stamped", String, nullable=False),
    Column("size", Integer, nullable=False),
    Column("packed", LargeBinary, nullable=False),
)
"""The answer of a timestamp service about the bytes with this SHA-256; ``stamped`` is the time by its clock."""

body_rows = Table(
    "capture_body",
    METADATA,
    Column("hash", LargeBinary, primary_key=True),
    Column("size", Integer, nullable=False),
    Column("packed", LargeBinary, nullable=False),
)
"""The unchanged bytes of captured pages and of originals, by their SHA-256."""

original_rows = Table(
    "original",
    METADATA,
    Column("document", Integer, ForeignKey("document.key"), primary_key=True),
    Column("hash", LargeBinary, nullable=False),
)
"""The file that a document was read from, where it has pages or pages can be made of it."""

page_file_rows = Table(
    "page_file",
    METADATA,
    Column("document", Integer, ForeignKey("document.key"), primary_key=True),
    Column("hash", LargeBinary, nullable=False),
    Column("pages", Integer, nullable=False),
)
"""The PDF, and its number of pages, that another program made of the file of a document without pages."""

word_box_rows = Table(
    "word_box",
    METADATA,
    Column("document", Integer, ForeignKey("document.key"), primary_key=True),
    Column("size", Integer, nullable=False),
    Column("packed", LargeBinary, nullable=False),
)
"""Where the words of a document are on its pages, as :mod:`workbench.project.word_boxes` packs them."""

scan_rows = Table(
    "scan",
    METADATA,
    Column("id", Integer, primary_key=True),
    Column("run_id", Integer, ForeignKey("run.id"), nullable=False),
    Column("basis", String, nullable=False),
    Column("settings", String, nullable=False),
)
"""A search of web archives. ``basis`` identifies what their pages are compared with, and how."""

scan_file_rows = Table(
    "scan_file",
    METADATA,
    Column("scan_id", Integer, ForeignKey("scan.id"), primary_key=True),
    Column("path", String, primary_key=True),
    Column("size", Integer, nullable=False),
    Column("modified", Integer, nullable=False),
    Column("pieces", Integer, nullable=False),
    Column("finished", String, nullable=False),
)
"""A file of a scan as it was when it was listed; ``pieces`` were searched, ``finished`` is empty until all were."""

scan_failure_rows = Table(
    "scan_failure",
    METADATA,
    Column("id", Integer, primary_key=True),
    Column("scan_id", Integer, ForeignKey("scan.id"), nullable=False),
    Column("path", String, nullable=False),
    Column("error", String, nullable=False),
)
"""A record or file of a scan that could not be read."""

watch_rows = Table(
    "watch",
    METADATA,
    Column("id", Integer, primary_key=True),
    Column("name", String, nullable=False),
    Column("settings", String, nullable=False),
    Column("created", String, nullable=False),
    Column("deleted", String, nullable=False),
    Column("basis", String, nullable=False),
)
"""A saved search that is checked repeatedly. ``basis`` identifies what its pages were last compared with, and how."""

check_rows = Table(
    "watch_check",
    METADATA,
    Column("id", Integer, primary_key=True),
    Column("watch_id", Integer, ForeignKey("watch.id"), nullable=False),
    Column("started", String, nullable=False),
    Column("finished", String, nullable=False),
    Column("fetched", Integer, nullable=False),
    Column("unchanged", Integer, nullable=False),
    Column("failed", Integer, nullable=False),
    Column("examined", Integer, nullable=False),
    Column("reported", Integer, nullable=False),
    Column("known", Integer, nullable=False),
    Column("run_id", Integer, ForeignKey("run.id")),
    Column("message", String, nullable=False),
    Column("ignored", Integer, nullable=False),
    Column("gone", String, nullable=False),
    Column("failures", String, nullable=False),
)
"""One check of a watch; ``finished`` is empty while it runs, and remains so if its process died."""

seen_rows = Table(
    "watch_seen",
    METADATA,
    Column("watch_id", Integer, ForeignKey("watch.id"), primary_key=True),
    Column("document", Integer, ForeignKey("document.key"), primary_key=True),
    Column("content", String, nullable=False),
)
"""A document that a watch has compared; ``content`` identifies the text and blocks it had then."""

watch_match_rows = Table(
    "watch_match",
    METADATA,
    Column("id", Integer, primary_key=True),
    Column("watch_id", Integer, ForeignKey("watch.id"), nullable=False),
    Column("check_id", Integer, ForeignKey("watch_check.id"), nullable=False),
    Column("page", String, nullable=False),
    Column("a", Integer, ForeignKey("document.key"), nullable=False),
    Column("b", Integer, ForeignKey("document.key"), nullable=False),
    Column("a_start", Integer, nullable=False),
    Column("a_end", Integer, nullable=False),
    Column("b_start", Integer, nullable=False),
    Column("b_end", Integer, nullable=False),
    Column("score", Float, nullable=False),
    Column("tier", Integer, nullable=False),
    Column("gaps", String),
)
"""A match reported by a check; ``page`` identifies the page across all its captures, ``gaps`` is a JSON list of
[side, start, end], NULL where there are none.
"""

threshold_rows = Table(
    "threshold_event",
    METADATA,
    Column("id", Integer, primary_key=True),
    Column("method", String, nullable=False),
    Column("kind", String, nullable=False),
    Column("value", Float),
    Column("facts", String, nullable=False),
    Column("who", String, nullable=False),
    Column("occurred", String, nullable=False),
)
"""A threshold that was chosen for a method and a kind of item; ``value`` is null where it was withdrawn."""

sheet_rows = Table(
    "sheet",
    METADATA,
    Column("id", Integer, primary_key=True),
    Column("name", String, nullable=False),
    Column("figure", String, nullable=False),
    Column("request", String, nullable=False),
    Column("drawn", String, nullable=False),
    Column("occurred", String, nullable=False),
    Column("deleted", String, nullable=False),
)
"""A figure that is kept: its input (``request``) and its output (``drawn``), both JSON."""
