"""The first steps of every method: read inputs as pages, one per id, and mark text repeated on a site."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import IO, Any

import numpy as np
import pyarrow as pa

from workbench.base.messages import Message, stored
from workbench.base.types import Role
from workbench.reading import formats
from workbench.reading.formats import Failure, Item, ReadOptions, Record, Source, jsonl
from workbench.reading.formats.names import placed
from workbench.reading.formats.rows import text_lines
from workbench.scaleout.api import Batches, Query, Stage
from workbench.scaleout.inputs import InputPiece, waves
from workbench.scaleout.rows import KEYS, PAGE, ROLE_BITS, ROLES, batch_of, documents, groups, page_row
from workbench.scaleout.work import StepRows, Work

PAGE_BYTES = 64_000_000
"""Maximum size of files, pages and records of archives; larger ones are refused individually, and listed."""
_ROW_BITS = 24
MOST_ROWS = 1 << _ROW_BITS
"""Rows of one input file."""
_TOGETHER = 256
_READ = Message("Reading pages")
_NUMBERING = Message("Looking for duplicate ids")
_REPEATED = Message("Comparing pages of a site")
SITE_ROWS = pa.schema([("page", pa.int64()), ("repeated", pa.string())])
BLOCK_ROWS = pa.schema(
    [
        ("site", pa.string()),
        ("page", pa.int64()),
        ("url", pa.string()),
        ("marks", pa.list_(pa.int64())),
        ("weights", pa.list_(pa.int32())),
    ]
)


@dataclass(frozen=True, slots=True)
class PagesPart:
    """Pages read in one step (``raw``), those with the id of another page (``twice``), and repeated blocks on them.

    Tables that depend on other parts are named by content; None if empty.
    """

    raw: StepRows
    twice: StepRows | None = None
    repeated: StepRows | None = None


class Pages:
    """The pages of a job; as text, a subquery with one row per page.

    ``raw`` also has a row for every input that was refused (``page`` is null).
    """

    def __init__(self, parts: Sequence[PagesPart], raw: StepRows, twice: StepRows, repeated: StepRows | None) -> None:
        self.parts = parts
        self.raw = raw
        self.twice = twice
        self.repeated = repeated

    def mapped(self, work: Work, name: str, title: str, columns: Sequence[str], stage: Stage, where: str) -> StepRows:
        """The rows that ``stage`` yields for ``columns`` of each page that satisfies ``where``.

        Pages read in one step are mapped in one step, so that pages added later are mapped separately, and others
        only again if these change the repeated blocks on them.
        """
        steps = []
        for part in self.parts:
            sql = f"select * from {_selected(columns, part)} p where {where}"
            steps.append(work.step(name, title, Query(sql, stage)))
        return work.union(name, steps)

    def select(self, *columns: str) -> str:
        """A subquery with ``columns`` of every page; ``blocks`` adds all columns needed for the blocks of documents."""
        return _selected(columns, PagesPart(self.raw, self.twice if self.twice.rows else None, self.repeated))


def _selected(columns: Sequence[str], part: PagesPart) -> str:
    plain = [f"r.{name}" for name in columns if name != "blocks"]
    joins, where = "", "r.page is not null"
    if "blocks" in columns:
        plain += ["r.details", "s.repeated" if part.repeated else "cast(null as string) as repeated"]
        if part.repeated:
            joins += f" left join {part.repeated} s on s.page = r.page"
    if part.twice:
        joins += f" left join {part.twice} t on t.page = r.page"
        where += " and t.page is null"
    return f"(select {', '.join(plain)} from {part.raw} r{joins} where {where})"


def pages(
    work: Work, pieces: Sequence[InputPiece], role: Role, options: ReadOptions, *, site_repetition: bool
) -> Pages:
    """Read ``pieces``; ``role`` is the role of rows without one. Raises UserError, Cancelled."""
    settings = {
        "role": role.value,
        "encoding": options.encoding,
        "language": options.language,
        "rule": options.rule,
        "columns": dict(options.columns),
    }
    stage = Stage(read, PAGE, settings, version=2, lost=_marked_lost)
    read_parts = []
    for wave in waves(pieces):
        listed = work.table("inputs", pa.Table.from_pylist([asdict(piece) for piece in wave]))
        sql = f"select /*+ REPARTITION({min(len(wave), 4096)}) */ * from {listed}"
        read_parts.append(work.step("pages", _READ, Query(sql, stage)))
    raw = work.union("pages", read_parts)
    same = (
        f"select id, min(page % {KEYS}) as first_key from {raw} where page is not null group by id having count(*) > 1"
    )
    again = f"select r.page, r.id from {raw} r join ({same}) s on s.id = r.id where r.page % {KEYS} <> s.first_key"
    twice = work.step("twice", _NUMBERING, Query(again))
    parts = [PagesPart(part, _of_part(work, twice, part, _NUMBERING)) for part in read_parts]
    if not site_repetition:
        return Pages(parts, raw, twice, None)
    repeated = _repeated(work, Pages(parts, raw, twice, None))
    parts = [replace(part, repeated=_of_part(work, repeated, part.raw, _REPEATED)) for part in parts]
    return Pages(parts, raw, twice, repeated)


def _of_part(work: Work, table: StepRows, part: StepRows, title: str) -> StepRows | None:
    """The rows of ``table`` about pages of ``part``, named by their content; None if there are none."""
    if not table.rows:
        return None
    name = f"{table.view.rpartition('_')[0]}-part"
    rows = work.step(name, title, Query(f"select t.* from {table} t join {part} r on r.page = t.page"))
    return work.by_content(rows) if rows.rows else None


def _repeated(work: Work, without: Pages) -> StepRows:
    """The blocks repeated on each site, as rows of pages that have such blocks."""
    columns = "page", "site", "url", "text", "blocks"
    marks = without.mapped(work, "site-blocks", _REPEATED, columns, BLOCKS, "p.site <> ''")
    key = f"page % {KEYS}"
    sql = f"select site, {key} as place, page, url, marks, weights from {marks}"
    return work.step("repeated", _REPEATED, Query(sql, REPEATED, ("site", "place")))


def site_blocks(settings: Mapping[str, Any], batches: Batches) -> Batches:
    """The blocks of pages in the form compared within a site."""
    from workbench.reading.blocks import repetition

    for batch in batches:
        rows = []
        for document, page in zip(documents(batch), batch.column("page").to_pylist(), strict=True):
            if document.blocks:
                blocks = repetition.site_blocks(document.text, document.blocks)
                marks, weights = blocks["mark"].tolist(), blocks["weight"].tolist()
                row = {"site": document.site, "page": page, "url": document.url}
                rows.append(row | {"marks": marks, "weights": weights})
        yield batch_of(rows, BLOCK_ROWS)


def repeated_blocks(settings: Mapping[str, Any], batches: Batches) -> Batches:
    """The blocks that a site repeats on its pages, with the reason, by page."""
    from workbench.reading.blocks import repetition

    for site in groups(batches, "site"):
        if len(site) <= repetition.OTHERS:
            continue
        compared = []
        for marks, weights in zip(site.column("marks").to_pylist(), site.column("weights").to_pylist(), strict=True):
            compared.append(np.array(list(zip(marks, weights, strict=True)), repetition.SITE_BLOCK))
        places: dict[str, int] = {}
        urls = enumerate(site.column("url").to_pylist())
        first = [places.setdefault(url or f"#{number}", number) for number, url in urls]
        repetition_of = repetition.repeated(compared, first)
        rows = []
        for number, page in enumerate(site.column("page").to_pylist()):
            if rules := repetition_of.rules(number):
                rows.append({"page": page, "repeated": json.dumps({at: stored(rule) for at, rule in rules.items()})})
        yield batch_of(rows, SITE_ROWS)


BLOCKS = Stage(site_blocks, BLOCK_ROWS)
REPEATED = Stage(repeated_blocks, SITE_ROWS)


def read(settings: Mapping[str, Any], batches: Batches) -> Batches:
    """The pages of pieces; an input that cannot be read becomes a row with the reason."""
    options = ReadOptions(
        encoding=settings["encoding"],
        language=settings["language"],
        rule=settings["rule"],
        columns=settings["columns"],
        file_bytes=PAGE_BYTES,
        member_bytes=PAGE_BYTES,
        line_characters=PAGE_BYTES,
    )
    for batch in batches:
        for row in batch.to_pylist():
            piece = InputPiece(**row)
            waiting: list[dict[str, Any]] = []
            weight = 0
            for one in _rows(piece, Role(settings["role"]), options):
                waiting.append(one)
                weight += len(one.get("text") or "")
                if len(waiting) == _TOGETHER or weight > PAGE_BYTES:
                    yield _encodable(waiting)
                    waiting, weight = [], 0
            if waiting:
                yield _encodable(waiting)


def _rows(piece: InputPiece, role: Role, options: ReadOptions) -> Iterator[dict[str, Any]]:
    count = 0
    try:
        for item in items(piece, options):
            if isinstance(item, Failure):
                yield {"id": item.path, "error": stored(item.error)}
            elif isinstance(item, Record):
                if count == MOST_ROWS:
                    too_many = Message("The file has more than {rows} pages; split it.", rows=f"{MOST_ROWS:,}")
                    yield {"id": piece.name, "error": stored(too_many)}
                    return
                key = (piece.number << _ROW_BITS) + count
                page = ROLES.index(item.role or role) << ROLE_BITS | key
                yield page_row(item.document, page)
                count += 1
    except Exception as error:  # noqa: BLE001 - whatever a parser raises on one input must not end the others
        yield {"id": piece.name, "error": stored(Failure.of(piece.name, error).error)}


def items(piece: InputPiece, options: ReadOptions) -> Iterator[Item]:
    """The records and failures read from ``piece``."""
    source = Source(Path(piece.path), piece.name)
    if piece.end:
        with source.path.open("rb") as file:
            file.seek(piece.start)
            lines, extraction = text_lines(io.BufferedReader(_Range(file, piece.end - piece.start)), options)
            numbered = ((number + piece.line - 1, line) for number, line in lines)
            for item in jsonl.read_lines(numbered, piece.name, extraction, options):
                yield placed(item, source)
    else:
        for item in formats.read(source, options=options):
            yield placed(item, source)


class _Range(io.RawIOBase):
    """At most ``size`` bytes of ``file`` from its current position: a line may be longer than memory."""

    def __init__(self, file: IO[bytes], size: int) -> None:
        self._file = file
        self._left = size

    def readable(self) -> bool:
        """Always."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Fill ``buffer`` from the file."""
        data = self._file.read(min(len(buffer), self._left))
        buffer[: len(data)] = data
        self._left -= len(data)
        return len(data)


