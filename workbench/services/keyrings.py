"""The user's secrets in the system's keyring; an optional library."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from workbench.base.errors import UserError
from workbench.base.messages import Message

_SERVICE = "palimpsest"


def keep(name: str, secret: str) -> None:
    """Store ``secret`` under ``name``. Raises UserError if there is no keyring, or it is not unlocked."""
    ring = _ring()
    with _unlocked():
        ring.set_password(_SERVICE, name, secret)


def secret(name: str) -> str:
    """The secret stored under ``name``; empty if there is none. Raises UserError if there is no keyring, or it is not
    unlocked.
    """
    ring = _ring()
    with _unlocked():
        return ring.get_password(_SERVICE, name) or ""


def forget(*names: str) -> None:
    """Delete the secrets stored under ``names``, if any. Raises UserError if the keyring is not unlocked."""
    try:
        ring = _ring()
    except UserError:
        # Without a keyring nothing was stored.
        return
    with _unlocked():
        for name in names:
            if ring.get_password(_SERVICE, name) is not None:
                ring.delete_password(_SERVICE, name)


@contextmanager
def _unlocked() -> Iterator[None]:
    try:
        yield
    except Exception as error:  # each backend has errors of its own
        raise UserError(
            Message("The system's keyring refused ({reason}).", reason=error), hint=Message("Unlock it and try again.")
        ) from error


def _ring() -> Any:
    if find_spec("keyring") is None:
        raise UserError(
            Message("Storing secrets needs an optional part."),
            hint=Message("Install it with: pip install 'palimpsest[alerts]'"),
        )
    ring = import_module("keyring")
    if ring.get_keyring().priority <= 0:
        raise UserError(Message("This system has no keyring to store secrets."))
    return ring
