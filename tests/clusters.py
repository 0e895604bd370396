"""Spark clusters on this machine: a standalone master with workers, and which processes are executors (Linux)."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.processes import descendants

_EXECUTOR = b"CoarseGrainedExecutorBackend"


def executors_below(process: int) -> list[int]:
    """Executors among the descendants of ``process``."""
    executors = []
    for child in descendants(process):
        try:
            command = Path(f"/proc/{child}/cmdline").read_bytes()
        except OSError:
            continue
        if _EXECUTOR in command and b"java" in command.split(b"\0")[0]:
            executors.append(child)
    return executors


@contextmanager
def standalone(folder: Path, workers: int, memory: str) -> Iterator[tuple[str, list[subprocess.Popen[bytes]]]]:
    """The address of a standalone master with ``workers`` of one processor each, and its processes, master first."""
    import pyspark

    home = Path(pyspark.__file__).parent
    environment = {**os.environ, "SPARK_HOME": str(home), "PYSPARK_PYTHON": sys.executable}
    port = _free_port()
    address = f"spark://127.0.0.1:{port}"
    script = str(home / "bin" / "spark-class")
    common = ["--host", "127.0.0.1", "--webui-port", "0"]
    commands = [["org.apache.spark.deploy.master.Master", "--port", str(port), *common]]
    for number in range(workers):
        own = ["--cores", "1", "--memory", memory, "--work-dir", str(folder / f"worker{number}")]
        commands.append(["org.apache.spark.deploy.worker.Worker", *own, *common, address])
    processes: list[subprocess.Popen[bytes]] = []
    try:
        for number, command in enumerate(commands):
            with (folder / f"process{number}.log").open("wb") as log:
                processes.append(subprocess.Popen([script, *command], stdout=log, stderr=log, env=environment))
            if not number:
                _wait_for(port)
        yield address, processes
    finally:
        for process in reversed(processes):
            process.kill()
            process.wait()


def _free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


def _wait_for(port: int, seconds: float = 120) -> None:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
        except OSError:
            time.sleep(0.5)
        else:
            return
    raise TimeoutError(f"nothing listens at port {port}")
