"""Installs the .deb on a bare Debian without Python, and uses it there as a user without rights does.

python -m tests.packages.smoke dist/palimpsest_0.1.0_amd64.deb [--root FOLDER] [--suite bookworm]

The optional part, palimpsest-scale, lies beside it. Needs root, debootstrap and the network. Part of the long run, not
of every change: it takes minutes. ``--root`` is a bare system made before by ``debootstrap --variant=minbase``; it is
copied, not changed. Exits 1 where something is wrong, after trying the rest.
"""

from __future__ import annotations

import argparse
import json
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

USER = "editor"
HOME = f"/home/{USER}"
DISPLAY = ":77"
SETTINGS = {"language": "ja", "theme": "light"}
FOR_THE_TEST = ("xvfb", "xauth", "xdotool", "libglib2.0-bin", "shared-mime-info", "procps")
"""What a desktop has and a bare system does not; none of them brings Python."""

SUGGESTED = {"libcups.so.2"}
"""Libraries that only come with packages that are suggested: without this one Qt leaves printers out."""


class System:
    """A bare Debian in a folder; commands run inside it."""

    def __init__(self, root: Path) -> None:
        self.root = root
        for place in ("proc", "dev/pts", "dev/shm"):
            (root / place).mkdir(parents=True, exist_ok=True)
        for kind, place in (("proc", "proc"), ("devpts", "dev/pts"), ("tmpfs", "dev/shm")):
            subprocess.run(["mount", "-t", kind, kind, root / place], check=True)
        (root / "dev/shm").chmod(0o1777)
        shutil.copy("/etc/resolv.conf", root / "etc/resolv.conf")

    def close(self) -> None:
        """Take apart what was mounted; whatever still runs inside is ended by the caller."""
        for place in ("dev/shm", "dev/pts", "proc"):
            subprocess.run(["umount", "--lazy", self.root / place], check=False)

    def administer(self, command: str) -> str:
        """The output of a shell command run by root. Raises CalledProcessError."""
        environment = {
            "PATH": "/usr/sbin:/usr/bin:/sbin:/bin",
            "DEBIAN_FRONTEND": "noninteractive",
            "LC_ALL": "C.UTF-8",
        }
        done = subprocess.run(
            ["chroot", self.root, "sh", "-c", command], env=environment, capture_output=True, text=True, check=False
        )
        if done.returncode:
            raise AssertionError(f"{command}: exit {done.returncode}\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
        return done.stdout

    def use(self, command: str) -> str:
        """The output of a shell command run by the user, at home. Raises AssertionError."""
        inside = f"cd || exit\nexport LC_ALL=C.UTF-8\n{command}"
        return self.administer(f"su -s /bin/sh {USER} -c {shlex.quote(inside)}")


def rows(printed: str) -> list[dict[str, object]]:
    """The JSON objects of an output."""
    return [json.loads(line) for line in printed.splitlines() if line.startswith("{")]


def installs(system: System, deb: Path) -> None:
    """The package brings all it needs, and no Python of the system's."""
    for package in (deb, deb.with_name(deb.name.replace("_", "-scale_", 1))):
        shutil.copy(package, system.root / "tmp")
    system.administer(f"apt-get install -y -q --no-install-recommends /tmp/{deb.name}")
    system.administer("! command -v python3")
    assert "palimpsest " in system.use("palimpsest --version")


def misses_no_library(system: System) -> None:
    """All that its libraries need comes along or is a dependency."""
    # ldd fails for a library that needs none.
    look = "find /usr/lib/palimpsest -type f -name '*.so*' -exec ldd {} + 2>/dev/null || true"
    command = f"export LD_LIBRARY_PATH=/usr/lib/palimpsest/_internal\n{look}"
    lines = system.use(command).splitlines()
    assert len(lines) > 1000, lines
    missing = {line.split()[0] for line in lines if "not found" in line}
    assert missing <= SUGGESTED, missing


def compiles_nothing(system: System) -> None:
    """All kernels come along."""
    assert rows(system.use("palimpsest prepare --json")) == [{"compiled_seconds": 0.0}]


def demonstrates(system: System) -> None:
    """The main job, end to end."""
    (figures,) = rows(system.use("palimpsest demo --json --out demo"))
    assert figures["recall"] == 1, figures
    assert figures["unread"] == 0, figures


def relates(system: System) -> None:
    """The graph of relations."""
    system.use("palimpsest relations demo/sample.palimpsest 1 --out relations.graphml")


def computes_beyond_projects(system: System) -> None:
    """What comes from DuckDB and Arrow: named where it is missing, used once the package is installed."""
    text = " ".join(f"This is sentence number {number} of a text that says nothing else." for number in range(40))
    rows_in = [{"id": role, "text": f"{role}. {text}", "role": role} for role in ("source", "suspect")]
    path = system.root / HOME.lstrip("/") / "rows.jsonl"
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows_in), encoding="utf-8")
    run = "palimpsest scale run rows.jsonl --method digest --out job --json"
    system.use(f"! {run} 2>missing && grep palimpsest-scale missing")
    table = "palimpsest new tables.palimpsest && palimpsest import tables.palimpsest rows.parquet --role source"
    (path.parent / "rows.parquet").write_bytes(b"PAR1")
    system.use(f"({table}) >missing 2>&1; grep palimpsest-scale missing")
    system.administer("apt-get install -y -q --no-install-recommends /tmp/palimpsest-scale_*.deb")
    (outcome,) = rows(system.use(run))
    assert outcome["pairs"] == 1, outcome
    misses_no_library(system)


def prints(system: System) -> None:
    """A PDF report, set by a process of its own."""
    system.use("palimpsest report demo/sample.palimpsest --run 1 --out report.pdf")
    pdf = (system.root / HOME.lstrip("/") / "report.pdf").read_bytes()
    assert pdf.startswith(b"%PDF")
    assert b"Sans" in pdf or len(pdf) > 20_000


