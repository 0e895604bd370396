"""After warming up no job compiles anything."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

EVERY_CHOICE = """
from numba.core import event

from tests.unit.methods.corpora import Collection
from workbench.base.progress import Unwatched
from workbench.base.types import Role
from workbench.methods.core import registry
from workbench.methods.core.warming import warm_up
from pathlib import Path
from tempfile import TemporaryDirectory
import os

warm_up(Unwatched())


def cached():
    return {path for path in Path(os.environ["NUMBA_CACHE_DIR"]).rglob("*") if path.is_file()}


warmed = cached()
assert warmed

class Listener(event.Listener):
    def on_start(self, event):
        dispatcher = event.data["dispatcher"]
        print(running, dispatcher.py_func.__module__, dispatcher.py_func.__qualname__, event.data["args"])

    def on_end(self, event):
        pass


event.register("numba:compile", Listener())
text = "".join(f"Sentence {i} speaks of {i * 31} things. これは第{i}の文であり、述べる。" for i in range(20))
corpus = Collection.of(
    (Role.SOURCE, text),
    (Role.SOURCE, ""),
    (Role.SUSPECT, text.replace("speaks", "tells").replace("文であり", "節であり")),
    (Role.SUSPECT, text[500:] + "e\\u0301。《るび》" + text[:200]),
    (Role.SUSPECT, text[100:200]),
    (Role.BACKGROUND, text[300:]),
)
for name in registry.names():
    method = registry.get(name)
    choices = [{}]
    for spec in method.parameters.specs():
        others = spec.choices or ((True, False) if spec.kind is bool else ())
        choices += [{spec.name: other} for other in others if other != spec.default]
    for running in choices:
        parameters = method.parameters.parse(running)
        with TemporaryDirectory() as folder:
            method.prepare(corpus, parameters, Path(folder), Unwatched())
            index = method.load(Path(folder), parameters)
            method.detect(index, list(corpus.documents(*method.roles(parameters)[1])), parameters, Unwatched())
            for suspect in corpus.documents(Role.SUSPECT):
                for source in corpus.documents(Role.SOURCE):
                    method.compare(suspect, source, parameters)
                    method.explain(suspect, source, parameters, index)
                    method.explain(suspect, source, parameters)
print(*sorted(cached() - warmed))
"""


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_after_warming_up_no_method_compiles_a_kernel_under_any_choice_of_parameters(repository: Path) -> None:
    command = [sys.executable, "-c", EVERY_CHOICE]
    completed = subprocess.run(command, cwd=repository, capture_output=True, text=True, check=False)
    assert completed.returncode == 0, completed.stderr
    assert completed.stdout.strip() == ""
