"""Apache Spark: a cluster, or a small one on this machine, with the same SQL."""

from __future__ import annotations

import json
import os
import re
import shutil
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pyarrow as pa

from workbench.base.errors import ParameterError, UserError
from workbench.base.messages import Message, reason
from workbench.base.progress import NullProgress, Progress
from workbench.scaleout.api import KEPT, Query, disk_full, is_full, unfinished

_POLL = 0.2
_REMOTE = "sc://"
_LOCAL = ("local", "local-cluster")
_OPTIONS = {
    "spark.sql.execution.arrow.maxRecordsPerBatch": "256",  # rows may contain whole pages
    "spark.sql.execution.pyspark.udf.simplifiedTraceback.enabled": "true",
    "spark.sql.parquet.compression.codec": "zstd",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
}
_ADDRESS = re.compile(r"local(\[.+\])?|local-cluster\[\d+,\s*\d+,\s*\d+\]|(spark|k8s|sc)://[^\s/]\S*|yarn")
_HOSTS = re.compile(r"(spark|sc)://([^/;]+)")
_PORTS = {"spark": 7077, "sc": 15002}
_ANSWER = 10.0
"""Seconds after which a host counts as unreachable."""
PATIENCE = 600
"""Seconds without any worker after which a job ends; long, because a cluster may have a queue."""
_STARTING = Message("Starting")
_WAITING = Message("Waiting for a worker of the cluster")
_LOG = """\
rootLogger.level = warn
rootLogger.appenderRef.file.ref = file
appender.file.type = File
appender.file.name = file
appender.file.fileName = {file}
appender.file.layout.type = PatternLayout
appender.file.layout.pattern = %d %p %c: %m%n%ex
"""
_QUICK = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
"""Java options for a quick start, for engines on this machine."""


