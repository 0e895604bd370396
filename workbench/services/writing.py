"""Files handed out: complete or not there at all."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from workbench.base.errors import UserError
from workbench.project.opening import is_project


@contextmanager
def whole_file(path: Path, what: str) -> Iterator[Path]:
    """A path to write to, which becomes ``path`` at the end and vanishes on an error.

    Raises UserError that names ``what`` (``The report``, ``The labels``) where it cannot be written, and where a
    project would be replaced.
    """
    if is_project(path):
        raise UserError(f"{what} would replace a project.", path=path, hint="Choose another name.")
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        yield part
        part.replace(path)
    except OSError as error:
        raise UserError(f"{what} cannot be written ({error.strerror}).", path=path) from error
    finally:
        with suppress(OSError):
            part.unlink(missing_ok=True)
