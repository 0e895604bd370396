"""A pack says who signed it; a signature that does not fit, or is another's, is a change."""

from __future__ import annotations

import json
import stat
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from tests.faults.test_forged_packs import archive, files_of
from workbench.base.errors import UserError
from workbench.cli.main import main
from workbench.services.reports.archive import KEY, SIGNATURE, STAMP
from workbench.services.reports.exporting import export
from workbench.services.reports.gathering import Selection
from workbench.services.reports.pack import Seal
from workbench.services.reports.verifying import verify_pack
from workbench.services.session import Session
from workbench.services.signing import create_key, key_file, public_key, read_key, signer


@pytest.fixture(autouse=True)
def own_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PALIMPSEST_CONFIG", str(tmp_path / "config"))


def test_a_pack_without_a_key_claims_no_signature(session: Session, tmp_path: Path) -> None:
    assert public_key() == ""
    export(session, Selection(1), tmp_path / "p.zip")
    check = verify_pack(tmp_path / "p.zip")
    assert check.whole
    assert check.signed_by == ""
    assert not verify_pack(tmp_path / "p.zip", key="0" * 64).whole


def test_a_pack_is_signed_by_the_key_of_its_maker(
    session: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = create_key()
    assert public_key() == key
    assert stat.S_IMODE(key_file().stat().st_mode) == 0o600
    export(session, Selection(1), tmp_path / "p.zip")
    check = verify_pack(tmp_path / "p.zip", key=f"{key[:32].upper()} {key[32:]}")
    assert check.whole
    assert (check.signed_by, check.expected_key) == (key, True)
    assert key in dict(files_of(tmp_path / "p.zip"))["report.html"].decode()
    monkeypatch.setenv("PALIMPSEST_CONFIG", str(tmp_path / "somebody else"))
    other = create_key()
    assert other != key
    export(session, Selection(1), tmp_path / "forged.zip")
    assert verify_pack(tmp_path / "forged.zip").whole
    assert not verify_pack(tmp_path / "forged.zip", key=key).whole


def test_a_signature_taken_from_another_pack_does_not_fit(session: Session, tmp_path: Path) -> None:
    create_key()
    paths = tmp_path / "a.zip", tmp_path / "b.zip"
    export(session, Selection(1), paths[0])
    export(session, Selection(1, "a"), paths[1])
    signature = dict(files_of(paths[1]))[SIGNATURE]
    for changed in (
        [(name, signature if name == SIGNATURE else content) for name, content in files_of(paths[0])],
        [(name, b"no key" if name == KEY else content) for name, content in files_of(paths[0])],
        [(name, content) for name, content in files_of(paths[0]) if name != KEY],
    ):
        (tmp_path / "c.zip").write_bytes(archive(changed))
        check = verify_pack(tmp_path / "c.zip")
        assert check.signed_by is None
        assert not check.whole


def test_a_key_has_one_form(session: Session, tmp_path: Path) -> None:
    create_key()
    export(session, Selection(1), tmp_path / "p.zip")
    key = dict(files_of(tmp_path / "p.zip"))[KEY]
    for form in (b"Call 555-0100 to check this pack.\n" + key, key + key, key.replace(b"\n", b"\r\n"), key + b"more"):
        changed = [(name, form if name == KEY else content) for name, content in files_of(tmp_path / "p.zip")]
        (tmp_path / "c.zip").write_bytes(archive(changed))
        assert not verify_pack(tmp_path / "c.zip").whole


def test_a_key_that_anybody_can_sign_with_signs_nothing() -> None:
    key = Ed25519PublicKey.from_public_bytes((1).to_bytes(32, "little"))
    pem = key.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    signature = (1).to_bytes(64, "little")
    key.verify(signature, b"any manifest")
    assert signer(b"any manifest", signature, pem) == ""


def test_a_key_is_not_replaced_and_a_damaged_one_is_named(session: Session, tmp_path: Path) -> None:
    create_key()
    with pytest.raises(UserError, match="already"):
        create_key()
    key_file().write_text("no key")
    with pytest.raises(UserError, match="cannot be read"):
        export(session, Selection(1), tmp_path / "p.zip")
    assert not (tmp_path / "p.zip").exists()
    with pytest.raises(UserError, match="64"):
        read_key("abc")


def test_a_timestamp_that_proves_nothing_is_not_believed(session: Session, tmp_path: Path) -> None:
    export(session, Selection(1), tmp_path / "p.zip")
    (tmp_path / "s.zip").write_bytes(archive([*files_of(tmp_path / "p.zip"), (STAMP, b"no timestamp")]))
    check = verify_pack(tmp_path / "s.zip")
    assert check.existed == ""
    assert check.not_stamped
    with pytest.raises(UserError, match="No timestamp service"):
        export(session, Selection(1), tmp_path / "t.zip", seal=Seal(stamp=True))


def test_a_report_names_the_pack_that_it_goes_with(session: Session, tmp_path: Path) -> None:
    fingerprint = export(session, Selection(1), tmp_path / "p.zip").fingerprint
    export(session, Selection(1), tmp_path / "r.html", pack=fingerprint)
    assert fingerprint in (tmp_path / "r.html").read_text("utf-8")
    assert verify_pack(tmp_path / "p.zip", fingerprint).expected


@pytest.mark.parametrize(("pack", "has_key"), [("", False), ("ab" * 32, True)])
def test_an_anonymous_report_names_a_key_only_with_the_pack_it_signed(
    session: Session, tmp_path: Path, pack: str, has_key: bool
) -> None:
    key = create_key()
    export(session, Selection(suspect="a", anonymous=True), tmp_path / "report.html", pack=pack)
    assert (key in (tmp_path / "report.html").read_text(encoding="utf-8")) is has_key


def test_the_command_line_says_what_is_proven(
    session: Session, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pack = str(tmp_path / "p.zip")
    assert main(["key", "new"]) == 0
    fingerprint = export(session, Selection(1), Path(pack)).fingerprint
    for more, unchanged in (([], False), (["--fingerprint", fingerprint, "--key", public_key()], True)):
        capsys.readouterr()
        assert main(["verify", pack, *more, "--json"]) == 0
        proven = json.loads(capsys.readouterr().out)["proven"]
        assert proven == {"unchanged": unchanged, "signed_by": public_key(), "existed": ""}
        assert main(["verify", pack, *more]) == 0
    assert main(["verify", pack, "--fingerprint", "0" * 64]) == 1
    assert main(["verify", pack, "--key", "0" * 64]) == 1