class Spark:
    """The engine at ``master`` (as for ``spark-submit``, or ``sc://HOST``). The folder of the job, the inputs and
    this program must be at the same paths on every machine. ``memory`` is per executor. Java's output is written to
    a file in ``scratch``.
    """

    def __init__(self, master: str, *, memory: str, scratch: Path) -> None:
        """Raises ParameterError for an address of unknown form, UserError without Spark, without Java if it is needed,
        or if the cluster does not answer.
        """
        if not _ADDRESS.fullmatch(master):
            raise ParameterError(
                Message("{master} is not the address of a cluster.", master=master),
                hint=Message(
                    "Write {forms}.", forms="spark://HOST:7077, k8s://https://HOST:6443, yarn, sc://HOST:15002"
                ),
            )
        self._remote = remote = master.startswith(_REMOTE)
        _check_installed(remote)
        _check_reachable(master)
        from pyspark.sql import SparkSession

        # Executors on this machine run the Python of this program; executors of a cluster use their own.
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
        if remote:
            builder = SparkSession.builder.remote(master)
        else:
            scratch = scratch.absolute()
            _log_into(scratch)
            builder = SparkSession.builder.master(master).appName("Palimpsest")
            settings = {
                "spark.executor.memory": _spark_size(memory),
                "spark.local.dir": str(scratch),
            }
            if master.startswith(_LOCAL):
                settings["spark.driver.extraJavaOptions"] = settings["spark.executor.extraJavaOptions"] = _QUICK
                settings["spark.sql.shuffle.partitions"] = str(2 * (os.cpu_count() or 1))
                settings["spark.driver.host"] = "127.0.0.1"
                settings["spark.driver.bindAddress"] = "127.0.0.1"
            if sizes := re.fullmatch(r"local-cluster\[\d+,\s*\d+,\s*(\d+)\]", master):
                settings["spark.executor.memory"] = f"{sizes[1]}m"
            for name, value in settings.items():
                builder = builder.config(name, value)
        for name, value in _OPTIONS.items():
            if not remote or not name.startswith("spark.ui"):
                builder = builder.config(name, value)
        self._inside = master.split("[")[0] == "local"
        try:
            self._session: Any = builder.getOrCreate()
            if not remote:
                self._session.sparkContext.setLogLevel("ERROR")
            self._watched(lambda: self._session.sql("select 1").collect(), _STARTING, NullProgress())
        except UserError:
            raise
        except Exception as error:
            raise no_answer(master, _first_line(error)) from error

    def view(self, name: str, folders: Sequence[Path]) -> None:
        """Present the rows of all ``folders`` as the view ``name``."""
        paths = (folder.absolute().as_uri() for folder in folders)
        # Spark's option for paths that are not patterns.
        self._session.read.option("__globPaths__", "false").parquet(*paths).createOrReplaceTempView(name)

    def write(self, query: Query, folder: Path, title: str, watch: Progress) -> None:
        """Write the rows of ``query`` into the empty ``folder``. Raises UserError, Cancelled."""

        def work() -> None:
            rows = self._session.sql(query.sql)
            if query.by:
                rows = rows.repartition(query.by[0]).sortWithinPartitions(*query.by)
            if query.stage is not None:
                from pyspark.sql.pandas.types import from_arrow_schema

                rows = rows.mapInArrow(_ArrowFunction(query.stage), from_arrow_schema(query.stage.schema))
            # Mode "overwrite" would delete the folder's marker.
            rows.write.mode("append").parquet(folder.absolute().as_uri())

        self._watched(work, title, watch)

    def _watched(self, work: Callable[[], Any], title: str, watch: Progress) -> None:
        """Do ``work`` in a thread, so that it can be cancelled and its progress reported."""
        outcome: list[BaseException | None] = []

        def run() -> None:
            try:
                work()
                outcome.append(None)
            except BaseException as error:  # noqa: BLE001 - raised again by the caller's thread
                outcome.append(error)

        thread = threading.Thread(target=run, daemon=True)
        thread.start()
        last = time.monotonic()
        try:
            while thread.is_alive():
                thread.join(_POLL)
                if self._has_worker():
                    last = time.monotonic()
                    watch.advance(title, *self._tasks())
                    continue
                watch.advance(_WAITING, round(time.monotonic() - last), PATIENCE)
                if time.monotonic() - last > PATIENCE:
                    raise UserError(
                        Message("No worker of the cluster has responded for {seconds} seconds.", seconds=PATIENCE),
                        hint=KEPT,
                    )
        except BaseException:
            self._interrupt()
            thread.join(10)
            raise
        if outcome[0] is not None:
            raise _explained_error(outcome[0]) from outcome[0]

    def _has_worker(self) -> bool:
        """Whether there is a worker, as far as is known."""
        if self._remote or self._inside:
            return True
        try:
            # The driver is included.
            return int(self._session.sparkContext._jsc.sc().getExecutorMemoryStatus().size()) > 1
        except Exception:  # noqa: BLE001 - a broken bridge to Java is reported by the work itself
            return True

    def _tasks(self) -> tuple[int, int | None]:
        """Finished tasks of the running stages, and the number of all."""
        if self._remote:
            return 0, None
        try:
            tracker = self._session.sparkContext.statusTracker()
            stages = [tracker.getStageInfo(number) for number in tracker.getActiveStageIds()]
        except Exception:  # noqa: BLE001 - as above
            return 0, None
        known = [stage for stage in stages if stage is not None]
        total = sum(stage.numTasks for stage in known)
        return sum(stage.numCompletedTasks for stage in known), total or None

    def _interrupt(self) -> None:
        with suppress(Exception):
            if self._remote:
                self._session.interruptAll()
            else:
                self._session.sparkContext.cancelAllJobs()

    def close(self) -> None:
        """Leave the cluster."""
        with suppress(Exception):
            self._session.stop()


class _ArrowFunction:
    """A stage as Spark calls it: with the batches of a partition."""

    def __init__(self, stage: Any) -> None:
        self._stage = stage

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        return self._stage(batches)  # type: ignore[no-any-return]


