"""Every sentence of a report, in one place. Wording stays neutral: only a reviewer's verdict says what a passage is."""

from __future__ import annotations

from collections.abc import Callable

ENGLISH = {
    "code": "en",
    "title": "Corresponding passages",
    "subtitle_pair": "One pair of documents",
    "subtitle_suspect": "One document and all its sources",
    "subtitle_run": "All pairs of a run",
    "neutral": "This report lists passages that stand in both documents. Which document came first, and whether a "
    "passage was copied, is for a reader to decide: a passage without a verdict has not been reviewed.",
    "made": "Made",
    "project": "Project",
    "run": "Run",
    "method": "Method",
    "version": "Version",
    "pairs": "Pairs of documents",
    "passages": "Passages",
    "summary": "Summary",
    "document": "Examined document",
    "source": "Compared with",
    "share": "Share of the examined document",
    "longest": "Longest passage",
    "verdicts": "Verdicts",
    "none_found": "This run found no passage in the chosen documents.",
    "id": "Identifier",
    "name": "Title",
    "address": "Address",
    "published": "Published",
    "language": "Language",
    "length": "Length",
    "characters": "characters",
    "imported": "Imported",
    "captured": "Captured",
    "body_sha": "SHA-256 of the captured bytes",
    "encoding": "Encoding",
    "repairs": "Repairs on reading",
    "sha": "SHA-256 of the text",
    "covered": "Covered by passages",
    "passage": "Passage",
    "at": "characters",
    "score": "score",
    "tier0": "equal character for character",
    "tier1": "equal except for symbols, width or case",
    "tier2": "altered",
    "verdict": "Verdict",
    "unreviewed": "not reviewed",
    "copy": "Copy",
    "partial": "Partial, or a common source",
    "not-copy": "Not a copy",
    "withdrawn": "withdrawn",
    "carried": "given for a passage with slightly different limits",
    "note": "Note",
    "history": "History",
    "settings": "Method and settings",
    "setting": "Setting",
    "value": "Value",
    "default": "Default",
    "paper": "In the publication",
    "meaning": "Meaning",
    "origin": "Publication",
    "begun": "Begun",
    "duration": "Duration",
    "seconds": "s",
    "state": "State",
    "examined": "Documents examined",
    "found": "Passages found in the whole run",
    "corpus": "SHA-256 of the corpus",
    "not_printed": "Paper is limited to the first {pairs_most} pairs and {passages_most} passages. Not printed: pairs "
    "{pairs}, passages {passages}. A report as .html, .csv or .jsonl holds all.",
    "cut": "not printed: characters {characters}",
    "excluded": "What was left out, and why",
    "excluded_none": "Nothing was left out.",
    "reason": "Reason",
    "count": "Count",
    "reading": "How to read this",
    "reading_marks": "Marked text stands in both documents; underlined dark text inside it differs between the two. "
    "Grey text around it is context. Positions count characters from the start of the extracted text, beginning at 0.",
    "reading_hidden": "Characters that cannot be seen, or would turn a line around, are written as <U+XXXX>.",
    "reading_hash": "The SHA-256 values are of the extracted texts in UTF-8, as they are stored in the project.",
    "pack_title": "Evidence pack",
    "pack_files": "report.html: the report, to read and print. report.csv, passages.jsonl: its passages as tables. "
    "texts: the texts as they were compared, in UTF-8. originals: the pages they were read from, where the project "
    "keeps them. captures: what the hosts answered, and when. settings.json: the method and its settings. "
    "decisions.jsonl: the log of decisions, each line chained to the one before by SHA-256. manifest.json: every file "
    "with its SHA-256.",
    "pack_check": "To check: palimpsest verify FILE. Without Palimpsest: sha256sum -c manifest.sha256 checks the "
    "manifest, and SHA-256 of each file stands in the manifest.",
    "pack_proves": "The check notices every byte of this archive that was changed since it was written, and names the "
    "file.",
    "pack_proves_not": "It cannot notice that somebody made another archive as a whole, with sums of its own. Whoever "
    "was given the fingerprint by another way (it was shown when the pack was written) can: palimpsest verify FILE "
    "--fingerprint HEX. Nor does it say that the texts are what their authors wrote, or when: only that they are what "
    "was compared.",
    "pack_anonymous": "Names of documents and reviewers are replaced, and covered by █ where a text holds them; "
    "addresses, originals and captures are left out. Who is who stands in a file that is kept apart.",
    "watch_title": "New matches",
    "watch_subtitle": "Report of the watches of a project",
    "days": "Days",
    "new_matches": "New matches",
    "known_matches": "Found again, reported before",
    "nothing_new": "The checks of these days found nothing new.",
    "by_source": "By source",
    "by_site": "By site",
    "site": "Site",
    "pages": "Pages",
    "delay": "Median days from publication to copy",
}


def strings(translate: Callable[[str], str] | None = None) -> dict[str, str]:
    """The sentences by name, each through ``translate`` (English text to another language) where one is given."""
    return {name: translate(text) if translate else text for name, text in ENGLISH.items()}
