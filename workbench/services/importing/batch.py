"""Imports texts into a project: parsed in worker processes, stored in batches, in the order of the inputs."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import count
from pathlib import Path

from workbench.base.errors import Cancelled, UserError
from workbench.base.messages import Message
from workbench.base.types import Document, Extraction, Label, Role, Span
from workbench.jobs.context import Context
from workbench.project import labels
from workbench.project.database import Connection, Project, open_project
from workbench.project.documents import add_documents, load_document, present_versions
from workbench.project.imports import add_failures, begin_batch
from workbench.project.listing import document_table
from workbench.project.pages import load_selectors
from workbench.reading import formats, recognition
from workbench.reading.blocks.rules import check_rule
from workbench.reading.decoding import clean
from workbench.reading.formats import Failure, Notice, ReadOptions, Record, Reference, Source
from workbench.reading.formats.names import legible
from workbench.reading.formats.rows import by_heading
from workbench.reading.integrity import with_flags
from workbench.services.importing.parsing import parse_all
from workbench.services.importing.pieces import Reading, file_units, is_divisible, is_row_file
from workbench.services.importing.storing import Store, batch_ended, in_other_roles, some_of
from workbench.services.labels.sets import REFERENCE, REFERENCE_PAIRS, VALUES
from workbench.services.labels.targets import IMPORTED, pair_target, passage_target
from workbench.services.pages.selectors import Unselected
from workbench.services.pages.sites import judge_sites
from workbench.services.session import Session
from workbench.text.languages import detect_language

_STAGE = Message("Reading")
_COPY, _NOT = VALUES[REFERENCE_PAIRS]


@dataclass(frozen=True, slots=True)
class ImportOptions:
    """How to import. ``encoding`` and ``language`` override detection; ``base`` is a folder that ids are relative to;
    ``blocks`` names the rule for content blocks of pages, and ``site_repetition`` whether text that a site repeats is
    left out; ``titles`` maps ids to titles; all documents get ``tags``. ``ocr`` names the languages of text that is
    read from pictures (``auto``: by the first page; empty: none is read). ``columns`` maps headings of tables to the
    fields that they contain (in rows of JSON, names; "" ignores the column). ``workers`` None means one per processor;
    ``limit`` is the time limit for one input, in seconds.

    ``update``: a file that has changed becomes a new version of the document that came from the same path. Of
    ``version_of``, the id of a document, the one text becomes a new version.
    """

    format: str = "auto"
    encoding: str | None = None
    language: str | None = None
    blocks: str = "default"
    site_repetition: bool = True
    base: Path | None = None
    titles: Mapping[str, str] = field(default_factory=dict)
    tags: tuple[str, ...] = ()
    ocr: str = ""
    columns: Mapping[str, str] = field(default_factory=dict)
    workers: int | None = None
    limit: float = 60.0
    update: bool = False
    version_of: str = ""

    def reading(self) -> Reading:
        """These options for the parsers.

        Raises ParameterError for an unknown format or field, UserError for an unknown rule or languages without data.
        """
        formats.check_format(self.format)
        check_rule(self.blocks)
        if self.ocr:
            recognition.check(self.ocr)
        options = ReadOptions(
            encoding=self.encoding,
            language=self.language,
            rule=self.blocks,
            ocr=self.ocr,
            columns=by_heading(self.columns),
        )
        return Reading(self.format, options, self.limit)


@dataclass(frozen=True, slots=True)
class ImportResult:
    """The outcome of an import. ``replaced``: keys of the documents that the new versions ``versions`` took the
    place of. ``kept`` counts the documents that keep another role, ``doubled`` the files that are in the project with
    an earlier text, too.
    """

    imported: int
    duplicates: int
    failed: tuple[Failure, ...]
    replaced: tuple[int, ...] = ()
    versions: tuple[int, ...] = ()
    kept: int = 0
    doubled: int = 0


def import_paths(
    ctx: Context, project_path: Path, paths: Sequence[Path], role: Role | None, options: ImportOptions | None = None
) -> ImportResult:
    """Import files, folders and archives; a role given in a row takes precedence over ``role`` (default: source).

    Keys follow the order of the inputs. A cancellation or a crash keeps the batches committed so far; importing the
    same paths again completes the rest. Raises UserError for problems of the whole import, Cancelled with the result so
    far.
    """
    options = options or ImportOptions()
    reading = options.reading()
    with open_project(project_path) as project:
        with project.read() as connection:
            reading = replace(reading, options=replace(reading.options, selectors=load_selectors(connection)))
            if options.version_of:
                load_document(connection, options.version_of)
        with project.write() as connection:
            batch = begin_batch(connection, role)
        store = Store(batch, role, options.titles, options.tags, update=options.update, version_of=options.version_of)
        references: list[Reference] = []
        unselected, uncertain = Unselected(reading.options.selectors), _Uncertain()
        written = 0
        try:
            with batch_ended(project, batch):
                total = _count(ctx, _inputs(paths, options, reading), reading)
                inputs = _inputs(paths, options, reading)
                done = 0
                for piece, items in parse_all(ctx, inputs, reading, options.workers or os.cpu_count() or 1):
                    store.extend(item for item in items if isinstance(item, Record | Failure))
                    documents = [item.document for item in items if isinstance(item, Record)]
                    unselected.count(documents)
                    uncertain.count(documents)
                    references.extend(item for item in items if isinstance(item, Reference))
                    for notice in items:
                        if isinstance(notice, Notice):
                            ctx.warn(notice.message, notice.path)
                    if store.is_due():
                        with project.write() as connection:
                            store.commit(connection)
                        written = store.imported
                        ctx.changed("documents", "labels")
                    done += piece.units
                    ctx.advance(_STAGE, done, max(done, total))
                with project.write() as connection:
                    store.commit(connection)
                    store.failed += add_references(connection, batch, references)
                written = store.imported
                for sentence in (*unselected.sentences(), *uncertain.sentences(), *_known(store)):
                    ctx.warn(sentence)
                if options.site_repetition:
                    judge_sites(ctx, project, store.sites - {""})
        except Cancelled:
            raise Cancelled(_result(project, store)) from None
        except UserError as error:
            if written:
                rest = Message(
                    "Documents imported before that: {count}. Importing the same files again adds the rest.",
                    count=f"{written:,}",
                )
                error.hint = Message("{message} {hint}", message=error.hint, hint=rest) if error.hint else rest
            raise
        finally:
            ctx.changed("documents", "labels")
        return _result(project, store)


def _result(project: Project, store: Store) -> ImportResult:
    with project.read() as connection:
        versions = tuple(present_versions(connection, store.replaced))
    counts = len(store.kept), len(store.earlier)
    replaced = tuple(store.replaced)
    return ImportResult(store.imported, store.duplicates, tuple(store.failed), replaced, versions, *counts)


def _known(store: Store) -> Iterator[str]:
    """Sentences about inputs that were in the project in another role, or with another text."""
    yield from in_other_roles(store.kept)
    if store.clashes:
        yield Message(
            "Rows with the id of another text ({count}): {names}. If they are other documents, ignore the column of ids"
            " under Columns (--columns HEADING=); they are then named by file and line.",
            count=f"{len(store.clashes):,}",
            names=some_of(store.clashes),
        )
    if store.earlier:
        yield Message(
            "Imported before with another text, and now in the project with both ({count}): {names}. To replace "
            "texts by their new versions, remove the new ones in Documents and import again as new versions.",
            count=f"{len(store.earlier):,}",
            names=some_of([f"{before} → {identity}" for identity, before in store.earlier.items()]),
        )


class _Uncertain:
    """Counts the documents whose encoding is uncertain."""

    def __init__(self) -> None:
        self._ids: dict[str, list[str]] = {}

    def count(self, documents: Iterable[Document]) -> None:
        """Count those of ``documents``."""
        for document in documents:
            if document.extraction.encoding_source == "uncertain":
                self._ids.setdefault(document.extraction.encoding, []).append(document.id)

    def sentences(self) -> list[str]:
        """One sentence per encoding."""
        return [
            Message(
                "Uncertain encoding, read as {encoding} ({count}): {names}. If letters look wrong, remove these "
                "documents and import them again with the right encoding.",
                encoding=encoding,
                count=f"{len(ids):,}",
                names=some_of(ids),
            )
            for encoding, ids in sorted(self._ids.items())
        ]


def _inputs(paths: Sequence[Path], options: ImportOptions, reading: Reading) -> Iterator[Source | Failure]:
    """The inputs in order; with ``base``, their names are relative to it."""
    for item in formats.expand(paths, reading.options, archives=False):
        if options.base is not None and isinstance(item, Source):
            yield replace(item, name=legible(item.path.relative_to(options.base).as_posix()))
        else:
            yield item


def _count(ctx: Context, inputs: Iterator[Source | Failure], reading: Reading) -> int:
    """The number of inputs and lines to read or, for files that are cut into parts, of their units."""
    total = 0
    for item in inputs:
        ctx.check()
        if isinstance(item, Source) and is_divisible(item, reading):
            total += file_units(item)
        elif isinstance(item, Source) and is_row_file(item, reading.format):
            total += _lines(ctx, item.path)
        else:
            total += 1
    return total


def _lines(ctx: Context, path: Path) -> int:
    lines = 0
    try:
        with path.open("rb") as file:
            while block := file.read(1 << 20):
                ctx.check()
                lines += block.count(b"\n")
    except OSError:
        return 1
    return max(1, lines)


def paste(session: Session, title: str, text: str, role: Role) -> ImportResult:
    """Store a text entered by hand, with its title as id (and a number if another text has that id)."""
    cleaned, repairs = clean(text)
    if not cleaned.strip():
        raise UserError(Message("There is no text to add."))
    name = title.strip() or "Pasted text"
    how = Extraction("pasted", "utf-8", "", repairs)
    document = with_flags(Document(name, cleaned, role, title=name, language=detect_language(cleaned), extraction=how))
    with session.write() as connection:
        for number in count(2):
            result = add_documents(connection, [document])
            if not result.failures:
                break
            document = replace(document, id=f"{name} {number}")
    return ImportResult(result.added, result.duplicates, ())


def add_references(connection: Connection, batch_id: int, references: Sequence[Reference]) -> tuple[Failure, ...]:
    """Label the passages of ``references``, and which pairs have any, unless already labelled so.

    Invalid references (to unknown documents, or outside their documents) are returned and recorded.
    """
    if not references:
        return ()
    table = document_table(connection)
    lengths = dict(zip(table.id, table.length.tolist(), strict=True))
    failed: list[Failure] = []
    passages: dict[str, str] = {}
    pairs: dict[str, str] = {}
    for reference in references:
        problem = _problem(reference, lengths)
        if problem:
            failed.append(Failure(reference.path, problem))
        elif reference.a_span is not None and reference.b_span is not None:
            passages[passage_target(reference.a, reference.a_span, reference.b, reference.b_span)] = _COPY
        elif reference.passages is not None:
            target = pair_target(reference.a, reference.b)
            pairs[target] = _COPY if reference.passages else pairs.get(target, _NOT)
    fresh = [
        Label(target, value, IMPORTED, "", label_set=name)
        for name, wanted in ((REFERENCE, passages), (REFERENCE_PAIRS, pairs))
        for known in (labels.known_values(connection, name, IMPORTED),)
        for target, value in wanted.items()
        if value != known.get(target)
    ]
    labels.add_labels(connection, fresh)
    add_failures(connection, batch_id, [(f.path, f.error) for f in failed])
    return tuple(failed)


def _problem(reference: Reference, lengths: dict[str, int]) -> str:
    sides: tuple[tuple[str, Span | None], ...] = ((reference.a, reference.a_span), (reference.b, reference.b_span))
    for identity, span in sides:
        if identity not in lengths:
            return Message("There is no document {identity} in this project.", identity=identity)
        if span is not None and span.end > lengths[identity]:
            return Message(
                "The passage {start} to {end} is not within {identity}, which has {lengths} characters.",
                start=f"{span.start:,}",
                end=f"{span.end:,}",
                identity=identity,
                lengths=f"{lengths[identity]:,}",
            )
    return ""
