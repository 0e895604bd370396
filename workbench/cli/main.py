"""Entry points of the console and GUI scripts."""

from __future__ import annotations


def main(argv: list[str] | None = None) -> int:
    """Run the command line; returns the exit code (0 done, 1 failed, 2 wrong usage)."""
    return 2


def gui() -> int:
    """Open the window."""
    return main(["gui"])
