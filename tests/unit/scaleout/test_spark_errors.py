"""What is wrong with a cluster is said in a sentence."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from workbench.base.errors import UserError
from workbench.scaleout import spark

BRIDGE = """An error occurred while calling o57.parquet.
: org.apache.spark.SparkException: Job aborted
\tat org.apache.spark.Somewhere
Caused by: {cause}
\tat org.apache.spark.Elsewhere
"""


def test_a_machine_without_java_is_told_so(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(shutil, "which", lambda _name: None)
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setattr(spark, "find_spec", lambda _name: object())
    with pytest.raises(UserError, match="Java 17") as error:
        spark.Spark("spark://host:7077", memory="1GB", scratch=tmp_path)
    assert "openjdk-17-jre-headless" in error.value.hint


def test_a_program_without_spark_says_what_to_install(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(spark, "find_spec", lambda _name: None)
    with pytest.raises(UserError, match="Spark is not installed") as error:
        spark.Spark("sc://host", memory="1GB", scratch=tmp_path)
    assert "palimpsest[cluster]" in error.value.command


@pytest.mark.parametrize(
    ("cause", "sentence"),
    [
        ("[PYTHON_VERSION_MISMATCH] Python in worker has different version: 3.12", "another version of Python"),
        ("ModuleNotFoundError: No module named 'workbench'", "do not have this program"),
        ("java.io.IOException: No space left on device", "scratch files is full"),
        ("java.lang.IllegalStateException: SparkContext was shut down", "went away"),
        ("java.lang.Odd: reasons", "could not be finished. java.lang.Odd: reasons"),
    ],
)
def test_what_a_cluster_reports_becomes_a_sentence(cause: str, sentence: str) -> None:
    error = spark._mended(RuntimeError(BRIDGE.format(cause=cause)))
    assert isinstance(error, UserError)
    assert sentence in error.sentence


def test_memory_is_written_as_spark_writes_it() -> None:
    assert [spark._spark_size(m) for m in ("1GB", "512 MB", "2GiB", "4g")] == ["1g", "512m", "2g", "4g"]
