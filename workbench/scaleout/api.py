"""The interface of stages and engines: a step is one SQL statement, its rows optionally mapped by a function, written
as Parquet.

Only SQL common to DuckDB and Spark is used: plain joins, ``group by``, ``row_number``, ``lead``, ``coalesce``,
``case``, ``cast(x as string)``, ``||`` between strings that are not null, ``%`` between numbers that are not negative.
Fingerprints are signed 64-bit integers: Spark reads unsigned ones as decimals.

Errors of a step, used by both engines, are sentences that state what to do.
"""

from __future__ import annotations

import errno
import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import pyarrow as pa

from workbench.base.errors import UserError
from workbench.base.messages import Message, reason
from workbench.base.progress import Progress

Batches = Iterator[pa.RecordBatch]


@dataclass(frozen=True)
class Stage:
    """A function that maps rows to rows, in any process: ``function(settings, batches)`` yields record batches.

    ``function`` is defined at the top of a module, so that workers can import it. ``settings`` are JSON values;
    ``unkeyed`` are further settings, which are determined by the step's SQL. A result remains valid while ``version``,
    ``settings`` and ``schema`` are the same. ``lost`` builds the result for a one-row chunk whose worker died, from the
    reason; without it the step fails.
    """

    function: Callable[[Mapping[str, Any], Batches], Batches]
    schema: pa.Schema
    settings: Mapping[str, Any] = field(default_factory=dict)
    version: int = 1
    unkeyed: Mapping[str, Any] = field(default_factory=dict)
    lost: Callable[[pa.Table, str], pa.Table] | None = None

    @property
    def identity(self) -> str:
        """Identifies everything on which a result depends, except the rows."""
        name = f"{self.function.__module__}.{self.function.__qualname__}"
        settings = json.dumps(dict(self.settings), sort_keys=True, ensure_ascii=False)
        return f"{name} {self.version} {settings} {self.schema.to_string()}"

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Batches:
        """The rows of ``batches`` mapped."""
        return self.function({**self.settings, **self.unkeyed}, iter(batches))


@dataclass(frozen=True)
class Query:
    """One step: ``sql``, and the ``stage`` that maps its rows.

    With ``by``, rows with the same ``by[0]`` reach the stage in one call, sorted by ``by``.
    """

    sql: str
    stage: Stage | None = None
    by: tuple[str, ...] = ()

    @property
    def key(self) -> str:
        """Equal for steps with equal results: the names of the views in ``sql`` contain the keys of their steps."""
        parts = (self.sql, self.stage.identity if self.stage else "", ",".join(self.by))
        return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]


@dataclass(frozen=True, slots=True)
class Lost:
    """The result of a chunk whose process died; ``message`` is the reason."""

    message: str


class Pool(Protocol):
    """Maps chunks in worker processes; a lost chunk yields a :class:`Lost`."""

    def __call__(
        self, watch: Progress, function: Callable[[Any], int], chunks: Iterable[Any], /
    ) -> Iterator[tuple[int, int | Lost]]:
        """Yield (index of the chunk, result) as they arrive. Raises exceptions of ``function``, Cancelled."""


class Engine(Protocol):
    """An SQL engine: presents folders of Parquet files as views and writes the rows of a query as Parquet files."""

    def view(self, name: str, folders: Sequence[Path]) -> None:
        """Present the rows of all ``folders`` as the view ``name``."""

    def write(self, query: Query, folder: Path, title: str, watch: Progress) -> None:
        """Write the rows of ``query`` into the empty ``folder``. Raises UserError, Cancelled."""

    def close(self) -> None:
        """Release the resources of the engine."""


KEPT = Message("Finished steps are kept; the same command continues.")
_FULL = "No space left", "failed to offload", "max_temp_directory_size", "temp_directory"
"""Messages of engines and the system for a full disk; DuckDB checks the free space of its scratch folder."""


def is_full(error: BaseException) -> bool:
    """Whether ``error`` means that a disk is full."""
    return getattr(error, "errno", None) == errno.ENOSPC or any(part in str(error) for part in _FULL)


def disk_full(why: str) -> UserError:
    """The error for a step, or its scratch files, without disk space."""
    return UserError(
        Message("The disk is full. {reason}", reason=why),
        hint=Message("Free some space, or put scratch files elsewhere (--scratch); the same command then continues."),
    )


def unfinished(why: str) -> UserError:
    """The error for a step that failed for a reason that is passed on unchanged."""
    return UserError(Message("The step could not be finished. {reason}", reason=why), hint=KEPT)


def not_written(title: str, error: Exception) -> UserError:
    """The error for a file of a step that could not be written."""
    if is_full(error):
        return disk_full(reason(error))
    return UserError(
        Message("The step {title} could not be written. {reason}", title=title, reason=reason(error)), hint=KEPT
    )
