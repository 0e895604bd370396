"""Pages that only lay out frames: what they say to browsers without them, and which frames they would show."""

from __future__ import annotations

import re

_BODY = re.compile(r"<(frameset|body)\b", re.IGNORECASE)
_ASIDE = re.compile(r"<!--.*?(?:-->|\Z)|<(script|style)\b.*?(?:</\1\s*>|\Z)", re.IGNORECASE | re.DOTALL)
_NO_FRAMES = re.compile(r"<noframes\b[^>]{0,1000}>(.*?)(?:</noframes\s*>|\Z)", re.IGNORECASE | re.DOTALL)
_FRAME = re.compile(r"<frame\b[^<>]{0,2000}?\bsrc\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s>]+))", re.IGNORECASE)
_LOOKED_AT = 1 << 16
"""Characters from the beginning in which the frameset or body begins."""


def without_frames(markup: str) -> tuple[str, tuple[str, ...]]:
    """``markup`` with the frameset replaced by its ``<noframes>``, and the frames' addresses; as it is with none."""
    beginning = _ASIDE.sub(lambda found: " " * len(found[0]), markup[:_LOOKED_AT])
    found = _BODY.search(beginning)
    if found is None or found[1].lower() != "frameset":
        return markup, ()
    rest = markup[found.start() :]
    frames = tuple("".join(parts) for parts in _FRAME.findall(rest))
    return markup[: found.start()] + "<body>" + "\n".join(_NO_FRAMES.findall(rest)), frames
