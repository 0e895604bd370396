"""The texts of a report in a language, from the catalogues in ``resources/locale`` that the window uses."""

from __future__ import annotations

import gettext
from collections.abc import Callable

from workbench.base.messages import Counted, Message, fill
from workbench.base.resources import resource
from workbench.services.labels.verdicts import VERDICTS

ENGLISH = {
    "code": "en",
    "colon": ": ",
    "title": "Corresponding passages",
    "subtitle_pair": "One pair of documents",
    "subtitle_suspect": "One document and all its sources",
    "subtitle_run": "All pairs of a run",
    "neutral": (
        "This report lists passages that appear in both documents. Which document came first, and whether a passage "
        "was copied, is for the reader to decide: a passage without a verdict has not been reviewed."
    ),
    "total": "Total over all sources",
    "own_verdict": "Verdict on the document",
    "conflicts": "Passages on which the reviewers differ: {count}",
    "of_earlier_text": "given for another text of this document, not for this one",
    "attached": "attached to this passage by {name}",
    "share_sentence": (
        "Of {length} characters {matched} are in passages, each counted once regardless of the "
        "number of sources; {counted} count after the exclusions below."
    ),
    "cited_quotation": "In quotation marks",
    "cited_block": "In block quotations",
    "cited_references": "In reference lists",
    "cited_note": "In notes",
    "cited": "Matched characters that the text itself marks as quoted",
    "cited_why": "Recognised by quotation marks, headings and form. They count unless listed below as left out.",
    "exclusions": "Left out of the count",
    "exclusions_none": "Nothing was left out of the count.",
    "not_copies": "Passages judged not to be copies, which do not count: {count}",
    "scope": "For",
    "scope_one": "this document",
    "scope_all": "all documents",
    "what": "What",
    "who": "Who",
    "when": "When",
    "effect": "Passages · characters",
    "share_source": "Share of the compared document",
    "counts_not": "does not count",
    "counts_part": "{counted} characters count",
    "own_part": "{count} characters inside the dotted frame are not counted",
    "page": "p. {number}",
    "pages_left_out": "Pages that are not shown here (damaged, or beyond the limits of a report): {count}",
    "limits": "What the method cannot find",
    "state_done": "done",
    "state_running": "running",
    "state_cancelled": "cancelled",
    "state_failed": "failed",
    "state_interrupted": "interrupted",
    "made": "Made",
    "pack": "Fingerprint of the evidence pack",
    "key": "Key that signs evidence packs",
    "project": "Project",
    "run": "Run",
    "method": "Method",
    "version": "Version",
    "pairs": "Pairs of documents",
    "passages": "Passages",
    "threshold": "Threshold",
    "summary": "Summary",
    "document": "Examined document",
    "source": "Compared with",
    "share": "Share of the examined document",
    "longest": "Longest match, before exclusions",
    "verdicts": "Verdicts",
    "none_found": "This run found no passage in the chosen documents.",
    "none_so_far": (
        "This run did not finish: it found no passage in the documents it examined, and says nothing about the others."
    ),
    "only_scores": ("This run only scored documents. Reports contain passages and pairs, which it did not look for."),
    "not_compared": "This run did not compare the chosen documents: nothing is known about them.",
    "uncovered": "Documents of the project that the run did not compare (imported or changed since)",
    "id": "Identifier",
    "name": "Title",
    "address": "Address",
    "published": "Published",
    "by meta tag": "meta tag",
    "by JSON-LD": "structured data (JSON-LD)",
    "by time element": "time element",
    "by feed": "feed",
    "by sitemap": "last change according to the sitemap",
    "by HTTP header": "last change according to the HTTP header",
    "by file": "file",
    "by importer": "set on import",
    "created": "File created on (according to the file)",
    "language": "Language",
    "tags": "Tags",
    "length": "Length",
    "characters": "characters",
    "imported": "Imported",
    "captured": "Captured",
    "body_sha": "SHA-256 of the captured bytes",
    "encoding": "Encoding",
    "recognised": "Text recognition",
    "repairs": "Repairs while reading",
    "hidden": "Hidden text of the page, left out",
    "outside": "Not compared (blocks that are not content, hidden words)",
    "integrity": "Unusual characters",
    "sha": "SHA-256 of the text",
    "covered": "Covered by passages",
    "passage": "Passage",
    "of_matches": "{passages} of {matches} matches",
    "parts": "parts",
    "common": "Common phrases (in more than {count} other documents)",
    "common_phrase": "Common phrase, also in {count} other documents",
    "and_more": "and {count} more",
    "yes": "yes",
    "at": "characters",
    "score": "score",
    "tier0": "equal character for character",
    "tier1": "equal except for symbols, spaces, width or case",
    "tier2": "altered",
    "translated": "in another language",
    "same_but_for_script": "same except for the script",
    "same_but_for_spaces": "equal except for line ends and spaces",
    "same_but_for_insertions": "equal sentences, with letters or figures between them",
    "same_but_for_writing": "the same words, with numbers, kana or characters in another form",
    "same_as_read": "the same, as it was read from a picture",
    "verdict": "Verdict",
    "unreviewed": "not reviewed",
    "withdrawn": "withdrawn",
    "conflict": "The verdicts differ",
    "settled": "Settled",
    "settled_by_party": "Settled by one of those who disagreed",
    "left_open": "reopened",
    "undone": "Not listed: {count} entries that were undone within minutes, and the entries that undid them",
    "carried": "given for a passage with slightly different boundaries",
    "note": "Note",
    "history": "History",
    "settings": "Method and settings",
    "setting": "Setting",
    "value": "Value",
    "default": "Default",
    "paper": "In the publication",
    "meaning": "Meaning",
    "origin": "Publication",
    "begun": "Started",
    "duration": "Duration",
    "seconds": "s",
    "state": "State",
    "examined": "Documents examined",
    "found": "Matches in the whole run",
    "corpus": "SHA-256 of the corpus",
    "not_printed": (
        "A printed report is limited to the first {pairs_most} pairs, and to {matches_most} matches shared out among "
        "them. Not printed: pairs {pairs}, matches {matches}. A report as .html, .csv or .jsonl contains all."
    ),
    "printed": "Matches printed here",
    "printed_of": "{count} of {all}",
    "cut": "not printed: characters {characters}",
    "excluded": "What was left out, and why",
    "excluded_none": "Nothing was left out.",
    "reason": "Reason",
    "count": "Count",
    "reading": "How to read this",
    "reading_marks": (
        "Marked text is in both documents; dark underlined text inside it differs between the "
        "two; text that was only moved is not underlined."
    ),
    "reading_translated": (
        "Marked sentences correspond to each other in two languages, in the order of both texts; their words are not "
        "compared."
    ),
    "reading_around": (
        "Text in a dotted frame is not part of the passage around it. Grey text around it is context. Positions count "
        "characters from the start of the extracted text, beginning at 0."
    ),
    "reading_hidden": "Invisible characters and those that reverse text are written as <U+XXXX>.",
    "reading_hash": "The SHA-256 values are of the extracted texts in UTF-8, as they are stored in the project.",
    "reading_anonymous": (
        "Names of documents and reviewers are replaced, and covered by █ where they occur in a text. The SHA-256 "
        "values are of the texts with the names covered, in UTF-8, not of those in the project."
    ),
    "pack_title": "Evidence pack",
    "pack_files": "report.html: the report, to read and print. report.csv, passages.jsonl: its passages as tables. "
    "texts: the texts as they were compared, in UTF-8. originals: the pages and files they were read from, "
    "where the project keeps them. captures: the responses of the hosts, and their times. "
    "settings.json: the method and its settings. decisions.jsonl: the log of decisions, each line "
    "chained to the one before by SHA-256. manifest.json: every file with its SHA-256.",
    "pack_check": (
        "To check: palimpsest verify FILE. Without Palimpsest: sha256sum -c manifest.sha256 checks "
        "the manifest, and the manifest contains the SHA-256 of each file."
    ),
    "pack_proves": (
        "The check detects every byte of this archive that was changed since it was written, and names the file."
    ),
    "pack_signed": "manifest.sig and manifest.pub, if present: the manifest signed by whoever made the pack "
    "(Ed25519). The report's cover names the key; ask its owner whether it is theirs. Without "
    "Palimpsest: openssl pkeyutl -verify -pubin -inkey manifest.pub -rawin -in manifest.json "
    "-sigfile manifest.sig. manifest.tsr, if present: a timestamp (RFC 3161) of the manifest.",
    "pack_proves_not": (
        "It cannot detect a complete forgery with new checksums. Anyone who received the fingerprint separately (it "
        "was shown when the pack was written) can: palimpsest verify FILE --fingerprint HEX. Nor does it prove that "
        "the texts are as their authors wrote them, or when: only that they are the texts that were compared."
    ),
    "pack_anonymous": (
        "Names of documents and reviewers are replaced, and covered by █ where they occur in a "
        "text; addresses, originals and captures are left out. The key to the names is in a "
        "separate file."
    ),
    "watch_title": "New matches",
    "watch_subtitle": "Report of the watches of a project",
    "days": "Days",
    "new_matches": "New matches",
    "known_matches": "Found again, already reported",
    "nothing_new": "The checks of this period found nothing new.",
    "by_source": "By source",
    "by_site": "By site",
    "site": "Site",
    "pages": "Pages",
    "delay": "Median days from publication to copy",
    "of_original": "of the original",
    "direction": "Direction",
    "case": "Case",
    "review_verdict": "Verdict",
    "page_state": "Page",
    "gone_pages": "Reported pages that are gone",
    "not_fetched": "Could not be fetched in the last check",
    "is whole copy": "whole copy",
    "is inclusion": "inclusion",
    "is stitched": "stitched",
    "is quotation with a link": "quotation with a link",
    "is excerpt": "excerpt",
    "is online": "online",
    "is changed": "changed",
    "is gone": "gone",
    "is last seen": "last seen",
    "is new": "new",
    "is licensed": "licensed",
    "is notice sent": "notice sent",
    "is settled": "settled",
    "is ignored": "ignored",
}
LANGUAGES = ("en", "ja", "zh")
_CATALOGUES = ("sentences", "palimpsest")


