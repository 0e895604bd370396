from __future__ import annotations

import argparse
from pathlib import Path

import pytest

from workbench.base import libraries
from workbench.base.errors import ParameterError
from workbench.cli.arguments import (
    add_settings,
    chosen_settings,
    parameter_lines,
    parse_settings,
    run_of,
    settings_text,
    span_text,
)
from workbench.cli.main import build_parser, main
from workbench.cli.verbs import gui
from workbench.cli.verbs.gui import no_display
from workbench.methods.core import registry
from workbench.project.database import create


def test_settings_are_names_and_values() -> None:
    assert parse_settings(["a=1", " b = x=y "]) == {"a": "1", "b": "x=y"}
    for wrong in (["a"], ["=1"], ["a=1", "a=2"]):
        with pytest.raises(ParameterError):
            parse_settings(wrong)


def test_every_parameter_of_every_method_is_listed_with_its_range() -> None:
    for name in registry.names():
        rows = parameter_lines(registry.get(name))
        assert [row[0] for row in rows] == [s.name for s in registry.get(name).parameters.specs()]
    assert [span_text(1, 5, ()), span_text(0, None, ()), span_text(None, 2, ()), span_text(None, None, (32, 64))] == [
        "1..5",
        ">= 0",
        "<= 2",
        "32|64",
    ]
    assert settings_text({"a": True, "b": 200.0, "c": "x"}) == "a=on b=200 c=x"


@pytest.mark.parametrize(
    "arguments",
    [
        *([], ["nonsense"], ["detect", "p", "nonsense"], ["import", "p"], ["report", "p"]),
        *(["new", ""], ["import", "p", ""], ["extract", ""]),
    ],
)
def test_wrong_usage_ends_with_2(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments) == 2
    assert "usage" in capsys.readouterr().err


def test_a_missing_display_is_reported_in_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.platform", "linux")
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"):
        monkeypatch.delenv(name, raising=False)
    assert "no display" in no_display()
    monkeypatch.setenv("DISPLAY", ":4711")
    monkeypatch.setenv("WAYLAND_DISPLAY", "left-over")
    assert "no display" in no_display()
    monkeypatch.setenv("QT_QPA_PLATFORM", "offscreen")
    assert no_display() == ""


def test_a_preset_gives_the_papers_values_and_what_is_set_goes_before() -> None:
    parser = argparse.ArgumentParser()
    add_settings(parser)
    chosen = chosen_settings(parser.parse_args(["--preset", "paper", "--set", "min_run=4"]), "digest")
    parameters = registry.get("digest").parameters.parse(chosen).as_dict()
    assert [parameters[name] for name in ("min_run", "bits", "layout", "rule")] == [4, 32, "never", "length"]
    with pytest.raises(ParameterError, match="no preset thesis"):
        chosen_settings(parser.parse_args(["--preset", "thesis"]), "digest")


@pytest.mark.parametrize("method", registry.names())
def test_every_method_takes_the_preset_of_its_paper_or_says_that_it_has_none(method: str) -> None:
    parameters = registry.get(method).parameters
    if not parameters.has_paper():
        with pytest.raises(ParameterError, match="no values of a paper"):
            parameters.preset("paper")
        return
    values = parameters.parse(parameters.preset("paper")).as_dict()
    for spec in parameters.specs():
        usable = spec.paper is not None and type(spec.paper) is type(spec.default)
        if usable and (not spec.choices or spec.paper in spec.choices):
            assert values[spec.name] == spec.paper


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["evaluate", "p", "--labels", "spam", "1"], {"run": "1", "labels": "spam"}),
        (["figure", "p", "--out", "f.svg", "scores"], {"name": "scores"}),
        (["labels", "p", "share", "--who", "anna", "f"], {"action": "share", "who": "anna", "file": Path("f")}),
        (["tags", "--json", "p", "add", "--suspects", "T"], None),
        (["evaluate", "--json", "p", "1", "--labels", "spam"], {"run": "1", "json": True}),
        (["tags", "p", "add", "T", "--json", "--", "-a.txt"], {"ids": ["-a.txt"], "json": True}),
        (["tags", "p", "documents", "--tag", "-news"], {"tag": "-news"}),
        (["detect", "p", "--source-tag", "-a,b", "digest"], {"source_tag": "-a,b", "method": "digest"}),
        (["import", "p", "--tag", "-h"], None),
    ],
)
def test_options_may_be_anywhere_among_the_other_arguments(
    words: list[str], expected: dict[str, object] | None
) -> None:
    if expected is None:
        with pytest.raises(SystemExit):
            build_parser().parse_args(words)
        return
    arguments = vars(build_parser().parse_args(words))
    assert {name: arguments[name] for name in expected} == expected


