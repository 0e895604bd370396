"""A method is one folder and one line of the registry: with these alone it appears everywhere."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from workbench.methods.core import registry

PLANTED = '''
"""The method ``planted``: documents that contain a word."""

from dataclasses import dataclass

from workbench.base.types import DocumentScore, Results, Role
from workbench.base.messages import Message
from workbench.methods.core.api import Explanation, Facts, Method, Parameters, Reason, parameter


@dataclass(frozen=True)
class PlantedParameters(Parameters):
    word: str = parameter("plum", "Word that is counted")


class Planted(Method):
    facts = Facts(
        name="planted",
        version=1,
        summary="How often a document contains a word",
        source="A test",
        parameters=PlantedParameters,
        emits=frozenset({"scores"}),
        cannot_see=Message("Words that are spelled differently."),
        figures={},
    )
    indexed = (Role.SUSPECT,)
    examined = (Role.SUSPECT,)

    def roles(self, parameters):
        return self.indexed, self.examined

    def index_key(self, parameters):
        return "none"

    def prepare(self, corpus, parameters, folder, watch):
        (folder / "index").write_bytes(b"")

    def load(self, folder, parameters):
        return None

    def detect(self, index, documents, parameters, watch):
        return Results(scores=tuple(DocumentScore(d.key, d.text.count(parameters.word)) for d in documents))

    def compare(self, a, b, parameters):
        return Results()

    def explain(self, a, b, parameters, index=None):
        return Explanation(False, "It only counts.", (Reason("count", False, "never a pair"),))


METHOD = Planted()
'''

Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Runs Python in a copy of the program that has one method more."""
    root = Path(__file__).resolve().parents[4]
    copy = tmp_path_factory.mktemp("copy")
    for name in ("workbench", "packaging", "docs"):
        shutil.copytree(root / name, copy / name)
    (copy / "resources").symlink_to(root / "resources")
    folder = copy / "workbench" / "methods" / "planted"
    folder.mkdir()
    (folder / "__init__.py").touch()
    (folder / "method.py").write_text(PLANTED, encoding="utf-8")
    listed = copy / "workbench" / "methods" / "core" / "registry.py"
    line = '    "planted": "workbench.methods.planted.method",\n'
    listed.write_text(listed.read_text("utf-8").replace("_MODULES = {\n", "_MODULES = {\n" + line), "utf-8")

    def python(*arguments: str) -> subprocess.CompletedProcess[str]:
        environment = os.environ | {"PYTHONPATH": str(copy), "PALIMPSEST_CACHE": str(copy / "cache")}
        command = [sys.executable, *arguments]
        return subprocess.run(command, cwd=copy, env=environment, capture_output=True, text=True, check=True)

    return python


def test_names_are_those_that_methods_have() -> None:
    assert [registry.get(name).name for name in registry.names()] == list(registry.names())


@pytest.mark.slow
def test_listing_methods_loads_no_compiler() -> None:
    code = (
        "import sys; from workbench.methods.core import registry; list(map(registry.get, registry.names()));"
        "sys.exit(bool({'numba', 'scipy'} & set(sys.modules)))"
    )
    root = Path(__file__).resolve().parents[4]
    assert subprocess.run([sys.executable, "-c", code], cwd=root, check=False).returncode == 0


@pytest.mark.slow
def test_a_planted_method_is_listed_with_its_parameters(run: Run) -> None:
    listed = [json.loads(line) for line in run("-m", "workbench", "methods", "--json").stdout.splitlines()]
    (planted,) = (method for method in listed if method["method"] == "planted")
    assert planted["summary"] == "How often a document contains a word"
    every_method = ["content", "suspect_tags", "source_tags"]
    assert [p["name"] for p in planted["parameters"]] == ["word", *every_method]
    assert len(listed) == len(registry.names()) + 1


@pytest.mark.slow
@pytest.mark.rest
def test_a_planted_method_detects(run: Run, tmp_path: Path) -> None:
    (tmp_path / "fruit.txt").write_text("plum, pear, plum", encoding="utf-8")
    project = str(tmp_path / "case.palimpsest")
    run("-m", "workbench", "new", project)
    run("-m", "workbench", "import", project, str(tmp_path / "fruit.txt"), "--role", "suspect")
    run("-m", "workbench", "detect", project, "planted")
    scores = [json.loads(line) for line in run("-m", "workbench", "scores", project, "--json").stdout.splitlines()]
    assert [row["score"] for row in scores] == [2.0]


@pytest.mark.slow
def test_a_planted_method_gets_a_page_from_its_record(run: Run) -> None:
    run("packaging/reference.py")
    read = "from pathlib import Path; print(*map(Path.read_text, Path('docs/methods').glob('[Rp]*.md')))"
    pages = run("-c", read).stdout
    assert "[planted](planted.md) | How often a document contains a word | scores |" in pages
    assert "**It cannot see** words that are spelled differently." in pages
    assert "| `word` | plum |" in pages


@pytest.mark.slow
def test_a_method_that_does_not_say_what_it_cannot_see_is_refused_in_a_sentence(run: Run) -> None:
    code = (
        "from dataclasses import replace; from workbench.base.errors import UserError\n"
        "from workbench.methods.core import registry; from workbench.methods.planted.method import METHOD\n"
        "type(METHOD).facts = replace(METHOD.facts, cannot_see='')\n"
        "try: registry.get('planted')\nexcept UserError as error: print(error)"
    )
    assert run("-c", code).stdout.startswith("The method planted does not declare its limits.")


@pytest.mark.slow
@pytest.mark.rest
def test_a_planted_method_is_in_the_reference_and_in_the_window(run: Run) -> None:
    code = (
        "import sys; sys.path.insert(0, 'packaging'); from reference import reference; print(*reference())\n"
        "from translations import messages; print(*(m.id for m in messages()))"
    )
    text = run("-c", code).stdout
    assert re.search(r"`METHOD`: [^\n]*\bplanted\b", text)
    assert "Word that is counted" in text


def test_methods_that_compare_texts_as_written_give_no_figure_after_folding() -> None:
    literal = [registry.get(name).facts for name in registry.names() if registry.get(name).facts.literal]
    assert literal
    assert not [(f.name, name) for f in literal for name, figure in f.figures.items() if "folding" in figure.note]
