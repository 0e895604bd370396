"""Hints for the window, which has no command line."""

from __future__ import annotations

import re

_COMMAND = re.compile(r"(?<=\.) (?:[A-Z][a-z ]*: )?palimpsest [a-z]+ [^\n]*$")


def without_command(sentence: str) -> str:
    """An error's ``sentence`` without a last one that tells what to type at a command line."""
    return _COMMAND.sub("", sentence)
