"""The tables of a project file as SQLAlchemy models, without its mapper at run time.

The SQL that creates them is in :mod:`workbench.project.migrations`; a test checks that the two agree. Times are ISO
8601 in UTC, empty if something has not happened yet. A ``packed`` column is one zstd frame that unpacks to ``size``
bytes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import ForeignKey

if TYPE_CHECKING:
    from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column
else:
    from workbench.project.declaring import DeclarativeBase, mapped_column


class Base(DeclarativeBase):
    """Base of all tables."""


class TextRow(Base):
    """A text, stored once by content: SHA-256 of its UTF-8, its length in code points, its size in bytes."""

    __tablename__ = "text"

    id: Mapped[int] = mapped_column(primary_key=True)
    hash: Mapped[bytes] = mapped_column(unique=True)
    characters: Mapped[int]
    size: Mapped[int]
    packed: Mapped[bytes]


class BatchRow(Base):
    """One import; ``finished`` is empty while it runs, and remains so if its process died."""

    __tablename__ = "import_batch"

    id: Mapped[int] = mapped_column(primary_key=True)
    role: Mapped[str]
    started: Mapped[str]
    finished: Mapped[str]
    message: Mapped[str]


class FailureRow(Base):
    """An input that could not be imported; ``resolved`` is when a later import accepted it."""

    __tablename__ = "import_failure"

    id: Mapped[int] = mapped_column(primary_key=True)
    batch_id: Mapped[int] = mapped_column(ForeignKey("import_batch.id"))
    path: Mapped[str]
    error: Mapped[str]
    occurred: Mapped[str]
    resolved: Mapped[str]


class DocumentRow(Base):
    """A document; ``id`` is unique among those not deleted, ``deleted`` is when it was deleted (empty: it exists).

    ``tags`` are names between commas, one before the first and one after the last (empty: none). ``dated_by`` says
    where ``published`` comes from (a DateSource; empty: unknown).
    ``blocks_kept`` of its ``blocks`` are content; ``content_digest`` identifies which (empty: the whole text).
    """

    __tablename__ = "document"

    key: Mapped[int] = mapped_column(primary_key=True)
    id: Mapped[str]
    role: Mapped[str]
    title: Mapped[str]
    url: Mapped[str]
    site: Mapped[str]
    published: Mapped[str]
    language: Mapped[str]
    origin: Mapped[str]
    characters: Mapped[int]
    text_id: Mapped[int] = mapped_column(ForeignKey("text.id"))
    batch_id: Mapped[int | None] = mapped_column(ForeignKey("import_batch.id"))
    deleted: Mapped[str]
    blocks: Mapped[int]
    blocks_kept: Mapped[int]
    content_digest: Mapped[str]
    tags: Mapped[str]
    dated_by: Mapped[str]


class DetailRow(Base):
    """Data needed only when a document is opened: blocks, links and extraction as packed JSON."""

    __tablename__ = "document_detail"

    key: Mapped[int] = mapped_column(ForeignKey("document.key"), primary_key=True)
    size: Mapped[int]
    packed: Mapped[bytes]


class PageSourceRow(Base):
    """The markup a web page was read from, as UTF-8."""

    __tablename__ = "page_source"

    key: Mapped[int] = mapped_column(ForeignKey("document.key"), primary_key=True)
    size: Mapped[int]
    packed: Mapped[bytes]


class FingerprintRow(Base):
    """The packed fingerprint by which a page's blocks are compared, and a digest of what was last found repeated on
    it.
    """

    __tablename__ = "page_fingerprint"

    key: Mapped[int] = mapped_column(ForeignKey("document.key"), primary_key=True)
    blocks: Mapped[bytes]
    applied: Mapped[str]


class OverrideRow(Base):
    """A person's decision on ``[start, end)`` of a document's text; an empty verdict withdraws the earlier ones."""

    __tablename__ = "block_override"

    id: Mapped[int] = mapped_column(primary_key=True)
    document: Mapped[int] = mapped_column(ForeignKey("document.key"))
    start: Mapped[int]
    end: Mapped[int]
    verdict: Mapped[str]
    who: Mapped[str]
    occurred: Mapped[str]


class SelectorRow(Base):
    """The CSS selector of the main text of a host's pages."""

    __tablename__ = "body_selector"

    host: Mapped[str] = mapped_column(primary_key=True)
    selector: Mapped[str]


