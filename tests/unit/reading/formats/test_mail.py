from __future__ import annotations

import base64
from email.message import EmailMessage
from pathlib import Path

import pytest

from tests.unit.reading.formats.items import one, read
from workbench.reading.formats import Failure, Record

GOOD = "これは正しい文書です。二つ目の文もあります。"


def mail(text: str = GOOD, charset: str = "utf-8") -> EmailMessage:
    message = EmailMessage()
    message["From"] = "a@example.org"
    message["Subject"] = "件名です"
    message["Date"] = "Thu, 02 Jan 2020 03:04:05 +0900"
    message.set_content(text, charset=charset)
    return message


def test_a_text_that_begins_with_a_word_and_a_colon_is_no_message(tmp_path: Path) -> None:
    document = one(tmp_path / "nameless", b"Chapter: the sea\n\nThe ferry left the harbour at dawn.")
    assert (document.extraction.format, document.text) == (
        "txt",
        "Chapter: the sea\n\nThe ferry left the harbour at dawn.",
    )


@pytest.mark.parametrize("charset", ["utf-8", "iso-2022-jp", "shift_jis"])
def test_the_text_of_a_mail_is_a_document_titled_by_its_subject(tmp_path: Path, charset: str) -> None:
    document = one(tmp_path / "a.eml", mail(charset=charset).as_bytes())
    assert (document.title, document.text.strip()) == ("件名です", GOOD)
    assert (document.published, document.dated_by) == ("2020-01-02T03:04:05+09:00", "file")
    assert document.extraction.format == "eml"


def test_plain_text_is_preferred_to_the_page_and_attachments_are_counted(tmp_path: Path) -> None:
    message = mail()
    message.add_alternative("<p>page</p>", subtype="html")
    message.add_attachment(b"%PDF", maintype="application", subtype="pdf", filename="a.pdf")
    document = one(tmp_path / "a.eml", message.as_bytes())
    assert document.text.strip() == GOOD
    assert document.extraction.repairs == ("left out attachments (1)",)


def test_a_mail_that_is_only_a_page_is_read_as_one(tmp_path: Path) -> None:
    message = mail()
    message.set_content(f"<p>{GOOD}</p><script>alert(1)</script><img src=http://t/pixel.gif>", subtype="html")
    document = one(tmp_path / "a.eml", message.as_bytes())
    assert (document.text, len(document.blocks)) == (GOOD, 1)


def test_all_parts_of_a_mail_that_are_not_alternatives_are_read_in_order(tmp_path: Path) -> None:
    message = EmailMessage()
    message["Subject"] = "parts"
    message.make_mixed()
    for half in ("First half.", "Second half."):
        message.attach(inline := EmailMessage())
        inline.set_content(f"<html><body><p>{half}</p></body></html>", subtype="html")
    message.attach(footer := EmailMessage())
    footer.set_content("List & archive\n<https://example.org>\n")
    document = one(tmp_path / "a.eml", message.as_bytes())
    assert document.text == "First half.\nSecond half.\nList & archive\n<https://example.org>"
    assert [document.text[slice(*block.span)] for block in document.blocks][:2] == ["First half.", "Second half."]


def test_a_page_in_several_parts_is_left_out_beside_its_plain_text(tmp_path: Path) -> None:
    pages = EmailMessage()
    pages.make_mixed()
    for half in ("First half.", "Second half."):
        pages.attach(inline := EmailMessage())
        inline.set_content(f"<p>{half}</p>", subtype="html")
    message = mail("First half.\n\nSecond half.")
    message.make_alternative()
    message.attach(pages)
    assert one(tmp_path / "a.eml", message.as_bytes()).text.strip() == "First half.\n\nSecond half."


def test_raw_eight_bit_headers_and_bodies_are_read(tmp_path: Path) -> None:
    raw = f"From: a\r\nDate: x\r\nSubject: 件名\r\n\r\n{GOOD}".encode("shift_jis")
    document = one(tmp_path / "a.eml", raw)
    assert (document.text, document.published) == (GOOD, "")


@pytest.mark.slow
@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"no message",
        b"From: a\nDate: b\n\n",
        b"From: a\nDate: b\nContent-Type: image/png\n\nxx",
        b"From: a\nDate: b\n"
        + b"".join(b"Content-Type: multipart/mixed; boundary=%d\n\n--%d\n" % (i, i) for i in range(3000)),
    ],
)
def test_what_has_no_text_is_refused(tmp_path: Path, content: bytes) -> None:
    [item] = read(tmp_path / "a.eml", content)
    assert isinstance(item, Failure)


