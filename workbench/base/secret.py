"""A per-user secret, by which the program recognises files it wrote itself.

Derived files may have come with someone else's project. Files with a valid seal were written by this user; all others
are built again. Someone who can read the user's files could forge a seal, but would have no need to.
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
    """64 hexadecimal digits that only this user's programs can compute; ``kind`` keeps different uses apart."""
    return hmac.digest(_secret(config_dir(), cache_dir()), f"{kind}\0{content}".encode(), hashlib.sha256).hex()


def is_sealed(kind: str, content: str, claimed: str) -> bool:
    """Whether ``claimed`` is the seal of ``content``."""
    return hmac.compare_digest(seal(kind, content).encode(), claimed.encode())


@cache
def _secret(*folders: Path) -> bytes:
    """The secret in the first of ``folders`` that has one or can store one; otherwise one for this process only."""
    for folder in folders:
        file = folder / "secret"
        try:
            folder.mkdir(parents=True, exist_ok=True)
            if not file.exists():
                _write(file)
            key = file.read_bytes()
        except OSError:
            continue
        if len(key) == _BYTES:
            return key
    return secrets.token_bytes(_BYTES)


def _write(file: Path) -> None:
    """Create a secret in ``file`` unless another process has just done so. Raises OSError."""
    part = file.with_name(f"secret.{secrets.token_hex(8)}.part")
    try:
        with open(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as out:
            out.write(secrets.token_bytes(_BYTES))
        try:
            os.link(part, file)
        except FileExistsError:
            pass
        except OSError:
            # The file system does not support hard links.
            part.rename(file)
    finally:
        part.unlink(missing_ok=True)
