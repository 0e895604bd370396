"""A verb is one module and one line in VERBS: a planted one appears everywhere a verb should."""

from __future__ import annotations

import argparse
import importlib.util
import json
from pathlib import Path
from types import ModuleType

import pytest

from workbench.base.options import PATHS
from workbench.base.page_sources import PLACES
from workbench.cli import main as command_line
from workbench.cli import verbs
from workbench.cli.options import TaskVerb, flag_of

ROOT = Path(__file__).resolve().parents[3]
VERB = """
name = "count"
summary = "how many characters a file has"
description = "Counts the characters of one UTF-8 file."

def add_arguments(parser):
    parser.add_argument("file", metavar="FILE", help="what is counted")

def execute(arguments, output):
    output.record({"characters": len(open(arguments.file, encoding="utf-8").read())})
    return 0
"""


def load(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def planted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "count.py").write_text(VERB, encoding="utf-8")
    monkeypatch.setattr(command_line, "VERBS", (*verbs.VERBS, load(tmp_path / "count.py")))


@pytest.mark.usefixtures("planted")
def test_a_planted_verb_is_in_the_help_and_in_the_reference(capsys: pytest.CaptureFixture[str]) -> None:
    assert command_line.main(["--help"]) == 0
    assert "how many characters a file has" in capsys.readouterr().out
    assert command_line.main(["count", "--help"]) == 0
    assert "Counts the characters of one UTF-8 file." in capsys.readouterr().out
    page = "\n".join(load(ROOT / "packaging" / "reference.py").reference())
    assert "#### `palimpsest count FILE`\n\nHow many characters a file has.\n\n- `FILE`: what is counted" in page


@pytest.mark.usefixtures("planted")
def test_a_planted_verb_works(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.txt").write_text("写本", encoding="utf-8")
    assert command_line.main(["count", str(tmp_path / "a.txt"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"characters": 2}


def test_every_module_of_the_room_is_listed() -> None:
    modules = {path.stem.rstrip("_") for path in Path(verbs.__file__).parent.glob("[!_]*.py")}
    own = {verb.name for verb in (*verbs.VERBS, *verbs.UNLISTED) if not isinstance(verb, TaskVerb)}
    assert own == modules


@pytest.mark.parametrize(
    "verb", [verb for verb in verbs.VERBS if isinstance(verb, TaskVerb)], ids=lambda verb: verb.name
)
def test_the_verb_of_a_task_takes_its_options_and_names_a_wrong_one(
    verb: TaskVerb, capsys: pytest.CaptureFixture[str]
) -> None:
    options = verb.task().specs()
    inputs = ["x" for option in options if option.kind in (PATHS, PLACES)]
    flags = {flag_of(o): o for o in options if (o.title or o.help) and o.kind not in (PATHS, PLACES)}
    assert command_line.main([verb.name, "--help"]) == 0
    shown = capsys.readouterr().out
    for flag, option in flags.items():
        assert flag in shown
        if option.low is not None:
            assert command_line.main([verb.name, "p", *inputs, flag, "-1"]) == 2
            assert f"{flag} must be at least {option.low:g}, not -1." in capsys.readouterr().err


def test_every_argument_of_every_verb_says_what_it_is_for() -> None:
    # Their descriptions say it all.
    silent = {("extract", "files"), ("tags", "action")}
    for verb in verbs.VERBS:
        parser = argparse.ArgumentParser(add_help=False)
        verb.add_arguments(parser)
        lacking = {(verb.name, action.dest) for action in parser._actions if not action.help}
        assert lacking <= silent


def test_what_a_task_may_do_besides_is_done_where_it_is_wanted_alone() -> None:
    besides = {
        (verb.name, option.name): option.default
        for verb in verbs.VERBS
        if isinstance(verb, TaskVerb)
        for option in verb.task().specs()
        if option.title.startswith("Also ")
    }
    assert {("fetch", "allow_private"), ("gather", "pages"), ("gather", "again")} <= besides.keys()
    assert set(besides.values()) == {False}


def test_the_window_can_be_opened_on_every_screen() -> None:
    from workbench.gui.shell.catalogue import SCREENS

    parser = command_line.build_parser()
    for view in SCREENS:
        assert parser.parse_args(["gui", "--view", view.view_id]).view == view.view_id
    with pytest.raises(SystemExit):
        parser.parse_args(["gui", "--view", "nowhere"])