class RunRow(Base):
    """One application of a method. ``state`` is never ``interrupted`` here: that is determined from the run's lock.

    ``varied_from``: the run whose parameters a sweep varied to make this one. ``taken_over``: how many of its documents
    were examined in the run that it ``continues``. ``watch``: the watch whose check made it. ``part``: it examined some
    documents only. ``removed`` is when it was removed (empty: it is there).
    """

    __tablename__ = "run"

    id: Mapped[int] = mapped_column(primary_key=True)
    method: Mapped[str]
    version: Mapped[int]
    parameters: Mapped[str]
    corpus_hash: Mapped[str]
    state: Mapped[str]
    created: Mapped[str]
    finished: Mapped[str]
    seconds: Mapped[float]
    chunks: Mapped[int]
    documents: Mapped[int]
    matches: Mapped[int]
    pairs: Mapped[int]
    scores: Mapped[int]
    excluded: Mapped[str]
    message: Mapped[str]
    varied_from: Mapped[int | None]
    continues: Mapped[int | None]
    taken_over: Mapped[int]
    watch: Mapped[int | None]
    part: Mapped[int]
    removed: Mapped[str]


class ChunkRow(Base):
    """A finished chunk of a run; its matches were committed with it."""

    __tablename__ = "run_chunk"

    run_id: Mapped[int] = mapped_column(ForeignKey("run.id"), primary_key=True)
    chunk_index: Mapped[int] = mapped_column(primary_key=True)


class BlockRow(Base):
    """Consecutive matches of a run as packed columns.

    ``position`` orders the blocks of a run: chunk index * 2^20 + part. ``a_low``..``a_high`` bounds the keys of
    the suspects inside. ``gaps``: what lies within the matches and is no part of them, packed; NULL where nothing does.
    """

    __tablename__ = "match_block"

    id: Mapped[int] = mapped_column(primary_key=True)
    run_id: Mapped[int] = mapped_column(ForeignKey("run.id"))
    position: Mapped[int]
    rows: Mapped[int]
    a_low: Mapped[int]
    a_high: Mapped[int]
    size: Mapped[int]
    packed: Mapped[bytes]
    gaps_size: Mapped[int | None]
    gaps: Mapped[bytes | None]


class PairRow(Base):
    """A pair of documents in a run: figures of its matches, and the method's own figures for the pair."""

    __tablename__ = "pair"

    run_id: Mapped[int] = mapped_column(ForeignKey("run.id"), primary_key=True)
    a: Mapped[int] = mapped_column(ForeignKey("document.key"), primary_key=True)
    b: Mapped[int] = mapped_column(ForeignKey("document.key"), primary_key=True)
    matches: Mapped[int]
    total: Mapped[float]
    best: Mapped[float]
    covered_a: Mapped[int]
    covered_b: Mapped[int]
    longest: Mapped[int]
    score: Mapped[float | None]
    resemblance: Mapped[float | None]
    containment: Mapped[float | None]
    relation: Mapped[str | None]
    evidence: Mapped[str]


class SuspectRow(Base):
    """A suspect in a run: figures of its matches over all sources."""

    __tablename__ = "suspect"

    run_id: Mapped[int] = mapped_column(ForeignKey("run.id"), primary_key=True)
    a: Mapped[int] = mapped_column(ForeignKey("document.key"), primary_key=True)
    matches: Mapped[int]
    sources: Mapped[int]
    total: Mapped[float]
    best: Mapped[float]
    covered: Mapped[int]
    longest: Mapped[int]


