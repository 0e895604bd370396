"""Copies of several places of one source, each altered in its own way: what is copied, from where, and how."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from tests.unit.methods.corpora import Collection, detect
from workbench.base.types import Document, Match, Role, Span
from workbench.methods.copies.method import METHOD as COPIES
from workbench.methods.core.figures import CopyKind

ESSAY = """町の豆腐屋が消えた日

　私が育った町には、豆腐屋が三軒あった。朝の四時になると、どの店からも大豆を煮る湯気が上がり、路地の奥まで甘い匂いが流れてきた。父は出勤の途中で一丁買い、母はそれを昼の味噌汁に入れた。
　店主の一人は、にがりを打つ瞬間だけは誰にも話しかけさせなかった。「豆乳が固まるまでの十秒は、こちらが息を止める時間だ」と彼は言った。その言葉の意味を私が理解したのは、彼の店が閉じた後である。
　昭和五十年代に入ると、大型店の冷蔵棚に充塡豆腐が並び始めた。値段は半分で、日持ちは三倍だった。客は静かに減り、一軒目が昭和五十八年に、二軒目が平成元年に暖簾を下ろした。
　残った一軒は、配達用の自転車に真鍮の喇叭をつけて町を回り続けた。喇叭の音は「とーふー」と聞こえるように吹くのだと言われるが、実際には二つの音を長く伸ばすだけである。私はその音を録音しておかなかったことを、今も後悔している。
　統計によれば、全国の豆腐製造事業所は昭和三十五年の五万一千軒を頂点として、令和二年には五千七百軒まで減った。豆腐の消費量そのものは、この間にほとんど変わっていない。つまり豆腐は食べ続けられ、豆腐屋だけが消えたのである。
"""
VERBATIM = (
    "私が育った町には、豆腐屋が三軒あった。"
    "朝の四時になると、どの店からも大豆を煮る湯気が上がり、路地の奥まで甘い匂いが流れてきた。"
)
CHANGED = (
    "昭和五〇年代になると、大型スーパーの冷蔵棚に充填豆腐が並びはじめた。価格は半分で、日持ちは三倍であった。"
    "客は静かに減り、一軒目が昭和58年に、二軒目が平成元年に店を閉めた。"
)
SWAPPED = (
    "豆腐の消費量そのものは、この間にほとんど変わっていない。つまり豆腐は食べ続けられ、豆腐屋だけが消えたのである。"
    "統計によれば、全国の豆腐製造事業所は昭和三十五年の五万一千軒を頂点として、令和二年には五千七百軒まで減った。"
)
COLUMN = f"""駅前商店街を歩く　第七回

　先週、友人に誘われて久しぶりに駅前商店街を歩いた。シャッターの下りた店が目立ち、通りの中央に置かれたベンチには誰も座っていなかった。
　{VERBATIM}いまはコインランドリーの洗剤の匂いしかしない。
　ある随筆は、職人の言葉を次のように伝えている。「豆乳が固まるまでの十秒は、こちらが息を止める時間だ」（『町の豆腐屋が消えた日』）。
　{CHANGED}
　商店街の会長によれば、来年度から空き店舗に家賃補助が出るという。若い人が戻ってくるかどうかは、まだ分からない。
　最後に数字を挙げておこう。{SWAPPED}
"""
ELSEWHERE = (
    "老渡口的最后一班船。我第一次到青石渡的时候，渡船还是木头做的。船工姓贺，六十三岁，从十五岁起就在这条河上摇橹。",
    "When the lamp at Carrow Head was automated in the spring of 1988, the last keeper left behind forty-one ledgers.",
    "湊町景観条例。第一条　この条例は、湊町の歴史的な町並みを保全し、良好な景観を次の世代に継承することを目的とする。",
)


@pytest.fixture(scope="module")
def column(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Match]:
    """The matches of the column, by the text of the suspect's side."""
    texts = [(Role.SOURCE, text) for text in (ESSAY, *ELSEWHERE)]
    results = detect(COPIES, tmp_path_factory.mktemp("index"), Collection.of(*texts, (Role.SUSPECT, COLUMN)))
    return {COLUMN[slice(*m.a_span)]: m for m in results.matches}


def test_a_reworded_copy_beside_others_is_found_in_the_two_texts_alone() -> None:
    documents = Document("a", COLUMN, Role.SUSPECT), Document("b", ESSAY)
    matches = COPIES.compare(*documents, COPIES.parameters()).matches
    start = COLUMN.index(CHANGED)
    assert any(m.a_span.overlap(Span(start, start + len(CHANGED))) > 0.9 * len(CHANGED) for m in matches)


def test_a_copy_beside_others_from_the_same_source_is_not_a_summary_of_all_of_it(column: dict[str, Match]) -> None:
    (changed,) = (m for text, m in column.items() if CHANGED in text)
    assert changed.evidence["kind"] == CopyKind.REWORDED
    assert VERBATIM not in ESSAY[slice(*changed.b_span)]


def test_the_sources_side_ends_with_the_words_that_were_replaced(column: dict[str, Match]) -> None:
    (changed,) = (m for text, m in column.items() if CHANGED in text)
    assert ESSAY[slice(*changed.b_span)].endswith("二軒目が平成元年に暖簾を下ろした。")


def test_a_passage_does_not_begin_with_half_a_sentence_of_the_writers_own(column: dict[str, Match]) -> None:
    (text,) = (text for text in column if CHANGED in text)
    assert text.startswith("豆乳が固まるまで")


def test_swapped_sentences_that_end_alike_are_not_cut_before_their_last_letters(column: dict[str, Match]) -> None:
    assert column[SWAPPED].evidence["kind"] == CopyKind.SHUFFLED
    assert ESSAY[slice(*column[SWAPPED].b_span)].startswith("統計によれば")


