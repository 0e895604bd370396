"""Trusted timestamps against recorded answers of a service with a certificate of its own."""

from __future__ import annotations

import base64
import hashlib
import json
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import certifi
import pytest

from tests.timestamp_service import TimestampService
from workbench.base.errors import UserError
from workbench.base.resources import config_dir
from workbench.cli.main import main
from workbench.jobs.context import Context
from workbench.project.captures import Capture, Outcome, Timestamp, add_bodies, add_captures
from workbench.services import timestamps
from workbench.services.fetching.calling import NoAnswer, Reply
from workbench.services.fetching.captured import captures
from workbench.services.session import Session, create
from workbench.services.timestamps import Service

pytest.importorskip("rfc3161_client")

RECORDED = json.loads((Path(__file__).parent / "recorded.json").read_text(encoding="utf-8"))
BODY, ANSWER, REFUSAL = (base64.b64decode(RECORDED[name]) for name in ("body", "answer", "refusal"))
DIGEST = hashlib.sha256(BODY).digest()
URL = "https://time.example/tsr?key=5ecret"


@pytest.fixture(autouse=True)
def own_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PALIMPSEST_CONFIG", str(tmp_path / "config"))


@pytest.fixture
def service(tmp_path: Path) -> Service:
    path = tmp_path / "authority.pem"
    path.write_text(RECORDED["authority"], encoding="ascii")
    return Service(URL, str(path))


