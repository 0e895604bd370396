"""Commands that the program proposes: what is copied to a shell arrives there as it was meant."""

from __future__ import annotations

import shlex


def command(*words: object) -> str:
    """A command line of the program; words with spaces or signs that a shell reads are quoted."""
    return shlex.join(["palimpsest", *map(str, words)])
