"""Apache Spark: a cluster, or a small one on this machine, by the same SQL."""

from __future__ import annotations

import os
import re
import shutil
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pyarrow as pa

from workbench.base.errors import UserError
from workbench.base.messages import Message
from workbench.base.progress import Watcher
from workbench.scaleout.api import Query

_POLL = 0.2
_REMOTE = "sc://"
_LOCAL = ("local", "local-cluster")
_OPTIONS = {
    "spark.sql.execution.arrow.maxRecordsPerBatch": "256",  # rows may hold whole pages
    "spark.sql.execution.pyspark.udf.simplifiedTraceback.enabled": "true",
    "spark.sql.parquet.compression.codec": "zstd",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
}
_QUICK = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
"""A Java that starts soon, for engines on this machine."""


class Spark:
    """The engine at ``master`` (as ``spark-submit`` takes it, or ``sc://HOST``). The folder of the job, the inputs and
    this program must be at the same paths on every machine. ``memory`` is that of each executor.
    """

    def __init__(self, master: str, *, memory: str, scratch: Path) -> None:
        """Raises UserError without Spark, without Java where it is needed, and where the cluster does not answer."""
        remote = master.startswith(_REMOTE)
        _check_installed(remote)
        from pyspark.sql import SparkSession

        # Executors on this machine run the Python of this program; those of a cluster use their own.
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
        if remote:
            builder = SparkSession.builder.remote(master)
        else:
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
        try:
            self._session: Any = builder.getOrCreate()
            self._session.sql("select 1").collect()
        except Exception as error:
            raise UserError(
                Message("The cluster {master} does not answer. {reason}", master=master, reason=_first_line(error)),
                hint=Message("Check the address (--master) and that the cluster is up."),
            ) from error
        self._remote = remote
        if not remote:
            self._session.sparkContext.setLogLevel("ERROR")

    def view(self, name: str, folders: Sequence[Path]) -> None:
        """Show the rows of all ``folders`` as the view ``name``."""
        self._session.read.parquet(*(folder.absolute().as_uri() for folder in folders)).createOrReplaceTempView(name)

    def write(self, query: Query, folder: Path, title: str, watch: Watcher) -> None:
        """Write the rows of ``query`` into the empty ``folder``. Raises UserError, Cancelled."""

        def work() -> None:
            rows = self._session.sql(query.sql)
            if query.by:
                rows = rows.repartition(query.by[0]).sortWithinPartitions(*query.by)
            if query.stage is not None:
                from pyspark.sql.pandas.types import from_arrow_schema

                rows = rows.mapInArrow(_ArrowFunction(query.stage), from_arrow_schema(query.stage.schema))
            rows.write.mode("overwrite").parquet(folder.absolute().as_uri())

        self._watched(work, title, watch)

    def _watched(self, work: Callable[[], None], title: str, watch: Watcher) -> None:
        """Do ``work`` in a thread, so that it can be cancelled and its progress is known."""
        outcome: list[BaseException | None] = []

        def run() -> None:
            try:
                work()
                outcome.append(None)
            except BaseException as error:  # noqa: BLE001 - raised again by the caller's thread
                outcome.append(error)

        thread = threading.Thread(target=run, daemon=True)
        thread.start()
        try:
            while thread.is_alive():
                thread.join(_POLL)
                watch.advance(title, *self._tasks())
        except BaseException:
            self._interrupt()
            thread.join(10)
            raise
        if outcome[0] is not None:
            raise _mended(outcome[0]) from outcome[0]

    def _tasks(self) -> tuple[int, int | None]:
        """Finished tasks of the stages under way, and all of them."""
        if self._remote:
            return 0, None
        tracker = self._session.sparkContext.statusTracker()
        stages = [tracker.getStageInfo(number) for number in tracker.getActiveStageIds()]
        known = [stage for stage in stages if stage is not None]
        total = sum(stage.numTasks for stage in known)
        return sum(stage.numCompletedTasks for stage in known), total or None

    def _interrupt(self) -> None:
        if self._remote:
            self._session.interruptAll()
        else:
            self._session.sparkContext.cancelAllJobs()

    def close(self) -> None:
        """Leave the cluster."""
        self._session.stop()


class _ArrowFunction:
    """A stage as Spark calls it: with the batches of a partition."""

    def __init__(self, stage: Any) -> None:
        self._stage = stage

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        return self._stage(batches)  # type: ignore[no-any-return]


def _check_installed(remote: bool) -> None:
    if find_spec("pyspark") is None:
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


def _spark_size(memory: str) -> str:
    """``1GB`` as Spark writes it: ``1g``."""
    return memory.strip().lower().replace(" ", "").removesuffix("b").removesuffix("i")


def _mended(error: BaseException) -> BaseException:
    """An ``error`` of a cluster as a message that says what to do."""
    text = str(error)
    if "PYTHON_VERSION_MISMATCH" in text or "different minor version" in text:
        return UserError(
            Message("The workers of the cluster have another version of Python than this program."),
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
    if "No space left" in text:
        return UserError(
            Message("The disk for scratch files is full. {reason}", reason=_first_line(error)),
            hint=Message("Make room or choose another folder (--scratch); the same command goes on."),
        )
    if "SparkContext was shut down" in text or "Connection refused" in text or "Master removed" in text:
        return UserError(
            Message("The cluster went away. {reason}", reason=_first_line(error)),
            hint=Message("What is finished is kept; the same command goes on."),
        )
    if not isinstance(error, Exception):
        return error
    return UserError(
        Message("The step could not be finished. {reason}", reason=_first_line(error)),
        hint=Message("What is finished is kept; the same command goes on."),
    )


def _first_line(error: BaseException) -> str:
    """The most telling line of ``error``: the cluster's exception behind that of the Java bridge."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    behind = [line for line in lines if line.startswith((": ", "Caused by: "))]
    chosen = (behind[-1:] or lines or [type(error).__name__])[0]
    return chosen.removeprefix("Caused by").removeprefix(": ")[:300]
