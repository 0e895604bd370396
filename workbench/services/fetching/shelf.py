"""Feeds and sitemaps as they last came, so that a host need only say that one has not changed.

Derived data beside the project, deletable at any time: what is missing or damaged is asked for whole.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from contextlib import suppress
from functools import cached_property
from pathlib import Path

from workbench.base import own_folders
from workbench.base.errors import UserError
from workbench.project.captures import Capture, Outcome
from workbench.project.clock import now
from workbench.services.detecting.indexing import derived_folder
from workbench.services.fetching.session import Reply

_FOLDER = "listings"
_MOST_BYTES = 512_000_000
"""Bytes of all bodies kept; those used longest ago go when a fetch begins and more than half of it is taken."""


class Shelf:
    """What fetches whose names begin with ``name`` keep for the project at ``project``. One process at a time."""

    def __init__(self, project: Path, name: str) -> None:
        self._project, self._name = project, name
        self._room = _MOST_BYTES

    def find(self, kind: str, url: str) -> Capture | None:
        """The answer that is kept for a listing, its body at :meth:`body`; None where there is none that is whole.

        ``captured`` is when it came.
        """
        try:
            body = self.body(kind, url)
            told = json.loads(body.with_suffix(".json").read_bytes())
            found = Capture(
                url=url,
                final_url=str(told["final_url"]),
                captured=str(told["captured"]),
                outcome=Outcome.UNCHANGED,
                etag=str(told["etag"]),
                last_modified=str(told["last_modified"]),
                body_hash=bytes.fromhex(told["hash"]),
                headers=(("content-type", str(told["content_type"])),),
            )
            with body.open("rb") as file:
                whole = hashlib.file_digest(file, "sha256").digest() == found.body_hash
            os.utime(body)
        except (UserError, OSError, ValueError, TypeError, KeyError, RecursionError):
            return None
        return found if whole else None

    def keep(self, kind: str, url: str, reply: Reply, received: Path, body_hash: str) -> None:
        """Keep the answer ``reply`` with the body at ``received`` where the host can be asked about it."""
        self.drop(kind, url)
        told = {"etag": reply.header("etag"), "last_modified": reply.header("last-modified")}
        if not any(told.values()) or reply.size > self._room:
            return
        told |= {"final_url": reply.final_url, "content_type": reply.header("content-type")}
        told |= {"hash": body_hash, "captured": now()}
        with suppress(UserError, OSError):
            body = self.body(kind, url)
            shutil.copyfile(received, body)
            body.with_suffix(".json").write_text(json.dumps(told), encoding="utf-8")
            self._room -= reply.size

    def drop(self, kind: str, url: str) -> None:
        """Forget a listing."""
        with suppress(UserError, OSError):
            _remove(self.body(kind, url))

    @cached_property
    def _folder(self) -> Path:
        folder = derived_folder(self._project) / _FOLDER
        own_folders.make(folder, _FOLDER)
        self._room -= _tidied(folder)
        return folder

    def body(self, kind: str, url: str) -> Path:
        """Where the body of a listing is kept. Raises UserError, OSError where there can be no such folder."""
        key = "\n".join((self._name, kind, url))
        return self._folder / f"{hashlib.sha256(key.encode()).hexdigest()[:32]}.body"


def _tidied(folder: Path) -> int:
    """Bytes that stay in ``folder`` after those used longest ago have gone."""
    taken = 0
    bodies = [(path, path.stat()) for path in folder.glob("*.body")]
    for path, state in sorted(bodies, key=lambda row: row[1].st_mtime, reverse=True):
        if taken + state.st_size > _MOST_BYTES // 2:
            _remove(path)
        else:
            taken += state.st_size
    return taken


def _remove(body: Path) -> None:
    body.with_suffix(".json").unlink(missing_ok=True)
    body.unlink(missing_ok=True)
