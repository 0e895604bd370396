from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.base.errors import UnreadableInput
from workbench.reading.decoding import canonical, choose_encoding, clean, decode, meta_charset

JA = "梅雨は、北海道と小笠原諸島を除く日本でみられる特有の気象現象である。カタカナも①も出る。\n"
ZH = "中华人民共和国的一切权力属于人民。人民行使国家权力的机关是全国人民代表大会。\n"
HANT = "中華人民共和國的一切權力屬於人民。這個問題我們已經說過了，他們沒有來。\n"
KO = "모든 국민은 법 앞에 평등하다. 누구든지 성별에 의하여 차별을 받지 아니한다.\n"
EN = "Bayes’ theorem — one “event’s” outcome — caf\u00e9 na\u00efve.\n"

WRITTEN = [
    (JA, "utf-8"),
    (JA, "cp932"),
    (JA.replace("①", ""), "euc_jp"),
    (JA.replace("①", ""), "iso2022_jp"),
    (JA, "utf-16-le"),
    (JA, "utf-16-be"),
    (ZH, "utf-8"),
    (ZH, "gb18030"),
    (ZH, "utf-16-le"),
    (HANT, "big5hkscs"),
    (HANT, "gb18030"),
    (KO, "cp949"),
    (EN, "cp1252"),
]


FR = "L’été dernier, où êtes-vous allés ? Nous avons séjourné à l’hôtel près de la forêt, et ça coûte peu."
HU = "Az ősz hűvös szele végigsöpört az üres utcákon. A kisfiú és az őz csöndben ült a tűz mellett."
PL = "Mój brat pojechał do Łodzi, żeby kupić książkę, którą chciał przeczytać. Wszyscy są równi wobec prawa."
CS = "Všichni lidé rodí se svobodní a sobě rovní. Největší česká řeka teče přes Prahu, kde žijí naši přátelé."
TR = "Bütün insanlar hür ve eşit doğarlar. Güneş doğudan yükselir; İstanbul'da ışıklar söndü, çocuklar oynuyor."
DE = "Über die Straße läuft ein großer Bär. Die Mädchen hören schöne Lieder und fragen, wo die Äpfel sind."
EUROPEAN = [
    *((text, encoding) for text in (HU, PL, CS) for encoding in ("cp1250", "iso8859-2", "cp852")),
    *((text.replace("’", "'"), encoding) for text in (FR, DE) for encoding in ("cp850", "cp437", "mac_roman")),
    *((TR, encoding) for encoding in ("cp1254", "iso8859-9", "cp857")),
    ("Le cœur a ses raisons que la raison ne connaît point ; l'œuvre coûte 5 €.", "iso8859-15"),
    (FR, "mac_roman"),
    ("a café", "cp850"),
    ("Всі люди народжуються вільними і рівними у своїй гідності та правах.", "koi8-u"),
]


@pytest.mark.parametrize(("text", "encoding"), WRITTEN + EUROPEAN)
def test_no_declaration_is_needed(text: str, encoding: str) -> None:
    assert decode(text.encode(encoding)).text == text


@pytest.mark.parametrize(("text", "encoding"), WRITTEN)
@pytest.mark.parametrize("declared", ["utf-8", "shift_jis", "euc-jp", "gb2312", "big5", "iso-8859-1", "no-such-thing"])
def test_a_lying_declaration_is_found_out_and_reported(text: str, encoding: str, declared: str) -> None:
    page = f'<html><head><meta charset="{declared}"></head><p>{text * 3}'.encode(encoding)
    decoded = decode(page, html=True)
    assert text * 3 in decoded.text
    if canonical(declared) not in (None, decoded.encoding) and not encoding.startswith("utf-16"):
        assert any("declared as" in note for note in decoded.repairs) or page.isascii()


@pytest.mark.parametrize(
    ("text", "encoding"), [w for w in WRITTEN if w[1] in ("cp932", "euc_jp", "gb18030", "big5hkscs")]
)
def test_a_right_declaration_is_named_as_the_source(text: str, encoding: str) -> None:
    decoded = decode(text.encode(encoding), declared=encoding)
    assert (decoded.encoding, decoded.source, decoded.repairs) == (encoding, "declared", ())


def test_western_text_in_an_unknown_encoding_is_not_read_as_utf16() -> None:
    text = "L’été dernier, où êtes-vous allés ? Nous avons séjourné à l’hôtel près de la forêt, et ça coûte peu."
    assert "Nous avons" in decode(text.encode("mac_roman")).text


def test_an_encoding_that_another_one_fits_as_well_is_called_uncertain() -> None:
    decoded = decode("Fire don’t burn".encode("mac_roman"))
    assert (decoded.source, decoded.repairs) == ("uncertain", (f"uncertain encoding: read as {decoded.encoding}",))
    assert decode("Все люди рождаются свободными и равными в правах.".encode("mac_cyrillic")).source == "uncertain"
    assert decode((FR + EN).encode("cp1252")).source == "detected"


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-32"])
def test_a_byte_order_mark_decides_and_is_removed(encoding: str) -> None:
    decoded = decode(JA.encode(encoding), declared="euc-jp")
    assert (decoded.text, decoded.source) == (JA, "bom")