def _check_installed(remote: bool) -> None:
    if find_spec("pyspark") is None or (remote and find_spec("grpc") is None):
        raise UserError(
            Message("Spark is not installed."),
            command="pip install 'palimpsest[spark]', or 'palimpsest[cluster]' for addresses that begin with sc://",
        )
    home = os.environ.get("JAVA_HOME")
    if not remote and not (shutil.which("java") or (home and (Path(home) / "bin" / "java").exists())):
        raise UserError(
            Message("Spark needs Java 17, which is not installed."),
            hint=Message("Install it (on Debian: openjdk-17-jre-headless), or use DuckDB."),
        )


def _check_reachable(master: str) -> None:
    """Raises UserError if no host of the address accepts a connection; Spark itself tries for more than a minute."""
    if not (hosts := _HOSTS.match(master)):
        return
    errors = []
    for place in hosts[2].split(","):
        name, _, port = place.rpartition(":") if re.search(r":\d+$", place) else (place, "", "")
        try:
            socket.create_connection((name.strip("[]"), int(port or _PORTS[hosts[1]])), _ANSWER).close()
        except OSError as error:
            errors.append(error)
        else:
            return
    raise no_answer(master, reason(errors[-1]))


def no_answer(master: str, why: str) -> UserError:
    """The error for a cluster that cannot be reached."""
    return UserError(
        Message("The cluster {master} does not answer. {reason}", master=master, reason=why),
        hint=Message("Check the address (--master) and that the cluster is up."),
    )


def _log_into(folder: Path) -> None:
    """Make Java write its log into ``folder`` instead of among this program's messages."""
    settings = folder / "spark-log.properties"
    settings.write_text(_LOG.format(file=json.dumps(str(folder / "spark.log"))[1:-1]), encoding="utf-8")
    option = f"-Dlog4j2.configurationFile={settings.as_uri()}"
    others = [o for o in os.environ.get("SPARK_SUBMIT_OPTS", "").split() if not o.startswith("-Dlog4j2.conf")]
    os.environ["SPARK_SUBMIT_OPTS"] = " ".join([*others, option])


def _spark_size(memory: str) -> str:
    """``memory`` (``1GB``) in Spark's notation: ``1g``."""
    return memory.strip().lower().replace(" ", "").removesuffix("b").removesuffix("i")


def _explained_error(error: BaseException) -> BaseException:
    """An ``error`` of a cluster as a message that states what to do."""
    text = str(error)
    if "PYTHON_VERSION_MISMATCH" in text or "different minor version" in text:
        return UserError(
            Message("The workers of the cluster have a different version of Python than this program."),
            hint=Message(
                "Install {version} there, and set PYSPARK_PYTHON.",
                version=f"Python {sys.version_info[0]}.{sys.version_info[1]}",
            ),
        )
    if "No module named 'workbench'" in text:
        return UserError(
            Message("The workers of the cluster do not have this program."),
            hint=Message("Install palimpsest there, in the Python that PYSPARK_PYTHON names."),
        )
    if is_full(error):
        return disk_full(_first_line(error))
    if any(part in text for part in _GONE):
        return UserError(
            Message("The connection to the cluster was lost. {reason}", reason=_first_line(error)), hint=KEPT
        )
    return unfinished(_first_line(error)) if isinstance(error, Exception) else error


_GONE = (
    "SparkContext was shut down",
    "stopped SparkContext",
    "Connection refused",
    "Connection reset",
    "Master removed",
    "Answer from Java side is empty",
    "Error while sending or receiving",
    "StatusCode.UNAVAILABLE",
)
"""Messages of Spark and its bridges if the other side is gone."""


def _first_line(error: BaseException) -> str:
    """The most informative line of ``error``: the cluster's exception rather than that of the Java bridge."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    behind = [line for line in lines if line.startswith((": ", "Caused by: "))]
    chosen = (behind[-1:] or lines or [type(error).__name__])[0]
    return chosen.removeprefix("Caused by").removeprefix(": ")[:300]
