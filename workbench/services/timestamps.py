"""Trusted timestamps (RFC 3161) of captures: a service signs the hash of the bytes with the time by its clock.

Off until a service is configured. The setting is the user's, not the project's: a project from elsewhere must not send
anything. The service receives the hash of a page, and nothing else.
"""

from __future__ import annotations

import json
import ssl
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import UTC
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from workbench.base.errors import UserError
from workbench.base.messages import Message
from workbench.base.resources import config_dir
from workbench.jobs.context import Context
from workbench.project.captures import Capture, Timestamp, add_timestamp, body_of, timestamps_of
from workbench.services.fetching.calling import NoAnswer, call
from workbench.services.session import Session
from workbench.services.writing import write_settings

if TYPE_CHECKING:
    from rfc3161_client.tsp import TimeStampRequest

_MOST_BYTES = 1_000_000
"""Maximum number of bytes read from an answer; usual ones have a few thousand."""
_INSTALL = Message("Install it with: pip install 'palimpsest[timestamps]'")


@dataclass(frozen=True, slots=True)
class Service:
    """A timestamp service; ``authorities`` is a file of certificates (PEM) that verify it, empty for the system's."""

    url: str
    authorities: str = ""


def load() -> Service | None:
    """The configured service; None if there is none, or the file is damaged."""
    try:
        value = json.loads(_file().read_text(encoding="utf-8"))
        return Service(str(value["url"]), str(value["authorities"]))
    except (OSError, ValueError, TypeError, KeyError):
        return None


def save(service: Service) -> None:
    """Use ``service`` from now on. Raises UserError for an invalid address, or unusable certificates."""
    try:
        parts = urlsplit(service.url)
    except ValueError as error:
        raise UserError(Message("This is not a valid address ({error}).", error=error)) from None
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise UserError(Message("The address of a timestamp service must begin with https:// or http://."))
    if service.authorities:
        _roots(service)
    write_settings(_file(), Message("The settings of timestamps"), asdict(service))


def switch_off() -> None:
    """Forget the service; existing timestamps remain."""
    _file().unlink(missing_ok=True)


def stamp_captures(ctx: Context, project: Path, captures: Sequence[Capture]) -> int:
    """Have the bytes of ``captures`` timestamped by the configured service, unless already done (a job). Returns the
    number of new timestamps; those made before an error are kept.

    Raises UserError if no service is set, it does not answer or refuses, or its answer does not verify; Cancelled.
    """
    service = _chosen()
    count = 0
    with Session(project) as session:
        hashes = list(dict.fromkeys(capture.body_hash for capture in captures if capture.body_hash))
        for done, body_hash in enumerate(hashes):
            ctx.check()
            ctx.advance(Message("Timestamping"), done, len(hashes))
            with session.read() as connection:
                known = timestamps_of(connection, [body_hash]).get(body_hash, ())
                body = body_of(connection, body_hash)
            if body is None or any(_named(stamp.service) == _named(service.url) for stamp in known):
                continue
            timestamp = make(service, body)
            with session.write() as connection:
                add_timestamp(connection, timestamp)
            count += 1
    return count


def make_timestamp(body: bytes) -> Timestamp:
    """A verified timestamp of ``body`` by the configured service. Raises UserError like :func:`stamp_captures`."""
    return make(_chosen(), body)


def _chosen() -> Service:
    service = load()
    if service is None:
        raise UserError(
            Message("No timestamp service is set."),
            hint=Message("Set one with: palimpsest captures PROJECT --service URL"),
        )
    return service


def make(service: Service, body: bytes) -> Timestamp:
    """A verified timestamp of ``body`` by ``service``. Raises UserError like :func:`stamp_captures`."""
    query = request(body)
    return checked(service, query, _send(service, query.as_bytes()))


def request(body: bytes) -> TimeStampRequest:
    """The request: the SHA-256 of ``body`` and a random number that the answer must repeat."""
    rfc = _library()
    builder = rfc.TimestampRequestBuilder().data(body).hash_algorithm(rfc.base.HashAlgorithm.SHA256)
    query: TimeStampRequest = builder.cert_request(cert_request=True).nonce(nonce=True).build()
    return query


def checked(service: Service, query: TimeStampRequest, answer: bytes) -> Timestamp:
    """The timestamp in ``answer`` to ``query``. Raises UserError if the service refused, or the answer does not verify
    with the certificates of ``service``.
    """
    rfc = _library()
    digest = query.message_imprint.message
    response = _response(service, answer)
    if response.status not in (0, 1):
        words = "; ".join(response.status_string) or f"status {response.status}"
        raise UserError(Message("The timestamp service refused: {reason}", reason=words), path=_named(service.url))
    _verify(rfc.VerifierBuilder.from_request(query), service, response, digest)
    return Timestamp(digest, f"{urlsplit(service.url).scheme}://{_named(service.url)}", _time(response), answer)


