"""A scan from start to finish: lists archives, resumes where it was interrupted, and stores the hits."""

from __future__ import annotations

import hashlib
import os
import shlex
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from workbench.base.coverage import B, lengths
from workbench.base.errors import UserError
from workbench.base.messages import Counted, Message
from workbench.base.types import Document, Results, Role, Run, RunState
from workbench.jobs.context import Context
from workbench.methods.core.api import Method, Parameters
from workbench.project import scans
from workbench.project.captures import ARCHIVED, Capture, Outcome, add_bodies, add_captures, captured_urls
from workbench.project.clock import moment
from workbench.project.database import Connection, Project, open_project
from workbench.project.documents import add_documents, corpus_hash, count_documents
from workbench.project.listing import addresses, items_of, keys_of, keys_of_role, last_key
from workbench.project.pages import load_selectors
from workbench.project.runs import as_part, begin_run, finish_run, load_run, resume_run
from workbench.project.scans import Scan, ScanFile
from workbench.reading import formats
from workbench.reading.formats import Failure, FileSlice, Item, ReadOptions, Record, Source, sentence, warc
from workbench.reading.formats.opening import head
from workbench.reading.web.urls import canonical
from workbench.services.detecting.corpus import ProjectCorpus, scope_of
from workbench.services.detecting.indexing import index_folder
from workbench.services.detecting.runs import recording_failure
from workbench.services.importing.batch import ImportOptions
from workbench.services.importing.parsing import parse_all
from workbench.services.importing.pieces import Reading, WorkItem, file_units
from workbench.services.scanning.settings import ScanSettings
from workbench.services.session import Session

MOST_PAGES = 500
MOST_BYTES = 24_000_000
"""Maximum number of pages, and of bytes of their records, in memory at once."""
MOST_SECONDS = 10.0
"""Seconds after which progress is recorded, so that an interruption loses little."""


@dataclass(slots=True)
class WaitingPages:
    """Pages waiting to be compared. ``pieces`` counts the pieces read of each file so far; ``finished`` lists the files
    read to the end.
    """

    pieces: dict[str, int] = field(default_factory=dict)
    finished: list[str] = field(default_factory=list)
    documents: list[Document] = field(default_factory=list)
    failures: list[tuple[str, str]] = field(default_factory=list)
    left_out: Counter[str] = field(default_factory=Counter)
    pages: int = 0
    _records: dict[str, FileSlice] = field(default_factory=dict)
    _bytes: int = 0
    _begun: float = field(default_factory=time.monotonic)

    def add(self, piece: WorkItem, items: Sequence[Item], passed: Mapping[Path, int]) -> None:
        """Add the items of ``piece``; ``passed`` is how many pieces of each file an earlier execution read."""
        if piece.file is not None:
            path = str(piece.file)
            self.pieces[path] = self.pieces.get(path, passed.get(piece.file, 0)) + 1
        for source in piece.inputs:
            if isinstance(source, Source) and source.part is not None:
                self._records[source.name] = source.part
                self._bytes += len(source.part.data)
        for item in items:
            if isinstance(item, Record):
                self.pages += 1
                self.documents.append(replace(item.document, role=Role.SUSPECT, markup=""))
            elif isinstance(item, Failure):
                self.failures.append((item.path, item.error))

    def record_of(self, document: Document) -> FileSlice | None:
        """The record that a page was read from."""
        return self._records.get(document.id)

    @property
    def is_due(self) -> bool:
        """Whether enough pages are waiting, or have waited long enough."""
        waited = time.monotonic() - self._begun
        return self.pages >= MOST_PAGES or self._bytes >= MOST_BYTES or waited >= MOST_SECONDS

    def following(self) -> WaitingPages:
        """An empty queue that continues the same files."""
        going_on = {path: count for path, count in self.pieces.items() if path not in self.finished}
        return WaitingPages(going_on)


_SHORT = Message("matches shorter than requested")
_SOURCES = Message("pages that are sources of this project")


def counting(results: Results, settings: ScanSettings, left_out: Counter[str]) -> Results:
    """The matches long enough to count; the others are added to ``left_out``, by reason."""
    matches = results.matches
    long_enough = lengths(matches, B) >= settings.min_characters
    left_out[_SHORT] += int((~long_enough).sum())
    left_out.update(results.excluded)
    return Results(matches.take(np.flatnonzero(long_enough)))