def runs_without_shared_memory(system: System) -> None:
    """Some containers have none."""
    system.administer("chmod 0555 /dev/shm")
    try:
        system.use("palimpsest detect demo/sample.palimpsest digest")
    finally:
        system.administer("chmod 1777 /dev/shm")


def survives_a_kill(system: System) -> None:
    """A detection that is killed leaves a sound project, and can be done again."""
    system.use("palimpsest detect demo/sample.palimpsest altered & sleep 2; kill -9 $!; wait; true")
    (info,) = rows(system.use("palimpsest info demo/sample.palimpsest --json"))
    assert info["integrity"] == "ok", info
    # In brackets, so that the shell that asks is not among what is looked for.
    workers = "pgrep -u $(id -u) -f [m]ultiprocessing-fork"
    system.use(f"for try in $(seq 20); do {workers} || exit 0; sleep 0.5; done; exit 1")
    system.use(
        "palimpsest detect demo/sample.palimpsest altered --resume || palimpsest detect demo/sample.palimpsest altered"
    )


def shows_its_window(system: System) -> None:
    """On a display, in Japanese; a second start brings it forward and ends; closed with SIGTERM it ends in order."""
    folder = system.root / HOME.lstrip("/") / ".config" / "palimpsest"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "settings.json").write_text(json.dumps(SETTINGS), encoding="utf-8")
    system.administer(f"chown -R {USER}: {HOME}/.config")
    script = f"""
Xvfb {DISPLAY} -screen 0 1440x900x24 >xvfb.log 2>&1 & screen=$!
export DISPLAY={DISPLAY}
sleep 2
palimpsest gui demo/sample.palimpsest --view review >window.log 2>&1 & window=$!
for try in $(seq 60); do xdotool search --onlyvisible --class palimpsest >/dev/null 2>&1 && break; sleep 1; done
xdotool search --onlyvisible --class palimpsest && echo "{{\\"shown\\": true}}"
palimpsest gui demo/sample.palimpsest 2>&1 | grep -q "already open in a window" && echo "{{\\"second\\": true}}"
palimpsest gui demo/sample.palimpsest --view review --screenshot review.png
kill -TERM $window; wait $window; echo "{{\\"ended\\": $?}}"
kill $screen || true
"""
    outcome = {key: value for row in rows(system.use(script)) for key, value in row.items()}
    assert outcome == {"shown": True, "second": True, "ended": 0}, outcome


def knows_its_files(system: System) -> None:
    """By name and by content."""
    system.use("cp demo/sample.palimpsest without-suffix")
    for name in ("demo/sample.palimpsest", "without-suffix"):
        known = system.use(f"gio info -a standard::content-type {name}")
        assert "application/x-palimpsest-project" in known, known


def is_removed(system: System) -> None:
    """Upgrade and removal leave what is the user's, and nothing else."""
    deb = next((system.root / "tmp").glob("palimpsest_*.deb")).name
    system.administer(f"apt-get install -y -q --reinstall /tmp/{deb}")
    system.use("palimpsest info demo/sample.palimpsest")
    system.administer("apt-get purge -y -q palimpsest palimpsest-scale")
    assert not (system.root / "usr/lib/palimpsest").exists()
    assert not (system.root / "usr/share/applications/palimpsest.desktop").exists()
    system.use("test -s demo/sample.palimpsest && test -s .config/palimpsest/settings.json")


STEPS: tuple[Callable[[System], None], ...] = (
    misses_no_library,
    compiles_nothing,
    demonstrates,
    relates,
    computes_beyond_projects,
    prints,
    runs_without_shared_memory,
    survives_a_kill,
    shows_its_window,
    knows_its_files,
    is_removed,
)


def bare(root: Path, base: Path | None, suite: str) -> None:
    """A bare system at ``root``: a copy of the one given, or a fresh one from where this machine gets its packages."""
    if base is not None:
        subprocess.run(["cp", "-a", f"{base}/.", root], check=True)
        return
    shown = subprocess.run(
        ["apt-get", "indextargets", "--format", "$(REPO_URI)", f"Codename: {suite}"],
        capture_output=True,
        text=True,
        check=True,
    )
    mirror = shown.stdout.split()[0]
    subprocess.run(["debootstrap", "--variant=minbase", suite, root, mirror], check=True, stdout=subprocess.DEVNULL)


def main() -> int:
    """Go through all steps; 1 where one failed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("deb", type=Path)
    parser.add_argument("--root", type=Path)
    parser.add_argument("--suite", default="bookworm")
    parser.add_argument("--pictures", type=Path, help="folder that the screenshot and the PDF are copied to")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="palimpsest-smoke-", ignore_cleanup_errors=True) as folder:
        root = Path(folder, "system")
        root.mkdir(mode=0o755)
        Path(folder).chmod(0o755)
        bare(root, arguments.root, arguments.suite)
        system = System(root)
        failed = 0
        try:
            system.administer(f"apt-get update -q; useradd -m {USER}")
            installs(system, arguments.deb)
            system.administer(f"apt-get install -y -q --no-install-recommends {' '.join(FOR_THE_TEST)}")
            for step in STEPS:
                try:
                    step(system)
                except AssertionError as error:
                    failed += 1
                    print(f"FAILED  {step.__name__}: {error}", flush=True)
                else:
                    print(f"ok      {step.__name__}: {step.__doc__}", flush=True)
            if arguments.pictures:
                for name in ("review.png", "report.pdf"):
                    shutil.copy(root / HOME.lstrip("/") / name, arguments.pictures)
        finally:
            system.close()
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