def verify(timestamp: Timestamp, authorities: str = "") -> None:
    """Verify a stored timestamp again: its signature, its hash and its time. Raises UserError if it is invalid."""
    service = Service(timestamp.service, authorities)
    response = _response(service, timestamp.answer)
    _verify(_library().VerifierBuilder(), service, response, timestamp.hash)
    if (time := _time(response)) != timestamp.stamped:
        raise UserError(
            Message("The timestamp is of {time}, not of the time recorded with it.", time=time),
            path=_named(timestamp.service),
        )


def stamped_at(answer: bytes, digest: bytes, authorities: str = "") -> str:
    """The time by which the bytes with the SHA-256 ``digest`` existed, as proved by the stored ``answer`` of a service.
    Raises UserError if it is invalid.
    """
    service = Service("", authorities)
    response = _response(service, answer)
    _verify(_library().VerifierBuilder(), service, response, digest)
    return _time(response)


def read_timestamps(session: Session, captures: Sequence[Capture]) -> dict[bytes, list[Timestamp]]:
    """The timestamps of ``captures`` by the hash of their bytes."""
    with session.read() as connection:
        return timestamps_of(connection, list({capture.body_hash for capture in captures if capture.body_hash}))


def _send(service: Service, query: bytes) -> bytes:
    headers = {"Content-Type": "application/timestamp-query", "Accept": "application/timestamp-reply"}
    try:
        reply = call(service.url, headers, query, limit=_MOST_BYTES)
    except NoAnswer as error:
        words = Message("The timestamp service cannot be reached ({reason}).", reason=error.reason)
        hint = Message("Try again later, or set another service.")
        raise UserError(words, path=_named(service.url), hint=hint) from None
    if not reply.is_success:
        words = Message("The timestamp service responded {code}.", code=reply.status)
        raise UserError(words, path=_named(service.url))
    return reply.body


def _response(service: Service, answer: bytes) -> Any:
    try:
        return _library().decode_timestamp_response(answer)
    except ValueError as error:
        words = Message("The response of the timestamp service is invalid.")
        raise UserError(words, path=_named(service.url)) from error


def _time(response: Any) -> str:
    time: str = response.tst_info.gen_time.astimezone(UTC).isoformat().replace("+00:00", "Z")
    return time


def _verify(builder: Any, service: Service, response: Any, digest: bytes) -> None:
    for root in _roots(service):
        builder = builder.add_root_certificate(root)
    try:
        builder.build().verify(response, digest)
    except (_library().VerificationError, ValueError, *_unreadable_certificates()) as error:
        words = Message("The timestamp does not verify: {reason}.", reason=str(error).rstrip("."))
        hint = Message("If the system lacks the service's CA certificates, pass them with --authorities FILE.pem.")
        raise UserError(words, path=_named(service.url), hint=hint) from error


def _unreadable_certificates() -> tuple[type[Exception], ...]:
    """Errors of reading the certificates in an answer."""
    from cryptography import x509
    from cryptography.exceptions import UnsupportedAlgorithm

    extensions = x509.DuplicateExtension, x509.ExtensionNotFound, x509.UnsupportedGeneralNameType
    return x509.InvalidVersion, x509.AttributeNotFound, UnsupportedAlgorithm, *extensions


def _named(url: str) -> str | None:
    """The name of the service at ``url`` in errors and projects: the rest of its address may be secret."""
    return urlsplit(url).hostname


def _roots(service: Service) -> list[Any]:
    """The trusted certificates of ``service``. Raises UserError if there are none, or they cannot be read."""
    from cryptography import x509

    try:
        if service.authorities:
            every = x509.load_pem_x509_certificates(Path(service.authorities).read_bytes())
        else:
            store = ssl.create_default_context().get_ca_certs(binary_form=True)
            every = [x509.load_der_x509_certificate(certificate) for certificate in store]
    except (OSError, ValueError) as error:
        words = Message("The certificates cannot be read ({reason}).", reason=error)
        raise UserError(words, path=service.authorities) from error
    if not every:
        raise UserError(
            Message("This system has no list of trusted certificates."),
            hint=Message("If the system lacks the service's CA certificates, pass them with --authorities FILE.pem."),
        )
    return list(dict.fromkeys(every))


def _library() -> Any:
    try:
        import rfc3161_client
        import rfc3161_client.base
    except ImportError as error:
        raise UserError(Message("Timestamps need the optional part."), hint=_INSTALL) from error
    return rfc3161_client


def _file() -> Path:
    return config_dir() / "timestamps.json"
