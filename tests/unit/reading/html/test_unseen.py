"""Looking for hidden words takes no stranger's page more than the time of a page."""

from __future__ import annotations

import pytest

from workbench.base.errors import UnreadableInput
from workbench.reading.html import page
from workbench.reading.html.unseen import hidden_in


@pytest.mark.timeout(30)
@pytest.mark.parametrize(
    "markup",
    [
        pytest.param("<style>" * 150_000, id="style elements that do not end"),
        pytest.param("<style>s{color:#fff}</style>" + "<i>" * 50_000 + "</u>" * 50_000, id="stray end tags"),
        pytest.param('<p style="' + "font:" * 200_000 + '">x', id="a long style"),
        pytest.param('<p style="' + "color:rgb(" * 100_000 + '">x', id="colours that do not end"),
        pytest.param("<style>" + "i," * 300_000 + "i{color:#fff}</style><p><i>x</i>", id="a selector again and again"),
        pytest.param("<style>i{color:#fff}" + "--a:" * 200_000 + "</style><p><i>x</i>", id="a rule that does not end"),
    ],
)
def test_long_styles_are_read_in_linear_time(markup: str) -> None:
    assert list(hidden_in(markup, "y\n" * 20, [])) == []


@pytest.mark.timeout(30)
@pytest.mark.parametrize(
    "markup",
    [
        pytest.param("<style>" + "*{color:#fff}" * 20_000 + "</style><p>" + "<i>x</i>" * 20_000, id="many rules"),
        pytest.param(
            "<style>" + "i i i b{color:#fff}" * 2_000 + "</style>" + "<i>" * 50_000 + "<b>x</b>" * 2_000, id="deep"
        ),
    ],
)
def test_a_page_of_too_many_styles_is_refused(markup: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page, "_SLOWEST", 0.5)
    with pytest.raises(UnreadableInput, match="too many styles"):
        list(hidden_in(markup, "x\n" * 20, []))