def _encodable(rows: list[dict[str, Any]]) -> pa.RecordBatch:
    """``rows`` as a batch; lone surrogates, which UTF-8 cannot encode, are replaced."""
    with suppress(UnicodeEncodeError, pa.ArrowInvalid):
        return batch_of(rows, PAGE)
    fixed = [
        {k: v.encode("utf-8", "replace").decode() if isinstance(v, str) else v for k, v in row.items()} for row in rows
    ]
    return batch_of(fixed, PAGE)


def _marked_lost(rows: pa.Table, message: str) -> pa.Table:
    piece = InputPiece(**rows.to_pylist()[0])
    reason = Message("Its reader failed, or needed too much memory. {message}", message=message)
    return pa.Table.from_batches([batch_of([{"id": piece.name, "error": stored(reason)}], PAGE)])


def refused(raw: StepRows) -> Iterator[tuple[str, str]]:
    """The inputs of ``raw`` that were refused, each with the reason in stored form."""
    import pyarrow.dataset as ds

    files = [str(file) for folder in raw.folders for file in sorted(folder.glob("*.parquet"))]
    scan = ds.dataset(files, schema=PAGE).scanner(columns=["id", "error"], filter=ds.field("error").is_valid())
    for batch in scan.to_batches():
        yield from ((row["id"], row["error"]) for row in batch.to_pylist())
