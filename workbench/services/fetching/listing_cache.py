"""Cached feeds and sitemaps, so that unchanged ones need not be sent again.

Derived data beside the project, deletable at any time: a missing or damaged one is requested in full.
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
"""Maximum bytes of cached bodies; a fetch that starts with more than half used deletes the least recently used."""


class Shelf:
    """The cache of fetches whose names begin with ``name``, for the project at ``project``. One process at a time."""

    def __init__(self, project: Path, name: str) -> None:
        self._project, self._name = project, name
        self._room = _MOST_BYTES

    def find(self, kind: str, url: str) -> Capture | None:
        """The cached answer for a listing, with its body at :meth:`body`; None if there is none or it is damaged.

        ``captured`` is when it was received.
        """
        try:
            body = self.body(kind, url)
            record = json.loads(body.with_suffix(".json").read_bytes())
            capture = Capture(
                url=url,
                final_url=str(record["final_url"]),
                captured=str(record["captured"]),
                outcome=Outcome.UNCHANGED,
                etag=str(record["etag"]),
                last_modified=str(record["last_modified"]),
                body_hash=bytes.fromhex(record["hash"]),
                headers=(("content-type", str(record["content_type"])),),
            )
            with body.open("rb") as file:
                whole = hashlib.file_digest(file, "sha256").digest() == capture.body_hash
            os.utime(body)
        except (UserError, OSError, ValueError, TypeError, KeyError, RecursionError):
            return None
        return capture if whole else None

    def keep(self, kind: str, url: str, reply: Reply, received: Path, body_hash: str) -> None:
        """Cache the answer ``reply`` with the body at ``received``."""
        self.drop(kind, url)
        record = {"etag": reply.header("etag"), "last_modified": reply.header("last-modified")}
        if reply.size > self._room:
            return
        record |= {"final_url": reply.final_url, "content_type": reply.header("content-type")}
        record |= {"hash": body_hash, "captured": now()}
        with suppress(UserError, OSError):
            body = self.body(kind, url)
            shutil.copyfile(received, body)
            body.with_suffix(".json").write_text(json.dumps(record), encoding="utf-8")
            self._room -= reply.size

    def drop(self, kind: str, url: str) -> None:
        """Delete a listing."""
        with suppress(UserError, OSError):
            _remove(self.body(kind, url))

    @cached_property
    def _folder(self) -> Path:
        folder = derived_folder(self._project) / _FOLDER
        own_folders.make(folder, _FOLDER)
        self._room -= _evict(folder)
        return folder

    def body(self, kind: str, url: str) -> Path:
        """The path of a listing's cached body. Raises UserError or OSError if the folder cannot be created."""
        key = "\n".join((self._name, kind, url))
        return self._folder / f"{hashlib.sha256(key.encode()).hexdigest()[:32]}.body"


def _evict(folder: Path) -> int:
    """Delete the least recently used files. Returns the bytes that remain in ``folder``."""
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