def keep(
    connection: Connection,
    scan: Scan,
    results: Results,
    pages: Mapping[int, Document],
    waiting: WaitingPages,
    options: ReadOptions,
) -> Results:
    """Store the pages with matches as suspects, and their records as captures. Returns ``results`` with their keys."""
    hits = [pages[key] for key in np.unique(results.matches.a).tolist()]
    added = add_documents(connection, hits)
    known = keys_of(connection, [identity for identity in added.ids if identity])
    keys = {page.key: known.get(identity, 0) for page, identity in zip(hits, added.ids, strict=True)}
    waiting.failures += added.failures
    roles = {key: item.role for key, item in items_of(connection, sorted(set(known.values()))).items()}
    sources = {key for key, role in roles.items() if role != Role.SUSPECT}
    waiting.left_out[_SOURCES] += len(sources)
    for page in hits:
        part, key = waiting.record_of(page), keys[page.key]
        if part is not None and key and key not in sources:
            _capture(connection, f"{ARCHIVED}{scan.id}.{key}", page, key, part, options)
    matches = results.matches
    translated = np.array([keys[key] for key in matches.a.tolist()], np.int64)
    kept = np.flatnonzero((translated > 0) & ~np.isin(translated, list(sources)))
    left_out = {reason: count for reason, count in waiting.left_out.items() if count}
    return Results(replace(matches, a=translated).take(kept), excluded=left_out)


def _capture(
    connection: Connection, name: str, page: Document, key: int, part: FileSlice, options: ReadOptions
) -> None:
    try:
        answer = warc.answer_of(part, options)
    except (UserError, OSError):
        # The page was read from this record; if it cannot be read again, the page has no capture.
        return
    digest = hashlib.sha256(answer.body).digest()
    time = answer.captured if moment(answer.captured) else ""
    archived = (("warc-record-id", answer.record), ("warc-record", page.id))
    capture = Capture(
        page.url,
        page.url,
        time,
        Outcome.NEW,
        answer.status,
        key,
        body_hash=digest,
        headers=(*answer.headers, *archived),
    )
    if page.url in captured_urls(connection, name):
        return
    add_bodies(connection, {digest: answer.body})
    add_captures(connection, name, [capture])


@dataclass(frozen=True, slots=True)
class Listed:
    """Archives in order, each with an identification of its current content; files that cannot be opened; and the
    number of ``others`` in the folders, which are not web archives.
    """

    files: tuple[tuple[Source, ScanFile], ...]
    failed: tuple[Failure, ...]
    others: int


def list_archives(paths: Sequence[Path], options: ReadOptions) -> Listed:
    """WARC and WET files, compressed or not; a file named directly is recognised by its content, whatever its name."""
    named = {os.path.abspath(path) for path in paths}
    files, failed, others = [], [], 0
    for item in formats.expand(paths, options, archives=False):
        if isinstance(item, Failure):
            failed.append(item)
            continue
        place = os.path.abspath(item.path)
        if item.suffix not in warc.suffixes and place not in named:
            others += 1
            continue
        try:
            status = item.path.stat()
            if item.suffix not in warc.suffixes and not warc.begins_an_archive(head(item, options)):
                raise UserError(warc.NO_ARCHIVE)
        except (OSError, UserError) as error:
            failed.append(Failure(item.name, sentence(error)))
            continue
        files.append((Source(Path(place), item.name), ScanFile(place, status.st_size, status.st_mtime_ns)))
    return Listed(tuple(files), tuple(failed), others)


_STAGE = Message("Searching web archives")
_FORMAT = "warc"
_IGNORED = Message("pages of ignored sites")


@dataclass(frozen=True, slots=True)
class Scanned:
    """A finished scan: its run, the number of ``files`` searched, of files ``known`` from earlier scans for the same
    sources, and of ``others`` that are not web archives. ``failed`` counts records and files that could not be read.
    """

    scan: int
    run: Run
    files: int
    known: int = 0
    others: int = 0
    failed: int = 0


