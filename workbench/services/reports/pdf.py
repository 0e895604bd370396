"""A report on paper, laid out by a separate process, and limited to what takes bounded time."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TextIO

from workbench.base.errors import UserError
from workbench.base.messages import Message
from workbench.base.progress import Progress
from workbench.jobs.children import command, start
from workbench.services.reports.data import PassageSide, ReportPair
from workbench.services.review.visible import visible

MOST_PAIRS = 500
MOST_MATCHES = 1_000
MOST_CHARACTERS = 2_000
"""Maximum number of characters of a match printed per side. At all three limits, layout takes some minutes."""
SECONDS = 600.0
"""Time limit, in seconds, of the printing process."""
_TYPESETTING = "workbench.services.reports.typesetting"
_LOOK = 0.05
"""Seconds between two checks of the printing process and the cancel flag."""

Content = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Printed:
    """The number of ``matches`` printed of each of the first pairs; counts of the pairs and matches not printed."""

    matches: tuple[int, ...]
    pairs_left_out: int
    matches_left_out: int


def share_out(matches: Sequence[int]) -> Printed:
    """The printed part of pairs with these numbers of ``matches``: of the first pairs, the first matches of each, so
    that one with many leaves room for the others.
    """
    shown = matches[: min(MOST_PAIRS, MOST_MATCHES)]
    taken, left = [0] * len(shown), MOST_MATCHES
    for place, at in enumerate(sorted(range(len(shown)), key=lambda at: (shown[at], -at))):
        taken[at] = min(shown[at], left // (len(shown) - place))
        left -= taken[at]
    return Printed(tuple(taken), len(matches) - len(taken), sum(matches) - sum(taken))


def shortened(pair: ReportPair) -> ReportPair:
    """``pair`` with matches of at most MOST_CHARACTERS characters a side; each side has the number left out."""
    passages = (
        replace(p, parts=tuple(replace(m, a=_shortened(m.a), b=_shortened(m.b)) for m in p.parts))
        for p in pair.passages
    )
    return replace(pair, passages=tuple(passages))


def _shortened(side: PassageSide) -> PassageSide:
    pieces, left = [], MOST_CHARACTERS
    for piece in side.pieces:
        if left:
            pieces.append(replace(piece, text=piece.text[:left]))
            left -= len(pieces[-1].text)
    shown = sum(len(piece.text) for piece in pieces)
    return replace(side, pieces=tuple(pieces), left_out=sum(len(piece.text) for piece in side.pieces) - shown)


def print_pages(
    watcher: Progress, content: Mapping[str, Any], pairs: Iterable[Content], out: Path, dpi: int = 0
) -> None:
    """Lay the report of ``content`` and ``pairs`` out as the PDF file ``out``; with ``dpi``, as pictures in the folder
    ``out``.

    It can be cancelled. Raises UserError if it fails or takes longer than SECONDS.
    """
    with TemporaryDirectory() as folder:
        source, answer = Path(folder) / "content.json", Path(folder) / "answer"
        with source.open("w", encoding="utf-8", errors="replace") as file:
            _write(file, content, pairs, Pictures(Path(folder)))
        arguments = [str(source), str(out.absolute()), *([str(dpi)] if dpi else [])]
        with answer.open("wb") as errors:
            code = _run(watcher, (*command(_TYPESETTING), *arguments), errors.fileno())
        lines = answer.read_text(encoding="utf-8", errors="replace").strip().splitlines()
    if code or not out.exists():
        message = Message("The report could not be printed ({reason}).", reason=_cause(code, lines))
        raise UserError(message, hint=Message("Write .html instead."))


def _cause(code: int, lines: Sequence[str]) -> str:
    """Why a printing process that ended with ``code`` failed, after the last of the ``lines`` it wrote."""
    if code < 0:
        return Message("it was killed; memory may have run out")
    return lines[-1] if lines else Message("exit code {code}", code=code)


class Pictures:
    """Pictures of a report as files in ``folder``: JSON cannot hold them."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._count = 0

    def add(self, png: bytes) -> str:
        """Write a PNG file; returns its name."""
        self._count += 1
        name = f"picture-{self._count}.png"
        (self._folder / name).write_bytes(png)
        return name


def _write(file: TextIO, content: Mapping[str, Any], pairs: Iterable[Content], pictures: Pictures) -> None:
    """Write one JSON object, pair by pair, so that only one pair is in memory."""
    head = json.dumps(_printable(dict(content), pictures), ensure_ascii=False)
    file.write(head[:-1] + ', "pairs": [')
    for number, pair in enumerate(pairs):
        file.write((", " if number else "") + json.dumps(_printable(pair, pictures), ensure_ascii=False))
    file.write("]}")


def _printable(value: Any, pictures: Pictures) -> Any:
    """``value`` with printable texts: a PDF file may not contain control characters. Pictures (bytes) become the names
    of their files.
    """
    if isinstance(value, str):
        return visible(value)
    if isinstance(value, bytes):
        return pictures.add(value)
    if isinstance(value, Mapping):
        return {name: _printable(item, pictures) for name, item in value.items()}
    return [_printable(item, pictures) for item in value] if isinstance(value, list | tuple) else value


def _run(watcher: Progress, command: Sequence[str], errors: int) -> int:
    """Run ``command``; returns its exit code, negative for a signal. The process does not outlive this call."""
    until = time.monotonic() + SECONDS
    with start(command, errors=errors) as process:
        try:
            while (code := process.poll()) is None:
                watcher.check()
                if time.monotonic() > until:
                    message = Message(
                        "The report could not be printed within the limit of {seconds} seconds.", seconds=f"{SECONDS:g}"
                    )
                    raise UserError(message, hint=Message("Write .html instead."))
                time.sleep(_LOOK)
        finally:
            process.kill()
    return code
