"""Sixty documents with quotations, reference lists and notes at known places: thesis, news and blog in three languages.

Each is put together from sentences below, by number, so that it is the same every time: as plain text or as a web page,
with marks of quotation or without (then nothing of it is a quotation), with and without lists. Beside them stand what
must not be taken for either: titles and terms in marks, apostrophes, inches, dialogue cut off, numbered steps, years.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from html import escape
from pathlib import Path

from workbench.base.types import Block, Span
from workbench.reading import formats
from workbench.reading.formats import Record, Source
from workbench.text.quotation import CitationKind, citations

GENRES = ("thesis", "news", "blog")
COUNT = 60


@dataclass(frozen=True)
class Language:
    marks: tuple[tuple[str, str], ...]
    prose: tuple[str, ...]
    traps: tuple[str, ...]
    leads: tuple[str, ...]
    quotes: tuple[str, ...]
    blocks: tuple[str, ...]
    headings: tuple[str, ...]
    references: tuple[tuple[str, ...], ...]
    note_headings: tuple[str, ...]
    notes: tuple[str, ...]
    after: str
    chapter: str
    indent: str


ENGLISH = Language(
    marks=(("“", "”"), ('"', '"'), ("‘", "’")),
    prose=(
        "The valley had been settled long before the road was built, and most of its mills stood on the lower river.",
        "Nobody knows how many of them were still at work when the survey of 1871 began.",
        "What the records show is a slow decline that no single cause explains.",
        "Wages rose in the towns, and the young left in numbers that the parish registers only hint at.",
        "The price of grain fell for eleven years in a row, which left the smaller millers without reserves.",
        "By the end of the decade the council had bought three of the buildings and let two of them decay.",
        "It is tempting to read the letters as complaints, but they are mostly requests for patience.",
        "A second flood, smaller than the first, took the weir and with it the last argument for repair.",
        "The museum opened in spring, and some four thousand people came in its first month.",
        "We walked the whole length of the race and found it dry except for a pool below the bridge.",
    ),
    traps=(
        "The so-called “water tax” was never a tax.",
        "It's the millers' own word, and it isn't ours; the children's games weren't recorded.",
        'The shaft was 5\'10" long and 12" across, not counting the bearing.',
        "His novel “The Dry Weir” sold badly.",
        "1. Open the sluice slowly.\n2. Wait until the wheel turns freely.\n3. Lower the stone by a finger's breadth.",
        "In 1871, 1884 and 1902 the river left its bed; in 1910 it did not.",
        "She said “no” and nothing more.",
        "The references to earlier work in this chapter are few, and the notes are short.",
    ),
    leads=(
        "The clerk wrote:",
        "As one of the owners put it,",
        "The report states:",
        "In her words,",
        "He recalled that",
    ),
    quotes=(
        "we have neither the water nor the hands to grind what is brought to us",
        "the wheel has stood still since Martinmas and will not turn again in my time",
        "every stone that is taken from the weir is taken from the mouths of the parish",
        "no engineer who has seen the river in March would build so close to its bank",
        "my father kept two horses and I keep none, and that is all there is to say of it",
        "it was never a question of money but of who would stand in the cold to mend it",
        "the flour is better than any that comes by the railway, and twice as dear",
    ),
    blocks=(
        "I have looked over the whole of the works from the sluice to the tail race. The timber is sound above the "
        "water and rotten below it. I should not advise the parish to spend more than the cost of pulling it down.",
        "There was a time when you could hear the stones from the church. Now you hear the road. I do not say that it "
        "is worse, only that the one told you the hour and the other does not.",
        "The committee thanks Mr. Harrow for his patience. It regrets that the papers were not found, and it will pay "
        "for the survey out of the fund for bridges, provided that the bridge is mended first.",
    ),
    headings=("References", "Bibliography", "7. Works cited", "LITERATURE CITED"),
    references=(
        (
            "Harrow, J. (1998). Water and Labour in the Lower Valley. Leeds: Northern University Press.",
            "Ikeda, M., & Stone, R. (2004). Mills without millers. Journal of Rural History, vol. 12, pp. 33–58.",
            "Okafor, T. (2011). The last wheel. In: R. Stone (ed.), Rivers at Work. London: Weir Press, pp. 101–140.",
            "Petersen, L. (1987). A survey of weirs. https://example.org/weirs",
        ),
        (
            "[1] J. Harrow, Water and Labour in the Lower Valley, Northern University Press, 1998.",
            "[2] M. Ikeda and R. Stone, “Mills without millers”, Journal of Rural History, vol. 12, 2004, pp. 33–58.",
            "[3] T. Okafor, “The last wheel”, in Rivers at Work, Weir Press, 2011, pp. 101–140.",
            "[4] L. Petersen, A survey of weirs, doi 10.1000/182, 1987.",
        ),
    ),
    note_headings=("Notes", "Footnotes"),
    notes=(
        "1. The count leaves out mills that were taken down before the survey.",
        "2. On the spelling of the name see the parish register.",
        "3. The sum is given in the money of the day.",
    ),
    after="Acknowledgements",
    chapter="2. The decline",
    indent="      ",
)
JAPANESE = Language(
    marks=(("「", "」"), ("“", "”"), ("『", "』")),
    prose=(
        "谷に人が住みついたのは街道が通るよりはるか前のことで、水車の多くは下流に並んでいた。",
        "一八七一年の調査が始まったとき、そのうち何基が動いていたのかを知る者はいない。",
        "記録から読み取れるのは、ひとつの原因では説明のつかない緩やかな衰えである。",
        "町の賃金は上がり、若者たちは戸籍が示すよりもはるかに多く村を離れていった。",
        "穀物の値段は十一年のあいだ下がりつづけ、小さな水車小屋には蓄えが残らなかった。",
        "十年の終わりまでに村は三棟を買い取り、そのうち二棟は朽ちるにまかせた。",
        "手紙を不平として読みたくなるが、多くは猶予を願うものであった。",
        "二度目の洪水は一度目より小さかったが、堰を流し、修繕を唱える声も絶えた。",
        "春に開いた資料館には、最初の一か月で四千人ほどが訪れた。",
        "わたしたちは水路を端から端まで歩き、橋の下の淀みのほかには水がないことを確かめた。",
    ),
    traps=(
        "いわゆる「水税」は税ではなかった。",
        "小説『乾いた堰』は売れなかった。",
        "「いや」とだけ彼女は言った。",
        "1. 水門をゆっくり開ける。\n2. 水車が軽く回るまで待つ。\n3. 石を指一本分だけ下ろす。",
        "明治四年、十七年、三十五年に川は流れを変えたが、四十三年には変えなかった。",
        "『水と労働』と『最後の水車』は対照的な本である。",
        "先行研究への言及や注は本章では少ない。参考文献については巻末にゆずる。",
    ),
    leads=("書記はこう書いている。", "ある持ち主の言葉を借りれば、", "報告書には", "彼女によれば、", "当時を知る人は"),
    quotes=(
        "持ち込まれる麦を挽くだけの水も人手も、もはやわたしどもにはない",
        "水車は秋から止まったままで、わたしの代で再び回ることはあるまい",
        "堰から石をひとつ抜くたびに、村の者の口から飯が奪われるのだ",
        "三月の川を見た技師ならば、岸のこれほど近くに建てようとは思わない",
        "父は馬を二頭飼い、わたしは一頭も飼わない。それだけのことである",
        "金の話ではなかった。誰が寒さのなかに立って直すのかという話だった",
        "鉄道で来るどの粉よりもうまいが、値段は倍もする",
    ),
    blocks=(
        "水門から放水路までの一切を検分した。水面より上の木材は健全であるが、下は朽ちている。取り壊しの費用を超える"
        "支出を村に勧めることはできない。",
        "石の音が寺まで聞こえた時代があった。今聞こえるのは道路の音である。悪くなったとは言わない。ただ一方は時を告げ、"
        "もう一方は告げないというだけだ。",
        "委員会は播磨氏の忍耐に感謝する。書類が見つからなかったことは遺憾であり、測量の費用は橋の積立金から支払う。"
        "ただし橋の修理を先とする。",
    ),
    headings=("参考文献", "引用文献", "【参考文献】", "第五章　参考文献"),
    references=(
        (
            "播磨次郎（1998）『下流の水と労働』北方大学出版会",
            "池田真理（2004）「水車番のいない水車」『農村史研究』第12巻3号、33-58頁",
            "大川徹（2011）「最後の水車」石井亮編『川は働く』堰書房、101-140頁",
            "Petersen, L. (1987). A survey of weirs. London: Weir Press.",
        ),
        (
            "[1] 播磨次郎『下流の水と労働』北方大学出版会、1998年。",
            "[2] 池田真理「水車番のいない水車」『農村史研究』第12巻、2004年、33-58頁。",
            "[3] 大川徹「最後の水車」『川は働く』堰書房、2011年。",
            "[4] 県史編纂室「水害年表」https://example.jp/flood（2020年5月1日閲覧）",
        ),
    ),
    note_headings=("注", "【脚注】"),
    notes=(
        "(1) 調査の前に取り壊された水車は数に入れていない。",
        "(2) 名の表記については過去帳を見よ。",
        "(3) 金額は当時のものである。",
    ),
    after="謝辞",
    chapter="第二章　衰退",
    indent="　　　",
)
CHINESE = Language(
    marks=(("“", "”"), ("「", "」"), ("‘", "’")),
    prose=(
        "早在公路修通之前，山谷里就有人居住，水磨大多建在河的下游。",
        "一八七一年开始调查的时候，没有人知道其中还有多少座在运转。",
        "从档案中能够看到的，是一种无法用单一原因解释的缓慢衰落。",
        "城里的工钱不断上涨，离开的年轻人远比户籍所记录的要多。",
        "粮价连续十一年下跌，规模较小的磨坊再也没有积蓄可用。",
        "到那个十年结束时，镇上买下了三座房子，其中两座任其倒塌。",
        "人们很容易把这些信当作抱怨来读，其实大多数只是请求宽限。",
        "第二次洪水虽然比第一次小，却冲走了水坝，也冲走了修复的最后理由。",
        "博物馆在春天开放，头一个月就来了大约四千人。",
        "我们沿着整条水渠走了一遍，除了桥下的一潭水以外，全都干了。",
    ),
    traps=(
        "所谓的“水税”并不是税。",
        "他的小说《干涸的水坝》卖得并不好。",
        "她只说了“不行”两个字。",
        "1. 慢慢打开水闸。\n2. 等到水轮转得轻快。\n3. 把磨石放低一指的距离。",
        "1871年、1884年和1902年河流改道，1910年则没有。",
        "《水与劳动》和《最后的水磨》是两本截然不同的书。",
        "本章提到的前人研究和注释都不多，参考文献见书末。",
    ),
    leads=("书记员写道：", "用一位业主的话说，", "报告指出：", "据她回忆，", "一位老人说："),
    quotes=(
        "送来的粮食，我们既没有水也没有人手去磨了",
        "水轮从秋天起就停着，在我有生之年恐怕不会再转了",
        "从水坝上每拿走一块石头，就是从全村人嘴里夺走一口饭",
        "见过三月河水的工程师，谁也不会把房子盖得离岸这么近",
        "我父亲养两匹马，我一匹也不养，能说的就只有这些",
        "这从来不是钱的问题，而是谁肯站在寒风里去修它的问题",
        "这里的面粉比火车运来的都好，价钱也贵了一倍",
    ),
    blocks=(
        "我查看了从水闸到尾渠的全部工程。水面以上的木料完好，水面以下的已经腐朽。除拆除费用之外，我不主张镇上再多花一分钱。",
        "从前在教堂里也能听见磨石的声音，现在听见的是公路。我不说这更糟，只是前者告诉你时辰，后者却不会。",
        "委员会感谢何先生的耐心，对未能找到文件表示遗憾。测量费用将从桥梁基金中支出，条件是先把桥修好。",
    ),
    headings=("参考文献", "参考书目", "六、参考文献", "参考资料"),
    references=(
        (
            "何锐：《下游的水与劳动》，北方大学出版社，1998年。",
            "池真、石磊：《没有磨工的水磨》，《乡村史研究》2004年第3期，第33-58页。",
            "欧达：《最后的水磨》，载石磊编《河流的工作》，水坝书局，2011年版。",
            "Petersen, L. (1987). A survey of weirs. London: Weir Press.",
        ),
        (
            "[1] 何锐. 下游的水与劳动[M]. 北京: 北方大学出版社, 1998.",
            "[2] 池真, 石磊. 没有磨工的水磨[J]. 乡村史研究, 2004(3): 33-58.",
            "[3] 欧达. 最后的水磨[M]. 上海: 水坝书局, 2011: 101-140.",
            "[4] 县志办公室. 水灾年表[EB/OL]. https://example.cn/flood, 2020.",
        ),
    ),
    note_headings=("注释", "脚注"),
    notes=(
        "[1] 调查之前已经拆除的水磨不计在内。",
        "[2] 关于人名的写法，参见族谱。",
        "[3] 金额按当时的货币计算。",
    ),
    after="致谢",
    chapter="二、衰落",
    indent="　　　　",
)
LANGUAGES = {"ja": JAPANESE, "zh": CHINESE, "en": ENGLISH}


@dataclass(frozen=True)
class Sample:
    """A document and where its citations are, by kind."""

    name: str
    text: str
    blocks: tuple[Block, ...]
    truth: dict[CitationKind, list[Span]]


def samples(folder: Path) -> list[Sample]:
    """The sixty documents; ``folder`` takes the pages."""
    names = list(LANGUAGES)
    return [_sample(number, names[number % 3], GENRES[number // 3 % 3], folder) for number in range(COUNT)]


def _sample(number: int, language: str, genre: str, folder: Path) -> Sample:
    rng = random.Random(number)
    words = LANGUAGES[language]
    marked, listed = number % 5 != 4, rng.random() < (0.9 if genre == "thesis" else 0.3)
    as_page = genre != "thesis"
    pieces: list[tuple[str, str, str]] = []  # what it is ("" for prose), markup, text
    truth: list[tuple[CitationKind, str]] = []
    if genre == "thesis":
        pieces.append(("heading", "h2", words.chapter))
    prose, quotes, blocks = list(words.prose), list(words.quotes), list(words.blocks)
    for order in (prose, quotes, blocks):
        rng.shuffle(order)
    space = " " if language == "en" else ""
    opening, closing = words.marks[0] if rng.random() < 0.7 else words.marks[1]
    for at in range(4):
        sentences = [prose[2 * at], prose[2 * at + 1]]
        if rng.random() < 0.5:
            trap = rng.choice(words.traps)
            sentences.append(trap) if "\n" not in trap else pieces.append(("", "p", trap))
        if at < 3:
            quote = quotes[at]
            if marked:
                quote = f"{opening}{quote}{closing}"
                truth.append((CitationKind.QUOTATION, quote))
            end = "." if language == "en" else "。"
            sentences.insert(1, f"{rng.choice(words.leads)}{space}{quote}{end}")
        pieces.append(("", "p", space.join(sentences)))
        if at == 1 and marked and rng.random() < 0.7:
            pieces.append(("block", "blockquote", blocks[0]))
            truth.append((CitationKind.BLOCK_QUOTATION, blocks[0]))
    if listed and genre == "thesis" and rng.random() < 0.5:
        heading = rng.choice(words.note_headings)
        pieces.append(("heading", "h2", heading))
        pieces += [("entry", "p", note) for note in words.notes]
        truth += [(CitationKind.NOTE, text) for text in (heading, *words.notes)]
    if listed:
        entries = rng.choice(words.references)
        if rng.random() < 0.8:
            heading = rng.choice(words.headings)
            pieces.append(("heading", "h2", heading))
            truth.append((CitationKind.REFERENCES, heading))
        pieces += [("entry", "p", entry) for entry in entries]
        truth += [(CitationKind.REFERENCES, entry) for entry in entries]
        if rng.random() < 0.5:
            pieces += [("heading", "h2", words.after), ("", "p", prose[8])]
    name = f"{number:02d}-{language}-{genre}"
    text, found_blocks = _as_page(name, pieces, language, folder) if as_page else (_as_text(pieces, words, rng), ())
    return Sample(name, text, found_blocks, _located(text, truth))


def _as_text(pieces: list[tuple[str, str, str]], words: Language, rng: random.Random) -> str:
    by_indent = rng.random() < 0.5
    lines = []
    for what, _, text in pieces:
        if what == "block" and by_indent:
            lines.append(words.indent + text)
        elif what == "block":
            lines.append(_of_mail(text))
        else:
            lines.append(text)
    return "\n\n".join(lines) + "\n"


def _of_mail(text: str) -> str:
    return "\n".join(f"> {text[at : at + 60]}" for at in range(0, len(text), 60))


def _as_page(
    name: str, pieces: list[tuple[str, str, str]], language: str, folder: Path
) -> tuple[str, tuple[Block, ...]]:
    inner = "\n".join(
        f"<{tag}><p>{escape(text)}</p></{tag}>" if tag == "blockquote" else f"<{tag}>{escape(text)}</{tag}>"
        for _, tag, text in pieces
    )
    page = f"<!DOCTYPE html><html lang={language}><meta charset=utf-8><title>{name}</title><article>{inner}</article>"
    path = folder / f"{name}.html"
    path.write_text(page, encoding="utf-8")
    source = Source(path, path.name)
    [record] = [item for item in formats.read(source) if isinstance(item, Record)]
    return record.document.text, record.document.blocks


def _located(text: str, truth: list[tuple[CitationKind, str]]) -> dict[CitationKind, list[Span]]:
    spans: dict[CitationKind, list[Span]] = {kind: [] for kind in CitationKind}
    for kind, piece in truth:
        written = piece if piece in text else _of_mail(piece)
        at = text.index(written)
        spans[kind].append(Span(at, at + len(written)))
    return spans


@dataclass(frozen=True)
class Measure:
    """Characters (without white space) marked, true, and both."""

    marked: int
    true: int
    both: int

    @property
    def precision(self) -> float:
        return self.both / self.marked if self.marked else 1.0

    @property
    def recall(self) -> float:
        return self.both / self.true if self.true else 1.0


def measured(chosen: list[Sample]) -> dict[str, Measure]:
    """By kind, and ``all`` for any kind: right where the kind is right, characters other than white space."""
    totals = {name: [0, 0, 0] for name in (*(kind.value for kind in CitationKind), "all")}
    for sample in chosen:
        got = citations(sample.text, sample.blocks)
        every: list[set[int]] = [set(), set()]
        for kind in CitationKind:
            marked = _places(sample.text, [c.span for c in got if c.kind is kind])
            true = _places(sample.text, sample.truth[kind])
            every[0] |= marked
            every[1] |= true
            _count(totals[kind.value], marked, true)
        _count(totals["all"], *every)
    return {name: Measure(*counts) for name, counts in totals.items()}


def _count(total: list[int], marked: set[int], true: set[int]) -> None:
    for at, places in enumerate((marked, true, marked & true)):
        total[at] += len(places)


def _places(text: str, spans: list[Span]) -> set[int]:
    return {at for span in spans for at in range(*span) if not text[at].isspace() and text[at] != ">"}
