"""Readers of strangers' files are forked from the suite's server like all other processes.

In the program each is an interpreter of its own, so that its memory is not laid out as that of the others. This costs
a second a reader, and changes nothing that a test of what is read could notice.
"""

from __future__ import annotations

import os
from multiprocessing.process import BaseProcess
from typing import Any

from workbench.jobs import children, chunks

OWN_INTERPRETERS = "PALIMPSEST_OWN_INTERPRETERS"
"""Set by the tests whose subject is the interpreter of a reader."""


def fork_readers() -> None:
    """From now on, in this process and those forked from it."""
    from workbench.services.pages import pictures

    for module in (chunks, pictures):
        module.start_function = _start  # type: ignore[attr-defined]


def _start(*arguments: Any, own_interpreter: bool = False, **options: Any) -> BaseProcess:
    own = own_interpreter and OWN_INTERPRETERS in os.environ
    return children.start_function(*arguments, own_interpreter=own, **options)
