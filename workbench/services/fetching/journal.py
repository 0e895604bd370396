"""Pages a fetch has received but not yet stored: a journal and bodies in a folder beside the project.

A body is written before its line in the journal, and a line is one write: a process killed at any moment leaves whole
entries and at most one torn line, which is dropped. The journal is kept until the fetch is complete, so that a resumed
fetch knows what need not be requested again.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import count
from pathlib import Path
from typing import IO, Any

from workbench.base import own_folders
from workbench.base.errors import UserError
from workbench.base.messages import Message, read, stored
from workbench.base.sound import is_count
from workbench.base.tags import checked
from workbench.base.types import Role
from workbench.reading.formats import Failure

_JOURNAL = "journal.jsonl"
_USE = "fetch"


@dataclass(frozen=True, slots=True)
class PageRequest:
    """A page to be requested; ``published`` is an ISO 8601 date from a listing, or empty, ``dated_by`` the kind of
    listing.
    """

    url: str
    published: str = ""
    dated_by: str = ""


@dataclass(frozen=True, slots=True)
class FetchPlan:
    """The pages of a fetch in order, places that yielded none, and counts of omitted addresses by reason."""

    pages: tuple[PageRequest, ...]
    failed: tuple[Failure, ...] = ()
    left_out: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Entry:
    """The outcome of requesting one page; ``body`` is the number of its file, 0 if there is none."""

    url: str
    final_url: str
    captured: str
    status: int = 0
    headers: tuple[tuple[str, str], ...] = ()
    error: str = ""
    published: str = ""
    dated_by: str = ""
    body: int = 0
    body_hash: str = ""

    def header(self, name: str) -> str:
        """The first header of this lower-case name; empty if there is none."""
        return next((value for key, value in self.headers if key == name), "")


class Body:
    """A body being written to a file of the spool; the file is created with the first bytes."""

    def __init__(self, number: int, path: Path) -> None:
        self.number = number
        self.path = path
        self._file: IO[bytes] | None = None
        self._hash = hashlib.sha256()

    def write(self, data: bytes) -> None:
        """Write the next bytes. Raises OSError."""
        if self._file is None:
            # A killed fetch may have left a file with this number, or someone may have placed a link.
            self.path.unlink(missing_ok=True)
            self._file = self.path.open("xb")
        self._file.write(data)
        self._hash.update(data)

    def reset(self) -> None:
        """Discard what was written."""
        self.discard()
        self._hash = hashlib.sha256()

    def close(self) -> str:
        """Finish the file. Returns the SHA-256 (hex) of its content."""
        if self._file is not None:
            self._file.close()
            self._file = None
        return self._hash.hexdigest()

    def discard(self) -> None:
        """Remove the file."""
        if self._file is not None:
            self._file.close()
            self._file = None
            self.path.unlink(missing_ok=True)


class Spool:
    """The spool of the project at ``project``. Used by one process at a time (see the project's lock).

    ``entries`` are left over from an interrupted fetch. Raises UserError if the folder cannot be written.
    """

    def __init__(self, project: Path) -> None:
        self._folder = Path(f"{project}.fetch")
        self._numbers = count(1)
        self._journal: IO[bytes] | None = None
        self.token = ""
        self.request = ""
        self.role = ""
        self.tags: tuple[str, ...] = ()
        self.plan: FetchPlan | None = None
        self.entries: list[Entry] = []
        self._load()

    def begin(self, request: str, role: str, name: str = "", tags: tuple[str, ...] = ()) -> None:
        """Start a new fetch; ``request`` identifies it, ``role`` and ``tags`` apply to its documents, ``name`` is the
        prefix of its captures' token.
        """
        self.clear()
        self.token, self.request, self.role, self.tags = name + secrets.token_hex(8), request, role, tags
        try:
            own_folders.make(self._folder, _USE)
        except FileExistsError:
            message = Message(
                "The folder for fetched pages already exists, and Palimpsest did not create it on this computer."
            )
            raise UserError(message, path=self._folder, hint=Message("Move it away, or delete it.")) from None
        except OSError as error:
            message = Message("No folder can be created next to the project ({reason}).", reason=error)
            raise UserError(message, path=self._folder) from None
        self._write({"fetch": self.token, "request": request, "role": role, "tags": tags})

    def set_plan(self, plan: FetchPlan) -> None:
        """Record which pages the fetch consists of."""
        self.plan = plan
        failed = [{"path": failure.path, "error": stored(failure.error)} for failure in plan.failed]
        left_out = {stored(reason): count for reason, count in plan.left_out.items()}
        self._write({"plan": asdict(plan) | {"failed": failed, "left_out": left_out}})

    def body(self) -> Body:
        """A new body."""
        number = next(self._numbers)
        return Body(number, self.path(number))

    def path(self, number: int) -> Path:
        """The file of a body."""
        return self._folder / f"{number}.body"

    def add(self, entry: Entry) -> None:
        """Record an entry; its body must be complete."""
        self._write({"page": asdict(entry) | {"error": stored(entry.error)}})

    def drop_body(self, entry: Entry) -> None:
        """Remove a body that has been stored."""
        if entry.body:
            self.path(entry.body).unlink(missing_ok=True)

    def clear(self) -> None:
        """Delete everything: the fetch is complete."""
        self.close()
        own_folders.remove(self._folder, _USE)
        self.token = self.request = self.role = ""
        self.tags, self.plan, self.entries = (), None, []

    def close(self) -> None:
        """Close the journal and leave it for a resumed fetch."""
        if self._journal is not None:
            self._journal.close()
            self._journal = None

    def _write(self, value: dict[str, Any]) -> None:
        try:
            if self._journal is None:
                self._journal = own_folders.open_own(self._folder / _JOURNAL, "ab", buffering=0)
            line = json.dumps(value).encode() + b"\n"
            if self._journal.write(line) != len(line):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        except OSError as error:
            raise UserError(
                Message("The fetched pages cannot be written ({reason}).", reason=error), path=self._folder
            ) from error

    def _load(self) -> None:
        """Read what an interrupted fetch left; everything from the first invalid line on is dropped."""
        if not own_folders.is_own(self._folder, _USE):
            return
        try:
            lines = own_folders.open_own(self._folder / _JOURNAL, "r+b")
        except OSError:
            return
        whole = 0
        with lines:
            for line in lines:
                try:
                    self._take(json.loads(line) if line.endswith(b"\n") else None)
                except (UserError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
                    break
                whole += len(line)
            lines.truncate(whole)
        self._numbers = count(1 + max((entry.body for entry in self.entries), default=0))

    def _take(self, value: Any) -> None:
        if "fetch" in value:
            self.token, self.request, self.role = (str(value[name]) for name in ("fetch", "request", "role"))
            Role(self.role)
            self.tags = checked(map(str, value.get("tags", ())))
        elif "plan" in value:
            self.plan = _plan(value["plan"])
        else:
            self.entries.append(_entry(value["page"]))


def _plan(value: Any) -> FetchPlan:
    pages = tuple(PageRequest(str(p["url"]), str(p["published"]), str(p.get("dated_by", ""))) for p in value["pages"])
    failed = tuple(Failure(str(f["path"]), read(str(f["error"]))) for f in value["failed"])
    return FetchPlan(pages, failed, {read(str(reason)): int(number) for reason, number in value["left_out"].items()})


def _entry(value: Any) -> Entry:
    error = read(str(value.get("error", "")))
    entry = replace(Entry(**value), error=error, headers=tuple((str(k), str(v)) for k, v in value["headers"]))
    numbers = (entry.body, entry.status)
    texts = (entry.url, entry.final_url, entry.captured, entry.published, entry.dated_by, entry.body_hash)
    whole = all(is_count(number) for number in numbers) and all(isinstance(text, str) for text in texts)
    if not whole or len(bytes.fromhex(entry.body_hash)) not in (0, 32):
        raise ValueError
    return entry


def same_request(places: Sequence[tuple[str, str]], role: str, sample: float, limit: int, name: str = "") -> str:
    """A digest of the request: equal if a fetch continues another."""
    request = json.dumps([sorted(places), role, sample, limit, name])
    return hashlib.sha256(request.encode()).hexdigest()