class ScoreRow(Base):
    """A run's score of one document; ``evidence`` is a JSON object."""

    __tablename__ = "document_score"

    run_id: Mapped[int] = mapped_column(ForeignKey("run.id"), primary_key=True)
    document: Mapped[int] = mapped_column(ForeignKey("document.key"), primary_key=True)
    score: Mapped[float]
    evidence: Mapped[str]


class RegionRow(Base):
    """A trustable region of a pair in a run; ``id`` keeps the method's order."""

    __tablename__ = "region"

    id: Mapped[int] = mapped_column(primary_key=True)
    run_id: Mapped[int] = mapped_column(ForeignKey("run.id"))
    a: Mapped[int] = mapped_column(ForeignKey("document.key"))
    b: Mapped[int] = mapped_column(ForeignKey("document.key"))
    a_start: Mapped[int]
    a_end: Mapped[int]
    b_start: Mapped[int]
    b_end: Mapped[int]
    slope: Mapped[float]


class LabelRow(Base):
    """One event of the label log; ``hash`` chains it to the event before, ``digest`` tells the text it is about."""

    __tablename__ = "label_event"

    id: Mapped[int] = mapped_column(primary_key=True)
    label_set: Mapped[str]
    target: Mapped[str]
    value: Mapped[str]
    old: Mapped[str]
    who: Mapped[str]
    occurred: Mapped[str]
    note: Mapped[str]
    hash: Mapped[bytes]
    digest: Mapped[str]


class LabelSetRow(Base):
    """One version of a label set: ``definition`` is a JSON object, ``guidelines`` Markdown; the last one holds."""

    __tablename__ = "label_set_version"

    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str]
    definition: Mapped[str]
    guidelines: Mapped[str]
    who: Mapped[str]
    occurred: Mapped[str]


class AssignmentRow(Base):
    """Somebody who is asked to label ``target``."""

    __tablename__ = "label_assignment"

    label_set: Mapped[str] = mapped_column(primary_key=True)
    target: Mapped[str] = mapped_column(primary_key=True)
    annotator: Mapped[str] = mapped_column(primary_key=True)


class CaptureRow(Base):
    """A host's answer to the request for ``url`` in the fetch ``fetch``; ``packed`` holds the headers as JSON.

    ``outcome`` is new, unchanged, duplicate or failed; ``status`` is 0 if there was no answer, ``body_hash`` (SHA-256)
    empty if there was no body.
    """

    __tablename__ = "capture"

    id: Mapped[int] = mapped_column(primary_key=True)
    fetch: Mapped[str]
    url: Mapped[str]
    final_url: Mapped[str]
    captured: Mapped[str]
    status: Mapped[int]
    outcome: Mapped[str]
    document: Mapped[int | None] = mapped_column(ForeignKey("document.key"))
    etag: Mapped[str]
    last_modified: Mapped[str]
    body_hash: Mapped[bytes]
    error: Mapped[str]
    size: Mapped[int]
    packed: Mapped[bytes]


class TimestampRow(Base):
    """The answer of a timestamp service about the bytes with this SHA-256; ``stamped`` is the time by its clock."""

    __tablename__ = "capture_timestamp"

    hash: Mapped[bytes] = mapped_column(primary_key=True)
    service: Mapped[str] = mapped_column(primary_key=True)
    stamped: Mapped[str]
    size: Mapped[int]
    packed: Mapped[bytes]


class BodyRow(Base):
    """The body of captured pages as it came, by its SHA-256."""

    __tablename__ = "capture_body"

    hash: Mapped[bytes] = mapped_column(primary_key=True)
    size: Mapped[int]
    packed: Mapped[bytes]


class ScanRow(Base):
    """A search of web archives. ``basis`` identifies what their pages are compared with, and how."""

    __tablename__ = "scan"

    id: Mapped[int] = mapped_column(primary_key=True)
    run_id: Mapped[int] = mapped_column(ForeignKey("run.id"))
    basis: Mapped[str]
    settings: Mapped[str]


