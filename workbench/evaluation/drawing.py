"""Figures as SVG, PNG and PDF, drawn by matplotlib with the bundled fonts; loaded only where one is drawn."""

from __future__ import annotations

import io
import os
from functools import cache
from typing import TYPE_CHECKING, Any

from workbench.base.resources import cache_dir, resource
from workbench.evaluation.figures import Axis, Figure, Series

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FORMATS = ("svg", "png", "pdf")
SIZE = (7.2, 4.4)
"""Inches."""
DPI = 200
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000")
"""Okabe and Ito's colours, told apart with any colour vision; line styles and markers are the second cue."""
_DASHES: tuple[Any, ...] = ("-", (0, (5, 2)), (0, (1, 1.5)), (0, (5, 1.5, 1, 1.5)))
_MARKERS = ("o", "s", "^", "D", "v", "x", "P")
_REFERENCE_MARKERS = ("+", "1", "2", "x", "3", "4")
_FONTS = ("PalimpsestUI-Regular.otf", "PalimpsestSansJP.otf", "PalimpsestSansSC.otf")
_MANY_POINTS = 40
_LONG_LEGEND = 3
"""Entries beyond which the legend stands beside the chart instead of over its lines."""
_WIDER = 0.7
"""Points by which a line is wider than the one drawn after it, so that lines that coincide are still told apart."""


def draw(figure: Figure, kind: str) -> bytes:
    """The figure as ``svg``, ``png`` or ``pdf``, the same bytes for the same figure. Raises ValueError for others."""
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
        # What a file in the current folder sets does not count: it may be a stranger's.
        rcdefaults()
        rcParams.update(style)
        canvas = Canvas(figsize=SIZE, layout="constrained")
        {"svg": FigureCanvasSVG, "pdf": FigureCanvasPdf, "png": FigureCanvasAgg}[kind](canvas)
        axes = canvas.add_subplot()
        axes.set_title(figure.title, fontsize=11, loc="left")
        for number, series in enumerate(figure.reference):
            _draw_reference(axes, series, number)
        for number, series in enumerate(figure.series):
            _draw(axes, series, number, len(figure.series) - 1 - number)
        _arrange(axes, figure)
        out = io.BytesIO()
        metadata = {
            "svg": {"Date": None, "Creator": None},
            "pdf": {"CreationDate": None, "Creator": None, "Producer": None},
            "png": {"Software": None},
        }[kind]
        canvas.savefig(out, format=kind, dpi=DPI, metadata=metadata)
    return out.getvalue()


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


def _draw(axes: Axes, series: Series, number: int, after: int) -> None:
    """Draw the series of this ``number``, ``after`` which so many others are drawn over it."""
    colour = COLOURS[number % len(COLOURS)]
    dashes, marker = _DASHES[number % len(_DASHES)], _MARKERS[number % len(_MARKERS)]
    if series.style == "bars":
        axes.stairs(series.y, series.x, label=series.name, color=colour, fill=True, alpha=0.35)
        axes.stairs(series.y, series.x, color=colour, linestyle=dashes, linewidth=1.4)
        return
    if series.style == "points":
        axes.plot(
            series.x, series.y, label=series.name, color=colour, linestyle="", marker=marker, markersize=3.5 + after
        )
    else:
        steps = "steps-post" if series.style == "steps" else "default"
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
        axes.fill_between(series.x, low, high, color=colour, alpha=0.15, linewidth=0)


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
    axes.set_xlim(*_limits(figure.x))
    axes.set_ylim(*_limits(figure.y))
    entries = len(figure.series) + len(figure.reference)
    if entries > _LONG_LEGEND:
        axes.legend(fontsize=8, loc="upper left", bbox_to_anchor=(1.01, 1.0), borderaxespad=0.0)
    elif entries > 1:
        axes.legend(fontsize=9)
    if figure.notes:
        axes.annotate(
            "\n".join(figure.notes),
            (0, 0),
            (0, -42),
            xycoords="axes fraction",
            textcoords="offset points",
            va="top",
            fontsize=7.5,
            color="#555555",
        )


def _make_logarithmic(axis: Any) -> None:
    """A logarithmic scale whose powers of ten are written out; matplotlib's own labels need its formulas."""
    from matplotlib.ticker import FuncFormatter, NullFormatter

    (axis.axes.set_xscale if axis.axis_name == "x" else axis.axes.set_yscale)("log")
    axis.set_major_formatter(FuncFormatter(lambda value, _place: f"{value:,g}" if value < 1 else f"{value:,.0f}"))
    axis.set_minor_formatter(NullFormatter())


def _limits(axis: Axis) -> tuple[float | None, float | None]:
    return axis.low, axis.high
