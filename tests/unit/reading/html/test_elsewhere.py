"""What a page shows outside of its text is found as the pattern alone finds it."""

from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st

from workbench.reading.html.elsewhere import _ATTRIBUTE_SHOWN, _SHOWN_ELSEWHERE, pieces_elsewhere, shown_elsewhere

WORDS = "Nobody had seen the ship since the harbour was closed in the spring of that year, and the nets were mended. "
CASES = [
    f"<style>p::before {{ CONTENT: '{WORDS}' }}</style>",
    f'<textarea rows=2>{WORDS}</textarea><input type=text value="{WORDS}"><input type=hidden value="{WORDS}">',
    f'<iframe srcdoc="{WORDS}"></iframe><iframe SRC="data:text/html,{WORDS}"></iframe>',
    f"<template shadowrootmode=open><p>{WORDS}</p></template><foreignObject x=1><p>{WORDS}</p></foreignObject>",
    f"<svg><TEXT>{WORDS}</TEXT><tspan>{WORDS}</tspan></svg><mtext>{WORDS}</mtext><option>{WORDS}</option>",
    f'<rt>{WORDS}</rt><img alt="{WORDS * 2}"><img src=a.png alt="{WORDS * 2}">',
    f"<script>document.write('{WORDS * 2}'); a.append(`{WORDS * 2}`); b.textContent = '{WORDS * 2}'</script>",
    f"<script>a.innerText += '{WORDS * 2}'; b.innerHTML='{WORDS * 2}'; createTextNode('{WORDS * 2}')</script>",
    f"<\u017fcript>\u0130nnerText = '{WORDS * 2}'</script><textarea>{WORDS}</textarea>",
    f"<\u017fpan data-\u0131=x></span>b.\u0131nnerText = '{WORDS * 2}'",
]
PARTS = [
    *CASES,
    "<",
    ">",
    "content",
    "text",
    "content:",
    "'",
    '"',
    "<textarea>",
    "</textarea",
    " alt=",
    WORDS,
    "<p>",
    "src=",
]


@given(st.lists(st.sampled_from(PARTS), max_size=9).map("".join))
@example("".join(CASES))
@example("".join(CASES[:-2]))
@example(f"textContent: '{WORDS}'")
def test_every_piece_is_found(markup: str) -> None:
    spans = [match.span() for match in pieces_elsewhere(markup, markup.lower())]
    assert spans == [match.span() for match in _SHOWN_ELSEWHERE.finditer(markup)]


def test_each_case_shows_its_words() -> None:
    for case in CASES:
        assert WORDS.strip() in " ".join(shown_elsewhere(case)), case


def test_what_a_rule_takes_from_an_attribute_is_shown() -> None:
    markup = f'<style>p::after {{ Content: ATTR(title) }}</style><p title="{WORDS}">a</p>'
    assert _ATTRIBUTE_SHOWN.search(markup)
    assert list(shown_elsewhere(markup)) == [WORDS]