def scan(
    ctx: Context,
    project_path: Path,
    paths: Sequence[Path],
    settings: ScanSettings,
    *,
    again: bool = False,
    workers: int | None = None,
) -> Scanned:
    """Search the web archives below ``paths`` for copies of the project's sources (a job).

    A page with a match becomes a suspect, with its record as a capture; the matches become a run. Files already
    searched for the same sources with the same settings are skipped, unless ``again``. After a cancellation or a crash
    the same call continues after the last pages that were searched. Raises UserError, ParameterError, Cancelled.
    """
    method, parameters = settings.chosen()
    with open_project(project_path) as project:
        with project.read() as connection:
            reading = ImportOptions(format=_FORMAT, blocks=settings.rule).reading()
            selectors = load_selectors(connection)
            reading = replace(reading, options=replace(reading.options, selectors=selectors))
            if not count_documents(connection, [Role.SOURCE]):
                raise UserError(
                    Message("There are no sources to search for."),
                    command=f"Import some: palimpsest import {shlex.quote(str(project.path))} PATH... --role source",
                )
            basis = _basis(connection, method, parameters, settings, reading)
        listed = list_archives(paths, reading.options)
        with project.write() as connection:
            known = set() if again else scans.searched(connection, basis)
            files = [(source, file) for source, file in listed.files if file.stamp not in known]
            passed_over = len(listed.files) - len(files)
            if not files:
                raise _nothing(passed_over, listed.failed, _other_files(listed.others))
            current = _begun(connection, basis, settings, method, parameters, [file for _, file in files])
        ctx.changed("runs")
        job = _Scanning(ctx, project, current, settings, method, parameters, reading)
        run = job.go(files, listed.failed, workers or os.cpu_count() or 1)
        with project.read() as connection:
            failed = scans.count_failures(connection, current)
    return Scanned(current.id, run, len(files), passed_over, listed.others, failed)


def go_on(ctx: Context, project_path: Path, run_id: int, *, workers: int | None = None) -> Scanned:
    """Continue the scan of a run (a job); a new one if the sources or an archive have changed.

    Raises UserError if the run is not of a scan, or an archive that it has not finished cannot be opened; otherwise as
    :func:`scan`.
    """
    with open_project(project_path, write=False) as project, project.read() as connection:
        interrupted = scans.scan_of_run(connection, run_id)
        if interrupted is None:
            raise UserError(Message("Run {run} was not made by a scan.", run=run_id))
        files = scans.files_of(connection, interrupted)
        # A scan that searches files again has open files that another scan finished.
        again = not scans.searched(connection, interrupted.basis).isdisjoint(f.stamp for f in files if not f.done)
    for file in files:
        if not file.done and not os.access(file.path, os.R_OK):
            raise UserError(
                Message("This archive of the scan is missing or cannot be read."),
                path=Path(file.path),
                hint=Message("Put it back, or start a new search without it."),
            )
    paths = [Path(file.path) for file in files if not file.done or os.path.exists(file.path)]
    return scan(ctx, project_path, paths, ScanSettings.parse(interrupted.settings), again=again, workers=workers)


def is_of_scan(session: Session, run_id: int) -> bool:
    """Whether the run is of a scan."""
    with session.read() as connection:
        return scans.scan_of_run(connection, run_id) is not None


def failures(session: Session, scanned: Scanned) -> Iterator[Failure]:
    """The records and files that could not be read, in order."""
    with session.read() as connection:
        current = scans.scan_of_run(connection, scanned.run.id)
        if current is not None:
            for path, error in scans.failures_of(connection, current):
                yield Failure(path, error)


def _nothing(passed_over: int, failed: Sequence[Failure], others: str) -> UserError:
    if not passed_over:
        if failed:
            return UserError(failed[0].error, path=failed[0].path, hint=others)
        return UserError(Message("There is no web archive (WARC or WET)."), hint=others)
    known = Counted(
        "The {count} web archive was already searched for these sources; nothing is new.",
        "All {count} web archives were already searched for these sources; nothing is new.",
        passed_over,
    )
    refused = [Message("{path}: {message}", path=failure.path, message=failure.error) for failure in failed]
    return UserError(known, hint=Message.joined(" ", [*refused, *filter(None, [others])]))


def _other_files(others: int) -> str:
    if not others:
        return ""
    return Counted("{count} file of another kind was skipped.", "{count} files of other kinds were skipped.", others)


def _basis(
    connection: Connection, method: Method, parameters: Parameters, settings: ScanSettings, reading: Reading
) -> str:
    """A digest of everything that affects the matches of a page."""
    scope = scope_of(parameters)
    sources = corpus_hash(connection, method.index_roles(ProjectCorpus(connection, scope), parameters), scope=scope)
    pages = (settings.rule, sorted(reading.options.selectors.items()))
    counted = (settings.min_characters, sorted(settings.ignored))
    what = (method.name, method.version, parameters.as_dict(), sources, pages, counted)
    return hashlib.sha256(repr(what).encode()).hexdigest()