def strings(translate: Callable[[str], str] | None = None) -> dict[str, str]:
    """The sentences by name, each through ``translate`` (English text to another language) if given.

    The text for a verdict is named by its value.
    """
    named = ENGLISH | {value: verdict.words for value, verdict in VERDICTS.items()}
    return {name: translate(text) if translate else str(text) for name, text in named.items()}


class ReportLanguage:
    """The texts of a report in ``language`` (one of LANGUAGES; any other means English)."""

    def __init__(self, language: str = "en") -> None:
        self.language = language if language in LANGUAGES else "en"
        folder = str(resource("locale"))
        first, second = (gettext.translation(name, folder, [self.language], fallback=True) for name in _CATALOGUES)
        first.add_fallback(second)
        self._catalogue = first
        self.texts = strings(self.say)
        """The sentences of reports, by name."""

    def say(self, text: str) -> str:
        """The text of a message, or of a constant from a lower layer, with its values; English if untranslated."""
        if not isinstance(text, Message):
            return self._catalogue.gettext(text) if text else ""
        values = {name: self.say(value) if isinstance(value, Message) else value for name, value in text.values.items()}
        if isinstance(text, Counted):
            return fill(self._catalogue.ngettext(*text.forms, text.number), values)
        return fill(self._catalogue.gettext(text.id), values) if text else ""