class ScanFileRow(Base):
    """A file of a scan as it was when it was listed; ``pieces`` were searched, ``finished`` is empty until all were."""

    __tablename__ = "scan_file"

    scan_id: Mapped[int] = mapped_column(ForeignKey("scan.id"), primary_key=True)
    path: Mapped[str] = mapped_column(primary_key=True)
    size: Mapped[int]
    modified: Mapped[int]
    pieces: Mapped[int]
    finished: Mapped[str]


class ScanFailureRow(Base):
    """A record or file of a scan that could not be read."""

    __tablename__ = "scan_failure"

    id: Mapped[int] = mapped_column(primary_key=True)
    scan_id: Mapped[int] = mapped_column(ForeignKey("scan.id"))
    path: Mapped[str]
    error: Mapped[str]


class WatchRow(Base):
    """A saved search that is checked repeatedly. ``basis`` identifies what its pages were last compared with, and how;
    ``compared`` is no longer used.
    """

    __tablename__ = "watch"

    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str]
    settings: Mapped[str]
    created: Mapped[str]
    compared: Mapped[int]
    deleted: Mapped[str]
    basis: Mapped[str]


class CheckRow(Base):
    """One check of a watch; ``finished`` is empty while it runs, and remains so if its process died."""

    __tablename__ = "watch_check"

    id: Mapped[int] = mapped_column(primary_key=True)
    watch_id: Mapped[int] = mapped_column(ForeignKey("watch.id"))
    started: Mapped[str]
    finished: Mapped[str]
    fetched: Mapped[int]
    unchanged: Mapped[int]
    failed: Mapped[int]
    examined: Mapped[int]
    reported: Mapped[int]
    known: Mapped[int]
    run_id: Mapped[int | None] = mapped_column(ForeignKey("run.id"))
    message: Mapped[str]
    ignored: Mapped[int]
    gone: Mapped[str]
    failures: Mapped[str]


class SeenRow(Base):
    """A document that a watch has compared; ``content`` identifies the text and blocks it had then."""

    __tablename__ = "watch_seen"

    watch_id: Mapped[int] = mapped_column(ForeignKey("watch.id"), primary_key=True)
    document: Mapped[int] = mapped_column(ForeignKey("document.key"), primary_key=True)
    content: Mapped[str]


class WatchMatchRow(Base):
    """A match reported by a check; ``page`` identifies the page across all its captures, ``gaps`` is a JSON list of
    [side, start, end], NULL where there are none.
    """

    __tablename__ = "watch_match"

    id: Mapped[int] = mapped_column(primary_key=True)
    watch_id: Mapped[int] = mapped_column(ForeignKey("watch.id"))
    check_id: Mapped[int] = mapped_column(ForeignKey("watch_check.id"))
    page: Mapped[str]
    a: Mapped[int] = mapped_column(ForeignKey("document.key"))
    b: Mapped[int] = mapped_column(ForeignKey("document.key"))
    a_start: Mapped[int]
    a_end: Mapped[int]
    b_start: Mapped[int]
    b_end: Mapped[int]
    score: Mapped[float]
    tier: Mapped[int]
    gaps: Mapped[str | None]


class ThresholdRow(Base):
    """A threshold that was chosen for a method and a kind of item; ``value`` is null where it was withdrawn."""

    __tablename__ = "threshold_event"

    id: Mapped[int] = mapped_column(primary_key=True)
    method: Mapped[str]
    kind: Mapped[str]
    value: Mapped[float | None]
    facts: Mapped[str]
    who: Mapped[str]
    occurred: Mapped[str]


class SheetRow(Base):
    """A figure that is kept: what it was drawn from (``request``) and what came of it (``drawn``), both JSON."""

    __tablename__ = "sheet"

    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str]
    figure: Mapped[str]
    request: Mapped[str]
    drawn: Mapped[str]
    occurred: Mapped[str]
    deleted: Mapped[str]
