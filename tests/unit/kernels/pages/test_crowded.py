"""Start tags with so many attributes that a tree of the page takes quadratic time."""

from __future__ import annotations

import time

import numpy as np
import pytest

from workbench.kernels.pages.styles import has_many_attributes
from workbench.reading.html.page import extract_html

FORMS = ("a{}", "a{}=x", 'a{}=">"', "a{}='>'", "a{} = '<b'", 'a{}="\'"', "a{}=''/", 'A{}=\n">"')


def crowds(markup: str, most: int = 100) -> bool:
    return bool(has_many_attributes(np.frombuffer(markup.encode(), np.uint8), most))


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("before", ["", '<!-- <p a=" -->', "<script>if (a<b && c='", "<i title='<q x=\"'>", "<p a='>"])
def test_a_tag_of_many_attributes_is_seen_wherever_it_is(form: str, before: str) -> None:
    tag = "<p " + " ".join(form.format(number) for number in range(150)) + ">"
    assert crowds(f"{before}<p>Some text</p>{tag}more</p>")


@pytest.mark.parametrize("form", FORMS)
def test_many_tags_of_few_attributes_are_none(form: str) -> None:
    tag = "<p " + " ".join(form.format(number) for number in range(10)) + "> text > and < text </p>"
    assert not crowds(tag * 50)


def test_no_markup_takes_longer_than_a_few_passes() -> None:
    begun = time.process_time()
    crowds("<a '" * 250_000 + "<a x='" * 100_000)
    assert time.process_time() - begun < 5


@pytest.mark.parametrize("form", ['a{}=">"', "a{}"])
def test_a_page_with_a_tag_of_many_attributes_is_read_at_once(form: str) -> None:
    tag = "<p " + " ".join(form.format(number) for number in range(60_000)) + ">"
    begun = time.process_time()
    assert extract_html(f"<p>before</p>{tag}text</p>").text == "before\ntext"
    assert time.process_time() - begun < 5
