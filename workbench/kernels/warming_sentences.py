"""One small call of each kernel behind rare sentences."""

from __future__ import annotations

import numpy as np

from workbench.kernels.fold_table import fold_table
from workbench.kernels.sentence_pass import has_open_lines, sentence_pass
from workbench.kernels.slices import copy_slices, equal_slices
from workbench.kernels.token_pass import fold_codes
from workbench.text.normalisation import FoldOptions


def warm_sentences() -> None:
    """Load or compile them all."""
    codes = np.frombuffer("あ。".encode("utf-32-le"), np.uint32).copy()
    ends = np.array([2], np.int64)
    folded = fold_codes(codes, ends, fold_table(FoldOptions()))
    has_open_lines(codes, ends)
    rows = sentence_pass(codes, ends, ends, folded, 1)
    equal_slices(folded.codes, rows.first, rows.length, folded.codes, rows.first, rows.length)
    equal_slices(folded.codes, rows.first, rows.length, folded.codes, rows.first, rows.first)
    copy_slices(folded.codes, rows.first, rows.length, folded.codes.copy())
