"""Whether the previous window exited normally and, if not, its place and the trace it left."""

from __future__ import annotations

import faulthandler
import json
import os
import sys
import uuid
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

from filelock import FileLock, Timeout

_REMEMBERED = 20
"""Number of consecutive unclean exits that are remembered."""
_LONGEST = 100_000
"""Maximum number of characters read from a crash's trace."""


@dataclass(frozen=True, slots=True)
class AbnormalExit:
    """A window that did not exit normally: its project ("" for none), its view, and the crash's trace if there is one.

    ``again``: neither did its predecessor, at the same place or at the one opened as a consequence.
    """

    project: str
    view: str
    again: bool
    trace: str


class Lifetime:
    """Marks this window as running, in the file ``marker`` of ``folder``, until :meth:`end`.

    A marker not locked by a living process belongs to a window that was killed or crashed: ``before`` is the newest of
    these. While this object exists, a crash writes its trace beside the marker (unless it is written elsewhere).
    Windows in several processes do not interfere with each other. If the folder is not writable, nothing is recorded.
    """

    def __init__(self, folder: Path) -> None:
        self.before: AbnormalExit | None = None
        self._places: list[list[str]] = []
        self.marker = folder / f"{uuid.uuid4().hex}.json"
        self._lock = FileLock(self.marker.with_suffix(".lock"))
        self._trace = self.marker.with_suffix(".crash")
        self._crash: TextIO | None = None
        self._written = ""
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._collect_ended(folder)
            self._lock.acquire(timeout=0)
            if not faulthandler.is_enabled():
                # Kept open for the crash handler, which can no longer open files.
                self._crash = self._trace.open("w", encoding="utf-8")
                faulthandler.enable(self._crash)
        except (OSError, Timeout, NotImplementedError) as error:
            _report_error(error)
            self._lock.release()
        self.note("", "start")

    def note(self, project: str, view: str) -> None:
        """Record that the user is in ``view`` of ``project``."""
        marker = json.dumps({"project": project, "view": view, "places": self._places})
        if marker == self._written or not self._lock.is_locked:
            return
        fresh = self.marker.with_suffix(".new")
        try:
            fresh.write_text(marker, encoding="utf-8")
            os.replace(fresh, self.marker)
            self._written = marker
        except OSError as error:
            _report_error(error)

    def end(self) -> None:
        """Record that the window exited normally."""
        if not self._lock.is_locked:
            return
        if self._crash is not None:
            faulthandler.disable()
            self._crash.close()
        self._lock.release()
        _remove(self.marker)

    def _collect_ended(self, folder: Path) -> None:
        markers = [path for path in folder.glob("*.json") if path.is_file()]
        for marker in sorted(markers, key=lambda path: path.stat().st_mtime):
            lock = FileLock(marker.with_suffix(".lock"))
            with suppress(Timeout):
                lock.acquire(timeout=0)
            if not lock.is_locked:
                continue
            self._read(marker)
            lock.release()
            _remove(marker)

    def _read(self, marker: Path) -> None:
        with suppress(OSError, ValueError, KeyError, TypeError):
            stored = json.loads(marker.read_text(encoding="utf-8"))
            place = [str(stored["project"]), str(stored["view"])]
            earlier = [[str(p), str(v)] for p, v in stored["places"]]
            again = place in earlier or (bool(earlier) and place[1] == "documents")
            self.before = AbnormalExit(place[0], place[1], again, _text(marker.with_suffix(".crash")))
            self._places = [*earlier, place][-_REMEMBERED:]


def running_windows(folder: Path) -> Iterator[tuple[Path, str]]:
    """The markers in ``folder`` of windows that are running, and the project each shows ("" for none)."""
    for marker in sorted(folder.glob("*.json")):
        lock = FileLock(marker.with_suffix(".lock"))
        try:
            lock.acquire(timeout=0)
            lock.release()
        except Timeout:
            with suppress(OSError, ValueError, KeyError, TypeError):
                yield marker, str(json.loads(marker.read_text(encoding="utf-8"))["project"])
        except (OSError, NotImplementedError):
            return


def _text(path: Path) -> str:
    with suppress(OSError), path.open(encoding="utf-8", errors="replace") as file:
        return file.read(_LONGEST).strip()
    return ""


def _remove(marker: Path) -> None:
    for suffix in (".json", ".crash", ".new", ".ask", ".lock"):
        with suppress(OSError):
            marker.with_suffix(suffix).unlink()


def _report_error(error: Exception) -> None:
    if sys.stderr is not None:
        sys.stderr.write(f"palimpsest: how the window ends cannot be noted: {error}\n")
