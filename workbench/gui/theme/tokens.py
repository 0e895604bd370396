"""Design tokens: every colour, radius and distance of the window, light and dark.

Text colours keep a contrast of at least 4.5:1 on every surface and tint they may appear on; a test computes it.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Literal

ThemeName = Literal["light", "dark"]
TIERS = ("exact", "symbols", "altered")
"""The tokens of the tiers of matches, by their value."""


@dataclass(frozen=True, slots=True)
class Tokens:
    """One theme. Colours are ``#RRGGBB``; ``*_alpha`` are 0 to 255.

    Surfaces: ``app`` behind the panels, ``surface`` on panels, ``sunken`` in fields and headers. Text: ``text``,
    ``text2`` (secondary), ``text3`` (captions). Colour shows the source of a match (``sources``, by number,
    distinguishable with the common forms of colour blindness); the tier is a shade of grey, so that no tier looks like
    a source: ``exact``, ``symbols`` (exact ignoring symbols, width or case), ``altered``. Inside a match: ``kept``
    words; differences ``inserted``, ``deleted``, ``replaced``, ``moved``. ``rarity``: text also in one, some, many
    other documents.
    """

    name: ThemeName
    app: str
    surface: str
    sunken: str
    hover: str
    border: str
    border2: str
    text: str
    text2: str
    text3: str
    accent: str
    accent_hover: str
    accent_soft: str
    accent_text: str
    exact: str
    symbols: str
    altered: str
    kept: str
    inserted: str
    deleted: str
    replaced: str
    moved: str
    ignored: str
    danger: str
    danger_soft: str
    warn: str
    warn_soft: str
    ok: str
    ok_soft: str
    track: str
    highlight_alpha: int
    highlight_active_alpha: int
    ribbon_alpha: int
    ribbon_active_alpha: int
    sources: tuple[str, ...]
    rarity: tuple[str, str, str]

    def soft(self, role: str) -> str:
        """The tint behind words in the colour ``role``; the sunken surface behind a colour without a tint."""
        return str(getattr(self, f"{role}_soft", self.sunken))

    def tier(self, tier: int) -> str:
        """Shade of a :class:`~workbench.base.types.Tier`."""
        return str(getattr(self, TIERS[tier]))

    def source(self, number: int) -> str:
        """Colour of the source numbered ``number`` from 1; repeats after the last (the number distinguishes them)."""
        return self.sources[(number - 1) % len(self.sources)]

    def colours(self) -> dict[str, str]:
        """Single colours by token name."""
        values = {f.name: getattr(self, f.name) for f in fields(self)}
        return {name: value for name, value in values.items() if isinstance(value, str) and value.startswith("#")}


LIGHT = Tokens(
    name="light",
    app="#EEF0F4",
    surface="#FFFFFF",
    sunken="#F6F7F9",
    hover="#F1F3F7",
    border="#DFE3E9",
    border2="#C9CFD8",
    text="#1B2330",
    text2="#4F5969",
    text3="#5F6978",
    accent="#2456CC",
    accent_hover="#1D48AE",
    accent_soft="#E8EFFD",
    accent_text="#FFFFFF",
    exact="#3A4657",
    symbols="#76818F",
    altered="#AEB6C1",
    kept="#0B8A7D",
    inserted="#2B8A3E",
    deleted="#C92A2A",
    replaced="#B7791F",
    moved="#1C7ED6",
    ignored="#8A93A2",
    danger="#B42323",
    danger_soft="#FDECEC",
    warn="#8A5A0F",
    warn_soft="#FDF4E1",
    ok="#22713A",
    ok_soft="#E9F7EC",
    track="#E3E7ED",
    highlight_alpha=46,
    highlight_active_alpha=105,
    ribbon_alpha=30,
    ribbon_active_alpha=84,
    sources=("#3467C0", "#F06D11", "#9103FB", "#A65153", "#63307E", "#B48B4F", "#AE0300", "#FE16FC"),
    rarity=("#D9480F", "#7048E8", "#0B8A7D"),
)

DARK = Tokens(
    name="dark",
    app="#101319",
    surface="#171B22",
    sunken="#1D222B",
    hover="#222833",
    border="#2A303B",
    border2="#3B4352",
    text="#E4E8EF",
    text2="#A9B3C1",
    text3="#929DAD",
    accent="#7AA5FF",
    accent_hover="#97B9FF",
    accent_soft="#1E2C4A",
    accent_text="#0D1117",
    exact="#DCE2EA",
    symbols="#8E99A8",
    altered="#596474",
    kept="#3CC9B7",
    inserted="#69C37D",
    deleted="#FF7B7B",
    replaced="#E5B454",
    moved="#63B3FF",
    ignored="#6F7A8A",
    danger="#FF8787",
    danger_soft="#3A2023",
    warn="#E5B454",
    warn_soft="#36301F",
    ok="#69C37D",
    ok_soft="#1C3023",
    track="#2A303B",
    highlight_alpha=52,
    highlight_active_alpha=99,
    ribbon_alpha=34,
    ribbon_active_alpha=92,
    sources=("#6FA3FF", "#268F0E", "#9457FF", "#C6796B", "#A6E186", "#75D9A1", "#EE1ACE", "#08F90A"),
    rarity=("#FF9259", "#A78BFA", "#3CC9B7"),
)

ROW = 32
"""Height of a table row, logical pixels."""


def by_name(name: str) -> Tokens:
    """The tokens called ``name``; dark for "dark", light otherwise."""
    return DARK if name == "dark" else LIGHT


def luminance(colour: str) -> float:
    """Relative luminance of ``#RRGGBB``, 0 to 1 (WCAG 2.2)."""
    channels = (int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    """Contrast ratio of two colours, 1 to 21 (WCAG 2.2)."""
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def mixed(colour: str, ground: str, alpha: int) -> str:
    """``colour`` painted with ``alpha`` (0 to 255) over ``ground``, as ``#RRGGBB``."""
    share = alpha / 255
    pairs = ((int(colour[i : i + 2], 16), int(ground[i : i + 2], 16)) for i in (1, 3, 5))
    return "#" + "".join(f"{round(c * share + g * (1 - share)):02X}" for c, g in pairs)
