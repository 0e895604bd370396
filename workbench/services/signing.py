"""The user's own key for evidence packs (Ed25519): anyone with the public key can verify that a pack is its owner's.

The private key is stored in the user's settings and used for nothing else.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.base.errors import UserError
from workbench.base.messages import Message, reason
from workbench.base.resources import config_dir

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

_PUBLIC = re.compile("[0-9a-f]{64}")
_PRIME = 2**255 - 19
_ORDER_8 = 0x05FC536D880238B13933C6D305ACDFD5F098EFF289F4C345B027B2C28F95E826
_SMALL_ORDER = frozenset({0, 1, _PRIME - 1, _ORDER_8, _PRIME - _ORDER_8})
"""Ordinates of the points of small order (as rejected by libsodium): with such a key anybody can sign anything."""


def public_key() -> str:
    """The user's public key, 64 hexadecimal digits; empty if there is none. Raises UserError if it cannot be read."""
    key = _load()
    return "" if key is None else _hex(key.public_key())


def create_key() -> str:
    """Create a key pair and return the public key. Raises UserError if there is one, or it cannot be stored."""
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

    key = Ed25519PrivateKey.generate()
    path = key_file()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            file.write(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    except FileExistsError:
        raise UserError(
            Message("There is already a key; packs signed with it could no longer be verified as yours."),
            path=path,
            hint=Message("Move its file away to create another one."),
        ) from None
    except OSError as error:
        raise UserError(Message("The key cannot be stored ({reason}).", reason=error), path=path) from error
    return _hex(key.public_key())


def key_file() -> Path:
    """The file of the private key."""
    return config_dir() / "signing-key.pem"


def signed(content: bytes) -> tuple[bytes, bytes] | None:
    """The signature of ``content`` and the user's public key (PEM); None if there is none. Raises UserError if it
    cannot be read.
    """
    key = _load()
    return None if key is None else (key.sign(content), _pem(key.public_key()))


def signer(content: bytes, signature: bytes, public: bytes) -> str:
    """The key (64 hexadecimal digits) whose public key is ``public`` (PEM, as :func:`signed` writes it), if it signed
    ``content``; otherwise empty.
    """
    from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
    from cryptography.hazmat.primitives.serialization import load_pem_public_key

    try:
        key = load_pem_public_key(public)
        if not isinstance(key, Ed25519PublicKey) or _pem(key) != public or _is_small(key):
            return ""
        key.verify(signature, content)
    except (ValueError, InvalidSignature, UnsupportedAlgorithm):
        return ""
    return _hex(key)


def read_key(text: str) -> str:
    """A typed or pasted public key. Raises UserError if it is not one."""
    digits = "".join(text.split()).replace(":", "").lower()
    if not _PUBLIC.fullmatch(digits):
        raise UserError(Message("A key has 64 hexadecimal digits."))
    return digits


def _load() -> Ed25519PrivateKey | None:
    path = key_file()
    if not path.exists():
        return None
    from cryptography.exceptions import UnsupportedAlgorithm
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    from cryptography.hazmat.primitives.serialization import load_pem_private_key

    try:
        key = load_pem_private_key(path.read_bytes(), None)
        if isinstance(key, Ed25519PrivateKey):
            return key
        raise ValueError(type(key).__name__)
    except (OSError, ValueError, TypeError, UnsupportedAlgorithm) as error:
        raise UserError(
            Message("The key that signs packs cannot be read ({reason}).", reason=reason(error)),
            path=path,
            hint=Message("Restore its file from a copy, or move it away."),
        ) from error


def _pem(key: Ed25519PublicKey) -> bytes:
    from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

    return key.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)


def _is_small(key: Ed25519PublicKey) -> bool:
    ordinate = int.from_bytes(key.public_bytes_raw(), "little") & ((1 << 255) - 1)
    return ordinate % _PRIME in _SMALL_ORDER


def _hex(key: Ed25519PublicKey) -> str:
    return key.public_bytes_raw().hex()
