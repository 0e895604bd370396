"""No child process takes code or settings from the folder that it was started in."""

from __future__ import annotations

import os
import subprocess
import sys
from multiprocessing import heap
from pathlib import Path

import pytest

from tests.conftest import ROOT
from workbench.base.types import Document, Role
from workbench.cli.main import main
from workbench.evaluation.drawing import draw
from workbench.evaluation.figures import Axis, Figure, Series
from workbench.jobs import children
from workbench.jobs.context import Context
from workbench.jobs.flags import SharedFlag
from workbench.project.documents import add_documents
from workbench.services.detecting.runs import detect
from workbench.services.session import Session, create

# Each starts Python anew.
pytestmark = pytest.mark.slow

PLANTED = "import pathlib\npathlib.Path({mark!r}).touch()\nraise ImportError('planted')\n"
MODULES = ("struct", "json", "multiprocessing", "workbench", "numpy", "PySide6", "sitecustomize", "usercustomize")
TEXT = "これは正しい文書です。二つ目の文もあります。三つ目の文です。\n"


@pytest.fixture
def planted(tmp_path: Path) -> Path:
    """A stranger's folder: modules that leave the file RAN where they run, and two texts."""
    folder = tmp_path / "planted"
    folder.mkdir()
    for name in MODULES:
        (folder / f"{name}.py").write_text(PLANTED.format(mark=str(folder / "RAN")))
    (folder / "a.txt").write_text(TEXT * 3, encoding="utf-8")
    (folder / "b.txt").write_text("別の文です。" + TEXT * 3, encoding="utf-8")
    return folder


SCRIPT = "import sys\nfrom workbench.cli.main import main\nif __name__ == '__main__':\n    sys.exit(main())\n"


@pytest.fixture
def palimpsest(tmp_path: Path) -> Path:
    """The console script as an installer writes it."""
    folder = tmp_path / "bin"
    folder.mkdir()
    (folder / "palimpsest").write_text(SCRIPT)
    return folder / "palimpsest"


def run(command: list[object], folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *map(str, command)],
        cwd=folder,
        env=os.environ | environment,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


@pytest.mark.parametrize(
    ("verb", "arguments"),
    [
        ("import", ["b.txt", "--role", "suspect"]),
        # Its workers are started as the readers of an import are.
        pytest.param("detect", ["digest", "--workers", "1"], marks=pytest.mark.rest),
        ("report", ["--out", "r.pdf"]),
    ],
)
def test_modules_in_the_current_folder_never_run(
    planted: Path, palimpsest: Path, tmp_path: Path, verb: str, arguments: list[str]
) -> None:
    project = tmp_path / "p.palimpsest"
    create(project)
    texts = [Document("a", TEXT * 3, Role.SOURCE), Document("b", f"別の文です。{TEXT * 3}", Role.SUSPECT)]
    with Session(project) as session, session.write() as connection:
        add_documents(connection, texts)
    if verb == "report":
        detect(Context("test", lambda event: None, lambda: False), project, "digest", {}, workers=1)
    completed = run([palimpsest, verb, project, *arguments], planted, PYTHONPATH=str(ROOT))
    assert completed.returncode == 0, completed.stderr
    assert not (planted / "RAN").exists()
    if verb == "report":
        assert (planted / "r.pdf").read_bytes().startswith(b"%PDF")


@pytest.mark.parametrize("verb", ["extract", pytest.param("import", marks=pytest.mark.rest)])
def test_the_module_as_a_program_leaves_the_current_folder_too(planted: Path, tmp_path: Path, verb: str) -> None:
    for name in ("workbench", "sitecustomize", "usercustomize"):
        (planted / f"{name}.py").unlink()  # these Python itself loads, before any line of ours
    project = tmp_path / "p.palimpsest"
    create(project)
    completed = run(["-m", "workbench", verb, *[project] * (verb == "import"), "a.txt"], planted, PYTHONPATH=str(ROOT))
    assert completed.returncode == 0, completed.stderr
    assert not (planted / "RAN").exists()


def test_a_source_tree_is_found_by_its_children(tmp_path: Path) -> None:
    (tmp_path / "workbench").symlink_to(ROOT / "workbench")
    (tmp_path / "resources").symlink_to(ROOT / "resources")
    (tmp_path / "a.txt").write_text(TEXT * 3, encoding="utf-8")
    entries = [entry for entry in sys.path if entry and Path(entry).resolve() != ROOT]
    completed = run(["-S", "-m", "workbench", "extract", "a.txt"], tmp_path, PYTHONPATH=os.pathsep.join(entries))
    assert (completed.returncode, TEXT.strip() in completed.stdout) == (0, True), completed.stderr


