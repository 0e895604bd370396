"""Sketches of letters: small blurred pictures, to compare the letters a page draws with those of the bundled fonts.

A sketch shows a letter in a frame: from below the baseline to above the tallest letters or, in scripts without a
baseline, as high as the greater of the letter's height and width. Its width is the letter's or, if that differs much,
closer to the frame's. Similarity is the correlation of the values of two sketches.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from workbench.base.resources import resource

Ink = NDArray[np.float64]
"""How dark each pixel is, from 0 to 1; rows from the top."""
Sketch = NDArray[np.float64]
"""Values with mean 0 and norm 1."""
ROWS, COLUMNS = 18, 14
ABOVE, BELOW = 1.625, 0.625
"""Extent of the frame of letters above and below the baseline, relative to the x-height."""
_SIZE = 48
_SLANT = 0.22
"""Shear of slanted letters."""
_FAINT = 0.3


class Script(NamedTuple):
    """A script: its ``letters``, the bundled ``faces`` that draw them, some letters to compare with, and the lower-case
    and capital ``x`` if its letters have a baseline.
    """

    name: str
    letters: re.Pattern[str]
    faces: tuple[str, ...]
    some: str
    x: str = ""


_JP, _SC, _UI = "PalimpsestSansJP.otf", "PalimpsestSansSC.otf", "PalimpsestUI-Regular.otf"
SCRIPTS = (
    Script(
        "han",
        re.compile("[\u4e01-\u9fff]"),
        (_JP, _SC),
        "的不了人我有他大来上国到時出会可也你对生能子那得于着下年後作里用道行所然家種事成方多去法学如都同現動面起看定分天進好部其",
    ),
    Script(
        "hiragana",
        re.compile("[あいうえおか-ちつ-もやゆよ-ろわをん]"),
        (_JP,),
        "あいうえおかきくけこさしすせそたちつてとなにぬねのはひふへほまみむめもやゆよらりるれろわをん",
    ),
    Script(
        "katakana",
        re.compile("[アイウエオカ-チツ-モヤユヨ-ロワヲンヴ]"),
        (_JP,),
        "アイウエオカキクケコサシスセソタチツテトナニヌネノハヒフヘホマミムメモヤユヨラリルレロワヲン",
    ),
    Script("greek", re.compile("[α-ω]"), (_SC,), "αβγδεζηθικλμνξοπρστυφχψω", "νΧ"),
    Script("cyrillic", re.compile("[а-я]"), (_SC,), "абвгдежзийклмнопрстуфхцчшщъыьэюя", "хХ"),
    Script("latin", re.compile("[a-z]"), (_UI,), "abcdefghijklmnopqrstuvwxyz", "xX"),
)
"""The scripts whose letters can be compared; accents and small kana are left out."""


def sketch(ink: Ink, top: float, bottom: float) -> Sketch | None:
    """The ``ink`` in the frame of the rows from ``top`` to ``bottom`` as a sketch; None if there is no ink."""
    from PIL import Image

    dark = np.flatnonzero(ink.max(0) > _FAINT)
    high = bottom - top
    if not len(dark) or high <= 1:
        return None
    inside = ink[:, dark[0] : dark[-1] + 1]
    share = min(1.0, inside.shape[1] / high)
    width = max(2, round(COLUMNS * share**0.5))
    picture = Image.fromarray((inside * 255).astype(np.uint8))
    box = (0, top, inside.shape[1], bottom)
    scaled = picture.transform((width * 2, ROWS * 2), Image.Transform.EXTENT, box, Image.Resampling.BILINEAR).resize(
        (width, ROWS), Image.Resampling.BOX
    )
    out = np.zeros((ROWS + 2, COLUMNS + 2))
    left = 1 + (COLUMNS - width) // 2
    out[1:-1, left : left + width] = np.asarray(scaled)
    out = out[:-2] + 2 * out[1:-1] + out[2:]
    out = out[:, :-2] + 2 * out[:, 1:-1] + out[:, 2:]
    values: Sketch = out.ravel() - out.mean()
    length = float(np.linalg.norm(values))
    return values / length if length > 0 else None


def framed(ink: Ink) -> tuple[float, float]:
    """The frame of a letter in a square: the first row and the one after the last."""
    rows = np.flatnonzero(ink.max(1) > _FAINT)
    columns = np.flatnonzero(ink.max(0) > _FAINT)
    if not len(rows):
        return 0.0, 0.0
    middle = (rows[0] + rows[-1] + 1) / 2
    half = max(rows[-1] + 1 - rows[0], columns[-1] + 1 - columns[0]) / 2
    return middle - half, middle + half


@lru_cache(maxsize=4096)
def own_sketches(letter: str, script: Script) -> NDArray[np.float64]:
    """Sketches (one per row) of ``letter`` drawn with the bundled fonts; with a baseline, also slanted, as a
    full-height capital, and as a small capital.
    """
    forms = [(letter, script.x[:1])]
    capital = letter.upper()
    if script.x and len(capital) == 1:
        forms += [(capital, script.x[0]), (capital, script.x[1])]
    slants = (0.0, _SLANT) if script.x else (0.0,)
    some = (_drawn(face, form, x, slant) for face in script.faces for form, x in forms for slant in slants)
    return np.array([one for one in some if one is not None]).reshape(-1, ROWS * COLUMNS)


@lru_cache(maxsize=16)
def other_sketches(script: Script) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """The sketches (one per row) of ``script.some``, and the rows at which those of each letter begin."""
    each = [own_sketches(letter, script) for letter in script.some]
    return np.concatenate(each), np.cumsum([0, *map(len, each[:-1])])


@lru_cache(maxsize=8)
def _face(name: str) -> Any:
    from PIL import ImageFont

    return ImageFont.truetype(str(resource("fonts", name)), _SIZE, layout_engine=ImageFont.Layout.BASIC)


def _drawn(face: str, letter: str, x: str, slant: float) -> Sketch | None:
    """The sketch of a letter in a frame for the given x-height, or in a square if ``x`` is empty."""
    from PIL import Image

    font = _face(face)
    mask, (_, up) = font.getmask2(letter, "L", anchor="ls")
    width, height = mask.size
    if not (width and height):
        return None
    picture = Image.frombytes("L", (width, height), bytes(mask))
    if slant:
        wide = width + int(slant * height) + 1
        shear = (1, slant, -slant * height, 0, 1, 0)
        picture = picture.transform((wide, height), Image.Transform.AFFINE, shear, Image.Resampling.BILINEAR)
    ink = np.asarray(picture) / 255
    if not x:
        return sketch(ink, *framed(ink))
    high = -font.getbbox(x, anchor="ls")[1]
    return sketch(ink, -up - ABOVE * high, -up + BELOW * high)