def test_a_subject_in_an_encoding_that_can_hold_half_characters_is_read(tmp_path: Path) -> None:
    raw = b"From: a\nDate: x\nSubject: =?utf-7?Q?a+2AA-b?=\n\n" + GOOD.encode()
    assert one(tmp_path / "a.eml", raw).title == "a\ufffdb"


@pytest.mark.slow
@pytest.mark.parametrize(
    "field",
    [b"Subject: ab" + b" =?utf-8?Q?c?=" * 2_000_000, b"Content-Type: text/plain" + b";" * 20_000_000],
    ids=["words", "parameters"],
)
def test_the_end_of_an_absurd_header_field_is_left_out_with_a_word(tmp_path: Path, field: bytes) -> None:
    document = one(tmp_path / "a.eml", b"From: a\nDate: x\n" + field + b"\n\n" + GOOD.encode())
    assert document.text == GOOD
    assert document.extraction.repairs == ("left out the ends of header fields longer than 16,384 characters (1)",)


def mhtml(location: str = "Content-Location: http://a.example/d/\n") -> bytes:
    page = base64.encodebytes(f"<title>T</title><p>{GOOD}<a href=../b>b</a>".encode()).decode()
    return (
        'From: <Saved>\nSubject: S\nMIME-Version: 1.0\nContent-Type: multipart/related; boundary="x"\n\n'
        "--x\nContent-Type: image/png\n\nxx\n"
        f"--x\nContent-Type: text/html; charset=utf-8\nContent-Transfer-Encoding: base64\n{location}\n{page}\n"
        "--x\nContent-Type: text/html\nContent-Location: http://frame/\n\n<p>frame</p>\n--x--\n"
    ).encode()


@pytest.mark.parametrize("name", ["a.mhtml", "a.mht", "nameless"])
def test_a_saved_page_is_its_root_with_its_address(tmp_path: Path, name: str) -> None:
    document = one(tmp_path / name, mhtml())
    assert (document.title, document.url, document.links) == ("T", "http://a.example/d/", ("http://a.example/b",))
    assert (document.text, document.extraction.format) == (f"{GOOD}b", "mhtml")


def test_a_local_address_of_a_saved_page_is_none(tmp_path: Path) -> None:
    assert one(tmp_path / "a.mhtml", mhtml("Content-Location: file:///C:/a.html\n")).url == ""


def test_each_message_of_a_mailbox_is_a_document(tmp_path: Path) -> None:
    sent = b"From a@example.org Thu Jan  2 03:04:05 2020\n"
    messages = [mail(f"{GOOD}{i}\nFrom here on.\n", "utf-8") for i in range(3)]
    box = b"".join(sent + m.as_bytes(unixfrom=False).replace(b"\nFrom ", b"\n>From ") + b"\n" for m in messages)
    items = read(
        tmp_path / "a.mbox", box + sent + b"\n" + sent + b"From: a\nDate: b\n\n" + b"x" * 9000, member_bytes=5000
    )
    assert [i.document.id for i in items if isinstance(i, Record)] == ["a.mbox!1", "a.mbox!2", "a.mbox!3"]
    assert [i.path for i in items if isinstance(i, Failure)] == ["a.mbox!4", "a.mbox!5"]
    [first, *_] = [i for i in items if isinstance(i, Record)]
    assert first.document.text.split("\n")[:2] == [f"{GOOD}0", "From here on."]


def test_a_paragraph_that_begins_like_a_separator_stays_in_its_message(tmp_path: Path) -> None:
    sent = b"From a@example.org Thu Jan  2 03:04:05 2020\nFrom: a\nDate: b\n\n"
    [item] = read(tmp_path / "a.mbox", sent + b"One.\n\nFrom here on it was 2023\nand later.\n")
    assert isinstance(item, Record)
    assert item.document.text.split() == ["One.", "From", "here", "on", "it", "was", "2023", "and", "later."]


def test_a_mailbox_of_endless_separators_is_one_message(tmp_path: Path) -> None:
    sent = b"From a@example.org Thu Jan  2 03:04:05 2020\n"
    path = tmp_path / "a.mbox"
    endless = b"\n\nFrom a " + b"1" * 2_000_000
    items = read(path, sent + mail().as_bytes() + endless)
    assert [i.document.id for i in items if isinstance(i, Record)] == ["a.mbox!1"]


@pytest.mark.parametrize("written", ["Thu, 5 Mar 2009", "2009-03-05 10:00"])
def test_a_message_whose_date_is_written_otherwise_is_dated(tmp_path: Path, written: str) -> None:
    message = f"From: a@x.example\nDate: {written}\nSubject: s\nContent-Type: text/plain; charset=utf-8\n\n{GOOD}"
    assert one(tmp_path / "a.eml", message.encode()).published == "2009-03-05"