def test_settings_of_libraries_in_the_current_folder_do_not_count(tmp_path: Path) -> None:
    (tmp_path / "matplotlibrc").write_text("text.usetex: True\nlines.linewidth: 40\n")
    (tmp_path / ".numba_config.yaml").write_text("disable_jit: 1\n")
    (tmp_path / "yaml.py").write_text("def safe_load(file):\n    return {'disable_jit': 1}\n")
    code = (
        "import sys, workbench.kernels.rabin; from numba.core import config; config.reload_config()\n"
        "from workbench.evaluation.drawing import draw\nfrom workbench.evaluation.figures import Axis, Figure, Series\n"
        "print(config.DISABLE_JIT, len(draw(Figure('t', Axis('x'), Axis('y'), (Series('s', (0, 1), (0, 1)),)), 'svg')))"
    )
    planted = run(["-c", code], tmp_path, PYTHONPATH=os.pathsep.join((str(ROOT), str(tmp_path))))
    assert planted.returncode == 0, planted.stderr
    # This process has another folder.
    assert Path.cwd() != tmp_path
    drawn = draw(Figure("t", Axis("x"), Axis("y"), (Series("s", (0, 1), (0, 1)),)), "svg")
    assert planted.stdout == f"0 {len(drawn)}\n"


@pytest.mark.skipif(sys.platform == "win32", reason="scripts stand for programs of the system")
def test_programs_of_the_system_are_not_taken_from_the_current_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    strange, system = tmp_path / "strange", tmp_path / "system"
    for folder in (strange, system):
        folder.mkdir()
        script = folder / "teller"
        script.write_text(f'#!/bin/sh\necho "{folder.name} $PATH $1"\ncat >&2\nexit 3\n')
        script.chmod(0o755)
    monkeypatch.chdir(strange)
    usual = os.environ["PATH"]
    monkeypatch.setenv("PATH", os.pathsep.join(("", ".", "../strange")))
    assert children.find("teller") is None
    with pytest.raises(FileNotFoundError):
        children.run("teller", [], seconds=60)
    monkeypatch.setenv("PATH", os.pathsep.join(("", ".", str(system), usual)))
    assert children.find("teller") == str(system / "teller")
    done = children.run("teller", ["a b"], sent=b"in", seconds=60)
    assert (done.code, done.errors) == (3, b"in")
    assert done.output.decode().strip() == f"system {os.pathsep.join((str(system), usual))} a b"


@pytest.mark.skipif(sys.platform == "win32", reason="a script stands for a program of the system")
def test_a_program_of_the_system_that_does_not_end_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "sleeper").write_text("#!/bin/sh\nexec sleep 60\n")
    (tmp_path / "sleeper").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    with pytest.raises(TimeoutError, match="sleeper"):
        children.run("sleeper", [], seconds=0.2)


def test_a_frozen_program_starts_itself_with_a_verb_that_the_help_does_not_show(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    program, *arguments = children.command("workbench.services.reports.typesetting")
    assert program == sys.executable
    # The modules of a frozen program are in an archive: there is no folder of this one to start in.
    monkeypatch.setattr(children, "__file__", str(tmp_path / "archive" / "children.py"))
    with (tmp_path / "errors").open("wb") as errors:
        assert children.start([sys.executable, "-c", "pass"], errors=errors.fileno()).wait() == 0
    failed = run(["-m", "workbench", *arguments, "no-content.json", "out.pdf"], tmp_path, PYTHONPATH=str(ROOT))
    assert (failed.returncode, "no-content.json" in failed.stderr.splitlines()[-1]) == (1, True)
    assert main(["--help"]) == 0
    shown = capsys.readouterr().out
    assert ("\n    import " in shown, f"\n    {arguments[0]} " in shown) == (True, False)
    assert main([arguments[0], "os"]) == 2


def test_processes_share_a_number_where_the_folder_for_shared_memory_cannot_be_written(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    locked = tmp_path / "shm"
    monkeypatch.setattr(children, "_SHARED", str(locked))
    monkeypatch.setattr(heap.Arena, "_dir_candidates", [str(locked)])
    monkeypatch.setattr(heap.BufferWrapper, "_heap", heap.Heap())
    flag = SharedFlag()
    process = children.spawning().Process(target=SharedFlag.set, args=(flag,))
    process.start()
    process.join()
    assert flag.is_set()
