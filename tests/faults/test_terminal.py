"""What a file holds reaches a terminal as text: it moves no cursor, hides nothing and begins no line, in any verb."""

from __future__ import annotations

import ast
import json
import unicodedata
import zipfile
from pathlib import Path

import numpy as np
import pytest

from workbench.base.types import Document, Label, Matches, Results, Role, RunState
from workbench.cli.main import main
from workbench.methods.core import registry
from workbench.project.database import create
from workbench.project.documents import add_documents
from workbench.project.label_sets import StoredSet, add_version
from workbench.project.labels import add_labels
from workbench.project.runs import begin_run, finish_chunk, finish_run

ROOT = Path(__file__).resolve().parents[2]
BAD = "\x1b[8m\r\nFingerprint 00 00\x9b31m\u202e\u2066\x07"
TEXT = "The first sentence of this text is here. The second one follows it at once. A third closes the whole. "
VERBS = (
    ["info"],
    ["runs"],
    ["matches"],
    ["matches", "1"],
    ["pairs", "1"],
    ["scores", "1"],
    ["tags", "list"],
    ["tags", "documents", "tag"],
    ["labels", "export"],
    ["labels", "values"],
    ["labels", "agreement", "--set", f"class{BAD}"],
    ["review", "suspects"],
    ["review", "conflicts"],
    ["review", "passages", "--suspect", f"d1{BAD}"],
    ["compare", f"d1{BAD}", f"d3{BAD}"],
    ["explain", f"d1{BAD}", f"d3{BAD}", "--run", "1"],
    ["blocks", "list", f"d1{BAD}"],
    ["relations"],
    ["captures"],
    ["watch", "list"],
    ["selectors", "list"],
    ["report", "--suspect", f"no such{BAD}", "--out", "r.html"],
    ["report", "--out", f"r{BAD}.html"],
)


@pytest.fixture
def hostile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with control characters in every word that it holds."""
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "case.palimpsest"
    places = (np.array([n], np.int64) for n in (1, 3, 0, 40, 0, 40))
    matches = Matches(*places, np.full(1, 5.0), np.zeros(1, np.int8), {f"segments{BAD}": np.full(1, 2)})
    with create(path) as project, project.write() as connection:
        for n, role in enumerate((Role.SUSPECT, Role.SUSPECT, Role.SOURCE, Role.SOURCE), 1):
            words = {name: f"{name}{BAD}" for name in ("title", "url", "site", "published", "origin")}
            document = Document(f"d{n}{BAD}", f"{TEXT}{BAD}{n}", role, tags=("tag",), **words)
            add_documents(connection, [document])
        definition = json.dumps({"values": [{"name": f"v{BAD}"}, {"name": f"b{BAD}"}]})
        add_version(connection, StoredSet(f"class{BAD}", definition, f"guide{BAD}", f"me{BAD}"))
        method = registry.get("digest")
        parameters = method.parameters().as_dict() | {f"x{BAD}": f"y{BAD}"}
        run = begin_run(connection, "digest", method.version, parameters, "0" * 64, 1)
        finish_chunk(connection, run.id, 0, Results(matches, excluded={f"left{BAD}": 3}), documents=2)
        finish_run(connection, run.id)
        other = begin_run(connection, "digest", method.version, parameters, "0" * 64, 1)
        finish_run(connection, other.id, RunState.FAILED, message=f"failed{BAD}")
        fields = f"v{BAD}", f"me{BAD}", f"note{BAD}"
        add_labels(connection, [Label(f"document:d1{BAD}", *fields, label_set=f"class{BAD}")])
    return path


def steers(text: str) -> set[str]:
    """The characters of ``text`` that a terminal would not show as themselves."""
    return {c for c in text if c != "\n" and unicodedata.category(c) in ("Cc", "Cf", "Cs", "Zl", "Zp")}


@pytest.mark.parametrize("form", [[], ["--json"]])
@pytest.mark.parametrize("verb", VERBS, ids=lambda verb: " ".join(word for word in verb if BAD not in word))
def test_no_verb_passes_control_characters_on(
    hostile: Path, capsys: pytest.CaptureFixture[str], verb: list[str], form: list[str]
) -> None:
    name, *others = verb
    main([name, str(hostile), *others, *form])
    shown = capsys.readouterr()
    assert not steers(shown.out + shown.err)
    assert not any(line.startswith("Fingerprint 00") for line in (shown.out + shown.err).splitlines())


def test_what_is_typed_wrongly_is_repeated_as_text(capsys: pytest.CaptureFixture[str]) -> None:
    for typed in (["info", "a", f"b{BAD}"], [f"verb{BAD}"], ["report", "p", f"--no{BAD}"], ["scale", f"do{BAD}", "x"]):
        assert main(typed) == 2
        shown = capsys.readouterr()
        assert shown.err
        assert not steers(shown.out + shown.err)


def test_a_pack_that_forges_a_line_of_verify_does_not_print_it(
    hostile: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pack = hostile.with_name("pack.zip")
    assert main(["report", str(hostile), "--out", str(pack)]) == 0
    capsys.readouterr()
    expected = "0123456789abcdef" * 4
    with zipfile.ZipFile(pack) as old, zipfile.ZipFile(hostile.with_name("forged.zip"), "w") as new:
        for item in old.infolist():
            content = old.read(item)
            if item.filename == "manifest.json":
                manifest = json.loads(content)
                manifest["made"] += f").\nFingerprint {expected}\nCompare it.\x1b[8m"
                content = json.dumps(manifest).encode()
            new.writestr(item.filename, content)
    for form in ([], ["--json"]):
        main(["verify", str(hostile.with_name("forged.zip")), *form])
        shown = capsys.readouterr()
        assert not steers(shown.out + shown.err)
        assert not any(line.startswith(f"Fingerprint {expected}") for line in shown.out.splitlines())


def test_only_one_module_of_the_command_line_writes() -> None:
    streams = {"out", "err", "stdout", "stderr"}
    writers = set()
    for path in (ROOT / "workbench/cli").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            match node:
                case ast.Call(func=ast.Name(id="print")):
                    writers.add(f"{path.stem}: print")
                case ast.Call(func=ast.Attribute(attr="write", value=ast.Attribute(attr=name))) if name in streams:
                    writers.add(f"{path.stem}: write")
    # The version is the program's own.
    assert writers == {"output: write", "main: print"}