def _begun(
    connection: Connection,
    basis: str,
    settings: ScanSettings,
    method: Method,
    parameters: Parameters,
    files: Sequence[ScanFile],
) -> Scan:
    """The unfinished scan with the same basis whose open files are all among ``files``, or a new one.

    A scan that searched an earlier state of one of ``files`` is not continued: it would pass over the present one.
    """
    stamps = {file.stamp for file in files}
    for before in scans.scans(connection):
        if before.basis != basis or not before.run.state.resumable:
            continue
        listed = scans.files_of(connection, before)
        own = {file.path: file.stamp for file in listed}
        unchanged = all(own.get(file.path, file.stamp) == file.stamp for file in files)
        if unchanged and {file.stamp for file in listed if not file.done} <= stamps:
            scans.add_files(connection, before, [file for file in files if file.path not in own])
            return replace(before, run=resume_run(connection, before.run.id))
    origin = hashlib.sha256(f"scan {basis}".encode()).hexdigest()
    run = as_part(connection, begin_run(connection, method.name, method.version, parameters.as_dict(), origin, 0))
    begun = scans.begin_scan(connection, run, basis, settings.as_dict())
    scans.add_files(connection, begun, files)
    return begun


@dataclass(slots=True)
class _Scanning:
    """One execution of a scan."""

    ctx: Context
    project: Project
    scan: Scan
    settings: ScanSettings
    method: Method
    parameters: Parameters
    reading: Reading
    begun: float = field(default_factory=time.monotonic)
    own: set[str] = field(default_factory=set)
    """The addresses of the sources, in canonical form: the pages there are the sources themselves."""

    def go(self, files: Sequence[tuple[Source, ScanFile]], failed: Sequence[Failure], workers: int) -> Run:
        """Search those of ``files`` that are not finished, and end the run as done, cancelled or failed."""
        with recording_failure(self._end):
            self._search(files, failed, workers)
        return self._end(RunState.DONE)

    def _search(self, files: Sequence[tuple[Source, ScanFile]], failed: Sequence[Failure], workers: int) -> None:
        folder = index_folder(self.project, self.method, self.parameters, self.ctx)
        index = self.method.load(folder, self.parameters)
        with self.project.read() as connection:
            before = {file.path: file for file in scans.files_of(connection, self.scan)}
            first_key = last_key(connection) + 1
            urls = addresses(connection, keys_of_role(connection, Role.SOURCE))
        self.own = set(map(canonical, urls.values())) - {""}
        inputs = [source for source, file in files if not before[file.path].done]
        passed = {source.path: before[str(source.path)].pieces for source in inputs}
        total = sum(map(file_units, inputs))
        waiting = WaitingPages()
        waiting.failures += [(failure.path, failure.error) for failure in failed]
        done, current = 0, None
        with closing(parse_all(self.ctx, inputs, self.reading, workers, passed)) as parsed:
            for piece, items in parsed:
                if piece.file != current and current is not None:
                    waiting.finished.append(str(current))
                current = piece.file
                waiting.add(piece, items, passed)
                done += piece.units
                if waiting.is_due:
                    self._compare(index, waiting, first_key)
                    waiting = waiting.following()
                self.ctx.advance(_STAGE, min(done, total), total)
        # A file has no pieces left if an earlier execution read all of it but died before recording that.
        waiting.finished += [str(source.path) for source in inputs]
        self._compare(index, waiting, first_key)

    def _compare(self, index: Any, waiting: WaitingPages, first_key: int) -> None:
        """Compare the waiting pages, and store their matches together with the progress in each file."""
        foreign = [d for d in waiting.documents if canonical(d.url) not in self.own]
        compared = [d for d in foreign if not self.settings.ignores(d.url)]
        waiting.left_out[_SOURCES] += len(waiting.documents) - len(foreign)
        waiting.left_out[_IGNORED] += len(foreign) - len(compared)
        # Pages are not documents yet, so for now they have keys that no document has.
        pages = {key: replace(document, key=key) for key, document in enumerate(compared, first_key)}
        results = Results()
        if pages:
            results = self.method.detect(index, list(pages.values()), self.parameters, self.ctx)
        results = counting(results, self.settings, waiting.left_out)
        with self.project.write() as connection:
            stored = keep(connection, self.scan, results, pages, waiting, self.reading.options)
            pieces = {path: waiting.pieces[path] for path in waiting.pieces}
            scans.advance(
                connection,
                self.scan,
                pieces,
                waiting.finished,
                stored,
                documents=waiting.pages,
                failures=waiting.failures,
            )
        self.ctx.changed("matches", *(["documents"] if len(stored.matches) else []))

    def _end(self, state: RunState, message: str = "") -> Run:
        with self.project.write() as connection:
            finish_run(connection, self.scan.run.id, state, time.monotonic() - self.begun, message)
            run = load_run(connection, self.scan.run.id)
        self.ctx.changed("runs", "matches", "documents")
        return run
