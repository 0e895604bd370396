"""Passages, tricks that hide them, and honest texts that look like tricks."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable

PASSAGES = {
    "en": "The harbour was quiet in the morning, and the fishermen mended their nets beside the wall. Nobody had "
    "seen "
    "the ship for a week, but the old man was certain that it would return before the storm. He counted the days on "
    "the door of his hut with a piece of chalk, and when the children of the village came to him he told them of the "
    "winters in which the whole bay had been frozen and people had walked to the island from the shore.",
    "ja": "港は朝のうち静かで、漁師たちは塀のそばで網を繕っていた。一週間のあいだ誰もその船を見ていなかったが、嵐の前に"
    "必ず戻る"
    "と老人は信じていた。彼は小屋の扉に白墨で日を数えていた。村の子供たちがやって来ると、湾が凍りついて、人々が岸か"
    "ら島まで歩いて"
    "渡ったという冬のことを話して聞かせた。それから皆で火を囲んで、遠い国の港について語り合うのだった。海の向こうに"
    "は大きな町が"
    "あるという。",
    "zh": "早晨港口很安静，渔民们在墙边修补渔网。一个星期以来没有人见过那艘船，但是老人相信它一定会在暴风雨之前回来。"
    "他用粉笔在小屋的"
    "门上数着日子。村里的孩子们来找他的时候，他就给他们讲那些冬天的故事，因为那时整个海湾都结了冰，人们可以从岸边一"
    "直走到岛上去。"
    "他自己也说不清楚那是什么年代的事情了，我们只知道第一次听到这个故事的时候，国家还没有统一。",
}
BEFORE = {
    "en": "I went for a walk in the park today and met a friend, with whom I talked for quite some time.",
    "ja": "今日は天気がよかったので、近所の公園まで歩いて行きました。途中で友人に会いました。",
    "zh": "今天天气很好，我和朋友去公园散步，聊了很多事情。",
}
_CYRILLIC = str.maketrans("aceopxyiABCEHKMOPTXjs", "асеорхуіАВСЕНКМОРТХјѕ")
_SMALL = str.maketrans("abcdefghijklmnopqrstuvwyz", "ᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘꞯʀꜱᴛᴜᴠᴡʏᴢ")
_LATIN = "en"


def _after(text: str, mark: str, letters_only: bool = False) -> str:
    return "".join(c + (mark if c.isalpha() or not letters_only else "") for c in text)


def _after_each_letter(text: str) -> list[str]:
    return [f"{character}\u0323" if character.isalpha() else character for character in text]


def _after_every(count: int, text: str, mark: str) -> str:
    return "".join(c + (mark if at % count == count - 1 else "") for at, c in enumerate(text))


def _latin(change: Callable[[str], str]) -> Callable[[str, str], str]:
    """``change`` of a text in Latin letters; other scripts have no such trick."""
    return lambda text, language: change(text) if language == _LATIN else text


TRICKS: dict[str, Callable[[str, str], str]] = {
    "private use": lambda text, _: _after_every(4, text, "\ue000"),
    "unassigned": lambda text, _: _after_every(3, text, "\u0378\U000e0fff"),
    "noncharacters": lambda text, _: _after_every(5, text, "\ufdd0"),
    "surrogates": lambda text, _: _after_every(2, text, "\ud800"),
    "blank symbols": lambda text, _: _after_every(4, text, "\u2800\ufffc"),
    "marks of another script": lambda text, _: _after_every(1, text, "\u0dd9"),
    "overrides of direction": lambda text, _: _after_every(4, text, "\u202e"),
    "full stops": lambda text, _: ".".join(text),
    "middle dots": lambda text, _: "·".join(text),
    "spaces": lambda text, _: " ".join(text),
    "hyphens": lambda text, _: "-".join(text),
    "line ends": lambda text, _: "\n".join(text),
    "a dot after every third": lambda text, _: ".".join(text[i : i + 3] for i in range(0, len(text), 3)),
    "short lines": lambda text, _: "\n".join(text[i : i + 9] for i in range(0, len(text), 9)),
    "strokes": lambda text, _: _after(text, "\u0336"),
    "strokes on letters": lambda text, _: _after(text, "\u0332", letters_only=True),
    "marked letters between full stops": lambda text, _: ".".join(_after_each_letter(text)),
    "marks and full stops": lambda text, _: ".".join(f"{character}\u0323" for character in text),
    "two marks": lambda text, _: _after(text, "\u0301\u0323"),
    "an override of direction": lambda text, _: f"\u202e{text[::-1]}\u202c",
    "reversed": lambda text, _: text[::-1],
    "accents": _latin(lambda text: text.translate(str.maketrans("aeiouc", "àéíöúç"))),
    "accents apart": _latin(
        lambda text: unicodedata.normalize("NFD", text.translate(str.maketrans("aeioun", "àéíöúñ")))
    ),
    "accents on two vowels": _latin(lambda text: text.translate(str.maketrans("eoEO", "éöÉÖ"))),
    "accents on three vowels, apart": _latin(
        lambda text: unicodedata.normalize("NFD", text.translate(str.maketrans("aei", "àéí")))
    ),
    "small capitals": _latin(lambda text: text.lower().translate(_SMALL)),
    "some small capitals": _latin(lambda text: text.translate(str.maketrans("aeimnort", "ᴀᴇɪᴍɴᴏʀᴛ"))),
    "digits": _latin(lambda text: text.translate(str.maketrans("aeot", "4307"))),
    "Cyrillic": _latin(lambda text: text.translate(_CYRILLIC)),
    "Greek": _latin(lambda text: text.translate(str.maketrans("ovA", "ονΑ"))),
}
HONEST = {
    "Vietnamese": "Tất cả mọi người sinh ra đều được tự do và bình đẳng về nhân phẩm và quyền lợi. Mọi con người "
    "đều được tạo hoá ban cho lý trí và lương tâm và cần phải đối xử với nhau trong tình bằng hữu. " * 3,
    "French": "Tous les êtres humains naissent libres et égaux en dignité et en droits. Ils sont doués de raison et "
    "de "
    "conscience et doivent agir les uns envers les autres dans un esprit de fraternité. " * 3,
    "Czech": "Všichni lidé rodí se svobodní a sobě rovní co do důstojnosti a práv. Jsou nadáni rozumem a svědomím a "
    "mají "
    "spolu jednat v duchu bratrství. Příliš žluťoučký kůň úpěl ďábelské ódy. " * 3,
    "Turkish": "Geleneksel Çince metin karakterlerini dönüştürür. Seçilen metni dönüştürmek için yönünü seçin. Eğer "
    "metin seçilmedi ise, tüm belge dönüştürülür. " * 9,
    "Yoruba": "Gbogbo ènìyàn ni a bí ní òmìnira; iyì àti ẹ̀tọ́ kọ̀ọ̀kan sì dọ́gba. Wọ́n ní ẹ̀bùn ti làákàyè àti ti ẹ̀rí-ọkàn. ",
    "Russian": "Все люди рождаются свободными и равными в своём достоинстве и правах. Они наделены разумом и совестью "
    "и "
    "должны поступать в отношении друг друга в духе братства. Windows XP и MS-DOS, а также IBM. " * 3,
    "Greek": "Όλοι οι άνθρωποι γεννιούνται ελεύθεροι και ίσοι στην αξιοπρέπεια και τα δικαιώματα. Είναι προικισμένοι "
    "με "
    "λογική και συνείδηση. " * 3,
    "Arabic": "يُولَدُ جَمِيعُ النَّاسِ أَحْرَارًا مُتَسَاوِينَ فِي الْكَرَامَةِ وَالْحُقُوقِ. وَقَدْ وُهِبُوا عَقْلًا وَضَمِيرًا. " * 3,
    "Hindi": "सभी मनुष्यों को गौरव और अधिकारों के मामले में जन्मजात स्वतन्त्रता और समानता प्राप्त है। " * 3,
    "Japanese": "すべての人間は、生まれながらにして自由であり、かつ、尊厳と権利とについて平等である。人間は、理性と良心"
    "とを授けられて"
    "おり、互いに同胞の精神をもって行動しなければならない。ガラスのドアが、ベルの音とともに、静かに開いた。" * 3,
    "mathematics": "Let τmax be the stress and σmin the least of all; then αx + βy = γz for all x, y, z in the set. "
    * 3,
    "contents": "Contents 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34",
    "leaders": "Introduction . . . . . . . . . . . . . . . . . . . . . . . . . . . . . . . . . . . . . . . . . . . . "
    ". . 7\n" * 3,
    "rules": "=====================\nHeading\n---------------------\n* * * * * * * * * * * * * * * * * * * * * * * *\n",
    "products": "The A3 and the B7 have 4GB, the K5 has 8GB; MP3, H264, 1080p and 4K are read by all of them. USB3 is "
    "not. " * 2,
    "verse": "床前明月光，\n疑是地上霜。\n举头望明月，\n低头思故乡。\n" * 4,
    "table": "0 1 0 1 1 0\n1 0 0 1 0 1\n0 0 1 1 0 1\n1 1 0 0 1 0\n" * 4,
    "icons": "\uf015 Home\n\uf0e0 Write to us\nAll that we print was written by people who live near here, and it "
    "may be used by everybody who names them and says where it was first read.\n\uf0c1 Links\n" * 3,
    "rare characters": "地名の\ue123沢と\ue456谷は、この地図には載っていない。古い地誌によれば、どちらも川の上流に"
    "あって、夏のあいだだけ人が住んでいたという。冬には雪に閉ざされ、誰も近づかなかったと土地の老人は語った。" * 3,
    "a font of its own": "\ue001\ue002\ue003 \ue004\ue001\ue009 \ue003\ue007, \ue001\ue005. A \ue001\ue002\ue003 " * 9,
    "vowel signs in the order of display": "Allah bersabda: \u064eﻚَﺒﻴِﺒَﺣ \u064eﺎًﻧْﻮَﻫ \u064eﻚَﻀﻴِﻐَﺑ \u064eنﻮُﻜَﻳ \u064eﺎﻣ. "
    * 5,
    "words": "apple\nbread\nchair\ndream\neagle\nflame\ngrape\nhouse\nideal\njuice\nknife\nlemon\nmango\nnight\n",
}


def letters(text: str) -> str:
    """The letters and digits of ``text``, without case."""
    return "".join(c for c in unicodedata.normalize("NFKC", text).casefold() if c.isalnum())
