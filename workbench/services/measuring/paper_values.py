"""The papers' own values of their figures and tables, as a reference for the values from a project's data.

Sources: Sakurai, Matsuo and Kikui 2009, section 6; Takeda and Takasu 2009, tables 3 to 6; Huang, Wang and Li 2007,
sections 5.2 to 5.4; Kang 2009, sections 4.2 and 6.
"""

from __future__ import annotations

from dataclasses import dataclass

from workbench.base.messages import Message
from workbench.evaluation.figures import Cell, Series, Table

_RATES = (Message("precision"), Message("recall"), "F")
LENGTHS = (1, 3, 5, 7, 10, 12, 15, 20, 25)
_BEST = {
    Message("labelled entries"): (
        (1600, 1150, 540, 200, 40, 19, 9.3, 0.01, 0.01),
        (0.525, 0.524, 0.546, 0.601, 0.688, 0.748, 0.752, 0.735, 0.816),
        (0.524, 0.529, 0.545, 0.592, 0.699, 0.682, 0.648, 0.648, 0.558),
        (0.524, 0.526, 0.546, 0.596, 0.693, 0.713, 0.696, 0.689, 0.663),
    ),
    Message("unlabelled entries"): (
        (1630, 1250, 410, 165, 65, 29, 10.5, 8.5, 0.01),
        (0.521, 0.524, 0.572, 0.645, 0.718, 0.733, 0.743, 0.730, 0.809),
        (0.523, 0.529, 0.578, 0.648, 0.703, 0.729, 0.722, 0.704, 0.639),
        (0.522, 0.526, 0.575, 0.646, 0.710, 0.731, 0.732, 0.717, 0.714),
    ),
    Message("search"): (
        (1480, 1265, 650, 180, 69, 29, 13, 7, 0.01),
        (0.529, 0.520, 0.549, 0.650, 0.718, 0.731, 0.735, 0.724, 0.809),
        (0.529, 0.515, 0.556, 0.645, 0.711, 0.740, 0.746, 0.731, 0.658),
        (0.529, 0.517, 0.553, 0.648, 0.715, 0.736, 0.740, 0.727, 0.726),
    ),
    Message("unlabelled and search"): (
        (1400, 1115, 800, 385, 107, 50, 21.2, 10.8, 0.01),
        (0.511, 0.516, 0.534, 0.601, 0.711, 0.745, 0.757, 0.792, 0.772),
        (0.514, 0.514, 0.547, 0.602, 0.713, 0.740, 0.751, 0.711, 0.731),
        (0.513, 0.515, 0.541, 0.601, 0.712, 0.743, 0.754, 0.750, 0.751),
    ),
}
_TABLE_4: tuple[tuple[float, float, float, float], ...] = (
    (900.0, 0.993, 0.033, 0.064),
    (300.0, 0.952, 0.177, 0.299),
    (100.0, 0.928, 0.506, 0.655),
    (50.0, 0.880, 0.648, 0.746),
    (30.0, 0.813, 0.722, 0.765),
    (21.2, 0.757, 0.751, 0.754),
    (15.0, 0.697, 0.791, 0.741),
    (10.0, 0.560, 0.860, 0.679),
    (1.0, 0.541, 0.871, 0.668),
)
_TABLE_6: tuple[tuple[int, float, float, float], ...] = (
    (100, 0.997, 0.0823, 0.152),
    (110, 0.993, 0.0907, 0.166),
    (120, 0.993, 0.0907, 0.166),
    (130, 0.993, 0.0963, 0.175),
    (140, 0.921, 0.121, 0.214),
    (150, 0.563, 0.211, 0.306),
    (160, 0.543, 0.313, 0.398),
    (170, 0.508, 0.353, 0.417),
    (180, 0.468, 0.387, 0.424),
    (190, 0.422, 0.415, 0.418),
    (200, 0.397, 0.452, 0.423),
    (220, 0.366, 0.463, 0.409),
    (240, 0.337, 0.498, 0.402),
    (260, 0.306, 0.545, 0.391),
    (280, 0.285, 0.596, 0.386),
    (300, 0.267, 0.637, 0.376),
    (320, 0.258, 0.700, 0.377),
    (350, 0.250, 0.792, 0.380),
    (400, 0.244, 0.901, 0.391),
)
_TABLE_3 = (
    ("livedoor Blog", 2208, 936), ("goo ブログ", 1297, 119), ("LOVELOG", 68, 8), ("Yahoo!ブログ", 1935, 59),
    ("アメーバブログ", 4029, 306), ("JUGEM", 1144, 523), ("ココログ", 713, 341), ("FC2 ブログ", 762, 1155),
    ("ヤプログ!", 1616, 40), ("Seesaa ブログ", 148, 1065), ("はてなダイアリー", 273, 14), ("ウェブリブログ", 325, 19),
    ("teacup. ブログ", 484, 48), ("So-net blog", 244, 93), ("忍者ブログ", 447, 41), ("ドリコムブログ", 45, 0),
    ("楽天広場", 950, 98), ("AOL ダイアリー", 44, 1), ("Iza!", 61, 5), ("CURURU", 3, 0), ("Cnet", 1, 0),
    (Message("all"), 16797, 4871),
)  # fmt: skip
"""Provider, blogs, splogs."""
_TABLE_1 = (
    (5, 18, "うう～～～"),
    (5, 10062, "プチトマト"),
    (5, 81200, "こんにちは"),
    (10, 15072, "ごちそうさまでした．"),
    (10, 152790, "このページの TOP へ"),
    (20, 9, "m i x i の更新情報をまとめて見るツール．"),
    (20, 100, "ルイジ・グロンバール選手，G F 3 8 に加入"),
    (20, 1001, "プロフィールを作って，メールを送るだけ！"),
    (50, 3, "むしろ「開始直後というのは，夜間開催で生じる影響，異様さを住民が実感するチャンス」と見る向きもある．"),
    (50, 9, "そのまま王選手のペースかと思いきや，山本選手が冷静にカットを攻め好試合となるが，最後は王選手に軍配．"),
    (50, 100, "よくある質問集にある Q & A を読んでも問題が解決しない場合は，こちらのページからお問い合わせください．"),
)
"""Characters, documents of the Web, sentence."""
_ENTRIES = Message("The paper has 21,668 labelled Japanese blog entries; these are other texts, so values differ.")
_PAGES = Message(
    "The paper judges pages from a collection of 430 million Chinese ones by hand; these are other pages, so "
    "values differ."
)


