"""Words of short lines around an article in English, Japanese and Chinese: credits, related pages, calls to action."""

from __future__ import annotations

import re
from functools import lru_cache

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
"""The groups of words that are distinguished, in the order of their bits."""

WORDS = {word: 1 << at for at, words in enumerate(_WORDS.values()) for word in words.split()}
"""The bit of each word."""
_PIECE = re.compile("[a-z]+|[\u3040-\u30ff\u3400-\u9fff]{2,}")


@lru_cache(maxsize=1 << 12)
def says(line: str) -> int:
    """The groups of words in a short ``line``, one bit each in the order of :data:`LABELS`.

    The plain reference of what :mod:`workbench.kernels.pages.features` does.
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
