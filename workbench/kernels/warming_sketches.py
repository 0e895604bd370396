"""One small call of each kernel behind shingles, sketches and fingerprints of initials."""

from __future__ import annotations

import numpy as np

from workbench.base.progress import Unwatched
from workbench.kernels.fold_table import fold_table
from workbench.kernels.initials_extension import Settings, extended
from workbench.kernels.initials_neighbours import neighbours, tables
from workbench.kernels.initials_windows import Quantiser, windows
from workbench.kernels.minhash import agreement, band_keys, signatures
from workbench.kernels.postings import Lists, meetings
from workbench.kernels.shingles import distinct, occurrences, shared, shingle_hashes
from workbench.kernels.simhash import distances, near, simhashes, table_keys
from workbench.kernels.token_pass import cut_tokens, fold_codes
from workbench.kernels.winnowing import TokenText, common_runs, spans, winnow
from workbench.text.normalisation import FoldOptions
from workbench.text.tokens import Tokens


def warm_sketches() -> None:
    """Load or compile them all."""
    codes = np.frombuffer("あい".encode("utf-32-le"), np.uint32).copy()
    ends = np.array([2], np.int64)
    tokens = cut_tokens(fold_codes(codes, ends, fold_table(FoldOptions())), codes, Tokens.AUTO)
    rows = shingle_hashes(tokens.values, tokens.bounds, 1, short=True)
    sets = distinct(rows)
    one, two = np.zeros(1, np.int64), np.array([0, 2], np.int64)
    shared(sets, one, sets, one)
    list(meetings(Lists(one, one, one + 1), np.zeros(1, np.uint32), one + 1, 1, Unwatched()))

    signed = signatures(sets, 2)
    band_keys(signed, 1, 2)
    agreement(signed, one, signed, one)

    prints = simhashes(sets, occurrences(rows, sets).astype(np.int32), 1)
    distances(prints, one, prints, one)
    near(prints, prints[0], 0, 1, np.uint64(1), one.copy())
    table_keys(prints, np.array([0, 64], np.int64), np.zeros((1, 1), np.int64))

    kept, _ = winnow(rows, 1)
    text = TokenText(tokens.values, tokens.start, tokens.end, tokens.bounds, codes, two)
    runs = common_runs(tokens.values, kept[:1], one, one + 1, one, text, 1, 1, 0, Unwatched())
    spans(runs, text, 0, text, np.zeros(0x110000, np.uint8))

    letters, level = np.zeros(2, np.uint8), np.zeros((26, 2), np.uint8)
    found = windows(
        letters, two, 1, 1, Quantiser(level, np.arange(26, dtype=np.uint8), level[:, 0].copy(), 2, 1), Unwatched()
    )
    held = tables(found.keys[:1], found.blocks[:1], Unwatched())
    neighbours(found.keys[:1], found.blocks[:1], held, 2, 0, Unwatched())
    pair = (one, one, one)
    extended(letters, letters, two, pair, Settings(1, 0, 1, 1.0, 1.0, 1.0), Unwatched().check)
