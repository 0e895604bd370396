"""What numba compiles once its kernels are warm: when pages are read, and when each method runs under every choice of
its parameters.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from numba.core import event
from numba.core.dispatcher import Dispatcher

from tests.unit.methods.corpora import Collection
from workbench.base.progress import NullProgress
from workbench.base.types import Role
from workbench.methods.core import registry
from workbench.methods.core.api import Method
from workbench.methods.core.warming import warm_up
from workbench.reading.html.page import extract_html
from workbench.reading.made_pages import aligned

TEXT = "".join(f"Sentence {i} speaks of {i * 31} things. これは第{i}の文であり、述べる。" for i in range(20))
CORPUS = Collection.of(
    (Role.SOURCE, TEXT),
    (Role.SOURCE, ""),
    (Role.SUSPECT, TEXT.replace("speaks", "tells").replace("文であり", "節であり")),
    (Role.SUSPECT, TEXT[500:] + "e\u0301。《るび》" + TEXT[:200]),
    (Role.SUSPECT, TEXT[100:200]),
    (Role.BACKGROUND, TEXT[300:]),
)


class _Listener(event.Listener):
    def __init__(self) -> None:
        self.compiled: list[str] = []

    def on_start(self, event: Any) -> None:
        function = event.data["dispatcher"].py_func
        self.compiled.append(f"{function.__module__}.{function.__qualname__} {event.data['args']}")

    def on_end(self, event: Any) -> None: ...


def write_what_is_compiled(file: Path) -> None:
    """Write to ``file``, a line each, what warming up compiles more than once, and what is compiled after it."""
    warm_up(NullProgress())
    several = _compiled_for_several_signatures()
    listener = _Listener()
    event.register("numba:compile", listener)
    extract_html('<p style="display:none">a</p><p hidden>b</p>')
    aligned("abcabba", "cbabac")
    lines = [f"pages: {compiled}" for compiled in listener.compiled]
    listener.compiled.clear()
    for name in registry.names():
        method = registry.get(name)
        for choice in _choices(method):
            _run(method, choice)
            lines += [f"{name} {choice}: {compiled}" for compiled in listener.compiled]
            listener.compiled.clear()
    file.write_text("\n".join(several + lines), encoding="utf-8")


def _compiled_for_several_signatures() -> list[str]:
    kernels = {
        f"{name}.{key}": value
        for name, module in sys.modules.items()
        if name.startswith("workbench.kernels")
        for key, value in vars(module).items()
        if isinstance(value, Dispatcher)
    }
    assert len(kernels) > 100
    return [f"{name}: {kernel.signatures}" for name, kernel in kernels.items() if len(kernel.signatures) > 1]


def _choices(method: Method) -> Iterator[dict[str, Any]]:
    yield {}
    for spec in method.parameters.specs():
        others = spec.choices or ((True, False) if spec.kind is bool else ())
        yield from ({spec.name: other} for other in others if other != spec.default)


def _run(method: Method, choice: dict[str, Any]) -> None:
    parameters = method.parameters.parse(choice)
    with TemporaryDirectory() as name:
        folder = Path(name)
        method.prepare(CORPUS, parameters, folder, NullProgress())
        index = method.load(folder, parameters)
        method.detect(index, list(CORPUS.documents(*method.roles(parameters)[1])), parameters, NullProgress())
        # All pairs under the defaults, one suspect under every other choice.
        for suspect in list(CORPUS.documents(Role.SUSPECT))[: 1 if choice else None]:
            for source in CORPUS.documents(Role.SOURCE):
                method.compare(suspect, source, parameters)
                method.explain(suspect, source, parameters, index)
                method.explain(suspect, source, parameters)
