"""Names of the yes/no features of a leaf block, in the order of their bits, with their thresholds."""

from __future__ import annotations

import re
from functools import lru_cache

from workbench.base.types import BlockKind
from workbench.text.markup.hints import GROUPS, TAG_BITS, TAGS

_WORDS = {
    "related": "related recommended trending latest popular more 相关 相關 延伸 推荐 推薦 热门 熱門 "
    "排行 最新 猜你 往期 専題 专题 関連 人気 新着 一覧 最近",
    "credit": "by source published updated posted author editor written photo credit 责编 責編 编辑 "
    "編輯 来源 來源 作者 记者 記者 稿源 发布 發布 发表 發表 时间 時間 更新 投稿 出典 著者 "
    "執筆 公開",
    "comments": "comment comments reply replies respond responses 评论 評論 回复 回覆 留言 跟帖 网友 "
    "網友 楼主 返信 感想",
    "action": "share tweet print email subscribe register login sign follow search home next previous "
    "back close click download bookmark 分享 打印 列印 转发 轉發 收藏 关闭 關閉 返回 上一 "
    "下一 登录 登錄 注册 註冊 搜索 首页 首頁 更多 点击 點擊 加入 投票 举报 下载 印刷 前へ "
    "次へ 前の 次の 検索 戻る 続き 会員 登録 共有",
    "rights": "copyright rights reserved privacy terms cookies policy 版权 版權 著作 转载 轉載 无断 "
    "無断 転載 声明 聲明 免责 免責 备案 规约 規約",
}
LABELS = tuple(_WORDS)
"""The distinguished groups of words, in the order of their bits."""

WORDS = {word: 1 << at for at, words in enumerate(_WORDS.values()) for word in words.split()}
"""The bit of each word."""
_PIECE = re.compile("[a-z]+|[\u3040-\u30ff\u3400-\u9fff]{2,}")


@lru_cache(maxsize=1 << 12)
def says(line: str) -> int:
    """The groups of words in a short ``line``, one bit each in the order of :data:`LABELS`.

    The plain reference for :mod:`workbench.kernels.pages.features`.
    """
    pieces = _PIECE.findall(line.lower())
    if line.isascii() and WORDS.keys().isdisjoint(pieces):
        return 0
    bits = 0
    for piece in pieces:
        if piece[0] <= "z":
            bits |= WORDS.get(piece, 0)
        else:
            for at in range(len(piece) - 1):
                bits |= WORDS.get(piece[at : at + 2], 0)
    return bits


_AROUND_TAGS = ("nav", "header", "footer", "aside", "form", "article", "main", "section", "table", "ul", "dl", "figure",
                "blockquote", "details", "address", "li")  # fmt: skip
LENGTHS = (12, 25, 50, 100, 200, 400)
SHARES = (0.01, 0.2, 0.5, 0.9)
_NEIGHBOUR = ("linked", "prose", "same", "short")
OF_ARTICLES = (
    "page", "around:comments", "around:message", "around:related", "around:sidebar", "around:caption", "in:aside",
    "in:ul", "in:footer", "in:figure", "after-prose", "before-prose", "outside-main", "linked:0.5", "length:100",
)  # fmt: skip
OF_CJK = (
    "page",
    "prose",
    "ends:stop",
    "has:stop",
    "has:comma",
    "length:50",
    "length:100",
    "linked:0.5",
    "tag:td",
    "tag:p",
    "tag:div",
    "has:date",
    "has:bars",
    "in:table",
    "in:ul",
    "after-prose",
    "before-prose",
    "under:comments",
    "under:related",
    "previous:prose",
    "next:prose",
    "run:same",
)
WHOLE = 0.99
"""Share of the page's text from which an element is a layout frame or a form, and so distinguishes nothing."""

MAIN = {"main:85": 0.85, "main:60": 0.6, "main:40": 0.4}

NAMES: tuple[str, ...] = (
    *(f"near:{g}" for g in GROUPS),
    *(f"around:{g}" for g in GROUPS),
    *(f"in:{t}" for t in _AROUND_TAGS),
    *(f"tag:{t}" for t in TAGS),
    "parent:linked", "grandparent:linked", "parent:prose", "grandparent:prose", "parent:many-short",
    *MAIN,
    *(f"length:{n}" for n in LENGTHS),
    *(f"linked:{s}" for s in SHARES),
    *(f"inline:{g}" for g in GROUPS),
    "links:3", "ends:stop", "has:stop", "has:stops", "has:comma", "has:commas", "ends:colon", "has:date",
    "has:copyright",
    "digits", "has:bars", "capitals", "emphasised", "in-title", "is-title", "repeated", "lines",
    *(f"previous:{n}" for n in _NEIGHBOUR),
    *(f"next:{n}" for n in _NEIGHBOUR),
    "before-prose", "after-prose", "first-tenth", "last-tenth", "last-third", "run:same", "prose",
    "page:prose-rare", "comments-on-prose", "later-article", "later-article-of-article", "before-h1", "has-h1",
    *(f"article:{n}" for n in OF_ARTICLES),
    *(f"says:{g}" for g in LABELS),
    *(f"brief:{g}" for g in LABELS),
    "under:related", "under:comments",
    *(f"cjk:{n}" for n in OF_CJK),
)  # fmt: skip
INDEX = {name: at for at, name in enumerate(NAMES)}
BIT = {name: 1 << at for at, name in enumerate(NAMES)}

IN = {t: f"in:{t}" for t in _AROUND_TAGS}
IN |= {"ol": IN["ul"], "menu": IN["ul"], "fieldset": IN["form"], "dialog": IN["form"]}
"""The feature of everything inside a tag."""

TAG = {tag: f"tag:{TAGS[bit.bit_length() - 1]}" for tag, bit in TAG_BITS.items()}
"""The feature of a block whose element has a tag."""

HEADING = BlockKind.HEADING
CLOSING = "\"'”’」』）)]"
"""Characters allowed between the end of a sentence and the end of its block."""
COMMAS = ",，、;；"
BARS = "|｜»›>·•/"
