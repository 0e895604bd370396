"""What is wrong with a cluster is said in a sentence."""

from __future__ import annotations

import shutil
import socket
import threading
from pathlib import Path

import pytest

from workbench.base.errors import ParameterError, UserError
from workbench.base.progress import NullProgress
from workbench.scaleout import spark

BRIDGE = """An error occurred while calling o57.parquet.
: org.apache.spark.SparkException: Job aborted
\tat org.apache.spark.Somewhere
Caused by: {cause}
\tat org.apache.spark.Elsewhere
"""


def test_a_machine_without_java_is_reported(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(shutil, "which", lambda _name: None)
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setattr(spark, "find_spec", lambda _name: object())
    with pytest.raises(UserError, match="Java 17") as error:
        spark.Spark("spark://127.0.0.1:1", memory="1GB", scratch=tmp_path)
    assert "openjdk-17-jre-headless" in error.value.hint


def test_a_program_without_spark_says_what_to_install(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(spark, "find_spec", lambda _name: None)
    with pytest.raises(UserError, match="Spark is not installed") as error:
        spark.Spark("sc://host", memory="1GB", scratch=tmp_path)
    assert "palimpsest[cluster]" in error.value.command


@pytest.mark.parametrize(
    ("cause", "sentence"),
    [
        ("[PYTHON_VERSION_MISMATCH] Python in worker has different version: 3.12", "different version of Python"),
        ("ModuleNotFoundError: No module named 'workbench'", "do not have this program"),
        ("java.io.IOException: No space left on device", "The disk is full"),
        ("Answer from Java side is empty", "connection to the cluster was lost"),
        ("[Errno 2] This worker does not see the folder of the job: '/job'", "does not see the folder of the job"),
        ("java.lang.IllegalStateException: SparkContext was shut down", "connection to the cluster was lost"),
        ("java.lang.Odd: reasons", "could not be finished. java.lang.Odd: reasons"),
    ],
)
def test_what_a_cluster_reports_becomes_a_sentence(cause: str, sentence: str) -> None:
    error = spark._explained_error(RuntimeError(BRIDGE.format(cause=cause)))
    assert isinstance(error, UserError)
    assert sentence in error.sentence


@pytest.mark.parametrize("master", ["foo://bar", "spark://", "local-cluster[2]", "yarn://host", "", "host:7077"])
def test_an_address_of_no_known_form_is_named(master: str, tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="is not the address of a cluster") as error:
        spark.Spark(master, memory="1GB", scratch=tmp_path)
    assert "spark://HOST:7077" in error.value.hint


@pytest.mark.parametrize(
    "master", ["local", "local[2]", "local-cluster[2, 1, 512]", "spark://a:1,b:2", "yarn", "k8s://https://h:6443"]
)
def test_addresses_of_clusters_have_a_known_form(master: str) -> None:
    assert spark._ADDRESS.fullmatch(master)


@pytest.mark.parametrize("scheme", ["spark", "sc"])
def test_a_host_that_does_not_answer_is_named_at_once(
    scheme: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(spark, "_check_installed", lambda _remote: None)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"{scheme}://127.0.0.1:{free.getsockname()[1]}"
    with pytest.raises(UserError, match=rf"The cluster {address} does not answer\. Connection refused"):
        spark.Spark(address, memory="1GB", scratch=tmp_path)


def test_one_of_several_masters_is_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        spark._check_reachable(f"spark://127.0.0.1:1,127.0.0.1:{server.getsockname()[1]}")


class _Empty:
    """Work that waits for workers which never come."""

    def __init__(self) -> None:
        self.interrupted = threading.Event()

    def watched(self) -> None:
        engine = object.__new__(spark.Spark)
        engine._remote = engine._inside = False
        engine._has_worker = lambda: False  # type: ignore[method-assign]
        engine._interrupt = self.interrupted.set  # type: ignore[method-assign]
        engine._watched(lambda: self.interrupted.wait(20), "step", NullProgress())


def test_a_cluster_without_workers_ends_the_job_after_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spark, "PATIENCE", 0.3)
    work = _Empty()
    with pytest.raises(UserError, match="No worker of the cluster has responded"):
        work.watched()
    assert work.interrupted.is_set()


def test_memory_is_written_as_spark_writes_it() -> None:
    assert [spark._spark_size(m) for m in ("1GB", "512 MB", "2GiB", "4g")] == ["1g", "512m", "2g", "4g"]
