"""Reading of large archives in worker processes: rates, and the most memory of all processes together.

    python -m tests.benchmarks.formats [--megabytes N] [--workers N]

A web archive (gzip by record) and a MediaWiki dump (bzip2) of N MB unpacked are made of the bundled sample. The ratio
is that of cutting, which one process does, to reading, which the workers share: above 1 the workers are the bottleneck.
"""

from __future__ import annotations

import argparse
import bz2
import gzip
import os
import tempfile
import threading
import time
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from xml.sax.saxutils import escape

from tests.golden.encodings import SAMPLE
from workbench.base.progress import NullProgress
from workbench.reading import formats
from workbench.reading.decoding import decode
from workbench.reading.formats import Record, Source
from workbench.services.importing.parsing import parse_all
from workbench.services.importing.pieces import Reading

PARAGRAPHS = 40


def main() -> None:
    """Print a line for each archive."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--megabytes", type=int, default=100)
    parser.add_argument("--workers", type=int, default=2)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        for make in (_warc, _mediawiki):
            measure(make(Path(folder), arguments.megabytes * 1_000_000), arguments.workers)


def measure(path: Path, workers: int) -> None:
    """Print rates and memory for one archive."""
    source = Source(path, path.name)
    begun = time.perf_counter()
    parts = sum(isinstance(part, Source) for part in formats.cut(source) or ())
    cutting = time.perf_counter() - begun
    peak = [0.0]
    done = threading.Event()
    watch = threading.Thread(target=_watch, args=(peak, done))
    watch.start()
    begun = time.perf_counter()
    read = pieces = 0
    for _, items in parse_all(NullProgress(), [source], Reading(), workers):
        read += sum(isinstance(item, Record) for item in items)
        pieces += 1
    reading = time.perf_counter() - begun
    done.set()
    watch.join()
    print(
        f"{path.name}: {path.stat().st_size / 1e6:.0f} MB packed, {parts:,} parts, {read:,} read in {pieces:,} pieces; "
        f"cut {parts / cutting:,.0f}/s, read {read / reading:,.0f}/s (ratio {reading / cutting:.1f}); "
        f"{peak[0]:.0f} MB in all processes"
    )


def _watch(peak: list[float], done: threading.Event) -> None:
    while not done.wait(0.2):
        peak[0] = max(peak[0], sum(map(_memory, _tree(os.getpid()))))


def _tree(process: int) -> Iterator[int]:
    yield process
    try:
        for thread in os.listdir(f"/proc/{process}/task"):
            for child in Path(f"/proc/{process}/task/{thread}/children").read_text().split():
                yield from _tree(int(child))
    except OSError:
        return


def _memory(process: int) -> float:
    """MB that belong to the process, shared pages by their share."""
    try:
        lines = Path(f"/proc/{process}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0.0
    return sum(int(line.split()[1]) for line in lines if line.startswith("Pss:")) / 1000


def _paragraphs() -> list[str]:
    texts = [decode(path.read_bytes()).text for path in sorted((SAMPLE / "sources").glob("*.txt"))]
    return [line.strip() for text in texts for line in text.split("\n") if len(line.strip()) > 40]


def _warc(folder: Path, size: int) -> Path:
    path, lines, written = folder / "pages.warc.gz", _paragraphs(), 0
    with path.open("wb") as file:
        for number in count():
            at = number * 7 % len(lines)
            body = "".join(f"<li><a href=/{i}>entry {i}</a>" for i in range(60))
            body += "".join(f"<p>{escape(line)}" for line in lines[at : at + PARAGRAPHS])
            page = f"<!DOCTYPE html><title>{number}</title><meta charset=utf-8><ul>{body}".encode()
            http = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n" + page
            head = (
                "WARC/1.0\r\nWARC-Type: response\r\nWARC-Date: 2020-01-02T03:04:05Z\r\n"
                f"WARC-Target-URI: http://a.example/{number}\r\nContent-Length: {len(http)}\r\n\r\n"
            )
            file.write(gzip.compress(head.encode() + http + b"\r\n\r\n", 1))
            written += len(http)
            if written > size:
                return path
    return path


def _mediawiki(folder: Path, size: int) -> Path:
    path, lines, written = folder / "pages.xml.bz2", _paragraphs(), 0
    with bz2.open(path, "wb", compresslevel=1) as file:
        file.write(b"<mediawiki><siteinfo><base>https://a.example/wiki/X</base></siteinfo>\n")
        for number in count():
            at = number * 7 % len(lines)
            text = "{{Infobox|a=1}}\n" + "".join(
                f"'''{i}''' {line[:20]}[[{line[20:30]}|{line[20:24]}]]{line[24:]}"
                f"<ref>{{{{cite|{i}}}}}</ref>\n\n== {i} ==\n* a\n"
                for i, line in enumerate(lines[at : at + PARAGRAPHS])
            )
            page = f"<page><title>{number}</title><ns>0</ns><revision><text>{escape(text)}</text></revision></page>\n"
            file.write(page.encode())
            written += len(page.encode())
            if written > size:
                break
        file.write(b"</mediawiki>")
    return path


if __name__ == "__main__":
    main()
