"""Cut the bundled fonts from Debian's fonts-noto-cjk and fonts-inter.

    python packaging/subset_fonts.py        # writes resources/fonts/

The Japanese face holds JIS X 0213 and the additions of Windows (people's names), the Chinese face GB 2312 and Big5
level 1; both hold Latin-1, general punctuation and the enclosed and full-width forms, so that text in either script
never shows empty boxes. Two weights of the Latin face are for the window. The licence of all is
resources/fonts/OFL.txt.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from pathlib import Path

from fontTools import subset
from fontTools.ttLib import TTFont

NOTO = Path("/usr/share/fonts/opentype/noto/NotoSansCJK-Regular.ttc")
INTER = Path("/usr/share/fonts/opentype/inter")
RESOURCES = Path(__file__).resolve().parents[1] / "resources"
OUT = RESOURCES / "fonts"
SAMPLE = RESOURCES / "sample"

SHARED = (
    (0x20, 0x7E),
    (0xA0, 0x17F),  # Latin-1, Latin Extended-A
    (0x2010, 0x205E),  # general punctuation
    (0x2070, 0x209C),
    (0x20A0, 0x20BF),
    (0x2100, 0x214F),
    (0x2150, 0x218F),
    (0x2190, 0x21FF),  # arrows
    (0x2200, 0x22FF),
    (0x2460, 0x24FF),  # enclosed
    (0x2500, 0x266F),  # boxes, shapes, symbols
    (0x3000, 0x30FF),  # CJK punctuation, kana
    (0x31F0, 0x31FF),
    (0x3220, 0x33FF),
    (0xFE10, 0xFE6F),
    (0xFF01, 0xFFEE),
    (0xFFFD, 0xFFFD),
)
LATIN = ((0x20, 0x7E), (0xA0, 0x24F), (0x2010, 0x205E), (0x20A0, 0x20BF), (0x2100, 0x21FF), (0x2200, 0x22FF))


def shared_characters() -> set[int]:
    """Code points that both CJK faces hold."""
    return {code for first, last in SHARED for code in range(first, last + 1)}


def repertoire(encoding: str, leads: Iterable[int], trails: Iterable[int]) -> set[int]:
    """Code points of a double-byte character set, by decoding every pair of lead and trail byte."""
    trails = list(trails)
    found: set[int] = set()
    for lead in leads:
        for trail in trails:
            try:
                found.update(map(ord, bytes((lead, trail)).decode(encoding)))
            except UnicodeDecodeError:
                continue
    return found


def sample() -> set[int]:
    """Code points of the bundled sample's UTF-8 texts: its classics hold rare characters."""
    texts = (path for path in SAMPLE.rglob("*") if path.suffix in {".txt", ".html"} and not path.stem.endswith("_sjis"))
    return {ord(c) for path in texts for c in path.read_text("utf-8") if ord(c) >= 0x3000}


def japanese() -> set[int]:
    """JIS X 0213, the additions of Windows (names such as 髙橋 and 﨑山), 𠮷, and what both faces share."""
    leads, trails = [*range(0x81, 0xA0), *range(0xE0, 0xFD)], range(0x40, 0xFD)
    standard, windows = (repertoire(name, leads, trails) for name in ("shift_jis_2004", "cp932"))
    return shared_characters() | standard | windows | {ord("𠮷")}


def chinese() -> set[int]:
    """GB 2312, Big5 level 1 (frequent traditional characters), the sample, and what both faces share."""
    simplified = repertoire("gb2312", range(0xA1, 0xF8), range(0xA1, 0xFF))
    traditional = repertoire("big5", range(0xA1, 0xC7), [*range(0x40, 0x7F), *range(0xA1, 0xFF)])
    return shared_characters() | simplified | traditional | sample()


def cut(font: TTFont, characters: set[int], family: str, out: Path) -> None:
    """Write ``font`` reduced to ``characters``, without hints, and renamed (OFL: a cut font is a modified version)."""
    options = subset.Options()
    options.hinting = False
    options.layout_features = ["kern", "mark", "mkmk", "locl", "calt", "tnum"]
    options.name_IDs = ["*"]
    options.notdef_outline = True
    options.desubroutinize = False
    subsetter = subset.Subsetter(options)
    subsetter.populate(unicodes=sorted(characters))
    subsetter.subset(font)
    for record in font["name"].names:
        if record.nameID in (1, 3, 4, 16):
            record.string = family
        elif record.nameID == 6:
            record.string = family.replace(" ", "")
    subset.save_font(font, str(out), options)


def main() -> None:
    """Write the four faces."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=OUT)
    parser.add_argument("--noto", type=Path, default=NOTO)
    parser.add_argument("--inter", type=Path, default=INTER)
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    cut(TTFont(arguments.noto, fontNumber=0), japanese(), "Palimpsest Sans JP", arguments.out / "PalimpsestSansJP.otf")
    cut(TTFont(arguments.noto, fontNumber=2), chinese(), "Palimpsest Sans SC", arguments.out / "PalimpsestSansSC.otf")
    latin = {code for first, last in LATIN for code in range(first, last + 1)}
    for weight in ("Regular", "SemiBold"):
        font = TTFont(arguments.inter / f"Inter-{weight}.otf")
        cut(font, latin, "Palimpsest UI", arguments.out / f"PalimpsestUI-{weight}.otf")


if __name__ == "__main__":
    main()
