"""Colours: readable on every surface and tint, in both themes."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from numpy.typing import NDArray

from workbench.gui.charts.agreement_charts import heat, ink
from workbench.gui.document.paint import TINT as REGION_TINT
from workbench.gui.theme import manager, style
from workbench.gui.theme.tokens import DARK, LIGHT, Tokens, contrast, mixed
from workbench.services.labels.verdicts import VERDICTS

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
@pytest.mark.parametrize("name", sorted({"accent", "danger", "warn", "ok"} | {v.role for v in VERDICTS.values()}))
def test_coloured_words_are_readable_on_panels_and_on_their_own_tint(tokens: Tokens, name: str) -> None:
    for ground in (tokens.surface, tokens.sunken, tokens.soft(name)):
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


VISIONS = {
    "usual": np.eye(3),
    "protanopia": np.array(
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]
    ),
    "deuteranopia": np.array(
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]
    ),
    "tritanopia": np.array(
        [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]]
    ),
}
"""Linear sRGB as it is seen (Machado, Oliveira and Fernandes, 2009, severity 1)."""
_XYZ = np.array(
    [[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750], [0.0193339, 0.1191920, 0.9503041]]
)
_WHITE = np.array([0.95047, 1.0, 1.08883])
TOLD_APART, TINTS_TOLD_APART = 18, 7
"""Least distances in CIELAB; about 2 can just be seen side by side."""


def lab(colour: str, vision: str) -> NDArray[np.float64]:
    """``#RRGGBB`` in CIELAB (D65), as seen with ``vision``."""
    channels = np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    linear = np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)
    ratio = _XYZ @ np.clip(VISIONS[vision] @ linear, 0, 1) / _WHITE
    x, y, z = np.where(ratio > 216 / 24389, np.cbrt(ratio), ratio * 841 / 108 + 4 / 29)
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


@THEMES
@pytest.mark.parametrize("vision", VISIONS)
def test_sources_are_told_apart_and_look_like_no_tier_with_any_colour_vision(tokens: Tokens, vision: str) -> None:
    def apart(one: str, other: str) -> float:
        return float(np.linalg.norm(lab(one, vision) - lab(other, vision)))

    tints = [mixed(colour, tokens.surface, tokens.highlight_active_alpha) for colour in tokens.sources]
    assert min(apart(*pair) for pair in combinations(tokens.sources, 2)) >= TOLD_APART
    assert min(apart(*pair) for pair in combinations(tints, 2)) >= TINTS_TOLD_APART
    assert min(apart(source, tokens.tier(tier)) for source in tokens.sources for tier in range(3)) >= TOLD_APART


@THEMES
def test_the_style_sheet_leaves_no_token_unfilled(tokens: Tokens) -> None:
    sheet = style.sheet(
        tokens, {"caret-down": "d.svg", "caret-up": "u.svg", "check-on": "c.svg", "check-some": "s.svg"}
    )
    assert "@" not in sheet
    assert "%" not in sheet


def test_both_themes_name_the_same_colours() -> None:
    assert LIGHT.colours().keys() == DARK.colours().keys()


@pytest.mark.parametrize("name", manager.names())
def test_every_icon_draws_something_in_the_colour_asked_for(qapp: object, name: str) -> None:
    image = manager.pixmap(name, "#FF0000", 24).toImage()
    seen = {image.pixelColor(x, y).getRgb() for x in range(24) for y in range(24)}
    assert any(red > 200 and green == blue == 0 and alpha > 200 for red, green, blue, alpha in seen)


@THEMES
def test_figures_in_the_heat_map_are_legible(tokens: Tokens) -> None:
    grounds = [heat(tokens, value / 50) for value in range(-10, 51)]
    assert min(contrast(ink(ground), ground) for ground in grounds) >= READABLE
