"""Subtitles (SRT, WebVTT): the words of the cues, joined into sentences, without times, numbers and marks.

Words not shown by players are flagged as hidden (:mod:`workbench.reading.formats.cue_styles`): readers of the file
still see them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape

from workbench.base.errors import UnreadableInput
from workbench.base.messages import Message
from workbench.reading.decoding import decode
from workbench.reading.formats.api import Item, ReadOptions, Record, Source
from workbench.reading.formats.cue_styles import CueStyles, is_off_screen
from workbench.reading.formats.opening import whole
from workbench.reading.formats.paragraphs import Paragraphs, joined, with_encoding

name = "subtitles"
suffixes: tuple[str, ...] = (".srt", ".vtt")
_TIME = r"(?:(\d{1,4}):)?([0-5]?\d):([0-5]?\d)[.,](\d{1,3})"
_TIMING = re.compile(rf"[ \t]*{_TIME}[ \t]*-->[ \t]*{_TIME}([ \t].*)?")
_SNIFFED = re.compile(
    rb"(?:\xef\xbb\xbf)?(?:WEBVTT(?:[ \t\r\n]|\Z)|\s*\d{1,6}\s*\r?\n[ \t]*\d\d:\d\d:\d\d[,.]\d+[ \t]*-->)"
)
_MARK = re.compile(r"<[/!?]?[A-Za-z0-9:][^<>\n]{0,200}>|\{\\[^{}\n]{0,200}\}")
_NUMBER = re.compile(r"[ \t]*\d{1,9}[ \t]*")
_SENTENCE_END = re.compile(r"""[.!?。．！？…♪][\])}"'’”」』）]*\Z""")
_PAUSE = 3.0
"""Seconds without words after which a new paragraph begins."""
_ADJOINING = 0.5
"""Seconds between two cues from which a line of both is spoken twice."""
_LONGEST = 2000
"""Maximum length, in characters, of a paragraph without the end of a sentence: about two minutes of speech."""


def sniff(head: bytes) -> bool:
    """Whether it begins with the title of WebVTT or with the number and time of a cue."""
    return _SNIFFED.match(head) is not None


def read(source: Source, options: ReadOptions) -> Iterator[Item]:
    """The file as one document: a block is one or more sentences, its path the time at which it begins
    (``time[00:01:02]``).

    A line repeated in the next cue without a pause, as in roll-up subtitles, is read once. Raises UnreadableInput if
    there is no cue.
    """
    decoded = decode(whole(source, options), override=options.encoding)
    paragraphs = Paragraphs()
    styles = CueStyles(decoded.text)
    sentences = list(_sentences(decoded.text, styles))
    for start, lines in sentences:
        minutes, seconds = divmod(int(start), 60)
        text = joined(lines)[0]
        span = paragraphs.add(text, path=f"time[{minutes // 60:02}:{minutes % 60:02}:{seconds:02}]")
        paragraphs.hide(span, text, styles.unseen_in(text, lines))
    if not paragraphs.text:
        raise UnreadableInput(Message("There are no subtitles in this file."))
    document = paragraphs.document(source.name, name, options, title=source.stem)
    yield Record(None, with_encoding(document, decoded))


def _sentences(text: str, styles: CueStyles) -> Iterator[tuple[float, list[str]]]:
    """The time and the lines of each paragraph."""
    lines: list[str] = []
    before: list[str] = []
    begin = last = 0.0
    for start, end, cue in _cues(text, styles):
        goes_on = start - last < _ADJOINING
        words = [line for line in cue if not (goes_on and line in before)]
        before = cue
        if lines and (start - last > _PAUSE or _SENTENCE_END.search(lines[-1]) or sum(map(len, lines)) > _LONGEST):
            yield begin, lines
            lines = []
        if not lines:
            begin = start
        lines += words
        last = end
    if lines:
        yield begin, lines


def _cues(text: str, styles: CueStyles) -> Iterator[tuple[float, float, list[str]]]:
    """Start and end of each cue in seconds, and its lines that are not empty.

    An empty line ends a cue of WebVTT; one of SRT may go on after it, unless the number of the next cue follows.
    """
    begin = end = 0.0
    lines: list[str] = []
    in_cue = is_after_empty = False
    goes_on, number = not text.startswith("WEBVTT"), ""
    for line in text.split("\n"):
        if timing := _TIMING.fullmatch(line):
            if in_cue:
                # The preceding line is the number of this cue if no empty line ended the preceding cue.
                is_numbered = lines and not (number or is_after_empty) and _NUMBER.fullmatch(lines[-1])
                yield begin, end, lines[:-1] if is_numbered else lines
            begin, end = _seconds(*timing.groups()[:4]), _seconds(*timing.groups()[4:8])
            lines, in_cue, is_after_empty, number = [], True, False, ""
            styles.begin_cue(is_unseen=end <= begin or is_off_screen(timing[9] or ""))
        elif not line.strip():
            is_after_empty = bool(lines)
            if in_cue and lines and not goes_on:
                yield begin, end, lines
                in_cue = False
        elif in_cue and is_after_empty and not number and _NUMBER.fullmatch(line):
            number = line
        elif in_cue:
            for spoken in filter(None, (number, line)):
                if words := " ".join(unescape(_MARK.sub("", spoken)).split()):
                    styles.read_line(spoken, words)
                    lines.append(words)
            is_after_empty, number = False, ""
    if in_cue:
        yield begin, end, lines


def _seconds(hours: str | None, minutes: str, seconds: str, thousandths: str) -> float:
    return int(hours or 0) * 3600 + int(minutes) * 60 + int(seconds) + int(thousandths.ljust(3, "0")) / 1000
