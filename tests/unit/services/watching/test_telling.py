"""Alerts and entries of schedulers."""

from __future__ import annotations

import json
import shlex
import socketserver
import sys
import threading
from functools import partial
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.unit.services.watching.watches import add, watch
from workbench.base.errors import ParameterError, UserError
from workbench.base.types import Document, Role
from workbench.jobs.context import Context
from workbench.project.database import locks_of
from workbench.project.watches import Check, Reported, Watch
from workbench.reading.formats import Failure
from workbench.services import keyrings
from workbench.services.session import Session
from workbench.services.watching import alerts, store
from workbench.services.watching.alerts import Alerts
from workbench.services.watching.checking import Checked
from workbench.services.watching.schedule import System, install, schedule

HOSTILE = Path('/cases/it\'s 100% $HOME "mine".palimpsest')


@pytest.fixture
def ring(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> dict[str, str]:
    """A keyring in memory, and settings of its own."""
    kept: dict[str, str] = {}
    fake = SimpleNamespace(
        get_keyring=lambda: SimpleNamespace(priority=1),
        set_password=lambda service, name, secret: kept.__setitem__(name, secret),
        get_password=lambda service, name: kept.get(name),
        delete_password=lambda service, name: kept.pop(name),
    )
    monkeypatch.setattr(keyrings, "_ring", lambda: fake)
    monkeypatch.setenv("PALIMPSEST_CONFIG", str(tmp_path))
    return kept


def checked(*pages: str, gone: tuple[str, ...] = (), failed: tuple[Failure, ...] = ()) -> Checked:
    matches = tuple(Reported(page, 1, 2, 0, 9, 0, 9, 1.0, 0) for page in pages)
    return Checked(Watch(1, "mine", {}, ""), Check(1, 1, "", gone=gone), matches, failed)


def test_an_alert_counts_and_names_what_a_check_found() -> None:
    assert alerts.words(checked()) == ("", "")
    subject, body = alerts.words(checked("u1", "u1", "u2", gone=("u3",), failed=(Failure("u4", "no answer"),)))
    assert subject == "Palimpsest: mine: 3 new, 1 gone, 1 not fetched"
    assert body.splitlines() == [
        "Pages with new matches: 2",
        "  u1",
        "  u2",
        "Gone: 1",
        "  u3",
        "Not fetched: 1",
        "  u4",
    ]
    assert "and 10 more" in alerts.words(checked(*(f"u{at}" for at in range(30))))[1]


def test_a_check_that_fails_alerts_and_one_beside_another_does_not(
    ring: dict[str, str], path: Path, ctx: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent: list[tuple[str, str]] = []
    monkeypatch.setattr(alerts, "tell", lambda _, *words: sent.append(words) or [])
    add(path, Document("page", "山路を登りながら、こう考えた。", Role.SUSPECT))
    watch(path)
    with Session(path) as session:
        mine = store.find(session, "mine")
    with pytest.raises(UserError):
        alerts.check_and_tell(ctx, path, mine, workers=0)
    ((subject, body),) = sent
    assert subject == "Palimpsest: mine: the check failed"
    assert "nothing to compare with" in body
    with Session(path) as session:
        with session.write() as connection:
            locks_of(connection).hold("watch-1")
        with pytest.raises(UserError, match="running"):
            alerts.check_and_tell(ctx, path, mine, workers=0)
    assert len(sent) == 1


def test_secrets_go_into_the_keyring_not_into_the_file(ring: dict[str, str], tmp_path: Path) -> None:
    setup = Alerts("mail.example:465", "a@x.example", "b@x.example", "me", webhook=True)
    alerts.save(setup, password="hush", webhook="https://hooks.example/SECRET")
    assert alerts.load() == setup
    assert ring == {"smtp": "hush", "webhook": "https://hooks.example/SECRET"}
    written = (tmp_path / "alerts.json").read_text(encoding="utf-8")
    assert "hush" not in written
    assert "SECRET" not in written


def test_a_keyring_that_is_not_unlocked_is_an_error_that_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    def dismissed(*_: str) -> str:
        raise RuntimeError("Prompt dismissed")

    names = ("set_password", "get_password", "delete_password")
    monkeypatch.setattr(keyrings, "_ring", lambda: SimpleNamespace(**dict.fromkeys(names, dismissed)))
    for ask in (
        partial(keyrings.keep, "smtp", "hush"),
        partial(keyrings.secret, "smtp"),
        partial(keyrings.forget, "smtp"),
    ):
        with pytest.raises(UserError, match=r"keyring refused \(Prompt dismissed\)"):
            ask()


@pytest.mark.parametrize(
    ("wrong", "webhook"),
    [
        (Alerts("mail.example:465"), ""),
        (Alerts("mail.example", "a", "b"), ""),
        (Alerts(), "http://hooks.example/"),
        (Alerts(), "https://[hooks.example/"),
    ],
)
def test_alerts_that_cannot_work_are_refused(ring: dict[str, str], wrong: Alerts, webhook: str) -> None:
    with pytest.raises(UserError):
        alerts.save(wrong, webhook=webhook)


def test_a_webhook_receives_the_alert_and_a_refusal_is_reported(ring: dict[str, str]) -> None:
    received: list[dict[str, str]] = []

    class Hook(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            received.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(500 if len(received) > 1 else 204)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Hook) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        alerts.save(Alerts(webhook=True), webhook=f"http://127.0.0.1:{server.server_port}/")
        assert alerts.tell(alerts.load(), "three new", "u1") == []
        (problem,) = alerts.tell(alerts.load(), "again", "")
        server.shutdown()
    assert received[0] == {"text": "three new\nu1", "subject": "three new"}
    assert "500" in problem


def test_a_mail_is_sent_by_the_users_own_server(ring: dict[str, str]) -> None:
    lines: list[str] = []

    class Mail(socketserver.StreamRequestHandler):
        def handle(self) -> None:
            self.wfile.write(b"220 here\r\n")
            body = False
            for raw in self.rfile:
                line = raw.decode().rstrip("\r\n")
                lines.append(line)
                if body:
                    body = line != "."
                    answer = b"" if body else b"250 taken\r\n"
                else:
                    body = line.upper() == "DATA"
                    answer = b"354 go\r\n" if body else b"221 bye\r\n" if line.upper() == "QUIT" else b"250 ok\r\n"
                self.wfile.write(answer)
                if line.upper() == "QUIT":
                    return

    with socketserver.TCPServer(("127.0.0.1", 0), Mail) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        setup = Alerts(f"127.0.0.1:{server.server_address[1]}", "a@x.example", "b@x.example")
        assert alerts.tell(setup, "three new", "u1") == []
        server.shutdown()
    assert "Subject: three new" in lines
    assert "rcpt TO:<b@x.example>" in lines


def test_a_crontab_line_is_one_command_whatever_the_path_holds() -> None:
    line = schedule(HOSTILE, "my watch", System.CRON, "05:07", ["/bin/palimpsest"], Path("/users/me")).line
    assert line.startswith("7 5 * * * ")
    words = shlex.split(line.removeprefix("7 5 * * * ").replace("\\%", "%"))
    assert words == ["/bin/palimpsest", "watch", str(HOSTILE), "check", "my watch", "--once"]


def test_systemd_reads_the_command_as_it_is() -> None:
    planned = schedule(HOSTILE, "", System.SYSTEMD, "05:07", ["/bin/palimpsest"], Path("/users/me"))
    (service, text), (timer, when) = planned.files
    assert service.parent == Path("/users/me/.config/systemd/user")
    assert '"/cases/it\'s 100%% $$HOME \\"mine\\".palimpsest" "check" "--once"' in text
    assert "OnCalendar=*-*-* 05:07:00" in when
    assert planned.commands[-1][-1] == timer.name


@pytest.mark.skipif(sys.platform == "win32", reason="a script stands for the scheduler")
def test_a_timer_is_read_and_enabled_once_its_files_are_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    planned = schedule(Path("/p"), "", System.SYSTEMD, "05:00", ["/bin/palimpsest"], tmp_path)
    timer, calls = planned.files[1][0], tmp_path / "calls"
    program = tmp_path / "systemctl"
    program.write_text(f'#!/bin/sh\n[ -e "{timer}" ] && echo "$@" >> "{calls}"\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    install(planned)
    assert calls.read_text().splitlines() == ["--user daemon-reload", f"--user enable --now {timer.name}"]


def test_other_times_and_line_ends_are_refused() -> None:
    for at, path in (("5 o'clock", Path("a")), ("24:00", Path("a")), ("05:00", Path("a\nb"))):
        with pytest.raises(ParameterError):
            schedule(path, "", System.CRON, at, ["p"], Path("/"))


@pytest.mark.skipif(sys.platform == "win32", reason="a script stands for the scheduler")
def test_a_schedule_is_written_once_and_a_refusal_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table = tmp_path / "table"
    table.write_text("1 2 * * * other\n")
    program = tmp_path / "crontab"
    program.write_text(f'#!/bin/sh\n[ "$1" = -l ] && exec cat "{table}"\nexec cat > "{table}"\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    planned = schedule(Path("/p"), "", System.CRON, "05:00", ["/bin/palimpsest"], tmp_path)
    install(planned)
    install(planned)
    assert table.read_text().splitlines() == ["1 2 * * * other", planned.line]
    other = schedule(Path("/p"), "mine", System.CRON, "05:00", ["/bin/palimpsest"], tmp_path)
    install(other)
    later = schedule(Path("/p"), "", System.CRON, "06:30", ["/new/python", "-m", "workbench"], tmp_path)
    with table.open("a") as file:
        file.write(f"#{planned.line}\n")
    install(later)
    assert table.read_text().splitlines() == ["1 2 * * * other", other.line, f"#{planned.line}", later.line]
    program.write_text("#!/bin/sh\necho no >&2\nexit 1\n")
    with pytest.raises(UserError, match="refused"):
        install(planned)


@pytest.mark.skipif(sys.platform == "win32", reason="a script stands for the scheduler")
@pytest.mark.parametrize(
    ("answer", "kept"), [("no crontab for me", False), ("you are not allowed to use this program", True)]
)
def test_a_crontab_that_cannot_be_listed_is_not_overwritten(
    answer: str, kept: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = tmp_path / "table"
    table.write_text("1 2 * * * other\n")
    program = tmp_path / "crontab"
    program.write_text(f'#!/bin/sh\n[ "$1" = -l ] && {{ echo "{answer}" >&2; exit 1; }}\nexec cat > "{table}"\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    planned = schedule(Path("/p"), "", System.CRON, "05:00", ["/bin/palimpsest"], tmp_path)
    if kept:
        with pytest.raises(UserError, match="not allowed"):
            install(planned)
    else:
        install(planned)
    assert table.read_text().splitlines() == ["1 2 * * * other" if kept else planned.line]


@pytest.mark.skipif(sys.platform == "win32", reason="a script stands for the desktop")
def test_the_desktop_shows_the_alert_and_a_refusal_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program, shown = tmp_path / "notify-send", tmp_path / "shown"
    program.write_text(f'#!/bin/sh\nprintf "%s|" "$@" > "{shown}"\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    assert alerts.tell(Alerts(desktop=True), "three new", "u1") == []
    assert shown.read_text() == "--app-name=Palimpsest|--|three new|u1|"
    assert alerts.tell(Alerts(desktop=True), "three new", '<a href="https://x.example/?a&b">u1</a>') == []
    assert shown.read_text().endswith('|&lt;a href="https://x.example/?a&amp;b"&gt;u1&lt;/a&gt;|')
    program.write_text("#!/bin/sh\necho no display >&2\nexit 1\n")
    (problem,) = alerts.tell(Alerts(desktop=True), "three new", "u1")
    assert "no display" in str(problem)
    monkeypatch.setenv("PATH", "")
    (problem,) = alerts.tell(Alerts(desktop=True), "three new", "u1")
    assert "notify-send" in str(problem)


def test_every_watch_of_every_project_has_an_entry_of_its_own() -> None:
    watched = [("/a/thesis.palimpsest", "監視"), ("/a/thesis.palimpsest", "新聞"), ("/a/thesis.palimpsest", "")]
    watched += [("/b/thesis.palimpsest", ""), ("/a/論文.palimpsest", ""), ("/a/原稿.palimpsest", "")]
    home, program = Path("/users/u"), ["palimpsest"]
    timers, tasks = (
        [schedule(Path(path), name, system, "08:00", program, home) for path, name in watched]
        for system in (System.SYSTEMD, System.TASK)
    )
    assert len({timer.files[0][0] for timer in timers}) == len(watched)
    assert len({task.commands[0][task.commands[0].index("/TN") + 1] for task in tasks}) == len(watched)