@pytest.mark.parametrize(
    ("word", "hint"),
    [
        ("figures", "did you mean figure?"),
        ("childs", "palimpsest --help"),
        ("zzz", "palimpsest --help"),
    ],
)
def test_a_word_that_is_not_a_verb_is_named_with_the_nearest_one(
    word: str, hint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([word, "p"]) == 2
    error = capsys.readouterr().err
    assert f"there is no verb {word}: {hint}" in error
    assert "child'" not in error


@pytest.mark.parametrize("left", [["1", "2"], ["--nonsense", "1"], ["1", "--", "2"]])
def test_what_a_verb_does_not_take_is_refused(left: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        build_parser().parse_args(["evaluate", "p", *left])
    assert stop.value.code == 2
    assert "unrecognized" in capsys.readouterr().err


@pytest.mark.parametrize("span", ["5", "5-", "a-b", "-5"])
def test_an_invalid_span_is_refused_with_an_example(span: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        build_parser().parse_args(["explain", "p", "a", "b", f"--span={span}"])
    assert "is not of the form START-END, such as 120-250" in capsys.readouterr().err


@pytest.mark.parametrize(
    "words",
    [("--min", "0.5"), ("--stitched", "--largest", "9"), ("--sources", "2"), ("--clusters", "--out", "graph.csv")],
)
def test_relations_refuses_options_that_would_change_nothing(
    tmp_path: Path, words: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    create(tmp_path / "p.palimpsest").close()
    assert main(["relations", str(tmp_path / "p.palimpsest"), *words]) == 2
    assert "--" in capsys.readouterr().err


def test_a_name_that_begins_with_a_minus_sign_is_refused_with_the_way_to_write_it(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with pytest.raises(SystemExit):
        build_parser().parse_args(["tags", "p", "add", "T", "-a.txt"])
    error = capsys.readouterr().err
    assert "usage: palimpsest tags" in error
    assert "-a.txt (names that begin with a minus sign come last, after --)" in error


@pytest.mark.parametrize(
    ("tool", "line"),
    [
        ("apt-get", "sudo apt-get install libegl1 libxcb-cursor0"),
        ("dnf", "sudo dnf install 'libEGL.so.1()(64bit)' 'libxcb-cursor.so.0()(64bit)'"),
        ("", "start again"),
    ],
)
def test_a_system_without_the_windows_libraries_is_told_all_of_them_and_what_installs_them(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tool: str, line: str
) -> None:
    absent = {"libEGL.so.1", "libxcb-cursor.so.0"}
    opened: list[str] = []
    monkeypatch.setattr(libraries, "loads", lambda name: name not in absent and "Qt" not in name and "qxcb" not in name)
    monkeypatch.setattr(libraries.shutil, "which", lambda name: name if name == tool else None)
    monkeypatch.setattr(gui, "no_display", lambda: "")
    monkeypatch.setattr(gui, "open_window", lambda *_: opened.append("opened") or 0)
    monkeypatch.setenv("QT_QPA_PLATFORM", "xcb")
    assert main(["gui"]) == 1
    output = capsys.readouterr().err
    assert all(name in output for name in absent)
    assert line in output
    assert not opened
    # A package may bring what only Qt finds: then the window opens.
    monkeypatch.setattr(libraries, "loads", lambda name: name not in absent)
    assert gui.no_libraries() == ""
    # A view that is only drawn needs less.
    monkeypatch.setattr(libraries, "loads", lambda name: name != "libxcb-cursor.so.0" and "qxcb" not in name)
    assert gui.no_libraries(drawing=True) == ""
    assert "libxcb-cursor0" in gui.no_libraries() or tool != "apt-get"


@pytest.mark.parametrize(
    ("typed", "chosen"),
    [
        (["matches", "P", "2"], 2),
        (["matches", "P", "--run", "3"], 3),
        (["matches", "P", "2", "--run", "2"], 2),
        (["matches", "P"], None),
    ],
)
def test_a_run_may_be_given_with_or_without_its_option(typed: list[str], chosen: int | None) -> None:
    assert run_of(build_parser(typed).parse_args(typed)) == chosen


def test_two_different_runs_are_refused() -> None:
    typed = ["matches", "P", "2", "--run", "3"]
    with pytest.raises(ParameterError, match="2 and --run 3"):
        run_of(build_parser(typed).parse_args(typed))