def test_escapes_come_before_ascii() -> None:
    decoded = decode("漢字とかな".encode("iso2022_jp"), declared="utf-8")
    assert (decoded.text, decoded.encoding, decoded.source) == ("漢字とかな", "iso2022_jp", "escape")


def test_vendor_characters_of_euc_jp_and_iso_2022_jp_are_read() -> None:
    row_13 = b"\xad\xa1"
    assert decode((JA * 2).replace("①", "").encode("euc_jp") + row_13).text.endswith("①")
    assert decode(b"\x1b$B" + bytes(c & 0x7F for c in row_13) + b"\x1b(B").text == "①"


def test_an_override_wins() -> None:
    assert decode("é".encode(), override="latin-1").text == "Ã©"
    with pytest.raises(UnreadableInput, match="utf-99"):
        decode(b"x", override="utf-99")
    with pytest.raises(UnreadableInput, match="base64"):
        decode(b"x", override="base64")


@pytest.mark.parametrize(("text", "encoding"), [w for w in WRITTEN if w[1] in ("utf-8", "cp932", "euc_jp", "gb18030")])
def test_a_truncated_file_is_repaired_and_says_so(text: str, encoding: str) -> None:
    data = (text * 20).rstrip("。\n").encode(encoding)[:-1]
    decoded = decode(data)
    assert decoded.text.startswith(text * 19)
    assert decoded.repairs == ("replaced 1 undecodable sequence by U+FFFD",)


@pytest.mark.parametrize(("text", "encoding"), [w for w in WRITTEN if w[1] in ("utf-8", "cp932", "euc_jp", "gb18030")])
def test_a_stray_byte_costs_the_characters_around_it_only(text: str, encoding: str) -> None:
    rng = random.Random(5)
    data = (text * 20).encode(encoding)
    for _ in range(20):
        at = rng.randrange(len(data))
        decoded = decode(data[:at] + b"\xff" + data[at:])
        assert decoded.encoding == encoding
        intact = sum(a == b for a, b in zip(decoded.text, text * 20, strict=False))
        intact += sum(a == b for a, b in zip(reversed(decoded.text), reversed(text * 20), strict=False))
        assert intact >= len(text * 20) - 4


@pytest.mark.parametrize(
    "data",
    [
        b"\0" * 5000,
        random.Random(1).randbytes(20_000),
        b"\x89PNG\r\n\x1a\n" + bytes(100),
        b"%PDF-1.7\nabc",
        b"PK\x03\x04abc",
    ],
)
def test_binary_data_is_refused(data: bytes) -> None:
    with pytest.raises(UnreadableInput, match="not text"):
        decode(data)


def test_a_few_nuls_are_removed_and_named() -> None:
    decoded = decode(JA.encode() * 9 + b"\0a\0")
    assert "\0" not in decoded.text
    assert decoded.repairs == ("removed 2 NUL characters",)


def test_lone_surrogates_are_replaced_and_named() -> None:
    assert clean("a\ud800b") == ("a\ufffdb", ("replaced 1 lone surrogate by U+FFFD",))


def test_line_ends_become_one_kind() -> None:
    assert decode(b"a\r\nb\rc\n").text == "a\nb\nc\n"


def test_empty_data_is_empty_text() -> None:
    assert decode(b"").text == ""


@given(st.text(alphabet=st.characters(exclude_categories=("Cs", "Cc"))))
def test_utf_8_reads_back_what_was_written(text: str) -> None:
    if not text.startswith("\ufeff"):
        assert decode(("語" + text).encode()).text == "語" + text


@given(st.binary(max_size=400), st.sampled_from([None, "utf-8", "cp932", "utf-7", "idna", "rot13"]))
def test_any_bytes_give_clean_text_or_a_refusal(data: bytes, declared: str | None) -> None:
    try:
        decoded = decode(data, declared=declared, html=True)
    except UnreadableInput:
        return
    assert not any(0xD800 <= ord(c) < 0xE000 or c in "\0\r" for c in decoded.text)
    assert choose_encoding(data, declared=declared, html=True)[0] == decoded.encoding


@pytest.mark.parametrize(
    ("head", "charset"),
    [
        (b'<meta charset="EUC-JP">', "EUC-JP"),
        (b"<meta http-equiv=Content-Type content='text/html; charset=Shift_JIS'>", "Shift_JIS"),
        (b"<?xml version='1.0' encoding='gb2312'?>", "gb2312"),
        (b"<p>charset=utf-8", None),
    ],
)
def test_declarations_in_markup_are_found(head: bytes, charset: str | None) -> None:
    assert meta_charset(head) == charset
