"""Subtitles: what is said, in sentences."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.reading.formats.items import one
from tests.unit.reading.formats.test_office import blocks, error
from workbench.base.locators import place
from workbench.base.types import Span
from workbench.reading.formats.cue_styles import CueStyles

SRT = """1
00:00:01,000 --> 00:00:02,500
<i>It is a truth</i>
universally acknowl-

2
00:00:02,600 --> 00:00:04,000 X1:40 X2:600
edged, that a man {\\an8}&amp; his dog.

3
00:01:05,000 --> 00:01:06,000
これは正しい

4
00:01:06,100 --> 00:01:07,000
文書です。
5
01:02:03,000 --> 01:02:04,000
1984
"""


def test_cues_are_joined_into_sentences_with_their_time(tmp_path: Path) -> None:
    assert blocks(one(tmp_path / "a.srt", SRT.encode())) == [
        ("paragraph", "time[00:00:01]", "It is a truth universally acknowledged, that a man & his dog."),
        ("paragraph", "time[00:01:05]", "これは正しい文書です。"),
        ("paragraph", "time[01:02:03]", "1984"),
    ]


def test_a_dash_at_the_end_of_a_line_keeps_its_space(tmp_path: Path) -> None:
    lines = "The house –\nold as it was -\nfell down—or so\nthey said, in 1990–\n1995."
    document = one(tmp_path / "a.srt", f"1\n00:00:01,000 --> 00:00:02,500\n{lines}\n".encode())
    assert document.text == "The house – old as it was - fell down—or so they said, in 1990–1995."


def test_an_empty_line_within_a_cue_of_srt_loses_no_words(tmp_path: Path) -> None:
    cues = "1\n00:00:01,000 --> 00:00:02,000\nFirst\n\nsecond\n\n1984\nthird\n\n2\n00:00:02,100 --> 00:00:03,000\n7\n\n"
    srt = f"{cues}3\n00:00:03,100 --> 00:00:04,000\nlast.\n\n\n"
    assert one(tmp_path / "a.srt", srt.encode()).text == "First second 1984 third 7 last."
    vtt = f"WEBVTT\n\n{cues.replace(',', '.')}NOTE\nnot spoken\n"
    assert one(tmp_path / "a.vtt", vtt.encode()).text == "First 7"


def test_a_pause_begins_another_paragraph(tmp_path: Path) -> None:
    text = "1\n00:00:01,0 --> 00:00:02,0\nno end\n\n2\n00:00:09,0 --> 00:00:10,0\nafter a while\n"
    assert one(tmp_path / "a.srt", text.encode()).text == "no end\nafter a while"


def test_titles_notes_styles_and_marks_of_webvtt_are_left_out(tmp_path: Path) -> None:
    text = (
        "WEBVTT - a title\n\nNOTE\na remark --> none\n\nSTYLE\n::cue { color: red }\n\nintro\n"
        "00:01.000 --> 00:02.000 align:start\n<v Ann>Words <00:01.500><c.loud>spoken</c> 3 < 4\n\n"
    )
    assert blocks(one(tmp_path / "a.vtt", text.encode())) == [("paragraph", "time[00:00:01]", "Words spoken 3 < 4")]


def test_lines_that_roll_up_are_read_once(tmp_path: Path) -> None:
    cues = ["one two", "one two\nthree four", "three four\nfive."]
    text = "WEBVTT\n\n" + "".join(f"00:0{n}.000 --> 00:0{n + 1}.000\n{cue}\n\n" for n, cue in enumerate(cues, 1))
    assert one(tmp_path / "a.vtt", text.encode()).text == "one two three four five."


def test_a_line_spoken_again_after_a_pause_is_kept(tmp_path: Path) -> None:
    text = "1\n00:00:01,0 --> 00:00:02,0\nYes.\nNo.\n\n2\n00:00:03,0 --> 00:00:04,0\nNo.\nWhy?\n"
    assert one(tmp_path / "a.srt", text.encode()).text == "Yes. No.\nNo. Why?"


@pytest.mark.parametrize("content", [b"", b"WEBVTT\n\n", b"only text\n", b"99:99:99,000 --> x\nwords\n"])
def test_a_file_without_cues_is_refused(tmp_path: Path, content: bytes) -> None:
    assert error(tmp_path / "a.srt", content) == "There are no subtitles in this file."


def test_they_are_known_by_their_beginning(tmp_path: Path) -> None:
    for content in (SRT, "WEBVTT\n\n00:01.000 --> 00:02.000\nwords\n"):
        assert one(tmp_path / "nameless", content.encode("utf-8-sig")).extraction.format == "subtitles"
    assert one(tmp_path / "b.srt", SRT.encode("cp932")).extraction.encoding == "cp932"


def test_passages_are_cited_by_the_time_at_which_their_sentences_begin(tmp_path: Path) -> None:
    document = one(tmp_path / "a.srt", SRT.encode())
    at = document.text.index("1984")
    assert place(document, Span(at, at + 4)).words == "01:02:03"
    whole = place(document, Span(0, len(document.text)))
    assert whole.words == "00:00:01–01:02:03"
    assert whole.record["time"] == "00:00:01"
    assert whole.record["last"]["time"] == "01:02:03"


SECRET, SEEN = "These words of the line are hidden", "but all of these can be read by everybody"


@pytest.mark.parametrize(
    ("hide", "show"),
    [
        (r"{\alpha&HFF&}", r"{\alpha&H00&}"),
        (r"{\alpha&HFF&\c&H00FF00&}", r"{\alpha&H80&}"),
        (r"{\1a&HFF&}", r"{\1a}"),
        (r"{\fs1}", r"{\fs20}"),
        (r"{\fs0\fscx50}", r"{\fs}"),
        (r"{\alpha&HFF&\fs1}", r"{\r}"),
    ],
)
def test_codes_hide_words_until_another_of_their_kind(hide: str, show: str) -> None:
    words = f"{SECRET} {SEEN}"
    styles = CueStyles("")
    styles.begin_cue(is_unseen=False)
    styles.read_line(f"{hide}{SECRET} {show}{SEEN}", words)
    assert [words[slice(*part)] for part in styles.unseen_in(words, [words])] == [SECRET]


def test_the_last_colour_of_a_line_counts() -> None:
    words = f"{SECRET} {SEEN}"
    for colours in ((r"{\c&HFFFFFF&}", ""), (r"{\c&HFFFFFF&}", r"{\c}"), (r"{\c&HFFFFFF&}", r"{\c&H0000FF&}")):
        styles = CueStyles("")
        styles.begin_cue(is_unseen=False)
        styles.read_line(f"Plain. {colours[0]}{SECRET} {colours[1]}{SEEN}", f"Plain. {words}")
        shown = [f"Plain. {words}"[slice(*part)] for part in styles.unseen_in(f"Plain. {words}", [f"Plain. {words}"])]
        # Only beside more words without a colour, and if there is no other colour, is white the colour of the paper.
        assert shown == ([SECRET] if colours[1] == r"{\c}" else [])
