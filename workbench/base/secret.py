"""A secret of this user, by which the program knows again what it wrote itself.

Derived files may be shipped by a stranger together with a project. What bears a seal was written under this user;
everything else is made again. Whoever can read the user's files can forge a seal, and needs none.
"""

from __future__ import annotations

import hashlib
import hmac
import os
import secrets
from functools import cache
from pathlib import Path

from workbench.base.resources import cache_dir, config_dir

_BYTES = 32


def seal(kind: str, content: str) -> str:
    """64 hexadecimal digits that only this user's programs can compute; ``kind`` tells uses from each other."""
    return hmac.digest(_secret(config_dir(), cache_dir()), f"{kind}\0{content}".encode(), hashlib.sha256).hex()


def is_sealed(kind: str, content: str, claimed: str) -> bool:
    """Whether ``claimed`` is the seal of ``content``."""
    return hmac.compare_digest(seal(kind, content).encode(), claimed.encode())


@cache
def _secret(*folders: Path) -> bytes:
    """The secret in the first of ``folders`` that has one or can keep one; else one for this process alone."""
    for folder in folders:
        file = folder / "secret"
        try:
            folder.mkdir(parents=True, exist_ok=True)
            if not file.exists():
                _write(file)
            kept = file.read_bytes()
        except OSError:
            continue
        if len(kept) == _BYTES:
            return kept
    return secrets.token_bytes(_BYTES)


def _write(file: Path) -> None:
    """Make a secret at ``file`` unless another process has just done so. Raises OSError."""
    part = file.with_name(f"secret.{secrets.token_hex(8)}.part")
    try:
        with open(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as out:
            out.write(secrets.token_bytes(_BYTES))
        try:
            os.link(part, file)
        except FileExistsError:
            pass
        except OSError:
            # A file system without hard links.
            part.rename(file)
    finally:
        part.unlink(missing_ok=True)
