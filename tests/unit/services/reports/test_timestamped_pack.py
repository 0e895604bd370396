"""A pack with a timestamp, from a service that answers, to what its check says."""

from __future__ import annotations

import datetime
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("rfc3161_client")

from tests.faults.test_forged_packs import archive, files_of
from tests.timestamp_service import TimestampService
from workbench.cli.main import main
from workbench.services import timestamps
from workbench.services.reports.archive import STAMP
from workbench.services.reports.exporting import export
from workbench.services.reports.gathering import Selection
from workbench.services.reports.pack import Seal
from workbench.services.reports.verifying import verify_pack
from workbench.services.session import Session
from workbench.services.timestamps import Service


@pytest.fixture
def service(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[TimestampService]:
    monkeypatch.setenv("PALIMPSEST_CONFIG", str(tmp_path / "config"))
    with TimestampService(tmp_path) as answering:
        timestamps.save(Service(answering.url, str(answering.authorities)))
        yield answering


def test_a_timestamped_pack_proves_when_it_existed(
    session: Session, tmp_path: Path, service: TimestampService, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "p.zip"
    before = datetime.datetime.now(datetime.UTC).replace(microsecond=0)
    export(session, Selection(1), path, seal=Seal(stamp=True))
    check = verify_pack(path, authorities=str(service.authorities))
    assert check.whole
    assert before <= datetime.datetime.fromisoformat(check.existed) <= datetime.datetime.now(datetime.UTC)
    assert service.requests == 1
    assert main(["verify", str(path), "--authorities", str(service.authorities), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["proven"]["existed"] == check.existed
    # Nobody else's certificates speak for this service.
    assert verify_pack(path).existed == ""
    assert "does not verify" in verify_pack(path).not_stamped


def test_the_timestamp_of_another_pack_proves_nothing(
    session: Session, tmp_path: Path, service: TimestampService
) -> None:
    for name, selection in (("a.zip", Selection(1)), ("b.zip", Selection(1, "a"))):
        export(session, selection, tmp_path / name, seal=Seal(stamp=True))
    other = dict(files_of(tmp_path / "b.zip"))[STAMP]
    swapped = [(name, other if name == STAMP else body) for name, body in files_of(tmp_path / "a.zip")]
    (tmp_path / "c.zip").write_bytes(archive(swapped))
    check = verify_pack(tmp_path / "c.zip", authorities=str(service.authorities))
    assert check.existed == ""
    assert check.not_stamped
