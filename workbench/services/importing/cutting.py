"""Cuts archives, dumps and mailboxes into pieces in a separate process, since they may be hostile.

If it crashes, hangs or needs too much memory, only that file fails; meanwhile the job still notices cancellation.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from contextlib import closing
from dataclasses import dataclass
from functools import partial

from workbench.base.messages import Message
from workbench.base.progress import Progress
from workbench.jobs.alarm import Alarm
from workbench.jobs.chunks import Crash, map_chunks
from workbench.reading.formats import Failure, Source
from workbench.services.importing.pieces import PROGRESS_BYTES, Reading, WorkItem, file_units, parts_of

_UNITS_A_SECOND = 5_000_000 // PROGRESS_BYTES
"""Slowest acceptable pace of searching a file for its next part."""


@dataclass(slots=True)
class _Request:
    """The file whose next piece is requested, None for none; the same object serves all requests.

    A request a dead process had not started on goes to the next process in its current state.
    """

    number: int = 0
    source: Source | None = None


def why_lost(crash: Crash, limit: float) -> str:
    """A sentence that says why an input on which a reading process died is refused."""
    if crash.timed_out:
        return Message("It could not be read within the limit of {limit} seconds.", limit=f"{limit:g}")
    return Message("Its reader failed, or needed too much memory. {message}", message=crash.message)


class Cutter:
    """Cuts files one after another; its process starts with the first and serves all."""

    def __init__(self, ctx: Progress, reading: Reading) -> None:
        self._reading = reading
        self._request = _Request()
        cut = partial(_next_piece, reading=reading)
        self._answers = map_chunks(ctx, cut, self._requests(), workers=1, untrusted=True)

    def _requests(self) -> Iterator[_Request]:
        while True:
            yield self._request

    def pieces(self, source: Source) -> Iterator[WorkItem]:
        """The pieces of ``source`` in order; if the process dies on it, the last item is its failure."""
        self._request.number += 1
        self._request.source = source
        units = file_units(source)
        for _, answer in self._answers:
            if isinstance(answer, Crash):
                self._request.source = None
                yield WorkItem((Failure(source.name, why_lost(answer, self._reading.limit)),), progress=units)
                return
            number, piece = answer
            if number != self._request.number:
                continue
            if piece is None:
                return
            units -= piece.units
            yield piece

    def close(self) -> None:
        """End the process."""
        self._answers.close()


_open: list[tuple[int, Generator[WorkItem]]] = []
"""State of the process: the number of the file being cut, and its pieces."""


def _next_piece(request: _Request, reading: Reading) -> tuple[int, WorkItem | None]:
    if request.source is None:
        return request.number, None
    if not _open or _open[0][0] != request.number:
        _open[:] = [(request.number, _timed(request.source, reading))]
    return request.number, next(_open[0][1], None)


def _timed(source: Source, reading: Reading) -> Generator[WorkItem]:
    seconds = reading.limit + file_units(source) / _UNITS_A_SECOND
    with closing(parts_of(source, reading)) as pieces:
        while True:
            with Alarm(seconds):
                piece = next(pieces, None)
            if piece is None:
                return
            yield piece