@dataclass(frozen=True, slots=True)
class Reference:
    """The paper's values: lines of a figure, or a table; and the differences of this program."""

    series: tuple[Series, ...] = ()
    table: Table | None = None
    notes: tuple[Message, ...] = ()


def paper_values(figure: str) -> Reference | None:
    """The paper's values of the figure called ``figure``; None if the paper prints no numbers, or there is none."""
    return _ALL.get(figure)


def _best_lines() -> tuple[Series, ...]:
    lengths = tuple(map(float, LENGTHS))
    return tuple(Series(Message("paper, {line}", line=corpus), lengths, values[3]) for corpus, values in _BEST.items())


def _best_table() -> Table:
    rows = tuple(
        (corpus, length, *(column[at] for column in values))
        for corpus, values in _BEST.items()
        for at, length in enumerate(LENGTHS)
    )
    return Table("Takeda and Takasu 2009, table 5", (Message("corpus"), "l", Message("threshold"), *_RATES), rows)


def _figures(title: str, rows: tuple[tuple[Cell, ...], ...], first: str) -> Table:
    return Table(title, (first, *_RATES), rows)


_BLOGS = Message(
    "The paper has about 20 million Japanese articles and blog entries, 4 GB and an Intel Xeon E3070; it "
    "reports only the figures at that size."
)


def _providers() -> Table:
    columns = (Message("provider"), Message("labelled"), Message("splogs"), Message("share"))
    rows = tuple((name, blogs + splogs, splogs, splogs / (blogs + splogs)) for name, blogs, splogs in _TABLE_3)
    return Table("Takeda and Takasu 2009, table 3", columns, rows)


