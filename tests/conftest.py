"""What every test relies on: no display, fixed scale and locale, settings of its own."""

from __future__ import annotations

import atexit
import builtins
import gc
import os
import shutil
import sys
from collections.abc import Iterator
from multiprocessing import util
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis.internal.conjecture import providers

from tests import project_files
from tests.forked_readers import fork_readers
from workbench import __version__
from workbench.base.resources import cache_dir
from workbench.jobs.children import serve


def _leave() -> None:
    util._exit_function()  # type: ignore[attr-defined]
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)


if "PYTEST_XDIST_WORKER" in os.environ:
    # To free one by one all that a worker holds takes so long that the end of the run waits its ten seconds for it and
    # then kills it.
    atexit.register(_leave)

# A busy machine is not a failure: time is measured by programs, not by tests. The suite draws the same examples every
# time; the long profile (``python -m tests.properties``) draws new ones, and what it finds becomes an @example.
settings.register_profile("suite", deadline=None, derandomize=True, database=None)
settings.register_profile("long", deadline=None, derandomize=False, max_examples=500, print_blob=True)
settings.load_profile("suite")


_SHARE = float(os.environ.get("PALIMPSEST_EXAMPLES", "0.15"))
"""Of the examples of a property test, those that are drawn; the slow rest of the suite draws all."""
_LEAST = 30
"""Examples that are drawn at least; half of them where a test asks for fewer than 60, because each takes long."""


_MANY = 200
"""Tests of a run for which it pays to load the server, which takes some four seconds."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Have each property test of the suite draw its share of examples; ``@example`` ones are always tried."""
    if _SHARE >= 1 or settings.get_current_profile_name() != "suite":
        return
    for item in items:
        function = getattr(getattr(item, "obj", None), "__func__", getattr(item, "obj", None))
        own = getattr(function, "_hypothesis_internal_use_settings", None)
        if own is not None:
            fewer = max(min(_LEAST, (own.max_examples + 1) // 2), int(own.max_examples * _SHARE))
            function._hypothesis_internal_use_settings = settings(own, max_examples=fewer)


def pytest_collection_finish(session: pytest.Session) -> None:
    """Jobs, workers and programs of a long run come from one server, as those of the window do."""
    if len(session.items) >= _MANY:
        with pytest.MonkeyPatch.context() as patch:
            # The server imports before it knows the search path, and an installed package may be called tests, too.
            patch.setenv("PYTHONPATH", str(Path(__file__).parents[1]))
            serve("tests.preloaded")
        fork_readers()
    # What is loaded now stays, garbage as well: no later collection goes through it. What tests leave behind is looked
    # for less often than Python would, which takes a twentieth of the time of tests without a window.
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """What is collected stays: looking for garbage meanwhile would take a fifth of the time."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()


@pytest.hookimpl(trylast=True)
def pytest_configure() -> None:
    """Hypothesis draws constants of the modules that are loaded: in the suite no other test's modules change a draw.

    Qt for Python, which pytest-qt has loaded, looks at every import, and into the source of what is imported, for other
    names of its methods, which nobody wants here: a fiftieth of the time.
    """
    builtins.__import__ = getattr(builtins, "__orig_import__", builtins.__import__)
    if settings.get_current_profile_name() == "suite":
        providers.is_local_module_file = lambda _: False  # type: ignore[assignment]


# Hundreds of interpreters are started and all tests are rewritten by pytest: without kept bytecode, as images of
# containers want it, each does so again.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False
# A project goes to the disk whenever it is closed; in memory that takes half the time, and no test pulls the plug.
_MEMORY = Path("/dev/shm")
if _MEMORY.is_dir() and os.access(_MEMORY, os.W_OK) and shutil.disk_usage(_MEMORY).free > 4 << 30:
    os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(_MEMORY))
# Set before Qt is imported anywhere.
os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
os.environ.setdefault("QT_SCALE_FACTOR", "1")
# Set before numba is imported: where a test does so first, every kernel would be compiled anew, beside its source.
# Programs that a test gives a cache of their own find the kernels here, too.
os.environ.setdefault("NUMBA_CACHE_DIR", str(cache_dir() / "numba" / __version__))
# To list the fonts takes matplotlib a second.
os.environ.setdefault("MPLCONFIGDIR", str(cache_dir() / "matplotlib"))

ROOT = Path(__file__).resolve().parents[1]
SHARED_DATA = ROOT.parent / "shared" / "data"


@pytest.fixture(autouse=True)
def plain_child_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    """What one test set for the children of the program holds in no other test."""
    monkeypatch.delenv("PYTHONSAFEPATH", raising=False)


@pytest.fixture(scope="session", autouse=True)
def own_settings(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Keep the tests away from the settings of whoever runs them."""
    os.environ["PALIMPSEST_CONFIG"] = str(tmp_path_factory.mktemp("config"))
    os.environ["PALIMPSEST_DATA"] = str(tmp_path_factory.mktemp("data"))


@pytest.fixture(scope="session", autouse=True)
def new_projects() -> Iterator[None]:
    """Hundreds of tests begin with an empty project; those of the project file write it as the program does."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("workbench.project.opening.write_new", project_files.write_new)
        yield


@pytest.fixture(scope="session")
def repository() -> Path:
    """The root of the source tree."""
    return ROOT


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Real texts beside the repository; tests that need them skip where there are none."""
    if not SHARED_DATA.is_dir():
        pytest.skip("the real texts are not beside this repository")
    return SHARED_DATA
