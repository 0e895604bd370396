"""How labelling holds up: a scripted annotator at the window, killed by SIGKILL again and again.

Run ``python -m tests.benchmarks.labelling [ENTRIES [KILLS]]`` (10,000 and 20). Prints one figure a line; exits 1 where
a label is lost or doubled, or a key takes 50 ms or more until the next entry is on the screen.
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from tests.labelling_program import events_by_target, label_with_kills, make_project  # noqa: E402

BAR_MS = 50.0


def main(entries: int = 10_000, kills: int = 20) -> int:
    """Print the figures; the exit code."""
    with tempfile.TemporaryDirectory() as folder:
        project = Path(folder) / "labels.palimpsest"
        make_project(project, entries)
        began = time.monotonic()
        outcome = label_with_kills(project, kills, entries, seed=1)
        seconds = time.monotonic() - began
        events = events_by_target(project)
    lost = sum((target, value) not in events for target, value in outcome.written.items())
    targets = {target for target, _ in events}
    doubled = sum(events.values()) - len(targets)
    key_times, shown = sorted(outcome.key_times), sorted(outcome.shown)
    print(f"{entries:,} entries labelled in {seconds:,.0f} s, killed {outcome.kills} times")
    print(f"labels on disk {len(targets):,}, said to be there {len(outcome.written):,}, lost {lost}, doubled {doubled}")
    used = sorted(outcome.used)
    for name, times in (
        ("key holds the window", key_times),
        ("key to next entry", shown),
        ("its processor time", used),
    ):
        middle, late = times[len(times) // 2], times[int(len(times) * 0.99)]
        print(f"{name}: median {middle:.1f} ms, 99 % {late:.1f} ms, worst {times[-1]:.1f} ms (bar {BAR_MS:.0f} ms)")
    slow = sum(value >= BAR_MS for value in shown)
    print(f"keys of {BAR_MS:.0f} ms or more: {slow} of {len(shown):,}")
    complete = outcome.finished and len(targets) == entries
    return 0 if complete and not lost and not doubled and not slow else 1


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
