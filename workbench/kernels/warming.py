"""One small call of each kernel, so that compiling happens where progress is shown."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from workbench.kernels.bridging import bridge
from workbench.kernels.characters import character_lcp, character_suffix_array, dense_characters
from workbench.kernels.copied_outside import block_minima, gram_filter, gram_starts, longest_matches, outside_strings
from workbench.kernels.copied_strings import copied_strings, counterparts
from workbench.kernels.digest_pass import digest_pass, has_open_lines
from workbench.kernels.document_frequency import frequency_steps, interval_forest
from workbench.kernels.edit_script import codes_of, common_blocks
from workbench.kernels.edit_script_bits import CODES, solve
from workbench.kernels.fold_table import fold_table
from workbench.kernels.layout import batch_breaks
from workbench.kernels.rabin import fingerprint
from workbench.kernels.runs import Digests, allowed, find_runs, locate, required_lengths
from workbench.kernels.segment_values import count_letters, letter_costs, letter_counts, segment_bits, spellings
from workbench.kernels.sentence_groups import document_fingerprints, gather
from workbench.kernels.skeleton import skeletons
from workbench.kernels.substring_frequencies import substring_frequencies
from workbench.kernels.suffix_array import suffix_array
from workbench.kernels.warming_sentences import warm_sentences
from workbench.kernels.warming_sketches import warm_sketches
from workbench.text.normalisation import FoldOptions
from workbench.text.segmentation import Layout

_NONE = np.zeros(0, np.int32)
_CODES = np.frombuffer("あ".encode("utf-32-le"), np.uint32)


def _pass() -> None:
    one = np.array([1], np.int64)
    digest_pass(_CODES, one, one, fold_table(FoldOptions()))
    has_open_lines(_CODES, one, fold_table(FoldOptions()))
    batch_breaks(_CODES, one, [()], Layout.LAYOUT, np.ones(1, np.bool_))


def _values() -> None:
    table, counts = fold_table(FoldOptions()), letter_counts()
    count_letters(_CODES, table, counts)
    segment_bits(_CODES, _NONE, _NONE, table, letter_costs(counts))
    spellings(_CODES, _NONE, _NONE, np.zeros(1, np.int64))


def _find() -> None:
    text = np.array([0, 7, 0], np.uint64)
    index = suffix_array(text)
    zero = np.zeros(1, np.int64)
    digests = Digests(text[1:2], np.array([0, 1], np.int64), zero + 3, zero, zero)
    slots = locate(digests, text, index)
    allowed(digests, slots, index)
    runs = find_runs(digests, slots, required_lengths(np.ones(1), digests.bounds, 1, 0.0), text, index)
    bridge(runs, digests, np.ones(1, np.int32), text, np.ones(3, np.uint32))


def _copied() -> None:
    ids = dense_characters([_CODES, _CODES])
    suffixes = character_suffix_array(ids)
    lcp = character_lcp(ids, suffixes)
    document = np.array([0, 0, 1, 1], np.int32)[suffixes]
    frequency, parent, owner = interval_forest(lcp, document, 2, 1)
    step = frequency_steps(frequency, parent)
    elsewhere = counterparts(lcp, document, suffixes)
    arrays = (np.argsort(suffixes).astype(np.int32), owner, lcp, step, frequency, np.ones(3))
    copied_strings(0, 1, *arrays, elsewhere, np.full(3, -1, np.int32), 1)
    length, place = np.zeros(1, np.int32), np.zeros(1, np.int32)
    possible = gram_starts(ids[:1], 1, gram_filter(ids, 1, 0))
    index = (possible, np.array([0, 2, 4]), ids, suffixes, arrays[0], lcp, block_minima(lcp))
    longest_matches(ids[:1], 0, 1, 1, *index, length, place)
    outside_strings(length, place, *arrays, np.full(3, -1, np.int32), 1)
    substring_frequencies(lcp, 1)


def _near() -> None:
    a, b = codes_of("ab"), codes_of("ba")
    skeletons(a, b, 1)
    common_blocks(a, b)
    solve(a, b, np.full(CODES, -1, np.int32))
    two, prints = np.arange(3), np.array([7, 9], np.uint64)
    sizes = {"rotations": 1, "groups": 1, "members": 1, "cover": 0}
    document_fingerprints(prints, np.ones(2, np.int32), two, **sizes, alone=True)
    more, scratch = np.zeros(2, np.bool_), np.zeros(2, np.int32)
    gather(0, 1, two, two, two, two, two, 1, True, two.copy(), two.copy(), two.copy(), more, scratch)


STEPS: tuple[Callable[[], object], ...] = (
    lambda: fingerprint("a"),
    _pass,
    _values,
    _find,
    _copied,
    _near,
    warm_sketches,
    warm_sentences,
)
"""What :func:`workbench.kernels.warm_up` calls, in order."""
