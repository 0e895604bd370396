"""Figures as SVG, PNG and PDF, drawn by matplotlib with the bundled fonts; loaded only to draw one."""

from __future__ import annotations

import io
import os
import re
from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Any
from unicodedata import east_asian_width

from workbench.base.resources import cache_dir, resource
from workbench.evaluation.figures import Axis, Figure, Series

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Canvas

FORMATS = ("svg", "png", "pdf")
SIZE = (7.2, 4.4)
"""Inches; long legends and notes add to the height."""
DPI = 200
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000")
"""Okabe and Ito's colours, distinguishable with any colour vision; line styles and markers are the second cue."""
_DASHES: tuple[Any, ...] = ("-", (0, (5, 2)), (0, (1, 1.5)), (0, (5, 1.5, 1, 1.5)))
_MARKERS = ("o", "s", "^", "D", "v", "x", "P")
_REFERENCE_MARKERS = ("+", "1", "2", "x", "3", "4")
_FONTS = ("PalimpsestUI-Regular.otf", "PalimpsestSansJP.otf", "PalimpsestSansSC.otf")
_MANY_POINTS = 40
_LONG_LEGEND = 3
"""Number of entries beyond which the legend is placed above the chart instead of on it."""
_LEGEND_COLUMNS = 112
"""Width of a line of that legend, in narrow characters; the symbol of an entry counts as nine."""
_SIGN = 9
_LINE = 0.155
"""Height of a line of the legend or of the notes, in inches."""
_EDGE, _ABOVE = 0.12, 0.55
"""Margins around pages, and above them for titles, in inches."""
_USUAL_LINES = 3
"""Number of lines that fit the usual height."""
_NOTE_COLUMNS = 116
"""Width of a line of the notes, in narrow characters."""
_PIECE = re.compile(r"[\u2e80-\uffef](?:[、。，．：；）」』])*|[^\s\u2e80-\uffef]+\s*|\s+")
"""An unbreakable unit: a wide character with marks that must not begin a line, or a word with the following space."""
_FEW_POWERS = 1000
"""Ratio of the highest to the lowest value below which powers of ten alone are too few ticks."""
_LONG_NUMBER = 1e6
"""Powers of ten from here are written as 1e6."""
_LONGEST_NUMBER = 1e12
"""Numbers from here on are never written out."""
_BAND = 0.15
"""Opacity of an interval's band."""
_WIDER = 0.7
"""Points by which a line is wider than the one drawn after it, so that coincident lines remain distinguishable."""