@pytest.fixture
def query(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The recorded request: its random number is that of the recorded answer."""
    imprint = SimpleNamespace(message=DIGEST)
    sent = base64.b64decode(RECORDED["request"])
    request = SimpleNamespace(message_imprint=imprint, nonce=RECORDED["nonce"], policy=None, as_bytes=lambda: sent)
    monkeypatch.setattr(timestamps, "request", lambda body: request)
    return request


def answering(monkeypatch: pytest.MonkeyPatch, answer: bytes | int | NoAnswer) -> list[tuple[str, bytes | None]]:
    """Whatever is sent gets ``answer``, or this status; the requests (address, body) are listed."""
    sent: list[tuple[str, bytes | None]] = []

    def called(url: str, headers: object, body: bytes | None = None, *, limit: int) -> Reply:
        sent.append((url, body))
        if isinstance(answer, NoAnswer):
            raise answer
        return Reply(answer) if isinstance(answer, int) else Reply(200, answer)

    monkeypatch.setattr(timestamps, "call", called)
    return sent


def test_a_request_holds_the_hash_and_a_random_number_and_not_the_page() -> None:
    one, other = timestamps.request(BODY), timestamps.request(BODY)
    assert one.message_imprint.message == DIGEST
    assert one.cert_req
    assert one.nonce != other.nonce
    assert BODY not in one.as_bytes()


def test_a_timestamp_verifies_with_the_certificates_it_is_trusted_by(service: Service, query: Any) -> None:
    stamp = timestamps.checked(service, query, ANSWER)
    assert (stamp.hash, stamp.service, stamp.stamped[-1]) == (DIGEST, "https://time.example", "Z")
    timestamps.verify(stamp, service.authorities)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda query: setattr(query, "nonce", 7), "Nonce mismatch"),
        (lambda query: setattr(query.message_imprint, "message", bytes(32)), "Mismatch between messages"),
    ],
)
def test_the_answer_to_another_request_is_refused(service: Service, query: Any, change: Any, reason: str) -> None:
    change(query)
    with pytest.raises(UserError, match=reason):
        timestamps.checked(service, query, ANSWER)


def test_an_answer_with_a_certificate_of_a_version_that_there_is_not_is_refused(tmp_path: Path) -> None:
    authority = TimestampService(tmp_path)
    query = timestamps.request(b"a manifest")
    answer = authority.answer(query.as_bytes())
    at = answer.index(bytes.fromhex("a003020102")) + 4
    with pytest.raises(UserError, match=r"does not verify|is invalid"):
        timestamps.stamped_at(
            answer[:at] + b"\x06" + answer[at + 1 :], query.message_imprint.message, str(authority.authorities)
        )


def test_a_timestamp_by_somebody_else_or_with_a_changed_byte_does_not_verify(
    service: Service, query: Any, tmp_path: Path
) -> None:
    other = tmp_path / "other.pem"
    other.write_text(RECORDED["other_authority"], encoding="ascii")
    stamp = timestamps.checked(service, query, ANSWER)
    with pytest.raises(UserError, match="does not verify"):
        timestamps.verify(stamp, str(other))
    with pytest.raises(UserError, match="does not verify"):
        timestamps.verify(replace(stamp, hash=bytes(32)), service.authorities)
    with pytest.raises(UserError, match=f"is of {stamp.stamped}, not of the time recorded"):
        timestamps.verify(replace(stamp, stamped="2001-01-01T00:00:00Z"), service.authorities)
    assert timestamps.stamped_at(ANSWER, stamp.hash, service.authorities) == stamp.stamped
    for digest, authorities in ((bytes(32), service.authorities), (stamp.hash, str(other))):
        with pytest.raises(UserError, match="does not verify"):
            timestamps.stamped_at(ANSWER, digest, authorities)
    changed = ANSWER[:-3] + bytes([ANSWER[-3] ^ 1]) + ANSWER[-2:]
    with pytest.raises(UserError, match=r"does not verify|is invalid"):
        timestamps.verify(replace(stamp, answer=changed), service.authorities)


@pytest.mark.parametrize(
    ("answer", "sentence"),
    [
        (REFUSAL, "The timestamp service refused"),
        (b"<html>sign in</html>", "is invalid"),
        (NoAnswer("no route"), "cannot be reached (no route)"),
        (503, "responded 503"),
    ],
)
def test_what_goes_wrong_is_reported_in_a_sentence(
    service: Service, query: Any, monkeypatch: pytest.MonkeyPatch, answer: bytes | int | NoAnswer, sentence: str
) -> None:
    answering(monkeypatch, answer)
    with pytest.raises(UserError) as error:
        timestamps.make(service, BODY)
    assert sentence in str(error.value)
    assert "time.example" in str(error.value)
    assert "5ecret" not in str(error.value)


def test_the_bytes_of_each_capture_are_stamped(
    service: Service, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "p.palimpsest"
    create(path)
    bodies = {hashlib.sha256(body).digest(): body for body in (b"one page", b"another page")}
    with Session(path) as session, session.write() as connection:
        for number, digest in enumerate(bodies):
            address = f"https://{number}.example/"
            capture = Capture(address, address, "2026-01-01T00:00:00Z", Outcome.NEW, 200, body_hash=digest)
            add_captures(connection, address, [capture])
        add_bodies(connection, bodies)
    timestamps.save(service)
    sent: list[bytes] = []

    def make(_service: Service, body: bytes) -> Timestamp:
        sent.append(body)
        return Timestamp(hashlib.sha256(body).digest(), URL, f"2026-01-01T00:00:0{len(sent)}Z", b"answer")

    monkeypatch.setattr(timestamps, "make", make)
    with Session(path, write=False) as session:
        every = captures(session)
    assert timestamps.stamp_captures(Context("test", lambda event: None, lambda: False), path, every) == 2
    assert sorted(sent) == sorted(bodies.values())


@pytest.mark.slow
def test_captures_are_stamped_once_and_only_where_a_service_is_set(
    service: Service,
    query: Any,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    path = tmp_path / "p.palimpsest"
    create(path)
    capture = Capture("https://a.example/", "https://a.example/", "2026-01-01T00:00:00Z", Outcome.NEW, 200)
    with Session(path) as session, session.write() as connection:
        add_captures(connection, "one", [replace(capture, body_hash=DIGEST)])
        add_captures(connection, "two", [capture, replace(capture, url="https://b.example/", body_hash=DIGEST)])
        add_bodies(connection, {DIGEST: BODY})
    ctx = Context("test", lambda event: None, lambda: False)
    with Session(path, write=False) as session:
        every = captures(session)
    sent = answering(monkeypatch, ANSWER)
    with pytest.raises(UserError, match="No timestamp service is set"):
        timestamps.stamp_captures(ctx, path, every)
    assert not sent
    timestamps.save(service)
    assert timestamps.load() == service
    assert [timestamps.stamp_captures(ctx, path, every) for _ in range(2)] == [1, 0]
    assert sent == [(URL, query.as_bytes())]
    with Session(path, write=False) as session:
        (stamp,) = timestamps.read_timestamps(session, every)[DIGEST]
    timestamps.verify(stamp, service.authorities)

    def captures_of(*words: str, code: int = 0) -> list[str]:
        assert main(["captures", str(path), *words]) == code
        return capsys.readouterr().out.splitlines()

    header, *lines = captures_of()
    assert header.split() == ["captured", "status", "outcome", "timestamp", "page"]
    assert [stamp.stamped in line for line in lines] == [True, False, True]
    of_stamp = f"{stamp.stamped}  {DIGEST.hex()[:16]}  {stamp.service}"
    assert captures_of("--verify") == [f"{of_stamp}  valid"]
    assert captures_of("https://b.example/", "--verify") == [f"{of_stamp}  valid"]
    # Whoever trusts another authority is told that this one is none of theirs.
    (line,) = captures_of("--verify", "--authorities", certifi.where(), code=1)
    assert line.startswith(of_stamp)
    assert not line.endswith("valid")
    (row,) = captures_of("--verify", "--json")
    assert json.loads(row)["problem"] == ""
    assert captures_of("--service", "") == ["Timestamps: none."]
    assert timestamps.load() is None
    assert captures_of("--service", URL, "--authorities", service.authorities) == [f"Timestamps: {URL}."]
    assert timestamps.load() == service
    timestamps.switch_off()
    assert timestamps.load() is None


def test_invalid_addresses_and_certificates_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="must begin with https"):
        timestamps.save(Service("ftp://time.example"))
    with pytest.raises(UserError, match="not a valid address"):
        timestamps.save(Service("https://[time.example/"))
    nothing = tmp_path / "nothing.pem"
    nothing.write_text("nothing", encoding="ascii")
    with pytest.raises(UserError, match="certificates cannot be read"):
        timestamps.save(Service(URL, str(nothing)))
    assert not (config_dir() / "timestamps.json").exists()
