from __future__ import annotations

import errno
import io
import json
import re

import pytest
from wcwidth import width

from workbench.cli.main import main
from workbench.cli.output import Column, Output, Unwritable, json_line, plural, seconds_text, shorten, table


def test_json_is_one_line_for_every_reader() -> None:
    value = {"text": "a\u2028b\x85c\nd\u2029", "ja": "日本"}
    line = json_line(value)
    assert len(line.splitlines()) == 1
    assert json.loads(line) == value
    assert "日本" in line


def test_columns_align_by_what_a_terminal_shows() -> None:
    lines = list(table([Column("名前"), Column("n", right=True)], [("写本", "1"), ("abcdef", "1,000")]))
    assert lines == ["名前        n", "写本        1", "abcdef  1,000"]


def test_a_table_streams_and_says_nothing_unsafe() -> None:
    rows = ((f"\x1b[31m{i}",) for i in range(2_000))
    lines = list(table([Column("id")], rows))
    assert len(lines) == 2_001
    assert "\x1b" not in "".join(lines)


def test_long_cells_are_cut_with_an_ellipsis() -> None:
    assert shorten("日本語の文", 6) == "日本…"
    assert width(shorten("日本語の文", 6)) <= 6
    assert shorten("short", 6) == "short"


def test_results_and_notes_go_to_their_own_streams() -> None:
    out, err = io.StringIO(), io.StringIO()
    output = Output(True, out, err)
    output.record({"a": 1})
    output.say("for people")
    output.note("warning\x07")
    assert out.getvalue() == '{"a": 1}\n'
    assert err.getvalue() == "warning<U+0007>\n"


class Full(io.StringIO):
    def write(self, text: str) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")


def test_a_stream_that_takes_no_more_is_reported_in_a_sentence() -> None:
    with pytest.raises(Unwritable, match=r"cannot be written \(No space left on device\)"):
        Output(False, Full(), io.StringIO()).say("line")


def test_figures_read_well() -> None:
    assert plural(1, "match", "matches") == "1 match"
    assert plural(1_234, "match", "matches") == "1,234 matches"
    assert [seconds_text(s) for s in (0.42, 12, 180, 9000)] == ["0.4 s", "12 s", "3 min", "2.5 h"]


def test_the_version_is_printed_where_a_script_reads_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    assert re.fullmatch(r"palimpsest \S.*\n", capsys.readouterr().out)
