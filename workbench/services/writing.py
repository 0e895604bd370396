"""Writing files completely or not at all."""

from __future__ import annotations

import json
import re
import secrets
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from workbench.base.errors import UserError
from workbench.base.messages import Message
from workbench.project.database import Connection
from workbench.project.documents import is_imported
from workbench.project.opening import is_project

_parts: set[Path] = set()
"""Files being written."""
_STALE = 3600.0
"""Seconds without a change after which the process that wrote an incomplete file was killed."""


def drop_parts() -> None:
    """Remove every file that is not complete; for a process that exits without unwinding its stack."""
    for part in list(_parts):
        with suppress(OSError):
            part.unlink(missing_ok=True)


def _drop_stale(path: Path) -> None:
    """Remove what a killed process left of ``path``: its texts may be confidential, and its name is hidden."""
    name = re.compile(re.escape(f".{path.name}.") + r"[0-9a-f]{16}\.part")
    with suppress(OSError):
        for part in path.parent.iterdir():
            if name.fullmatch(part.name) and part.stat().st_mtime < time.time() - _STALE:
                part.unlink()


def refuse_imported(connection: Connection, path: Path, what: str) -> None:
    """Raise UserError, which names ``what`` as in :func:`atomic_write`, if a document of the project was read from the
    file at ``path``.
    """
    if path.exists() and any(is_imported(connection, p.as_posix()) for p in {path.absolute(), path.resolve()}):
        raise UserError(
            Message("{what} would replace a file that was imported.", what=what),
            path=path,
            hint=Message("Choose another name."),
        )


@contextmanager
def atomic_write(path: Path, what: str) -> Iterator[Path]:
    """A path to write to, which becomes ``path`` at the end and is deleted on an error.

    Raises UserError that names ``what`` (``The report``, ``The labels``) if it cannot be written, and if a project
    would be replaced.
    """
    if is_project(path):
        raise UserError(
            Message("{what} would replace a project.", what=what), path=path, hint=Message("Choose another name.")
        )
    # Nobody can have placed a link under an unpredictable name.
    part = path.with_name(f".{path.name}.{secrets.token_hex(8)}.part")
    _parts.add(part)
    try:
        yield part
        part.replace(path)
        _drop_stale(path)
    except UserError as error:
        if error.path == str(part):
            error.path = str(path)
        raise
    except OSError as error:
        raise UserError(Message("{what} cannot be written ({reason}).", what=what, reason=error), path=path) from error
    finally:
        with suppress(OSError):
            part.unlink(missing_ok=True)
        _parts.discard(part)


def write_settings(path: Path, what: str, value: Mapping[str, object]) -> None:
    """Write ``value`` to ``path`` as JSON, with its folder; raises as :func:`atomic_write` does."""
    with atomic_write(path, what) as part:
        path.parent.mkdir(parents=True, exist_ok=True)
        part.write_text(json.dumps(value), encoding="utf-8")
