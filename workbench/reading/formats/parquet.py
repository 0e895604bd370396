"""Parquet tables: one document per row, columns named like the fields of JSONL."""

from __future__ import annotations

import io
from collections.abc import Iterator
from datetime import date
from typing import IO, Any

from workbench.base.errors import UnreadableInput
from workbench.base.messages import Message
from workbench.base.parts import check_scale
from workbench.base.types import Extraction
from workbench.reading.formats.api import Failure, Item, ReadOptions, Source
from workbench.reading.formats.opening import opened
from workbench.reading.formats.rows import FIELDS, check_columns, record

name = "parquet"
suffixes: tuple[str, ...] = (".parquet",)
_MAGIC = b"PAR1"
_ROWS = 256


def sniff(head: bytes) -> bool:
    """Whether the file begins with parquet's signature."""
    return head.startswith(_MAGIC)


def read(source: Source, options: ReadOptions) -> Iterator[Item]:
    """A record or a failure (``name:row``, from 1) for each row; a part that cannot be read ends the file with a
    failure.

    Raises UnreadableInput for a damaged file and for one without a text or html column, UserError if Arrow is not
    installed.
    """
    check_scale()
    import pyarrow as pa
    import pyarrow.parquet as pq

    with opened(source, options) as stream:
        number = 0
        try:
            table = pq.ParquetFile(_seekable(stream))
            names = table.schema_arrow.names
            check_columns(names, options)
            fields = {name: name.strip().lower() for name in names}
            columns = [name for name, field in fields.items() if options.columns.get(field, field) in FIELDS]
            for batch in table.iter_batches(_ROWS, columns=columns):
                for row in batch.to_pylist():
                    number += 1
                    where = f"{source.name}:{number}"
                    size = max((len(value) for value in row.values() if isinstance(value, str)), default=0)
                    if size > options.line_characters:
                        limit = Message(
                            "The row is longer than the limit of {limit} characters.",
                            limit=f"{options.line_characters:,}",
                        )
                        yield Failure(where, limit)
                        continue
                    try:
                        yield record(
                            {fields[k]: _word(v) for k, v in row.items()}, where, Extraction(format=name), options
                        )
                    except UnreadableInput as error:
                        yield Failure.of(where, error)
        except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
            damaged = Message("The table is damaged after row {number}.", number=number)
            raise UnreadableInput(damaged) from error


def _word(value: Any) -> Any:
    """Dates and times as text, everything else unchanged."""
    return value.isoformat() if isinstance(value, date) else value


def _seekable(stream: IO[bytes]) -> IO[bytes]:
    return stream if stream.seekable() else io.BytesIO(stream.read())
