"""Errors of a step, as sentences that say what to do; both engines use them."""

from __future__ import annotations

import errno

from workbench.base.errors import UserError
from workbench.base.messages import Message, reason

KEPT = Message("Finished steps are kept; the same command continues.")
_FULL = "No space left", "failed to offload", "max_temp_directory_size", "temp_directory"
"""How engines and the system say that a disk is full; DuckDB counts what its scratch folder may still take."""


def is_full(error: BaseException) -> bool:
    """Whether ``error`` means that a disk is full."""
    return getattr(error, "errno", None) == errno.ENOSPC or any(part in str(error) for part in _FULL)


def disk_full(why: str) -> UserError:
    """No disk space for a step, or for its scratch files."""
    return UserError(
        Message("The disk is full. {reason}", reason=why),
        hint=Message("Free some space, or put scratch files elsewhere (--scratch); the same command then continues."),
    )


def unfinished(why: str) -> UserError:
    """A step failed for a reason that is passed on as it is."""
    return UserError(Message("The step could not be finished. {reason}", reason=why), hint=KEPT)


def not_written(title: str, error: Exception) -> UserError:
    """The file of a step could not be written."""
    if is_full(error):
        return disk_full(reason(error))
    return UserError(
        Message("The step {title} could not be written. {reason}", title=title, reason=reason(error)), hint=KEPT
    )
