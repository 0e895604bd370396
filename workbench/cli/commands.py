"""Commands that the program proposes, quoted so that they can be pasted into a shell."""

from __future__ import annotations

import shlex


def command(*words: object) -> str:
    """A command line of the program; words with spaces or characters that are special to a shell are quoted."""
    return shlex.join(["palimpsest", *map(str, words)])
