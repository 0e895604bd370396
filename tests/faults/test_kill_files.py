"""SIGKILL while a report is written, an index built or a watch checked: nothing half written is taken for whole."""

from __future__ import annotations

import json
import random
import shutil
import time
from pathlib import Path

import pytest
from fault_program import Run, passages
from test_kill import kill_during

from tests.web_server import Response, WebServer, html

TEXT = "The old bridge over the river was rebuilt in the spring of that year, stone by stone, by many hands. "


def seconds_of(palimpsest: Run, *command: object) -> float:
    begun = time.monotonic()
    palimpsest(*command)
    return time.monotonic() - begun


@pytest.fixture(scope="module")
def detected(palimpsest: Run, corpus: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with one run; tests work on copies of it."""
    project = tmp_path_factory.mktemp("detected") / "p.palimpsest"
    palimpsest("new", project)
    palimpsest("import", project, corpus, "--role", "suspect")
    palimpsest("detect", project, "digest", "--workers", "1")
    return project


@pytest.fixture
def filled(detected: Path, tmp_path: Path) -> Path:
    project = tmp_path / "p.palimpsest"
    shutil.copy(detected, project)
    return project


@pytest.mark.slow
@pytest.mark.timeout(7200)
def test_an_index_whose_building_was_killed_is_never_used(palimpsest: Run, filled: Path, rounds: int) -> None:
    index = filled.with_name(f"{filled.name}-index")
    command = ["detect", str(filled), "digest", "--workers", "1", "--json"]
    calm = passages(palimpsest, filled, 1)
    assert len(calm) > 200
    span = seconds_of(palimpsest, *command)
    rng = random.Random(7)
    for _ in range(rounds):
        shutil.rmtree(index, ignore_errors=True)
        kill_during(command, rng.uniform(0.3, 0.8) * span, group=True)
        run = json.loads(palimpsest(*command).stdout)["run"]
        assert passages(palimpsest, filled, run) == calm
        assert not list(index.glob("*.part"))


def is_whole(content: bytes, whole: bytes) -> bool:
    """Whether ``content`` is a report like ``whole``, which names another time; a compressed one differs in length."""
    if whole.startswith(b"%PDF"):
        return content.startswith(b"%PDF") and content.rstrip().endswith(b"%%EOF")
    return abs(len(content) - len(whole)) < 100


@pytest.mark.slow
@pytest.mark.rest
@pytest.mark.timeout(7200)
@pytest.mark.parametrize("suffix", [".html", ".pdf", ".csv", ".jsonl"])
def test_a_report_whose_writing_was_killed_is_not_there_or_whole(
    palimpsest: Run, filled: Path, rounds: int, suffix: str
) -> None:
    out = filled.with_name(f"report{suffix}")
    command = ["report", str(filled), "--out", str(out), "--json"]
    span = seconds_of(palimpsest, *command)
    whole = out.read_bytes()
    rng = random.Random(8)
    for earlier in (None, b"an earlier report") * rounds:
        out.unlink(missing_ok=True)
        if earlier is not None:
            out.write_bytes(earlier)
        kill_during(command, rng.uniform(0.5, 1.0) * span, group=True)
        left = out.read_bytes() if out.exists() else None
        assert left == earlier or (left is not None and is_whole(left, whole))
    palimpsest(*command)
    assert is_whole(out.read_bytes(), whole)
    assert json.loads(palimpsest("info", filled, "--json").stdout)["integrity"] == "ok"


@pytest.mark.slow
@pytest.mark.rest
@pytest.mark.timeout(7200)
def test_a_watch_whose_check_was_killed_loses_and_doubles_nothing(palimpsest: Run, tmp_path: Path, rounds: int) -> None:
    rng = random.Random(9)
    with WebServer() as server:
        server.page("/robots.txt", Response(status=404))
        links = "".join(f"<item><link>/{n}</link></item>" for n in range(30))
        server.page("/feed", Response(f"<rss version='2.0'><channel><title>x</title>{links}</channel></rss>".encode()))
        for number in range(30):
            server.page(f"/{number}", html(f"{TEXT * 3} Page {number} says so."))
        source = tmp_path / "source.txt"
        source.write_text(TEXT * 3, encoding="utf-8")
        for number in range(rounds):
            project = tmp_path / f"{number}.palimpsest"
            palimpsest("new", project)
            palimpsest("import", project, source, "--role", "source")
            palimpsest("watch", project, "add", "site", "--feed", f"{server.url}/feed", "--rate", "20")
            command = ["watch", str(project), "check", "site", "--once", "--allow-private", "--json"]
            for _ in range(2):
                kill_during(command, rng.uniform(0.5, 5.0), group=True)
                state = json.loads(palimpsest("info", project, "--json").stdout)
                assert state["integrity"] == "ok"
            palimpsest(*command)
            state = json.loads(palimpsest("info", project, "--json").stdout)
            assert (state["documents"], state["integrity"], state["interrupted"]) == (31, "ok", [])
            assert not Path(f"{project}.fetch").exists()