_ALL = {
    "digest-quality": Reference(
        table=Table(
            "Sakurai, Matsuo and Kikui 2009, sections 6.2 and 6.3",
            (Message("rate"), Message("right"), Message("documents"), Message("value")),
            ((Message("precision"), 374, 378, 374 / 378), (Message("recall"), 66, 82, 66 / 82)),
        ),
        notes=(Message("The paper looks for Wikipedia articles in blog entries and judges by eye."),),
    ),
    "sites": Reference(table=_providers(), notes=(_ENTRIES,)),
    "sentences": Reference(
        table=Table(
            "Kang 2009, table 1",
            (Message("characters"), Message("documents"), Message("example")),
            tuple((str(length), documents, sentence) for length, documents, sentence in _TABLE_1),
        ),
        notes=(Message("The thesis counts sentences of 100 million Japanese pages of 2007."),),
    ),
    "scale-memory": Reference((Series(Message("paper"), (20e6,), (4_000.0,), "points"),), notes=(_BLOGS,)),
    "scale-speed": Reference((Series(Message("paper"), (20e6,), (8.4,), "points"),), notes=(_BLOGS,)),
    "scale": Reference(
        # Thousands of pages; 5 days on 24 processes.
        (Series(Message("paper, 430 million pages"), (430e3,), (5.0 * 24 * 24,), "points"),),
        notes=(Message("The paper took 5 days on 24 processes of 2007, including reading."),),
    ),
    "f-by-length": Reference(_best_lines(), notes=(_ENTRIES,)),
    "best-by-length": Reference(table=_best_table(), notes=(_ENTRIES,)),
    "thresholds": Reference(
        table=_figures("Takeda and Takasu 2009, table 4 (l = 15)", _TABLE_4, Message("threshold")),
        notes=(
            _ENTRIES,
            Message("The paper's grid has its best F at 30, but calls 21.2 the best; here every score is tried."),
        ),
    ),
    "precision-recall": Reference(
        (
            Series(
                Message("paper, copied strings (table 4)"),
                tuple(row[2] for row in _TABLE_4),
                tuple(row[1] for row in _TABLE_4),
                "points",
            ),
            Series(
                Message("paper, templates (table 6)"),
                tuple(float(recall) for _, _, recall, _ in _TABLE_6),
                tuple(float(precision) for _, precision, _, _ in _TABLE_6),
                "points",
            ),
        ),
        notes=(_ENTRIES,),
    ),
    "templates": Reference(
        table=_figures("Takeda and Takasu 2009, table 6", _TABLE_6, Message("templates")), notes=(_ENTRIES,)
    ),
    "window": Reference(
        (
            Series(Message("paper, strain-away rate"), (3.0, 8.0), (0.8, 0.87), "points"),
            Series(Message("paper, reserved rate"), (8.0,), (0.975,), "points"),
        ),
        notes=(_PAGES, Message("The paper counts bytes of GBK, two of which are a character.")),
    ),
    "slope": Reference(
        (Series(Message("paper, at recall 0.90"), (0.10, 0.20), (0.948, 0.93), "points"),),
        notes=(_PAGES, Message("The paper gives the value at 0.20 as about 0.93.")),
    ),
    "projected-scale": Reference(
        (
            Series(Message("thesis, sentences"), (1e8,), (6e9,), "points"),
            Series(Message("thesis, pairs"), (1e8,), (1.8e8,), "points"),
            Series(Message("thesis, pages in a pair"), (1e8,), (5.6e7,), "points"),
        ),
        notes=(Message("The thesis has 100 million Japanese pages of 2007; these are other pages, so values differ."),),
    ),
    "pairs": Reference(
        table=Table(
            "Huang, Wang and Li 2007, section 5.4",
            (Message("method"), Message("pairs"), Message("precision")),
            (
                ("trustable-lcs", Message("all"), 0.95),
                ("simhash", Message("all"), 0.72),
                ("trustable-lcs", Message("same site"), 0.91),
                ("simhash", Message("same site"), 0.52),
            ),
        ),
        notes=(
            _PAGES,
            Message("The paper could not measure recall; it gives the ratio of the two methods' recall as 1.86."),
        ),
    ),
}
