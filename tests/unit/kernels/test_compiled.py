"""Kernels and helpers: who may call which, and what a compilation leaves behind."""

from __future__ import annotations

import ast
import gc
import importlib
import pickle
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numba
import numpy as np
import pytest
from filelock import FileLock
from numba.core import event
from numba.core.caching import NullCache

import workbench
from workbench.base import compiling
from workbench.kernels import compiled
from workbench.kernels.compiled import BusyKernel, helper, kernel, without_waiting


@helper
def _twice(number: int) -> int:
    return 2 * number


@kernel
def _doubled(numbers: object, collecting: object) -> int:
    total = 0
    for number in numbers:  # type: ignore[attr-defined]
        total += _twice(number)
    return total


def test_a_kernel_calls_a_helper_and_python_may_too() -> None:
    assert _doubled(np.arange(5), 0) == _twice(10) == 20


def test_garbage_is_collected_again_after_a_compilation() -> None:
    _doubled._cache = NullCache()
    assert gc.isenabled()
    _doubled(np.arange(5), 0.5)
    assert gc.isenabled()
    gc.disable()
    try:
        _doubled(np.arange(5), np.float32(0.5))
        assert not gc.isenabled()
    finally:
        gc.enable()


@pytest.mark.parametrize("written", [b"cworkbench.kernels.compiled\nNoSuchClass\n.", b"\x80\x04cut off", b""])
def test_stored_code_whose_index_cannot_be_read_is_compiled_anew(written: bytes) -> None:
    def doubled(number: int) -> int:
        return 2 * number

    first = kernel(doubled)
    assert first(3) == 6
    index = Path(first._cache._cache_file._index_path)
    version, rest = pickle.dumps(numba.__version__), index.read_bytes()
    index.write_bytes(version + written)
    again = kernel(doubled)
    assert again(4) == 8
    assert again.stats.cache_misses[again.signatures[0]] == 1
    assert index.read_bytes() == rest
    assert kernel(doubled)(5) == 10


@pytest.mark.parametrize("stored", [True, False])
def test_a_kernel_that_another_process_compiles_is_awaited_and_then_loaded(
    stored: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    def tripled(number: int) -> int:
        return 3 * number

    first, later = kernel(tripled), kernel(tripled)
    assert first(3) == 9
    index = Path(first._cache._cache_file._index_path)
    content = index.read_bytes()
    index.unlink()
    monkeypatch.setattr(compiled, "_PATIENCE", 60.0 if stored else 0.1)
    begun = threading.Event()
    monkeypatch.setattr(compiling, "begin", begun.set)
    other = FileLock(f"{index}.lock", thread_local=False)
    with other, without_waiting(), pytest.raises(BusyKernel):
        later(4)
    with other, ThreadPoolExecutor() as pool:
        answer = pool.submit(later, 4)
        assert begun.wait(60)
        if stored:
            index.write_bytes(content)
            other.release()
        assert answer.result(60) == 12
    assert sum(later.stats.cache_misses.values()) == (0 if stored else 1)


def test_a_kernel_that_cannot_be_compiled_leaves_no_process_waiting() -> None:
    def impossible(number: int) -> object:
        return number.none  # type: ignore[attr-defined]

    for _ in range(2):
        with pytest.raises(numba.TypingError):
            kernel(impossible)(3)


def _forget_sources() -> None:
    compiled._source.cache_clear()
    compiled._stamp.cache_clear()


def test_code_is_compiled_anew_when_a_module_that_it_takes_from_has_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = "workbench.kernels"
    monkeypatch.setattr(sys.modules[package], "__path__", [*sys.modules[package].__path__, str(tmp_path)])
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    Path(tmp_path, "planted_number.py").write_text("NUMBER = 1\n")
    Path(tmp_path, "planted_helper.py").write_text(
        f"from {package}.compiled import helper\nfrom {package} import (\n    planted_number,\n)\n\n"
        "NUMBER = planted_number.NUMBER\n\n@helper\ndef added(n):\n    return n + NUMBER\n"
    )
    Path(tmp_path, "planted_kernel.py").write_text(
        f"from {package}.compiled import kernel\nfrom {package}.planted_helper import added\n\n"
        "@kernel\ndef total(n):\n    return added(n)\n"
    )

    def total() -> tuple[int, int]:
        """What the kernel adds to 10, and how often it was compiled for that in a process that begins now."""
        for name in ("kernel", "helper", "number"):
            sys.modules.pop(f"{package}.planted_{name}", None)
            vars(sys.modules[package]).pop(f"planted_{name}", None)
        _forget_sources()
        kernel = importlib.import_module(f"{package}.planted_kernel").total
        return kernel(10), sum(kernel.stats.cache_misses.values())

    try:
        assert total() == (11, 1)
        assert total() == (11, 0)
        Path(tmp_path, "planted_number.py").write_text("NUMBER = 2\n")
        assert total() == (12, 1)
        assert total() == (12, 0)
    finally:
        _forget_sources()


def test_what_kernels_and_helpers_call_is_compiled_once() -> None:
    names = []

    class Listener(event.Listener):
        def on_start(self, event: Any) -> None:
            names.append(event.data["dispatcher"].py_func.__name__)

        def on_end(self, event: Any) -> None: ...

    @helper
    def innermost(number: int) -> int:
        return number + 1

    @helper
    def inner(number: int) -> int:
        return innermost(number) + 1

    @kernel
    def outer(number: int) -> int:
        return inner(number) + innermost(number)

    outer._cache = NullCache()
    with event.install_listener("numba:compile", Listener()):
        assert outer(1) == 5
    assert sorted(names) == ["inner", "innermost", "outer"]


def _compiled(node: ast.stmt) -> str | None:
    """How a function of a module is compiled: ``kernel``, ``helper``, ``njit``; None if it is not."""
    if not isinstance(node, ast.FunctionDef):
        return None
    for decorator in node.decorator_list:
        name = ast.unparse(decorator).partition("(")[0]
        if name in ("kernel", "helper", "njit"):
            return name
    return None


def _modules() -> dict[str, str]:
    """The source of each module."""
    root = Path(next(iter(workbench.__path__)))
    return {
        ".".join((root.name, *path.relative_to(root).with_suffix("").parts)): path.read_text(encoding="utf-8")
        for path in sorted(root.rglob("*.py"))
    }


def test_python_code_calls_no_helper() -> None:
    # It would run uncompiled, a hundred times as slowly.
    sources = _modules()
    trees = {name: ast.parse(source) for name, source in sources.items() if "@helper" in source}
    helpers = {(name, f.name) for name, tree in trees.items() for f in tree.body if _compiled(f) == "helper"}  # type: ignore[attr-defined]
    assert len(helpers) > 100
    called = []
    for module, source in sources.items():
        # A module that calls one has it or imports it.
        if module not in trees and not any(f"from {owner} import" in source for owner in trees):
            continue
        tree = trees.get(module) or ast.parse(source)
        known = {name: (module, name) for owner, name in helpers if owner == module}
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom):
                known |= {alias.asname or alias.name: (node.module or "", alias.name) for alias in node.names}
        if helpers.isdisjoint(known.values()):
            continue
        for statement in tree.body:
            if _compiled(statement) is None:
                used = {node.id for node in ast.walk(statement) if isinstance(node, ast.Name)}
                called += [f"{module}: {name}" for name in used if known.get(name) in helpers]
    assert called == []
