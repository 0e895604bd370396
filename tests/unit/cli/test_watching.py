"""The verb ``watch``: what it prints of searches, checks, pages and cases, and how it waits."""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest

from workbench.base.errors import UserError
from workbench.base.messages import Message
from workbench.base.types import Document, Role
from workbench.cli.main import main
from workbench.cli.output import Output
from workbench.cli.verbs import watch as verb
from workbench.jobs.context import Context
from workbench.project.documents import add_documents
from workbench.services.records import Watch
from workbench.services.session import Session, create
from workbench.services.watching import store

FIRST = "山路を登りながら、こう考えた。智に働けば角が立つ。情に棹させば流される。意地を通せば窮屈だ。"
OWN = "ここからは自分で書いた文である。誰の文とも似ていない。"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A source; jobs run at once, in this process."""
    path = tmp_path / "p.palimpsest"
    create(path)
    add(path, Document("first", FIRST, Role.SOURCE, title="First"))
    ctx = Context("test", lambda _event: None, lambda: False)

    def at_once(_output: object, job: Callable[..., object], *rest: object, **named: object) -> object:
        return job(ctx, *rest, **named)

    monkeypatch.setattr("workbench.cli.monitor.run_job", at_once)
    return path


def add(path: Path, *documents: Document) -> None:
    with Session(path) as session, session.write() as connection:
        add_documents(connection, documents)


def test_a_check_says_how_many_matches_are_not_reported(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["watch", str(project), "add", "mine", "--ignore", "b.example"]) == 0
    add(project, Document("monday", OWN + FIRST, Role.SUSPECT, url="https://b.example/monday"))
    capsys.readouterr()
    assert main(["watch", str(project), "--once"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "mine: 1 new document examined, 0 new matches, 0 reported before.",
        "  1 match not reported: on your own, ignored or licensed pages",
    ]


def test_a_search_is_listed_checked_and_its_pages_have_cases(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def watch(*words: str, code: int = 0) -> list[str]:
        assert main(["watch", str(project), *words]) == code
        shown = capsys.readouterr()
        return [*shown.out.splitlines(), *shown.err.splitlines()]

    assert "There are no watches in this project." in watch("list", code=1)[0]
    assert watch("add", "mine")[0].startswith("Added mine. Check it with: palimpsest watch ")
    assert watch("add", "feeds", "--feed", "https://a.example/feed")[0].startswith("Added feeds.")
    header, *lines = watch("list")
    assert header.split() == ["watch", "method", "looks", "at", "last", "check", "matches"]
    assert [" ".join(line.split()) for line in lines] == [
        "feeds digest https://a.example/feed 0",
        "mine digest imported suspects 0",
    ]
    assert watch("pages")[0] == "No match has been reported."
    url = "https://b.example/monday"
    add(project, Document("monday", OWN + FIRST, Role.SUSPECT, url=url), Document("tuesday", OWN, Role.SUSPECT))
    shown = watch("check", "mine", "--once")
    assert shown[0] == "mine: 2 new documents examined, 1 new match, 0 reported before."
    assert shown[1].startswith(f"  {url}  ")
    assert "whole copy: 100 % of First (1 match); cannot tell" in shown[1]
    add(project, Document("wednesday", FIRST, Role.SUSPECT, url="https://b.example/wednesday"))
    assert watch("check", "mine", "--once")[0] == "mine: 1 new document examined, 1 new match, 0 reported before."
    assert [(line.split()[0], line.split()[-1]) for line in watch("list")[1:]] == [("feeds", "0"), ("mine", "2")]
    assert re.search(r" \d{4}-\d\d-\d\d \d\d:\d\d:\d\d +2$", watch("list")[-1])
    assert pages_of(watch("pages")) == [
        [page, "First", "whole copy", "100 %", "cannot tell", "new"] for page in (url, "https://b.example/wednesday")
    ]
    (event,) = watch("case", "--page", url, "--state", "licensed", "--note", "by letter")
    assert f"page:{url}  licensed  " in event
    assert event.endswith("  by letter")
    assert "  site:b.example  ignored  " in watch("case", "--page", url, "--state", "ignored", "--site")[1]
    # What is said of a page goes before what is said of its site.
    assert [row[5] for row in pages_of(watch("pages"))] == ["licensed", "ignored (site)"]
    assert watch("case", "--page", url, "--state", "odd", code=2) == [
        "odd is not a state of a case; the states are new, licensed, notice sent, settled, ignored."
    ]
    assert watch("case", "--page", url, "--note", "by phone", code=2) == [
        "--note and --site belong to a --state of the case."
    ]
    assert watch("list", "--once", code=2) == ["--once is for check, not for list."]
    assert watch("list", "--at", "05:00", code=2) == ["--at is for schedule, not for list."]
    assert watch("list", "--blind", code=2) == ["--blind is for report and pages, not for list."]
    assert watch("check", "--once", "--page", url, code=2) == [
        "watch check changes no settings (places); watch change does."
    ]
    assert watch("case", code=2) == ["watch case needs one --page URL."]
    assert watch("report", code=2) == ["watch report needs --out FILE.html or FILE.jsonl."]
    file = project.parent / "r.jsonl"
    assert watch("report", "--out", str(file)) == [f"Wrote {file}: 2 matches."]
    today = date.today().strftime("%Y%m%d")  # another form of ISO 8601
    assert watch("report", "--out", str(file), "--day", today) == [f"Wrote {file}: 2 matches."]
    assert watch("report", "--out", str(file), "--day", "2001-01-01", code=1) == [
        f"Wrote {file}: 0 matches.",
        "Nothing was reported on this day, and the report says so.",
    ]
    assert watch("change", "mine", "--every", "12") == ["Changed mine; its next check compares all its pages again."]
    with Session(project, write=False) as session:
        assert (store.find(session, "mine").settings["every"], store.find(session, "mine").settings["method"]) == (
            12,
            "digest",
        )
    line, words = watch("schedule", "mine", "--system", "cron", "--at", "06:30")
    assert line.startswith("crontab: 30 6 * * * ")
    assert line.endswith(f"watch {project} check mine --once")
    assert words == "Nothing was written; --write writes and enables them."
    assert watch("remove", "mine") == ["Removed mine; its findings are kept."]
    assert [row.split()[0] for row in watch("list")[1:]] == ["feeds"]


def test_a_changed_parameter_of_a_watch_leaves_the_others(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def parameters(*words: str) -> tuple[str, dict[str, int]]:
        assert main(["watch", str(project), *words, "--json"]) == 0
        described = json.loads(capsys.readouterr().out)
        return described["method"], described["parameters"]

    assert parameters("add", "m", "--set", "min_run=2", "--set", "min_segment=7") == (
        "digest",
        {"min_run": 2, "min_segment": 7},
    )
    assert parameters("change", "m", "--set", "min_run=4")[1] == {"min_run": 4, "min_segment": 7}
    assert parameters("change", "m", "--every", "12")[1] == {"min_run": 4, "min_segment": 7}
    assert parameters("change", "m", "--method", "copies") == ("copies", {})


def pages_of(lines: list[str]) -> list[list[str]]:
    """The cells of the printed pages."""
    return [re.split(r"\s{2,}", line) for line in lines[1:]]


class _Over(Exception):
    """The user interrupts."""


def test_whatever_is_due_first_is_checked_and_one_that_cannot_be_waits(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("broken", "failing", "later", "never"):
        assert main(["watch", str(project), "add", name]) == 0
    capsys.readouterr()
    now = datetime.now(UTC)
    due = {name: now + timedelta(hours=hours) for name, hours in (("broken", -1), ("failing", -2), ("later", 9))}
    happenings: list[tuple[str, float]] = []

    def due_of(_session: Session, watch: Watch) -> datetime:
        if watch.name == "never":
            raise UserError("Its settings cannot be read.")
        return due[watch.name]

    def check(_arguments: object, watch: Watch, _output: object) -> int:
        happenings.append((watch.name, 0.0))
        if watch.name != "failing" or len(happenings) > 2:
            due[watch.name] = now + timedelta(seconds=30 if watch.name == "broken" else 3600)
        return int(watch.name == "failing")

    def sleep(seconds: float) -> None:
        happenings.append(("sleep", seconds))
        if len(happenings) > 5:
            raise _Over

    monkeypatch.setattr(store, "due", due_of)
    monkeypatch.setattr(verb, "_check", check)
    monkeypatch.setattr(verb.time, "sleep", sleep)
    with pytest.raises(_Over):
        verb._check_all(argparse.Namespace(project=project, name="", once=False), Output(as_json=False))
    shown = capsys.readouterr()
    assert shown.out == "Running 4 watches; interrupt to stop.\n"
    assert shown.err == "never: Its settings cannot be read.\n"
    # The one that could not even start is not tried again at once.
    assert [name for name, _ in happenings] == ["failing", "sleep", "failing", "sleep", "broken", "sleep"]
    assert [seconds for name, seconds in happenings if name == "sleep"][:2] == [60, 60]
    assert 0 < happenings[-1][1] <= 30


def test_a_check_that_ends_with_an_error_names_its_watch_and_the_others_are_checked(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("first", "second"):
        assert main(["watch", str(project), "add", name]) == 0
    capsys.readouterr()

    def refuse(_output: object, _job: object, _project: object, watch: Watch, **_rest: object) -> None:
        raise UserError(Message("{name} has no feed.", name=watch.name))

    monkeypatch.setattr("workbench.cli.monitor.run_job", refuse)
    assert main(["watch", str(project), "--once"]) == 1
    assert capsys.readouterr().err == "first: first has no feed.\nsecond: second has no feed.\n"
    assert main(["watch", str(project), "--once", "--json"]) == 1
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert rows == [{"watch": name, "error": f"{name} has no feed."} for name in ("first", "second")]


def test_setting_up_one_kind_of_alerts_keeps_the_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PALIMPSEST_CONFIG", str(tmp_path))

    def alerts(*words: str, code: int = 0) -> str:
        assert main(["alerts", *words]) == code
        shown = capsys.readouterr()
        return (shown.out + shown.err).strip()

    assert alerts("set", "--desktop") == "Alerts: desktop."
    mail = ("--smtp", "mail.example:465", "--from", "a@x.example", "--to", "b@x.example")
    assert alerts("set", *mail) == "Alerts: mail to b@x.example by mail.example:465, desktop."
    assert alerts("set", "--to", "c@x.example") == "Alerts: mail to c@x.example by mail.example:465, desktop."
    assert alerts("set", code=2) == "alerts set needs a kind of alerts: --smtp, --webhook or --desktop."
    assert alerts() == "Alerts: mail to c@x.example by mail.example:465, desktop."
