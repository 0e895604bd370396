"""A timestamp authority (RFC 3161) on this machine: it signs what it is asked with a certificate of its own."""

from __future__ import annotations

import datetime
import hashlib
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import padding, rsa
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

_SHA256 = bytes.fromhex("300d06096086480165030402010500")
_RSA_SHA256 = bytes.fromhex("300d06092a864886f70d01010b0500")
_POLICY = bytes.fromhex("06042a030401")
_SIGNED_DATA = bytes.fromhex("06092a864886f70d010702")
_TST_INFO = bytes.fromhex("060b2a864886f70d0109100104")
_CONTENT_TYPE = bytes.fromhex("06092a864886f70d010903")
_MESSAGE_DIGEST = bytes.fromhex("06092a864886f70d010904")
_SIGNING_CERTIFICATE = bytes.fromhex("060b2a864886f70d010910022f")
_SEQUENCE, _SET, _INTEGER, _OCTETS, _TIME = 0x30, 0x31, 0x02, 0x04, 0x18


def der(tag: int, *parts: bytes) -> bytes:
    """A value of DER with ``tag``."""
    body = b"".join(parts)
    size = len(body)
    length = b"" if size < 128 else size.to_bytes((size.bit_length() + 7) // 8, "big")
    return bytes([tag, size if size < 128 else 128 | len(length)]) + length + body


def _integer(value: int) -> bytes:
    return der(_INTEGER, value.to_bytes(value.bit_length() // 8 + 1, "big"))


class TimestampService:
    """Answers ``requests`` at ``url`` while it is entered; ``authorities`` is the file of its root certificate."""

    def __init__(self, folder: Path) -> None:
        self.authorities = folder / "authority.pem"
        self.requests = 0
        self._key = rsa.generate_private_key(65537, 2048)
        self._certificate, self._root = _certificates(self._key)
        self.authorities.write_bytes(self._root.public_bytes(serialization.Encoding.PEM))
        service = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                answer = service.answer(self.rfile.read(int(self.headers["Content-Length"])))
                self.send_response(200)
                self.send_header("Content-Type", "application/timestamp-reply")
                self.send_header("Content-Length", str(len(answer)))
                self.end_headers()
                self.wfile.write(answer)

            def log_message(self, *_: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}/tsr"

    def __enter__(self) -> TimestampService:
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,))
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def answer(self, request: bytes) -> bytes:
        """The signed answer to a request that asks for SHA-256 with a random number."""
        self.requests += 1
        imprint = request[request.index(_SHA256) :][: len(_SHA256) + 34]
        rest = request[request.index(imprint) + len(imprint) :]
        nonce = rest[: rest[1] + 2]
        assert nonce[0] == _INTEGER
        now = datetime.datetime.now(datetime.UTC).strftime("%Y%m%d%H%M%SZ").encode()
        info = der(
            _SEQUENCE,
            _integer(1),
            _POLICY,
            der(_SEQUENCE, imprint),
            _integer(self.requests),
            der(_TIME, now),
            nonce,
        )
        return der(_SEQUENCE, der(_SEQUENCE, _integer(0)), self._token(info))

    def _token(self, info: bytes) -> bytes:
        certificate = self._certificate.public_bytes(serialization.Encoding.DER)
        identity = der(_SEQUENCE, der(_SEQUENCE, der(_OCTETS, hashlib.sha256(certificate).digest())))
        attributes = sorted(
            der(_SEQUENCE, kind, der(_SET, value))
            for kind, value in (
                (_CONTENT_TYPE, _TST_INFO),
                (_MESSAGE_DIGEST, der(_OCTETS, hashlib.sha256(info).digest())),
                (_SIGNING_CERTIFICATE, der(_SEQUENCE, identity)),
            )
        )
        signature = self._key.sign(der(_SET, *attributes), padding.PKCS1v15(), hashes.SHA256())
        signer = der(
            _SEQUENCE,
            _integer(1),
            der(_SEQUENCE, self._certificate.issuer.public_bytes(), _integer(self._certificate.serial_number)),
            _SHA256,
            der(0xA0, *attributes),
            _RSA_SHA256,
            der(_OCTETS, signature),
        )
        root = self._root.public_bytes(serialization.Encoding.DER)
        signed = der(
            _SEQUENCE,
            _integer(3),
            der(_SET, _SHA256),
            der(_SEQUENCE, _TST_INFO, der(0xA0, der(_OCTETS, info))),
            der(0xA0, *sorted((certificate, root))),
            der(_SET, signer),
        )
        return der(_SEQUENCE, _SIGNED_DATA, der(0xA0, signed))


def _certificates(key: rsa.RSAPrivateKey) -> tuple[x509.Certificate, x509.Certificate]:
    """A certificate for timestamps, and that of the authority that issued it."""
    root_key = rsa.generate_private_key(65537, 2048)
    root_name, name = (
        x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, words)]) for words in ("Test root", "Test timestamps")
    )
    begin = datetime.datetime.now(datetime.UTC) - datetime.timedelta(days=1)
    built = []
    for subject, public, is_root in ((name, key.public_key(), False), (root_name, root_key.public_key(), True)):
        builder = (
            x509.CertificateBuilder()
            .subject_name(subject)
            .issuer_name(root_name)
            .public_key(public)
            .serial_number(x509.random_serial_number())
            .not_valid_before(begin)
            .not_valid_after(begin + datetime.timedelta(days=30))
            .add_extension(x509.BasicConstraints(ca=is_root, path_length=None), critical=True)
            .add_extension(x509.SubjectKeyIdentifier.from_public_key(public), critical=False)
            .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(root_key.public_key()), critical=False)
            .add_extension(
                x509.KeyUsage(
                    digital_signature=not is_root,
                    content_commitment=False,
                    key_encipherment=False,
                    data_encipherment=False,
                    key_agreement=False,
                    key_cert_sign=is_root,
                    crl_sign=is_root,
                    encipher_only=False,
                    decipher_only=False,
                ),
                critical=True,
            )
        )
        if not is_root:
            usage = x509.ExtendedKeyUsage([ExtendedKeyUsageOID.TIME_STAMPING])
            builder = builder.add_extension(usage, critical=True)
        built.append(builder.sign(root_key, hashes.SHA256()))
    return built[0], built[1]
