"""The command line as a program of its own, and a corpus large enough to be interrupted."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from fault_program import Run

from tests import forked_program

WORDS = "春の山道を歩く人は静かな川音に耳を澄ませ古い寺の鐘が遠く響く夕暮れを待って町へ帰る"


@pytest.fixture(scope="session")
def rounds() -> int:
    """Kills per test: PALIMPSEST_FAULT_ROUNDS, few without it."""
    return int(os.environ.get("PALIMPSEST_FAULT_ROUNDS", "1"))


@pytest.fixture(scope="session")
def palimpsest() -> Run:
    def run(*arguments: Any, check: bool = True, **options: Any) -> subprocess.CompletedProcess[str]:
        done = forked_program.run([*map(str, arguments)], **options)
        if check:
            assert done.returncode == 0, done.stderr
        return done

    return run


@pytest.fixture(scope="session")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """300 documents as JSON lines, 600,000 characters."""
    return _written(tmp_path_factory.mktemp("faults") / "corpus.jsonl")


def _written(file: Path) -> Path:
    """Documents of 75 sentences; each third is a suspect that holds three passages of sources before it."""
    rng = random.Random(11)

    def sentence() -> str:
        return "".join(rng.choice(WORDS) for _ in range(rng.randint(12, 40))) + "。"

    sources: list[list[str]] = []
    with file.open("w", encoding="utf-8") as out:
        for number in range(300):
            sentences = [sentence() for _ in range(75)]
            role = "source" if number % 3 else "suspect"
            if role == "source":
                sources.append(sentences)
            elif sources:
                for _ in range(3):
                    lent, start = rng.choice(sources), rng.randrange(60)
                    sentences[start : start + 5] = lent[start : start + 5]
            row = {"id": f"d{number:04d}", "role": role, "text": "".join(sentences), "label": f"l{number % 3}"}
            out.write(json.dumps(row, ensure_ascii=False) + "\n")
    return file