def draw(figure: Figure, kind: str) -> bytes:
    """The figure as ``svg``, ``png`` or ``pdf``, reproducible byte for byte. Raises ValueError for other formats."""
    if kind not in FORMATS:
        raise ValueError(f"{kind} is none of {', '.join(FORMATS)}")
    # matplotlib keeps its font list in a folder of its own otherwise.
    os.environ.setdefault("MPLCONFIGDIR", str(cache_dir() / "matplotlib"))
    from matplotlib import rc_context, rcdefaults, rcParams
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.backends.backend_pdf import FigureCanvasPdf
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure as Canvas

    style: Any = {
        "font.family": list(_families()),
        "font.size": 10,
        "text.parse_math": False,
        "svg.hashsalt": "palimpsest",
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.grid": True,
        "grid.color": "#dddddd",
        "grid.linewidth": 0.6,
        "axes.axisbelow": True,
        "legend.edgecolor": "none",
    }
    with rc_context():
        # Settings files in the current folder are ignored: they may be a stranger's.
        rcdefaults()
        rcParams.update(style)
        notes = [line for note in figure.notes for line in _wrapped(note)]
        charted = not figure.pages
        entries = [series.name for series in (*figure.series, *figure.reference)] if charted else []
        columns = _legend_columns(entries)
        above = -(-len(entries) // columns) if len(entries) > _LONG_LEGEND else 0
        height = SIZE[1] + _LINE * max(0, len(notes) + above - _USUAL_LINES)
        canvas = Canvas(figsize=(SIZE[0], height), layout="constrained" if charted else None)
        {"svg": FigureCanvasSVG, "pdf": FigureCanvasPdf, "png": FigureCanvasAgg}[kind](canvas)
        if charted:
            _draw_chart(canvas.add_subplot(), figure, notes, columns, above=above)
            canvas.suptitle(figure.title, fontsize=11, x=0.01, ha="left")
        else:
            _draw_pages(canvas, figure, notes)
        out = io.BytesIO()
        metadata = {
            "svg": {"Date": None, "Creator": None},
            "pdf": {"CreationDate": None, "Creator": None, "Producer": None},
            "png": {"Software": None},
        }[kind]
        canvas.savefig(out, format=kind, dpi=DPI, metadata=metadata)
    return out.getvalue()


def _draw_chart(axes: Axes, figure: Figure, notes: Sequence[str], columns: int, *, above: int) -> None:
    """Draw the series; ``above`` is the number of lines of a legend above the chart; 0: the legend is on the chart."""
    for number, series in enumerate(figure.reference):
        _draw_reference(axes, series, number)
    # Overlapping bands stay transparent together.
    shade = min(_BAND, 2 * _BAND / max(1, sum(bool(series.band) for series in figure.series)))
    for number, series in enumerate(figure.series):
        _draw(axes, series, number, len(figure.series) - 1 - number, shade)
    _arrange(axes, figure)
    if above:
        axes.legend(fontsize=8, loc="lower left", bbox_to_anchor=(0.0, 1.0), borderaxespad=0.2, ncols=columns)
    elif len(figure.series) + len(figure.reference) > 1:
        axes.legend(fontsize=9)
    _write_notes(axes, notes)


def _draw_pages(canvas: Canvas, figure: Figure, notes: Sequence[str]) -> None:
    """Draw the pages of a figure side by side in one scale, on a canvas of the height they need."""
    from matplotlib.image import imread

    pictures = [imread(io.BytesIO(page.data), format="png") for page in figure.pages]
    across = sum(picture.shape[1] for picture in pictures)
    inch = (SIZE[0] - _EDGE * (len(pictures) + 1)) / across
    below = _EDGE + _LINE * len(notes)
    tallest = max(picture.shape[0] for picture in pictures) * inch
    height = _ABOVE + tallest + below
    canvas.set_size_inches(SIZE[0], height)
    canvas.text(0.01, 1 - 0.1 / height, figure.title, fontsize=11, va="top")
    left = _EDGE
    for page, picture in zip(figure.pages, pictures, strict=True):
        width, high = picture.shape[1] * inch, picture.shape[0] * inch
        bottom = below + tallest - high
        axes = canvas.add_axes((left / SIZE[0], bottom / height, width / SIZE[0], high / height))
        axes.imshow(picture, aspect="auto", interpolation="antialiased")
        axes.set(xticks=[], yticks=[])
        axes.spines[:].set(visible=True, color="#999999", linewidth=0.6)
        columns = int(_NOTE_COLUMNS * width / SIZE[0])
        axes.set_title(_wrapped(page.title, columns)[0], fontsize=8, loc="left", pad=3)
        left += width + _EDGE
    canvas.text(_EDGE / SIZE[0], below / height, "\n".join(notes), fontsize=7.5, color="#555555", va="top")


@cache
def _families() -> tuple[str, ...]:
    """Names of the bundled fonts, Latin first; text in other scripts falls through to the next."""
    from matplotlib import font_manager

    names = []
    for file in _FONTS:
        path = str(resource("fonts", file))
        font_manager.fontManager.addfont(path)
        names.append(font_manager.FontProperties(fname=path).get_name())
    return tuple(names)


def _draw(axes: Axes, series: Series, number: int, after: int, shade: float) -> None:
    """Draw the series of this ``number``, with ``after`` series drawn over it; ``shade`` is the opacity of its band."""
    colour = COLOURS[number % len(COLOURS)]
    dashes, marker = _DASHES[number % len(_DASHES)], _MARKERS[number % len(_MARKERS)]
    if series.style == "bars":
        axes.stairs(series.y, series.x, label=series.name, color=colour, fill=True, alpha=0.35)
        axes.stairs(series.y, series.x, color=colour, linestyle=dashes, linewidth=1.4)
        return
    if series.style == "points":
        # Points that are drawn over are rings, so that coincident points are both visible.
        axes.plot(
            series.x,
            series.y,
            label=series.name,
            color=colour,
            linestyle="",
            marker=marker,
            markersize=3.5 + 2 * after,
            markerfacecolor="none" if after else colour,
        )
    else:
        steps = "steps-pre" if series.style == "steps" else "default"
        few = len(series.x) <= _MANY_POINTS
        axes.plot(
            series.x,
            series.y,
            label=series.name,
            color=colour,
            linestyle=dashes,
            linewidth=1.6 + _WIDER * after,
            marker=marker if few else "",
            markersize=4.5 + _WIDER * after,
            drawstyle=steps,
        )
    if series.band:
        low, high = zip(*series.band, strict=True)
        axes.fill_between(series.x, low, high, color=colour, alpha=shade, linewidth=0)


def _draw_reference(axes: Axes, series: Series, number: int) -> None:
    line = "" if series.style == "points" else ":"
    marker = _REFERENCE_MARKERS[number % len(_REFERENCE_MARKERS)]
    axes.plot(series.x, series.y, label=series.name, color="#999999", linestyle=line, marker=marker, linewidth=1.2)


def _arrange(axes: Axes, figure: Figure) -> None:
    axes.set_xlabel(figure.x.title)
    axes.set_ylabel(figure.y.title)
    for axis, scaled in ((axes.xaxis, figure.x.log), (axes.yaxis, figure.y.log)):
        if scaled:
            _make_logarithmic(axis)
        else:
            axis.set_major_formatter(_separated())
    axes.set_xlim(*_limits(figure.x))
    axes.set_ylim(*_limits(figure.y))


def _legend_columns(entries: Sequence[str]) -> int:
    """Number of columns at which a legend above the chart is as wide as the chart."""
    widest = max((_columns(name) for name in entries), default=0)
    return max(1, min(len(entries), _LEGEND_COLUMNS // (widest + _SIGN)))


def _write_notes(axes: Axes, lines: Sequence[str]) -> None:
    """Write ``lines`` under the chart."""
    axes.annotate(
        "\n".join(lines),
        (0, 0),
        (0, -42),
        xycoords="axes fraction",
        textcoords="offset points",
        va="top",
        fontsize=7.5,
        color="#555555",
    )


def _columns(text: str) -> int:
    """Width of ``text`` in narrow characters."""
    return sum(2 if east_asian_width(c) in "WF" else 1 for c in text)


def _wrapped(note: str, columns: int = _NOTE_COLUMNS) -> list[str]:
    """``note`` in lines that fit under the chart: broken at spaces, or after any character of a script without them."""
    lines, width = [""], 0
    for piece in _PIECE.findall(note):
        size = _columns(piece)
        if width + size > columns and lines[-1]:
            lines.append("")
            width = 0
        lines[-1] += piece
        width += size
    return [line.strip() for line in lines]


def _make_logarithmic(axis: Any) -> None:
    """A logarithmic scale with powers of ten written out (on a short scale also 2 and 5 times these); matplotlib's
    labels would need its math mode.
    """
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    (axis.axes.set_xscale if axis.axis_name == "x" else axis.axes.set_yscale)("log")
    low, high = axis.get_data_interval()
    if high < _FEW_POWERS * low:
        axis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axis.set_major_formatter(FuncFormatter(lambda value, _place: _power(value)))
    axis.set_minor_formatter(NullFormatter())


def _separated() -> Any:
    """A formatter for plain numbers, with thousands separated as everywhere in the program."""
    from matplotlib.ticker import ScalarFormatter

    class Separated(ScalarFormatter):
        def __call__(self, x: float, pos: int | None = None) -> str:
            whole = 1000 <= abs(x) < _LONGEST_NUMBER and x == round(x)
            return f"{x:,.0f}" if whole else f"{x:g}" if abs(x) >= _LONGEST_NUMBER else super().__call__(x, pos)

    return Separated(useOffset=False)


def _power(value: float) -> str:
    """A value of a logarithmic axis, written out if short; the bundled fonts have no superscript digits."""
    if value < 1:
        return f"{value:,g}"
    return f"{value:,.0f}" if value < _LONG_NUMBER else f"{value:g}".replace("e+0", "e").replace("e+", "e")


def _limits(axis: Axis) -> tuple[float | None, float | None]:
    return axis.low, axis.high
