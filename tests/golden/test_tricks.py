"""No trick that hides a copy goes unnoticed in any format."""

from __future__ import annotations

import pytest

from tests.golden import tricks

SOME = ("soft hyphens", "dots between letters", "private use")


@pytest.mark.slow
@pytest.mark.parametrize(
    "names", [pytest.param(SOME, id="some"), pytest.param(tuple(tricks.DISGUISES), id="all", marks=pytest.mark.rest)]
)
def test_disguised_copies_are_seen_through_or_flagged(names: tuple[str, ...]) -> None:
    every = [tricks.outcome(name, kind, data) for name in names for kind, data in tricks.disguised(name)]
    assert [(one.name, one.format) for one in every if one.is_silent] == []
    assert len(every) >= 5 * len(names)


@pytest.mark.slow
def test_words_hidden_among_those_of_a_copy_are_left_out_or_flagged() -> None:
    every = [tricks.outcome(name, kind, data) for name in tricks.HIDING for kind, data in tricks.hidden(name)]
    assert [(one.name, one.format) for one in every if one.is_silent] == []
    assert {one.format for one in every} == {"html", "epub", "docx", "odt", "rtf", "pdf", "pptx", "tex"}


@pytest.mark.slow
def test_character_maps_that_lie_are_flagged_in_each_script() -> None:
    every = [tricks.outcome("a character map that lies", kind, data) for kind, data in tricks.lying()]
    kinds = ("pdf", "pdf ja", "pdf zh", "pdf ru", "pdf el")
    assert [(one.format, one.flags) for one in every] == [(kind, ("shown-otherwise",)) for kind in kinds]


@pytest.mark.slow
def test_what_subtitles_and_pages_show_otherwise_than_they_are_read_is_flagged() -> None:
    every = [tricks.outcome(*planted) for planted in (*tricks.subtitled(), *tricks.outside())]
    assert [(one.name, one.format) for one in every if not one.flags] == []
    assert len(every) == 9


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["docx", "odt", "rtf", "pptx", "xlsx", "tex", "html", "epub", "vtt", "ipynb"])
def test_what_one_format_makes_possible_is_seen_through_or_flagged(kind: str) -> None:
    every = [tricks.outcome(*one) for one in tricks.in_formats(kind)]
    assert [one.name for one in every if one.is_silent] == []
    assert every


@pytest.mark.slow
@pytest.mark.parametrize("letters", [28, 45])
def test_a_line_alone_whose_character_map_lies_is_flagged(letters: int) -> None:
    (one,) = (tricks.outcome(*planted) for planted in tricks.in_formats("pdf") if f" {letters} letters" in planted.name)
    assert one.flags == ("shown-otherwise",)


@pytest.mark.slow
def test_pdf_files_that_show_other_words_than_their_text_are_seen_through_or_flagged() -> None:
    every = {planted[0]: tricks.outcome(*planted) for planted in tricks.in_pdfs()}
    assert {name: one.flags for name, one in every.items() if not one.seen} == {
        **dict.fromkeys(("cut by a path", "layer switched off", "letters without ink"), ("unseen-on-page",)),
        **dict.fromkeys(("outlined letters", "picture of the copy"), ("text-in-pictures",)),
        **dict.fromkeys(("in a note", "in a field"), ("shown-outside-text",)),
    }
    assert every["words in no order"].seen
