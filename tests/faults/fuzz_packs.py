"""Changed evidence packs: a check refuses each or names a change, and calls none whole.

    python tests/faults/fuzz_packs.py [--cases N] [--seed S] [--keep FOLDER]

A third are changed as bytes, a third in one file with the archive built and sealed anew, a third in the manifest, its
sum and the seal made to fit. Only the last, without a signature, may be whole: it is a pack that was made anew.
"""

from __future__ import annotations

import collections
import hashlib
import random
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.faults.fuzz_projects import limited, mutate, program
from tests.faults.test_forged_packs import Files, archive, files_of
from workbench.base.errors import UserError
from workbench.services.reports.archive import DIGEST, KEY, MANIFEST, SIGNATURE, PackWriter, digest_line
from workbench.services.reports.verifying import verify_pack

_SECONDS = 20


@dataclass
class Tally:
    """What the cases came to; ``failed`` are sentences."""

    outcomes: collections.Counter[str] = field(default_factory=collections.Counter)
    failed: list[str] = field(default_factory=list)


def build(path: Path) -> None:
    """A small signed pack."""
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

    key = Ed25519PrivateKey.generate()
    public = key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    writer = PackWriter(path)
    texts = {name: f"What {name} holds. 写本\n" * 20 for name in ("report.html", "texts/0001.txt")}
    for name, text in texts.items():
        writer.write(name, "a file", text)
    digest = hashlib.sha256(texts["texts/0001.txt"].encode()).hexdigest()
    documents = [{"text": "texts/0001.txt", "text_sha256": digest}]
    writer.seal({"made": "2026-01-01", "documents": documents}, lambda m: {SIGNATURE: key.sign(m), KEY: public})
    writer.close()


def _changed(whole: bytes, files: Files, rng: random.Random) -> tuple[bytes, bool]:
    """A changed pack, and whether it may be one that was made anew."""
    kind = rng.randrange(3)
    if kind == 0:
        return mutate(whole, rng), False
    if kind == 1:
        victim = rng.randrange(len(files))
        return archive([(n, mutate(c, rng) if at == victim else c) for at, (n, c) in enumerate(files)]), False
    manifest = mutate(dict(files)[MANIFEST], rng)
    new = {MANIFEST: manifest, DIGEST: digest_line(hashlib.sha256(manifest).hexdigest())}
    return archive([(n, new.get(n, c)) for n, c in files if n not in (SIGNATURE, KEY)]), True


def fuzz(seeds: range, keep: Path) -> Tally:
    """The cases with these seeds."""
    tally = Tally()
    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / "pack.zip"
        build(path)
        whole, files = path.read_bytes(), files_of(path)
        if not verify_pack(path).whole:
            tally.failed.append("the pack as it was written is not whole")
        for seed in seeds:
            data, anew = _changed(whole, files, random.Random(seed))
            path.write_bytes(data)
            try:
                with limited(_SECONDS):
                    check = verify_pack(path)
                    outcome = "whole" if check.whole else "changed"
                    problem = "a changed pack is whole" if check.whole and not anew and data != whole else ""
            except UserError:
                outcome, problem = "refused", ""
            except Exception as error:  # noqa: BLE001 - this is what is looked for
                outcome, problem = "failed", f"{type(error).__name__}: {error}"
            tally.outcomes[outcome] += 1
            if problem:
                tally.failed.append(f"seed {seed}: {problem}")
                keep.mkdir(parents=True, exist_ok=True)
                (keep / f"{seed}.zip").write_bytes(data)
    return tally


def _summary(tally: Tally) -> str:
    return f"{sum(tally.outcomes.values())} packs: {dict(tally.outcomes)}, {len(tally.failed)} problems"


if __name__ == "__main__":
    sys.exit(program(fuzz, 10_000, "fuzz-packs", _summary))
