"""Colours: readable on every surface and tint, in both themes."""

from __future__ import annotations

import pytest

from workbench.gui.document.region_paint import TINT as REGION_TINT
from workbench.gui.theme import icons, style
from workbench.gui.theme.tokens import DARK, LIGHT, Tokens, contrast, mixed

THEMES = pytest.mark.parametrize("tokens", [LIGHT, DARK], ids=["light", "dark"])
READABLE = 4.5


@THEMES
@pytest.mark.parametrize(
    "ground", ["app", "surface", "sunken", "hover", "accent_soft", "danger_soft", "warn_soft", "ok_soft"]
)
@pytest.mark.parametrize("text", ["text", "text2", "text3"])
def test_text_is_readable_on_every_surface(tokens: Tokens, ground: str, text: str) -> None:
    assert contrast(getattr(tokens, text), getattr(tokens, ground)) >= READABLE


@THEMES
@pytest.mark.parametrize("name", ["accent", "danger", "warn", "ok"])
def test_coloured_words_are_readable_on_panels_and_on_their_own_tint(tokens: Tokens, name: str) -> None:
    for ground in (tokens.surface, tokens.sunken, getattr(tokens, f"{name}_soft")):
        assert contrast(getattr(tokens, name), ground) >= READABLE


@THEMES
def test_buttons_are_readable(tokens: Tokens) -> None:
    assert contrast(tokens.accent_text, tokens.accent) >= READABLE
    assert contrast(tokens.accent_text, tokens.accent_hover) >= READABLE


@THEMES
def test_document_text_is_readable_under_every_highlight(tokens: Tokens) -> None:
    tints = (
        tokens.kept,
        tokens.inserted,
        tokens.deleted,
        tokens.replaced,
        tokens.moved,
    )
    for tint in (*tints, *tokens.sources, *tokens.rarity):
        for alpha in (tokens.highlight_alpha, tokens.highlight_active_alpha):
            for ground in (tokens.surface, mixed(tokens.accent, tokens.surface, REGION_TINT)):
                assert contrast(tokens.text, mixed(tint, ground, alpha)) >= READABLE


@THEMES
def test_the_style_sheet_leaves_no_token_unfilled(tokens: Tokens) -> None:
    sheet = style.sheet(tokens, {"caret-down": "d.svg", "caret-up": "u.svg", "check-on": "c.svg"})
    assert "@" not in sheet
    assert "%" not in sheet


def test_both_themes_name_the_same_colours() -> None:
    assert LIGHT.colours().keys() == DARK.colours().keys()


@pytest.mark.parametrize("name", icons.names())
def test_every_icon_draws_something_in_the_colour_asked_for(qapp: object, name: str) -> None:
    image = icons.pixmap(name, "#FF0000", 24).toImage()
    seen = {image.pixelColor(x, y).getRgb() for x in range(24) for y in range(24)}
    assert any(red > 200 and green == blue == 0 and alpha > 200 for red, green, blue, alpha in seen)
