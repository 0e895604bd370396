"""Start of the frozen program: one executable for the command line, the window, jobs, their workers and the printer.

What is imported here, every start and every worker waits for.
"""

from __future__ import annotations

import os
import sys
import time
import zlib
from collections.abc import Sequence
from contextlib import suppress
from importlib import import_module
from itertools import pairwise
from pathlib import Path

X86_64_V3 = {"avx", "avx2", "bmi1", "bmi2", "f16c", "fma", "abm", "movbe"}
"""What Linux calls the features of x86-64-v3 beyond those of the level below."""
AVX2_ON_WINDOWS = 40
"""PF_AVX2_INSTRUCTIONS_AVAILABLE; every processor with it that Windows 10 runs on has the rest of x86-64-v3."""
TRY_IMPORTS = "try-imports"
"""The argument before names of modules that are only imported."""
TRACKER = "from multiprocessing.resource_tracker import main"
"""Beginning of the code that Python has a process of its own run for what workers share."""
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


def serve_jobs(arguments: Sequence[str]) -> None:
    """Be the worker, or the process that keeps track of what workers share, if started as one; ends the program then.

    In place of PyInstaller's own hook, for which every start would import multiprocessing.
    """
    if arguments[:1] == ["--multiprocessing-fork"]:
        from multiprocessing.spawn import freeze_support

        freeze_support()
    for flag, code in pairwise(arguments):
        if flag == "-c" and code.startswith(TRACKER):
            exec(code)
            sys.exit()


def level() -> str | None:
    """The kind of processor that kernels are shipped for and this one belongs to, as LLVM calls it; None for others."""
    if os.name == "nt":
        import ctypes
        import platform

        usual = platform.machine().lower() == "amd64"
        has = usual and ctypes.windll.kernel32.IsProcessorFeaturePresent(AVX2_ON_WINDOWS)
        return "x86-64-v3" if has else None
    machine = os.uname().machine
    if sys.platform == "darwin":
        return "apple-m1" if machine == "arm64" else None
    if machine != "x86_64":
        return None
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
    # numba names its folders by where the sources lie.
    cache = cache_dir() / f"numba-{build}-{zlib.crc32(os.fsencode(bundle)):08x}"
    os.environ |= {"NUMBA_CPU_NAME": kind, "NUMBA_CPU_FEATURES": "", "NUMBA_CACHE_DIR": str(cache)}
    if not cache.is_dir():
        with suppress(OSError):
            copy_compiled(shipped, bundle / "workbench" / "kernels", cache)
            remove_unused(cache)


def cache_name(sources: Path) -> str:
    """What numba calls the folder for the compiled kernels of the modules in ``sources``: by where these lie."""
    import hashlib

    return f"{sources.name}_{hashlib.sha1(str(sources).encode(), usedforsecurity=False).hexdigest()}"


def copy_compiled(shipped: Path, sources: Path, cache: Path) -> None:
    """Copy the compiled kernels of ``sources`` to ``cache``, whole or not at all. Raises OSError."""
    import shutil
    import tempfile

    cache.parent.mkdir(parents=True, exist_ok=True)
    fresh = Path(tempfile.mkdtemp(prefix="new-", dir=cache.parent))
    try:
        for folder, _, names in os.walk(shipped):
            target = fresh / cache_name(sources / Path(folder).relative_to(shipped))
            target.mkdir()
            for name in names:
                shutil.copyfile(Path(folder, name), target / name)
        fresh.rename(cache)
    except OSError:
        shutil.rmtree(fresh, ignore_errors=True)
        if not cache.is_dir():  # another process was first
            raise


def remove_unused(current: Path) -> None:
    """Remove kernels of versions that have long not been started for the first time."""
    import shutil

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
    serve_jobs(sys.argv[1:])
    if sys.argv[1:2] == [TRY_IMPORTS]:
        return try_imports(sys.argv[2:])
    from workbench.cli.main import main as command

    return command()


if __name__ == "__main__":
    sys.exit(main())
