"""Start of the frozen program: one executable for the command line, the window, jobs, their workers and the printer."""

from __future__ import annotations

import ctypes
import hashlib
import multiprocessing
import os
import platform
import shutil
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import suppress
from importlib import import_module
from pathlib import Path

X86_64_V3 = {"avx", "avx2", "bmi1", "bmi2", "f16c", "fma", "abm", "movbe"}
"""What Linux calls the features of x86-64-v3 beyond those of the level below."""
AVX2_ON_WINDOWS = 40
"""PF_AVX2_INSTRUCTIONS_AVAILABLE; every processor with it that Windows 10 runs on has the rest of x86-64-v3."""
TRY_IMPORTS = "try-imports"
"""The argument before names of modules that are only imported."""
UNUSED_DAYS = 60
"""Days after which the compiled kernels of another version are removed."""


def give_back_library_path() -> None:
    """A browser or file manager that is started from here must not load this program's libraries."""
    for name in ("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH"):
        before = os.environ.pop(f"{name}_ORIG", None)
        if before is not None:
            os.environ[name] = before
        else:
            os.environ.pop(name, None)
    # Workers and the printer are this executable again: they set the path anew, instead of taking it as inherited.
    os.environ["PYINSTALLER_RESET_ENVIRONMENT"] = "1"


def level() -> str | None:
    """The kind of processor that kernels are shipped for and this one belongs to, as LLVM calls it; None for others."""
    machine = platform.machine().lower()
    if sys.platform == "darwin":
        return "apple-m1" if machine == "arm64" else None
    if machine not in ("x86_64", "amd64"):
        return None
    if os.name == "nt":
        return "x86-64-v3" if ctypes.windll.kernel32.IsProcessorFeaturePresent(AVX2_ON_WINDOWS) else None
    with suppress(OSError), open("/proc/cpuinfo", encoding="ascii", errors="replace") as file:
        flags = next((set(line.split()) for line in file if line.startswith("flags")), set())
        return "x86-64-v3" if flags >= X86_64_V3 else None
    return None


def use_shipped_kernels(bundle: Path) -> None:
    """Have numba load the kernels that come along, from the user's cache, where it can add to them.

    On a processor that they are not for, or where the cache cannot be written, kernels are compiled when first used.
    """
    if "NUMBA_CACHE_DIR" in os.environ or "NUMBA_CPU_NAME" in os.environ:
        return
    kind = level()
    shipped = bundle / "kernels-compiled" / str(kind)
    if kind is None or not shipped.is_dir():
        return
    from workbench.base.resources import cache_dir

    build = (bundle / "kernels-compiled" / "build-id").read_text(encoding="ascii").strip()
    cache = cache_dir() / f"numba-{build}"
    os.environ |= {"NUMBA_CPU_NAME": kind, "NUMBA_CPU_FEATURES": "", "NUMBA_CACHE_DIR": str(cache)}
    sources = bundle / "workbench" / "kernels"
    if (cache / cache_name(sources)).is_dir():
        return
    with suppress(OSError):
        # That of all kernels comes last: where it is, the others are.
        for compiled in sorted((path for path in (shipped, *shipped.rglob("*")) if path.is_dir()), reverse=True):
            copy_compiled(compiled, cache / cache_name(sources / compiled.relative_to(shipped)))
        remove_unused(cache)


def cache_name(sources: Path) -> str:
    """What numba calls the folder for the compiled kernels of the modules in ``sources``: by where these lie."""
    return f"{sources.name}_{hashlib.sha1(str(sources).encode(), usedforsecurity=False).hexdigest()}"


def copy_compiled(compiled: Path, target: Path) -> None:
    """Copy the files of one folder to ``target``, whole or not at all. Raises OSError."""
    if target.is_dir():
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    fresh = Path(tempfile.mkdtemp(prefix="new-", dir=target.parent))
    for path in compiled.iterdir():
        if path.is_file():
            shutil.copyfile(path, fresh / path.name)
    try:
        fresh.rename(target)
    except OSError:  # another process was first
        shutil.rmtree(fresh)


def remove_unused(current: Path) -> None:
    """Remove kernels of versions that have long not been started for the first time."""
    for other in current.parent.glob("numba-*"):
        if other != current and other.stat().st_mtime < time.time() - UNUSED_DAYS * 86_400:
            shutil.rmtree(other, ignore_errors=True)


def try_imports(names: Sequence[str]) -> int:
    """Import modules: 1, with what happened on standard error, where one cannot be."""
    failed = 0
    for name in names:
        try:
            import_module(name)
        except Exception as error:  # noqa: BLE001 - whatever a library raises
            sys.stderr.write(f"{name}: {type(error).__name__}: {error}\n")
            failed = 1
    return failed


def main() -> int:
    """Start what the arguments name."""
    give_back_library_path()
    use_shipped_kernels(Path(sys._MEIPASS))  # type: ignore[attr-defined]
    multiprocessing.freeze_support()  # a job or a worker ends here
    if sys.argv[1:2] == [TRY_IMPORTS]:
        return try_imports(sys.argv[2:])
    from workbench.cli.main import main as command

    return command()


if __name__ == "__main__":
    sys.exit(main())