@pytest.mark.parametrize(
    ("number", "rule"),
    [
        (
            "第三条　",
            "景観区域内において建築物を新築し、又は外観を変更しようとする者は、あらかじめ町長に届け出なければならない。",
        ),
        ("第十二条　", "渡船工人应当在开船之前检查缆绳、船桨和救生衣，遇有大风大雾不得开船。"),
        ("§ 12 ", "No keeper shall leave the lamp unattended between dusk and dawn except to sound the horn in fog."),
    ],
)
def test_a_rule_quoted_without_its_number_is_verbatim(tmp_path: Path, number: str, rule: str) -> None:
    own = "条文を確認しておこう。" if "者" in rule else "我们先看条文。" if "船" in rule else "Let us look at it."
    source = f"{ELSEWHERE[0]}\n{number}{rule}\n{ELSEWHERE[1]}"
    texts = [(Role.SOURCE, source), (Role.SUSPECT, f"{own}\n{rule}\n{own[::-1]}")]
    (match,) = detect(COPIES, tmp_path, Collection.of(*texts)).matches
    assert source[slice(*match.b_span)].rstrip(".。") == rule.rstrip(".。")
    assert match.evidence["kind"] == CopyKind.VERBATIM


GOODS = (
    "salt glass wool coal copper linen timber wheat barley hops cider cheese honey leather paper ink rope sails nets "
    "boats carts bricks tiles slate chalk lime sand clay peat tar pitch resin wax soap candles lamps oil gas clocks "
    "bells looms mills ovens forges anvils nails needles pins buttons combs brushes brooms baskets barrels casks tubs"
)
OWN = (
    "My brother never liked school. He wanted to be outside, where nobody asked him anything that he could not answer. "
)


def test_changed_sentences_of_common_words_are_found_though_the_writers_own_are_between_them(tmp_path: Path) -> None:
    rng, goods = random.Random(1), GOODS.split()
    lists = [[[rng.choice(goods) for _ in range(14)] for _ in range(4)] for _ in range(70)]
    sources = [(Role.SOURCE, " ".join(map(said, of_one))) for of_one in lists]
    one, other, *_ = lists[30]
    one, other = [*one[:6], "old", *one[7:]], [*other[:8], *other[9:]]
    essay = " ".join([OWN, said(one), OWN, said(other), OWN])
    collection = Collection.of(*sources, (Role.SUSPECT, essay))
    (match,) = detect(COPIES, tmp_path, collection).matches
    reported = essay[slice(*match.a_span)]
    assert (reported[:20], reported[-20:]) == (said(one)[:20], said(other)[-20:])
    assert [essay[slice(*gap)].strip() for gap in match.a_gaps] == [OWN.strip()]
    documents = list(collection.documents(Role.SOURCE, Role.SUSPECT))
    parameters = COPIES.parameters()
    index = COPIES.load(tmp_path, parameters)
    assert COPIES.explain(documents[-1], documents[30], parameters, index).matched


@pytest.mark.parametrize("holders", [2, 12])
def test_a_changed_formula_is_a_match_with_few_sources_only(tmp_path: Path, holders: int) -> None:
    rng, goods = random.Random(1), GOODS.split()
    lists = [[[rng.choice(goods) for _ in range(14)] for _ in range(4)] for _ in range(70)]
    one, other, *_ = lists[0]
    for of_one in lists[:holders]:
        of_one[:2] = one, other
    essay = " ".join([OWN, said([*one[:6], "old", *one[7:]]), OWN, said([*other[:8], *other[9:]]), OWN])
    sources = [(Role.SOURCE, " ".join(map(said, of_one))) for of_one in lists]
    matches = detect(COPIES, tmp_path, Collection.of(*sources, (Role.SUSPECT, essay))).matches
    assert set(matches.b.tolist()) == (set(range(1, holders + 1)) if holders == 2 else set())


def said(words: list[str]) -> str:
    """A sentence of ``words``."""
    return " ".join(words).capitalize() + "."


LIGHTHOUSE = [
    "湊町の灯台は明治十九年に建てられた。",
    "設計したのは英国人技師のホープで、石は対岸の島から船で運ばれた。",
    "初代の灯台守は妻と四人の子とともに、電気も水道もない岬で二十年を過ごした。",
    "彼の日誌は六冊残っていて、今は町の図書館にある。",
    "嵐の夜には船乗りのために鐘を百回鳴らすのが決まりであった。",
]


@pytest.mark.parametrize(("first", "last", "whole"), [(0, -1, True), (0, 14, False)], ids=["whole", "half"])
def test_a_sentence_put_into_another_beside_a_longer_copy_is_found_if_it_is_whole(
    tmp_path: Path, first: int, last: int, *, whole: bool
) -> None:
    part = LIGHTHOUSE[4][first:last]
    own = "私がこの岬を初めて訪れたのは、まだ学生だったころの夏休みである。友人の車は古く、坂道で三度も止まった。"
    around = f"祖母がよく話してくれたように、{part}のだと、案内板を見て思い出した。"
    essay = own + "".join(LIGHTHOUSE[:3]) + own + around + "そのあと私たちは浜で弁当を食べた。"
    others = [(Role.SOURCE, f"第{i}の村では毎年{i}月に祭りがあり、若い人たちが笛を吹いた。") for i in range(1, 12)]
    collection = Collection.of((Role.SOURCE, "".join(LIGHTHOUSE)), *others, (Role.SUSPECT, essay))
    reported = [essay[slice(*m.a_span)] for m in detect(COPIES, tmp_path, collection).matches]
    assert reported == ["".join(LIGHTHOUSE[:3]), *([part] if whole else [])]
