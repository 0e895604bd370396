"""The property tests on new examples, round after round.

    python -m tests.properties [--hours H] [PYTEST...]

The suite draws the same examples every time; each round here draws others, from a seed that is printed. What it finds
becomes an ``@example`` of the test. Ends with status 1 where a round failed.
"""

from __future__ import annotations

import argparse
import secrets
import subprocess
import sys
import time
from collections.abc import Sequence

_NO_TESTS = 5


def main(argv: Sequence[str] | None = None) -> int:
    """Run rounds until the time is over; the one that has begun is ended."""
    parser = argparse.ArgumentParser(prog="python -m tests.properties", description="Property tests on new examples.")
    parser.add_argument("--hours", type=float, default=1.0, help="how long (default: 1)")
    arguments, others = parser.parse_known_args(argv)
    until = time.monotonic() + 3600 * arguments.hours
    rounds = failed = 0
    while not rounds or time.monotonic() < until:
        seed = secrets.randbits(32)
        rounds += 1
        print(f"round {rounds}, seed {seed}", flush=True)
        status = _round(seed, others)
        if status == _NO_TESTS:
            print("There are no property tests among these.")
            return status
        failed += status != 0
    print(f"{rounds} rounds, {failed} with failures")
    return int(failed > 0)


def _round(seed: int, others: Sequence[str]) -> int:
    command = [sys.executable, "-m", "pytest", "-q", "-m", "hypothesis", "--hypothesis-profile=long"]
    # Many times the examples of the suite; only a test that hangs is ended.
    command.append("--timeout=3600")
    return subprocess.run([*command, f"--hypothesis-seed={seed}", *others], check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
